package index_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// provider makes the vectors of an embedder look as if somebody else had made them.
type provider struct {
	role.Embedder
	name string
}

func (p provider) Generation() trilith.Generation {
	g := p.Embedder.Generation()
	g.Provider = p.name
	return g
}

// paidRig is a rig whose embedder costs money.
func paidRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.embedder.Embedder = provider{r.embedder.Embedder, "paid"}
	r.again(t)
	return r
}

// again restarts on the same store, with its cache.
func (r *rig) again(t *testing.T) {
	t.Helper()
	x, err := index.New(t.Context(),
		index.Config{Store: r.store, Log: r.store, Text: indextest.NewText(), Vectors: r.vectors,
			Embedder: r.embedder, Generation: index.Generation(r.embedder), Now: time.Now,
			Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	r.Indexer = x
}

func hash(t *testing.T, dims int) role.Embedder {
	t.Helper()
	h, err := hashembed.New(dims)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (r *rig) jobs(t *testing.T, tenant string) []trilith.Job {
	t.Helper()
	jobs, err := r.store.Jobs(t.Context(), trilith.Scope{Tenant: tenant}, trilith.JobListing{Kind: index.JobEmbed})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// TestOneRefusedText: a text that is refused is found by halving: of 500 in at most 2·log2(500) more calls, not 500.
func TestOneRefusedText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.embedder.bad = "number 123."
		r.put(t, "acme", 0, 500)
		defer r.run(t)()
		r.await(t)
		if r.embedder.calls > 19 || r.embedder.count() != 499 {
			t.Errorf("%d calls embedded %d texts of 500 with a bad one, want 499 in 19 at most", r.embedder.calls,
				r.embedder.count())
		}
		if jobs := r.jobs(t, "acme"); len(jobs) != 1 {
			t.Errorf("%d jobs, want one for the text that was refused", len(jobs))
		}
	})
}

// TestHangingEmbedder: texts are applied and kept, and the program ends, while the embedder does not answer.
func TestHangingEmbedder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.put(t, "acme", 0, 3)
		hangs := hanging{r.embedder}
		if err := r.Use(t.Context(), index.Generation(hangs), hangs); err != nil {
			t.Fatal(err)
		}
		stop := r.run(t)
		<-time.After(time.Minute)
		r.put(t, "acme", 3, 3)
		<-time.After(time.Minute)
		if got := r.held(t, "acme"); got != [2]int{6, 0} || r.lag(t) != (index.Lag{Vectors: 6}) {
			t.Errorf("the indexes hold %v with a lag of %+v, want all texts", got, r.lag(t))
		}
		stop()
	})
}

type hanging struct{ role.Embedder }

func (hanging) Embed(ctx context.Context, _ role.Use, _ []string) ([]role.Embedding, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestNothingIsPaidTwice: made again, changed beside their text, or read by the next process, memories cost nothing;
// with another text they do.
func TestNothingIsPaidTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := paidRig(t)
		ids := r.put(t, "acme", 0, 5)
		r.put(t, "globex", 0, 5)
		settle := func(what string, want int) {
			t.Helper()
			stop := r.run(t)
			r.await(t)
			stop()
			if n := r.embedder.count(); n != want {
				t.Errorf("%s: %d texts were embedded in all, want %d", what, n, want)
			}
		}
		settle("at first, two tenants with the same texts", 10)
		if _, _, err := r.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		settle("rebuilt", 10)
		r.put(t, "acme", 0, 5) // new versions
		settle("changed beside their text", 10)
		if err := r.vectors.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
			t.Fatal(err)
		}
		r.again(t)
		if err := r.EmbedAgain(t.Context(), "acme", index.EmbedJob{IDs: ids}); err != nil {
			t.Fatal(err)
		}
		settle("by the next process", 10)
		m := trilith.Memory{ID: ids[0], Kind: trilith.KindNote, Text: "Another text.", Scope: acme,
			State: trilith.StateActive}
		r.commit(t, "acme", role.Batch{Memories: []trilith.Memory{m}})
		settle("with another text", 11)
		r.commit(t, "acme", role.Batch{Delete: []role.Ref{{ID: ids[1]}}})
		settle("deleted", 11)
		held, err := role.EmbeddingsByMemory(r.store.CachedEmbeddings(t.Context(), acme,
			role.EmbeddingQuery{Generation: index.Generation(r.embedder).Key(), Memories: ids}))
		if _, ok := held[ids[1]]; err != nil || ok || len(held) != 4 {
			t.Errorf("the cache holds %d embeddings, that of a deleted memory: %t, %v", len(held), ok, err)
		}
	})
}

