package bm25

import "math/bits"

// lengths holds the number of terms of each document, as one bit set of documents for each binary digit. So the total
// length of a set is counted by words of 64 slots, and a search among half of a million documents need not read each
// length.
type lengths [][]uint64 // by digit: bit set over slots; a million turns of 20 words take some 600 KB

// put stores the length of a document that has none.
func (l *lengths) put(slot, length uint32) {
	for digit := 0; length>>digit != 0; digit++ {
		if digit == len(*l) {
			*l = append(*l, nil)
		}
		set := &(*l)[digit]
		if need := int(slot)/64 + 1 - len(*set); need > 0 {
			*set = append(*set, make([]uint64, need)...)
		}
		(*set)[slot/64] |= uint64(length>>digit&1) << (slot % 64)
	}
}

// drop removes the length of a document.
func (l lengths) drop(slot uint32) {
	for _, set := range l {
		if w := int(slot / 64); w < len(set) {
			set[w] &^= 1 << (slot % 64)
		}
	}
}

// word returns the total length of the documents in one word of a set.
func (l lengths) word(w int, of uint64) (n int) {
	for digit, set := range l {
		if w < len(set) {
			n += bits.OnesCount64(of&set[w]) << digit
		}
	}
	return n
}

// sum returns the total length of the documents in a set.
func (l lengths) sum(of []uint64) (n int) {
	for digit, set := range l {
		held := 0
		for w, word := range of[:min(len(of), len(set))] {
			held += bits.OnesCount64(word & set[w])
		}
		n += held << digit
	}
	return n
}
