package alerts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Export yields the searches that the scope covers, and then their alerts, in order.
func (a *Alerts) Export(ctx context.Context, s trilith.Scope, yield func(trilith.ExportItem, error) bool) {
	for r, err := range a.truth.Records(ctx, truth.TenantOf(s), role.RecordSearch) {
		var q trilith.SavedSearch
		if err == nil {
			q, err = decodeSearch(s, r)
		}
		if err == nil && !s.Covers(q.Scope) {
			continue
		}
		if !yield(trilith.ExportItem{Search: &q}, err) || truth.Fatal(err) {
			return
		}
	}
	for r, err := range a.truth.Records(ctx, truth.TenantOf(s), role.RecordAlert) {
		al, err := truth.DecodeIf[trilith.Alert](r, err)
		al.Scope = truth.WithTenant(al.Scope, s.Tenant)
		if err == nil && !s.Covers(al.Scope) {
			continue
		}
		if !yield(trilith.ExportItem{Alert: &al}, err) || truth.Fatal(err) {
			return
		}
	}
}

// CheckItem refuses items that no export of ours contains.
func CheckItem(it *trilith.ExportItem) error {
	if q := it.Search; q != nil {
		if err := truth.FirstError(truth.WithTenant(q.Scope, "x").Validate(), Check(&q.SearchRequest)); err != nil {
			return err
		}
		if q.CreatedAt.IsZero() || q.UpdatedAt.IsZero() || q.ID != searchID(q.Scope, q.Name) {
			return trilith.Errorf(trilith.Invalid, "id: does not fit its scope and name, or a time is missing")
		}
		return nil
	}
	al := it.Alert
	ids := []trilith.ID{al.ID, al.Search}
	for _, id := range []trilith.ID{al.MemoryID, al.Before} {
		if id != "" {
			ids = append(ids, id)
		}
	}
	if err := truth.CheckIDs("id", ids); err != nil {
		return err
	}
	if !slices.Contains(trilith.AlertKinds(), al.Kind) || al.At.IsZero() {
		return trilith.Errorf(trilith.Invalid, "kind: %.32q is unknown, or the time is missing", string(al.Kind))
	}
	return nil
}

// Restore imports searches and alerts of an export. It skips existing ones, and alerts without a search. A search with
// an unconfigured webhook is stored: its alerts wait for the setting.
func (a *Alerts) Restore(ctx context.Context, s trilith.Scope, qs []trilith.SavedSearch, alerts []trilith.Alert) (
	stored int, err error) {
	if len(qs)+len(alerts) == 0 {
		return 0, nil
	}
	if err := a.Follower().begin(ctx); err != nil {
		return 0, err
	}
	for _, q := range qs {
		q.Scope = truth.WithTenant(q.Scope, s.Tenant)
		_, there, err := a.read(ctx, s, q.ID)
		if err != nil {
			return stored, err
		}
		if there || !s.Covers(q.Scope) {
			continue
		}
		q.UpdatedAt = a.truth.Now() // the memories of the export are no news, whatever became of the alerts about them
		if err := a.knowMore(ctx, s, q); err != nil {
			return stored, err
		}
		if err := truth.Retry(ctx, func() (bool, error) { return true, a.put(ctx, s, q, 0) }); err != nil {
			return stored, err
		}
		stored++
	}
	for chunk := range slices.Chunk(alerts, step) {
		n, err := a.restoreAlerts(ctx, s, chunk)
		if err != nil {
			return stored, err
		}
		stored += n
	}
	return stored, nil
}

