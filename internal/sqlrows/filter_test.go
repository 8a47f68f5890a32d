package sqlrows_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/sqlrows"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  float64
		ok    bool
	}{
		{3, 3, true}, {int64(-4), -4, true}, {float32(0.5), 0.5, true}, {2.25, 2.25, true},
		{json.Number("1e3"), 1000, true}, {json.Number("x"), 0, false}, {"3", 0, false}, {nil, 0, false},
		{true, 0, false},
	} {
		if n, ok := sqlrows.Number(c.value); n != c.want || ok != c.ok {
			t.Errorf("Number(%#v) = %v, %t; want %v, %t", c.value, n, ok, c.want, c.ok)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, ok := sqlrows.Number(odd); ok {
			t.Errorf("Number(%v) is ok, though SQL does not order it as Go does", odd)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	for _, v := range []any{at, at.Format(time.RFC3339Nano)} {
		if got, ok := sqlrows.Time(v); !ok || !got.Equal(cairn.Time(at)) {
			t.Errorf("Time(%v) = %v, %t; want %v", v, got, ok, cairn.Time(at))
		}
	}
	for _, v := range []any{"yesterday", 12, nil} {
		if got, ok := sqlrows.Time(v); ok {
			t.Errorf("Time(%v) = %v, want none", v, got)
		}
	}
}

// A filter requires episodes only if no fact without evidence in them can pass.
func TestRestingOn(t *testing.T) {
	t.Parallel()
	on := func(id string) cairn.Filter { return cairn.Where("evidence", cairn.OpContains, id) }
	kind := cairn.Where("kind", cairn.OpEq, "fact")
	negated := on("a")
	for _, c := range []struct {
		filter cairn.Filter
		want   []string
	}{
		{cairn.Filter{}, nil},
		{kind, nil},
		{on("a"), []string{"a"}},
		{on(""), nil}, // not a text that could be compared
		{cairn.AllOf(kind, on("a")), []string{"a"}},
		{cairn.Filter{Or: []cairn.Filter{on("a"), on("b")}}, []string{"a", "b"}},
		{cairn.Filter{Or: []cairn.Filter{on("a"), kind}}, nil},
		{cairn.AllOf(kind, cairn.Filter{Or: []cairn.Filter{on("a"), cairn.AllOf(kind, on("b"))}}), []string{"a", "b"}},
		{cairn.Filter{Not: &negated}, nil},
		{cairn.Where("evidence", cairn.OpEq, "a"), nil},
	} {
		got := sqlrows.RestingOn(c.filter, func(v any) (string, bool) { s, ok := v.(string); return s, ok && s != "" })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("RestingOn(%+v):\n%s", c.filter, diff)
		}
	}
}

// The conditions are numbered as they are.
func TestSeen(t *testing.T) {
	t.Parallel()
	seen := func(s cairn.Scope) []string {
		n := 0
		return sqlrows.Seen(s, func(field, value string) string {
			n++
			return fmt.Sprintf("%s=%s$%d", field, value, n)
		})
	}
	if got := seen(cairn.Scope{Tenant: "acme"}); got != nil {
		t.Errorf("Seen by a whole tenant = %q, want no condition", got)
	}
	ana := cairn.Scope{Tenant: "acme", Domain: "d", User: "ana"}
	if diff := cmp.Diff([]string{"domain=d$1", "user=ana$2"}, seen(ana)); diff != "" {
		t.Errorf("Seen by a user:\n%s", diff)
	}
	want := fmt.Sprintf("(project=p$1 AND user=ana$2 OR owner=%s$3 AND user=ana$4 OR owner=%s$5 AND project=p$6)",
		cairn.UserOwner("ana"), cairn.ProjectOwner("p"))
	if diff := cmp.Diff([]string{want}, seen(cairn.Scope{Tenant: "acme", Project: "p", User: "ana"})); diff != "" {
		t.Errorf("Seen by a user in a project:\n%s", diff)
	}
}
