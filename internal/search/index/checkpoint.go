package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	waitMin = 5 * time.Millisecond   // first pause of a wait for another process …
	waitMax = 200 * time.Millisecond // … growing up to this one
	// how soon a process notices that another has reset the index, even without new changes
	lookEvery = 2 * time.Second
	// how long an index of another form may be idle before this process rebuilds it in its own form
	abandoned = 30 * time.Second
)

// checkpoint is the record of how far an index has been applied, as this process knows it.
type checkpoint struct {
	refs   []role.Ref // of the records, by shard
	shared bool       // other processes apply changes to the index too …
	turn   string     // … each while it holds this turn
	form   string     // how texts are prepared for the index; empty if the index's name contains it
	lazy   bool       // only this process reads it, and applying changes again costs little: it may trail
	late   trilith.ID // of the record of late vectors; empty for texts

	// Guarded by the state of the applier.
	seen         []int64   // latest known versions of the records
	incompatible bool      // the index had another form at the latest look …
	ours         bool      // … and had the right form before
	looked       time.Time // time of the latest read
	noted        lateVectors
	notedAt      int64 // version of the record of late vectors

	// Guarded by the applier.
	mine  []int64          // versions that the holder of the turn read or wrote last
	saved []trilith.Cursor // positions written last, by shard
	at    time.Time        // when they were written
}

// trailFor is how long a lazy checkpoint may trail: after a crash the changes of that time are applied again. Writing it
// for each change would cost every writer that waits for its vectors a second commit.
const trailFor = time.Second

// mayTrail reports whether the checkpoint may stay behind for now.
func (p *checkpoint) mayTrail(now time.Time) bool { return p.lazy && now.Sub(p.at) < trailFor }

// position is the body of a [role.RecordPosition].
type position struct {
	Cursor trilith.Cursor `json:"cursor"`
	Form   string         `json:"form,omitempty"`
}

// share makes the indexer continue a shared text index from its stored checkpoint.
func (x *textIndexer) share(ctx context.Context, s role.SharedText) error {
	n := x.cfg.Log.Shards()
	x.text.checkpoint = &checkpoint{refs: textCheckpoints(n), shared: true, turn: "texts", form: "recipe " +
		strconv.Itoa(wordsVersion) + ", " + s.Form(), seen: make([]int64, n)}
	return x.look(ctx, &x.text)
}

// textCheckpoints names the records that say how far a shared text index has been applied.
func textCheckpoints(shards int) []role.Ref {
	refs := make([]role.Ref, shards)
	for shard := range refs {
		refs[shard] = role.Ref{Kind: role.RecordPosition,
			ID: trilith.DeriveID("position", "texts", strconv.Itoa(shard))}
	}
	return refs
}

// applied reports whether the index has been applied up to the heads. It also returns a channel that is closed when
// that may have changed.
func (a *applier) applied(heads []trilith.Cursor) (reached bool, moved <-chan struct{}) {
	a.state.Lock()
	defer a.state.Unlock()
	for shard, head := range heads {
		if a.at[shard] < head {
			return false, a.moved
		}
	}
	return true, nil
}

// together brings a shared index to the heads: the process with the turn applies changes, and the others read the
// checkpoint. Within a process, one caller does this for all.
func (x *follower) together(ctx context.Context, a *applier, heads []trilith.Cursor, apply applyFunc) error {
	for {
		reached, moved := a.applied(heads)
		if reached {
			return nil
		}
		select {
		case a.chasing <- struct{}{}:
			err := x.chase(ctx, a, heads, apply)
			<-a.chasing
			return err
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (x *follower) chase(ctx context.Context, a *applier, heads []trilith.Cursor, apply applyFunc) error {
	start := x.cfg.Now()
	var before []trilith.Cursor // position at the time start
	for pause := waitMin; ; {
		if err := x.look(ctx, a); err != nil {
			return err
		}
		if reached, _ := a.applied(heads); reached {
			return nil
		}
		if at := a.positions(); !slices.Equal(at, before) {
			start, before = x.cfg.Now(), at
		}
		// If processes of two forms run, the last one started decides; the others search the index as it is.
		if incompatible, before := a.incompatible(); !incompatible || !before || x.cfg.Now().Sub(start) >= abandoned {
			if done, err := x.inTurn(
				ctx, a, func(ctx context.Context) error { return x.advance(ctx, a, heads, apply) }); done ||
				err != nil {
				return err
			}
		}
		if err := a.pause(ctx, &pause); err != nil {
			return err
		}
	}
}

func (a *applier) positions() []trilith.Cursor {
	a.state.Lock()
	defer a.state.Unlock()
	return slices.Clone(a.at)
}

// amendWait bounds the time for correcting changes that were applied without the turn: the process that lost it may be
// about to end.
const amendWait = 5 * time.Second

// amend corrects entries that were applied after another process had taken the turn. If that process has advanced,
// something erased since our read might otherwise come back. If it has not, it will apply the same changes after us.
func (x *follower) amend(ctx context.Context, a *applier, changes []role.Change) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), amendWait)
	defer cancel()
	err := x.look(ctx, a)
	if err == nil && !slices.Equal(a.versions(), a.checkpoint.mine) {
		_, err = a.amend(ctx, changes)
	}
	if err != nil {
		x.cfg.Logger.WarnContext(
			ctx, "index: changes were applied out of order and entries may be outdated; run trilith doctor --repair", "error", err)
	}
}

