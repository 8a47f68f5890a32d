package mentions

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	readStep = 500 // changes that are read at once
	// changes that the background reads for one waiting reader; it reads the rest step by step
	refreshChanges = 1000
	// how long a reader waits for the log; later readers do not wait until the backlog is done
	readerWait = 250 * time.Millisecond
	// the same limit on a store with a slower pace, where a step takes several network calls
	readerWaitPaced = 2 * time.Second
	saveInterval    = 2 * time.Second
)

// follower reads the log of changes and records which facts are mentioned again. It follows the log as the indexes do,
// so a write of turns costs nothing extra. There are three ways to its results:
//
//   - The background (run) updates the records.
//   - A reader of some facts (unrecorded) finds by itself what is not recorded yet, for these facts only.
//   - A reader of all records (refresh) makes the background bring them up to date, and waits: so the reader's deadline
//     holds, and the work is not lost with the reader.
//
// Recording a mention twice changes nothing, so several processes may do it at once.
type follower struct {
	truth    *truth.Truth
	entities *entities.Entities
	keys     keyCache

	token chan struct{}    // held while the log is read; guards the fields up to known
	at    []trilith.Cursor // position in the log, by shard
	saved []trilith.Cursor
	known bool // at includes the saved position

	published sync.Mutex
	recorded  []trilith.Cursor // guarded by published: a copy of at; nil until that is loaded

	wanted chan struct{} // wakes the background
	behind atomic.Bool   // a reader has timed out: nobody waits until the backlog is done
	asking sync.Mutex
	next   *round // the next round; guarded by asking; nil: not requested
}

func newFollower(t *truth.Truth, n *entities.Entities) *follower {
	shards := t.Log.Shards()
	return &follower{truth: t, entities: n, keys: keyCache{of: map[trilith.ID]cachedKeys{}},
		token: make(chan struct{}, 1), at: make([]trilith.Cursor, shards), saved: make([]trilith.Cursor, shards),
		wanted: make(chan struct{}, 1)}
}

// round reads everything that was committed before it began.
type round struct {
	done chan struct{} // closed at its end
	err  error
}

var asSystem = trilith.AsSystem("mentions")

// run follows the log until ctx ends. One process of several follows it; the others only serve their readers.
func (fl *follower) run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(trilith.PaceOf(fl.truth.Store, saveInterval))
	defer tick.Stop()
	for {
		if err := fl.update(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		fl.behind.Store(false)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-fl.wanted:
				fl.answer(ctx)
			case <-tick.C:
				waiting = false
			}
		}
	}
}

// answer runs the round that readers have requested.
func (fl *follower) answer(ctx context.Context) {
	fl.asking.Lock()
	r := fl.next
	fl.next = nil
	fl.asking.Unlock()
	if r == nil {
		return
	}
	defer close(r.done)
	var n int
	if n, r.err = fl.catchUp(ctx, refreshChanges); r.err == nil && n < refreshChanges {
		fl.behind.Store(false)
	}
}

// wake makes the background read new changes now.
func (fl *follower) wake() {
	select {
	case fl.wanted <- struct{}{}:
	default: // already requested
	}
}

// wait returns the longest time that a reader waits.
func (fl *follower) wait() time.Duration {
	return min(trilith.PaceOf(fl.truth.Store, readerWait), readerWaitPaced)
}

