// Package indextest checks vector and text indexes against the contracts of [role.VectorIndex] and [role.TextIndex],
// and measures them. Each case has the sentence of the contract that it checks, and prints it when it fails.
//
// [Text] and [Vector] are the references: indexes that compute every answer by the definition. Drivers are compared
// with them, and tests of code above an index use them.
package indextest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// VectorHarness opens the index under test.
type VectorHarness struct {
	// New returns an empty index. The suite closes it.
	New func(tb testing.TB) role.VectorIndex
	// Reopen closes the index and opens it again on its stored data. It is nil for an index that stores nothing.
	Reopen func(tb testing.TB, old role.VectorIndex) role.VectorIndex
	// Behind says that a point that is written during a search may be scored by an earlier vector of it, as on a server
	// that reads the payload of a hit after it has scored it. Otherwise a score belongs to the version that is returned
	// with it.
	Behind bool
}

// scoreTolerance is how far a score may differ from the cosine if that is computed exactly: room for single precision.
// Otherwise it may differ by roundedTolerance, which is large, because vectors of two components are rounded more
// coarsely than those of a model.
const (
	scoreTolerance   = 1e-4
	roundedTolerance = 5e-3
)

// DiffFound compares an answer with the expected one, including the order if scores are exact. An answer that may be
// rounded, see [role.VectorProbe], must leave nothing out, so that no other candidate can replace a correct one.
func DiffFound(p role.VectorProbe, want, got []role.Candidate) string {
	tolerance := scoreTolerance
	if p.K > role.ExactCandidates || len(p.IDs) > 0 {
		if !slices.IsSortedFunc(got, func(a, b role.Candidate) int { return cmp.Compare(b.Score, a.Score) }) {
			return fmt.Sprintf("scores do not fall: %v", got)
		}
		byID := func(a, b role.Candidate) int { return cmp.Compare(a.ID, b.ID) }
		want, got = slices.SortedFunc(slices.Values(want), byID), slices.SortedFunc(slices.Values(got), byID)
		tolerance = roundedTolerance
	}
	return gocmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, tolerance))
}

type vectorCase struct {
	name string
	why  string // the sentence of the contract that the case guards
	run  func(t *testing.T, x role.VectorIndex)
}

// RunVector checks an index against the contract of [role.VectorIndex].
func RunVector(t *testing.T, h VectorHarness) {
	for _, c := range slices.Concat(vectorCases, vectorRefusals) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			explain(t, c.why)
			c.run(t, openVector(t, h))
		})
	}
	t.Run("Concurrency", func(t *testing.T) {
		t.Parallel()
		explain(t, "all methods are safe for concurrent use, and a search never shows half of a point")
		testVectorConcurrency(t, openVector(t, h), h.Behind)
	})
	t.Run("Reopen", func(t *testing.T) {
		t.Parallel()
		if h.Reopen == nil {
			t.Skip("the index keeps nothing")
		}
		explain(t, "acknowledged points are found after reopening: facets, versions and stamps of every tenant and generation, and no deleted one")
		testVectorReopen(t, h)
	})
}

func openVector(tb testing.TB, h VectorHarness) role.VectorIndex {
	tb.Helper()
	x := h.New(tb)
	tb.Cleanup(func() { x.Close() })
	return x
}

func explain(t *testing.T, why string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("contract: %s", why)
		}
	})
}

