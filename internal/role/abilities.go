package role

import (
	"context"
	"iter"
	"time"

	"github.com/trilith-memory/trilith"
)

// Backuper is a [Store] that can copy itself while it is in use.
type Backuper interface {
	// Backup writes one consistent state of the store to a new file, while others read and write. The file appears
	// under its name when it is complete; an existing file is a Conflict. It contains nothing that was erased before.
	// Progress, if not nil, is called with how much of the total is done.
	Backup(ctx context.Context, path string, progress func(done, total int)) error
}

// MediaReader is a [Model] that reads pictures, scanned pages or speech.
type MediaReader interface {
	// MediaKinds lists the kinds that the model reads; constant while it is open, and empty if it reads none.
	MediaKinds() []trilith.MediaKind
	// ReadMedia returns the content of a file, as the model reads it, as text. The rules of [Model.Generate] hold. An
	// unknown kind of file is Unsupported, and nothing is sent. The answer is the model's interpretation of the file.
	ReadMedia(ctx context.Context, r trilith.MediaRequest) (ModelAnswer, error)
}

// Tallier is a [Store] that counts memories, and finds facts by their evidence and by the values that they are compared
// by, without sending them. It reads columns and not whole memories, so it does not notice a damaged one.
type Tallier interface {
	// Tally counts the memories that the scope covers and q selects.
	Tally(ctx context.Context, s trilith.Scope, q trilith.Tally) ([]trilith.TallyRow, error)
	// Comparable returns the selected entities, by ascending id. If it cannot decide, it also returns entities without
	// contrary facts; it never leaves out one that has some.
	Comparable(ctx context.Context, s trilith.Scope, c trilith.Comparing) ([]trilith.EntityFacts, error)
	// Pending counts the facts of the scope that are active and pending at a time, without shares. It returns, by
	// ascending id, those that satisfy a policy (fit), and those that only the fact and its episodes can decide (may).
	Pending(ctx context.Context, s trilith.Scope, at time.Time, r trilith.AutoVerifyRequest) (
		pending int, fit, may []trilith.ID, err error)
	// Unheard names the facts that are active at one time and that nothing has confirmed since another time, ordered by
	// when they were last confirmed, ties by id. It skips the first ones and returns at most as many as asked. last is
	// when the last of them was confirmed. The true time may be later, never earlier: the fact's episodes have it.
	Unheard(ctx context.Context, s trilith.Scope, at, before time.Time, skip, most int) (
		ids []trilith.ID, last time.Time, err error)
}

// Blobs is a [Store] that also stores the derived data of in-process indexes: bytes by space, tenant and id. They
// are not part of the truth, and their changes are not in the [Log].
type Blobs interface {
	// PutBlobs stores all rows, replacing those with the same id, or none.
	PutBlobs(ctx context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error
	// Blobs calls yield with every row of the tenant by ascending id, and ends with its first error. The bytes are
	// valid during the call only.
	Blobs(ctx context.Context, space, tenant string, yield func(id string, data []byte) error) error
	// BlobsOf is Blobs for the given ids; missing ones are skipped.
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
	// BlobSpaces returns the spaces that have rows, in byte order.
	BlobSpaces(ctx context.Context) ([]string, error)
	// BlobTenants returns the tenants that have rows in the space, in byte order.
	BlobTenants(ctx context.Context, space string) ([]string, error)
}

// SharedText is a [TextIndex] that outlives the process and that all processes on a store share. Its checkpoint is in
// the store, so that a new process continues from there, and changes are not applied twice.
type SharedText interface {
	// Form names the layout of the index's data and the analyzer that it is made for. With the texts and their
	// languages, they determine the terms of the index. Two processes return the same form if and only if they make
	// the same terms of the same texts.
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

// LocalVectors is a [VectorIndex] in the memory of the process, with a snapshot that makes opening it quick. Calls may
// overlap with any others.
type LocalVectors interface {
	// SaveSnapshot stores changes, if there are enough to be worth writing.
	SaveSnapshot(ctx context.Context) error
	// DiscardSnapshot removes deleted and replaced content from the snapshot before it returns.
	DiscardSnapshot(ctx context.Context) error
	// Release gives back the memory that a generation takes. Points that were applied are still found.
	Release(g trilith.Generation)
}

// VectorReader is a [VectorIndex] from which points can be read, for the copies that processes keep of it.
type VectorReader interface {
	// Points returns the points of a tenant's ids in a generation, in no order; missing ones are left out.
	Points(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]Point, error)
}

// ProjectedGraph is a [Graph] that is stored separately from the facts, and so can differ from them.
type ProjectedGraph interface {
	// Check compares the graph of a tenant with its facts.
	Check(ctx context.Context, tenant string) (trilith.GraphReport, error)
	// Rebuild rebuilds the graph of a tenant and returns of how many facts.
	Rebuild(ctx context.Context, tenant string) (facts int, err error)
}

// Sealer is a [Log] whose commits leave the entries of the audit open: durable with their commit, but without a number
// and a hash, so that commits of a tenant do not wait for each other at the end of its chain. Open entries are sealed
// in the order in which they were committed. None is lost or sealed twice, even if a process crashes, and a call of
// Audit first seals everything committed before it.
type Sealer interface {
	// Seal seals the open entries of all tenants. The engine calls it repeatedly; several processes may.
	Seal(ctx context.Context, sys trilith.System) error
	// Unsealed counts the open entries of all tenants.
	Unsealed(ctx context.Context, sys trilith.System) (int, error)
}

// RemoteVectors is a [VectorIndex] on a server of its own, outside the store, which other programs read too.
type RemoteVectors interface {
	// Announce passes the active generation on. Repeating it is harmless.
	Announce(ctx context.Context, sys trilith.System, g trilith.Generation) error
	// Examine checks the server and the place of the active generation on it. A server that does not answer is a failed
	// check; an error means that ctx has ended or the index is closed.
	Examine(ctx context.Context, g trilith.Generation) ([]trilith.Check, error)
	// Location names where the vectors are stored: always the same name, without secrets. Each location has its own
	// checkpoint, so that a change to another index, or back, continues from that index's last state.
	Location() string
	// Made returns the name of the current instance of the place that holds a generation's vectors, creating the place
	// if necessary. A place that was lost and created again has another name, which shows an applier that the vectors
	// are gone.
	Made(ctx context.Context, g trilith.Generation) (string, error)
}
