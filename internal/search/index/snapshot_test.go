package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// rows are an [role.Blobs] of one space and tenant.
type rows map[string][]byte

func (r rows) PutBlobs(_ context.Context, _, _ string, put iter.Seq2[string, []byte]) error {
	for id, data := range put {
		r[id] = slices.Clone(data)
	}
	return nil
}

func (r rows) Blobs(ctx context.Context, space, tenant string, yield func(string, []byte) error) error {
	return r.BlobsOf(ctx, space, tenant, slices.Collect(maps.Keys(r)), yield)
}

func (r rows) BlobsOf(_ context.Context, _, _ string, ids []string, yield func(string, []byte) error) error {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if data, ok := r[id]; ok {
			if err := yield(id, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r rows) BlobIDs(context.Context, string, string) ([]string, error) {
	return slices.Sorted(maps.Keys(r)), nil
}

func (r rows) DeleteBlobs(_ context.Context, _, _ string, ids []string) error {
	maps.DeleteFunc(r, func(id string, _ []byte) bool { return slices.Contains(ids, id) })
	return nil
}

// Only vectors need these.
func (r rows) ChangeBlobs(
	context.Context, string,
	func(func(string, string) ([]byte, error), func(string, string, []byte) error) error) error {
	return errors.ErrUnsupported
}
func (r rows) BlobSpaces(context.Context) ([]string, error) { return nil, errors.ErrUnsupported }
func (r rows) BlobTenants(context.Context, string) ([]string, error) {
	return nil, errors.ErrUnsupported
}

func (r rows) DropBlobs(context.Context, string) error {
	clear(r)
	return nil
}

// keptIn is a store and an index that keeps itself.
type keptIn struct {
	*index.Indexer
	store *inmem.Store
	text  *embedded.Text
}

func (k *keptIn) open(t testing.TB, blobs role.Blobs) {
	k.text = embedded.NewText(blobs)
	var err error
	if k.Indexer, err = index.New(
		t.Context(), index.Config{Store: k.store, Log: k.store, Text: k.text, Now: time.Now,
			Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatalf("New = %v", err)
	}
}

// first is what the index answers first, and which memories it holds then.
func (k *keptIn) first(t testing.TB, scopes []trilith.Scope) (out []any) {
	if err := k.CatchUp(t.Context()); err != nil {
		t.Fatalf("CatchUp = %v", err)
	}
	return append(out, k.later(t, scopes)...)
}

func (k *keptIn) later(t testing.TB, scopes []trilith.Scope) (out []any) {
	for _, s := range scopes {
		for _, f := range []trilith.Filter{{}, trilith.Where("state", trilith.OpEq, trilith.StateActive),
			trilith.Where("tags", trilith.OpContains, "red"),
			trilith.Where("verb", trilith.OpEq, "likes"), trilith.Where("metadata.n", trilith.OpGt, 2)} {
			for _, q := range []string{"garden violin", "rain w3 w7", "nothing"} {
				res, err := k.text.Search(t.Context(), s, role.TextProbe{Text: q, K: 30, Filter: f})
				if err != nil {
					t.Fatalf("Search = %v", err)
				}
				out = append(out, res)
			}
		}
		stamps, err := k.text.Stamps(t.Context(), trilith.Scope{Tenant: s.Tenant}, nil)
		if err != nil {
			t.Fatalf("Stamps = %v", err)
		}
		out = append(out, stamps)
	}
	return out
}

// After any stores, changes, erasures and snapshots before a start, cleanly ended or not, the first answer and all
// later ones are those of an index rebuilt from the truth.
func TestFirstAnswerAfterOpening(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		store, blobs := inmem.New(time.Now), rows{}
		k := &keptIn{store: store}
		k.open(t, blobs)
		scopes := []trilith.Scope{{Tenant: "acme"}, {Tenant: "acme", User: "ana"}, {Tenant: "beta"}}
		memory := rapid.Custom(func(rt *rapid.T) trilith.Memory {
			m := trilith.Memory{ID: trilith.DeriveID(fmt.Sprint(rapid.IntRange(0, 30).Draw(rt, "id"))),
				Kind: trilith.KindNote, State: rapid.SampledFrom(trilith.States()).Draw(rt, "state"),
				Scope: trilith.Scope{Tenant: rapid.SampledFrom([]string{"acme", "beta"}).Draw(rt, "tenant"),
					User: rapid.SampledFrom([]string{"", "ana", "ben"}).Draw(rt, "user")},
				Text: fmt.Sprintf("%s w%d w%d",
					rapid.SampledFrom([]string{"garden", "violin rain", "rain rain"}).Draw(rt, "text"),
					rapid.IntRange(0, 9).Draw(rt, "w"), rapid.IntRange(0, 9).Draw(rt, "w")),
				EventTime: time.Unix(1, 0).UTC(), RecordedAt: time.Unix(2, 0).UTC(),
				Tags: rapid.SampledFrom([][]string{nil, {"red"}}).Draw(rt, "tags")}
			if rapid.Bool().Draw(rt, "metadata") {
				m.Metadata = map[string]any{"n": float64(rapid.IntRange(0, 5).Draw(rt, "n"))}
			}
			if rapid.Bool().Draw(rt, "fact") {
				m.Kind, m.Fact = trilith.KindFact,
					&trilith.Fact{EntityID: trilith.DeriveID("ana"), Verb: "likes", FactID: "Thing:x",
						Node: trilith.Node{Type: "Thing", Name: "x"}}
			}
			return m
		})
		commit := func(tenant string, b role.Batch) {
			if _, err := store.Commit(t.Context(), trilith.Scope{Tenant: tenant}, b); err != nil {
				rt.Fatalf("Commit = %v", err)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				for _, m := range rapid.SliceOfN(memory, 1, 6).Draw(rt, "memories") {
					commit(m.Scope.Tenant, role.Batch{Memories: []trilith.Memory{m}})
				}
			},
			"delete": func(rt *rapid.T) {
				m := memory.Draw(rt, "memory")
				commit(m.Scope.Tenant, role.Batch{Delete: []role.Ref{{ID: m.ID}}})
			},
			"search": func(rt *rapid.T) { k.first(t, scopes) },
			"keep": func(rt *rapid.T) {
				if err := k.KeepNow(t.Context()); err != nil {
					rt.Fatalf("Keep = %v", err)
				}
			},
			"discard": func(rt *rapid.T) {
				if rapid.IntRange(0, 3).Draw(rt, "seldom") > 0 {
					return
				}
				if err := k.DiscardSnapshot(t.Context()); err != nil {
					rt.Fatalf("Discard = %v", err)
				}
			},
			"start": func(rt *rapid.T) {
				k.open(t, blobs) // the one before just ends
				anew := &keptIn{store: store}
				anew.open(t, nil)
				want := anew.first(t, scopes)
				for when, got := range map[string][]any{"first": k.first(t, scopes), "later": k.later(t, scopes)} {
					if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(role.Stamp{}, "At"),
						cmpopts.EquateApprox(0, 1e-12)); diff != "" {
						rt.Fatalf("the %s answers after a start (-made anew +taken up):\n%s", when, diff)
					}
				}
			},
		})
	})
}

