// Package engine is cairn's one concrete core: it puts the stages in order, applies scope, limits and clock, and is what
// every edge calls. Drivers do only what their product must do; everything else is written once, here.
package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/profile"
)

// Config is what an engine is made of. The engine owns the roles from Open on and closes them.
type Config struct {
	Store    cairn.Store // one that plays [cairn.Turns] may be open in several processes, which then have Vectors in common
	Log      cairn.Log
	Queue    cairn.Queue
	Text     cairn.TextIndex
	Graph    cairn.Graph
	Vectors  cairn.VectorIndex // nil together with Embedder: no dense arm
	Embedder cairn.Embedder
	// EmbedderName is what Embedders opens Embedder by, and Embedders opens others: those that the store names. It may refuse to.
	EmbedderName string
	Embedders    func(ctx context.Context, name string) (cairn.Embedder, error)
	// Named returns what Embedders opens the embedder by that a request names, or an error for what no setting names: where texts
	// are sent, and with which key, is never up to a request. nil: EmbedderName alone is named.
	Named    func(name string) (string, error)
	Model    cairn.Model         // nil: facts are derived by rules only
	Without  cairn.Levers        // the levers that recall does not pull
	Reranker cairn.Reranker      // nil: hits keep the order of the fusion
	Profiles []cairn.Profile     // what a model looks for; nil: those that are shipped
	Extract  cairn.Extraction    // how facts are derived where neither a request, nor its project, nor its tenant says; none if empty
	Budget   []cairn.BudgetLimit // what each tenant may use of providers on a day; nil: as much as it wants
	Policy   gate.Policy         // what is let in; the zero value is [gate.DefaultPolicy]
	Ledger   Ledger              // nil: erasures are recorded in the store only
	Now      func() time.Time    // nil: time.Now
	Logger   *slog.Logger        // nil: silent
	Meter    Meter               // nil: nobody counts
	Version  string              // of the program, for exports
	// AssimilateWait is how long a write waits until its facts are derived and indexed; 30 s if 0.
	AssimilateWait time.Duration
	// KeepUnowned leaves facts that were stored before there were owners as they are, so that they can be counted.
	KeepUnowned bool
	// Follow goes on with the generation in force although Embedder makes another one; without it Open refuses.
	Follow bool

	// Tokens counts how many tokens of a context block a text has; nil: by the vocabulary that is used where no other is named.
	Tokens func(text string) int

	RerankDepth   int           // how many hits of a recall are reranked at most; 50 if 0
	RerankTimeout time.Duration // how long that may take before the order stays as it is; 2 s if 0
}

// Ledger keeps outside the store what was erased and what was judged, as ids and salted hashes, so that restoring an older
// backup does not bring it back. Append is given items with Erased or Judged set.
type Ledger interface {
	Append(tenant string, item cairn.ExportItem) error
}

// Engine remembers and recalls. Its methods are safe for concurrent use.
type Engine struct {
	*core
	vectorWait   time.Duration // how long a write waits for vectors; 0: that has no bound of its own
	questionWait time.Duration // how long a question waits for its vector from a service that nothing is known of
}

// Waiting is the engine as one sees it who waits that long for vectors: of what is written at most, and of a question from a
// service that nothing is known of. All else they have in common; closing one closes both.
func (e *Engine) Waiting(vectors, question time.Duration) *Engine {
	return &Engine{e.core, vectors, question}
}

