// Package trilith holds the words of a long-term memory for AI agents: its records, requests, answers and errors.
// internal/role has the contracts of the storage drivers.
//
// Words are stored verbatim as episodes of a [Source]; everything else (summaries, entries, vectors, postings) is
// derived from them and can be rebuilt. The truth decides what exists, to whom it belongs and whether it still holds.
// Indexes find candidates; they may lag, they may be rebuilt, and they never decide: each candidate is verified against
// the truth before it becomes a [Hit].
//
// The package imports only the standard library. Failures are [Error] values with an [ErrorKind]; errors of a context
// (canceled, deadline exceeded) pass through unchanged.
package trilith

import (
	"slices"
	"time"
)

// Limits of stored values, each the smallest that a supported product or a prompt can carry with ease.
const (
	MaxTextBytes     = 256 << 10 // one memory; longer text is a document, which is split
	MaxDocumentBytes = 8 << 20   // one document before splitting
	MaxTags          = 64
	MaxTagBytes      = 128
	MaxMetadataBytes = 1<<20 + 64<<10 // encoded as JSON: a value of 1 MiB under a few names
	MaxNameBytes     = 255            // speaker, title, category, type, external id, idempotency key
	MaxItems         = 1000           // messages of one request
)

// Kind is the type of a memory.
type Kind string

// The kinds of memories that search returns.
const (
	KindEpisode Kind = "episode" // one turn of a conversation, verbatim
	KindNote    Kind = "note"    // stored by hand
	KindEntry   Kind = "entry"   // a curated knowledge entry: category, title, content, structured data
	KindPassage Kind = "passage" // one structural piece of a document, verbatim
	KindSummary Kind = "summary" // summarises many episodes; derived
	KindWindow  Kind = "window"  // a few neighbouring turns of one session, to find these by; derived
	KindFact    Kind = "fact"    // an entity is in a relation to a fact node; derived
)

// Kinds lists the kinds in a fixed order.
func Kinds() []Kind {
	return []Kind{KindEpisode, KindNote, KindEntry, KindPassage, KindSummary, KindWindow, KindFact}
}

// Role says who produced a text.
type Role string

// The roles of messages.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// State is the stage of its life that a memory is in.
type State string

// The states. Only active memories are searched by default.
const (
	StateCandidate  State = "candidate" // proposed, and not accepted yet
	StateActive     State = "active"
	StateSuperseded State = "superseded" // replaced by another memory; SupersededBy names it
	StateRetracted  State = "retracted"  // forgotten on purpose; kept until erased
	StateExpired    State = "expired"    // its time is over
	// stored, visible to its owner, not searched: it reads like an instruction from a low-trust channel
	StateQuarantined State = "quarantined"
)

// States lists the states in a fixed order.
func States() []State {
	return []State{StateCandidate, StateActive, StateSuperseded, StateRetracted, StateExpired, StateQuarantined}
}

// Trust is the tier of the channel that a memory came through; the content never sets it.
type Trust string

// The tiers, highest first.
const (
	TrustUserConfirmed Trust = "user_confirmed"
	TrustUserStated    Trust = "user_stated"
	TrustImported      Trust = "imported"
	TrustAssistantSaid Trust = "assistant_said"
	TrustToolOutput    Trust = "tool_output"
)

// Trusts lists the tiers, highest first.
func Trusts() []Trust {
	return []Trust{TrustUserConfirmed, TrustUserStated, TrustImported, TrustAssistantSaid, TrustToolOutput}
}

// AtLeast reports whether t is as high a tier as u, or higher. A tier that is not known is lower than all others.
func (t Trust) AtLeast(u Trust) bool {
	at := slices.Index(Trusts(), t)
	return at >= 0 && at <= slices.Index(Trusts(), u)
}

// Entry is the curated part of a memory of [KindEntry].
type Entry struct {
	Category   string         `json:"category,omitempty" doc:"Category inside the domain" maxLength:"255"`
	Title      string         `json:"title,omitempty" doc:"Title" maxLength:"255"`
	Content    string         `json:"content,omitempty" doc:"What is known; may be left out where structured data say it"`
	Structured map[string]any `json:"structured,omitempty" doc:"Structured data; its values are searchable text"`
	Confidence float64        `json:"confidence,omitempty" doc:"0 to 1; 0 means not stated" minimum:"0" maximum:"1"`
}

