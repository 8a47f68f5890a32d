// Package mentions records in which later turns a fact is mentioned again. It follows the log of changes, compares new
// turns with the facts of their person by [mention], and stores the positions. An answer shows the latest mention of a
// fact beside it.
//
// A mention changes no fact: it says that a fact may have ended, not that it has.
package mentions

import (
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Mention is a position in a turn that mentions a fact.
type Mention struct {
	EpisodeID trilith.ID `json:"episode_id"`
	At        time.Time  `json:"at"`
	Start     int        `json:"start"` // byte offset in the turn's text
	End       int        `json:"end"`
	Asks      bool       `json:"asks,omitempty"` // the mention is specific enough to ask a person about it
}

// record is the body of a [trilith.RecordMentions]: the mentions of one fact, the latest first. They contain no text, so
// forgetting or erasing a turn does not change them: a reader checks each turn against the truth.
type record struct {
	Mentions []Mention `json:"turns"`
}

// Mentions are the mentions of the facts of one store. Its methods are safe for concurrent use.
type Mentions struct {
	truth    *truth.Truth
	follower *follower
}

// New returns the mentions in the truth. Nothing is recorded in the background until [Mentions.Run].
func New(t *truth.Truth, n *entities.Entities) *Mentions { return &Mentions{t, newFollower(t, n)} }

// On returns a view that reads facts, turns and records from a standby of the store. It shares everything else with
// the original, which follows the log of the primary.
func (ms *Mentions) On(standby *truth.Truth) *Mentions { return &Mentions{standby, ms.follower} }

// Run records mentions until ctx ends, and reports errors to failed. Of several processes, one does so; the others only
// serve their readers.
func (ms *Mentions) Run(ctx context.Context, failed func(error)) { ms.follower.run(ctx, failed) }

// SaveCheckpoint saves the position in the log if it has advanced.
func (ms *Mentions) SaveCheckpoint(ctx context.Context) error { return ms.follower.saveCheckpoint(ctx) }

// Settle returns once every change committed before the call has been searched for mentions of facts.
func (ms *Mentions) Settle(ctx context.Context) error {
	for {
		n, err := ms.follower.catchUp(ctx, readStep)
		if err != nil || n < readStep {
			return err
		}
	}
}

// Annotate sets, in active facts, the latest turn visible to the scope that mentions them after they were last stated.
// A person's decision clears earlier mentions, and so does new evidence.
func (ms *Mentions) Annotate(ctx context.Context, s trilith.Scope, facts []*trilith.Memory, at trilith.Moment) error {
	_, err := ms.annotate(ctx, s, facts, at, func(Mention) bool { return true })
	return err
}

// AnnotateAsking is [Mentions.Annotate] for mentions that are specific enough to ask a person about. It returns the
// turns by the ids of the facts that have one.
func (ms *Mentions) AnnotateAsking(ctx context.Context, s trilith.Scope, facts []*trilith.Memory) (
	map[trilith.ID]*trilith.Memory, error) {
	return ms.annotate(ctx, s, facts, trilith.Moment{}, func(m Mention) bool { return m.Asks })
}

// annotate sets the latest mention that passes in each fact, and returns the turns by the ids of the facts.
func (ms *Mentions) annotate(ctx context.Context, s trilith.Scope, list []*trilith.Memory, at trilith.Moment,
	pass func(Mention) bool) (map[trilith.ID]*trilith.Memory, error) {
	now := ms.truth.Now()
	var facts []*trilith.Memory
	var ids []trilith.ID
	for _, m := range list {
		m.SpokenOfAgain = nil
		if m.Fact != nil && m.StateAt(now) == trilith.StateActive {
			facts, ids = append(facts, m), append(ids, truth.OriginOf(m))
		}
	}
	if len(facts) == 0 {
		return nil, nil
	}
	news, err := ms.unrecorded(ctx, truth.TenantOf(s), ids)
	if err != nil {
		return nil, err
	}
	rs, _, err := truth.SoundOf(
		ms.truth.Store.Records(ctx, truth.TenantOf(s), trilith.RecordListing{Kind: trilith.RecordMentions, IDs: ids}))
	if err != nil || len(rs)+len(news.found) == 0 {
		return nil, err
	}
	left := map[*trilith.Memory][]Mention{}
	recorded := map[trilith.ID][]Mention{}
	for _, r := range rs {
		v, err := truth.Decode[record](r)
		if err != nil {
			return nil, err
		}
		recorded[r.ID] = v.Mentions
	}
	for _, m := range facts {
		id := truth.OriginOf(m)
		left[m] = slices.DeleteFunc(news.merged(id, recorded[id]), func(t Mention) bool { return !pass(t) })
	}
	annotated := map[trilith.ID]*trilith.Memory{}
	for { // usually the latest turn passes: the others are not read
		var episodes []trilith.ID
		for m, mentions := range left {
			if len(mentions) == 0 {
				delete(left, m)
				continue
			}
			episodes = append(episodes, mentions[0].EpisodeID)
		}
		if len(episodes) == 0 {
			return annotated, nil
		}
		slices.Sort(episodes)
		// a turn that the scope may not read is not shown
		found, _, err := truth.SoundOf(ms.truth.Store.Get(ctx, s, slices.Compact(episodes)))
		if err != nil {
			return nil, err
		}
		turns := make(map[trilith.ID]*trilith.Memory, len(found))
		for i := range found {
			turns[found[i].ID] = &found[i]
		}
		for m, mentions := range left {
			t := mentions[0]
			left[m] = mentions[1:]
			if turn := turns[t.EpisodeID]; turn != nil && isUserTurn(turn) && at.Holds(turn) &&
				t.End <= len(turn.Text) && !decidedSince(m, turn) {
				m.SpokenOfAgain = &trilith.SpokenOfAgain{At: turn.EventTime, Quote: turn.Text[t.Start:t.End],
					EpisodeID: turn.ID}
				annotated[m.ID] = turn
				delete(left, m)
			}
		}
	}
}

// decidedSince reports whether a person has decided about a fact since a turn was stored.
func decidedSince(m, turn *trilith.Memory) bool {
	v := m.Fact.Verification
	return v.Decided() && v.At != nil && !v.At.Before(turn.RecordedAt)
}

// Asking returns the facts of a tenant with a recorded mention that is specific enough to ask a person about. First it
// brings the records up to date, if the store accepts writes and the log can be read in time.
func (ms *Mentions) Asking(ctx context.Context, s trilith.Scope) ([]trilith.ID, error) {
	if !ms.truth.ForReading && ms.truth.ReadOnly() == "" {
		if err := ms.logUnread(ctx, ms.follower.refresh(ctx)); err != nil {
			return nil, err
		}
	}
	var ids []trilith.ID
	for r, err := range ms.truth.Records(ctx, s, trilith.RecordMentions) {
		v, err := truth.DecodeIf[record](r, err)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(v.Mentions, func(m Mention) bool { return m.Asks }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// unrecorded finds mentions that are not recorded yet, as far as the log can be read in time.
func (ms *Mentions) unrecorded(ctx context.Context, s trilith.Scope, ids []trilith.ID) (*search, error) {
	news, err := ms.follower.unrecorded(ctx, s, ids)
	if err != nil {
		news = newSearch(ms.follower, s)
	}
	return news, ms.logUnread(ctx, err)
}

// logUnread logs that the log of changes could not be read, because an answer with the recorded mentions is better than
// none. It returns the error only if the caller has gone.
func (ms *Mentions) logUnread(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		ms.truth.Logger.WarnContext(
			ctx, "mentions: the log of changes could not be read; when facts were last mentioned is unknown", "error", err)
		return nil
	}
	return err
}
