package reconcile

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// Amendment is a statement about a fact in other words than its evidence: that it has ended, has another value, or has
// another time. It is resolved against the facts that are known when it is stated. It changes facts that match and
// creates none: without a match nothing happens. If several facts could be the one that has ended, each of them stays,
// and a candidate asks a person whether it has ended.
type Amendment struct {
	// verbs of the facts that it may concern; a name that ends in _ stands for all with that prefix. Empty: see
	// [lasting]
	Verbs    []string
	Any      bool       // it may concern any fact, because anything may have been wrong
	Whole    bool       // it may also concern any fact whose whole value is these words
	Exact    bool       // the words are the whole value
	Kind     bool       // the words are a kind of thing: the value is that kind with words about when, where or how
	Values   []string   // words that each identify a value; empty: any value of the verbs
	Instead  string     // the value that replaces it
	Was      *time.Time // a wrong day: dated facts with that day are meant, and Due is the right day
	Due      *time.Time // the new time
	When     string     // that time as a day, for the content; without Due, other days of a habit
	Except   string     // a value that is excluded
	Over     string     // prefix of the sentence for an ended fact: "No longer: "
	Replaces bool       // Instead replaces all values of the verbs
	Back     bool       // Instead also held before
	Days     bool       // Was and Due are days of a month, of any month
}

// lasting lists types and verbs of facts that do not end in passing: only words about exactly them end them.
var (
	lastingTypes = []trilith.FactType{trilith.FactEvent, trilith.FactRelationship, trilith.FactFinancial}
	lastingVerbs = []string{"has_name", "goes_by", "born_in", "comes_from", "has_nationality", "has_age",
		"has_birthday", "has_birth_year",
		"has_children", "has_marital_status", "has_height", "has_blood_type", "has_degree", "has_phone",
		"has_work_phone", "has_email", "has_work_email",
		"allergic_to", "intolerant_to", "follows_diet", "avoids", "dislikes", "owns", "lives_in", "has_address",
		"lives_with", "has_weight"}
)

// lasting also checks the verb after a relation: a sister's home, sister_lives_in, lasts like one's own.
func lasting(x *trilith.Fact) bool {
	return slices.Contains(lastingTypes, x.Type) || slices.ContainsFunc(lastingVerbs, func(v string) bool {
		return x.Verb == v || strings.HasSuffix(x.Verb, "_"+v)
	})
}

// concerns reports whether the amendment may be about a fact.
func (c *Amendment) concerns(x *trilith.Fact) bool {
	switch {
	case c.Any:
		return x.Type != trilith.FactEvent
	case len(c.Verbs) == 0:
		return !lasting(x)
	}
	return slices.ContainsFunc(c.Verbs, func(v string) bool {
		return x.Verb == v || strings.HasSuffix(v, "_") && strings.HasPrefix(x.Verb, v)
	})
}

// resolve returns the assertions that an amendment makes about known facts.
func (f *Facts) resolve(a Assertion) []Assertion {
	e := a.Memory.Fact.Evidence[0]
	for _, m := range f.all() {
		at := slices.IndexFunc(m.Fact.Evidence, func(have trilith.Evidence) bool { return same(have, e) })
		if at < 0 {
			continue
		}
		for _, heard := range f.all() { // it was resolved when it was stated first
			if i := slices.IndexFunc(
				heard.Fact.Evidence, func(have trilith.Evidence) bool {
					return same(have, e) && have.Withdrawn
				}); i >= 0 {
				mark(heard, i, false)
				f.replay(heard.Fact, nil)
			}
		}
		return nil
	}
	if a.Amendment.Back && !f.held(a.Amendment) {
		return nil
	}
	except := plain(a.Amendment.Except)
	current := f.current(a.Memory.EventTime, func(m *trilith.Memory) bool {
		return (a.Amendment.concerns(m.Fact) || a.Amendment.Whole && m.Fact.Type != trilith.FactEvent) &&
			rank[a.Memory.Trust] >= rank[m.Trust] && plain(m.Fact.Node.Name) != except
	})
	if a.Amendment.Was != nil {
		a.Amendment, current = a.Amendment.dated(current)
	}
	met := a.Amendment.met(current, a.Memory.EventTime)
	var out []Assertion
	for _, m := range met {
		out = append(out, a.over(m)...)
	}
	if len(out) > 0 || a.Amendment.Instead != "" || a.Amendment.Due != nil {
		return out
	}
	return a.proposed(a.Amendment.possible(current))
}

