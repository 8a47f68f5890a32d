package migrate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var (
	system      = trilith.AsSystem("migrate")
	systemScope = trilith.Scope{Tenant: trilith.SystemTenant}

	migrationRef = role.Ref{Kind: role.RecordMigration, ID: trilith.MigrationID()}
	// in every tenant
	progressRef = role.Ref{Kind: role.RecordMigration, ID: trilith.DeriveID("migration", "progress")}
)

// errTwice is the error of a second migration into the same store.
const errTwice = "to: another migration is writing to this store; let it end, then run this one again"

// run is one run of a migration.
type run struct {
	from, to Endpoint
	report   func(Progress)
	now      func() time.Time
	batch    int // memories that are copied together
	page     int // changes, records, claims, jobs, entries or embeddings that are

	state   trilith.Migration
	version int64 // of its record
	resumed bool
	copied  int
	open    map[string]*tenant // those that this run writes to
}

// tenant is a tenant that this run writes to.
type tenant struct {
	*run
	scope    trilith.Scope
	progress progress
	version  int64 // of its record
}

func newRun(from, to Endpoint, o Options) *run {
	r := &run{from: from, to: to, report: o.Progress, now: o.Now, batch: cmp.Or(o.batch, role.MaxBatch),
		page: cmp.Or(o.page, pageItems), open: make(map[string]*tenant)}
	if r.report == nil {
		r.report = func(Progress) {}
	}
	if r.now == nil {
		r.now = time.Now
	}
	return r
}

// begin finds out how far the migration is, or notes that it begins.
func (r *run) begin(ctx context.Context) error {
	var err error
	if r.state, r.version, err = r.read(ctx); err != nil {
		return err
	}
	if r.resumed = r.version > 0; !r.resumed {
		if err := r.checkEmpty(ctx); err != nil {
			return err
		}
		r.state.From = r.from.Name
		if r.state.Cursors, err = role.Heads(ctx, r.from, system); err != nil {
			return err
		}
	} else {
		if r.state.From != r.from.Name {
			return trilith.Errorf(trilith.Conflict, "to: was copied from %s, not from %s; name that one, or an empty store",
				r.state.From, r.from.Name)
		}
		if err := r.checkUnused(ctx); err != nil {
			return err
		}
	}
	// its log is divided in another way by now, so it is read from the beginning
	if len(r.state.Cursors) != r.from.Shards() {
		r.state.Cursors = make([]trilith.Cursor, r.from.Shards())
	}
	r.state.Finished, r.state.Heads, r.state.Audit = false, nil, nil
	return r.save(ctx)
}

// checkEmpty returns an error for a copy that contains more than the records that a program writes when it opens an
// empty store.
func (r *run) checkEmpty(ctx context.Context) error {
	tenants, err := r.to.Tenants(ctx, system)
	if err != nil {
		return err
	}
	if len(tenants) > 0 {
		return trilith.Errorf(trilith.Conflict, "to: holds memories already, of %s; name an empty store", some(tenants))
	}
	for _, kind := range kinds {
		if kind == role.RecordGeneration || kind == role.RecordSchedule {
			continue
		}
		rs, err := r.to.Records(ctx, systemScope, role.RecordListing{Kind: kind, Limit: 1})
		if err != nil {
			return err
		}
		if len(rs) > 0 {
			return trilith.Errorf(trilith.Conflict, "to: holds records of its own already (%s); name an empty store", kind)
		}
	}
	return nil
}

// some names the first few of many.
func some(names []string) string {
	const few = 3
	if len(names) > few {
		names = append(slices.Clone(names[:few]), "others")
	}
	return strings.Join(names, ", ")
}

// checkUnused refuses a copy that somebody has written to after the migration was finished: it would be lost.
func (r *run) checkUnused(ctx context.Context) error {
	if !r.state.Finished {
		return nil
	}
	used, err := r.changed(ctx)
	if err != nil {
		return err
	}
	tenants, err := r.tenantsOf(ctx, r.to)
	if err != nil {
		return err
	}
	for _, name := range tenants {
		es, err := r.to.Audit(ctx, trilith.Scope{Tenant: name}, r.state.Audit[name], 1)
		if err != nil {
			return err
		}
		used = used || len(es) > 0
	}
	if used {
		return trilith.Errorf(trilith.Conflict,
			"to: has been written to since it was copied from %s, and those writes would be lost; name an empty store",
			r.from.Name)
	}
	return nil
}

// changed reports whether a tenant of the copy has other memories than it had when the migration was finished. The
// system tenant keeps none: a program that tries whether a store can be written to writes there.
func (r *run) changed(ctx context.Context) (bool, error) {
	for p, err := range role.PendingAfter(ctx, r.to, system, r.state.Heads, r.page) {
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(p.Changes, func(c role.Change) bool { return c.Tenant != trilith.SystemTenant }) {
			return true, nil
		}
	}
	return false, nil
}

