package money

import "strings"

// numeral is a number in the form of the text.
type numeral struct {
	value    Decimal // scaled
	base     Decimal // without its scale: the 5 of 5k
	scaled   bool
	shaped   bool // looks like an amount: 5k, 1.200,00, 50,-
	places   int  // how many decimals are written
	exponent int  // of the last written place: -2 for cents, 3 for 5k
}

// Numbers returns the numbers of a text, in digits or words, without unit, in order and without overlap, but none that is
// a part of a name. Words that form no single number, as in "six and seven", are none.
func Numbers(text string, lang Lang) []Quantity {
	var out []Quantity
	r := newReader(text+" .", lang, "") // readers of words look at the token behind them
	for i := 0; i < len(r.tokens); i++ {
		n, start, end, ok := numeral{}, i, i, false
		if inWords := !r.is(i, number); !inWords && r.opens(i) && !(r.tokens[i].glued && r.is(i-1, word)) {
			n, end, ok = r.digits(i)
			ok = ok && !r.glued(end, word)
		} else if inWords {
			for r.numeric(end) {
				end++
			}
			for end > i && r.tokens[end-1].entry.is(conjunction) {
				end--
			}
			n, start, ok = r.words(i, end)
		}
		if ok {
			out = append(out, Quantity{Span: Span{Start: r.tokens[start].start, End: r.tokens[end-1].end}, Value: n.value})
		}
		i = max(i, end-1)
	}
	return out
}

// digits reads the number at token i with its suffixes: the dash of 50,- and the scale.
func (r *reader) digits(i int) (n numeral, next int, ok bool) {
	next = i + 1
	for r.continues(next) {
		if r.lang != German {
			return n, i, false // ambiguous: one number or two
		}
		next++
	}
	raw := r.source[r.tokens[i].start:r.tokens[next-1].end]
	lang := r.lang
	isEuro := i > 0 && r.tokens[i-1].isEuro() && !r.tokens[i].newline ||
		next < len(r.tokens) && r.tokens[next].isEuro() && !r.tokens[next].newline
	if isEuro && r.rate(next) == "" && r.rate(next+1) == "" {
		lang = Unknown // people of one project write 6.000 € and 6,000 € in both languages
	}
	d, places, ok := parseNumber(raw, lang)
	if !ok {
		return n, i, false
	}
	n = numeral{value: d, base: d, places: places, exponent: -places, shaped: places == 2 && !isDate(raw)}
	if end := r.dashes(next); end > next {
		n.shaped = true
		return n, end, true
	}
	if exp, end := r.scale(next); end > next {
		n.scaled, n.shaped = true, !isUnitLetter(r.text(next))
		n.exponent += exp
		next = end
		if n.value, ok = n.value.shift(exp); !ok {
			return n, i, false
		}
	}
	return n, next, true
}

// continues reports whether token i is a group of three digits that a plain space joins to the number before it.
func (r *reader) continues(i int) bool {
	if !r.is(i, number) || !r.is(i-1, number) || !threeDigits(r.text(i)) || r.tokens[i].start != r.tokens[i-1].end+1 ||
		r.source[r.tokens[i].start-1] != ' ' {
		return false
	}
	before := r.text(i - 1)
	return len(before) <= 3 && allDigits(before)
}

// isEuro reports whether a token is the euro, by its sign, code or name.
func (t *token) isEuro() bool { return t.entry.currency.code == "EUR" }

// groupingSpaces replaces every sign that can only group by an apostrophe.
var groupingSpaces = strings.NewReplacer("\u00a0", "'", "\u202f", "'", "\u2009", "'", " ", "'", "’", "'")

// parseNumber reads digits and signs by the rules in the package comment, and counts the decimals. It refuses versions,
// addresses, and dates with points.
func parseNumber(raw string, lang Lang) (d Decimal, places int, ok bool) {
	if allDigits(raw) {
		d, ok = newDecimal(raw, "")
		return d, 0, ok && (raw[0] != '0' || len(raw) == 1)
	}
	raw = groupingSpaces.Replace(raw)
	dot, comma := strings.Count(raw, "."), strings.Count(raw, ",")
	group, point := byte(0), byte(0)
	switch {
	case dot > 0 && comma > 0:
		group, point = ',', '.'
		if strings.LastIndexByte(raw, ',') > strings.LastIndexByte(raw, '.') {
			group, point = '.', ','
		}
	case dot > 1:
		group = '.'
	case comma > 1:
		group = ','
	case dot == 1:
		group, point = separator(raw, '.', lang != English)
	case comma == 1:
		group, point = separator(raw, ',', lang != German)
	}
	whole, fraction := raw, ""
	if point != 0 {
		i := strings.IndexByte(raw, point)
		whole, fraction = raw[:i], raw[i+1:]
	}
	if strings.IndexByte(whole, '\'') >= 0 {
		if group != 0 {
			return Decimal{}, 0, false
		}
		group = '\''
	}
	if group != 0 {
		if whole, ok = ungroup(whole, group); !ok {
			return Decimal{}, 0, false
		}
	}
	if whole != "" && !allDigits(whole) || fraction != "" && !allDigits(fraction) || whole+fraction == "" {
		return Decimal{}, 0, false
	}
	d, ok = newDecimal(whole, fraction)
	return d, len(fraction), ok
}

