package bm25

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"sync"
)

// uint32s and uint64s are little-endian numbers that are read directly from the data. A missing number is 0.
type (
	uint32s string
	uint64s string
)

func (a uint32s) len() int { return len(a) / 4 }

func (a uint32s) at(i int) uint32 {
	if i < 0 || i >= a.len() {
		return 0
	}
	s := a[4*i : 4*i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func (a uint64s) len() int { return len(a) / 8 }

func (a uint64s) at(i int) uint64 {
	low := uint32s(a).at(2 * i)
	return uint64(low) | uint64(uint32s(a).at(2*i+1))<<32
}

// kept holds the terms of a snapshot, and reads them directly from it: data that no search and no change needs is never
// read.
type kept struct {
	names    string  // concatenated, by number
	nameEnds uint64s // in names
	byName   uint32s // the numbers in order of the names
	lists    string  // of postings of first lives, packed by [AppendPostings]
	listEnds uint64s
	maybe    *nameFilter // nil: there are no names
}

func (k *kept) name(n uint32) string { return part(k.names, k.nameEnds, n) }

func (k *kept) list(n uint32) string { return part(k.lists, k.listEnds, n) }

// part returns the i-th part of data, which ends divides.
func part(data string, ends uint64s, i uint32) string {
	from, to := uint64(0), ends.at(int(i))
	if i > 0 {
		from = ends.at(int(i) - 1)
	}
	if from > to || to > uint64(len(data)) {
		return ""
	}
	return data[from:to]
}

// find returns the number of a name.
func (k *kept) find(name string) (uint32, bool) {
	if k.maybe == nil || !k.maybe.has(k, name) {
		return 0, false
	}
	low, high := 0, k.byName.len()
	for low < high {
		middle := (low + high) / 2
		n := k.byName.at(middle)
		switch c := cmp.Compare(k.name(n), name); {
		case c == 0:
			return n, true
		case c < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false
}

// nameFilter is a blocked Bloom filter: one memory access rejects most names that the snapshot does not hold. An
// unknown word is looked up in hundreds of spellings. It is built on first use.
type nameFilter struct {
	once sync.Once
	seed maphash.Seed
	bits []uint64 // a power of two of words; each name sets two bits in one of them
}

// has reports whether the snapshot may hold a name.
func (f *nameFilter) has(k *kept, name string) bool {
	f.once.Do(func() {
		n := k.nameEnds.len()
		f.seed, f.bits = maphash.MakeSeed(), make([]uint64, 1<<bits.Len(uint(n/4)))
		for i := range n {
			word, mask := f.place(k.name(uint32(i)))
			*word |= mask
		}
	})
	word, mask := f.place(name)
	return *word&mask == mask
}

// place returns the word and the bits of a name.
func (f *nameFilter) place(name string) (word *uint64, mask uint64) {
	h := maphash.String(f.seed, name)
	return &f.bits[h>>12&uint64(len(f.bits)-1)], 1<<(h&63) | 1<<(h>>6&63)
}
