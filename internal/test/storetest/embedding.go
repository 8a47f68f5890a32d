package storetest

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// cacheFixture is a backend that is a cache too.
type cacheFixture struct {
	*fixture
	role.EmbeddingCache
}

// gen returns the key of a generation.
const gen = "test-model-2-00000000"

// RunCache runs the cases of [role.EmbeddingCache] against a driver.
func RunCache(t *testing.T, h Harness) {
	for _, c := range []struct {
		name, why string
		run       func(t *testing.T, f *cacheFixture)
	}{
		{"replace", "an embedding comes back equal, and replaces the one of the same memory and generation",
			testCacheReplace},
		{"tenants", "a tenant sees and deletes only its own embeddings", testCacheTenants},
		{"forget", "a deleted memory has no embedding in any generation", testCacheForget},
		{"texts", "the embedding of a text is found for every memory of the tenant with that text, until none has it",
			testCacheTexts},
		{"generations", "the generations are those with embeddings of the tenant", testCacheGenerations},
		{"most", "at most the given number is kept, and the oldest are removed", testCacheMost},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, h)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, &cacheFixture{f, f.Backend})
		})
	}
}

// cached returns an embedding of the memory id(n) that differs for each x.
func cached(n int, hash string, x float32) role.CachedEmbedding {
	return role.CachedEmbedding{Memory: id(n), Hash: hash,
		Embedding: role.Embedding{Vector: trilith.Vector{x, 1 - x}, Cut: x > 0.5}}
}

func (f *cacheFixture) put(t *testing.T, s trilith.Scope, generation string, most int, es ...role.CachedEmbedding) {
	t.Helper()
	if err := f.CacheEmbeddings(t.Context(), s, generation, es, most); err != nil {
		t.Fatalf("CacheEmbeddings(%s, %d) = %v", s.Tenant, len(es), err)
	}
}

// want checks the embeddings of the memories id(0) to id(9).
func (f *cacheFixture) want(t *testing.T, what string, s trilith.Scope, generation string,
	want ...role.CachedEmbedding) {
	t.Helper()
	got, err := role.EmbeddingsByMemory(f.CachedEmbeddings(t.Context(), s,
		role.EmbeddingQuery{Generation: generation, Memories: idRange(0, 10)}))
	if err != nil {
		t.Fatalf("CachedEmbeddings, %s = %v", what, err)
	}
	held := map[trilith.ID]role.CachedEmbedding{}
	for _, e := range want {
		held[e.Memory] = e
	}
	wantEqual(t, "CachedEmbeddings, "+what, got, held)
}

func testCacheReplace(t *testing.T, f *cacheFixture) {
	f.want(t, "empty", acme, gen)
	silent := role.CachedEmbedding{Memory: id(3), Hash: "c"}
	f.put(t, acme, gen, 100, cached(1, "a", 0.25), cached(2, "b", 0.75), silent)
	f.put(t, acme, "another", 100, cached(1, "a", 0.5))
	f.put(t, acme, gen, 100)
	f.want(t, "stored", acme, gen, cached(1, "a", 0.25), cached(2, "b", 0.75), silent)
	f.put(t, acme, gen, 100, cached(1, "new text", 0.125))
	f.want(t, "replaced", acme, gen, cached(1, "new text", 0.125), cached(2, "b", 0.75), silent)
	f.want(t, "another generation", acme, "another", cached(1, "a", 0.5))
	if f.harness.Reopen == nil {
		return
	}
	f.reopen(t)
	f.EmbeddingCache = f.Backend
	f.want(t, "reopened", acme, gen, cached(1, "new text", 0.125), cached(2, "b", 0.75), silent)
}

func testCacheTenants(t *testing.T, f *cacheFixture) {
	f.put(t, acme, gen, 100, cached(1, "a", 0.25))
	f.put(t, beta, gen, 100, cached(1, "a", 0.5), cached(2, "b", 0.5))
	f.want(t, "the first tenant", acme, gen, cached(1, "a", 0.25))
	if err := f.ForgetEmbeddings(t.Context(), beta, idRange(0, 10)); err != nil {
		t.Fatalf("ForgetEmbeddings = %v", err)
	}
	f.want(t, "after the other has forgotten", acme, gen, cached(1, "a", 0.25))
	f.want(t, "the other", beta, gen)
	if _, err := f.CachedEmbeddings(t.Context(), trilith.Scope{}, role.EmbeddingQuery{Generation: gen,
		Memories: idRange(0, 3)}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("CachedEmbeddings without a tenant = %v, want invalid", err)
	}
	if err := f.CacheEmbeddings(t.Context(), trilith.Scope{}, gen, []role.CachedEmbedding{cached(1, "a", 0)},
		9); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("CacheEmbeddings without a tenant = %v, want invalid", err)
	}
}

