package mem0

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// said is what to remember: a text, a message, or a list of them.
type said struct{ trilith.Messages }

func (s *said) UnmarshalJSON(data []byte) (err error) {
	s.Messages, err = compat.Messages(data)
	return err
}

type addition struct {
	whose
	Messages       said           `json:"messages"`
	Metadata       map[string]any `json:"metadata"`
	Infer          *bool          `json:"infer"`
	Timestamp      compat.Time    `json:"timestamp"`
	ExpirationDate string         `json:"expiration_date"`
	OutputFormat   string         `json:"output_format"`
	Filters        map[string]any `json:"filters"`
}

const stored = "Memories were stored."

// add stores messages. With infer, the default, facts are derived from them: the call waits a moment for rules, and
// does not wait for a model. Without infer, every message becomes a memory word for word.
func add(ctx context.Context, c *compat.Call, in addition) (any, error) {
	f, err := read(in.Filters)
	if err != nil {
		return nil, err
	}
	named := scopeOf(f)
	if len(in.names()) > 0 {
		named = trilith.Scope{User: string(in.UserID), Agent: string(in.AgentID), Project: string(in.AppID),
			Session: string(in.RunID)}
	}
	if named == (trilith.Scope{}) {
		return nil, trilith.Errorf(trilith.Invalid, "at least one of user_id, agent_id, app_id and run_id is needed")
	}
	if len(in.Messages.Messages) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "messages: is empty")
	}
	s := c.Within(named)
	r := trilith.RememberRequest{Metadata: in.Metadata, Timestamp: in.Timestamp.String()}
	if in.ExpirationDate != "" {
		if r.ValidUntil, err = expiry(in.ExpirationDate); err != nil {
			return nil, err
		}
	}
	keep := turns
	if in.Infer != nil && !*in.Infer {
		keep = verbatim
	}
	ms, source, refused, err := keep(ctx, c, s, r, in.Messages.Messages)
	if err == nil {
		err = (&trilith.RememberResult{Memories: ms, Rejected: refused}).Refusal("messages")
	}
	if err != nil {
		return nil, err
	}
	ids := trilith.IDsOf(ms)
	pending, err := c.AwaitRules(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	results := added(ms, source, pending)
	if s.User != "" { // an assistant's turns are stored, but are no memories of a user
		results = added(people(ms), source, pending)
	}
	if in.OutputFormat == "v1.0" {
		return results, nil
	}
	text := stored
	if len(c.Omitted) > 0 {
		text += " Left out of messages: " + c.Omitted.String() + "."
	}
	if len(refused) > 0 {
		text = "Some messages were not stored: " + refused[0].Reason + " " + refused[0].Detail
	}
	return related(c, map[string]any{"message": text, "status": status(pending), "event_id": source,
		"results": results}), nil
}

// turns stores messages as turns of a conversation.
func turns(ctx context.Context, c *compat.Call, s trilith.Scope, r trilith.RememberRequest, ms trilith.Messages) (
	[]trilith.Memory, trilith.ID, []trilith.Rejection, error) {
	r.Messages = ms
	res, err := c.Keep(ctx, s, r)
	return res.Memories, res.SourceID, res.Rejected, err
}

// verbatim stores each message as a note of its own, whoever said it.
func verbatim(ctx context.Context, c *compat.Call, s trilith.Scope, r trilith.RememberRequest, ms trilith.Messages) (
	kept []trilith.Memory, source trilith.ID, refused []trilith.Rejection, err error) {
	r.Extract = trilith.ExtractNone
	for _, m := range ms {
		c.Omitted.Add(m.Omitted)
		if m.Content == "" {
			continue
		}
		r.Note = &trilith.Note{Type: string(m.Role), Content: m.Content}
		res, err := c.Keep(ctx, s, r)
		if err != nil {
			return kept, source, refused, err
		}
		kept, refused, source = append(kept, res.Memories...), append(refused, res.Rejected...), res.SourceID
	}
	return kept, source, refused, nil
}

