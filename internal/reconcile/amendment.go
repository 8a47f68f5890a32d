package reconcile

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/lazyre"
)

// Amendment is a statement about a fact in other words than those that it rests on: that it is over, that it is
// something else, or that it has another time. It is resolved against what is known when it is heard. It changes what
// it meets and invents nothing: where nothing is met nothing happens. Where more than one thing could be what is over,
// each of them stays, and a candidate asks a person whether it is over.
type Amendment struct {
	// of the facts that it may concern; a name that ends in _ stands for all that begin with it. Empty: see [lasting]
	Verbs    []string
	Any      bool       // it may concern any fact: what was wrong may be anything
	Whole    bool       // it may also concern any fact whose whole value the words are
	Exact    bool       // the words are the whole value
	Kind     bool       // the words are a kind of thing: the value is it, with words about when, where or how
	Values   []string   // words that name what is meant, each for itself; empty: whatever the verbs hold
	Instead  string     // what holds in its place
	Was      *time.Time // a day that was wrong: of what is dated, what has that day is meant, and Due is the right one
	Due      *time.Time // the time that it has now
	When     string     // that time as a day, for the content
	Except   string     // a value that is not meant
	Over     string     // begins the sentence about what is over: "No longer: "
	Said     string     // a clause that names what is meant somewhere in it; see [Amendment.meant]
	Near     string     // what is around that, where the clause has a word for it alone
	With     string     // a word that the value holds
	Alone    bool       // without a value it means whatever the verbs hold
	Head     bool       // Said is an object: the value holds its last word
	Replaces bool       // Instead replaces all values of the verbs
	Back     bool       // and held before
	Days     bool       // Was and Due are days of a month, of whichever
}

// lasting are types and verbs of what does not end by the way: it takes words that speak of just that.
var (
	lastingTypes = []cairn.FactType{cairn.FactEvent, cairn.FactRelationship, cairn.FactFinancial}
	lastingVerbs = []string{"has_name", "goes_by", "born_in", "comes_from", "has_nationality", "has_age",
		"has_birthday", "has_birth_year",
		"has_children", "has_marital_status", "has_height", "has_blood_type", "has_degree", "has_phone",
		"has_work_phone", "has_email", "has_work_email",
		"allergic_to", "intolerant_to", "follows_diet", "avoids", "dislikes", "owns", "lives_in", "has_address"}
)

// lasting looks at the verb behind a relation too: the home of a sister, sister_lives_in, lasts like one's own.
func lasting(x *cairn.Fact) bool {
	return slices.Contains(lastingTypes, x.Type) || slices.ContainsFunc(lastingVerbs, func(v string) bool {
		return x.Verb == v || strings.HasSuffix(x.Verb, "_"+v)
	})
}

// concerns reports whether the change may be about a fact.
func (c *Amendment) concerns(x *cairn.Fact) bool {
	switch {
	case c.Any:
		return x.Type != cairn.FactEvent
	case len(c.Verbs) == 0:
		return !lasting(x)
	}
	return slices.ContainsFunc(c.Verbs, func(v string) bool {
		return x.Verb == v || strings.HasSuffix(v, "_") && strings.HasPrefix(x.Verb, v)
	})
}

// resolve returns what a change says about what is known.
func (f *Facts) resolve(a Assertion) []Assertion {
	e := a.Memory.Fact.Evidence[0]
	for _, m := range f.all() {
		at := slices.IndexFunc(m.Fact.Evidence, func(have cairn.Evidence) bool { return same(have, e) })
		if at < 0 {
			continue
		}
		for _, heard := range f.all() { // it was resolved when it was heard first
			if i := slices.IndexFunc(
				heard.Fact.Evidence, func(have cairn.Evidence) bool {
					return same(have, e) && have.Withdrawn
				}); i >= 0 {
				mark(heard, i, false)
				f.replay(heard.Fact, nil)
			}
		}
		return nil
	}
	if a.Amendment.Said != "" && f.changedBy(e) {
		return nil
	}
	if a.Amendment.Back && !f.held(a.Amendment) {
		return nil
	}
	current := f.current(a.Memory.EventTime, func(m *cairn.Memory) bool {
		return plain(m.Fact.Node.Name) != plain(a.Amendment.Except) &&
			(a.Amendment.concerns(m.Fact) || a.Amendment.Whole && m.Fact.Type != cairn.FactEvent) &&
			rank[a.Memory.Trust] >= rank[m.Trust]
	})
	if a.Amendment.Was != nil {
		a.Amendment, current = a.Amendment.dated(current)
	}
	var out []Assertion
	for _, m := range a.Amendment.met(current, a.Memory.EventTime) {
		out = append(out, a.over(m)...)
	}
	if len(out) == 0 && a.Amendment.Instead == "" && a.Amendment.Due == nil {
		return a.asked(current)
	}
	return out
}

