package trilith

import "time"

// InboxQuery lists items that wait for a person.
type InboxQuery struct {
	Reasons []ReviewReason `json:"reasons,omitempty"` // any of these; all if empty
	Limit   int            `json:"limit,omitempty"`   // 1 to [MaxK]; [DefaultPageSize] if 0
	Cursor  string         `json:"cursor,omitempty"`  // NextCursor of the page before
}

// ReviewPage is one page of the inbox: by reason in the order of [ReviewReasons], then the longest waiting first, ties
// by id. Each item is there once, under its most pressing reason. A page ends early at [MaxPageBytes]. An item that is
// decided between two pages is not in both, and no other item is skipped.
type ReviewPage struct {
	Items      []ReviewItem `json:"items"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}

// BulkDecision is one decision about many items of the inbox. Exactly one of IDs and Filter is set; together they are
// MaxBatch items at most.
//
// A fact accepts every decision, as [VerifyRequest] says. Another memory that is
// quarantined, or a candidate, accepts three: verify releases it, reject retracts it, dismiss leaves it held. An
// ambiguous name accepts dismiss only. [ReviewItem] tells what an item takes.
type BulkDecision struct {
	IDs        []ID     `json:"ids,omitempty" doc:"Ids of memories, or of ambiguous names" maxItems:"1000"`
	Filter     Filter   `json:"filter,omitzero" doc:"Memories instead; see the filter grammar"`
	Decision   Decision `json:"decision" doc:"What is to be made of them" enum:"verify,reject,ended,done,not_about_me,dismiss,needs_review,dispute,pending_approval"`
	At         string   `json:"at,omitempty" doc:"Of ended and done: since when; now if absent"`
	Note       string   `json:"note,omitempty" doc:"Why" maxLength:"255"`
	DryRun     bool     `json:"dry_run,omitempty" doc:"Say what would happen and do nothing"`
	RequestKey string   `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// DecisionReport says what happened to each item: in the order of the ids, each once, or by ascending id for a filter.
type DecisionReport struct {
	Items  []DecisionOutcome `json:"items"`
	Failed int               `json:"failed"` // items with an Error
	DryRun bool              `json:"dry_run,omitempty"`
	Change ID                `json:"change,omitempty"` // undoes all of it; see [Undone]
	Masking
}

// DecisionOutcome is the result of a decision about one item, or of a dry run; Error says why it changed nothing.
type DecisionOutcome struct {
	ID     ID                 `json:"id"`
	State  State              `json:"state,omitempty"`               // of a memory, afterwards
	Status VerificationStatus `json:"verification_status,omitempty"` // of a fact, afterwards
	Error  *ItemError         `json:"error,omitempty"`
}

// ItemError is the failure of one item among many.
type ItemError struct {
	Kind     string      `json:"kind"` // as [ErrorKind.String]
	Detail   string      `json:"detail"`
	Rejected []Rejection `json:"rejected,omitempty"` // of a request to store of which nothing is stored
}

// MaxCorrection is the longest correction of a fact in words, in bytes.
const MaxCorrection = 4000

// SupersedeRequest corrects a fact. Exactly one of By and Text is set.
//
// With Text the sentence is the correction, in whatever words and language: the fact is closed, and the sentence takes
// its place as a person's, with the same verb; rules may find its value, and more facts. A sentence that only denies the
// fact ("that is not true any more") closes it without a successor. A sentence that cannot be stored changes nothing.
type SupersedeRequest struct {
	By         ID     `json:"by,omitempty" doc:"Id of the fact that holds instead: a present one of the same entity"`
	Text       string `json:"text,omitempty" doc:"What holds instead, in any words; or that it is not so" maxLength:"4000"`
	At         string `json:"at,omitempty" doc:"When the old one ceased to hold; when the new one began if absent"`
	Note       string `json:"note,omitempty" doc:"Why" maxLength:"255"`
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// Supersession is a fact that was replaced and its successor.
type Supersession struct {
	Superseded Memory  `json:"superseded"`
	By         *Memory `json:"by,omitempty"`     // nil if the words only deny the fact
	Change     ID      `json:"change,omitempty"` // undoes it; see [Undone]
	Masking
}

// AutoVerifyRequest is a policy that verifies active pending facts without a person. Statements of an assistant or a
// tool count only if MinTrust names them, and then only as a fact's first evidence: later ones may repeat our own
// memory.
type AutoVerifyRequest struct {
	MinTrust      Trust      `json:"min_trust,omitempty" doc:"Only evidence of at least this tier counts; user_stated if absent" enum:"user_confirmed,user_stated,imported,assistant_said,tool_output"`
	MinConfidence float64    `json:"min_confidence,omitempty" doc:"0 to 1" minimum:"0" maximum:"1"`
	MinEvidence   int        `json:"min_evidence,omitempty" doc:"How many independent sources: 1 to 100, 2 if absent" minimum:"1" maximum:"100"`
	Types         []FactType `json:"fact_types,omitempty" doc:"Any of these types"`
	DryRun        bool       `json:"dry_run,omitempty" doc:"Say what would be verified and do nothing"`
}

// AutoVerifyResult lists the facts that a policy verified (or, dry, would verify), by ascending id, at most MaxBatch
// at once.
type AutoVerifyResult struct {
	Policy   string `json:"policy"` // as in the note of each
	Verified []ID   `json:"verified"`
	Pending  int    `json:"pending"` // active facts that were pending before
	Left     int    `json:"left"`    // that satisfy the policy too and wait for the next call
	DryRun   bool   `json:"dry_run,omitempty"`
}

// StaleFact is an active fact whose newest evidence is old.
type StaleFact struct {
	Memory Memory `json:"memory"`
	// event time of its newest evidence, or when a person verified it if that is later
	LastSeen time.Time `json:"last_seen"`
}

// StalePage holds stale facts, the longest unheard of first.
type StalePage struct {
	Items     []StaleFact `json:"items"`
	Truncated bool        `json:"truncated,omitempty"` // items were left out at MaxPageBytes; ask for more days
}

// DefaultStaleDays is how old the newest evidence of a fact may be before the fact counts as stale.
const DefaultStaleDays = 30

// DefaultDuplicateThreshold is the cosine from which two facts of one entity say the same.
const DefaultDuplicateThreshold = 0.95

// FactGroup is facts of one entity that belong together: they say the same, or cannot all hold.
type FactGroup struct {
	EntityID ID     `json:"entity_id"`
	Verb     string `json:"verb,omitempty"` // of conflicting facts
	// Score of duplicates is the lowest similarity of a member to the first one: a cosine where those carry a meaning,
	// else 1 for texts that are equal but for case, accents and spacing.
	Score float64  `json:"score,omitempty"`
	Facts []Memory `json:"facts"` // by event time, ties by id
	// Truncated says that facts were left out at MaxPageBytes.
	Truncated bool `json:"truncated,omitempty"`
}

// FactGroups is one page of groups, by ascending entity id. A page ends with an entity, so it may hold a few groups
// more than requested; a page that reaches MaxPageBytes ends within one.
type FactGroups struct {
	Items []FactGroup `json:"items"`
	Scale Scale       `json:"scale,omitempty"` // of the scores of duplicates
	// Cut names entities with more facts than are compared with each other: of those only the newest were.
	Cut        []ID   `json:"cut,omitempty"`
	NextCursor string `json:"next_cursor,omitempty"` // empty on the last page
}
