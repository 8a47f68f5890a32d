package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// A Relation is how a sentence says that one thing bears on another: its phrases may mean facts that are known.
type Relation struct {
	Type       trilith.RelationType
	From, To   string // the phrases of the two things
	Rule       string // for example en.depends_on.1
	Start, End int    // the sentence, in bytes of the text
}

// Relations returns the relations between things that the sentences of a text state. A relation that is asked about,
// supposed, over, reported or quoted does not count. It is safe for concurrent use, and takes time linear in the
// text.
func Relations(text string) []Relation {
	var out []Relation
	r := reader{turn: &Turn{Project: true}}
	for ok := r.open(text[:textproc.Pasted(text)], true); ok && r.next(); {
		if !r.states() {
			continue
		}
		for i := r.from; i < r.to; i++ {
			if i > r.from && !r.tokens[i-1].mark && !r.tokens[i-1].is(andWord|turning) {
				continue
			}
			if related, ok := r.relation(r.openers(i)); ok {
				out = append(out, related)
				break
			}
		}
	}
	return out
}

// states reports whether the sentence is an assertion: "does not depend on" and "no longer blocks" do not.
func (r *reader) states() bool {
	for i := r.from; i < r.to; i++ {
		if t := &r.tokens[i]; t.quoted || r.phraseAt(supposing|nolonger|anymore|reporting, i) > 0 ||
			i > r.from && t.is(notWord) && r.in(&r.tokens[i-1], "dummy", "plural") {
			return false
		}
	}
	return !r.asked
}

// relation reads a relation at token i.
func (r *reader) relation(i int) (Relation, bool) {
	if i >= r.to {
		return Relation{}, false
	}
	v := r.whole(i)[:r.to-i]
	m, ok := r.find(r.l.roots[related], v)
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
	rule := m.ends[0]
	out := Relation{Type: trilith.RelationType(rule.slot.verb), From: from, To: to, Rule: rule.id}
	out.Start, out.End = r.quote(nil, match{})
	return out, true
}
