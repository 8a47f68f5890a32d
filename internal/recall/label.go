package recall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// resting holds the facts that rest on some memories, by ascending id.
type resting struct {
	rd    *Reader
	scope trilith.Scope
	asked map[trilith.ID]bool
	facts []trilith.Memory

	damaged []trilith.ID // ids of facts whose rows are damaged
}

// on adds the facts that rest on those of the memories that it has not been called with before.
func (r *resting) on(ctx context.Context, ids []trilith.ID) error {
	if r.asked == nil {
		r.asked = make(map[trilith.ID]bool, len(ids))
	}
	unasked := make([]trilith.ID, 0, len(ids))
	for _, id := range ids {
		if !r.asked[id] {
			r.asked[id] = true
			unasked = append(unasked, id)
		}
	}
	facts, damaged, err := truth.SoundOf(r.rd.facts.FactsCiting(ctx, r.scope, unasked))
	r.damaged = append(r.damaged, damaged...)
	r.facts = append(r.facts, facts...)
	slices.SortFunc(r.facts, func(a, b trilith.Memory) int { return cmp.Compare(a.ID, b.ID) })
	r.facts = slices.CompactFunc(r.facts, func(a, b trilith.Memory) bool { return a.ID == b.ID })
	return err
}

// Announce marks memories whose event time is in the future.
func Announce(ms []trilith.Memory, now time.Time) {
	for i := range ms {
		ms[i].Planned = trilith.Ahead(ms[i].EventTime, now)
	}
}

// label notes on hits and their neighbours which of their statements no longer hold, or do not hold yet. The text stays
// unchanged; the label keeps a reader from taking as true what has been corrected since.
func (rd *Reader) label(ctx context.Context, s trilith.Scope, hits []trilith.Hit, at trilith.Moment, r *resting) error {
	stating := map[trilith.ID][]*trilith.Memory{} // by the memory that facts rest on; for a share, by its origin
	shared := map[trilith.ID]bool{}
	note := func(m *trilith.Memory) {
		if truth.CanBeEvidence(m) {
			id := truth.OriginOf(m)
			stating[id] = append(stating[id], m)
			shared[id] = shared[id] || m.SharedFrom != ""
		}
	}
	clock := rd.truth.Now()
	for i := range hits {
		hits[i].Memory.Planned = trilith.Ahead(hits[i].Memory.EventTime, clock)
		Announce(hits[i].Facts, clock)
		Announce(hits[i].Neighbors, clock)
		note(&hits[i].Memory)
		for j := range hits[i].Neighbors {
			note(&hits[i].Neighbors[j])
		}
	}
	if err := rd.mentions.Annotate(ctx, s, factsIn(hits), at); err != nil {
		return err
	}
	ids := make([]trilith.ID, 0, len(stating))
	for id := range stating {
		ids = append(ids, id)
	}
	if err := r.on(ctx, ids); err != nil {
		return err
	}
	var over []*trilith.Memory
	var related []trilith.ID // the successors of outdated facts, and the facts themselves as they are now
	for i := range r.facts {
		if m := &r.facts[i]; (s.SeesMemory(m) || facts.CitesAny(m, shared)) && rd.isOver(m, at) {
			over = append(over, m)
			related = append(related, m.Fact.MemoryID())
			if m.SupersededBy != "" {
				related = append(related, m.SupersededBy)
			}
		}
	}
	if len(over) == 0 {
		return nil
	}
	ms, _, err := truth.SoundOf(rd.truth.Store.Get(ctx, truth.TenantOf(s), related))
	if err != nil {
		return err
	}
	now := make(map[trilith.ID]*trilith.Memory, len(ms))
	for i := range ms {
		now[ms[i].ID] = &ms[i]
	}
	for _, m := range over {
		same := now[m.Fact.MemoryID()]
		if same != nil && same.Fact.Polarity == m.Fact.Polarity && !rd.isOver(same, at) {
			continue // the fact holds again
		}
		o := trilith.Outdated{FactID: m.ID, Text: m.Text}
		if m.State != trilith.StateRetracted {
			o.Until = m.ValidUntil
		}
		// the label does not reveal a successor that is not shared
		if successor := now[m.SupersededBy]; successor != nil && s.SeesMemory(successor) && !rd.isOver(successor, at) {
			o.Now = successor.Text
		}
		said := map[trilith.ID]bool{}
		for _, ev := range m.Fact.Evidence {
			if ev.Ends || ev.Withdrawn || said[ev.EpisodeID] {
				continue
			}
			said[ev.EpisodeID] = true
			for _, stated := range stating[ev.EpisodeID] {
				stated.Outdated = append(stated.Outdated, o)
			}
		}
	}
	return nil
}

// factsIn returns the facts among the hits and the facts nested in them.
func factsIn(hits []trilith.Hit) []*trilith.Memory {
	var out []*trilith.Memory
	for i := range hits {
		if hits[i].Memory.Fact != nil {
			out = append(out, &hits[i].Memory)
		}
		for j := range hits[i].Facts {
			out = append(out, &hits[i].Facts[j])
		}
	}
	return out
}

// isOver reports whether a fact had been replaced, ended or rejected at a point in time, by default now.
func (rd *Reader) isOver(m *trilith.Memory, at trilith.Moment) bool {
	world := at.World
	if world.IsZero() {
		world = rd.truth.Now()
	}
	if !at.Known.IsZero() && m.SupersededAt != nil && m.SupersededAt.After(at.Known) {
		return false // it was not known yet
	}
	return m.State == trilith.StateRetracted || m.ValidUntil != nil && !m.ValidUntil.After(world)
}
