package trilith

import (
	"cmp"
	"slices"
	"strings"
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

	// The fields below describe this one statement; the fact combines all statements.
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
	// of an ending that a person or a model decided: the fact that replaces it; a person's quotes nothing
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

// VerificationStatus is a person's decision about a fact.
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
	// to another fact. It is stored separately from the fact and filled in for those callers and for exports; 0 if it
	// was never requested.
	LegacyID int64 `json:"legacy_id,omitempty"`
}

// WasPlanned reports whether the memory is a plan whose day has passed without a later statement about it.
func (m *Memory) WasPlanned() bool {
	if m.Fact == nil || m.State != StateExpired || m.ValidUntil == nil {
		return false
	}
	planned := []FactType{FactPlan, FactTask, FactSchedule, FactMilestone, FactEvent}
	return slices.Contains(planned, m.Fact.Type) &&
		!slices.ContainsFunc(m.Fact.Evidence, func(e Evidence) bool { return e.Ends && !e.Withdrawn })
}

// Priority says how pressing a fact is.
type Priority string

// The priorities, most pressing first.
const (
	PriorityCritical Priority = "critical"
	PriorityHigh     Priority = "high"
	PriorityNormal   Priority = "normal"
	PriorityLow      Priority = "low"
)

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

// MaxLegacyID is the highest number of a fact: larger ones are not exact in programs that use floating point for them.
const MaxLegacyID = 1 << 53

// Due is when a fact needs attention: at its deadline, otherwise when it ends to hold; nil if never.
func (m *Memory) Due() *time.Time {
	if m.Fact != nil && m.Fact.ActionDeadline != nil {
		return m.Fact.ActionDeadline
	}
	return m.ValidUntil
}

// Key is the fact's relationship key: {entity_id}:{verb}:{fact_id}.
func (f *Fact) Key() string { return string(f.EntityID) + ":" + f.Verb + ":" + f.FactID }

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

// GuestFactID is the id of the memory that asserts the same for another owner.
func GuestFactID(owner Owner, entity ID, verb, factID string) ID {
	return DeriveID("fact", string(owner), string(entity), verb, factID)
}

// FactMemoryID returns the id of the memory that asserts entity –[verb]→ fact node for the entity's own owner: an
// assertion has one id, however often it is made. The id does not depend on the tenant, so that an export can be
// imported under another name; the entity's id is unique by itself.
func FactMemoryID(entity ID, verb, factID string) ID {
	return DeriveID("fact", string(entity), verb, factID)
}

// RelationType says how one fact bears on another.
type RelationType string

// The types of relations, each read from the first fact to the second.
const (
	DependsOn RelationType = "depends_on" // the first cannot begin before the second is done
	Blocks    RelationType = "blocks"     // the second cannot begin before the first is done
	Causes    RelationType = "causes"     // the second is so because of the first
	PartOf    RelationType = "part_of"    // the first belongs to the second
	Settles   RelationType = "settles"    // the first pays, answers or closes the second
	Replaces  RelationType = "replaces"   // the first takes the place of the second
)

// RelationTypes lists the types in a fixed order.
func RelationTypes() []RelationType {
	return []RelationType{DependsOn, Blocks, Causes, PartOf, Settles, Replaces}
}

// Node is the object of an assertion, shared by all entities of a tenant: a type and a name, such as Location and
// Paris.
type Node struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	EntityRef ID     `json:"entity_ref,omitempty"` // the entity that the node names, if it names one
}

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

// RelationNode is the type of the node of a fact that is a relation.
const RelationNode = "Relation"

// NewRelation returns the assertion of a relation between two facts of one owner about an entity: the fact of a memory,
// without evidence.
func NewRelation(t RelationType, entity ID, from, to *Memory) *Fact {
	f := &Fact{Owner: from.Fact.Owner, EntityID: entity, Verb: string(t), Type: FactRelation,
		Node:     Node{Type: RelationNode, Name: string(from.Fact.AssertionID() + "/" + to.Fact.AssertionID())},
		Polarity: Affirmed, Certainty: Stated, Priority: PriorityNormal,
		Content: map[string]any{"from": string(from.ID), "from_entity": string(from.Fact.EntityID),
			"to": string(to.ID), "to_entity": string(to.Fact.EntityID)}}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	return f
}

// Bounds of relations.
const (
	MaxRelationHops = 3   // the farthest steps of a walk over relations
	MaxRelations    = 500 // the most relations in an answer
)

// AssertionID identifies the assertion of a fact for any entity: it stays the same when the entity is merged.
func (f *Fact) AssertionID() ID { return DeriveID("assertion", f.Verb, f.FactID) }

