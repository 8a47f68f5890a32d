package trilith

import (
	"cmp"
	"slices"
	"time"
)

// FactType is the subject of a fact. Extraction profiles may add types for an organisation.
type FactType string

// The types that every profile knows.
const (
	FactTask         FactType = "task"
	FactDecision     FactType = "decision"
	FactMilestone    FactType = "milestone"
	FactFinancial    FactType = "financial"
	FactSchedule     FactType = "schedule"
	FactMaterial     FactType = "material"
	FactRisk         FactType = "risk"
	FactConstraint   FactType = "constraint"
	FactDataPoint    FactType = "data_point"
	FactPreference   FactType = "preference"
	FactProfile      FactType = "profile"
	FactRelationship FactType = "relationship"
	FactPlan         FactType = "plan"
	FactEvent        FactType = "event"
	FactRelation     FactType = "relation" // a relation between two other facts: see [Relation]
	FactOther        FactType = "other"
)

// FactTypes lists the types in a fixed order.
func FactTypes() []FactType {
	return []FactType{FactTask, FactDecision, FactMilestone, FactFinancial, FactSchedule, FactMaterial, FactRisk,
		FactConstraint,
		FactDataPoint, FactPreference, FactProfile, FactRelationship, FactPlan, FactEvent, FactRelation, FactOther}
}

// Node is the object of an assertion, shared by all entities of a tenant: a type and a name, such as Location and
// Paris.
type Node struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	EntityRef ID     `json:"entity_ref,omitempty"` // the entity that the node names, if it names one
}

// ID is the node's name in the graph, for example Location:Paris.
func (n Node) ID() string { return n.Type + ":" + n.Name }

// Polarity says whether a fact is affirmed or denied.
type Polarity string

// The polarities.
const (
	Affirmed Polarity = "affirmed"
	Negated  Polarity = "negated"
)

// Certainty says how a fact was put.
type Certainty string

// The certainties, strongest first.
const (
	Stated   Certainty = "stated"
	Planned  Certainty = "planned"
	Reported Certainty = "reported" // somebody says that somebody said
	Hedged   Certainty = "hedged"   // maybe, I think
)

// Priority says how pressing a fact is.
type Priority string

// The priorities, most pressing first.
const (
	PriorityCritical Priority = "critical"
	PriorityHigh     Priority = "high"
	PriorityNormal   Priority = "normal"
	PriorityLow      Priority = "low"
)

// Evidence is the source of a fact: words quoted literally from an episode.
type Evidence struct {
	EpisodeID ID     `json:"episode_id"`
	Quote     string `json:"quote"`
	Start     int    `json:"start"` // bytes of the episode's text
	End       int    `json:"end"`
	EntityID  ID     `json:"entity_id,omitempty"` // the entity in the statement, if it was merged into the fact's

	// Premises are words of other episodes without which these say less: the question that an answer takes its quantity
	// from.
	Premises []Premise `json:"premises,omitempty"`

	// The fields below describe this statement alone; the fact combines all statements.
	At         time.Time  `json:"at,omitzero"`          // from when on it holds: when it was said, or earlier
	SaidAt     *time.Time `json:"said_at,omitempty"`    // when it was said, if At is earlier
	Until      *time.Time `json:"until,omitempty"`      // the end that it gives, if it gives one
	Confidence float64    `json:"confidence,omitempty"` // 0 to 1
	Certainty  Certainty  `json:"certainty,omitempty"`
	Trust      Trust      `json:"trust,omitempty"`     // of the channel of the words
	Ends       bool       `json:"ends,omitempty"`      // it says that the fact no longer holds
	Says       string     `json:"says,omitempty"`      // this statement as a sentence
	SourceID   ID         `json:"source_id,omitempty"` // of the episode
	Rule       string     `json:"rule,omitempty"`      // id of the rule or model that found it
	// of an ending that a person decided: the fact that replaces it; it quotes nothing
	Successor ID `json:"heir,omitempty"`
	// its episode was forgotten: it does not count until that is restored
	Withdrawn bool `json:"withdrawn,omitempty"`
	Other     bool `json:"other,omitempty"` // said by somebody other than its subject
	// proposed, or in doubt: only a candidate until somebody accepts it
	Proposed bool `json:"proposed,omitempty"`
}

// Premise is a quote that a piece of evidence needs.
type Premise struct {
	EpisodeID ID     `json:"episode_id"`
	Quote     string `json:"quote"`
	Start     int    `json:"start"` // bytes of the episode's text
	End       int    `json:"end"`
}

// RestsOn reports whether the evidence needs one of the episodes that said accepts.
func (e *Evidence) RestsOn(said func(episode ID) bool) bool {
	return slices.ContainsFunc(e.Episodes(), said)
}

// Episodes returns all episodes of the evidence: without any one of them it does not count.
func (e *Evidence) Episodes() []ID {
	ids := []ID{e.EpisodeID}
	for _, p := range e.Premises {
		ids = append(ids, p.EpisodeID)
	}
	return ids
}

// Financial is the money of a fact. Amounts are decimal strings: money is never a floating-point number.
type Financial struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency,omitempty"` // ISO 4217
	Category string `json:"category,omitempty"`
	// estimate, quote, change_order, hard_cost, invoice, payment, budget, credit_note, refund
	Type     string `json:"type,omitempty"`
	Quantity string `json:"quantity,omitempty"`
	Unit     string `json:"unit,omitempty"`
	Rate     string `json:"rate,omitempty"`
	Check    string `json:"check,omitempty"` // agrees or differs: whether quantity × rate is the amount
}

// VerificationStatus is what a person has decided about a fact.
type VerificationStatus string

