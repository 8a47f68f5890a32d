package trilith

import "strings"

// Profile says what a model extracts from a text: which types of facts, in which relations, with which details.
type Profile struct {
	Name string `json:"name" yaml:"name"` // [a-z0-9-]{1,64}
	// Extends names the profile whose rules, types, verbs, categories and examples follow those of this one.
	Extends     string            `json:"extends,omitempty" yaml:"extends"`
	Description string            `json:"description" yaml:"description"`
	Rules       []string          `json:"rules,omitempty" yaml:"rules"` // sentences for the prompt
	Types       []ProfileType     `json:"types" yaml:"types"`
	Verbs       []ProfileVerb     `json:"verbs" yaml:"verbs"`
	Categories  []ProfileCategory `json:"categories,omitempty" yaml:"categories"`
	Examples    []ProfileExample  `json:"examples,omitempty" yaml:"examples"`
}

// ProfileType is a type of facts.
type ProfileType struct {
	Name        FactType       `json:"name" yaml:"name"`
	Description string         `json:"description" yaml:"description"`
	Time        ProfileTime    `json:"time,omitempty" yaml:"time"`
	Fields      []ProfileField `json:"fields,omitempty" yaml:"fields"`
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

// PlaceholderPrefix begins the made-up words of examples. No language has such words, so a model that copies an example
// gives itself away.
const PlaceholderPrefix = "Zq"

// ProfileExample shows a model the facts of some turns; without facts, that there are none in them.
type ProfileExample struct {
	Known []ExampleKnown `json:"known,omitempty" yaml:"known"` // numbered from 101
	Turns []ExampleTurn  `json:"turns" yaml:"turns"`
	Facts []ExampleFact  `json:"facts,omitempty" yaml:"facts"`
}

// ExampleKnown is a fact that is known before the turns of an example.
type ExampleKnown struct {
	About  string `json:"about" yaml:"about"`
	Verb   string `json:"verb" yaml:"verb"`
	Object string `json:"object" yaml:"object"`
	Text   string `json:"text" yaml:"text"`
}

// ExampleTurn is a turn of an example.
type ExampleTurn struct {
	Role    Role   `json:"role" yaml:"role"`
	Speaker string `json:"speaker,omitempty" yaml:"speaker"`
	Text    string `json:"text" yaml:"text"`
}

// ExampleFact is a fact of an example. Its object holds a word that begins with [PlaceholderPrefix].
type ExampleFact struct {
	Why     string            `json:"why" yaml:"why"`
	Type    FactType          `json:"type" yaml:"type"`
	Subject string            `json:"subject" yaml:"subject"`
	Verb    string            `json:"verb" yaml:"verb"`
	Object  string            `json:"object" yaml:"object"`
	Text    string            `json:"text" yaml:"text"`
	Turn    int               `json:"turn" yaml:"turn"` // from 1
	Quote   string            `json:"quote" yaml:"quote"`
	Fields  map[string]string `json:"fields,omitempty" yaml:"fields"`

	// These fields are set only if they differ from the default.
	Polarity   Polarity  `json:"polarity,omitempty" yaml:"polarity"`
	Certainty  Certainty `json:"certainty,omitempty" yaml:"certainty"`
	TimePhrase string    `json:"time_phrase,omitempty" yaml:"time_phrase"`
	EndPhrase  string    `json:"end_phrase,omitempty" yaml:"end_phrase"`
	RefersTo   []int     `json:"refers_to,omitempty" yaml:"refers_to"` // turns, and known facts from 101
	Relation   string    `json:"relation,omitempty" yaml:"relation"`
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

// MaxProfileChoices is how many choices for roles and phases a project, or a tenant, can have.
const MaxProfileChoices = 200

// The attributes of entities that profiles are chosen by.
const (
	AttributeRole  = "role"  // of a person
	AttributePhase = "phase" // of a project
)
