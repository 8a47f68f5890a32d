package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	readStep   = 500 // changes that are read at once
	poll       = 2 * time.Second
	pause      = 250 * time.Millisecond // between two looks: changes that follow each other are looked at together
	saveEvery  = time.Second            // how often the position in the log is saved
	sweepEvery = 5 * time.Minute
	maxSets    = 500    // tenants whose searches are cached
	maxNotes   = 20_000 // written at once
)

var asFollowing = trilith.AsSystem("alerts")

// Run follows the log until ctx ends: right after each commit of this process, and every two seconds for those of
// others. Only one of several processes does it.
func (a *Alerts) Run(ctx context.Context) {
	tick := time.NewTicker(a.truth.Pace(poll))
	defer tick.Stop()
	for {
		if err := a.update(ctx); err != nil && ctx.Err() == nil {
			a.truth.Logger.WarnContext(ctx, "alerts: changes could not be looked at, will be repeated", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		select {
		case <-ctx.Done():
			return
		case <-a.woken:
		case <-tick.C:
		}
	}
}

func (a *Alerts) update(ctx context.Context) error {
	if a.truth.Turns != nil {
		turn, release, ok, err := a.truth.Turns.TryTurn(ctx, asFollowing, "alerts")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	if err := a.Follow(ctx); err != nil {
		return err
	}
	return a.sweepDue(ctx)
}

// Follow looks at all that was committed before the call.
func (a *Alerts) Follow(ctx context.Context) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	for shard := range a.at {
		head, err := a.truth.Log.Head(ctx, asFollowing, shard)
		if err != nil {
			return err
		}
		if a.at[shard] >= head {
			continue
		}
		if a.mayLoad() { // another process may have come further
			if err := a.load(ctx); err != nil {
				return err
			}
		}
		for a.known && a.at[shard] < head {
			changes, next, err := a.truth.Log.Changes(ctx, asFollowing, shard, a.at[shard], readStep)
			if err != nil {
				return err
			}
			if len(changes) == 0 {
				next = head // they were compacted away
			}
			if err := a.lookAt(ctx, shard, changes); err != nil {
				return err
			}
			a.at[shard] = next
		}
	}
	if now := a.truth.Now(); now.Sub(a.savedAt) >= saveEvery || now.Before(a.savedAt) {
		return a.save(ctx, now)
	}
	return nil
}

// mayLoad reports whether it is time to check for changes by other processes. As long as no search was ever saved, not
// every commit causes a check. The caller holds the token.
func (a *Alerts) mayLoad() bool {
	if a.known {
		return a.truth.Turns != nil
	}
	now := a.truth.Now()
	if pace := a.truth.Pace(poll); !trilith.Over(a.asked.Add(pace), now, pace) {
		return false
	}
	a.asked = now
	return true
}

// places are cursors of the changes that were read of a memory: of its first version, "" if that is not among them, and
// of the latest change.
type places struct{ first, last trilith.Cursor }

// lookAt runs searches on changes.
func (a *Alerts) lookAt(ctx context.Context, shard int, changes []role.Change) error {
	changed := map[string]map[trilith.ID]places{}
	for _, c := range changes {
		if changed[c.Tenant] == nil {
			changed[c.Tenant] = map[trilith.ID]places{}
		}
		at := places{first: changed[c.Tenant][c.ID].first, last: c.Cursor}
		if c.Version == 1 {
			at.first = c.Cursor
		}
		changed[c.Tenant][c.ID] = at
	}
	delete(changed, trilith.SystemTenant)
	for _, tenant := range slices.Sorted(maps.Keys(changed)) {
		at := changed[tenant]
		inOrder := slices.SortedFunc(maps.Keys(at), func(x, y trilith.ID) int { return cmp.Compare(at[x].last, at[y].last) })
		for ids := range slices.Chunk(inOrder, step) {
			if err := a.lookIn(ctx, trilith.Scope{Tenant: tenant, Actor: "alerts"}, ids, shard, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// look is one attempt to run the searches of a tenant on some memories.
type look struct {
	a     *Alerts
	s     trilith.Scope
	shard int
	at    map[trilith.ID]places // nil: only deadlines are looked at

	st     state
	set    *set
	now    time.Time
	read   map[trilith.ID]*subject
	noted  map[trilith.ID]notes
	fresh  map[trilith.ID]notes // to be written
	raised []trilith.Alert
	gone   map[trilith.ID]bool
	weight int // how many states must be written
}

// lookIn runs the searches of a tenant on memories, once more after each conflict. Without their places in a shard of
// the log only their deadlines are looked at. The token is held.
func (a *Alerts) lookIn(ctx context.Context, s trilith.Scope, ids []trilith.ID, shard int,
	at map[trilith.ID]places) error {
	raised := 0
	for len(ids) > 0 {
		var done int
		err := truth.Retry(ctx, func() (bool, error) {
			l := look{a: a, s: s, shard: shard, at: at}
			var err error
			if done, err = l.run(ctx, ids); err != nil {
				return false, err
			}
			raised += len(l.raised)
			return true, l.commit(ctx)
		})
		if err != nil {
			return err
		}
		ids = ids[done:]
	}
	if raised == 0 {
		return nil
	}
	return a.shorten(ctx, s)
}

// notes are the states of a memory by search: the body of a [role.RecordAlerted].
type notes map[trilith.ID]*known

// run looks at memories until there are enough alerts for a commit, and returns how many it has looked at.
func (l *look) run(ctx context.Context, ids []trilith.ID) (done int, err error) {
	if l.st, err = l.a.state(ctx, l.s); err != nil {
		return 0, err
	}
	if l.set, err = l.a.searching(ctx, l.s, l.st); err != nil || l.set == nil {
		return len(ids), err
	}
	l.now, l.fresh, l.gone = l.a.truth.Now(), map[trilith.ID]notes{}, map[trilith.ID]bool{}
	if err := l.load(ctx, ids); err != nil {
		return 0, err
	}
	for _, id := range ids {
		if l.read[id] == nil && l.noted[id] != nil {
			l.gone[id] = true
		}
	}
	if len(l.gone) > 0 {
		if err := l.forget(ctx); err != nil {
			return 0, err
		}
		return l.run(ctx, ids)
	}
	for i, id := range ids {
		if x := l.read[id]; x != nil {
			l.compare(x)
		}
		if len(l.raised) >= step || l.weight >= maxNotes {
			return i + 1, nil
		}
	}
	return len(ids), nil
}

// searching returns the searches of a tenant, ready to be run; nil if it has none. The token is held.
func (a *Alerts) searching(ctx context.Context, s trilith.Scope, st state) (*set, error) {
	if st.Searches == 0 {
		delete(a.sets, s.Tenant)
		return nil, nil
	}
	if known := a.sets[s.Tenant]; known != nil && known.edition == st.Edition {
		return known, nil
	}
	words, salt, err := a.reading(ctx, s)
	if err != nil {
		return nil, err
	}
	out := newSet(st.Edition, words, salt)
	var failed error
	err = a.each(ctx, s, func(saved trilith.SavedSearch) {
		q, err := newQuery(saved, s.Tenant, words)
		if err != nil {
			failed = err
			return
		}
		out.add(q)
	})
	if err = truth.FirstError(err, failed); err != nil {
		return nil, err
	}
	if len(a.sets) >= maxSets {
		clear(a.sets)
	}
	a.sets[s.Tenant] = out
	return out, nil
}

// reading returns the two settings that the memories of a tenant are read with: its languages, and the secret that
// values are hashed under.
func (a *Alerts) reading(ctx context.Context, s trilith.Scope) (words textproc.Analyzer, salt []byte, err error) {
	codes, err := a.truth.Index.Languages(ctx, s.Tenant)
	if err != nil {
		return words, nil, err
	}
	if words, err = textproc.NewAnalyzer(codes...); err != nil {
		return words, nil, err
	}
	salt, err = a.truth.Salt(ctx, truth.TenantOf(s))
	return words, salt, err
}

// forget deletes the states of deleted memories, and the alerts about them.
func (l *look) forget(ctx context.Context) error {
	if err := l.a.drop(ctx, l.s, func(al *trilith.Alert) bool { return l.gone[al.MemoryID] }); err != nil {
		return err
	}
	var b role.Batch
	for id := range l.gone {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordAlerted, ID: id})
	}
	return l.a.commit(ctx, l.s, b)
}

// position is the body of a [role.RecordPosition] of ours.
type position struct {
	Cursor trilith.Cursor `json:"cursor"`
}

// save saves the position in the log. Changes that are read again after a crash raise no alert twice, so it need not be
// saved each time. The caller holds the token.
func (a *Alerts) save(ctx context.Context, now time.Time) error {
	var b role.Batch
	for shard, id := range a.positions() {
		if a.known && a.at[shard] > a.saved[shard] {
			if err := putRecord(&b, role.RecordPosition, id, position{a.at[shard]}); err != nil {
				return err
			}
		}
	}
	if len(b.Records) == 0 {
		return nil
	}
	if _, err := a.truth.Commit(ctx, truth.SystemScope, b); err != nil {
		return err
	}
	copy(a.saved, a.at)
	a.savedAt = now
	return nil
}

// load continues from the last saved position of any process. Without one no search was ever saved, and nothing is
// read. The caller holds the token.
func (a *Alerts) load(ctx context.Context) error {
	ids := a.positions()
	rs, err := a.truth.RecordsOf(ctx, truth.SystemScope, role.RecordPosition, ids...)
	if err != nil {
		return err
	}
	for _, r := range rs {
		p, err := truth.Decode[position](r)
		if err != nil {
			return err
		}
		shard := slices.Index(ids, r.ID)
		a.saved[shard], a.known = p.Cursor, true
		a.at[shard] = max(a.at[shard], p.Cursor)
	}
	return nil
}

// begin saves the position from which the log must be followed, before the first search is saved: every later commit is
// then read, even after a crash.
func (a *Alerts) begin(ctx context.Context) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	if !a.known {
		if err := a.load(ctx); err != nil || a.known {
			return err
		}
	}
	if a.known {
		return nil
	}
	heads, err := headsOf(ctx, a.truth.Log)
	if err != nil {
		return err
	}
	var b role.Batch
	for shard, id := range a.positions() {
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordPosition, ID: id})
		if err := putRecord(&b, role.RecordPosition, id, position{heads[shard]}); err != nil {
			return err
		}
	}
	if _, err := a.truth.Commit(ctx, truth.SystemScope, b); err != nil {
		return truth.UnlessConflict(err) // another process has begun
	}
	copy(a.at, heads)
	copy(a.saved, heads)
	a.known = true
	return nil
}

// headsOf are where a log ends, by shard.
func headsOf(ctx context.Context, log role.Log) (heads []trilith.Cursor, err error) {
	heads = make([]trilith.Cursor, log.Shards())
	for shard := 0; shard < len(heads) && err == nil; shard++ {
		heads[shard], err = log.Head(ctx, asFollowing, shard)
	}
	return heads, err
}

func (a *Alerts) positions() []trilith.ID {
	ids := make([]trilith.ID, len(a.at))
	for shard := range ids {
		ids[shard] = trilith.DeriveID("position", "alerts", strconv.Itoa(shard))
	}
	return ids
}

// load reads memories, those before and after them, and their states for searches.
func (l *look) load(ctx context.Context, ids []trilith.ID) error {
	l.read = map[trilith.ID]*subject{}
	get := func(ids []trilith.ID) ([]trilith.Memory, error) {
		ms, _, err := truth.SoundOf(l.a.truth.Memories(ctx, truth.TenantOf(l.s), ids))
		for i := range ms {
			l.read[ms[i].ID] = newSubject(&ms[i], l.now, l.set.words, l.set.salt)
		}
		return ms, err
	}
	ms, err := get(ids)
	if err != nil {
		return err
	}
	noted := slices.Clone(ids)
	for range reach {
		var more []trilith.ID
		for i := range ms {
			for _, id := range append(slices.Clone(ms[i].Supersedes), ms[i].SupersededBy) {
				if id != "" && l.read[id] == nil && len(l.set.near(l.read[ms[i].ID])) > 0 {
					more = append(more, id)
				}
			}
		}
		if more = unique(more); len(more) == 0 {
			break
		}
		if ms, err = get(more); err != nil {
			return err
		}
		noted = append(noted, more...)
	}
	for _, x := range l.read {
		for _, id := range x.Supersedes {
			if y := l.read[id]; y != nil {
				x.before = append(x.before, y)
			}
		}
	}
	rs, err := l.a.truth.RecordsOf(ctx, truth.TenantOf(l.s), role.RecordAlerted, noted...)
	l.noted = map[trilith.ID]notes{}
	for _, r := range rs {
		var n notes
		if err := json.Unmarshal(r.Body, &n); err != nil {
			return trilith.WrapError(trilith.Internal, "alerts: notes", err)
		}
		l.noted[r.ID] = n
	}
	return err
}

// unique leaves out repeated ids, and keeps the last of each.
func unique(ids []trilith.ID) []trilith.ID {
	last := map[trilith.ID]int{}
	for i, id := range ids {
		last[id] = i
	}
	var out []trilith.ID
	for i, id := range ids {
		if last[id] == i {
			out = append(out, id)
		}
	}
	return out
}

// compare runs the searches on one memory.
func (l *look) compare(x *subject) {
	noted := l.noted[x.ID]
	near := l.set.near(x)
	for id := range noted { // those that it matched once, and is perhaps no longer near
		if q := l.set.of[id]; q != nil && !slices.Contains(near, q) {
			near = append(near, q)
		}
	}
	slices.SortFunc(near, func(a, b *query) int { return a.place - b.place })
	for _, q := range near {
		ar := around{noted: func(id trilith.ID) *known { return l.noted[id][q.ID] }}
		if y := l.read[x.SupersededBy]; y != nil {
			ar.after = append(ar.after, y)
		}
		was := noted[q.ID]
		var raised []trilith.Alert
		is := was
		if l.at == nil {
			if was == nil && q.matches(x) { // it was stored before the search
				was = &known{Since: q.CreatedAt.UnixMicro(), Version: x.Version, Matched: true, Value: x.value,
					Over: q.over(x), Contested: x.contested()}
			}
			if was != nil && was.Version == x.Version { // else a change is on its way
				raised, is = q.compareDue(x, was, l.now)
			}
			if len(raised) == 0 {
				continue
			}
		} else {
			ar.old = l.older(q, x)
			raised, is = q.compare(x, was, ar, l.now)
		}
		l.raised = append(l.raised, raised...)
		if is != nil && (was == nil || *is != *was) {
			l.note(x.ID, q.ID, is)
		}
	}
}

// older reports whether a wording was stored before a search took its present form. The log decides it for unchanged
// memories, and for those that were edited between reading the log and reading the memory: an edit puts the former
// wording into a new memory, in the same commit. Otherwise the clocks decide.
func (l *look) older(q *query, x *subject) bool {
	since := func(x *subject) bool { return l.at[x.ID].last > q.From[l.shard] }
	isNew := func(x *subject) bool { return l.at[x.ID].first > q.From[l.shard] }
	switch {
	case l.shard >= len(q.From): // it was saved by an older version
	case !since(x):
		return true
	case isNew(x) && (x.Version > 1 || x.SupersededBy == ""), slices.ContainsFunc(x.before, isNew):
		return false
	}
	return q.earlier(x.RecordedAt, l.now)
}

// note queues the state of a memory for a search for writing. Deleted searches have no states.
func (l *look) note(memory, search trilith.ID, is *known) {
	if l.fresh[memory] == nil {
		l.fresh[memory] = notes{}
		l.weight += 1 + len(l.noted[memory])
		for id, k := range l.noted[memory] {
			if l.set.of[id] != nil {
				l.fresh[memory][id] = k
			}
		}
	}
	l.fresh[memory][search] = is
}

// commit writes the alerts with the new states of the searches.
func (l *look) commit(ctx context.Context) error {
	if len(l.fresh) == 0 {
		return nil
	}
	var b role.Batch
	hooked := map[trilith.ID]int64{} // the first place of each search with a webhook
	for _, al := range l.raised {
		al.Seq = l.st.Next
		l.st.Next, l.st.Kept = l.st.Next+1, l.st.Kept+1
		if q := l.set.of[al.Search]; q.Webhook != "" && hooked[q.ID] == 0 {
			hooked[q.ID] = al.Seq
		}
		if err := putRecord(&b, role.RecordAlert, placeID(al.Seq), al); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.fresh)) {
		if err := putRecord(&b, role.RecordAlerted, id, l.fresh[id]); err != nil {
			return err
		}
	}
	if err := l.st.put(&b); err != nil {
		return err
	}
	if err := l.a.sendSoon(ctx, l.s, l.set, hooked, &b); err != nil {
		return err
	}
	return l.a.commit(ctx, l.s, b)
}
