package qdrant_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

// serverVariable names a real server for the suite, as http://HOST:6333; QDRANT_API_KEY is its key.
const serverVariable = "TRILITH_TEST_QDRANT"

var bases atomic.Int64

// base is the name of collections that no other test has.
func base() string { return fmt.Sprintf("trilithtest-%d-%d", os.Getpid(), bases.Add(1)) }

// open opens an index over collections of a base.
func open(tb testing.TB, address, base string, change ...func(*qdrant.Options)) *qdrant.Vectors {
	tb.Helper()
	o := qdrant.Options{Collection: base, Options: qdrantapi.Options{Addresses: []string{address}, PlainHTTP: true,
		Key: os.Getenv("QDRANT_API_KEY")}}
	for _, f := range change {
		f(&o)
	}
	x, err := qdrant.New(o)
	if err != nil {
		tb.Fatalf("New(%s, %s) = %v", address, base, err)
	}
	tb.Cleanup(func() { x.Close() })
	return x
}

// fresh opens an index over collections of its own on a server, which go with the test.
func fresh(tb testing.TB, address string, change ...func(*qdrant.Options)) (
	first *qdrant.Vectors, again func() role.VectorIndex) {
	tb.Helper()
	name := base()
	tb.Cleanup(func() {
		x := open(tb, address, name)
		if err := x.Reset(context.Background(), trilith.AsSystem("test")); err != nil {
			tb.Errorf("Reset = %v", err)
		}
	})
	return open(tb, address, name, change...), func() role.VectorIndex { return open(tb, address, name, change...) }
}

// harness is that of the suites over a server.
func harness(address string, change ...func(*qdrant.Options)) indextest.VectorHarness {
	names := map[role.VectorIndex]func() role.VectorIndex{}
	var mu = make(chan struct{}, 1)
	note := func(x role.VectorIndex, again func() role.VectorIndex) role.VectorIndex {
		mu <- struct{}{}
		names[x] = again
		<-mu
		return x
	}
	return indextest.VectorHarness{
		New: func(tb testing.TB) role.VectorIndex {
			x, again := fresh(tb, address, change...)
			return note(x, again)
		},
		Reopen: func(tb testing.TB, old role.VectorIndex) role.VectorIndex {
			mu <- struct{}{}
			again := names[old]
			<-mu
			if err := old.Close(); err != nil {
				tb.Errorf("Close = %v", err)
			}
			return note(again(), again)
		},
	}
}

func suite(t *testing.T, address string, change ...func(*qdrant.Options)) {
	t.Helper()
	t.Run("vector", func(t *testing.T) {
		h := harness(address, change...)
		h.Behind = address == os.Getenv(serverVariable)
		indextest.RunVector(t, h)
	})
	t.Run("abilities", func(t *testing.T) {
		indextest.RunVectorAbilities(t, func(tb testing.TB) func() role.VectorIndex {
			_, again := fresh(tb, address, change...)
			return again
		})
	})
}

// strictest is strict mode as hosted servers have it, and narrower: no filter without an index, few points at once.
var strictest = map[string]any{"enabled": true, "unindexed_filtering_retrieve": false, "unindexed_filtering_update": false,
	"search_allow_exact": false, "max_query_limit": 40, "search_max_hnsw_ef": 64, "upsert_max_batchsize": 3, "search_max_batchsize": 2,
	"filter_max_conditions": 12, "condition_max_size": 8}

// narrowest is strict mode that allows fewer conditions than most scopes have.
var narrowest = map[string]any{"enabled": true, "filter_max_conditions": 2, "max_query_limit": 40}

// TestSuite: the index keeps its contract on servers of several versions, with any settings.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		switches func(*qdranttest.Switches)
		options  func(*qdrant.Options)
	}{
		{"1.19", func(*qdranttest.Switches) {}, func(*qdrant.Options) {}},
		{"1.20", func(x *qdranttest.Switches) { x.Version = "1.20.0" }, func(*qdrant.Options) {}},
		{"shuffled", func(x *qdranttest.Switches) { x.Shuffle, x.Delayed = true, true }, func(*qdrant.Options) {}},
		{"strict", func(x *qdranttest.Switches) { x.Strict, x.Shuffle = strictest, true }, func(*qdrant.Options) {}},
		{"narrow", func(x *qdranttest.Switches) { x.Strict = narrowest }, func(*qdrant.Options) {}},
		{"without indexes", func(x *qdranttest.Switches) { x.RefuseIndex = true }, func(*qdrant.Options) {}},
		{"busy", func(x *qdranttest.Switches) { x.Fail, x.FailEvery = 503, 7 }, func(*qdrant.Options) {}},
		{"limited", func(x *qdranttest.Switches) { x.Fail, x.FailEvery = 429, 5 }, func(*qdrant.Options) {}},
		{"cut", func(x *qdranttest.Switches) { x.CutEvery = 6 }, func(*qdrant.Options) {}},
		{"cluster", func(*qdranttest.Switches) {}, func(o *qdrant.Options) {
			o.Ordering, o.Consistency, o.Replicas, o.ShardKey, o.Quantize = "strong", "majority", 2, "here", "int8"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := qdranttest.New()
			s.Set(c.switches)
			suite(t, qdranttest.Start(t, s), c.options)
		})
	}
}

// TestTooStrict: strict mode that allows no filter by tenant and ids is refused with what to change.
func TestTooStrict(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	s.Set(func(x *qdranttest.Switches) { x.Strict = map[string]any{"enabled": true, "filter_max_conditions": 1} })
	x := open(t, qdranttest.Start(t, s), base())
	g := trilith.Generation{Provider: "test", Model: "plane", Dims: 2, Recipe: 1}
	p := role.Point{Facets: trilith.Facets{ID: "00000000-0000-4000-8000-000000000001", Version: 1, Kind: trilith.KindNote,
		Scope: trilith.Scope{Tenant: "ana"}}, Vector: trilith.Vector{1, 0}}
	err := x.Apply(t.Context(), g, []role.Point{p})
	if trilith.KindOf(err) != trilith.Unsupported || !strings.Contains(err.Error(), "filter_max_conditions") {
		t.Errorf("Apply = %v, want Unsupported that names filter_max_conditions", err)
	}
}

// TestSuiteOnServer is the suite on a server that the environment names.
func TestSuiteOnServer(t *testing.T) {
	t.Parallel()
	address := os.Getenv(serverVariable)
	if address == "" {
		t.Skipf("%s names no server", serverVariable)
	}
	suite(t, address)
	t.Run("quantized", func(t *testing.T) { suite(t, address, func(o *qdrant.Options) { o.Quantize = "int8" }) })
}
