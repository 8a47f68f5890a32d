package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// long is a text of 200 KiB.
func long(n int) string {
	return strings.Repeat(fmt.Sprintf("slate%03d ", n), 200<<10/9)
}

// large is a store with a hundred long facts of one entity, which contradict each other in pairs and all in one heap,
// as many of another one that say the same, four hundred entities with long attributes and fifty long texts in
// quarantine.
func large(t *testing.T) (rig.Rig, trilith.ID) {
	t.Helper()
	r := rig.InMemory(t)
	var all []trilith.Memory
	fact := func(entity trilith.ID, n int, verb string, status trilith.VerificationStatus, text string) {
		f := trilith.Fact{EntityID: entity, Verb: verb, Type: trilith.FactTask,
			Node: trilith.Node{Type: "Other", Name: fmt.Sprint(n)}, Polarity: trilith.Affirmed,
			SingleValued: verb == "lives_in", Priority: trilith.PriorityHigh,
			RequiresAction: true, Financial: rig.Money("9000", "EUR", "cost"),
			Verification: trilith.Verification{Status: status}}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		all = append(all, trilith.Memory{ID: trilith.FactMemoryID(entity, verb, f.FactID), Version: 1, Kind: trilith.KindFact,
			Text: text, Scope: trilith.Scope{Tenant: "acme"},
			EventTime: rig.Day(n%28 + 1), RecordedAt: rig.Day(n%28 + 1).Add(time.Duration(n)), State: trilith.StateActive,
			Trust: trilith.TrustUserStated, Fact: &f})
	}
	somebody := trilith.DeriveID("somebody")
	for n := range 40 {
		fact(somebody, n, "lives_in", trilith.NeedsReview, long(n))
	}
	for n := range 60 {
		fact(trilith.DeriveID("one", fmt.Sprint(n/2)), n, "lives_in", trilith.NeedsReview, long(n))
	}
	for n := range 60 { // many groups of one entity
		fact(trilith.DeriveID("twins"), n, fmt.Sprint("says_", n), trilith.PendingApproval, long(n/2))
	}
	for n := range 50 {
		all = append(all, trilith.Memory{ID: trilith.DeriveID("held", fmt.Sprint(n)), Version: 1, Kind: trilith.KindEpisode,
			Role: trilith.RoleUser, Text: long(n),
			Scope: trilith.Scope{Tenant: "acme"}, EventTime: rig.Day(1), RecordedAt: rig.Day(1),
			State: trilith.StateQuarantined,
			Trust: trilith.TrustUserStated})
	}
	entities := []role.Record{record(t, trilith.Entity{ID: somebody, Type: "person", Name: "Somebody"})}
	for n := range 400 {
		entities = append(entities,
			record(t, trilith.Entity{ID: trilith.DeriveID("entity", fmt.Sprint(n)), Type: "thing", Name: fmt.Sprint(n),
				Identifiers: []trilith.Identifier{{Type: "thing", Value: fmt.Sprint(n)}},
				Attributes:  map[string]any{"note": long(n)[:15<<10]}}))
	}
	for chunk := range slices.Chunk(all, 50) { // a batch carries [role.MaxBatchBytes]
		if _, err := r.Parts.Store.Commit(t.Context(), rig.Acme, role.Batch{Memories: chunk}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Parts.Store.Commit(t.Context(), rig.Acme, role.Batch{Records: entities}); err != nil {
		t.Fatal(err)
	}
	r.MustSettle(t)
	return r, somebody
}

func record(t *testing.T, v trilith.Entity) role.Record {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return role.Record{Kind: role.RecordEntity, ID: v.ID, Version: 1, Body: body}
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
	thing := trilith.DeriveID("entity", "0")
	for n := range 200 {
		if _, err := r.UpdateEntity(
			t.Context(), rig.Acme, thing,
			trilith.EntityUpdate{SetAttributes: map[string]any{"note": long(n + 1)[:15<<10]}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		want int // items of all pages; 0: a listing without a cursor
		list func(cursor string) (shown, error)
	}{
		{"inbox", 81, func(cursor string) (shown, error) {
			p, err := r.Inbox(t.Context(), rig.Acme, trilith.InboxQuery{Limit: trilith.MaxK, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"entities", 401, func(cursor string) (shown, error) {
			p, err := r.Entities(t.Context(), rig.Acme, trilith.EntitiesQuery{Limit: trilith.MaxPageSize, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"history of an entity", 200, func(cursor string) (shown, error) {
			p, err := r.EntityHistory(t.Context(), rig.Acme, thing,
				trilith.EntityHistoryQuery{Limit: trilith.MaxPageSize, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"conflicts", 31, func(cursor string) (shown, error) {
			p, err := r.FactConflicts(t.Context(), rig.Acme, trilith.GroupsQuery{Limit: trilith.MaxK, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"duplicates", 30, func(cursor string) (shown, error) {
			p, err := r.DuplicateFacts(t.Context(), rig.Acme,
				trilith.DuplicatesQuery{Limit: trilith.MaxK, Cursor: cursor})
			return shown{p, len(p.Items), p.NextCursor, false}, err
		}},
		{"stale", 0, func(string) (shown, error) {
			p, err := r.StaleFacts(t.Context(), rig.Acme, trilith.StaleQuery{Days: 1, Limit: trilith.MaxPageSize})
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"actionable", 0, func(string) (shown, error) {
			p, err := r.Actionable(t.Context(), rig.Acme, trilith.ActionableQuery{Limit: trilith.MaxPageSize})
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"unverified amounts", 0, func(string) (shown, error) {
			p, err := r.UnverifiedFinancial(t.Context(), rig.Acme, trilith.UnverifiedQuery{Limit: trilith.MaxPageSize})
			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"similar", 0, func(string) (shown, error) {
			p, err := r.SimilarFacts(
				t.Context(), rig.Acme, trilith.FactMemoryID(somebody, "lives_in", trilith.Node{Type: "Other",
					Name: "0"}.ID()),
				trilith.SimilarFactsQuery{Limit: trilith.MaxK})

			return shown{p, len(p.Items), "", p.Truncated}, err
		}},
		{"neighborhood", 0, func(string) (shown, error) {
			p, err := r.Neighborhood(t.Context(), rig.Acme, somebody, trilith.NeighborhoodQuery{Hops: 2})
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
				if err != nil || len(body) > trilith.MaxPageBytes+trilith.MaxPageSize {
					t.Errorf("a page of %d items takes %d bytes, %v; at most %d are allowed", got.items, len(body), err,
						trilith.MaxPageBytes)
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
