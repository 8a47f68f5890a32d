package bm25

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Hit is a document with its score.
type Hit struct {
	Slot  uint32
	Score float64
}

// Term is a word of a query: a document holds it if it holds any of its forms, and the form with the most weight counts.
type Term struct {
	Forms []string // none occurs twice in a query
	Scale float64  // of its weight, above 0
	// Common is its inverse document frequency elsewhere, of which [Query.Share] is mixed into the weight; below 0: unknown.
	Common float64
	// Light are forms of which a match counts [Query.Light] of one of Forms; none occurs twice in a query. A document that
	// holds one of them holds the word, and is counted so.
	Light []string
}

// Query is what is searched for.
type Query struct {
	Terms   []Term
	Share   float64  // of Common in the weight of a term, 0 to 1
	Light   float64  // share of a match that a light form counts, 0 to 1
	Threads *Threads // nil: every document stands alone
	Lend    Lending
	// OrAll makes every document in the set a candidate, with a sum of 0, where none holds a term: for a Finish that knows more
	// than words.
	OrAll bool
	// Finish returns the score of a document in the set from the sum over its terms; nil: the sum is the score. It gives no
	// document a score that is 0 or less.
	Finish func(slot uint32, sum float64) float64
	// Bound returns what Finish makes of a sum at most, and no less for a greater one: documents that it rules out are not
	// finished. nil: all are.
	Bound func(sum float64) float64
}

// Words is the query of terms that all count alike.
func Words(terms [][]string) Query {
	q := Query{Terms: make([]Term, len(terms))}
	for i, forms := range terms {
		q.Terms[i] = Term{Forms: forms, Scale: 1, Common: -1}
	}
	return q
}

// Threads says which documents follow each other, as the turns of a session do.
type Threads struct {
	Prev, Next []uint32 // by slot: 1 more than the slot before and after; 0: none
	Answers    []uint64 // bit set over slots: the document answers the one before
	Apart      []uint64 // bit set over slots: something that is in no thread of these stands between it and the one before
}

// Lending is how much of a match counts in the documents around the one that holds the term: a term counts once in each
// document, at the place where it is worth most. Documents outside the searched set neither lend nor borrow, and are not
// counted as places; what stands between two documents that are [Threads.Apart] is counted as one.
type Lending struct {
	After  []float64 // of a match one place before, two places before, and so on
	Before []float64 // of a match one place after, two places after, and so on
	Answer float64   // in place of After[0], if it is more, where the document answers the one right before
}

// Reach bounds the way over documents outside the set: only a document among the next Reach is reached.
const Reach = 16

// Result is the answer to a search.
type Result struct {
	Hits []Hit
	// Attainable is what no sum over the terms exceeds: their weights times k1+1. Terms that no document holds count too.
	Attainable float64
	Weight     float64 // of the terms that some document in the set holds, together
}

// Search returns the k best of the documents that hold a term of the query or are lent one, by falling score, ties in the
// order of before.
//
// allow is a bit set over slots that confines the search, and with it all statistics; nil means all documents. Slots
// without a document and bits beyond the last slot are ignored. The score is
//
//	Σ w(t) m(t)          m(t) = max over the documents around of their share times f (k1+1) / (f + k1 (1 - b + b length/average))
//	w(t) = scale(t) ((1 - share) idf(t) + share common(t)),  idf(t) = ln(1 + (N - n(t) + 1/2) / (n(t) + 1/2))
//
// with f the occurrences of t in the document that lends it, N the number of documents and n(t) how many of them hold t.
func (x *Index) Search(q Query, allow []uint64, k int, before func(a, b uint32) bool) Result {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	r := x.rate(s, &q, allow)
	r.Hits = s.best(&q, k, before)
	s.clear()
	return r
}

// SearchTied is [Index.Search] for who cannot order slots: beside the k best it returns those that score as much as the last
// of them. Ties are in the order of their slots.
func (x *Index) SearchTied(q Query, allow []uint64, k int) Result {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	r := x.rate(s, &q, allow)
	ascending := func(a, b uint32) bool { return a < b }
	if r.Hits = s.best(&q, k, ascending); len(r.Hits) > 0 {
		best, last := len(r.Hits), r.Hits[len(r.Hits)-1]
		s.each(&q, last.Score, func(h Hit) float64 {
			if h.Score == last.Score && h.Slot > last.Slot {
				r.Hits = append(r.Hits, h)
			}
			return last.Score
		})
		slices.SortFunc(r.Hits[best:], func(a, b Hit) int { return cmp.Compare(a.Slot, b.Slot) })
	}
	s.clear()
	return r
}

