package entities

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// OfEntities reads the records that an erasure of entities erases: the facts about them and those that name them,
// and on request the words that these rest on.
func (es *Entities) OfEntities(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) ([]trilith.Memory, error) {
	if s.Bare() != (trilith.Scope{Tenant: s.Tenant}) {
		return nil, trilith.Errorf(
			trilith.Invalid, "entities: belong to the whole tenant; leave project, user and the like out")
	}
	for _, id := range r.Entities {
		if err := id.Validate(); err != nil {
			return nil, err
		}
		if _, err := es.changeable(ctx, s, id, "entities", 0); err != nil {
			return nil, err
		}
	}
	facts, err := es.FactsAbout(ctx, s, r.Entities)
	if err != nil || !r.Words {
		return facts, err
	}
	var words []trilith.ID
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			words = append(words, ev.Episodes()...)
		}
	}
	slices.Sort(words)
	episodes, err := es.truth.Store.Get(ctx, truth.TenantOf(s), slices.Compact(words))
	return append(facts, episodes...), err
}

// FactsAbout reads the facts about entities and those that name them, in no particular order and without repetition.
func (es *Entities) FactsAbout(ctx context.Context, s trilith.Scope, entities []trilith.ID) ([]trilith.Memory, error) {
	seen := map[trilith.ID]bool{}
	var out []trilith.Memory
	for _, id := range entities {
		about, err := es.truth.FactsOf(ctx, s, id)
		if err != nil {
			return nil, err
		}
		naming, err := es.truth.FactsNaming(ctx, s, id)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Concat(about, naming) {
			if !seen[m.ID] {
				seen[m.ID] = true
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// Families reads the entities with some ids, and all that were merged into them. Missing ids are skipped.
func (es *Entities) Families(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Entity, error) {
	var out []trilith.Entity
	seen := map[trilith.ID]bool{}
	for next := ids; len(next) > 0; {
		some, err := es.ReadAll(ctx, s, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, v := range some {
			if !seen[v.ID] {
				seen[v.ID] = true
				out = append(out, v)
				next = append(next, v.Merged...)
			}
		}
	}
	return out, nil
}
