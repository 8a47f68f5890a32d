package embedded

import (
	"maps"
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// Keeping a text index copies its tables, packs a part of it after the other, and joins the parts: snapshotCopies of what is
// written at the most, growing slices included.
const snapshotCopies = 5

// slotBytes is about what a text takes in a snapshot beside its terms.
const slotBytes = 256

// size is about how many bytes a snapshot of the index has.
func (x *Text) size() (n int64) {
	x.mu.RLock()
	tenants := maps.Clone(x.tenants)
	x.mu.RUnlock()
	for _, part := range tenants {
		part.mu.RLock()
		n += int64(part.size())
		part.mu.RUnlock()
	}
	return n
}

func (p *textPart) size() int {
	return p.slots.len()*slotBytes + p.words.Size() + p.identifiers.Size()
}

// spareMemory is how many bytes the runtime may still take before it is at its limit ([debug.SetMemoryLimit], GOMEMLIMIT), if
// all garbage were collected. Without a limit there is no end to it.
func spareMemory() int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return limit
	}
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(read)
	live, beside := int64(read[0].Value.Uint64()), int64(read[1].Value.Uint64())
	for _, part := range read[2:] {
		beside -= int64(part.Value.Uint64())
	}
	return limit - live - beside
}
