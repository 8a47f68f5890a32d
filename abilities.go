package cairn

import (
	"context"
	"iter"
	"time"
)

// Abilities of drivers beyond their role. A driver plays a role in full; beside it, it may have abilities that others
// of its role lack. The caller asks for one by a type assertion and does without where the driver lacks it.
// docs/abilities.md lists which driver has which; [EmbeddingCache] and [Turns] are abilities of a [Store] too.

// Backuper is a [Store] that can copy itself while it is in use.
type Backuper interface {
	// Backup writes one consistent state of the store to a new file of its own, while others read and write. The file
	// appears under its name when it is whole; one that is there already is a Conflict. It holds nothing that was
	// erased before. Progress, if not nil, is told how much is done of the total.
	Backup(ctx context.Context, path string, progress func(done, total int)) error
}

// Checker is a [Store] that can look for damage where it lies.
type Checker interface {
	// Check reports the first damage that it finds. It may read everything and changes nothing.
	Check(ctx context.Context) error
}

// IndexRequirer is a [Store] on a service that answers queries only where an operator has made an index for them.
type IndexRequirer interface {
	// MissingIndexes asks for each index that queries need, those of vectors of these sizes among them, and returns
	// commands that make the missing ones.
	MissingIndexes(ctx context.Context, dims ...int) ([]string, error)
}

// RowChecksums is a [Store] that keeps a checksum of each row.
type RowChecksums interface {
	// Sums compares the checksums of all rows with what these hold.
	Sums(ctx context.Context) (Sums, error)
	// DropDamaged removes damaged rows of what is derived and returns how many: what they held is rebuilt from the
	// store.
	DropDamaged(ctx context.Context) (int, error)
}

// PageChecksums is a [Store] on a server that may have a checksum in each page of its files.
type PageChecksums interface {
	// Checksums reports whether it has, and if not what an operator does about it.
	Checksums(ctx context.Context) (on bool, fix string, err error)
}

// MediaReader is a [Model] that reads pictures, scanned pages or speech.
type MediaReader interface {
	// MediaKinds lists the kinds that the model reads; constant while it is open, and empty if it reads none.
	MediaKinds() []MediaKind
	// ReadMedia returns what the model reads in a file, as text. The rules of [Model.Generate] hold. A kind that it
	// does not read is Unsupported, and nothing is sent. What the answer says is what the model has made of the file.
	ReadMedia(ctx context.Context, r MediaRequest) (ModelAnswer, error)
}

// SpaceReporter is a [Store] that knows how much space it takes.
type SpaceReporter interface {
	// Space returns how many bytes the store takes, and how many are free on its disk. If the system does not report
	// free space, the error is Unsupported and used is still valid.
	Space() (used, free int64, err error)
}

// Paced is a [Store] that is paid for by the look.
type Paced interface {
	// Pace is how long background work that found nothing to do waits at most before it looks again for what other
	// processes have done.
	Pace() time.Duration
}

// PaceOf returns how long background work on a store waits at most between two looks: usual, or what a [Paced] one asks
// for if that is longer.
func PaceOf(s Store, usual time.Duration) time.Duration {
	if p, ok := s.(Paced); ok {
		return max(usual, p.Pace())
	}
	return usual
}

// SchemaReporter is a [Store] that knows the version of its schema.
type SchemaReporter interface {
	// Schema returns the number of the newest migration that the store has seen.
	Schema(ctx context.Context) (int64, error)
}

// ReadOnlyReporter is a [Store] that may be open for reading only.
type ReadOnlyReporter interface {
	// ReadOnly says why the store takes no writes, for people; "" while it takes them.
	ReadOnly() string
}

// Adviser is a [Store] that knows what it lacks to be as safe as it can be.
type Adviser interface {
	// Advice describes what is lacking, and what an operator should run for it; both are empty if nothing is. It sends
	// no request.
	Advice() (lack, run string)
}

// Purger is a [Store] in which the bytes of deleted rows may stay behind.
type Purger interface {
	// Purge removes them, as far as the driver's product lets it. The rest stays as it is.
	Purge(ctx context.Context) error
}

// Tallier is a [Store] that counts without sending what it counts. It reads columns and not whole memories, so it does
// not notice a damaged one.
type Tallier interface {
	// Stats counts the memories that the scope covers, in every state.
	Stats(ctx context.Context, s Scope) (Stats, error)
	// FactStats counts the facts that the scope covers, in every state as of a moment, shares left out.
	FactStats(ctx context.Context, s Scope, at time.Time) (FactStats, error)
	// Comparable returns the entities that are selected, by ascending id. It may return entities without contrary facts
	// where it cannot tell, and leaves out none that has some.
	Comparable(ctx context.Context, s Scope, c Comparing) ([]EntityFacts, error)
}

