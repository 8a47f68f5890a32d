// Package generations manages the vectors: which embedder makes them, which generation answers questions, and how the
// next one is built while the current one serves.
package generations

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Config lists the embedders. It is empty without vectors.
type Config struct {
	Embedder role.Embedder
	// EmbedderName is the name by which Open opens Embedder.
	EmbedderName string
	// Open opens the embedders that the store names. It may return an error for one.
	Open func(ctx context.Context, name string) (role.Embedder, error)
	// Named returns the name for Open of the embedder that a request names, or an error if no setting names it.
	Named func(name string) (string, error)
	// AnyGeneration opens a store whose active generation is not that of Embedder; without it opening fails.
	AnyGeneration bool
	// Worker names this engine among those that have the store open.
	Worker string
}

// Generations are the generations of vectors in one store. Its methods are safe for concurrent use.
type Generations struct {
	truth *truth.Truth
	usage *usage.Accounts

	embedder      role.Embedder
	embedderName  string
	opener        func(ctx context.Context, name string) (role.Embedder, error)
	named         func(name string) (string, error)
	anyGeneration bool
	worker        string

	Current     atomic.Pointer[Serving]       // the generation that questions are answered from
	Progress    atomic.Pointer[trilith.Build] // of the generation that this process is building
	maintaining chan struct{}                 // wakes the maintenance loop
	opening     sync.Mutex
	open        []role.Embedder // guarded by opening; closed with the engine
}

// New returns the generations of a store, without opening any.
func New(t *truth.Truth, u *usage.Accounts, c Config) *Generations {
	gs := &Generations{truth: t, usage: u, embedder: c.Embedder, embedderName: c.EmbedderName, opener: c.Open,
		named:         c.Named,
		anyGeneration: c.AnyGeneration, worker: c.Worker, maintaining: make(chan struct{}, 1)}
	gs.Current.Store(&Serving{})
	return gs
}

// Start reads which generation is active and opens its embedder.
func (gs *Generations) Start(ctx context.Context) error {
	gs.open = []role.Embedder{gs.embedder}
	return gs.openGenerations(ctx)
}

// Close closes every embedder that was opened.
func (gs *Generations) Close() []error {
	var errs []error
	for _, open := range gs.open {
		errs = append(errs, open.Close())
	}
	return errs
}