// ID is the node's name in the graph, for example Location:Paris.
func (n Node) ID() string { return n.Type + ":" + n.Name }

// Precedes returns the assertions that a relation orders, the first before the second: for depends_on and blocks by
// which is done first, for part_of the part first. Other relations define no order.
func (f *Fact) Precedes() (first, then ID, ordered bool) {
	from, to := f.Ends()
	switch RelationType(f.Verb) {
	case DependsOn:
		return to.Assertion, from.Assertion, f.IsRelation()
	case Blocks, PartOf:
		return from.Assertion, to.Assertion, f.IsRelation()
	}
	return "", "", false
}

// RelationEnd is one of the facts that a relation connects.
type RelationEnd struct {
	ID        ID // of the fact's memory when the relation was stated
	Entity    ID // that the fact was of then
	Assertion ID // see [Fact.AssertionID]
}

// Ends returns the two facts that a relation connects; empty ends for other facts.
func (f *Fact) Ends() (from, to RelationEnd) {
	if !f.IsRelation() {
		return from, to
	}
	text := func(name string) ID {
		s, _ := f.Content[name].(string)
		return ID(s)
	}
	a, b, _ := strings.Cut(f.Node.Name, "/")
	return RelationEnd{text("from"), text("from_entity"), ID(a)}, RelationEnd{text("to"), text("to_entity"), ID(b)}
}

// IsRelation reports whether the fact relates two others.
func (f *Fact) IsRelation() bool { return f.Type == FactRelation && f.Node.Type == RelationNode }

// RelateRequest relates a fact to another one of the same owner.
type RelateRequest struct {
	ID         ID           `json:"-" path:"id" doc:"Id of the first fact"`
	Type       RelationType `json:"type" doc:"How the first fact bears on the second" enum:"depends_on,blocks,causes,part_of,settles,replaces"`
	To         ID           `json:"to" doc:"Id of the second fact"`
	Note       string       `json:"note,omitempty" doc:"Why, in your own words; it is kept as what the relation rests on" maxLength:"1024"`
	RequestKey string       `json:"request_key,omitempty" doc:"Idempotency key" header:"Idempotency-Key" maxLength:"255"`
}

// RelationQuery asks for the relations of a fact.
type RelationQuery struct {
	ID   ID     `json:"-" path:"id" doc:"Id of the fact"`
	Hops int    `json:"hops,omitempty" doc:"How many relations away a fact may lie: 1 to 3, 1 if absent" minimum:"1" maximum:"3"`
	AsOf string `json:"as_of,omitempty" doc:"The relations as they were in the world at this time"`
}

// UnrelateRequest takes back a relation of a fact.
type UnrelateRequest struct {
	ID       ID `json:"-" path:"id" doc:"Id of one of the two facts"`
	Relation ID `json:"-" path:"relation" doc:"Id of the relation"`
}

// Unrelated says that a relation is gone.
type Unrelated struct {
	ID ID `json:"id" doc:"Of the relation that was taken back"`
}

// Relation is a relation between two facts in their present state.
type Relation struct {
	ID     ID           `json:"id"` // of its memory
	Type   RelationType `json:"type"`
	From   ID           `json:"from"`
	To     ID           `json:"to"`
	Hops   int          `json:"hops"`   // distance from the requested fact: 1 or more
	Memory Memory       `json:"memory"` // the relation as a fact, with its words
}

// RelationList is the answer to a [RelationQuery]: relations by hops, then id.
type RelationList struct {
	Fact      Memory     `json:"fact"`
	Relations []Relation `json:"relations"`
	Facts     []Memory   `json:"facts"`               // the others that they connect, by ascending id
	Truncated bool       `json:"truncated,omitempty"` // more than [MaxRelations] were found
}

// Profile directs a model's extraction from a text: the types of facts, their relations and their details.
type Profile struct {
	Name string `json:"name" yaml:"name"` // [a-z0-9-]{1,64}
	// Extends names the profile whose rules, types, verbs, topics, categories and examples follow those of this one.
	Extends     string        `json:"extends,omitempty" yaml:"extends"`
	Description string        `json:"description" yaml:"description"`
	Rules       []string      `json:"rules,omitempty" yaml:"rules"` // sentences for the prompt
	Types       []ProfileType `json:"types" yaml:"types"`
	Verbs       []ProfileVerb `json:"verbs" yaml:"verbs"`
	// Topics are the kinds of facts that a model is asked for; none: it is asked for the verbs.
	Topics     []ProfileTopic    `json:"topics,omitempty" yaml:"topics"`
	Categories []ProfileCategory `json:"categories,omitempty" yaml:"categories"`
	Examples   []ProfileExample  `json:"examples,omitempty" yaml:"examples"`
}

