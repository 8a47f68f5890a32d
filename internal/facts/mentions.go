package facts

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

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/mention"
	"github.com/cairn-memory/cairn/internal/truth"
)

const (
	MentionStep = 500 // changes that are looked at together
	// changes that a reader looks at; what is left the background does, a step at a time
	mentionReads = 1000
	// changes that a reader looks at by itself for the facts of its answer
	mentionsRead = 200
	// how long one reader waits for either, and the others not at all until it is done
	mentionWait = 250 * time.Millisecond
	// likewise on a store that asks for a slower pace: there a look takes several calls over the network
	mentionWaitPaced = 2 * time.Second
	mentionBack      = 500 // turns that are looked at again for a fact that came after them
	// turns kept for a fact, the latest: some may be forgotten, and some not be for everybody to read
	mentionsKept = 6
	keysKept     = 20_000
	mentionsSave = 2 * time.Second
)

// Mentions are the turns in which a fact was spoken of again, the latest first: the body of a [cairn.RecordMentions].
// They hold no words, so nothing is to be done when a turn is forgotten or erased: a reader asks the truth about each.
type Mentions struct {
	Turns []Mentioned `json:"turns"`
}

// Mentioned is a place in a turn.
type Mentioned struct {
	EpisodeID cairn.ID  `json:"episode_id"`
	At        time.Time `json:"at"`
	Start     int       `json:"start"` // bytes of the turn's text
	End       int       `json:"end"`
	Asks      bool      `json:"asks,omitempty"` // it tells enough for a person to be asked
}

// mentioning notes which facts are spoken of again, beside the facts: it follows the log of changes, as the indexes do.
// A write of words does nothing for it. The notes are updated in the background. A reader of some facts looks itself at
// what is not noted yet, for these facts alone. A reader of all notes has the background bring them up to date, and
// waits for that: so its deadline is kept, and the work begun is not lost with the reader. Noting twice changes
// nothing, so several processes may do it at once.
type mentioning struct {
	store cairn.Store
	log   cairn.Log
	turns cairn.Turns // nil: this process is alone
	now   func() time.Time

	token chan struct{}  // held by the follower, and guards the fields up to place
	at    []cairn.Cursor // up to where the log was looked at, by shard
	saved []cairn.Cursor
	known bool // at holds what was saved

	keys keyCache

	reading sync.Mutex
	noted   []cairn.Cursor // guarded by reading: a copy of at; nil before that is known

	wanted chan struct{} // wakes the background
	behind atomic.Bool   // a reader has waited in vain: until there is nothing left to look at nobody waits
	asking sync.Mutex
	next   *round // guarded by asking: that begins next; nil: nobody asked
}

// round looks at all that was committed before it began.
type round struct {
	done chan struct{} // closed at its end
	err  error
}

// keyCache keeps the content words of facts. It is safe for concurrent use.
type keyCache struct {
	mu sync.Mutex
	of map[cairn.ID]keyed
}

// keyed is the words of a fact as they were last taken out of it.
type keyed struct {
	version int64
	name    string // of its entity
	keys    []mention.Key
}

// keysOf returns the content words of a fact about somebody.
func (c *keyCache) keysOf(m *cairn.Memory, name string) []mention.Key {
	c.mu.Lock()
	k, ok := c.of[m.ID]
	c.mu.Unlock()
	if ok && k.version == m.Version && k.name == name {
		return k.keys
	}
	person := m.Fact.Node.Type == "Person" || m.Fact.Node.Type == "Pet"
	k = keyed{m.Version, name, mention.Keys(m.Fact.Node.Name, m.Text, name, person)}
	for _, e := range m.Fact.Evidence {
		if about := mention.TopicKeys(m.Fact.Verb, e.Quote); about != nil {
			k.keys = append(k.keys, about...)
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) >= keysKept {
		clear(c.of)
	}
	c.of[m.ID] = k
	return k.keys
}

var asMentioning = cairn.AsSystem("mentions")

// Run follows the log until ctx ends. Of several processes one does, but for what readers of the others ask for.
func (w *mentioning) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(cairn.PaceOf(w.store, mentionsSave))
	defer tick.Stop()
	for {
		if err := w.update(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		w.behind.Store(false)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-w.wanted:
				w.answer(ctx)
			case <-tick.C:
				waiting = false
			}
		}
	}
}

