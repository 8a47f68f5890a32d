package trilith

import (
	"encoding/json"
	"strings"
	"time"
)

// Bounds and defaults of sessions and summaries.
const (
	DefaultSessions      = 50
	MaxSessions          = 200
	DefaultWindow        = 2000 // tokens of the newest turns that a session's context holds
	DefaultPast          = 3    // memories of before that a session's context holds
	MaxPast              = 50
	DefaultSummaryTokens = 400
	MaxSummaryTokens     = 4000
	MaxSummarySources    = 2000  // memories that one summary is made of
	DefaultMaxMemories   = 10000 // turns and notes that pruning leaves in a scope
	MaxPruned            = 1000  // memories that one prune forgets
	MaxSessionItems      = 1000  // items of one request, and of one page
	MaxWindowTurns       = 20    // turns of an episodic window
)

// Session is a conversation: the turns that were stored under one value of [Scope.Session].
type Session struct {
	// ID is the value of the scope. In another user's scope the same value is another session.
	ID    string `json:"id"`
	Scope Scope  `json:"scope"`
	// Turns and Tokens count its stored turns, including forgotten ones, because these can be restored, but not erased
	// ones.
	Turns     int       `json:"turns"`
	Tokens    int       `json:"tokens"`
	FirstTurn time.Time `json:"first_turn"` // when the earliest turn was said
	LastTurn  time.Time `json:"last_turn"`
	// Uncovered counts the tokens of the turns that no summary covers yet.
	Uncovered int     `json:"uncovered_tokens"`
	Summary   *Memory `json:"summary,omitempty"` // the newest; not in lists
}

// SessionQuery pages through sessions.
type SessionQuery struct {
	Limit  int    `json:"limit,omitempty" doc:"Sessions or turns at most; 50 if absent" minimum:"1" maximum:"200"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before" maxLength:"1024"`
}

// SessionTurnsQuery pages through the turns of a session.
type SessionTurnsQuery struct {
	Session string `json:"-" path:"id" doc:"Name of the session: the value of session in the scope" maxLength:"255"`
	Limit   int    `json:"limit,omitempty" doc:"Turns at most; 50 if absent" minimum:"1" maximum:"200"`
	Cursor  string `json:"cursor,omitempty" doc:"next_cursor of the page before" maxLength:"1024"`
}

// SessionPage is a page of sessions, the one with the latest turn first, ties by name.
type SessionPage struct {
	Items      []Session `json:"items"`
	NextCursor string    `json:"next_cursor,omitempty"`
}

// SessionTurns is a session with a page of its turns in order.
type SessionTurns struct {
	Session
	// Items are the turns that are active, in the order in which they were stored. A page that reaches MaxPageBytes
	// ends early, after one turn at least.
	Items      []Memory `json:"items"`
	NextCursor string   `json:"next_cursor,omitempty"`
}

// SessionContextRequest asks for the parts of a session that a prompt needs.
type SessionContextRequest struct {
	Session string `json:"-" path:"id" doc:"Name of the session: the value of session in the scope" maxLength:"255"`
	Query   string `json:"query,omitempty" doc:"What the past is searched for; the latest turn of the user if absent" maxLength:"8192"`
	Budget  int    `json:"budget,omitempty" doc:"Tokens of the newest turns; as the server is set if absent" minimum:"1" maximum:"200000"`
	Limit   int    `json:"limit,omitempty" doc:"Memories of before the window; as the server is set if absent" minimum:"1" maximum:"50"`
}

// SessionContext is the working memory of a session.
type SessionContext struct {
	Session
	Window []Memory `json:"window"` // the newest turns that fit the budget, in order; the newest always
	Tokens int      `json:"window_tokens"`
	Past   []Hit    `json:"past"` // hits of the query in the scope outside the window, best first
	// Text is the newest summary and Past for a prompt, fenced as data.
	Text string `json:"text"`
	// Failed says why the past could not be searched. The rest of the answer is whole.
	Failed string `json:"failed,omitempty"`
}

// SummaryOf is the subject of a summary.
type SummaryOf string