var (
	errMoved   = errors.New("index: another process applies")
	errForeign = trilith.Errorf(
		trilith.Unavailable, "index: another process has built the text index with another version or other TRILITH_LANGUAGES; use the same everywhere, and restart this process")
	errGone = trilith.Errorf(
		trilith.Unavailable, "embedder: the active generation was replaced and removed; repeat the request")
)

// alone is inTurn for callers that wait until it is done. It writes nothing into an index of another form.
func (x *follower) alone(ctx context.Context, a *applier, f func(context.Context) error) error {
	for pause := waitMin; ; {
		done, err := x.inTurn(ctx, a, func(ctx context.Context) error {
			if a.shared() {
				switch incompatible, before := a.incompatible(); {
				case incompatible && before:
					return errForeign
				case incompatible:
					if err := x.begin(ctx, a); err != nil {
						return err
					}
				}
			}
			return f(ctx)
		})
		if done || err != nil {
			return err
		}
		if err := a.pause(ctx, &pause); err != nil {
			return err
		}
	}
}

// inTurn runs f while no one else applies to the index, in this process or another. It does not wait for another
// process: done says that f ended while this process still had the turn.
func (x *follower) inTurn(ctx context.Context, a *applier, f func(context.Context) error) (done bool, err error) {
	turn := ctx
	if a.shared() && x.cfg.Turns != nil {
		var release func()
		var ok bool
		if turn, release, ok, err = x.cfg.Turns.TryTurn(ctx, system, a.checkpoint.turn); err != nil || !ok {
			return false, err
		}
		defer release()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shared() {
		err = x.look(turn, a) // the work of the process that had the turn before
		a.checkpoint.mine = a.versions()
	}
	if err == nil {
		err = f(turn)
	}
	if errors.Is(err, errMoved) || turn.Err() != nil && ctx.Err() == nil {
		return false, nil // another process has the turn now and does the same
	}
	return true, err
}

func (a *applier) versions() []int64 {
	a.state.Lock()
	defer a.state.Unlock()
	return slices.Clone(a.checkpoint.seen)
}

// pause waits a little longer each time, but no longer than until the index advances.
func (a *applier) pause(ctx context.Context, d *time.Duration) error {
	a.state.Lock()
	moved := a.moved
	a.state.Unlock()
	timer := time.NewTimer(*d)
	defer timer.Stop()
	*d = min(*d*3/2, waitMax)
	select {
	case <-timer.C:
	case <-moved:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// advance applies changes up to the heads. This process has the turn.
func (x *follower) advance(ctx context.Context, a *applier, heads []trilith.Cursor, apply applyFunc) error {
	if incompatible, _ := a.incompatible(); incompatible {
		if err := x.begin(ctx, a); err != nil {
			return err
		}
	}
	for shard, head := range heads {
		if err := x.follow(ctx, a, shard, head, apply); err != nil {
			return err
		}
	}
	return nil
}

// begin empties a shared text index and gives it this process's form. It writes the form last: a process that ends
// earlier leaves an index without a form, which the next one begins again.
func (x *follower) begin(ctx context.Context, a *applier) error {
	shards := make([]int, len(a.checkpoint.refs))
	for shard := range shards {
		shards[shard] = shard
	}
	if err := x.save(ctx, a, shards, position{}); err != nil {
		return err
	}
	if err := x.cfg.Text.Reset(ctx, system); err != nil {
		return err
	}
	if err := x.save(ctx, a, shards, position{Form: a.checkpoint.form}); err != nil {
		return err
	}
	return x.look(ctx, a)
}

// save writes the checkpoint of a shard, as the holder of the turn. It returns errMoved if another process has written
// it in the meantime.
func (x *follower) save(ctx context.Context, a *applier, shards []int, p position) error {
	var b role.Batch
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		ref := a.checkpoint.refs[shard]
		b.Records = append(b.Records, role.Record{Kind: ref.Kind, ID: ref.ID, Body: body})
		if a.checkpoint.shared {
			b.Expect = append(b.Expect, role.Expect{Kind: ref.Kind, ID: ref.ID, Version: a.checkpoint.mine[shard]})
		}
	}
	_, err = x.cfg.Store.Commit(ctx, systemScope, b)
	if a.checkpoint.shared && trilith.KindOf(err) == trilith.Conflict && err != nil {
		return errMoved
	}
	if err == nil && a.checkpoint.lazy {
		a.checkpoint.at = x.cfg.Now()
		for _, shard := range shards {
			a.checkpoint.saved[shard] = p.Cursor
		}
	}
	if err == nil && a.checkpoint.shared {
		a.state.Lock()
		defer a.state.Unlock()
		for _, shard := range shards {
			a.checkpoint.mine[shard]++
			a.checkpoint.seen[shard] = max(a.checkpoint.seen[shard], a.checkpoint.mine[shard])
		}
	}
	return err
}

// saveTrailing writes a lazy checkpoint that trails, unless it may trail for longer. At the end of the process it may not.
func (x *follower) saveTrailing(ctx context.Context, a *applier, ending bool) error {
	if a.checkpoint == nil || !a.checkpoint.lazy {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !ending && a.checkpoint.mayTrail(x.cfg.Now()) {
		return nil
	}
	for shard, at := range a.positions() {
		if a.checkpoint.saved[shard] == at {
			continue
		}
		if err := x.save(ctx, a, []int{shard}, position{at, a.checkpoint.form}); err != nil {
			return err
		}
	}
	return nil
}

// look reads the checkpoint of an index, whichever process wrote it. It ignores one older than the known checkpoint.
func (x *follower) look(ctx context.Context, a *applier) error {
	p := a.checkpoint
	ids := make([]trilith.ID, len(p.refs))
	for shard, ref := range p.refs {
		ids[shard] = ref.ID
	}
	asked := ids
	if p.late != "" {
		asked = append(slices.Clone(ids), p.late)
	}
	rs, err := x.cfg.Store.Records(ctx, systemScope, role.RecordListing{Kind: role.RecordPosition, IDs: asked})
	if err != nil {
		return trilith.WrapError(trilith.Internal, "index: positions", err)
	}
	at, seen, forms := make([]position, len(ids)), make([]int64, len(ids)), 0
	for _, r := range rs {
		shard := slices.Index(ids, r.ID)
		if shard < 0 {
			if err := a.note(&r); err != nil {
				return err
			}
			continue
		}
		if err := json.Unmarshal(r.Body, &at[shard]); err != nil {
			return trilith.WrapError(trilith.Internal, "index: positions", err)
		}
		seen[shard] = r.Version
	}
	a.state.Lock()
	defer a.state.Unlock()
	own, before := !p.incompatible, slices.Clone(a.at)
	p.looked = x.cfg.Now()
	for shard := range at {
		if at[shard].Form == p.form {
			forms++
		}
		switch was := p.seen[shard]; {
		case seen[shard] == 0 && was > 0 && p.form == "":
			return errGone
		case seen[shard] >= was || seen[shard] == 0:
			p.seen[shard], a.at[shard] = seen[shard], at[shard].Cursor
		}
	}
	switch p.incompatible = forms < len(at); {
	case !p.incompatible:
		p.ours = true
	case !p.ours: // the positions belong to an index of another form
		clear(a.at)
	case own:
		x.cfg.Logger.WarnContext(
			ctx, "index: another process has built the text index with another version or other TRILITH_LANGUAGES; this process searches it as it is; "+
				"use the same everywhere", "own", p.form, "index", at[0].Form)
	}
	if !slices.Equal(a.at, before) { // otherwise waiting callers would wake each other for ever
		a.wake()
	}
	return nil
}

// incompatible reports whether the index has a form other than this process's, and whether it had the same before.
func (a *applier) incompatible() (incompatible, before bool) {
	a.state.Lock()
	defer a.state.Unlock()
	return a.checkpoint.incompatible, a.checkpoint.ours
}

// overdue reports whether the checkpoint of a shared index was not read for a while.
func (x *follower) overdue(a *applier) bool {
	if !a.shared() {
		return false
	}
	a.state.Lock()
	defer a.state.Unlock()
	return x.cfg.Now().Sub(a.checkpoint.looked) >= lookEvery
}

// shared reports whether other processes apply changes to the index too.
func (a *applier) shared() bool { return a.checkpoint != nil && a.checkpoint.shared }