var vectorCases = []vectorCase{
	{"Order", "a search returns up to K points by falling cosine, with the cosine as score and the stored version",
		testVectorOrder},
	{"Probes", "the results of a probe do not depend on other probes", testVectorProbes},
	{"Named", "a probe with ids finds only those ids, each once", testVectorNamed},
	{"NamedVersions", "for ids with versions an index says which ones it has, after changes of its own too",
		testVectorNamedVersions},
	{"Ties", "points of equal cosine are ordered by ascending id, whatever the order of writing", testVectorTies},
	{"Empty", "an empty index returns empty results, and deleting an absent id is no error",
		testVectorEmpty},
	{"Tenants", "a tenant sees, lists and deletes only its own points, even if ids are equal", testVectorTenants},
	{"Scope", "a search returns only points that the scope covers", testVectorScope},
	{"Owners", ownerContract, testVectorOwners},
	{"Versions", "a point replaces the one held unless that one has a higher version, so repeating and reordering are harmless",
		testVectorVersions},
	{"Replace", "after a replacement filters, scopes and scores see the new point and nothing of the old one",
		testVectorReplace},
	{"Delete", "a deleted id is gone from every generation, and a later Apply of any version is new", testVectorDelete},
	{"Generations", "a search never mixes two generations, even of equal dimensions", testVectorGenerations},
	{"Stamps", "stamps describe the content by ascending id: of the given ids, or of all", testVectorStamps},
	{"Cut", "stamps say which vectors cover only the beginning of a text, as the stored point does",
		testVectorCut},
	{"Drop", "Drop removes a whole generation of all tenants and no other", testVectorDrop},
	{"Reset", "Reset removes everything, and the index stays usable", testVectorReset},
	{"Filter", "a search returns the same as scoring every memory that the filter accepts",
		testVectorFilter},
	{"Facets", "filters can test every facet, including those of facts", testVectorFacets},
	{"Ownership", "an applied point does not change when the caller's slices, maps and facts do",
		testVectorOwnership},
}

var day = time.Date(2025, 6, 30, 12, 0, 0, 123456000, time.UTC)

func gen(model string, dims int) trilith.Generation {
	return trilith.Generation{Provider: "test", Model: model, Dims: dims, Recipe: 1}
}

var plane = gen("plane", 2)

// at returns the unit vector of the plane at an angle; its cosine with at(0) is the cosine of the angle.
func at(degrees float64) trilith.Vector {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return trilith.Vector{float32(cos), float32(sin)}
}

// pid returns the n-th id; ids sort by their numbers.
func pid(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)) }

func point(tenant string, n int, version int64, v trilith.Vector) role.Point {
	return role.Point{
		Facets: trilith.Facets{ID: pid(n), Version: version, Kind: trilith.KindNote, Scope: trilith.Scope{Tenant: tenant},
			State: trilith.StateActive, Trust: trilith.TrustUserStated, EventTime: day, RecordedAt: day},
		Vector: v, At: day,
	}
}

func mustApply(t *testing.T, x role.VectorIndex, g trilith.Generation, ps ...role.Point) {
	t.Helper()
	if err := x.Apply(t.Context(), g, ps); err != nil {
		t.Fatalf("Apply(%s, %d points) = %v", g, len(ps), err)
	}
}

func mustSearch(t *testing.T, x role.VectorIndex, s trilith.Scope, g trilith.Generation,
	p role.VectorProbe) []role.Candidate {
	t.Helper()
	got, err := First(x.Search(t.Context(), s, g, p))
	if err != nil {
		t.Fatalf("Search(%+v, %s, k %d, %+v) = %v", s, g, p.K, p.Filter, err)
	}
	return got
}

