package migrate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/transfer/migrate"
)

// pairs runs a test from every driver to every other one and to its own kind.
func pairs(t *testing.T, test func(t *testing.T, from, to place)) {
	t.Parallel()
	for a, from := range drivers {
		for b, to := range drivers {
			t.Run(a+" to "+b, func(t *testing.T) {
				t.Parallel()
				test(t, from(t), to(t))
			})
		}
	}
}

func TestEverythingIsCopied(t *testing.T) {
	pairs(t, func(t *testing.T, from, to place) {
		fill(t, from.open(t))
		r := runWith(t, from.at(t), to.at(t), migrate.Options{})
		if r.Resumed || r.Copied != notes+1 || len(r.Tenants) != 3 {
			t.Errorf("Run = %+v, want 3 tenants and %d memories copied", r, notes+1)
		}
		counted, err := migrate.Count(t.Context(), from.at(t), migrate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range counted.Tenants {
			if diff := cmp.Diff(r.Tenants[i].From, got.From); diff != "" {
				t.Errorf("Count(%s) (-Run +Count):\n%s", got.Name, diff)
			}
		}
		if r = runWith(t, from.at(t), to.at(t), migrate.Options{}); !r.Resumed || r.Copied != 0 {
			t.Errorf("Run again = %+v, want nothing copied", r)
		}
	})
}

func TestCatchUp(t *testing.T) {
	pairs(t, func(t *testing.T, from, to place) {
		fillWith(t, from.open(t), 12)
		run(t, from.at(t), to.at(t))
		change(t, from.open(t))
		if r := run(t, from.at(t), to.at(t)); r.Copied != 4 {
			t.Errorf("Run after a few changes = %+v, want 4 memories copied", r)
		}
	})
}

// TestHashTellsDifferences: different contents have different hashes.
func TestHashTellsDifferences(t *testing.T) {
	t.Parallel()
	_, a := inMemory("a")
	fillWith(t, a, 12)
	content := func(s migrate.Truth) migrate.Content {
		t.Helper()
		r, err := migrate.Count(t.Context(), migrate.Endpoint{Name: "x", Truth: s}, migrate.Options{}.Small())
		if err != nil {
			t.Fatal(err)
		}
		for _, tenant := range r.Tenants {
			if tenant.Name == acme.Tenant {
				return tenant.From
			}
		}
		t.Fatal("there is no tenant acme")
		return migrate.Content{}
	}
	want := content(a)
	for what, b := range map[string]role.Batch{
		"memory": {Memories: []trilith.Memory{note(9, acme, "This is note 9.")}}, // its version only
		"record": {Records: []role.Record{{Kind: role.RecordSource, ID: id(0), Body: []byte(`{"z":1}`)}}},
		"claim": {Claims: []role.Claim{
			{Key: role.Key{Space: role.KeyExternal, Value: "of note 9"}, Owner: id(8), Move: true}}},
		"job":     {DropJobs: []trilith.ID{id(1)}, Jobs: []trilith.Job{job(1, trilith.JobDead)}},
		"audit":   {Audit: []trilith.AuditEntry{entry(5)}},
		"nothing": {},
	} {
		_, b2 := inMemory("b")
		fillWith(t, b2, 12)
		commit(t, b2, acme, b)
		if got := content(b2); (got == want) != (what == "nothing") {
			t.Errorf("after a change of %s the content is %+v, before %+v", what, got, want)
		}
	}
}

// TestCutOff: a migration that ends at any of its commits goes on there, whether or not it heard of that commit.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		changed bool // and the old store has changed since an earlier migration was finished
	}{{"copy", false}, {"catch up", true}} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/after=%v", c.name, after), func(t *testing.T) {
				t.Parallel()
				n := 1
				for ; ; n++ {
					from, there := inMemory("from")
					to, here := inMemory("to")
					fillWith(t, there, 12)
					if c.changed {
						run(t, from.at(t), to.at(t))
						change(t, there)
					}
					faulty(here, n, after)
					_, err := migrate.Run(t.Context(), from.at(t), to.at(t), migrate.Options{}.Small())
					here.Inject(inmem.Fault{})
					if err == nil { // it needs no more commits
						break
					}
					if trilith.KindOf(err) != trilith.Unavailable {
						t.Fatalf("Run, cut off at commit %d = %v", n, err)
					}
					run(t, from.at(t), to.at(t))
				}
				if n < 15 {
					t.Errorf("it took %d commits, want some more", n-1)
				}
			})
		}
	}
}

