package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// generationState is a generation in this process: its embedder, and how far changes have been applied.
type generationState struct {
	applier
	gen      trilith.Generation
	embedder role.Embedder // nil: this process cannot open it
	minded   time.Time     // when its location was last checked for loss; used by the background only

	unfinished atomic.Bool // its vectors may be incomplete: see mark
	rebuilding sync.Mutex  // held while this process rebuilds or finishes the vectors; guards marked
	marked     time.Time   // when the mark was last looked for
}

// paidStep is how many changes are applied in one step if embedding is slow: smaller steps save and show progress
// sooner.
const paidStep = 100

// Use makes a generation the active one, which is kept up to date and waited for, starting from its checkpoint.
func (x *vectorIndexer) Use(ctx context.Context, g trilith.Generation, e role.Embedder) error {
	gs := x.building.Load()
	if gs == nil || gs.gen.Key() != g.Key() {
		var err error
		if gs, err = x.stateOf(ctx, g, e); err != nil {
			return err
		}
	}
	old := x.active.Swap(gs)
	x.building.CompareAndSwap(gs, nil)
	if old != nil {
		old.state.Lock()
		old.wake()
		old.state.Unlock()
	}
	x.Notify()
	return nil
}

// Build brings the vectors of another generation up to the head of the log, starting from their checkpoint; the active
// ones stay. It calls progress with the changes applied by this call and the number that were pending at its start.
// With complete it then checks every memory and embeds those without a vector: vectors that were not kept up to date
// may have been lost. After an error the next call continues where this one stopped.
func (x *vectorIndexer) Build(ctx context.Context, g trilith.Generation, e role.Embedder, complete bool,
	progress func(done, total int)) error {
	gs, err := x.stateOf(ctx, g, e)
	if err != nil {
		return err
	}
	x.building.Store(gs)
	total, err := x.ahead(ctx, gs)
	if err != nil {
		return err
	}
	done := 0
	progress(done, total)
	apply := x.applyVectors(gs)
	err = x.each(ctx, &gs.applier, func(ctx context.Context, cs []role.Change) (int, error) {
		n, err := apply(ctx, cs)
		if err == nil {
			done += len(cs)
			progress(done, max(done, total))
		}
		return n, err
	})
	if err == nil && complete {
		err = x.complete(ctx, gs)
	}
	return err
}

// stateOf loads the state of a generation from its checkpoint.
func (x *vectorIndexer) stateOf(ctx context.Context, g trilith.Generation, e role.Embedder) (*generationState, error) {
	n, step := x.cfg.Log.Shards(), batchSize
	if Costs(g) {
		step = paidStep
	}
	gs := &generationState{gen: g, embedder: e}
	gs.begin(n, step, x.forgetGone)
	reach := x.cfg.Vectors.Reach()
	if reach == role.ReachProcess {
		return gs, nil
	}
	gs.checkpoint = &checkpoint{refs: Positions(x.cfg.Vectors, g, n),
		shared: reach == role.ReachAll && x.cfg.Turns != nil, late: lateID(g),
		turn: "vectors " + string(trilith.DeriveID("turn", g.Key())), seen: make([]int64, n)}
	gs.checkpoint.lazy = !gs.checkpoint.shared && !Costs(g)
	err := x.look(ctx, &gs.applier)
	gs.checkpoint.saved = gs.positions()
	gs.marked = x.cfg.Now()
	if err == nil {
		_, err = x.lookForMark(ctx, gs)
	}
	if err != nil && x.cfg.ReadOnly && ctx.Err() == nil {
		x.cfg.Logger.WarnContext(ctx, "index: the checkpoint of the vectors cannot be read", "error", err)
		err = nil
	}
	return gs, err
}

// Costs reports whether a vector of the generation costs money or much time: whether its embedder does more than a few
// sums over the words of a text.
func Costs(g trilith.Generation) bool { return g.Provider != "builtin" && g.Provider != "hash" }