// First returns the results of the first probe of a search.
func First(found [][]role.Candidate, err error) ([]role.Candidate, error) {
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func mustStamps(t *testing.T, x role.VectorIndex, s trilith.Scope, g trilith.Generation,
	ids ...trilith.ID) []role.Stamp {
	t.Helper()
	got, err := x.Stamps(t.Context(), s, g, ids)
	if err != nil {
		t.Fatalf("Stamps(%q, %s, %d ids) = %v", s.Tenant, g, len(ids), err)
	}
	return got
}

func mustDelete(t *testing.T, x role.VectorIndex, s trilith.Scope, ids ...trilith.ID) {
	t.Helper()
	if err := x.Delete(t.Context(), s, ids); err != nil {
		t.Fatalf("Delete(%q, %v) = %v", s.Tenant, ids, err)
	}
}

// wantFound checks the whole answer of a search of the tenant along at(0).
func wantFound(t *testing.T, x role.VectorIndex, s trilith.Scope, g trilith.Generation, what string,
	want ...role.Candidate) {
	t.Helper()
	p := role.VectorProbe{Vector: at(0), K: role.ExactCandidates}
	if diff := DiffFound(p, want, mustSearch(t, x, s, g, p)); diff != "" {
		t.Errorf("%s: Search(%+v, %s): -want +got\n%s", what, s, g, diff)
	}
}

// found is the candidate of the n-th id at an angle.
func found(n int, version int64, degrees float64) role.Candidate {
	return role.Candidate{ID: pid(n), Version: version, Score: math.Cos(degrees * math.Pi / 180)}
}

func testVectorOrder(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	mustApply(t, x, plane, point("ana", 1, 3, at(100)), point("ana", 2, 1, at(0)), point("ana", 3, 2, at(180)),
		point("ana", 4, 1, at(10)))
	mustApply(t, x, plane, point("ana", 5, 1, at(-50)))
	all := []role.Candidate{found(2, 1, 0), found(4, 1, 10), found(5, 1, 50), found(1, 3, 100), found(3, 2, 180)}
	for _, k := range []int{1, 2, 4, 5, 6, role.MaxCandidates} {
		p := role.VectorProbe{Vector: at(0), K: k}
		if diff := DiffFound(p, all[:min(k, len(all))], mustSearch(t, x, s, plane, p)); diff != "" {
			t.Errorf("Search with k %d: -want +got\n%s", k, diff)
		}
	}
}

func testVectorProbes(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	for n := range 40 {
		mustApply(t, x, plane, point("ana", n+1, 1, at(float64(7*n))))
	}
	even, low := []trilith.ID{pid(2), pid(4), pid(30)}, trilith.Where("seq", trilith.OpLte, 20)
	probes := []role.VectorProbe{
		{Vector: at(0), K: 5}, {Vector: at(0), IDs: even, K: 2}, {Vector: at(90), K: 3},
		{Vector: at(0), Filter: low, K: 40},
		{Vector: at(0), Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact), K: 3}, {Vector: at(0), K: 5},
	}
	got, err := x.Search(t.Context(), s, plane, probes...)
	if err != nil || len(got) != len(probes) {
		t.Fatalf("Search of %d probes = %d answers, %v", len(probes), len(got), err)
	}
	for i, p := range probes {
		if diff := DiffFound(p, mustSearch(t, x, s, plane, p), got[i]); diff != "" {
			t.Errorf("probe %d of several (-alone +together):\n%s", i, diff)
		}
	}
	if got, err := x.Search(t.Context(), s, plane); err != nil || len(got) != 0 {
		t.Errorf("Search without a probe = %v, %v; want nothing", got, err)
	}
	_, err = x.Search(t.Context(), s, plane, probes[0], role.VectorProbe{Vector: at(0)})
	wantKind(t, "Search with one probe of several without a k", err, trilith.Invalid)
}

func testVectorNamed(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	fourth := point("ana", 4, 1, at(10))
	fourth.Facets.Seq = 4
	mustApply(t, x, plane, point("ana", 1, 3, at(100)), point("ana", 2, 1, at(0)), point("ana", 3, 2, at(180)), fourth,
		point("ben", 5, 1, at(0)))
	named := []trilith.ID{pid(3), pid(1), pid(5), pid(4), pid(3), pid(99)}
	for _, c := range []struct {
		what   string
		filter trilith.Filter
		k      int
		want   []role.Candidate
	}{
		{"named twice, of another tenant and unknown", trilith.Filter{}, 10,
			[]role.Candidate{found(4, 1, 10), found(1, 3, 100), found(3, 2, 180)}},
		{"fewer than are named", trilith.Filter{}, 2, []role.Candidate{found(4, 1, 10), found(1, 3, 100)}},
		{"named, and something else", trilith.Where("seq", trilith.OpNe, 4), 10,
			[]role.Candidate{found(1, 3, 100), found(3, 2, 180)}},
		{"named, and named by the filter", trilith.Where("id", trilith.OpEq, pid(1)), 10,
			[]role.Candidate{found(1, 3, 100)}},
	} {
		p := role.VectorProbe{Vector: at(0), IDs: named, Filter: c.filter, K: c.k}
		if diff := DiffFound(p, c.want, mustSearch(t, x, s, plane, p)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.what, diff)
		}
	}
}

