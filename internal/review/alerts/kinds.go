package alerts

import (
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// ExportKinds are the rows of the searches, and then of their alerts, in order, in the table of what an export consists of.
func (a *Alerts) ExportKinds() []kinds.Kind {
	return []kinds.Kind{
		kinds.Row[trilith.SavedSearch]{Prefix: refused, Check: checkSearch, Export: a.searches().In,
			Restore: a.restoreSearches,
			In:      func(it *trilith.ExportItem) **trilith.SavedSearch { return &it.Search }}.Kind(),
		kinds.Row[trilith.Alert]{Prefix: refused, Check: checkAlert, Restore: a.restoreAlerts,
			In: func(it *trilith.ExportItem) **trilith.Alert { return &it.Alert },
			Export: kinds.Records[trilith.Alert]{Truth: a.truth, Kind: role.RecordAlert, Decode: decodeAlert,
				Facets: func(al *trilith.Alert) (in trilith.Scope, at, recorded time.Time) { return al.Scope, al.At, al.At },
			}.In}.Kind(),
	}
}

const refused = "search, alert: "

func (a *Alerts) searches() kinds.Records[trilith.SavedSearch] {
	return kinds.Records[trilith.SavedSearch]{Truth: a.truth, Kind: role.RecordSearch, Decode: decodeSearch,
		Facets: func(q *trilith.SavedSearch) (in trilith.Scope, at, recorded time.Time) {
			return q.Scope, q.CreatedAt, q.UpdatedAt
		}}
}

// checkSearch refuses a search that no export of ours contains.
func checkSearch(q *trilith.SavedSearch) error {
	if err := truth.FirstError(truth.WithTenant(q.Scope, "x").Validate(), Check(&q.SearchRequest)); err != nil {
		return err
	}
	if q.CreatedAt.IsZero() || q.UpdatedAt.IsZero() || q.ID != searchID(q.Scope, q.Name) {
		return trilith.Errorf(trilith.Invalid, "id: does not fit its scope and name, or a time is missing")
	}
	return nil
}

// checkAlert refuses an alert that no export of ours contains.
func checkAlert(al *trilith.Alert) error {
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

// restoreSearches imports searches. It skips existing ones. A search with an unconfigured webhook is stored: its alerts
// wait for the setting.
func (a *Alerts) restoreSearches(ctx context.Context, s trilith.Scope, qs []trilith.SavedSearch) (stored int, err error) {
	if err := a.begin(ctx); err != nil {
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
	return stored, nil
}

// restoreAlerts appends alerts to the existing ones, and restores the states of their memories. It skips existing ones,
// and those without a search.
func (a *Alerts) restoreAlerts(ctx context.Context, s trilith.Scope, alerts []trilith.Alert) (stored int, err error) {
	for chunk := range slices.Chunk(alerts, step) {
		n, err := a.appendAlerts(ctx, s, chunk)
		if err != nil {
			return stored, err
		}
		stored += n
	}
	return stored, nil
}

func (a *Alerts) appendAlerts(ctx context.Context, s trilith.Scope, alerts []trilith.Alert) (stored int, err error) {
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
	rs, err := a.truth.RecordsOf(ctx, s, role.RecordAlerted, ids...)
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
	all, err := a.searches().Chosen(ctx, s, f)
	if err != nil || dry {
		return len(all), err
	}
	return len(all), a.remove(ctx, s, all)
}
