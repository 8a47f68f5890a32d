// Package bm25 is an inverted index in memory that ranks documents by BM25 among any subset of them.
//
// A document is a bag of terms under a small number, its slot. A search may be confined to a set of slots, and then all
// statistics (how many documents there are, how long they are, how many hold a term) are those of the set: what lies
// outside can move no score. So the inverse document frequency of a term is known only after its postings have been
// looked through, and a search goes term by term: gather the postings inside the set, count them, add.
//
// Postings are appended and never searched for. Every use of a slot has a number, its life, which its postings carry too;
// deleting a document begins another life, and postings of an earlier one are passed over until their list is
// half dead and swept. How many documents hold a term is counted apart, so the dead are in no statistic.
//
// An index that was restored from a snapshot reads postings where they lie in it, so restoring costs a look at each term
// and each document and none at the postings.
package bm25

import (
	"math"
	"slices"

	"github.com/cairn-memory/cairn/internal/packed"
)

// K1 and B are the parameters for turns of conversations, which are short and of uneven length: a repeated word says
// little more, and a long turn is hardly less about its subject. They gave the best mean nDCG@10 on five sets of
// conversations (LoCoMo, REALTALK, LongMemEval, BEAM, PrefEval); textbooks' 1.2 and 0.75 lose 1 to 2 points of 50.
const (
	K1 = 0.9
	B  = 0.4
)

// Index holds documents by slot. Searches may run at the same time; Put and Delete need the index to themselves. Owners
// have more to keep in step with a slot than its terms, so the lock is theirs.
type Index struct {
	k1, b float64

	numbers map[string]uint32 // of the terms that some document holds
	terms   []term            // by number
	unused  []uint32          // numbers to give again

	docs   []document // by slot
	held   []string   // by slot: the numbers of the document's terms, each once, as [appendNumbers] packs them
	live   []uint64   // bit set over slots
	count  int        // live documents
	length int        // of the live documents together
	buffer []uint32   // of Put, kept to be used again
	bytes  []byte     // likewise
}

type term struct {
	name     string
	kept     string    // postings of first lives as a snapshot holds them: see [AppendPostings]
	keeps    int       // how many
	postings []posting // those that came since; never changed in place, because a [Frozen] index shares them
	docs     int       // live documents that hold it; the other postings are dead
}

// all calls f with every posting of the term, dead ones included.
func (t *term) all(f func(posting)) {
	for p := range Postings(t.kept) {
		f(posting{slot: p.Slot, count: uint16(p.Count)})
	}
	for _, p := range t.postings {
		f(p)
	}
}

// appendNumbers packs ascending numbers as their distances.
func appendNumbers(b []byte, ns []uint32) []byte {
	last := uint32(0)
	for _, n := range ns {
		b = packed.AppendUint(b, uint64(n-last))
		last = n
	}
	return b
}

// eachNumber calls f with what [appendNumbers] packed.
func eachNumber(data string, f func(uint32)) {
	n := uint32(0)
	for r := packed.Read(data); r.Rest() != ""; {
		n += uint32(r.Uint())
		f(n)
	}
}

// posting says that a document holds a term. It is dead if its slot has begun another life.
type posting struct {
	slot  uint32
	count uint16 // occurrences, at most maxCount
	life  uint16
}

// maxCount is far beyond where more occurrences change a score.
const maxCount = math.MaxUint16

type document struct {
	length uint32
	life   uint16
}

// New returns an empty index with the parameters k1 (how much repeated terms count; with 0 a score is the sum of the inverse
// document frequencies of the terms found) and b (how much length is held against a document, 0 to 1).
func New(k1, b float64) *Index {
	return &Index{k1: k1, b: b, numbers: map[string]uint32{}}
}

// Len returns the number of documents.
func (x *Index) Len() int { return x.count }

// Put stores a document, over one that the slot held. A document without terms counts as one. Slots are indexes into
// tables: they should be small.
func (x *Index) Put(slot uint32, terms []string) {
	x.Delete(slot)
	if need := int(slot) + 1 - len(x.docs); need > 0 {
		x.docs = append(x.docs, make([]document, need)...)
		x.held = append(x.held, make([]string, need)...)
	}
	if need := int(slot)/64 + 1 - len(x.live); need > 0 {
		x.live = append(x.live, make([]uint64, need)...)
	}
	x.live[slot/64] |= 1 << (slot % 64)
	x.docs[slot].length = uint32(len(terms))
	x.count++
	x.length += len(terms)

	numbers := x.buffer[:0]
	for _, name := range terms {
		numbers = append(numbers, x.number(name))
	}
	slices.Sort(numbers)
	x.buffer = numbers
	distinct := 0
	for i := 0; i < len(numbers); {
		n, first := numbers[i], i
		for i < len(numbers) && numbers[i] == n {
			i++
		}
		t := &x.terms[n]
		t.postings = append(t.postings, posting{slot: slot, count: uint16(min(i-first, maxCount)), life: x.docs[slot].life})
		t.docs++
		numbers[distinct] = n
		distinct++
	}
	x.bytes = appendNumbers(x.bytes[:0], numbers[:distinct])
	x.held[slot] = string(x.bytes)
}

// number returns the number of a term, a new one if no document holds it.
func (x *Index) number(name string) uint32 {
	n, ok := x.numbers[name]
	if ok {
		return n
	}
	if last := len(x.unused) - 1; last >= 0 {
		n, x.unused = x.unused[last], x.unused[:last]
	} else {
		n = uint32(len(x.terms))
		x.terms = append(x.terms, term{})
	}
	x.terms[n].name = name
	x.numbers[name] = n
	return n
}

// Delete removes the document in the slot, if there is one.
func (x *Index) Delete(slot uint32) {
	if !x.isLive(slot) {
		return
	}
	if x.docs[slot].life == math.MaxUint16 { // the numbers of lives begin anew: no posting may remember the first ones
		for i := range x.terms {
			x.sweep(&x.terms[i])
		}
	}
	x.live[slot/64] &^= 1 << (slot % 64)
	x.count--
	x.length -= int(x.docs[slot].length)
	x.docs[slot].length = 0
	x.docs[slot].life++
	eachNumber(x.held[slot], func(n uint32) {
		if int(n) >= len(x.terms) { // a snapshot says nonsense
			return
		}
		t := &x.terms[n]
		t.docs--
		switch {
		case t.docs == 0:
			delete(x.numbers, t.name)
			*t = term{}
			x.unused = append(x.unused, n)
		case t.keeps+len(t.postings) > 2*t.docs+sweepSlack:
			x.sweep(t)
		}
	})
	x.held[slot] = ""
}

// sweepSlack lets short lists be: sweeping them gains nothing.
const sweepSlack = 32

// sweep removes the dead postings of a term.
func (x *Index) sweep(t *term) {
	var alive []posting
	t.all(func(p posting) {
		if int(p.slot) < len(x.docs) && x.docs[p.slot].life == p.life {
			alive = append(alive, p)
		}
	})
	t.kept, t.keeps, t.postings = "", 0, alive
}

func (x *Index) isLive(slot uint32) bool {
	return int(slot/64) < len(x.live) && x.live[slot/64]&(1<<(slot%64)) != 0
}