// TestSourceInUse: changes of the old store during the copy are in the copy, at the latest after the next run.
func TestSourceInUse(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		from, there := inMemory("from")
		to, here := inMemory("to")
		fillWith(t, there, 12)
		commits, changed := 0, false
		here.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Commit" {
				if commits++; commits == n {
					changed = true
					change(t, there)
				}
			}
			return nil
		}})
		if _, err := migrate.Run(t.Context(), from.at(t), to.at(t), migrate.Options{}.Small()); err != nil {
			t.Fatalf("Run with changes at commit %d = %v", n, err)
		}
		here.Inject(inmem.Fault{})
		if run(t, from.at(t), to.at(t)); !changed {
			return
		}
	}
}

// TestNotEqualYet: a store that is written to until the end is not called equal, and the copy is not to be used.
func TestNotEqualYet(t *testing.T) {
	t.Parallel()
	from, there := inMemory("from")
	to, here := inMemory("to")
	fillWith(t, there, 12)
	said := false
	r, err := migrate.Run(t.Context(), from.at(t), to.at(t), migrate.Options{Progress: func(p migrate.Progress) {
		if p.Stage == migrate.StageCompare && !said {
			said = true
			commit(t, there, acme, role.Batch{
				Records: []role.Record{{Kind: role.RecordReceipt, ID: id(99_999), Body: []byte(`{}`)}}})
		}
	}}.Small())
	if err != nil || !said || r.Equal {
		t.Fatalf("Run = %+v, %v; want a report that says that they are not equal", r, err)
	}
	if m := migration(t, here); m.Finished {
		t.Errorf("the copy says %+v, want that it is not finished", m)
	}
	run(t, from.at(t), to.at(t))
	if m := migration(t, here); !m.Finished {
		t.Errorf("the copy says %+v, want that it is finished", m)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	t.Run("itself", func(t *testing.T) {
		t.Parallel()
		from, _ := inMemory("from")
		wantRefused(t, from, from, trilith.Invalid)
	})
	for name, b := range map[string]struct {
		s trilith.Scope
		b role.Batch
	}{
		"memories": {acme, role.Batch{Memories: []trilith.Memory{note(1, acme, "x")}}},
		"keys": {own, role.Batch{
			Records: []role.Record{{Kind: role.RecordAPIKey, ID: id(1), Body: []byte(`{}`)}}}},
	} {
		t.Run("copy holds "+name, func(t *testing.T) {
			t.Parallel()
			from, there := inMemory("from")
			to, here := inMemory("to")
			fillWith(t, there, 12)
			commit(t, here, b.s, b.b)
			before := holding(t, here)
			wantRefused(t, from, to, trilith.Conflict)
			if diff := cmp.Diff(before, holding(t, here)); diff != "" {
				t.Errorf("a copy that was refused has changed:\n%s", diff)
			}
		})
	}
	t.Run("from another store", func(t *testing.T) {
		t.Parallel()
		from, there := inMemory("from")
		other, _ := inMemory("other")
		to, here := inMemory("to")
		fillWith(t, there, 12)
		faulty(here, 5, false)
		wantRefused(t, from, to, trilith.Unavailable)
		here.Inject(inmem.Fault{})
		wantRefused(t, other, to, trilith.Conflict)
		run(t, from.at(t), to.at(t))
		wantRefused(t, other, to, trilith.Conflict)
	})
	for name, b := range map[string]role.Batch{
		"a memory": {Memories: []trilith.Memory{note(5, acme, "x")}},
		"an entry": {Audit: []trilith.AuditEntry{entry(5)}},
	} {
		t.Run("copy got "+name+" since", func(t *testing.T) {
			t.Parallel()
			from, there := inMemory("from")
			to, here := inMemory("to")
			fillWith(t, there, 12)
			run(t, from.at(t), to.at(t))
			commit(t, here, acme, b)
			before := holding(t, here)
			wantRefused(t, from, to, trilith.Conflict)
			if diff := cmp.Diff(before, holding(t, here)); diff != "" {
				t.Errorf("a copy that was refused has changed:\n%s", diff)
			}
		})
	}
	t.Run("another audit", func(t *testing.T) {
		t.Parallel()
		from, there := inMemory("from")
		to, here := inMemory("to")
		fillWith(t, there, 12)
		faulty(here, 12, false)
		wantRefused(t, from, to, trilith.Unavailable)
		here.Inject(inmem.Fault{})
		commit(t, here, acme, role.Batch{Audit: []trilith.AuditEntry{entry(9)}})
		wantRefused(t, from, to, trilith.Conflict)
	})
}

// TestTwoAtOnce: of two migrations into one store, one goes on, and nothing is there twice.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		from, there := inMemory("from")
		to, here := inMemory("to")
		fillWith(t, there, 12)
		commits, met := 0, false
		here.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
			if op != "Commit" || met {
				return nil
			}
			if commits++; commits == n {
				met = true
				run(t, from.at(t), to.at(t))
			}
			return nil
		}})
		_, err := migrate.Run(t.Context(), from.at(t), to.at(t), migrate.Options{}.Small())
		here.Inject(inmem.Fault{})
		if !met {
			return
		}
		if err == nil || trilith.KindOf(err) != trilith.Conflict {
			t.Fatalf("Run, with another one at commit %d = %v, want conflict", n, err)
		}
		run(t, from.at(t), to.at(t))
	}
}

