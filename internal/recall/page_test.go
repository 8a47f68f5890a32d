package recall_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// paged lists page by page, and fails where a page holds more than it may.
func paged(t *testing.T, r rig.Rig, s trilith.Scope, req trilith.ListRequest) []trilith.Memory {
	t.Helper()
	var got []trilith.Memory
	for pages := 0; ; pages++ {
		p, err := r.List(t.Context(), s, req)
		if err != nil || len(p.Items) > req.Limit || pages > 1000 {
			t.Fatalf("List(%+v) = %d items, %v, page %d", req, len(p.Items), err, pages)
		}
		got = append(got, p.Items...)
		if req.Cursor = p.NextCursor; req.Cursor == "" {
			return got
		}
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	session := trilith.Scope{Tenant: rig.Ana.Tenant, User: rig.Ana.User, Session: "kitchen"}
	for name, e := range map[string]rig.Rig{"inmem": rig.InMemory(t), "sqlite": rig.OnFile(t, rig.NewPath(t))} {
		first := e.MustRemember(t, session, trilith.RememberRequest{Messages: rig.Conversation(23)}).Memories
		second := e.MustRemember(t, session, trilith.RememberRequest{Messages: rig.Conversation(9)}).Memories
		e.MustRemember(t, rig.Ben, trilith.RememberRequest{Messages: rig.Conversation(5)})
		want := rig.IDsOf(append(first, second...))
		backwards := slices.Clone(want)
		slices.Reverse(backwards)
		for _, s := range []trilith.Scope{rig.Ana, session} {
			for _, limit := range []int{1, 7, 32, 50} {
				for newest, want := range map[bool][]trilith.ID{false: want, true: backwards} {
					got := rig.IDsOf(paged(t, e, s, trilith.ListRequest{Limit: limit, Newest: newest}))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: paging by %d, newest %v, must show each turn once and in its order (-want +got):\n%s", name, limit, newest, diff)
					}
				}
			}
		}
		page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{Limit: 3})
		if err != nil || page.NextCursor == "" {
			t.Fatalf("%s: List(limit 3) = %d items, more after %q, %v", name, len(page.Items), page.NextCursor, err)
		}
		if other, err := e.List(t.Context(), rig.Ben, trilith.ListRequest{Cursor: page.NextCursor}); err != nil ||
			slices.ContainsFunc(other.Items, func(m trilith.Memory) bool { return m.Scope.User != "ben" }) {
			t.Errorf("%s: a cursor of ana's shows ben %q, %v", name, rig.TextsOf(hitsOf(other.Items)), err)
		}
		for names, req := range map[string]trilith.ListRequest{
			"limit":      {Limit: trilith.MaxPageSize + 1},
			"cursor":     {Cursor: "page two"},
			"order":      {Cursor: page.NextCursor, Newest: true},
			"filter":     {Filter: trilith.Where("usr", trilith.OpEq, "ana")},
			"use candid": {States: []trilith.State{"active,retracted"}},
		} {
			_, err := e.List(t.Context(), rig.Ana, req)
			rig.WantError(t, fmt.Sprintf("%s: List(%+v)", name, req), err, trilith.Invalid, names)
		}
	}
}

func hitsOf(ms []trilith.Memory) []trilith.Hit {
	hits := make([]trilith.Hit, len(ms))
	for i := range ms {
		hits[i].Memory = ms[i]
	}
	return hits
}

// A listing is about active memories. Others come only where a request or its filter speaks of states.
func TestListStates(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	over, ahead := now.AddDate(0, 0, -1), now.AddDate(0, 0, 1)
	e := rig.InMemory(t, rig.At(now))
	e.PutFacts(t, trilith.Memory{Text: "active", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "still", ValidUntil: &ahead, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "over", ValidUntil: &over, Fact: &trilith.Fact{}}, // nothing has noticed yet
		trilith.Memory{Text: "candidate", State: trilith.StateCandidate, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "superseded", State: trilith.StateSuperseded, SupersededBy: trilith.DeriveID("heir"),
			Fact: &trilith.Fact{}},
		trilith.Memory{Text: "retracted", State: trilith.StateRetracted, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "expired", State: trilith.StateExpired, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "quarantined", State: trilith.StateQuarantined, Fact: &trilith.Fact{}})
	deep := trilith.Where("kind", trilith.OpEq, trilith.KindFact)
	for range trilith.MaxFilterDepth - 1 {
		deep = trilith.Filter{Or: []trilith.Filter{deep}}
	}
	for _, c := range []struct {
		request trilith.ListRequest
		want    string
	}{
		{trilith.ListRequest{}, "active still"},
		{trilith.ListRequest{Filter: deep}, "active still"},
		{trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)}, "active still"},
		{trilith.ListRequest{States: []trilith.State{trilith.StateRetracted}}, "retracted"},
		{trilith.ListRequest{States: []trilith.State{trilith.StateExpired}}, "expired over"},
		{trilith.ListRequest{States: []trilith.State{trilith.StateActive, trilith.StateQuarantined}},
			"active quarantined still"},
		{trilith.ListRequest{States: trilith.States()},
			"active candidate expired over quarantined retracted still superseded"},
		{trilith.ListRequest{Filter: trilith.Filter{Not: &trilith.Filter{Field: "state", Op: trilith.OpEq, Value: "active"}}},
			"candidate expired quarantined retracted superseded"},
	} {
		for _, newest := range []bool{false, true} {
			c.request.Newest, c.request.Limit = newest, 2
			got := rig.Texts(paged(t, e, rig.Acme, c.request))
			slices.Sort(got)
			if strings.Join(got, " ") != c.want {
				t.Errorf("List(%+v) = %q, want %q", c.request, got, c.want)
			}
		}
	}
}

// A page ends where it has become large, wherever its limit is, and the next one goes on there.
func TestListPagesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for n := range 30 { // quotes are twice as long in JSON
		e.Note(t, rig.Ana, fmt.Sprintf("Number %d: %s.", n, strings.Repeat(`a "b" `, 40_000)))
	}
	for _, newest := range []bool{false, true} {
		seen := 0
		for req := (trilith.ListRequest{Limit: trilith.MaxPageSize, Newest: newest}); ; {
			p, err := e.List(t.Context(), rig.Acme, req)
			if err != nil || len(p.Items) == 0 {
				t.Fatalf("List(newest %v) behind %d = %d items, %v", newest, seen, len(p.Items), err)
			}
			body, err := json.Marshal(p)
			if err != nil || len(body) > trilith.MaxPageBytes+trilith.MaxPageSize || len(p.Items) > 1 &&
				len(body) < trilith.MaxPageBytes/2 && p.NextCursor != "" {
				t.Errorf("a page of %d memories takes %d bytes, %v; at most %d are allowed", len(p.Items), len(body),
					err, trilith.MaxPageBytes)
			}
			seen += len(p.Items)
			if req.Cursor = p.NextCursor; req.Cursor == "" {
				break
			}
		}
		if seen != 30 {
			t.Errorf("paging, newest %v, showed %d memories of 30", newest, seen)
		}
	}
}
