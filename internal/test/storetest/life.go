package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var lifeCases = []testCase{
	{name: "life/canceled", why: "errors of a context pass through unchanged, and a canceled commit writes nothing",
		run: testCanceled},
	{name: "life/closed", why: "after Close other methods answer Unavailable; closing twice is no error",
		run: testClosed},
	{name: "life/empty", why: "an empty store returns empty results",
		run: func(t *testing.T, f *fixture) {
			wantEqual(t, "Get", f.get(t, id(1)), []trilith.Memory{})
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), []trilith.ID{})
			wantEqual(t, "Records", f.records(t, acme, role.RecordListing{Kind: role.RecordSource}), []role.Record{})
			wantEqual(t, "Find", f.find(t, acme, external("k")), map[role.Key]trilith.ID{})
			wantEqual(t, "Claims", f.claims(t, acme, role.ClaimListing{}), []role.Claim{})
			wantEqual(t, "Audit", f.audit(t, acme, 0, 10), []trilith.AuditEntry{})
			wantEqual(t, "Jobs", f.jobs(t, acme, trilith.JobListing{}), []trilith.Job{})
			wantEqual(t, "Changes", f.changesAfter(t, make([]trilith.Cursor, f.Shards()), 10), []role.Change{})
			f.wantLeased(t, leaseFor("w"))
		}},
	{name: "life/reopen", why: "acknowledged writes are present after the store was closed and reopened",
		need: needReopen, run: testReopen},
}

// calls lists every method that takes a context, each with valid arguments.
func (f *fixture) calls(ctx context.Context, held trilith.Lease) map[string]func() error {
	return map[string]func() error{
		"Commit": func() error {
			b := puts(note(50, "x"))
			b.Jobs, b.Audit = jobs(job(50)).Jobs, entries(50).Audit
			_, err := f.Commit(ctx, acme, b)
			return err
		},
		"Get":  func() error { _, err := f.Get(ctx, acme, idRange(1, 2)); return err },
		"List": func() error { _, err := collect(f.List(ctx, acme, role.Listing{})); return err },
		"Records": func() error {
			_, err := f.Records(ctx, acme, role.RecordListing{Kind: role.RecordSource})
			return err
		},
		"Find":    func() error { _, err := f.Find(ctx, acme, []role.Key{external("k")}); return err },
		"Claims":  func() error { _, err := f.Claims(ctx, acme, role.ClaimListing{}); return err },
		"Changes": func() error { _, _, err := f.Changes(ctx, system, 0, "", 1); return err },
		"Head":    func() error { _, err := f.Head(ctx, system, 0); return err },
		"Audit":   func() error { _, err := f.Audit(ctx, acme, 0, 1); return err },
		"Tenants": func() error { _, err := f.Tenants(ctx, system); return err },
		"Lease":   func() error { _, err := f.Lease(ctx, system, leaseFor("v")); return err },
		"Extend":  func() error { return f.Extend(ctx, held, time.Hour) },
		"Finish":  func() error { return f.Finish(ctx, held) },
		"Fail":    func() error { return f.Fail(ctx, held, "x", epoch) },
		"Defer":   func() error { return f.Defer(ctx, held, "x", epoch) },
		"Jobs":    func() error { _, err := f.Jobs(ctx, acme, trilith.JobListing{}); return err },
		"Retry":   func() error { return f.Retry(ctx, acme, id(3)) },
	}
}

// populate stores something for every method to find: a held job 1, a ready job 2, a dead job 3.
func (f *fixture) populate(t testing.TB) trilith.Lease {
	t.Helper()
	f.commit(t, role.Batch{
		Memories: notes(1, 4), Records: []role.Record{record(role.RecordSource, 1, `{"n":1}`)},
		Claims: []role.Claim{{Key: external("k"), Owner: id(1)}},
		Jobs: []trilith.Job{job(3, attempts(1)), job(1),
			job(2, func(j *trilith.Job) { j.RunAt = epoch.Add(time.Second) })},
		Audit: entries(1, 2).Audit,
	})
	leased := f.wantLeased(t, leaseFor("w"), 1, 3)
	if err := f.Fail(t.Context(), leaseOf(leased[1]), "no", epoch); err != nil {
		t.Fatalf("Fail = %v, want nil", err)
	}
	f.clock.Advance(time.Second)
	return leaseOf(leased[0])
}

