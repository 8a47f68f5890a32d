package reconcile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// There are too many ways to say that something has ended for patterns to find the value in each. If the words of an
// end are clear and those of the value are not, the clause is compared with the known facts: it means the fact whose
// value it contains. Each word of an end concerns few verbs, which limits the choice. If two facts could be meant, a
// person is asked.

// calendar lists words of when and how often, folded. They distinguish the values of habits but name none.
var calendar = wordSet(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays morning evening afternoon night week weekend month year day days
	january february march april may june july august september october november december every each daily weekly twice once next last summer winter spring autumn
	montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags morgen abend woche wochenende monat jahr tag
	januar februar marz april mai juni juli august september oktober november dezember jeden jede jedes taglich wochentlich nachsten letzten sommer winter fruhling herbst`)

// partly lists verbs with long values, where a part of the value is enough to name it: a plan, a task, a habit, a firm.
var partly = []string{"plans", "wants", "decided", "has_task", "has_deadline", "has_appointment", "has_schedule",
	"has_milestone", "does_regularly", "works_on",
	"works_at", "works_as", "runs", "uses_material", "consults", "owns", "studies", "has_degree", "has_email"}

// meant returns the facts that a clause mentions, and whether it is clear which one is meant.
func (c *Amendment) meant(current []*trilith.Memory) (meant []*trilith.Memory, clear bool) {
	for _, text := range []string{c.Said, c.Near} {
		if meant, clear = c.spokenIn(text, current); len(meant) > 0 {
			return meant, clear
		}
	}
	return nil, false
}

// spokenIn returns the facts that a text names best.
func (c *Amendment) spokenIn(text string, current []*trilith.Memory) (meant []*trilith.Memory, clear bool) {
	said, heads := spokenWords(text), spokenWords(headed(text))
	if c.Head && text == c.Said {
		all := slices.DeleteFunc(content(text), func(w string) bool { return calendar[w] })
		if len(all) == 0 {
			return nil, false
		}
		last := all[len(all)-1:]
		current = slices.DeleteFunc(
			slices.Clone(current), func(m *trilith.Memory) bool { return !within(last, content(m.Fact.Node.Name)) })
	}
	best := 0.0
	share := map[*trilith.Memory]float64{}
	for _, m := range current {
		if !c.concerns(m.Fact) {
			continue
		}
		if value := valueWords(m); shareNamed(m, value, heads, c.With) > 0 {
			share[m] = shareNamed(m, value, said, c.With)
			best = max(best, share[m])
		}
	}
	if best == 0 {
		return nil, false
	}
	for _, m := range current {
		if share[m] == best {
			meant = append(meant, m)
		}
	}
	if clear = oneValue(meant); !clear {
		return meant, false
	}
	for _, m := range current { // habits are mentioned with when and where
		if share[m] > 0 && share[m] < best && m.Fact.Verb == "does_regularly" && meant[0].Fact.Verb != m.Fact.Verb &&
			within(valueWords(meant[0]), valueWords(m)) {
			meant = append(meant, m)
		}
	}
	return meant, true
}

// spokenWords returns the words of a text that may name something, folded, in the forms of [content].
func spokenWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(digits(textproc.Fold(text)),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !hollow[w] && len(w) > 1 {
			out = append(out, specific(w))
		}
	}
	return out
}

// valueWords returns the words of a value, without calendar words.
func valueWords(m *trilith.Memory) []string {
	all := content(m.Fact.Node.Name)
	if named := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return calendar[w] }); len(named) > 0 {
		return named
	}
	return all
}

// shareNamed returns how much of a fact's value, of which the words are given, some words name, from 0 to 1: half of a
// long value is enough, or its last word. The value has to contain the word with, if that is given.
func shareNamed(m *trilith.Memory, value, said []string, with string) float64 {
	if len(value) == 0 || with != "" && !within([]string{with}, value) {
		return 0
	}
	n, last := 0, false
	for i, w := range value {
		if with != "" && sameWord(with, w) {
			n++
			continue
		}
		if slices.ContainsFunc(said, func(s string) bool { return sameWord(s, w) }) {
			n++
			last = i == len(value)-1 || last
		}
	}
	if with != "" && n < 2 && len(value) > 1 {
		return 0
	}
	switch {
	case n == len(value):
	case m.Fact.Node.Type == "Person" && n > 0:
	case !slices.Contains(partly, m.Fact.Verb), 2*n < len(value) && !last:
		return 0
	}
	return float64(n) / float64(len(value))
}