// The subjects of summaries.
const (
	SummaryOfSession SummaryOf = "session"
	SummaryOfPeriod  SummaryOf = "period"
	SummaryOfEntity  SummaryOf = "entity"
	SummaryOfTopic   SummaryOf = "topic"  // of summaries about one subject
	SummaryOfWindow  SummaryOf = "window" // of a few neighbouring turns: a memory of KindWindow
)

// TypeEpisodic is the type of memories of [KindWindow].
const TypeEpisodic = "episodic"

// Summary is the part of a memory of [KindSummary] or [KindWindow] that describes its sources. The memory has the time
// of its latest source. It is renewed in place when a source changes, and deleted when one is erased.
type Summary struct {
	Of SummaryOf `json:"of"`
	// Subject is the name of a session or a topic, a period, the id of an entity, or the numbers of the first and the
	// last turn of a window, as in 4-8.
	Subject string    `json:"subject,omitempty"`
	Sources []ID      `json:"sources"` // the memories that it is made of, in order
	From    time.Time `json:"from"`    // time of the earliest source
	// Through is the number of the last turn that a summary of a session, or a window, covers.
	Through int  `json:"through,omitempty"`
	Tokens  int  `json:"tokens"` // budget that it was made with
	Stale   bool `json:"stale,omitempty"`
	// Model wrote it; empty for an extract, which consists of quotes.
	Model string `json:"model,omitempty"`
}

// IsSummary reports whether the memory counts as a summary: a generated one, or a note of type summary.
func (m *Memory) IsSummary() bool {
	return m.Kind == KindSummary || m.Kind == KindNote && m.Type == "summary"
}

// SummarizeRequest asks for summaries. Exactly one of Session, Period, Entity and Topics is set.
type SummarizeRequest struct {
	Session string     `json:"session_id,omitempty" doc:"Name of the session" maxLength:"255"`
	Period  string     `json:"period,omitempty" doc:"A day, a month or a year, as 2025-06-30, 2025-06 or 2025" maxLength:"10"`
	Entity  ID         `json:"entity,omitempty" doc:"Id of the entity" maxLength:"36"`
	Topics  bool       `json:"topics,omitempty" doc:"Summarise the summaries of the scope by what they are about"`
	Tokens  int        `json:"tokens,omitempty" doc:"Tokens of a summary at most; 400 if absent" minimum:"20" maximum:"4000"`
	By      Extraction `json:"by,omitempty" doc:"rules: an extract; llm: by a model; auto: by a model if one is configured" enum:"rules,llm,auto"`
}

// SummarizeResult holds the summaries that were made, of topics several, the largest first.
type SummarizeResult struct {
	Summaries []Memory `json:"summaries"`
	Usage     *Usage   `json:"usage,omitempty"` // of the model; nil without one
}

// PruneRequest forgets the least important turns and notes of a scope.
type PruneRequest struct {
	Max    int  `json:"max_memories,omitempty" doc:"Turns and notes that may stay; as the server is set if absent" minimum:"1"`
	DryRun bool `json:"dry_run,omitempty" doc:"Report what would go and forget nothing"`
}

// PrunedMemory is a memory that is forgotten.
type PrunedMemory struct {
	ID         ID      `json:"id"`
	Importance float64 `json:"importance"` // 0 to 1
	Text       string  `json:"text"`       // its beginning
}

// PruneResult lists the turns and notes that were forgotten, or would be.
type PruneResult struct {
	Total int `json:"total"` // active turns and notes before
	// Protected counts those that stay because they are the only evidence of an active fact.
	Protected int            `json:"protected"`
	Pruned    []PrunedMemory `json:"pruned"`         // least important first, MaxPruned at most
	More      bool           `json:"more,omitempty"` // more than MaxPruned are too many: prune again
	DryRun    bool           `json:"dry_run,omitempty"`
}

// SessionItem is one item of a transcript, stored unchanged except for secrets, which are masked. Text of the roles
// user and assistant is remembered as a turn too, if the gate accepts it; all else is only stored here.
type SessionItem struct {
	// Seq is its place in the transcript, from 0; numbers of popped items are given again.
	Seq      int             `json:"seq"`
	At       time.Time       `json:"at"` // when it was appended
	MemoryID ID              `json:"memory_id,omitempty"`
	Item     json.RawMessage `json:"item"` // a JSON object
}

