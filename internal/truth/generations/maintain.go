package generations

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/wait"
)

const (
	// how soon the generation of another process is noticed, and how often progress is stored
	tendEvery  = 2 * time.Second
	tendLease  = 10 * time.Second       // after this a process that dies during a build is replaced
	tendRetry  = time.Second            // first pause of a build that fails …
	tendSlowly = 30 * time.Second       // … doubling up to this one
	awaitEvery = 100 * time.Millisecond // how often a caller that waits for a build checks it
	// how often the active generation is announced again: other readers may have lost the announcement
	announceEvery = 30 * time.Second
)

// announcement is the last announcement to other readers, and its time.
type announcement struct {
	generation string
	at         time.Time
}

// TendGenerations maintains the generations of the store until ctx ends.
func (gs *Generations) TendGenerations(ctx context.Context) {
	var announced announcement
	trouble := ""
	for {
		if err := gs.announce(ctx, &announced); err != nil && ctx.Err() == nil {
			if now := err.Error(); now != trouble { // log it once: a server may be unavailable for long
				trouble = now
				gs.truth.Logger.WarnContext(
					ctx, "embedder: the active generation could not be announced, will be repeated", "error", err)
			}
		}
		timer := time.NewTimer(gs.truth.Pace(tendEvery))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-gs.maintaining:
			timer.Stop()
		}
		if err := gs.maintain(ctx); err != nil && ctx.Err() == nil {
			gs.truth.Logger.WarnContext(
				ctx, "embedder: the generations could not be maintained, will be repeated", "error", err)
		}
	}
}

// announce tells other readers of the index which generation is active, when that has changed, and again periodically.
func (gs *Generations) announce(ctx context.Context, last *announcement) error {
	a, ok := gs.truth.Vectors.(role.RemoteVectors)
	g, now := gs.Generation(), gs.truth.Now()
	if !ok || g.Key() == last.generation && now.Sub(last.at) < announceEvery {
		return nil
	}
	if err := a.Announce(ctx, trilith.AsSystem("generation"), g); err != nil {
		return err
	}
	*last = announcement{g.Key(), now}
	return nil
}

// errLost ends work on generations if another process has the lease, or if the work is no longer wanted.
var errLost = errors.New("engine: another process maintains the generations")

// maintain follows the active generation, and does outstanding work if no other process does.
func (gs *Generations) maintain(ctx context.Context) error {
	g, _, err := gs.generations(ctx)
	if err != nil {
		return err
	}
	if err := gs.activate(ctx, g.openable, false); err != nil || g.idle() {
		return err
	}
	var made role.Embedder
	if b := g.Building; b != nil {
		var why string
		if made, err = gs.embedderOf(ctx, b.openable); err != nil {
			why = trilith.MessageOf(err)
		}
		if g.Worker == "" && why != b.Error { // a request for the progress shows why the build has stopped
			if g, err = gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
				if b.is(g.Building) && g.Worker == "" {
					g.Building.Error = why
				}
				return nil, nil
			}); err != nil {
				return err
			}
		}
		if made == nil && len(g.Dropped) == 0 {
			return nil
		}
	}
	held, release, err := gs.takeLease(ctx)
	if err != nil || held == nil {
		return err
	}
	defer release()
	if err := gs.dropVectors(held); err != nil {
		return err
	}
	if made == nil {
		return nil
	}
	err = gs.build(held, made)
	if errors.Is(err, errLost) || held.Err() != nil { // another generation is requested now
		gs.truth.Index.StopBuilding()
		if held.Err() != nil {
			gs.Maintain()
		}
		return nil
	}
	return err
}

