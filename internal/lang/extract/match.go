package extract

import (
	"slices"
	"strings"
)

// A view is a clause as positions of tokens, in the order subject, verb, rest.
type view []int

// whole is the tokens from i in their own order.
func (r *reader) whole(i int) view { return r.identity[i:] }

// A match is a phrase found in a view.
type match struct {
	root     *node
	v        view // the words read of a part that ends at to
	to       int
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

// find returns the longest phrase at the beginning of a view. Behind a subject the verb may be in any person; behind a name
// that is none but by its place it is in the third: "Anna lives", and not "Websites like". So may any word of a form of
// money.
func (r *reader) find(root *node, v view) (best match, ok bool) {
	var walk func(n *node, i int, captures []capture)
	walk = func(n *node, i int, captures []capture) {
		if to := n.next["$"]; to != nil && r.final(v, i) {
			walk(to, i, captures)
		}
		if to := n.next["."]; to != nil && r.at(v, i).mark {
			walk(to, i, captures)
		}
		if to := n.next["^"]; to != nil && i < len(v) && (v[i] == r.from || v[i] == r.openers(r.from)) {
			walk(to, i, captures)
		}
		if n.ends != nil {
			form := n.ends[0].order // the first form counts, or the longest phrase that is closed
			if form == 0 && (!ok || i > best.end) && r.closed(v, i) || form > 0 && (!ok || form < best.ends[0].order) {
				best, ok = match{root, v, r.to, n.ends, captures, i}, true
			}
		}
		if i >= len(v) {
			return
		}
		denied := r.at(v, i-1).is(notWord) && n == root.next[r.at(v, i-1).word]
		verb := root == r.l.roots[subject] && (n == root || denied) || !slices.Contains(r.l.roots[:], root)
		for _, to := range r.steps(n, r.at(v, i), verb) {
			walk(to, i+1, captures)
		}
		if skip := r.adjunct(v, i); skip > 0 && (i > 0 || r.l.code == "en") {
			walk(n, i+skip, captures)
		}
		for _, e := range n.typed {
			for _, c := range r.captures(e, v, i) {
				walk(e.to, c.to, append(captures[:len(captures):len(captures)], c))
			}
		}
	}
	walk(root, 0, nil)
	return best, ok
}

// closed reports whether a phrase may end before v[i]: the next token is a mark or begins something else.
func (r *reader) closed(v view, i int) bool {
	t := r.at(v, i)
	return !(t.mark && strings.Contains("%$€'’", t.word)) && (r.final(v, i) || t.is(stopWord|naming) || !r.ascending(v, i) ||
		r.loose && r.isVerb(v, i) ||
		r.l.code == "en" && !r.loose && len(t.word) > 5 && strings.HasSuffix(t.word, "ing")) // "a nurse working nights"
}

// final reports whether v[i] begins something else than a complement of the phrase before.
func (r *reader) final(v view, i int) bool {
	t := r.at(v, i)
	return t.mark && !(t.word == "-" && i < len(v) && t.start == r.at(v, i-1).end) ||
		t.is(adverb|andWord|turning|factiveWord|timeWord|joining) || i < len(v) && r.phraseAt(openerWord|anymore, v[i]) > 0
}

// ascending reports whether v[i] follows v[i-1] in the text; a verb that was moved to the front leaves a gap.
func (r *reader) ascending(v view, i int) bool { return i == 0 || i >= len(v) || v[i] >= v[i-1] }

// isVerb reports whether v[i] looks like a verb with the phrase before it as subject.
func (r *reader) isVerb(v view, i int) bool {
	w := r.at(v, i).word
	return r.l.code == "de" || v[0] > 1 && r.tokens[v[0]-2].is(auxiliary) || strings.HasSuffix(w, "s") ||
		strings.HasSuffix(w, "ed") || r.in(r.at(v, i-1), "family") || r.at(v, i-1).upper ||
		strings.HasSuffix(r.at(v, i-1).word, "s")
}

// steps returns where a word leads to from a node: as it is, or, as a verb, as the first person would say it.
func (r *reader) steps(n *node, t *token, verb bool) (to []*node) {
	if !verb || !r.mid || strings.HasSuffix(t.word, "ed") {
		next := n.next[t.word]
		if next == nil && t.word == "'s" {
			next = n.next["is"]
		}
		if next != nil {
			return []*node{next}
		}
	}
	if verb && !(r.mid && r.in(t, "plural")) {
		for _, f := range r.l.verbForms(t.word) {
			if next := n.next[f]; next != nil {
				to = append(to, next)
			}
		}
	}
	return to
}

// inflections are the endings of verbs in the third person, by language, and the endings of the first person
// instead.
var inflections = [2][][]string{
	{{"ies", "y"}, {"es", "e", ""}, {"s", ""}},
	{{"et", "e", "ete"}, {"en", "e", ""}, {"st", "e", "se"}, {"t", "e"}},
}

// verbForms returns how the first person singular may say a verb that another person says: "lives" is "live", "sind" is
// "bin". The tables write every phrase once, in that form.
func (l *language) verbForms(w string) (forms []string) {
	if first := l.irregular[w]; first != "" {
		return []string{first}
	}
	if l.classes[w].in&auxiliary != 0 || len(w) < 3 {
		return nil
	}
	for _, in := range inflections[l.index] {
		if stem, ok := strings.CutSuffix(w, in[0]); ok {
			for _, end := range in[1:] {
				forms = append(forms, stem+end)
			}
			break
		}
	}
	return forms
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
	if n := r.at(v, k); k > i && k < len(v) && (n.is(monthName) || r.in(n, "spanning") || n.digit && len(n.word) == 4) {
		if y := r.at(v, k+1); n.is(monthName) && y.digit && len(y.word) == 4 {
			k++
		}
		return k + 1 - i
	}
	return 0
}

func (r *reader) at(v view, i int) *token {
	if i < 0 || i >= len(v) {
		return &stop
	}
	return &r.tokens[v[i]]
}
