package trilith

import "time"

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
	RequestKey string     `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`
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
	Identifier    Identifier
	Query         string
	TopK          int     // 1 to MaxK; 10 if 0
	MinScore      float64 // a cosine where cosines carry a meaning: see [ScaleCosine]
	ExpandHops    int     // 0 to 2
	Debug         bool
	IncludeStates []State // active if empty
	AsOf          string  // the world as of this time; the present if empty
	KnownAt       string  // what was known at this time; now if empty
}

// LookupResult is the entity with its facts: by falling score for a query, otherwise in a natural order (identity,
// home, work, health, people, tastes, things, plans, tasks, matters of projects), the newest of each first, ties by id.
type LookupResult struct {
	Entity Entity   `json:"entity"`
	Facts  []Memory `json:"facts"`
	Scale  Scale    `json:"scale,omitempty"` // of what MinScore was compared with; empty without a query
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

// LookupHit is one fact that a lookup looked at, and what the graph said about it.
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
	Identifier Identifier
	AsOf       string // the world as of this time; the present if empty
	KnownAt    string // what was known at this time; now if empty
}

// Card says who somebody is in at most [CardTokens] tokens, one line a slot: who, home, work and study, people, animals,
// health and food, contact, languages and skills, standing instructions, what is to do. The newest value comes first,
// with the day on which it was said or since which it holds. It holds facts that were stated and hold, no candidates,
// and of health only what somebody says of themselves. Its labels are German if most of the quotes are, else English. A
// reader whose scope names the person as its user is called you. The text is empty if nothing is known that belongs
// there.
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
	// Text is part of a name, an alias or an identifier, regardless of case; entities with exactly that name come
	// first. Empty: all.
	Text   string     `json:"q,omitempty"`
	Type   string     `json:"type,omitempty"`   // person, project, …; any if empty
	Sort   EntitySort `json:"sort,omitempty"`   // by facts if empty
	Limit  int        `json:"limit,omitempty"`  // 1 to MaxPageSize; DefaultPageSize if 0
	Cursor string     `json:"cursor,omitempty"` // NextCursor of the page before
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

// EntityList is a page of entities. A scope narrower than its tenant finds only entities of which it sees a fact.
type EntityList struct {
	Items      []FoundEntity `json:"items"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

// EntityFactsQuery asks for facts of an entity.
type EntityFactsQuery struct {
	// States are the states of the facts; if empty, all but quarantined and forgotten ones, or those that held at AsOf.
	States  []State `json:"states,omitempty"`
	AsOf    string  `json:"as_of,omitempty"`    // only facts that held in the world at this time
	KnownAt string  `json:"known_at,omitempty"` // only facts that were known at this time
}

// EntityPage is one page of a listing of entities, by ascending id.
type EntityPage struct {
	Items      []Entity `json:"items"`
	NextCursor string   `json:"next_cursor,omitempty"`
}
