package role

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// RecordKind is the type of a [Record].
type RecordKind string

// The kinds of records that exist now.
const (
	RecordSource   RecordKind = "source"        // a [trilith.Source]
	RecordDocument RecordKind = "document"      // the present passages of a document
	RecordEntity   RecordKind = "entity"        // an [trilith.Entity]
	RecordChange   RecordKind = "entity_change" // an [trilith.EntityChange]
	RecordMerge    RecordKind = "entity_merge"  // an [trilith.EntityMerge] that was not undone
	RecordReview   RecordKind = "review"        // a [trilith.ReviewItem] without a memory
	// the [trilith.Fact.LegacyID] of a fact, under the fact's id; and the highest one given
	RecordLegacy     RecordKind = "legacy"
	RecordShares     RecordKind = "shares"     // the shares of a memory, under its id
	RecordSession    RecordKind = "session"    // the number of episodes of a session, which numbers the next one
	RecordShelf      RecordKind = "shelf"      // the position of a session among others, the latest first
	RecordItem       RecordKind = "item"       // a [trilith.SessionItem]
	RecordSummarized RecordKind = "summarized" // the summaries made of a memory, under its id
	RecordReceipt    RecordKind = "receipt"    // an [trilith.EraseReceipt]
	RecordJudged     RecordKind = "judged"     // a [trilith.Judged]
	RecordExtraction RecordKind = "extraction" // an [trilith.ExtractionReport], under the id of its job
	RecordProfile    RecordKind = "profile"    // the profile of a tenant or project
	RecordLanguages  RecordKind = "languages"  // the languages of a tenant's texts
	RecordAPIKey     RecordKind = "api_key"    // hashed credential, in the system tenant
	RecordGeneration RecordKind = "generation" // a [trilith.Generation], in the system tenant
	RecordUsage      RecordKind = "usage"      // the usage of providers on a day: a list of [trilith.UsageLine]
	// the subject of a request with an idempotency key that made no source
	RecordAnswer    RecordKind = "answer"
	RecordSalt      RecordKind = "salt"      // the salt of the hashes in tombstones
	RecordSchedule  RecordKind = "schedule"  // when periodic work is due, in the system tenant
	RecordPosition  RecordKind = "position"  // the position of an applier, in the system tenant
	RecordMigration RecordKind = "migration" // the progress of copying another store here
	RecordRecall    RecordKind = "recall"    // a [trilith.ServedRecall]
	RecordRecalls   RecordKind = "recalls"   // the number of recalls of a tenant
	RecordObject    RecordKind = "object"    // an [trilith.Object]
	RecordSignIn    RecordKind = "sign_in"   // a [trilith.SignIn], in the system tenant
	RecordSearch    RecordKind = "search"    // a [trilith.SavedSearch]
	RecordAlert     RecordKind = "alert"     // an [trilith.Alert], under an id of its place
	RecordAlerts    RecordKind = "alerts"    // the alerts and searches of a tenant
	RecordAlerted   RecordKind = "alerted"   // the searches that a memory has matched, under its id; derived
	RecordMedia     RecordKind = "media"     // a [trilith.Media]
	// records that a change touched, under its id; and states before changes, under an id of the touched record
	RecordUndo RecordKind = "undo"
	// the bytes of a [trilith.Media], under its id, as a string in base64
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
	ID      trilith.ID
	Version int64 // like [trilith.Memory.Version]
	Body    json.RawMessage
}

// Key is a unique name inside a tenant: at most one id owns it. Space separates kinds of names.
type Key struct{ Space, Value string }

// Spaces of keys.
const (
	KeyRequest    = "request"    // an idempotency key; owned by the source or the answer of its request
	KeyExternal   = "external"   // [trilith.Memory.ExternalID] in its scope; owned by the memory
	KeyIdentifier = "identifier" // an [trilith.Identifier]; owned by the entity
	// a name and a number, one key for each entity that shares the name; owned by that entity
	KeyName = "name"
	// a [trilith.Fact.LegacyID] in decimal; owned by the fact, and by the counter once that is gone
	KeyLegacy = "legacy"
	// a tombstone: salted hash of something erased; owned by the receipt or the judgement, never released
	KeyErased    = "erased"
	KeyForgotten = "forgotten" // scope, words, time and speaker of a retracted memory; owned by the memory
	// scope, words, time and speaker of a turn whose time the caller gave; owned by the episode
	KeySaid       = "said"
	KeySummary    = "summary"    // the subject of a summary, in its scope; owned by the summary
	KeyCredential = "credential" // hash of an API key; owned by its record
	KeySignIn     = "sign_in"    // hash of the secret that a browser sends instead of a key; owned by the [trilith.SignIn]
)

