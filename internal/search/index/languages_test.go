package index_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// halting is a text index that asks before every Apply and every Search.
type halting struct {
	*indextest.Text
	ask, look func() error
}

func (h *halting) Search(ctx context.Context, s trilith.Scope, p role.TextProbe) (role.TextResult, error) {
	if err := h.look(); err != nil {
		return role.TextResult{}, err
	}
	return h.Text.Search(ctx, s, p)
}

func (h *halting) Apply(ctx context.Context, ts []role.TextPoint) error {
	if err := h.ask(); err != nil {
		return err
	}
	return h.Text.Apply(ctx, ts)
}

// chosen is a store of two tenants with as many texts of Spanish that does not say so, and an indexer that has applied
// them.
func chosen(t *testing.T, texts int) (*rig, *halting) {
	t.Helper()
	r := newRig(t)
	yes := func() error { return nil }
	h := &halting{r.text, yes, yes}
	x, err := index.New(t.Context(),
		index.Config{Store: r.store, Log: r.store, Text: h, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r.Indexer = x
	for _, tenant := range []string{"acme", "other"} {
		for first := 0; first < texts; first += role.MaxBatch {
			ids := r.put(t, tenant, first, min(texts-first, role.MaxBatch))
			r.say(t, tenant, ids, "Viajamos juntos")
		}
	}
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, h
}

// say gives memories another text.
func (r *rig) say(t *testing.T, tenant string, ids []trilith.ID, text string) {
	t.Helper()
	ms, err := r.store.Get(t.Context(), trilith.Scope{Tenant: tenant}, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ms {
		ms[i].Text = text
	}
	r.commit(t, tenant, role.Batch{Memories: ms})
}

func (r *rig) choose(t *testing.T, codes ...string) {
	t.Helper()
	record, err := index.LanguagesRecord(codes)
	if err != nil {
		t.Fatal(err)
	}
	r.commit(t, acme.Tenant, role.Batch{Records: []role.Record{record}})
}

// count is how many texts of a tenant are found by another form of their word.
func (r *rig) count(t *testing.T, tenant string) int {
	t.Helper()
	res, err := r.Texts(trilith.Scope{Tenant: tenant}).Search(
		t.Context(), role.TextProbe{Text: "viajar", K: role.MaxCandidates})
	if err != nil {
		t.Error(err)
	}
	return len(res.Candidates)
}

// Searches of a tenant whose texts are being read in other languages wait for that; those of other tenants do not.
func TestSearchWaitsForItsLanguages(t *testing.T) {
	t.Parallel()
	r, h := chosen(t, 30)
	halted, going := make(chan struct{}), make(chan struct{})
	h.ask = func() error {
		close(halted)
		<-going
		return nil
	}
	r.choose(t, "es")
	found := make(chan int, 10)
	for range cap(found) {
		go func() { found <- r.count(t, "acme") }()
	}
	<-halted
	if n := r.count(t, "other"); n != 0 {
		t.Errorf("another tenant finds %d, want 0", n)
	}
	close(going)
	for range cap(found) {
		if n := <-found; n != 30 {
			t.Errorf("a search that had to wait found %d, want 30", n)
		}
	}
}

// No text is read in other languages while a search of the tenant is running.
func TestRereadWaitsForSearches(t *testing.T) {
	t.Parallel()
	r, h := chosen(t, 30)
	var applied atomic.Bool
	h.ask = func() error {
		applied.Store(true)
		return nil
	}
	reread := make(chan error, 1)
	var once sync.Once
	h.look = func() error {
		once.Do(func() {
			r.choose(t, "es")
			go func() { reread <- r.Reread(context.WithoutCancel(t.Context()), acme) }()
			for range 100_000 { // as often as the other one may go on, if nothing holds it
				if runtime.Gosched(); applied.Load() {
					t.Error("texts are applied again in the middle of a search")
					return
				}
			}
		})
		return nil
	}
	if n := r.count(t, "acme"); n != 0 {
		t.Errorf("a search that began before the choice found %d, want 0", n)
	}
	if err := <-reread; err != nil {
		t.Error(err)
	}
	if n := r.count(t, "acme"); n != 30 {
		t.Errorf("a search after it found %d, want 30", n)
	}
}

// An interrupted change goes on where it was, and begins again if anything was indexed in other languages in between.
func TestRereadGoesOn(t *testing.T) {
	t.Parallel()
	const texts, batch = 1200, 500
	for _, between := range []bool{false, true} {
		r, h := chosen(t, texts)
		r.choose(t, "es")
		n := 0
		h.ask = func() error {
			if n++; n == 2 {
				return trilith.Errorf(trilith.Unavailable, "cut off")
			}
			return nil
		}
		if err := r.Reread(t.Context(), acme); trilith.KindOf(err) != trilith.Unavailable {
			t.Fatalf("Reread = %v, want it cut off", err)
		}
		want := 1 + 1 + (texts-batch+batch-1)/batch // of the first batch, the one that failed, and the others
		if between {
			r.choose(t)
			r.say(t, "acme", []trilith.ID{trilith.DeriveID("acme", "0")}, "Viajamos juntos")
			if err := r.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.choose(t, "es")
			want += 1 + 1 // what was indexed, and the first batch again
		}
		if err := r.Reread(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		if n != want {
			t.Errorf("indexed in between %v: %d calls of Apply, want %d", between, n, want)
		}
		filter := trilith.Where("id", trilith.OpEq, string(trilith.DeriveID("acme", "0")))
		res, err := r.Texts(acme).Search(t.Context(), role.TextProbe{Text: "viajar", K: 1, Filter: filter})
		if err != nil || len(res.Candidates) != 1 {
			t.Errorf("indexed in between %v: found %v, %v, want the first text", between, res.Candidates, err)
		}
	}
}

// The searches of one question read the tenant's languages once, and again only where its texts are in others by now.
func TestSearchesOfOneQuestion(t *testing.T) {
	t.Parallel()
	r, _ := chosen(t, 30)
	var reads atomic.Int64
	r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Records" {
			reads.Add(1)
		}
		return nil
	}})
	question := r.Texts(acme)
	search := func() int {
		res, err := question.Search(t.Context(), role.TextProbe{Text: "viajar", K: role.MaxCandidates})
		if err != nil {
			t.Error(err)
		}
		return len(res.Candidates)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { search() })
	}
	all.Wait()
	if n := reads.Load(); n != 1 {
		t.Errorf("three searches read records %d times, want once", n)
	}
	r.choose(t, "es")
	if err := r.Reread(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	if n := search(); n != 30 {
		t.Errorf("a search after its texts were read in other languages finds %d, want 30", n)
	}
}