// TestCacheIsNoNeed: a cache that fails costs money and nothing else.
func TestCacheIsNoNeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := paidRig(t)
		r.put(t, "acme", 0, 5)
		r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "CachedEmbeddings" || op == "CacheEmbeddings" {
				return trilith.Errorf(trilith.Unavailable, "away")
			}
			return nil
		}})
		defer r.run(t)()
		r.await(t)
		if n := r.embedder.count(); n != 5 {
			t.Errorf("%d texts were embedded, want 5", n)
		}
	})
}

// TestFreeIsNotCached: vectors that cost little to compute are not cached.
func TestFreeIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.again(t)
		r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "CachedEmbeddings" || op == "CacheEmbeddings" {
				t.Errorf("%s for an embedder that costs nothing", op)
			}
			return nil
		}})
		r.put(t, "acme", 0, 5)
		defer r.run(t)()
		r.await(t)
	})
}

// TestBuildBeside: another generation is built while the active one continues. Memories that are written meanwhile get
// vectors of both, and callers that wait for vectors continue when the other becomes active.
func TestBuildBeside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.put(t, "acme", 0, 20)
		defer r.run(t)()
		r.await(t)
		next := &counting{Embedder: hash(t, 16)}
		gen := index.Generation(next)
		next.fail(trilith.Errorf(trilith.Unavailable, "away"))
		var steps []string
		build := func() error {
			return r.Build(t.Context(), gen, next, false,
				func(done, total int) { steps = append(steps, fmt.Sprintf("%d/%d", done, total)) })
		}
		if err := build(); trilith.KindOf(err) != trilith.Unavailable {
			t.Errorf("Build while the embedder is away = %v, want unavailable", err)
		}
		next.fail(nil)
		r.put(t, "acme", 20, 5)
		if err := build(); err != nil {
			t.Fatalf("Build = %v", err)
		}
		if got := fmt.Sprint(steps); got != "[0/20 0/25 25/25]" {
			t.Errorf("progress = %s", got)
		}
		r.await(t)
		if got := r.held(t, "acme"); got[1] != 25 {
			t.Errorf("the generation in force has %d vectors, want 25", got[1])
		}
		waited := make(chan error, 1)
		r.embedder.fail(trilith.Errorf(trilith.Unavailable, "away"))
		r.put(t, "acme", 25, 1)
		head, err := r.store.Head(t.Context(), trilith.AsSystem("test"), 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() { waited <- r.Await(t.Context(), 0, head) }()
		synctest.Wait()
		if err := r.Use(t.Context(), gen, next); err != nil {
			t.Fatal(err)
		}
		if err := <-waited; err != nil {
			t.Errorf("Await over the switch = %v", err)
		}
		stamps, err := r.vectors.Stamps(t.Context(), acme, gen, nil)
		if err != nil || len(stamps) != 26 || next.count() != 26 {
			t.Errorf("the new generation has %d vectors of %d texts, %v; want 26", len(stamps), next.count(), err)
		}
	})
}