func testVectorNamedVersions(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	mustApply(t, x, plane, point("ana", 1, 1, at(10)), point("ana", 2, 3, at(20)))
	ask := func(when string, versions []int64, want ...role.Candidate) {
		t.Helper()
		for range 2 { // the second time it may use its memory
			p := role.VectorProbe{Vector: at(0), IDs: []trilith.ID{pid(1), pid(2)}, Versions: versions, K: 10}
			if diff := DiffFound(p, want, mustSearch(t, x, s, plane, p)); diff != "" {
				t.Errorf("%s: -want +got\n%s", when, diff)
			}
		}
	}
	ask("as they are", []int64{1, 3}, found(1, 1, 10), found(2, 3, 20))
	ask("of other versions", []int64{2, 1}, found(1, 1, 10), found(2, 3, 20))
	mustApply(t, x, plane, point("ana", 1, 2, at(30)))
	ask("one was replaced", []int64{2, 3}, found(2, 3, 20), found(1, 2, 30))
	mustDelete(t, x, s, pid(1))
	ask("one was deleted", []int64{2, 3}, found(2, 3, 20))
	mustApply(t, x, plane, point("ana", 1, 2, at(40)))
	ask("it was made again", []int64{2, 3}, found(2, 3, 20), found(1, 2, 40))
	p := role.VectorProbe{Vector: at(0), IDs: []trilith.ID{pid(1)}, Versions: []int64{1, 2}, K: 1}
	if _, err := x.Search(t.Context(), s, plane, p); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Search of one id with two versions = %v, want Invalid", err)
	}
}

func testVectorTies(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	for _, n := range []int{7, 3, 9, 1, 5, 8, 2, 6, 4} {
		mustApply(t, x, plane, point("ana", n, 1, at(30)))
	}
	mustDelete(t, x, s, pid(3)) // another id may get its slot, and must not inherit its rank
	mustApply(t, x, plane, point("ana", 10, 1, at(30)))
	for _, k := range []int{1, 4, 9} {
		var want []role.Candidate
		for _, n := range []int{1, 2, 4, 5, 6, 7, 8, 9, 10}[:k] {
			want = append(want, found(n, 1, 30))
		}
		got := mustSearch(t, x, s, plane, role.VectorProbe{Vector: at(0), K: k})
		if diff := gocmp.Diff(want, got, cmpopts.EquateApprox(0, scoreTolerance)); diff != "" {
			t.Errorf("Search among equals with k %d: -want +got\n%s", k, diff)
		}
	}
}

func testVectorEmpty(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	wantFound(t, x, s, plane, "empty index")
	if got := mustStamps(t, x, s, plane); len(got) != 0 {
		t.Errorf("Stamps of an empty index = %v, want none", got)
	}
	if got := mustStamps(t, x, s, plane, pid(1)); len(got) != 0 {
		t.Errorf("Stamps of an unknown id = %v, want none", got)
	}
	mustDelete(t, x, s, pid(1))
	mustDelete(t, x, s)
	mustApply(t, x, plane)
	sys := trilith.AsSystem("test")
	if err := x.Drop(t.Context(), sys, plane); err != nil {
		t.Errorf("Drop of an unknown generation = %v, want nil", err)
	}
	if err := x.Reset(t.Context(), sys); err != nil {
		t.Errorf("Reset of an empty index = %v, want nil", err)
	}
}

func testVectorTenants(t *testing.T, x role.VectorIndex) {
	ana, ben := trilith.Scope{Tenant: "ana"}, trilith.Scope{Tenant: "ben"}
	mustApply(t, x, plane, point("ana", 1, 1, at(10)), point("ben", 1, 7, at(20)), point("ana", 2, 1, at(30)))
	wantFound(t, x, ana, plane, "first tenant", found(1, 1, 10), found(2, 1, 30))
	wantFound(t, x, ben, plane, "second tenant", found(1, 7, 20))
	wantFound(t, x, trilith.Scope{Tenant: "an"}, plane, "a tenant whose name begins another's")
	wantFound(t, x, trilith.Scope{Tenant: "ANA"}, plane, "a tenant whose name differs in case")

	if got := mustStamps(t, x, ben, plane, pid(1), pid(2)); len(got) != 1 || got[0].Version != 7 {
		t.Errorf("Stamps of ben = %v, want version 7 of the first id alone", got)
	}
	mustDelete(t, x, ben, pid(1), pid(2))
	wantFound(t, x, ana, plane, "after another tenant's delete", found(1, 1, 10), found(2, 1, 30))
	wantFound(t, x, ben, plane, "after its own delete")
}

