package facts

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Discreet removes from facts what a scope may not read. Everyone who may read a project sees its facts, but they quote
// only episodes that the scope sees. For a caller that is bound to a part of the tenant this applies to every fact.
// Episodes that cannot be read now are not quoted.
func (fs *Facts) Discreet(ctx context.Context, s cairn.Scope, ms []*cairn.Memory) {
	bound := s.Bound != (cairn.Bound{})
	if !bound && (len(s.Views()) == 0 || s.Project == "") { // the scope sees no fact without its quotes
		return
	}
	owner := cairn.ProjectOwner(s.Project)
	facts := slices.DeleteFunc(slices.Clone(ms), func(m *cairn.Memory) bool {
		return m.Fact == nil || !bound && m.Owner() != owner
	})
	var quoted []cairn.ID
	for _, m := range facts {
		for i := range m.Fact.Evidence {
			quoted = append(quoted, m.Fact.Evidence[i].Episodes()...)
		}
	}
	slices.Sort(quoted)
	readable := map[cairn.ID]bool{}
	for chunk := range slices.Chunk(slices.Compact(quoted), cairn.MaxBatch) {
		episodes, err := fs.truth.Store.Get(ctx, s, chunk)
		for i := 0; i < len(episodes) && err == nil; i++ {
			readable[episodes[i].ID] = true
		}
	}
	for _, m := range facts {
		fact := *m.Fact
		fact.Evidence = slices.Clone(fact.Evidence)
		for i := range fact.Evidence {
			ev := &fact.Evidence[i]
			if ev.RestsOn(func(id cairn.ID) bool { return !readable[id] }) {
				ev.Quote, ev.Start, ev.End, ev.Says, ev.Premises = "", 0, 0, "", nil
			}
		}
		m.Fact = &fact
	}
}

// Pointers returns pointers to the memories of a list.
func Pointers(ms []cairn.Memory) []*cairn.Memory {
	out := make([]*cairn.Memory, len(ms))
	for i := range ms {
		out[i] = &ms[i]
	}
	return out
}

// RefuseChange returns an error for a change of a share, and, for a bound caller, of a fact whose owner the caller may
// not act for.
func RefuseChange(s cairn.Scope, m *cairn.Memory) error {
	if m.SharedFrom != "" {
		return cairn.Errorf(cairn.Invalid,
			"id: %s is a share and follows the memory that it refers to; change that one, or forget the share", m.ID)
	}
	if m.Fact == nil {
		return nil
	}
	free := m.Scope
	free.Fixed, free.Bound = s.Fixed, s.Bound
	if owner := m.Fact.Owner; owner == m.Scope.Owner() && free.Owner() != owner || owner == m.Scope.MatterOwner() &&
		free.MatterOwner() != owner {
		return cairn.Errorf(cairn.Forbidden, "id: %s belongs to %s, and this connection is fixed to another scope",
			m.ID, owner)
	}
	return nil
}
