package trilith

import "time"

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
	// DecidePending reverses a decision: nobody has decided.
	DecidePending Decision = "pending_approval"
	// DecideDispute says that somebody contradicts the fact. Its state does not change, but it is marked.
	DecideDispute Decision = "dispute"
	// DecideEnded says that the fact is no longer true: since a time, or from now on. DecideDone says it of something
	// that was to be done.
	DecideEnded Decision = "ended"
	DecideDone  Decision = "done"
	// DecideNotAbout rejects a fact because it is about somebody else.
	DecideNotAbout Decision = "not_about_me"
	// DecideDismiss takes an item out of the inbox and leaves what it is about as it is. Of a paper it says that it
	// belongs to none of those that it could belong to.
	DecideDismiss Decision = "dismiss"
	// DecideEdit says in other words what holds, by a [SupersedeRequest]; it is an action of items and no decision.
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

// Comparing selects entities of which a scope sees several facts that can be compared with each other, shares left out.
type Comparing struct {
	States []State   // of the facts
	At     time.Time // facts whose validity is over by then are left out
	After  ID        // only entities after this one
	// Contrary leaves out entities without two facts that can contradict each other, as far as stores can decide: two
	// of one verb that is single-valued, or is in Verbs, or one of which is denied. Entities with more than Most facts
	// are not left out.
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
