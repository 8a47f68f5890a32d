package embedded_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/embedded"
)

// Where memory is short nothing is copied, what was kept before stays, the index goes on, and keeping resumes when
// there is room.
func TestKeepWaitsForMemory(t *testing.T) {
	t.Parallel()
	b := newBlobs()
	x := embedded.NewText(b)
	if err := x.Apply(t.Context(), textPoints(200)); err != nil {
		t.Fatal(err)
	}
	if err := x.SaveSnapshot(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	want := ask(t, x)
	for _, spare := range []int64{-1 << 40, 0, 100 << 10} {
		x.SetSpare(spare)
		if err := x.SaveSnapshot(t.Context(), "second"); trilith.KindOf(err) != trilith.Exhausted {
			t.Errorf("SaveSnapshot with %d bytes left = %v, want exhausted", spare, err)
		}
	}
	_, held := x.Needs()
	if x.SetSpareAndAbove(-1<<30, held-1); trilith.KindOf(x.SaveSnapshot(t.Context(), "second")) != trilith.Exhausted {
		t.Error("SaveSnapshot takes more than may be taken above the limit")
	}
	if diff := cmp.Diff(want, ask(t, x)); diff != "" {
		t.Errorf("while memory is short it answers otherwise (-before +after):\n%s", diff)
	}
	y := embedded.NewText(b)
	if mark, err := y.LoadSnapshot(t.Context()); mark != "first" || err != nil {
		t.Errorf("LoadSnapshot = %q, %v; want what was kept before memory was short", mark, err)
	}
	for mark, room := range map[string][2]int64{"second": {1 << 40, 0}, "third": {-1 << 30, held}} {
		x.SetSpareAndAbove(room[0], room[1])
		if err := x.SaveSnapshot(t.Context(), mark); err != nil {
			t.Errorf("SaveSnapshot with %d bytes left and %d in any case = %v", room[0], room[1], err)
		}
	}
}

// If there is no memory for a copy of the tables, they are written directly: searches continue, and new texts wait.
func TestKeepWithoutCopies(t *testing.T) {
	t.Parallel()
	b := &waiting{blobs: newBlobs(), puts: make(chan struct{}), goOn: make(chan struct{})}
	x := embedded.NewText(b)
	if err := x.Apply(t.Context(), textPoints(200)); err != nil {
		t.Fatal(err)
	}
	want := ask(t, x)
	_, held := x.Needs()
	x.SetSpare(held)
	kept := make(chan error, 1)
	go func() { kept <- x.SaveSnapshot(t.Context(), "here") }()
	<-b.puts
	if diff := cmp.Diff(want, ask(t, x)); diff != "" {
		t.Errorf("while it is kept it answers otherwise (-before +meanwhile):\n%s", diff)
	}
	close(b.goOn)
	if err := x.Apply(t.Context(), textPoints(230)); err != nil {
		t.Fatal(err)
	}
	if err := <-kept; err != nil {
		t.Fatal(err)
	}
	y := embedded.NewText(b.blobs)
	if mark, err := y.LoadSnapshot(t.Context()); mark != "here" || err != nil {
		t.Fatalf("LoadSnapshot = %q, %v", mark, err)
	}
	if err := y.Apply(t.Context(), textPoints(230)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ask(t, x), ask(t, y)); diff != "" {
		t.Errorf("it answers otherwise (-kept +taken up):\n%s", diff)
	}
}

// waiting are blobs that tell of the first row that is put, and wait with it.
type waiting struct {
	*blobs
	puts, goOn chan struct{}
	once       sync.Once
}

func (w *waiting) PutBlobs(ctx context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error {
	w.once.Do(func() {
		close(w.puts)
		<-w.goOn
	})
	return w.blobs.PutBlobs(ctx, space, tenant, rows)
}

// nowhere are blobs that keep only how much was put.
type nowhere struct {
	*blobs
	bytes int64
}

func (w *nowhere) PutBlobs(_ context.Context, _, _ string, rows iter.Seq2[string, []byte]) error {
	for _, data := range rows {
		w.bytes += int64(len(data))
	}
	return nil
}

func (w *nowhere) BlobIDs(context.Context, string, string) ([]string, error) { return nil, nil }

// The estimate of a snapshot's memory covers its allocations, for texts with many terms of their own and with few, and
// without copies that is a small part of what is written.
func TestKeepNeeds(t *testing.T) {
	for _, own := range []int{0, 20} {
		b := &nowhere{blobs: newBlobs()}
		x := embedded.NewText(b)
		ps := textPoints(20_000)
		for i := range ps {
			ps[i].Facets.Scope.Tenant = "t0"
			for w := range own {
				ps[i].Text += fmt.Sprintf(" w%dx%d", i, w)
			}
		}
		if err := x.Apply(t.Context(), ps); err != nil {
			t.Fatal(err)
		}
		copied, held := x.Needs()
		for what, need := range map[string]int64{"with copies": copied, "without": held} {
			x.SetSpare(need)
			b.bytes = 0
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := x.SaveSnapshot(t.Context(), "here") // in the end it finds no rows
			runtime.ReadMemStats(&after)
			took := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%d terms of their own, %s: %d bytes written, %d allocated in all, %d asked for; %v", own, what,
				b.bytes, took, need, err)
			if took > need {
				t.Errorf("with %d terms of their own keeping %s allocates %d bytes and asks for %d", own,
					what, took, need)
			}
			if what == "without" && own > 0 && took > b.bytes*3/4 {
				t.Errorf("with %d terms of their own keeping %s allocates %d bytes and writes %d", own, what,
					took, b.bytes)
			}
		}
	}
}
