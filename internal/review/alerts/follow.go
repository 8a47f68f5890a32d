package alerts

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	readStep   = 500 // changes that are read at once
	mostRead   = 16 * readStep
	poll       = 2 * time.Second
	pause      = 250 * time.Millisecond // between two looks: changes that follow each other are looked at together
	saveEvery  = time.Second            // how often the position in the log is saved
	sweepEvery = 5 * time.Minute
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
	return a.sweep(ctx, sweepEvery)
}

// Follow looks at all that was committed before the call.
func (a *Alerts) Follow(ctx context.Context) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	heads, err := role.Heads(ctx, a.truth.Log, asFollowing)
	if err != nil {
		return err
	}
	for shard, head := range heads {
		if a.at[shard] >= head {
			continue
		}
		if err := a.load(ctx); err != nil || !a.known {
			return err
		}
		if err := a.readTo(ctx, shard, head); err != nil {
			return err
		}
	}
	return a.save(ctx)
}

// readTo looks at the changes of a shard up to a head. If a memory has changed since its change was read, it reads again,
// so that the log says of everything in that commit whether it is new. The caller holds the token.
func (a *Alerts) readTo(ctx context.Context, shard int, head trilith.Cursor) error {
	for limit := readStep; a.at[shard] < head; {
		changes, next, err := a.truth.Log.Changes(ctx, asFollowing, shard, a.at[shard], limit)
		if err != nil {
			return err
		}
		late, err := a.lookAt(ctx, shard, changes)
		if err != nil {
			return err
		}
		if late && limit < mostRead {
			limit *= 2
			continue
		}
		a.at[shard], limit = next, readStep
		if len(changes) == 0 {
			a.at[shard] = head // they were compacted away
		}
	}
	return nil
}

// place is where the log names a memory: the cursor of its first version, "" if that was not read, and the latest change.
type place struct {
	first, last trilith.Cursor
	version     int64 // after the latest change
}

// places are those of the memories of a tenant in a shard of the log.
type places struct {
	shard int
	of    map[trilith.ID]place
}

// lookAt runs searches on changes. It leaves out memories that have changed since, as their later changes follow in the
// log, and reports whether there were any.
func (a *Alerts) lookAt(ctx context.Context, shard int, changes []role.Change) (late bool, err error) {
	changed := map[string]places{}
	for _, c := range changes {
		if c.Tenant == trilith.SystemTenant {
			continue
		}
		if _, there := changed[c.Tenant]; !there {
			changed[c.Tenant] = places{shard, map[trilith.ID]place{}}
		}
		at := place{changed[c.Tenant].of[c.ID].first, c.Cursor, c.Version}
		if c.Version == 1 {
			at.first = c.Cursor
		}
		changed[c.Tenant].of[c.ID] = at
	}
	for _, tenant := range slices.Sorted(maps.Keys(changed)) {
		at := changed[tenant]
		ids := slices.SortedFunc(maps.Keys(at.of), func(x, y trilith.ID) int {
			return cmp.Compare(at.of[x].last, at.of[y].last)
		})
		for len(ids) > 0 {
			done := 0
			err := a.looking(ctx, trilith.Scope{Tenant: tenant, Actor: "alerts"}, func(l *look) (err error) {
				done, err = l.compare(ctx, ids[:min(step, len(ids))], at)
				late = late || l.late
				return err
			})
			if err != nil {
				return late, err
			}
			ids = ids[done:]
		}
	}
	return late, nil
}

// position is the body of the [role.RecordPosition] of alerts. Where it is damaged, or has the form of older versions, the
// log is read from the beginning: nothing is said twice.
type position struct {
	Cursors []trilith.Cursor `json:"cursors"` // by shard
}

var positionID = trilith.DeriveID("position", "alerts", "0")

// save saves the position in the log from time to time: changes that are read again after a crash raise no alert twice.
// The caller holds the token.
func (a *Alerts) save(ctx context.Context) error {
	now := a.truth.Now()
	since := now.Sub(a.savedAt)
	if !a.known || slices.Equal(a.at, a.saved) || since >= 0 && since < saveEvery {
		return nil
	}
	var b role.Batch
	if err := b.Put(role.RecordPosition, positionID, position{a.at}); err != nil {
		return err
	}
	if err := a.commit(ctx, truth.SystemScope, b); err != nil {
		return err
	}
	a.saved, a.savedAt = slices.Clone(a.at), now
	return nil
}

// load continues from the last saved position of any process. Without one no search was ever saved, and nothing is
// read. The caller holds the token.
func (a *Alerts) load(ctx context.Context) error {
	p, version, err := truth.ReadRecord[position](ctx, a.truth, truth.SystemScope, role.RecordPosition, positionID)
	a.known = a.known || version > 0
	for shard := range min(len(a.at), len(p.Cursors)) {
		a.at[shard] = max(a.at[shard], p.Cursors[shard])
	}
	return err
}

// begin saves the position from which the log must be followed, before the first search is saved: every later commit is
// then read, even after a crash.
func (a *Alerts) begin(ctx context.Context) error {
	_, version, err := truth.ReadRecord[position](ctx, a.truth, truth.SystemScope, role.RecordPosition, positionID)
	if err != nil || version > 0 {
		return err
	}
	heads, err := role.Heads(ctx, a.truth.Log, asFollowing)
	if err != nil {
		return err
	}
	var b role.Batch
	if err := b.Replace(role.RecordPosition, positionID, 0, position{heads}); err != nil {
		return err
	}
	return truth.UnlessConflict(a.commit(ctx, truth.SystemScope, b)) // another process has begun
}
