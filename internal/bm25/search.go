package bm25

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
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
	// Finish returns the score of a document in the set from the sum over its terms; nil: the sum is the score. It gives no
	// document a score that is 0 or less.
	Finish func(slot uint32, sum float64) float64
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
}

// Lending is how much of a match counts in the documents around the one that holds the term: a term counts once in each
// document, at the place where it is worth most. Documents outside the searched set neither lend nor borrow, and are not
// counted as places.
type Lending struct {
	After  []float64 // of a match in the document before, and in those before that
	Before []float64 // of a match in the document after, and in those after that
	Answer float64   // in place of After[0] where the document answers the one before
}

// maxSteps bounds the way over documents that lie outside the set.
const maxSteps = 16

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
	r.Hits = s.best(k, before)
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
	if r.Hits = s.best(k, ascending); len(r.Hits) > 0 {
		best, last := len(r.Hits), r.Hits[len(r.Hits)-1]
		for _, slot := range s.touched {
			if s.score[slot] == last.Score && slot > last.Slot {
				r.Hits = append(r.Hits, Hit{slot, last.Score})
			}
		}
		slices.SortFunc(r.Hits[best:], func(a, b Hit) int { return cmp.Compare(a.Slot, b.Slot) })
	}
	s.clear()
	return r
}

// rate gives the documents in the set their scores.
func (x *Index) rate(s *scratch, q *Query, allow []uint64) (r Result) {
	s.fit(len(x.docs))
	n, length := x.count, x.length
	if allow != nil {
		n, length = x.measure(allow)
	}
	w := weigher{short: x.k1 * (1 - x.b), rise: x.k1 + 1}
	if length > 0 {
		w.perTerm = x.k1 * x.b * float64(n) / float64(length)
	}
	for i := range q.Terms {
		t := &q.Terms[i]
		s.found = s.found[:0]
		if n > 0 { // what lies outside the set need not be looked through
			x.gather(s, t, allow, w, q.Light)
		}
		weight := math.Log1p((float64(n-len(s.found)) + .5) / (float64(len(s.found)) + .5))
		if t.Common >= 0 {
			weight = (1-q.Share)*weight + q.Share*t.Common
		}
		weight *= t.Scale
		r.Attainable += weight * w.rise
		if len(s.found) > 0 {
			r.Weight += weight
		}
		if q.Threads != nil {
			x.lend(s, q, allow)
		}
		for _, h := range s.found {
			if s.score[h.Slot] == 0 {
				s.touched = append(s.touched, h.Slot)
			}
			s.score[h.Slot] += weight * h.Score
		}
	}
	if q.Finish != nil {
		for _, slot := range s.touched {
			s.score[slot] = q.Finish(slot, s.score[slot])
		}
	}
	return r
}

// lend adds to the documents that hold a term those around them, and gives each the best share.
func (x *Index) lend(s *scratch, q *Query, allow []uint64) {
	held := len(s.found)
	for i, h := range s.found {
		s.place[h.Slot] = uint32(i) + 1
	}
	give := func(slot uint32, score float64) {
		if at := s.place[slot]; at > 0 {
			s.found[at-1].Score = max(s.found[at-1].Score, score)
			return
		}
		s.found = append(s.found, Hit{slot, score})
		s.place[slot] = uint32(len(s.found))
	}
	// What a document was lent it does not lend on, so shares are taken of the scores before.
	s.own = s.own[:0]
	for _, h := range s.found[:held] {
		s.own = append(s.own, h.Score)
	}
	for i, own := range s.own {
		slot, ok := s.found[i].Slot, true
		for k, share := range q.Lend.After {
			if slot, ok = x.step(q.Threads.Next, slot, allow); !ok {
				break
			}
			if k == 0 && q.Lend.Answer > share && has(q.Threads.Answers, slot) {
				share = q.Lend.Answer
			}
			give(slot, share*own)
		}
		slot = s.found[i].Slot
		for _, share := range q.Lend.Before {
			if slot, ok = x.step(q.Threads.Prev, slot, allow); !ok {
				break
			}
			give(slot, share*own)
		}
	}
	for _, h := range s.found {
		s.place[h.Slot] = 0
	}
}

// step returns the next document in the set on the way that the links lead.
func (x *Index) step(links []uint32, slot uint32, allow []uint64) (uint32, bool) {
	for range maxSteps {
		if int(slot) >= len(links) || links[slot] == 0 {
			return 0, false
		}
		if slot = links[slot] - 1; x.isLive(slot) && (allow == nil || has(allow, slot)) {
			return slot, true
		}
	}
	return 0, false
}

