package embedded

import (
	"maps"
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// Memory that a snapshot of a text index takes beside the index: about so many bytes for each text where its tables are
// copied, so many more to write a column of them, and so many in all, for the row that is written and what a store does
// with it.
const (
	frozenSlotBytes  = 128
	writtenSlotBytes = 32
	keepingBytes     = 8 << 20
)

// needs is about how many bytes keeping takes where the tables of a tenant are copied, one tenant after the other, and
// where they are not.
func (x *Text) needs() (copied, held int64) {
	x.mu.RLock()
	tenants := maps.Clone(x.tenants)
	x.mu.RUnlock()
	for _, part := range tenants {
		part.mu.RLock()
		words, writing := part.words.Size()
		identifiers, more := part.identifiers.Size()
		n := part.slots.len()
		part.mu.RUnlock()
		beside := int64(writing + more + n*writtenSlotBytes)
		copied, held = max(copied, beside+int64(words+identifiers+n*frozenSlotBytes)), max(held, beside)
	}
	return copied + keepingBytes, held + keepingBytes
}

// aboveLimit is the part of the limit that may be used above it. The runtime's limit only affects garbage collection: a
// program that needs more keeps running, and operators leave a quarter free below the limit of the system.
const aboveLimit = 6

// spareMemory returns how many bytes the runtime may still use below its limit ([debug.SetMemoryLimit], GOMEMLIMIT), if
// all garbage were collected, and how many it may use above it. Without a limit there is no bound.
func spareMemory() (spare, above int64) {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return limit, limit
	}
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(read)
	live, beside := int64(read[0].Value.Uint64()), int64(read[1].Value.Uint64())
	for _, part := range read[2:] {
		beside -= int64(part.Value.Uint64())
	}
	return limit - live - beside, limit / aboveLimit
}
