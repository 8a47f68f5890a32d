package reconcile

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Amendment is a remark of a fact's owner about it, in other words than its evidence: that it has ended, or that
// another value takes its place. It is resolved against the facts that are known when it is said. It changes facts
// that match and creates none: without a match nothing happens.
type Amendment struct {
	Verbs   []string // of the facts that it may concern; empty: any that is no event
	Value   string   // words of the value; empty: the only one, or that of a single-valued verb
	Instead string   // the value from now on; empty: it has ended. Without Verbs and Value, a slip of the latest statement
	Over    string   // prefix of the sentence for an ended fact: "No longer: "
}

// concerns reports whether the amendment may be about a fact.
func (c *Amendment) concerns(x *trilith.Fact) bool {
	if len(c.Verbs) == 0 {
		return x.Type != trilith.FactEvent
	}
	return slices.Contains(c.Verbs, x.Verb)
}

// resolve returns the assertions that an amendment makes about known facts.
func (f *Facts) resolve(a Assertion) []Assertion {
	e := a.Memory.Fact.Evidence[0]
	for _, m := range f.all() {
		if !slices.ContainsFunc(m.Fact.Evidence, func(have trilith.Evidence) bool { return same(have, e) }) {
			continue
		}
		for _, heard := range f.all() { // it was resolved when it was stated first
			if i := slices.IndexFunc(heard.Fact.Evidence, func(have trilith.Evidence) bool {
				return same(have, e) && have.Withdrawn
			}); i >= 0 {
				mark(heard, i, false)
				f.replay(heard.Fact, nil)
			}
		}
		return nil
	}
	var out []Assertion
	for _, m := range a.Amendment.met(f.current(&a), a.Memory.EventTime) {
		out = append(out, a.over(m)...)
	}
	return out
}

// current returns the affirmed facts that hold when an amendment is said, that it may be about, and whose source it may
// overrule.
func (f *Facts) current(a *Assertion) []*trilith.Memory {
	at := a.Memory.EventTime
	return slices.DeleteFunc(f.all(), func(m *trilith.Memory) bool {
		begun := !m.EventTime.After(at) || m.Fact.Certainty == trilith.Planned
		return m.Fact.Polarity != trilith.Affirmed || m.State == trilith.StateRetracted || !begun || over(m, at) ||
			!a.Amendment.concerns(m.Fact) || rank[a.Memory.Trust] < rank[m.Trust]
	})
}

// met returns the facts among current that are meant.
func (c *Amendment) met(current []*trilith.Memory, at time.Time) []*trilith.Memory {
	switch {
	case c.Value != "":
		return named(current, c.Value)
	case c.Instead != "":
		return slipped(current, c.Instead, at)
	case len(current) == 1:
		return current
	}
	return slices.DeleteFunc(slices.Clone(current), func(m *trilith.Memory) bool { return !m.Fact.SingleValued })
}

// named returns the facts that words name: those with exactly that value, else the only value that holds all the words,
// or all of whose words they hold. The last word is the thing itself, a kayak paddle
// is no kayak, or the first of a name: Brandt is Brandt Optics.
func named(current []*trilith.Memory, words string) []*trilith.Memory {
	said := terms(words)
	var exact, held []*trilith.Memory
	for _, m := range current {
		switch value := terms(m.Fact.Node.Name); {
		case len(said) == 0 || len(value) == 0 || said[len(said)-1] != value[len(value)-1] &&
			!(said[0] == value[0] && isName(m.Fact.Node.Name) && isName(words)):
		case slices.Equal(said, value):
			exact = append(exact, m)
		case within(said, value), within(value, said):
			held = append(held, m)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	if slices.ContainsFunc(held, func(m *trilith.Memory) bool { return m.Fact.Node.Name != held[0].Fact.Node.Name }) {
		return nil
	}
	return held
}

// isName reports whether each word of a value begins with a capital letter.
func isName(s string) bool {
	return !slices.ContainsFunc(strings.Fields(s), func(w string) bool { return strings.ToUpper(w[:1]) != w[:1] })
}

// terms returns the stems of the words of a value.
func terms(s string) []string {
	out, _ := textproc.Analyzer{}.Terms(strings.ToLower(s))
	return out
}

// within reports whether there are words, and each is one of others.
func within(words, others []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(others, w) })
}

// slipTime is how long after a statement somebody corrects a word of it.
const slipTime = 48 * time.Hour

// slipped returns the fact with a wrong word that an amendment corrects: among the latest stated facts the only one
// whose value has the same form.
func slipped(current []*trilith.Memory, instead string, at time.Time) []*trilith.Memory {
	var last time.Time
	for _, m := range current {
		if said := heardAt(m); said.After(last) && said.Before(at) {
			last = said
		}
	}
	out := slices.DeleteFunc(slices.Clone(current), func(m *trilith.Memory) bool {
		return !heardAt(m).Equal(last) || !sameForm(m.Fact, instead)
	})
	if last.IsZero() || at.Sub(last) > slipTime || len(out) != 1 {
		return nil
	}
	return out
}