// measure returns the number of documents in the set and their length together.
func (x *Index) measure(allow []uint64) (n, length int) {
	for w := range min(len(allow), len(x.live)) {
		set := allow[w] & x.live[w]
		n += bits.OnesCount64(set)
		for ; set != 0; set &= set - 1 {
			length += int(x.docs[w*64+bits.TrailingZeros64(set)].length)
		}
	}
	return n, length
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

// scratch is the working memory of a search. Between searches score and place are zero.
type scratch struct {
	score   []float64 // by slot
	touched []uint32  // slots with a score
	found   []Hit     // documents that hold the term, with its weight
	own     []float64 // the weights before any was lent
	place   []uint32  // by slot: 1 + index in found
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// fit makes room for n slots.
func (s *scratch) fit(n int) {
	if len(s.score) < n {
		s.score = make([]float64, n+n/4)
		s.place = make([]uint32, n+n/4)
	}
}

// best returns the k best of the documents with a score.
func (s *scratch) best(k int, before func(a, b uint32) bool) []Hit {
	t := top{k: k, before: before, heap: make([]Hit, 0, max(0, min(k, len(s.touched))))}
	for _, slot := range s.touched {
		if score := s.score[slot]; score > 0 {
			t.offer(Hit{slot, score})
		}
	}
	return t.sorted()
}

// clear forgets the scores.
func (s *scratch) clear() {
	for _, slot := range s.touched {
		s.score[slot] = 0
	}
	s.touched = s.touched[:0]
}

// gather collects the documents in the set that hold a form of the term, with the weight of the best one.
func (x *Index) gather(s *scratch, t *Term, allow []uint64, w weigher, light float64) {
	marked := 0 // so many of found have their place noted
	add := func(form string, w weigher) {
		number, ok := x.numbers[form]
		if !ok {
			return
		}
		t := &x.terms[number]
		if len(s.found) == 0 {
			s.found = x.collect(s.found, t, allow, w)
			return
		}
		for ; marked < len(s.found); marked++ {
			s.place[s.found[marked].Slot] = uint32(marked) + 1
		}
		first := len(s.found)
		s.found = x.collect(s.found, t, allow, w)
		kept := first
		for _, h := range s.found[first:] {
			if at := s.place[h.Slot]; at > 0 {
				s.found[at-1].Score = max(s.found[at-1].Score, h.Score)
			} else {
				s.found[kept] = h
				kept++
			}
		}
		s.found = s.found[:kept]
	}
	for _, form := range t.Forms {
		add(form, w)
	}
	w.rise *= light
	for _, form := range t.Light {
		add(form, w)
	}
	for _, h := range s.found[:marked] {
		s.place[h.Slot] = 0
	}
}

// Holds reports whether a document in the set holds a term. allow is that of [Index.Search].
func (x *Index) Holds(term string, allow []uint64) bool {
	number, ok := x.numbers[term]
	if !ok {
		return false
	}
	t := &x.terms[number]
	in := func(slot uint32, life uint16) bool {
		return int(slot) < len(x.docs) && x.docs[slot].life == life && (allow == nil || has(allow, slot))
	}
	for _, p := range t.postings {
		if in(p.slot, p.life) {
			return true
		}
	}
	slot := uint64(0)
	for rest := t.kept; rest != ""; {
		if slot, _, rest = nextPosting(rest, slot); slot < uint64(len(x.docs)) && in(uint32(slot), 0) {
			return true
		}
	}
	return false
}

// collect appends the live documents of the term's postings that lie in the set.
func (x *Index) collect(hits []Hit, t *term, allow []uint64, w weigher) []Hit {
	slot, count := uint64(0), uint32(0)
	for rest := t.kept; rest != ""; {
		if c := rest[0]; c&0x81 == 0 { // most are one byte: near the one before, and a single occurrence
			slot, count, rest = slot+uint64(c>>1), 1, rest[1:]
		} else {
			slot, count, rest = nextPosting(rest, slot)
		}
		if slot >= uint64(len(x.docs)) {
			break // a snapshot says nonsense
		}
		d := x.docs[slot]
		if d.life != 0 || allow != nil && !has(allow, uint32(slot)) {
			continue
		}
		hits = append(hits, Hit{uint32(slot), w.weight(count, d.length)})
	}
	for _, p := range t.postings {
		d := x.docs[p.slot]
		if d.life != p.life || allow != nil && !has(allow, p.slot) {
			continue
		}
		hits = append(hits, Hit{p.slot, w.weight(uint32(p.count), d.length)})
	}
	return hits
}

func has(set []uint64, slot uint32) bool {
	return int(slot/64) < len(set) && set[slot/64]&(1<<(slot%64)) != 0
}

// top keeps the k best hits in a heap with the worst of them at the root.
type top struct {
	k      int
	before func(a, b uint32) bool
	heap   []Hit
}

func (t *top) worse(a, b Hit) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return t.before(b.Slot, a.Slot)
}

func (t *top) offer(h Hit) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, h)
		for i := len(t.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.worse(t.heap[i], t.heap[parent]) {
				break
			}
			t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
			i = parent
		}
		return
	}
	if t.k < 1 || !t.worse(t.heap[0], h) {
		return
	}
	t.heap[0] = h
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.worse(t.heap[child], t.heap[worst]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.heap, func(a, b Hit) int {
		switch {
		case t.worse(b, a):
			return -1
		case t.worse(a, b):
			return 1
		}
		return 0
	})
	return t.heap
}