// rate gives the documents in the set their sums.
func (x *Index) rate(s *scratch, q *Query, allow []uint64) (r Result) {
	s.fit(len(x.docs))
	set, n, length := x.live, x.count, x.length
	if s.only = nil; allow != nil {
		set, n, length = x.among(s, allow)
		s.only = set
	}
	w := weigher{short: x.k1 * (1 - x.b), rise: x.k1 + 1}
	if length > 0 {
		w.perTerm = x.k1 * x.b * float64(n) / float64(length)
	}
	for i := range q.Terms {
		t, held := &q.Terms[i], 0
		if n > 0 { // what lies outside the set need not be looked through
			held = x.match(s, q, t, set, w)
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
		s.add(weight)
	}
	if q.OrAll && r.Weight == 0 {
		for w, left := range set {
			for ; left != 0; left &= left - 1 {
				s.touched = append(s.touched, uint32(w*64+bits.TrailingZeros64(left)))
			}
		}
	}
	return r
}

// among returns the documents of a set, how many they are, and their length together.
func (x *Index) among(s *scratch, allow []uint64) (set []uint64, n, length int) {
	s.set = append(s.set[:0], x.live[:min(len(allow), len(x.live))]...)
	for w := range s.set {
		s.set[w] &= allow[w]
		n += bits.OnesCount64(s.set[w])
	}
	return s.set, n, x.lengths.sum(s.set)
}

// match notes what the term is worth in the documents of the set that hold a form of it and in those around them, and
// returns how many hold it.
func (x *Index) match(s *scratch, q *Query, t *Term, set []uint64, w weigher) (held int) {
	if s.several = len(t.Forms)+len(t.Light) > 1; s.several {
		s.holders = append(s.holders[:0], make([]uint64, len(set))...)
	}
	s.once = !s.several && q.Threads == nil
	take := func(form string, w weigher) {
		if n, ok := x.find(form); ok {
			x.kept.each(n, &x.terms[n], s.batch[:], s.only, func(ps []posting) bool {
				held += x.take(s, q, ps, set, w)
				return true
			})
		}
	}
	for _, form := range t.Forms {
		take(form, w)
	}
	w.rise *= q.Light
	for _, form := range t.Light {
		take(form, w)
	}
	return held + len(s.found)
}

// each calls f with the postings of a term whose slots are in a set, of which nil is all, dead ones included, a batch at a
// time, until it returns false.
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

// Holds reports whether a document in the set holds a term. allow is that of [Index.Search].
func (x *Index) Holds(term string, allow []uint64) (held bool) {
	n, ok := x.find(term)
	if !ok {
		return false
	}
	var batch [batchSize]posting
	x.kept.each(n, &x.terms[n], batch[:], allow, func(ps []posting) bool {
		held = slices.ContainsFunc(ps, func(p posting) bool { return int(p.slot) < len(x.docs) && x.docs[p.slot].life == p.life })
		return !held
	})
	return held
}

// take notes some postings of the set, and returns how many documents they add to those that hold the term.
func (x *Index) take(s *scratch, q *Query, ps []posting, set []uint64, w weigher) (held int) {
	for _, p := range ps {
		if int(p.slot) >= len(x.docs) {
			break // a snapshot says nonsense
		}
		d := x.docs[p.slot]
		if d.life != p.life {
			continue
		}
		match := w.weight(uint32(p.count), d.length)
		switch {
		case s.once:
			s.found = append(s.found, Hit{p.slot, match})
			continue
		case !s.several:
			held++
		case !has(s.holders, p.slot):
			s.holders[p.slot/64] |= 1 << (p.slot % 64)
			held++
		}
		s.note(p.slot, match)
		if q.Threads != nil {
			s.lend(q, set, p.slot, match)
		}
	}
	return held
}

// lend notes the shares of a match in the documents around the one that holds it. What a document was lent it does not lend on.
func (s *scratch) lend(q *Query, set []uint64, from uint32, match float64) {
	at, apart := from, uint32(0)
	for place := 1; ; place++ {
		if at, apart = q.Threads.next(at, set); at == none {
			break
		}
		if place += int(apart); place > len(q.Lend.After) {
			break
		}
		share := q.Lend.After[place-1]
		if place == 1 && q.Lend.Answer > share && has(q.Threads.Answers, at) && q.Threads.Next[from] == at+1 {
			share = q.Lend.Answer
		}
		s.note(at, share*match)
	}
	at = from
	for place := 1; ; place++ {
		if at, apart = q.Threads.prev(at, set); at == none {
			break
		}
		if place += int(apart); place > len(q.Lend.Before) {
			break
		}
		s.note(at, q.Lend.Before[place-1]*match)
	}
}

// none is no slot.
const none = math.MaxUint32

// next returns the next document in the set, or none, and 1 if something stands between.
func (t *Threads) next(at uint32, set []uint64) (to, apart uint32) {
	for range Reach {
		if int(at) >= len(t.Next) || t.Next[at] == 0 {
			break
		}
		at = t.Next[at] - 1
		apart |= bit(t.Apart, at)
		if has(set, at) {
			return at, apart
		}
	}
	return none, 0
}

// prev is next in the other direction.
func (t *Threads) prev(at uint32, set []uint64) (to, apart uint32) {
	for range Reach {
		if int(at) >= len(t.Prev) || t.Prev[at] == 0 {
			break
		}
		apart |= bit(t.Apart, at)
		if at = t.Prev[at] - 1; has(set, at) {
			return at, apart
		}
	}
	return none, 0
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

// bit returns 1 for a slot in the set and 0 for another.
func bit(set []uint64, slot uint32) uint32 {
	if int(slot/64) >= len(set) {
		return 0
	}
	return uint32(set[slot/64]>>(slot%64)) & 1
}
