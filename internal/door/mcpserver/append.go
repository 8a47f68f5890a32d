package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// maxAppended is the largest number of statements in one call.
const maxAppended = 50

type appendInput struct {
	Content        statements     `json:"content" doc:"One statement in full sentences that name who, what and when"`
	Type           string         `json:"type,omitempty" doc:"manual, reflection, decision or your own" default:"manual"`
	Metadata       map[string]any `json:"metadata,omitempty" doc:"Your data; filters see it" schema:"-"`
	Tags           []string       `json:"tags,omitempty" doc:"Labels to search by"`
	Timestamp      string         `json:"timestamp,omitempty" doc:"Since when it holds, as 2025-06-30 or RFC 3339"`
	IdempotencyKey string         `json:"idempotency_key,omitempty" doc:"A repeated call stores nothing twice"`
}

// statements is one text, or a list of texts.
type statements struct {
	texts []string
	list  bool
}

func (statements) schema() schema {
	return schema{Type: "string", Or: &schema{Type: "array", Items: &schema{Type: "string"}}}
}

func (s *statements) UnmarshalJSON(data []byte) error {
	if s.list = data[0] == '['; !s.list {
		s.texts = make([]string, 1)
		return json.Unmarshal(data, &s.texts[0])
	}
	err := json.Unmarshal(data, &s.texts)
	if n := len(s.texts); err == nil && (n == 0 || n > maxAppended) {
		return trilith.Errorf(trilith.Invalid, "content: has %d items, must have 1 to %d; call again with the rest",
			n, maxAppended)
	}
	return err
}

// nullableID is null if an item was not stored.
type nullableID trilith.ID

func (id nullableID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, string(id)), nil
}

// keptOutput lists the memories that a call has stored or changed.
type keptOutput struct {
	outcome
	MemoryID trilith.ID `json:"memory_id"`
	Change   trilith.ID `json:"change,omitempty"` // memory_update with undo takes it back
}

// appendOutput has fields for arrays that its schema leaves out, as in [coverage].
type appendOutput struct {
	keptOutput
	MemoryIDs []nullableID `json:"memory_ids,omitempty" schema:"-"` // of an array, in its order
	Rejected  []refused    `json:"rejected,omitempty" schema:"-"`
}

func (e *edge) append(ctx context.Context, who caller, in appendInput) (appendOutput, error) {
	if in.Content.list {
		return e.appendAll(ctx, who, in)
	}
	kept, err := e.remember(ctx, who, who.scope, in.request(in.Content.texts[0]))
	return appendOutput{keptOutput: kept}, err
}

// refused says which item of an array was not stored, and why.
type refused struct {
	Index  int    `json:"index"`
	Reason string `json:"reason"`
}

// appendAll stores each text separately, so that a refused one does not affect the others. Each has a key derived from
// that of the call: a repeated call stores what is missing.
func (e *edge) appendAll(ctx context.Context, who caller, in appendInput) (appendOutput, error) {
	out := appendOutput{MemoryIDs: make([]nullableID, len(in.Content.texts))}
	var first error
	var remarks strings.Builder
	for i, text := range in.Content.texts {
		r := in.request(text)
		if r.RequestKey != "" {
			r.RequestKey = string(trilith.DeriveID("append", r.RequestKey, strconv.Itoa(i)))
		}
		one := who
		one.call = who.part(i)
		kept, err := e.remember(ctx, one, one.scope, r)
		if err != nil {
			first = cmp.Or(first, err)
			out.Rejected = append(out.Rejected, refused{i, e.message(ctx, "memory_append", err)})
			continue
		}
		out.MemoryIDs[i] = nullableID(kept.MemoryID)
		out.MemoryID = cmp.Or(out.MemoryID, kept.MemoryID)
		if kept.Message != storedAs(kept.MemoryID) {
			fmt.Fprintf(&remarks, " Item %d: %s", i, kept.Message)
		}
	}
	stored := len(in.Content.texts) - len(out.Rejected)
	if stored == 0 {
		return appendOutput{}, trilith.Errorf(
			trilith.KindOf(first), "content: none of the %d was stored; the first because of %w",
			len(out.Rejected), first)
	}
	out.outcome = outcome{success, fmt.Sprintf("Stored %d of %d.", stored, len(in.Content.texts)) + remarks.String()}
	return out, nil
}

// request returns the request that remembers one of the texts.
func (in *appendInput) request(text string) trilith.RememberRequest {
	return trilith.RememberRequest{Note: &trilith.Note{Type: in.Type, Content: text}, Metadata: in.Metadata, Tags: in.Tags,
		Timestamp: in.Timestamp, RequestKey: in.IdempotencyKey}
}

// remember stores one memory written by a model. Its trust is that of external content: the user has neither said nor
// confirmed it, and text that a web page has injected into the model must not become an instruction.
func (e *edge) remember(ctx context.Context, who caller, scope trilith.Scope, r trilith.RememberRequest) (
	keptOutput, error) {
	r.Imported = true
	keyed := r.RequestKey != ""
	r.RequestKey = cmp.Or(r.RequestKey, who.call)
	done, err := e.Engine.Remember(ctx, scope, r)
	if err != nil {
		return keptOutput{}, err
	}
	if len(done.Memories) == 0 {
		why := done.Rejected[0]
		return keptOutput{}, trilith.Errorf(trilith.Invalid, "content: not stored (%s) %s", why.Reason, why.Detail)
	}
	m := &done.Memories[0]
	out := keptOutput{outcome: outcome{success, storedAs(m.ID)}, MemoryID: m.ID}
	switch {
	case m.State == trilith.StateQuarantined:
		out.Message = "Stored, but kept out of search: it reads like an instruction. A person can release it with trilith call update-memory ID --state=active."
	case done.Replayed && keyed:
		out.Message = "Remembered before, under the same key."
	case len(r.Supersedes) > 0:
		out.Message = "Remembered in its place."
	}
	said := masked(trilith.Masking{Masked: done.Masked, MaskedIn: done.MaskedIn})
	if done.KnownAs != "" {
		said = " This was known already, as " + string(done.KnownAs) + "." + said
	}
	if said != "" && out.Message == storedAs(m.ID) { // the id ends with its line
		said = "\n" + strings.TrimSpace(said)
	}
	out.Message += said
	return out, nil
}

// storedAs is the message for a stored memory without further remarks. Callers parse the id in it.
func storedAs(id trilith.ID) string { return "Stored memory with ID: " + string(id) }

// masked returns a sentence about masked secrets; "" if there are none. Here the text of a request is called content.
func masked(m trilith.Masking) string {
	if m.Masked == 0 {
		return ""
	}
	places := slices.Clone(m.MaskedIn)
	if i := slices.Index(places, "text"); i >= 0 {
		places[i] = "content"
		slices.Sort(places)
	}
	return fmt.Sprintf(" Secrets masked before storing: %d, in %s.", m.Masked, strings.Join(places, ", "))
}
