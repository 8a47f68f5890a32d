package facts

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// SpokenOfAgain adds to active facts the latest turn, visible to the scope, that mentions them after they were last
// stated. A person's decision clears earlier mentions, and so does new evidence.
func (fs *Facts) SpokenOfAgain(ctx context.Context, s cairn.Scope, ms []*cairn.Memory, at cairn.Moment) error {
	_, err := fs.MarkSpoken(ctx, s, ms, at, func(Mentioned) bool { return true })
	return err
}

// MarkSpoken adds to each fact the latest such turn that passes, and returns the facts that have one with the time at
// which the turn was stored.
func (fs *Facts) MarkSpoken(ctx context.Context, s cairn.Scope, ms []*cairn.Memory, at cairn.Moment,
	pass func(Mentioned) bool) (map[cairn.ID]*cairn.Memory, error) {
	now := fs.truth.Now()
	var facts []*cairn.Memory
	var ids []cairn.ID
	for _, m := range ms {
		m.SpokenOfAgain = nil
		if m.Fact != nil && m.StateAt(now) == cairn.StateActive {
			facts, ids = append(facts, m), append(ids, truth.OriginOf(m))
		}
	}
	if len(facts) == 0 {
		return nil, nil
	}
	news, err := fs.recentMentions(ctx, truth.TenantOf(s), ids)
	if err != nil {
		return nil, err
	}
	rs, _, err := truth.SoundOf(
		fs.truth.Store.Records(ctx, truth.TenantOf(s), cairn.RecordListing{Kind: cairn.RecordMentions, IDs: ids}))
	if err != nil || len(rs)+len(news.found) == 0 {
		return nil, err
	}
	left := map[*cairn.Memory][]Mentioned{}
	known := map[cairn.ID][]Mentioned{}
	for _, r := range rs {
		v, err := truth.Decode[Mentions](r)
		if err != nil {
			return nil, err
		}
		known[r.ID] = v.Turns
	}
	for _, m := range facts {
		id := truth.OriginOf(m)
		left[m] = slices.DeleteFunc(news.of(id, known[id]), func(t Mentioned) bool { return !pass(t) })
	}
	marked := map[cairn.ID]*cairn.Memory{}
	for { // usually the latest turn passes: the others are not read
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
		// a turn that the scope may not read is not shown
		found, _, err := truth.SoundOf(fs.truth.Store.Get(ctx, s, slices.Compact(episodes)))
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
			if turn := turns[t.EpisodeID]; turn != nil && speaks(turn) && at.Holds(turn) && t.End <= len(turn.Text) &&
				!looked(m, turn) {
				m.SpokenOfAgain = &cairn.SpokenOfAgain{At: turn.EventTime, Quote: turn.Text[t.Start:t.End],
					EpisodeID: turn.ID}
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

// KnowMentions brings the mentions up to date if the store accepts writes. A mention says that a fact may have ended,
// not that it has: if the log cannot be read, or not in time, answers contain the mentions that are known.
func (fs *Facts) KnowMentions(ctx context.Context) error {
	if fs.truth.ForReading || fs.truth.ReadOnly() != "" {
		return nil
	}
	return fs.unfollowed(ctx, fs.Mentions.catchUp(ctx))
}

// SettleMentions returns once every change committed before the call has been searched for mentions of facts.
func (fs *Facts) SettleMentions(ctx context.Context) error {
	for {
		n, err := fs.Mentions.CatchUp(ctx, MentionStep)
		if err != nil || n < MentionStep {
			return err
		}
	}
}

// recentMentions finds mentions that are not recorded yet, as far as the log can be read in time.
func (fs *Facts) recentMentions(ctx context.Context, s cairn.Scope, ids []cairn.ID) (*spoken, error) {
	news, err := fs.Mentions.recent(ctx, s, ids)
	if err != nil {
		news = newSpoken(fs.Mentions, s)
	}
	return news, fs.unfollowed(ctx, err)
}

// unfollowed logs that the log of changes could not be followed. It returns the error only if the caller has gone.
func (fs *Facts) unfollowed(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		fs.truth.Logger.WarnContext(
			ctx, "mentions: the log of changes could not be read; when facts were last mentioned is unknown", "error", err)
		return nil
	}
	return err
}

// SpokenIn adds mentions to the facts of an answer.
func (fs *Facts) SpokenIn(ctx context.Context, s cairn.Scope, ms []cairn.Memory, at cairn.Moment) error {
	all := make([]*cairn.Memory, len(ms))
	for i := range ms {
		all[i] = &ms[i]
	}
	return fs.SpokenOfAgain(ctx, s, all, at)
}