// answer looks at what readers ask for.
func (w *mentioning) answer(ctx context.Context) {
	w.asking.Lock()
	r := w.next
	w.next = nil
	w.asking.Unlock()
	if r == nil {
		return
	}
	defer close(r.done)
	var n int
	if n, r.err = w.CatchUp(ctx, mentionReads); r.err == nil && n < mentionReads {
		w.behind.Store(false)
	}
}

// wake has the background look at what changed now.
func (w *mentioning) wake() {
	select {
	case w.wanted <- struct{}{}:
	default: // it is about to
	}
}

// wait says how long a reader waits at most.
func (w *mentioning) wait() time.Duration {
	return min(cairn.PaceOf(w.store, mentionWait), mentionWaitPaced)
}

// catchUp waits until what was committed before the call has been looked at, at most w.wait(), and not at all while
// a reader has waited in vain.
func (w *mentioning) catchUp(ctx context.Context) error {
	if w.behind.Load() {
		return nil
	}
	w.asking.Lock()
	if w.next == nil {
		w.next = &round{done: make(chan struct{})}
	}
	r := w.next
	w.asking.Unlock()
	w.wake()
	timer := time.NewTimer(w.wait())
	defer timer.Stop()
	select {
	case <-r.done:
		return r.err
	case <-timer.C:
		w.behind.Store(true)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *mentioning) update(ctx context.Context) error {
	if w.turns != nil {
		turn, release, ok, err := w.turns.TryTurn(ctx, asMentioning, "mentions")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	for {
		n, err := w.CatchUp(ctx, MentionStep)
		if err != nil || n < MentionStep {
			return cmp.Or(err, w.SaveCheckpoint(ctx))
		}
	}
}

// CatchUp records the mentions in what was committed before the call, in at most so many changes, and returns how many
// it read.
func (w *mentioning) CatchUp(ctx context.Context, most int) (int, error) {
	release, err := truth.Take(ctx, w.token)
	if err != nil {
		return 0, err
	}
	defer release()
	n := 0
	for shard := range w.at {
		head, err := w.log.Head(ctx, asMentioning, shard)
		if err != nil {
			return n, err
		}
		if w.at[shard] < head && (!w.known || w.turns != nil) { // another process may have come further
			if err := w.load(ctx); err != nil {
				return n, err
			}
		}
		for w.at[shard] < head && n < most {
			changes, next, err := w.log.Changes(ctx, asMentioning, shard, w.at[shard], MentionStep)
			if err != nil {
				return n, err
			}
			if len(changes) == 0 {
				next = head // they were compacted away
			}
			if err := w.note(ctx, changes); err != nil {
				return n, err
			}
			w.at[shard], n = next, n+len(changes)
			w.tellNoted()
		}
	}
	return n, nil
}

// tellNoted tells readers up to where the log was looked at. The token is held.
func (w *mentioning) tellNoted() {
	w.reading.Lock()
	defer w.reading.Unlock()
	w.noted = slices.Clone(w.at)
}

func (w *mentioning) checkpoints() []cairn.ID {
	ids := make([]cairn.ID, w.log.Shards())
	for shard := range ids {
		ids[shard] = cairn.DeriveID("position", "mentions", strconv.Itoa(shard))
	}
	return ids
}

// mentionsAt is the body of a [cairn.RecordPosition] of ours.
type mentionsAt struct {
	Cursor cairn.Cursor `json:"cursor"`
}

// savedCheckpoints returns up to where any process had looked when it saved that last, by shard.
func (w *mentioning) savedCheckpoints(ctx context.Context) ([]cairn.Cursor, error) {
	ids := w.checkpoints()
	rs, err := w.store.Records(ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordPosition, IDs: ids})
	if err != nil {
		return nil, err
	}
	out := make([]cairn.Cursor, len(ids))
	for _, r := range rs {
		p, err := truth.Decode[mentionsAt](r)
		if err != nil {
			return nil, err
		}
		out[slices.Index(ids, r.ID)] = p.Cursor
	}
	return out, nil
}

// load goes on from where any process was when it saved that last. The token is held.
func (w *mentioning) load(ctx context.Context) error {
	saved, err := w.savedCheckpoints(ctx)
	if err != nil {
		return err
	}
	w.saved, w.at, w.known = saved, later(w.at, saved), true
	w.tellNoted()
	return nil
}

// SaveCheckpoint notes how far the log was looked at, if it is further than before.
func (w *mentioning) SaveCheckpoint(ctx context.Context) error {
	release, err := truth.Take(ctx, w.token)
	if err != nil {
		return err
	}
	defer release()
	var b cairn.Batch
	for shard, id := range w.checkpoints() {
		if w.at[shard] > w.saved[shard] {
			body, err := json.Marshal(mentionsAt{w.at[shard]})
			if err != nil {
				return err
			}
			b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordPosition, ID: id, Version: 1, Body: body})
		}
	}
	if len(b.Records) == 0 {
		return nil
	}
	if _, err := w.store.Commit(ctx, truth.SystemScope, b); err != nil {
		return err
	}
	copy(w.saved, w.at)
	return nil
}