func testCacheForget(t *testing.T, f *cacheFixture) {
	f.put(t, acme, gen, 100, cached(1, "a", 0.25), cached(2, "b", 0.5))
	f.put(t, acme, "another", 100, cached(1, "a", 0.75))
	if err := f.ForgetEmbeddings(t.Context(), acme, []trilith.ID{id(1), id(9)}); err != nil {
		t.Fatalf("ForgetEmbeddings = %v", err)
	}
	f.want(t, "forgotten", acme, gen, cached(2, "b", 0.5))
	f.want(t, "forgotten, another generation", acme, "another")
}

func testCacheMost(t *testing.T, f *cacheFixture) {
	f.put(t, acme, gen, 4, cached(1, "a", 0.25), cached(2, "b", 0.25))
	f.put(t, beta, gen, 4, cached(3, "c", 0.25), cached(4, "d", 0.25))
	f.put(t, acme, gen, 4, cached(5, "e", 0.25))
	f.want(t, "one over", acme, gen, cached(2, "b", 0.25), cached(5, "e", 0.25))
	f.put(t, acme, gen, 2, cached(6, "f", 0.25))
	f.want(t, "a lower bound", acme, gen, cached(5, "e", 0.25), cached(6, "f", 0.25))
	f.want(t, "a lower bound, the other tenant", beta, gen)
}

func testCacheGenerations(t *testing.T, f *cacheFixture) {
	want := func(what string, s trilith.Scope, generations ...string) {
		t.Helper()
		got, err := f.CachedGenerations(t.Context(), s)
		if err != nil {
			t.Fatalf("CachedGenerations, %s = %v", what, err)
		}
		wantEqual(t, "CachedGenerations, "+what, got, generations)
	}
	want("empty", acme)
	f.put(t, acme, "b", 100, cached(1, "a", 0.25), cached(2, "b", 0.25))
	f.put(t, acme, "a", 100, cached(2, "b", 0.25))
	f.put(t, beta, "c", 100, cached(1, "a", 0.25))
	want("two", acme, "a", "b")
	want("the other tenant", beta, "c")
	if err := f.ForgetEmbeddings(t.Context(), acme, []trilith.ID{id(2)}); err != nil {
		t.Fatalf("ForgetEmbeddings = %v", err)
	}
	want("forgotten", acme, "b")
	if _, err := f.CachedGenerations(t.Context(), trilith.Scope{}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("CachedGenerations without a tenant = %v, want invalid", err)
	}
}

func testCacheTexts(t *testing.T, f *cacheFixture) {
	f.put(t, acme, gen, 100, cached(1, "a", 0.25), cached(2, "a", 0.25), cached(3, "b", 0.75),
		role.CachedEmbedding{Memory: id(4), Hash: "silent"})
	f.put(t, acme, "another", 100, cached(1, "c", 0.5))
	f.put(t, beta, gen, 100, cached(5, "d", 0.5))
	texts := func(what string, want map[string]role.Embedding) {
		t.Helper()
		es, err := f.CachedEmbeddings(t.Context(), acme, role.EmbeddingQuery{Generation: gen,
			Hashes: []string{"a", "b", "c", "d", "silent", "nothing"}})
		if err != nil {
			t.Fatalf("CachedEmbeddings of texts, %s = %v", what, err)
		}
		got := map[string]role.Embedding{}
		for _, e := range es {
			got[e.Hash] = e.Embedding
		}
		wantEqual(t, "CachedEmbeddings of texts, "+what, got, want)
	}
	a, b := cached(1, "a", 0.25).Embedding, cached(3, "b", 0.75).Embedding
	texts("stored", map[string]role.Embedding{"a": a, "b": b, "silent": {}})
	if err := f.ForgetEmbeddings(t.Context(), acme, []trilith.ID{id(1), id(3)}); err != nil {
		t.Fatalf("ForgetEmbeddings = %v", err)
	}
	texts("forgotten of one that has it", map[string]role.Embedding{"a": a, "silent": {}})
	if err := f.ForgetEmbeddings(t.Context(), acme, []trilith.ID{id(2)}); err != nil {
		t.Fatalf("ForgetEmbeddings = %v", err)
	}
	texts("forgotten of all that had it", map[string]role.Embedding{"silent": {}})
	if _, err := f.CachedEmbeddings(t.Context(), trilith.Scope{}, role.EmbeddingQuery{Generation: gen,
		Hashes: []string{"a"}}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("CachedEmbeddings of texts without a tenant = %v, want invalid", err)
	}
}
