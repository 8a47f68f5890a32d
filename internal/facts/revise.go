package facts

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Group identifies the facts that are reconciled with each other: those of one entity and one owner.
type Group struct {
	Entity trilith.ID
	Owner  trilith.Owner
}

// ReviseAfter updates the facts that rest on changed episodes. The evidence of a forgotten or quarantined episode is
// withdrawn, that of a restored one counts again, and a quote that is no longer in the text is removed.
func (fs *Facts) ReviseAfter(ctx context.Context, s trilith.Scope, episodes []trilith.ID) error {
	facts, err := fs.FactsCiting(ctx, s, episodes)
	if err != nil || len(facts) == 0 {
		return err
	}
	episodes = slices.Clone(episodes)
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			if len(ev.Premises) > 0 { // evidence with premises counts again only if all premises do
				episodes = append(episodes, ev.Episodes()...)
			}
		}
	}
	slices.Sort(episodes)
	ms, err := fs.truth.Memories(ctx, truth.TenantOf(s), slices.Compact(episodes))
	if err != nil {
		return err
	}
	now := make(map[trilith.ID]*trilith.Memory, len(ms))
	for i := range ms {
		now[ms[i].ID] = &ms[i]
	}
	// Only quotes that were read above and are gone are removed; a job may add quotes of the new text at the same time.
	reworded := map[trilith.Premise]bool{}
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			for _, q := range quotes(&ev) {
				if ep := now[q.EpisodeID]; ep != nil && !quoted(ep.Text, q) {
					reworded[q] = true
				}
			}
		}
	}
	for _, of := range GroupsOf(facts) {
		if _, _, err := fs.Revise(ctx, s, of, func(f *reconcile.Facts) {
			f.RemoveEvidence(func(ev *trilith.Evidence) bool {
				return slices.ContainsFunc(quotes(ev), func(q trilith.Premise) bool { return reworded[q] })
			})
			f.Withdraw(func(id trilith.ID) bool { return now[id] != nil && Withdrawn(now[id].State) })
			f.Return(func(id trilith.ID) bool { return now[id] != nil && !Withdrawn(now[id].State) })
		}); err != nil {
			return err
		}
	}
	return nil
}

// IDsPerFilter is how many ids one filter names, because the size of a filter is limited.
const IDsPerFilter = 200

// FactsCiting reads the facts of the tenant that rest on any of the episodes, in every state, by ascending id.
func (fs *Facts) FactsCiting(ctx context.Context, s trilith.Scope, episodes []trilith.ID) ([]trilith.Memory, error) {
	var out []trilith.Memory
	var damaged truth.Damages
	seen := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(episodes, IDsPerFilter) {
		var any []trilith.Filter
		for _, id := range chunk {
			any = append(any, trilith.Where("evidence", trilith.OpContains, id))
		}
		found, bad, err := truth.SoundOf(fs.truth.ListFacts(ctx, s, trilith.Filter{Or: any}))
		if err != nil {
			return nil, err
		}
		damaged = append(damaged, bad...)
		for _, m := range found {
			if !seen[m.ID] {
				seen[m.ID] = true
				out = append(out, m)
			}
		}
	}
	return out, damaged.Err()
}

// quotes returns all quotes of a piece of evidence.
func quotes(ev *trilith.Evidence) []trilith.Premise {
	return append([]trilith.Premise{{EpisodeID: ev.EpisodeID, Quote: ev.Quote, Start: ev.Start, End: ev.End}},
		ev.Premises...)
}

// quoted reports whether a quote is in the text at its position.
func quoted(text string, ev trilith.Premise) bool {
	return ev.Start >= 0 && ev.Start <= ev.End && ev.End <= len(text) && text[ev.Start:ev.End] == ev.Quote
}

// Withdrawn reports whether an episode in this state no longer counts as evidence.
func Withdrawn(s trilith.State) bool {
	return s == trilith.StateRetracted || s == trilith.StateQuarantined
}

// Replay replays the facts of entities after a person has decided about some of them.
func (fs *Facts) Replay(ctx context.Context, s trilith.Scope, decided []trilith.Memory) error {
	for _, of := range GroupsOf(decided) {
		var ids []trilith.ID
		for _, m := range decided {
			if GroupOf(&m) == of {
				ids = append(ids, m.ID)
			}
		}
		if _, _, err := fs.Revise(ctx, s, of, func(f *reconcile.Facts) { f.Replay(ids...) }); err != nil {
			return err
		}
	}
	return nil
}

