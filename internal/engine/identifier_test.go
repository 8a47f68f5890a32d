package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestWritingsOfAnIdentifier: a phone number and an address are one identifier however they are written.
func TestWritingsOfAnIdentifier(t *testing.T) {
	t.Parallel()
	for kind, writings := range map[string][]trilith.Identifier{
		"phone": {{Type: "phone", Value: "+49 170 123 45 67"}, {Type: "phone", Value: "0049 170 1234567"},
			{Type: "phone", Value: "+49 (0) 170 / 1234567"},
			{Type: "phone", Value: "tel:+49-170-1234567"}, {Type: "tel", Value: "+491701234567"},
			{Type: "phone", Value: "+49\u00a0170\u00a01234567"}},
		"email": {{Type: "email", Value: "ana@example.com"}, {Type: "email", Value: "mailto:Ana@example.com"},
			{Type: "mailto", Value: "ana@example.com?subject=x"}},
	} {
		for _, first := range writings {
			e := inMemory(t)
			made, err := e.Assimilate(
				t.Context(), acme, trilith.AssimilateRequest{Identifier: first, Content: "I moved to Bergen."})
			if err != nil || len(made.Entity.Identifiers) != 1 || made.Entity.Identifiers[0].Type != kind {
				t.Fatalf("Assimilate(%v) = %+v, %v; want an entity with one %s", first, made.Entity, err, kind)
			}
			for _, id := range writings {
				if got, err := e.Lookup(t.Context(), acme, trilith.LookupRequest{Identifier: id}); err != nil ||
					got.Entity.ID != made.Entity.ID {
					t.Errorf("Lookup(%v) of what was made as %v = %v, %v; want the same", id, first, got.Entity.ID, err)
				}
			}
		}
	}
}

// TestWritingsKeptBefore: entities whose identifiers were claimed as they were written, before the ways of writing were
// one, are found by all of them, and stay one through changes, merges and splits.
func TestWritingsKeptBefore(t *testing.T) {
	t.Parallel()
	for _, old := range []struct {
		id    trilith.Identifier
		key   string // as it was claimed
		other trilith.Identifier
	}{
		{trilith.Identifier{Type: "phone", Value: "+49 (0) 170 123"}, "phone\x00+490170123",
			trilith.Identifier{Type: "phone", Value: "+49 170 123"}},
		{trilith.Identifier{Type: "phone", Value: "0049 170 123"}, "phone\x000049170123",
			trilith.Identifier{Type: "phone", Value: "tel:+49170123"}},
		{trilith.Identifier{Type: "phone", Value: "tel:+49 170 123"}, "phone\x00tel:+49170123",
			trilith.Identifier{Type: "phone", Value: "0049 (0)170 123"}},
		{trilith.Identifier{Type: "email", Value: "mailto:ana@example.com"}, "email\x00mailto:ana@example.com",
			trilith.Identifier{Type: "email", Value: "ana@example.com"}},
	} {
		e := inMemory(t)
		res, err := e.Assimilate(
			t.Context(), acme, trilith.AssimilateRequest{Identifier: old.id, Content: "I moved to Bergen."})
		if err != nil {
			t.Fatal(err)
		}
		who := res.Entity.ID
		if err := e.keepAs(t, who, old.id, old.key); err != nil {
			t.Fatal(err)
		}
		same := func(what string, id trilith.Identifier, want trilith.ID) {
			t.Helper()
			if got, err := e.Lookup(t.Context(), acme, trilith.LookupRequest{Identifier: id}); err != nil ||
				got.Entity.ID != want {
				t.Errorf("%v, %s: Lookup(%v) = %v, %v; want %v", old.id, what, id, got.Entity.ID, err, want)
			}
		}
		same("as it was written", old.id, who)
		same("written in another way", old.other, who)
		again, err := e.Assimilate(
			t.Context(), acme, trilith.AssimilateRequest{Identifier: old.other, Content: "I sail."})
		if err != nil || again.Entity.ID != who {
			t.Errorf("%v: Assimilate(%v) made %v, %v; want %v", old.id, old.other, again.Entity.ID, err, who)
		}
		ben, err := e.Assimilate(
			t.Context(), acme, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "user_id", Value: "ben"},
				Content: "I moved to Oslo."})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.UpdateEntity(t.Context(), acme, ben.Entity.ID,
			trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{old.other}}); trilith.KindOf(err) != trilith.Conflict {
			t.Errorf("%v: adding %v to another = %v, want a conflict", old.id, old.other, err)
		}
		if _, err := e.MergeEntities(t.Context(), acme, ben.Entity.ID, who); err != nil {
			t.Fatal(err)
		}
		same("after a merge", old.id, ben.Entity.ID)
		same("after a merge, written in another way", old.other, ben.Entity.ID)
	}
}

// keepAs makes an entity one whose identifier was kept, and claimed under a key, as it was written.
func (r rig) keepAs(t *testing.T, who trilith.ID, id trilith.Identifier, key string) error {
	t.Helper()
	tenant := trilith.Scope{Tenant: "acme"}
	rs, err := r.parts.Store.Records(
		t.Context(), tenant, trilith.RecordListing{Kind: trilith.RecordEntity, IDs: []trilith.ID{who}})
	if err != nil || len(rs) != 1 {
		t.Fatalf("the entity's record = %v, %v", rs, err)
	}
	var v trilith.Entity
	if err := json.Unmarshal(rs[0].Body, &v); err != nil {
		t.Fatal(err)
	}
	v.Identifiers = []trilith.Identifier{id}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]string{"phone": "phone\x00+49170123",
		"email": "email\x00ana@example.com"}[strings.Split(key, "\x00")[0]]
	_, err = r.parts.Store.Commit(
		t.Context(), tenant, trilith.Batch{Records: []trilith.Record{{Kind: trilith.RecordEntity, ID: who, Body: body}},
			Release: []trilith.Key{{Space: trilith.KeyIdentifier, Value: value}},
			Claims:  []trilith.Claim{{Key: trilith.Key{Space: trilith.KeyIdentifier, Value: key}, Owner: who}}})
	return err
}
