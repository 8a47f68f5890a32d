package bm25

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// boosted answers a search with a neighbour boost by the definition.
func boosted(docs map[uint32][]string, t *Neighbours, q Query, allow []uint64) map[uint32]float64 {
	in := map[uint32]bool{}
	length := 0.
	for slot, terms := range docs {
		if allow == nil || has(allow, slot) {
			in[slot] = true
			length += float64(len(terms))
		}
	}
	n, scores := float64(len(in)), map[uint32]float64{}
	around := func(from uint32, links []uint32, shares []float64, apart func(at, to uint32) bool,
		note func(place int, at uint32)) {
		at, place, between, out := from, 0, false, 0
		for links[at] != 0 {
			to := links[at] - 1
			between = between || apart(at, to)
			if at = to; !in[at] {
				if out++; out == Reach {
					return
				}
				continue
			}
			place++
			if between {
				place++
			}
			if place > len(shares) {
				return
			}
			note(place, at)
			between, out = false, 0
		}
	}
	for _, term := range q.Terms {
		own, best, exact := map[uint32]float64{}, map[uint32]float64{}, map[uint32]bool{}
		for slot := range in {
			for i, form := range slices.Concat(term.Forms, term.Light) {
				f := 0.
				for _, w := range docs[slot] {
					if w == form {
						f++
					}
				}
				match := f * (K1 + 1) / (f + K1*(1-B+B*float64(len(docs[slot]))/(length/n)))
				if i >= len(term.Forms) {
					match *= q.Light
				}
				if f > 0 {
					own[slot] = max(own[slot], match)
					if i < len(term.Forms) {
						exact[slot] = true
					}
				}
			}
		}
		for from, match := range own {
			best[from] = max(best[from], match)
			around(from, t.Next, q.Boost.After, func(_, to uint32) bool { return has(t.Apart, to) },
				func(place int, at uint32) {
					share := q.Boost.After[place-1]
					if place == 1 && has(t.Answers, at) && t.Next[from] == at+1 {
						share = max(share, q.Boost.Answer)
					}
					best[at] = max(best[at], share*match)
				})
			around(from, t.Prev, q.Boost.Before, func(at, _ uint32) bool { return has(t.Apart, at) },
				func(place int, at uint32) {
					best[at] = max(best[at], q.Boost.Before[place-1]*match)
				})
		}
		df := float64(len(own))
		if len(exact) > 0 {
			df = float64(len(exact))
		}
		for slot, match := range best {
			scores[slot] += math.Log(1+(n-df+.5)/(df+.5)) * match
		}
	}
	return scores
}

// For any distances between the documents of a sequence, any order of puts, and any documents between them, each has
// the score that the definition of the boost gives it.
func TestBoostEqualsDefinition(t *testing.T) {
	t.Parallel()
	words := []string{"a", "b", "c", "d", "e"}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		size := []int{100, 3 * windowStep, 5 * windowSlots}[seed%3]
		x, docs := New(K1, B), map[uint32][]string{}
		for range 600 {
			slot := uint32(random.IntN(size))
			if random.IntN(5) == 0 {
				x.Delete(slot)
				delete(docs, slot)
				continue
			}
			terms := make([]string, random.IntN(12))
			if random.IntN(20) == 0 {
				terms = make([]string, 200+random.IntN(200)) // longer than a byte can say
			}
			for i := range terms {
				terms[i] = words[random.IntN(len(words))]
				if random.IntN(2) == 0 {
					terms[i] = "other"
				}
			}
			x.Put(slot, terms)
			docs[slot] = terms
		}
		neighbours := &Neighbours{}
		neighbours.Fit(size)
		var order []uint32
		for slot := range docs {
			order = append(order, slot)
		}
		slices.Sort(order)
		for i := range order { // most neighbours are near, some are anywhere
			near := min(len(order)-1, i+random.IntN(5))
			if random.IntN(30) == 0 {
				near = random.IntN(len(order))
			}
			order[i], order[near] = order[near], order[i]
		}
		for i, slot := range order {
			if i > 0 && random.IntN(40) > 0 {
				neighbours.Join(order[i-1]+1, slot+1)
				for _, set := range [][]uint64{neighbours.Answers, neighbours.Apart} {
					if random.IntN(3) == 0 {
						set[slot/64] |= 1 << (slot % 64)
					}
				}
			}
		}
		q := Query{Light: .5, Neighbours: neighbours,
			Boost: Boost{After: []float64{.5, .3, .2}, Before: []float64{.2, .1}, Answer: .7}, Terms: []Term{
				{Forms: []string{"a"}, Scale: 1, Common: -1},
				{Forms: []string{"b", "unknown", "c"}, Light: []string{"d"}, Scale: 1, Common: -1},
				{Light: []string{"e"}, Scale: 1, Common: -1},
			}}
		for _, open := range []int{1, 2, 12, 40} { // one of so many is outside the set
			var allow []uint64
			if open > 1 {
				allow = make([]uint64, (size+63)/64)
				for slot := range uint32(size) {
					if (open == 40) == (random.IntN(open) == 0) { // the last time one of so many is in it
						allow[slot/64] |= 1 << (slot % 64)
					}
				}
			}
			want, got := boosted(docs, neighbours, q, allow), x.Search(q, allow, size, ascending).Hits
			if len(got) != len(want) {
				t.Errorf("seed %d: %d documents have a score, want %d", seed, len(got), len(want))
			}
			for _, h := range got {
				if math.Abs(want[h.Slot]-h.Score) > 1e-9 {
					t.Fatalf("seed %d: the score of %d is %v, want %v", seed, h.Slot, h.Score, want[h.Slot])
				}
			}
		}
	}
}
