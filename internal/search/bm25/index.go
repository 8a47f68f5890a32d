// Package bm25 is an inverted index in memory that ranks documents by BM25 among any subset of them.
//
// A document is a bag of terms under a small number, its slot. A search may be confined to a set of slots. All
// statistics (the number of documents, their lengths, how many hold a term) are then those of the set: documents
// outside it change no score. So the inverse document frequency of a term is known only after its postings have been
// read. A search has two passes. The first goes term by term: it gathers the term's matches in the set by slot, and
// counts the documents. The second goes through all terms at once, in blocks of some thousand slots: it adds up the
// matches and compares the sums with the k best so far. The working set of both passes fits into the processor's cache,
// however many documents there are.
//
// A match may also count in the documents around the one that holds a term, such as the turns before and after it in a
// conversation: see [Neighbours] and [Boost].
//
// Postings are packed, most into one byte, and appended to the list of their term; they are never searched for. Every
// use of a slot has a number, its life, which its postings carry too. Deleting a document begins another life; postings
// of an earlier one are skipped until half of their list is dead and it is swept. The number of documents that hold a
// term is counted separately, so no statistic contains dead postings. The terms of each document, which only deleting
// it needs, are packed in sheets of 64 KiB. So the garbage collector sees one or two pointers for each term that came
// since the snapshot, and none for a document or a posting. A million turns of 20 words take some 130 MB.
//
// An index that was restored from a snapshot reads names, postings and sheets directly from it. Restoring reads only
// the numbers that change: how many documents hold each term, and how long each document is.
package bm25

import (
	"math"
	"slices"
	"strings"
)

// K1 and B are the parameters for turns of conversations, which are short and of uneven length: a repeated word says
// little more, and a long turn is hardly less about its subject. They gave the best mean nDCG@10 on five sets of
// conversations (LoCoMo, REALTALK, LongMemEval, BEAM, PrefEval); the textbook values 1.2 and 0.75 lose 1 to 2 points of
// 50.
const (
	K1 = 0.9
	B  = 0.4
)

// Index holds documents by slot. Searches may run at the same time; Put and Delete need exclusive access. The owner of
// the index holds the lock, because it keeps other data consistent with the slots, too.
type Index struct {
	k1, b float64

	kept    kept              // the first of the terms, as the snapshot holds them
	numbers map[string]uint32 // of the terms added since the snapshot, and of those in kept that were put since
	terms   []term            // by number
	unused  []uint32          // numbers to assign again

	docs    []document // by slot
	short   []uint8    // by slot: the length of the document, or the maximum
	lengths lengths    // of live documents
	tallies tallies
	bags    bags
	live    []uint64 // bit set over slots
	count   int      // number of live documents
	length  int      // total length of the live documents
	buffer  []uint32 // buffer of Put
}

type term struct {
	name string // "" for a term in kept
	// The postings added since the snapshot. Existing bytes never change, because a [Frozen] index shares them.
	list  []byte
	last  uint32 // slot of the last posting
	docs  uint32 // live documents that hold the term; the other postings are dead
	all   uint32 // postings, dead ones included
	swept bool   // the postings in kept are no longer used
}

type document struct {
	length uint32
	life   uint16
}

// New returns an empty index with the parameters k1 (how much repeated terms count; with 0 a score is the sum of the
// inverse document frequencies of the terms found) and b (how much length counts against a document, 0 to 1).
func New(k1, b float64) *Index {
	return &Index{k1: k1, b: b, numbers: map[string]uint32{}}
}

// Len returns the number of documents.
func (x *Index) Len() int { return x.count }

// Put stores a document, and replaces the one in the slot. A document without terms counts as a document. Slots are
// indexes into tables: they should be small.
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

// sweepSlack is the number of dead postings below which a list is not swept, because little is gained.
const sweepSlack = 32

// Delete removes the document in the slot, if there is one.
func (x *Index) Delete(slot uint32) {
	if !has(x.live, slot) {
		return
	}
	if x.docs[slot].life == math.MaxUint16 { // the lives start again: no posting may carry an old number
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
		if int(n) >= len(x.terms) || x.terms[n].docs == 0 { // the snapshot is damaged
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

// nameOf returns the name of a term.
func (k *kept) nameOf(n uint32, t *term) string {
	if t.name != "" {
		return t.name
	}
	return k.name(n)
}

// number returns the number of a term, and assigns one if it has none.
func (x *Index) number(name string) uint32 {
	n, ok := x.numbers[name]
	if ok {
		return n
	}
	name = strings.Clone(name) // it may be part of a larger text
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

// add appends a posting.
func (t *term) add(p posting) {
	t.list = appendPosting(t.list, t.last, p)
	t.last = p.slot
	t.all++
}

// find returns the number of a term, if it has one.
func (x *Index) find(name string) (uint32, bool) {
	if n, ok := x.numbers[name]; ok {
		return n, true
	}
	return x.kept.find(name)
}

// listOf returns the postings of a term in the snapshot.
func (k *kept) listOf(n uint32, t *term) string {
	if t.swept {
		return ""
	}
	return k.list(n)
}

// batchSize is the number of postings that are unpacked at once.
const batchSize = 128