// FacetCounter is a [Store] that counts memories by their values without sending them. It answers for a [Counting]
// without a filter only.
type FacetCounter interface {
	// Facets returns the values of a field that memories of the scope have, by falling count, ties in byte order, at
	// most q.Limit.
	Facets(ctx context.Context, s Scope, q FacetsQuery) ([]Facet, error)
	// Days counts memories of the scope by day and by the value of q.Split, in no order. q.By is not looked at.
	Days(ctx context.Context, s Scope, q HistogramQuery) ([]DayCount, error)
}

// EntityCounter is a [Store] that counts facts by their entities without sending them.
type EntityCounter interface {
	// EntityTallies counts the facts that the scope sees as they are at a moment, shares left out, by entity, in no
	// order. Facts that are neither active, superseded nor expired are not counted.
	EntityTallies(ctx context.Context, s Scope, at time.Time) ([]EntityTally, error)
}

// ExposureSummer is a [Store] that adds up amounts without sending them.
type ExposureSummer interface {
	// Exposure sums the amounts of the affirmed facts that are active at a moment, exactly and in any order, shares
	// left out. An amount that is no decimal is left out.
	Exposure(ctx context.Context, s Scope, at time.Time) ([]ExposureSum, error)
}

// PendingFinder is a [Store] that knows without reading facts which of them satisfy a policy.
type PendingFinder interface {
	// Pending counts the active facts of the scope that are pending at a moment, shares left out, and names, by
	// ascending id, those that satisfy a policy, and those that may, which only the fact and its episodes tell.
	Pending(ctx context.Context, s Scope, at time.Time, r AutoVerifyRequest) (pending int, fit, may []ID, err error)
}

// StaleFinder is a [Store] that knows without reading facts when they were last heard of.
type StaleFinder interface {
	// Unheard names the facts that are active at one time and that nothing has confirmed since another time, ordered by
	// when they were last confirmed, ties by id. It skips the first ones and returns at most as many as asked. last is
	// when the last of them was confirmed. The true time may be later, never earlier: the fact's episodes have it.
	Unheard(ctx context.Context, s Scope, at, before time.Time, skip, most int) (ids []ID, last time.Time, err error)
}

