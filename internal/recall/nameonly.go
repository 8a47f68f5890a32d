package recall

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// nameOnly drops facts that match a question only by the name of the entity that they are about: all other facts of
// that entity match it just as well. They can still become weak hits. If only facts are searched and none of them
// matches by more than a name, all stay.
func (v *verifier) nameOnly(ctx context.Context, question string, p retrieve.Plan, f *found) error {
	q := retrieve.NewNameQuestion(question, f.dense.Gen.Threshold)
	var doubtful []trilith.Memory
	for i := range f.facts {
		c := &f.facts[i]
		if m := v.known[c.ID]; m != nil && q.Doubtful(m, v.similarity(c.Similarity, c.Measured, m)) {
			doubtful = append(doubtful, *m)
		}
	}
	names, err := v.namesOf(ctx, truth.EntitiesOf(doubtful))
	if err != nil {
		return err
	}
	only := map[trilith.ID]bool{}
	for i := range doubtful {
		m := &doubtful[i]
		only[m.ID] = q.Only(m, names[m.Fact.EntityID])
	}
	stay := func(c retrieve.Fused) bool { return v.known[c.ID] != nil && !only[c.ID] }
	if !p.Beside() && !slices.ContainsFunc(f.facts, stay) {
		return nil
	}
	f.facts = slices.DeleteFunc(f.facts, func(c retrieve.Fused) bool { return only[c.ID] })
	for id, is := range only {
		if is {
			delete(v.known, id)
		}
	}
	return nil
}

// namesOf returns the names and aliases of entities.
func (v *verifier) namesOf(ctx context.Context, ids []trilith.ID) (map[trilith.ID][]string, error) {
	out := map[trilith.ID][]string{}
	for chunk := range slices.Chunk(ids, truth.ReadStep) {
		vs, err := v.rd.entities.ReadAll(ctx, v.scope, chunk)
		if err != nil {
			return nil, err
		}
		for i := range vs {
			out[vs[i].ID] = append([]string{vs[i].Name}, vs[i].Aliases...)
		}
	}
	return out, nil
}
