package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// Conflicts returns groups of facts of one entity and verb that cannot all hold: each contradicts another one of its
// group. A single-valued verb has one group, another verb one for each value with a denial.
func Conflicts(facts []trilith.Memory) [][]trilith.Memory {
	facts = byTime(facts)
	var order []string
	buckets := map[string][]trilith.Memory{}
	one := slices.ContainsFunc(facts, func(m trilith.Memory) bool { return m.Fact.SingleValued })
	for _, m := range facts {
		key := string(m.Fact.Owner) + "\x00"
		if number := detail(m.Fact, "number"); papers[m.Fact.Verb] && number != "" {
			key += "no. " + number
		} else if !one {
			key += nodeKey(m.Fact.Node)
		}
		if buckets[key] == nil {
			order = append(order, key)
		}
		buckets[key] = append(buckets[key], m)
	}
	var groups [][]trilith.Memory
	for _, key := range order {
		var group []trilith.Memory
		for _, m := range buckets[key] {
			if slices.ContainsFunc(buckets[key], func(o trilith.Memory) bool { return Contradict(&m, &o) }) {
				group = append(group, m)
			}
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// Contradict reports whether two active facts of one entity and [Matter] cannot both hold: two values of a single-valued
// verb, or a value and its denial or a taste against it, whose times overlap.
func Contradict(a, b *trilith.Memory) bool {
	switch {
	case a.ID == b.ID || a.Fact.Owner != b.Fact.Owner || endsBefore(a, b) || endsBefore(b, a):
		return false
	case alike(a.Fact, b.Fact):
		return opposed(a.Fact, b.Fact)
	}
	return a.Fact.Verb == b.Fact.Verb && rivals(a.Fact, b.Fact) && !denied(a) && !denied(b) && !compatible(a.Fact, b.Fact)
}

// endsBefore reports whether a ends before b begins.
func endsBefore(a, b *trilith.Memory) bool {
	return a.ValidUntil != nil && !a.ValidUntil.After(b.EventTime)
}

// compatible reports whether two values of a single-valued verb may well both hold: one turn states both, or one is the
// other in more words, as engineer and software engineer, or Bergen and Bergen, Norway; York and New York are two. Two
// sums never do.
func compatible(a, b *trilith.Fact) bool {
	if a.Financial != nil || b.Financial != nil {
		return false
	}
	breath := len(a.Evidence) > 0 && len(b.Evidence) > 0 && a.Evidence[0].EpisodeID != "" &&
		!slices.ContainsFunc(slices.Concat(a.Evidence, b.Evidence),
			func(e trilith.Evidence) bool { return e.EpisodeID != a.Evidence[0].EpisodeID })
	x, y := nameWords(a.Node.Name), nameWords(b.Node.Name)
	if len(x) < len(y) {
		x, y = y, x
	}
	named := strings.ContainsFunc(a.Node.Name+b.Node.Name, proper)
	return breath || slices.Equal(x[:len(y)], y) || !named && holdsAll(x, y)
}

// nameWords returns the words of a name in the form for comparison.
func nameWords(name string) []string {
	return strings.FieldsFunc(plain(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// holdsAll reports whether some words are all among others.
func holdsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
}

// Alike are facts that say the same. Score is the lowest similarity of one of them to the first.
type Alike struct {
	Facts []trilith.Memory
	Score float64
}

// Duplicates returns facts of one entity that say the same, in groups of at least two. With vectors (one for each fact;
// nil for a fact without one) the facts of a group have at least the threshold as cosine with the first, or its text.
// Without vectors they have an equal text, or an equal value of one verb, regardless of case, accents and spacing. A denial
// is never a duplicate of the value that it denies, however similar their words are.
func Duplicates(facts []trilith.Memory, vectors []trilith.Vector, threshold float64) []Alike {
	if vectors == nil {
		return equalTexts(facts)
	}
	at, said := make(map[trilith.ID]trilith.Vector, len(facts)), make(map[trilith.ID]string, len(facts))
	for i := range facts {
		at[facts[i].ID], said[facts[i].ID] = vectors[i], plain(facts[i].Text)
	}
	alike := func(a, b *trilith.Memory) float64 {
		if said[a.ID] == said[b.ID] {
			return 1
		}
		if at[a.ID] == nil || at[b.ID] == nil {
			return 0
		}
		return float64(vec.Dot(at[a.ID], at[b.ID]))
	}
	var all []Alike
	for _, m := range byTime(facts) {
		joined := slices.IndexFunc(all, func(a Alike) bool {
			first := &a.Facts[0]
			return first.Fact.Owner == m.Fact.Owner && denied(first) == denied(&m) &&
				alike(first, &m) >= threshold
		})
		if joined < 0 {
			all = append(all, Alike{Facts: []trilith.Memory{m}, Score: 1})
			continue
		}
		a := &all[joined]
		a.Score = min(a.Score, alike(&a.Facts[0], &m))
		a.Facts = append(a.Facts, m)
	}
	return several(all)
}

func equalTexts(facts []trilith.Memory) []Alike {
	type key struct {
		owner  trilith.Owner
		text   bool
		denied bool
		verb   string
		said   string
	}
	var all []Alike
	places := map[key]int{}
	for _, m := range byTime(facts) {
		keys := [2]key{{owner: m.Fact.Owner, text: true, denied: denied(&m), said: plain(m.Text)},
			{owner: m.Fact.Owner, denied: denied(&m), verb: m.Fact.Verb, said: plain(m.Fact.Node.Name)}}
		at, known := places[keys[0]]
		if !known {
			at, known = places[keys[1]]
		}
		if !known {
			at = len(all)
			all = append(all, Alike{Score: 1})
		}
		all[at].Facts = append(all[at].Facts, m)
		for _, k := range keys {
			if _, taken := places[k]; !taken {
				places[k] = at
			}
		}
	}
	return several(all)
}

// byTime orders facts by their beginning, ties by id.
func byTime(facts []trilith.Memory) []trilith.Memory {
	return slices.SortedFunc(slices.Values(facts), func(a, b trilith.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
	})
}

func denied(m *trilith.Memory) bool { return m.Fact.Polarity == trilith.Negated }

// plain returns a text in the form for comparison: without case, accents and superfluous spaces.
func plain(s string) string { return strings.Join(strings.Fields(textproc.Fold(s)), " ") }

// several drops groups of one.
func several(all []Alike) []Alike {
	return slices.DeleteFunc(all, func(a Alike) bool { return len(a.Facts) == 1 })
}
