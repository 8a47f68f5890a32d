package sessions

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Get returns a session with a page of its active turns, in the order in which they were stored, its counts and its
// newest summary.
func (ss *Sessions) Get(ctx context.Context, s cairn.Scope, id string, q cairn.SessionQuery) (
	cairn.SessionTurns, error) {
	out := cairn.SessionTurns{Items: []cairn.Memory{}}
	limit, err := truth.CheckLimit(q.Limit, cairn.DefaultSessions, cairn.MaxSessions)
	if err != nil {
		return out, err
	}
	var after place
	if q.Cursor != "" {
		if after, err = readPlace(q.Cursor); err != nil {
			return out, err
		}
	}
	s, parts, err := ss.partsOf(ctx, s, id)
	if err != nil {
		return out, err
	}
	out.Session = sessionOf(parts)
	if out.Summary, err = ss.newest(ctx, s, parts); err != nil {
		return out, err
	}
	var b truth.Bound
	for m, err := range ss.turns(ctx, s, parts, after) {
		if err != nil {
			return out, err
		}
		if n := len(out.Items); n == limit || !b.Holds(&m) {
			last := &out.Items[n-1]
			out.NextCursor = truth.WriteCursor(place{At: last.RecordedAt, Seq: last.Seq, ID: last.ID})
			break
		}
		out.Items = append(out.Items, m)
	}
	recall.Announce(out.Items, ss.truth.Now())
	return out, nil
}

// isTurn accepts the turns of a session, without shares.
func isTurn(session string) cairn.Filter {
	return cairn.AllOf(cairn.Where("session", cairn.OpEq, session), cairn.Where("kind", cairn.OpEq, cairn.KindEpisode),
		cairn.Where("state", cairn.OpEq, cairn.StateActive), truth.Unshared)
}

// turns yields the active turns of a session after a position, in order. If several scopes have parts of it, each part
// has its own numbers, and the turns are ordered by time.
func (ss *Sessions) turns(ctx context.Context, s cairn.Scope, parts []truth.Session, after place) func(
	func(cairn.Memory, error) bool) {
	l := cairn.Listing{Filter: isTurn(s.Session), Order: cairn.OrderSeq}
	switch {
	case len(parts) > 1:
		l.Order = cairn.OrderOldest
		if after.ID != "" {
			l.Behind = &cairn.ListPosition{At: cairn.Time(after.At), Session: s.Session, Seq: after.Seq, ID: after.ID}
		}
	case after.ID != "":
		l.Filter = cairn.AllOf(l.Filter, cairn.Where("seq", cairn.OpGte, float64(after.Seq)))
	}
	now := ss.truth.Now()
	return func(yield func(cairn.Memory, error) bool) {
		for m, err := range ss.truth.Store.List(ctx, s, l) {
			shown := err != nil || m.StateAt(now) == cairn.StateActive &&
				(len(parts) > 1 || after.ID == "" || m.Seq > after.Seq || m.ID > after.ID)
			if shown && !yield(m, err) {
				return
			}
		}
	}
}

// latestTurns returns the last turns of a session in order. It calls enough for each turn, the latest first, until that
// returns true; that turn is left out.
func (ss *Sessions) latestTurns(ctx context.Context, s cairn.Scope, parts []truth.Session,
	enough func(*cairn.Memory) bool) ([]cairn.Memory, error) {
	var out []cairn.Memory
	if len(parts) > 1 {
		for m, err := range ss.truth.Store.List(ctx, s,
			cairn.Listing{Filter: isTurn(s.Session), Order: cairn.OrderRecorded}) {
			if err != nil {
				return nil, err
			}
			if enough(&m) {
				break
			}
			out = append(out, m)
		}
		slices.Reverse(out)
		return out, nil
	}
	// A listing starts at a number and ascends, so the session is read backwards in pieces, each as large as all before
	// it.
	for to, size := parts[0].Next, 64; to > 0; size *= 2 {
		from := max(0, to-size)
		l := cairn.Listing{Order: cairn.OrderSeq, Filter: cairn.AllOf(isTurn(s.Session),
			cairn.Where("seq", cairn.OpGte, float64(from)), cairn.Where("seq", cairn.OpLt, float64(to)))}
		var piece []cairn.Memory
		for m, err := range ss.truth.Store.List(ctx, s, l) {
			if err != nil {
				return nil, err
			}
			piece = append(piece, m)
		}
		for i := range slices.Backward(piece) {
			if enough(&piece[i]) {
				return slices.Concat(piece[i+1:], out), nil
			}
		}
		out, to = append(piece, out...), from
	}
	return out, nil
}

// newest returns the latest summary of a session: a generated one, or a note of type summary. nil if there is none.
func (ss *Sessions) newest(ctx context.Context, s cairn.Scope, parts []truth.Session) (*cairn.Memory, error) {
	keys := make([]cairn.Key, len(parts))
	for i, st := range parts {
		keys[i] = truth.SummaryKey(st.Scope, cairn.SummaryOfSession, st.Scope.Session)
	}
	owners, err := ss.truth.Store.Find(ctx, truth.TenantOf(s), keys)
	if err != nil {
		return nil, err
	}
	var ids []cairn.ID
	for _, k := range keys {
		if id, ok := owners[k]; ok {
			ids = append(ids, id)
		}
	}
	found, err := ss.truth.Store.Get(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	noted := cairn.AllOf(cairn.Where("session", cairn.OpEq, s.Session), cairn.Where("kind", cairn.OpIn,
		[]cairn.Kind{cairn.KindSummary, cairn.KindNote}), cairn.Where("state", cairn.OpEq, cairn.StateActive))
	for m, err := range ss.truth.Store.List(ctx, s, cairn.Listing{Filter: noted, Order: cairn.OrderSeq}) {
		if err != nil {
			return nil, err
		}
		if m.IsSummary() && m.Summary == nil {
			found = append(found, m)
		}
	}
	var newest *cairn.Memory
	for i := range found {
		m := &found[i]
		if m.StateAt(ss.truth.Now()) == cairn.StateActive && (newest == nil || m.EventTime.After(newest.EventTime)) {
			newest = m
		}
	}
	return newest, nil
}
