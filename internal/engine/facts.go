package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// jobRevise is the kind of job that lets facts follow what became of their episodes. It is written with the change of the
// episodes and done at once; the job is for the program that ends in between.
const jobRevise = "revise"

// reviseJob names episodes that were forgotten, brought back or reworded.
type reviseJob struct {
	Episodes []cairn.ID `json:"episodes"`
}

// job makes a job that can be done now.
func (e *Engine) job(kind string, payload any) (cairn.Job, error) {
	body, err := json.Marshal(payload)
	now := e.now()
	return cairn.Job{ID: cairn.NewID(now), Kind: kind, Payload: body, State: cairn.JobReady, RunAt: now, CreatedAt: now, UpdatedAt: now}, err
}

// holding is what is told together: the facts of one entity that have one owner.
type holding struct {
	entity cairn.ID
	owner  cairn.Owner
}

// holdingOf is the holding that a fact belongs to.
func holdingOf(m *cairn.Memory) holding { return holding{m.Fact.EntityID, m.Fact.Owner} }

// holdingsOf returns the holdings of facts, each once, in the order of the facts.
func holdingsOf(facts []cairn.Memory) []holding {
	var out []holding
	for i := range facts {
		if a := holdingOf(&facts[i]); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// revise changes the facts of an holding in one commit; see [Engine.reviseWith].
func (e *Engine) revise(ctx context.Context, s cairn.Scope, of holding, change func(*reconcile.Facts), audit ...cairn.AuditEntry) (changed []cairn.Memory, gone []cairn.ID, err error) {
	return e.reviseWith(ctx, s, of, func(_ cairn.Entity, _ *cairn.Batch, f *reconcile.Facts) error { change(f); return nil }, audit...)
}

// reviseWith changes the facts that an owner asserts of an entity, or of the one that it was merged into, in one commit. The entity's record is put
// with them: of two that change the facts of one entity, merge it or split it at the same time, the second begins again and sees
// what the first did. change may add to the batch. It returns what changed and what is gone; audit is written with it, beside
// an entry of its own.
func (e *Engine) reviseWith(ctx context.Context, s cairn.Scope, of holding, f change, audit ...cairn.AuditEntry) (changed []cairn.Memory, gone []cairn.ID, err error) {
	var r revision
	err = retry(ctx, func() (bool, error) {
		var b cairn.Batch
		if r, err = e.addRevision(ctx, s, of, &b, f); err != nil || r.empty() {
			return false, err
		}
		b.Audit = append(b.Audit, audit...)
		_, err = e.commit(ctx, s, b)
		return true, err
	})
	if err == nil && !r.empty() {
		e.index.Notify()
		err = e.judge(ctx, s, r.closed)
	}
	return r.changed, r.gone, err
}

// change changes the facts of an entity. It may add to the batch that they are committed with.
type change func(cairn.Entity, *cairn.Batch, *reconcile.Facts) error

// revision is what a change makes of the facts of an entity.
type revision struct {
	entity  cairn.ID // that they are of; empty if it was erased
	changed []cairn.Memory
	gone    []cairn.ID
	closed  []cairn.Memory // as they were
}

func (r *revision) empty() bool { return len(r.changed)+len(r.gone) == 0 }

// addRevision adds a change of the facts of an holding to a batch, and an entry of the audit.
func (e *Engine) addRevision(ctx context.Context, s cairn.Scope, of holding, b *cairn.Batch, f change) (revision, error) {
	v, err := e.survivor(ctx, s, of.entity)
	if err != nil {
		return revision{}, unlessErased(err)
	}
	all, err := e.factsOf(ctx, s, v.ID)
	if err != nil {
		return revision{}, err
	}
	var known, others []cairn.Memory
	for _, m := range all {
		if m.Fact.Owner == of.owner {
			known = append(known, m)
		} else {
			others = append(others, m)
		}
	}
	facts := reconcile.New(known, e.now())
	facts.Avoid(others)
	if err := f(v, b, facts); err != nil {
		return revision{}, err
	}
	r := revision{entity: v.ID, changed: facts.Changed(), gone: facts.Gone()}
	if r.empty() {
		return r, nil
	}
	if n := len(b.Memories) + len(r.changed); n > cairn.MaxBatch {
		return revision{}, cairn.Errorf(cairn.Exhausted, "facts: %d of one entity change at once, at most %d can", n, cairn.MaxBatch)
	}
	if err := touchEntity(b, v); err != nil {
		return revision{}, err
	}
	expectFacts(b, known, r.changed, r.gone)
	r.closed = closedBy(known, r.changed)
	b.Audit = append(b.Audit, e.audit(s, "facts", v.ID, map[string]string{"changed": strconv.Itoa(len(r.changed)), "gone": strconv.Itoa(len(r.gone))})...)
	return r, nil
}

// expectFacts adds facts to a batch as they are to be, on condition that they, and those that go, are as they were known.
func expectFacts(b *cairn.Batch, known, put []cairn.Memory, gone []cairn.ID) {
	versions := make(map[cairn.ID]int64, len(known))
	for i := range known {
		versions[known[i].ID] = known[i].Version
	}
	for _, m := range put {
		b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: versions[m.ID]})
		b.Memories = append(b.Memories, m)
	}
	for _, id := range gone {
		b.Expect = append(b.Expect, cairn.Expect{ID: id, Version: versions[id]})
		b.Delete = append(b.Delete, cairn.Ref{ID: id})
	}
}

