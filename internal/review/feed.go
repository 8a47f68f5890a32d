package review

import (
	"context"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// feedPosition is the end of a page of the feed: one position among stored memories and one among closed ones.
type feedPosition struct {
	Stored *cairn.ListPosition `json:"s,omitempty"`
	Closed *cairn.ListPosition `json:"c,omitempty"`
}

// Feeds lists what has happened.
type Feeds struct{ *Reviewer }

// FeedsOf returns the feeds of a reviewer.
func FeedsOf(rv *Reviewer) Feeds { return Feeds{rv} }

// Feed pages through what has happened to the memories of the scope, latest first: memories that were stored, by the
// time of storing, and memories that were closed, by the time when cairn learned of it.
func (rv Feeds) Feed(ctx context.Context, s cairn.Scope, q cairn.FeedQuery) (cairn.Feed, error) {
	page := cairn.Feed{Items: []cairn.FeedItem{}}
	limit, err := truth.CheckLimit(q.Limit, cairn.DefaultPageSize, cairn.MaxPageSize)
	if err := truth.FirstError(truth.CheckScope(s), err); err != nil {
		return page, err
	}
	for _, k := range q.Kinds {
		if !slices.Contains(cairn.FeedKinds(), k) {
			return page, cairn.Errorf(cairn.Invalid, "kinds: %.32q is not one of learned, replaced, ended, forgotten, planned",
				string(k))
		}
	}
	if q.Filter, err = rv.facts.ResolveTextFilters(ctx, s, q.Filter); err != nil {
		return page, err
	}
	at, err := readFeedPosition(q)
	if err != nil {
		return page, err
	}
	stored, endStored := iter.Pull2(rv.feedOf(ctx, s, q, cairn.OrderRecorded, at.Stored))
	defer endStored()
	closed, endClosed := iter.Pull2(rv.feedOf(ctx, s, q, cairn.OrderClosed, at.Closed))
	defer endClosed()
	var b truth.Bound
	m, err, moreStored := stored()
	n, failed, moreClosed := closed()
	for moreStored || moreClosed {
		if err = truth.FirstError(err, failed); err != nil {
			return cairn.Feed{}, err
		}
		var it cairn.FeedItem
		isStored := moreStored && (!moreClosed || m.RecordedAt.After(*n.SupersededAt))
		if isStored {
			it = cairn.FeedItem{At: m.RecordedAt, Kind: cairn.FeedLearned, After: new(m)}
		} else {
			it = cairn.FeedItem{At: *n.SupersededAt, Kind: rv.closing(&n), Before: new(n)}
		}
		if len(page.Items) == limit || !b.Holds(&it) {
			page.NextCursor = truth.WriteCursor(at)
			break
		}
		page.Items = append(page.Items, it)
		if isStored {
			at.Stored = new(cairn.OrderRecorded.Position(&m))
			m, err, moreStored = stored()
		} else {
			at.Closed = new(cairn.OrderClosed.Position(&n))
			n, failed, moreClosed = closed()
		}
	}
	return page, rv.complete(ctx, s, page.Items)
}

// feedOf yields what has happened in one of the two orders.
func (rv Feeds) feedOf(ctx context.Context, s cairn.Scope, q cairn.FeedQuery, o cairn.Order,
	behind *cairn.ListPosition) iter.Seq2[cairn.Memory, error] {
	asked := func(k cairn.FeedKind) bool { return len(q.Kinds) == 0 || slices.Contains(q.Kinds, k) }
	l := cairn.Listing{Order: o, Behind: behind}
	wanted := func(m *cairn.Memory) bool { return asked(rv.closing(m)) }
	if o == cairn.OrderRecorded {
		l.Filter = cairn.Where("kind", cairn.OpIn, []cairn.Kind{cairn.KindFact, cairn.KindNote, cairn.KindEntry})
		wanted = func(m *cairn.Memory) bool { return asked(cairn.FeedLearned) && len(m.Supersedes) == 0 }
	}
	return func(yield func(cairn.Memory, error) bool) {
		if o == cairn.OrderRecorded && !asked(cairn.FeedLearned) {
			return
		}
		match, err := q.Filter.Compile()
		if err != nil {
			yield(cairn.Memory{}, err)
			return
		}
		for m, err := range truth.Sound(rv.truth.Store.List(ctx, s, l), func(*cairn.Damaged) {}) {
			if err == nil {
				if o.Position(&m).At.Before(q.From) {
					return
				}
				f := cairn.FacetsOf(&m)
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
func (rv Feeds) closing(m *cairn.Memory) cairn.FeedKind {
	switch m.StateAt(rv.truth.Now()) {
	case cairn.StateRetracted:
		return cairn.FeedForgotten
	case cairn.StateActive, cairn.StateCandidate:
		return cairn.FeedPlanned
	case cairn.StateSuperseded:
		return cairn.FeedReplaced
	}
	return cairn.FeedEnded
}

// complete adds the successors of replaced memories, as far as the scope sees them, and hides foreign quotes.
func (rv Feeds) complete(ctx context.Context, s cairn.Scope, items []cairn.FeedItem) error {
	var ids []cairn.ID
	for i := range items {
		if m := items[i].Before; m != nil && m.SupersededBy != "" {
			ids = append(ids, m.SupersededBy)
		}
	}
	slices.Sort(ids)
	ms, _, err := truth.SoundOf(rv.truth.Store.Get(ctx, s, slices.Compact(ids)))
	if err != nil {
		return err
	}
	now := make(map[cairn.ID]*cairn.Memory, len(ms))
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
func readFeedPosition(q cairn.FeedQuery) (p feedPosition, err error) {
	if q.Cursor != "" {
		if err := truth.ReadCursor(q.Cursor, "the changes", &p); err != nil {
			return p, err
		}
	}
	if !q.To.IsZero() { // no item has this position: what follows is earlier
		if p.Stored == nil {
			p.Stored = &cairn.ListPosition{At: q.To}
		}
		if p.Closed == nil {
			p.Closed = &cairn.ListPosition{At: q.To}
		}
	}
	return p, nil
}
