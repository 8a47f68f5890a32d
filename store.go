package trilith

import (
	"encoding/json"
	"slices"
	"time"
)

// RecordKind is the type of a [Record].
type RecordKind string

// The kinds of records that exist now.
const (
	RecordSource   RecordKind = "source"        // a [Source]
	RecordDocument RecordKind = "document"      // the present passages of a document
	RecordEntity   RecordKind = "entity"        // an [Entity]
	RecordChange   RecordKind = "entity_change" // an [EntityChange]
	RecordMerge    RecordKind = "entity_merge"  // an [EntityMerge] that was not undone
	RecordReview   RecordKind = "review"        // a [ReviewItem] without a memory
	// the [Fact.LegacyID] of a fact, under the fact's id; and the highest one given
	RecordLegacy     RecordKind = "legacy"
	RecordShares     RecordKind = "shares"     // the shares of a memory, under its id
	RecordSession    RecordKind = "session"    // the number of episodes of a session, which numbers the next one
	RecordShelf      RecordKind = "shelf"      // the position of a session among others, the latest first
	RecordItem       RecordKind = "item"       // a [SessionItem]
	RecordSummarized RecordKind = "summarized" // the summaries made of a memory, under its id
	RecordReceipt    RecordKind = "receipt"    // an [EraseReceipt]
	RecordJudged     RecordKind = "judged"     // a [Judged]
	RecordExtraction RecordKind = "extraction" // an [ExtractionReport], under the id of its job
	RecordProfile    RecordKind = "profile"    // the profile of a tenant or project
	RecordLanguages  RecordKind = "languages"  // the languages of a tenant's texts
	RecordAPIKey     RecordKind = "api_key"    // hashed credential, in the system tenant
	RecordGeneration RecordKind = "generation" // a [Generation], in the system tenant
	RecordUsage      RecordKind = "usage"      // the usage of providers on a day: a list of [UsageLine]
	// the subject of a request with an idempotency key that made no source
	RecordAnswer    RecordKind = "answer"
	RecordSalt      RecordKind = "salt"      // the salt of the hashes in tombstones
	RecordSchedule  RecordKind = "schedule"  // when periodic work is due, in the system tenant
	RecordPosition  RecordKind = "position"  // the position of an applier, in the system tenant
	RecordMigration RecordKind = "migration" // the progress of copying another store here
	RecordRecall    RecordKind = "recall"    // a [ServedRecall]
	RecordRecalls   RecordKind = "recalls"   // the number of recalls of a tenant
	RecordObject    RecordKind = "object"    // an [Object]
	RecordSignIn    RecordKind = "sign_in"   // a [SignIn], in the system tenant
	RecordSearch    RecordKind = "search"    // a [SavedSearch]
	RecordAlert     RecordKind = "alert"     // an [Alert], under an id of its place
	RecordAlerts    RecordKind = "alerts"    // the alerts and searches of a tenant
	RecordAlerted   RecordKind = "alerted"   // the searches that a memory has matched, under its id; derived
	RecordMedia     RecordKind = "media"     // a [Media]
	// what a change touched, under its id; and states before changes, under an id of what was touched
	RecordUndo RecordKind = "undo"
	// the bytes of a [Media], under its id, as a string in base64
	RecordMediaData RecordKind = "media_data"
)

// RecordKinds lists the kinds in a fixed order.
func RecordKinds() []RecordKind {
	return []RecordKind{RecordSource, RecordDocument, RecordEntity, RecordChange, RecordMerge, RecordReview,
		RecordLegacy, RecordShares,
		RecordSession, RecordShelf, RecordItem, RecordSummarized, RecordReceipt, RecordJudged,
		RecordExtraction, RecordProfile, RecordLanguages, RecordAPIKey, RecordGeneration,
		RecordUsage, RecordAnswer, RecordSalt, RecordSchedule, RecordPosition, RecordMigration,
		RecordRecall, RecordRecalls, RecordObject, RecordSignIn, RecordSearch, RecordAlert, RecordAlerts, RecordAlerted,
		RecordMedia, RecordMediaData, RecordUndo}
}

