package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// usual are the kinds that a search raises if it names none.
var usual = []trilith.AlertKind{trilith.AlertMatch, trilith.AlertChanged}

const usualBehind = 1000

// Save stores a new search. Conflict: its scope has one of that name.
func (a *Alerts) Save(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (trilith.SavedSearch, error) {
	if err := cmp.Or(truth.CheckScope(s), a.complete(s, &r)); err != nil {
		return trilith.SavedSearch{}, err
	}
	if err := a.begin(ctx); err != nil {
		return trilith.SavedSearch{}, err
	}
	now := a.truth.Now()
	r.Version = 1
	q := trilith.SavedSearch{ID: searchID(s, r.Name), Scope: s.Bare(), SearchRequest: masked(r), CreatedAt: now,
		UpdatedAt: now, Fixed: s.Fixed, Bound: s.Bound}
	_, there, err := a.read(ctx, s, q.ID)
	switch {
	case err != nil:
		return q, err
	case there:
		return q, thereAlready(r.Name)
	}
	return q, a.put(ctx, s, q, 0)
}

func thereAlready(name string) error {
	return trilith.Errorf(trilith.Conflict, "name: there is a search %.64q already", name)
}

func searchID(s trilith.Scope, name string) trilith.ID {
	return trilith.DeriveID("search", truth.ScopeText(s), name)
}

// stored is the body of a [role.RecordSearch].
type stored struct {
	trilith.SavedSearch
	From []trilith.Cursor `json:"from,omitempty"`
}

// put writes a search that had a version before, 0 if it is new. Conflict: it has another one now.
func (a *Alerts) put(ctx context.Context, s trilith.Scope, q trilith.SavedSearch, was int64) error {
	if err := a.claimKnown(ctx, s, q); err != nil {
		return err
	}
	return a.looking(ctx, s, func(l *look) error {
		switch there := l.set.of[q.ID]; {
		case was == 0 && there != nil:
			return thereAlready(q.Name)
		case was > 0 && (there == nil || there.Version != was):
			return trilith.Errorf(trilith.Conflict, "version: the search has been changed; read it again")
		case was == 0 && len(l.set.all) >= trilith.MaxSearches:
			return trilith.Errorf(trilith.Exhausted, "searches: there are %d already, as many as a tenant may have; delete one",
				trilith.MaxSearches)
		}
		l.st.Edition++
		if l.st.Old.IsZero() {
			l.st.Old = l.now.Add(-a.c.Keep)
		}
		var err error
		if q.From, err = role.Heads(ctx, a.truth.Log, asFollowing); err != nil {
			return err
		}
		l.batch.Audit = a.truth.Audit(s, "search.save", q.ID, map[string]string{"of": string(q.Of)})
		return l.batch.Replace(role.RecordSearch, q.ID, was, stored{q, q.From})
	})
}

// Change replaces the definition of a search from now on. Its name stays.
func (a *Alerts) Change(ctx context.Context, s trilith.Scope, r trilith.SearchChange) (trilith.SavedSearch, error) {
	var q trilith.SavedSearch
	err := truth.Retry(ctx, func() (bool, error) {
		var err error
		if q, err = a.Search(ctx, s, r.ID); err != nil {
			return false, err
		}
		was := q.Version
		next := r.SearchRequest
		next.Name = cmp.Or(r.Name, q.Name)
		switch {
		case next.Name != q.Name:
			return false, trilith.Errorf(trilith.Invalid, "name: cannot be changed; save another search and delete this one")
		case r.Version != 0 && r.Version != was:
			return false, trilith.Errorf(trilith.Conflict, "version: the search has version %d, not %d; read it again", was,
				r.Version)
		}
		sight := q.Scope
		sight.Bound = s.Bound
		if err := a.complete(sight, &next); err != nil {
			return false, err
		}
		next.Version = was + 1
		q.SearchRequest, q.UpdatedAt, q.Fixed, q.Bound = masked(next), a.truth.Now(), s.Fixed, s.Bound
		return true, a.put(ctx, s, q, was)
	})
	return q, err
}

// complete fills in the defaults of a request, and refuses one that cannot work.
func (a *Alerts) complete(s trilith.Scope, r *trilith.SearchRequest) error {
	r.Of = cmp.Or(r.Of, trilith.SearchFacts)
	if len(r.Alerts) == 0 {
		r.Alerts = usual
	}
	if slices.Contains(r.Alerts, trilith.AlertDeadline) {
		r.Days = cmp.Or(r.Days, trilith.DefaultAheadDays)
	}
	if slices.Contains(r.Alerts, trilith.AlertLag) {
		r.Behind = cmp.Or(r.Behind, usualBehind)
	}
	if err := Check(r); err != nil {
		return err
	}
	part := s.Bound != trilith.Bound{} || s.Bare() != (trilith.Scope{Tenant: s.Tenant})
	if part && slices.Contains(r.Alerts, trilith.AlertLag) {
		return trilith.Errorf(trilith.Invalid, "alerts: lag concerns the whole tenant; leave the scope out")
	}
	if r.Webhook != "" && a.c.Webhooks[r.Webhook] == nil {
		return trilith.Errorf(trilith.Invalid, "webhook: no setting names %.64q; there are %s; see TRILITH_WEBHOOKS", r.Webhook,
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(a.c.Webhooks)), ", "), "none"))
	}
	return nil
}

