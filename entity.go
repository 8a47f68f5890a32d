package trilith

import (
	"slices"
	"time"
)

// Identifier names an entity from outside: an e-mail address, a phone number, a user id, a name.
type Identifier struct {
	Type  string `json:"type" doc:"email, phone, user_id, name or a word of your own" minLength:"1" maxLength:"64"`
	Value string `json:"value" doc:"The identifier" minLength:"1" maxLength:"255"`
	// Owner is within whom a name means somebody. Every other identifier is the tenant's.
	Owner Owner `json:"owner,omitempty" doc:"Within whom a name means somebody: user:…, project:… or session:…; in answers only"`
}

// Entity is a person or thing that facts are about. One that was merged into another keeps its record and points to the
// survivor, which has its facts and identifiers.
type Entity struct {
	ID ID `json:"id"`
	// with whom it is at home: within whom its names mean it; empty: the tenant
	Owner       Owner          `json:"owner,omitempty"`
	Type        string         `json:"type"` // person, project, organisation, thing, session
	Name        string         `json:"name"`
	Identifiers []Identifier   `json:"identifiers"`
	Aliases     []string       `json:"aliases,omitempty"`
	Attributes  map[string]any `json:"attributes,omitempty"`
	CreatedAt   time.Time      `json:"created_at"`
	// those that were merged into it, oldest first; the last can be split off again
	Merged     []ID  `json:"merged,omitempty"`
	MergedInto ID    `json:"merged_into,omitempty"` // the survivor, if it was merged itself
	Changes    int64 `json:"changes,omitempty"`     // the number of steps in its history
	Version    int64 `json:"version"`               // raised by every change, also of its facts
	Masking          // in the answer to an update; never stored
	Change     ID    `json:"change,omitempty"` // in the answer to a merge: undoes it; never stored
}

// AssimilateRequest stores content about an entity and the facts that follow from it.
type AssimilateRequest struct {
	Identifier Identifier `json:"identifier" doc:"Whom or what the content is about; made if it is not known"`
	Content    string     `json:"content" doc:"What was said or written" minLength:"1"`
	Role       Role       `json:"role,omitempty" doc:"Role of the speaker: user if empty" enum:"user,assistant,system,tool"`
	Speaker    string     `json:"speaker,omitempty" doc:"Name of the person who spoke; the entity if empty" maxLength:"255"`
	Timestamp  string     `json:"timestamp,omitempty" doc:"When it was said; now if empty"`
	ExternalID string     `json:"external_id,omitempty" doc:"Your own id; storing it again changes nothing" maxLength:"255"`
	RequestKey string     `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`
	Extract    Extraction `json:"extract,omitempty" doc:"How facts are derived: auto if empty" enum:"none,rules,llm,auto"`
	Profile    string     `json:"profile,omitempty" doc:"What a model is to look for: the name of an extraction profile; that of the project or tenant if empty" maxLength:"64"`
	// Wait says how far to go before answering: until the words are stored, the facts are derived too, or both have
	// their vectors.
	Wait Wait `json:"wait,omitempty" doc:"How far to go before answering: stored (the words, and facts that rules find at once), extracted (all facts), indexed (their vectors too); if absent, as indexed with at most 5 s for vectors" enum:"stored,extracted,indexed"`
}

// AssimilateResult is the outcome of a request. The words are stored in any case.
type AssimilateResult struct {
	Entity   Entity   `json:"entity"`
	SourceID ID       `json:"source_id,omitempty"`
	Masked   int      `json:"masked,omitempty"`    // secrets replaced before storing
	MaskedIn []string `json:"masked_in,omitempty"` // where the masked secrets were
	Facts    []Memory `json:"assimilated_facts"`
	// Pending says that some facts are not derived yet, or that the results requested by Wait were not ready in time.
	// The job JobID continues in the background, and is retried if it fails; Facts are those known so far.
	Pending bool `json:"pending,omitempty"`
	JobID   ID   `json:"job_id,omitempty"`
	// ModelError says why a model has added nothing yet to the facts that rules found.
	ModelError string `json:"model_error,omitempty" doc:"Why a model has added nothing yet to the facts that rules found; job_id is its job"`
	Usage      *Usage `json:"usage,omitempty"` // of models for it so far; nil without one
}