// Derived reports whether records of a kind can be made again from everything else. A store whose row of one is damaged
// answers as if its body were {}: the reader begins from nothing, and its next write replaces the row.
func (k RecordKind) Derived() bool {
	return slices.Contains([]RecordKind{RecordPosition, RecordSchedule, RecordAlerts, RecordAlerted}, k)
}

// Record is truth that search never returns: a versioned JSON value under a kind and an id.
type Record struct {
	Kind    RecordKind
	ID      ID
	Version int64 // like [Memory.Version]
	Body    json.RawMessage
}

// Key is a unique name inside a tenant: at most one id owns it. Space separates kinds of names.
type Key struct{ Space, Value string }

// Spaces of keys.
const (
	KeyRequest    = "request"    // an idempotency key; owned by the source or the answer of its request
	KeyExternal   = "external"   // [Memory.ExternalID] in its scope; owned by the memory
	KeyIdentifier = "identifier" // an [Identifier]; owned by the entity
	// a name and a number, one key for each entity that shares the name; owned by that entity
	KeyName = "name"
	// a [Fact.LegacyID] in decimal; owned by the fact, and by the counter once that is gone
	KeyLegacy = "legacy"
	// a tombstone: salted hash of something erased; owned by the receipt or the judgement, never released
	KeyErased    = "erased"
	KeyForgotten = "forgotten" // scope, words, time and speaker of a retracted memory; owned by the memory
	// scope, words, time and speaker of a turn whose time the caller gave; owned by the episode
	KeySaid       = "said"
	KeySummary    = "summary"    // the subject of a summary, in its scope; owned by the summary
	KeyCredential = "credential" // hash of an API key; owned by its record
	KeySignIn     = "sign_in"    // hash of what a browser shows instead of a key; owned by the [SignIn]
)

// Claim takes a key for an owner. Claiming a key that the owner already holds changes nothing. With Move a claim is
// taken over from its holder.
type Claim struct {
	Key   Key
	Owner ID
	Move  bool
}

// Expect is a precondition of a [Batch]: the memory or record has this version now; 0 means that it does not exist.
// Kind is empty for a memory.
type Expect struct {
	Kind    RecordKind
	ID      ID
	Version int64
}

// Ref names a memory (Kind empty) or a record to delete.
type Ref struct {
	Kind RecordKind
	ID   ID
}

// Batch is one atomic write: it becomes visible and durable completely, or not at all, with an error.
//
// For every memory put or deleted the store itself writes a [Change] in the same transaction; callers cannot forget it.
// Replacing a stored memory sets Version to one more than the stored one, whatever the argument has (put the version
// that you read into Expect); a new memory keeps its Version, at least 1, so that an import restores the exported one.
// The fields that [Memory.Bare] removes are not stored. Deleting a missing memory is no error and leaves no change.
// Deleting releases the claims of the deleted id, except those of space [KeyErased]. A batch names an id at most once.
type Batch struct {
	Expect   []Expect
	Memories []Memory // every Scope.Tenant equals the tenant of the commit, else Invalid
	Records  []Record
	Claims   []Claim
	Release  []Key // keys given up; absent ones are no error
	Delete   []Ref
	DropJobs []ID // jobs to remove, even if leased, before Jobs are put; absent ones are no error
	Jobs     []Job
	Audit    []AuditEntry // Seq, PrevHash and Hash are set by the store
}

// MaxBatch is the most memories of one [Batch]: Firestore's transaction carries no more writes with ease, and a larger
// one holds a single writer for too long.
const MaxBatch = 1000

// MaxBatchBytes bounds [Batch.Bytes]. It fits the largest document with 16 KiB of metadata at each of its
// passages, and a memory with the longest text and all its shares.
const MaxBatchBytes = 4 * MaxDocumentBytes

// Commit is the result of a successful [Store.Commit].
type Commit struct {
	Cursor   Cursor  // at or after every change of the batch; empty if it changed no memory
	Shard    int     // of the log, to which Cursor belongs: that of the tenant. 0 without a cursor
	Versions []int64 // of Batch.Memories, in order
}

