package alerts

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// List returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
// those about memories that it may read.
func (a *Alerts) List(ctx context.Context, s trilith.Scope, q trilith.AlertQuery) (trilith.AlertPage, error) {
	page := trilith.AlertPage{Items: []trilith.Alert{}, Next: q.After}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	switch {
	case err != nil:
		return page, err
	case q.After < 0:
		return page, trilith.Errorf(trilith.Invalid, "after: must not be negative")
	case q.Search != "" && q.Search.Validate() != nil:
		return page, truth.CheckIDs("search", []trilith.ID{q.Search})
	}
	for r, err := range a.after(ctx, s, q.After) {
		if err != nil {
			return page, err
		}
		if s.Covers(r.alert.Scope) && (q.Search == "" || q.Search == r.alert.Search) &&
			(!q.Open || r.alert.AcknowledgedAt == nil) {
			if page.More = len(page.Items) == limit; page.More {
				break
			}
			page.Items = append(page.Items, r.alert)
		}
		page.Next = r.alert.Seq
	}
	if err == nil && s.Bound != (trilith.Bound{}) {
		page.Items, err = a.readable(ctx, s, page.Items)
	}
	return page, err
}

// readable leaves out alerts about memories that the scope does not see.
func (a *Alerts) readable(ctx context.Context, s trilith.Scope, all []trilith.Alert) ([]trilith.Alert, error) {
	var ids []trilith.ID
	for _, al := range all {
		if al.MemoryID != "" {
			ids = append(ids, al.MemoryID)
		}
	}
	ms, _, err := truth.SoundOf(a.truth.Memories(ctx, s, ids))
	seen := map[trilith.ID]bool{"": true}
	for i := range ms {
		seen[ms[i].ID] = true
	}
	return slices.DeleteFunc(all, func(al trilith.Alert) bool { return !seen[al.MemoryID] }), err
}

// Newest is the place of the newest alert of the tenant.
func (a *Alerts) Newest(ctx context.Context, s trilith.Scope) (int64, error) {
	st, err := a.state(ctx, s)
	return st.Next - 1, err
}

// Acknowledge notes that somebody has seen alerts. Those that the scope does not cover, and unknown ones, are NotFound,
// and then none is noted.
func (a *Alerts) Acknowledge(ctx context.Context, s trilith.Scope, r trilith.AcknowledgeRequest) (
	trilith.Acknowledged, error) {
	ids := r.IDs
	var out trilith.Acknowledged
	if err := cmp.Or(truth.CheckScope(s), truth.CheckIDs("ids", ids)); err != nil {
		return out, err
	}
	if len(ids) == 0 || len(ids) > step {
		return out, trilith.Errorf(trilith.Invalid, "ids: name 1 to %d alerts", step)
	}
	err := a.looking(ctx, s, func(l *look) error {
		left := map[trilith.ID]bool{}
		for _, id := range ids {
			left[id] = true
		}
		out.Acknowledged = 0
		for r, err := range a.after(ctx, s, 0) {
			if err != nil {
				return err
			}
			if !left[r.alert.ID] || !s.Covers(r.alert.Scope) {
				continue
			}
			delete(left, r.alert.ID)
			if r.alert.AcknowledgedAt == nil {
				r.alert.AcknowledgedAt, r.alert.AcknowledgedBy = &l.now, s.Actor
				out.Acknowledged++
				if err := l.batch.Replace(r.Kind, r.ID, r.Version, r.alert); err != nil {
					return err
				}
			}
		}
		for _, id := range ids {
			if left[id] {
				return trilith.Errorf(trilith.NotFound, "ids: alert %s does not exist", id)
			}
		}
		return nil
	})
	return out, err
}

// pruneStep is how far the time before which alerts are too old goes on in a sweep at most, whatever the clock does.
const pruneStep = time.Hour

// prune deletes alerts that are too old, too many, or of no search any more. A clock that was put ahead makes alerts old
// by and by, not at once.
func (a *Alerts) prune(ctx context.Context, s trilith.Scope) error {
	var known *set
	var next, last int64 // the place of the next alert, and the last one that is too many
	var before time.Time
	err := a.looking(ctx, s, func(l *look) error {
		known, next = l.set, l.st.Next
		last, before = next-1-int64(a.c.Rows), l.now.Add(-a.c.Keep)
		if most := l.st.Old.Add(pruneStep); !l.st.Old.IsZero() && before.After(most) {
			before = most
		}
		if before.Sub(l.st.Old).Abs() >= pruneStep {
			l.st.Old = before
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.drop(ctx, s, func(al *trilith.Alert) bool {
		return al.Seq <= last || al.At.Before(before) || known.of[al.Search] == nil && al.Seq < next
	})
}

// drop deletes those alerts of the tenant that are to go.
func (a *Alerts) drop(ctx context.Context, s trilith.Scope, goes func(*trilith.Alert) bool) error {
	var refs []role.Ref
	for r, err := range a.after(ctx, s, 0) {
		if err != nil {
			return err
		}
		if goes(&r.alert) {
			refs = append(refs, role.Ref{Kind: r.Kind, ID: r.ID})
		}
	}
	for chunk := range slices.Chunk(refs, step) {
		if err := a.commit(ctx, s, role.Batch{Delete: chunk}); err != nil {
			return err
		}
	}
	return nil
}

// row is a stored alert.
type row struct {
	role.Record
	alert trilith.Alert
}

// after yields the alerts of the tenant after a position, in order, of every scope. It ends with the first error.
func (a *Alerts) after(ctx context.Context, s trilith.Scope, seq int64) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for r, err := range a.truth.RecordsAfter(ctx, s, role.RecordAlert, placeID(seq)) {
			x := row{Record: r}
			if err == nil {
				x.alert, err = decodeAlert(s, r)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

func decodeAlert(s trilith.Scope, r role.Record) (trilith.Alert, error) {
	al, err := truth.Decode[trilith.Alert](r)
	al.Scope = truth.WithTenant(al.Scope, s.Tenant)
	return al, err
}

// stamp is a time as a number, 0 for none.
func stamp(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMicro()
}
