package indextest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var textRefusals = []textCase{
	{"NoTenant", "every call without a tenant is Invalid and has no effect", testTextNoTenant},
	{"BadFilter", "an invalid filter is Invalid even where there is nothing to filter", testTextBadFilter},
	{"NoSystem", "a call for all tenants requires an explicit permission", testTextNoSystem},
	{"Canceled", "a context error passes through unchanged", testTextCanceled},
	{"Closed", "a closed index answers Unavailable, and closing twice is no error", testTextClosed},
}

func testTextNoTenant(t *testing.T, x role.TextIndex) {
	ctx := t.Context()
	putTexts(t, x, text("ana", 1, 1, "apple"))
	for _, s := range []trilith.Scope{{}, {User: "u"}, {Tenant: "a/b"}} {
		_, err := x.Search(ctx, s, role.TextProbe{Text: "apple", K: 1})
		wantKind(t, "Search without a tenant", err, trilith.Invalid)
		_, err = x.Stamps(ctx, s, nil)
		wantKind(t, "Stamps without a tenant", err, trilith.Invalid)
		wantKind(t, "Delete without a tenant", x.Delete(ctx, s, []trilith.ID{pid(1)}), trilith.Invalid)
		p := text("", 3, 1, "apple")
		p.Facets.Scope = s
		wantKind(t, "Apply without a tenant", x.Apply(ctx, []role.TextPoint{text("ana", 2, 1, "apple"), p}),
			trilith.Invalid)
	}
	wantTexts(t, x, ana, "apple", 1)
}

func testTextBadFilter(t *testing.T, x role.TextIndex) {
	for _, f := range []trilith.Filter{trilith.Where("colour", trilith.OpEq, "red"), trilith.Where("kind", "like", "x"),
		{And: []trilith.Filter{}}} {
		for _, query := range []string{"apple", ""} {
			_, err := x.Search(t.Context(), ana, role.TextProbe{Text: query, Filter: f, K: 1})
			wantKind(t, fmt.Sprintf("Search(%q) with an invalid filter", query), err, trilith.Invalid)
		}
	}
}

func testTextNoSystem(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 1, "apple"))
	wantKind(t, "Reset with the zero System", x.Reset(t.Context(), trilith.System{}), trilith.Internal)
	wantTexts(t, x, ana, "apple", 1)
}

func everyTextCall(ctx context.Context, x role.TextIndex) map[string]error {
	_, search := x.Search(ctx, ana, role.TextProbe{Text: "apple", K: 1})
	_, stamps := x.Stamps(ctx, ana, nil)
	return map[string]error{"Search": search, "Stamps": stamps,
		"Apply":  x.Apply(ctx, []role.TextPoint{text("ana", 1, 1, "apple")}),
		"Delete": x.Delete(ctx, ana, []trilith.ID{pid(1)}),
		"Reset":  x.Reset(ctx, trilith.AsSystem("test"))}
}

func testTextCanceled(t *testing.T, x role.TextIndex) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range everyTextCall(ctx, x) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context = %v, want context.Canceled", name, err)
		}
	}
}

func testTextClosed(t *testing.T, x role.TextIndex) {
	for range 2 {
		if err := x.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
	for name, err := range everyTextCall(t.Context(), x) {
		wantKind(t, name+" of a closed index", err, trilith.Unavailable)
	}
}