// heardAt returns when a fact was last stated.
func heardAt(m *trilith.Memory) time.Time {
	at := m.EventTime
	for _, e := range m.Fact.Evidence {
		if !e.Withdrawn && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

// over returns what an amendment asserts of a known fact.
func (a Assertion) over(m *trilith.Memory) []Assertion {
	x := m.Fact
	ends := a.ended(m)
	if a.Amendment.Instead == "" {
		return []Assertion{ends}
	}
	value, sum := corrected(x, a.Amendment.Instead)
	if value == "" || value == x.Node.Name {
		return nil
	}
	successor := a.of(m, trilith.Node{Type: x.Node.Type, Name: value}, func(out *trilith.Memory) {
		out.Text = strings.Replace(m.Text, x.Node.Name, value, 1)
		out.Fact.Financial = sum
		for _, e := range x.Evidence {
			if !e.Withdrawn && !e.Ends { // its own evidence remains
				out.Fact.Evidence[0].Premises = []trilith.Premise{
					{EpisodeID: e.EpisodeID, Quote: e.Quote, Start: e.Start, End: e.End}}
			}
		}
	})
	ends.Memory.Fact.Evidence[0].Successor = successor.Memory.ID
	if x.SingleValued {
		return []Assertion{successor}
	}
	return []Assertion{ends, successor}
}

// ended asserts that a known fact has ended.
func (a Assertion) ended(m *trilith.Memory) Assertion {
	ends := a.of(m, m.Fact.Node, func(out *trilith.Memory) {
		out.Text = a.Amendment.Over + m.Text
		out.Fact.Polarity, out.Fact.Financial, out.Fact.Content, out.Fact.ActionDeadline,
			out.Fact.RequiresAction = trilith.Negated, nil, nil, nil, false
	})
	ends.Ends = true
	return ends
}

// of makes an assertion about a node from the words of an amendment and a known fact.
func (a Assertion) of(m *trilith.Memory, node trilith.Node, fill func(*trilith.Memory)) Assertion {
	out := *clone(a.Memory)
	said := out.Fact
	x := *m.Fact
	x.Node, x.FactID, x.Evidence = node, node.ID(), said.Evidence
	x.AuthorRole, x.Rule, x.Certainty, x.Confidence, x.Verification = said.AuthorRole, said.Rule, said.Certainty,
		said.Confidence, trilith.Verification{}
	x.RelationshipKey = x.Key()
	out.Fact, out.ID = &x, trilith.FactMemoryID(x.EntityID, x.Verb, x.FactID)
	if node == m.Fact.Node {
		x.FactID, x.RelationshipKey, out.ID = m.Fact.FactID, m.Fact.RelationshipKey, m.ID
	}
	// stated at the same time, it counts as later than the fact that it changes
	if last := heardAt(m); !out.EventTime.After(last) && m.Fact.Certainty != trilith.Planned {
		out.EventTime = last.Add(time.Microsecond)
	}
	out.ValidUntil = nil
	fill(&out)
	return Assertion{Memory: out}
}

var number = lazyre.New(`\d+(?:[.,]\d+)*`)

// corrected returns the value of a fact with the new words; for a sum only the number changes.
func corrected(x *trilith.Fact, instead string) (string, *trilith.Financial) {
	if x.Financial == nil {
		return instead, nil
	}
	amount := digits(number.FindString(instead))
	if amount == "" || !strings.Contains(x.Node.Name, x.Financial.Amount) {
		return "", nil
	}
	sum := *x.Financial
	sum.Amount = amount
	sum.Quantity, sum.Unit, sum.Rate, sum.Check = "", "", "", ""
	return strings.Replace(x.Node.Name, x.Financial.Amount, amount, 1), &sum
}

// digits removes the separators of thousands in a number, so that 12,000 and 12.000 become 12000.
func digits(n string) string {
	for i := len(n) - 4; i > 0; i-- {
		if (n[i] == ',' || n[i] == '.') && (i+4 == len(n) || n[i+4] == ',' || n[i+4] == '.') {
			n = n[:i] + n[i+1:]
		}
	}
	return strings.Replace(n, ",", ".", 1)
}

// sameForm reports whether one value could have been meant by another: a number by a number, a name by a similar name.
func sameForm(x *trilith.Fact, instead string) bool {
	if n := number.FindString(instead); n != "" {
		return number.MatchString(x.Node.Name) && (x.Financial != nil || n == instead)
	}
	return !number.MatchString(x.Node.Name) && near(plain(x.Node.Name), plain(instead))
}

// near reports whether two names differ by a typing error: at most two letters in one longer than three.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if min(len(x), len(y)) < 4 || a == b {
		return false
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)] <= 2
}
