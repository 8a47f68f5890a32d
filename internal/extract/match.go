package extract

import "strings"

// A view is a clause as positions of tokens, in the order subject, verb, rest.
type view []int

// whole is the tokens from i in their own order.
func (r *reader) whole(i int) view { return r.identity[i:] }

func (r *reader) at(v view, i int) *token {
	if i < 0 || i >= len(v) {
		return &stop
	}
	return &r.tokens[v[i]]
}

// A person says in which person the verb at the beginning of a view may be.
type person uint8

const (
	plain  person = iota // as the table has it: there is no verb, or it may be in no other person
	first                // the first, or any other
	others               // the third: "Anna lives", and not "Websites like"
)

// A match is a phrase found in a view.
type match struct {
	ends     []ending
	captures []capture
	end      int // position in the view
}

// A capture is a typed value of a phrase.
type capture struct {
	value
	kind     string
	from, to int // positions in the view
}

// find returns the longest phrase at the beginning of a view.
func (r *reader) find(root *node, v view, p person) (best match, ok bool) {
	var walk func(n *node, i int, captures []capture)
	walk = func(n *node, i int, captures []capture) {
		if to := n.next["$"]; to != nil && r.final(v, i) {
			walk(to, i, captures)
		}
		if n.ends != nil && (!ok || i > best.end) && r.closed(v, i) {
			best, ok = match{n.ends, captures, i}, true
		}
		if i >= len(v) {
			return
		}
		for _, to := range r.steps(n, v, i, p) {
			walk(to, i+1, captures)
		}
		if skip := r.adjunct(v, i); skip > 0 && (i > 0 || r.l.code == "en") {
			if i == 0 {
				if m, found := r.find(root, v[skip:], p); found && (!ok || m.end+skip > best.end) {
					for k := range m.captures {
						m.captures[k].from, m.captures[k].to = m.captures[k].from+skip, m.captures[k].to+skip
					}
					m.end += skip
					best, ok = m, true
				}
			} else {
				walk(n, i+skip, captures)
			}
		}
		for _, e := range n.typed {
			if gaps[e.kind] > 0 {
				for _, end := range r.parts(e, v, i) {
					c := capture{value: one(r.said(v, i, end)), kind: e.kind, from: i, to: end}
					walk(e.to, end, append(captures[:len(captures):len(captures)], c))
				}
				continue
			}
			r.until = e.to.next
			if val, end := r.parse(e.kind, v, i); end > i {
				c := capture{value: val, kind: e.kind, from: i, to: end}
				walk(e.to, end, append(captures[:len(captures):len(captures)], c))
			}
		}
	}
	walk(root, 0, nil)
	return best, ok
}

// steps returns where the word at v[i] leads to from a node: as it is, or as the first person would say it.
func (r *reader) steps(n *node, v view, i int, p person) (to []*node) {
	t := r.at(v, i)
	verb := p != plain && (i == 0 || i == 1 && r.at(v, 0).is(notWord))
	if !verb || p == first || strings.HasSuffix(t.word, "ed") {
		next := n.next[t.word]
		if next == nil && t.word == "'s" {
			next = n.next["is"]
		}
		if next != nil {
			return []*node{next}
		}
	}
	if verb && !(p == others && t.is(plural)) {
		for _, f := range r.l.verbForms(t.word) {
			if next := n.next[f]; next != nil {
				to = append(to, next)
			}
		}
	}
	return to
}

// adjunct returns the number of tokens at v[i] that only modify a verb: "still", "seit zwei Jahren", "last year".
func (r *reader) adjunct(v view, i int) int {
	t := r.at(v, i)
	if i < len(v) && (t.is(adverb) || t.class.begins&adverb != 0) {
		if n := r.phraseAt(adverb, v[i]); n > 0 {
			return n
		}
	}
	k := i
	for k < i+4 && !(k > i && r.at(v, k).is(monthName)) && (k == i && r.at(v, k).is(timeWord) || r.at(v, k).is(numeral) ||
		k > i && (r.at(v, k).is(articleWord|definite|stopWord) || len(r.at(v, k).word) < 3 && !r.at(v, k).mark ||
			r.at(v, k).word == "." && r.at(v, k-1).digit)) {
		k++
	}
	if n := r.at(v, k); k > i && k < len(v) && (n.is(spanning|monthName) || n.digit && len(n.word) == 4) {
		if y := r.at(v, k+1); n.is(monthName) && y.digit && len(y.word) == 4 {
			k++
		}
		return k + 1 - i
	}
	return 0
}

