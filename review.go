package trilith

import (
	"slices"
	"time"
)

// DefaultMinAmount is the amount from which unverified money needs a person's attention.
const DefaultMinAmount = "5000"

// DefaultAheadDays is how many days ahead deadlines and ends of facts are reported; MaxAheadDays is the largest value.
const (
	DefaultAheadDays = 7
	MaxAheadDays     = 3650
)

// Decision is a person's decision about a fact.
type Decision string

// The decisions.
const (
	DecideVerify Decision = "verify"
	DecideReject Decision = "reject"
	DecideReview Decision = "needs_review"
	// DecidePending withdraws a decision: the item waits for one again.
	DecidePending Decision = "pending_approval"
	// DecideDispute says that somebody contradicts the fact. Its state does not change, but it is marked.
	DecideDispute Decision = "dispute"
	// DecideEnded says that the fact is no longer true: since a time, or from now on. DecideDone says it of something
	// that was to be done.
	DecideEnded Decision = "ended"
	DecideDone  Decision = "done"
	// DecideNotAbout rejects a fact because it is about somebody else.
	DecideNotAbout Decision = "not_about_me"
	// DecideDismiss takes an item out of the inbox and leaves its subject unchanged. For a paper it means that it
	// belongs to none of the candidates.
	DecideDismiss Decision = "dismiss"
	// DecideEdit states the fact in other words, by a [SupersedeRequest]; it is an action of items and no decision.
	DecideEdit Decision = "edit"
)

// ReviewReason says why something waits for a person.
type ReviewReason string

// The reasons.
const (
	ReviewCandidate   ReviewReason = "candidate"        // a fact that was proposed and not accepted
	ReviewConflict    ReviewReason = "conflict"         // facts that contradict each other and cannot both hold
	ReviewLowTrust    ReviewReason = "low_trust"        // all evidence comes from channels of low trust
	ReviewQuarantined ReviewReason = "quarantined"      // a text that reads like an instruction
	ReviewAmbiguous   ReviewReason = "ambiguous_entity" // a name that could be one of several entities
	// a paper of a project's ledger that could belong to several others, in scopes that name the project
	ReviewMatch  ReviewReason = "ambiguous_match"
	ReviewFuture ReviewReason = "future" // a fact that begins more than a day ahead, see [ReviewAhead]
)

// ReviewAhead is how far ahead a fact may begin without waiting for a person: a date beyond that is a plan, or a
// mistake.
const ReviewAhead = 24 * time.Hour

// ReviewItem is one thing that waits for a person to decide.
type ReviewItem struct {
	ID     ID           `json:"id"` // of the memory, or of the RecordReview
	Reason ReviewReason `json:"reason"`
	// name of its entity; for a text, the owner of the words
	Whose  string  `json:"whose,omitempty"`
	Why    string  `json:"why,omitempty"`    // the question to decide, as a sentence
	Memory *Memory `json:"memory,omitempty"` // that waits for a decision; of a conflict, the longest waiting one
	// Actions are the decisions that it takes, the usual one first.
	Actions []Decision `json:"actions,omitempty"`
	// of a conflict: all other facts of it, by ascending id; of a match: the papers that it could belong to
	Others []Memory `json:"others,omitempty"`
	// Truncated says that others were left out at MaxPageBytes.
	Truncated bool   `json:"truncated,omitempty"`
	Name      string `json:"name,omitempty"` // of an ambiguous name: as said
	// of an ambiguous name: the entities that it could mean; the first is the one that was created
	Entities []ID      `json:"entities,omitempty"`
	Since    time.Time `json:"since"`
}

// ReviewReasons lists the reasons, the most pressing first: items that answers contain today come before those that are
// held back.
func ReviewReasons() []ReviewReason {
	return []ReviewReason{ReviewConflict, ReviewLowTrust, ReviewAmbiguous, ReviewMatch,
		ReviewFuture, ReviewQuarantined, ReviewCandidate}
}