// TranscriptItem is an item with the scope of its session, as an export has it.
type TranscriptItem struct {
	Scope Scope `json:"scope"`
	SessionItem
}

// ItemsQuery pages through a transcript.
type ItemsQuery struct {
	Session string `json:"-" path:"id" doc:"Name of the session: the value of session in the scope" maxLength:"255"`
	Limit   int    `json:"limit,omitempty" doc:"Items at most; 1000 if absent" minimum:"1" maximum:"1000"`
	Cursor  string `json:"cursor,omitempty" doc:"next_cursor of the page before" maxLength:"64"`
	Latest  bool   `json:"latest,omitempty" doc:"The last items instead of the first, in order all the same; has no cursor"`
}

// AppendItems adds items to a transcript.
type AppendItems struct {
	Session string            `json:"-" path:"id" doc:"Name of the session: the value of session in the scope" maxLength:"255"`
	Items   []json.RawMessage `json:"items" doc:"JSON objects of any form. One with role user or assistant and content as a text, or as parts with text, is remembered too" minItems:"1" maxItems:"1000"`
	// RequestKey makes the request idempotent.
	RequestKey string     `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`
	Extract    Extraction `json:"extract,omitempty" doc:"How facts are derived from the turns" enum:"none,rules,llm,auto"`
}

