package trilith

// ForeignFact is a fact that another application has derived: a sentence with that application's data about it.
type ForeignFact struct {
	Ref ForeignRef
	// Memory is the fact as stored by the application: text, times, state, trust, version, metadata, and all of Fact
	// except entity, verb, node and evidence. These, ids and scope are derived from Ref. A [Fact.LegacyID] is kept unless
	// another fact has it.
	Memory    Memory
	Successor *ForeignRef  // the fact that replaces it; nil: none
	Former    []ForeignRef // the facts that it replaces
	// Vector is an embedding from the application; nil: none. The model of the active generation has made it, from the
	// text Embedded alone.
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

// ImportedFacts says what happened to foreign facts.
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

// Called returns what a fact is called in a list: its node, or the words of a record.
func (m *Memory) Called() string {
	if m.Fact.Foreign() {
		return m.Text
	}
	return m.Fact.Node.Name
}
