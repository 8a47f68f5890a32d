package index_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// cut ends a rebuild after some memories: as a crash does, or a copy of the store that is made there.
func (r *rig) cut(t *testing.T) {
	t.Helper()
	before := r.embedder.count()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, _, err := r.Rebuild(ctx, func(int) {
		if r.embedder.count() > before {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Rebuild = %v, want it cut", err)
	}
}

// TestUnfinishedRebuild: whatever the positions say after a rebuild that did not end, the next start makes the missing
// vectors, and says until then that some may be missing.
func TestUnfinishedRebuild(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, r *rig){
		"a crash": func(*testing.T, *rig) {},
		// another process, which does not see the rebuild, writes its own position
		"another process": func(t *testing.T, r *rig) {
			one := index.Generation(r.embedder)
			ref := index.Positions(r.vectors, one, 1)[0]
			head, err := r.store.Head(t.Context(), trilith.AsSystem("test"), 0)
			if err != nil {
				t.Fatal(err)
			}
			r.commit(t, trilith.SystemTenant, role.Batch{Records: []role.Record{
				{Kind: ref.Kind, ID: ref.ID, Body: []byte(`{"cursor":"` + string(head) + `"}`)}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.put(t, "acme", 0, 600)
				r.put(t, "acme", 600, 600)
				stop := r.run(t)
				r.await(t)
				stop()
				if r.Unfinished() {
					t.Error("the vectors are unfinished before any rebuild")
				}
				r.cut(t)
				spoil(t, r)
				if got := r.held(t, "acme")[1]; got == 1200 || !r.Unfinished() {
					t.Fatalf("%d vectors after a cut rebuild, unfinished %v", got, r.Unfinished())
				}
				r.restart(t)
				if !r.Unfinished() {
					t.Error("the next start says that the vectors are complete")
				}
				stop = r.run(t)
				synctest.Wait()
				stop()
				if got := r.held(t, "acme")[1]; got != 1200 || r.Unfinished() {
					t.Errorf("%d vectors after the next start, unfinished %v; want 1200, complete", got, r.Unfinished())
				}
				r.restart(t)
				if r.Unfinished() {
					t.Error("the start after that says that vectors are missing")
				}
			})
		})
	}
}

// TestTwoRebuilds: of two rebuilds at once the one that dropped the vectors last decides when they are complete.
func TestTwoRebuilds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put(t, "acme", 0, 600)
	one := *r
	r.restart(t)
	other := *r
	begun, before := false, r.embedder.count()
	if _, _, err := one.Rebuild(t.Context(), func(int) {
		if !begun && r.embedder.count() > before {
			begun = true
			other.cut(t)
		}
	}); err != nil {
		t.Fatal(err)
	}
	r.restart(t)
	if !r.Unfinished() {
		t.Fatal("the first rebuild has removed the mark of the second, which did not end")
	}
	stop := r.run(t)
	defer stop()
	r.await(t)
	if _, _, err := r.Rebuild(t.Context(), nil); err != nil || r.Unfinished() || r.held(t, "acme")[1] != 600 {
		t.Errorf("Rebuild = %v, unfinished %v, %d vectors; want a complete index", err, r.Unfinished(),
			r.held(t, "acme")[1])
	}
}

// inStore is an index that keeps its vectors in rows of the store.
type inStore struct{ *indextest.Vector }

func (inStore) Reach() role.Reach { return role.ReachStore }

// TestRowsOfAnotherVersion: positions of a program that wrote vectors in rows of another form, which this one does not
// read, do not count: the vectors are made again from the log.
func TestRowsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t) // records positions without a version of rows
		r.put(t, "acme", 0, 5)
		stop := r.run(t)
		r.await(t)
		stop()
		r.vectors = indextest.NewVector()
		for _, made := range []int{5, 0} { // at the next start they are there
			before := r.embedder.count()
			x, err := index.New(t.Context(), index.Config{Store: r.store, Log: r.store, Text: r.text,
				Vectors: inStore{r.vectors}, Embedder: r.embedder, Generation: index.Generation(r.embedder),
				Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			r.Indexer = x
			stop := r.run(t)
			r.await(t)
			stop()
			if n := r.embedder.count() - before; n != made || r.held(t, "acme")[1] != 5 {
				t.Errorf("%d vectors were made and %d are held, want %d and 5", n, r.held(t, "acme")[1], made)
			}
		}
	})
}
