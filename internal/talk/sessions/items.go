package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Transcripts stores the items of sessions. Its methods are safe for concurrent use.
type Transcripts struct {
	truth    *truth.Truth
	sessions *Sessions
	remember truth.Remember
}

// item is the body of an item's record.
type item struct {
	trilith.SessionItem
	Batch trilith.ID `json:"batch"` // id shared by items that were appended together
}

// head is the body of the record of a transcript.
type head struct {
	Next  int           `json:"next"`           // number of the next item
	Scope trilith.Scope `json:"scope,omitzero"` // of the session
}

// Append adds items to the transcript of a session, in exactly the named scope, and remembers the words of people
// and the assistant in them. When it returns, the items are durable. Their words are remembered by then, or when
// the program runs again. Repeating a request with its idempotency key returns the first answer.
func (ts *Transcripts) Append(ctx context.Context, s trilith.Scope, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	out := trilith.SessionItems{Items: []trilith.SessionItem{}}
	if err := checkItems(r); err != nil {
		return out, err
	}
	s, _, _, err := ts.transcriptOf(ctx, s, r.Session)
	if err != nil {
		return out, err
	}
	batch := trilith.NewID(ts.truth.Now())
	key := role.Key{Space: role.KeyRequest, Value: "items\x00" + truth.ScopeText(s) + "\x00" + r.RequestKey}
	job := CaptureJob{Scope: s.Bare(), Batch: batch, Extract: r.Extract}
	err = truth.Retry(ctx, func() (bool, error) {
		if r.RequestKey != "" {
			owners, err := ts.truth.Find(ctx, s, []role.Key{key})
			if err != nil {
				return false, err
			}
			if job.Batch = owners[key]; job.Batch != "" {
				return false, nil
			}
			job.Batch = batch
		}
		h, version, err := ts.head(ctx, s)
		if err != nil {
			return false, err
		}
		b, err := ts.appended(s, r, h, version, &job)
		if err != nil {
			return false, err
		}
		if r.RequestKey != "" {
			b.Claims = []role.Claim{{Key: key, Owner: batch}}
		}
		_, err = ts.truth.Commit(ctx, s, b)
		return true, err
	})
	if err != nil {
		return out, err
	}
	if job.Batch == batch {
		if err := ts.Capture(ctx, s.Tenant, job); err != nil { // the job repeats it
			ts.truth.Logger.WarnContext(ctx, "transcript: the text of the items is not in the memory yet; it will be stored later", "error", err)
		}
	}
	items, err := ts.read(ctx, s, itemID(s, -1), 0,
		func(it *item) bool { return it.Batch == job.Batch })
	for _, it := range items {
		out.Items = append(out.Items, it.SessionItem)
	}
	return out, err
}

func checkItems(r trilith.AppendItems) error {
	if len(r.Items) == 0 || len(r.Items) > trilith.MaxSessionItems {
		return trilith.Errorf(trilith.Invalid, "items: are %d, must be 1 to %d", len(r.Items), trilith.MaxSessionItems)
	}
	if len(r.RequestKey) > trilith.MaxNameBytes {
		return trilith.Errorf(trilith.Invalid, "request_key: is longer than %d bytes", trilith.MaxNameBytes)
	}
	if !slices.Contains([]trilith.Extraction{"", trilith.ExtractNone, trilith.ExtractRules, trilith.ExtractLLM,
		trilith.ExtractAuto}, r.Extract) {
		return trilith.Errorf(trilith.Invalid, "extract: %.32q is not known; use none, rules, llm or auto", string(r.Extract))
	}
	size := 0
	for i, it := range r.Items {
		if trimmed := bytes.TrimSpace(it); !json.Valid(it) || len(trimmed) == 0 || trimmed[0] != '{' {
			return trilith.Errorf(trilith.Invalid, "items[%d]: is not a JSON object", i)
		}
		size += len(it)
	}
	if size > trilith.MaxDocumentBytes {
		return trilith.Errorf(trilith.Exhausted, "items: are %d bytes, at most %d at once; append them in parts", size,
			trilith.MaxDocumentBytes)
	}
	return nil
}

