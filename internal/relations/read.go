package relations

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/relate"
	"github.com/cairn-memory/cairn/internal/truth"
)

// maxKnown is how many facts of an owner, the newest first, rules may relate.
const maxKnown = 2000

// Read finds by rules what episodes say about how known facts bear on each other, and takes it in. What is in doubt, or
// said by a program, is a candidate, and so is what would put a fact before itself. Doing it again changes nothing.
func (r *Relations) Read(ctx context.Context, s cairn.Scope, episodes []cairn.Memory) error {
	known := map[cairn.Owner]*relate.Index{}
	for i := range episodes {
		m := &episodes[i]
		if m.Role == cairn.RoleTool || m.Role == cairn.RoleSystem {
			continue
		}
		read := -1 // where the sentence begins of which a reading was taken in
		for _, said := range relate.Read(m.Text) {
			if said.Start == read || low(m) && gate.Steers(m.Text[said.Start:said.End]) {
				continue
			}
			related, err := r.mentioned(ctx, s, m, &said, known)
			if err != nil {
				return err
			}
			if related {
				read = said.Start
			}
		}
	}
	return nil
}

// Told reports whether episodes hold a sentence that may relate facts.
func Told(episodes []cairn.Memory) bool {
	return slices.ContainsFunc(episodes, func(m cairn.Memory) bool { return relate.Cued(m.Text) })
}

// low reports whether others than a person write into the channel of an episode.
func low(m *cairn.Memory) bool { return !m.Trust.AtLeast(cairn.TrustUserStated) }

// mentioned takes in a reading of a sentence if it means two facts of an owner of what is said there.
func (r *Relations) mentioned(ctx context.Context, s cairn.Scope, m *cairn.Memory, said *relate.Mention,
	known map[cairn.Owner]*relate.Index) (bool, error) {
	owners := []cairn.Owner{m.Scope.MatterOwner(), m.Scope.Owner()}
	for _, owner := range slices.Compact(owners) {
		x := known[owner]
		if x == nil {
			list, err := r.present(ctx, s, owner)
			if err != nil {
				return false, err
			}
			x = relate.NewIndex(list)
			known[owner] = x
		}
		from, to, ok := x.Pair(said)
		if !ok {
			continue
		}
		where := ownerScope(m.Scope, from)
		where.Tenant = s.Tenant
		home, err := r.home(ctx, where)
		if err != nil {
			return false, err
		}
		told := r.memory(cairn.NewRelation(said.Type, home.ID, from, to), m, said.Start, said.End, from, to)
		told.Fact.Rule = said.Rule
		if said.Hedged {
			told.Fact.Certainty, told.Fact.Confidence = cairn.Hedged, 0.5
		}
		told.Fact.Evidence[0].Proposed = said.Hedged || low(m)
		return true, r.take(ctx, s, told, false)
	}
	return false, nil
}

// present returns the newest facts of an owner that hold.
func (r *Relations) present(ctx context.Context, s cairn.Scope, owner cairn.Owner) ([]cairn.Memory, error) {
	filter := cairn.AllOf(owned(owner, relate.Kinds...),
		cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate}))
	var out []cairn.Memory
	for m, err := range truth.Sound(r.truth.Store.List(ctx, truth.TenantOf(s),
		cairn.Listing{Filter: filter, Order: cairn.OrderRecorded, Limit: maxKnown}), nil) {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
