package cairn

// ForeignFact is a fact that another application has derived and kept: a sentence with what that application knows
// about it.
type ForeignFact struct {
	Ref ForeignRef
	// Memory is the fact as the application has it: text, times, state, trust, version, metadata, and all of Fact
	// except entity, verb, node and evidence. Ids and scope are derived from Ref. A [Fact.LegacyID] is kept unless
	// another fact has it.
	Memory    Memory
	Successor *ForeignRef  // what holds instead; nil: nothing does
	Former    []ForeignRef // what it holds instead of
	// Vector is an embedding from the application; nil: none. The model of the active generation has made it, from the
	// text Embedded alone.
	Vector   Vector
	Embedded string
}

// ForeignRef names a fact of another application.
type ForeignRef struct {
	Name  string // where it lies and its id there, for example conversation_facts/4711; unique in the tenant
	Scope Scope  // determines the entity: the user, else the project, else the session, else none
}

// ReasonChanged is why a foreign fact is not taken again that somebody has changed here since: what was decided here
// is kept.
const ReasonChanged = "changed_here"

// MaxForeignName is the longest name of a foreign fact in bytes.
const MaxForeignName = 200

// ImportedFacts tells what became of foreign facts.
type ImportedFacts struct {
	Stored    int            // new here
	Updated   int            // changed there since they were imported, and not here
	Unchanged int            // as they were when they were imported
	Refused   map[string]int // not taken, by reason: one of the gate, [ReasonErased], [ReasonChanged]
	Renamed   int            // stored without their number, which another fact has
	Vectors   int            // vectors that were kept: those texts are not embedded again
}

// ForeignNode is the type of the fact nodes that stand for a record of another application. It is unknown what such a
// fact relates: its text contains everything, and is all that is indexed.
const ForeignNode = "ForeignRecord"

// ForeignVerb relates an entity to the records of other applications about it.
const ForeignVerb = "has_record"

// Foreign reports whether the fact was imported from another application.
func (f *Fact) Foreign() bool { return f.Node.Type == ForeignNode && f.Verb == ForeignVerb }
