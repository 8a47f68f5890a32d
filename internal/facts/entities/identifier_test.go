package entities_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
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
			e := rig.InMemory(t)
			made, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: first, Content: "I moved to Bergen."})
			if err != nil || len(made.Entity.Identifiers) != 1 || made.Entity.Identifiers[0].Type != kind {
				t.Fatalf("Assimilate(%v) = %+v, %v; want an entity with one %s", first, made.Entity, err, kind)
			}
			for _, id := range writings {
				if got, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: id}); err != nil ||
					got.Entity.ID != made.Entity.ID {
					t.Errorf("Lookup(%v) of what was made as %v = %v, %v; want the same", id, first, got.Entity.ID, err)
				}
			}
		}
	}
}
