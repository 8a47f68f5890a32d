package role

import (
	"context"
	"iter"
	"time"

	"github.com/trilith-memory/trilith"
)

// Store is the truth. Every method works inside the tenant of its scope and answers Invalid to an empty one. Values
// that are passed in are not retained, values that are returned belong to the caller.
//
// Reads see every commit that was acknowledged before they began. A scope narrower than the tenant limits Get and List
// (see [trilith.Scope.Covers]); Commit, Find, Claims and Records look at its tenant only.
type Store interface {
	// Commit writes the batch or nothing. It answers Conflict when an expectation does not hold or another id owns a
	// claimed key, and the cause of the conflict can be read by then; Invalid for a malformed batch, Exhausted for
	// one over [MaxBatch] or [MaxBatchBytes]. When it returns nil the batch survives the death of the process and of
	// the machine. An Unavailable answer leaves open whether the batch is in. A caller that repeats it with the same
	// expectations and claims writes it once. A Conflict then says that it was in, or that another write came first.
	Commit(ctx context.Context, s trilith.Scope, b Batch) (Commit, error)
	// Get returns the memories of ids in input order; missing and uncovered ones are absent, repeated ones repeat.
	// Where rows are [trilith.Damaged] it returns the others with that error.
	Get(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error)
	// List yields the memories that the listing selects. It sees one state of the store or, for long listings, each
	// memory at most once; it ends after the first error. The caller may stop at any time. A [trilith.Damaged] row is the
	// only error after which the listing continues, if the caller does; its id is yielded.
	//
	// The cost of the following listings depends on their results, not on the size of the tenant, whatever else their
	// filters test: a recall and the inbox wait for them. Facts (kind Eq fact) by entity_id, entity_ref or source_id,
	// with Eq or In; facts with certain episodes as evidence (evidence Contains, and Or of several); wordings by
	// superseded_by Eq; a session (session Eq) in OrderSeq, also from a seq on; held memories (state Eq or In candidate
	// and quarantined); contested facts (verification_status In needs_review and disputed); with a Limit and no filter,
	// OrderID, OrderOldest and OrderRecorded. Only a store in the memory of its process may scan all memories.
	List(ctx context.Context, s trilith.Scope, l Listing) iter.Seq2[trilith.Memory, error]
	// Records returns records of one kind; where some are [trilith.Damaged] the others with that error.
	Records(ctx context.Context, s trilith.Scope, l RecordListing) ([]Record, error)
	// Find returns the owners of those keys that are claimed.
	Find(ctx context.Context, s trilith.Scope, keys []Key) (map[Key]trilith.ID, error)
	// Claims returns claims of the tenant by ascending key: by Space, then by Value, in byte order. Move is not set.
	Claims(ctx context.Context, s trilith.Scope, l ClaimListing) ([]Claim, error)
	EmbeddingCache
	Upkeep
	// Close releases the store; other methods then answer Unavailable. Closing twice is no error.
	Close() error
}

// Upkeep is what an operator needs of a store, and work in the background.
type Upkeep interface {
	// Examine checks the store for damage, and for what an operator has to do; dims are the dimensions of the vectors
	// that it has to find. It may read everything and changes nothing. A failed check says what cannot be examined.
	Examine(ctx context.Context, dims ...int) Checks
	// Repair removes damaged rows of derived data and returns how many: their content is rebuilt from the store.
	Repair(ctx context.Context) (int, error)
	// Purge removes the bytes that deleted rows left, as far as the driver's product allows. Other data stays unchanged.
	Purge(ctx context.Context) error
	// Schema returns the number of the newest migration that the store has seen; 0 in a store without migrations.
	Schema(ctx context.Context) (int64, error)
	// ReadOnly says why the store takes no writes, for people; "" while it takes them.
	ReadOnly() string
	// Pace is the longest time that idle background work waits before it looks again for changes by other processes,
	// in a store that is paid for by the look; 0 in others.
	Pace() time.Duration
}