// appended returns the batch that stores items, with the job that captures them.
func (ts *Transcripts) appended(s trilith.Scope, r trilith.AppendItems, h head, version int64, job *CaptureJob) (
	b role.Batch, err error) {
	now := ts.truth.Now()
	job.From, job.To = h.Next, h.Next+len(r.Items)
	said := false
	for i, raw := range r.Items {
		if raw, err = masked(raw); err != nil {
			return b, err
		}
		it := item{trilith.SessionItem{Seq: h.Next + i, At: now, Item: raw}, job.Batch}
		if err := b.Replace(role.RecordItem, itemID(s, it.Seq), 0, it); err != nil {
			return b, err
		}
		_, ok := messageOf(raw)
		said = said || ok
	}
	if said {
		j, err := ts.truth.Job(JobCapture, job)
		if err != nil {
			return b, err
		}
		j.ID = trilith.DeriveID("capture", string(job.Batch))
		b.Jobs = []trilith.Job{j}
	}
	return b, putHead(&b, s, job.To, version)
}

// Items pages through a transcript, or returns its latest items, in order. A page that reaches [trilith.MaxPageBytes]
// ends early, after at least one item; of the latest items it then omits the earliest.
func (ts *Transcripts) Items(ctx context.Context, s trilith.Scope, q trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	out := trilith.SessionItems{Items: []trilith.SessionItem{}}
	limit, err := truth.CheckLimit(q.Limit, trilith.MaxSessionItems, trilith.MaxSessionItems)
	if err != nil {
		return out, err
	}
	s, h, version, err := ts.transcriptOf(ctx, s, q.Session)
	if err != nil || version == 0 {
		return out, err
	}
	after := itemID(s, -1)
	switch {
	case q.Latest && q.Cursor != "":
		return out, trilith.Errorf(trilith.Invalid, "cursor: cannot be used with latest; leave one of the two out")
	case q.Latest:
		if h.Next > limit {
			after = itemID(s, h.Next-limit-1)
		}
	case q.Cursor != "":
		n, err := strconv.Atoi(q.Cursor)
		if err != nil || n < 0 {
			return out, trilith.Errorf(trilith.Invalid, "cursor: does not belong to this transcript; begin without one")
		}
		after = itemID(s, n)
	}
	items, err := ts.read(ctx, s, after, limit+1, nil)
	if err != nil {
		return out, err
	}
	var b truth.Bound
	if q.Latest {
		for _, it := range slices.Backward(items) {
			if !b.Holds(&it.SessionItem) {
				break
			}
			out.Items = append(out.Items, it.SessionItem)
		}
		slices.Reverse(out.Items)
		return out, nil
	}
	for i, it := range items {
		if i == limit || !b.Holds(&it.SessionItem) {
			out.NextCursor = strconv.Itoa(items[i-1].Seq)
			break
		}
		out.Items = append(out.Items, it.SessionItem)
	}
	return out, nil
}

// Pop removes the last item of a transcript and returns it. The turn made of it is forgotten in the same commit, and
// facts with no other evidence are soon after. NotFound if the transcript is empty.
func (ts *Transcripts) Pop(ctx context.Context, s trilith.Scope, id string) (out trilith.SessionItem, err error) {
	err = truth.Retry(ctx, func() (bool, error) {
		own, h, version, err := ts.transcriptOf(ctx, s, id)
		if err != nil {
			return false, err
		}
		var last []item
		for seq := h.Next; seq > 0 && len(last) == 0; seq -= step { // erased items have left gaps
			after := itemID(own, -1)
			if seq > step {
				after = itemID(own, seq-step-1)
			}
			if last, err = ts.read(ctx, own, after, 0, func(it *item) bool { return it.Seq < seq }); err != nil {
				return false, err
			}
		}
		if len(last) == 0 {
			return false, trilith.Errorf(trilith.NotFound, "session %.64q has no items", id)
		}
		out = last[len(last)-1].SessionItem
		b := role.Batch{Delete: []role.Ref{{Kind: role.RecordItem, ID: itemID(own, out.Seq)}},
			Audit: ts.truth.Audit(s, "transcript.pop", transcriptID(own), nil)}
		if err := putHead(&b, own, out.Seq, version); err != nil {
			return false, err
		}
		if err := ts.forgetTurn(ctx, s, out.MemoryID, &b); err != nil {
			return false, err
		}
		_, err = ts.truth.Commit(ctx, s, b)
		return true, err
	})
	ts.truth.Index.Notify()
	return out, err
}

func putHead(b *role.Batch, s trilith.Scope, next int, version int64) error {
	return b.Replace(role.RecordItem, transcriptID(s), version, head{next, s.Bare()})
}