// GroupsOf returns the groups of facts, each once, in the order of the facts.
func GroupsOf(facts []trilith.Memory) []Group {
	var out []Group
	for i := range facts {
		if a := GroupOf(&facts[i]); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// GroupOf returns the group of a fact.
func GroupOf(m *trilith.Memory) Group { return Group{m.Fact.EntityID, m.Fact.Owner} }

// Revise changes the facts of a group in one commit; see [Facts.ReviseWith].
func (fs *Facts) Revise(ctx context.Context, s trilith.Scope, of Group, change func(*reconcile.Facts),
	audit ...trilith.AuditEntry) (changed []trilith.Memory, gone []trilith.ID, err error) {
	return fs.ReviseWith(ctx, s, of, func(_ *entities.Resolver, _ trilith.Entity, f *reconcile.Facts) error {
		change(f)
		return nil
	}, audit...)
}

// Edit changes the facts of an entity. It may add to the batch of the resolver, which commits them.
type Edit func(*entities.Resolver, trilith.Entity, *reconcile.Facts) error

// revision is the result of a change of the facts of an entity.
type revision struct {
	Entity  trilith.ID // the entity of the facts; empty if it was erased
	changed []trilith.Memory
	gone    []trilith.ID
	Closed  []trilith.Memory // in their former state
}

// ReviseWith changes the facts that an owner asserts of an entity, or of the one that it was merged into, in one
// commit. The batch includes the entity's record: of two concurrent changes, merges or splits of one entity, the
// second starts again and sees the first. f may add to the batch. ReviseWith returns the changed and the removed
// facts. It commits audit along with an entry of its own.
func (fs *Facts) ReviseWith(ctx context.Context, s trilith.Scope, of Group, f Edit, audit ...trilith.AuditEntry) (
	changed []trilith.Memory, gone []trilith.ID, err error) {
	var r revision
	err = truth.Retry(ctx, func() (bool, error) {
		var b role.Batch
		if r, err = fs.AddRevision(ctx, fs.entities.Resolver(s, &b), of, f); err != nil || r.empty() {
			return false, err
		}
		b.Audit = append(b.Audit, audit...)
		_, err = fs.truth.Commit(ctx, s, b)
		return true, err
	})
	if err == nil && !r.empty() {
		fs.truth.Index.Notify()
		err = fs.RecordClosed(ctx, s, r.Closed)
	}
	return r.changed, r.gone, err
}

// AddRevision adds a change of the facts of a group, and its audit entry, to the batch of a resolver.
func (fs *Facts) AddRevision(ctx context.Context, who *entities.Resolver, of Group, f Edit) (revision, error) {
	s, b := who.Scope, who.Batch
	v, err := who.Survivor(ctx, of.Entity)
	if err != nil {
		return revision{}, entities.UnlessErased(err)
	}
	all, err := fs.truth.FactsOf(ctx, s, v.ID)
	if err != nil {
		return revision{}, err
	}
	var known, others []trilith.Memory
	for _, m := range all {
		if m.Fact.Owner == of.Owner {
			known = append(known, m)
		} else {
			others = append(others, m)
		}
	}
	facts := reconcile.New(known, fs.truth.Now())
	facts.Avoid(others)
	if err := f(who, v, facts); err != nil {
		return revision{}, err
	}
	r := revision{Entity: v.ID, changed: facts.Changed(), gone: facts.Gone()}
	if r.empty() {
		return r, nil
	}
	if n := len(b.Memories) + len(r.changed); n > role.MaxBatch {
		return revision{}, trilith.Errorf(trilith.Exhausted, "facts: %d facts of one entity would change at once, at most %d can", n,
			role.MaxBatch)
	}
	if err := entities.TouchEntity(b, v); err != nil {
		return revision{}, err
	}
	truth.ExpectFacts(b, known, r.changed, r.gone)
	r.Closed = closedBy(known, r.changed)
	b.Audit = append(b.Audit,
		fs.truth.Audit(s, "facts", v.ID,
			map[string]string{"changed": strconv.Itoa(len(r.changed)), "gone": strconv.Itoa(len(r.gone))})...)
	return r, nil
}

func (r *revision) empty() bool { return len(r.changed)+len(r.gone) == 0 }

// closedBy returns the facts that a change has closed, in their former state.
func closedBy(known, changed []trilith.Memory) []trilith.Memory {
	before := make(map[trilith.ID]*trilith.Memory, len(known))
	for i := range known {
		before[known[i].ID] = &known[i]
	}
	var out []trilith.Memory
	for _, m := range changed {
		if old := before[m.ID]; old != nil && old.State == trilith.StateActive && m.State != trilith.StateActive &&
			m.SupersededAt != nil {
			out = append(out, *old)
		}
	}
	return out
}

// Retract retracts a memory and records the time, because later statements may assert it again.
func (fs *Facts) Retract(m *trilith.Memory) {
	m.State = trilith.StateRetracted
	if now := fs.truth.Now(); !Replaced(m, now) {
		m.SupersededAt = &now
	}
}

// Replaced reports whether another memory has already replaced this one, not only at a planned time.
func Replaced(m *trilith.Memory, now time.Time) bool {
	return m.SupersededBy != "" && (m.ValidUntil == nil || !trilith.Ahead(*m.ValidUntil, now))
}