func testVectorScope(t *testing.T, x role.VectorIndex) {
	scopes := []trilith.Scope{
		{}, {Project: "p"}, {Domain: "p"}, {User: "p"}, {Agent: "p"}, {Session: "p"}, {Channel: "p"},
		{Project: "p", User: "u", Session: "s"}, {Project: "p", User: "u"}, {User: "Ünïcode 会"}, {User: "P"},
	}
	var ps []role.Point
	for i := range scopes {
		scopes[i].Tenant = "ana"
		p := point("ana", i, 1, at(float64(i)))
		p.Facets.Scope = scopes[i]
		ps = append(ps, p)
	}
	mustApply(t, x, plane, ps...)
	for _, s := range append(scopes, trilith.Scope{Tenant: "ana", User: "nobody"},
		trilith.Scope{Tenant: "ana", Actor: "key"}) {
		var want []role.Candidate
		for i, m := range scopes {
			if s.Covers(m) {
				want = append(want, found(i, 1, float64(i)))
			}
		}
		wantFound(t, x, s, plane, "narrowed", want...)
	}
}

func testVectorVersions(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	steps := []struct {
		what    string
		version int64
		degrees float64
		want    role.Candidate
	}{
		{"first", 5, 10, found(1, 5, 10)},
		{"older", 4, 20, found(1, 5, 10)},
		{"equal", 5, 30, found(1, 5, 30)},
		{"higher", 9, 40, found(1, 9, 40)},
		{"late", 6, 50, found(1, 9, 40)},
	}
	for _, c := range steps {
		mustApply(t, x, plane, point("ana", 1, c.version, at(c.degrees)))
		wantFound(t, x, s, plane, c.what, c.want)
	}
	mustApply(t, x, plane, point("ana", 2, 2, at(1)), point("ana", 2, 3, at(2)), point("ana", 2, 1, at(3)))
	mustApply(t, x, plane, point("ana", 3, 2, at(4)), point("ana", 3, 2, at(5)))
	wantFound(t, x, s, plane, "an id repeated in a call", found(2, 3, 2), found(3, 2, 5), found(1, 9, 40))
	if got := mustStamps(t, x, s, plane, pid(1)); len(got) != 1 || got[0].Version != 9 {
		t.Errorf("Stamps = %v, want version 9", got)
	}
}

func testVectorReplace(t *testing.T, x role.VectorIndex) {
	old := point("ana", 1, 1, at(10))
	old.Facets.Scope.User, old.Facets.Tags = "u1", []string{"red"}
	mustApply(t, x, plane, old)
	now := point("ana", 1, 2, at(20))
	now.Facets.Scope.User, now.Facets.State = "u2", trilith.StateRetracted
	mustApply(t, x, plane, now)

	wantFound(t, x, trilith.Scope{Tenant: "ana", User: "u1"}, plane, "the scope it had")
	wantFound(t, x, trilith.Scope{Tenant: "ana", User: "u2"}, plane, "the scope it has", found(1, 2, 20))
	for _, c := range []struct {
		filter trilith.Filter
		want   int
	}{
		{trilith.Where("state", trilith.OpEq, trilith.StateActive), 0},
		{trilith.Where("state", trilith.OpEq, trilith.StateRetracted), 1},
		{trilith.Where("tags", trilith.OpContains, "red"), 0},
	} {
		got := mustSearch(t, x, trilith.Scope{Tenant: "ana"}, plane,
			role.VectorProbe{Vector: at(0), K: 5, Filter: c.filter})
		if len(got) != c.want {
			t.Errorf("Search(%+v) after replacing = %v, want %d", c.filter, got, c.want)
		}
	}
}

