// Package index keeps the indexes up to date: it reads the changes in the log and applies them to the text index and
// the vector index, at least once and in order. It reads the current memories from the truth when it applies changes,
// so applying a change twice, late or out of order does no harm.
//
// The text index is caught up before every search ([Indexer.CatchUp]), so an acknowledged write is found at once, even
// if another process wrote it. Vectors need the embedder: [Indexer.Run] makes them in the background, [Indexer.Await]
// waits for them, and [Indexer.Lag] says how far behind they are. [Indexer.Build] makes the vectors of another
// generation while the active one stays in use, until [Indexer.Use] activates it.
//
// If several processes share an index, its checkpoint is in the store, and one process at a time applies changes: see
// [role.SharedText] and [role.Turns].
package index

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Config holds the parts of an indexer and its settings.
type Config struct {
	Store   role.Store
	Log     role.Log
	Text    role.TextIndex
	Vectors role.VectorIndex // nil: no vectors
	// Generation is the active generation. Embedder makes its vectors; if it is nil, this process cannot open the
	// embedder, and changes wait.
	Generation trilith.Generation
	Embedder   role.Embedder
	// Spending returns a context in which the provider of an embedder is used for a tenant; an error that wraps a
	// [trilith.OverBudget] postpones the tenant's vectors until the budget is renewed. nil: usage is not counted.
	Spending func(ctx context.Context, tenant, provider string) (context.Context, error)
	// Turns decide which process applies changes where several have the store open. Such processes share a Vectors of
	// [role.ReachAll] and a Text that is a [role.SharedText]. nil: there is only this process.
	Turns role.Turns
	// Local is where this process keeps copies of a Text that is a [role.SharedText] and of Vectors of
	// [role.ReachAll]; nil: nowhere.
	Local *Local
	// ReadOnly says that nothing can be written. A snapshot that cannot be read is then ignored and not replaced.
	ReadOnly bool
	Now      func() time.Time
	Logger   *slog.Logger
}

const (
	batchSize = 500                    // changes in one step: limits the memory for a rebuild
	pollEvery = 300 * time.Millisecond // how soon writes of another process get their vectors
	retryMin  = 500 * time.Millisecond // first pause after a failed step …
	retryMax  = 30 * time.Second       // … doubling up to this one

	keepRetryMin = 5 * time.Second  // first pause after a snapshot could not be saved …
	keepRetryMax = 10 * time.Minute // … doubling up to this one: each try copies and writes the whole index
)

// Indexer applies changes. Its methods are safe for concurrent use; one goroutine calls Run. The text index and the
// vectors are independent of each other.
type Indexer struct {
	*follower
	textIndexer
	vectorIndexer
	local *local // nil: no copies in this process

	unkept [2]atomic.Int64 // failed background snapshots: of the texts, of the vectors
}

// follower brings an index to the head of the log, by itself or in turns with other processes.
type follower struct {
	cfg         Config
	wakeText    chan struct{}
	wakeVectors chan struct{}
}

// textIndexer applies memories to the text index, each tenant's in its languages, and saves snapshots of the index for
// the next start.
type textIndexer struct {
	*follower
	text           applier
	languageStates languageStates // of the text index, unless it is shared
	original       *textIndexer   // of a copy: the indexer that applies changes; nil of one that applies them itself

	keeping   sync.Mutex // held while a snapshot is saved or discarded, or the index is reset; guards the next two
	kept      int        // text.done at the latest snapshot
	keptTexts int        // texts in the latest snapshot
}

// vectorIndexer makes the vectors of the active generation, and of one that is being built.
type vectorIndexer struct {
	*follower
	active   atomic.Pointer[generationState] // nil: no vectors
	building atomic.Pointer[generationState] // the generation that this process builds; nil: none
}

// applier is one index and how far it has been applied.
type applier struct {
	mu    sync.Mutex // held while applying
	state sync.Mutex // guards the fields below
	at    []trilith.Cursor
	moved chan struct{} // closed and replaced whenever at moves
	done  int           // memories applied since the start, for progress
	fulls int           // attempts in the background that failed because the disk was full
	full  error         // the error of the latest attempt, if the disk was full
	away  chan struct{} // closed and replaced at each attempt in the background whose embedder is away
	step  int           // changes applied in one step

	checkpoint *checkpoint   // the record of at in the store; nil: at is not stored
	chasing    chan struct{} // holds a token while a caller brings a shared index to the head
	amend      applyFunc     // corrects changes that were applied after the turn had been lost
}

