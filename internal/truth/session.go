package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// JobSummarize and JobSummarizeByModel are the kinds of jobs that make or renew a summary: the second needs a model.
const (
	JobSummarize        = "summarize"
	JobSummarizeByModel = "summarize_by_model"
)

// SummarizeJob identifies the summary to make.
type SummarizeJob struct {
	Scope   trilith.Scope      `json:"scope"`
	Of      trilith.SummaryOf  `json:"of"`
	Subject string             `json:"subject"`
	Tokens  int                `json:"tokens,omitempty"`
	By      trilith.Extraction `json:"by,omitempty"`
	// Window is set if turns have left the window of a session: only those before it are summarized.
	Window int `json:"window,omitempty"`
}

// Session is the body of a [role.RecordSession]: counters for the turns of one session in one scope.
type Session struct {
	Scope  trilith.Scope `json:"scope"`
	Next   int           `json:"next"` // number of the next turn
	Turns  int           `json:"turns,omitempty"`
	Tokens int           `json:"tokens,omitempty"`
	First  time.Time     `json:"first,omitzero"`
	Last   time.Time     `json:"last,omitzero"`
	// Covered is the number of the last turn that the summary covers, and Open the number of tokens after it.
	Covered int `json:"covered,omitempty"`
	Open    int `json:"open,omitempty"`
	// Queued says that a job for the turns that left the window is queued.
	Queued bool `json:"queued,omitempty"`
}

// DerivedRecords maintains records that follow from the truth: counters of sessions, and the sources of summaries.
type DerivedRecords struct{ truth *Truth }

// DerivedRecordsOf returns the derived records of a truth.
func DerivedRecordsOf(t *Truth) DerivedRecords { return DerivedRecords{t} }

// SameHead reports whether two ids are equal except for the last tail digits.
func SameHead(a, b trilith.ID, tail int) bool {
	zeros := strings.Repeat("0", tail)
	return WithTail(a, zeros) == WithTail(b, zeros)
}

// SessionOf reads the session of exactly one scope; version 0 if there is none yet.
func (k DerivedRecords) SessionOf(ctx context.Context, s trilith.Scope) (st Session, version int64, err error) {
	all, versions, err := k.Sessions(ctx, s, []trilith.ID{SessionID(s)})
	if err != nil || len(all) == 0 {
		return Session{Scope: s.Bare()}, 0, err
	}
	return all[0], versions[0], nil
}

// Sessions reads sessions by the ids of their records; missing ones are absent.
func (k DerivedRecords) Sessions(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]Session, []int64, error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	rs, err := k.truth.RecordsOf(ctx, s, role.RecordSession, ids...)
	if err != nil {
		return nil, nil, err
	}
	out, versions := make([]Session, len(rs)), make([]int64, len(rs))
	for i, r := range rs {
		if out[i], err = Decode[Session](r); err != nil {
			return nil, nil, err
		}
		out[i].Scope = WithTenant(out[i].Scope, s.Tenant)
		versions[i] = r.Version
	}
	return out, versions, nil
}

// ListedSession is the body of a [role.RecordShelf].
type ListedSession struct {
	Session trilith.ID `json:"session"` // id of its record
}

// PutSession adds a session to a batch, and moves it to its new position in its session lists. was is the session as
// read in this version.
func PutSession(b *role.Batch, was, st Session, version int64) error {
	id := SessionID(st.Scope)
	listed, err := json.Marshal(ListedSession{id})
	if err != nil {
		return trilith.WrapError(trilith.Internal, "truth.PutSession", err)
	}
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordSession, ID: id, Version: version})
	fresh := map[trilith.ID]bool{}
	if version == 0 || st.Turns > 0 {
		for _, p := range st.listPositions() {
			fresh[p] = true
		}
	}
	if version > 0 {
		for _, p := range was.listPositions() {
			if fresh[p] {
				delete(fresh, p)
				continue
			}
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordShelf, ID: p})
		}
	}
	for _, p := range st.listPositions() {
		if fresh[p] {
			b.Records = append(b.Records, role.Record{Kind: role.RecordShelf, ID: p, Body: listed})
		}
	}
	if version > 0 && st.Turns <= 0 {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordSession, ID: id})
		return nil
	}
	st.Scope = st.Scope.Bare()
	if err := b.Put(role.RecordSession, id, st); err != nil {
		return err
	}
	return nil
}

// listPositions returns the ids of the session's records in all its session lists.
func (st *Session) listPositions() []trilith.ID {
	out := []trilith.ID{st.listPosition(SessionList("all", ""), st.Last),
		st.listPosition(SessionList("session", st.Scope.Session), time.Time{})}
	if st.Scope.User != "" {
		out = append(out, st.listPosition(SessionList("user", st.Scope.User), st.Last))
	}
	if st.Scope.Project != "" {
		out = append(out, st.listPosition(SessionList("project", st.Scope.Project), st.Last))
	}
	return out
}

// Digits of an id in a session list after those of the list: the time, and the session.
const (
	SessionListTime = 10
	sessionListID   = 12
	SessionListTail = SessionListTime + sessionListID
)

// listPosition returns the id of the session's record in a session list.
func (st *Session) listPosition(list trilith.ID, at time.Time) trilith.ID {
	digits := strings.ReplaceAll(string(SessionID(st.Scope)), "-", "")
	return WithTail(SessionListPosition(list, at), digits[:sessionListID])
}

// sessionListStep is the resolution of times in a session list: a session with many writes moves at most once in that
// time.
const sessionListStep = time.Minute

