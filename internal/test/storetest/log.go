package storetest

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var logCases = []testCase{
	{name: "log/changes", why: "the store itself writes a change for every memory put or deleted, oldest first",
		run: testChanges},
	{name: "log/newest_kept",
		why: "the log keeps at least the newest change of every memory, so that reading it from the beginning lists all of them",
		run: testNewestKept},
	{name: "log/pages", why: "Changes returns up to limit changes and the cursor to continue from; cursors ascend as strings",
		run: testPages},
	{name: "log/head", why: "Head is the cursor of the newest readable change; from there Changes returns nothing and the given cursor",
		run: testHead},
	{name: "log/commit_cursor", why: "the cursor of a commit is at or after every change of the batch",
		run: func(t *testing.T, f *fixture) {
			last := trilith.Cursor("")
			for n := range 12 { // beyond the point where 9 and 10 compare wrongly as text
				c := f.commit(t, puts(note(n, "x"), note(n+100, "x")))
				if c.Cursor <= last {
					t.Errorf("commit %d returned the cursor %q, want one after %q", n, c.Cursor, last)
				}
				last = c.Cursor
				after := slices.Repeat([]trilith.Cursor{last}, f.Shards())
				wantEqual(t, "Changes after the commit's own cursor", f.changesAfter(t, after, 100), []role.Change{})
			}
		}},
	{name: "log/shards", why: "shards are numbered from 0 to Shards()-1, and a tenant is in one",
		run: func(t *testing.T, f *fixture) {
			if n := f.Shards(); n < 1 {
				t.Fatalf("Shards() = %d, want at least 1", n)
			}
			f.commit(t, puts(notes(1, 9)...))
			holding := 0
			for shard := range f.Shards() {
				cs, _, err := f.Changes(t.Context(), system, shard, "", 100)
				if err != nil {
					t.Fatalf("Changes(%d) = %v, want nil", shard, err)
				}
				if len(cs) > 0 {
					holding++
				}
			}
			if holding != 1 {
				t.Errorf("changes of one tenant lie in %d shards, want 1", holding)
			}
			for _, shard := range []int{-1, f.Shards()} {
				_, _, err := f.Changes(t.Context(), system, shard, "", 1)
				wantKind(t, "Changes of a shard that does not exist", err, trilith.Invalid)
				_, err = f.Head(t.Context(), system, shard)
				wantKind(t, "Head of a shard that does not exist", err, trilith.Invalid)
			}
		}},
	{name: "log/commit_shard",
		why: "a commit returns the shard of its cursor: that of its tenant, where Changes finds its changes",
		run: testCommitShard},
	{name: "log/tenants", why: "Tenants returns all tenants with a memory or a record, in byte order, without the system tenant",
		run: testTenants},
	{name: "log/system_scope", why: "reading across tenants requires an explicit permission: the zero System is refused",
		run: func(t *testing.T, f *fixture) {
			var none trilith.System
			want := trilith.KindOf(none.Validate())
			_, _, err := f.Changes(t.Context(), none, 0, "", 1)
			wantKind(t, "Changes without a System", err, want)
			_, err = f.Head(t.Context(), none, 0)
			wantKind(t, "Head without a System", err, want)
			_, err = f.Tenants(t.Context(), none)
			wantKind(t, "Tenants without a System", err, want)
			_, err = f.Lease(t.Context(), none, leaseFor("w"))
			wantKind(t, "Lease without a System", err, want)
		}},
}

// newest returns the last change of every memory in a sequence of changes.
func newest(cs []role.Change) map[string]role.Change {
	m := make(map[string]role.Change)
	for _, c := range cs {
		m[c.Tenant+"/"+string(c.ID)] = c
	}
	return m
}

func testChanges(t *testing.T, f *fixture) {
	f.commit(t, puts(note(1, "a"), note(2, "a", version(4))))
	at := f.heads(t)
	f.commit(t, puts(note(2, "b"), note(3, "a")), deletes(1, 9))
	got := newest(f.changesAfter(t, at, 100))
	want := map[string]role.Change{
		tenant + "/" + string(id(1)): {Tenant: tenant, ID: id(1), Deleted: true},
		tenant + "/" + string(id(2)): {Tenant: tenant, ID: id(2), Version: 5},
		tenant + "/" + string(id(3)): {Tenant: tenant, ID: id(3), Version: 1},
	}
	for k, c := range got {
		c.Cursor = ""
		if c.Deleted {
			c.Version = 0 // the contract does not define the version of a deletion
		}
		got[k] = c
	}
	wantEqual(t, "Changes", got, want)
}

func testNewestKept(t *testing.T, f *fixture) {
	for range 3 {
		f.commit(t, puts(notes(1, 6)...))
	}
	f.commitIn(t, beta, puts(note(1, "x", in(beta))))
	f.commit(t, deletes(2), deletes(4), puts(note(4, "back", version(9))))
	got := newest(f.changesAfter(t, make([]trilith.Cursor, f.Shards()), 3))
	for n, want := range map[int]role.Change{1: {Version: 3}, 2: {Deleted: true}, 3: {Version: 3}, 4: {Version: 9},
		5: {Version: 3}} {
		c, ok := got[tenant+"/"+string(id(n))]
		if !ok || c.Deleted != want.Deleted || !c.Deleted && c.Version != want.Version {
			t.Errorf("the log's newest change of memory %d is %+v (found: %v), want %+v", n, c, ok, want)
		}
	}
	if c := got[otherTenant+"/"+string(id(1))]; c.Version != 1 {
		t.Errorf("the log's newest change of the other tenant's memory is %+v, want version 1", c)
	}
}