// separator decides the meaning of a number's only sign. groups decides it before exactly three digits.
func separator(raw string, sign byte, groups bool) (group, point byte) {
	i := strings.IndexByte(raw, sign)
	if head := raw[:i]; groups && len(raw)-i-1 == 3 && 0 < len(head) && len(head) <= 3 && head[0] != '0' {
		return sign, 0
	}
	return 0, sign
}

// ungroup removes the signs between thousands, or between lakhs and crores.
func ungroup(s string, sign byte) (string, bool) {
	groups := strings.Split(s, string(sign))
	last := len(groups) - 1
	if last == 0 {
		return "", false // all of them come after the decimal sign
	}
	if head := groups[0]; len(head) == 0 || len(head) > 3 || head[0] == '0' || len(groups[last]) != 3 {
		return "", false
	}
	for _, g := range groups[1:last] {
		if len(g) != 3 && (len(g) != 2 || len(groups[0]) > 2 || len(g) != len(groups[1])) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// isDate reports whether digits with a point can be a day and a month: 12.05.
func isDate(raw string) bool {
	day, month, ok := strings.Cut(raw, ".")
	return ok && len(day) <= 2 && len(month) == 2 && atMost(day, "31") && atMost(month, "12")
}

// atMost compares numbers of at most two digits.
func atMost(s, limit string) bool {
	return len(s) < len(limit) || s <= limit
}

// dashes reads the German and Swiss notation for no cents: 50,- and 50.–.
func (r *reader) dashes(i int) (next int) {
	if c := r.char(i); c != ',' && c != '.' || !r.tokens[i].glued || !r.glued(i+1, other) {
		return i
	}
	next = i + 1
	for r.glued(next, other) && isDash(r.text(next)) {
		next++
	}
	if next == i+1 || r.glued(next, number) || r.glued(next, word) {
		return i
	}
	return next
}

func isDash(s string) bool { return s == "-" || s == "–" || s == "—" || s == "−" }

// isUnitLetter reports whether a scale is a unit, too: without a currency 5m is a length.
func isUnitLetter(s string) bool {
	return s == "m" || s == "mm" || s == "t" || s == "b" || s == "T" || s == "B"
}

// maxNumberWords is the largest number of words and hyphens in a number; the longest that fits needs fewer.
const maxNumberWords = 40

// words reads the number words that end before token end, and start at token from or later. They must form one number.
func (r *reader) words(from, end int) (n numeral, start int, ok bool) {
	start = end
	from = max(from, end-maxNumberWords)
	for start > from && r.numeric(start-1) && !r.tokens[start].newline {
		start--
	}
	for start < end && (r.char(start) == '-' || r.tokens[start].entry.is(conjunction) || r.dangling(start, end)) {
		start++
	}
	if start == end || start > from && r.tokens[start-1].entry.is(vague) {
		return n, end, false
	}
	value, ok := r.evaluate(start, end)
	if !ok {
		return n, end, false
	}
	if start > from && r.char(start-1) == '-' && r.tokens[start].glued {
		return n, end, false
	}
	return numeral{value: value, base: value, shaped: true}, start, true
}

// numeric reports whether token i can be a part of a number in words.
func (r *reader) numeric(i int) bool {
	if !r.is(i, word) {
		return r.char(i) == '-' && r.glued(i, other) && r.glued(i+1, word)
	}
	e := r.tokens[i].entry
	switch {
	case e.numeral >= 0, e.scale != 0 && len(r.text(i)) > 2, e.is(conjunction):
		return true
	}
	switch w := r.lower(i); w {
	case "a", "an", "half", "halbe", "anderthalb":
		return true
	default:
		_, ok := germanNumber(w)
		return ok
	}
}

// dangling reports whether an article at token i belongs to no number: of the words up to end only "a hundred" and
// "half a million" use one.
func (r *reader) dangling(i, end int) bool {
	w := r.lower(i)
	return (w == "a" || w == "an") && (i+1 == end || r.tokens[i+1].entry.scale == 0 && r.lower(i+1) != "half")
}

// evaluate computes the number of the tokens from start to end. Every word must fit: tens before ones, larger scales
// before smaller ones.
func (r *reader) evaluate(start, end int) (Decimal, bool) {
	var sum, part, lastScale int64 = 0, 0, 1 << 62
	half, counted := false, false // half a million; whether part holds a number
	for i := start; i < end; i++ {
		w := r.lower(i)
		e := r.tokens[i].entry
		german, isGerman := germanNumber(w)
		switch {
		case r.char(i) == '-', e.is(conjunction):
			continue
		case w == "a", w == "an":
			if half {
				continue
			}
			part, counted = 1, true
		case w == "half", w == "halbe":
			if half || sum > 0 || part > 1 {
				return Decimal{}, false
			}
			half, part, counted = true, 1, true
		case w == "anderthalb":
			half, part, counted = true, 3, true
		case e.numeral >= 0:
			if !fits(part, int64(e.numeral), counted) {
				return Decimal{}, false
			}
			part, counted = part+int64(e.numeral), true
		case e.scale == 2:
			if part > 99 || half || counted && part == 0 {
				return Decimal{}, false
			}
			part, counted = max(part, 1)*100, true
		case e.scale != 0:
			exp := e.scale
			if e.german != 0 && r.lang == German {
				exp = e.german
			}
			factor := int64(1)
			for range exp {
				factor *= 10
			}
			if factor >= lastScale || !counted && exp != 3 || part == 0 && counted {
				return Decimal{}, false
			}
			part = max(part, 1) * factor
			if half {
				part /= 2
			}
			sum, part, lastScale, half, counted = sum+part, 0, factor, false, false
		case isGerman:
			if !fits(part, german, counted) {
				return Decimal{}, false
			}
			part, counted = part+german, true
		default:
			return Decimal{}, false
		}
	}
	if half {
		return Decimal{}, false
	}
	return fromInt(sum + part)
}

// germanNumber reads a number that German writes as one word: zweihundertfünfzig, fünftausend.
func germanNumber(w string) (int64, bool) {
	if len(w) < 6 { // the shortest are longer: hundert and similar words are in the lexicon
		return 0, false
	}
	if head, tail, ok := strings.Cut(w, "tausend"); ok {
		return germanParts(head, tail, 1000)
	}
	return germanHundreds(w)
}

func germanParts(head, tail string, factor int64) (int64, bool) {
	n, rest, ok := int64(1), int64(0), true
	if head != "" {
		if n, ok = germanHundreds(head); !ok {
			return 0, false
		}
	}
	if tail = strings.TrimPrefix(tail, "und"); tail != "" {
		if rest, ok = germanHundreds(tail); !ok {
			return 0, false
		}
	}
	return n*factor + rest, n > 0 && rest < factor
}

func germanHundreds(w string) (int64, bool) {
	if head, tail, ok := strings.Cut(w, "hundert"); ok {
		return germanParts(head, tail, 100)
	}
	return germanTens(w)
}

func germanTens(w string) (int64, bool) {
	if e := lexicon[w]; e != nil && e.numeral >= 0 {
		return int64(e.numeral), true
	}
	ones, tens, ok := strings.Cut(w, "und")
	if !ok || lexicon[ones] == nil || lexicon[tens] == nil {
		return 0, false
	}
	n, ten := lexicon[ones].numeral, lexicon[tens].numeral
	return int64(ten + n), 0 < n && n < 10 && ten >= 20
}

// fits reports whether n can follow part inside a number: twenty + five, two hundred + fifty.
func fits(part, n int64, counted bool) bool {
	switch {
	case !counted:
		return true
	case n == 0 || part == 0:
		return false
	case n < 10:
		return part%10 == 0 && part%100 != 10
	case n < 100:
		return part%100 == 0
	}
	return false
}

// scale reads the power of ten after a number. Abbreviating letters must follow at once, or be next to a currency: 5k,
// 5 k€, 3 T€.
func (r *reader) scale(i int) (exp, next int) {
	if !r.is(i, word) || r.tokens[i].newline {
		return 0, i
	}
	e := r.tokens[i].entry
	if e.scale == 0 {
		return 0, i
	}
	exp, next = int(e.scale), i+1
	if e.german != 0 && r.lang == German {
		exp = int(e.german)
	}
	if len(r.text(i)) <= 2 {
		if !r.tokens[i].glued && !r.glued(next, symbol) {
			return 0, i
		}
		if r.text(i) == "T" && r.glued(next, symbol) {
			exp = 3 // T€: the German accountant's thousand
		}
		if r.glued(next, number) {
			return 0, i
		}
		return exp, next
	}
	if after := r.skipPoint(next); after > next && isAbbreviation(r.lower(i)) {
		next = after
	}
	if e.scale == 2 || e.scale == 3 { // 5 hundred thousand
		if more, end := r.scale(next); end > next && more >= 3 {
			return exp + more, end
		}
	}
	return exp, next
}

func isAbbreviation(w string) bool {
	switch w {
	case "mio", "mrd", "tsd", "mill", "trn", "bn", "ca", "approx", "std", "stk":
		return true
	}
	return false
}

func fromInt(n int64) (Decimal, bool) {
	const limit = 1_000_000_000_000_000_000 // 10^maxDigits
	return Decimal{coef: n}, -limit < n && n < limit
}