// SessionListPosition returns the id after which a session list lists the sessions whose latest turn has this time, or
// an earlier one. Ids ascend as times descend.
func SessionListPosition(list trilith.ID, at time.Time) trilith.ID {
	const most = 1 << 39 // minutes before or after 1970: beyond all valid times
	m := min(max(at.Unix()/int64(sessionListStep/time.Second), -most+1), most-1)
	return WithTail(list, fmt.Sprintf("%0*x%0*d", SessionListTime, most-m, sessionListID, 0))
}

// WithTail returns the id with its last digits replaced: ids with the same head are adjacent in a listing, in the order
// of their tails.
func WithTail(id trilith.ID, tail string) trilith.ID {
	digits := strings.ReplaceAll(string(id), "-", "")
	d := digits[:len(digits)-len(tail)] + tail
	return trilith.ID(d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:])
}

// SessionList returns the id of a list of sessions, the latest first: all of a tenant, those of a user or of a project,
// or those with one name.
func SessionList(of, value string) trilith.ID { return trilith.DeriveID("shelf", of, value) }

// AddTurns adds turns to a session, as read in this version; a concurrent writer to the session conflicts. With compact
// it also queues a summary of the turns outside the window, once there are enough of them.
func (k DerivedRecords) AddTurns(b *role.Batch, was Session, version int64, turns []trilith.Memory, compact bool) error {
	st := was
	for i := range turns {
		st.Next = max(st.Next, turns[i].Seq+1)
	}
	k.Count(&st, turns, 1)
	if compact {
		if err := k.compact(b, &st); err != nil {
			return err
		}
	}
	if err := k.queueWindows(b, st.Scope, turns, st.Next); err != nil {
		return err
	}
	return PutSession(b, was, st, version)
}

// Count adds turns to the counters of a session, n times: 1, or -1 for removed turns.
func (k DerivedRecords) Count(st *Session, turns []trilith.Memory, n int) {
	for i := range turns {
		m := &turns[i]
		tokens := k.truth.Tokens(m.Text)
		st.Turns, st.Tokens = st.Turns+n, max(0, st.Tokens+n*tokens)
		if m.Seq >= st.Covered {
			st.Open = max(0, st.Open+n*tokens)
		}
		if n > 0 && (st.First.IsZero() || m.EventTime.Before(st.First)) {
			st.First = m.EventTime
		}
		if n > 0 && m.EventTime.After(st.Last) {
			st.Last = m.EventTime
		}
	}
}

// compact queues the job that summarizes the turns outside the window, once they fill a quarter of a window.
func (k DerivedRecords) compact(b *role.Batch, st *Session) error {
	if st.Queued || k.truth.Window <= 0 || st.Open <= k.truth.Window+k.truth.Window/4 {
		return nil
	}
	st.Queued = true
	return k.QueueSummary(b, SummarizeJob{Scope: st.Scope.Bare(), Of: trilith.SummaryOfSession,
		Subject: st.Scope.Session, Window: k.truth.Window})
}

// queueWindows queues the jobs that make the episodic windows of turns of one session: a window begins at every half
// window, and is made once its last turn is stored. next is the number of the next turn.
func (k DerivedRecords) queueWindows(b *role.Batch, s trilith.Scope, turns []trilith.Memory, next int) error {
	if k.truth.Episodic == 0 {
		return nil
	}
	step := max(1, k.truth.Episodic/2)
	for i := range turns {
		seq := turns[i].Seq
		for first := seq / step * step; first >= 0 && first+k.truth.Episodic > seq; first -= step {
			if first+k.truth.Episodic > next {
				continue
			}
			if err := k.QueueSummary(b, SummarizeJob{Scope: s.Bare(), Of: trilith.SummaryOfWindow,
				Subject: WindowName(first, first+k.truth.Episodic-1), By: trilith.ExtractRules}); err != nil {
				return err
			}
		}
	}
	return nil
}

// QueueSummary adds the job that makes a summary to a batch, replacing an earlier one.
func (k DerivedRecords) QueueSummary(b *role.Batch, p SummarizeJob) error {
	kind := JobSummarize
	if k.truth.Model != nil && p.By != trilith.ExtractRules {
		kind = JobSummarizeByModel
	}
	j, err := k.truth.Job(kind, p)
	if err != nil {
		return err
	}
	j.ID = trilith.DeriveID("summarize", SummaryKey(p.Scope, p.Of, p.Subject).Value)
	for _, have := range b.Jobs {
		if have.ID == j.ID {
			return nil
		}
	}
	b.DropJobs, b.Jobs = append(b.DropJobs, j.ID), append(b.Jobs, j)
	return nil
}

// SummaryKey returns the key of a summary: a scope has one summary of each subject.
func SummaryKey(s trilith.Scope, of trilith.SummaryOf, subject string) role.Key {
	return role.Key{Space: role.KeySummary, Value: ScopeText(s) + "\x00" + string(of) + "\x00" + subject}
}

// WindowName returns the subject of an episodic window: the numbers of its first and its last turn.
func WindowName(first, last int) string { return strconv.Itoa(first) + "-" + strconv.Itoa(last) }

// WindowTurns parses a [WindowName].
func WindowTurns(name string) (first, last int, err error) {
	if _, err = fmt.Sscanf(name, "%d-%d", &first, &last); err != nil {
		err = trilith.Errorf(trilith.Invalid, "window: %.32q is not the numbers of two turns, such as 4-8", name)
	}
	return first, last, err
}