func testVectorDelete(t *testing.T, x role.VectorIndex) {
	s, other := trilith.Scope{Tenant: "ana"}, gen("other", 2)
	mustApply(t, x, plane, point("ana", 1, 5, at(10)), point("ana", 2, 5, at(20)))
	mustApply(t, x, other, point("ana", 1, 5, at(30)), point("ana", 3, 5, at(40)))
	mustDelete(t, x, trilith.Scope{Tenant: "ana", User: "u"}, pid(1), pid(99), pid(1)) // only the tenant matters
	wantFound(t, x, s, plane, "after Delete", found(2, 5, 20))
	wantFound(t, x, s, other, "after Delete, other generation", found(3, 5, 40))
	if got := mustStamps(t, x, s, plane, pid(1)); len(got) != 0 {
		t.Errorf("Stamps of a deleted id = %v, want none", got)
	}
	mustApply(t, x, plane, point("ana", 1, 1, at(50)))
	wantFound(t, x, s, plane, "applied again with a lower version", found(2, 5, 20), found(1, 1, 50))
}

func testVectorGenerations(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	recipe := plane
	recipe.Recipe = 2
	solid := gen("plane", 3)
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	mustApply(t, x, recipe, point("ana", 1, 4, at(20)), point("ana", 2, 1, at(30)))
	mustApply(t, x, solid, point("ana", 3, 1, trilith.Vector{1, 0, 0}))
	wantFound(t, x, s, plane, "one recipe", found(1, 1, 10))
	wantFound(t, x, s, recipe, "the other recipe", found(1, 4, 20), found(2, 1, 30))
	wantFound(t, x, s, gen("unknown", 2), "a generation that holds nothing")
	if got := mustSearch(t, x, s, solid, role.VectorProbe{Vector: trilith.Vector{1, 0, 0}, K: 9}); len(got) != 1 ||
		got[0].ID != pid(3) {
		t.Errorf("Search of the three dimensions = %v, want the third id", got)
	}
	calibrated := plane
	calibrated.Threshold = true // changes how scores are used, not the vectors
	wantFound(t, x, s, calibrated, "equal key", found(1, 1, 10))
}

func testVectorStamps(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	stamp := func(n int, version int64, at time.Time) role.Stamp {
		return role.Stamp{ID: pid(n), Version: version, At: at}
	}
	later := day.Add(time.Hour + time.Microsecond)
	p := point("ana", 2, 4, at(10))
	p.At = later.Add(300 * time.Nanosecond).In(time.FixedZone("east", 3600)) // times are truncated to microseconds
	mustApply(t, x, plane, point("ana", 3, 1, at(10)), p, point("ana", 1, 2, at(10)), point("ben", 4, 1, at(10)))
	for _, c := range []struct {
		what string
		ids  []trilith.ID
		want []role.Stamp
	}{
		{"all", nil, []role.Stamp{stamp(1, 2, day), stamp(2, 4, later), stamp(3, 1, day)}},
		{"some", []trilith.ID{pid(3), pid(9), pid(2), pid(4)}, []role.Stamp{stamp(2, 4, later), stamp(3, 1, day)}},
		{"repeated", []trilith.ID{pid(1), pid(1)}, []role.Stamp{stamp(1, 2, day)}},
		{"unknown", []trilith.ID{pid(9)}, nil},
	} {
		got := mustStamps(t, x, s, plane, c.ids...)
		if diff := gocmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Stamps(%s): -want +got\n%s", c.what, diff)
		}
	}
	narrow := trilith.Scope{Tenant: "ana", User: "u"}
	if got := mustStamps(t, x, narrow, plane); len(got) != 3 {
		t.Errorf("Stamps of a narrow scope = %v, want all three of the tenant", got)
	}
}