// added describes stored memories, in a form with the members of all versions.
func added(ms []trilith.Memory, source trilith.ID, pending bool) []map[string]any {
	out := []map[string]any{}
	for i := range ms {
		if ms[i].State != trilith.StateActive {
			continue
		}
		m := memory(&ms[i])
		m["event"], m["data"] = "ADD", map[string]any{"memory": ms[i].Text}
		m["event_id"], m["status"], m["message"] = source, status(pending), stored
		out = append(out, m)
	}
	return out
}

// people returns the memories without an assistant's turns.
func people(ms []trilith.Memory) []trilith.Memory {
	out := []trilith.Memory{}
	for _, m := range ms {
		if m.Kind != trilith.KindEpisode || m.Role == trilith.RoleUser {
			out = append(out, m)
		}
	}
	return out
}

// revision is a change of a memory; an absent member stays, and null removes an expiry.
type revision struct {
	ID             trilith.ID      `json:"memory_id"`
	Text           *string         `json:"text"`
	Metadata       *map[string]any `json:"metadata"`
	ExpirationDate json.RawMessage `json:"expiration_date"`
}

func update(ctx context.Context, c *compat.Call, in revision) (any, error) {
	if in.Text == nil && in.Metadata == nil && in.ExpirationDate == nil {
		return nil, trilith.Errorf(trilith.Invalid, "at least one of text, metadata and expiration_date is needed")
	}
	in.ID = trilith.IDOf(c.Path("id"))
	m, err := rewrite(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return memory(&m), nil
}

// remove deletes a memory; with delete_linked, its earlier versions too.
func remove(ctx context.Context, c *compat.Call) (any, error) {
	m, err := c.Current(ctx, c.Scope, c.Path("id"))
	if err != nil {
		return nil, err
	}
	ids := []trilith.ID{m.ID}
	if c.Query.Get("delete_linked") == "true" {
		h, err := c.History(ctx, c.Scope, m.ID)
		if err != nil {
			return nil, err
		}
		for _, v := range h.Versions[1:] {
			ids = append(ids, v.ID)
		}
	}
	n, err := c.Delete(ctx, c.Scope, ids, trilith.Filter{})
	return map[string]any{"message": "Memory deleted successfully!", "cascade_count": max(n-1, 0)}, err
}

// deleteAll deletes the memories that the query names. A query without any name is an error, and does not delete
// everything.
func deleteAll(ctx context.Context, c *compat.Call) (any, error) {
	conditions := ofQuery(c).names()
	if len(conditions) == 0 {
		return nil, trilith.Errorf(trilith.Invalid, "at least one of user_id, agent_id, app_id and run_id is needed")
	}
	if text := c.Query.Get("metadata"); text != "" {
		metadata, err := object("metadata", text)
		if err != nil {
			return nil, err
		}
		conditions["metadata"] = metadata
	}
	return drop(ctx, c, conditions, "Memories deleted successfully!")
}

func deleteEntity(ctx context.Context, c *compat.Call) (any, error) {
	kind := c.Path("type")
	for _, t := range entityTypes {
		if t.kind == kind {
			return drop(ctx, c, map[string]any{kind + "_id": c.Path("name")}, "Entity deleted successfully!")
		}
	}
	return nil, trilith.Errorf(trilith.Invalid, "entity type %.40q is not one of user, agent, app and run", kind)
}

// drop deletes everything that conditions select, including entries that the dialect does not show as memories.
func drop(ctx context.Context, c *compat.Call, conditions map[string]any, message string) (any, error) {
	f, err := read(conditions)
	if err != nil {
		return nil, err
	}
	_, err = c.Delete(ctx, c.Within(scopeOf(f)), nil, f)
	return map[string]any{"message": message, "event_id": trilith.DeriveID("mem0 event", c.Request.URL.RawQuery)}, err
}

// batch is several changes or deletions.
type batch struct {
	Memories []revision `json:"memories"`
}

// batchUpdate changes memories one after the other. An error does not undo the changes before it.
func batchUpdate(ctx context.Context, c *compat.Call, in batch) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	for _, r := range in.Memories {
		if _, err := rewrite(ctx, c, r); err != nil {
			return nil, err
		}
	}
	return map[string]any{"message": "Successfully updated the memories."}, nil
}

