package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/assemble"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

// maxHops bounds how far a lookup may walk from the facts that matched.
const maxHops = 2

// Lookup returns the facts of the entity that an identifier names: all active ones by id, or with a query those that
// matter for it, best first. A vector or a word only finds a fact; the graph decides whether this entity asserts it. What
// the index holds and the truth does not is left out, counted and removed from the index.
func (e *Engine) Lookup(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.LookupResult, error) {
	q, err := lookupQuestion(s, r)
	if err != nil {
		return cairn.LookupResult{}, err
	}
	entity, err := e.findEntity(ctx, s, r.Identifier)
	if err != nil {
		return cairn.LookupResult{}, err
	}
	out := cairn.LookupResult{Entity: entity.Entity, Facts: []cairn.Memory{}}
	if r.Query == "" {
		known, err := e.seenFacts(ctx, s, entity.ID)
		now := e.now()
		for _, m := range known {
			if slices.Contains(q.States, m.StateAt(now)) && q.At.Holds(&m) {
				out.Facts = append(out.Facts, m)
			}
		}
		announce(out.Facts, now)
		out.Facts, out.Truncated = fit(out.Facts)
		return out, err
	}
	q.Filter = cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindFact), cairn.Where("entity_id", cairn.OpEq, entity.ID))
	var clock stopwatch
	clock.start(e.cfg.Now)
	d := e.dense.Load()
	plan := e.plan(&q, d)
	v, err := e.verifier(s, q)
	if err != nil {
		return cairn.LookupResult{}, err
	}
	f, err := e.search(ctx, s, q, d, plan, v, &clock)
	if err != nil {
		return cairn.LookupResult{}, err
	}
	hits, err := v.hits(ctx, q.K, r.MinScore, plan.Fuse(f.others, f.facts, v.known))
	if err != nil {
		return cairn.LookupResult{}, err
	}
	if len(v.damaged) > 0 { // who asks what is known about somebody must not take the rest for all
		return cairn.LookupResult{}, cairn.WrapError(cairn.Internal, "engine.Lookup", &cairn.Damaged{What: "memory", IDs: slices.Sorted(maps.Keys(v.damaged))})
	}
	covered, err := f.coverage(len(hits))
	if err != nil {
		return cairn.LookupResult{}, err
	}
	out.Coverage = covered
	clock.lap("graph_verify")
	for _, h := range hits {
		out.Facts = append(out.Facts, h.Memory)
	}
	if r.ExpandHops > 0 {
		if out.Facts, err = e.cfg.Graph.Walk(ctx, s, out.Facts, r.ExpandHops); err != nil {
			return cairn.LookupResult{}, err
		}
		now := e.now() // the graph goes by what is stored
		out.Facts = slices.DeleteFunc(once(out.Facts), func(m cairn.Memory) bool {
			return m.StateAt(now) != m.State && !slices.Contains(q.States, m.StateAt(now))
		})
	}
	clock.lap("graph_fetch")
	announce(out.Facts, e.now())
	orphans, err := e.dropOrphans(ctx, s, v.dropped)
	if err != nil {
		return cairn.LookupResult{}, err
	}
	out.Facts, out.Truncated = fit(out.Facts)
	if r.Debug {
		out.Debug = lookupNote(q, r, hits, v.dropped, orphans, clock.timings())
		out.Debug.Coverage = covered
	}
	return out, nil
}

func lookupQuestion(s cairn.Scope, r cairn.LookupRequest) (retrieve.Question, error) {
	if err := checkScope(s); err != nil {
		return retrieve.Question{}, err
	}
	if err := checkIdentifier(r.Identifier); err != nil {
		return retrieve.Question{}, err
	}
	if r.ExpandHops < 0 || r.ExpandHops > maxHops {
		return retrieve.Question{}, cairn.Errorf(cairn.Invalid, "rag_expand_hops: is %d, must be 0 to %d", r.ExpandHops, maxHops)
	}
	text := r.Query
	if text == "" {
		text = "-" // not searched; the other members are checked all the same
	}
	return question(s, cairn.RecallRequest{Query: text, K: r.TopK, MinScore: r.MinScore, States: r.IncludeStates, AsOf: r.AsOf, KnownAt: r.KnownAt})
}

// dropOrphans removes from the indexes what the truth does not hold, and counts it.
func (e *Engine) dropOrphans(ctx context.Context, s cairn.Scope, dropped []cairn.Drop) (int, error) {
	var ids []cairn.ID
	for _, d := range dropped {
		if d.Reason == cairn.DropMissing {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	ms, err := e.cfg.Store.Get(ctx, tenantOf(s), ids)
	if err != nil {
		return 0, err
	}
	for _, m := range ms { // it exists: only not in this scope
		ids = slices.DeleteFunc(ids, func(id cairn.ID) bool { return id == m.ID })
	}
	if e.ReadOnly() != "" {
		return len(ids), nil
	}
	return len(ids), e.unindex(ctx, tenantOf(s), ids)
}

func lookupNote(q retrieve.Question, r cairn.LookupRequest, hits []cairn.Hit, dropped []cairn.Drop, orphans int, laps map[string]float64) *cairn.LookupNote {
	laps["vector_search"] = laps["search"]
	delete(laps, "search")
	note := &cairn.LookupNote{Query: r.Query, TopK: q.K, MinScore: r.MinScore, Hits: []cairn.LookupHit{},
		VerifiedCount: len(hits), OrphanCount: orphans, TimingsMS: laps}
	for _, h := range hits {
		f := h.Memory.Fact
		note.Hits = append(note.Hits, cairn.LookupHit{Collection: "facts", FactID: f.FactID, Verb: f.Verb,
			RelationshipKey: f.RelationshipKey, Score: h.Score, Verified: true})
	}
	for _, d := range dropped {
		note.Hits = append(note.Hits, cairn.LookupHit{Collection: "facts", Score: d.Score}) // of what is not there nothing is known
	}
	return note
}

// LookupSummary is Lookup in prose: the sentences of the facts, one after the other.
func (e *Engine) LookupSummary(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.SummaryResult, error) {
	res, err := e.Lookup(ctx, s, r)
	if err != nil {
		return cairn.SummaryResult{}, err
	}
	out := cairn.SummaryResult{Entity: res.Entity, FactCount: len(res.Facts), Debug: res.Debug, Coverage: res.Coverage}
	if len(res.Facts) == 0 {
		out.Summary = fmt.Sprintf("Nothing is known about %s.", assemble.Inline(res.Entity.Name))
		return out, nil
	}
	var b strings.Builder
	for i, m := range res.Facts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimRight(assemble.Inline(m.Text), ". "))
		if from := m.EventTime.Format(time.DateOnly); cairn.Ahead(m.EventTime, e.now()) {
			fmt.Fprintf(&b, " (planned from %s).", from)
		} else if m.ValidUntil == nil {
			fmt.Fprintf(&b, " (since %s).", from)
		} else {
			fmt.Fprintf(&b, " (from %s until %s).", from, m.ValidUntil.Format(time.DateOnly))
		}
	}
	out.Summary = b.String()
	return out, nil
}
