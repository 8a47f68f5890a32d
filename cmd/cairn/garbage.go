package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Indexes make most of a large heap: long slices without pointers, which live as long as the process and cost a
// collection nothing. As much garbage again, which Go allows by default, would double the memory of a service for no
// gain in time. So the heap may grow by garbageRoom, or by a part of itself, between two collections, but by no more
// than by default.
const (
	garbageRoom    = 128 << 20
	leastPercent   = 10
	defaultPercent = 100
)

// collectLarge bounds the garbage of large heaps for the rest of the process, unless the environment says how much
// there may be.
func collectLarge(getenv func(string) string) {
	if getenv("GOGC") == "" {
		afterCollection(nil)
	}
}

// cycle is garbage of its own: its finalizer runs after each collection.
type cycle struct{ _ *byte }

func afterCollection(*cycle) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(garbagePercent(live[0].Value.Uint64()))
	runtime.SetFinalizer(&cycle{}, afterCollection)
}

// garbagePercent is how much garbage there may be, in percent of what lives.
func garbagePercent(live uint64) int {
	return int(min(max(100*garbageRoom/max(live, 1), leastPercent), defaultPercent))
}
