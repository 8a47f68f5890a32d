package sqlrows_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
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
		if got, ok := sqlrows.Time(v); !ok || !got.Equal(trilith.Time(at)) {
			t.Errorf("Time(%v) = %v, %t; want %v", v, got, ok, trilith.Time(at))
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
	on := func(id string) trilith.Filter { return trilith.Where("evidence", trilith.OpContains, id) }
	kind := trilith.Where("kind", trilith.OpEq, "fact")
	negated := on("a")
	for _, c := range []struct {
		filter trilith.Filter
		want   []string
	}{
		{trilith.Filter{}, nil},
		{kind, nil},
		{on("a"), []string{"a"}},
		{on(""), nil}, // not a text that could be compared
		{trilith.AllOf(kind, on("a")), []string{"a"}},
		{trilith.Filter{Or: []trilith.Filter{on("a"), on("b")}}, []string{"a", "b"}},
		{trilith.Filter{Or: []trilith.Filter{on("a"), kind}}, nil},
		{trilith.AllOf(kind, trilith.Filter{Or: []trilith.Filter{on("a"), trilith.AllOf(kind, on("b"))}}),
			[]string{"a", "b"}},
		{trilith.Filter{Not: &negated}, nil},
		{trilith.Where("evidence", trilith.OpEq, "a"), []string{"a"}}, // a list equals each of its texts
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
	seen := func(s trilith.Scope) []string {
		n := 0
		return sqlrows.Seen(s, func(field, value string) string {
			n++
			return fmt.Sprintf("%s=%s$%d", field, value, n)
		})
	}
	if got := seen(trilith.Scope{Tenant: "acme"}); got != nil {
		t.Errorf("Seen by a whole tenant = %q, want no condition", got)
	}
	ana := trilith.Scope{Tenant: "acme", Domain: "d", User: "ana"}
	if diff := cmp.Diff([]string{"domain=d$1", "user=ana$2"}, seen(ana)); diff != "" {
		t.Errorf("Seen by a user:\n%s", diff)
	}
	want := fmt.Sprintf("(project=p$1 AND user=ana$2 OR owner=%s$3 AND user=ana$4 OR owner=%s$5 AND project=p$6)",
		trilith.UserOwner("ana"), trilith.ProjectOwner("p"))
	if diff := cmp.Diff([]string{want}, seen(trilith.Scope{Tenant: "acme", Project: "p", User: "ana"})); diff != "" {
		t.Errorf("Seen by a user in a project:\n%s", diff)
	}
}
