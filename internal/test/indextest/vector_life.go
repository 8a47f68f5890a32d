package indextest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// searchOfWhole searches while others write, and checks that each score is that of the version returned with it, or
// of an earlier one if the index may be behind. Each version of a point has its own angle.
func searchOfWhole(ctx context.Context, x role.VectorIndex, s trilith.Scope, behind bool) error {
	got, err := First(x.Search(ctx, s, plane, role.VectorProbe{Vector: at(0), K: role.ExactCandidates}))
	if err != nil {
		return err
	}
	for _, c := range got {
		cosine := func(version int64) float64 { return math.Cos(float64(version) * math.Pi / 180) }
		version := c.Version
		for behind && version > 1 && math.Abs(c.Score-cosine(version)) > scoreTolerance {
			version--
		}
		if math.Abs(c.Score-cosine(version)) > scoreTolerance {
			return fmt.Errorf("version %d with score %v, want %v", c.Version, c.Score, cosine(c.Version))
		}
	}
	return nil
}

func testVectorConcurrency(t *testing.T, x role.VectorIndex, behind bool) {
	const points, versions = 8, 20
	tenants := []string{"ana", "ben"}
	ctx := t.Context()
	var wg sync.WaitGroup
	fail := make(chan error, 64)
	do := func(f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				fail <- err
			}
		})
	}
	for _, tenant := range tenants {
		s := trilith.Scope{Tenant: tenant}
		for _, parity := range []int64{0, 1} { // two writers compete for the same ids
			do(func() error {
				for v := 2 - parity; v <= versions; v += 2 {
					var ps []role.Point
					for n := range points {
						ps = append(ps, point(tenant, n, v, at(float64(v))))
					}
					if err := x.Apply(ctx, plane, ps); err != nil {
						return err
					}
				}
				return nil
			})
		}
		do(func() error {
			for range versions {
				if err := searchOfWhole(ctx, x, s, behind); err != nil {
					return err
				}
				if _, err := x.Stamps(ctx, s, plane, nil); err != nil {
					return err
				}
			}
			return nil
		})
		do(func() error {
			for n := range versions {
				if err := x.Delete(ctx, s, []trilith.ID{pid(points + n)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	do(func() error {
		for range 5 {
			if err := x.Drop(ctx, trilith.AsSystem("test"), gen("other", 2)); err != nil {
				return err
			}
		}
		return nil
	})
	wg.Wait()
	close(fail)
	var errs []error
	for err := range fail {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range tenants {
		var want []role.Candidate
		for n := range points {
			want = append(want, found(n, versions, versions))
		}
		wantFound(t, x, trilith.Scope{Tenant: tenant}, plane, "after all writers", want...)
	}
}

func testVectorReopen(t *testing.T, h VectorHarness) {
	x := openVector(t, h)
	ana, ben, other := trilith.Scope{Tenant: "ana"}, trilith.Scope{Tenant: "ben"}, gen("other", 2)
	full := fullPoint("ana", 1)
	mustApply(t, x, plane, full, point("ana", 2, 5, at(20)), point("ana", 3, 5, at(30)), point("ben", 1, 5, at(40)))
	mustApply(t, x, other, point("ana", 1, 9, at(50)), point("ana", 3, 9, at(50)))
	mustApply(t, x, plane, point("ana", 2, 6, at(60)))
	mustDelete(t, x, ana, pid(3))
	cut := point("ana", 4, 1, at(70))
	cut.Cut = true
	mustApply(t, x, other, cut)

	x = h.Reopen(t, x)
	t.Cleanup(func() { x.Close() })
	mustDelete(t, x, ben, pid(1)) // before any part of it was read
	wantFound(t, x, ben, plane, "deleted as the first thing")
	wantFound(t, x, ana, plane, "reopened", found(1, full.Facets.Version, 10), found(2, 6, 60))
	wantFound(t, x, ana, other, "reopened, other generation", found(1, 9, 50), found(4, 1, 70))
	if got := mustStamps(t, x, ana, other, pid(1), pid(4)); len(got) != 2 || got[0].Cut || !got[1].Cut {
		t.Errorf("Stamps after reopening = %+v, want the second to stand for the beginning of its text", got)
	}
	for _, f := range fullFilters {
		if got := mustSearch(t, x, ana, plane, role.VectorProbe{Vector: at(0), K: 5, Filter: f}); len(got) != 1 ||
			got[0].ID != pid(1) {
			t.Errorf("Search(%+v) after reopening = %v, want the first id", f, got)
		}
	}
	want := []role.Stamp{{ID: pid(1), Version: full.Facets.Version, At: full.At}, {ID: pid(2), Version: 6, At: day}}
	if diff := cmp.Diff(want, mustStamps(t, x, ana, plane)); diff != "" {
		t.Errorf("Stamps after reopening: -want +got\n%s", diff)
	}
	mustApply(t, x, plane, point("ana", 2, 5, at(0)))
	wantFound(t, x, ana, plane, "an older version after reopening", found(1, full.Facets.Version, 10), found(2, 6, 60))

	if err := x.Drop(t.Context(), trilith.AsSystem("test"), plane); err != nil {
		t.Fatalf("Drop(%s) = %v", plane, err)
	}
	x = h.Reopen(t, x)
	t.Cleanup(func() { x.Close() })
	wantFound(t, x, ana, plane, "dropped, then reopened")
	wantFound(t, x, ana, other, "kept, then reopened", found(1, 9, 50), found(4, 1, 70))
	if err := x.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatalf("Reset() = %v", err)
	}
	x = h.Reopen(t, x)
	t.Cleanup(func() { x.Close() })
	wantFound(t, x, ana, other, "reset, then reopened")
}
