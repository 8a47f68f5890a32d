package review

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// feedPosition is the end of a page of the feed: one position among stored memories and one among closed ones.
type feedPosition struct {
	Stored *role.ListPosition `json:"s,omitempty"`
	Closed *role.ListPosition `json:"c,omitempty"`
}

// Feed pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
// storing, and memories that were closed, by the time when trilith learned of it.
func (rv *Reviewer) Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error) {
	page := trilith.Feed{Items: []trilith.FeedItem{}}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err := cmp.Or(truth.CheckScope(s), err); err != nil {
		return page, err
	}
	for _, k := range q.Kinds {
		if !slices.Contains(trilith.FeedKinds(), k) {
			return page, trilith.Errorf(trilith.Invalid, "kinds: %.32q is not one of learned, replaced, ended, forgotten, planned",
				string(k))
		}
	}
	if q.Filter, err = rv.facts.ResolveFilter(ctx, s, q.Filter); err != nil {
		return page, err
	}
	at, err := readFeedPosition(q)
	if err != nil {
		return page, err
	}
	stored, endStored := iter.Pull2(rv.feedOf(ctx, s, q, role.OrderRecorded, at.Stored))
	defer endStored()
	closed, endClosed := iter.Pull2(rv.feedOf(ctx, s, q, role.OrderClosed, at.Closed))
	defer endClosed()
	var b truth.Bound
	m, err, moreStored := stored()
	n, failed, moreClosed := closed()
	for moreStored || moreClosed {
		if err = cmp.Or(err, failed); err != nil {
			return trilith.Feed{}, err
		}
		var it trilith.FeedItem
		isStored := moreStored && (!moreClosed || m.RecordedAt.After(*n.SupersededAt))
		if isStored {
			it = trilith.FeedItem{At: m.RecordedAt, Kind: trilith.FeedLearned, After: new(m)}
		} else {
			it = trilith.FeedItem{At: *n.SupersededAt, Kind: rv.closing(&n), Before: new(n)}
		}
		if len(page.Items) == limit || !b.Holds(&it) {
			page.NextCursor = truth.WriteCursor(at)
			break
		}
		page.Items = append(page.Items, it)
		if isStored {
			at.Stored = new(role.OrderRecorded.Position(&m))
			m, err, moreStored = stored()
		} else {
			at.Closed = new(role.OrderClosed.Position(&n))
			n, failed, moreClosed = closed()
		}
	}
	return page, rv.completeFeed(ctx, s, page.Items)
}

// feedOf yields the memories of a feed in one of the two orders.
func (rv *Reviewer) feedOf(ctx context.Context, s trilith.Scope, q trilith.FeedQuery, o role.Order,
	behind *role.ListPosition) iter.Seq2[trilith.Memory, error] {
	asked := func(k trilith.FeedKind) bool { return len(q.Kinds) == 0 || slices.Contains(q.Kinds, k) }
	l := role.Listing{Order: o, Behind: behind}
	wanted := func(m *trilith.Memory) bool { return asked(rv.closing(m)) }
	if o == role.OrderRecorded {
		l.Filter = trilith.Where("kind", trilith.OpIn, []trilith.Kind{trilith.KindFact, trilith.KindNote, trilith.KindEntry})
		wanted = func(m *trilith.Memory) bool { return asked(trilith.FeedLearned) && len(m.Supersedes) == 0 }
	}
	return func(yield func(trilith.Memory, error) bool) {
		if o == role.OrderRecorded && !asked(trilith.FeedLearned) {
			return
		}
		match, err := q.Filter.Compile()
		if err != nil {
			yield(trilith.Memory{}, err)
			return
		}
		for m, err := range truth.Sound(rv.truth.List(ctx, s, l), func(*trilith.Damaged) {}) {
			if err == nil {
				if o.Position(&m).At.Before(q.From) {
					return
				}
				f := role.FacetsOf(&m)
				if m.SharedFrom != "" || !wanted(&m) || match != nil && !match(&f) {
					continue
				}
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// closing returns how a memory was or will be closed.
func (rv *Reviewer) closing(m *trilith.Memory) trilith.FeedKind {
	switch m.StateAt(rv.truth.Now()) {
	case trilith.StateRetracted:
		return trilith.FeedForgotten
	case trilith.StateActive, trilith.StateCandidate:
		return trilith.FeedPlanned
	case trilith.StateSuperseded:
		return trilith.FeedReplaced
	}
	return trilith.FeedEnded
}

// completeFeed adds the successors of replaced memories, as far as the scope sees them, and hides foreign quotes.
func (rv *Reviewer) completeFeed(ctx context.Context, s trilith.Scope, items []trilith.FeedItem) error {
	var ids []trilith.ID
	for i := range items {
		if m := items[i].Before; m != nil && m.SupersededBy != "" {
			ids = append(ids, m.SupersededBy)
		}
	}
	slices.Sort(ids)
	ms, _, err := truth.SoundOf(rv.truth.Memories(ctx, s, slices.Compact(ids)))
	if err != nil {
		return err
	}
	now := make(map[trilith.ID]*trilith.Memory, len(ms))
	for i := range ms {
		now[ms[i].ID] = &ms[i]
	}
	shown := facts.Pointers(ms)
	for i := range items {
		if m := items[i].Before; m != nil {
			items[i].After = now[m.SupersededBy]
			shown = append(shown, m)
		} else {
			shown = append(shown, items[i].After)
		}
	}
	rv.facts.RedactQuotes(ctx, s, shown)
	return nil
}

// readFeedPosition returns the start of a page.
func readFeedPosition(q trilith.FeedQuery) (p feedPosition, err error) {
	if q.Cursor != "" {
		if err := truth.ReadCursor(q.Cursor, "the changes", &p); err != nil {
			return p, err
		}
	}
	if !q.To.IsZero() { // no item has this position, so the page begins with earlier ones
		if p.Stored == nil {
			p.Stored = &role.ListPosition{At: q.To}
		}
		if p.Closed == nil {
			p.Closed = &role.ListPosition{At: q.To}
		}
	}
	return p, nil
}