// Check refuses a search that cannot be stored.
func Check(r *trilith.SearchRequest) error {
	if err := cmp.Or(truth.CheckName("name", r.Name), r.Filter.Validate()); err != nil {
		return err
	}
	filter, err := json.Marshal(r.Filter)
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "filter: %w", err)
	}
	switch {
	case r.Of != trilith.SearchFacts && r.Of != trilith.SearchMemories:
		return trilith.Errorf(trilith.Invalid, "of: %.32q is not one of facts, memories", string(r.Of))
	case len(r.Query) > trilith.MaxSearchQuery:
		return trilith.Errorf(trilith.Invalid, "query: is %d bytes, at most %d are allowed", len(r.Query), trilith.MaxSearchQuery)
	case strings.ToValidUTF8(r.Query, "") != r.Query:
		return trilith.Errorf(trilith.Invalid, "query: is not valid UTF-8")
	case len(filter) > trilith.MaxSearchFilter:
		return trilith.Errorf(trilith.Invalid, "filter: is %d bytes, at most %d are allowed", len(filter),
			trilith.MaxSearchFilter)
	case r.Days < 0 || r.Days > trilith.MaxAheadDays:
		return trilith.Errorf(trilith.Invalid, "days: is %d, must be 1 to %d", r.Days, trilith.MaxAheadDays)
	case r.Behind < 0:
		return trilith.Errorf(trilith.Invalid, "behind: must be at least 1")
	case len(r.Alerts) == 0:
		return trilith.Errorf(trilith.Invalid, "alerts: name at least one kind")
	}
	for i, k := range r.Alerts {
		if !slices.Contains(trilith.AlertKinds(), k) || slices.Contains(r.Alerts[:i], k) {
			return trilith.Errorf(trilith.Invalid, "alerts: %.32q is not a kind, or is there twice; use %s", string(k),
				strings.Join(truth.Texts(trilith.AlertKinds()), ", "))
		}
	}
	for _, k := range []trilith.AlertKind{trilith.AlertAmount, trilith.AlertConflict} {
		if r.Of != trilith.SearchFacts && slices.Contains(r.Alerts, k) {
			return trilith.Errorf(trilith.Invalid, "alerts: %s is for searches of facts", k)
		}
	}
	limited := slices.Contains(r.Alerts, trilith.AlertAmount)
	if _, ok := decimal(r.Amount); limited != ok || !limited && r.Amount+r.Currency != "" {
		return trilith.Errorf(trilith.Invalid, "amount: alerts of kind amount, and no others, need a decimal number such as 5000 or 99.50")
	}
	return nil
}

// masked is a request without secrets.
func masked(r trilith.SearchRequest) trilith.SearchRequest {
	r.Query, _ = gate.Mask(r.Query)
	return r
}

// Delete removes a search with its alerts, and returns the removed search.
func (a *Alerts) Delete(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	q, err := a.Search(ctx, s, id)
	if err != nil {
		return q, err
	}
	return q, a.remove(ctx, s, []trilith.SavedSearch{q})
}

// remove deletes searches, and then their alerts. Where it is cut off in between, the sweep deletes those.
func (a *Alerts) remove(ctx context.Context, s trilith.Scope, qs []trilith.SavedSearch) error {
	gone := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(qs, step) {
		err := a.looking(ctx, s, func(l *look) error {
			purge, err := a.truth.Job(role.JobPurge, nil)
			if err != nil {
				return err
			}
			l.st.Edition++
			l.batch.Jobs = []trilith.Job{purge}
			for _, q := range chunk {
				gone[q.ID] = true
				l.batch.Delete = append(l.batch.Delete, role.Ref{Kind: role.RecordSearch, ID: q.ID},
					role.Ref{Kind: role.RecordAlerted, ID: q.ID})
				l.batch.DropJobs = append(l.batch.DropJobs, jobID(q.ID))
				l.batch.Audit = append(l.batch.Audit, a.truth.Audit(s, "search.delete", q.ID, nil)...)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return a.drop(ctx, s, func(al *trilith.Alert) bool { return gone[al.Search] })
}

// Searches returns the searches that the scope covers, by name.
func (a *Alerts) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	out := trilith.Searches{Items: []trilith.SavedSearch{}}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	for q, err := range a.searches().In(ctx, s) {
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, q)
	}
	slices.SortFunc(out.Items, func(p, q trilith.SavedSearch) int {
		return cmp.Or(cmp.Compare(p.Name, q.Name), cmp.Compare(p.ID, q.ID))
	})
	return out, nil
}

// Search returns a search that the scope covers.
func (a *Alerts) Search(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	if err := cmp.Or(truth.CheckScope(s), truth.CheckIDs("id", []trilith.ID{id})); err != nil {
		return trilith.SavedSearch{}, err
	}
	q, there, err := a.read(ctx, s, id)
	if err != nil || there && s.Covers(q.Scope) {
		return q, err
	}
	return trilith.SavedSearch{}, trilith.Errorf(trilith.NotFound, "search %s does not exist", id)
}

// read returns a search, whosever it is.
func (a *Alerts) read(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, bool, error) {
	rs, err := a.truth.RecordsOf(ctx, s, role.RecordSearch, id)
	if err != nil || len(rs) == 0 {
		return trilith.SavedSearch{}, false, err
	}
	q, err := decodeSearch(s, rs[0])
	return q, true, err
}

func decodeSearch(s trilith.Scope, r role.Record) (trilith.SavedSearch, error) {
	x, err := truth.Decode[stored](r)
	q := x.SavedSearch
	q.Scope, q.Version, q.From = truth.WithTenant(q.Scope, s.Tenant), r.Version, x.From
	return q, err
}