// SessionItems is a page of a transcript, oldest first.
type SessionItems struct {
	Items      []SessionItem `json:"items"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

// ClearedItems says how many items were removed.
type ClearedItems struct {
	Removed int `json:"removed"`
}

// Bounds and defaults of a consultation.
const (
	ConsultFacts      = 5    // facts that a model is shown at most
	ConsultActions    = 10   // things to do that it is shown at most
	ConsultConfidence = 0.6  // facts that are less sure are not shown
	ConsultBudget     = 2000 // tokens of the block that it is shown, if the request does not say
)

// ConsultRequest sends a prompt to the configured model, together with relevant memories. The scope determines whose
// memory is used and where the exchange is stored. A scope without a session gets a new one.
//
// The model gets facts of the scope's project and user from all sessions, those of the present session first; the
// actions of the scope, whatever the prompt is; other memories that match the prompt; and the summary and the last
// turns of the session.
type ConsultRequest struct {
	Prompt string `json:"prompt" doc:"What the user says" minLength:"1" maxLength:"262144"`
	// SessionOnly shows only facts of the scope's session.
	SessionOnly bool   `json:"session_only,omitempty" doc:"Show the model facts of this session alone"`
	Budget      int    `json:"budget,omitempty" doc:"Most tokens of memory that the model gets: 1 to 200000, 2000 if absent" minimum:"1" maximum:"200000"`
	ExternalID  string `json:"external_id,omitempty" doc:"Your own id of the prompt as a turn" maxLength:"255"`

	// RequestKey makes the request idempotent: repeating it with the same key gives the answer that was stored, and
	// asks no model; another request under the key is a Conflict. REST takes it from the Idempotency-Key header.
	RequestKey string `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`

	// InProject is as in [RememberRequest]. It is not part of JSON.
	InProject bool `json:"-"`

	// Stream, if set, is called with the pieces of the answer as they arrive, in order, before the call returns.
	// Together they are the answer; after an error they are a part of it. A repeated request gives it in one piece.
	Stream func(piece string) `json:"-"`
}

// ConsultResult is an answer, and the outcome of storing the exchange.
//
// The answer comes even if memory fails. MemoryMissing says why the model did not get all relevant memories, and
// NotStored why the exchange is not stored.
type ConsultResult struct {
	Answer string `json:"answer"`
	CutOff bool   `json:"cut_off,omitempty"` // the model ran into the limit of its answer
	// Actions are the tasks that the answer proposes: facts of state candidate, each with its quote. They
	// become action items when somebody accepts them.
	Actions []Memory    `json:"actions"`
	Session string      `json:"session"`
	Used    ConsultUsed `json:"used"`

	MemoryMissing string `json:"memory_missing,omitempty"`

	Stored    bool        `json:"stored"` // the exchange is durable; facts are derived from it in the background
	NotStored string      `json:"not_stored,omitempty"`
	Turns     []ID        `json:"turns,omitempty"`    // of the exchange
	Rejected  []Rejection `json:"rejected,omitempty"` // turns that may not be stored: 0 is the prompt, 1 the answer
	Replayed  bool        `json:"replayed,omitempty"` // the answer of an earlier request under the same key
}

// ConsultUsed lists the memories that a model got for an answer.
type ConsultUsed struct {
	Facts    []ID    `json:"facts"`               // best first, but those of the session before others
	Actions  []ID    `json:"actions"`             // most pressing first
	Summary  ID      `json:"summary,omitempty"`   // of the session; empty if none is shown
	Past     []ID    `json:"past"`                // other memories that match the prompt, best first
	Turns    []ID    `json:"turns"`               // of the session, oldest first
	Tokens   int     `json:"tokens"`              // of the block
	Usage    *Usage  `json:"usage,omitempty"`     // of the model
	MemoryMS float64 `json:"memory_ms"`           // time for memory before the model, in milliseconds
	RecallID ID      `json:"recall_id,omitempty"` // of this in the recall log; empty if the log is off
}

// Bounds of a domain schema and of interviews.
const (
	MaxDomainFields = 200  // follow-ups included
	MaxAnswerBytes  = 8192 // of one answer, which is also the query for related entries
)

// Domain is the schema of a knowledge domain: what should be known, and the persona that asks for it. Its ID is the
// domain in the scopes of its entries.
type Domain struct {
	ID          string        `json:"id" yaml:"id"` // [a-z0-9_-]{1,64}
	Title       string        `json:"title" yaml:"title"`
	Language    string        `json:"language" yaml:"language"` // code such as de
	Description string        `json:"description,omitempty" yaml:"description"`
	Persona     Persona       `json:"persona" yaml:"persona"`
	Fields      []DomainField `json:"fields" yaml:"fields"` // by ascending Order, ties as in the file
}

// Persona is the interviewer as it speaks.
type Persona struct {
	Name     string `json:"name,omitempty" yaml:"name"`
	Style    string `json:"style,omitempty" yaml:"style"`       // of its questions, for a model
	Greeting string `json:"greeting,omitempty" yaml:"greeting"` // before the first question
}

// DomainField is one thing to know about a domain. It is known once an active entry of the domain has a value of its
// Type under its ID in [Entry.Structured].
type DomainField struct {
	ID       string    `json:"id" yaml:"id"` // [a-z0-9_]{1,64}
	Label    string    `json:"label" yaml:"label"`
	Question string    `json:"question" yaml:"question"`
	Type     FieldType `json:"type" yaml:"type"` // text, number, date, choice or list
	Required bool      `json:"required,omitempty" yaml:"required"`
	Order    int       `json:"order,omitempty" yaml:"order"`
	Category string    `json:"category,omitempty" yaml:"category"` // of its entries; the domain's title if empty
	Choices  []string  `json:"choices,omitempty" yaml:"choices"`   // of a choice
	Aliases  []string  `json:"aliases,omitempty" yaml:"aliases"`   // other words for it than the label
	// FollowUps are asked once the field is known. A follow-up's When restricts it to certain values of the field.
	FollowUps []DomainField `json:"follow_ups,omitempty" yaml:"follow_ups"`
	When      []string      `json:"when,omitempty" yaml:"when"` // of a follow-up: values that cause it; empty: all
}

// FieldList is the type of a field of a [Domain] that has several values.
const FieldList FieldType = "list"

// Domains lists the schemas that interviews can be about, by ascending id.
type Domains struct {
	Items []Domain `json:"items"`
}

// InterviewAnswer is a person's answer in an interview.
type InterviewAnswer struct {
	ID   string `json:"-" path:"id" doc:"Id of the interview: its session" maxLength:"255"`
	Text string `json:"text" doc:"What the person says, verbatim" minLength:"1" maxLength:"8192"`
	// RequestKey makes the answer idempotent, as in [RememberRequest].
	RequestKey string `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`
}

// AnswerKind is the classification of an answer.
type AnswerKind string

// The kinds of answers.
const (
	AnswerGiven    AnswerKind = "answer"   // it says something
	AnswerSkip     AnswerKind = "skip"     // the person does not know, or does not want to say
	AnswerQuestion AnswerKind = "question" // the person asks back
	AnswerStop     AnswerKind = "stop"     // the person ends the interview for now
)

// AnswerKinds lists the kinds of answers.
func AnswerKinds() []AnswerKind {
	return []AnswerKind{AnswerGiven, AnswerSkip, AnswerQuestion, AnswerStop}
}

// InterviewState says how far an interview has come.
type InterviewState string

// The states of interviews.
const (
	InterviewOpen   InterviewState = "open"   // Question waits for an answer
	InterviewPaused InterviewState = "paused" // the person has stopped; starting it again asks on
	InterviewDone   InterviewState = "done"   // nothing is left to ask here; gaps may remain that the person skipped
)

// Stage is a step on the way from an answer to the next question.
type Stage string

// The stages, in their order. Each of them does without a model, and persist and dispatch never ask one.
const (
	StageClassify  Stage = "classify"  // classify the answer
	StageDispatch  Stage = "dispatch"  // find related knowledge
	StageStructure Stage = "structure" // find the fields that it fills
	StagePersist   Stage = "persist"   // entries
	StageGap       Stage = "gap"       // choose the next gap to ask for
	StagePersona   Stage = "persona"   // in which words
)

// Stages lists the stages in their order.
func Stages() []Stage {
	return []Stage{StageClassify, StageDispatch, StageStructure, StagePersist, StageGap, StagePersona}
}

// Interview is the state of an interview after it was started or answered.
type Interview struct {
	ID       string         `json:"id"` // the session of its scope
	Scope    Scope          `json:"scope"`
	Domain   string         `json:"domain"`
	Title    string         `json:"title"`
	Language string         `json:"language"`
	State    InterviewState `json:"state"`
	// Acknowledgement is the response before the question: a greeting, a thank-you, a hint. It may be empty.
	Acknowledgement string `json:"acknowledgement,omitempty"`
	Question        string `json:"question,omitempty"` // empty unless State is open
	Field           string `json:"field,omitempty"`    // that the question is about

	Answer   AnswerKind `json:"answer,omitempty"` // the classification of the answer; empty after a start
	AnswerID ID         `json:"answer_id,omitempty"`
	Entries  []Memory   `json:"entries"`            // that the answer brought
	Repeated []string   `json:"repeated,omitempty"` // fields whose known value it repeated
	// RelevantContext are similar entries of other sessions, and ContextSummary is their form in prompts.
	RelevantContext []EntryHit `json:"relevant_context"`
	ContextSummary  string     `json:"context_summary,omitempty"`
	// Without names the stages that worked in a reduced way: the model or the search failed.
	Without []Stage `json:"without,omitempty"`

	Known   int `json:"known"`   // fields of the domain that are known
	Missing int `json:"missing"` // required fields that are not
}

// DomainGaps lists the known and the missing answers of a domain.
type DomainGaps struct {
	Domain  string       `json:"domain"`
	Title   string       `json:"title"`
	Items   []DomainGap  `json:"items"`   // the missing fields, in the order of the schema
	Known   []KnownField `json:"known"`   // the known fields, in the same order
	Missing int          `json:"missing"` // required ones among Items
}

// DomainGap is a field of a domain that nothing is known of. A follow-up is one only once it applies.
type DomainGap struct {
	Field    string    `json:"field"`
	Label    string    `json:"label"`
	Question string    `json:"question"`
	Type     FieldType `json:"type"`
	Required bool      `json:"required"`
	Choices  []string  `json:"choices,omitempty"`
	// Skipped says that the interview asked for it in vain and asks no more; another one will.
	Skipped bool `json:"skipped,omitempty"`
}

// KnownField is a field of a domain that is known.
type KnownField struct {
	Field      string  `json:"field"`
	Label      string  `json:"label"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence,omitempty"`
	EntryIDs   []ID    `json:"entry_ids"` // the entries with the value, the oldest first
}

