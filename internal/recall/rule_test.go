package recall

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }
	end := day(10)
	base := trilith.Memory{ID: trilith.DeriveID("m"), Version: 2, Kind: trilith.KindEpisode, State: trilith.StateActive,
		Scope: trilith.Scope{Tenant: "t", User: "ana"}, EventTime: day(1)}
	ofScope := rule{scope: trilith.Scope{Tenant: "t"}, states: []trilith.State{trilith.StateActive}}
	onlyNotes, err := trilith.Where("kind", trilith.OpEq, "note").Compile()
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(*trilith.Memory)) *trilith.Memory {
		m := base
		change(&m)
		return &m
	}
	same := with(func(*trilith.Memory) {})
	for _, c := range []struct {
		name string
		rule func(r *rule)
		m    *trilith.Memory
		seen int64
		want string
	}{
		{"a memory that satisfies everything is a hit", nil, same, 2, ""},
		{"an id that the truth does not hold is an orphan", nil, nil, 2, trilith.DropMissing},
		{"another tenant's memory is as good as missing", func(r *rule) { r.scope.Tenant = "u" }, same, 2,
			trilith.DropMissing},
		{"another user's memory is as good as missing", func(r *rule) { r.scope.User = "ben" }, same, 2,
			trilith.DropMissing},
		{"a forgotten memory stays forgotten", nil, with(func(m *trilith.Memory) { m.State = trilith.StateRetracted }), 2,
			trilith.DropState},
		{"what began later did not hold then", func(r *rule) { r.at.World = day(1).Add(-time.Second) }, same, 2,
			trilith.DropValidity},
		{"what had ended did not hold then", func(r *rule) { r.at.World = day(10) },
			with(func(m *trilith.Memory) { m.ValidUntil = &end }), 2, trilith.DropValidity},
		{"the moment before its end it held", func(r *rule) { r.at.World = day(10).Add(-time.Microsecond) },
			with(func(m *trilith.Memory) { m.ValidUntil = &end }), 2, ""},
		{"the filter is asked again on the truth", func(r *rule) { r.match = onlyNotes }, same, 2,
			trilith.DropFilter},
		{"a filter that fails on a newer version means a stale index", func(r *rule) { r.match = onlyNotes },
			same, 1, trilith.DropStale},
	} {
		r := ofScope
		if c.rule != nil {
			c.rule(&r)
		}
		if got := r.check(c.m, c.seen); got != c.want {
			t.Errorf("%s: check(%+v, %d) = %q, want %q", c.name, c.m, c.seen, got, c.want)
		}
	}
}

// A share that differs from its origin is not returned: the origin is the truth.
func TestOrigin(t *testing.T) {
	t.Parallel()
	began, end := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 3, 10, 0, 0, 0, 0, time.UTC)
	base := trilith.Memory{ID: trilith.DeriveID("m"), Text: "words", State: trilith.StateActive,
		Scope: trilith.Scope{Tenant: "t", User: "ana"}, EventTime: began}
	share := base
	share.ID, share.SharedFrom, share.Scope.User = trilith.DeriveID("s"), base.ID, "ben"
	ofScope := rule{scope: trilith.Scope{Tenant: "t", User: "ben"}, states: []trilith.State{trilith.StateActive}}
	with := func(change func(*trilith.Memory)) *trilith.Memory {
		m := base
		change(&m)
		return &m
	}
	for _, c := range []struct {
		name   string
		origin *trilith.Memory
		asOf   time.Time
		want   string
	}{
		{"the two agree", &base, time.Time{}, ""},
		{"the origin is gone", nil, time.Time{}, trilith.DropMissing},
		{"the origin is another tenant's", with(func(m *trilith.Memory) { m.Scope.Tenant = "u" }), time.Time{},
			trilith.DropMissing},
		{"the origin was forgotten", with(func(m *trilith.Memory) { m.State = trilith.StateRetracted }), time.Time{},
			trilith.DropState},
		{"the origin has another wording", with(func(m *trilith.Memory) { m.Text = "other words" }), time.Time{},
			trilith.DropStale},
		{"the origin did not hold then", with(func(m *trilith.Memory) { m.ValidUntil = &end }), end, trilith.DropValidity},
		{"the origin held then", with(func(m *trilith.Memory) { m.ValidUntil = &end }), began, ""},
	} {
		r := ofScope
		r.at = trilith.Moment{World: c.asOf}
		if got := r.checkOrigin(&share, c.origin); got != c.want {
			t.Errorf("%s: checkOrigin = %q, want %q", c.name, got, c.want)
		}
	}
}
