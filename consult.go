package trilith

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
	// SessionOnly shows facts of the scope's session alone.
	SessionOnly bool   `json:"session_only,omitempty" doc:"Show the model facts of this session alone"`
	Budget      int    `json:"budget,omitempty" doc:"Most tokens of memory that the model gets: 1 to 200000, 2000 if absent" minimum:"1" maximum:"200000"`
	ExternalID  string `json:"external_id,omitempty" doc:"Your own id of the prompt as a turn" maxLength:"255"`

	// RequestKey makes the request idempotent: repeating it with the same key gives the answer that was stored, and
	// asks no model; another request under the key is a Conflict. REST takes it from the Idempotency-Key header.
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`

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

// ConsultUsed lists what a model got for an answer.
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