func testVectorCut(t *testing.T, x role.VectorIndex) {
	s, other := trilith.Scope{Tenant: "ana"}, gen("other", 2)
	cut := func(n int, version int64) role.Point {
		p := point("ana", n, version, at(10))
		p.Cut = true
		return p
	}
	want := func(what string, g trilith.Generation, want ...bool) {
		t.Helper()
		var got []bool
		for _, st := range mustStamps(t, x, s, g) {
			got = append(got, st.Cut)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("Cut of the stamps, %s: -want +got\n%s", what, diff)
		}
	}
	mustApply(t, x, plane, cut(1, 1), point("ana", 2, 1, at(10)), cut(3, 1))
	mustApply(t, x, other, point("ana", 1, 1, at(10)))
	want("applied", plane, true, false, true)
	want("another generation", other, false)
	mustApply(t, x, plane, point("ana", 1, 2, at(10)), cut(2, 2), point("ana", 3, 0, at(10)))
	want("replaced, the third by a lower version", plane, false, true, true)
	mustDelete(t, x, s, pid(2), pid(3))
	mustApply(t, x, plane, point("ana", 2, 1, at(10)), point("ana", 4, 1, at(10)))
	want("deleted and begun again", plane, false, false, false)
}

func testVectorDrop(t *testing.T, x role.VectorIndex) {
	ana, ben, other := trilith.Scope{Tenant: "ana"}, trilith.Scope{Tenant: "ben"}, gen("other", 2)
	mustApply(t, x, plane, point("ana", 1, 5, at(10)), point("ben", 2, 5, at(20)))
	mustApply(t, x, other, point("ana", 1, 5, at(30)))
	if err := x.Drop(t.Context(), trilith.AsSystem("test"), plane); err != nil {
		t.Fatalf("Drop(%s) = %v", plane, err)
	}
	wantFound(t, x, ana, plane, "dropped")
	wantFound(t, x, ben, plane, "dropped, other tenant")
	wantFound(t, x, ana, other, "not dropped", found(1, 5, 30))
	mustApply(t, x, plane, point("ana", 1, 1, at(40)))
	wantFound(t, x, ana, plane, "begun again", found(1, 1, 40))
}

func testVectorReset(t *testing.T, x role.VectorIndex) {
	ana, ben, other := trilith.Scope{Tenant: "ana"}, trilith.Scope{Tenant: "ben"}, gen("other", 2)
	mustApply(t, x, plane, point("ana", 1, 5, at(10)), point("ben", 2, 5, at(20)))
	mustApply(t, x, other, point("ana", 1, 5, at(30)))
	if err := x.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatalf("Reset() = %v", err)
	}
	wantFound(t, x, ana, plane, "after Reset")
	wantFound(t, x, ben, plane, "after Reset, other tenant")
	wantFound(t, x, ana, other, "after Reset, other generation")
	mustApply(t, x, plane, point("ana", 1, 1, at(40)))
	wantFound(t, x, ana, plane, "begun again", found(1, 1, 40))
}

func testVectorOwnership(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	until := day.Add(time.Hour)
	p := point("ana", 1, 1, at(10))
	p.Facets.Tags = []string{"red"}
	p.Facets.ValidUntil = &until
	list, inner := []any{"x"}, map[string]any{"k": "v"}
	p.Facets.Metadata = map[string]any{"a": "b", "inner": inner, "list": list}
	p.Facets.Fact = fullFact()
	ps := []role.Point{p}
	mustApply(t, x, plane, ps...)
	p.Vector[0], p.Vector[1] = -1, 0
	p.Facets.Tags[0] = "blue"
	p.Facets.Metadata["a"], inner["k"], list[0] = "c", "w", "y"
	until = day.Add(-time.Hour)
	spoil(p.Facets.Fact)
	ps[0] = point("ana", 2, 1, at(0))

	wantFound(t, x, s, plane, "changed by the caller", found(1, 1, 10))
	for _, f := range append([]trilith.Filter{
		trilith.Where("tags", trilith.OpContains, "red"),
		trilith.Where("valid_until", trilith.OpGt, day),
		trilith.Where("metadata.a", trilith.OpEq, "b"),
		trilith.Where("metadata.inner.k", trilith.OpEq, "v"),
		trilith.Where("metadata.list", trilith.OpContains, "x"),
	}, factFilters...) {
		if got := mustSearch(t, x, s, plane, role.VectorProbe{Vector: at(0), K: 5, Filter: f}); len(got) != 1 {
			t.Errorf("Search(%+v) after the caller changed its values = %v, want the point as applied", f, got)
		}
	}
}
