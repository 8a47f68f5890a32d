package alerts

import (
	"cmp"
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
			Restore: a.restoreSearches, Chosen: a.searches().Chosen, Delete: a.remove,
			Count: func(r *trilith.EraseReceipt) *int { return &r.Searches },
			In:    func(it *trilith.ExportItem) **trilith.SavedSearch { return &it.Search }}.Kind(),
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
	if err := cmp.Or(truth.WithTenant(q.Scope, "x").Validate(), Check(&q.SearchRequest)); err != nil {
		return err
	}
	if q.CreatedAt.IsZero() || q.UpdatedAt.IsZero() || q.ID != searchID(q.Scope, q.Name) {
		return trilith.Errorf(trilith.Invalid, "id: does not fit its scope and name, or a time is missing")
	}
	return nil
}

// checkAlert refuses an alert that no export of ours contains.
func checkAlert(al *trilith.Alert) error {
	if err := truth.CheckIDs("id", append(memoriesOf(al), al.ID, al.Search)); err != nil {
		return err
	}
	if !slices.Contains(trilith.AlertKinds(), al.Kind) || al.At.IsZero() {
		return trilith.Errorf(trilith.Invalid, "kind: %.32q is unknown, or the time is missing", string(al.Kind))
	}
	return nil
}

// memoriesOf returns the memories that an alert names.
func memoriesOf(al *trilith.Alert) []trilith.ID {
	return slices.DeleteFunc([]trilith.ID{al.MemoryID, al.Before}, func(id trilith.ID) bool { return id == "" })
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
		if err := a.put(ctx, s, q, 0); err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

// restoreAlerts appends alerts to the existing ones. It skips existing ones, and those without a search. Of their claims
// it restores the deadlines; everything else about the memories counts as known, as they came before the search.
func (a *Alerts) restoreAlerts(ctx context.Context, s trilith.Scope, alerts []trilith.Alert) (stored int, err error) {
	there := map[trilith.ID]bool{}
	for r, err := range a.after(ctx, s, 0) {
		if err != nil {
			return 0, err
		}
		there[r.alert.ID] = true
	}
	alerts = slices.DeleteFunc(alerts, func(al trilith.Alert) bool {
		return there[al.ID] || !s.Covers(truth.WithTenant(al.Scope, s.Tenant))
	})
	for chunk := range slices.Chunk(alerts, step) {
		n := 0
		err := a.looking(ctx, s, func(l *look) error {
			var about []trilith.ID
			for _, al := range chunk {
				about = append(about, memoriesOf(&al)...)
			}
			if err := l.read(ctx, about); err != nil {
				return err
			}
			for _, al := range chunk {
				q := l.set.of[al.Search]
				if q == nil {
					continue
				}
				for _, id := range memoriesOf(&al) {
					is := l.claimed[id][q.ID]
					if al.Due != nil {
						is.Due = al.Due.UnixMicro()
					}
					l.claim(id, q, is) // an erasure finds the alert by it
				}
				al.Scope = q.Scope
				l.put(al)
			}
			n = len(l.raised)
			return nil
		})
		if err != nil {
			return stored, err
		}
		stored += n
	}
	return stored, nil
}