// restoreAlerts appends alerts to the existing ones, and restores the states of their memories.
func (a *Alerts) restoreAlerts(ctx context.Context, s trilith.Scope, alerts []trilith.Alert) (stored int, err error) {
	err = truth.Retry(ctx, func() (bool, error) {
		st, err := a.state(ctx, s)
		if err != nil {
			return false, err
		}
		there := map[trilith.ID]bool{}
		if err := a.behind(ctx, s, 0, func(_ role.Record, al *trilith.Alert) bool {
			there[al.ID] = true
			return true
		}); err != nil {
			return false, err
		}
		saved := map[trilith.ID]trilith.SavedSearch{}
		if err := a.each(ctx, s, func(q trilith.SavedSearch) { saved[q.ID] = q }); err != nil {
			return false, err
		}
		var b role.Batch
		noted := map[trilith.ID]notes{}
		stored = 0
		for _, al := range alerts {
			q, known := saved[al.Search]
			if there[al.ID] || !known || !s.Covers(truth.WithTenant(al.Scope, s.Tenant)) {
				continue
			}
			al.Seq, al.Scope = st.Next, q.Scope
			st.Next, st.Kept, stored = st.Next+1, st.Kept+1, stored+1
			if err := putRecord(&b, role.RecordAlert, placeID(al.Seq), al); err != nil {
				return false, err
			}
			remember(noted, &q, &al)
		}
		if stored == 0 {
			return false, nil
		}
		if err := a.mergeNotes(ctx, s, noted, &b); err != nil {
			return false, err
		}
		if err := st.put(&b); err != nil {
			return false, err
		}
		return true, a.commit(ctx, s, b)
	})
	return stored, err
}

// remember records the state that an alert implies.
func remember(noted map[trilith.ID]notes, q *trilith.SavedSearch, al *trilith.Alert) {
	if al.MemoryID == "" {
		return
	}
	if noted[al.MemoryID] == nil {
		noted[al.MemoryID] = notes{}
	}
	k := noted[al.MemoryID][q.ID]
	if k == nil {
		k = &known{Since: q.CreatedAt.UnixMicro()}
		noted[al.MemoryID][q.ID] = k
	}
	k.Version, k.Matched = max(k.Version, al.Version), al.State == trilith.StateActive
	k.Over = k.Over || al.Kind == trilith.AlertAmount
	k.Contested = k.Contested || al.Kind == trilith.AlertConflict
	if al.Due != nil {
		k.Due = al.Due.UnixMicro()
	}
}

// mergeNotes adds states to a batch; existing ones of the same searches take precedence.
func (a *Alerts) mergeNotes(ctx context.Context, s trilith.Scope, noted map[trilith.ID]notes, b *role.Batch) error {
	if len(noted) == 0 {
		return nil
	}
	var ids []trilith.ID
	for id := range noted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	rs, err := a.truth.Store.Records(ctx, truth.TenantOf(s), role.RecordListing{Kind: role.RecordAlerted, IDs: ids})
	if err != nil {
		return err
	}
	for _, r := range rs {
		own, err := truth.Decode[notes](r)
		if err != nil {
			return err
		}
		for search, k := range own {
			if fresh := noted[r.ID][search]; fresh == nil || fresh.Since == k.Since {
				k.Contested = k.Contested || fresh != nil && fresh.Contested
				noted[r.ID][search] = k
			}
		}
	}
	for _, id := range ids {
		if err := putRecord(b, role.RecordAlerted, id, noted[id]); err != nil {
			return err
		}
	}
	return nil
}

// Erase removes the searches of the scope that a filter would accept if they were memories, such as all of a user, with
// their alerts, and returns how many searches; with dry it only counts them.
func (a *Alerts) Erase(ctx context.Context, s trilith.Scope, f trilith.Filter, dry bool) (int, error) {
	fits, err := f.Compile()
	if err != nil || fits == nil {
		return 0, err
	}
	var all []trilith.SavedSearch
	err = a.each(ctx, s, func(q trilith.SavedSearch) {
		as := trilith.Memory{Scope: q.Scope, EventTime: q.CreatedAt, RecordedAt: q.UpdatedAt, State: trilith.StateActive}
		if facets := role.FacetsOf(&as); s.Covers(q.Scope) && fits(&facets) {
			all = append(all, q)
		}
	})
	if err != nil || dry {
		return len(all), err
	}
	return len(all), a.remove(ctx, s, all)
}
