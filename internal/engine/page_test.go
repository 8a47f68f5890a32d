package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
)

// paged lists page by page, and fails where a page holds more than it may.
func (r rig) paged(t *testing.T, s cairn.Scope, req cairn.ListRequest) []cairn.Memory {
	t.Helper()
	var got []cairn.Memory
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
	session := cairn.Scope{Tenant: ana.Tenant, User: ana.User, Session: "kitchen"}
	for name, e := range map[string]rig{"inmem": inMemory(t), "sqlite": onFile(t, newPath(t))} {
		first := e.remember(t, session, cairn.RememberRequest{Messages: conversation(23)}).Memories
		second := e.remember(t, session, cairn.RememberRequest{Messages: conversation(9)}).Memories
		e.remember(t, ben, cairn.RememberRequest{Messages: conversation(5)})
		want := idsOf(append(first, second...))
		backwards := slices.Clone(want)
		slices.Reverse(backwards)
		for _, s := range []cairn.Scope{ana, session} {
			for _, limit := range []int{1, 7, 32, 50} {
				for newest, want := range map[bool][]cairn.ID{false: want, true: backwards} {
					got := idsOf(e.paged(t, s, cairn.ListRequest{Limit: limit, Newest: newest}))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: paging by %d, newest %v, must show each turn once and in its order (-want +got):\n%s", name, limit, newest, diff)
					}
				}
			}
		}
		page, err := e.List(t.Context(), ana, cairn.ListRequest{Limit: 3})
		if err != nil || page.NextCursor == "" {
			t.Fatalf("%s: List(limit 3) = %d items, more after %q, %v", name, len(page.Items), page.NextCursor, err)
		}
		if other, err := e.List(t.Context(), ben, cairn.ListRequest{Cursor: page.NextCursor}); err != nil ||
			slices.ContainsFunc(other.Items, func(m cairn.Memory) bool { return m.Scope.User != "ben" }) {
			t.Errorf("%s: a cursor of ana's shows ben %q, %v", name, textsOf(hitsOf(other.Items)), err)
		}
		for names, req := range map[string]cairn.ListRequest{
			"limit":      {Limit: cairn.MaxPageSize + 1},
			"cursor":     {Cursor: "page two"},
			"older":      {Cursor: string(want[0])},
			"order":      {Cursor: page.NextCursor, Newest: true},
			"filter":     {Filter: cairn.Where("usr", cairn.OpEq, "ana")},
			"use candid": {States: []cairn.State{"active,retracted"}},
		} {
			_, err := e.List(t.Context(), ana, req)
			wantError(t, fmt.Sprintf("%s: List(%+v)", name, req), err, cairn.Invalid, names)
		}
	}
}

func hitsOf(ms []cairn.Memory) []cairn.Hit {
	hits := make([]cairn.Hit, len(ms))
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
	e := inMemory(t, at(now))
	e.put(t, cairn.Memory{Text: "active", Fact: &cairn.Fact{}},
		cairn.Memory{Text: "still", ValidUntil: &ahead, Fact: &cairn.Fact{}},
		cairn.Memory{Text: "over", ValidUntil: &over, Fact: &cairn.Fact{}}, // nothing has noticed yet
		cairn.Memory{Text: "candidate", State: cairn.StateCandidate, Fact: &cairn.Fact{}},
		cairn.Memory{Text: "superseded", State: cairn.StateSuperseded, SupersededBy: cairn.DeriveID("heir"),
			Fact: &cairn.Fact{}},
		cairn.Memory{Text: "retracted", State: cairn.StateRetracted, Fact: &cairn.Fact{}},
		cairn.Memory{Text: "expired", State: cairn.StateExpired, ValidUntil: &over, Fact: &cairn.Fact{}},
		cairn.Memory{Text: "quarantined", State: cairn.StateQuarantined, Fact: &cairn.Fact{}})
	deep := cairn.Where("kind", cairn.OpEq, cairn.KindFact)
	for range cairn.MaxFilterDepth - 1 {
		deep = cairn.Filter{Or: []cairn.Filter{deep}}
	}
	for _, c := range []struct {
		request cairn.ListRequest
		want    string
	}{
		{cairn.ListRequest{}, "active still"},
		{cairn.ListRequest{Filter: deep}, "active still"},
		{cairn.ListRequest{Filter: cairn.Where("kind", cairn.OpEq, cairn.KindFact)}, "active still"},
		{cairn.ListRequest{States: []cairn.State{cairn.StateRetracted}}, "retracted"},
		{cairn.ListRequest{States: []cairn.State{cairn.StateExpired}}, "expired over"},
		{cairn.ListRequest{States: []cairn.State{cairn.StateActive, cairn.StateQuarantined}},
			"active quarantined still"},
		{cairn.ListRequest{States: cairn.States()},
			"active candidate expired over quarantined retracted still superseded"},
		{cairn.ListRequest{Filter: cairn.Filter{Not: &cairn.Filter{Field: "state", Op: cairn.OpEq, Value: "active"}}},
			"candidate expired quarantined retracted superseded"},
	} {
		for _, newest := range []bool{false, true} {
			c.request.Newest, c.request.Limit = newest, 2
			got := texts(e.paged(t, acme, c.request))
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
	e := inMemory(t)
	for n := range 30 { // quotes are twice as long in JSON
		e.note(t, ana, fmt.Sprintf("Number %d: %s.", n, strings.Repeat(`a "b" `, 40_000)))
	}
	for _, newest := range []bool{false, true} {
		seen := 0
		for req := (cairn.ListRequest{Limit: cairn.MaxPageSize, Newest: newest}); ; {
			p, err := e.List(t.Context(), acme, req)
			if err != nil || len(p.Items) == 0 {
				t.Fatalf("List(newest %v) behind %d = %d items, %v", newest, seen, len(p.Items), err)
			}
			body, err := json.Marshal(p)
			if err != nil || len(body) > cairn.MaxPageBytes+cairn.MaxPageSize || len(p.Items) > 1 &&
				len(body) < cairn.MaxPageBytes/2 && p.NextCursor != "" {
				t.Errorf("a page of %d memories takes %d bytes, %v; at most %d are allowed", len(p.Items), len(body),
					err, cairn.MaxPageBytes)
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