// BlobStore is a [Store] that keeps what indexes in the process derived: bytes by space, tenant and id, beside the
// truth and no part of it. No change of them is in the [Log].
type BlobStore interface {
	// PutBlobs stores all rows, replacing those with the same id, or none.
	PutBlobs(ctx context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error
	// Blobs calls yield with every row of the tenant by ascending id, and ends with its first error. The bytes are
	// valid during the call only.
	Blobs(ctx context.Context, space, tenant string, yield func(id string, data []byte) error) error
	// BlobsOf is Blobs for those of the ids that are there.
	BlobsOf(ctx context.Context, space, tenant string, ids []string, yield func(id string, data []byte) error) error
	// BlobIDs returns the ids of the tenant's rows, ascending.
	BlobIDs(ctx context.Context, space, tenant string) ([]string, error)
	// ChangeBlobs calls change, which reads and puts rows of the tenant in any space, and makes everything that it puts
	// durable at once; nothing, if it returns an error, which ChangeBlobs returns. Putting nil deletes; the result of
	// get, nil if there is none, is valid until the next call. Change must not use the store.
	ChangeBlobs(ctx context.Context, tenant string, change func(
		get func(space, id string) ([]byte, error), put func(space, id string, data []byte) error) error) error
	// DeleteBlobs removes ids of the tenant from a space.
	DeleteBlobs(ctx context.Context, space, tenant string, ids []string) error
	// DropBlobs removes a space of all tenants, or everything if it is empty.
	DropBlobs(ctx context.Context, space string) error
}

// BlobLister says what a [BlobStore] holds. Its driver plays both.
type BlobLister interface {
	// BlobSpaces returns the spaces that have rows, in byte order.
	BlobSpaces(ctx context.Context) ([]string, error)
	// BlobTenants returns the tenants that have rows in the space, in byte order.
	BlobTenants(ctx context.Context, space string) ([]string, error)
}

// SharedText is a [TextIndex] that outlives the process and that all processes on a store share. Its checkpoint is in
// the store, so that a new process continues from there, and no process applies again what another has applied.
type SharedText interface {
	// Form names what the terms of the index depend on besides the texts and their languages: the layout of its data
	// and the analyzer that it is made for. Two processes name it alike if and only if they make the same terms of the
	// same texts.
	Form() string
}

// TextSnapshotter is a [TextIndex] that can be loaded from a snapshot instead of being rebuilt from the store. Its
// calls do not overlap each other or a Reset.
type TextSnapshotter interface {
	// SaveSnapshot replaces the snapshot by the current content of the index, with a mark that LoadSnapshot returns.
	// Texts may be applied and searched at the same time; the snapshot contains them or not. An index that cannot store
	// a snapshot does nothing.
	SaveSnapshot(ctx context.Context, mark string) error
	// LoadSnapshot loads the last snapshot and returns its mark; "" if there is no usable one.
	LoadSnapshot(ctx context.Context) (mark string, err error)
	// DiscardSnapshot deletes the snapshot.
	DiscardSnapshot(ctx context.Context) error
}

// Reach says how far what an index holds reaches.
type Reach uint8

// The reaches.
const (
	// ReachAll: the index outlives the process, and all processes on the store have it in common. A change that one has
	// applied is not applied again by another.
	ReachAll Reach = iota
	// ReachStore: what the index holds comes back when the store is opened again. Every process applies what it lacks.
	ReachStore
	// ReachProcess: what the index holds is gone with the process, and no other sees it. Every process makes it from
	// the truth.
	ReachProcess
)

// Reacher is a [VectorIndex] that says how far what it holds reaches. One that does not is taken for [ReachAll].
type Reacher interface {
	// Reach is always the same. With [ReachProcess], the vectors of a memory whose embedding failed are made up for in
	// the process that repeats it; others lack them until they start again.
	Reach() Reach
}

// VectorSnapshotter is a [VectorIndex] with a snapshot that makes opening it quick. Calls may overlap with any others.
type VectorSnapshotter interface {
	// SaveSnapshot stores what has changed, as far as that is worth the writing.
	SaveSnapshot(ctx context.Context) error
	// DiscardSnapshot removes what was deleted or replaced from the snapshot, and returns when nothing of it is left.
	DiscardSnapshot(ctx context.Context) error
}

// VectorReleaser is a [VectorIndex] that holds vectors in the memory of the process.
type VectorReleaser interface {
	// Release gives back the memory that a generation takes. Points that were applied are still found.
	Release(g Generation)
}

// ProjectedGraph is a [Graph] that is stored beside the facts, so that it can differ from them.
type ProjectedGraph interface {
	// Check compares the graph of a tenant with its facts.
	Check(ctx context.Context, tenant string) (GraphReport, error)
	// Rebuild rebuilds the graph of a tenant and returns of how many facts.
	Rebuild(ctx context.Context, tenant string) (facts int, err error)
}

// Sealer is a [Log] whose commits leave the entries of the audit open: durable with their commit, but without a number
// and a hash, so that commits of a tenant do not wait for each other at the end of its chain. Open entries are sealed
// in the order in which they were committed. None is left out or sealed twice, whenever a process dies, and a call of
// Audit first seals what was committed before it.
type Sealer interface {
	// Seal seals what is open of all tenants. The engine calls it again and again; several processes may.
	Seal(ctx context.Context, sys System) error
	// Unsealed counts the open entries of all tenants.
	Unsealed(ctx context.Context, sys System) (int, error)
}

// VectorAnnouncer is a [VectorIndex] that other programs read too.
type VectorAnnouncer interface {
	// Announce tells them which generation is in force. Repeating it is harmless.
	Announce(ctx context.Context, sys System, g Generation) error
}

// VectorExaminer is a [VectorIndex] on a server of its own, which it can examine.
type VectorExaminer interface {
	// Examine looks at the server and at what holds the generation in force. A server that does not answer is a check
	// that failed; an error means that ctx has ended or the index is closed.
	Examine(ctx context.Context, g Generation) ([]Check, error)
}

// VectorLocator is a [VectorIndex] outside the store. Each location has a checkpoint of its own, so that changing to
// another index, or back, goes on from where that one was left.
type VectorLocator interface {
	// Location names where the vectors are stored; always the same, and without secrets.
	Location() string
	// Made returns the name of the current instance of the place that holds a generation's vectors, creating the place
	// if necessary. A place that was lost and created again has another name, which shows an applier that the vectors
	// are gone. The name is empty for a place from before there were names.
	Made(ctx context.Context, g Generation) (string, error)
}
