package index_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// keptVectors are vectors with a snapshot, and record their content at the time of a discard.
type keptVectors struct {
	role.VectorIndex
	keeps     int
	discarded func()
}

func (k *keptVectors) SaveSnapshot(context.Context) error { k.keeps++; return nil }

func (k *keptVectors) Release(trilith.Generation) {}

func (k *keptVectors) DiscardSnapshot(context.Context) error { k.discarded(); return nil }

// Vectors are saved in the background and on demand. If a snapshot must not contain an erased memory, its vectors are
// deleted, even before the erasure is applied.
func TestKeepVectors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		kept := &keptVectors{VectorIndex: r.vectors}
		x, err := index.New(t.Context(),
			index.Config{Store: r.store, Log: r.store, Text: indextest.NewText(), Vectors: kept, Embedder: r.embedder,
				Generation: index.Generation(r.embedder), Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatalf("New = %v", err)
		}
		r.Indexer = x
		ids := r.put(t, "acme", 0, 3)
		stop := r.run(t)
		r.await(t)
		synctest.Wait()
		stop()
		background := kept.keeps
		if err := x.SaveSnapshot(t.Context()); err != nil || background == 0 || kept.keeps != background+1 {
			t.Errorf("kept %d times in the background and %d on demand, %v; want some and one", background,
				kept.keeps-background, err)
		}
		r.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[1]}}})
		held := -1
		kept.discarded = func() { held = r.held(t, "acme")[1] }
		if err := x.DiscardSnapshot(t.Context()); err != nil || held != 2 {
			t.Errorf("Discard = %v, with %d vectors; want that of the deleted memory gone, two left", err, held)
		}
	})
}
