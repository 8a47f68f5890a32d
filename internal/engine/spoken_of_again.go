package engine

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
)

// spokenOfAgain notes on active facts the latest turn that the scope sees in which they were spoken of after they were last
// said. A person's decision clears what was known before it, and new evidence what was said before that.
func (e *Engine) spokenOfAgain(ctx context.Context, s cairn.Scope, ms []*cairn.Memory, at cairn.Moment) error {
	_, err := e.markSpoken(ctx, s, ms, at, func(mentioned) bool { return true })
	return err
}

// markSpoken notes the latest of those turns of each fact that pass, and returns the facts that have one with when the turn was
// stored.
func (e *Engine) markSpoken(ctx context.Context, s cairn.Scope, ms []*cairn.Memory, at cairn.Moment, pass func(mentioned) bool) (map[cairn.ID]*cairn.Memory, error) {
	now := e.now()
	var facts []*cairn.Memory
	var ids []cairn.ID
	for _, m := range ms {
		m.SpokenOfAgain = nil
		if m.Fact != nil && m.StateAt(now) == cairn.StateActive {
			facts, ids = append(facts, m), append(ids, originOf(m))
		}
	}
	if len(facts) == 0 {
		return nil, nil
	}
	if err := e.knowMentions(ctx); err != nil {
		return nil, err
	}
	rs, _, err := soundOf(e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordMentions, IDs: ids}))
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	left := map[*cairn.Memory][]mentioned{}
	known := map[cairn.ID][]mentioned{}
	for _, r := range rs {
		v, err := decode[mentions](r)
		if err != nil {
			return nil, err
		}
		known[r.ID] = slices.DeleteFunc(v.Turns, func(t mentioned) bool { return !pass(t) })
	}
	for _, m := range facts {
		left[m] = known[originOf(m)]
	}
	marked := map[cairn.ID]*cairn.Memory{}
	for { // the latest is most often the one: the others are not read
		var episodes []cairn.ID
		for m, turns := range left {
			if len(turns) == 0 {
				delete(left, m)
				continue
			}
			episodes = append(episodes, turns[0].EpisodeID)
		}
		if len(episodes) == 0 {
			return marked, nil
		}
		slices.Sort(episodes)
		found, _, err := soundOf(e.cfg.Store.Get(ctx, s, slices.Compact(episodes))) // what the scope may not read it is not shown
		if err != nil {
			return nil, err
		}
		turns := make(map[cairn.ID]*cairn.Memory, len(found))
		for i := range found {
			turns[found[i].ID] = &found[i]
		}
		for m, of := range left {
			t := of[0]
			left[m] = of[1:]
			if turn := turns[t.EpisodeID]; turn != nil && speaks(turn) && at.Holds(turn) && t.End <= len(turn.Text) && !looked(m, turn) {
				m.SpokenOfAgain = &cairn.SpokenOfAgain{At: turn.EventTime, Quote: turn.Text[t.Start:t.End], EpisodeID: turn.ID}
				marked[m.ID] = turn
				delete(left, m)
			}
		}
	}
}

// looked reports whether a person has decided about a fact since a turn was stored.
func looked(m, turn *cairn.Memory) bool {
	v := m.Fact.Verification
	return v.Decided() && v.At != nil && !v.At.Before(turn.RecordedAt)
}

// knowMentions brings the mentions up to date, if there is anything to write to. They say that a fact may be over, not that it is:
// where the log cannot be followed, or not in time, answers carry those that are known.
func (e *Engine) knowMentions(ctx context.Context) error {
	if e.readOnly || e.ReadOnly() != "" {
		return nil
	}
	err := e.mentions.catchUp(ctx)
	if err != nil && ctx.Err() == nil {
		e.cfg.Logger.WarnContext(ctx, "mentions: the log could not be followed; where facts were spoken of last is not known", "error", err)
		return nil
	}
	return err
}

// spokenIn notes on the facts of an answer where they were spoken of again.
func (e *Engine) spokenIn(ctx context.Context, s cairn.Scope, ms []cairn.Memory, at cairn.Moment) error {
	all := make([]*cairn.Memory, len(ms))
	for i := range ms {
		all[i] = &ms[i]
	}
	return e.spokenOfAgain(ctx, s, all, at)
}