// forgetGone removes the vectors of memories that have been deleted in the meantime.
func (x *vectorIndexer) forgetGone(ctx context.Context, changes []role.Change) (int, error) {
	tenants, err := x.load(ctx, changes)
	if err != nil {
		return 0, err
	}
	for _, t := range tenants {
		found := map[trilith.ID]bool{}
		for _, m := range t.live {
			found[m.ID] = true
		}
		gone := slices.DeleteFunc(t.gone, func(id trilith.ID) bool { return found[id] }) // stored again since
		if err := x.ForgetVectors(ctx, t.scope, gone); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// rowsVersion is raised when the form of the rows changes in which an index of [role.ReachStore] stores vectors. Its
// checkpoints then begin again, so all rows are made again from the log.
const rowsVersion = 2

// Positions returns the ids of the records with the checkpoints of a generation's vectors in an index. A caller that
// drops the vectors has to delete these records first: after a crash in between, memories would never get a vector.
func Positions(v role.VectorIndex, g trilith.Generation, shards int) []role.Ref {
	var location []string
	if p, ok := v.(role.RemoteVectors); ok && p.Location() != "" {
		location = []string{p.Location()}
	} else if v.Reach() == role.ReachStore {
		location = []string{"rows " + strconv.Itoa(rowsVersion)}
	}
	refs := make([]role.Ref, shards)
	for shard := range refs {
		parts := append([]string{"position", g.Key(), strconv.Itoa(shard)}, location...)
		refs[shard] = role.Ref{Kind: role.RecordPosition, ID: trilith.DeriveID(parts...)}
	}
	return refs
}

// ahead counts the pending changes of a generation.
func (x *vectorIndexer) ahead(ctx context.Context, gs *generationState) (int, error) {
	n := 0
	for p, err := range role.PendingAfter(ctx, x.cfg.Log, system, gs.positions(), 10*batchSize) {
		if err != nil {
			return n, err
		}
		n += len(p.Changes)
	}
	return n, nil
}

// complete embeds memories without a vector.
func (x *vectorIndexer) complete(ctx context.Context, gs *generationState) error {
	return x.eachLacking(ctx, gs, func(_ trilith.Scope, ms []trilith.Memory) error {
		return x.embedOrPostpone(ctx, gs, ms)
	})
}

// eachLacking passes the memories without a current vector, a part of a tenant's at a time.
func (x *vectorIndexer) eachLacking(ctx context.Context, gs *generationState,
	do func(trilith.Scope, []trilith.Memory) error) error {
	tenants, err := x.cfg.Log.Tenants(ctx, system)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		s := trilith.Scope{Tenant: tenant}
		var some []trilith.Memory
		step := func() error {
			lacking, err := x.lacking(ctx, gs, s, some)
			some = some[:0]
			if err != nil {
				return err
			}
			return do(s, lacking)
		}
		for m, err := range x.cfg.Store.List(ctx, s, role.Listing{}) {
			if isDamaged(err) {
				continue
			}
			if err != nil {
				return err
			}
			if some = append(some, m); len(some) == batchSize {
				if err := step(); err != nil {
					return err
				}
			}
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// StopBuilding discards the state of the generation that is being built.
func (x *vectorIndexer) StopBuilding() { x.building.Store(nil) }

// catchUpVectors keeps the active generation up to date. It leaves one of another recipe unchanged until one of this
// recipe has been built: texts of two recipes cannot be compared.
func (x *vectorIndexer) catchUpVectors(ctx context.Context) error {
	gs := x.active.Load()
	mayApply := gs.embedder != nil && gs.gen.Recipe == RecipeVersion
	if x.overdue(&gs.applier) || gs.shared() && !mayApply {
		if err := x.look(ctx, &gs.applier); err != nil {
			return err
		}
	}
	if !mayApply {
		return nil
	}
	if err := x.resetIfLost(ctx, gs); err != nil {
		return err
	}
	if err := x.each(ctx, &gs.applier, x.applyVectors(gs)); err != nil {
		return err
	}
	if err := x.saveTrailing(ctx, &gs.applier, false); err != nil {
		return err
	}
	return x.finish(ctx, gs)
}

// applyVectors returns the function that applies changes to a generation.
func (x *vectorIndexer) applyVectors(gs *generationState) applyFunc {
	return func(ctx context.Context, changes []role.Change) (int, error) {
		tenants, err := x.load(ctx, changes)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, t := range tenants {
			if err := x.ForgetVectors(ctx, t.scope, t.gone); err != nil {
				return n, err
			}
			if err := x.embedOrPostpone(ctx, gs, t.live); err != nil {
				return n, err
			}
			n += len(t.live)
		}
		return n, nil
	}
}

// ForgetVectors removes ids of a tenant from every generation, with their cached embeddings.
func (x *vectorIndexer) ForgetVectors(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	if len(ids) == 0 {
		return nil
	}
	if err := x.cfg.Vectors.Delete(ctx, s, ids); err != nil {
		return err
	}
	return x.cfg.Store.ForgetEmbeddings(ctx, s, ids)
}

// JobEmbed is the kind of job that embeds memories again after their embedding failed. Its payload is an [EmbedJob].
const JobEmbed = "embed"

// EmbedJob names the memories of a tenant to embed.
type EmbedJob struct {
	IDs []trilith.ID `json:"ids"`
	// key of the generation without them; empty: the active one
	Generation string `json:"generation,omitempty"`
}

// NewEmbedJob makes a job that is due at once.
func NewEmbedJob(ids []trilith.ID, g trilith.Generation, now time.Time) (trilith.Job, error) {
	payload, err := json.Marshal(EmbedJob{IDs: ids, Generation: g.Key()})
	return trilith.Job{ID: trilith.NewID(now), Kind: JobEmbed, Payload: payload, State: trilith.JobReady, RunAt: now,
		CreatedAt: now, UpdatedAt: now}, err
}

// EmbedAgain runs an [EmbedJob]: it embeds the memories as they are now. Missing memories are not an error. If the
// embedder refuses one of several, that one gets a separate job and does not hold up the others. It is NotFound if the
// generation is neither active nor being built here.
func (x *vectorIndexer) EmbedAgain(ctx context.Context, tenant string, j EmbedJob) error {
	if x.cfg.Vectors == nil {
		return nil
	}
	gs := x.active.Load()
	if j.Generation != "" && j.Generation != gs.gen.Key() {
		if gs = x.building.Load(); gs == nil || j.Generation != gs.gen.Key() {
			return trilith.Errorf(trilith.NotFound, "embedder: this process does not make vectors of the generation %s", j.Generation)
		}
	}
	ms, err := x.cfg.Store.Get(ctx, trilith.Scope{Tenant: tenant}, j.IDs)
	if err != nil && !isDamaged(err) {
		return err
	}
	if len(ms) > 1 {
		err = x.embedOrPostpone(ctx, gs, ms)
	} else {
		err = x.embed(ctx, gs, ms)
	}
	if err != nil {
		return err
	}
	return x.noteLate(ctx, gs, tenant, j.IDs)
}

// Generation returns the embedder's generation under the current text recipe.
func Generation(e role.Embedder) trilith.Generation {
	g := e.Generation()
	g.Recipe = RecipeVersion
	return g
}

// Reaching returns a context for waiting for vectors. It ends when an attempt to make some fails because the embedder is
// away: it may stay away, and the vectors are made when it is back.
func (x *vectorIndexer) Reaching(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if gs := x.active.Load(); gs != nil {
		gs.state.Lock()
		away := gs.away
		gs.state.Unlock()
		go func() {
			select {
			case <-away:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// Await waits until the active vectors of everything up to the cursor have been applied, by this process or another. If
// the disk is full it returns that error, because it is unknown for how long.
func (x *vectorIndexer) Await(ctx context.Context, shard int, c trilith.Cursor) error {
	if x.cfg.Vectors == nil || c == "" {
		return nil
	}
	var gs *generationState
	before := 0 // attempts before the wait that met a full disk
	for pause := waitMin; ; {
		now := x.active.Load()
		now.state.Lock()
		if now != gs {
			gs, before = now, now.fulls
			x.Notify()
		}
		at, moved, full := gs.at[shard], gs.moved, gs.full
		again := gs.fulls > before
		gs.state.Unlock()
		if at >= c {
			return nil
		}
		if full != nil && again {
			return full
		}
		if x.active.Load() != gs { // replaced as the active one: nothing would wake this caller
			continue
		}
		if gs.shared() {
			if err := gs.pause(ctx, &pause); err != nil {
				return err
			}
			if err := x.look(ctx, &gs.applier); err != nil && !errors.Is(err, errGone) {
				return err
			}
			continue
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
