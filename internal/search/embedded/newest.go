package embedded

import (
	"cmp"
	"math"
	"slices"

	"github.com/trilith-memory/trilith/internal/role"
)

// recordedNumber is the index of recorded_at in numberFields.
var recordedNumber = slices.Index(numberFields[:], "recorded_at")

// newest returns the k slots of a set that were recorded last, ties by ascending id; nil is the set of all slots.
func (t *slots) newest(allow []uint64, k int) []role.Candidate {
	if allow == nil {
		allow = t.live
	}
	type entry struct {
		slot uint32
		at   int64
	}
	last, oldest := make([]entry, 0, 2*k), int64(math.MinInt64)
	cut := func() {
		slices.SortFunc(last, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.at, a.at), t.compareIDs(a.slot, b.slot))
		})
		if len(last) >= k {
			last = last[:k]
			oldest = last[k-1].at
		}
	}
	for slot := range members(allow) {
		at := t.numbers[recordedNumber].at(slot)
		if at < oldest {
			continue
		}
		if last = append(last, entry{slot, at}); len(last) == 2*k {
			cut()
		}
	}
	cut()
	out := make([]role.Candidate, len(last))
	for i, e := range last {
		out[i] = t.candidate(e.slot, float64(e.at)/1e6)
	}
	return out
}
