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

// Memory is what search returns. Text is verbatim for episodes, notes and passages, and composed for entries.
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
	Inserted    int         `json:"inserted,omitempty"`  // how many, at the end of MemoryIDs, are what programs put into the others

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
