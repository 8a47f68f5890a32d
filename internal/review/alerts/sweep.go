package alerts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// sweepDue looks at the clock for all tenants if it is time to.
func (a *Alerts) sweepDue(ctx context.Context) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	now := a.truth.Now()
	if !a.known || !trilith.Over(a.swept.Add(sweepEvery), now, sweepEvery) {
		return nil
	}
	if err := a.sweep(ctx); err != nil {
		return err
	}
	a.swept = now
	return nil
}

// Sweep raises the alerts that depend on time and not on changes: for deadlines, and for indexes that lag. It deletes
// old alerts. Repeating it changes nothing.
func (a *Alerts) Sweep(ctx context.Context) error {
	release, err := truth.Acquire(ctx, a.following)
	if err != nil {
		return err
	}
	defer release()
	return a.sweep(ctx)
}

// sweep is Sweep for the holder of the token.
func (a *Alerts) sweep(ctx context.Context) error {
	clear(a.sets) // a tenant may have chosen other languages
	tenants, err := a.truth.Log.Tenants(ctx, asFollowing)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := a.sweepIn(ctx, trilith.Scope{Tenant: tenant, Actor: "alerts"}); err != nil {
			return err
		}
	}
	return nil
}

func (a *Alerts) sweepIn(ctx context.Context, s trilith.Scope) error {
	st, err := a.state(ctx, s)
	if err != nil {
		return err
	}
	qs, err := a.searching(ctx, s, st)
	if err != nil || qs == nil {
		return err
	}
	if err := a.due(ctx, s, qs); err != nil {
		return err
	}
	if err := a.lag(ctx, s, qs); err != nil {
		return err
	}
	if st.Kept == 0 {
		return nil
	}
	return a.prune(ctx, s, qs)
}

// due looks at all memories that are due before the last day that a search asks for.
func (a *Alerts) due(ctx context.Context, s trilith.Scope, qs *set) error {
	var days int
	from := a.truth.Now() // earlier deadlines raise no alert
	for _, q := range qs.all {
		if q.Raises(trilith.AlertDeadline) {
			if days = max(days, q.Days); q.UpdatedAt.Before(from) {
				from = q.UpdatedAt
			}
		}
	}
	if days == 0 {
		return nil
	}
	until := a.truth.Now().AddDate(0, 0, days)
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
		if err := a.lookIn(ctx, s, chunk, 0, nil); err != nil {
			return err
		}
	}
	return nil
}

// lag raises an alert for each search whose limit the indexes exceed; one an hour while they do.
func (a *Alerts) lag(ctx context.Context, s trilith.Scope, qs *set) error {
	var waiting []*query
	for _, q := range qs.all {
		if q.Raises(trilith.AlertLag) {
			waiting = append(waiting, q)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	behind, err := a.truth.Index.Lag(ctx)
	if err != nil {
		return err
	}
	most := max(behind.Text, behind.Vectors)
	return truth.Retry(ctx, func() (bool, error) {
		l := look{a: a, s: s, fresh: map[trilith.ID]notes{}, set: qs, now: a.truth.Now()}
		if l.st, err = a.state(ctx, s); err != nil || l.st.Edition != qs.edition {
			return false, err
		}
		hour := l.now.Truncate(time.Hour).UnixMicro()
		for _, q := range waiting {
			rs, err := a.truth.RecordsOf(ctx, s, role.RecordAlerted, q.ID)
			if err != nil {
				return false, err
			}
			told := notes{}
			if len(rs) > 0 {
				if told, err = truth.Decode[notes](rs[0]); err != nil {
					return false, err
				}
			}
			if most <= q.Behind || told[q.ID] != nil && told[q.ID].Due == hour {
				continue
			}
			l.raised = append(l.raised, trilith.Alert{ID: alertID(&q.SavedSearch, trilith.AlertLag, fmt.Sprint(hour)),
				Search: q.ID, Scope: q.Scope, Kind: trilith.AlertLag, At: l.now, Behind: most})
			l.note(q.ID, q.ID, &known{Since: q.CreatedAt.UnixMicro(), Due: hour})
		}
		return true, l.commit(ctx)
	})
}