// ProfileType is a type of facts.
type ProfileType struct {
	Name        FactType       `json:"name" yaml:"name"`
	Description string         `json:"description" yaml:"description"`
	Time        ProfileTime    `json:"time,omitempty" yaml:"time"`
	Fields      []ProfileField `json:"fields,omitempty" yaml:"fields"`
}

// ProfileTopic is a kind of facts as a model sees it: coarser than the verbs, which it need not know.
type ProfileTopic struct {
	Name        string `json:"name" yaml:"name"`
	Description string `json:"description" yaml:"description"`
	// Verbs are those that its facts are kept under: the first whose node has the form of the value (an age, an e-mail
	// address, a telephone number, the name of a place), or else the last.
	Verbs []string `json:"verbs" yaml:"verbs"`
}

// ProfileTime is the meaning of an expression of time for facts of a type.
type ProfileTime string

// The meanings.
const (
	TimeSince ProfileTime = "since" // it holds from then on; the zero value means the same
	TimeSpan  ProfileTime = "span"  // it is so during that time
	TimeDue   ProfileTime = "due"   // it must be done by then
)

// ProfileField is a detail of a fact.
type ProfileField struct {
	Name        string    `json:"name" yaml:"name"`
	Type        FieldType `json:"type" yaml:"type"`
	Required    bool      `json:"required,omitempty" yaml:"required"` // a fact without it is stored as a candidate
	Description string    `json:"description" yaml:"description"`
	Choices     []string  `json:"choices,omitempty" yaml:"choices"` // of a choice
}

// FieldType is the type of a detail.
type FieldType string

// The types of details.
const (
	FieldText     FieldType = "text"
	FieldNumber   FieldType = "number"   // as said
	FieldDate     FieldType = "date"     // an expression of time, as said; the day is stored
	FieldFlag     FieldType = "flag"     // yes or no
	FieldChoice   FieldType = "choice"   // one of Choices
	FieldCategory FieldType = "category" // one of the profile's categories, by code or name
)

// ProfileVerb is a relation of an entity to a fact node. A name that ends in _ represents all verbs that begin with it.
type ProfileVerb struct {
	Name string   `json:"name" yaml:"name"`
	Type FactType `json:"type" yaml:"type"`
	Node string   `json:"node" yaml:"node"` // type of its fact nodes
	// single: one value at a time, a new one closes the old; multi
	Cardinality string `json:"cardinality" yaml:"cardinality"`
	// it carries an amount, of this [Financial.Type]; other: of none of them
	Money       string `json:"money,omitempty" yaml:"money"`
	Description string `json:"description" yaml:"description"`
}

// Single reports whether the verb holds one value at a time.
func (v ProfileVerb) Single() bool { return v.Cardinality == "single" }

// Covers reports whether the verb is, or represents, the one of the name.
func (v ProfileVerb) Covers(name string) bool {
	return v.Name == name || strings.HasSuffix(v.Name, "_") && len(name) > len(v.Name) &&
		strings.HasPrefix(name, v.Name)
}

// ProfileCategory is a category that facts fall into.
type ProfileCategory struct {
	Code string `json:"code,omitempty" yaml:"code"`
	Name string `json:"name" yaml:"name"`
}

// Title is the category in its stored form: code and name.
func (c ProfileCategory) Title() string {
	if c.Code == "" {
		return c.Name
	}
	return c.Code + " " + c.Name
}

// Called returns the name of a fact in a list: its node, or the words of a record.
func (m *Memory) Called() string {
	if m.Fact.Foreign() {
		return m.Text
	}
	return m.Fact.Node.Name
}

// PlaceholderPrefix begins the made-up words of examples. No language has such words, so a model that copies an example
// gives itself away.
const PlaceholderPrefix = "Zq"

// ProfileExample shows a model the facts of some turns; without facts, that there are none in them.
type ProfileExample struct {
	Turns []ExampleTurn `json:"turns" yaml:"turns"`
	Facts []ExampleFact `json:"facts,omitempty" yaml:"facts"`
}

// ExampleTurn is a turn of an example.
type ExampleTurn struct {
	Role    Role   `json:"role" yaml:"role"`
	Speaker string `json:"speaker,omitempty" yaml:"speaker"`
	Text    string `json:"text" yaml:"text"`
}