// takeLease makes this process the only one that builds and drops generations, and renews the lease until release is
// called. The returned context ends when the lease is lost, or when another generation is to be built; it is nil if
// another process holds the lease.
func (gs *Generations) takeLease(ctx context.Context) (held context.Context, release func(), err error) {
	g, err := gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
		if g.Worker != "" && g.Worker != gs.worker && !trilith.Over(g.Until, gs.truth.Now(), tendLease) {
			return nil, errLost
		}
		g.Worker, g.Until = gs.worker, gs.truth.Now().Add(tendLease)
		return nil, nil
	})
	if errors.Is(err, errLost) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	held, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() { gs.beat(held, cancel, g) })
	return held, func() {
		cancel()
		beating.Wait()
		_, err := gs.changeGenerations(context.WithoutCancel(ctx), func(g *registry) ([]role.Ref, error) {
			if g.Worker == gs.worker {
				g.Worker, g.Until = "", time.Time{}
			}
			return nil, nil
		})
		if err != nil {
			gs.truth.Logger.WarnContext(ctx, "embedder: the lease on the generations could not be released; it will expire", "error", err)
		}
	}, nil
}

// beat renews the lease and stores the progress of the build.
func (gs *Generations) beat(ctx context.Context, cancel context.CancelFunc, begun registry) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, err := gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
			if g.Worker != gs.worker || begun.Building != nil && !begun.Building.is(g.Building) {
				return nil, errLost
			}
			g.Until = gs.truth.Now().Add(tendLease)
			if p := gs.Progress.Load(); p != nil && g.Building != nil {
				g.Building.Done, g.Building.Total, g.Building.Error = p.Done, p.Total, p.Error
			}
			return nil, nil
		})
		if errors.Is(err, errLost) {
			cancel()
			return
		}
		if err != nil && ctx.Err() == nil {
			gs.truth.Logger.WarnContext(
				ctx, "embedder: the lease of the generations could not be prolonged", "error", err)
		}
	}
}