// LookupRequest asks for the facts of one entity: all of them, or with a RAG query those that matter for it.
type LookupRequest struct {
	Identifier Identifier `json:"identifier"`
	AsOf       string     `json:"as_of,omitempty" doc:"The facts as they were in the world at this time"`
	KnownAt    string     `json:"known_at,omitempty" doc:"The facts as they were known at this time"`
	Query      string     `json:"rag_query,omitempty" doc:"What the facts should matter for; all facts of the entity if absent" maxLength:"8192"`
	TopK       int        `json:"rag_top_k,omitempty" doc:"Facts at most that match the query: 1 to 200, 10 if absent" default:"10" minimum:"1" maximum:"200"`
	// MinScore is a cosine where cosines carry a meaning: see [ScaleCosine].
	MinScore      float64 `json:"rag_min_score,omitempty" doc:"Leave out facts below; 0 to 1" minimum:"0" maximum:"1"`
	ExpandHops    int     `json:"rag_expand_hops,omitempty" doc:"Steps to walk from the facts that match: 0 to 2" default:"0" minimum:"0" maximum:"2"`
	Debug         bool    `json:"rag_debug,omitempty" doc:"Say how the facts were found" default:"false"`
	IncludeStates []State `json:"states,omitempty" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent" explode:"true"`
}

// LookupResult is the entity with its facts: by falling score for a query, otherwise in a natural order (identity,
// home, work, health, people, tastes, things, plans, tasks, matters of projects), the newest of each first, ties by id.
type LookupResult struct {
	Entity Entity   `json:"entity"`
	Facts  []Memory `json:"facts"`
	Scale  Scale    `json:"scale,omitempty"` // of the score that MinScore was compared with; empty without a query
	// Also are other entities whose facts are among these: of a user the name that they speak under, and the reverse.
	Also []ID `json:"also,omitempty" doc:"Other entities whose facts are among these: of a user with one speaker that speaker, and the reverse"`
	// Truncated says that facts were left out at MaxPageBytes. Ask with a query, or list them.
	Truncated bool        `json:"truncated,omitempty"`
	Debug     *LookupNote `json:"rag_debug,omitempty"`
	Coverage
}

// LookupNote says how the facts of a lookup were found.
type LookupNote struct {
	Query         string             `json:"query"`
	TopK          int                `json:"top_k"`
	MinScore      *float64           `json:"min_score"` // null if none was given
	Scale         Scale              `json:"scale"`     // of the scores
	Hits          []LookupHit        `json:"vector_hits"`
	VerifiedCount int                `json:"verified_count"`
	OrphanCount   int                `json:"orphan_count"`
	TimingsMS     map[string]float64 `json:"timings_ms"`
	Coverage
}

// LookupHit is one fact that a lookup examined, and its judgement by the graph.
type LookupHit struct {
	Collection      string  `json:"collection"`
	ID              ID      `json:"id"`
	FactID          string  `json:"fact_id"`
	Verb            string  `json:"verb"`
	RelationshipKey string  `json:"relationship_key"`
	Score           float64 `json:"score"`
	Verified        bool    `json:"verified"`
	// why it was left out: see [Drop]. If the graph does not contain it, this is all that is known
	Reason string `json:"reason,omitempty"`
}

// CardTokens is the most tokens of a card.
const CardTokens = 200

// CardRequest asks who somebody is.
type CardRequest struct {
	Identifier Identifier `json:"identifier"`
	AsOf       string     `json:"as_of,omitempty" doc:"The facts as they were in the world at this time"`
	KnownAt    string     `json:"known_at,omitempty" doc:"The facts as they were known at this time"`
}