// finish notes that both sides are equal.
func (r *run) finish(ctx context.Context, tenants []Tenant) error {
	if r.state.Erased {
		if err := r.to.Purge(ctx); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.open)) {
		if err := r.open[name].end(ctx); err != nil {
			return err
		}
	}
	var err error
	if r.state.Heads, err = role.Heads(ctx, r.to, system); err != nil {
		return err
	}
	r.state.Audit = make(map[string]int64)
	for _, t := range tenants {
		if t.To.Audit > 0 {
			r.state.Audit[t.Name] = int64(t.To.Audit)
		}
	}
	r.state.Erased, r.state.Finished = false, true
	return r.save(ctx)
}

// end takes the progress away.
func (t *tenant) end(ctx context.Context) error {
	return t.write(ctx, role.Batch{Delete: []role.Ref{progressRef}})
}

// noteErased notes, before it happens, that something is deleted from the copy because the old store has it no more.
func (r *run) noteErased(ctx context.Context) error {
	if r.state.Erased {
		return nil
	}
	r.state.Erased = true
	return r.save(ctx)
}

// save writes the state of the migration down.
func (r *run) save(ctx context.Context) error {
	var b role.Batch
	if err := b.Replace(migrationRef.Kind, migrationRef.ID, r.version, r.state); err != nil {
		return err
	}
	if _, err := r.to.Commit(ctx, systemScope, b); err != nil {
		return alone(err)
	}
	r.version++
	return nil
}

// tenants lists the tenants of both sides: those that the old store has lost must be removed from the copy.
func (r *run) tenants(ctx context.Context) ([]string, error) {
	names, err := r.tenantsOf(ctx, r.from)
	if err != nil {
		return nil, err
	}
	here, err := r.to.Tenants(ctx, system)
	if err != nil {
		return nil, err
	}
	rest := append(here, names[1:]...)
	slices.Sort(rest)
	return append(names[:1:1], slices.Compact(rest)...), nil
}

// tenantsOf lists the tenants of one side, the system tenant first.
func (r *run) tenantsOf(ctx context.Context, p Endpoint) ([]string, error) {
	names, err := p.Tenants(ctx, system)
	return append([]string{trilith.SystemTenant}, names...), err
}

// progress is the body of the record in a tenant that says how far copying it is. Every commit to the tenant puts it,
// and expects it to be as this run has put it last: so no commit is done twice, and of two runs at once only one goes
// on.
type progress struct {
	After  trilith.ID `json:"after,omitempty"`  // memories up to this id were copied
	Copied bool       `json:"copied,omitempty"` // all were
}

// tenant takes up the tenant of a name.
func (r *run) tenant(ctx context.Context, name string) (*tenant, error) {
	if t := r.open[name]; t != nil {
		return t, nil
	}
	t := &tenant{run: r, scope: trilith.Scope{Tenant: name}}
	var err error
	if t.version, err = r.readRecord(ctx, t.scope, progressRef, &t.progress); err != nil {
		return nil, err
	}
	// from now on no run that had it before can write to the tenant
	if err := t.commit(ctx, role.Batch{}); err != nil {
		return nil, err
	}
	// nor can this one, if another has begun since
	if _, version, err := r.read(ctx); err != nil || version != r.version {
		return nil, cmp.Or(err, error(trilith.Errorf(trilith.Conflict, errTwice)))
	}
	r.open[name] = t
	return t, nil
}

// commit writes a batch to the tenant in the copy, with the progress.
func (t *tenant) commit(ctx context.Context, b role.Batch) error {
	if err := b.Put(progressRef.Kind, progressRef.ID, t.progress); err != nil {
		return err
	}
	if err := t.write(ctx, b); err != nil {
		return err
	}
	t.version++
	return nil
}

func (t *tenant) write(ctx context.Context, b role.Batch) error {
	b.Expect = []role.Expect{{Kind: progressRef.Kind, ID: progressRef.ID, Version: t.version}}
	_, err := t.to.Commit(ctx, t.scope, b)
	return alone(err)
}

// A conflict means that this run is not the only one.
func alone(err error) error {
	if e, ok := errors.AsType[*trilith.Error](err); ok && e.Kind == trilith.Conflict {
		return &trilith.Error{Kind: trilith.Conflict, Msg: errTwice, Err: err}
	}
	return err
}

// read returns the copy's record of the migration; version 0 means that it has none.
func (r *run) read(ctx context.Context) (m trilith.Migration, version int64, err error) {
	version, err = r.readRecord(ctx, systemScope, migrationRef, &m)
	return m, version, err
}

func (r *run) readRecord(ctx context.Context, s trilith.Scope, ref role.Ref, into any) (version int64, err error) {
	rs, err := r.to.Records(ctx, s, role.RecordListing{Kind: ref.Kind, IDs: []trilith.ID{ref.ID}})
	if err != nil || len(rs) == 0 {
		return 0, err
	}
	if err := json.Unmarshal(rs[0].Body, into); err != nil {
		return 0, trilith.Errorf(trilith.Internal, "to: its record of an earlier migration cannot be read: %w", err)
	}
	return rs[0].Version, nil
}