// ExampleFact is a fact of an example as a model writes it. Its value holds a word that begins with [PlaceholderPrefix].
type ExampleFact struct {
	Topic      string            `json:"topic" yaml:"topic"` // of the profile, or one of its verbs
	About      string            `json:"about" yaml:"about"`
	Sentence   string            `json:"sentence" yaml:"sentence"`
	Value      string            `json:"value" yaml:"value"`
	Quote      string            `json:"quote" yaml:"quote"` // of one of the turns
	WhoseWords string            `json:"whose_words,omitempty" yaml:"whose_words"`
	TimeWords  string            `json:"time_words,omitempty" yaml:"time_words"`
	Confidence string            `json:"confidence,omitempty" yaml:"confidence"` // stated if left out
	Amount     string            `json:"amount,omitempty" yaml:"amount"`
	Fields     map[string]string `json:"fields,omitempty" yaml:"fields"`
}

// Profiles lists the extraction profiles.
type Profiles struct {
	Items   []Profile `json:"items"`   // by name
	Default string    `json:"default"` // used in the requested scope if a request names none
	// Choices are the choices of the scope's project for roles and phases, then those of its tenant.
	Choices []ProfileChoice `json:"choices,omitempty"`
	Phase   string          `json:"phase,omitempty"` // that the scope's project is in
}

// ProfileChoice makes a profile the default: for statements of people with a role, while a project is in a phase, for
// both together, or, with neither, for all statements.
type ProfileChoice struct {
	Name    string `json:"name"`              // of the profile; empty removes the choice
	Role    string `json:"role,omitempty"`    // the attribute role of the speaker's entity
	Phase   string `json:"phase,omitempty"`   // the attribute phase of the project's entity
	Project string `json:"project,omitempty"` // of the choice; empty: the tenant's choice. Set in answers
}

// ProfileRequest makes such a choice for the scope's project, or its tenant.
type ProfileRequest struct {
	Name  string `json:"name" doc:"Name of the profile; empty takes the choice for a role or a phase back" maxLength:"64"`
	Role  string `json:"role,omitempty" doc:"Only for what people of this role say: the attribute role of the speaker's entity" maxLength:"64"`
	Phase string `json:"phase,omitempty" doc:"Only while the project is in this phase: the attribute phase of its entity" maxLength:"64"`
}

// MaxProfileChoices is how many choices for roles and phases a project, or a tenant, can have.
const MaxProfileChoices = 200

// The attributes of entities that profiles are chosen by.
const (
	AttributeRole  = "role"  // of a person
	AttributePhase = "phase" // of a project
)

// ForeignFact is a fact that another application has derived: a sentence with that application's data about it.
type ForeignFact struct {
	Ref ForeignRef
	// Memory is the fact as stored by the application: text, times, state, trust, version, metadata, and all of Fact
	// except entity, verb, node and evidence. These, ids and scope are derived from Ref. A [Fact.LegacyID] is kept unless
	// another fact has it.
	Memory    Memory
	Successor *ForeignRef  // the fact that replaces it; nil: none
	Former    []ForeignRef // the facts that it replaces
	// Vector is an embedding from the application; nil: none. It is the work of the active generation's model, made
	// from Embedded and no other text.
	Vector   Vector
	Embedded string
}

// ForeignRef names a fact of another application.
type ForeignRef struct {
	Name  string // its location and its id there, for example conversation_facts/4711; unique in the tenant
	Scope Scope  // determines the entity: the project, else the user, else the session, else none
	// Entity is what identifies its subject there, as an entity_id here; then it asserts Verb and Node of that entity.
	// Empty: it is a record about the entity of the scope.
	Entity string
	Verb   string
	Node   Node
}

// ReasonChanged says that a foreign fact is not imported again because somebody has changed it here since; that
// decision is kept.
const ReasonChanged = "changed_here"

// MaxForeignName is the longest name of a foreign fact in bytes.
const MaxForeignName = 200

// ImportedFacts reports the fate of foreign facts.
type ImportedFacts struct {
	Stored    int            // new here
	Updated   int            // changed there since they were imported, and not here
	Unchanged int            // the same as when they were imported
	Refused   map[string]int // not taken, by reason: one of the gate, [ReasonErased], [ReasonChanged]
	Renamed   int            // stored without their number, which another fact has
	Vectors   int            // vectors that were kept: those texts are not embedded again
}

// ForeignNode is the type of the fact nodes for records of other applications. The relation of such a fact is unknown:
// its text contains everything, and only the text is indexed.
const ForeignNode = "ForeignRecord"

// ForeignVerb relates an entity to the records of other applications about it.
const ForeignVerb = "has_record"

// Foreign reports whether the fact was imported from another application.
func (f *Fact) Foreign() bool { return f.Node.Type == ForeignNode && f.Verb == ForeignVerb }