// MaxMediaBytes bounds a media file: as a line of an export it still fits into one request.
const MaxMediaBytes = 7 << 20

// MaxMediaPages is how many pages of one PDF file a model is asked to read.
const MaxMediaPages = 100

// MediaKind is a kind of files that models read, or do not.
type MediaKind string

// The kinds.
const (
	MediaImage MediaKind = "image" // a photo, a receipt, a drawing: png, jpeg, webp
	MediaPages MediaKind = "pages" // a PDF file with pages that have no text layer
	MediaAudio MediaKind = "audio" // speech: mp3, wav, m4a
)

// MediaKinds lists the kinds in a fixed order.
func MediaKinds() []MediaKind { return []MediaKind{MediaImage, MediaPages, MediaAudio} }

// MediaKindOf returns the kind of a media type.
func MediaKindOf(mediaType string) MediaKind {
	switch sort, _, _ := strings.Cut(mediaType, "/"); sort {
	case "image":
		return MediaImage
	case "audio":
		return MediaAudio
	}
	return MediaPages
}

// MediaState says whether a model has read a file.
type MediaState string

// The states.
const (
	MediaUnread MediaState = "unread" // it waits for a model that reads its kind
	MediaRead   MediaState = "read"
	MediaFailed MediaState = "failed" // it cannot be read; Reason says why, and its job can be retried
)