// Log reads the records of the truth: changes for the appliers, and the audit for people. The driver of the Store
// plays it.
type Log interface {
	// Changes returns up to limit changes after the cursor, oldest first, and the cursor to continue from (the given
	// one if there are none). It never skips an uncommitted change: of two transactions that overlap, the one that
	// commits later never appears before a cursor already returned. Shards are numbered from 0 to Shards()-1; a tenant
	// stays in one shard while the store is open: [Commit.Shard] names it. Cursors of two shards cannot be compared.
	Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor, limit int) (
		[]Change, trilith.Cursor, error)
	// Head returns the cursor of the newest readable change of the shard: an applier at it has no lag.
	Head(ctx context.Context, sys trilith.System, shard int) (trilith.Cursor, error)
	// Shards says how many shards the log has; at least 1, constant while the store is open.
	Shards() int
	// Audit returns the tenant's entries after the number, oldest first, of all commits that were acknowledged before
	// the call. If one commit was acknowledged before another began, its entries come first.
	Audit(ctx context.Context, s trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error)
	// Tenants returns the names of all tenants that hold a memory or a record, in byte order, the system tenant left
	// out.
	Tenants(ctx context.Context, sys trilith.System) ([]string, error)
}

// Queue hands out jobs by lease. The driver of the Store plays it; jobs enter through [Batch.Jobs].
type Queue interface {
	// Lease returns up to r.Max due jobs without a lease, each with one more attempt: tenant by tenant in byte order, and
	// of each the earliest due first. No job is leased twice at a time. An expired lease can be given to any worker, and
	// the attempt does not count among the first [trilith.FreeAttempts]; a job without attempts left becomes dead.
	Lease(ctx context.Context, sys trilith.System, r trilith.LeaseRequest) ([]trilith.Job, error)
	// ChangeJob makes a step in the life of a job. Conflict if the step's lease is not the job's newest; NotFound if
	// the job to try again is not a dead one of the tenant.
	ChangeJob(ctx context.Context, c trilith.JobChange) error
	// Jobs lists jobs of the tenant.
	Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error)
}

// VectorIndex finds memories by meaning. It holds points of any number of generations and never mixes two in a search.
// It may lag behind the truth and may be rebuilt.
type VectorIndex interface {
	// Apply stores points; each belongs to its Facets.Scope.Tenant. A point replaces the one of the same tenant,
	// generation and id unless that one has a higher version (so repeating and reordering are harmless). All points of
	// a call must have the generation's number of dimensions, finite components and unit length within 1e-3; otherwise
	// the call is Invalid and nothing is stored.
	Apply(ctx context.Context, g trilith.Generation, ps []Point) error
	// Search returns for each probe, in order, up to its K points of the generation that the scope covers and its
	// filter accepts, by falling cosine, ties by ascending id. Fewer is a normal answer. Vectors of probes follow the
	// rules of Apply. The results of a probe do not depend on the others; probes of one call may share work, especially
	// those with equal vectors. A point that is written during a search may be scored by an earlier vector of it.
	Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...VectorProbe) ([][]Candidate, error)
	// Stamps returns the stamps that the index holds for the tenant in the generation, by ascending id: those of
	// ids if given, else all.
	Stamps(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]Stamp, error)
	// Delete removes ids of the tenant from every generation; unknown ids are no error. A later Apply of any version is
	// new.
	Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error
	// Drop removes a whole generation of all tenants; Reset removes everything.
	Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error
	Reset(ctx context.Context, sys trilith.System) error
	// Reach is always the same. With [ReachProcess], the vectors of a memory whose embedding failed are made up for in
	// the process that repeats it; others lack them until they start again.
	Reach() Reach
	Close() error
}

// Reach says which processes see the content of an index.
type Reach uint8

