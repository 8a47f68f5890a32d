package trilith

import "strings"

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

// RelationNode is the type of the node of a fact that is a relation.
const RelationNode = "Relation"

// Bounds of relations.
const (
	MaxRelationHops = 3   // the farthest steps of a walk over relations
	MaxRelations    = 500 // the most relations in an answer
)

// AssertionID identifies the assertion of a fact for any entity: it stays the same when the entity is merged.
func (f *Fact) AssertionID() ID { return DeriveID("assertion", f.Verb, f.FactID) }

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

// IsRelation reports whether the fact relates two others.
func (f *Fact) IsRelation() bool { return f.Type == FactRelation && f.Node.Type == RelationNode }

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

// RelateRequest relates a fact to another one of the same owner.
type RelateRequest struct {
	Type       RelationType `json:"type" doc:"How the first fact bears on the second" enum:"depends_on,blocks,causes,part_of,settles,replaces"`
	To         ID           `json:"to" doc:"Id of the second fact"`
	Note       string       `json:"note,omitempty" doc:"Why, in your own words; it is kept as what the relation rests on" maxLength:"1024"`
	RequestKey string       `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`
}

// RelationQuery asks for the relations of a fact.
type RelationQuery struct {
	Hops int    // 1 to [MaxRelationHops], 1 if 0
	AsOf string // the relations in the world as of this time
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
