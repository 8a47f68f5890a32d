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
	// how long one reader waits for that, and the others not at all until it is done
	mentionWait = 250 * time.Millisecond
	mentionBack = 500 // turns that are looked at again for a fact that came after them
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
// A write of words does nothing for it. A reader of the notes has the background bring them up to date first, and waits
// for that: so a reader's deadline is kept whatever a store does, and the work begun is not lost with the reader. Notes
// that nobody reads are updated in the background too. Noting twice changes nothing, so several processes may do it at
// once.
type mentioning struct {
	store cairn.Store
	log   cairn.Log
	turns cairn.Turns // nil: this process is alone
	now   func() time.Time

	token chan struct{}  // held by the follower, and guards the fields below
	at    []cairn.Cursor // up to where the log was looked at, by shard
	saved []cairn.Cursor
	known bool // at holds what was saved
	keys  map[cairn.ID]keyed

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

// keyed is the words of a fact as they were last taken out of it.
type keyed struct {
	version int64
	name    string // of its entity
	keys    []mention.Key
}

// keysOf returns the content words of a fact about somebody. The token is held.
func (w *mentioning) keysOf(m *cairn.Memory, name string) []mention.Key {
	k, ok := w.keys[m.ID]
	if !ok || k.version != m.Version || k.name != name {
		if len(w.keys) >= keysKept {
			clear(w.keys)
		}
		person := m.Fact.Node.Type == "Person" || m.Fact.Node.Type == "Pet"
		k = keyed{m.Version, name, mention.Keys(m.Fact.Node.Name, m.Text, name, person)}
		for _, e := range m.Fact.Evidence {
			if about := mention.TopicKeys(m.Fact.Verb, e.Quote); about != nil {
				k.keys = append(k.keys, about...)
				break
			}
		}
		w.keys[m.ID] = k
	}
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
	if n, r.err = w.Follow(ctx, mentionReads); r.err == nil && n < mentionReads {
		w.behind.Store(false)
	}
}

// catchUp waits until what was committed before the call has been looked at, at most mentionWait, and not at all while
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
	select {
	case w.wanted <- struct{}{}:
	default: // it will find the round
	}
	timer := time.NewTimer(mentionWait)
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
		n, err := w.Follow(ctx, MentionStep)
		if err != nil || n < MentionStep {
			return cmp.Or(err, w.KeepPlace(ctx))
		}
	}
}

// Follow notes what was committed before the call, as far as that is no more than so many changes, and says how many
// there were.
func (w *mentioning) Follow(ctx context.Context, most int) (int, error) {
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
		}
	}
	return n, nil
}

func (w *mentioning) places() []cairn.ID {
	ids := make([]cairn.ID, len(w.at))
	for shard := range ids {
		ids[shard] = cairn.DeriveID("position", "mentions", strconv.Itoa(shard))
	}
	return ids
}

// mentionsAt is the body of a [cairn.RecordPosition] of ours.
type mentionsAt struct {
	Cursor cairn.Cursor `json:"cursor"`
}

// load goes on from where any process was when it saved that last. The token is held.
func (w *mentioning) load(ctx context.Context) error {
	ids := w.places()
	rs, err := w.store.Records(ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordPosition, IDs: ids})
	if err != nil {
		return err
	}
	for _, r := range rs {
		p, err := truth.Decode[mentionsAt](r)
		if err != nil {
			return err
		}
		shard := slices.Index(ids, r.ID)
		w.saved[shard], w.at[shard] = p.Cursor, max(w.at[shard], p.Cursor)
	}
	w.known = true
	return nil
}

// KeepPlace notes how far the log was looked at, if it is further than before.
func (w *mentioning) KeepPlace(ctx context.Context) error {
	release, err := truth.Take(ctx, w.token)
	if err != nil {
		return err
	}
	defer release()
	var b cairn.Batch
	for shard, id := range w.places() {
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
	ms, _, err := truth.SoundOf(w.store.Get(ctx, s, ids))
	if err != nil {
		return err
	}
	var turns, facts []cairn.Memory
	gone := map[cairn.ID]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	for _, m := range ms {
		delete(gone, m.ID)
		switch {
		case speaks(&m):
			turns = append(turns, m)
		case m.Fact != nil && m.State == cairn.StateActive && m.SharedFrom == "":
			facts = append(facts, m)
		}
	}
	spoken := newSpoken(w, s)
	if err := spoken.byTurns(ctx, turns); err != nil {
		return err
	}
	if err := spoken.ofFacts(ctx, facts); err != nil {
		return err
	}
	return spoken.commit(ctx, slices.Sorted(maps.Keys(gone)))
}

// speaks reports whether a memory is a turn of a person.
func speaks(m *cairn.Memory) bool {
	return m.Kind == cairn.KindEpisode && m.Role == cairn.RoleUser && m.State == cairn.StateActive && m.SharedFrom == ""
}
