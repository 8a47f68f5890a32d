package embedded_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// TestRelease: an index that was released is read again, with the changes that another process has written meanwhile;
// nothing is lost.
func TestRelease(t *testing.T) {
	t.Parallel()
	ctx, blobs := t.Context(), newBlobs()
	g := trilith.Generation{Provider: "test", Model: "m", Dims: 2, Recipe: 1}
	ana := trilith.Scope{Tenant: "ana"}
	apply := func(x *embedded.Vector, ids ...trilith.ID) {
		t.Helper()
		var ps []role.Point
		for _, id := range ids {
			ps = append(ps, role.Point{
				Facets: trilith.Facets{ID: id, Version: 1, Kind: trilith.KindNote, Scope: ana, EventTime: time.Unix(0, 0),
					RecordedAt: time.Unix(0, 0)},
				Vector: trilith.Vector{1, 0}})
		}
		if err := x.Apply(ctx, g, ps); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, x *embedded.Vector, want ...trilith.ID) {
		t.Helper()
		found, err := indextest.First(x.Search(ctx, ana, g, role.VectorProbe{Vector: trilith.Vector{1, 0}, K: 9}))
		if err != nil {
			t.Fatal(err)
		}
		var got []trilith.ID
		for _, c := range found {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	x, other := embedded.NewVector(blobs), embedded.NewVector(blobs)
	apply(x, "a", "b")
	want("before", x, "a", "b")
	apply(other, "c")
	x.Release(g)
	want("released", x, "a", "b", "c")
	kept := embedded.NewVector(nil)
	apply(kept, "a")
	kept.Release(g)
	want("released without blobs", kept, "a")
}
