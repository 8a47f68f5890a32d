package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, 128 << 20: 100, 256 << 20: 50, 1 << 30: 12,
		4 << 30: 10} {
		if got := garbagePercent(live); got != want {
			t.Errorf("garbagePercent(%d MiB) = %d, want %d", live>>20, got, want)
		}
	}
}