// forgetTurn adds to a batch that the turn of a popped item is forgotten, if it is active.
func (ts *Transcripts) forgetTurn(ctx context.Context, s trilith.Scope, id trilith.ID, b *role.Batch) error {
	turns, err := ts.truth.Memories(ctx, truth.TenantOf(s), []trilith.ID{id})
	if err != nil || id == "" || len(turns) == 0 || turns[0].State != trilith.StateActive {
		return err
	}
	j, err := ts.truth.Job(truth.JobRevise, truth.ReviseJob{Episodes: []trilith.ID{id}})
	b.Expect = append(b.Expect, role.Expect{ID: id, Version: turns[0].Version})
	ts.sessions.facts.Retract(&turns[0])
	b.Memories, b.Jobs = turns, []trilith.Job{j}
	return err
}

// Clear removes all items of a transcript. The memories made from them stay until they are forgotten or erased.
func (ts *Transcripts) Clear(ctx context.Context, s trilith.Scope, id string) (out trilith.ClearedItems, err error) {
	err = truth.Retry(ctx, func() (bool, error) {
		own, _, version, err := ts.transcriptOf(ctx, s, id)
		if err != nil || version == 0 {
			return false, err
		}
		items, err := ts.read(ctx, own, itemID(own, -1), 0, nil)
		if err != nil {
			return false, err
		}
		b := role.Batch{Expect: []role.Expect{{Kind: role.RecordItem, ID: transcriptID(own), Version: version}},
			Audit: ts.truth.Audit(s, "transcript.clear", transcriptID(own),
				map[string]string{"items": strconv.Itoa(len(items))})}
		forgetItems(&b, own, items)
		_, err = ts.truth.Commit(ctx, s, b)
		out.Removed = len(items)
		return true, err
	})
	return out, err
}

// transcriptOf returns the scope of a transcript: the named scope if it has one, otherwise that of one part of the
// session.
func (ts *Transcripts) transcriptOf(ctx context.Context, s trilith.Scope, id string) (trilith.Scope, head, int64, error) {
	if err := truth.CheckName("session id", id); err != nil {
		return s, head{}, 0, err
	}
	if s.Session != "" && s.Session != id {
		return s, head{}, 0, trilith.Errorf(trilith.NotFound, "session %.64q does not exist", id)
	}
	s.Session = id
	if err := truth.CheckScope(s); err != nil {
		return s, head{}, 0, err
	}
	h, version, err := ts.head(ctx, s)
	if err != nil || version > 0 {
		return s, h, version, err
	}
	_, parts, err := ts.sessions.partsOf(ctx, s, id)
	if err != nil && trilith.KindOf(err) != trilith.NotFound {
		return s, h, 0, err
	}
	for _, st := range parts {
		if h, version, err = ts.head(ctx, st.Scope); err != nil || version > 0 {
			st.Scope.Actor = s.Actor
			return st.Scope, h, version, err
		}
	}
	return s, h, 0, nil
}

func (ts *Transcripts) head(ctx context.Context, s trilith.Scope) (h head, version int64, err error) {
	return truth.ReadRecord[head](ctx, ts.truth, s, role.RecordItem, transcriptID(s))
}

// itemTail is the number of digits at the end of an item's id that hold its number.
const itemTail = 8

// read reads items after an id, at most most wanted ones; 0: all.
func (ts *Transcripts) read(ctx context.Context, s trilith.Scope, after trilith.ID, most int, wanted func(*item) bool) (
	[]item, error) {
	first := itemID(s, -1)
	var out []item
	for {
		rs, err := ts.truth.ReadRecords(ctx, s, role.RecordListing{Kind: role.RecordItem, After: after, Limit: step})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			if !truth.SameHead(r.ID, first, itemTail) || most > 0 && len(out) == most {
				return out, nil
			}
			it, err := truth.Decode[item](r)
			if err != nil {
				return nil, err
			}
			if wanted == nil || wanted(&it) {
				out = append(out, it)
			}
			after = r.ID
		}
		if len(rs) < step {
			return out, nil
		}
	}
}

// forgetItems adds the deletion of a whole transcript to a batch.
func forgetItems(b *role.Batch, s trilith.Scope, items []item) {
	for _, it := range items {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordItem, ID: itemID(s, it.Seq)})
	}
	b.Delete = append(b.Delete, role.Ref{Kind: role.RecordItem, ID: transcriptID(s)})
}

// itemID returns the id of an item's record; number -1 gives an id before all items.
func itemID(s trilith.Scope, seq int) trilith.ID {
	return truth.WithTail(trilith.DeriveID("items", s.Tenant, truth.ScopeText(s)), fmt.Sprintf("%0*x", itemTail, seq+1))
}

func transcriptID(s trilith.Scope) trilith.ID {
	return trilith.DeriveID("transcript", s.Tenant, truth.ScopeText(s))
}