// refresh waits, at most fl.wait(), until everything that was committed before the call has been read. It does not wait
// at all while a reader has timed out.
func (fl *follower) refresh(ctx context.Context) error {
	if fl.behind.Load() {
		return nil
	}
	fl.asking.Lock()
	if fl.next == nil {
		fl.next = &round{done: make(chan struct{})}
	}
	r := fl.next
	fl.asking.Unlock()
	fl.wake()
	timer := time.NewTimer(fl.wait())
	defer timer.Stop()
	select {
	case <-r.done:
		return r.err
	case <-timer.C:
		fl.behind.Store(true)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// update reads the whole log, if no other process follows it.
func (fl *follower) update(ctx context.Context) error {
	if fl.truth.Turns != nil {
		turn, release, ok, err := fl.truth.Turns.TryTurn(ctx, asSystem, "mentions")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	for {
		n, err := fl.catchUp(ctx, readStep)
		if err != nil || n < readStep {
			return cmp.Or(err, fl.saveCheckpoint(ctx))
		}
	}
}

// catchUp records the mentions in what was committed before the call, reading at most this many changes, and returns
// how many it read.
func (fl *follower) catchUp(ctx context.Context, most int) (int, error) {
	release, err := truth.Acquire(ctx, fl.token)
	if err != nil {
		return 0, err
	}
	defer release()
	n := 0
	for shard := range fl.at {
		head, err := fl.truth.Log.Head(ctx, asSystem, shard)
		if err != nil {
			return n, err
		}
		if fl.at[shard] < head && (!fl.known || fl.truth.Turns != nil) { // another process may be further
			if err := fl.load(ctx); err != nil {
				return n, err
			}
		}
		for fl.at[shard] < head && n < most {
			changes, next, err := fl.truth.Log.Changes(ctx, asSystem, shard, fl.at[shard], readStep)
			if err != nil {
				return n, err
			}
			if len(changes) == 0 {
				next = head // the changes were compacted away
			}
			if err := fl.record(ctx, changes); err != nil {
				return n, err
			}
			fl.at[shard], n = next, n+len(changes)
			fl.publish()
		}
	}
	return n, nil
}

// publish publishes the log position to readers. The token is held.
func (fl *follower) publish() {
	fl.published.Lock()
	defer fl.published.Unlock()
	fl.recorded = slices.Clone(fl.at)
}

// checkpoints returns the ids of the records that hold the position in each shard.
func (fl *follower) checkpoints() []trilith.ID {
	ids := make([]trilith.ID, fl.truth.Log.Shards())
	for shard := range ids {
		ids[shard] = trilith.DeriveID("position", "mentions", strconv.Itoa(shard))
	}
	return ids
}

// checkpoint is the body of the [trilith.RecordPosition] for mentions.
type checkpoint struct {
	Cursor trilith.Cursor `json:"cursor"`
}

// savedCheckpoints returns the position in each shard that was saved last, by whichever process.
func (fl *follower) savedCheckpoints(ctx context.Context) ([]trilith.Cursor, error) {
	ids := fl.checkpoints()
	rs, err := fl.truth.Store.Records(ctx, truth.SystemScope, trilith.RecordListing{Kind: trilith.RecordPosition, IDs: ids})
	if err != nil {
		return nil, err
	}
	out := make([]trilith.Cursor, len(ids))
	for _, r := range rs {
		p, err := truth.Decode[checkpoint](r)
		if err != nil {
			return nil, err
		}
		out[slices.Index(ids, r.ID)] = p.Cursor
	}
	return out, nil
}

// load continues from the saved position of any process. The token is held.
func (fl *follower) load(ctx context.Context) error {
	saved, err := fl.savedCheckpoints(ctx)
	if err != nil {
		return err
	}
	fl.saved, fl.at, fl.known = saved, later(fl.at, saved), true
	fl.publish()
	return nil
}

// saveCheckpoint saves the log position if it has advanced.
func (fl *follower) saveCheckpoint(ctx context.Context) error {
	release, err := truth.Acquire(ctx, fl.token)
	if err != nil {
		return err
	}
	defer release()
	var b trilith.Batch
	for shard, id := range fl.checkpoints() {
		if fl.at[shard] > fl.saved[shard] {
			body, err := json.Marshal(checkpoint{fl.at[shard]})
			if err != nil {
				return err
			}
			b.Records = append(b.Records, trilith.Record{Kind: trilith.RecordPosition, ID: id, Version: 1, Body: body})
		}
	}
	if len(b.Records) == 0 {
		return nil
	}
	if _, err := fl.truth.Store.Commit(ctx, truth.SystemScope, b); err != nil {
		return err
	}
	copy(fl.saved, fl.at)
	return nil
}

// record processes changes: new turns may mention any fact of their person, and later turns may have mentioned a fact
// that is new or was stated again.
func (fl *follower) record(ctx context.Context, changes []trilith.Change) error {
	changed := map[string]map[trilith.ID]bool{}
	for _, c := range changes {
		if changed[c.Tenant] == nil {
			changed[c.Tenant] = map[trilith.ID]bool{}
		}
		changed[c.Tenant][c.ID] = true
	}
	for _, tenant := range slices.Sorted(maps.Keys(changed)) {
		s := trilith.Scope{Tenant: tenant}
		ids := slices.Sorted(maps.Keys(changed[tenant]))
		if err := truth.Retry(ctx, func() (bool, error) { return true, fl.recordIn(ctx, s, ids) }); err != nil {
			return err
		}
	}
	return nil
}

// recordIn is record for the changes of one tenant.
func (fl *follower) recordIn(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	turns, facts, gone, err := fl.classify(ctx, s, ids)
	if err != nil {
		return err
	}
	found := newSearch(fl, s)
	if err := found.forTurns(ctx, turns); err != nil {
		return err
	}
	if err := found.forFacts(ctx, facts); err != nil {
		return err
	}
	return found.commit(ctx, gone)
}

// classify returns which of some memories are turns of people and which are facts that can be mentioned, and the ids
// under which nothing is stored.
func (fl *follower) classify(ctx context.Context, s trilith.Scope, ids []trilith.ID) (
	turns, facts []trilith.Memory, gone []trilith.ID, err error) {
	ms, _, err := truth.SoundOf(fl.truth.Store.Get(ctx, s, ids))
	if err != nil {
		return nil, nil, nil, err
	}
	held := make(map[trilith.ID]bool, len(ms))
	for _, m := range ms {
		held[m.ID] = true
		switch {
		case isUserTurn(&m):
			turns = append(turns, m)
		case m.Fact != nil && m.State == trilith.StateActive && m.SharedFrom == "":
			facts = append(facts, m)
		}
	}
	gone = slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool { return held[id] })
	return turns, facts, gone, nil
}

// isUserTurn reports whether a memory is a turn of a person.
func isUserTurn(m *trilith.Memory) bool {
	return m.Kind == trilith.KindEpisode && m.Role == trilith.RoleUser && m.State == trilith.StateActive && m.SharedFrom == ""
}
