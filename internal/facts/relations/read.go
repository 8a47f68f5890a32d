package relations

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// maxKnown is how many facts of an owner, the newest first, rules may relate.
const maxKnown = 2000

// pairing returns the two facts of an owner that a reading of a sentence of m means, if there are such.
type pairing func(ctx context.Context, s trilith.Scope, m *trilith.Memory, said *extract.Relation, owner trilith.Owner,
	x *index) (from, to *trilith.Memory, err error)

// Read finds by rules the relations between known facts that episodes state, and takes them in. A relation is a
// candidate if it is in doubt, if a program states it, or if it would put a fact before itself. Doing it again
// changes nothing.
func (r *Relations) Read(ctx context.Context, s trilith.Scope, episodes []trilith.Memory) error {
	known := map[trilith.Owner]*index{}
	for i := range episodes {
		m := &episodes[i]
		if m.Role == trilith.RoleTool || m.Role == trilith.RoleSystem {
			continue
		}
		read := map[int]bool{} // beginnings of the sentences with an accepted reading
		said := extract.Relations(m.Text)
		for _, between := range []pairing{r.known, r.matters} { // a reading that means known facts goes first
			for k := range said {
				if read[said[k].Start] || low(m) && gate.Steers(m.Text[said[k].Start:said[k].End]) {
					continue
				}
				related, err := r.mentioned(ctx, s, m, &said[k], known, between)
				if err != nil {
					return err
				}
				read[said[k].Start] = related
			}
		}
	}
	return nil
}

// known is the [pairing] of facts that are known.
func (r *Relations) known(_ context.Context, _ trilith.Scope, _ *trilith.Memory, said *extract.Relation, _ trilith.Owner,
	x *index) (from, to *trilith.Memory, err error) {
	from, to, _ = x.pair(said)
	return from, to, nil
}

// matters is the [pairing] of facts that need not all be known yet. An unknown thing that a person names plainly in a
// project becomes a fact of its own: a matter of the project. Elsewhere, and in doubt, nothing is added.
func (r *Relations) matters(ctx context.Context, s trilith.Scope, m *trilith.Memory, said *extract.Relation,
	owner trilith.Owner, x *index) (from, to *trilith.Memory, err error) {
	if m.Scope.Project == "" || owner != trilith.ProjectOwner(m.Scope.Project) || low(m) ||
		m.Role == trilith.RoleAssistant {
		return nil, nil, nil
	}
	a, named := matterOf(said.From)
	b, both := matterOf(said.To)
	if !named || !both {
		return nil, nil, nil
	}
	if from, err = r.matter(ctx, s, m, said, a, x); err == nil {
		to, err = r.matter(ctx, s, m, said, b, x)
	}
	return from, to, err
}

// matter returns the fact that a phrase means, or stores that there is such a matter.
func (r *Relations) matter(ctx context.Context, s trilith.Scope, m *trilith.Memory, said *extract.Relation, name string,
	x *index) (*trilith.Memory, error) {
	if known := x.one(name); known != nil {
		return known, nil
	}
	node := trilith.Node{Type: matterNode, Name: name}
	fact := &trilith.Fact{Owner: m.Scope.MatterOwner(), Verb: "has_matter", FactID: node.ID(), Node: node,
		Type: trilith.FactOther, Polarity: trilith.Affirmed, Certainty: trilith.Stated, Priority: trilith.PriorityNormal}
	told := r.memory(fact, m, said.Start, said.End)
	fact.Rule, told.Text = said.Rule, name
	home, err := r.homeOf(ctx, s, m, &told)
	if err != nil {
		return nil, err
	}
	fact.EntityID = home.ID
	if err := r.take(ctx, s, told, false); err != nil {
		return nil, err
	}
	stored, err := r.truth.Memories(ctx, truth.TenantOf(s), []trilith.ID{fact.MemoryID()})
	if err != nil || len(stored) == 0 { // the words for it were judged
		return nil, err
	}
	return &stored[0], nil
}

// mentioned takes in a reading of a sentence if it means two facts of one owner that the sentence can speak for.
func (r *Relations) mentioned(ctx context.Context, s trilith.Scope, m *trilith.Memory, said *extract.Relation,
	known map[trilith.Owner]*index, between pairing) (bool, error) {
	owners := []trilith.Owner{m.Scope.MatterOwner(), m.Scope.Owner()}
	for _, owner := range slices.Compact(owners) {
		x := known[owner]
		if x == nil {
			list, err := r.present(ctx, s, owner)
			if err != nil {
				return false, err
			}
			x = newIndex(list)
			known[owner] = x
		}
		from, to, err := between(ctx, s, m, said, owner, x)
		if err != nil {
			return false, err
		}
		if from == nil || to == nil || from.ID == to.ID {
			continue
		}
		if from.Fact.Node.Type == matterNode || to.Fact.Node.Type == matterNode {
			delete(known, owner) // one of them may be new
		}
		home, err := r.homeOf(ctx, s, m, from)
		if err != nil {
			return false, err
		}
		told := r.memory(trilith.NewRelation(said.Type, home.ID, from, to), m, said.Start, said.End, from, to)
		told.Fact.Rule = said.Rule
		told.Fact.Evidence[0].Proposed = low(m)
		return true, r.take(ctx, s, told, false)
	}
	return false, nil
}

// present returns the newest facts of an owner that hold.
func (r *Relations) present(ctx context.Context, s trilith.Scope, owner trilith.Owner) ([]trilith.Memory, error) {
	filter := trilith.AllOf(owned(owner, kinds...),
		trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}))
	var out []trilith.Memory
	newest := role.Listing{Filter: filter, Order: role.OrderRecorded, Limit: maxKnown}
	for m, err := range truth.Sound(r.truth.List(ctx, truth.TenantOf(s), newest), nil) {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// homeOf returns the entity that holds the relations of a fact's owner.
func (r *Relations) homeOf(ctx context.Context, s trilith.Scope, m, of *trilith.Memory) (entities.Party, error) {
	where := OwnerScope(m.Scope, of)
	where.Tenant = s.Tenant
	return r.home(ctx, where)
}

// low reports whether others than a person write into the channel of an episode.
func low(m *trilith.Memory) bool { return !m.Trust.AtLeast(trilith.TrustUserStated) }

// MayRelate reports whether episodes hold a sentence that may relate facts.
func MayRelate(episodes []trilith.Memory) bool {
	return slices.ContainsFunc(episodes, func(m trilith.Memory) bool { return cued(m.Text) })
}
