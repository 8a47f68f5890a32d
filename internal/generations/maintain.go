package generations

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/truth"
)

const (
	// how soon a generation that another process made is noticed, and progress is written down
	tendEvery  = 2 * time.Second
	tendLease  = 10 * time.Second       // a process that dies in the middle of a build is replaced after this
	tendRetry  = time.Second            // first pause of a build that fails …
	tendSlowly = 30 * time.Second       // … doubling up to this one
	awaitEvery = 100 * time.Millisecond // how often who waits for a build looks at it
	// how often others are told which generation is in force, though it is the same: what told them may be gone
	announceEvery = 30 * time.Second
)

// Maintain lets the background loop look at the generations now; it never blocks.
func (gs *Generations) Maintain() {
	select {
	case gs.maintaining <- struct{}{}:
	default:
	}
}

// TendGenerations follows the generations of the store until ctx ends.
func (gs *Generations) TendGenerations(ctx context.Context) {
	var announced announcement
	trouble := ""
	for {
		if err := gs.announce(ctx, &announced); err != nil && ctx.Err() == nil {
			if now := err.Error(); now != trouble { // a server may be away for long
				trouble = now
				gs.truth.Logger.WarnContext(
					ctx, "embedder: the active generation could not be announced, will be repeated", "error", err)
			}
		}
		timer := time.NewTimer(cairn.PaceOf(gs.truth.Store, tendEvery))
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

// announcement is the last message to others, and when.
type announcement struct {
	generation string
	at         time.Time
}

// announce tells those who read the index beside us which generation is in force, when that has changed, and again from
// time to time.
func (gs *Generations) announce(ctx context.Context, last *announcement) error {
	a, ok := gs.truth.Vectors.(cairn.VectorAnnouncer)
	g, now := gs.Generation(), gs.truth.Now()
	if !ok || g.Key() == last.generation && now.Sub(last.at) < announceEvery {
		return nil
	}
	if err := a.Announce(ctx, cairn.AsSystem("generation"), g); err != nil {
		return err
	}
	*last = announcement{g.Key(), now}
	return nil
}

// maintain goes on with the generation that is in force by now, and does what is to be done if nobody else does.
func (gs *Generations) maintain(ctx context.Context) error {
	g, _, err := gs.generations(ctx)
	if err != nil {
		return err
	}
	if err := gs.activate(ctx, g.openable, false); err != nil || g.idle() {
		return err
	}
	var made cairn.Embedder
	if b := g.Building; b != nil {
		var why string
		if made, err = gs.embedderOf(ctx, b.openable); err != nil {
			why = cairn.MessageOf(err)
		}
		if g.Worker == "" && why != b.Error { // a request for the progress shows why it does not go on
			if g, err = gs.changeGenerations(ctx, func(g *registry) ([]cairn.Ref, error) {
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
	if errors.Is(err, errLost) || held.Err() != nil { // somebody wants something else by now
		gs.truth.Index.StopBuilding()
		if held.Err() != nil {
			gs.Maintain()
		}
		return nil
	}
	return err
}

// activate makes the active generation the one of this process, if it is not already. One that was made elsewhere is
// read again, whatever this process knew of it.
func (gs *Generations) activate(ctx context.Context, n openable, madeHere bool) error {
	now := gs.Current.Load()
	if n.Key() == now.Gen.Key() && now.err == nil {
		return nil
	}
	next := gs.denseOf(ctx, n)
	if n.Key() == now.Gen.Key() && next.err != nil {
		return nil
	}
	release, _ := gs.truth.Vectors.(cairn.VectorReleaser)
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

// errLost ends work on generations whose lease somebody else has, or that nobody wants any more.
var errLost = errors.New("engine: another process maintains the generations")

// takeLease makes this process the one that builds and drops, and keeps it that until release is called. The context
// that it returns ends when that is no longer so, or when something else is to be built; it is nil if another process
// holds the lease.
func (gs *Generations) takeLease(ctx context.Context) (held context.Context, release func(), err error) {
	g, err := gs.changeGenerations(ctx, func(g *registry) ([]cairn.Ref, error) {
		if g.Worker != "" && g.Worker != gs.worker && gs.truth.Now().Before(g.Until) {
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
		_, err := gs.changeGenerations(context.WithoutCancel(ctx), func(g *registry) ([]cairn.Ref, error) {
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

// beat prolongs the lease and writes down how far the build is.
func (gs *Generations) beat(ctx context.Context, cancel context.CancelFunc, begun registry) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, err := gs.changeGenerations(ctx, func(g *registry) ([]cairn.Ref, error) {
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

// dropVectors removes the vectors of generations that nobody needs any more.
func (gs *Generations) dropVectors(ctx context.Context) error {
	g, _, err := gs.generations(ctx)
	if err != nil {
		return err
	}
	for _, d := range g.Dropped {
		if d.Key() == g.Key() || g.Previous != nil && d.Key() == g.Previous.Key() { // it came back
			continue
		}
		// The positions go first: a generation without them is made from the beginning.
		positions := index.Positions(gs.truth.Vectors, d, gs.truth.Log.Shards())
		if _, err := gs.truth.Commit(ctx, truth.SystemScope, cairn.Batch{Delete: positions}); err != nil {
			return err
		}
		if err := gs.truth.Vectors.Drop(ctx, cairn.AsSystem("generation"), d); err != nil {
			return err
		}
	}
	if len(g.Dropped) == 0 {
		return nil
	}
	_, err = gs.changeGenerations(ctx, func(now *registry) ([]cairn.Ref, error) {
		if now.Worker != gs.worker {
			return nil, errLost
		}
		now.Dropped = now.Dropped[min(len(g.Dropped), len(now.Dropped)):] // others are added behind
		return nil, nil
	})
	return err
}

// build makes the vectors of the next generation, however long it takes, and brings it into force in one commit.
func (gs *Generations) build(ctx context.Context, made cairn.Embedder) error {
	g, _, err := gs.generations(ctx)
	if err != nil || g.Building == nil {
		return err
	}
	b := g.Building
	if index.Generation(made).Key() != b.Key() { // something else than what was opened
		return errLost
	}
	defer gs.Progress.Store(nil)
	for pause := tendRetry; ; pause = min(2*pause, tendSlowly) {
		err := gs.truth.Index.Build(ctx, b.Generation, made, b.Kept, func(done, total int) {
			now := cairn.Build{Done: done, Total: total}
			if before := gs.Progress.Load(); done > 0 {
				pause = tendRetry
			} else if before != nil { // it is tried again: why it did not go on still holds
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
		failed := cairn.Build{Error: cairn.MessageOf(err)}
		if p := gs.Progress.Load(); p != nil {
			failed.Done, failed.Total = p.Done, p.Total
		}
		gs.Progress.Store(&failed)
		gs.truth.Logger.WarnContext(ctx, "embedder: the build of a generation failed and will be retried", "generation",
			b.openable.String(), "error", err, "pause", pause)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
	g, err = gs.changeGenerations(ctx, func(g *registry) ([]cairn.Ref, error) {
		if g.Worker != gs.worker || !b.is(g.Building) {
			return nil, errLost
		}
		old, before := g.openable, g.Previous
		g.openable, g.Building, g.Previous = b.openable, nil, &old
		// there is no way back to a form of texts that this program does not know
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

// EmbedAgain does an embedding job. One for a generation that another process builds waits until that is in force; one
// for a generation that is not wanted any more is done.
func (gs *Generations) EmbedAgain(ctx context.Context, tenant string, j index.EmbedJob) error {
	err := gs.truth.Index.EmbedAgain(ctx, tenant, j)
	if cairn.KindOf(err) != cairn.NotFound {
		return err
	}
	g, _, failed := gs.generations(ctx)
	switch {
	case failed != nil:
		return failed
	case j.Generation == g.Key() || g.Building != nil && j.Generation == g.Building.Key():
		return cairn.Errorf(cairn.Unavailable, "embedder: this process does not make vectors of the generation %s", j.Generation)
	}
	return nil
}

// AwaitGenerations returns when nothing is being built or removed any more, by this process or another. Progress is
// called with the generations as they are meanwhile.
func (gs *Generations) AwaitGenerations(ctx context.Context, progress func([]cairn.GenerationStatus)) error {
	if err := gs.NeedVectors(); err != nil {
		return err
	}
	for {
		g, _, err := gs.generations(ctx)
		if err != nil {
			return err
		}
		if p := gs.Progress.Load(); p != nil && g.Building != nil { // nearer than what is written down
			g.Building.Done, g.Building.Total, g.Building.Error = p.Done, p.Total, p.Error
		}
		progress(g.statuses())
		if g.idle() {
			return nil
		}
		timer := time.NewTimer(awaitEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}