// After a start without an orderly end, only the changes since the last snapshot are applied.
func TestStartAppliesTheTail(t *testing.T) {
	t.Parallel()
	store, blobs := inmem.New(time.Now), rows{}
	put := func(first, n int) {
		t.Helper()
		var b role.Batch
		for i := first; i < first+n; i++ {
			b.Memories = append(b.Memories,
				trilith.Memory{ID: trilith.DeriveID(fmt.Sprint(i)), Kind: trilith.KindNote,
					Text:  fmt.Sprintf("Note number %d.", i),
					Scope: acme, State: trilith.StateActive, EventTime: time.Unix(0, 0), RecordedAt: time.Unix(0, 0)})
		}
		if _, err := store.Commit(t.Context(), acme, b); err != nil {
			t.Fatal(err)
		}
	}
	k := &keptIn{store: store}
	k.open(t, blobs)
	put(0, 1000)
	if err := errors.Join(k.CatchUp(t.Context()), k.KeepNow(t.Context())); err != nil {
		t.Fatal(err)
	}
	put(1000, 30)
	k.open(t, blobs)
	if l, err := k.Lag(t.Context()); err != nil || l.Text != 30 {
		t.Errorf("after the start %d changes are to be applied, %v; want 30", l.Text, err)
	}
}

// slow is a text index that is kept for as long as its test wants.
type slow struct {
	*indextest.Text
	keeping chan string   // the mark of a Keep that has begun
	finish  chan struct{} // ends it
	mu      sync.Mutex
	kept    []string // what became of what was kept, in order
}

func (s *slow) SaveSnapshot(_ context.Context, mark string) error {
	s.keeping <- mark
	<-s.finish
	s.note("kept")
	return nil
}

func (s *slow) LoadSnapshot(context.Context) (string, error) { return "", nil }

func (s *slow) DiscardSnapshot(context.Context) error {
	s.note("discarded")
	return nil
}

func (s *slow) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, what)
}

// While the index is kept, texts are applied and found. A snapshot deleted meanwhile does not come back, and an index
// that is emptied meanwhile is not kept as a full one.
func TestKeepHoldsUpNobody(t *testing.T) {
	t.Parallel()
	store := inmem.New(time.Now)
	s := &slow{Text: indextest.NewText(), keeping: make(chan string), finish: make(chan struct{})}
	x, err := index.New(t.Context(),
		index.Config{Store: store, Log: store, Text: s, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Indexer: x, store: store}
	r.put(t, "acme", 0, 10)
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := x.KeepNow(t.Context()); err != nil {
			t.Errorf("Keep = %v", err)
		}
	}()
	<-s.keeping
	r.put(t, "acme", 10, 5)
	if err := x.CatchUp(t.Context()); err != nil { // a search's first step
		t.Errorf("CatchUp while the index is kept = %v", err)
	}
	if stamps, err := s.Stamps(t.Context(), acme, nil); err != nil || len(stamps) != 15 {
		t.Errorf("while it is kept the index holds %d texts, %v; want 15", len(stamps), err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if err := x.DiscardSnapshot(t.Context()); err != nil {
			t.Errorf("Discard = %v", err)
		}
	})
	close(s.finish)
	waiting.Wait()
	if want := []string{"kept", "discarded"}; !slices.Equal(s.kept, want) {
		t.Errorf("in order it was %v, want %v", s.kept, want)
	}
}
