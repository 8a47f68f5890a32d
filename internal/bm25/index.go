// Package bm25 is an inverted index in memory that ranks documents by BM25 among any subset of them.
//
// A document is a bag of terms under a small number, its slot. A search may be confined to a set of slots, and then all
// statistics (how many documents there are, how long they are, how many hold a term) are those of the set: documents
// outside it change no score. So the inverse document frequency of a term is known only after its postings have been
// looked through. A search first goes term by term: gather what it is worth in the documents of the set, by slot, and
// count these. Then it goes through all terms at once, some thousand slots after some thousand: add, compare with the k
// best so far. What both touch again and again lies close to the processor, however many documents there are.
//
// A match may also count in the documents around the one that holds a term, such as the turns before and after it in a
// conversation: see [Neighbours] and [Boost].
//
// Postings are packed, most into one byte, appended to the list of their term and never searched for. Every use of a
// slot has a number, its life, which its postings carry too; deleting a document begins another life, and postings of
// an earlier one are passed over until their list is half dead and swept. How many documents hold a term is counted
// apart, so the dead are in no statistic. Which terms a document holds, which only deleting it asks, lies packed in
// sheets of 64 KiB. So the garbage collector looks at one or two pointers for each term that came since the snapshot
// and at none for a document or a posting. A million turns of 20 words take some 130 MB.
//
// An index that was restored from a snapshot reads names, postings and sheets where they lie in it, so restoring costs
// a look at the numbers that change: how many documents hold each term, and how long each document is.
package bm25

import (
	"math"
	"slices"
	"strings"
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

	kept    kept              // what the snapshot holds of the first of the terms
	numbers map[string]uint32 // of the terms that came since, and of those in kept that were put since
	terms   []term            // by number
	unused  []uint32          // numbers to give again

	docs    []document // by slot
	short   []uint8    // by slot: the length of the document, or the most there is
	lengths lengths    // of live documents
	tallies tallies
	bags    bags
	live    []uint64 // bit set over slots
	count   int      // live documents
	length  int      // of the live documents together
	buffer  []uint32 // of Put, kept to be used again
}

type term struct {
	name string // "" of a term in kept
	// postings that came since the snapshot; what is there never changes, because a [Frozen] index shares it
	list  []byte
	last  uint32 // slot of the last of them
	docs  uint32 // live documents that hold it; the other postings are dead
	all   uint32 // postings, dead ones included
	swept bool   // the postings in kept are of no use any more
}

type document struct {
	length uint32
	life   uint16
}

// New returns an empty index with the parameters k1 (how much repeated terms count; with 0 a score is the sum of the
// inverse document frequencies of the terms found) and b (how much length is held against a document, 0 to 1).
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
		x.short = append(x.short, make([]uint8, need)...)
	}
	x.bags.fit(len(x.docs))
	if need := int(slot)/64 + 1 - len(x.live); need > 0 {
		x.live = append(x.live, make([]uint64, need)...)
	}
	x.live[slot/64] |= 1 << (slot % 64)
	x.docs[slot].length = uint32(len(terms))
	x.short[slot] = uint8(min(len(terms), math.MaxUint8))
	x.lengths.put(slot, uint32(len(terms)))
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
		t.add(posting{slot: slot, count: uint16(min(i-first, maxCount)), life: x.docs[slot].life})
		t.docs++
		numbers[distinct] = n
		distinct++
	}
	x.bags.put(slot, numbers[:distinct])
}

// add appends a posting.
func (t *term) add(p posting) {
	t.list = appendPosting(t.list, t.last, p)
	t.last = p.slot
	t.all++
}

// find returns the number of a term that was once put.
func (x *Index) find(name string) (uint32, bool) {
	if n, ok := x.numbers[name]; ok {
		return n, true
	}
	return x.kept.find(name)
}

// number returns the number of a term, a new one if it has none.
func (x *Index) number(name string) uint32 {
	n, ok := x.numbers[name]
	if ok {
		return n
	}
	name = strings.Clone(name) // it may be a part of a text
	if n, ok = x.kept.find(name); !ok {
		if last := len(x.unused) - 1; last >= 0 {
			n, x.unused = x.unused[last], x.unused[:last]
		} else {
			n = uint32(len(x.terms))
			x.terms = append(x.terms, term{})
		}
		x.terms[n].name = name
	}
	x.numbers[name] = n
	return n
}

// nameOf returns the name of a term.
func (k *kept) nameOf(n uint32, t *term) string {
	if t.name != "" {
		return t.name
	}
	return k.name(n)
}

// listOf returns the postings of a term that the snapshot holds.
func (k *kept) listOf(n uint32, t *term) string {
	if t.swept {
		return ""
	}
	return k.list(n)
}

// Delete removes the document in the slot, if there is one.
func (x *Index) Delete(slot uint32) {
	if !has(x.live, slot) {
		return
	}
	if x.docs[slot].life == math.MaxUint16 { // the numbers of lives start again: no posting may have an old one
		for n := range x.terms {
			x.sweep(uint32(n))
		}
	}
	x.live[slot/64] &^= 1 << (slot % 64)
	x.count--
	x.length -= int(x.docs[slot].length)
	x.tallies.forget(slot, x.docs[slot].length)
	x.lengths.drop(slot)
	x.docs[slot].length = 0
	x.docs[slot].life++
	eachNumber(x.bags.take(slot), func(n uint32) {
		if int(n) >= len(x.terms) || x.terms[n].docs == 0 { // a snapshot says nonsense
			return
		}
		t := &x.terms[n]
		t.docs--
		switch {
		case t.docs == 0:
			delete(x.numbers, x.kept.nameOf(n, t))
			if t.name != "" {
				x.unused = append(x.unused, n)
			}
			*t = term{swept: true}
		case t.all > 2*t.docs+sweepSlack:
			x.sweep(n)
		}
	})
}

// sweepSlack lets short lists be: sweeping them gains nothing.
const sweepSlack = 32

// sweep removes the dead postings of a term.
func (x *Index) sweep(n uint32) {
	t := &x.terms[n]
	swept := term{name: t.name, docs: t.docs, swept: true}
	var batch [batchSize]posting
	x.kept.each(n, t, batch[:], nil, func(ps []posting) bool {
		for _, p := range ps {
			if int(p.slot) < len(x.docs) && x.docs[p.slot].life == p.life {
				swept.add(p)
			}
		}
		return true
	})
	*t = swept
}

// batchSize is the number of postings that are unpacked at once.
const batchSize = 128
