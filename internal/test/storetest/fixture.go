package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
)

// The tenants of the cases, in byte order; most collations would order them differently.
const (
	tenant      = "acme"
	otherTenant = "beta"
)

var (
	acme   = trilith.Scope{Tenant: tenant}
	beta   = trilith.Scope{Tenant: otherTenant}
	system = trilith.AsSystem("storetest")
	epoch  = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fixture is a backend with its clock.
type fixture struct {
	Backend
	harness Harness
	clock   *clocktest.Clock // the time of one case
}

// The steps of jobs, each as one call.

func (f *fixture) Extend(ctx context.Context, l trilith.Lease, d time.Duration) error {
	return f.ChangeJob(ctx, l.Extend(d))
}

func (f *fixture) Finish(ctx context.Context, l trilith.Lease) error {
	return f.ChangeJob(ctx, l.Finish())
}

func (f *fixture) Fail(ctx context.Context, l trilith.Lease, reason string, retryAt time.Time) error {
	return f.ChangeJob(ctx, l.Fail(reason, retryAt))
}

func (f *fixture) Defer(ctx context.Context, l trilith.Lease, reason string, until time.Time) error {
	return f.ChangeJob(ctx, l.Defer(reason, until))
}

func (f *fixture) Retry(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	return f.ChangeJob(ctx, trilith.RetryJob(s, id))
}

func newFixture(tb testing.TB, h Harness) *fixture {
	tb.Helper()
	f := &fixture{harness: h, clock: clocktest.At(epoch)}
	f.Backend = h.New(tb, f.clock.Now)
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return f
}

func (f *fixture) reopen(tb testing.TB) {
	tb.Helper()
	f.Backend = f.harness.Reopen(tb, f.Backend, f.clock.Now)
}

// id returns the nth id of an ascending sequence.
func id(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func idRange(from, to int) []trilith.ID {
	ids := make([]trilith.ID, 0, to-from)
	for n := from; n < to; n++ {
		ids = append(ids, id(n))
	}
	return ids
}

// note returns the memory id(n) of [acme]; edits change it.
func note(n int, text string, edits ...func(*trilith.Memory)) trilith.Memory {
	m := trilith.Memory{
		ID: id(n), Kind: trilith.KindNote, Text: text, Scope: acme, Type: "manual",
		EventTime: epoch.Add(time.Duration(n) * time.Minute), RecordedAt: epoch.Add(time.Duration(n) * time.Second),
		State: trilith.StateActive, Trust: trilith.TrustUserStated,
	}
	for _, edit := range edits {
		edit(&m)
	}
	return m
}

func notes(from, to int) []trilith.Memory {
	ms := make([]trilith.Memory, 0, to-from)
	for n := from; n < to; n++ {
		ms = append(ms, note(n, fmt.Sprintf("note %d", n)))
	}
	return ms
}

func in(s trilith.Scope) func(*trilith.Memory) { return func(m *trilith.Memory) { m.Scope = s } }

func version(v int64) func(*trilith.Memory) { return func(m *trilith.Memory) { m.Version = v } }

func record(kind role.RecordKind, n int, body string) role.Record {
	return role.Record{Kind: kind, ID: id(n), Body: json.RawMessage(body)}
}

func external(value string) role.Key { return role.Key{Space: role.KeyExternal, Value: value} }

func puts(ms ...trilith.Memory) role.Batch { return role.Batch{Memories: ms} }

func deletes(ns ...int) role.Batch {
	var b role.Batch
	for _, n := range ns {
		b.Delete = append(b.Delete, role.Ref{ID: id(n)})
	}
	return b
}

// commit writes batches into acme and returns the result of the last one.
func (f *fixture) commit(t testing.TB, bs ...role.Batch) role.Commit {
	t.Helper()
	return f.commitIn(t, acme, bs...)
}

func (f *fixture) commitIn(t testing.TB, s trilith.Scope, bs ...role.Batch) (c role.Commit) {
	t.Helper()
	for _, b := range bs {
		var err error
		if c, err = f.Commit(t.Context(), s, b); err != nil {
			t.Fatalf("Commit(%s) = %v, want nil", describe(b), err)
		}
	}
	return c
}

// refuse commits into acme and expects an error of the kind.
func (f *fixture) refuse(t testing.TB, b role.Batch, want trilith.ErrorKind) {
	t.Helper()
	_, err := f.Commit(t.Context(), acme, b)
	wantKind(t, "Commit("+describe(b)+")", err, want)
}

// describe describes the content of a batch, short enough for a failure message.
func describe(b role.Batch) string {
	s := fmt.Sprintf("expect %v, %d memories", b.Expect, len(b.Memories))
	for _, m := range b.Memories[:min(3, len(b.Memories))] {
		s += " " + string(m.ID)
	}
	return s + fmt.Sprintf(", %d records, claims %v, release %v, delete %v, %d jobs, %d audit entries",
		len(b.Records), b.Claims, b.Release, b.Delete[:min(3, len(b.Delete))], len(b.Jobs), len(b.Audit))
}

func wantKind(t testing.TB, call string, err error, want trilith.ErrorKind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s = nil, want an error of kind %s", call, want)
	} else if got := trilith.KindOf(err); got != want {
		t.Errorf("%s = %v (kind %s), want kind %s", call, err, got, want)
	}
}

func wantEqual(t testing.TB, call string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: wrong result (-want +got):\n%s", call, diff)
	}
}

