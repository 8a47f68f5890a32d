package bm25

import "math/bits"

// lengths are how many terms documents have: for each binary digit the documents that have it. So what a set of
// documents has together is counted by words of 64 slots, and a search among half of a million documents need not look
// at each.
type lengths [][]uint64 // by digit: bit set over slots; a million turns of 20 words take some 600 KB

// put notes the length of a document of which none is noted.
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

// drop forgets what put has noted.
func (l lengths) drop(slot uint32) {
	for _, set := range l {
		if w := int(slot / 64); w < len(set) {
			set[w] &^= 1 << (slot % 64)
		}
	}
}

// word returns what the documents of a word of a set have together.
func (l lengths) word(w int, of uint64) (n int) {
	for digit, set := range l {
		if w < len(set) {
			n += bits.OnesCount64(of&set[w]) << digit
		}
	}
	return n
}

// sum returns what the documents of a set have together.
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