// held reports whether the new value of an amendment also held before.
func (f *Facts) held(c *Amendment) bool {
	return slices.ContainsFunc(f.all(), func(m *trilith.Memory) bool {
		return c.concerns(m.Fact) && m.Fact.Polarity == trilith.Affirmed && plain(m.Fact.Node.Name) == plain(c.Instead)
	})
}

// dated turns a correction of a day into an amendment of the facts with that day, or, if there are none, of words.
func (c *Amendment) dated(current []*trilith.Memory) (*Amendment, []*trilith.Memory) {
	one := *c
	one.Was = nil
	onDay := slices.DeleteFunc(slices.Clone(current), func(m *trilith.Memory) bool {
		day := dayOf(m)
		return day == nil || !c.sameDay(*day, *c.Was) &&
			(m.Fact.Node.Type != dateNode || m.Fact.Node.Name != dayIn(m.Fact, c.Was))
	})
	if len(onDay) == 0 {
		one.Due = nil
		return &one, current
	}
	one.Values, one.Instead = nil, ""
	if day := dayOf(onDay[0]); c.Days { // the month is that of the fact
		due := time.Date(day.Year(), day.Month(), c.Due.Day(), c.Due.Hour(), c.Due.Minute(), c.Due.Second(), 0,
			day.Location())
		one.Due, one.When = &due, due.Format(time.DateOnly)
	}
	return &one, onDay
}

// dayOf returns the last second of the day that a fact is about: its value, its deadline, or the time of a plan.
func dayOf(m *trilith.Memory) *time.Time {
	x := m.Fact
	switch {
	case x.Node.Type == dateNode:
		for _, form := range []string{time.DateOnly, "01-02"} {
			if day, err := time.Parse(form, x.Node.Name); err == nil {
				return &day
			}
		}
		return nil
	case x.ActionDeadline != nil:
		return x.ActionDeadline
	case m.ValidUntil != nil && slices.Contains(dated, x.Type):
		last := m.ValidUntil.Add(-time.Second)
		return &last
	}
	return nil
}

// sameDay reports whether two times are on one day, or on the same day of a month if the month was not given.
func (c *Amendment) sameDay(a, b time.Time) bool {
	if c.Days {
		return a.Day() == b.Day()
	}
	return a.Format(time.DateOnly) == b.Format(time.DateOnly)
}

const dateNode = "Date" // the type of nodes that are days: 1979-05-04, or 05-04 of any year

// dayIn formats a day like the date of a fact.
func dayIn(x *trilith.Fact, day *time.Time) string {
	if len(x.Node.Name) == len("01-02") {
		return day.Format("01-02")
	}
	return day.Format(time.DateOnly)
}

// mostAsked is the largest number of facts about which a person is asked if one of them may have ended.
const mostAsked = 4

// possible returns the facts that an amendment may mean if it does not name one by a clause.
func (c *Amendment) possible(current []*trilith.Memory) []*trilith.Memory {
	said := make([][]string, len(c.Values))
	for i, value := range c.Values {
		said[i] = content(value)
	}
	return slices.DeleteFunc(slices.Clone(current), func(m *trilith.Memory) bool {
		return !c.concerns(m.Fact) || len(c.Values) > 0 && !c.names(m, said)
	})
}