// closedBy returns the facts that a change has closed, as they were.
func closedBy(known, changed []cairn.Memory) []cairn.Memory {
	before := make(map[cairn.ID]*cairn.Memory, len(known))
	for i := range known {
		before[known[i].ID] = &known[i]
	}
	var out []cairn.Memory
	for _, m := range changed {
		if old := before[m.ID]; old != nil && old.State == cairn.StateActive && m.State != cairn.StateActive && m.SupersededAt != nil {
			out = append(out, *old)
		}
	}
	return out
}

// factsOf reads all facts of an entity, in every state.
func (e *Engine) factsOf(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	return e.listFacts(ctx, s, cairn.Where("entity_id", cairn.OpEq, entity))
}

// factsNaming reads all facts whose node names an entity, in every state.
func (e *Engine) factsNaming(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	return e.listFacts(ctx, s, cairn.Where("entity_ref", cairn.OpEq, entity))
}

// listFacts reads the facts of the tenant that a filter accepts, in every state, by ascending id. Shares are left out: they
// follow their origins, and nothing is decided by them. Where some are damaged it returns the others with that error.
func (e *Engine) listFacts(ctx context.Context, s cairn.Scope, filter cairn.Filter) ([]cairn.Memory, error) {
	var out []cairn.Memory
	var damaged damages
	for m, err := range sound(e.cfg.Store.List(ctx, tenantOf(s), cairn.Listing{Filter: cairn.AllOf(anyFact, filter)}), damaged.note) {
		if err != nil {
			return nil, err
		}
		if m.SharedFrom == "" {
			out = append(out, m)
		}
	}
	return out, damaged.err()
}

// seenFacts reads the facts of an entity that a scope sees, in every state, each once: itself or, where only that is seen, a
// share of it.
func (e *Engine) seenFacts(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	var all []cairn.Memory
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: cairn.AllOf(anyFact, cairn.Where("entity_id", cairn.OpEq, entity))}) {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	own, shared := apart(all)
	return once(append(own, shared...)), nil
}

// restStep is how many episodes one search for the facts that rest on them names: a filter has a bound.
const restStep = 200

