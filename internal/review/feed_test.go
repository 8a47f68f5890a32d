package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// happened writes a feed as a line for each item.
func happened(t *testing.T, e rig.Rig, s trilith.Scope, q trilith.FeedQuery) (lines []string) {
	t.Helper()
	for {
		page, err := e.Feed(t.Context(), s, q)
		if err != nil {
			t.Fatalf("Feed(%+v) = %v", q, err)
		}
		for _, it := range page.Items {
			line := string(it.Kind)
			for _, m := range []*trilith.Memory{it.Before, it.After} {
				if m != nil {
					line += " | " + m.Text
				}
			}
			lines = append(lines, line)
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return lines
		}
	}
}

func TestFeed(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Ticking)
	s := rig.InScope("ana", "", "a")
	rig.SayAs(t, e, s, "", "I live in Oslo.")
	rig.SayAs(t, e, s, "", "I live in Bergen.")
	m := e.Note(t, s, "The key lies under the mat.")
	if _, err := e.Forget(t.Context(), s, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
		t.Fatal(err)
	}
	want := []string{"forgotten | The key lies under the mat.", "learned | The key lies under the mat.",
		"replaced | ana lives in Oslo. | ana lives in Bergen.", "learned | ana lives in Oslo."}
	for _, limit := range []int{0, 1, 3} {
		if diff := cmp.Diff(want, happened(t, e, s, trilith.FeedQuery{Limit: limit})); diff != "" {
			t.Errorf("Feed in pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	if got := happened(t, e, s, trilith.FeedQuery{Kinds: []trilith.FeedKind{trilith.FeedReplaced}}); !slices.Equal(got,
		want[2:3]) {
		t.Errorf("Feed of what was replaced = %q", got)
	}
	all, err := e.Feed(t.Context(), s, trilith.FeedQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if got := happened(t, e, s, trilith.FeedQuery{From: all.Items[2].At, To: all.Items[0].At}); !slices.Equal(got,
		want[1:3]) {
		t.Errorf("Feed between two times = %q, want %q", got, want[1:3])
	}
	if got := happened(t, e, rig.InScope("ben", "", ""), trilith.FeedQuery{}); len(got) != 0 {
		t.Errorf("Feed of another user = %q", got)
	}
	// what it says is enough to take it back
	active := trilith.StateActive
	if _, err := e.Update(t.Context(), s, all.Items[0].Before.ID,
		trilith.UpdateRequest{State: &active, Version: all.Items[0].Before.Version}); err != nil {
		t.Errorf("taking back what was forgotten = %v", err)
	}
	_, err = e.Feed(t.Context(), s, trilith.FeedQuery{Kinds: []trilith.FeedKind{"lost"}})
	rig.WantError(t, "Feed of an unknown kind", err, trilith.Invalid, "kinds")
	_, err = e.Feed(t.Context(), s, trilith.FeedQuery{Cursor: "x"})
	rig.WantError(t, "Feed behind an unknown cursor", err, trilith.Invalid, "cursor")
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Ticking)
	for n := range 30 {
		s := rig.Acme
		s.Actor = []string{"phone", "laptop"}[n%2]
		m := e.Note(t, s, fmt.Sprintf("Note %d.", n))
		if n%5 == 0 {
			if _, err := e.Forget(t.Context(), s, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := e.Audit(t.Context(), rig.Acme, 0, 1000)
	if err != nil || len(all) < 36 {
		t.Fatalf("Audit = %d entries, %v", len(all), err)
	}
	from, to := all[7].At, all[20].At
	for name, c := range map[string]struct {
		q    trilith.AuditQuery
		want func(trilith.AuditEntry) bool
	}{
		"all": {trilith.AuditQuery{}, func(trilith.AuditEntry) bool { return true }},
		"an action": {trilith.AuditQuery{Actions: []string{"forget"}},
			func(a trilith.AuditEntry) bool { return a.Action == "forget" }},
		"a group": {trilith.AuditQuery{Actions: []string{"re*"}}, func(a trilith.AuditEntry) bool {
			return strings.HasPrefix(a.Action, "re")
		}},
		"an actor": {trilith.AuditQuery{Actor: "phone"}, func(a trilith.AuditEntry) bool { return a.Actor == "phone" }},
		"a target": {trilith.AuditQuery{Target: all[3].Target},
			func(a trilith.AuditEntry) bool { return a.Target == all[3].Target }},
		"a time": {trilith.AuditQuery{From: from, To: to}, func(a trilith.AuditEntry) bool {
			return !a.At.Before(from) && a.At.Before(to)
		}},
	} {
		for _, newest := range []bool{false, true} {
			for _, limit := range []int{1, 7, 1000} {
				var want, got []int64
				for _, a := range all {
					if c.want(a) {
						want = append(want, a.Seq)
					}
				}
				if newest {
					slices.Reverse(want)
				}
				for q := c.q; ; {
					q.Newest, q.Limit = newest, limit
					page, err := e.AuditLog(t.Context(), rig.Acme, q)
					if err != nil || len(page.Items) > limit {
						t.Fatalf("AuditLog(%+v) = %d entries, %v", q, len(page.Items), err)
					}
					for _, a := range page.Items {
						got = append(got, a.Seq)
					}
					if q.Cursor = page.NextCursor; q.Cursor == "" {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("AuditLog of %s, newest %v, in pages of %d = %v, want %v", name, newest, limit, got, want)
				}
			}
		}
	}
	if page, err := e.AuditLog(t.Context(), trilith.Scope{Tenant: "nobody"},
		trilith.AuditQuery{Newest: true}); err != nil ||
		len(page.Items) != 0 || page.NextCursor != "" {
		t.Errorf("AuditLog of an empty tenant = %+v, %v", page, err)
	}
}
