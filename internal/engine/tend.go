package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

const (
	tendEvery  = 2 * time.Second        // how soon a generation that another process made is noticed, and progress is written down
	tendLease  = 10 * time.Second       // a process that dies in the middle of a build is replaced after this
	tendRetry  = time.Second            // first pause of a build that fails …
	tendSlowly = 30 * time.Second       // … doubling up to this one
	awaitEvery = 100 * time.Millisecond // how often who waits for a build looks at it
)

// releaser is played by vector indexes that can give back the memory that a generation takes.
type releaser interface{ Release(g cairn.Generation) }

// Tend lets the background loop look at the generations now; it never blocks.
func (e *Engine) Tend() {
	select {
	case e.tending <- struct{}{}:
	default:
	}
}

// tendGenerations follows the generations of the store until ctx ends.
func (e *Engine) tendGenerations(ctx context.Context) {
	for {
		timer := time.NewTimer(tendEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-e.tending:
			timer.Stop()
		}
		if err := e.tend(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Logger.WarnContext(ctx, "embedder: the generations could not be looked after, will be repeated", "error", err)
		}
	}
}

// tend goes on with the generation that is in force by now, and does what is to be done if nobody else does.
func (e *Engine) tend(ctx context.Context) error {
	g, _, err := e.generations(ctx)
	if err != nil {
		return err
	}
	if err := e.adopt(ctx, g.openable, false); err != nil || g.idle() {
		return err
	}
	var made cairn.Embedder
	if b := g.Building; b != nil {
		var why string
		if made, err = e.embedderOf(ctx, b.openable); err != nil {
			why = cairn.MessageOf(err)
		}
		if g.Worker == "" && why != b.Error { // whoever asks how far it is sees why it does not go on
			if g, err = e.changeGenerations(ctx, func(g *generations) ([]cairn.Ref, error) {
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
	held, release, err := e.takeLease(ctx)
	if err != nil || held == nil {
		return err
	}
	defer release()
	if err := e.dropVectors(held); err != nil {
		return err
	}
	if made == nil {
		return nil
	}
	err = e.build(held, made)
	if errors.Is(err, errLost) || held.Err() != nil { // somebody wants something else by now
		e.index.StopBuilding()
		if held.Err() != nil {
			e.Tend()
		}
		return nil
	}
	return err
}

// adopt goes on with the generation in force, if it is not the one that this process goes on with already. One that was made
// elsewhere is read again, whatever this process knew of it.
func (e *Engine) adopt(ctx context.Context, n openable, madeHere bool) error {
	now := e.dense.Load()
	if n.Key() == now.gen.Key() && now.err == nil {
		return nil
	}
	next := e.denseOf(ctx, n)
	if n.Key() == now.gen.Key() && next.err != nil {
		return nil
	}
	release, _ := e.cfg.Vectors.(releaser)
	if release != nil && !madeHere {
		release.Release(next.gen)
	}
	if err := e.index.Use(ctx, next.gen, next.embedder); err != nil {
		return err
	}
	e.dense.Store(next)
	switch {
	case next.err != nil:
		e.cfg.Logger.WarnContext(ctx, "embedder: questions are answered without vectors", "error", next.err)
	case !e.cfg.Follow && !n.is(index.Generation(e.cfg.Embedder)):
		e.cfg.Logger.WarnContext(ctx, "embedder: another generation came into force and this process goes on with it; start it with that embedder the next time",
			"old", now.gen.String(), "new", n.String(), "embedder", n.Embedder)
	}
	if release != nil && n.Key() != now.gen.Key() {
		release.Release(now.gen)
	}
	return nil
}

// errLost ends work on generations whose lease somebody else has, or that nobody wants any more.
var errLost = errors.New("engine: somebody else looks after the generations")

// takeLease makes this process the one that builds and drops, and keeps it that until release is called. The context that it
// returns ends when that is no longer so, or when something else is to be built; it is nil if another process holds the lease.
func (e *Engine) takeLease(ctx context.Context) (held context.Context, release func(), err error) {
	g, err := e.changeGenerations(ctx, func(g *generations) ([]cairn.Ref, error) {
		if g.Worker != "" && g.Worker != e.worker && e.now().Before(g.Until) {
			return nil, errLost
		}
		g.Worker, g.Until = e.worker, e.now().Add(tendLease)
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
	beating.Go(func() { e.beat(held, cancel, g) })
	return held, func() {
		cancel()
		beating.Wait()
		_, err := e.changeGenerations(context.WithoutCancel(ctx), func(g *generations) ([]cairn.Ref, error) {
			if g.Worker == e.worker {
				g.Worker, g.Until = "", time.Time{}
			}
			return nil, nil
		})
		if err != nil {
			e.cfg.Logger.WarnContext(ctx, "embedder: the lease of the generations runs out by itself", "error", err)
		}
	}, nil
}

// beat prolongs the lease and writes down how far the build is.
func (e *Engine) beat(ctx context.Context, cancel context.CancelFunc, begun generations) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		_, err := e.changeGenerations(ctx, func(g *generations) ([]cairn.Ref, error) {
			if g.Worker != e.worker || begun.Building != nil && !begun.Building.is(g.Building) {
				return nil, errLost
			}
			g.Until = e.now().Add(tendLease)
			if p := e.progress.Load(); p != nil && g.Building != nil {
				g.Building.Done, g.Building.Total, g.Building.Error = p.Done, p.Total, p.Error
			}
			return nil, nil
		})
		if errors.Is(err, errLost) {
			cancel()
			return
		}
		if err != nil && ctx.Err() == nil {
			e.cfg.Logger.WarnContext(ctx, "embedder: the lease of the generations could not be prolonged", "error", err)
		}
	}
}

// dropVectors removes the vectors of generations that nobody needs any more.
func (e *Engine) dropVectors(ctx context.Context) error {
	g, _, err := e.generations(ctx)
	if err != nil {
		return err
	}
	for _, d := range g.Dropped {
		if d.Key() == g.Key() || g.Previous != nil && d.Key() == g.Previous.Key() { // it came back
			continue
		}
		// The positions go first: a generation without them is made from the beginning.
		if _, err := e.commit(ctx, systemScope, cairn.Batch{Delete: index.Positions(d, e.cfg.Log.Shards())}); err != nil {
			return err
		}
		if err := e.cfg.Vectors.Drop(ctx, cairn.AsSystem("generation"), d); err != nil {
			return err
		}
	}
	if len(g.Dropped) == 0 {
		return nil
	}
	_, err = e.changeGenerations(ctx, func(now *generations) ([]cairn.Ref, error) {
		if now.Worker != e.worker {
			return nil, errLost
		}
		now.Dropped = now.Dropped[min(len(g.Dropped), len(now.Dropped)):] // others are added behind
		return nil, nil
	})
	return err
}

// build makes the vectors of the next generation, however long it takes, and brings it into force in one commit.
func (e *Engine) build(ctx context.Context, made cairn.Embedder) error {
	g, _, err := e.generations(ctx)
	if err != nil || g.Building == nil {
		return err
	}
	b := g.Building
	if index.Generation(made).Key() != b.Key() { // something else than what was opened
		return errLost
	}
	defer e.progress.Store(nil)
	for pause := tendRetry; ; pause = min(2*pause, tendSlowly) {
		err := e.index.Build(ctx, b.Generation, made, b.Kept, func(done, total int) {
			now := cairn.Build{Done: done, Total: total}
			if before := e.progress.Load(); done > 0 {
				pause = tendRetry
			} else if before != nil { // it is tried again: why it did not go on still holds
				now.Error = before.Error
			}
			e.progress.Store(&now)
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed := cairn.Build{Error: cairn.MessageOf(err)}
		if p := e.progress.Load(); p != nil {
			failed.Done, failed.Total = p.Done, p.Total
		}
		e.progress.Store(&failed)
		e.cfg.Logger.WarnContext(ctx, "embedder: the build of a generation failed, will be repeated", "generation", b.openable.String(), "error", err, "pause", pause)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
	g, err = e.changeGenerations(ctx, func(g *generations) ([]cairn.Ref, error) {
		if g.Worker != e.worker || !b.is(g.Building) {
			return nil, errLost
		}
		old, before := g.openable, g.Previous
		g.openable, g.Building, g.Previous = b.openable, nil, &old
		if old.Recipe != index.RecipeVersion { // there is no way back to a form of texts that this program does not know
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
	e.cfg.Logger.InfoContext(ctx, "embedder: a generation came into force", "generation", g.openable.String())
	if err := e.adopt(ctx, g.openable, true); err != nil {
		return err
	}
	return e.dropVectors(ctx)
}

// embedAgain does an embedding job. One for a generation that another process builds waits until that is in force; one for a
// generation that is not wanted any more is done.
func (e *Engine) embedAgain(ctx context.Context, tenant string, j index.EmbedJob) error {
	err := e.index.EmbedAgain(ctx, tenant, j)
	if cairn.KindOf(err) != cairn.NotFound {
		return err
	}
	g, _, failed := e.generations(ctx)
	switch {
	case failed != nil:
		return failed
	case j.Generation == g.Key() || g.Building != nil && j.Generation == g.Building.Key():
		return cairn.Errorf(cairn.Unavailable, "embedder: the generation %s is not made by this process", j.Generation)
	}
	return nil
}

// AwaitGenerations returns when nothing is being built or removed any more, by this process or another. Progress is called
// with the generations as they are meanwhile.
func (e *Engine) AwaitGenerations(ctx context.Context, progress func([]cairn.GenerationStatus)) error {
	if err := e.needVectors(); err != nil {
		return err
	}
	for {
		g, _, err := e.generations(ctx)
		if err != nil {
			return err
		}
		if p := e.progress.Load(); p != nil && g.Building != nil { // nearer than what is written down
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