// core is what an engine is, whoever sees it.
type core struct {
	cfg     Config
	index   *index.Indexer
	dense   atomic.Pointer[dense]
	idle    atomic.Uint32 // the levers that recall does not pull
	weigh   atomic.Uint64 // bits of the weight of vectors; of 0: as recall has it
	asked   questions
	glosses sync.Map // vectors of what verbs are about, by glossKey

	// readOnly says that the store was opened for reading only. Nothing is made in the background then, what is derived is derived
	// in memory alone, and who wants to write is refused by the store.
	readOnly bool

	mentions *mentioning // of facts in later turns
	turns    cairn.Turns // of the processes that have the store open; nil: this one is alone

	worker    string                      // names the engine where it does what one of many is to do
	tending   chan struct{}               // wakes the loop that looks after the generations
	progress  atomic.Pointer[cairn.Build] // of the generation that is being built here
	opening   sync.Mutex
	embedders []cairn.Embedder // guarded by opening: those that are open, closed with the engine

	spending *spending

	working   chan struct{} // holds a token while jobs are run
	embedding chan struct{} // holds a token while jobs are run that wait for an embedder, and
	reading   chan struct{} // one while those are that wait for a model: these hold up no others
	nextSweep time.Time     // of the background loop alone: not before, whatever the store says
	stop      context.CancelFunc
	closed    func() error // closes once
	done      sync.WaitGroup
}

var systemScope = cairn.Scope{Tenant: cairn.SystemTenant}

// Open starts an engine and its background loop. It answers Conflict if the vectors in the store were made by another
// embedder than the configured one, and if another store is being copied here and is not all here.
func Open(ctx context.Context, c Config) (*Engine, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = LogRequests(c.Logger)
	if c.Meter == nil {
		c.Meter = unmetered{}
	}
	if c.Policy.Store == nil {
		c.Policy = gate.DefaultPolicy()
	}
	if c.Named == nil {
		c.Named = func(name string) (string, error) {
			if name != c.EmbedderName {
				return "", cairn.Errorf(cairn.Invalid, "embedder: no setting names others than %s", c.EmbedderName)
			}
			return name, nil
		}
	}
	if c.Profiles == nil {
		var err error
		if c.Profiles, err = profile.Shipped(); err != nil {
			return nil, err
		}
	}
	if c.Graph == nil {
		return nil, cairn.Errorf(cairn.Internal, "engine: opened without a graph")
	}
	if c.AssimilateWait == 0 {
		c.AssimilateWait = assimilateWait
	}
	c.RerankDepth, c.RerankTimeout = cmp.Or(c.RerankDepth, rerankDepth), cmp.Or(c.RerankTimeout, rerankTimeout)
	e := &Engine{questionWait: questionWait, core: &core{cfg: c, tending: make(chan struct{}, 1), working: make(chan struct{}, 1),
		embedding: make(chan struct{}, 1), reading: make(chan struct{}, 1)}}
	e.worker = string(cairn.NewID(e.now()))
	e.spending = &spending{e: e, accounts: map[string]*account{}}
	e.closed = sync.OnceValue(e.close)
	e.dense.Store(&dense{})
	e.LeaveOut(c.Without)
	e.readOnly = e.ReadOnly() != ""
	if err := e.checkMoved(ctx); err != nil && !e.spared(ctx, err) {
		return nil, err
	}
	if c.Vectors != nil {
		e.embedders = []cairn.Embedder{c.Embedder}
		if err := e.openGenerations(ctx); err != nil {
			return nil, err
		}
	}
	cache, _ := c.Store.(cairn.EmbeddingCache)
	e.turns, _ = c.Store.(cairn.Turns)
	e.mentions = newMentioning(c, e.turns, e.now)
	var err error
	e.index, err = index.New(ctx, index.Config{Store: c.Store, Log: c.Log, Text: c.Text, Vectors: c.Vectors, Cache: cache, Turns: e.turns,
		Generation: e.Generation(), Embedder: e.dense.Load().embedder, Spending: e.indexing, Now: c.Now, Logger: c.Logger, ReadOnly: e.readOnly})
	if err != nil {
		return nil, err
	}
	if e.readOnly {
		e.stop = func() {}
		return e, nil
	}
	if !c.KeepUnowned {
		if err := e.assignOwners(ctx); err != nil {
			return nil, err
		}
	}
	if err := e.scheduleUnvouched(ctx); err != nil {
		return nil, err
	}
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.done.Go(func() { e.index.Run(loop) })
	e.done.Go(func() { e.runQuickJobs(loop) })
	e.done.Go(func() {
		e.mentions.run(loop, func(err error) {
			c.Logger.WarnContext(loop, "mentions: the log could not be followed, will be repeated", "error", err)
		})
	})
	if c.Vectors != nil {
		e.done.Go(func() { e.runJobs(loop, e.workEmbed) })
		e.done.Go(func() { e.tendGenerations(loop) })
	}
	if c.Model != nil {
		e.done.Go(func() { e.runJobs(loop, e.workSlow) })
	}
	return e, nil
}

