package sessions

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Get returns a session with a page of its active turns, in the order in which they were stored, its counts and its
// newest summary.
func (ss *Sessions) Get(ctx context.Context, s trilith.Scope, q trilith.SessionTurnsQuery) (
	trilith.SessionTurns, error) {
	out := trilith.SessionTurns{Items: []trilith.Memory{}}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultSessions, trilith.MaxSessions)
	if err != nil {
		return out, err
	}
	var after place
	if q.Cursor != "" {
		if after, err = readPlace(q.Cursor); err != nil {
			return out, err
		}
	}
	s, parts, err := ss.partsOf(ctx, s, q.Session)
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

// newest returns the latest summary of a session: a generated one, or a note of type summary. nil if there is none.
func (ss *Sessions) newest(ctx context.Context, s trilith.Scope, parts []truth.Session) (*trilith.Memory, error) {
	keys := make([]role.Key, len(parts))
	for i, st := range parts {
		keys[i] = truth.SummaryKey(st.Scope, trilith.SummaryOfSession, st.Scope.Session)
	}
	owners, err := ss.truth.Find(ctx, s, keys)
	if err != nil {
		return nil, err
	}
	var ids []trilith.ID
	for _, k := range keys {
		if id, ok := owners[k]; ok {
			ids = append(ids, id)
		}
	}
	found, err := ss.truth.Memories(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	noted := trilith.AllOf(trilith.Where("session", trilith.OpEq, s.Session), trilith.Where("kind", trilith.OpIn,
		[]trilith.Kind{trilith.KindSummary, trilith.KindNote}), trilith.Where("state", trilith.OpEq, trilith.StateActive))
	for m, err := range ss.truth.List(ctx, s, role.Listing{Filter: noted, Order: role.OrderSeq}) {
		if err != nil {
			return nil, err
		}
		if m.IsSummary() && m.Summary == nil {
			found = append(found, m)
		}
	}
	var newest *trilith.Memory
	for i := range found {
		m := &found[i]
		if m.StateAt(ss.truth.Now()) == trilith.StateActive && (newest == nil || m.EventTime.After(newest.EventTime)) {
			newest = m
		}
	}
	return newest, nil
}

// turns yields the active turns of a session after a position, in order. If several scopes have parts of it, each part
// has its own numbers, and the turns are ordered by time.
func (ss *Sessions) turns(ctx context.Context, s trilith.Scope, parts []truth.Session, after place) func(
	func(trilith.Memory, error) bool) {
	l := role.Listing{Filter: isTurn(s.Session), Order: role.OrderSeq}
	switch {
	case len(parts) > 1:
		l.Order = role.OrderOldest
		if after.ID != "" {
			l.Behind = &role.ListPosition{At: trilith.Time(after.At), Session: s.Session, Seq: after.Seq, ID: after.ID}
		}
	case after.ID != "":
		l.Filter = trilith.AllOf(l.Filter, trilith.Where("seq", trilith.OpGte, float64(after.Seq)))
	}
	now := ss.truth.Now()
	return func(yield func(trilith.Memory, error) bool) {
		for m, err := range ss.truth.List(ctx, s, l) {
			shown := err != nil || m.StateAt(now) == trilith.StateActive &&
				(len(parts) > 1 || after.ID == "" || m.Seq > after.Seq || m.ID > after.ID)
			if shown && !yield(m, err) {
				return
			}
		}
	}
}

// latestTurns returns the last turns of a session in order. It calls enough for each turn, the latest first, until that
// returns true; that turn is left out.
func (ss *Sessions) latestTurns(ctx context.Context, s trilith.Scope, parts []truth.Session,
	enough func(*trilith.Memory) bool) ([]trilith.Memory, error) {
	var out []trilith.Memory
	if len(parts) > 1 {
		for m, err := range ss.truth.List(ctx, s, role.Listing{Filter: isTurn(s.Session), Order: role.OrderRecorded}) {
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
		l := role.Listing{Order: role.OrderSeq, Filter: trilith.AllOf(isTurn(s.Session),
			trilith.Where("seq", trilith.OpGte, float64(from)), trilith.Where("seq", trilith.OpLt, float64(to)))}
		var piece []trilith.Memory
		for m, err := range ss.truth.List(ctx, s, l) {
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

// isTurn accepts the turns of a session, without shares and without the texts that programs inserted.
func isTurn(session string) trilith.Filter {
	return trilith.AllOf(trilith.Where("session", trilith.OpEq, session), trilith.Where("kind", trilith.OpEq,
		trilith.KindEpisode),
		trilith.Where("state", trilith.OpEq, trilith.StateActive),
		trilith.Where("role", trilith.OpNe, trilith.RoleSystem), truth.Unshared)
}