func testPages(t *testing.T, f *fixture) {
	for n := range 5 {
		f.commit(t, puts(notes(n*5, n*5+5)...))
	}
	for _, page := range []int{1, 2, 7, 25, 1000} {
		for shard := range f.Shards() {
			last, want := trilith.Cursor(""), f.heads(t)[shard]
			for {
				cs, next, err := f.Changes(t.Context(), system, shard, last, page)
				if err != nil {
					t.Fatalf("Changes(%d, %q, %d) = %v, want nil", shard, last, page, err)
				}
				if len(cs) > page {
					t.Fatalf("Changes with limit %d returned %d changes", page, len(cs))
				}
				for _, c := range cs {
					if c.Cursor <= last {
						t.Errorf("Changes with limit %d: cursor %q comes after %q", page, c.Cursor, last)
					}
					last = c.Cursor
				}
				if next != last {
					t.Errorf("Changes with limit %d: goes on from %q, want %q, the cursor of the last change",
						page, next, last)
				}
				if len(cs) == 0 {
					break
				}
			}
			if last != want {
				t.Errorf("reading shard %d in pages of %d ended at %q, want its head %q", shard, page, last, want)
			}
		}
		if got := newest(f.changesAfter(t, make([]trilith.Cursor, f.Shards()), page)); len(got) != 25 {
			t.Errorf("reading in pages of %d named %d memories, want 25", page, len(got))
		}
	}
}

func testHead(t *testing.T, f *fixture) {
	for shard, head := range f.heads(t) {
		cs, next, err := f.Changes(t.Context(), system, shard, head, 10)
		if err != nil || len(cs) != 0 || next != head {
			t.Errorf("Changes(%d) of an empty store after its head %q = %v, %q, %v; want none, the same cursor, nil",
				shard, head, cs, next, err)
		}
	}
	var last role.Commit
	for n := range 3 {
		last = f.commit(t, puts(note(n, "x")))
	}
	heads := f.heads(t)
	if heads[last.Shard] != last.Cursor {
		t.Errorf("Head of all shards = %q, want that of shard %d to be the last commit's cursor %q", heads,
			last.Shard, last.Cursor)
	}
	for shard, head := range heads {
		if _, next, err := f.Changes(t.Context(), system, shard, head, 10); err != nil || next != head {
			t.Errorf("Changes(%d) after the head %q goes on from %q, %v; want the same cursor, nil", shard,
				head, next, err)
		}
	}
}

func testCommitShard(t *testing.T, f *fixture) {
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", tenant} {
		s := trilith.Scope{Tenant: name}
		heads := f.heads(t)
		put := f.commitIn(t, s, puts(note(1, "x", in(s))))
		if put.Shard < 0 || put.Shard >= f.Shards() {
			t.Fatalf("a commit to %s names shard %d of %d", name, put.Shard, f.Shards())
		}
		gone := f.commitIn(t, s, deletes(1))
		if gone.Shard != put.Shard {
			t.Errorf("commits to %s name the shards %d and %d, want one", name, put.Shard, gone.Shard)
		}
		for shard, after := range heads {
			cs, at, err := f.Changes(t.Context(), system, shard, after, 10)
			if err != nil {
				t.Fatalf("Changes(%d) = %v, want nil", shard, err)
			}
			if here := shard == put.Shard; here != (len(cs) > 0) || here && at != gone.Cursor {
				t.Errorf("Changes(%d) after commits to %s = %v up to %q, want some up to %q only in shard %d", shard,
					name, cs, at, gone.Cursor, put.Shard)
			}
		}
		if c := f.commitIn(t, s,
			role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)}}); c.Cursor != "" || c.Shard != 0 {
			t.Errorf("a commit that changes no memory names the cursor %q in shard %d, want none and 0",
				c.Cursor, c.Shard)
		}
	}
}

func testTenants(t *testing.T, f *fixture) {
	tenants := func() []string {
		t.Helper()
		names, err := f.Tenants(t.Context(), system)
		if err != nil {
			t.Fatalf("Tenants() = %v, want nil", err)
		}
		return names
	}
	wantEqual(t, "Tenants of an empty store", tenants(), []string{})
	memoryIn := func(name string) {
		s := trilith.Scope{Tenant: name}
		f.commitIn(t, s, puts(note(1, "x", in(s))))
	}
	recordIn := func(name string) {
		f.commitIn(t, trilith.Scope{Tenant: name},
			role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)}})
	}
	for _, name := range []string{"b", "Z", "a.b", "a-b", "A", "1"} {
		memoryIn(name)
	}
	recordIn("a_b")
	recordIn("b")
	recordIn(trilith.SystemTenant)
	memoryIn(trilith.SystemTenant)
	f.commitIn(t, trilith.Scope{Tenant: "audit-only"},
		role.Batch{Audit: []trilith.AuditEntry{{At: epoch, Actor: "ci", Action: "x"}}})
	wantEqual(t, "Tenants", tenants(), []string{"1", "A", "Z", "a-b", "a.b", "a_b", "b"})

	f.commitIn(t, trilith.Scope{Tenant: "Z"}, deletes(1))
	f.commitIn(t, trilith.Scope{Tenant: "b"}, deletes(1))
	wantEqual(t, "Tenants after one lost all and one its memory", tenants(),
		[]string{"1", "A", "a-b", "a.b", "a_b", "b"})
}
