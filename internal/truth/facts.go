package truth

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// ExpectFacts adds the new states of facts to a batch, on condition that they and the deleted ones are still as known.
func ExpectFacts(b *role.Batch, known, put []trilith.Memory, gone []trilith.ID) {
	versions := make(map[trilith.ID]int64, len(known))
	for i := range known {
		versions[known[i].ID] = known[i].Version
	}
	for _, m := range put {
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: versions[m.ID]})
		b.Memories = append(b.Memories, m)
	}
	for _, id := range gone {
		b.Expect = append(b.Expect, role.Expect{ID: id, Version: versions[id]})
		b.Delete = append(b.Delete, role.Ref{ID: id})
	}
}

// FactsOf reads all facts of an entity, in every state.
func (t *Truth) FactsOf(ctx context.Context, s trilith.Scope, entity trilith.ID) ([]trilith.Memory, error) {
	return t.ListFacts(ctx, s, trilith.Where("entity_id", trilith.OpEq, entity))
}

// FactsNaming reads all facts whose node names an entity, in every state.
func (t *Truth) FactsNaming(ctx context.Context, s trilith.Scope, entity trilith.ID) ([]trilith.Memory, error) {
	return t.ListFacts(ctx, s, trilith.Where("entity_ref", trilith.OpEq, entity))
}

// ListFacts reads the facts of the tenant that a filter accepts, in every state, by ascending id. It omits shares: they
// follow their origins, and no decision depends on them. If some facts are damaged, it returns the others and an error
// that names the damaged ones.
func (t *Truth) ListFacts(ctx context.Context, s trilith.Scope, filter trilith.Filter) ([]trilith.Memory, error) {
	var out []trilith.Memory
	var damaged Damages
	for m, err := range Sound(t.List(ctx, TenantOf(s), role.Listing{Filter: trilith.AllOf(AnyFact, filter)}),
		damaged.Note) {
		if err != nil {
			return nil, err
		}
		if m.SharedFrom == "" {
			out = append(out, m)
		}
	}
	return out, damaged.Err()
}

// SeenFacts reads the facts of entities that a scope sees and filters accept, in every state, each once: the fact
// itself, or a share of it if the scope sees only that.
func (t *Truth) SeenFacts(ctx context.Context, s trilith.Scope, entities []trilith.ID, only ...trilith.Filter) (
	[]trilith.Memory, error) {
	var all []trilith.Memory
	filter := trilith.AllOf(append(only, AnyFact, trilith.Where("entity_id", trilith.OpIn, entities))...)
	for m, err := range t.List(ctx, s, role.Listing{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	own, shared := SplitShares(all)
	return Distinct(append(own, shared...)), nil
}

// EntitiesOf returns the ids of the entities that facts are about, each once, in the order of the facts.
func EntitiesOf(facts []trilith.Memory) []trilith.ID {
	var out []trilith.ID
	for _, m := range facts {
		if !slices.Contains(out, m.Fact.EntityID) {
			out = append(out, m.Fact.EntityID)
		}
	}
	return out
}

// CanBeEvidence reports whether facts may rest on a memory.
func CanBeEvidence(m *trilith.Memory) bool {
	return m.Kind != trilith.KindFact && m.Kind != trilith.KindSummary && m.Kind != trilith.KindWindow
}

// AnyFact accepts all facts and nothing else.
var AnyFact = trilith.Where("kind", trilith.OpEq, trilith.KindFact)

// Unshared accepts memories but no shares: decisions and counts apply to the origin.
var Unshared = trilith.Where("shared_from", trilith.OpEq, nil)