// rewrite changes one memory.
func rewrite(ctx context.Context, c *compat.Call, r revision) (trilith.Memory, error) {
	change, err := r.change()
	if err != nil {
		return trilith.Memory{}, err
	}
	old, err := c.Current(ctx, c.Scope, string(r.ID))
	if err != nil {
		return old, err
	}
	return c.Rewrite(ctx, c.Scope, old, change)
}

func (r *revision) change() (compat.Edit, error) {
	out := compat.Edit{Text: r.Text, Metadata: r.Metadata}
	var day *string
	if r.ExpirationDate == nil {
		return out, nil
	}
	if err := json.Unmarshal(r.ExpirationDate, &day); err != nil {
		return out, trilith.Errorf(trilith.Invalid, "expiration_date: must be a day such as 2030-01-31, or null")
	}
	until := ""
	if day != nil {
		var err error
		if until, err = expiry(*day); err != nil {
			return out, err
		}
	}
	out.ValidUntil = &until
	return out, nil
}

// batchDelete deletes all of its memories or none.
func batchDelete(ctx context.Context, c *compat.Call, in batch) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	seen := map[trilith.ID]bool{}
	for _, r := range in.Memories {
		m, err := c.Current(ctx, c.Scope, string(r.ID))
		if err != nil {
			return nil, err
		}
		seen[m.ID] = true
	}
	ids := make([]trilith.ID, 0, len(seen))
	for id := range maps.Keys(seen) {
		ids = append(ids, id)
	}
	_, err := c.Delete(ctx, c.Scope, ids, trilith.Filter{})
	return map[string]any{"message": "Successfully deleted the memories."}, err
}

func (in *batch) check() error {
	if len(in.Memories) == 0 || len(in.Memories) > trilith.MaxItems {
		return trilith.Errorf(trilith.Invalid, "memories: holds %d, must hold 1 to %d", len(in.Memories), trilith.MaxItems)
	}
	return nil
}

// opinion is the body of [feedback].
type opinion struct {
	ID       trilith.ID `json:"memory_id"`
	Feedback *string    `json:"feedback"`
	Reason   *string    `json:"feedback_reason"`
}

// feedback stores an opinion in the metadata of a memory. On a fact it verifies the fact, or sends it to the review if
// the opinion is not positive.
func feedback(ctx context.Context, c *compat.Call, in opinion) (any, error) {
	m, err := c.Current(ctx, c.Scope, string(in.ID))
	if err != nil {
		return nil, err
	}
	if in.Feedback != nil && m.Fact != nil {
		decision := trilith.DecideReview
		if *in.Feedback == "POSITIVE" {
			decision = trilith.DecideVerify
		}
		r := trilith.VerifyRequest{Decision: decision}
		if in.Reason != nil {
			r.Note = *in.Reason
		}
		if _, err := c.VerifyFact(ctx, c.Scope, m.ID, r); err != nil {
			return nil, err
		}
	} else if m.Fact == nil {
		metadata := maps.Clone(m.Metadata)
		if metadata == nil {
			metadata = map[string]any{}
		}
		delete(metadata, "feedback")
		delete(metadata, "feedback_reason")
		if in.Feedback != nil {
			metadata["feedback"] = *in.Feedback
		}
		if in.Reason != nil {
			metadata["feedback_reason"] = *in.Reason
		}
		if _, err := c.Rewrite(ctx, c.Scope, m, compat.Edit{Metadata: &metadata}); err != nil {
			return nil, err
		}
	}
	return map[string]any{"id": m.ID, "feedback": in.Feedback, "feedback_reason": in.Reason}, nil
}
