package embedded

import (
	"maps"
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// The additional memory for a snapshot of a text index: bytes for each text when tables are copied, more to write one
// column of them, and a fixed sum for the row that is written and for the store.
const (
	frozenSlotBytes  = 128
	writtenSlotBytes = 32
	keepingBytes     = 8 << 20
)

// needs estimates how many bytes a snapshot takes if the tables are copied, one tenant at a time, and if they are not.
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

// aboveLimit is the fraction of the limit that may be used above it, as a divisor. The runtime's limit only affects
// garbage collection: a program that needs more keeps running, and operators leave a quarter free below the system's
// limit.
const aboveLimit = 6

// Roomy reports whether the runtime's memory limit leaves room for more indexes than have to be in memory: a third of
// the limit.
func Roomy() bool {
	spare, _ := spareMemory()
	return spare >= debug.SetMemoryLimit(-1)/3
}

// spareMemory returns how many bytes the runtime may still use below its limit ([debug.SetMemoryLimit], GOMEMLIMIT)
// after a full garbage collection, and how many it may use above it. Without a limit there is no bound.
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