// TestAwaitOfSeveralShards: a wait ends when the shard of its commit has been applied, not another.
func TestAwaitOfSeveralShards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.store = inmem.New(time.Now, inmem.Shards(3))
		r.restart(t)
		stop := r.run(t)
		defer stop()
		tenants := []string{"a", "b", "c", "d", "e", "f", "g"}
		shards := map[int]bool{}
		write := func(tenant string, n int) role.Commit {
			s := trilith.Scope{Tenant: tenant}
			m := trilith.Memory{ID: trilith.DeriveID(tenant, fmt.Sprint(n)), Version: 1, Kind: trilith.KindNote,
				Text:  fmt.Sprintf("Note number %d.", n),
				Scope: s, State: trilith.StateActive, EventTime: time.Unix(0, 0), RecordedAt: time.Unix(0, 0)}
			done, err := r.store.Commit(t.Context(), s, role.Batch{Memories: []trilith.Memory{m}})
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		await := func(c role.Commit) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			return r.Await(ctx, c.Shard, c.Cursor)
		}
		for round := range 2 {
			for n, tenant := range tenants {
				for k := range n + 1 {
					done := write(tenant, round*100+k)
					shards[done.Shard] = true
					if err := await(done); err != nil {
						t.Fatalf("Await(%d, %q) = %v", done.Shard, done.Cursor, err)
					}
				}
				stamps, err := r.vectors.Stamps(t.Context(), trilith.Scope{Tenant: tenant},
					index.Generation(r.embedder), nil)
				if want := (round + 1) * (n + 1); err != nil || len(stamps) != want {
					t.Errorf("after Await %s has %d vectors, %v, want %d", tenant, len(stamps), err, want)
				}
			}
		}
		if len(shards) != 3 {
			t.Fatalf("the tenants lie in %d shards, want all 3", len(shards))
		}
		r.embedder.fail(trilith.Errorf(trilith.Unavailable, "away"))
		for _, tenant := range tenants {
			if err := await(write(tenant, 1000)); trilith.KindOf(err) != trilith.DeadlineExceeded {
				t.Errorf("Await of what %s wrote while the embedder is away = %v, want deadline_exceeded", tenant, err)
			}
		}
	})
}