// Close stops the background loop, waits for it, keeps the text index and closes the roles. Closing twice is no error.
func (e *Engine) Close() error { return e.closed() }

func (e *Engine) close() error {
	e.stop()
	e.done.Wait()
	var errs []error
	if e.ReadOnly() == "" {
		if err := e.index.Keep(context.Background()); err != nil { // nothing is lost with it
			e.cfg.Logger.Warn("index: could not be kept; the next start makes it anew", "error", err)
		}
		if err := e.mentions.keepPlace(context.Background()); err != nil { // what is read twice says the same
			e.cfg.Logger.Warn("mentions: the place could not be kept; the next start reads a part again", "error", err)
		}
		switch err := e.spending.write(context.Background()); {
		case cairn.OutOfSpace(err): // whoever only read is not to fail for it
			e.cfg.Logger.Warn("usage: what providers were asked for last could not be noted", "error", err)
		case err != nil:
			errs = append(errs, err)
		}
	}
	errs = append(errs, e.cfg.Text.Close())
	if e.cfg.Vectors != nil {
		errs = append(errs, e.cfg.Vectors.Close())
		for _, open := range e.embedders {
			errs = append(errs, open.Close())
		}
	}
	if e.cfg.Model != nil {
		errs = append(errs, e.cfg.Model.Close())
	}
	if e.cfg.Reranker != nil {
		errs = append(errs, e.cfg.Reranker.Close())
	}
	return errors.Join(append(errs, e.cfg.Store.Close())...)
}

// ReadOnly says why the store takes no writes, for people; "" while it takes them.
func (e *Engine) ReadOnly() string {
	if g, ok := e.cfg.Store.(guarded); ok {
		return g.ReadOnly()
	}
	return ""
}

// spared reports whether opening goes on without what could not be read: of a store that is only read the rest may be what
// somebody wants to save.
func (e *Engine) spared(ctx context.Context, err error) bool {
	if !e.readOnly || ctx.Err() != nil || cairn.KindOf(err) != cairn.Internal {
		return false
	}
	e.cfg.Logger.WarnContext(ctx, "engine: opened for reading without what cannot be read", "error", err)
	return true
}

// now is the engine's clock in the precision of the stores.
func (e *Engine) now() time.Time { return cairn.Time(e.cfg.Now()) }

// checkScope refuses scopes that no request may come with.
func checkScope(s cairn.Scope) error {
	if err := cairn.ValidateTenant(s.Tenant); err != nil {
		return err
	}
	return s.Validate()
}

// tenantOf is the whole tenant that a scope lies in, with the actor kept.
func tenantOf(s cairn.Scope) cairn.Scope { return cairn.Scope{Tenant: s.Tenant, Actor: s.Actor} }

// audit makes an entry for the log; the store numbers and chains it.
func (e *Engine) audit(s cairn.Scope, action string, target cairn.ID, detail map[string]string) []cairn.AuditEntry {
	return []cairn.AuditEntry{{At: e.now(), Actor: s.Actor, Action: action, Target: target, Detail: detail}}
}

// maxConflicts bounds how often a read-modify-write is repeated. Each conflict means that another writer made progress, so
// the bound is only reached when a caller loses to others time after time.
const maxConflicts = 100

// retry runs a read-modify-write until it does not meet a conflict that f calls temporary.
func retry(ctx context.Context, f func() (again bool, err error)) error {
	for range maxConflicts {
		again, err := f()
		if err == nil || !again || cairn.KindOf(err) != cairn.Conflict {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return cairn.Errorf(cairn.Unavailable, "the memory is being changed by too many writers at once; try again")
}