// changedBy reports whether the words of a turn have changed something already: what they say plainly is what they
// mean.
func (f *Facts) changedBy(e cairn.Evidence) bool {
	return slices.ContainsFunc(f.all(), func(m *cairn.Memory) bool {
		return slices.ContainsFunc(m.Fact.Evidence, func(have cairn.Evidence) bool {
			return (have.Ends || have.Proposed) && have.EpisodeID == e.EpisodeID && have.Start < e.End &&
				e.Start < have.End
		})
	})
}

// held reports whether what a change says instead held before.
func (f *Facts) held(c *Amendment) bool {
	return slices.ContainsFunc(f.all(), func(m *cairn.Memory) bool {
		return c.concerns(m.Fact) && m.Fact.Polarity == cairn.Affirmed && plain(m.Fact.Node.Name) == plain(c.Instead)
	})
}

// dated makes a correction of a day one of what has that day, or, where nothing has it, one of words.
func (c *Amendment) dated(current []*cairn.Memory) (*Amendment, []*cairn.Memory) {
	one := *c
	one.Was = nil
	onDay := slices.DeleteFunc(slices.Clone(current), func(m *cairn.Memory) bool {
		day := dayOf(m)
		return day == nil || !c.sameDay(*day, *c.Was) &&
			(m.Fact.Node.Type != dateNode || m.Fact.Node.Name != dayIn(m.Fact, c.Was))
	})
	if len(onDay) == 0 {
		one.Due = nil
		return &one, current
	}
	one.Values, one.Instead = nil, ""
	if day := dayOf(onDay[0]); c.Days { // the month is that of what was said
		due := time.Date(day.Year(), day.Month(), c.Due.Day(), c.Due.Hour(), c.Due.Minute(), c.Due.Second(), 0,
			day.Location())
		one.Due, one.When = &due, due.Format(time.DateOnly)
	}
	return &one, onDay
}