// note looks at what changed: new turns may mention any fact of their person, and later turns may have mentioned a fact
// that is new or was stated again.
func (w *mentioning) note(ctx context.Context, changes []cairn.Change) error {
	changed := map[string]map[cairn.ID]bool{}
	for _, c := range changes {
		if changed[c.Tenant] == nil {
			changed[c.Tenant] = map[cairn.ID]bool{}
		}
		changed[c.Tenant][c.ID] = true
	}
	for _, tenant := range slices.Sorted(maps.Keys(changed)) {
		s := cairn.Scope{Tenant: tenant}
		ids := slices.Sorted(maps.Keys(changed[tenant]))
		if err := truth.Retry(ctx, func() (bool, error) { return true, w.noteIn(ctx, s, ids) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *mentioning) noteIn(ctx context.Context, s cairn.Scope, ids []cairn.ID) error {
	turns, facts, gone, err := w.classify(ctx, s, ids)
	if err != nil {
		return err
	}
	spoken := newSpoken(w, s)
	if err := spoken.byTurns(ctx, turns); err != nil {
		return err
	}
	if err := spoken.ofFacts(ctx, facts); err != nil {
		return err
	}
	return spoken.commit(ctx, gone)
}

// classify returns which of some memories are turns of people and which are facts that may be spoken of, and the ids
// that nothing is stored under.
func (w *mentioning) classify(ctx context.Context, s cairn.Scope, ids []cairn.ID) (
	turns, facts []cairn.Memory, gone []cairn.ID, err error) {
	ms, _, err := truth.SoundOf(w.store.Get(ctx, s, ids))
	if err != nil {
		return nil, nil, nil, err
	}
	held := make(map[cairn.ID]bool, len(ms))
	for _, m := range ms {
		held[m.ID] = true
		switch {
		case speaks(&m):
			turns = append(turns, m)
		case m.Fact != nil && m.State == cairn.StateActive && m.SharedFrom == "":
			facts = append(facts, m)
		}
	}
	gone = slices.DeleteFunc(slices.Clone(ids), func(id cairn.ID) bool { return held[id] })
	return turns, facts, gone, nil
}

// speaks reports whether a memory is a turn of a person.
func speaks(m *cairn.Memory) bool {
	return m.Kind == cairn.KindEpisode && m.Role == cairn.RoleUser && m.State == cairn.StateActive && m.SharedFrom == ""
}