// applyFunc applies changes and returns how many memories it has updated.
type applyFunc func(ctx context.Context, changes []role.Change) (int, error)

func (a *applier) begin(shards, step int, amend applyFunc) {
	a.at, a.moved, a.step = make([]trilith.Cursor, shards), make(chan struct{}), step
	a.chasing, a.amend, a.away = make(chan struct{}, 1), amend, make(chan struct{})
}

// add counts memories that were applied without a change in the log.
func (a *applier) add(n int) {
	a.state.Lock()
	defer a.state.Unlock()
	a.done += n
}

// New makes an indexer. The text index continues from its snapshot, if there is one, otherwise from nothing; vectors
// continue from the checkpoint of their generation.
func New(ctx context.Context, c Config) (*Indexer, error) {
	f := &follower{c, make(chan struct{}, 1), make(chan struct{}, 1)}
	x := &Indexer{follower: f, textIndexer: textIndexer{follower: f}, vectorIndexer: vectorIndexer{follower: f}}
	x.text.begin(c.Log.Shards(), batchSize, x.applyTexts)
	take := x.take
	if s, ok := c.Text.(role.SharedText); ok {
		take = func(ctx context.Context) error { return x.share(ctx, s) }
	}
	if err := take(ctx); err != nil {
		if !c.ReadOnly || ctx.Err() != nil {
			return nil, trilith.WrapError(trilith.Internal, "index.New", err)
		}
		c.Logger.WarnContext(ctx, "index: the snapshot of the text index cannot be used; it is rebuilt in memory",
			"error", err)
	}
	if c.Vectors != nil {
		if err := x.Use(ctx, c.Generation, c.Embedder); err != nil {
			return nil, err
		}
	}
	if c.Local != nil {
		x.local = newLocal(*c.Local, c, &x.vectorIndexer)
	}
	return x, nil
}

var systemScope = trilith.Scope{Tenant: trilith.SystemTenant}

// Notify tells the background that there are new changes; it never blocks.
func (x *follower) Notify() {
	signal(x.wakeText)
	signal(x.wakeVectors)
}

func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Notify tells the background that there are new changes; it never blocks.
func (x *Indexer) Notify() {
	x.follower.Notify()
	if x.local != nil {
		x.local.Notify()
	}
}

// retrying retries work with growing pauses, and counts failures.
type retrying struct {
	what     string // log message of a failed attempt
	failures *atomic.Int64
	pause    time.Duration
	next     time.Time
}

// Run applies changes until ctx ends. It logs failures and retries with growing pauses; the position does not advance.
// Texts do not wait for vectors, because an embedder may be slow or hang.
func (x *Indexer) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		applied := 0
		keeping := retrying{what: "the snapshot of the text index could not be saved; the next start rebuilds the index",
			failures: &x.unkept[0]}
		x.repeat(ctx, "text", x.wakeText, func(resting bool) error {
			if x.overdue(&x.text) {
				if err := x.look(ctx, &x.text); err != nil {
					return err
				}
			}
			if err := x.CatchUp(ctx); err != nil {
				return err
			}
			share := keepAtWork
			if done := x.text.count(); resting && done == applied {
				share = keepAtRest
			} else {
				applied = done
			}
			keeping.try(ctx, &x.cfg, func() error { return x.keep(ctx, share) })
			return nil
		})
	})
	if x.cfg.Vectors != nil {
		running.Go(func() {
			keeping := retrying{what: "the snapshot of the vectors could not be saved; the next start takes longer",
				failures: &x.unkept[1]}
			x.repeat(ctx, "vectors", x.wakeVectors, func(bool) error {
				err := x.catchUpVectors(ctx)
				x.active.Load().tried(err)
				if err != nil {
					return err
				}
				if x.local != nil {
					x.local.vectorsMoved()
				}
				keeping.try(ctx, &x.cfg, func() error { return x.keepVectors(ctx) })
				return nil
			})
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), amendWait)
			defer cancel()
			if err := x.saveTrailing(ctx, &x.active.Load().applier, true); err != nil {
				x.cfg.Logger.WarnContext(ctx, "index: how far the vectors are could not be saved; the next start makes some again",
					"error", err)
			}
		})
	}
	if x.local != nil {
		running.Go(func() { x.local.run(ctx) })
	}
	running.Wait()
}

