package extract

import "strings"

// A form is a line of the tables about money, written out: "sum quote: want #". Unlike a phrase it may stand anywhere in a
// sentence, since amounts are found by themselves, and a form only tells what one is.
type form struct {
	kind   string
	always bool // whatever single words say
	words  []string
}

// hash stands for the amount in a form.
const hash = "#"

// addForms adds a line such as "sum quote!: (want|ask for) #; priced at #".
func (l *language) addForms(line string) {
	name, pattern, _ := strings.Cut(line, ": ")
	list, kind, _ := strings.Cut(name, " ")
	kind, always := strings.CutSuffix(kind, "!")
	for one := range strings.SplitSeq(pattern, ";") {
		for _, words := range expand(marks.Replace(one)) {
			for i, w := range words {
				if w[0] != '{' {
					words[i] = l.canonical(foldWord(w))
				}
			}
			l.forms[list] = append(l.forms[list], form{kind, always, words})
		}
	}
}

// A saying is a form that was found.
type saying struct {
	kind     string
	from, to int    // tokens
	x        [2]int // of its {x} or {Name}
}

// reach is how many tokens before an amount a form may begin.
const reach = 12

// saying returns the first form of a list that fits the sentence.
func (r *reader) saying(list string, always bool, a *sum) (saying, bool) {
	from, to := r.from, r.to
	if a != nil {
		from, to = max(from, a.first-reach), a.first
	}
	for _, f := range r.l.forms[list] {
		if f.always != always {
			continue
		}
		for i := from; i <= to && i < r.to; i++ {
			if end, x, ok := r.inForm(f.words, i, a); ok {
				return saying{f.kind, i, end, x}, true
			}
		}
	}
	return saying{}, false
}

// inForm matches the words of a form from the token i. It returns the token behind them, and the tokens of its {x}.
func (r *reader) inForm(words []string, i int, a *sum) (end int, x [2]int, ok bool) {
	if len(words) == 0 {
		return i, x, true
	}
	least, most := 0, 0
	switch words[0] {
	case "^":
		if i != r.from && i != r.openers(r.from) {
			return 0, x, false
		}
		return r.inForm(words[1:], i, a)
	case ".":
		for i < r.to && r.phraseAt(adverb, i) > 0 {
			i += r.phraseAt(adverb, i)
		}
		return i, x, i >= r.to || r.tokens[i].mark
	case hash:
		for n := 1; a != nil && i < a.first && n > 0; i += n {
			n = max(r.entryAt("about", i), r.phraseAt(adverb, i))
		}
		if a == nil || i != a.first {
			return 0, x, false
		}
		return r.inForm(words[1:], a.end, a)
	case "~":
		most = 5
	case "~~":
		most = 8
	case "{x}", "{Name}":
		least, most = 1, 6
	default:
		for n := 0; i < r.to && !r.spelt(i, words[0]); i += n {
			if n = r.phraseAt(adverb, i); n == 0 {
				return 0, x, false
			}
		}
		if i >= r.to {
			return 0, x, false
		}
		return r.inForm(words[1:], i+1, a)
	}
	for n := 0; n <= most && i+n <= r.to; n++ {
		if n >= least {
			if end, inner, ok := r.inForm(words[1:], i+n, a); ok {
				if least > 0 {
					inner = [2]int{i, i + n}
				}
				return end, inner, true
			}
		}
		if i+n == r.to || !r.within(words[0], i, i+n, a) {
			break
		}
	}
	return 0, x, false
}

// within reports whether the token k may be part of what begins at i: no gap reaches over a mark or another amount.
func (r *reader) within(gap string, i, k int, a *sum) bool {
	switch t := &r.tokens[k]; {
	case gap == "~~":
		return a == nil || t.start < a.next
	case gap == "{Name}" && k == i && !t.upper:
		return false
	default:
		return !t.mark || strings.Contains("&-.", t.word)
	}
}

// spelt reports whether the token at i is a word of a form; "'s" is any verb that it shortens.
func (r *reader) spelt(i int, word string) bool {
	w := r.tokens[i].word
	return w == word || w == "'s" && (word == "is" || word == "has")
}

// anyListed reports whether an entry of a list begins between two tokens.
func (r *reader) anyListed(name string, from, to int) bool {
	for i := from; i < to; i++ {
		if r.entryAt(name, i) > 0 {
			return true
		}
	}
	return false
}
