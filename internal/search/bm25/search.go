package bm25

import "math"

// Hit is a document with its score.
type Hit struct {
	Slot  uint32
	Score float64
}

// Term is a word of a query. A document holds it if it holds any of its forms; the form with the highest weight counts.
type Term struct {
	Forms []string // no form occurs twice in a query
	Scale float64  // factor of its weight, above 0
	// Common is its inverse document frequency in general use; [Query.Share] of it goes into the weight. Below 0:
	// unknown.
	Common float64
	// Light are forms whose matches count [Query.Light] of one of Forms; none occurs twice in a query. Documents that
	// hold one of them are counted as holding the term only if no document in the set holds one of Forms.
	Light []string
}

// Query is a prepared query.
type Query struct {
	Terms      []Term
	Share      float64     // of Common in the weight of a term, 0 to 1
	Light      float64     // factor of the matches of light forms, 0 to 1
	Neighbours *Neighbours // nil: no document has neighbours
	Boost      Boost
	// OrAll makes every document in the set a candidate with a sum of 0 if no document holds a term, for a Finish that
	// uses more than words.
	OrAll bool
	// Finish returns the score of a document in the set, given the sum over its terms; nil: the sum is the score. A
	// document with a score of 0 or less is left out.
	Finish func(slot uint32, sum float64) float64
	// Bound returns an upper bound of Finish for a sum, and never falls when the sum rises. Documents that it rules out
	// are not finished. nil: all are.
	Bound func(sum float64) float64
}

// Words returns a query of terms with equal weights.
func Words(terms [][]string) Query {
	q := Query{Terms: make([]Term, len(terms))}
	for i, forms := range terms {
		q.Terms[i] = Term{Forms: forms, Scale: 1, Common: -1}
	}
	return q
}

// Boost is the share of a match that counts in the documents around the one that holds the term. A term counts once in
// each document, with its highest value. Documents outside the searched set are skipped and not counted as places; a
// boundary between two documents ([Neighbours.Apart]) counts as one more place.
type Boost struct {
	After  []float64 // of a match one place before, two places before, and so on
	Before []float64 // of a match one place after, two places after, and so on
	Answer float64   // replaces a smaller After[0] if the document answers the one right before it
}

// Reach is how many documents outside the set may be skipped: the neighbour must be among the next Reach documents.
const Reach = 16

// Result is the answer to a search.
type Result struct {
	Hits []Hit
	// Attainable is an upper bound of every sum: the weights of all terms times k1+1, those of unused terms included.
	Attainable float64
	Weight     float64 // total weight of the terms that some document in the set holds
}

// Search returns the k best of the documents that hold a term of the query or are near one that does, by falling score;
// before orders ties.
//
// allow is a bit set over slots that confines the search and all statistics; nil means all documents. Slots without a
// document and bits beyond the last slot are ignored. The score is
//
//	Σ w(t) m(t)
//	m(t) = max over the documents around of their share times f (k1+1) / (f + k1 (1 - b + b length/average))
//	w(t) = scale(t) ((1 - share) idf(t) + share common(t)),  idf(t) = ln(1 + (N - n(t) + 1/2) / (n(t) + 1/2))
//
// where f is the number of occurrences of t in the document that holds it, N the number of documents and n(t) the
// number of documents that hold t: light forms make no word more common.
func (x *Index) Search(q Query, allow []uint64, k int, before func(a, b uint32) bool) Result {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	r := x.rate(s, &q, allow)
	r.Hits = s.best(&q, k, before)
	return r
}

// SearchTied is [Index.Search] for callers that cannot order slots: it also returns the documents beyond k with the
// same score as the last of the k best. Ties are in the order of their slots.
func (x *Index) SearchTied(q Query, allow []uint64, k int) Result {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	r := x.rate(s, &q, allow)
	ascending := func(a, b uint32) bool { return a < b }
	if r.Hits = s.best(&q, k, ascending); len(r.Hits) > 0 {
		last := r.Hits[len(r.Hits)-1]
		s.each(&q, last.Score, func(h Hit) float64 {
			if h.Score == last.Score && h.Slot > last.Slot {
				r.Hits = append(r.Hits, h)
			}
			return last.Score
		})
	}
	return r
}

// rate gathers the matches and the weight of every term.
func (x *Index) rate(s *scratch, q *Query, allow []uint64) (r Result) {
	s.begin()
	set, n, length := x.live, x.count, x.length
	if allow != nil {
		set, n, length = x.among(s, allow)
	}
	w := weigher{short: x.k1 * (1 - x.b), rise: x.k1 + 1}
	if length > 0 {
		w.perTerm = x.k1 * x.b * float64(n) / float64(length)
	}
	for i := range q.Terms {
		t, held := &q.Terms[i], 0
		if n > 0 { // postings outside the set need not be read
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
	s.all = nil
	if q.OrAll && r.Weight == 0 {
		s.all = set
	}
	return r
}

// among returns the documents of a set, their number, and their total length. The set is allow itself if that contains
// nothing else.
func (x *Index) among(s *scratch, allow []uint64) (set []uint64, n, length int) {
	set = allow
	if len(allow) != len(x.live) || !subset(allow, x.live) {
		s.set = append(s.set[:0], x.live...)
		allow = allow[:min(len(allow), len(s.set))]
		for w, word := range allow {
			s.set[w] &= word
		}
		clear(s.set[len(allow):])
		set = s.set
	}
	n, length = x.tallies.of(set, x.lengths)
	return set, n, length
}

// subset reports whether a set contains another one that is as long.
func subset(part, of []uint64) bool {
	of = of[:len(part)]
	for w, word := range part {
		if word&^of[w] != 0 {
			return false
		}
	}
	return true
}
