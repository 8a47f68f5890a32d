package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// JobSummarize and JobSummarizeByModel are the kinds of jobs that make a summary, or make it again: the second waits
// for a model.
const (
	JobSummarize        = "summarize"
	JobSummarizeByModel = "summarize_by_model"
)

// SummarizeJob says which summary is to be made.
type SummarizeJob struct {
	Scope   cairn.Scope      `json:"scope"`
	Of      cairn.SummaryOf  `json:"of"`
	Subject string           `json:"subject"`
	Tokens  int              `json:"tokens,omitempty"`
	By      cairn.Extraction `json:"by,omitempty"`
	// Window is set where turns have left the window of a session: only those before it are to be covered.
	Window int `json:"window,omitempty"`
}

// Session is the body of a [cairn.RecordSession]: what is counted of the turns of one session in one scope.
type Session struct {
	Scope  cairn.Scope `json:"scope"`
	Next   int         `json:"next"` // number of the next turn
	Turns  int         `json:"turns,omitempty"`
	Tokens int         `json:"tokens,omitempty"`
	First  time.Time   `json:"first,omitzero"`
	Last   time.Time   `json:"last,omitzero"`
	// Covered is the number up to which turns are covered by the summary, and Open the tokens from there on.
	Covered int `json:"covered,omitempty"`
	Open    int `json:"open,omitempty"`
	// Queued says that a job is to cover what left the window.
	Queued bool `json:"queued,omitempty"`
	// Filed says that the session is on its shelves. One that was stored before there were shelves does not.
	Filed bool `json:"filed,omitempty"`
}

// Books notes beside the truth what follows from it: what is counted of sessions, and which summaries are made of what.
type Books struct{ *Truth }

// BooksOf returns the books of the truth.
func BooksOf(t *Truth) Books { return Books{t} }

// shelfWidth is how long a session keeps its place on a shelf whatever is said in it: a write to a session moves it
// once in that time.
const shelfWidth = time.Minute

// Shelf names a list of sessions, the latest first: all of a tenant, those of a user or of a project, or those of one
// name.
func Shelf(of, value string) cairn.ID { return cairn.DeriveID("shelf", of, value) }

// WithTail returns the id with its last digits replaced: ids of one beginning are together in a listing, in the order
// of their tails.
func WithTail(id cairn.ID, tail string) cairn.ID {
	digits := strings.ReplaceAll(string(id), "-", "")
	d := digits[:len(digits)-len(tail)] + tail
	return cairn.ID(d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:])
}

// SameHead reports whether two ids begin with the same digits, but for so many at their ends.
func SameHead(a, b cairn.ID, tail int) bool {
	zeros := strings.Repeat("0", tail)
	return WithTail(a, zeros) == WithTail(b, zeros)
}

// Digits of the ids on a shelf, behind those of the shelf: the time, and the session.
const (
	ShelfTime    = 10
	shelfSession = 12
	ShelfTail    = ShelfTime + shelfSession
)

// ShelfPlace is where sessions are on a shelf whose latest turn was said at a time: behind this id. Ids ascend as
// times fall.
func ShelfPlace(shelf cairn.ID, at time.Time) cairn.ID {
	const most = 1 << 39 // minutes, either way: more than any time has
	m := min(max(at.Unix()/int64(shelfWidth/time.Second), -most+1), most-1)
	return WithTail(shelf, fmt.Sprintf("%0*x%0*d", ShelfTime, most-m, shelfSession, 0))
}

// place is the id of the record of the session on a shelf.
func (st *Session) place(shelf cairn.ID, at time.Time) cairn.ID {
	digits := strings.ReplaceAll(string(SessionID(st.Scope)), "-", "")
	return WithTail(ShelfPlace(shelf, at), digits[:shelfSession])
}

// places are the ids of the records by which the session is found.
func (st *Session) places() []cairn.ID {
	out := []cairn.ID{st.place(Shelf("all", ""), st.Last),
		st.place(Shelf("session", st.Scope.Session), time.Time{})}
	if st.Scope.User != "" {
		out = append(out, st.place(Shelf("user", st.Scope.User), st.Last))
	}
	if st.Scope.Project != "" {
		out = append(out, st.place(Shelf("project", st.Scope.Project), st.Last))
	}
	return out
}

