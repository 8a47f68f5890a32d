package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
)

// long is a text of 200 KiB.
func long(n int) string {
	return strings.Repeat(fmt.Sprintf("slate%03d ", n), 200<<10/9)
}

// large is a store with a hundred long facts of one entity, which contradict each other in pairs and all in one heap,
// as many of another one that say the same, four hundred entities with long attributes and fifty long texts in
// quarantine.
func large(t *testing.T) (rig, cairn.ID) {
	t.Helper()
	r := inMemory(t)
	var all []cairn.Memory
	fact := func(entity cairn.ID, n int, verb string, status cairn.VerificationStatus, text string) {
		f := cairn.Fact{EntityID: entity, Verb: verb, Type: cairn.FactTask,
			Node: cairn.Node{Type: "Other", Name: fmt.Sprint(n)}, Polarity: cairn.Affirmed,
			SingleValued: verb == "lives_in", Priority: cairn.PriorityHigh,
			RequiresAction: true, Financial: money("9000", "EUR", "cost"),
			Verification: cairn.Verification{Status: status}}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		all = append(all, cairn.Memory{ID: cairn.FactMemoryID(entity, verb, f.FactID), Version: 1, Kind: cairn.KindFact,
			Text: text, Scope: cairn.Scope{Tenant: "acme"},
			EventTime: day(n%28 + 1), RecordedAt: day(n%28 + 1).Add(time.Duration(n)), State: cairn.StateActive,
			Trust: cairn.TrustUserStated, Fact: &f})
	}
	somebody := cairn.DeriveID("somebody")
	for n := range 40 {
		fact(somebody, n, "lives_in", cairn.NeedsReview, long(n))
	}
	for n := range 60 {
		fact(cairn.DeriveID("one", fmt.Sprint(n/2)), n, "lives_in", cairn.NeedsReview, long(n))
	}
	for n := range 60 { // many groups of one entity
		fact(cairn.DeriveID("twins"), n, fmt.Sprint("says_", n), cairn.PendingApproval, long(n/2))
	}
	for n := range 50 {
		all = append(all, cairn.Memory{ID: cairn.DeriveID("held", fmt.Sprint(n)), Version: 1, Kind: cairn.KindEpisode,
			Role: cairn.RoleAssistant, Text: long(n),
			Scope: cairn.Scope{Tenant: "acme"}, EventTime: day(1), RecordedAt: day(1), State: cairn.StateQuarantined,
			Trust: cairn.TrustAssistantSaid})
	}
	entities := []cairn.Record{record(t, cairn.Entity{ID: somebody, Type: "person", Name: "Somebody"})}
	for n := range 400 {
		entities = append(entities,
			record(t, cairn.Entity{ID: cairn.DeriveID("entity", fmt.Sprint(n)), Type: "thing", Name: fmt.Sprint(n),
				Identifiers: []cairn.Identifier{{Type: "thing", Value: fmt.Sprint(n)}},
				Attributes:  map[string]any{"note": long(n)[:15<<10]}}))
	}
	for chunk := range slices.Chunk(all, 50) { // a batch carries [cairn.MaxBatchBytes]
		if _, err := r.parts.Store.Commit(t.Context(), acme, cairn.Batch{Memories: chunk}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.parts.Store.Commit(t.Context(), acme, cairn.Batch{Records: entities}); err != nil {
		t.Fatal(err)
	}
	r.settle(t)
	return r, somebody
}

func record(t *testing.T, v cairn.Entity) cairn.Record {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return cairn.Record{Kind: cairn.RecordEntity, ID: v.ID, Version: 1, Body: body}
}

// shown is a page of a listing: how many items it holds, and how to go on, or whether more exist where that cannot be
// said.
type shown struct {
	page  any
	items int
	next  string
	fewer bool
}

// Every listing ends a page where it has become large, after one item at least, and says how to go on, or that more
// exist.
func TestListingsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	r, somebody := large(t)
	thing := cairn.DeriveID("entity", "0")
	for n := range 200 {
		if _, err := r.UpdateEntity(
			t.Context(), acme, thing,
			cairn.EntityUpdate{SetAttributes: map[string]any{"note": long(n + 1)[:15<<10]}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		want int // items of all pages; 0: a listing without a cursor
		list func(cursor string) (shown, error)
	}{
		{"inbox", 81, func(cursor string) (shown, error) {
			p, err := r.Inbox(t.Context(), acme, cairn.InboxQuery{Limit: cairn.MaxK, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"entities", 401, func(cursor string) (shown, error) {
			p, err := r.Entities(t.Context(), acme, cairn.MaxPageSize, cursor)
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"history of an entity", 200, func(cursor string) (shown, error) {
			p, err := r.EntityHistory(t.Context(), acme, thing, cairn.MaxPageSize, cursor)
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"conflicts", 31, func(cursor string) (shown, error) {
			p, err := r.FactConflicts(t.Context(), acme, cairn.MaxK, cursor)
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"duplicates", 30, func(cursor string) (shown, error) {
			p, err := r.DuplicateFacts(t.Context(), acme, 0, cairn.MaxK, cursor)
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"stale", 0, func(string) (shown, error) {
			p, err := r.StaleFacts(t.Context(), acme, 1, cairn.MaxPageSize)
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"actionable", 0, func(string) (shown, error) {
			p, err := r.Actionable(t.Context(), acme, cairn.MaxPageSize, 0)
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"unverified amounts", 0, func(string) (shown, error) {
			p, err := r.UnverifiedFinancial(t.Context(), acme, "", cairn.MaxPageSize)
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"similar", 0, func(string) (shown, error) {
			p, err := r.SimilarFacts(
				t.Context(), acme, cairn.FactMemoryID(somebody, "lives_in", cairn.Node{Type: "Other", Name: "0"}.ID()),
				0, cairn.MaxK)
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"neighborhood", 0, func(string) (shown, error) {
			p, err := r.Neighborhood(t.Context(), acme, somebody, cairn.NeighborhoodQuery{Hops: 2})
			return shown{p, len(p.Facts), "", p.Truncated}, err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen, pages := 0, 0
			for cursor := ""; ; pages++ {
				got, err := c.list(cursor)
				if err != nil || got.items == 0 {
					t.Fatalf("a page behind %d items = %d items, %v", seen, got.items, err)
				}
				body, err := json.Marshal(got.page)
				if err != nil || len(body) > cairn.MaxPageBytes+cairn.MaxPageSize {
					t.Errorf("a page of %d items takes %d bytes, %v; at most %d are allowed", got.items, len(body), err,
						cairn.MaxPageBytes)
				}
				if seen += got.items; c.want == 0 && !got.fewer {
					t.Errorf("a list of %d items does not say that more exist", got.items)
				}
				if cursor = got.next; cursor == "" {
					break
				}
			}
			if c.want > 0 && (seen != c.want || pages == 0) {
				t.Errorf("%d pages showed %d items, want all %d in several", pages+1, seen, c.want)
			}
		})
	}
}
