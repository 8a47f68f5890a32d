package indextest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var vectorRefusals = []vectorCase{
	{"NoTenant", "every call without a tenant is Invalid and has no effect", testVectorNoTenant},
	{"BadVectors", "points whose vectors are not unit vectors of the generation are Invalid and nothing of the call is stored",
		testVectorBadVectors},
	{"BadProbes", "K is between 1 and MaxCandidates, the probe's vector follows the rules of Apply, and the filter must be valid",
		testVectorBadProbes},
	{"NoSystem", "a call for all tenants requires an explicit permission", testVectorNoSystem},
	{"Canceled", "a context error passes through unchanged", testVectorCanceled},
	{"Closed", "a closed index answers Unavailable, and closing twice is no error", testVectorClosed},
}

func wantKind(t *testing.T, what string, err error, want trilith.ErrorKind) {
	t.Helper()
	if err == nil || trilith.KindOf(err) != want {
		t.Errorf("%s = %v, want an error of kind %s", what, err, want)
	}
}

func testVectorNoTenant(t *testing.T, x role.VectorIndex) {
	ctx := t.Context()
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	for _, s := range []trilith.Scope{{}, {User: "u"}, {Tenant: "a/b"}} {
		_, err := x.Search(ctx, s, plane, role.VectorProbe{Vector: at(0), K: 1})
		wantKind(t, "Search without a tenant", err, trilith.Invalid)
		_, err = x.Stamps(ctx, s, plane, nil)
		wantKind(t, "Stamps without a tenant", err, trilith.Invalid)
		wantKind(t, "Delete without a tenant", x.Delete(ctx, s, []trilith.ID{pid(1)}), trilith.Invalid)
		p := point("", 3, 1, at(20))
		p.Facets.Scope = s
		wantKind(t, "Apply without a tenant", x.Apply(ctx, plane, []role.Point{point("ana", 2, 1, at(20)), p}),
			trilith.Invalid)
	}
	wantFound(t, x, trilith.Scope{Tenant: "ana"}, plane, "after refusals", found(1, 1, 10))
}

// badVectors are refused in the generation of the plane.
var badVectors = []struct {
	what string
	v    trilith.Vector
}{
	{"nil", nil},
	{"too few dimensions", trilith.Vector{1}},
	{"too many dimensions", trilith.Vector{1, 0, 0}},
	{"zero", trilith.Vector{0, 0}},
	{"too long", trilith.Vector{1.01, 0}},
	{"too short", trilith.Vector{0.7, 0.7}},
	{"NaN", trilith.Vector{float32(math.NaN()), 1}},
	{"infinite", trilith.Vector{float32(math.Inf(1)), 0}},
	{"negative infinite", trilith.Vector{0, float32(math.Inf(-1))}},
	{"of a length that overflows", trilith.Vector{math.MaxFloat32, math.MaxFloat32}},
}

func testVectorBadVectors(t *testing.T, x role.VectorIndex) {
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	for _, c := range badVectors {
		ps := []role.Point{point("ana", 1, 2, at(20)), point("ben", 2, 1, at(20)), point("ana", 3, 1, c.v),
			point("ana", 4, 1, at(20))}
		wantKind(t, "Apply of a vector "+c.what, x.Apply(t.Context(), plane, ps), trilith.Invalid)
	}
	wantFound(t, x, trilith.Scope{Tenant: "ana"}, plane, "after refusals", found(1, 1, 10))
	wantFound(t, x, trilith.Scope{Tenant: "ben"}, plane, "after refusals")
	mustApply(t, x, plane, point("ben", 5, 1, trilith.Vector{1.0005, 0}))
	if got := mustStamps(t, x, trilith.Scope{Tenant: "ben"}, plane); len(got) != 1 {
		t.Errorf("Stamps after a vector within the tolerance = %v, want it stored", got)
	}
}

func testVectorBadProbes(t *testing.T, x role.VectorIndex) {
	s := trilith.Scope{Tenant: "ana"}
	for _, filled := range []bool{false, true} {
		if filled {
			mustApply(t, x, plane, point("ana", 1, 1, at(10)))
		}
		for _, k := range []int{-1, 0, role.MaxCandidates + 1} {
			_, err := x.Search(t.Context(), s, plane, role.VectorProbe{Vector: at(0), K: k})
			wantKind(t, "Search with a k out of bounds", err, trilith.Invalid)
		}
		_, err := x.Search(t.Context(), s, plane,
			role.VectorProbe{Vector: at(0), K: 1, IDs: make([]trilith.ID, trilith.MaxFilterList+1)})
		wantKind(t, "Search among too many ids", err, trilith.Invalid)
		for _, c := range badVectors {
			_, err := x.Search(t.Context(), s, plane, role.VectorProbe{Vector: c.v, K: 1})
			wantKind(t, "Search for a vector "+c.what, err, trilith.Invalid)
		}
		for _, f := range []trilith.Filter{
			trilith.Where("nonsense", trilith.OpEq, 1), trilith.Where("kind", "like", "x"),
			trilith.Where("seq", trilith.OpEq, "1"), {And: []trilith.Filter{}},
		} {
			_, err := x.Search(t.Context(), s, plane, role.VectorProbe{Vector: at(0), K: 1, Filter: f})
			wantKind(t, "Search with an invalid filter", err, trilith.Invalid)
		}
	}
}

func testVectorNoSystem(t *testing.T, x role.VectorIndex) {
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	wantKind(t, "Drop without permission", x.Drop(t.Context(), trilith.System{}, plane), trilith.Internal)
	wantKind(t, "Reset without permission", x.Reset(t.Context(), trilith.System{}), trilith.Internal)
	wantFound(t, x, trilith.Scope{Tenant: "ana"}, plane, "after refusals", found(1, 1, 10))
}

// everyCall calls each method that can fail.
func everyCall(ctx context.Context, x role.VectorIndex) map[string]error {
	s, sys := trilith.Scope{Tenant: "ana"}, trilith.AsSystem("test")
	_, search := x.Search(ctx, s, plane, role.VectorProbe{Vector: at(0), K: 1})
	_, stamps := x.Stamps(ctx, s, plane, nil)
	return map[string]error{
		"Apply":  x.Apply(ctx, plane, []role.Point{point("ana", 2, 1, at(20))}),
		"Search": search,
		"Stamps": stamps,
		"Delete": x.Delete(ctx, s, []trilith.ID{pid(1)}),
		"Drop":   x.Drop(ctx, sys, plane),
		"Reset":  x.Reset(ctx, sys),
	}
}

func testVectorCanceled(t *testing.T, x role.VectorIndex) {
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for method, err := range everyCall(ctx, x) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context = %v, want %v", method, err, context.Canceled)
		}
	}
	wantFound(t, x, trilith.Scope{Tenant: "ana"}, plane, "after canceled calls", found(1, 1, 10))
}

func testVectorClosed(t *testing.T, x role.VectorIndex) {
	mustApply(t, x, plane, point("ana", 1, 1, at(10)))
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
	}
	for method, err := range everyCall(t.Context(), x) {
		wantKind(t, method+" after Close", err, trilith.Unavailable)
	}
}