// Order is the order of a listing.
type Order string

// The orders. Memories of one time run by (Session, Seq, ID), so that the turns of one request keep their order in
// every order by time; an order that runs backwards in time runs backwards in these too. Missing values do not occur.
const (
	OrderID       Order = ""         // ascending id; the only order that resumes with After
	OrderOldest   Order = "oldest"   // ascending (RecordedAt, Session, Seq, ID)
	OrderRecorded Order = "recorded" // descending (RecordedAt, Session, Seq, ID): OrderOldest backwards, newest first
	OrderEvent    Order = "event"    // descending (EventTime, Session, Seq, ID): newest first
	OrderHappened Order = "happened" // ascending (EventTime, Session, Seq, ID): OrderEvent backwards
	// descending (SupersededAt, Session, Seq, ID), of those that were replaced, ended or forgotten: latest first
	OrderClosed Order = "closed"
	OrderSeq    Order = "seq" // ascending (Session, Seq, ID)
)

// Listing selects memories of a scope. Unlike a search it has no default filter: every state is listed unless Filter
// says otherwise.
type Listing struct {
	Filter Filter
	Order  Order
	After  ID // only ids after this one; with OrderID only, else Invalid
	// only what comes after this position; only with an order by time, otherwise Invalid
	Behind *ListPosition
	Limit  int // 0: no limit
}

// Validate checks everything but the filter, which [Filter.Compile] checks.
func (l *Listing) Validate() error {
	switch l.Order {
	case OrderID, OrderOldest, OrderRecorded, OrderEvent, OrderHappened, OrderClosed, OrderSeq:
	default:
		return Errorf(Invalid, "order: %.32q is not known; use oldest, recorded, event, happened, closed, seq or none",
			string(l.Order))
	}
	if l.After != "" && l.Order != OrderID {
		return Errorf(Invalid, "after: works with the order by id only")
	}
	if l.Behind != nil && (l.Order == OrderID || l.Order == OrderSeq) {
		return Errorf(Invalid, "behind: works with the orders by time only")
	}
	return nil
}

// ListingTimeout limits how long a driver may search for the next memories of a listing, whether or not the context has
// a deadline; then the error is [context.DeadlineExceeded]. Each search starts after the memories found before, so a
// listing always ends.
const ListingTimeout = 2 * time.Minute

// ListPosition is a position in an order by time. It need not be that of an existing memory.
type ListPosition struct {
	At      time.Time // that the order goes by
	Session string
	Seq     int
	ID      ID
}

// Position returns the position of a memory in the order, if that goes by time.
func (o Order) Position(m *Memory) ListPosition {
	p := ListPosition{m.RecordedAt, m.Scope.Session, m.Seq, m.ID}
	switch {
	case o == OrderEvent || o == OrderHappened:
		p.At = m.EventTime
	case o == OrderClosed && m.SupersededAt != nil:
		p.At = *m.SupersededAt
	}
	return p
}

// Lists reports whether the order includes a memory: OrderClosed does not include open ones.
func (o Order) Lists(m *Memory) bool { return o != OrderClosed || m.SupersededAt != nil }

// RecordListing selects records of one kind: those of IDs if there are any (in input order, without missing ones),
// otherwise all with ids after After, ascending.
type RecordListing struct {
	Kind  RecordKind
	IDs   []ID
	After ID
	Limit int // 0: no limit
}

// ClaimListing selects claims of a tenant, by ascending key.
type ClaimListing struct {
	After Key // only keys after this one; the zero Key: from the first
	Limit int // 0: no limit
}

// Cursor is a place in the change log. It is opaque but for this: cursors of one shard of one store compare as strings
// in the order of the log, and the empty one is the beginning.
type Cursor string

// Change tells the appliers that a memory has changed. It has no content: an applier reads the memory again and sees
// its newest state.
//
// The log keeps at least the newest change of every memory; older ones may be removed. So reading it from the beginning
// lists every existing memory (and deletions); this is how an index is rebuilt.
type Change struct {
	Cursor  Cursor
	Tenant  string
	ID      ID
	Version int64 // at the time of the change
	Deleted bool
}