// build makes the vectors of the next generation, however long it takes, and activates it in one commit.
func (gs *Generations) build(ctx context.Context, made role.Embedder) error {
	g, _, err := gs.generations(ctx)
	if err != nil || g.Building == nil {
		return err
	}
	b := g.Building
	if index.Generation(made).Key() != b.Key() { // another embedder than expected was opened
		return errLost
	}
	defer gs.Progress.Store(nil)
	for pause := tendRetry; ; pause = min(2*pause, tendSlowly) {
		err := gs.truth.Index.Build(ctx, b.Generation, made, b.Kept, func(done, total int) {
			now := trilith.Build{Done: done, Total: total}
			if before := gs.Progress.Load(); done > 0 {
				pause = tendRetry
			} else if before != nil { // after a retry the reason of the failure still holds
				now.Error = before.Error
			}
			gs.Progress.Store(&now)
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed := trilith.Build{Error: trilith.MessageOf(err)}
		if p := gs.Progress.Load(); p != nil {
			failed.Done, failed.Total = p.Done, p.Total
		}
		gs.Progress.Store(&failed)
		gs.truth.Logger.WarnContext(ctx, "embedder: the build of a generation failed and will be retried", "generation",
			b.openable.String(), "error", err, "pause", pause)
		if err := wait.For(ctx, pause); err != nil {
			return err
		}
	}
	g, err = gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
		if g.Worker != gs.worker || !b.is(g.Building) {
			return nil, errLost
		}
		old, before := g.openable, g.Previous
		g.openable, g.Building, g.Previous = b.openable, nil, &old
		// it cannot be a previous generation: this program does not know its text recipe
		if old.Recipe != index.RecipeVersion {
			g.Previous = nil
			g.drop(old.Generation)
		}
		if before != nil {
			g.drop(before.Generation)
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	gs.truth.Logger.InfoContext(ctx, "embedder: a generation was activated", "generation", g.openable.String())
	if err := gs.activate(ctx, g.openable, true); err != nil {
		return err
	}
	return gs.dropVectors(ctx)
}

// activate switches this process to the active generation. It reads one that another process has made again.
func (gs *Generations) activate(ctx context.Context, n openable, madeHere bool) error {
	now := gs.Current.Load()
	if n.Key() == now.Gen.Key() && now.err == nil {
		return nil
	}
	next := gs.denseOf(ctx, n)
	if n.Key() == now.Gen.Key() && next.err != nil {
		return nil
	}
	release, _ := gs.truth.Vectors.(role.LocalVectors)
	if release != nil && !madeHere {
		release.Release(next.Gen)
	}
	if err := gs.truth.Index.Use(ctx, next.Gen, next.Embedder); err != nil {
		return err
	}
	gs.Current.Store(next)
	switch {
	case next.err != nil:
		gs.truth.Logger.WarnContext(ctx, "embedder: questions are answered without vectors", "error", next.err)
	case !gs.anyGeneration && !n.is(index.Generation(gs.embedder)):
		gs.truth.Logger.WarnContext(
			ctx, "embedder: another generation was activated and this process uses it; start it with that embedder next time",
			"old", now.Gen.String(), "new", n.String(), "embedder", n.Embedder)
	}
	if release != nil && n.Key() != now.Gen.Key() {
		release.Release(now.Gen)
	}
	return nil
}

// dropVectors removes the vectors of generations that are no longer needed.
func (gs *Generations) dropVectors(ctx context.Context) error {
	g, _, err := gs.generations(ctx)
	if err != nil {
		return err
	}
	for _, d := range g.Dropped {
		if d.Key() == g.Key() || g.Previous != nil && d.Key() == g.Previous.Key() { // it is needed again
			continue
		}
		// The positions go first: a generation without them is built from the beginning.
		positions := index.Positions(gs.truth.Vectors, d, gs.truth.Log.Shards())
		if _, err := gs.truth.Commit(ctx, truth.SystemScope, role.Batch{Delete: positions}); err != nil {
			return err
		}
		if err := gs.truth.Vectors.Drop(ctx, trilith.AsSystem("generation"), d); err != nil {
			return err
		}
	}
	if len(g.Dropped) == 0 {
		return nil
	}
	_, err = gs.changeGenerations(ctx, func(now *registry) ([]role.Ref, error) {
		if now.Worker != gs.worker {
			return nil, errLost
		}
		now.Dropped = now.Dropped[min(len(g.Dropped), len(now.Dropped)):] // others may have been appended
		return nil, nil
	})
	return err
}

// Maintain makes the background loop check the generations now; it never blocks.
func (gs *Generations) Maintain() {
	select {
	case gs.maintaining <- struct{}{}:
	default:
	}
}

// EmbedAgain runs an embedding job. A job for a generation that another process builds waits until that is active; a
// job for a generation that is no longer wanted counts as done.
func (gs *Generations) EmbedAgain(ctx context.Context, tenant string, j index.EmbedJob) error {
	err := gs.truth.Index.EmbedAgain(ctx, tenant, j)
	if trilith.KindOf(err) != trilith.NotFound {
		return err
	}
	g, _, failed := gs.generations(ctx)
	switch {
	case failed != nil:
		return failed
	case j.Generation == g.Key() || g.Building != nil && j.Generation == g.Building.Key():
		return trilith.Errorf(trilith.Unavailable, "embedder: this process does not make vectors of the generation %s", j.Generation)
	}
	return nil
}

// AwaitGenerations waits until no process builds or removes a generation. It calls progress with the state of the
// generations.
func (gs *Generations) AwaitGenerations(ctx context.Context, progress func([]trilith.GenerationStatus)) error {
	if err := gs.NeedVectors(); err != nil {
		return err
	}
	for {
		g, _, err := gs.generations(ctx)
		if err != nil {
			return err
		}
		if p := gs.Progress.Load(); p != nil && g.Building != nil { // more recent than the stored progress
			g.Building.Done, g.Building.Total, g.Building.Error = p.Done, p.Total, p.Error
		}
		progress(g.statuses())
		if g.idle() {
			return nil
		}
		if err := wait.For(ctx, awaitEvery); err != nil {
			return err
		}
	}
}
