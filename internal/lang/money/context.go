package money

import "strings"

// is reports whether token i exists and is of that class.
func (r *reader) is(i int, c class) bool {
	return 0 <= i && i < len(r.tokens) && r.tokens[i].class == c
}

// opens reports whether an amount may begin at token i: the text joined to it on the left is no part of a name, an id,
// a date, a path or a longer number.
func (r *reader) opens(i int) bool {
	if i == 0 || !r.tokens[i].glued {
		return i == 0 || r.char(i-1) != '#' && !r.continues(i)
	}
	switch before := r.tokens[i-1]; before.class {
	case word:
		return r.lower(i-1) == "x" && r.glued(i-1, word) && r.is(i-2, number) // 3x$20
	case number, symbol:
		return false
	}
	far := i >= 2 && r.tokens[i-1].glued // the character before is joined to something, too
	switch r.char(i - 1) {
	case '#', '_', '\\', '&', '{', '%', '^', '+':
		return r.char(i-1) == '+' && !far
	case '.', ',', ':', '\'', '-':
		return !far || r.tokens[i-2].class == other || r.char(i-1) == ':' && r.tokens[i-2].class == word &&
			!r.is(i, number)
	case '/':
		return !far && !r.is(i, number)
	case '=':
		return !far || !r.is(i, symbol)
	}
	return true
}

// closes reports whether an amount may end before token i.
func (r *reader) closes(i int) bool {
	if i >= len(r.tokens) {
		return true
	}
	if r.char(i) == '%' {
		return false
	}
	if t := r.tokens[i]; !t.glued {
		w := ""
		if t.class == word && !t.newline {
			w = r.lower(i)
		}
		return w != "percent" && w != "prozent"
	}
	far := i+1 < len(r.tokens) && r.tokens[i+1].glued
	switch t := r.tokens[i]; t.class {
	case number, word, symbol:
		return false
	}
	switch r.char(i) {
	case '_', '}', '\\', '^', '@', '#':
		return false
	case '.', ',', ':', '/', '-':
		return !far || !r.is(i+1, number)
	}
	return true
}

// isSign reports whether the dash at token i is a minus: it has space on its left, and a number or currency follows at
// once.
func (r *reader) isSign(i int) bool {
	return r.text(i) != "—" && i+1 < len(r.tokens) && r.tokens[i+1].glued && (!r.tokens[i].glued || r.is(i-1, other)) &&
		(r.is(i+1, number) || r.is(i+1, symbol) || r.is(i+1, word))
}

// isPlainMoney reports whether a number without a currency is money: by its shape, a word about money near by, and no
// noun after it that it counts.
func (r *reader) isPlainMoney(start, end int, n numeral) bool {
	switch {
	case r.counted(end):
		return false
	case r.bare && (bare{r, start, end}).isMoney(n):
		return true
	case !n.shaped:
		return false
	case r.char(end-1) == '-':
		return true // 50,-
	}
	return r.near(start-5, start, pricing) || r.near(end, end+2, pricing)
}

// counted reports whether the word at token i names the things that the number before it counts.
func (r *reader) counted(i int) bool {
	follow := plain | pricing | each | regularly
	if r.bare {
		follow |= loose | trading
	}
	return r.is(i, word) && !r.tokens[i].newline && !r.tokens[i].entry.is(follow)
}

// near reports whether one of the tokens from i to before j has the flag.
func (r *reader) near(i, j int, f flag) bool {
	for k := max(i, 0); k < min(j, len(r.tokens)); k++ {
		if r.tokens[k].entry.is(f) {
			return true
		}
	}
	return false
}

func (r *reader) isApproximate(start, end int) bool {
	i := start - 1
	if r.has(i, between) || r.has(i, upTo) || r.has(i, article) {
		i--
	}
	if r.char(i) == '.' && r.tokens[i].glued {
		i--
	}
	if r.is(i, word) && r.lower(i) == "like" && r.is(i-1, word) && r.lower(i-1) == "something" {
		return true
	}
	if r.char(i) == '~' || r.has(i, approximately) || r.lang == German && r.has(i, fastly) {
		return true
	}
	if r.char(end) == '-' && r.glued(end, other) && r.is(end+1, word) && r.lower(end+1) == "ish" {
		return true
	}
	return r.is(end, word) && !r.tokens[end].newline && (r.lower(end) == "or" || r.lower(end) == "oder") &&
		r.is(end+1, word) && r.lower(end+1) == "so"
}

// has reports whether token i is a word with the flag.
func (r *reader) has(i int, f flag) bool { return r.is(i, word) && r.tokens[i].entry.is(f) }

func (r *reader) lower(i int) string { return strings.ToLower(r.text(i)) }

// inParentheses reports whether parentheses make the amount negative, and their positions.
func (r *reader) inParentheses(start, end int) (first, last int, negative bool) {
	first, last = start-1, end
	if r.char(first) != '(' || r.char(last) != ')' || !r.tokens[start].glued || !r.tokens[end].glued {
		return 0, 0, false
	}
	opens := r.tokens[first].newline || r.char(first-1) == '|' || r.char(first-1) == ':' || r.char(first-1) == ';'
	closes := last+1 == len(r.tokens) || r.tokens[last+1].newline || strings.IndexByte("|;,.", r.char(last+1)) >= 0 &&
		r.char(last+1) != 0
	return first, last, opens && closes
}

// char returns the character of a token that is neither number, word nor symbol, and 0 for other tokens. All dashes are
// '-', all signs of approximation '~', and × is '*'.
func (r *reader) char(i int) byte {
	if !r.is(i, other) {
		return 0
	}
	switch s := r.text(i); s {
	case "–", "—", "−":
		return '-'
	case "≈", "∼", "±", "≃":
		return '~'
	case "×", "✕":
		return '*'
	default:
		if len(s) == 1 {
			return s[0]
		}
		return 0
	}
}

func (r *reader) text(i int) string { return r.source[r.tokens[i].start:r.tokens[i].end] }

// glued is like is, for a token without space before it.
func (r *reader) glued(i int, c class) bool { return r.is(i, c) && r.tokens[i].glued }

func isUpper(s string) bool {
	for i := range len(s) {
		if !isCapital(s[i]) {
			return false
		}
	}
	return true
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
