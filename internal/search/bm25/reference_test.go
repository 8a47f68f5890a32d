package bm25

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// scoringAll answers a search by scoring every document by itself: terms are added in the order of the query, so that
// sums are equal to the last bit.
func scoringAll(docs map[uint32][]string, q Query, allow []uint64, size uint32) Result {
	in := map[uint32]bool{}
	length := 0
	for slot, terms := range docs {
		if allow == nil || has(allow, slot) {
			in[slot] = true
			length += len(terms)
		}
	}
	n, k1, b := len(in), K1, B // variables, because constants are exact
	w := weigher{short: k1 * (1 - b), rise: k1 + 1}
	if length > 0 {
		w.perTerm = k1 * b * float64(n) / float64(length)
	}
	var r Result
	sums := make([]float64, size)
	for _, t := range q.Terms {
		own, exact := map[uint32]float64{}, 0
		for slot := range in {
			full := false
			for i, form := range slices.Concat(t.Forms, t.Light) {
				w, count := w, uint32(0)
				if i >= len(t.Forms) {
					w.rise *= q.Light
				}
				for _, term := range docs[slot] {
					if term == form {
						count++
					}
				}
				if count > 0 {
					own[slot] = max(own[slot], w.weight(count, uint32(len(docs[slot]))))
					full = full || i < len(t.Forms)
				}
			}
			if full {
				exact++
			}
		}
		held := len(own)
		if exact > 0 {
			held = exact
		}
		weight := math.Log1p((float64(n-held) + .5) / (float64(held) + .5))
		if t.Common >= 0 {
			weight = (1-q.Share)*weight + q.Share*t.Common
		}
		weight *= t.Scale
		r.Attainable += weight * w.rise
		if held > 0 {
			r.Weight += weight
		}
		for slot := range in {
			if best := bestAround(q, in, own, slot); best > 0 {
				sums[slot] += weight * best
			}
		}
	}
	for slot := range in {
		if score := sums[slot]; score > 0 || q.OrAll && r.Weight == 0 {
			if q.Finish != nil {
				score = q.Finish(slot, score)
			}
			if score > 0 {
				r.Hits = append(r.Hits, Hit{slot, score})
			}
		}
	}
	return r
}

// bestAround returns the best share of a match that counts in a document: it looks for matches around it, where the
// search goes from each match to the documents around that.
func bestAround(q Query, in map[uint32]bool, own map[uint32]float64, slot uint32) float64 {
	best := own[slot]
	if q.Neighbours == nil {
		return best
	}
	walk := func(links []uint32, shares []float64, between func(at, to uint32) uint32, answers bool) {
		at, place, apart, out := slot, 0, uint32(0), 0
		for links[at] != 0 {
			to := links[at] - 1
			apart |= bit(q.Neighbours.Apart, between(at, to))
			if at = to; !in[at] {
				if out++; out == Reach {
					return
				}
				continue
			}
			if place += 1 + int(apart); place > len(shares) {
				return
			}
			share := shares[place-1]
			if answers && place == 1 && has(q.Neighbours.Answers, slot) && q.Neighbours.Next[at] == slot+1 {
				share = max(share, q.Boost.Answer)
			}
			best = max(best, share*own[at])
			apart, out = 0, 0
		}
	}
	walk(q.Neighbours.Prev, q.Boost.After, func(at, _ uint32) uint32 { return at }, true)
	walk(q.Neighbours.Next, q.Boost.Before, func(_, to uint32) uint32 { return to }, false)
	return best
}

// drawn is a random index, its documents, and their neighbours.
type drawn struct {
	*rand.Rand
	x          *Index
	docs       map[uint32][]string
	neighbours *Neighbours
	size       uint32
}

func draw(t *testing.T, seed uint64) drawn {
	t.Helper()
	d := drawn{rand.New(rand.NewPCG(seed, 2)), New(K1, B), map[uint32][]string{}, &Neighbours{},
		[]uint32{60, 700, 3 * windowStep, 9 * windowStep}[seed%4]}
	restore := d.IntN(900)
	for i := range 800 {
		if i == restore && seed%3 == 0 {
			var written bytes.Buffer
			w := packed.NewWriter(&written)
			if d.x.Freeze().Write(w); w.Flush() != nil {
				t.Fatal("it is not written")
			}
			var err error
			if d.x, err = Restore(K1, B, packed.Read(written.String())); err != nil {
				t.Fatal(err)
			}
		}
		slot := d.Uint32N(d.size)
		if d.IntN(5) == 0 {
			d.x.Delete(slot)
			delete(d.docs, slot)
			continue
		}
		terms := make([]string, d.IntN(9))
		for j := range terms {
			terms[j] = fmt.Sprint("w", d.IntN(1+d.IntN(12)))
		}
		if d.IntN(30) == 0 {
			terms = append(terms, slices.Repeat([]string{"w1"}, 300)...) // its length does not fit into a byte
		}
		d.x.Put(slot, terms)
		d.docs[slot] = terms
	}
	d.neighbours.Fit(int(d.size))
	order := d.Perm(int(d.size))
	if seed%5 > 0 { // mostly in the order of the slots
		slices.Sort(order)
	}
	prev := uint32(0)
	for i, slot := range order {
		at := uint32(slot) + 1
		if _, ok := d.docs[at-1]; !ok || d.IntN(3) == 0 {
			continue
		}
		if prev != 0 && d.IntN(30) > 0 {
			d.neighbours.Join(prev, at)
		}
		for _, set := range [][]uint64{d.neighbours.Answers, d.neighbours.Apart} {
			set[slot/64] |= uint64(d.IntN(4)/3) << (slot % 64)
		}
		if prev = at; i%200 == 199 {
			prev = 0
		}
	}
	return d
}