// dayOf is the last second of the day that a fact is about: its value, its deadline, or when what is planned takes
// place.
func dayOf(m *cairn.Memory) *time.Time {
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

// sameDay reports whether two times are of one day, or of one day of a month where the month was not said.
func (c *Amendment) sameDay(a, b time.Time) bool {
	if c.Days {
		return a.Day() == b.Day()
	}
	return a.Format(time.DateOnly) == b.Format(time.DateOnly)
}

const dateNode = "Date" // the type of nodes that are days: 1979-05-04, or 05-04 of any year

// dayIn is a day in the form that a date has.
func dayIn(x *cairn.Fact, day *time.Time) string {
	if len(x.Node.Name) == len("01-02") {
		return day.Format("01-02")
	}
	return day.Format(time.DateOnly)
}

// mostAsked is how many facts a person is asked about where one of them may be over.
const mostAsked = 4

// asked proposes that each of the facts is over that a change may mean.
func (a Assertion) asked(current []*cairn.Memory) []Assertion {
	c := a.Amendment
	var meant []*cairn.Memory
	if c.Said != "" {
		meant, _ = c.meant(current)
		return a.proposed(meant)
	}
	meant = slices.DeleteFunc(slices.Clone(current), func(m *cairn.Memory) bool {
		return !c.concerns(m.Fact) || len(c.Values) > 0 &&
			!slices.ContainsFunc(c.Values, func(value string) bool { return c.names(m, content(value)) })
	})
	return a.proposed(meant)
}

// proposed asks a person whether some facts are over, if they are few enough.
func (a Assertion) proposed(meant []*cairn.Memory) []Assertion {
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

// names reports whether a value holds all that words name, and may be meant by them.
func (c *Amendment) names(m *cairn.Memory, said []string) bool {
	return !c.Exact && !c.Kind && !c.general(m.Fact) && within(said, content(m.Fact.Node.Name))
}

// general reports whether a change may mean a kind of which a taste is one: somebody who gives up one kind of a thing
// may like the others.
func (c *Amendment) general(x *cairn.Fact) bool { return isTaste(x) && len(c.Verbs) == 0 && !c.Any }

// current returns the facts that are affirmed, hold at a time, and are such as the caller accepts.
func (f *Facts) current(at time.Time, accepts func(*cairn.Memory) bool) []*cairn.Memory {
	return slices.DeleteFunc(f.all(), func(m *cairn.Memory) bool {
		begun := !m.EventTime.After(at) || m.Fact.Certainty == cairn.Planned
		return m.Fact.Polarity != cairn.Affirmed || m.State == cairn.StateRetracted || !begun ||
			over(m, at) || !accepts(m)
	})
}

// met returns which of the facts that hold are meant.
func (c *Amendment) met(current []*cairn.Memory, at time.Time) []*cairn.Memory {
	switch {
	case c.Said != "":
		meant, clear := c.meant(current)
		if clear {
			return meant
		}
		if len(meant) > 0 || !c.Alone {
			return nil
		}
	case len(c.Values) > 0:
		var out []*cairn.Memory
		for _, value := range c.Values {
			out = append(out, c.named(current, value)...)
		}
		return out
	case c.Instead != "" && !c.Replaces:
		return slipped(current, c.Instead, at)
	}
	if len(current) == 1 {
		return current
	}
	// Of a verb that has one value at a time it is clear which is meant.
	return slices.DeleteFunc(slices.Clone(current), func(m *cairn.Memory) bool { return !m.Fact.SingleValued })
}

// named returns the facts that words name: those whose value is just that, else the one whose value holds the words or,
// if none does, is held by them.
func (c *Amendment) named(current []*cairn.Memory, words string) []*cairn.Memory {
	said := content(words)
	if len(said) == 0 {
		return nil
	}
	var tiers [3][]*cairn.Memory
	for _, m := range current {
		value := content(m.Fact.Node.Name)
		inValue, inWords := within(said, value), within(value, said)
		switch {
		case c.Kind && plain(m.Fact.Node.Name) == plain(words): // the opinions of one thing meet by themselves
		case inValue && inWords, strings.Join(said, "") == strings.Join(value, ""):
			tiers[0] = append(tiers[0], m)
		case c.Exact || !c.concerns(m.Fact):
		case c.general(m.Fact), c.Kind && !circumstanced(m.Fact.Node.Name, words):
		case inValue:
			tiers[1] = append(tiers[1], m)
		case inWords && !c.Any && within(value, content(headed(words))) && endsWith(said, value):
			tiers[2] = append(tiers[2], m)
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

// oneValue reports whether facts have the same value in whatever form, by one verb or several. Two compounds of one
// word are two values.
func oneValue(ms []*cairn.Memory) bool {
	first := strings.Join(content(ms[0].Fact.Node.Name), " ")
	return !slices.ContainsFunc(ms, func(m *cairn.Memory) bool {
		short, long := first, strings.Join(content(m.Fact.Node.Name), " ")
		if len(short) > len(long) {
			short, long = long, short
		}
		return !strings.HasPrefix(long, short) || len(long)-len(short) > inflection
	})
}

const inflection = 3 // letters at most that a form of a word ends in

// slipTime is how long after a statement somebody says that a word of it was wrong.
const slipTime = 48 * time.Hour

// slipped returns the fact that holds a slip of what is said instead: of those that were said last, the one whose value
// is of the same form.
func slipped(current []*cairn.Memory, instead string, at time.Time) []*cairn.Memory {
	var last time.Time
	for _, m := range current {
		if said := heardAt(m); said.After(last) && said.Before(at) {
			last = said
		}
	}
	if last.IsZero() || at.Sub(last) > slipTime {
		return nil
	}
	var out []*cairn.Memory
	for _, m := range current {
		if heardAt(m).Equal(last) && sameForm(m.Fact, instead) {
			out = append(out, m)
		}
	}
	if len(out) == 0 && isName(instead) { // another name altogether, where one name was said
		for _, m := range current {
			if heardAt(m).Equal(last) &&
				slices.Contains([]string{"Person", "Location", "Pet", "Organisation"}, m.Fact.Node.Type) {
				out = append(out, m)
			}
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// heardAt is when a fact was last said to hold.
func heardAt(m *cairn.Memory) time.Time {
	at := m.EventTime
	for _, e := range m.Fact.Evidence {
		if !e.Withdrawn && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

// over says of a known fact what a change says of it.
func (a Assertion) over(m *cairn.Memory) []Assertion {
	x, c := m.Fact, a.Amendment
	if c.Due != nil && x.Node.Type != dateNode && x.ActionDeadline == nil && m.ValidUntil != nil {
		return []Assertion{a.moved(m)}
	}
	if c.Due != nil && x.Node.Type != dateNode {
		return []Assertion{a.of(m, x.Node, func(out *cairn.Memory) {
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
	if c.Due != nil {
		instead = dayIn(x, c.Due)
	}
	if instead == "" {
		return []Assertion{ends}
	}
	value, sum := corrected(x, instead)
	if value == "" || value == x.Node.Name {
		return nil
	}
	successor := a.of(m, cairn.Node{Type: x.Node.Type, Name: value}, func(out *cairn.Memory) {
		out.Text = strings.Replace(m.Text, x.Node.Name, value, 1)
		out.Fact.Financial = sum
		for _, e := range x.Evidence {
			if !e.Withdrawn && !e.Ends { // what is said of it is there
				out.Fact.Evidence[0].Premises = []cairn.Premise{
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

// moved says of what takes place at a time that it takes place at another.
func (a Assertion) moved(m *cairn.Memory) Assertion {
	return a.of(m, m.Fact.Node, func(out *cairn.Memory) {
		out.Text = m.Text
		if old, ok := m.Fact.Content["when"].(string); ok {
			out.Text = strings.Replace(m.Text, old, a.Amendment.When, 1)
		}
		until := a.Amendment.Due.Add(time.Second)
		out.ValidUntil = &until
		out.Fact.Content = with(m.Fact.Content, "when", a.Amendment.When)
	})
}

// ended says of a known fact that it is over.
func (a Assertion) ended(m *cairn.Memory) Assertion {
	ends := a.of(m, m.Fact.Node, func(out *cairn.Memory) {
		out.Text = a.Amendment.Over + m.Text
		out.Fact.Polarity, out.Fact.Financial, out.Fact.Content, out.Fact.ActionDeadline,
			out.Fact.RequiresAction = cairn.Negated, nil, nil, nil, false
	})
	ends.Ends = true
	return ends
}

// of makes an assertion about a node from the words of a change and what is known.
func (a Assertion) of(m *cairn.Memory, node cairn.Node, fill func(*cairn.Memory)) Assertion {
	out := *clone(a.Memory)
	said := out.Fact
	x := *m.Fact
	x.Node, x.FactID, x.Evidence = node, node.ID(), said.Evidence
	x.AuthorRole, x.Rule, x.Certainty, x.Confidence, x.Verification = said.AuthorRole, said.Rule, said.Certainty,
		said.Confidence, cairn.Verification{}
	x.RelationshipKey = x.Key()
	out.Fact, out.ID = &x, cairn.FactMemoryID(x.EntityID, x.Verb, x.FactID)
	if node == m.Fact.Node {
		x.FactID, x.RelationshipKey, out.ID = m.Fact.FactID, m.Fact.RelationshipKey, m.ID
	}
	// said in one breath, it comes after what it changes
	if last := heardAt(m); !out.EventTime.After(last) && m.Fact.Certainty != cairn.Planned {
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

// isName reports whether words are one with a capital letter.
func isName(s string) bool {
	return s != "" && unicode.IsUpper([]rune(s)[0]) && !strings.Contains(s, " ")
}

var number = lazyre.New(`\d+(?:[.,]\d+)*`)

// corrected is the value of a fact with what is said instead; of a sum, the number alone is another.
func corrected(x *cairn.Fact, instead string) (string, *cairn.Financial) {
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

// sameForm reports whether a value could have been meant where another was said: a number for a number, a name for a
// name that is nearly the same.
func sameForm(x *cairn.Fact, instead string) bool {
	if n := number.FindString(instead); n != "" {
		return number.MatchString(x.Node.Name) && (x.Financial != nil || n == instead)
	}
	return !number.MatchString(x.Node.Name) && near(plain(x.Node.Name), plain(instead))
}
