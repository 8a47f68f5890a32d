package alerts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Sweep raises the alerts that depend on time and not on changes: for deadlines, and for indexes that lag. It deletes
// old alerts. Repeating it changes nothing.
func (a *Alerts) Sweep(ctx context.Context) error { return a.sweep(ctx, 0) }

// sweep is Sweep, unless the last one was less than some time ago.
func (a *Alerts) sweep(ctx context.Context, every time.Duration) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	now := a.truth.Now()
	if every > 0 && (!a.known || !trilith.Over(a.swept.Add(every), now, every)) {
		return nil
	}
	a.mu.Lock()
	clear(a.sets) // a tenant may have chosen other languages
	a.mu.Unlock()
	tenants, err := a.truth.Log.Tenants(ctx, asFollowing)
	if err != nil {
		return err
	}
	var failed error
	for _, tenant := range tenants {
		err := a.sweepIn(ctx, trilith.Scope{Tenant: tenant, Actor: "alerts"})
		if ctx.Err() != nil {
			return err
		}
		failed = errors.Join(failed, err) // the other tenants go on
	}
	a.swept = now
	return failed
}

func (a *Alerts) sweepIn(ctx context.Context, s trilith.Scope) error {
	st, err := a.state(ctx, s)
	if err != nil || st.version == 0 {
		return err
	}
	known, err := a.searching(ctx, s, st.Edition)
	if err != nil {
		return err
	}
	if err := a.due(ctx, s, known); err != nil {
		return err
	}
	if err := a.lag(ctx, s); err != nil {
		return err
	}
	return a.prune(ctx, s)
}

// due looks at all memories that are due before the last day that a search asks for.
func (a *Alerts) due(ctx context.Context, s trilith.Scope, known *set) error {
	days, now := 0, a.truth.Now()
	from := now // earlier deadlines raise no alert
	for _, q := range known.all {
		if q.Raises(trilith.AlertDeadline) {
			days = max(days, q.Days)
			if q.UpdatedAt.Before(from) {
				from = q.UpdatedAt
			}
		}
	}
	if days == 0 {
		return nil
	}
	until := now.AddDate(0, 0, days)
	between := func(field string) trilith.Filter {
		return trilith.AllOf(trilith.Where(field, trilith.OpGte, from), trilith.Where(field, trilith.OpLte, until))
	}
	var ids []trilith.ID
	filter := trilith.AllOf(trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive,
		trilith.StateCandidate}),
		trilith.Filter{Or: []trilith.Filter{between("action_deadline"), between("valid_until")}})
	for m, err := range truth.Sound(a.truth.List(ctx, s, role.Listing{Filter: filter}), nil) {
		if err != nil {
			return err
		}
		ids = append(ids, m.ID)
	}
	for chunk := range slices.Chunk(ids, step) {
		for more := true; more; {
			err := a.looking(ctx, s, func(l *look) (err error) {
				more, err = l.due(ctx, chunk)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// due raises an alert for each matching memory that is due soon, if none has said so. A memory that was due before the
// search took its present form raises none. It reports whether there are more than a commit should have.
func (l *look) due(ctx context.Context, ids []trilith.ID) (more bool, err error) {
	read, err := l.subjects(ctx, ids)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if len(l.raised) >= step || l.weight >= maxClaims {
			return true, nil
		}
		for _, q := range l.set.all {
			x := read[id]
			if x == nil || !q.Raises(trilith.AlertDeadline) || !q.matches(x) {
				continue
			}
			due, is := x.Due(), l.claimed[id][q.ID]
			if due == nil || is.Due == due.UnixMicro() || due.Before(q.UpdatedAt) && due.Before(l.now) ||
				due.After(l.now.AddDate(0, 0, q.Days)) {
				continue
			}
			is.Due = due.UnixMicro()
			l.claim(id, q, is)
			l.raise(q, trilith.Alert{Kind: trilith.AlertDeadline, MemoryID: id, Version: x.Version, State: x.state, Due: due},
				string(id), fmt.Sprint(is.Due))
		}
	}
	return false, nil
}

// lag raises an alert for each search whose limit the indexes exceed; one an hour while they do.
func (a *Alerts) lag(ctx context.Context, s trilith.Scope) error {
	return a.looking(ctx, s, func(l *look) error {
		var ids []trilith.ID
		for _, q := range l.set.all {
			if q.Raises(trilith.AlertLag) {
				ids = append(ids, q.ID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		behind, err := a.truth.Index.Lag(ctx)
		if err != nil {
			return err
		}
		if err := l.read(ctx, ids); err != nil {
			return err
		}
		most, hour := max(behind.Text, behind.Vectors), l.now.Truncate(time.Hour).UnixMicro()
		for _, id := range ids {
			if q := l.set.of[id]; most > q.Behind && l.claimed[id][id].Due != hour {
				l.claim(id, q, claims{Due: hour})
				l.raise(q, trilith.Alert{Kind: trilith.AlertLag, Behind: most}, fmt.Sprint(hour))
			}
		}
		return nil
	})
}
