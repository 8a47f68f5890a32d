package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
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

// cycle is a garbage object: its finalizer runs after each collection.
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

// returnMemory returns memory whenever the process is idle, until it ends.
func returnMemory(every <-chan time.Time) {
	before := readHeap()
	for range every {
		now := readHeap()
		if now.worthReturning(before) {
			debug.FreeOSMemory()
		}
		before = now
	}
}

// heapState is how much was ever allocated, and how much of the heap holds nothing that lives.
type heapState struct{ allocated, spare uint64 }

func readHeap() heapState {
	m := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(m)
	objects, live := m[1].Value.Uint64(), m[2].Value.Uint64()
	return heapState{allocated: m[0].Value.Uint64(), spare: objects - min(objects, live) + m[3].Value.Uint64()}
}

// Memory that a bulk load used is returned to the system afterwards: otherwise the heap would stay as large, because an
// idle process makes no garbage and so runs no collection.
const (
	restEvery  = 5 * time.Second
	restAllocs = 16 << 20 // less than this in restEvery is rest
	spareLeast = 48 << 20 // less than this is not worth a collection
)

// worthReturning reports whether the process has been idle since the former state, and much of its heap is unused.
func (now heapState) worthReturning(before heapState) bool {
	return now.spare >= spareLeast && now.allocated-before.allocated < restAllocs
}