// Card describes a person in at most [CardTokens] tokens, one line a slot: who, home, work and study, people,
// animals, health and food, contact, languages and skills, standing instructions, tasks. The newest value comes
// first, with the day on which it was said or since which it holds. A card lists facts that were stated and still
// hold, no candidates. Facts about health count only if the person stated them. Its labels are German if most of the
// quotes are, else English. A reader whose scope names the person as its user is addressed as "you". The text is
// empty if no known fact fits a slot.
type Card struct {
	Entity Entity `json:"entity"`
	Text   string `json:"text" doc:"One line a slot; empty if nothing is known that belongs into a card"`
	Tokens int    `json:"tokens"`
	Facts  int    `json:"facts" doc:"How many facts belong into the card"`
	Left   int    `json:"left" doc:"How many of them it has no room for"`
}

// SummaryResult is a lookup in words.
type SummaryResult struct {
	Entity    Entity      `json:"entity"`
	Summary   string      `json:"summary"` // it says so if nothing is known
	FactCount int         `json:"fact_count"`
	Debug     *LookupNote `json:"rag_debug,omitempty"`
	Coverage
}

// EntitySort is an order of found entities.
type EntitySort string

// The orders; ties run by ascending id.
const (
	EntitiesByName  EntitySort = "name"  // ascending
	EntitiesByFacts EntitySort = "facts" // by falling number of facts that hold
	EntitiesByHeard EntitySort = "heard" // those with the most recently stored memories first
)

