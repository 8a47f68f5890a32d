package trilith

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
	Aliases  []string  `json:"aliases,omitempty" yaml:"aliases"`   // other words for it, beside the label
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
	Text string `json:"text" doc:"What the person says, verbatim" minLength:"1" maxLength:"8192"`
	// RequestKey makes the answer idempotent, as in [RememberRequest].
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`
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

// DomainGaps lists what is known of a domain and what is missing.
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