// proposed asks a person whether some facts have ended, unless there are too many.
func (a Assertion) proposed(meant []*trilith.Memory) []Assertion {
	if len(meant) < 2 || len(meant) > mostAsked {
		return nil
	}
	var out []Assertion
	for _, m := range meant {
		ends := a.ended(m)
		ends.Ends, ends.Memory.Fact.Evidence[0].Proposed = false, true
		out = append(out, ends)
	}
	return out
}

// names reports whether a value contains everything that the words of one value name, and can be meant by them.
func (c *Amendment) names(m *trilith.Memory, said [][]string) bool {
	if c.Exact || c.Kind || c.general(m.Fact) {
		return false
	}
	value := content(m.Fact.Node.Name)
	return slices.ContainsFunc(said, func(words []string) bool { return within(words, value) })
}

// general reports whether an amendment may mean a kind that includes a taste: somebody who gives up one kind of a thing
// may like the others.
func (c *Amendment) general(x *trilith.Fact) bool { return isTaste(x) && len(c.Verbs) == 0 && !c.Any }

// current returns the affirmed facts that hold at a time and that the caller accepts.
func (f *Facts) current(at time.Time, accepts func(*trilith.Memory) bool) []*trilith.Memory {
	return slices.DeleteFunc(f.all(), func(m *trilith.Memory) bool {
		begun := !m.EventTime.After(at) || m.Fact.Certainty == trilith.Planned
		return m.Fact.Polarity != trilith.Affirmed || m.State == trilith.StateRetracted || !begun ||
			over(m, at) || !accepts(m)
	})
}

// met returns the facts among current that are meant.
func (c *Amendment) met(current []*trilith.Memory, at time.Time) (met []*trilith.Memory) {
	switch {
	case len(c.Values) > 0:
		for _, value := range c.Values {
			met = append(met, c.named(current, value)...)
		}
		return met
	case c.Instead != "" && !c.Replaces:
		return slipped(current, c.Instead, at)
	case len(current) == 1:
		return current
	}
	// For a single-valued verb it is clear which fact is meant.
	return slices.DeleteFunc(slices.Clone(current), func(m *trilith.Memory) bool { return !m.Fact.SingleValued })
}

// named returns the facts that words name: those with exactly that value, else the only one whose value contains the
// words or, if there is none, is contained in them. A word for the sort of a thing, as in "my appointment", names the
// only one that is called so.
func (c *Amendment) named(current []*trilith.Memory, words string) []*trilith.Memory {
	said := content(words)
	if len(said) == 0 {
		return nil
	}
	var tiers [4][]*trilith.Memory
	for _, m := range current {
		value := content(m.Fact.Node.Name)
		inValue, inWords := within(said, value), within(value, said)
		switch {
		case c.Kind && plain(m.Fact.Node.Name) == plain(words): // opposed opinions of one thing are found later
		case inValue && inWords, strings.Join(said, "") == strings.Join(value, ""):
			tiers[0] = append(tiers[0], m)
		case c.Exact || !c.concerns(m.Fact):
		case c.general(m.Fact), c.Kind && !circumstanced(m.Fact.Node.Name, words):
		case inValue && (m.Fact.Verb != "owns" || strings.ToLower(words) != words ||
			sameWord(said[len(said)-1], value[len(value)-1])): // oil is no oil painting
			tiers[1] = append(tiers[1], m)
		case inWords && !c.Any && !aside.MatchString(words) && within(said[len(said)-1:], value):
			tiers[2] = append(tiers[2], m)
		case general[said[0]] && len(c.Verbs) > 0 && strings.Contains(textproc.Fold(m.Fact.Node.Name), said[0]):
			tiers[3] = append(tiers[3], m)
		}
	}
	for _, tier := range tiers {
		if len(tier) > 0 {
			if !oneValue(tier) {
				return nil
			}
			return tier
		}
	}
	return nil
}

// aside comes before a word that names no thing but where or of whom it is: somebody who has read a book about Norway
// may still plan the trip to Norway. A value is named by the head of a phrase: the piano stool is no piano.
var aside = lazyre.New(`(?i)\s(?:of|for|about|in|at|from|near|to|on|with|von|vom|für|über|im|bei|beim|aus|zu[mr]?|am|auf|nach|mit|des)\s`)

