package index_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// disk is where a text index and vectors are stored; it counts the attempts to write there.
type disk struct {
	full  atomic.Bool
	tries atomic.Int64
}

func (d *disk) write() error {
	d.tries.Add(1)
	if d.full.Load() {
		return trilith.WrapError(trilith.Unavailable, "write", syscall.ENOSPC)
	}
	return nil
}

type textOn struct {
	*indextest.Text
	*disk
}

func (x textOn) SaveSnapshot(context.Context, string) error   { return x.write() }
func (x textOn) LoadSnapshot(context.Context) (string, error) { return "", nil }
func (x textOn) DiscardSnapshot(context.Context) error        { return nil }

type vectorsOn struct {
	role.VectorIndex
	*disk
}

func (x vectorsOn) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	if err := x.write(); err != nil {
		return err
	}
	return x.VectorIndex.Apply(ctx, g, ps)
}

// A snapshot that cannot be stored is tried again with growing pauses, and counted: each try copies and writes all of
// it. Once there is room it is kept.
func TestKeepOnAFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, d := newRig(t), &disk{}
		d.full.Store(true)
		var err error
		r.Indexer, err = index.New(
			t.Context(), index.Config{Store: r.store, Log: r.store, Text: textOn{indextest.NewText(), d}, Now: time.Now,
				Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			r.put(t, "acme", i*1000, 1000)
		}
		stop := r.run(t)
		defer stop()
		<-time.After(time.Minute) // of the bubble
		tries := d.tries.Load()
		if texts, _ := r.SnapshotFailures(); tries < 3 || tries > 6 || texts != tries {
			t.Errorf("in a minute it was tried %d times, and %d failures are counted; want 3 to 6 tries, all counted",
				tries, texts)
		}
		if l := r.lag(t); l.Text != 0 {
			t.Errorf("%d changes wait meanwhile, want none", l.Text)
		}
		d.full.Store(false)
		<-time.After(15 * time.Minute)
		if texts, _ := r.SnapshotFailures(); d.tries.Load() != texts+1 {
			t.Errorf("with room it was tried %d times, %d of them failed; want one that did not", d.tries.Load(), texts)
		}
	})
}

// A caller that waits for vectors gets the error that the disk is full, as long as it is.
func TestAwaitOnAFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, d := newRig(t), &disk{}
		var err error
		r.Indexer, err = index.New(
			t.Context(), index.Config{Store: r.store, Log: r.store, Text: indextest.NewText(),
				Vectors: vectorsOn{r.vectors, d}, Embedder: r.embedder,
				Generation: index.Generation(r.embedder), Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		stop := r.run(t)
		defer stop()
		for i, full := range []bool{false, true, true, false} {
			d.full.Store(full)
			r.put(t, "acme", i, 1)
			head, err := r.store.Head(t.Context(), trilith.AsSystem("test"), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Await(t.Context(), 0, head); trilith.OutOfSpace(err) != full || err == nil == full {
				t.Errorf("Await %d = %v; the disk is full: %v", i, err, full)
			}
		}
	})
}