// query draws a query and the set to search.
func (d drawn) query() (q Query, allow []uint64) {
	names := d.Perm(14) // two of them are unknown
	forms := func(most int) (out []string) {
		for range min(d.IntN(most+1), len(names)) {
			out = append(out, fmt.Sprint("w", names[0]))
			names = names[1:]
		}
		return out
	}
	for range 1 + d.IntN(5) {
		t := Term{Forms: forms(2), Light: forms(1), Scale: []float64{1, .6}[d.IntN(2)], Common: float64(d.IntN(4) - 1)}
		if len(t.Forms)+len(t.Light) > 0 {
			q.Terms = append(q.Terms, t)
		}
	}
	q.Share, q.Light, q.OrAll = .5*float64(d.IntN(2)), .5, d.IntN(4) == 0
	if d.IntN(4) > 0 {
		q.Neighbours = d.neighbours
		q.Boost = Boost{After: []float64{.5, .3, .2}[:d.IntN(4)], Before: []float64{.2, .1}[:d.IntN(3)]}
		if len(q.Boost.After) > 0 {
			q.Boost.Answer = float64(d.IntN(2))
		}
	}
	if kind := d.IntN(3); kind > 0 {
		q.Finish = func(slot uint32, sum float64) float64 {
			if slot%7 == 0 {
				sum *= .8
			}
			return sum + float64(slot%5/4)
		}
		if kind == 2 {
			q.Bound = func(sum float64) float64 { return sum + 1 }
		}
	}
	if open := d.IntN(4); open > 0 {
		allow = make([]uint64, d.IntN(int(d.size/64)+3))
		for i := range allow {
			for range open {
				allow[i] |= d.Uint64()
			}
		}
	}
	return q, allow
}

// A search returns what scoring every document returns, to the last bit and with the same order of ties: for any
// documents, neighbours, sets, queries and numbers of hits, and after deletions and snapshots.
func TestSearchEqualsScoringAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		d := draw(t, seed)
		for range 12 {
			q, allow := d.query()
			all := scoringAll(d.docs, q, allow, d.size)
			for _, k := range []int{0, 1, 3, 20, 2000} {
				descending := func(a, b uint32) bool { return a > b }
				for _, before := range []func(a, b uint32) bool{ascending, descending} {
					want := all
					want.Hits = slices.Clone(all.Hits)
					slices.SortFunc(want.Hits, func(a, b Hit) int {
						if a.Score > b.Score || a.Score == b.Score && before(a.Slot, b.Slot) {
							return -1
						}
						return 1
					})
					want.Hits = append([]Hit{}, want.Hits[:min(k, len(want.Hits))]...)
					if diff := gocmp.Diff(want, d.x.Search(q, allow, k, before)); diff != "" {
						t.Fatalf("seed %d: Search(%+v, k = %d): -want +got\n%s", seed, q.Terms, k, diff)
					}
				}
			}
		}
	}
}

// A match far from the one that it is a share of may lie among those that another form left last.
func TestMatchFarBehindAnotherForm(t *testing.T) {
	t.Parallel()
	docs := map[uint32][]string{66: {"other"}, 70: {"b"}, 9000: {"a"}}
	d := drawn{x: New(K1, B), docs: docs, neighbours: &Neighbours{}, size: 9001}
	for slot, terms := range docs {
		d.x.Put(slot, terms)
	}
	d.neighbours.Fit(int(d.size))
	d.neighbours.Join(9000+1, 66+1)
	q := Query{Neighbours: d.neighbours, Boost: Boost{After: []float64{.5}}, Terms: []Term{
		{Forms: []string{"other", "c"}, Scale: 1, Common: -1}, {Forms: []string{"a", "b"}, Scale: 1, Common: -1}}}
	want := scoringAll(docs, q, nil, d.size)
	slices.SortFunc(want.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Slot, b.Slot))
	})
	if diff := gocmp.Diff(want, d.x.Search(q, nil, 10, ascending)); diff != "" {
		t.Errorf("Search(other, a or b): -want +got\n%s", diff)
	}
}
