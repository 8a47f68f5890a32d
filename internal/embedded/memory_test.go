package embedded_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/embedded"
)

// Where memory is short nothing is copied, what was kept before stays, the index goes on, and keeping resumes when there is room.
func TestKeepWaitsForMemory(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewText(b)
	if err := x.Apply(t.Context(), textPoints(200)); err != nil {
		t.Fatal(err)
	}
	if err := x.Keep(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	want := ask(t, x)
	for _, spare := range []int64{-1 << 40, 0, 100 << 10} {
		x.SetSpare(spare)
		if err := x.Keep(t.Context(), "second"); cairn.KindOf(err) != cairn.Exhausted {
			t.Errorf("Keep with %d bytes left = %v, want exhausted", spare, err)
		}
	}
	if diff := cmp.Diff(want, ask(t, x)); diff != "" {
		t.Errorf("while memory is short it answers otherwise (-before +after):\n%s", diff)
	}
	y := embedded.NewText(b)
	if mark, err := y.Kept(t.Context()); mark != "first" || err != nil {
		t.Errorf("Kept = %q, %v; want what was kept before memory was short", mark, err)
	}
	x.SetSpare(1 << 40)
	if err := x.Keep(t.Context(), "second"); err != nil {
		t.Errorf("Keep when there is room = %v", err)
	}
}

// What keeping says it needs covers what it allocates, for texts with many terms of their own and with few.
func TestKeepNeeds(t *testing.T) {
	for _, own := range []int{0, 20} {
		x := embedded.NewText(newBlobs())
		ps := textPoints(3000)
		for i := range ps {
			for w := range own {
				ps[i].Text += fmt.Sprintf(" w%dx%d", i, w)
			}
		}
		if err := x.Apply(t.Context(), ps); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data := x.Snapshot()
		runtime.ReadMemStats(&after)
		took, need := int64(after.TotalAlloc-before.TotalAlloc), x.Need()
		t.Logf("%d terms of their own: %d bytes written, %d allocated in all, %d asked for", own, data, took, need)
		if took > need || need > 12*took {
			t.Errorf("with %d terms of their own keeping allocates %d bytes and asks for %d", own, took, need)
		}
	}
}