// Media is a picture, a recording or scanned pages, stored unchanged. The text that a model has read in it is stored as
// passages of a document, the source SourceID; it never counts as the words of a person. The same bytes in the same
// scope are one file.
type Media struct {
	ID     ID         `json:"id"`
	Name   string     `json:"name"`
	Type   string     `json:"media_type"` // image/png, …: by the bytes
	SHA256 string     `json:"sha256"`     // of the bytes, hex
	Bytes  int        `json:"bytes"`
	Scope  Scope      `json:"scope"`
	At     time.Time  `json:"recorded_at"`
	Time   *time.Time `json:"event_time,omitempty"` // when it was taken or said; nil: when it was stored
	Width  int        `json:"width,omitempty"`      // of a picture, in pixels
	Height int        `json:"height,omitempty"`
	Pages  []int      `json:"pages,omitempty"` // of a PDF file: those without a text layer, from 1

	State    MediaState `json:"state"`
	Reason   string     `json:"reason,omitempty"`    // why it could not be read, or not all of it
	SourceID ID         `json:"source_id,omitempty"` // of the text that a model has read in it; empty if there was none
	Model    string     `json:"model,omitempty"`     // that has read it
	ReadAt   *time.Time `json:"read_at,omitempty"`
	// Extract says how facts are derived from that text; empty: none are.
	Extract Extraction `json:"extract,omitempty"`
	Import  ID         `json:"import_id,omitempty"` // the import of files that brought it
	Fixed
}

// NewMedia is a file to store.
type NewMedia struct {
	Name string
	Type string // as the sender declares it; refused if the bytes are something else. Empty: detected
	Data []byte
	// Timestamp is when it was taken or said; when it is stored if empty.
	Timestamp string
	Extract   Extraction // how facts are derived from its text; empty: none are
	Import    ID         // of the import of files that it belongs to; empty if none
	DryRun    bool       // check it and store nothing
}

// MediaFile is a file with its bytes.
type MediaFile struct {
	Media
	Data []byte `json:"data"` // as base64
}

// MediaQuery pages through the files of a scope.
type MediaQuery struct {
	Unread bool   `json:"unread,omitempty" doc:"Only files that no model has read"`
	Limit  int    `json:"limit,omitempty" doc:"Files per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// MediaPage is a page of files, by id.
type MediaPage struct {
	Items      []Media `json:"items"`
	NextCursor string  `json:"next_cursor,omitempty"`
}

// StoredMedia is the answer to a file that was sent.
type StoredMedia struct {
	Media
	New bool `json:"new"` // it was not there before
}

// MediaRequest asks a model for the content of a file.
type MediaRequest struct {
	System    string // the task
	Prompt    string // about this file
	Type      string // media type
	Name      string // of the file
	Data      []byte
	MaxOutput int // tokens of the answer at most
}
