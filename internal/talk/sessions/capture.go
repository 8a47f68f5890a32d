package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// JobCapture is the kind of job that remembers the words in items of a transcript. It is committed with the items and
// run at once; the job remains for the case that the program ends in between.
const JobCapture = "capture"

// CaptureJob identifies the items that were appended together.
type CaptureJob struct {
	Scope   trilith.Scope      `json:"scope"`
	From    int                `json:"from"`
	To      int                `json:"to"` // exclusive
	Batch   trilith.ID         `json:"batch"`
	Extract trilith.Extraction `json:"extract,omitempty"`
}

// masked returns an item with its secrets masked. An item without secrets stays unchanged; in another the members are
// sorted by name.
func masked(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "items: must be JSON objects")
	}
	k := truth.NewMasker()
	v = k.Object("item", v)
	if len(k.Places) == 0 {
		return raw, nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, trilith.WrapError(trilith.Internal, "sessions.Append", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// errMoved says that items were popped, cleared or erased during the capture.
var errMoved = errors.New("sessions: the items have changed")

// Capture remembers the words in items that were appended together. One commit stores the turns, sets the ids of the
// turns in their items, and ends the job: so an item always knows its turn, and is removed when that is erased.
// Repeating it changes nothing. Items that were popped or cleared meanwhile are skipped. An item that repeats
// something erased is removed from the transcript.
func (ts *Transcripts) Capture(ctx context.Context, tenant string, j CaptureJob) error {
	s := truth.WithTenant(j.Scope, tenant)
	s.Actor = "transcript"
	for {
		err := ts.capture(ctx, s, j)
		if !errors.Is(err, errMoved) || ctx.Err() != nil {
			return err
		}
	}
}

func (ts *Transcripts) capture(ctx context.Context, s trilith.Scope, j CaptureJob) error {
	c, err := ts.readCaptured(ctx, s, j)
	if err != nil || c.done || len(c.items) == 0 {
		return err
	}
	beside := func(ctx context.Context, res *trilith.RememberResult) (role.Batch, error) {
		now, err := ts.readCaptured(ctx, s, j)
		if err == nil && !slices.Equal(now.versions, c.versions) {
			err = errMoved
		}
		if err != nil {
			return role.Batch{}, err
		}
		return c.named(s, j, res)
	}
	res, err := ts.remember(ctx, s, c.request, beside)
	switch {
	case errors.Is(err, truth.ErrKeyTaken): // captured before, and erased since
		return nil
	case err != nil || len(res.Memories) > 0 || res.Replayed:
		return err
	}
	b, err := c.named(s, j, &res) // nothing in it may be stored, so nothing was committed
	if err != nil {
		return err
	}
	_, err = ts.truth.Commit(ctx, s, b)
	if trilith.KindOf(err) == trilith.Conflict {
		return errMoved
	}
	return err
}

// captured holds what to remember of items.
type captured struct {
	items    []item
	versions []int64
	request  trilith.RememberRequest
	done     bool // already remembered
}

func (ts *Transcripts) readCaptured(ctx context.Context, s trilith.Scope, j CaptureJob) (out captured, err error) {
	ids := make([]trilith.ID, 0, j.To-j.From)
	for seq := j.From; seq < j.To; seq++ {
		ids = append(ids, itemID(s, seq))
	}
	rs, err := ts.truth.RecordsOf(ctx, s, role.RecordItem, ids...)
	if err != nil {
		return out, err
	}
	out.request = trilith.RememberRequest{RequestKey: "transcript:" + string(j.Batch), Extract: j.Extract}
	for _, rec := range rs {
		it, err := truth.Decode[item](rec)
		if err != nil {
			return out, err
		}
		if m, ok := messageOf(it.Item); ok && it.Batch == j.Batch {
			out.request.Messages = append(out.request.Messages, m)
			out.items, out.versions = append(out.items, it), append(out.versions, rec.Version)
			out.done = out.done || it.MemoryID != ""
		}
	}
	return out, nil
}

// messageOf returns the message of a person or the assistant in an item.
func messageOf(raw json.RawMessage) (trilith.Message, bool) {
	ms, _ := trilith.ReadMessages(raw, false) // an item that cannot be read says nothing
	for _, m := range ms {
		if (m.Role != trilith.RoleUser && m.Role != trilith.RoleAssistant) || strings.TrimSpace(m.Content) == "" {
			continue
		}
		if len(m.Speaker) > trilith.MaxNameBytes {
			m.Speaker = ""
		}
		return trilith.Message{Role: m.Role, Speaker: m.Speaker, Content: m.Content}, true
	}
	return trilith.Message{}, false
}

// named returns the batch that sets the ids of the turns in their items, and deletes items that repeat something
// erased.
func (c *captured) named(s trilith.Scope, j CaptureJob, res *trilith.RememberResult) (b role.Batch, err error) {
	refused := map[int]string{}
	for _, x := range res.Rejected {
		refused[x.Index] = x.Reason
	}
	b.DropJobs = []trilith.ID{trilith.DeriveID("capture", string(j.Batch))}
	at := 0
	for i, it := range c.items {
		id := itemID(s, it.Seq)
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordItem, ID: id, Version: c.versions[i]})
		switch reason := refused[i]; {
		case reason == trilith.ReasonErased:
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordItem, ID: id})
		case reason == "" && at < len(res.Memories):
			it.MemoryID = res.Memories[at].ID
			at++
			if err := b.Put(role.RecordItem, id, it); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}
