package index

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Local is where a process keeps copies of indexes that it shares with other processes. A search in the memory of the
// process takes a fraction of the time. The shared indexes are kept up to date all the same: other processes use them,
// and so does this one until its copies are complete.
type Local struct {
	Text    role.TextIndex   // empty, and not shared with other processes
	Vectors role.VectorIndex // likewise; nil, or if Config.Vectors is no [role.VectorReader]: vectors are not copied
	Most    int              // how many memories may be copied; if there are more, none are
	Roomy   func() bool      // whether there is enough memory to go on copying; nil: always
}

// copyFrom is the question with which copying begins: many a process asks one question and ends.
const copyFrom = 2

// local are the copies of a process. The copy of the texts follows the log by itself.
type local struct {
	*textIndexer
	vectors *vectorCopy // nil: none
	bounds  Local

	asked    atomic.Int64 // questions so far
	begin    func()       // closes wanted
	wanted   chan struct{}
	complete atomic.Bool   // the texts are
	settled  chan struct{} // closed when all copies are complete or none will be
}

func newLocal(l Local, c Config, shared *vectorIndexer) *local {
	cfg := Config{Store: c.Store, Log: c.Log, Text: l.Text, Now: c.Now, Logger: c.Logger}
	f := &follower{cfg, make(chan struct{}, 1), make(chan struct{}, 1)}
	if l.Roomy == nil {
		l.Roomy = func() bool { return true }
	}
	x := &local{textIndexer: &textIndexer{follower: f}, bounds: l, wanted: make(chan struct{}),
		settled: make(chan struct{})}
	x.begin = sync.OnceFunc(func() { close(x.wanted) })
	x.text.begin(c.Log.Shards(), batchSize, nil)
	if source, ok := c.Vectors.(role.VectorReader); ok && l.Vectors != nil {
		x.vectors = &vectorCopy{follower: f, shared: shared, source: source, copy: l.Vectors, bounds: l}
	}
	return x
}

// vectorsMoved tells the copy that vectors were made.
func (l *local) vectorsMoved() { signal(l.wakeVectors) }

var (
	errTooMany = errors.New("there are more memories than may be copied: raise copy_up_to in the URL of the store " +
		"if there is memory for them")
	errNoRoom = errors.New("the limit of memory leaves no room for copies")
)

// run makes the copies and keeps them up to date until ctx ends.
func (l *local) run(ctx context.Context) {
	select {
	case <-l.wanted:
	case <-ctx.Done():
		return
	}
	var running, first sync.WaitGroup // first: until each copy is complete or given up
	keep := func(what string, wake <-chan struct{}, follow func(context.Context) error, giveUp func() error) {
		ctx, stop := context.WithCancel(ctx)
		settle := sync.OnceFunc(first.Done)
		first.Add(1)
		running.Go(func() {
			defer settle()
			defer stop()
			l.repeat(ctx, what, wake, func(bool) error {
				err := follow(ctx)
				switch {
				case errors.Is(err, errTooMany), errors.Is(err, errNoRoom):
					l.cfg.Logger.WarnContext(ctx, "index: searches take longer, because this process copies no indexes",
						"why", err, "copy_up_to", l.bounds.Most)
					stop()
					return giveUp()
				case err == nil:
					settle()
				}
				return err
			})
		})
	}
	keep("copy of the texts", l.wakeText, l.copyTexts, func() error { return l.cfg.Text.Reset(ctx, system) })
	if l.vectors != nil {
		keep("copy of the vectors", l.wakeVectors, l.vectors.follow,
			func() error { return l.vectors.copy.Reset(ctx, system) })
	}
	first.Wait()
	close(l.settled)
	running.Wait()
}

// copyTexts brings the copy of the texts to the head of the log.
func (l *local) copyTexts(ctx context.Context) error {
	err := l.each(ctx, &l.text, func(ctx context.Context, changes []role.Change) (int, error) {
		if !l.complete.Load() {
			if err := l.bounds.mayCopy(l.text.count()); err != nil {
				return 0, err
			}
		}
		return l.applyTexts(ctx, changes)
	})
	if err == nil {
		l.complete.Store(true)
	}
	return err
}

