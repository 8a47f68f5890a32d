package bm25

import (
	"math/bits"
	"slices"
	"sync"
)

// tallies caches the number and the total length of the documents in the last sets that were searched. The next search
// mostly uses one of these sets, or one with a few differences.
type tallies struct {
	mu   sync.Mutex
	last []*tally // most recently used first
}

// maxTallies is more than the number of sets that one question is searched in.
const maxTallies = 4

type tally struct {
	set           []uint64 // bit set over slots of documents
	count, length int
}

// of counts the documents of a set, which has a word for every 64 slots and contains only slots of documents.
func (x *tallies) of(set []uint64, lengths lengths) (count, length int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := slices.IndexFunc(x.last, func(t *tally) bool { return t.follow(set, lengths) })
	if at < 0 {
		if len(x.last) < maxTallies {
			x.last = append(x.last, new(tally))
		}
		at = len(x.last) - 1
		x.last[at].begin(set, lengths)
	}
	t := x.last[at]
	copy(x.last[1:at+1], x.last)
	x.last[0] = t
	return t.count, t.length
}

// forget removes a document. It needs exclusive access.
func (x *tallies) forget(slot, length uint32) {
	for _, t := range x.last {
		if has(t.set, slot) {
			t.set[slot/64] &^= 1 << (slot % 64)
			t.count--
			t.length -= int(length)
		}
	}
}

func (t *tally) begin(set []uint64, lengths lengths) {
	t.set = append(t.set[:0], set...)
	t.count, t.length = 0, lengths.sum(set)
	for _, word := range set {
		t.count += bits.OnesCount64(word)
	}
}

// follow updates the tally to a set that differs in at most a few words of 64 slots; false if it differs in more.
func (t *tally) follow(set []uint64, lengths lengths) bool {
	t.set = append(t.set, make([]uint64, len(set)-len(t.set))...)
	var differ [16]int
	n := 0
	for w, held := range t.set {
		if held == set[w] {
			continue
		}
		if n == len(differ) {
			return false
		}
		differ[n] = w
		n++
	}
	for _, w := range differ[:n] {
		t.count += bits.OnesCount64(set[w]) - bits.OnesCount64(t.set[w])
		t.length += lengths.word(w, set[w]) - lengths.word(w, t.set[w])
		t.set[w] = set[w]
	}
	return true
}