func testCanceled(t *testing.T, f *fixture) {
	held := f.populate(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := f.heads(t)
	for name, call := range f.calls(ctx, held) {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context = %v, want %v", name, err, context.Canceled)
		}
	}
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, call := range f.calls(late, held) {
		if err := call(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s after its deadline = %v, want %v", name, err, context.DeadlineExceeded)
		}
	}
	wantEqual(t, "List", f.list(t, acme, role.Listing{}), idRange(1, 4))
	wantEqual(t, "Head", f.heads(t), before)
	if n := len(f.audit(t, acme, 0, 10)); n != 2 {
		t.Errorf("Audit after canceled calls has %d entries, want 2", n)
	}
	if js := f.jobs(t, acme, trilith.JobListing{}); len(js) != 3 {
		t.Errorf("Jobs after canceled calls = %+v, want 3", js)
	}
	if j := f.job(t, 1); !j.LeasedUntil.Equal(epoch.Add(time.Minute)) || j.State != trilith.JobReady {
		t.Errorf("job after canceled calls = %+v, want its lease untouched", j)
	}
	f.wantLeased(t, leaseFor("w"), 2)
}

func testClosed(t *testing.T, f *fixture) {
	held := f.populate(t)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
	for name, call := range f.calls(t.Context(), held) {
		wantKind(t, name+" after Close", call(), trilith.Unavailable)
	}
	if n := f.Shards(); n < 1 {
		t.Errorf("Shards() after Close = %d, want at least 1", n)
	}
}

func testReopen(t *testing.T, f *fixture) {
	held := f.populate(t)
	f.commit(t, puts(full()), deletes(3))
	type state struct {
		memories []trilith.Memory
		records  []role.Record
		owners   map[role.Key]trilith.ID
		audit    []trilith.AuditEntry
		jobs     []trilith.Job
		heads    []trilith.Cursor
		newest   map[string]role.Change
		tenants  []string
	}
	look := func() state {
		t.Helper()
		tenants, err := f.Tenants(t.Context(), system)
		if err != nil {
			t.Fatalf("Tenants = %v, want nil", err)
		}
		return state{f.get(t, idRange(0, 9)...), f.records(t, acme, role.RecordListing{Kind: role.RecordSource}),
			f.find(t, acme, external("k")), f.audit(t, acme, 0, 10), f.jobs(t, acme, trilith.JobListing{}), f.heads(t),
			newest(f.changesAfter(t, make([]trilith.Cursor, f.Shards()), 10)), tenants}
	}
	before := look()
	f.reopen(t)
	after := look()
	leased := []int{2}
	if f.harness.EndsLeases {
		leased = []int{1, 2}
		for i := range before.jobs {
			if j := &before.jobs[i]; j.LeasedUntil != nil {
				j.LeasedUntil, j.UpdatedAt = nil, after.jobs[i].UpdatedAt
				j.MaxAttempts++ // the attempt does not count
			}
		}
	}
	wantEqual(t, "Get after reopening", after.memories, before.memories)
	wantEqual(t, "Records after reopening", after.records, before.records)
	wantEqual(t, "Find after reopening", after.owners, before.owners)
	wantEqual(t, "Audit after reopening", after.audit, before.audit)
	wantEqual(t, "Jobs after reopening", after.jobs, before.jobs)
	wantEqual(t, "Head after reopening", after.heads, before.heads)
	wantEqual(t, "Changes after reopening", after.newest, before.newest)
	wantEqual(t, "Tenants after reopening", after.tenants, before.tenants)

	if c := f.commit(t, puts(note(8, "x")), entries(3), puts(note(9, "x"))); c.Cursor <= before.heads[0] &&
		f.Shards() == 1 {
		t.Errorf("Commit after reopening returned the cursor %q, want one after %q", c.Cursor, before.heads[0])
	}
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, f.audit(t, acme, 0, 10)); err != nil {
		t.Errorf("VerifyAudit after reopening = %v, want nil", err)
	}
	f.refuse(t, claims(role.Claim{Key: external("k"), Owner: id(2)}), trilith.Conflict)
	f.wantLeased(t, leaseFor("w"), leased...)
	err := f.Finish(t.Context(), held)
	if f.harness.EndsLeases {
		wantKind(t, "Finish of a lease that ended", err, trilith.Conflict)
	} else if err != nil {
		t.Errorf("Finish of a lease from before reopening = %v, want nil", err)
	}
}
