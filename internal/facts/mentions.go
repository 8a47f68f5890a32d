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
	MentionStep = 500 // changes that are read in one step
	// changes that one reader's call reads; the background reads the rest step by step
	mentionReads = 1000
	// changes that a reader reads itself for the facts of its answer
	mentionsRead = 200
	// how long one reader waits for either; later readers do not wait until the backlog is done
	mentionWait = 250 * time.Millisecond
	// the same limit on a store with a slower pace, where a step takes several network calls
	mentionWaitPaced = 2 * time.Second
	mentionBack      = 500 // earlier turns that are searched for a fact that was derived after them
	// turns kept for a fact, the latest ones: some may be forgotten, and some hidden from a reader
	mentionsKept = 6
	keysKept     = 20_000
	mentionsSave = 2 * time.Second
)

// Mentions are the turns in which a fact was spoken of again, the latest first: the body of a [cairn.RecordMentions].
// They contain no text, so forgetting or erasing a turn does not change them: a reader checks each turn against the
// truth.
type Mentions struct {
	Turns []Mentioned `json:"turns"`
}

// Mentioned is a position in a turn.
type Mentioned struct {
	EpisodeID cairn.ID  `json:"episode_id"`
	At        time.Time `json:"at"`
	Start     int       `json:"start"` // byte offset in the turn's text
	End       int       `json:"end"`
	Asks      bool      `json:"asks,omitempty"` // the mention is specific enough to ask a person about it
}

// mentioning records which facts are mentioned again. It is separate from the facts and follows the log of changes, as
// the indexes do, so a write of turns costs nothing extra. The background updates the records. A reader of some facts
// finds by itself what is not recorded yet, for these facts only. A reader of all records makes the background bring
// them up to date, and waits: so the reader's deadline holds and the work is not lost with the reader. Recording a
// mention twice changes nothing, so several processes may do it at once.
type mentioning struct {
	store cairn.Store
	log   cairn.Log
	turns cairn.Turns // nil: this process is alone
	now   func() time.Time

	token chan struct{}  // held by the follower; guards the fields up to known
	at    []cairn.Cursor // log position, by shard
	saved []cairn.Cursor
	known bool // at includes the saved position

	keys keyCache

	reading sync.Mutex
	noted   []cairn.Cursor // guarded by reading: a copy of at; nil until that is loaded

	wanted chan struct{} // wakes the background
	behind atomic.Bool   // a reader has timed out: nobody waits until the backlog is done
	asking sync.Mutex
	next   *round // the next round; guarded by asking; nil: not requested
}

// round reads everything that was committed before it began.
type round struct {
	done chan struct{} // closed at its end
	err  error
}

// keyCache caches the content words of facts. It is safe for concurrent use.
type keyCache struct {
	mu sync.Mutex
	of map[cairn.ID]keyed
}

// keyed holds the content words of one version of a fact.
type keyed struct {
	version int64
	name    string // name of the entity
	keys    []mention.Key
}

// keysOf returns the content words of a fact, without the name of its entity.
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

// Run follows the log until ctx ends. One process of several follows it; the others only serve their readers.
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

// answer runs the round that readers have requested.
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

// wake makes the background read new changes now.
func (w *mentioning) wake() {
	select {
	case w.wanted <- struct{}{}:
	default: // already requested
	}
}

// wait returns the longest time that a reader waits.
func (w *mentioning) wait() time.Duration {
	return min(cairn.PaceOf(w.store, mentionWait), mentionWaitPaced)
}

// catchUp waits, at most w.wait(), until everything that was committed before the call has been read. It does not wait
// at all while a reader has timed out.
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

// CatchUp records the mentions in what was committed before the call, reading at most this many changes, and returns
// how many it read.
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
		if w.at[shard] < head && (!w.known || w.turns != nil) { // another process may be further
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
				next = head // the changes were compacted away
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

// tellNoted publishes the log position to readers. The token is held.
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

// mentionsAt is the body of the [cairn.RecordPosition] for mentions.
type mentionsAt struct {
	Cursor cairn.Cursor `json:"cursor"`
}

// savedCheckpoints returns the position in each shard that was saved last, by whichever process.
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

// load continues from the saved position of any process. The token is held.
func (w *mentioning) load(ctx context.Context) error {
	saved, err := w.savedCheckpoints(ctx)
	if err != nil {
		return err
	}
	w.saved, w.at, w.known = saved, later(w.at, saved), true
	w.tellNoted()
	return nil
}

// SaveCheckpoint saves the log position if it has advanced.
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

// note processes changes: new turns may mention any fact of their person, and later turns may have mentioned a fact
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

// classify returns which of some memories are turns of people and which are facts that can be mentioned, and the ids
// under which nothing is stored.
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
