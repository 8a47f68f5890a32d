package trilith

// TellRequest states a fact as data: for programs that extract facts themselves, and for systems of record. It passes the
// gate as words do, and what is known takes it as a statement: an equal fact gains evidence, an unequal value of a
// single-valued verb is replaced, or contradicted. A verb or a topic has a value, or a sentence in its place; a sentence
// alone is a fact in free text.
type TellRequest struct {
	Subject *Identifier `json:"subject,omitempty" doc:"Whom or what it is about; made if it is not known. If absent, the project of the scope for matters of a project, else who speaks in the evidence, else the user, project or session of the scope"`
	Verb    string      `json:"verb,omitempty" doc:"How the subject relates to the value, such as lives_in" maxLength:"64" pattern:"^[a-z0-9_]+$" patternDescription:"a-z 0-9 _"`
	Topic   string      `json:"topic,omitempty" doc:"Instead of a verb: a key of your own, which has one value at a time" maxLength:"255"`
	// Value is the object; ValueType is that of the verb or of an equal fact, if they are known.
	Value        string         `json:"value,omitempty" doc:"The value of the verb or the topic" maxLength:"255"`
	ValueType    string         `json:"value_type,omitempty" doc:"What the value is, such as Location; that of the verb if absent" maxLength:"64" pattern:"^[A-Za-z0-9_]+$" patternDescription:"A-Z a-z 0-9 _"`
	Sentence     string         `json:"sentence,omitempty" doc:"The fact in words, which contain the value; made from subject, verb and value if absent" maxLength:"4000"`
	SingleValued bool           `json:"single_valued,omitempty" doc:"A verb of your own holds one value at a time; a verb that rules know says so itself"`
	FactType     FactType       `json:"fact_type,omitempty" doc:"Type of the fact; that of the verb if absent, else other" maxLength:"64" pattern:"^[a-z0-9_]+$" patternDescription:"a-z 0-9 _"`
	Content      map[string]any `json:"content,omitempty" doc:"Further details"`
	Financial    *Financial     `json:"financial,omitempty" doc:"The money of the fact; its amount is a decimal"`

	Priority       Priority `json:"priority,omitempty" doc:"normal if absent" enum:"critical,high,normal,low"`
	RequiresAction bool     `json:"requires_action,omitempty" doc:"Something is to be done about it"`
	ActionDeadline string   `json:"action_deadline,omitempty" doc:"By when"`

	// Evidence are the words that the fact rests on; nil: its sentence, which is then stored as its record.
	Evidence   *ToldEvidence `json:"evidence,omitempty" doc:"The words that it rests on; if absent the sentence, stored as it stands"`
	ValidFrom  string        `json:"valid_from,omitempty" doc:"Since when it holds; if absent since the evidence was said"`
	ValidUntil string        `json:"valid_until,omitempty" doc:"When it ends to hold; never if absent"`
	Confidence *float64      `json:"confidence,omitempty" doc:"0 to 1; 0.9 if absent" minimum:"0" maximum:"1"`
	ExternalID string        `json:"external_id,omitempty" doc:"Your own id: the same request with it answers the same fact, another one is a conflict" maxLength:"255"`
	Source     *SystemRef    `json:"source,omitempty" doc:"The record of a system that your key may speak for: it verifies an equal fact, and is a conflict with an unequal one"`
}

// ToldEvidence names a stored memory, a quote from it, or words that are stored with the fact.
type ToldEvidence struct {
	ID    ID     `json:"id,omitempty" doc:"Id of a memory that was said, noted or written; if absent, quote is stored"`
	Quote string `json:"quote,omitempty" doc:"The words, verbatim; if absent the sentence of the memory with the value, else all of it" maxLength:"4000"`
}

// SystemRef names a record of another system.
type SystemRef struct {
	System string `json:"system" doc:"Name of the system" minLength:"1" maxLength:"64"`
	ID     string `json:"id,omitempty" doc:"Its id of the record" maxLength:"255"`
}

// ToldType is the type of the notes that are records of told facts.
const ToldType = "told"

// ToldRule begins the rule of told facts; the system that told it follows, if one did.
const ToldRule = "told:"

// BySystem begins the name of a verifier that is a system.
const BySystem = "system:"
