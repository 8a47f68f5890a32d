package trilith

import (
	"encoding/json"
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
	Query  string `json:"query,omitempty" doc:"What the past is searched for; the latest turn of the user if absent" maxLength:"8192"`
	Budget int    `json:"budget,omitempty" doc:"Tokens of the newest turns; as the server is set if absent" minimum:"1" maximum:"200000"`
	Limit  int    `json:"limit,omitempty" doc:"Memories of before the window; as the server is set if absent" minimum:"1" maximum:"50"`
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

// PruneResult lists what was forgotten, or would be.
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
	Limit  int    `json:"limit,omitempty" doc:"Items at most; 1000 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before" maxLength:"64"`
	Latest bool   `json:"latest,omitempty" doc:"The last items instead of the first, in order all the same; has no cursor"`
}

// AppendItems adds items to a transcript.
type AppendItems struct {
	Items []json.RawMessage `json:"items" doc:"JSON objects of any form. One with role user or assistant and content as a text, or as parts with text, is remembered too" minItems:"1" maxItems:"1000"`
	// RequestKey makes the request idempotent.
	RequestKey string     `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`
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
