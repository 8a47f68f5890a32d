package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// step is the number of records read at once.
const step = 500

// place is the end of a page, as encoded in a cursor.
type place struct {
	At  time.Time  `json:"t,omitzero"`
	Seq int        `json:"n,omitempty"`
	ID  trilith.ID `json:"i"`
}

// List pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a
// fixed order. A session that gets a turn between two pages may be listed twice, or not at all.
func (ss *Sessions) List(ctx context.Context, s trilith.Scope, q trilith.SessionQuery) (trilith.SessionPage, error) {
	out := trilith.SessionPage{Items: []trilith.Session{}}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
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
	parts, err := ss.latest(ctx, s, after, limit+1)
	if err != nil {
		return out, err
	}
	for i := range parts {
		if i == limit {
			last := parts[i-1]
			out.NextCursor = truth.WriteCursor(place{At: last.Last, ID: truth.SessionID(last.Scope)})
			break
		}
		out.Items = append(out.Items, sessionOf(parts[i:i+1]))
	}
	return out, nil
}

func readPlace(cursor string) (p place, err error) {
	if err = truth.ReadCursor(cursor, "the list of sessions", &p); err == nil && p.ID.Validate() != nil {
		err = trilith.Errorf(trilith.Invalid, "cursor: does not belong to the list of sessions; begin without one")
	}
	return p, err
}

// sessionOf describes a session from its parts.
func sessionOf(parts []truth.Session) trilith.Session {
	out := trilith.Session{ID: parts[0].Scope.Session, Scope: parts[0].Scope.Bare(), FirstTurn: parts[0].First}
	for _, st := range parts {
		out.Turns, out.Tokens, out.Uncovered = out.Turns+st.Turns, out.Tokens+st.Tokens, out.Uncovered+st.Open
		if st.First.Before(out.FirstTurn) {
			out.FirstTurn = st.First
		}
		out.LastTurn = truth.Later(out.LastTurn, st.Last)
	}
	return out
}

// partsOf returns the scope of a session and its parts there: one for each scope in which the session's name was used,
// the latest first. NotFound if there is none.
func (ss *Sessions) partsOf(ctx context.Context, s trilith.Scope, id string) (trilith.Scope, []truth.Session, error) {
	if err := truth.CheckName("session id", id); err != nil {
		return s, nil, err
	}
	if s.Session != "" && s.Session != id {
		return s, nil, trilith.Errorf(trilith.NotFound, "session %.64q does not exist", id)
	}
	s.Session = id
	if err := truth.CheckScope(s); err != nil {
		return s, nil, err
	}
	parts, err := ss.latest(ctx, s, place{}, 1)
	if err == nil && len(parts) == 0 {
		err = trilith.Errorf(trilith.NotFound, "session %.64q does not exist", id)
	}
	return s, parts, err
}

// latest returns at least most sessions of a scope after a position, if there are that many, the latest first. A
// session list is ordered by the minute, so the sessions of one minute are read together.
func (ss *Sessions) latest(ctx context.Context, s trilith.Scope, after place, most int) ([]truth.Session, error) {
	list := sessionListOf(s)
	from := truth.WithTail(list, strings.Repeat("0", truth.SessionListTail))
	if after.ID != "" && s.Session == "" {
		from = truth.SessionListPosition(list, after.At)
	}
	var out []truth.Session
	var minute []trilith.ID // sessions
	var at trilith.ID       // a position in the session list
	flush := func() error {
		parts, err := ss.covered(ctx, s, minute, after)
		out, minute = append(out, parts...), nil
		return err
	}
	for {
		rs, err := ss.truth.ReadRecords(ctx, s, role.RecordListing{Kind: role.RecordShelf, After: from, Limit: step})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			if !truth.SameHead(r.ID, list, truth.SessionListTail) {
				return out, flush()
			}
			if at == "" || !truth.SameHead(r.ID, at, truth.SessionListTail-truth.SessionListTime) {
				if err := flush(); err != nil || len(out) >= most {
					return out, err
				}
				at = r.ID
			}
			of, err := truth.Decode[truth.ListedSession](r)
			if err != nil {
				return nil, err
			}
			minute = append(minute, of.Session)
			from = r.ID
		}
		if len(rs) < step {
			return out, flush()
		}
	}
}

// sessionListOf returns the shortest session list that has all sessions of a scope.
func sessionListOf(s trilith.Scope) trilith.ID {
	switch {
	case s.Session != "":
		return truth.SessionList("session", s.Session)
	case s.User != "":
		return truth.SessionList("user", s.User)
	case s.Project != "":
		return truth.SessionList("project", s.Project)
	}
	return truth.SessionList("all", "")
}

// covered reads sessions and returns those that the scope covers and that come after a position, in order.
func (ss *Sessions) covered(ctx context.Context, s trilith.Scope, ids []trilith.ID, after place) ([]truth.Session, error) {
	var out []truth.Session
	for chunk := range slices.Chunk(ids, step) {
		all, _, err := ss.books.Sessions(ctx, s, chunk)
		if err != nil {
			return nil, err
		}
		for _, st := range all {
			behind := after.ID == "" || before(after.At, after.ID, st.Last, truth.SessionID(st.Scope)) < 0
			if s.Covers(st.Scope) && behind {
				out = append(out, st)
			}
		}
	}
	slices.SortFunc(out, func(a, b truth.Session) int {
		return before(a.Last, truth.SessionID(a.Scope), b.Last, truth.SessionID(b.Scope))
	})
	return out, nil
}

// before orders sessions: the latest first, those of equal times by id.
func before(at time.Time, id trilith.ID, other time.Time, otherID trilith.ID) int {
	return cmp.Or(other.Compare(at), cmp.Compare(id, otherID))
}
