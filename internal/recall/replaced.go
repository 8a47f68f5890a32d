package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/recall/later"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// longestChain is how many successors of a fact are followed.
const longestChain = 8

// Current is the content of hits that a text for a prompt shows.
type Current struct {
	Hits []trilith.Hit
	Cut  map[trilith.ID]bool // memories reduced to the sentences that were not replaced
	// the facts with which a person has put others right, and when
	Corrected map[trilith.ID]time.Time
}

// CurrentHits returns the content that a text for a prompt shows of the hits of a request.
//
// It leaves out of hits and their neighbours the sentences that another saying has replaced, by its owner's own words
// or the decision of a person or a model: all facts that rest on such a sentence are superseded. The replacing memory
// comes in its place, with its score; a fact that a person put right is shown by the correction. A sentence whose fact
// has only ended stays, and the sentence that ended it joins it, if the request's filter lets it.
func (rd *Reader) CurrentHits(ctx context.Context, s trilith.Scope, hits []trilith.Hit, r trilith.RecallRequest) (
	Current, error) {
	at, err := rd.truth.ClockOf(s).Moment(r.AsOf, r.KnownAt)
	if err != nil {
		return Current{}, err
	}
	out := Current{Hits: hits, Cut: map[trilith.ID]bool{}, Corrected: map[trilith.ID]time.Time{}}
	c := currency{rd: rd, scope: s, at: at, sayings: map[trilith.ID]*saying{}, next: map[trilith.ID]*trilith.Memory{}}
	if err := c.read(ctx, hits); err != nil || len(c.over) == 0 {
		return out, err
	}
	filter, err := rd.facts.ResolveFilter(ctx, s, r.Filter)
	if err != nil {
		return out, err
	}
	fits, err := filter.Compile()
	if err != nil {
		return out, err
	}
	shown := map[trilith.ID]int{}
	var kept, new []trilith.Hit
	for _, h := range hits {
		h.Neighbors = slices.DeleteFunc(slices.Clone(h.Neighbors), func(m trilith.Memory) bool {
			rest, _ := c.rest(&m)
			return rest != m.Text
		})
		rest, followed := c.rest(&h.Memory)
		for _, m := range followed {
			if f := role.FacetsOf(m); fits == nil || fits(&f) {
				new = append(new, trilith.Hit{Memory: *m, Score: h.Score, Weak: h.Weak})
			}
		}
		if rest == "" {
			continue
		}
		out.Cut[h.Memory.ID], h.Memory.Text = rest != h.Memory.Text, rest
		shown[h.Memory.ID] = len(kept)
		kept = append(kept, h)
	}
	for _, h := range new {
		if i, ok := shown[h.Memory.ID]; ok {
			kept[i].Score, kept[i].Weak = max(kept[i].Score, h.Score), kept[i].Weak && h.Weak
			continue
		}
		if rest, _ := c.rest(&h.Memory); rest != "" {
			shown[h.Memory.ID] = len(kept)
			kept = append(kept, h)
		}
		if c.corrected[h.Memory.ID] != nil {
			out.Corrected[h.Memory.ID] = *c.corrected[h.Memory.ID]
		}
	}
	slices.SortStableFunc(kept, func(a, b trilith.Hit) int { return cmp.Compare(b.Score, a.Score) })
	out.Hits = kept
	return out, nil
}

// saying is the judgement of facts on the words of one memory.
type saying struct {
	holds []trilith.Evidence // of facts that hold
	over  map[trilith.ID][]trilith.Evidence
}

// currency knows which words were replaced.
type currency struct {
	rd    *Reader
	scope trilith.Scope
	at    trilith.Moment

	sayings   map[trilith.ID]*saying         // by the memory that facts rest on; for a share, by its origin
	over      map[trilith.ID]*trilith.Memory // facts that no longer hold
	next      map[trilith.ID]*trilith.Memory // facts and the words that they rest on
	corrected map[trilith.ID]*time.Time      // facts with which a person put others right
}

// read reads the facts that rest on hits and their neighbours, those that replaced them, and their words.
func (c *currency) read(ctx context.Context, hits []trilith.Hit) error {
	var ids []trilith.ID
	shared := map[trilith.ID]bool{}
	note := func(m *trilith.Memory) {
		if truth.CanBeEvidence(m) {
			ids = append(ids, truth.OriginOf(m))
			shared[truth.OriginOf(m)] = shared[truth.OriginOf(m)] || m.SharedFrom != ""
		}
	}
	for i := range hits {
		note(&hits[i].Memory)
		for j := range hits[i].Neighbors {
			note(&hits[i].Neighbors[j])
		}
	}
	slices.Sort(ids)
	known, _, err := truth.SoundOf(c.rd.facts.FactsCiting(ctx, c.scope, slices.Compact(ids)))
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(m trilith.Memory) bool {
		return !c.scope.SeesMemory(&m) && !facts.CitesAny(&m, shared) || m.State == trilith.StateRetracted
	})
	if err := c.follow(ctx, known); err != nil {
		return err
	}
	for i := range known {
		m := &known[i]
		for _, ev := range m.Fact.Evidence {
			if ev.Ends || ev.Withdrawn || ev.EpisodeID == "" {
				continue
			}
			w := c.sayings[ev.EpisodeID]
			if w == nil {
				w = &saying{over: map[trilith.ID][]trilith.Evidence{}}
				c.sayings[ev.EpisodeID] = w
			}
			if c.over[m.ID] == nil {
				w.holds = append(w.holds, ev)
			} else {
				w.over[m.ID] = append(w.over[m.ID], ev)
			}
		}
	}
	return nil
}

