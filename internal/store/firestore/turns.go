package firestore

import (
	"context"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
)

const (
	turnLasts = 45 * time.Second // without a heartbeat
	turnBeat  = 15 * time.Second
	turnName  = 100 // bytes of the longest name
)

// turnTable implements turns between processes.
type turnTable struct {
	*database
	turns turns
}

// turns are the turns that this process holds.
type turns struct {
	mu       sync.Mutex
	releases map[string]func() // by holder
}

// endTurns releases all turns.
func (tt *turnTable) endTurns() {
	tt.turns.mu.Lock()
	all := make([]func(), 0, len(tt.turns.releases))
	for _, release := range tt.turns.releases {
		all = append(all, release)
	}
	tt.turns.mu.Unlock()
	for _, release := range all {
		release()
	}
}

// ownTurn is a turn that is held.
type ownTurn struct {
	store  *database
	path   string
	holder string
	at     time.Time // of the document
}

// TryTurn is documented at [role.Turns]. A turn is a document that says until when it is held; the holder renews it
// periodically. It is lost if that fails until it runs out.
func (tt *turnTable) TryTurn(ctx context.Context, sys trilith.System, name string) (turn context.Context, release func(),
	ok bool, err error) {
	const op = "firestore.TryTurn"
	if err := tt.across(ctx, sys); err != nil {
		return nil, nil, false, err
	}
	if name == "" || len(name) > turnName {
		return nil, nil, false, trilith.Errorf(trilith.Invalid, "turn: a name must be 1 to %d bytes", turnName)
	}
	path := join(tt.root, turnsIn, key("turn", name))
	docs, err := tt.c.get(ctx, []string{path})
	if err != nil {
		return nil, nil, false, failed(op, err)
	}
	was := docs[path]
	if was != nil && !trilith.Over(time.UnixMicro(was.Fields.number("until")), tt.now(), turnLasts) {
		return nil, nil, false, nil
	}
	t := &ownTurn{store: tt.database, path: path, holder: randomName()}
	if ok, err = t.write(ctx, unchanged(was)); err != nil || !ok {
		return nil, nil, false, failed(op, err)
	}
	if !tt.begin() {
		t.give(context.WithoutCancel(ctx))
		return nil, nil, false, errClosed
	}
	turn, end := context.WithCancel(ctx)
	done := make(chan struct{})
	release = sync.OnceFunc(func() {
		end()
		<-done
		tt.turns.mu.Lock()
		delete(tt.turns.releases, t.holder)
		tt.turns.mu.Unlock()
		tt.running.Done()
	})
	tt.turns.mu.Lock()
	if tt.turns.releases == nil {
		tt.turns.releases = make(map[string]func())
	}
	tt.turns.releases[t.holder] = release
	tt.turns.mu.Unlock()
	go func() {
		defer close(done)
		defer end()
		t.keep(turn)
	}()
	return turn, release, true, nil
}

// keep renews the turn until the context ends, then releases it.
func (t *ownTurn) keep(ctx context.Context) {
	beat := time.NewTicker(turnBeat)
	defer beat.Stop()
	sure := time.Now()
	for {
		select {
		case <-ctx.Done():
			t.give(context.WithoutCancel(ctx))
			return
		case <-beat.C:
		}
		ok, err := t.write(ctx, &condition{UpdateTime: &t.at})
		switch {
		case ok:
			sure = time.Now()
		case err == nil, time.Since(sure) > turnLasts-turnBeat:
			return // another process has it, or may have
		}
	}
}

// write takes or renews the turn, if its document is unchanged.
func (t *ownTurn) write(ctx context.Context, c *condition) (bool, error) {
	s := t.store
	f := fields{"holder": text(t.holder), "until": number(s.now().Add(turnLasts).UnixMicro())}
	at, err := s.c.commit(ctx, []write{s.put(t.path, f, c)})
	if err == nil {
		t.at = at
		return true, nil
	}
	if f := asFailure(err); f == nil || !f.moved() && !f.open() {
		return false, err
	}
	docs, err := s.c.get(ctx, []string{t.path}) // the write may have succeeded nevertheless
	if err != nil {
		return false, err
	}
	d := docs[t.path]
	if d == nil || d.Fields.text("holder") != t.holder {
		return false, nil
	}
	t.at = d.UpdateTime
	return true, nil
}

// give releases the turn, unless another process has it.
func (t *ownTurn) give(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	// if that fails, the turn runs out
	_, _ = t.store.c.commit(ctx, []write{{Delete: t.store.c.name(t.path), Current: &condition{UpdateTime: &t.at}}})
}