// get returns acme's memories.
func (f *fixture) get(t testing.TB, ids ...trilith.ID) []trilith.Memory {
	t.Helper()
	ms, err := f.Get(t.Context(), acme, ids)
	if err != nil {
		t.Fatalf("Get(%v) = %v, want nil", ids, err)
	}
	return ms
}

func (f *fixture) getOne(t testing.TB, n int) trilith.Memory {
	t.Helper()
	ms := f.get(t, id(n))
	if len(ms) != 1 {
		t.Fatalf("Get(%s) returned %d memories, want 1", id(n), len(ms))
	}
	return ms[0]
}

// list returns the ids of the listing in the scope.
func (f *fixture) list(t testing.TB, s trilith.Scope, l role.Listing) []trilith.ID {
	t.Helper()
	ms, err := collect(f.List(t.Context(), s, l))
	if err != nil {
		t.Fatalf("List(%+v, %+v) = %v, want nil", s, l, err)
	}
	return idsOf(ms)
}

func collect(seq iter.Seq2[trilith.Memory, error]) (ms []trilith.Memory, err error) {
	for m, e := range seq {
		if e != nil {
			return ms, e
		}
		ms = append(ms, m)
	}
	return ms, nil
}

func idsOf(ms []trilith.Memory) []trilith.ID {
	ids := make([]trilith.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}

func (f *fixture) find(t testing.TB, s trilith.Scope, keys ...role.Key) map[role.Key]trilith.ID {
	t.Helper()
	owners, err := f.Find(t.Context(), s, keys)
	if err != nil {
		t.Fatalf("Find(%v) = %v, want nil", keys, err)
	}
	return owners
}

func (f *fixture) claims(t testing.TB, s trilith.Scope, l role.ClaimListing) []role.Claim {
	t.Helper()
	cs, err := f.Claims(t.Context(), s, l)
	if err != nil {
		t.Fatalf("Claims(%s, %+v) = %v, want nil", s.Tenant, l, err)
	}
	return cs
}

func (f *fixture) records(t testing.TB, s trilith.Scope, l role.RecordListing) []role.Record {
	t.Helper()
	rs, err := f.Records(t.Context(), s, l)
	if err != nil {
		t.Fatalf("Records(%+v) = %v, want nil", l, err)
	}
	return rs
}

func (f *fixture) audit(t testing.TB, s trilith.Scope, after int64, limit int) []trilith.AuditEntry {
	t.Helper()
	es, err := f.Audit(t.Context(), s, after, limit)
	if err != nil {
		t.Fatalf("Audit(%s, %d, %d) = %v, want nil", s.Tenant, after, limit, err)
	}
	return es
}

func (f *fixture) jobs(t testing.TB, s trilith.Scope, l trilith.JobListing) []trilith.Job {
	t.Helper()
	js, err := f.Jobs(t.Context(), s, l)
	if err != nil {
		t.Fatalf("Jobs(%s, %+v) = %v, want nil", s.Tenant, l, err)
	}
	return js
}

// heads returns the newest cursor of every shard.
func (f *fixture) heads(t testing.TB) []trilith.Cursor {
	t.Helper()
	cs := make([]trilith.Cursor, f.Shards())
	for shard := range cs {
		c, err := f.Head(t.Context(), system, shard)
		if err != nil {
			t.Fatalf("Head(%d) = %v, want nil", shard, err)
		}
		cs[shard] = c
	}
	return cs
}

// changes reads every shard from the given cursors to the end, in pages, and advances the cursors.
func (f *fixture) changes(ctx context.Context, after []trilith.Cursor, page int) ([]role.Change, error) {
	var out []role.Change
	for shard := range after {
		for {
			cs, next, err := f.Changes(ctx, system, shard, after[shard], page)
			if err != nil {
				return nil, err
			}
			if len(cs) > page || next < after[shard] {
				return nil, fmt.Errorf("Changes(%d, %q, %d) returned %d changes and the cursor %q", shard, after[shard],
					page, len(cs), next)
			}
			after[shard] = next
			if len(cs) == 0 {
				break
			}
			out = append(out, cs...)
		}
	}
	return out, nil
}

func (f *fixture) changesAfter(t testing.TB, after []trilith.Cursor, page int) []role.Change {
	t.Helper()
	cs, err := f.changes(t.Context(), after, page)
	if err != nil {
		t.Fatalf("Changes = %v, want nil", err)
	}
	return cs
}

func ptr[T any](v T) *T { return &v }