// Memory is the unit that search returns. Text is verbatim for episodes, notes and passages, and composed for
// entries.
//
// A memory's wording never changes in place: a new wording gets the id and a higher Version, the old wording moves to a
// new id and is superseded by the first. So each memory holds in the world from EventTime until ValidUntil.
type Memory struct {
	ID       ID     `json:"id"`
	Version  int64  `json:"version"` // 1 at first; raised by every put; compared by Expect
	Kind     Kind   `json:"kind"`
	Text     string `json:"text"`
	Scope    Scope  `json:"scope"`
	Role     Role   `json:"role,omitempty"`
	Speaker  string `json:"speaker,omitempty"`
	Type     string `json:"type,omitempty"` // of a note: manual, reflection, …
	Seq      int    `json:"seq"`            // position in its session or document, from 0
	SourceID ID     `json:"source_id,omitempty"`
	// SharedFrom makes the memory a share: a reference to the memory of that id, in a second scope. Text, times and
	// state are always those of its origin.
	SharedFrom ID `json:"shared_from,omitempty"`

	// when it was said or held in the world, on the clock of whoever said it: see [Local]
	EventTime  time.Time  `json:"event_time"`
	RecordedAt time.Time  `json:"recorded_at"`           // when this wording was stored
	ValidUntil *time.Time `json:"valid_until,omitempty"` // exclusive end of its validity; nil while it holds

	Supersedes []ID `json:"supersedes,omitempty"` // the replaced memories, or its former wording
	// of an active memory: its planned successor at ValidUntil
	SupersededBy ID         `json:"superseded_by,omitempty"`
	SupersededAt *time.Time `json:"superseded_at,omitempty"` // when we learned of it, or when it was forgotten
	// since when listings leave it out, as long as it is closed
	ArchivedAt *time.Time     `json:"archived_at,omitempty"`
	State      State          `json:"state"`
	Trust      Trust          `json:"trust"`
	Tags       []string       `json:"tags,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Entry      *Entry         `json:"entry,omitempty"`
	Fact       *Fact          `json:"fact,omitempty"`
	Summary    *Summary       `json:"summary,omitempty"`     // of a generated one, and of a window; nil for an imported one
	ExternalID string         `json:"external_id,omitempty"` // the caller's own id; unique in the tenant's scope

	// Filled in on the way out, never stored with the truth.
	IndexedAt *time.Time `json:"indexed_at,omitempty"` // when its vector was made; nil until then
	Embedding *Embedded  `json:"embedding,omitempty"`
	// EventTime has not come yet; in listings, hits, their facts and neighbours
	Planned bool `json:"planned,omitempty"`
	// Clipped is how many bytes of the text a brief listing has left out.
	Clipped int `json:"clipped,omitempty"`
	Masking     // in the answer to the write
	// Pending, in the answer to a write, says that its vector was not ready in time. The job JobID continues with it.
	Pending bool `json:"pending,omitempty"`
	JobID   ID   `json:"job_id,omitempty"`
	Change  ID   `json:"change,omitempty"` // undoes the request that answers with the memory; see [Undone]
}

// Bare returns the memory in its stored form: without fields that reads fill in, and in the bare scope.
func (m *Memory) Bare() Memory {
	out := *m
	out.Scope = m.Scope.Bare()
	out.IndexedAt, out.Embedding, out.Planned = nil, nil, false
	out.Masking, out.Pending, out.JobID, out.Change, out.Clipped = Masking{}, false, "", "", 0
	return out
}

// Embedded describes the vector of a memory.
type Embedded struct {
	Generation  string    `json:"generation"` // [Generation.Key]
	Model       string    `json:"model"`
	GeneratedAt time.Time `json:"generated_at"`
	// Cut says that the text is longer than the model reads: the vector covers its beginning.
	Cut bool `json:"cut,omitempty"`
}

// ClockSkew is how far a sender's clock may be ahead of the engine's.
const ClockSkew = 5 * time.Minute

// Ahead reports whether a time is in the future, within the precision of clocks: a fact that begins then is planned,
// and closes nothing before its time.
func Ahead(at, now time.Time) bool { return at.After(now.Add(ClockSkew)) }

// Over reports whether a time has come that was set at most so far ahead. One farther ahead was set by a clock that was
// wrong, and nothing waits for it.
func Over(at, now time.Time, most time.Duration) bool {
	return !at.After(now) || Ahead(at, now.Add(most))
}

// IDsOf returns the ids of memories, in order.
func IDsOf(ms []Memory) []ID {
	ids := make([]ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	return ids
}

// HoldsAt reports whether the memory held in the world at t.
func (m *Memory) HoldsAt(t time.Time) bool {
	return !m.EventTime.After(t) && (m.ValidUntil == nil || m.ValidUntil.After(t))
}

// StateAt returns the state of the memory at t: an open memory is expired once its validity has ended, even if no sweep
// has run since, and is superseded if that was planned.
func (m *Memory) StateAt(t time.Time) State {
	if m.open() && m.ValidUntil != nil && !m.ValidUntil.After(t) {
		if m.SupersededBy != "" { // as planned
			return StateSuperseded
		}
		return StateExpired
	}
	return m.State
}

// Archived reports whether listings leave the memory out. A memory that was opened again after it was archived is back.
func (m *Memory) Archived() bool {
	return m.ArchivedAt != nil && slices.Contains([]State{StateSuperseded, StateRetracted, StateExpired}, m.State)
}

func (m *Memory) open() bool { return m.State == StateActive || m.State == StateCandidate }

// Source is an immutable piece of raw input, the request that brought it: a conversation piece, a document, an imported
// record. Its memories contain the verbatim text; the source holds their common data.
type Source struct {
	ID          ID          `json:"id"`
	Kind        string      `json:"kind"` // messages, text, note, entry, document
	Name        string      `json:"name,omitempty"`
	Scope       Scope       `json:"scope"`
	RecordedAt  time.Time   `json:"recorded_at"`
	ContentHash string      `json:"content_hash"` // SHA-256 of the normalised content, hex
	RequestKey  string      `json:"request_key,omitempty"`
	RequestHash string      `json:"request_hash,omitempty"`
	MemoryIDs   []ID        `json:"memory_ids"`
	Rejected    []Rejection `json:"rejected,omitempty"`
	Masked      int         `json:"masked,omitempty"`    // secrets replaced before storing
	MaskedIn    []string    `json:"masked_in,omitempty"` // where the masked secrets were
	Inserted    int         `json:"inserted,omitempty"`  // how many, last in MemoryIDs, are texts that programs put in

	// Fixed excludes owners that the caller could not act for: facts do not belong to them although Scope names them.
	Fixed
	Extraction *SourceExtraction `json:"extraction,omitempty"` // nil: no facts were derived from it
}

// SourceExtraction says how facts are derived from a source, so that they can be derived again.
type SourceExtraction struct {
	Entity ID         `json:"entity"` // the entity of statements that name none
	Mode   Extraction `json:"mode"`
	// Profile is the extraction profile of a model; empty for rules.
	Profile string `json:"profile,omitempty"`
	// InProject says that rules read the words as those of a project, whatever the scope: with its tasks, days and money.
	InProject bool `json:"in_project,omitempty"`
	// Talk says that rules read the words as those of persons although the scope names a project: its profile is for those.
	Talk bool `json:"talk,omitempty"`
	// ByRole says that another profile may be chosen for the role of who speaks, in the phase that the project was in.
	ByRole bool   `json:"by_role,omitempty"`
	Phase  string `json:"phase,omitempty"`
}

// UpdateRequest changes one memory; nil fields stay unchanged. The text of an episode or a passage is verbatim and
// cannot be edited: remember a correction with Supersedes instead.
type UpdateRequest struct {
	ID         ID              `json:"-" path:"id" doc:"Id of the memory"`
	Text       *string         `json:"text,omitempty" doc:"New wording of a note, or new content of an entry; the old one stays in the history"`
	Metadata   *map[string]any `json:"metadata,omitempty" doc:"Replaces all metadata; null: none" null:"empty"`
	Tags       *[]string       `json:"tags,omitempty" doc:"Replaces all tags; null: none" null:"empty"`
	ValidUntil *string         `json:"valid_until,omitempty" doc:"When it ends to hold and is found no more; empty or null: never" example:"2025-12-31T12:00:00Z" null:"empty"`
	State      *State          `json:"state,omitempty" doc:"active brings back what was forgotten or quarantined" enum:"active,retracted"`
	Version    int64           `json:"version,omitempty" doc:"Refuse with conflict unless the memory has this version"`
	RequestKey string          `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// DeleteRequest takes one memory out of search, or removes it for good.
type DeleteRequest struct {
	ID    ID   `json:"-" path:"id" doc:"Id of the memory"`
	Erase bool `json:"erase,omitempty" doc:"Remove it for good, with everything derived from it; needs the right admin"`
}

// Deletion is the result of a [DeleteRequest] or a [KeyedDelete].
type Deletion struct {
	IDs     []ID          `json:"ids"`
	Receipt *EraseReceipt `json:"receipt,omitempty" doc:"Proof of an erasure"`
	Change  ID            `json:"change,omitempty" doc:"Undoes it, if it is not an erasure"`
}

// ShareRequest makes a memory visible in a second scope of its tenant.
type ShareRequest struct {
	ID    ID    `json:"-" path:"id" doc:"Id of the memory"`
	Scope Scope `json:"scope" doc:"Where the memory is to be visible too"`
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

// Undone describes a change that was undone: everything is as before the change, including memories that it had
// revived. Only the audit keeps both. A change is a decision, a correction, an edit, a forgetting or a merge; its
// answer and its entries in the audit have its id. It is a Conflict, and nothing is undone, if a later change rests
// on it. An erasure is never undone, and changes to the erased memories cannot be undone after it.
type Undone struct {
	Change ID        `json:"change"`
	Action string    `json:"action"` // as in the audit
	At     time.Time `json:"at"`     // when the change was made
}

// ReextractRequest says which facts are derived again.
type ReextractRequest struct {
	Missing bool `json:"missing,omitempty" doc:"From conversations and notes that no facts were derived from, as is chosen for them now"`
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

// ExtractionRequest chooses it for the scope's project, or its tenant.
type ExtractionRequest struct {
	Extract Extraction `json:"extract,omitempty" doc:"auto: by rules, and by a model if one is configured; empty takes the choice back" enum:"none,rules,llm,auto"`
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
	Media      int       `json:"media,omitempty"`    // including files that lost only some of their words
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

// Wait says how far a write goes before it is answered.
type Wait string

// The levels. Text can be found as soon as it is stored; a vector requires the embedder.
const (
	WaitStored  Wait = "stored"
	WaitIndexed Wait = "indexed"
	// WaitExtracted also waits until the facts that Extract requests are derived and indexed.
	WaitExtracted Wait = "extracted"
)

// Extraction says whether and how facts are derived from stored words.
type Extraction string

// The ways of extraction.
const (
	ExtractNone  Extraction = "none"
	ExtractRules Extraction = "rules" // by rules, without a model
	ExtractLLM   Extraction = "llm"   // by rules and a model; Unsupported if none is configured
	ExtractAuto  Extraction = "auto"  // by rules, and by a model if one is configured
)

// RememberRequest stores something. Exactly one of Messages, Text, Note, Entry and Document is set.
type RememberRequest struct {
	Messages Messages  `json:"messages,omitempty" doc:"Turns of a conversation, oldest first, 1,000 at most: messages as here, or as OpenAI, Anthropic, Gemini, LangChain and the AI SDK have them; send a longer one in parts, with the same session" maxItems:"1000"`
	Text     string    `json:"text,omitempty" doc:"One thing that was said"`
	Note     *Note     `json:"note,omitempty" doc:"Something noted by hand"`
	Entry    *Entry    `json:"entry,omitempty" doc:"A curated knowledge entry"`
	Document *Document `json:"document,omitempty" doc:"A document, split by its structure"`

	// Every item of the request gets these values unless it has its own.
	Role       Role           `json:"role,omitempty" doc:"Role of the speaker of text: user if empty" enum:"user,assistant,system,tool"`
	Speaker    string         `json:"speaker,omitempty" doc:"Name of the person who spoke" maxLength:"255"`
	ExternalID string         `json:"external_id,omitempty" doc:"Your own id of text, note, entry or document; storing it again changes nothing" maxLength:"255"`
	Timestamp  string         `json:"timestamp,omitempty" doc:"When it was said; now if empty" example:"2025-06-30T15:04:05Z"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it ends to hold and is found no more; never if empty" example:"2025-12-31T12:00:00Z"`
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`

	Extract    Extraction `json:"extract,omitempty" doc:"How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty" enum:"none,rules,llm,auto"`
	Profile    string     `json:"profile,omitempty" doc:"What a model is to look for: the name of an extraction profile; that of the project or tenant if empty" maxLength:"64"`
	Wait       Wait       `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed,extracted"`
	DryRun     bool       `json:"dry_run,omitempty" doc:"Answer as usual and store nothing"`
	Supersedes []ID       `json:"supersedes,omitempty" doc:"Memories that this one replaces" maxItems:"100"`
	Imported   bool       `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported for what users said"`

	// RequestKey makes the request idempotent: repeating it with the same key returns the first call's answer;
	// another request under the key is a Conflict. REST takes it from the Idempotency-Key header.
	RequestKey string `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`

	// InProject says that rules read the words as those of a project, whatever the scope. It is not part of JSON.
	InProject bool `json:"-"`

	// Fallback is the profile if neither the request nor the project chooses one: an importer's guess for a folder. It
	// is not part of JSON.
	Fallback string `json:"-"`

	// Vector is an embedding of Entry that the caller has paid for: of its category, title, content and key fields, by
	// the embedder of the active generation; nil: none. It is used if it has the dimensions of that embedder, and if
	// nothing in those texts was masked or otherwise changed before storing. It is not part of JSON.
	Vector Vector `json:"-"`
}

// Note is something stored by hand.
type Note struct {
	Type    string `json:"type,omitempty" doc:"manual if empty; reflection, decision, or a word of your own" maxLength:"255"`
	Content string `json:"content" doc:"The text" minLength:"1"`
}

// Document is a text that is split by its structure into passages.
type Document struct {
	Name      string `json:"name" doc:"Title or file name" minLength:"1" maxLength:"255"`
	MediaType string `json:"media_type,omitempty" doc:"text/markdown or text/plain; by the name's ending if empty" enum:"text/markdown,text/plain"`
	Content   string `json:"content" doc:"The text" minLength:"1"`
}

// Rejection says why one item of a request was not stored.
type Rejection struct {
	Index  int    `json:"index"`  // position among the messages; 0 otherwise
	Reason string `json:"reason"` // a word of [Reasons]
	Detail string `json:"detail,omitempty"`
}

// Refused is the error of a request that stores nothing, because each of its items is refused. It is Invalid.
type Refused struct {
	Err      error // names the first item's reason
	Rejected []Rejection
}

// Error returns the first item's reason.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the error with its kind.
func (r *Refused) Unwrap() error { return r.Err }

// Refusal returns a [*Refused] if nothing of a request is stored, neither now nor by an earlier one; nil after a dry
// run. field names the part of the request that was to be stored.
func (r *RememberResult) Refusal(field string) error {
	duplicate := func(j Rejection) bool { return j.Reason == ReasonDuplicate }
	if r.DryRun || len(r.Memories) > 0 || len(r.Rejected) == 0 || slices.ContainsFunc(r.Rejected, duplicate) {
		return nil
	}
	return Refuse(field, r.Rejected)
}

// Refuse returns the error of a request whose items were refused; there is one at least.
func Refuse(field string, rejected []Rejection) *Refused {
	return &Refused{Errorf(Invalid, "%s: refused (%s) %s", field, rejected[0].Reason, rejected[0].Detail), rejected}
}

// Reasons for not storing an item.
const (
	ReasonEmpty     = "empty"     // only white space or invisible characters
	ReasonTooLong   = "too_long"  // over [MaxTextBytes]
	ReasonEncoding  = "encoding"  // invalid UTF-8 or NUL
	ReasonRole      = "role"      // the policy does not store this role
	ReasonEcho      = "echo"      // our own context block, fed back
	ReasonDuplicate = "duplicate" // its external id is stored already
	ReasonErased    = "erased"    // it was erased and stays so
	ReasonForgotten = "forgotten" // the same was said at the same time, and was forgotten; it can be brought back
	ReasonUnread    = "unread"    // reading it fails because of a bug in this program, which the log describes
)

// Masking says which secrets of a request were replaced before storing. Only the answer to that request has it.
type Masking struct {
	Masked int `json:"masked,omitempty"` // the number of masked secrets
	// MaskedIn names where they were in the request, for example metadata.token; at most a hundred.
	MaskedIn []string `json:"masked_in,omitempty"`
}

// RememberResult is the outcome of a request.
type RememberResult struct {
	Memories []Memory    `json:"memories"`
	Rejected []Rejection `json:"rejected"`
	SourceID ID          `json:"source_id,omitempty"` // empty if nothing was stored
	// Omitted counts the parts of messages besides words, which are stored nowhere, by kind: pictures, calls of tools,
	// thoughts.
	Omitted PartCounts `json:"omitted,omitempty" doc:"Parts of messages that are not stored, by kind"`
	// Media are the pictures, recordings and files of messages, stored in addition to the words.
	Media []ID `json:"media,omitempty" doc:"Files of messages that are stored beside the words"`
	// KnownAs is another memory that the scope reads, in whatever session, and that has the text of the note. Only notes
	// without an external id are compared.
	KnownAs ID  `json:"known_as,omitempty"`
	Masked  int `json:"masked,omitempty"` // secrets replaced before storing
	// MaskedIn names where secrets were, for example metadata.token or messages[2].content; the first hundred places.
	MaskedIn []string `json:"masked_in,omitempty"`
	Replayed bool     `json:"replayed,omitempty"` // the idempotency key was known
	DryRun   bool     `json:"dry_run,omitempty"`
	Vectors  int      `json:"-"`       // embeddings of the request that were kept
	Indexed  bool     `json:"indexed"` // the vectors are there (or none will be made)
	// Pending says that the words are stored but the results requested by Wait were not ready in time. The job JobID
	// continues in the background.
	Pending bool `json:"pending,omitempty"`
	JobID   ID   `json:"job_id,omitempty"`
	// ModelError says why a model has added nothing yet to the facts that rules found, if the request waited for them.
	ModelError string `json:"model_error,omitempty" doc:"Why a model has added nothing yet to the facts that rules found; job_id is its job"`

	Usage *Usage `json:"usage,omitempty"` // of models for its facts, if the request waited for them; nil without one
}

// TellRequest states a fact as data: for programs that extract facts themselves, and for systems of record. It passes
// the gate as words do, and counts as a statement among the known facts: an equal fact gains evidence, an unequal
// value of a single-valued verb is replaced, or contradicted. A verb or a topic has a value, or a sentence in its
// place; a sentence without either is a fact in free text.
type TellRequest struct {
	Subject *Identifier `json:"subject,omitempty" doc:"Whom or what it is about; made if it is not known. If absent, the project of the scope for matters of a project, else who speaks in the evidence, else the user, project or session of the scope"`
	Verb    string      `json:"verb,omitempty" doc:"How the subject relates to the value, such as lives_in" maxLength:"64" pattern:"^[a-z0-9_]+$" patternDescription:"a-z 0-9 _"`
	Topic   string      `json:"topic,omitempty" doc:"Instead of a verb: a key of your own, which has one value at a time" maxLength:"255"`
	// Value is the object; ValueType is that of the verb or of an equal fact, if they are known.
	Value        string         `json:"value,omitempty" doc:"The value of the verb or the topic" maxLength:"255"`
	ValueType    string         `json:"value_type,omitempty" doc:"What the value is, such as Location; that of the verb if absent" maxLength:"64" pattern:"^[A-Za-z0-9_]+$" patternDescription:"A-Z a-z 0-9 _"`
	Sentence     string         `json:"sentence,omitempty" doc:"The fact in words, which contain the value; made from subject, verb and value if absent" maxLength:"4000"`
	SingleValued bool           `json:"single_valued,omitempty" doc:"A verb of your own holds one value at a time; a verb that rules know says so itself"`
	FactType     FactType       `json:"fact_type,omitempty" doc:"Type of the fact; that of the verb if absent, else other" maxLength:"64" pattern:"^[a-z0-9_]+$" patternDescription:"a-z 0-9 _"`
	Content      map[string]any `json:"content,omitempty" doc:"Further details"`
	Financial    *Financial     `json:"financial,omitempty" doc:"The money of the fact; its amount is a decimal"`

	Priority       Priority `json:"priority,omitempty" doc:"normal if absent" enum:"critical,high,normal,low"`
	RequiresAction bool     `json:"requires_action,omitempty" doc:"Something is to be done about it"`
	ActionDeadline string   `json:"action_deadline,omitempty" doc:"By when"`

	// Evidence are the words that the fact rests on; nil: its sentence, which is then stored as its record.
	Evidence   *ToldEvidence `json:"evidence,omitempty" doc:"The words that it rests on; if absent the sentence, stored as it stands"`
	ValidFrom  string        `json:"valid_from,omitempty" doc:"Since when it holds; if absent since the evidence was said"`
	ValidUntil string        `json:"valid_until,omitempty" doc:"When it ends to hold; never if absent"`
	Confidence *float64      `json:"confidence,omitempty" doc:"0 to 1; 0.9 if absent" minimum:"0" maximum:"1"`
	ExternalID string        `json:"external_id,omitempty" doc:"Your own id: the same request with it answers the same fact, another one is a conflict" maxLength:"255"`
	Source     *SystemRef    `json:"source,omitempty" doc:"The record of a system that your key may speak for: it verifies an equal fact, and is a conflict with an unequal one"`
}

// ToldEvidence names a stored memory, a quote from it, or words that are stored with the fact.
type ToldEvidence struct {
	ID    ID     `json:"id,omitempty" doc:"Id of a memory that was said, noted or written; if absent, quote is stored"`
	Quote string `json:"quote,omitempty" doc:"The words, verbatim; if absent the sentence of the memory with the value, else all of it" maxLength:"4000"`
}

// SystemRef names a record of another system.
type SystemRef struct {
	System string `json:"system" doc:"Name of the system" minLength:"1" maxLength:"64"`
	ID     string `json:"id,omitempty" doc:"Its id of the record" maxLength:"255"`
}

// ToldType is the type of the notes that are records of told facts.
const ToldType = "told"

// ToldRule begins the rule of told facts; the system that told it follows, if one did.
const ToldRule = "told:"

// BySystem begins the name of a verifier that is a system.
const BySystem = "system:"

// Clone returns a deep copy of m. Metadata and structured data are copied as encoding/json decodes them; values of
// other map and slice types are shared with m.
func (m *Memory) Clone() Memory {
	out := *m
	out.ValidUntil, out.SupersededAt, out.ArchivedAt = cloneTime(m.ValidUntil), cloneTime(m.SupersededAt),
		cloneTime(m.ArchivedAt)
	out.IndexedAt = cloneTime(m.IndexedAt)
	out.Supersedes = slices.Clone(m.Supersedes)
	out.Tags = slices.Clone(m.Tags)
	out.Metadata = cloneObject(m.Metadata)
	if m.Entry != nil {
		e := *m.Entry
		e.Structured = cloneObject(e.Structured)
		out.Entry = &e
	}
	out.Fact = m.Fact.Clone()
	if m.Summary != nil {
		sum := *m.Summary
		sum.Sources = slices.Clone(sum.Sources)
		out.Summary = &sum
	}
	if m.Embedding != nil {
		e := *m.Embedding
		out.Embedding = &e
	}
	out.MaskedIn = slices.Clone(m.MaskedIn)
	return out
}

// Clone returns a deep copy of f, as [Memory.Clone] does; nil for nil.
func (f *Fact) Clone() *Fact {
	if f == nil {
		return nil
	}
	out := *f
	out.Content = cloneObject(f.Content)
	out.Evidence = slices.Clone(f.Evidence)
	for i := range out.Evidence {
		e := &out.Evidence[i]
		e.SaidAt, e.Until = cloneTime(e.SaidAt), cloneTime(e.Until)
		e.Premises = slices.Clone(e.Premises)
	}
	out.ActionDeadline, out.Verification.At = cloneTime(f.ActionDeadline), cloneTime(f.Verification.At)
	if f.Financial != nil {
		money := *f.Financial
		out.Financial = &money
	}
	return &out
}

// Clone returns a deep copy of f, as [Memory.Clone] does.
func (f *Facets) Clone() Facets {
	out := *f
	out.ValidUntil, out.SupersededAt = cloneTime(f.ValidUntil), cloneTime(f.SupersededAt)
	out.Tags = slices.Clone(f.Tags)
	out.Metadata = cloneObject(f.Metadata)
	out.Fact = f.Fact.Clone()
	return out
}

func cloneObject(v map[string]any) map[string]any {
	out, _ := cloneJSON(v).(map[string]any)
	return out
}

// cloneJSON copies a value that came from encoding/json; nil objects and arrays stay nil.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cloneJSON(e)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, e := range out {
			out[i] = cloneJSON(e)
		}
		return out
	}
	return v
}

func cloneTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	out := *t
	return &out
}
