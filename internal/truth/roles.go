// Package truth reads and commits memories and records. The store itself is closed: other rooms read through methods of
// [Truth], and every batch goes through [Truth.Commit], which adds the changes that belong to the same transaction:
// shares, claims, retired numbers, alerts and the key of the request.
//
// The other rooms of the engine build on this one, and it knows none of them.
package truth

import (
	"context"
	"log/slog"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// Roles are the parts that every room needs apart from the store: the indexes, the clock and the log. Only fields that
// say so may be nil.
type Roles struct {
	Log     role.Log
	Queue   role.Queue
	Text    role.TextIndex
	Vectors role.VectorIndex // nil without an embedder
	Graph   role.Graph
	Model   role.Model    // nil: facts are derived by rules only
	Turns   role.Turns    // coordinates the processes that have the store open; nil: there is only this one
	Ledger  ErasureLedger // nil: erasures are recorded in the store only
	Policy  gate.Policy
	Clock   func() time.Time
	Zone    *time.Location // of scopes that name none; nil: UTC
	Logger  *slog.Logger
	Meter   Meter
	Tracer  *trace.Tracer // for background work; nil: no traces
	Version string        // of the program
	Tokens  func(text string) int
	Window  int // tokens of a session without a summary; 0: no summaries in the background
	// Episodic is the number of turns of an episodic window; 0: none are made, and none take part in a recall.
	Episodic int
}

// ErasureLedger records erasures and judgements outside the store, as ids and salted hashes, so that restoring an older
// backup does not bring the removed data back. Append receives items with Erased or Judged set.
type ErasureLedger interface {
	Append(tenant string, item trilith.ExportItem) error
}

// Truth reads and commits the memories and records of the store. Its methods are safe for concurrent use.
type Truth struct {
	Roles
	store role.Store

	// Index follows the store. The engine sets it once, before any other method is called.
	Index *index.Indexer
	// ForReading says that the store was opened for reading only: no background work runs, and the store refuses every
	// commit.
	ForReading bool
	// Completing add to each batch of memories, before it is committed, the changes that have to come with it. They are
	// set before any other method is called.
	Completing []func(ctx context.Context, tenant trilith.Scope, b *role.Batch) error
	// Committed are called with each batch of memories of a tenant after it was committed, or may have been. They are
	// set before any other method is called, and must return at once.
	Committed []func(tenant string, b *role.Batch)
}

// New returns the truth that a store holds.
func New(store role.Store, r Roles) *Truth {
	t := &Truth{Roles: r, store: store}
	t.ForReading = t.ReadOnly() != ""
	return t
}