// VerifyRequest records the decision about a fact. Verifying makes a candidate active. Rejecting retracts the fact for
// as long as the decision stands: no evidence brings it back. Another decision reverses a rejection. Ended and done
// end the fact at a time, which is no earlier than it was last stated: a fact that never held, or has not begun, is
// rejected instead. Needs review and disputed do not change the state of the fact, but mark it.
type VerifyRequest struct {
	ID         ID       `json:"-" path:"id" doc:"Id of the fact"`
	Decision   Decision `json:"decision" doc:"What is to be made of the fact" enum:"verify,reject,ended,done,not_about_me,dismiss,needs_review,dispute,pending_approval"`
	At         string   `json:"at,omitempty" doc:"Of ended and done: since when; now if absent"`
	Note       string   `json:"note,omitempty" doc:"Why" maxLength:"255"`
	RequestKey string   `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
	By         string   `json:"-"` // the person who decided, if not the actor
}

// FactQuery asks for facts that hold; those that have ended do not; every condition that is set must hold. With a
// Query the facts come by falling relevance, without one newest recorded first.
type FactQuery struct {
	Query          string               `json:"query,omitempty" doc:"What the facts should matter for" maxLength:"8192"`
	Filter         Filter               `json:"filter,omitzero" doc:"Conditions; see the filter grammar"`
	Types          []FactType           `json:"fact_types,omitempty" doc:"Any of these types"`
	MinConfidence  float64              `json:"min_confidence,omitempty" doc:"0 to 1" minimum:"0" maximum:"1"`
	Status         []VerificationStatus `json:"verification_status,omitempty" doc:"Any of these; what is rejected is not active" enum:"pending_approval,verified,rejected,needs_review,disputed"`
	ActiveOnly     *bool                `json:"active_only,omitempty" doc:"false: facts in every state; true if absent"`
	RequiresAction *bool                `json:"requires_action,omitempty" doc:"Whether something is to be done about them"`
	Priorities     []Priority           `json:"priority,omitempty" doc:"Any of these" enum:"critical,high,normal,low"`
	FinancialOnly  bool                 `json:"financial_only,omitempty" doc:"Only facts that carry an amount of money"`
	MinAmount      float64              `json:"min_financial_amount,omitempty" doc:"Only facts with at least this amount, in whatever currency; 0 if absent: no condition"`
	ValidOnly      bool                 `json:"valid_only,omitempty" doc:"Only facts that hold now; an active fact that is over never comes"`
	AsOf           string               `json:"as_of,omitempty" doc:"Facts as they were in the world at this time"`
	KnownAt        string               `json:"known_at,omitempty" doc:"Facts as they were known at this time"`
	Limit          int                  `json:"limit,omitempty" doc:"How many at most: 1 to 200, 50 if absent" minimum:"1" maximum:"200"`
	Explain        bool                 `json:"explain,omitempty" doc:"Say what the relevance is made of"`
	StrongOnly     bool                 `json:"strong_only,omitempty" doc:"Leave out weak hits: those that fill up the places where less than limit was found for the query"`
}

// ActionableQuery asks for facts that need attention.
type ActionableQuery struct {
	Limit int `json:"limit,omitempty" doc:"Facts at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Days  int `json:"days,omitempty" doc:"How many days ahead a deadline or an end may lie: 1 to 3650, 7 if absent" minimum:"1" maximum:"3650"`
}

// UnverifiedQuery asks for facts with amounts of money that no person has verified.
type UnverifiedQuery struct {
	MinAmount string `json:"min_amount,omitempty" doc:"Only facts of at least this amount, a decimal in whatever currency; 5000 if absent" maxLength:"64"`
	Limit     int    `json:"limit,omitempty" doc:"Facts at most: 1 to 1000, 10 if absent" minimum:"1" maximum:"1000"`
}

// SimilarFactsQuery asks for the facts that are similar to one.
type SimilarFactsQuery struct {
	ID       ID      `json:"-" path:"id" doc:"Id of the fact"`
	MinScore float64 `json:"min_score,omitempty" doc:"Leave out facts below; 0 to 1" minimum:"0" maximum:"1"`
	Limit    int     `json:"limit,omitempty" doc:"Facts at most: 1 to 200, 10 if absent" minimum:"1" maximum:"200"`
}