// restingFacts reads the facts of the tenant that rest on any of the episodes, in every state, by ascending id.
func (e *Engine) restingFacts(ctx context.Context, s cairn.Scope, episodes []cairn.ID) ([]cairn.Memory, error) {
	var out []cairn.Memory
	var damaged damages
	seen := map[cairn.ID]bool{}
	for chunk := range slices.Chunk(episodes, restStep) {
		var any []cairn.Filter
		for _, id := range chunk {
			any = append(any, cairn.Where("evidence", cairn.OpContains, id))
		}
		found, bad, err := soundOf(e.listFacts(ctx, s, cairn.Filter{Or: any}))
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
	return out, damaged.err()
}

// entitiesOf returns the entities of facts, each once, in the order of the facts.
func entitiesOf(facts []cairn.Memory) []cairn.ID {
	var out []cairn.ID
	for _, m := range facts {
		if !slices.Contains(out, m.Fact.EntityID) {
			out = append(out, m.Fact.EntityID)
		}
	}
	return out
}

// follow lets the facts that rest on episodes follow what these are now: evidence of a forgotten or quarantined one is
// withdrawn, that of one that was brought back counts again, and a quote that is not there any more is struck.
func (e *Engine) follow(ctx context.Context, s cairn.Scope, episodes []cairn.ID) error {
	facts, err := e.restingFacts(ctx, s, episodes)
	if err != nil || len(facts) == 0 {
		return err
	}
	episodes = slices.Clone(episodes)
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			if len(ev.Premises) > 0 { // it counts again only when all of it is there
				episodes = append(episodes, ev.Episodes()...)
			}
		}
	}
	slices.Sort(episodes)
	ms, err := e.cfg.Store.Get(ctx, tenantOf(s), slices.Compact(episodes))
	if err != nil {
		return err
	}
	now := make(map[cairn.ID]*cairn.Memory, len(ms))
	for i := range ms {
		now[ms[i].ID] = &ms[i]
	}
	// What was read here and is not quoted any more: not what a job finds in the new words meanwhile.
	reworded := map[cairn.Premise]bool{}
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			for _, q := range quotes(&ev) {
				if ep := now[q.EpisodeID]; ep != nil && !quoted(ep.Text, q) {
					reworded[q] = true
				}
			}
		}
	}
	for _, of := range holdingsOf(facts) {
		if _, _, err := e.revise(ctx, s, of, func(f *reconcile.Facts) {
			f.Strike(func(ev *cairn.Evidence) bool {
				return slices.ContainsFunc(quotes(ev), func(q cairn.Premise) bool { return reworded[q] })
			})
			f.Withdraw(func(id cairn.ID) bool { return now[id] != nil && withdrawn(now[id].State) })
			f.Return(func(id cairn.ID) bool { return now[id] != nil && !withdrawn(now[id].State) })
		}); err != nil {
			return err
		}
	}
	return nil
}

// quotes are all words that a piece of evidence needs.
func quotes(ev *cairn.Evidence) []cairn.Premise {
	return append([]cairn.Premise{{EpisodeID: ev.EpisodeID, Quote: ev.Quote, Start: ev.Start, End: ev.End}}, ev.Premises...)
}

// withdrawn reports whether what an episode in this state says counts no more.
func withdrawn(s cairn.State) bool { return s == cairn.StateRetracted || s == cairn.StateQuarantined }

// quoted reports whether the evidence stands in the text as it is quoted.
func quoted(text string, ev cairn.Premise) bool {
	return ev.Start >= 0 && ev.Start <= ev.End && ev.End <= len(text) && text[ev.Start:ev.End] == ev.Quote
}

// followed reports whether facts may rest on a memory.
func followed(m *cairn.Memory) bool { return m.Kind != cairn.KindFact && m.Kind != cairn.KindSummary }

// retell tells the facts of entities anew after a person has decided about some of them.
func (e *Engine) retell(ctx context.Context, s cairn.Scope, decided []cairn.Memory) error {
	for _, of := range holdingsOf(decided) {
		var ids []cairn.ID
		for _, m := range decided {
			if holdingOf(&m) == of {
				ids = append(ids, m.ID)
			}
		}
		if _, _, err := e.revise(ctx, s, of, func(f *reconcile.Facts) { f.Retell(ids...) }); err != nil {
			return err
		}
	}
	return nil
}