// AuditEntry is one line of a tenant's append-only log. The store numbers and chains the entries of a tenant:
// Hash = SHA-256 over PrevHash and the canonical JSON of the entry without Hash (see [AuditEntry.Seal]).
type AuditEntry struct {
	Seq      int64             `json:"seq"` // 1 at first, without gaps
	At       time.Time         `json:"at"`
	Actor    string            `json:"actor"`  // name of the API key, or "local"
	Action   string            `json:"action"` // remember, update, forget, erase, key.create, …
	Target   ID                `json:"target,omitempty"`
	Detail   map[string]string `json:"detail,omitempty"` // counts and hashes; never stored text
	PrevHash string            `json:"prev_hash"`
	Hash     string            `json:"hash"`
}

// JobState is how far a job has come.
type JobState string

// The states of jobs.
const (
	JobReady JobState = "ready" // waits for its time and a worker
	JobDone  JobState = "done"
	JobDead  JobState = "dead" // failed for good; kept with its error until retried
	// A leased job is ready with LeasedUntil in the future.
)

// JobPurge is the kind of job that removes remains of an erasure from the store's files. While one waits they may
// contain some.
const JobPurge = "purge"

// Job is a unit of background work. It is written in the transaction that makes it necessary, leased by one worker at a
// time, and repeated until it finishes or its attempts are used up.
type Job struct {
	ID          ID              `json:"id"`
	Tenant      string          `json:"-"`
	Kind        string          `json:"kind"`
	Payload     json.RawMessage `json:"payload,omitempty"`
	State       JobState        `json:"state"`
	RunAt       time.Time       `json:"run_at"` // not before; a job that is put without times gets the present one
	Attempts    int             `json:"attempts"`
	MaxAttempts int             `json:"max_attempts"` // 0 means 10
	LeasedUntil *time.Time      `json:"leased_until,omitempty"`
	Worker      string          `json:"worker,omitempty"`
	Error       string          `json:"error,omitempty"` // of the last attempt
	// of the request that made it necessary, as in the log
	RequestID string    `json:"request_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Report *ExtractionReport `json:"report,omitempty"` // filled in on the way out, never stored with the job
}

// ExtractionReport is the usage and the result of a job that reads with a model, over all its attempts so far. Of one
// that reads by rules there is a report only if it holds Unread.
type ExtractionReport struct {
	Model   string         `json:"model"`
	Profile string         `json:"profile"`
	Calls   int            `json:"calls"`
	Usage   Usage          `json:"usage"`
	Facts   int            `json:"facts"`
	Refused map[string]int `json:"refused,omitempty"` // facts of the answers that were not believed, by reason
	// Unread are turns that reading failed at, because of a bug: their words are stored, and their facts are missing.
	Unread []ID `json:"unread,omitempty"`
}

// Lease is the right to work on a job: the fencing token is (Worker, Attempt). Extend, Finish and Fail return Conflict
// for a lease that is no longer the job's newest, so a slow worker cannot undo the work of its successor.
type Lease struct {
	Tenant  string
	JobID   ID
	Worker  string
	Attempt int
}

// LeaseRequest asks for work.
type LeaseRequest struct {
	Kinds  []string // empty: any
	Worker string   // names the worker; required
	For    time.Duration
	Max    int // at most this many; 0 means 1
}

// Validate checks the request.
func (r *LeaseRequest) Validate() error {
	if r.Worker == "" {
		return Errorf(Invalid, "worker: a lease needs the name of its worker")
	}
	if r.For <= 0 {
		return Errorf(Invalid, "for: a lease needs a duration above 0")
	}
	return nil
}

// JobListing selects jobs of a tenant, newest first.
type JobListing struct {
	IDs    []ID
	State  JobState // empty: any
	Kind   string   // empty: any
	Limit  int      // 0: no limit
	Before ID       // only ids before this one
}