// TestBuildCompletes: vectors that went missing while nobody kept their generation up to date are made again.
func TestBuildCompletes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ids := r.put(t, "acme", 0, 4)
	next := &counting{Embedder: hash(t, 16)}
	gen := index.Generation(next)
	for _, c := range []struct {
		complete bool
		want     int
	}{{false, 4}, {false, 3}, {true, 4}} {
		if err := r.Build(t.Context(), gen, next, c.complete, func(int, int) {}); err != nil {
			t.Fatalf("Build = %v", err)
		}
		stamps, err := r.vectors.Stamps(t.Context(), acme, gen, nil)
		if err != nil || len(stamps) != c.want {
			t.Errorf("after Build with complete %t there are %d vectors, %v, want %d", c.complete,
				len(stamps), err, c.want)
		}
		if !c.complete {
			if err := r.vectors.Delete(t.Context(), acme, ids[:1]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestJobsOfGenerations: a text that one generation refuses is embedded again for that one.
func TestJobsOfGenerations(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ids := r.put(t, "acme", 0, 2)
	next := &counting{Embedder: hash(t, 16), bad: "number 1."}
	gen := index.Generation(next)
	if err := r.Build(t.Context(), gen, next, false, func(int, int) {}); err != nil {
		t.Fatalf("Build = %v", err)
	}
	if jobs := r.jobs(t, "acme"); len(jobs) != 1 {
		t.Fatalf("%d jobs, want one", len(jobs))
	}
	next.bad = ""
	again := index.EmbedJob{IDs: ids[1:], Generation: gen.Key()}
	if err := r.EmbedAgain(t.Context(), "acme", again); err != nil {
		t.Errorf("EmbedAgain = %v", err)
	}
	if next.count() != 2 || r.embedder.count() != 0 {
		t.Errorf("%d texts of the generation that is built were embedded and %d of the other, want 2 and none",
			next.count(), r.embedder.count())
	}
	r.StopBuilding()
	if err := r.EmbedAgain(t.Context(), "acme", again); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("EmbedAgain for a generation that is not made here = %v, want not_found", err)
	}
}

// TestBuildOverBudget: a generation is not brought into force without the vectors of a tenant that has spent its
// budget.
func TestBuildOverBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put(t, "acme", 0, 3)
	broke := true
	x, err := index.New(t.Context(),
		index.Config{Store: r.store, Log: r.store, Text: indextest.NewText(), Vectors: r.vectors, Embedder: r.embedder,
			Generation: index.Generation(r.embedder), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
			Spending: func(ctx context.Context, _, _ string) (context.Context, error) {
				if broke {
					return nil, &trilith.Error{Kind: trilith.Exhausted, Msg: "the budget is spent",
						Err: &trilith.OverBudget{Until: time.Now().Add(time.Hour)}}
				}
				return ctx, nil
			}})
	if err != nil {
		t.Fatal(err)
	}
	next := &counting{Embedder: hash(t, 16)}
	build := func() error { return x.Build(t.Context(), index.Generation(next), next, false, func(int, int) {}) }
	if err := build(); trilith.KindOf(err) != trilith.Exhausted || len(r.jobs(t, "acme")) != 0 {
		t.Errorf("Build over the budget = %v with %d jobs, want exhausted and none", err, len(r.jobs(t, "acme")))
	}
	broke = false
	if err := build(); err != nil || next.count() != 3 {
		t.Errorf("Build on the next day = %v, %d embedded, want 3", err, next.count())
	}
}

// TestNamesAreNoPartOfFreeVectors: a text that a provider embeds begins with date and speaker, a text for the built-in
// embedder does not.
func TestNamesAreNoPartOfFreeVectors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rig  func(*testing.T) *rig
		want int
	}{"free": {newRig, 1}, "paid": {paidRig, 0}} {
		synctest.Test(t, func(t *testing.T) {
			r := c.rig(t)
			r.embedder.bad = "Ana"
			defer r.run(t)()
			r.commit(t, "acme", role.Batch{
				Memories: []trilith.Memory{
					{ID: trilith.DeriveID("a turn"), Version: 1, Kind: trilith.KindEpisode, Text: "I sail.", Speaker: "Ana",
						Scope: acme, State: trilith.StateActive, EventTime: time.Unix(0, 0),
						RecordedAt: time.Unix(0, 0)}}})
			r.await(t)
			if got := r.held(t, "acme")[1]; got != c.want {
				t.Errorf("%s: %d vectors of a turn whose speaker is refused, want %d", name, got, c.want)
			}
		})
	}
}

// TestTextsArePaidForOnce: the same text of two memories costs one embedding in a tenant, at once and later, and each
// tenant pays for its own.
func TestTextsArePaidForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := paidRig(t)
		defer r.run(t)()
		say := func(tenant string, texts ...string) {
			t.Helper()
			var b role.Batch
			for i, text := range texts {
				b.Memories = append(b.Memories,
					trilith.Memory{ID: trilith.NewID(time.Now().Add(time.Duration(i))), Version: 1, Kind: trilith.KindNote,
						Text: text, State: trilith.StateActive,
						Scope: trilith.Scope{Tenant: tenant, User: fmt.Sprint("user", i)}})
			}
			r.commit(t, tenant, b)
			r.await(t)
		}
		for _, c := range []struct {
			tenant string
			texts  []string
			want   int
		}{
			{"acme", []string{"The roof is slate.", "The roof is slate.", "The barn is red."}, 2},
			{"acme", []string{"The roof is slate.", "The gate is shut."}, 3},
			{"other", []string{"The roof is slate."}, 4},
		} {
			if say(c.tenant, c.texts...); r.embedder.count() != c.want {
				t.Errorf("after %q of %s %d texts were embedded in all, want %d", c.texts, c.tenant,
					r.embedder.count(), c.want)
			}
		}
	})
}