// purging is a store with files that keep deleted data until they are purged.
type purging struct {
	lasting
	purged *int
}

func (p purging) Purge(context.Context) error { *p.purged++; return nil }

// TestPurge: nothing that was erased in the old store after it was copied is left in the files of the copy.
func TestPurge(t *testing.T) {
	t.Parallel()
	from, there := inMemory("from")
	_, here := inMemory("to")
	fillWith(t, there, 12)
	purged := 0
	to := migrate.Endpoint{Name: "to", Truth: purging{here, &purged}}
	run(t, from.at(t), to)
	commit(t, there, acme, role.Batch{Memories: []trilith.Memory{note(9, acme, "Another text.")}})
	if run(t, from.at(t), to); purged != 0 {
		t.Errorf("purged %d times although nothing was erased", purged)
	}
	commit(t, there, acme, role.Batch{Delete: []role.Ref{{ID: id(9)}}})
	if run(t, from.at(t), to); purged != 1 {
		t.Errorf("purged %d times after something was erased, want once", purged)
	}
	if run(t, from.at(t), to); purged != 1 {
		t.Errorf("purged %d times, want no more than before", purged)
	}
}

func wantRefused(t *testing.T, from, to place, kind trilith.ErrorKind) {
	t.Helper()
	if r, err := migrate.Run(t.Context(), from.at(t), to.at(t), migrate.Options{}.Small()); err == nil ||
		trilith.KindOf(err) != kind {
		t.Errorf("Run = %+v, %v; want %s", r, err, kind)
	}
}

// migration is what a copy says of the migration.
func migration(t *testing.T, s role.Store) (m trilith.Migration) {
	t.Helper()
	rs, err := s.Records(t.Context(), own,
		role.RecordListing{Kind: role.RecordMigration, IDs: []trilith.ID{trilith.MigrationID()}})
	if err != nil || len(rs) != 1 {
		t.Fatalf("the record of the migration = %v, %v", rs, err)
	}
	decode(t, rs[0].Body, &m)
	return m
}