// closed reports whether a phrase may end before v[i]: the next token is a mark or begins something else.
func (r *reader) closed(v view, i int) bool {
	t := r.at(v, i)
	if r.sum != nil {
		return true
	}
	switch t.word {
	case "%", "$", "€", "'", "’":
		return false
	}
	return r.final(v, i) || t.is(stopWord|naming) || !r.ascending(v, i) || r.loose && r.isVerb(v, i) ||
		r.l.code == "en" && !r.loose && len(t.word) > 5 && strings.HasSuffix(t.word, "ing") // "a nurse working nights"
}

// final reports whether v[i] begins something else than a complement of the phrase before.
func (r *reader) final(v view, i int) bool {
	t := r.at(v, i)
	return t.mark && !(t.word == "-" && i < len(v) && t.start == r.at(v, i-1).end) ||
		t.is(adverb|andWord|turning|factiveWord|timeWord|joining) || i < len(v) && r.phraseAt(openerWord|anymore, v[i]) > 0
}

// isVerb reports whether v[i] looks like the verb of which the phrase before is the subject.
func (r *reader) isVerb(v view, i int) bool {
	w := r.at(v, i).word
	return r.l.code == "de" || v[0] > 1 && r.tokens[v[0]-2].is(auxiliary) || strings.HasSuffix(w, "s") ||
		strings.HasSuffix(w, "ed") || r.in(r.at(v, i-1), "family") || r.at(v, i-1).upper ||
		strings.HasSuffix(r.at(v, i-1).word, "s")
}

// ascending reports whether v[i] follows v[i-1] in the text; a verb that was moved to the front leaves a gap.
func (r *reader) ascending(v view, i int) bool { return i == 0 || i >= len(v) || v[i] >= v[i-1] }

// verbForms returns how the first person singular may say a verb that another person says: "lives" is "live", "sind" is
// "bin". The tables write every phrase once, in that form.
func (l *language) verbForms(w string) []string {
	if l.classes[w].in&auxiliary != 0 && l.irregular[w] == "" {
		return nil
	}
	if first := l.irregular[w]; first != "" {
		return []string{first}
	}
	cut := func(end string) (string, bool) { return strings.CutSuffix(w, end) }
	switch {
	case len(w) < 3:
		return nil
	case l.code == "en":
		if stem, ok := cut("ies"); ok {
			return []string{stem + "y"}
		}
		if stem, ok := cut("es"); ok {
			return []string{stem + "e", stem}
		}
		if stem, ok := cut("s"); ok {
			return []string{stem}
		}
	default:
		if stem, ok := cut("et"); ok {
			return []string{stem + "e", stem + "ete"}
		}
		if stem, ok := cut("en"); ok {
			return []string{stem + "e", stem}
		}
		if stem, ok := cut("st"); ok {
			return []string{stem + "e", stem + "se"}
		}
		if stem, ok := cut("t"); ok {
			return []string{stem + "e"}
		}
	}
	return nil
}

// in reports whether a token is a word of a list.
func (r *reader) in(t *token, name string) bool { return r.l.list(name).has(t.word) }

// entryAt returns the number of tokens of the longest entry of a list at i, or 0.
func (r *reader) entryAt(name string, i int) int {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	list, best, w := r.l.list(name), 0, r.tokens[i].word
	if list.has(w) {
		best = 1
	}
	for _, p := range list.phrases[w] {
		if len(p) > best && r.spells(r.whole(i), 0, p) {
			best = len(p)
		}
	}
	return best
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

func (r *reader) national(t *token) bool { return r.in(t, "nation") || r.in(t, "language") }
