package age_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/walk"
)

// openEngine opens an engine on the database of the fixture, as a process of its own would.
func (f *fixture) openEngine(tb testing.TB) *engine.Engine {
	tb.Helper()
	store := openStore(tb, postgres.Options{URL: f.url, Projections: []postgres.Projection{age.Projection{}}})
	e, err := engine.Open(tb.Context(),
		engine.Config{Store: store, Log: store, Queue: store, Text: embedded.NewText(nil), Graph: age.New(store),
			Version: "test"})
	if err != nil {
		tb.Fatalf("engine.Open = %v, want nil", err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("Close = %v, want nil", err)
		}
	})
	return e
}

// TestAssimilation lets 16 callers tell two processes about the same few people at once; some of it is erased, and they
// look up what is known; in the end two are merged. Then no vertex and no edge is there twice, and the graph is what
// the tables say.
func TestAssimilation(t *testing.T) {
	t.Parallel()
	f := open(t)
	engines := []*engine.Engine{f.openEngine(t), f.openEngine(t)}
	name := func(n int) trilith.Identifier {
		return trilith.Identifier{Type: "name", Value: []string{"Ana Brook", "Ben Hill", "Carla Stone"}[n%3]}
	}
	cities := []string{"Oslo", "Rome", "Bonn", "Paris"}
	var wg sync.WaitGroup
	for caller := range 16 {
		e := engines[caller%2]
		wg.Go(func() {
			for n := range 4 {
				said := fmt.Sprintf("I live in %s. My sister %s likes tea number %d. I work at Acme.",
					cities[(caller+n)%4], name(caller+n+1).Value, caller%5)
				res, err := e.Assimilate(
					t.Context(), acme, trilith.AssimilateRequest{Identifier: name(caller + n), Content: said})
				if err != nil {
					t.Errorf("caller %d: Assimilate = %v, want nil", caller, err)
					continue
				}
				if n == 2 {
					if _, err := e.Erase(t.Context(), acme,
						trilith.EraseRequest{Sources: []trilith.ID{res.SourceID}}); err != nil {
						t.Errorf("caller %d: Erase = %v, want nil", caller, err)
					}
				}
				if _, err := e.Lookup(t.Context(), acme,
					trilith.LookupRequest{Identifier: name(caller), ExpandHops: 2}); err != nil {
					t.Errorf("caller %d: Lookup = %v, want nil", caller, err)
				}
			}
		})
	}
	wg.Wait()
	for _, e := range engines {
		if err := e.Work(t.Context()); err != nil {
			t.Fatalf("Work = %v, want nil", err)
		}
	}
	told := f.wantSound(t, "acme")
	page, err := engines[0].Entities(t.Context(), acme, trilith.EntitiesQuery{Limit: trilith.MaxPageSize})
	if err != nil || len(page.Items) < 3 {
		t.Fatalf("Entities = %d, %v; want 3 at least", len(page.Items), err)
	}
	if _, err := engines[1].MergeEntities(t.Context(), acme, page.Items[0].ID,
		trilith.MergeRequest{From: page.Items[1].ID}); err != nil {
		t.Fatalf("MergeEntities = %v, want nil", err)
	}
	r := f.wantSound(t, "acme")
	t.Log(told, r)
	if told.Facts == 0 || r.Facts == 0 || r.Edges["ASSERTS"] != r.Facts || r.Vertices["Entity"] == 0 {
		t.Errorf("Check = %+v, want as many assertions as facts, and some of each", r)
	}
	plain := walk.OverStore(f.store)
	for _, e := range page.Items {
		want, err := plain.Facts(t.Context(), acme, []trilith.ID{e.ID}, 0)
		if err != nil {
			t.Fatalf("Facts = %v, want nil", err)
		}
		got, err := f.Walk(t.Context(), acme, want, 2)
		if err != nil {
			t.Errorf("Walk = %v, want nil", err)
		}
		far, err := plain.Walk(t.Context(), acme, want, 2)
		if err != nil {
			t.Fatalf("Walk = %v, want nil", err)
		}
		if diff := cmp.Diff(far, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("a walk from %s (-tables +graph):\n%s", e.Name, diff)
		}
	}
}

// TestDoctor damages a graph behind the back of an engine: its doctor says so, a repair fixes it.
func TestDoctor(t *testing.T) {
	t.Parallel()
	f := open(t)
	e := f.openEngine(t)
	if _, err := e.Assimilate(
		t.Context(), acme, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "name", Value: "Ana Brook"},
			Content: "I live in Oslo."}); err != nil {
		t.Fatalf("Assimilate = %v, want nil", err)
	}
	want := func(report trilith.DoctorReport, err error, ok bool, detail string) {
		t.Helper()
		i := slices.IndexFunc(report.Checks, func(c trilith.Check) bool { return c.Name == "graph" })
		if err != nil || i < 0 || report.Checks[i].OK != ok || !strings.Contains(report.Checks[i].Detail, detail) {
			t.Errorf("the doctor says %+v, %v; want a line graph with ok %v and %q", report, err, ok, detail)
		}
	}
	r, err := e.Doctor(t.Context())
	want(r, err, true, "2 edges, 0 differences")
	f.sql(t, fmt.Sprintf(`DELETE FROM %s."FROM"`, age.GraphName("acme")))
	r, err = e.Doctor(t.Context())
	want(r, err, false, "1 edges, 2 differences")
	r, err = e.Repair(t.Context())
	want(r, err, true, "2 edges, 0 differences")
	if !slices.Contains(r.Repaired, "1 graphs of tenants rebuilt from the facts") {
		t.Errorf("Repair did %q, want the graph among it", r.Repaired)
	}
	if n, err := e.RebuildGraph(t.Context(), acme); err != nil || n != 1 {
		t.Errorf("RebuildGraph = %d, %v; want 1, nil", n, err)
	}
	if got, err := e.CheckGraph(t.Context(), acme); err != nil || got.Differences != 0 || got.Facts != 1 {
		t.Errorf("CheckGraph = %+v, %v; want 1 fact and no differences", got, err)
	}
}
