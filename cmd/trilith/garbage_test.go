package main

import (
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, 128 << 20: 100, 256 << 20: 50, 1 << 30: 12,
		4 << 30: 10} {
		if got := garbagePercent(live); got != want {
			t.Errorf("garbagePercent(%d MiB) = %d, want %d", live>>20, got, want)
		}
	}
}

func TestMemoryIsReturnedAtRest(t *testing.T) {
	t.Parallel()
	before := heapState{allocated: 1 << 30}
	for _, c := range []struct {
		why  string
		now  heapState
		want bool
	}{
		{"much is spare and little was allocated", heapState{allocated: 1<<30 + 1<<20, spare: 100 << 20}, true},
		{"much was allocated", heapState{allocated: 1<<30 + 64<<20, spare: 100 << 20}, false},
		{"little is spare", heapState{allocated: 1 << 30, spare: 10 << 20}, false},
	} {
		if got := c.now.worthReturning(before); got != c.want {
			t.Errorf("worthReturning = %t where %s", got, c.why)
		}
	}
	every := make(chan time.Time)
	done := make(chan struct{})
	go func() {
		defer close(done)
		returnMemory(every)
	}()
	every <- time.Time{} // and whatever the state of this heap is, nothing fails
	close(every)
	<-done
	if s := readHeap(); s.allocated == 0 {
		t.Error("readHeap knows of nothing that was allocated")
	}
}