// GroupsQuery pages through groups of facts.
type GroupsQuery struct {
	Limit  int    `json:"limit,omitempty" doc:"Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB" minimum:"1" maximum:"200"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// DuplicatesQuery asks for groups of facts that say the same.
type DuplicatesQuery struct {
	Threshold float64 `json:"threshold,omitempty" doc:"Cosine from which two facts say the same, where cosines carry a meaning: 0 to 1, 0.95 if absent" minimum:"0" maximum:"1"`
	Limit     int     `json:"limit,omitempty" doc:"Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB" minimum:"1" maximum:"200"`
	Cursor    string  `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// StaleQuery asks for facts that nothing has confirmed for long.
type StaleQuery struct {
	Days  int `json:"days,omitempty" doc:"How old the newest evidence may be: 1 to 36500, 30 if absent" minimum:"1" maximum:"36500"`
	Limit int `json:"limit,omitempty" doc:"Facts at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

// FactHit is a fact and how much it matters for a query; both numbers are 0 without one.
type FactHit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"` // on the scale of the page
	// Weak says that the query did not find it: it fills a free place, behind the others.
	Weak      bool    `json:"weak,omitempty"`
	Relevance float64 `json:"relevance"` // Score × (0.7 + 0.3·confidence) × {critical 1.3, high 1.15, else 1}
	// Explain has the factors of Relevance; nil unless requested, and without a query.
	Explain *RelevanceParts `json:"explain,omitempty"`
}

// RelevanceParts are the factors of a relevance.
type RelevanceParts struct {
	Similarity       float64 `json:"similarity"`        // like FactHit.Score
	ConfidenceFactor float64 `json:"confidence_factor"` // 0.7 + 0.3·confidence
	PriorityFactor   float64 `json:"priority_factor"`   // critical 1.3, high 1.15, else 1
}

// Relevance weighs a similarity by how sure and how pressing the fact is: a doubtful one loses at most 30 %.
func (f *Fact) Relevance(similarity float64) RelevanceParts {
	parts := RelevanceParts{Similarity: similarity, ConfidenceFactor: 0.7 + 0.3*f.Confidence, PriorityFactor: 1}
	switch f.Priority {
	case PriorityCritical:
		parts.PriorityFactor = 1.3
	case PriorityHigh:
		parts.PriorityFactor = 1.15
	}
	return parts
}

// Product is the relevance.
func (p RelevanceParts) Product() float64 {
	return p.Similarity * p.ConfidenceFactor * p.PriorityFactor
}

// FactPage is the answer to a [FactQuery].
type FactPage struct {
	Items     []FactHit `json:"items"`
	Scale     Scale     `json:"scale,omitempty"`     // of the scores; empty without a query
	Truncated bool      `json:"truncated,omitempty"` // items were left out at MaxPageBytes; ask for fewer
	Coverage
}

// Comparing selects entities with several facts that a scope sees and can compare with each other, shares left out.
type Comparing struct {
	States []State   // of the facts
	At     time.Time // facts whose validity is over by then are left out
	After  ID        // only entities after this one
	// Contrary leaves out entities without two facts that can contradict each other, as far as stores can decide: two
	// facts with the same verb, where the verb is single-valued or in Verbs, or one fact is denied. Entities with more
	// than Most facts are not left out.
	Contrary bool
	Verbs    []string
	Most     int
}

// EntityFacts is the number of facts of an entity.
type EntityFacts struct {
	Entity ID
	Facts  int
}

// FactStats counts the facts of a scope, in every state. Values that do not occur are absent.
type FactStats struct {
	Total        int                        `json:"total"`
	Types        map[FactType]int           `json:"fact_types"`
	States       map[State]int              `json:"states"`
	Verification map[VerificationStatus]int `json:"verification_status"`
}

// NewFactStats counts nothing yet.
func NewFactStats() FactStats {
	return FactStats{Types: map[FactType]int{}, States: map[State]int{}, Verification: map[VerificationStatus]int{}}
}

// Add counts n facts.
func (s *FactStats) Add(t FactType, st State, v VerificationStatus, n int) {
	if n > 0 {
		s.Total += n
		s.Types[t] += n
		s.States[st] += n
		s.Verification[v] += n
	}
}

// Exposure is how much money the active facts of a scope speak of.
type Exposure struct {
	Sums []ExposureSum `json:"items"` // by project, type and currency
}

// ExposureSum is the exact sum of the facts that share project, financial type and currency. Nothing is converted.
type ExposureSum struct {
	Project  string `json:"project,omitempty"`
	Type     string `json:"type,omitempty"`     // like [Financial.Type]
	Currency string `json:"currency,omitempty"` // ISO 4217
	Amount   string `json:"amount"`             // decimal
	Facts    int    `json:"facts"`
}

// InboxQuery lists items that wait for a person.
type InboxQuery struct {
	Reasons []ReviewReason `json:"reasons,omitempty" doc:"Why things wait; all reasons if absent" enum:"conflict,low_trust,ambiguous_entity,ambiguous_match,future,quarantined,candidate,unverified,stale"`
	Limit   int            `json:"limit,omitempty" doc:"Items per page: 1 to 200, 50 if absent" minimum:"1" maximum:"200"`
	Cursor  string         `json:"cursor,omitempty" doc:"next_cursor of the page before"`
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

// DecisionReport reports the outcome for each item: in the order of the ids, each once, or by ascending id for a
// filter.
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
	Rejected []Rejection `json:"rejected,omitempty"` // of a request to store that stored nothing
}

// MaxCorrection is the longest correction of a fact in words, in bytes.
const MaxCorrection = 4000

// SupersedeRequest corrects a fact. Exactly one of By and Text is set.
//
// With Text the sentence is the correction, in whatever words and language: the fact is closed, and the sentence takes
// its place as a person's, with the same verb; rules may find its value, and more facts. A sentence that only denies the
// fact ("that is not true any more") closes it without a successor. A sentence that cannot be stored changes nothing.
type SupersedeRequest struct {
	ID         ID     `json:"-" path:"id" doc:"Id of the fact that is wrong"`
	By         ID     `json:"by,omitempty" doc:"Id of the fact that holds instead: a present one of the same entity"`
	Text       string `json:"text,omitempty" doc:"What holds instead, in any words; or that it is not so" maxLength:"4000"`
	At         string `json:"at,omitempty" doc:"When the old one ceased to hold; when the new one began if absent"`
	Note       string `json:"note,omitempty" doc:"Why" maxLength:"255"`
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// Repeatable reports whether the request may be sent twice: naming the same successor again changes nothing.
func (r SupersedeRequest) Repeatable() bool { return r.By != "" }

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

// FeedKind is the kind of an event of a memory.
type FeedKind string

// The kinds of events.
const (
	FeedLearned   FeedKind = "learned"   // a fact, a note or an entry was stored that replaces nothing
	FeedReplaced  FeedKind = "replaced"  // another one is in its place
	FeedEnded     FeedKind = "ended"     // its time is over, and nothing is in its place
	FeedForgotten FeedKind = "forgotten" // on purpose, or with the words that it rested on
	FeedPlanned   FeedKind = "planned"   // it holds, and its end is known
)

// FeedKinds lists the kinds in a fixed order.
func FeedKinds() []FeedKind {
	return []FeedKind{FeedLearned, FeedReplaced, FeedEnded, FeedForgotten, FeedPlanned}
}

// FeedQuery lists the events of the memories of a scope. It includes turns and passages when they are forgotten or
// replaced, not when they are stored.
type FeedQuery struct {
	From   time.Time  `json:"from,omitzero" doc:"From then on, as RFC 3339"`
	To     time.Time  `json:"to,omitzero" doc:"Before then, as RFC 3339"`
	Limit  int        `json:"limit,omitempty" doc:"Items per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string     `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Kinds  []FeedKind `json:"kinds,omitempty" doc:"What happened, with commas between them or repeated: learned, replaced, ended, forgotten, planned; all if absent" explode:"true"`
	Filter Filter     `json:"filter,omitzero" doc:"Conditions on the memory that it happened to, as JSON; see the filter grammar"`
}

// FeedItem is an event. Its memory has its present state and version, so that the event can be undone.
type FeedItem struct {
	At     time.Time `json:"at"` // when it was recorded
	Kind   FeedKind  `json:"kind"`
	Before *Memory   `json:"before,omitempty"` // the memory that no longer holds; nil for a new one
	After  *Memory   `json:"after,omitempty"`  // the memory that holds since; nil if it was forgotten or has ended
}

// Feed is a page of events, latest first.
type Feed struct {
	Items      []FeedItem `json:"items"`
	NextCursor string     `json:"next_cursor,omitempty"` // empty on the last page
}

// AuditQuery asks for entries of the audit; every condition that is set must hold.
type AuditQuery struct {
	From    time.Time `json:"from,omitzero" doc:"From then on, as RFC 3339"`
	To      time.Time `json:"to,omitzero" doc:"Before then, as RFC 3339"`
	Limit   int       `json:"limit,omitempty" doc:"Items per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor  string    `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Newest  bool      `json:"newest,omitempty" doc:"The latest first"`
	Actions []string  `json:"actions,omitempty" doc:"Actions, with commas between them or repeated; entity.* means all that begin with entity." explode:"true"`
	Actor   string    `json:"actor,omitempty" doc:"Name of the key that acted; local without one" maxLength:"255"`
	Target  ID        `json:"target,omitempty" doc:"Id of what was acted on" maxLength:"64"`
}

// AuditPage is a page of the audit. One with conditions may be short, or empty, before the last: a call looks at a
// bounded number of entries.
type AuditPage struct {
	Items      []AuditEntry `json:"items"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}

// AlertKind says why an [Alert] was raised.
type AlertKind string

// The kinds of alerts.
const (
	AlertMatch    AlertKind = "match"         // a memory matches that did not before
	AlertChanged  AlertKind = "changed"       // a matching one got another value, or was replaced
	AlertAmount   AlertKind = "amount"        // the amount of a fact that matches is over the limit
	AlertDeadline AlertKind = "deadline"      // a match is due soon
	AlertConflict AlertKind = "contradiction" // a fact that matches contradicts another one, or somebody disputes it
	AlertLag      AlertKind = "lag"           // the indexes are further behind than the limit
)

// AlertKinds lists the kinds in the order in which one change raises them.
func AlertKinds() []AlertKind {
	return []AlertKind{AlertMatch, AlertChanged, AlertAmount, AlertDeadline, AlertConflict, AlertLag}
}

// Bounds of saved searches and of alerts.
const (
	MaxSearches     = 1000 // of a tenant
	MaxSearchQuery  = 1024 // bytes of the query of one
	MaxSearchFilter = 16 << 10
	AlertRows       = 10_000 // kept of a tenant, the newest, unless a setting says otherwise
	AlertDays       = 30     // how long they are kept, unless a setting says otherwise
)

// SearchOf is the subject of a saved search.
type SearchOf string

// The subjects of saved searches.
const (
	SearchFacts    SearchOf = "facts"
	SearchMemories SearchOf = "memories" // everything but facts
)

// SearchRequest defines a saved search and when it raises an alert.
//
// A memory matches if the scope sees it, the filter accepts it, it contains every word of the query that is no stop
// word, in any form, and every quoted phrase literally. Only active memories match, unless the filter names state.
type SearchRequest struct {
	Name     string      `json:"name" doc:"Name; unique in its scope. It cannot be changed" minLength:"1" maxLength:"255"`
	Of       SearchOf    `json:"of,omitempty" doc:"What is looked at; facts if absent" enum:"facts,memories"`
	Query    string      `json:"query,omitempty" doc:"Words that all have to occur, and quoted phrases" maxLength:"1024"`
	Filter   Filter      `json:"filter,omitzero" doc:"Conditions; see the filter grammar"`
	Alerts   []AlertKind `json:"alerts,omitempty" doc:"What raises an alert; match and changed if absent" maxItems:"6" enum:"match,changed,amount,deadline,contradiction,lag"`
	Amount   string      `json:"amount,omitempty" doc:"Decimal number: greater amounts raise an alert of kind amount" maxLength:"40"`
	Currency string      `json:"currency,omitempty" doc:"Only amounts in this currency; any if absent" maxLength:"3"`
	Days     int         `json:"days,omitempty" doc:"How many days ahead a deadline raises an alert: 1 to 3650, 7 if absent" minimum:"1" maximum:"3650"`
	Behind   int         `json:"behind,omitempty" doc:"How many changes that an index has not read raise an alert of kind lag; 1000 if absent" minimum:"1"`
	Webhook  string      `json:"webhook,omitempty" doc:"Name of a webhook of the settings, which gets each alert" maxLength:"64"`
	Version  int64       `json:"version,omitempty" doc:"Of a change: the version that was read; another one is a conflict" minimum:"0"`
}

// SearchChange replaces the request of a saved search.
type SearchChange struct {
	ID ID `json:"-" path:"id" doc:"Id of the saved search"`
	SearchRequest
}

// Repeatable reports whether the request may be sent twice: without a version it is the same change again.
func (r SearchChange) Repeatable() bool { return r.Version == 0 }

// SavedSearch is a search that runs on every change of its scope. Its version is raised by every change of it.
type SavedSearch struct {
	ID    ID    `json:"id"` // made of scope and name
	Scope Scope `json:"scope"`
	SearchRequest
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt is when its present form took effect: older memories raise alerts only when they change.
	UpdatedAt time.Time `json:"updated_at"`
	// From is where the log of changes ended then, by shard: the order that counts where clocks differ.
	From []Cursor `json:"-"`

	// Fixed and Bound are those of the key that saved it: the search sees what that key sees.
	Fixed
	Bound Bound `json:"bound,omitzero" doc:"What the key was bound to that saved it"`
}

// Sight is the scope with which the search looks.
func (q *SavedSearch) Sight(tenant string) Scope {
	s := q.Scope
	s.Tenant, s.Fixed, s.Bound = tenant, q.Fixed, q.Bound
	return s
}

// Raises reports whether the search raises alerts of a kind.
func (q *SavedSearch) Raises(kind AlertKind) bool {
	return slices.ContainsFunc(q.Alerts, func(k AlertKind) bool { return k == kind })
}

// Searches are the saved searches of a scope, by name.
type Searches struct {
	Items []SavedSearch `json:"items"`
}

// Alert says that something happened that a saved search waits for. It holds ids and numbers, and no stored text.
type Alert struct {
	// ID is derived from the search, the kind and the event: an alert that is sent again has the same id.
	ID       ID        `json:"id"`
	Seq      int64     `json:"seq" doc:"Place among the alerts of the tenant; ascends without gaps when they are raised"`
	Search   ID        `json:"search_id"`
	Scope    Scope     `json:"scope" doc:"Of the search"`
	Kind     AlertKind `json:"kind"`
	At       time.Time `json:"at"`
	MemoryID ID        `json:"memory_id,omitempty"`
	Version  int64     `json:"version,omitempty" doc:"Of the memory, at the time"`
	State    State     `json:"state,omitempty" doc:"Of the memory, at the time"`
	Before   ID        `json:"before_id,omitempty" doc:"Of a change: the memory that it took the place of"`

	Due    *time.Time `json:"due,omitempty" doc:"Of a deadline"`
	Behind int        `json:"behind,omitempty" doc:"Of a lag: how many changes wait"`

	AcknowledgedAt *time.Time `json:"acknowledged_at,omitempty"`
	AcknowledgedBy string     `json:"acknowledged_by,omitempty"`
	DeliveredAt    *time.Time `json:"delivered_at,omitempty" doc:"When its webhook took it"`
}

// AlertQuery asks for alerts of a scope.
type AlertQuery struct {
	Search ID    `json:"search,omitempty" doc:"Only alerts of this saved search"`
	After  int64 `json:"after,omitempty" doc:"Only alerts behind this place: next of the page before" minimum:"0"`
	Open   bool  `json:"open,omitempty" doc:"Only alerts that nobody has acknowledged"`
	Limit  int   `json:"limit,omitempty" doc:"Alerts per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

// AcknowledgeRequest notes that somebody has seen alerts.
type AcknowledgeRequest struct {
	IDs []ID `json:"ids" doc:"Ids of alerts" minItems:"1" maxItems:"200"`
}

// AlertPage is a page of alerts, oldest first.
type AlertPage struct {
	Items []Alert `json:"items"`
	// Next is the value of After for the next request, even if nothing follows yet.
	Next int64 `json:"next" doc:"What to give as after to go on: what is raised later lies behind it"`
	More bool  `json:"more,omitempty" doc:"There are more now"`
}

// Acknowledged says how many alerts were newly acknowledged.
type Acknowledged struct {
	Acknowledged int `json:"acknowledged"`
}

// MaxTrendFacts is how many facts the trends and the report of a project take.
const MaxTrendFacts = 10_000

// MinLikeFacts is the number of similar series that are needed to assess one.
const MinLikeFacts = 5

// TrendQuery asks how the facts of a project develop.
type TrendQuery struct {
	AsOf string `json:"as_of,omitempty" doc:"Nothing that was said later; now if absent"`
}

// ProjectTrends says how amounts, dates and risks of a project have moved, and which moved unlike the others.
type ProjectTrends struct {
	Project string        `json:"project"`
	AsOf    time.Time     `json:"as_of"`
	Series  []TrendSeries `json:"series"` // by kind, then by name
	// Likes are the series that each kind is compared with.
	Likes    []TrendLikes   `json:"likes"`
	Findings []TrendFinding `json:"findings"`
}

// The kinds of series.
const (
	TrendAmount   = "amount"   // an estimate, quote or budget over time; it moves in percent
	TrendDate     = "date"     // a deadline, milestone or schedule over time; it moves in days
	TrendMentions = "mentions" // how often something was called a risk or a blocker, by month; in mentions
)

// TrendSeries is one fact over time.
type TrendSeries struct {
	Kind         string       `json:"kind"`
	Of           string       `json:"of"`                     // estimate, quote, budget; deadline, milestone, …; risk
	Name         string       `json:"name"`                   // the subject of the series
	Counterparty string       `json:"counterparty,omitempty"` // of a quote
	Currency     string       `json:"currency,omitempty"`
	Points       []TrendPoint `json:"points"` // in order of time
	// Change is from the first point to the last: percent to one place, days, or how often it was said in all.
	Change string `json:"change"`
	Rises  int    `json:"rises"` // steps up, or to a later day
	Falls  int    `json:"falls"`
}

// TrendPoint is the value of a fact at a time.
type TrendPoint struct {
	At        time.Time `json:"at"`
	Value     string    `json:"value"` // a decimal, a day, or a number of mentions
	FactID    ID        `json:"fact_id"`
	EpisodeID ID        `json:"episode_id,omitempty"`
	Quote     string    `json:"quote,omitempty"`
}

// TrendLikes are the changes of all series of one kind. Median and MAD, the median of the distances from it, are in the
// unit of the kind; both are empty if there are fewer than [MinLikeFacts] series, which are then not judged.
type TrendLikes struct {
	Kind   string `json:"kind"`
	Of     string `json:"of"`
	Series int    `json:"series"`
	Median string `json:"median,omitempty"`
	MAD    string `json:"mad,omitempty"`
	// Floor is the least distance from the median that counts as an outlier, however small the MAD is: similar series
	// that hardly move have a MAD near 0, and then the smallest change would be a finding.
	Floor string `json:"floor,omitempty"`
}

// The kinds of outliers.
const (
	TrendEscalation = "escalation" // an amount rose more than its like
	TrendDrop       = "drop"       // an amount fell more than its like
	TrendSlippage   = "slippage"   // a date moved back more than its like
	TrendRecurring  = "recurring"  // a risk is named more often than its like
)

// TrendFinding is a series whose change is more than twice the MAD, and more than the floor, away from the median of
// its like.
type TrendFinding struct {
	Kind     string `json:"kind"`
	Of       string `json:"of"`
	Name     string `json:"name"`
	Currency string `json:"currency,omitempty"`
	Change   string `json:"change"`
	Median   string `json:"median"`
	MAD      string `json:"mad"`
	Series   int    `json:"series"` // the number of similar series
	FactIDs  []ID   `json:"fact_ids"`
	Says     string `json:"says"` // the same in a sentence
}