// repeat calls apply in a loop. resting says that there was no notification since the previous call.
func (x *follower) repeat(ctx context.Context, what string, wake <-chan struct{}, apply func(resting bool) error) {
	pause := pollEvery
	resting := false
	for {
		switch err := apply(resting); {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = min(max(2*pause, retryMin), retryMax)
			x.cfg.Logger.WarnContext(ctx, "index: changes could not be applied and will be retried", "index", what, "error",
				err, "pause", pause)
		case resting:
			pause = min(2*pause, max(pollEvery, x.cfg.Store.Pace()))
		default:
			pause = pollEvery
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
			resting = true
		case <-wake:
			timer.Stop()
			resting = false
		}
	}
}

func (a *applier) count() int {
	a.state.Lock()
	defer a.state.Unlock()
	return a.done
}

func (p *retrying) try(ctx context.Context, c *Config, f func() error) {
	if !trilith.Over(p.next, c.Now(), p.pause) {
		return
	}
	err := f()
	if err == nil || ctx.Err() != nil {
		p.pause = 0
		return
	}
	p.failures.Add(1)
	p.pause = min(max(2*p.pause, keepRetryMin), keepRetryMax)
	p.next = c.Now().Add(p.pause)
	c.Logger.WarnContext(ctx, "index: "+p.what, "error", err, "pause", p.pause)
}

// tried records the outcome of a background attempt. Callers that wait for the applier get the error of a full disk,
// because it may stay full, and those of [vectorIndexer.Reaching] learn that an embedder is away.
func (a *applier) tried(err error) {
	a.state.Lock()
	defer a.state.Unlock()
	a.full = nil
	if trilith.OutOfSpace(err) {
		a.full = err
		a.fulls++
		a.wake()
	}
	if err != nil && temporary(err) {
		close(a.away)
		a.away = make(chan struct{})
	}
}

// SnapshotFailures returns how many snapshots of the texts, and of the vectors, could not be written in the background.
func (x *Indexer) SnapshotFailures() (texts, vectors int64) {
	return x.unkept[0].Load(), x.unkept[1].Load()
}

// CatchUp applies to the text index everything that was committed before the call. Of a copy it does nothing.
func (x *textIndexer) CatchUp(ctx context.Context) error {
	if x.original != nil {
		return nil
	}
	return x.each(ctx, &x.text, x.applyTexts)
}

var system = trilith.AsSystem("index")

