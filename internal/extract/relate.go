package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// A Relation is how a sentence says that one thing bears on another: its phrases may mean facts that are known.
type Relation struct {
	Type       trilith.RelationType
	From, To   string // the phrases of the two things
	Rule       string // for example en.depends_on.1
	Start, End int    // the sentence, in bytes of the text
}

// Relations returns what the sentences of a text say of how things bear on each other. What is asked, supposed, over,
// reported or quoted relates nothing. It is safe for concurrent use, and takes time linear in the text.
func Relations(text string) []Relation {
	var out []Relation
	r := reader{turn: &Turn{Project: true}}
	for states := range r.statements(text[:textproc.Pasted(text)]) {
		begin := true
		for i := r.from; i < r.to && states; i++ {
			states = r.phraseAt(nolonger|anymore|reporting, i) == 0
		}
		for i := r.from; i < r.to && states; i++ {
			if begin {
				if related, ok := r.relation(r.openers(i)); ok {
					out = append(out, related)
					break
				}
			}
			begin = r.tokens[i].mark || r.tokens[i].is(andWord|turning)
		}
	}
	return out
}

// States reports whether the sentences that a span of a text lies in state something: none of them asks, supposes, denies
// or quotes.
func States(text string, start, end int) bool {
	r := reader{turn: &Turn{Project: true}}
	for states := range r.statements(text) {
		if r.tokens[r.from].start < end && start < r.tokens[r.to-1].end && (!states || r.denies()) {
			return false
		}
	}
	return r.l != nil
}

// denies reports whether the sentence takes back what it would say: "does not depend on", "no longer blocks".
func (r *reader) denies() bool {
	for i := r.from; i < r.to; i++ {
		if r.phraseAt(nolonger, i) > 0 || i > r.from && r.tokens[i].is(notWord) && r.tokens[i-1].is(dummy|plural) {
			return true
		}
	}
	return false
}

// statements yields for each sentence of a text, while it is at hand, whether it states something.
func (r *reader) statements(text string) func(yield func(states bool) bool) {
	return func(yield func(bool) bool) {
		r.text = text[:min(longest, len(text))]
		if r.l = languageOf(r.text, true); r.l == nil {
			return
		}
		r.tokenize()
		for r.next() {
			states := !r.asked
			for i := r.from; i < r.to && states; i++ {
				states = !r.tokens[i].quoted && r.phraseAt(supposing, i) == 0
			}
			if r.to > r.from && !yield(states) {
				return
			}
		}
	}
}

// relation reads a relation at token i.
func (r *reader) relation(i int) (Relation, bool) {
	if i >= r.to {
		return Relation{}, false
	}
	v := r.whole(i)[:r.to-i]
	m, ok := r.find(r.l.roots[related], v, plain)
	if !ok || len(m.captures) < 2 {
		return Relation{}, false
	}
	var parts []string
	for _, c := range m.captures {
		parts = append(parts, c.texts[0])
	}
	n := len(parts) - 1
	from, to := strings.Join(parts[:n], " "), parts[n]
	if m.ends[0].pick == n {
		from, to = to, from
	}
	start, end := r.tokens[r.from].start, r.tokens[r.to-1].end
	if r.to < len(r.tokens) && r.tokens[r.to].word != "\n" {
		end = r.tokens[r.to].end
	}
	return Relation{Type: m.ends[0].slot.relation, From: from, To: to, Rule: m.ends[0].id, Start: start, End: end}, true
}

// gaps is how many words a part, and a gap in a phrase about an amount, may have.
var gaps = map[string]int{"part": 14, "gap5": 5, "gap8": 8}

// parts returns where some words from v[i] on may end: before each word that may come next, and where the clause ends. A
// gap may be empty; marks are in none but the longest.
func (r *reader) parts(e edge, v view, i int) (ends []int) {
	gap, most := e.kind != "part", gaps[e.kind]
	for end := i; end < len(v) && end-i <= most; end++ {
		t := r.at(v, end)
		if gap && t.start >= r.sum.next {
			return ends
		}
		if (end > i || gap) && (e.to.next[t.word] != nil || len(e.to.typed) > 0) {
			ends = append(ends, end)
		}
		if t.mark && !strings.Contains("-/&.", t.word) && e.kind != "gap8" || !gap && t.is(notWord|turning|factiveWord) {
			if end > i && e.to.ends != nil {
				ends = append(ends, end)
			}
			return ends
		}
	}
	if i < len(v) && len(v)-i <= most && e.to.ends != nil {
		ends = append(ends, len(v))
	}
	return ends
}