// The verification states.
const (
	PendingApproval VerificationStatus = "pending_approval"
	Verified        VerificationStatus = "verified"
	Rejected        VerificationStatus = "rejected"
	NeedsReview     VerificationStatus = "needs_review"
	Disputed        VerificationStatus = "disputed" // another fact contradicts it, and nothing decides between them
)

// Verification is the outcome of a review.
type Verification struct {
	Status VerificationStatus `json:"status"`
	By     string             `json:"by,omitempty"`
	At     *time.Time         `json:"at,omitempty"`
	Note   string             `json:"note,omitempty"`
}

// Names of verifiers other than a person.
const (
	ByPolicy  = "auto"
	ByForeign = "import" // another application says so, but not who decided it there
)

// Decided reports whether a person has decided about the fact.
func (v Verification) Decided() bool { return v.By != "" && v.By != ByPolicy && v.By != ByForeign }

// Fact is the assertion of a memory of [KindFact]: entity –[verb]→ node.
type Fact struct {
	Owner Owner `json:"owner,omitempty"` // of the assertion; empty: the tenant
	// its entity belongs to another owner, so the id contains the owner
	Guest           bool           `json:"guest,omitempty"`
	EntityID        ID             `json:"entity_id"`
	Verb            string         `json:"verb"` // [a-z0-9_]{1,64}
	FactID          string         `json:"fact_id"`
	Node            Node           `json:"fact"`
	RelationshipKey string         `json:"relationship_key"` // {entity_id}:{verb}:{fact_id}
	Type            FactType       `json:"fact_type"`
	Content         map[string]any `json:"content,omitempty"`
	Polarity        Polarity       `json:"polarity"`
	Certainty       Certainty      `json:"certainty"`
	Confidence      float64        `json:"confidence"` // 0 to 1
	AuthorRole      Role           `json:"author_role"`
	Evidence        []Evidence     `json:"evidence"`
	Priority        Priority       `json:"priority"`
	RequiresAction  bool           `json:"requires_action,omitempty"`
	ActionDeadline  *time.Time     `json:"action_deadline,omitempty"`
	Financial       *Financial     `json:"financial,omitempty"`
	Verification    Verification   `json:"verification"`
	Rule            string         `json:"rule,omitempty"`          // id of the rule or model that found it
	SingleValued    bool           `json:"single_valued,omitempty"` // the verb holds one value at a time
	// LegacyID is a number for callers that cannot use string ids: assigned once in a tenant, ascending from 1, never
	// to another fact. It is stored beside the fact and filled in for those callers and for exports; 0 if it was never
	// requested.
	LegacyID int64 `json:"legacy_id,omitempty"`
}

// MaxLegacyID is the highest number of a fact: larger ones are not exact in programs that use floating point for them.
const MaxLegacyID = 1 << 53

// Due is when a fact needs attention: at its deadline, otherwise when it ends to hold; nil if never.
func (m *Memory) Due() *time.Time {
	if m.Fact != nil && m.Fact.ActionDeadline != nil {
		return m.Fact.ActionDeadline
	}
	return m.ValidUntil
}

// WasPlanned reports whether the memory is a plan whose day has passed: it was to happen then, and nobody has said more.
func (m *Memory) WasPlanned() bool {
	if m.Fact == nil || m.State != StateExpired || m.ValidUntil == nil {
		return false
	}
	planned := []FactType{FactPlan, FactTask, FactSchedule, FactMilestone, FactEvent}
	return slices.Contains(planned, m.Fact.Type) &&
		!slices.ContainsFunc(m.Fact.Evidence, func(e Evidence) bool { return e.Ends && !e.Withdrawn })
}

// ComparePressing orders facts by urgency: by priority, then by the time when they are due, those without one last. A
// fact without a priority counts as normal.
func ComparePressing(a, b *Memory) int {
	urgency := func(m *Memory) int {
		return slices.Index([]Priority{PriorityCritical, PriorityHigh, PriorityNormal, PriorityLow},
			cmp.Or(m.Fact.Priority, PriorityNormal))
	}
	if c := cmp.Compare(urgency(a), urgency(b)); c != 0 {
		return c
	}
	switch due, than := a.Due(), b.Due(); {
	case due == nil && than == nil:
		return 0
	case due == nil:
		return 1
	case than == nil:
		return -1
	default:
		return due.Compare(*than)
	}
}

// Key is the fact's relationship key: {entity_id}:{verb}:{fact_id}.
func (f *Fact) Key() string { return string(f.EntityID) + ":" + f.Verb + ":" + f.FactID }

// FactMemoryID returns the id of the memory that asserts entity –[verb]→ fact node for the entity's own owner: an
// assertion has one id, however often it is made. The id does not depend on the tenant, so that an export can be
// imported under another name; the entity's id is unique by itself.
func FactMemoryID(entity ID, verb, factID string) ID {
	return DeriveID("fact", string(entity), verb, factID)
}

// GuestFactID is the id of the memory that asserts the same for another owner.
func GuestFactID(owner Owner, entity ID, verb, factID string) ID {
	return DeriveID("fact", string(owner), string(entity), verb, factID)
}

// FactIDs returns the ids that an owner's assertion may have.
func FactIDs(owner Owner, entity ID, verb, factID string) []ID {
	return []ID{FactMemoryID(entity, verb, factID), GuestFactID(owner, entity, verb, factID)}
}

// MemoryID is the id of the fact's memory; former periods of the fact have other ids.
func (f *Fact) MemoryID() ID {
	if f.Guest {
		return GuestFactID(f.Owner, f.EntityID, f.Verb, f.FactID)
	}
	return FactMemoryID(f.EntityID, f.Verb, f.FactID)
}
