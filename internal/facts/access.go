package facts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// RedactQuotes removes from facts the quotes of episodes that a scope may not read: everyone who may read a project
// sees its facts, whoever stated them. For a caller that is bound to a part of the tenant this applies to every fact.
// If an episode cannot be read now, its quotes are removed too.
func (fs *Facts) RedactQuotes(ctx context.Context, s trilith.Scope, ms []*trilith.Memory) {
	bound := s.Bound != (trilith.Bound{})
	if !bound && (len(s.Views()) == 0 || s.Project == "") { // the scope sees no fact without its quotes
		return
	}
	owner := trilith.ProjectOwner(s.Project)
	facts := slices.DeleteFunc(slices.Clone(ms), func(m *trilith.Memory) bool {
		return m.Fact == nil || !bound && m.Owner() != owner
	})
	var quoted []trilith.ID
	for _, m := range facts {
		for i := range m.Fact.Evidence {
			quoted = append(quoted, m.Fact.Evidence[i].Episodes()...)
		}
	}
	slices.Sort(quoted)
	readable := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(slices.Compact(quoted), role.MaxBatch) {
		episodes, err := fs.truth.Memories(ctx, s, chunk)
		for i := 0; i < len(episodes) && err == nil; i++ {
			readable[episodes[i].ID] = true
		}
	}
	for _, m := range facts {
		fact := *m.Fact
		fact.Evidence = slices.Clone(fact.Evidence)
		for i := range fact.Evidence {
			ev := &fact.Evidence[i]
			if ev.RestsOn(func(id trilith.ID) bool { return !readable[id] }) {
				ev.Quote, ev.Start, ev.End, ev.Says, ev.Premises = "", 0, 0, "", nil
			}
		}
		m.Fact = &fact
	}
}

// CheckChange returns an error if a scope may not change a memory: a share follows its origin, and a bound caller
// changes no fact of an owner that it may not act for.
func CheckChange(s trilith.Scope, m *trilith.Memory) error {
	if m.SharedFrom != "" {
		return trilith.Errorf(trilith.Invalid,
			"id: %s is a share and follows the memory that it refers to; change that one, or forget the share", m.ID)
	}
	if m.Fact == nil {
		return nil
	}
	free := m.Scope
	free.Fixed, free.Bound = s.Fixed, s.Bound
	if owner := m.Fact.Owner; owner == m.Scope.Owner() && free.Owner() != owner || owner == m.Scope.MatterOwner() &&
		free.MatterOwner() != owner {
		return trilith.Errorf(trilith.Forbidden, "id: %s belongs to %s, and this connection is fixed to another scope",
			m.ID, owner)
	}
	return nil
}
