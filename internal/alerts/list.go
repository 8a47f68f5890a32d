package alerts

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// behind yields the alerts of the tenant after a position, in order, of every scope.
func (a *Alerts) behind(ctx context.Context, s cairn.Scope, after int64,
	yield func(cairn.Record, *cairn.Alert) bool) error {
	for r, err := range a.truth.RecordsAfter(ctx, truth.TenantOf(s), cairn.RecordAlert, placeID(after)) {
		if err != nil {
			return err
		}
		al, err := truth.Decode[cairn.Alert](r)
		if err != nil {
			return err
		}
		al.Scope = truth.WithTenant(al.Scope, s.Tenant)
		if !yield(r, &al) {
			return nil
		}
	}
	return nil
}

// List returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
// those about memories that it may read.
func (a *Alerts) List(ctx context.Context, s cairn.Scope, q cairn.AlertQuery) (cairn.AlertPage, error) {
	page := cairn.AlertPage{Items: []cairn.Alert{}, Next: q.After}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(q.Limit, cairn.DefaultPageSize, cairn.MaxPageSize)
	switch {
	case err != nil:
		return page, err
	case q.After < 0:
		return page, cairn.Errorf(cairn.Invalid, "after: must not be negative")
	case q.Search != "" && q.Search.Validate() != nil:
		return page, truth.CheckIDs("search", []cairn.ID{q.Search})
	}
	err = a.behind(ctx, s, q.After, func(_ cairn.Record, al *cairn.Alert) bool {
		if s.Covers(al.Scope) && (q.Search == "" || q.Search == al.Search) && (!q.Open || al.AcknowledgedAt == nil) {
			if len(page.Items) == limit {
				page.More = true
				return false
			}
			page.Items = append(page.Items, *al)
		}
		page.Next = al.Seq
		return true
	})
	if err == nil && s.Bound != (cairn.Bound{}) {
		page.Items, err = a.readable(ctx, s, page.Items)
	}
	return page, err
}

// readable leaves out alerts about memories that the scope does not see.
func (a *Alerts) readable(ctx context.Context, s cairn.Scope, all []cairn.Alert) ([]cairn.Alert, error) {
	var ids []cairn.ID
	for _, al := range all {
		if al.MemoryID != "" {
			ids = append(ids, al.MemoryID)
		}
	}
	ms, _, err := truth.SoundOf(a.truth.Store.Get(ctx, s, ids))
	seen := map[cairn.ID]bool{"": true}
	for i := range ms {
		seen[ms[i].ID] = true
	}
	return slices.DeleteFunc(all, func(al cairn.Alert) bool { return !seen[al.MemoryID] }), err
}

// Newest is the place of the newest alert of the tenant.
func (a *Alerts) Newest(ctx context.Context, s cairn.Scope) (int64, error) {
	st, err := a.state(ctx, s)
	return st.Next - 1, err
}

// Acknowledge notes that somebody has seen alerts. Those that the scope does not cover, and unknown ones, are NotFound,
// and then none is noted.
func (a *Alerts) Acknowledge(ctx context.Context, s cairn.Scope, ids []cairn.ID) (cairn.Acknowledged, error) {
	var out cairn.Acknowledged
	if err := truth.FirstError(truth.CheckScope(s), truth.CheckIDs("ids", ids)); err != nil {
		return out, err
	}
	if len(ids) == 0 || len(ids) > step {
		return out, cairn.Errorf(cairn.Invalid, "ids: name 1 to %d alerts", step)
	}
	err := truth.Retry(ctx, func() (bool, error) {
		b := cairn.Batch{}
		left := map[cairn.ID]bool{}
		for _, id := range ids {
			left[id] = true
		}
		now := a.truth.Now()
		var failed error
		err := a.behind(ctx, s, 0, func(r cairn.Record, al *cairn.Alert) bool {
			if !left[al.ID] || !s.Covers(al.Scope) {
				return true
			}
			if delete(left, al.ID); al.AcknowledgedAt == nil {
				al.AcknowledgedAt, al.AcknowledgedBy = &now, s.Actor
				b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordAlert, ID: r.ID, Version: r.Version})
				failed = putRecord(&b, cairn.RecordAlert, r.ID, al)
			}
			return failed == nil && len(left) > 0
		})
		if err = truth.FirstError(err, failed); err != nil {
			return false, err
		}
		for _, id := range ids {
			if left[id] {
				return false, cairn.Errorf(cairn.NotFound, "ids: alert %s does not exist", id)
			}
		}
		if out.Acknowledged = len(b.Records); out.Acknowledged == 0 {
			return false, nil
		}
		return true, a.commit(ctx, s, b)
	})
	return out, err
}

// drop deletes those alerts of the tenant that are to go.
func (a *Alerts) drop(ctx context.Context, s cairn.Scope, goes func(*cairn.Alert) bool) error {
	var ids []cairn.ID
	err := a.behind(ctx, s, 0, func(r cairn.Record, al *cairn.Alert) bool {
		if goes(al) {
			ids = append(ids, r.ID)
		}
		return true
	})
	if err != nil {
		return err
	}
	return a.dropRows(ctx, s, ids)
}

func (a *Alerts) dropRows(ctx context.Context, s cairn.Scope, ids []cairn.ID) error {
	for chunk := range slices.Chunk(ids, step) {
		err := truth.Retry(ctx, func() (bool, error) {
			st, err := a.state(ctx, s)
			if err != nil {
				return false, err
			}
			var b cairn.Batch
			for _, id := range chunk {
				b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordAlert, ID: id})
			}
			st.Kept = max(0, st.Kept-len(chunk))
			if err := st.put(&b); err != nil {
				return false, err
			}
			return true, a.commit(ctx, s, b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prune deletes alerts that are too old, too many, or of no search any more.
func (a *Alerts) prune(ctx context.Context, s cairn.Scope, known *set) error {
	st, err := a.state(ctx, s)
	if err != nil {
		return err
	}
	over, before := st.Kept-a.c.Rows, a.truth.Now().Add(-a.c.Keep)
	return a.drop(ctx, s, func(al *cairn.Alert) bool {
		if over > 0 || al.At.Before(before) || known.of[al.Search] == nil {
			over--
			return true
		}
		return false
	})
}

// shorten deletes the oldest alerts of a tenant that has far too many.
func (a *Alerts) shorten(ctx context.Context, s cairn.Scope) error {
	st, err := a.state(ctx, s)
	if err != nil || st.Kept < a.c.Rows+step {
		return err
	}
	rs, err := a.truth.Store.Records(ctx, truth.TenantOf(s),
		cairn.RecordListing{Kind: cairn.RecordAlert, Limit: st.Kept - a.c.Rows})
	if err != nil {
		return err
	}
	ids := make([]cairn.ID, len(rs))
	for i, r := range rs {
		ids[i] = r.ID
	}
	return a.dropRows(ctx, s, ids)
}

// stamp is a time as a number, 0 for none.
func stamp(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMicro()
}
