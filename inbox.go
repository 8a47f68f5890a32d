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
// [MaxBatch] items at most.
//
// A fact accepts every decision but dismiss, as [VerifyRequest] says. Another memory that is quarantined, or a
// candidate, accepts two: verify releases it, reject retracts it. An ambiguous name accepts dismiss only. A paper that
// could belong to several accepts dismiss too: it belongs to none of them; [RelateRequest] assigns it to one. A fact
// that is due for a reminder accepts snooze too.
type BulkDecision struct {
	IDs        []ID     `json:"ids,omitempty" doc:"Ids of memories, or of ambiguous names" maxItems:"1000"`
	Filter     Filter   `json:"filter,omitzero" doc:"Memories instead; see the filter grammar"`
	Decision   Decision `json:"decision" doc:"What is to be made of them" enum:"verify,reject,needs_review,dispute,pending_approval,dismiss,snooze"`
	Days       int      `json:"days,omitempty" doc:"Of snooze: how many days; 7 if absent" minimum:"1" maximum:"3650"`
	Note       string   `json:"note,omitempty" doc:"Why" maxLength:"255"`
	DryRun     bool     `json:"dry_run,omitempty" doc:"Say what would happen and do nothing"`
	RequestKey string   `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// DecisionReport says what happened to each item: in the order of the ids, each once, or by ascending id for a filter.
type DecisionReport struct {
	Items  []DecisionOutcome `json:"items"`
	Failed int               `json:"failed"` // items with an Error
	DryRun bool              `json:"dry_run,omitempty"`
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

// SupersedeRequest says that another fact takes the place of one. Exactly one of By and Text is set.
type SupersedeRequest struct {
	By         ID     `json:"by,omitempty" doc:"Id of the fact that holds instead: a present one of the same entity"`
	Text       string `json:"text,omitempty" doc:"What holds instead, in words. They are stored as a person's, and the fact of the same verb that follows from them takes the place" maxLength:"262144"`
	At         string `json:"at,omitempty" doc:"When the old one ceased to hold; when the new one began if absent"`
	Note       string `json:"note,omitempty" doc:"Why" maxLength:"255"`
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// Supersession is a fact that was replaced and its successor.
type Supersession struct {
	Superseded Memory `json:"superseded"`
	By         Memory `json:"by"`
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

// AutoVerifyResult lists the facts that a policy verified (or, dry, would verify), by ascending id, at most [MaxBatch]
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
	// Cut names entities with more facts than are compared with each other: of those only the newest were.
	Cut        []ID   `json:"cut,omitempty"`
	NextCursor string `json:"next_cursor,omitempty"` // empty on the last page
}
