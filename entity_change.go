package trilith

import "time"

// Limits of one entity for manual additions.
const (
	MaxIdentifiers = 64
	MaxAliases     = 64
)

// EntityUpdate changes an entity; empty fields leave it unchanged. Removing an absent name or identifier is no error,
// nor is adding an existing one.
type EntityUpdate struct {
	Name              *string        `json:"name,omitempty" doc:"What it is called" minLength:"1" maxLength:"255"`
	Type              *string        `json:"type,omitempty" doc:"person, project, organisation, thing, session or a word of your own" minLength:"1" maxLength:"64"`
	AddIdentifiers    []Identifier   `json:"add_identifiers,omitempty" doc:"Further names from outside; conflict if another entity has one of them" maxItems:"64"`
	RemoveIdentifiers []Identifier   `json:"remove_identifiers,omitempty" doc:"Identifiers that lead here no longer; one has to be left" maxItems:"64"`
	AddAliases        []string       `json:"add_aliases,omitempty" doc:"Other names that it goes by" maxItems:"64"`
	RemoveAliases     []string       `json:"remove_aliases,omitempty" maxItems:"64"`
	SetAttributes     map[string]any `json:"set_attributes,omitempty" doc:"Your own data, one value a name"`
	RemoveAttributes  []string       `json:"remove_attributes,omitempty" doc:"Names of attributes" maxItems:"64"`
	Version           int64          `json:"version,omitempty" doc:"Refuse with conflict unless the entity has this version"`
}

// EntityAction is what happened to an entity.
type EntityAction string

// The actions.
const (
	EntityCreated EntityAction = "created"
	EntityUpdated EntityAction = "updated"
	EntityMerged  EntityAction = "merged"    // Other was merged into it
	EntityGone    EntityAction = "merged_in" // it was merged into Other
	EntitySplit   EntityAction = "split"     // Other was taken out of it
	EntityOut     EntityAction = "split_out" // it was taken out of Other
)

// EntityChange is one step in the history of an entity.
type EntityChange struct {
	EntityID ID           `json:"entity_id"`
	Seq      int64        `json:"seq"` // 1 at first, without gaps
	At       time.Time    `json:"at"`
	By       string       `json:"by,omitempty"` // the actor
	Action   EntityAction `json:"action"`
	Other    ID           `json:"other,omitempty"`
	Added    EntityParts  `json:"added,omitzero"`   // what the step added
	Removed  EntityParts  `json:"removed,omitzero"` // what the step removed
}

// EntityParts are parts of an entity.
type EntityParts struct {
	Name        string         `json:"name,omitempty"`
	Type        string         `json:"type,omitempty"`
	Identifiers []Identifier   `json:"identifiers,omitempty"`
	Aliases     []string       `json:"aliases,omitempty"`
	Attributes  map[string]any `json:"attributes,omitempty"`
}

// EntityHistory is one page of the changes of an entity, newest first.
type EntityHistory struct {
	Items      []EntityChange `json:"items"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// EntityMerge records the state before a merge, so that the merge can be undone.
type EntityMerge struct {
	Into  ID          `json:"into"`
	From  ID          `json:"from"`
	At    time.Time   `json:"at"`
	Came  EntityParts `json:"came,omitzero"`   // what Into received
	Named []ID        `json:"named,omitempty"` // facts of others whose node named From
	Facts []Memory    `json:"facts,omitempty"` // of both, for the verbs of From's facts
}

// SplitRequest takes a part of an entity out of it: into a new one, or, with Merged, all that was merged in with an
// entity back into that one.
type SplitRequest struct {
	Merged      ID           `json:"merged,omitempty" doc:"Undo the merge of this entity, the last one that was merged in; nothing else may be set then but version"`
	Identifiers []Identifier `json:"identifiers,omitempty" doc:"Identifiers of the new entity; at least one, and one has to be left" maxItems:"64"`
	Aliases     []string     `json:"aliases,omitempty" doc:"Aliases that go along" maxItems:"64"`
	Name        string       `json:"name,omitempty" doc:"Name of the new entity; that of its first identifier if absent" maxLength:"255"`
	Facts       []ID         `json:"facts,omitempty" doc:"Facts that are the new entity's" maxItems:"1000"`
	Version     int64        `json:"version,omitempty" doc:"Refuse with conflict unless the entity has this version"`
}

// SplitResult holds both sides of a split.
type SplitResult struct {
	Kept Entity `json:"kept"` // the rest of the entity
	Out  Entity `json:"out"`  // the new entity, split from it

	Change ID `json:"change,omitempty"` // undoes it; see [Undone]
}

// MaxAround is the largest number of facts in a bounded neighborhood: as many as a person can look at.
const MaxAround = 60

// NeighborhoodQuery selects a part of an entity's neighborhood.
type NeighborhoodQuery struct {
	Hops int `json:"hops,omitempty"` // 0 to 2
	// Limit bounds the facts, and with them the nodes of a picture, 1 to MaxAround: those that name an entity first,
	// then the latest. 0: as many as an answer holds.
	Limit int `json:"limit,omitempty"`
	// AsOf restricts the walk to facts that held in the world at a time. Steps then lead from entity to entity only,
	// not along sources; the same applies with a limit.
	AsOf string `json:"as_of,omitempty"`
}

// Neighborhood is an entity with the facts and entities around it.
type Neighborhood struct {
	Entity   Entity   `json:"entity"`
	Facts    []Memory `json:"facts"`    // active ones: its own, those that name it, and those reached by hops
	Entities []Entity `json:"entities"` // the others that the facts are about or name, by ascending id
	// Truncated says that facts or entities were left out at MaxPageBytes. Take fewer hops, or list them.
	Truncated bool `json:"truncated,omitempty"`
	// Cut counts the facts that were left out at the limit.
	Cut int `json:"cut,omitempty"`
	// More counts, by entity, the facts about it that hold and are not among Facts; of a bounded neighborhood.
	More map[ID]int `json:"more,omitempty"`
}
