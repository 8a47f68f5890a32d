package extract

import (
	"slices"
	"strings"
)

// The forms of the tables about money, "sum quote: want #", are phrases as well. But a form may stand anywhere in a
// sentence: amounts are found without it, and it only names their kind. The first form in the table that fits counts.

// addForms adds a line such as "sum! quote: (want|ask for) #; priced at #".
func (l *language) addForms(line string) error {
	name, pattern, _ := strings.Cut(line, ": ")
	list, kind, _ := strings.Cut(name, " ")
	if l.forms[list] == nil {
		l.forms[list] = &node{next: map[string]*node{}}
	}
	for one := range strings.SplitSeq(pattern, ";") {
		l.order++
		form := &rule{slot: &slot{}, value: kind, order: l.order}
		for _, words := range expand(marks.Replace(one)) {
			for i, w := range words {
				if w[0] == '~' || w == hash {
					words[i] = "{" + w + "}"
				}
			}
			if err := l.forms[list].add(l, words, form); err != nil {
				return err
			}
		}
	}
	return nil
}

// hash stands for the amount in a form.
const hash = "#"

// here reads the amount at hand, with the words before it: "about", "just under".
func here(r *reader, v view, i int) (value, int) {
	a := r.amount
	for n := 1; a != nil && v[i] < a.first && n > 0 && i+n < len(v); i += n {
		n = max(r.entryAt("about", v[i]), r.phraseAt(adverb, v[i]))
	}
	if a == nil || v[i] != a.first {
		return value{}, 0
	}
	return value{}, a.end - v[0]
}

// A saying is a form that was found.
type saying struct {
	kind     string
	from, to int    // tokens
	x        [2]int // of its {x} or {Name}
}

// reach is how many tokens before an amount a form may begin.
const reach = 12

// saying returns the first form of a list that fits the sentence, and an amount of it.
func (r *reader) saying(list string, a *sum) (said saying, ok bool) {
	from, to, order := r.from, r.to-1, 0
	if r.amount, r.mid = a, false; a != nil {
		from, to = max(from, a.first-reach), min(to, a.first)
	}
	for i := from; i <= to && r.l.forms[list] != nil; i++ {
		m, found := r.find(r.l.forms[list], r.whole(i)[:r.to-i])
		if !found || ok && m.ends[0].order >= order {
			continue
		}
		said, ok, order = saying{kind: m.ends[0].value, from: i, to: i + m.end}, true, m.ends[0].order
		at := slices.IndexFunc(m.captures, func(c capture) bool { return c.kind == "x" || c.kind == "Name" })
		if at >= 0 {
			said.x = [2]int{i + m.captures[at].from, i + m.captures[at].to}
		}
	}
	return said, ok
}

// A gap is a sort of value that may end at several places: how many words it has, and the marks that may be among them.
type gap struct {
	least, most int
	marks       string
}

var gaps = map[string]gap{"part": {1, 14, "-/"}, "~": {0, 5, "&-."}, "~~": {0, 8, ""}, "x": {1, 6, "&-."}, "Name": {1, 6, "&-."}}

// captures returns the values of a kind at v[i]. A gap may end before each word that may come next, and at its clause's end.
func (r *reader) captures(e edge, v view, i int) (all []capture) {
	g, open := gaps[e.kind]
	if !open {
		r.until = e.to.next
		if val, end := r.parse(e.kind, v, i); end > i {
			all = append(all, capture{val, e.kind, i, end})
		}
		return all
	}
	for end := i; end <= len(v) && end-i <= g.most; end++ {
		t := r.at(v, end)
		stops := t.mark && !strings.Contains(g.marks, t.word)
		switch {
		case end == len(v):
			stops = true
		case e.kind == "~~":
			stops = r.amount != nil && t.start >= r.amount.next
		case e.kind == "part":
			stops = stops || t.is(notWord|turning|factiveWord)
		}
		if end-i >= g.least && (stops || e.to.next[t.word] != nil || t.word == "'s" || t.is(adverb) || len(e.to.typed) > 0) {
			all = append(all, capture{one(r.said(v, i, end)), e.kind, i, end})
		}
		if stops || e.kind == "Name" && end == i && !t.upper {
			break
		}
	}
	return all
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