// EntityQuery searches for entities by name.
type EntityQuery struct {
	Limit  int    `json:"limit,omitempty" doc:"Entities per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	// Text is part of a name, an alias or an identifier, regardless of case; entities with exactly that name come
	// first. Empty: all.
	Text string     `json:"q,omitempty" doc:"What is in a name, an alias or an identifier" maxLength:"255"`
	Type string     `json:"type,omitempty" doc:"person, project, organisation, thing or session" maxLength:"64"`
	Sort EntitySort `json:"sort,omitempty" doc:"By name, by falling number of facts, or by when something was stored last; facts if absent" enum:"name,facts,heard"`
}

// EntitiesQuery pages through entities.
type EntitiesQuery struct {
	Limit  int    `json:"limit,omitempty" doc:"Entities per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// FoundEntity is an entity and how much is known of it.
type FoundEntity struct {
	Entity Entity `json:"entity"`
	EntityTally
}

// EntityTally counts the facts that are about an entity.
type EntityTally struct {
	ID    ID        `json:"-"`
	Facts int       `json:"facts"`               // that hold
	Past  int       `json:"past"`                // facts that no longer hold, without forgotten ones
	Heard time.Time `json:"last_heard,omitzero"` // when the last of them was stored
}

// EntityList is a page of entities. A scope narrower than its tenant finds only entities with a fact that it sees.
type EntityList struct {
	Items      []FoundEntity `json:"items"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

// EntityFactsQuery asks for facts of an entity.
type EntityFactsQuery struct {
	ID ID `json:"-" path:"id" doc:"Id of the entity"`
	// States are the states of the facts; if empty, all but quarantined and forgotten ones, or those that held at AsOf.
	States  []State `json:"states,omitempty" explode:"true" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"`
	AsOf    string  `json:"as_of,omitempty" doc:"Only what held in the world at this time"`
	KnownAt string  `json:"known_at,omitempty" doc:"Only what was known at this time"`
}

// EntityPage is one page of a listing of entities, by ascending id.
type EntityPage struct {
	Items      []Entity `json:"items"`
	NextCursor string   `json:"next_cursor,omitempty"`
}

// Limits of one entity for manual additions.
const (
	MaxIdentifiers = 64
	MaxAliases     = 64
)

// EntityUpdate changes an entity; empty fields leave it unchanged. Removing an absent name or identifier is no error,
// nor is adding an existing one.
type EntityUpdate struct {
	ID                ID             `json:"-" path:"id" doc:"Id of the entity"`
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

// EntityAction is an event in an entity's history.
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
	Added    EntityParts  `json:"added,omitzero"`   // the parts that the step added
	Removed  EntityParts  `json:"removed,omitzero"` // the parts that the step removed
}

// EntityParts are parts of an entity.
type EntityParts struct {
	Name        string         `json:"name,omitempty"`
	Type        string         `json:"type,omitempty"`
	Identifiers []Identifier   `json:"identifiers,omitempty"`
	Aliases     []string       `json:"aliases,omitempty"`
	Attributes  map[string]any `json:"attributes,omitempty"`
}

// EntityHistoryQuery pages through the changes of an entity.
type EntityHistoryQuery struct {
	ID     ID     `json:"-" path:"id" doc:"Id of the entity"`
	Limit  int    `json:"limit,omitempty" doc:"Changes per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// MergeRequest makes an entity a part of another one.
type MergeRequest struct {
	ID   ID `json:"-" path:"id" doc:"Id of the entity"`
	From ID `json:"from" doc:"The entity that becomes part of this one" minLength:"1"`
}

// Repeatable reports that merging twice is merging once.
func (MergeRequest) Repeatable() bool { return true }

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
	Came  EntityParts `json:"came,omitzero"`   // the parts that Into received
	Named []ID        `json:"named,omitempty"` // facts of others whose node named From
	Facts []Memory    `json:"facts,omitempty"` // of both, for the verbs of From's facts
}

// SplitRequest takes a part of an entity out of it: into a new one, or, with Merged, all that was merged in with an
// entity back into that one.
type SplitRequest struct {
	ID          ID           `json:"-" path:"id" doc:"Id of the entity"`
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
	ID   ID  `json:"-" path:"id" doc:"Id of the entity"`
	Hops int `json:"hops,omitempty" doc:"Steps to walk from the facts about the entity and those that name it: 0 to 2" minimum:"0" maximum:"2"`
	// Limit bounds the facts, and with them the nodes of a picture, 1 to MaxAround: those that name an entity first,
	// then the latest. 0: as many as an answer holds.
	Limit int `json:"limit,omitempty" doc:"Facts at most, 1 to 60: those that name an entity first, then the latest; steps then lead from entity to entity. As many as an answer holds if absent" minimum:"1" maximum:"60"`
	// AsOf restricts the walk to facts that held in the world at a time. Steps then lead from entity to entity only,
	// not along sources; the same applies with a limit.
	AsOf string `json:"as_of,omitempty" doc:"As it was in the world at this time; steps then lead from entity to entity"`
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

// Bounds and defaults of a search for similar entries.
const (
	DefaultSimilar  = 5
	MaxSimilar      = 50
	DefaultMinScore = 0.7 // for generations whose cosine is meaningful by itself
	// DefaultMinFused is for fused scores, if no cosine is meaningful by itself: texts that share only common words
	// with the query score lower.
	DefaultMinFused = 0.14
)

// EntryRequest stores a knowledge entry. Its domain is that of the scope.
type EntryRequest struct {
	Entry
	ExternalID string         `json:"external_id,omitempty" doc:"Your own id of the entry; storing it again changes nothing and returns the stored entry" maxLength:"255"`
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it stops being valid and is no longer found; never if empty" example:"2025-12-31T12:00:00Z"`
	Wait       Wait           `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed"`
	Imported   bool           `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported"`
	RequestKey string         `json:"request_key,omitempty" header:"Idempotency-Key" doc:"Idempotency key" maxLength:"255"`
}

// Repeatable reports whether sending the request twice is as good as once.
func (r EntryRequest) Repeatable() bool { return r.ExternalID != "" }

// PutRequest stores a knowledge entry under a key of the caller, and replaces the entry under that key. The key is the
// entry's external id, and belongs to exactly the scope of the request.
type PutRequest struct {
	Key string `json:"-" path:"key" doc:"Your own key of the entry; a slash in it is written %2F" maxLength:"255"`
	Entry
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it stops being valid and is no longer found; never if empty" example:"2025-12-31T12:00:00Z"`
	Wait       Wait           `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed"`
	Imported   bool           `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported"`
	Version    int64          `json:"version,omitempty" doc:"Refuse with conflict unless the entry has this version" minimum:"0"`
	IfAbsent   bool           `json:"if_absent,omitempty" doc:"Refuse with conflict if the key has an entry"`
}

// Repeatable reports whether sending the request twice is as good as once.
func (r PutRequest) Repeatable() bool { return r.Version == 0 && !r.IfAbsent }

// Owner says to whom an assertion belongs. Two assertions are compared (support, replace, end or contradict each other)
// exactly if they have the same owner. It is the user for statements of a person about themselves and their people, the
// project for matters of the project, else the session, else the tenant, which is the empty owner. Session, agent and
// channel say where it was said.
type Owner string

// Fixed says that a caller is fixed to something else than a user or a project, and names these freely: see
// [Scope.Within].
type Fixed struct {
	NotAsUser    bool `json:"not_as_user,omitempty"`
	NotAsProject bool `json:"not_as_project,omitempty"`
}

// Owner is the owner of statements in the scope about the speakers and their people.
func (s Scope) Owner() Owner {
	switch {
	case s.User != "" && !s.Fixed.NotAsUser:
		return UserOwner(s.User)
	case s.Project != "" && !s.Fixed.NotAsProject:
		return ProjectOwner(s.Project)
	case s.Session != "":
		return SessionOwner(s.Session)
	}
	return ""
}

// The kinds of owners, written before their names.
const (
	ownerUser    = "user:"
	ownerProject = "project:"
	ownerSession = "session:"
)

// SessionOwner returns the owner of statements in a session without a user or a project.
func SessionOwner(session string) Owner { return Owner(ownerSession + session) }

// MatterOwner returns the owner of statements in the scope about its subject matter: its project if it has one.
func (s Scope) MatterOwner() Owner {
	if s.Project != "" && !s.Fixed.NotAsProject {
		return ProjectOwner(s.Project)
	}
	return s.Owner()
}

// SeesMemory is Sees of a memory.
func (s Scope) SeesMemory(m *Memory) bool { return s.Sees(m.Scope, m.Owner()) }

// SeesFacets is Sees of a memory by its facets.
func (s Scope) SeesFacets(f *Facets) bool { return s.Sees(f.Scope, f.Owner()) }

// A View lets a scope see facts that were said outside it: the facts of an owner that it names, said anywhere in
// Scope.
type View struct {
	Owner Owner
	Scope Scope
}

// Sees reports whether a memory of the scope m with an owner is visible from s: if s covers m, or names the owner of a
// fact. Every store and index narrows by it.
func (s Scope) Sees(m Scope, owner Owner) bool {
	if s.Covers(m) {
		return true
	}
	if owner == "" {
		return false
	}
	return slices.ContainsFunc(s.Views(), func(v View) bool { return v.Owner == owner && v.Scope.Covers(m) })
}

// Views returns how the scope sees memories that are not in it. A user's own facts are visible in every project,
// session, agent and channel of the user, and a project's facts to everyone who may read the project; a domain narrows
// both, and so does a caller's bound.
func (s Scope) Views() []View {
	var out []View
	if s.User != "" && !s.Fixed.NotAsUser && s.Project+s.Agent+s.Session+s.Channel != "" {
		out = append(out, View{UserOwner(s.User),
			s.Bound.Fill(Scope{Tenant: s.Tenant, Domain: s.Domain, User: s.User})})
	}
	if s.Project != "" && !s.Fixed.NotAsProject && s.User+s.Agent+s.Session+s.Channel != "" {
		out = append(out, View{ProjectOwner(s.Project),
			s.Bound.Fill(Scope{Tenant: s.Tenant, Domain: s.Domain, Project: s.Project})})
	}
	return out
}

// KeyedRequest lists the entries of the very scope of the request that have a key.
type KeyedRequest struct {
	Prefix string `json:"prefix,omitempty" doc:"What the keys begin with; all keys if absent" maxLength:"255"`
	Limit  int    `json:"limit,omitempty" doc:"Entries per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// SimilarRequest asks which entries of a domain are like a text or an embedding. Exactly one of the two is set, and the
// scope names the domain.
type SimilarRequest struct {
	Text           string `json:"text,omitempty" doc:"Text to compare the entries with" maxLength:"8192"`
	Embedding      Vector `json:"embedding,omitempty" doc:"A vector instead of the text, from the active embedder, with its number of dimensions" maxItems:"65536"`
	Limit          int    `json:"limit,omitempty" doc:"Entries at most: 1 to 50, 5 if absent" minimum:"1" maximum:"50"`
	ExcludeSession string `json:"exclude_session,omitempty" doc:"Leave out the entries of this session" maxLength:"255"`
	// MinScore is compared with [EntryHit.Score]. If absent it is [DefaultMinScore] on the scale of cosines, and
	// [DefaultMinFused] on the fused one.
	MinScore *float64 `json:"min_score,omitempty" doc:"Leave out entries below; 0.7 if absent and the embedder's scores carry a threshold, else 0.14" minimum:"0" maximum:"1"`
}

// EntryHit is an entry and how similar it is.
type EntryHit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"` // on the scale of the answer
}

// SimilarEntries is the answer to a [SimilarRequest]: the entries by falling score, ties by ascending id.
type SimilarEntries struct {
	Items []EntryHit `json:"items"`
	// Scale is that of cosines if cosines of the active generation carry a meaning or the request has an embedding.
	Scale Scale `json:"scale"`
	Total int   `json:"total"` // active entries that the scope covers, like or unlike
	Coverage
}

// UserOwner returns the owner of a user's statements about themselves.
func UserOwner(user string) Owner { return Owner(ownerUser + user) }

// ProjectOwner is the owner of the matters of a project.
func ProjectOwner(project string) Owner { return Owner(ownerProject + project) }

// Within returns the scope for a caller that is fixed to another one. A user or a project that the fixed scope leaves
// open is a value like any other: the caller can neither see nor change the user's own facts from elsewhere, nor those
// of the project.
func (s Scope) Within(fixed Scope) Scope {
	if fixed.User+fixed.Project+fixed.Session != "" {
		s.Fixed = Fixed{NotAsUser: fixed.User == "", NotAsProject: fixed.Project == ""}
	}
	return s
}

// Owner returns the owner of the fact; "" for other memories. A share is visible where it was shared, and has no owner.
func (m *Memory) Owner() Owner {
	if m.Fact == nil || m.SharedFrom != "" {
		return ""
	}
	return m.Fact.Owner
}

// Owner is [Memory.Owner].
func (f *Facets) Owner() Owner {
	if f.Fact == nil || f.SharedFrom != "" {
		return ""
	}
	return f.Fact.Owner
}

// Me describes a caller and its rights.
type Me struct {
	Name   string `json:"name"` // of the API key; local without one
	Tenant string `json:"tenant"`
	Access Access `json:"access"`
	// Scope is the scope that the key is bound to; absent: none.
	Scope Scope `json:"scope,omitzero"`
	// Open says that no key protects the server: everybody on its machine is an admin.
	Open     bool     `json:"open"`
	ReadOnly string   `json:"read_only,omitempty"` // why nothing can be written; absent if it can
	Version  string   `json:"version"`             // of the program
	Features Features `json:"features"`
}

// Features lists the parts of a memory that depend on its configuration.
type Features struct {
	Model     bool `json:"model"`      // one writes summaries, answers prompts and finds facts
	Vectors   bool `json:"vectors"`    // texts have vectors
	Reranker  bool `json:"reranker"`   // one orders the best hits again
	RecallLog bool `json:"recall_log"` // questions and results are logged
}
