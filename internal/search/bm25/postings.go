package bm25

import (
	"iter"
	"math"

	"github.com/trilith-memory/trilith/internal/search/packed"
)

// Posting is a slot with a number: how often its document holds a term, or how long the document is.
type Posting struct{ Slot, Count uint32 }

// AppendPostings packs postings in ascending order of slots: the difference from the slot before, doubled, plus one if
// the count follows because it is not 1.
func AppendPostings(b []byte, ps []Posting) []byte {
	last := uint32(0)
	for _, p := range ps {
		b = appendPlain(b, last, p.Slot, p.Count)
		last = p.Slot
	}
	return b
}

// Postings yields what [AppendPostings] packed. Other data gives meaningless postings, and ends early.
func Postings(data string) iter.Seq[Posting] {
	return func(yield func(Posting) bool) {
		slot, count := uint64(0), uint32(0)
		for rest := data; rest != ""; {
			if slot, count, rest = nextPosting(rest, slot); slot > math.MaxUint32 ||
				!yield(Posting{uint32(slot), count}) {
				return
			}
		}
	}
}

// nextPosting reads one posting of [AppendPostings], which follows one in the slot last.
func nextPosting(data string, last uint64) (slot uint64, count uint32, rest string) {
	r := packed.Read(data)
	v := r.Uint()
	if v&1 == 0 {
		return last + v>>1, 1, r.Rest()
	}
	return last + v>>1, uint32(r.Uint()), r.Rest()
}

// Gather returns an index of documents that are stored elsewhere, such as in a database, for a search or two. It takes
// all documents with their lengths, and the postings of the terms that will be searched for, each document once in a
// list. Every other term counts as unused. Postings of slots without a document are ignored. The index must not be
// changed.
func Gather(k1, b float64, lengths []Posting, terms map[string][]Posting) *Index {
	x := New(k1, b)
	size := uint32(0)
	for _, d := range lengths {
		size = max(size, d.Slot+1)
	}
	x.docs, x.live = make([]document, size), make([]uint64, (size+63)/64)
	x.short = make([]uint8, size)
	x.count = len(lengths)
	for _, d := range lengths {
		x.docs[d.Slot].length = d.Count
		x.short[d.Slot] = uint8(min(d.Count, math.MaxUint8))
		x.lengths.put(d.Slot, d.Count)
		x.live[d.Slot/64] |= 1 << (d.Slot % 64)
		x.length += int(d.Count)
	}
	for name, list := range terms {
		t := term{name: name, list: make([]byte, 0, 2*len(list))}
		for _, p := range list {
			if p.Count > 0 && has(x.live, p.Slot) {
				t.add(posting{slot: p.Slot, count: uint16(min(p.Count, maxCount))})
			}
		}
		t.docs = t.all
		x.numbers[name] = uint32(len(x.terms))
		x.terms = append(x.terms, t)
	}
	return x
}