// mayCopy reports by an error that so many memories are not to be copied.
func (l Local) mayCopy(n int) error {
	switch {
	case n > l.Most:
		return errTooMany
	case !l.Roomy():
		return errNoRoom
	}
	return nil
}

// Warm makes the copies of the shared indexes in this process, if there may be some, and returns when they are used or
// there are too many memories. [Indexer.Run] has to run.
func (x *Indexer) Warm(ctx context.Context) error {
	if x.local == nil {
		return nil
	}
	x.local.begin()
	select {
	case <-x.local.settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget removes memories from the copies. Where a copy is searched, it waits for changes that are being applied: they
// may have been read before the memories were removed.
func (l *local) forget(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	if l.complete.Load() {
		l.text.mu.Lock()
		defer l.text.mu.Unlock()
	}
	err := l.cfg.Text.Delete(ctx, s, ids)
	if l.vectors != nil {
		err = errors.Join(err, l.vectors.forget(ctx, s, ids))
	}
	return err
}

// Texts prepares the searches by words for a question.
func (x *Indexer) Texts(s trilith.Scope) *Texts {
	q := x.textIndexer.Texts(s)
	if x.local != nil && x.local.usable() {
		q.x, q.other = x.local.textIndexer, q.x
	}
	return q
}

// usable counts a question, and reports whether the copy of the texts is complete.
func (l *local) usable() bool {
	if l.asked.Add(1) == copyFrom {
		l.begin()
	}
	return l.complete.Load()
}

// CatchUp applies everything that was committed before the call to the index that the searches use.
func (q *Texts) CatchUp(ctx context.Context) error {
	if q.other == nil {
		return q.x.CatchUp(ctx)
	}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = q.languages(ctx) }) // in a round trip of its own; the search meets an error again
	err := q.x.CatchUp(ctx)
	reading.Wait()
	if err == nil || ctx.Err() != nil {
		return err
	}
	q.x.cfg.Logger.WarnContext(ctx, "index: the copy of the texts cannot be used; the shared index is searched",
		"error", err)
	q.x, q.other = q.other, nil
	return q.x.CatchUp(ctx)
}

// CatchUp applies to the text index, and to the copy in this process, everything that was committed before the call. Of
// a copy of the store it does nothing.
func (x *Indexer) CatchUp(ctx context.Context) error {
	err := x.textIndexer.CatchUp(ctx)
	if err == nil && x.local != nil && x.local.complete.Load() {
		err = x.local.CatchUp(ctx)
	}
	return err
}

// Nearest searches the vectors of a generation; see [role.VectorIndex].
func (x *Indexer) Nearest(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	if x.local != nil && x.local.vectors != nil {
		if found, ok, err := x.local.vectors.search(ctx, s, g, ps); ok {
			return found, err
		}
	}
	return x.cfg.Vectors.Search(ctx, s, g, ps...)
}

// Await waits until the active vectors of everything up to the cursor are found by searches of this process, whichever
// process applies them. If the disk is full it returns that error, because it is unknown for how long.
func (x *Indexer) Await(ctx context.Context, shard int, c trilith.Cursor) error {
	err := x.vectorIndexer.Await(ctx, shard, c)
	if err == nil && x.local != nil && x.local.vectors != nil && x.local.vectors.complete.Load() != nil {
		err = x.local.vectors.follow(ctx)
	}
	return err
}

// Forget removes memories of a tenant from the indexes, in every generation, with their cached embeddings.
func (x *Indexer) Forget(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	if err := x.cfg.Text.Delete(ctx, s, ids); err != nil {
		return err
	}
	if x.cfg.Vectors != nil {
		if err := x.ForgetVectors(ctx, s, ids); err != nil {
			return err
		}
	}
	if x.local == nil {
		return nil
	}
	return x.local.forget(ctx, s, ids)
}