// Shelved is the body of a [cairn.RecordShelf].
type Shelved struct {
	Session cairn.ID `json:"session"` // id of its record
}

// Sessions reads sessions by the ids of their records; missing ones are absent.
func (k Books) Sessions(ctx context.Context, s cairn.Scope, ids []cairn.ID) ([]Session, []int64, error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	rs, err := k.Store.Records(ctx, TenantOf(s), cairn.RecordListing{Kind: cairn.RecordSession, IDs: ids})
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

// SessionOf reads the session of exactly one scope; version 0: there is none yet.
func (k Books) SessionOf(ctx context.Context, s cairn.Scope) (st Session, version int64, err error) {
	all, versions, err := k.Sessions(ctx, s, []cairn.ID{SessionID(s)})
	if err != nil || len(all) == 0 {
		return Session{Scope: s.Bare()}, 0, err
	}
	return all[0], versions[0], nil
}

// PutSession puts a session, as it was read in a version, into a batch, and moves it to where it belongs on its
// shelves. was is what was read.
func PutSession(b *cairn.Batch, was, st Session, version int64) error {
	id := SessionID(st.Scope)
	shelved, err := json.Marshal(Shelved{id})
	if err != nil {
		return cairn.WrapError(cairn.Internal, "truth.PutSession", err)
	}
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordSession, ID: id, Version: version})
	if version > 0 && was.Filed {
		kept := map[cairn.ID]bool{}
		if st.Filed && st.Turns > 0 {
			for _, p := range st.places() {
				kept[p] = true
			}
		}
		for _, p := range was.places() {
			if kept[p] {
				delete(kept, p)
				continue
			}
			b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordShelf, ID: p})
		}
		for _, p := range st.places() {
			if kept[p] {
				b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordShelf, ID: p, Body: shelved})
			}
		}
	} else if st.Filed {
		for _, p := range st.places() {
			b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordShelf, ID: p, Body: shelved})
		}
	}
	if version > 0 && st.Filed && st.Turns <= 0 {
		b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordSession, ID: id})
		return nil
	}
	st.Scope = st.Scope.Bare()
	body, err := json.Marshal(st)
	if err != nil {
		return cairn.WrapError(cairn.Internal, "truth.PutSession", err)
	}
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordSession, ID: id, Body: body})
	return nil
}

// Count adds turns to what is counted of the session, n times: 1, or -1 for those that go.
func (k Books) Count(st *Session, turns []cairn.Memory, n int) {
	for i := range turns {
		m := &turns[i]
		tokens := k.Tokens(m.Text)
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

// Compact queues the job that covers what has left the window, once a quarter of a window has.
func (k Books) Compact(b *cairn.Batch, st *Session) error {
	if st.Queued || k.Window <= 0 || st.Open <= k.Window+k.Window/4 {
		return nil
	}
	st.Queued = true
	return k.QueueSummary(b, SummarizeJob{Scope: st.Scope.Bare(), Of: cairn.SummaryOfSession,
		Subject: st.Scope.Session, Window: k.Window})
}

// QueueSummary puts the job that makes a summary into a batch, in place of an earlier one.
func (k Books) QueueSummary(b *cairn.Batch, p SummarizeJob) error {
	kind := JobSummarize
	if k.Model != nil && p.By != cairn.ExtractRules {
		kind = JobSummarizeByModel
	}
	j, err := k.Job(kind, p)
	if err != nil {
		return err
	}
	j.ID = cairn.DeriveID("summarize", SummaryKey(p.Scope, p.Of, p.Subject).Value)
	for _, have := range b.Jobs {
		if have.ID == j.ID {
			return nil
		}
	}
	b.DropJobs, b.Jobs = append(b.DropJobs, j.ID), append(b.Jobs, j)
	return nil
}

// SummaryKey is the key of a summary: in a scope there is one of a subject.
func SummaryKey(s cairn.Scope, of cairn.SummaryOf, subject string) cairn.Key {
	return cairn.Key{Space: cairn.KeySummary, Value: ScopeText(s) + "\x00" + string(of) + "\x00" + subject}
}
