package bm25

import (
	"math"
	"slices"
)

// match gathers the matches of a term in the documents of the set that hold one of its forms, and in their neighbours.
// It returns how many documents are counted as holding the term.
func (x *Index) match(s *scratch, q *Query, t *Term, set []uint64, w weigher) (held int) {
	s.forms = s.forms[:0]
	for _, form := range t.Forms {
		if n, ok := x.find(form); ok {
			s.forms = append(s.forms, n)
		}
	}
	full := len(s.forms)
	for _, form := range t.Light {
		if n, ok := x.find(form); ok {
			s.forms = append(s.forms, n)
		}
	}
	if len(s.forms) > 1 {
		s.holders = append(s.holders[:0], make([]uint64, len(set))...)
	}
	exact := 0 // documents that hold one of the full forms
	for i, n := range s.forms {
		if i == full {
			w.rise *= q.Light
			exact = held
		}
		of := &x.terms[n]
		x.kept.each(n, of, s.batch[:], set, func(ps []posting) bool {
			if of.all != of.docs {
				ps = x.alive(ps)
			}
			held += x.take(s, q, ps, set, w)
			return true
		})
	}
	s.settle()
	if exact > 0 {
		return exact
	}
	return held
}

// each calls f with the postings of a term whose slots are in a set, dead ones included, a batch at a time, until f
// returns false. A nil set means all slots.
func (k *kept) each(n uint32, t *term, batch []posting, set []uint64, f func([]posting) bool) {
	list := k.listOf(n, t)
	for from := (place{}); from.at < len(list); {
		var got int
		if got, from = read(batch, list, from, set); !f(batch[:got]) {
			return
		}
	}
	for from := (place{}); from.at < len(t.list); {
		var got int
		if got, from = read(batch, t.list, from, set); !f(batch[:got]) {
			return
		}
	}
}

// Holds reports whether a document in the set holds a term. allow is the same as in [Index.Search].
func (x *Index) Holds(term string, allow []uint64) (held bool) {
	n, ok := x.find(term)
	if !ok {
		return false
	}
	var batch [16]posting // one of the first is usually enough
	x.kept.each(n, &x.terms[n], batch[:], allow, func(ps []posting) bool {
		held = slices.ContainsFunc(
			ps, func(p posting) bool { return int(p.slot) < len(x.docs) && x.docs[p.slot].life == p.life })
		return !held
	})
	return held
}

// alive removes the postings of deleted documents.
func (x *Index) alive(ps []posting) []posting {
	n := 0
	for _, p := range ps {
		ps[n] = p
		if int(p.slot) < len(x.docs) && x.docs[p.slot].life == p.life {
			n++
		}
	}
	return ps[:n]
}

// take records postings of the set, and returns how many documents they add to those that hold the term.
func (x *Index) take(s *scratch, q *Query, ps []posting, set []uint64, w weigher) (held int) {
	held = len(ps)
	if len(s.forms) > 1 {
		held = 0
		for _, p := range ps {
			held += 1 - int(bit(s.holders, p.slot))
			s.holders[p.slot/64] |= 1 << (p.slot % 64)
		}
	}
	// Distant memory is read first, so that the reads do not wait for each other.
	for i, p := range ps {
		s.lengths[i] = x.short[p.slot]
	}
	if q.Neighbours != nil {
		q.Neighbours.fetch(s.steps[:], ps)
	}
	for i, p := range ps {
		s.reach(p.slot)
		length := uint32(s.lengths[i])
		if length == math.MaxUint8 {
			length = x.docs[p.slot].length
		}
		match := w.weight(uint32(p.count), length)
		s.note(p.slot, match)
		if q.Neighbours != nil {
			s.boost(q, set, p.slot, s.steps[i], match)
		}
	}
	return held
}

// boost adds the shares of a match to the documents around the one that holds it. Shares are not passed on.
func (s *scratch) boost(q *Query, set []uint64, from uint32, first steps, match float64) {
	n := q.Neighbours
	at, apart, step := from, uint32(0), first.next
	for place := 1; ; place++ {
		if to := at + uint32(int32(step)); step != 0 && step != far && has(set, to) { // mostly; see [Neighbours.next]
			at, apart = to, bit(n.Apart, to)
		} else if at, apart = n.next(at, step, set); at == none {
			break
		}
		if place += int(apart); place > len(q.Boost.After) {
			break
		}
		share := q.Boost.After[place-1]
		if place == 1 && q.Boost.Answer > share && has(n.Answers, at) && n.Next[from] == at+1 {
			share = q.Boost.Answer
		}
		s.note(at, share*match)
		if place == len(q.Boost.After) {
			break
		}
		step = n.near[at].next
	}
	at, step = from, first.prev
	for place := 1; ; place++ {
		if to := at + uint32(int32(step)); step != 0 && step != far && has(set, to) {
			at, apart = to, bit(n.Apart, at)
		} else if at, apart = n.prev(at, step, set); at == none {
			break
		}
		if place += int(apart); place > len(q.Boost.Before) {
			break
		}
		s.note(at, q.Boost.Before[place-1]*match)
		if place == len(q.Boost.Before) {
			break
		}
		step = n.near[at].prev
	}
}

// weigher turns the occurrences of a term in a document into a weight, 0 to k1+1.
type weigher struct {
	short   float64 // k1 (1-b)
	perTerm float64 // k1 b / average
	rise    float64 // k1 + 1
}

func (w weigher) weight(count, length uint32) float64 {
	f := float64(count)
	return f * w.rise / (f + w.short + w.perTerm*float64(length))
}

func has(set []uint64, slot uint32) bool { return bit(set, slot) != 0 }

// bit returns 1 if a slot is in the set, and 0 otherwise.
func bit(set []uint64, slot uint32) uint32 {
	if int(slot/64) >= len(set) {
		return 0
	}
	return uint32(set[slot/64]>>(slot%64)) & 1
}
