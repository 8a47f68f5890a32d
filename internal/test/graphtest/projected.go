package graphtest

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var projectedCases = []testCase{
	{"projected/agrees", "a graph that follows every commit agrees with the facts after any change",
		testProjectedAgrees},
	{"projected/rebuild", "a difference is found, in its tenant alone, and disappears when the graph is rebuilt from the tenant's facts", testProjectedRebuild},
}

// RunProjected checks a graph against the contract of [role.ProjectedGraph]. damage removes something from the graph
// of a tenant with facts, which no commit does.
func RunProjected(t *testing.T, h Harness, damage func(tb testing.TB, g role.Graph, tenant string)) {
	for _, c := range projectedCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			f := newFixture(t, h)
			f.damage = damage
			c.run(t, f)
		})
	}
}

// wantCheck expects a number of facts of a tenant, and whether the graph differs from them.
func (f *fixture) wantCheck(t *testing.T, tenant string, facts int, differs bool) {
	t.Helper()
	r, err := f.Graph.(role.ProjectedGraph).Check(t.Context(), tenant)
	if err != nil || r.Tenant != tenant || r.Facts != facts || (r.Differences > 0) != differs ||
		(len(r.Examples) > 0) != differs {
		t.Errorf("Check(%s) = %+v, %v; want %d facts, and that something differs is %t", tenant, r, err, facts, differs)
	}
}

func testProjectedAgrees(t *testing.T, f *fixture) {
	f.wantCheck(t, "acme", 0, false)
	ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"), fact("ana", "likes", "Thing", "chess"),
		fact("ben", "lives_in", "Location", "Oslo"))
	f.wantCheck(t, "acme", 3, false)
	ms[0].State = trilith.StateSuperseded
	ms[0].Version = 2
	f.put(t, ms[0])
	f.wantCheck(t, "acme", 3, false)
	if _, err := f.store.Commit(t.Context(), acme, role.Batch{Delete: []role.Ref{{ID: ms[1].ID}}}); err != nil {
		t.Fatalf("Commit of a deletion = %v, want nil", err)
	}
	f.wantCheck(t, "acme", 2, false)
}

func testProjectedRebuild(t *testing.T, f *fixture) {
	f.put(t, fact("ana", "lives_in", "Location", "Paris"), fact("ben", "lives_in", "Location", "Oslo"),
		fact("ana", "likes", "Thing", "chess", in(beta)))
	f.damage(t, f.Graph, "acme")
	f.wantCheck(t, "acme", 2, true)
	f.wantCheck(t, "beta", 1, false)
	if n, err := f.Graph.(role.ProjectedGraph).Rebuild(t.Context(), "acme"); n != 2 || err != nil {
		t.Errorf("Rebuild = %d, %v; want 2, nil", n, err)
	}
	f.wantCheck(t, "acme", 2, false)
	f.wantCheck(t, "beta", 1, false)
}
