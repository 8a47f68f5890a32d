package trilith

import (
	"cmp"
	"encoding/json"
	"time"
)

// UpdateRequest changes one memory; nil fields stay unchanged. The text of an episode or a passage is verbatim and
// cannot be edited: remember a correction with Supersedes instead.
type UpdateRequest struct {
	Text       *string         `json:"text,omitempty" doc:"New wording of a note, or new content of an entry; the old one stays in the history"`
	Metadata   *map[string]any `json:"metadata,omitempty" doc:"Replaces all metadata; null: none"`
	Tags       *[]string       `json:"tags,omitempty" doc:"Replaces all tags; null: none"`
	ValidUntil *string         `json:"valid_until,omitempty" doc:"When it ends to hold and is found no more; empty or null: never" example:"2025-12-31T12:00:00Z"`
	State      *State          `json:"state,omitempty" doc:"active brings back what was forgotten or quarantined" enum:"active,retracted"`
	Version    int64           `json:"version,omitempty" doc:"Refuse with conflict unless the memory has this version"`
	RequestKey string          `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// UnmarshalJSON reads a change. A member that is null is none where there can be none, so of the tags, the metadata and
// the end; elsewhere it is absent.
func (r *UpdateRequest) UnmarshalJSON(data []byte) error {
	type plain UpdateRequest
	var given map[string]json.RawMessage
	if err := cmp.Or(json.Unmarshal(data, (*plain)(r)), json.Unmarshal(data, &given)); err != nil {
		return err
	}
	null := func(member string) bool { return string(given[member]) == "null" }
	if null("tags") {
		r.Tags = &[]string{}
	}
	if null("metadata") {
		r.Metadata = &map[string]any{}
	}
	if null("valid_until") {
		r.ValidUntil = new(string)
	}
	return nil
}

// ForgetRequest removes memories from search. They stay in the history and can be restored until they are erased. Facts
// without other evidence are forgotten too, and the facts that those had replaced hold again: forgetting the sources of
// an ingest undoes it. Exactly one of IDs, Sources and Filter is set.
type ForgetRequest struct {
	IDs        []ID   `json:"ids,omitempty" maxItems:"1000"`
	Sources    []ID   `json:"sources,omitempty" maxItems:"1000" doc:"Everything that these requests brought: undoes them"`
	Filter     Filter `json:"filter,omitzero"`
	DryRun     bool   `json:"dry_run,omitempty"`
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// ForgetResult lists the memories that were (or, dry, would be) forgotten.
type ForgetResult struct {
	IDs    []ID `json:"ids"`
	Change ID   `json:"change,omitempty"` // undoes it; none where more than MaxBatch were forgotten at once
	DryRun bool `json:"dry_run,omitempty"`
}

// Undone says what was undone: everything is as it was before the change, also what the change had revived. Only the
// audit keeps both. A change is a decision, a correction, an edit, a forgetting or a merge; its answer and its entries in
// the audit have its id. It is a Conflict, and nothing is undone, if a later change rests on it. An erasure is never
// undone, and ends what could be undone of what it erases.
type Undone struct {
	Change ID        `json:"change"`
	Action string    `json:"action"` // as in the audit
	At     time.Time `json:"at"`     // when the change was made
}

// Reextraction reports which facts are derived again.
type Reextraction struct {
	Sources int `json:"sources"` // whose facts are derived again in the background
}

// ExtractionChoice says how facts are derived from conversations and notes if a request does not say.
type ExtractionChoice struct {
	Project string     `json:"project,omitempty"` // that was asked for; the tenant's choice if empty
	Extract Extraction `json:"extract"`
}

// EraseRequest removes memories for good, with everything derived from them. Exactly one of IDs, Sources, Entities and
// Filter is set.
type EraseRequest struct {
	IDs      []ID   `json:"ids,omitempty" maxItems:"1000"`
	Sources  []ID   `json:"sources,omitempty" maxItems:"1000"`
	Entities []ID   `json:"entities,omitempty" doc:"Erases them with their identifiers and history, all facts about them and all that name them, in whatever scope of the tenant" maxItems:"100"`
	Words    bool   `json:"words,omitempty" doc:"With entities: also the episodes that those facts rest on, whoever else they are about"`
	Media    []ID   `json:"media,omitempty" doc:"Files of pictures, recordings and pages, with what a model has read in them" maxItems:"1000"`
	Filter   Filter `json:"filter,omitzero"`
	Reason   string `json:"reason,omitempty" maxLength:"255"`
	DryRun   bool   `json:"dry_run,omitempty"`
}

// EraseReceipt proves an erasure without containing the erased content.
type EraseReceipt struct {
	ID         ID        `json:"id"`
	At         time.Time `json:"at"`
	Reason     string    `json:"reason,omitempty"`
	Memories   int       `json:"memories"`
	Facts      int       `json:"facts,omitempty"` // that rested on nothing else
	Entities   int       `json:"entities,omitempty"`
	Sources    int       `json:"sources"`
	Vectors    int       `json:"vectors"`
	Texts      int       `json:"texts"`
	Tombstones int       `json:"tombstones"`
	Recalls    int       `json:"recalls,omitempty"`  // rows of the recall log with erased results, or matching
	Objects    int       `json:"objects,omitempty"`  // that the filter fits
	Searches   int       `json:"searches,omitempty"` // saved ones that match the filter, with their alerts
	Media      int       `json:"media,omitempty"`    // including files of which only some words were erased
	Shares     int       `json:"shares,omitempty"`   // of erased memories, and those that the request names
	// Transcripts counts those erased completely: their sessions have no turn left, or the filter accepts their whole
	// scope.
	Transcripts int  `json:"transcripts,omitempty"`
	DryRun      bool `json:"dry_run,omitempty"`
	Masking          // in the answer; never stored
}

// History is the history of a memory: the current one and everything that it replaced, newest first. For a memory that
// was itself replaced it also has the successors, so every member of a chain has the same history.
type History struct {
	Versions []Memory `json:"versions"`
	// Truncated says that older versions were left out at MaxPageBytes; the history of the last one continues there.
	Truncated bool `json:"truncated,omitempty"`
}
