package cairn

import "context"

// Optional abilities. A driver plays a role in full; beside it, it may have abilities that others of its role lack. Who uses
// one asks the driver by a type assertion and does without where the answer is no. docs/abilities.md lists who has which.

// Reach says how far what an index holds reaches.
type Reach uint8

// The reaches.
const (
	// ReachAll: the index outlives the process, and all processes on the store have it in common. What one has applied none
	// of the others applies again.
	ReachAll Reach = iota
	// ReachStore: what the index holds comes back when the store is opened again. Every process applies what it lacks.
	ReachStore
	// ReachProcess: what the index holds is gone with the process, and no other sees it. Every process makes it from the truth.
	ReachProcess
)

// Reacher is a [VectorIndex] that says how far what it holds reaches, always the same. One that does not is taken for
// [ReachAll]. The vectors of a memory whose embedding failed are made up for in the process that repeats it: with
// [ReachProcess] the others lack them until they start again.
type Reacher interface {
	Reach() Reach
}

// Adviser is a [Store] that knows what it lacks to be as safe as it can be.
type Adviser interface {
	// Advice says what is lacking, and what an operator runs for it; both are empty where nothing is. It asks nobody.
	Advice() (lack, run string)
}

// Backuper is a [Store] that can copy itself while it is in use.
type Backuper interface {
	// Backup writes one consistent state of the store to a new file of its own, while others read and write. The file appears
	// under its name when it is whole; one that is there already is a Conflict. It holds nothing that was erased before.
	// Progress, if not nil, is told how much is done of the total.
	Backup(ctx context.Context, path string, progress func(done, total int)) error
}