// Claim takes a key for an owner. Claiming a key that the owner already holds changes nothing. With Move a claim is
// taken over from its holder.
type Claim struct {
	Key   Key
	Owner trilith.ID
	Move  bool
}

// Expect is a precondition of a [Batch]: the memory or record has this version now; 0 means that it does not exist.
// Kind is empty for a memory.
type Expect struct {
	Kind    RecordKind
	ID      trilith.ID
	Version int64
}

// Ref names a memory (Kind empty) or a record to delete.
type Ref struct {
	Kind RecordKind
	ID   trilith.ID
}

// Batch is one atomic write: it becomes visible and durable completely, or not at all, with an error.
//
// For every memory put or deleted the store itself writes a [Change] in the same transaction; callers cannot forget it.
// Replacing a stored memory sets Version to one more than the stored one, whatever the argument has (put the version
// that you read into Expect); a new memory keeps its Version, at least 1, so that an import restores the exported one.
// The fields that [trilith.Memory.Bare] removes are not stored. Deleting a missing memory is no error and leaves no change.
// Deleting releases the claims of the deleted id, except those of space [KeyErased]. A batch names an id at most once.
type Batch struct {
	Expect   []Expect
	Memories []trilith.Memory // every Scope.Tenant equals the tenant of the commit, else Invalid
	Records  []Record
	Claims   []Claim
	Release  []Key // keys given up; absent ones are no error
	Delete   []Ref
	DropJobs []trilith.ID // jobs to remove, even if leased, before Jobs are put; absent ones are no error
	Jobs     []trilith.Job
	Audit    []trilith.AuditEntry // Seq, PrevHash and Hash are set by the store
}

// MaxBatch is the most memories of one [Batch]: Firestore's transaction carries no more writes with ease, and a larger
// one holds a single writer for too long.
const MaxBatch = 1000

// MaxBatchBytes bounds [Batch.Bytes]. It fits the largest document with 16 KiB of metadata at each of its
// passages, and a memory with the longest text and all its shares.
const MaxBatchBytes = 4 * trilith.MaxDocumentBytes

// Commit is the result of a successful [Store.Commit].
type Commit struct {
	Cursor   trilith.Cursor // at or after every change of the batch; empty if it changed no memory
	Shard    int            // of the log, to which Cursor belongs: that of the tenant. 0 without a cursor
	Versions []int64        // of Batch.Memories, in order
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
	Filter trilith.Filter
	Order  Order
	After  trilith.ID // only ids after this one; with OrderID only, else Invalid
	// only memories after this position; only with an order by time, otherwise Invalid
	Behind *ListPosition
	Limit  int // 0: no limit
}

// Validate checks everything but the filter, which [trilith.Filter.Compile] checks.
func (l *Listing) Validate() error {
	switch l.Order {
	case OrderID, OrderOldest, OrderRecorded, OrderEvent, OrderHappened, OrderClosed, OrderSeq:
	default:
		return trilith.Errorf(trilith.Invalid, "order: %.32q is not known; use oldest, recorded, event, happened, closed, seq or none",
			string(l.Order))
	}
	if l.After != "" && l.Order != OrderID {
		return trilith.Errorf(trilith.Invalid, "after: works with the order by id only")
	}
	if l.Behind != nil && (l.Order == OrderID || l.Order == OrderSeq) {
		return trilith.Errorf(trilith.Invalid, "behind: works with the orders by time only")
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
	ID      trilith.ID
}

// Position returns the position of a memory in the order, if that goes by time.
func (o Order) Position(m *trilith.Memory) ListPosition {
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
func (o Order) Lists(m *trilith.Memory) bool { return o != OrderClosed || m.SupersededAt != nil }

// RecordListing selects records of one kind: those of IDs if there are any (in input order, without missing ones),
// otherwise all with ids after After, ascending.
type RecordListing struct {
	Kind  RecordKind
	IDs   []trilith.ID
	After trilith.ID
	Limit int // 0: no limit
}

// ClaimListing selects claims of a tenant, by ascending key.
type ClaimListing struct {
	After Key // only keys after this one; the zero Key: from the first
	Limit int // 0: no limit
}

// Change tells the appliers that a memory has changed. It has no content: an applier reads the memory again and sees
// its newest state.
//
// The log keeps at least the newest change of every memory; older ones may be removed. So reading it from the beginning
// lists every existing memory (and deletions); this is how an index is rebuilt.
type Change struct {
	Cursor  trilith.Cursor
	Tenant  string
	ID      trilith.ID
	Version int64 // at the time of the change
	Deleted bool
}

// JobPurge is the kind of job that removes remains of an erasure from the store's files. While one waits they may
// contain some.
const JobPurge = "purge"