// The reaches.
const (
	// ReachAll: the index outlives the process, and all processes on the store have it in common. A change that one has
	// applied is not applied again by another.
	ReachAll Reach = iota
	// ReachStore: the content comes back when the store is opened again. Every process applies the changes that its own
	// copy lacks.
	ReachStore
	// ReachProcess: the content is lost with the process, and no other process sees it. Every process builds it from
	// the truth.
	ReachProcess
)

// TextIndex finds memories by words, with OR semantics: a memory with any term of the query is a candidate. The
// statistics behind a score (the number of memories, their length, the frequency of terms) cover exactly the memories
// that the scope and the filter accept, so another user's texts never affect a ranking.
type TextIndex interface {
	// Apply stores texts, with the versions rule of [VectorIndex.Apply]. It answers Invalid, and nothing is stored, if
	// a point names a language that the index does not know; so does Search.
	Apply(ctx context.Context, ts []TextPoint) error
	// Search returns up to p.K candidates by falling score, ties by ascending id. Score is BM25; see [TextProbe].
	Search(ctx context.Context, s trilith.Scope, p TextProbe) (TextResult, error)
	// Stamps is as in [VectorIndex.Stamps].
	Stamps(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]Stamp, error)
	// Delete removes ids of the tenant; unknown ids are no error.
	Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error
	// Reset removes everything.
	Reset(ctx context.Context, sys trilith.System) error
	Close() error
}

// Embedder turns texts into unit vectors.
type Embedder interface {
	// Generation describes the vectors; equal keys mean comparable vectors.
	Generation() trilith.Generation
	// Embed returns one embedding per text, in order, with a vector that is Generation().Dims long, finite and of unit
	// length within 1e-3. A text without content for the model (for the built-in ones: without a word) gets a nil
	// vector, which is never stored and never searched with. Empty input gives empty output. All or nothing: an error
	// returns no embeddings. If a text and not the service is the cause (Invalid), halving the input finds it.
	Embed(ctx context.Context, use Use, texts []string) ([]Embedding, error)
	Close() error
}

// EmbeddingCache caches the embeddings of documents, so that no text is paid for twice. The driver of the Store plays
// it. A missing embedding is made again. Every method works inside the tenant of its scope.
type EmbeddingCache interface {
	// CachedEmbeddings returns the embeddings of the tenant that a query names, in no order. Missing ones are absent;
	// several memories may have the same text.
	CachedEmbeddings(ctx context.Context, s trilith.Scope, q EmbeddingQuery) ([]CachedEmbedding, error)
	// CacheEmbeddings stores embeddings, replacing those of the same memory and generation. Afterwards it keeps at most
	// most, of all tenants together, and drops those stored longest ago.
	CacheEmbeddings(ctx context.Context, s trilith.Scope, generation string, es []CachedEmbedding, most int) error
	// ForgetEmbeddings removes the embeddings of the memories under any generation; unknown ids are no error.
	ForgetEmbeddings(ctx context.Context, s trilith.Scope, ids []trilith.ID) error
	// CachedGenerations returns the keys of the generations under which anything is held for the tenant, in byte order.
	CachedGenerations(ctx context.Context, s trilith.Scope) ([]string, error)
}

// Turns coordinates work that any process can do but only one should, such as updating a shared index. The driver of
// a Store that several processes open plays it; without it only one process opens the store. A turn saves work and
// money; it does not protect the truth. A process that loses its turn unnoticed must do no harm, so it must be
// possible to do the work twice.
type Turns interface {
	// TryTurn takes the turn of a name (1 to 100 bytes) if it is free; ok reports whether it was. It never waits for
	// the holder. The turn lasts until release, which may be called twice, or the end of the process; its context ends
	// when it is lost.
	TryTurn(ctx context.Context, sys trilith.System, name string) (turn context.Context, release func(), ok bool, err error)
}

// Use says which side of a search a text is on; some models treat the sides differently.
type Use uint8

// The sides.
const (
	ForDocument Use = iota
	ForQuery
)