// follow reads which of the facts no longer hold, what replaced them, and the words of that.
func (c *currency) follow(ctx context.Context, known []trilith.Memory) error {
	c.over, c.corrected = map[trilith.ID]*trilith.Memory{}, map[trilith.ID]*time.Time{}
	var wanted []trilith.ID
	for i := range known {
		if m := &known[i]; c.isOver(m) {
			c.over[m.ID] = m
			wanted = append(wanted, m.Fact.MemoryID(), m.SupersededBy)
			for _, ev := range m.Fact.Evidence {
				if ev.Ends && !ev.Withdrawn {
					wanted = append(wanted, ev.EpisodeID)
				}
			}
		}
	}
	for range longestChain {
		slices.Sort(wanted)
		wanted = slices.DeleteFunc(slices.Compact(wanted), func(id trilith.ID) bool { return id == "" || c.next[id] != nil })
		if len(wanted) == 0 {
			break
		}
		ms, _, err := truth.SoundOf(c.rd.truth.Memories(ctx, truth.TenantOf(c.scope), wanted))
		if err != nil {
			return err
		}
		wanted = nil
		for i := range ms {
			m := &ms[i]
			c.next[m.ID] = m
			if m.Fact == nil {
				continue
			}
			wanted = append(wanted, m.SupersededBy)
			if said := lastSaid(m); said != nil {
				wanted = append(wanted, said.EpisodeID)
			}
		}
	}
	for id, m := range c.over { // the fact may hold again
		if same := c.next[m.Fact.MemoryID()]; same != nil && same.Fact.Polarity == m.Fact.Polarity && !c.isOver(same) {
			delete(c.over, id)
		}
	}
	return nil
}

// lastSaid returns the latest words that say that a fact holds; nil if there are none.
func lastSaid(m *trilith.Memory) *trilith.Evidence {
	var last *trilith.Evidence
	for i := range m.Fact.Evidence {
		if ev := &m.Fact.Evidence[i]; !ev.Ends && !ev.Withdrawn && (last == nil || !ev.At.Before(last.At)) {
			last = ev
		}
	}
	return last
}

// isOver reports whether a fact had been replaced or ended at a point in time, by default now.
func (c *currency) isOver(m *trilith.Memory) bool {
	world := c.at.World
	if world.IsZero() {
		world = c.rd.truth.Now()
	}
	if !c.at.Known.IsZero() && m.SupersededAt != nil && m.SupersededAt.After(c.at.Known) {
		return false // it was not known yet
	}
	return m.ValidUntil != nil && !m.ValidUntil.After(world)
}

// rest returns the words of a memory without the sentences that were replaced, "" if nothing is stated there, and the
// memories that replaced them or that say that something else has ended.
func (c *currency) rest(m *trilith.Memory) (string, []*trilith.Memory) {
	w := c.sayings[truth.OriginOf(m)]
	if w == nil {
		return m.Text, nil
	}
	var follow []*trilith.Memory
	var stale []trilith.Evidence
	for id, evidence := range w.over {
		fact := c.over[id]
		if fact.SupersededBy == "" || c.next[fact.SupersededBy] == nil {
			follow = append(follow, c.endings(fact)...)
			continue
		}
		stale = append(stale, evidence...)
		follow = append(follow, c.successor(fact))
	}
	follow = slices.DeleteFunc(follow, func(f *trilith.Memory) bool {
		return f == nil || f.ID == m.ID || !c.scope.SeesMemory(f) || f.State != trilith.StateActive
	})
	if len(stale) == 0 || m.Kind == trilith.KindEntry {
		return m.Text, follow
	}
	return without(m.Text, stale, w.holds), follow
}

// endings returns the words that end a fact.
func (c *currency) endings(fact *trilith.Memory) []*trilith.Memory {
	var out []*trilith.Memory
	for _, ev := range fact.Fact.Evidence {
		if ev.Ends && !ev.Withdrawn {
			out = append(out, c.next[ev.EpisodeID])
		}
	}
	return out
}

// successor returns the memory that is shown instead of a fact that was replaced: the fact with which a person put it
// right, or the latest words of the fact that holds instead.
func (c *currency) successor(fact *trilith.Memory) *trilith.Memory {
	for range longestChain {
		by := c.next[fact.SupersededBy]
		if by == nil {
			break
		}
		for i := range fact.Fact.Evidence {
			ev := &fact.Fact.Evidence[i]
			if ev.Ends && ev.Successor == by.ID && !ev.Withdrawn && by.State == trilith.StateActive &&
				!ending.Decided(ev.Rule) {
				c.corrected[by.ID] = fact.SupersededAt
			}
		}
		fact = by
	}
	said := lastSaid(fact)
	if said == nil || c.corrected[fact.ID] != nil || c.next[said.EpisodeID] == nil {
		return fact
	}
	return c.next[said.EpisodeID]
}

// without returns a text without the sentences that hold some evidence and none of the other, the gaps marked; "" if
// nothing else is stated.
func without(text string, stale, holds []trilith.Evidence) string {
	var out strings.Builder
	touches := func(evidence []trilith.Evidence, from, to int) bool {
		return slices.ContainsFunc(evidence, func(e trilith.Evidence) bool { return e.Start < to && e.End > from })
	}
	left, gap := false, false
	for from, to := range later.Sentences(text) {
		if touches(stale, from, to) && !touches(holds, from, to) {
			left, gap = true, true
			continue
		}
		if gap {
			out.WriteString("… ")
		}
		gap = false
		out.WriteString(text[from:to])
	}
	rest := strings.TrimSpace(out.String())
	switch {
	case !left:
		return text
	case !later.States(strings.ReplaceAll(rest, "…", " ")):
		return ""
	case gap:
		return rest + " …"
	}
	return rest
}