// oneValue reports whether facts have the same value in any word form, by one verb or several. Two compounds with a
// common word are two values.
func oneValue(ms []*trilith.Memory) bool {
	first := strings.Join(content(ms[0].Fact.Node.Name), " ")
	return !slices.ContainsFunc(ms, func(m *trilith.Memory) bool {
		short, long := first, strings.Join(content(m.Fact.Node.Name), " ")
		if len(short) > len(long) {
			short, long = long, short
		}
		return !strings.HasPrefix(long, short) || len(long)-len(short) > inflection
	})
}

const inflection = 3 // the longest ending of a word form, in letters

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
	if last.IsZero() || at.Sub(last) > slipTime {
		return nil
	}
	var out []*trilith.Memory
	for _, m := range current {
		if heardAt(m).Equal(last) && sameForm(m.Fact, instead) {
			out = append(out, m)
		}
	}
	if len(out) != 1 {
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
	x, c := m.Fact, a.Amendment
	if c.Due != nil && x.Node.Type != dateNode && x.ActionDeadline == nil && m.ValidUntil != nil {
		return []Assertion{a.moved(m)}
	}
	if c.Due != nil && x.Node.Type != dateNode {
		return []Assertion{a.of(m, x.Node, func(out *trilith.Memory) {
			out.Text = m.Text
			if old, ok := x.Content["due"].(string); ok {
				out.Text = strings.Replace(m.Text, old, c.When, 1)
			}
			due := *c.Due
			out.Fact.ActionDeadline = &due
			out.Fact.Content = with(x.Content, "due", c.When)
		})}
	}
	ends, instead := a.ended(m), c.Instead
	switch old, _ := x.Content["when"].(string); {
	case c.Due != nil:
		instead = dayIn(x, c.Due)
	case c.When != "" && old != "":
		instead = strings.Replace(x.Node.Name, old, c.When, 1)
	case c.When != "":
		return nil
	}
	if instead == "" {
		return []Assertion{ends}
	}
	value, sum := corrected(x, instead)
	if value == "" || value == x.Node.Name {
		return nil
	}
	successor := a.of(m, trilith.Node{Type: x.Node.Type, Name: value}, func(out *trilith.Memory) {
		out.Text = strings.Replace(m.Text, x.Node.Name, value, 1)
		if old, ok := x.Content["when"].(string); ok && c.When != "" && c.Due == nil {
			out.Text = strings.Replace(out.Text, old, c.When, 1)
			out.Fact.Content = with(x.Content, "when", c.When)
		}
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

// moved asserts another time for a fact with a time.
func (a Assertion) moved(m *trilith.Memory) Assertion {
	return a.of(m, m.Fact.Node, func(out *trilith.Memory) {
		out.Text = m.Text
		if old, ok := m.Fact.Content["when"].(string); ok {
			out.Text = strings.Replace(m.Text, old, a.Amendment.When, 1)
		}
		until := a.Amendment.Due.Add(time.Second)
		out.ValidUntil = &until
		out.Fact.Content = with(m.Fact.Content, "when", a.Amendment.When)
	})
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
	// stated at the same time, it counts as later than what it changes
	if last := heardAt(m); !out.EventTime.After(last) && m.Fact.Certainty != trilith.Planned {
		out.EventTime = last.Add(time.Microsecond)
	}
	out.ValidUntil = nil
	fill(&out)
	return Assertion{Memory: out}
}

func with(content map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range content {
		if k != key {
			out[k] = v
		}
	}
	return out
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

// sameForm reports whether one value could have been meant by another: a number by a number, a name by a similar name.
func sameForm(x *trilith.Fact, instead string) bool {
	if n := number.FindString(instead); n != "" {
		return number.MatchString(x.Node.Name) && (x.Financial != nil || n == instead)
	}
	return !number.MatchString(x.Node.Name) && near(plain(x.Node.Name), plain(instead))
}
