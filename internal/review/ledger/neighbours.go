package ledger

import (
	"maps"
	"slices"
)

// shelf finds the papers that another could belong to: those of its currency that share a word of the counterparty or
// of the item with it, whose number it has or names, or that have its amount.
type shelf map[string][]*paper

func shelve(papers []*paper) shelf {
	s := shelf{}
	for _, p := range papers {
		for _, key := range p.keys(p.number) {
			s[key] = append(s[key], p)
		}
	}
	return s
}

// near are the papers that p could belong to, in order of time.
func (s shelf) near(p *paper) []*paper {
	seen := map[*paper]bool{}
	for _, key := range p.keys(append(slices.Collect(maps.Keys(p.names)), p.number)...) {
		for _, q := range s[key] {
			seen[q] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), byTime)
}

// keys are where a paper stands that goes by numbers.
func (p *paper) keys(numbers ...string) []string {
	out := []string{p.Currency + " amount " + p.amount.RatString()}
	for kind, words := range map[string][]string{"party": p.party.words, "item": p.item.words, "number": numbers} {
		for _, w := range words {
			if w != "" {
				out = append(out, p.Currency+" "+kind+" "+w)
			}
		}
	}
	return out
}