// each brings an applier to the head of every shard.
func (x *follower) each(ctx context.Context, a *applier, apply applyFunc) error {
	heads, err := role.Heads(ctx, x.cfg.Log, system)
	if err != nil {
		return err
	}
	if a.shared() {
		return x.together(ctx, a, heads, apply)
	}
	for shard, head := range heads {
		if a.position(shard) >= head {
			continue
		}
		a.mu.Lock()
		err := x.follow(ctx, a, shard, head, apply)
		a.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *textIndexer) applyTexts(ctx context.Context, changes []role.Change) (int, error) {
	tenants, err := x.load(ctx, changes)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, t := range tenants {
		if len(t.gone) > 0 {
			if err := x.cfg.Text.Delete(ctx, t.scope, t.gone); err != nil {
				return n, err
			}
		}
		if err := x.indexTexts(ctx, t.live); err != nil {
			return n, err
		}
		n += len(t.live)
	}
	return n, nil
}

// tenantChanges are the changes of one tenant: memories as they are now, and ids that were deleted. Some of those may
// have been stored again, with a version that may be lower than the one in an index, so deletions are applied first.
type tenantChanges struct {
	scope trilith.Scope
	live  []trilith.Memory
	gone  []trilith.ID // deleted
}

// load reads the current state of each changed memory once.
func (x *follower) load(ctx context.Context, changes []role.Change) ([]tenantChanges, error) {
	order, changed := byTenant(changes)
	out := make([]tenantChanges, 0, len(order))
	for _, tenant := range order {
		t := tenantChanges{scope: trilith.Scope{Tenant: tenant}}
		ids := slices.Sorted(maps.Keys(changed[tenant]))
		var err error
		t.live, err = x.cfg.Store.Get(ctx, t.scope, ids)
		damaged, ok := errors.AsType[*trilith.Damaged](err)
		if err != nil && !ok {
			return nil, err
		}
		found := make(map[trilith.ID]bool, len(t.live))
		if ok { // damaged rows stay in the index as they are, and do not hold up the others
			for _, id := range damaged.IDs {
				found[id] = true
			}
		}
		for _, m := range t.live {
			found[m.ID] = true
		}
		for _, id := range ids {
			if !found[id] || changed[tenant][id] {
				t.gone = append(t.gone, id)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// byTenant returns the tenants of changes, in order, and their changed memories: true if one was deleted.
func byTenant(changes []role.Change) (order []string, changed map[string]map[trilith.ID]bool) {
	changed = map[string]map[trilith.ID]bool{}
	for _, c := range changes {
		if changed[c.Tenant] == nil {
			order = append(order, c.Tenant)
			changed[c.Tenant] = map[trilith.ID]bool{}
		}
		changed[c.Tenant][c.ID] = changed[c.Tenant][c.ID] || c.Deleted
	}
	return order, changed
}

// indexTexts applies memories of one tenant in its languages. The applier is held.
func (x *textIndexer) indexTexts(ctx context.Context, ms []trilith.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	languages, err := x.applying(ctx, ms[0].Scope.Tenant)
	if err != nil {
		return err
	}
	now := trilith.Time(x.cfg.Now())
	points := make([]role.TextPoint, len(ms))
	for i := range ms {
		m := &ms[i]
		points[i] = role.TextPoint{Facets: role.FacetsOf(m), Text: WordsOf(m), At: now, Languages: languages}
	}
	return x.cfg.Text.Apply(ctx, points)
}

// follow applies the changes of a shard up to its head. The applier is held.
func (x *follower) follow(ctx context.Context, a *applier, shard int, head trilith.Cursor, apply applyFunc) error {
	for at := a.position(shard); at < head; {
		changes, next, err := x.cfg.Log.Changes(ctx, system, shard, at, a.step)
		if err != nil {
			return err
		}
		n := 0
		if len(changes) == 0 {
			next = head // the changes up to head were compacted away
		} else {
			n, err = apply(ctx, changes)
		}
		if err == nil && a.checkpoint != nil && !a.checkpoint.mayTrail(x.cfg.Now()) {
			err = x.save(ctx, a, []int{shard}, position{next, a.checkpoint.form})
		}
		if a.shared() && (errors.Is(err, errMoved) || err != nil && ctx.Err() != nil) {
			x.amend(ctx, a, changes)
		}
		if err != nil {
			return err
		}
		a.move(shard, next, n)
		at = next
	}
	return nil
}

func (a *applier) move(shard int, to trilith.Cursor, n int) {
	a.state.Lock()
	defer a.state.Unlock()
	a.at[shard] = to
	a.done += n
	a.wake()
}

// wake wakes all callers that wait for the applier to advance. The caller holds state.
func (a *applier) wake() {
	close(a.moved)
	a.moved = make(chan struct{})
}

// Lag is the number of pending changes of each index, counted up to a thousand; for vectors, of the active generation.
type Lag struct{ Text, Vectors int }

// Lag returns the current lag.
func (x *Indexer) Lag(ctx context.Context) (Lag, error) {
	count := func(a *applier) (int, error) {
		if a.shared() {
			if err := x.look(ctx, a); err != nil && !errors.Is(err, errGone) {
				return 0, err
			}
		}
		n := 0
		for shard := range x.cfg.Log.Shards() {
			changes, _, err := x.cfg.Log.Changes(ctx, system, shard, a.position(shard), 1000)
			if err != nil {
				return 0, err
			}
			n += len(changes)
		}
		return n, nil
	}
	var l Lag
	var err error
	if l.Text, err = count(&x.text); err == nil && x.cfg.Vectors != nil {
		l.Vectors, err = count(&x.active.Load().applier)
	}
	return l, err
}

func (a *applier) position(shard int) trilith.Cursor {
	a.state.Lock()
	defer a.state.Unlock()
	return a.at[shard]
}
