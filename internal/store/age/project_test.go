package age_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/age"
)

func put(ms ...trilith.Memory) role.Batch { return role.Batch{Memories: ms} }

// nobody reads no entity.
func nobody([]trilith.ID) ([]trilith.Entity, error) { return nil, nil }

// TestProjection follows a small memory through everything that happens to facts.
func TestProjection(t *testing.T) {
	t.Parallel()
	f := open(t)
	oslo, ben := fact(acme, "ana", "lives_in", "Location", "Oslo"),
		fact(acme, "ana", "knows", "Person", "Ben", naming("ben"))
	f.commit(t, acme, put(oslo, ben))
	f.wantGraph(t, "after the first facts", "acme",
		"ana ASSERTS Location:Oslo", "Location:Oslo FROM source of ana", "ana ASSERTS Person:Ben",
		"Person:Ben FROM source of ana", "Person:Ben NAMES ben")

	rome := fact(acme, "ben", "lives_in", "Location", "Rome")
	oslo.State = trilith.StateSuperseded
	f.commit(t, acme, put(oslo, rome))
	f.wantGraph(t, "after a fact was superseded", "acme",
		"ana ASSERTS Location:Oslo (superseded)", "Location:Oslo FROM source of ana (superseded)",
		"ana ASSERTS Person:Ben", "Person:Ben FROM source of ana",
		"Person:Ben NAMES ben", "ben ASSERTS Location:Rome", "Location:Rome FROM source of ben")

	oslo.State = trilith.StateRetracted
	merged := fact(acme, "ana", "lives_in", "Location", "Rome") // what ben asserted is the survivor's
	f.commit(t, acme, role.Batch{Memories: []trilith.Memory{oslo, merged},
		Delete: []role.Ref{{ID: rome.ID}, {ID: ben.ID}}})
	f.wantGraph(t, "after a fact was retracted and two entities were merged", "acme",
		"ana ASSERTS Location:Oslo (retracted)", "Location:Oslo FROM source of ana (retracted)",
		"ana ASSERTS Location:Rome", "Location:Rome FROM source of ana")

	merged.SourceID = ""
	note := merged
	note.ID, note.Kind, note.Fact = oslo.ID, trilith.KindNote, nil // what was a fact is none any more
	f.commit(t, acme, put(merged, note))
	f.wantGraph(t, "after a fact has lost its source and another has become a note", "acme",
		"ana ASSERTS Location:Rome")

	f.commit(t, acme, role.Batch{Delete: []role.Ref{{ID: merged.ID}, {ID: trilith.DeriveID("unknown")}}})
	f.wantGraph(t, "after the last fact was erased", "acme")
	f.wantSound(t, "acme")
}

// TestUnaskedGraph wants no graph for a tenant that has no facts: every graph is a schema with tables.
func TestUnaskedGraph(t *testing.T) {
	t.Parallel()
	f := open(t)
	note := fact(acme, "ana", "wrote", "Thing", "a note")
	note.Kind, note.Fact = trilith.KindNote, nil
	f.commit(t, acme, role.Batch{Memories: []trilith.Memory{note},
		Delete: []role.Ref{{ID: trilith.DeriveID("unknown")}}})
	var n int
	if err := f.pool.QueryRow(t.Context(), `SELECT count(*) FROM ag_catalog.ag_graph`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d graphs, %v; want none", n, err)
	}
	if ms, err := f.Facts(t.Context(), acme, []trilith.ID{person("ana")}, 0); err != nil || len(ms) > 0 {
		t.Errorf("Facts without a graph = %d facts, %v; want none", len(ms), err)
	}
}

// TestStrangeIDs keeps ids that agtype or an index cannot store out of the graph, and still finds them.
func TestStrangeIDs(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, name := range []string{"a\x00b", "ab", "O'Brien \"quoted\" \\ $cy$ $$", "{\"a\": 1}", "\u2028\u007f\t\n日本 🙂",
		strings.Repeat("long ", 2000), "1e400", "99999999999999999999"} {
		m := fact(acme, name, "likes", "Thing", name, func(m *trilith.Memory) {
			m.Fact.EntityID, m.Fact.Node.EntityRef, m.SourceID = trilith.ID(name), trilith.ID(name+" ref"),
				trilith.ID(name+" source")
		})
		f.commit(t, acme, put(m))
		if got, err := f.Match(t.Context(), acme, m.Fact.Owner, m.Fact.EntityID, m.Fact.Verb,
			m.Fact.FactID); err != nil || got.ID != m.ID {
			t.Errorf("Match of %.40q = %s, %v; want the fact", name, got.ID, err)
		}
		if got, err := f.Facts(t.Context(), acme, []trilith.ID{trilith.ID(name)}, 0); err != nil || len(got) != 1 ||
			got[0].ID != m.ID {
			t.Errorf("Facts of %.40q = %d facts, %v; want the one", name, len(got), err)
		}
	}
	if r := f.wantSound(t, "acme"); r.Edges["ASSERTS"] != 8 || r.Edges["NAMES"] != 8 || r.Vertices["Source"] != 8 {
		t.Errorf("the graph has %v and %v, want 8 of each edge and 8 sources", r.Edges, r.Vertices)
	}
}

// TestInvalidUTF8 wants a commit to succeed with ids of any bytes.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.commit(t, acme, put(fact(acme, "ana", "likes", "Thing", "\xff",
		func(m *trilith.Memory) { m.Fact.EntityID = "\xfe" })))
}

// TestNoTextInGraph looks for the words of a memory in all that its graph stores.
func TestNoTextInGraph(t *testing.T) {
	t.Parallel()
	f := open(t)
	m := fact(acme, "ana", "likes", "Thing", "tea")
	m.Text = "Ana whispers that she likes tea."
	f.commit(t, acme, put(m))
	var n int
	if err := f.pool.QueryRow(
		t.Context(), fmt.Sprintf(
			`SELECT count(*) FROM (SELECT properties FROM %[1]s._ag_label_vertex UNION ALL SELECT properties FROM %[1]s._ag_label_edge) AS x
		WHERE (x.*)::text LIKE '%%whispers%%'`, age.GraphName("acme"))).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows of the graph hold the text, %v; want none", n, err)
	}
}

// TestUndone wants a graph that was made in a transaction that came to nothing to be made again.
func TestUndone(t *testing.T) {
	t.Parallel()
	f := open(t)
	m := fact(acme, "ana", "lives_in", "Location", "Oslo")
	fault := errors.New("a fault of the test")
	for range 6 { // on every connection of the pool
		err := f.store.InTenant(t.Context(), "acme", true, func(tx pgx.Tx) error {
			if err := (age.Projection{}).Project(t.Context(), tx, "acme", put(m), nobody); err != nil {
				return err
			}
			return fault
		})
		if !errors.Is(err, fault) {
			t.Fatalf("a transaction that fails after Project = %v, want %v", err, fault)
		}
	}
	f.commit(t, acme, put(m))
	f.wantGraph(t, "after transactions that came to nothing", "acme", "ana ASSERTS Location:Oslo",
		"Location:Oslo FROM source of ana")
}

// TestSettings wants statements after Project to run as they did before.
func TestSettings(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, facts := range [][]trilith.Memory{nil, {fact(acme, "ana", "lives_in", "Location", "Oslo")}} {
		if err := f.store.InTenant(t.Context(), "acme", true, func(tx pgx.Tx) error {
			read := func() (s string) {
				if err := tx.QueryRow(t.Context(),
					`SELECT string_agg(current_setting(x), ' ') FROM unnest(ARRAY['search_path', 'role', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) AS x`).Scan(&s); err != nil {
					t.Fatalf("reading settings = %v, want nil", err)
				}
				return s
			}
			if _, err := tx.Exec(t.Context(),
				`SELECT set_config('search_path', 'trilith, pg_temp', true), set_config('enable_hashjoin', 'off', true)`); err != nil {
				return err
			}
			before := read()
			if err := (age.Projection{}).Project(
				t.Context(), tx, "acme",
				role.Batch{Memories: facts, Delete: []role.Ref{{ID: trilith.DeriveID("gone")}}}, nobody); err != nil {
				return err
			}
			if after := read(); after != before {
				t.Errorf("settings after Project of %d facts are %q, want %q", len(facts), after, before)
			}
			return nil
		}); err != nil {
			t.Fatalf("InTenant = %v, want nil", err)
		}
	}
}

// TestOtherTenants takes the rights on a tenant's graph away: every statement that names it then fails. Another tenant,
// with facts of the same entities, notices nothing.
func TestOtherTenants(t *testing.T) {
	t.Parallel()
	f := open(t)
	theirs := fact(beta, "ana", "knows", "Person", "Ben", naming("ben"))
	f.commit(t, beta, put(theirs))
	f.sql(t, fmt.Sprintf(`ALTER SCHEMA %[1]s OWNER TO CURRENT_USER; REVOKE ALL ON SCHEMA %[1]s FROM trilith_app`,
		age.GraphName("beta")))
	ours := theirs
	ours.Scope = acme
	f.commit(t, acme, put(ours, fact(acme, "ben", "lives_in", "Location", "Oslo")))
	f.commit(t, acme, put(ours))
	for _, hops := range []int{0, 1, 2} {
		if ms, err := f.Walk(t.Context(), acme, []trilith.Memory{ours}, hops); err != nil || ms[0].Scope != acme {
			t.Errorf("Walk with %d hops = %v, %v; want facts of acme", hops, ms, err)
		}
	}
	if _, err := f.Match(t.Context(), acme, ours.Fact.Owner, ours.Fact.EntityID, ours.Fact.Verb,
		ours.Fact.FactID); err != nil {
		t.Errorf("Match = %v, want nil", err)
	}
	if _, err := f.Facts(t.Context(), acme, []trilith.ID{person("ana")}, 0); err != nil {
		t.Errorf("Facts = %v, want nil", err)
	}
	if _, err := f.Naming(t.Context(), acme, []trilith.ID{person("ben")}, 0); err != nil {
		t.Errorf("Naming = %v, want nil", err)
	}
	f.wantSound(t, "acme")
	if _, err := f.Rebuild(t.Context(), "acme"); err != nil {
		t.Errorf("Rebuild = %v, want nil", err)
	}
	if err := f.Complete(t.Context(), []string{"acme", "beta"}); err != nil {
		t.Errorf("Complete = %v, want nil", err)
	}
	if _, err := f.Facts(t.Context(), beta, []trilith.ID{person("ana")}, 0); err == nil {
		t.Error("Facts of beta = nil, want an error: the rights are not what the test takes away")
	}
}

func TestGraphNames(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for _, tenant := range []string{"a", "A", "acme", "ACME", "acme.", "acme-", "acme_", "default", trilith.SystemTenant,
		strings.Repeat("x", 64), strings.Repeat("x", 63) + "y"} {
		name := age.GraphName(tenant)
		if len(name) < 3 || len(name) > 63 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" ||
			name[0] != 't' {
			t.Errorf("GraphName(%q) = %q, which is no name that needs no quoting", tenant, name)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q have the graph %s both", tenant, other, name)
		}
		seen[name] = tenant
	}
}

// TestWriters lets many write about the same entities, nodes and sources at once, and remove what they wrote: no
// vertex exists twice, none is removed while it has edges, and none stays without edges.
func TestWriters(t *testing.T) {
	t.Parallel()
	f := open(t)
	var wg sync.WaitGroup
	for writer := range 16 {
		wg.Go(func() {
			for round := range 8 {
				kept := fact(acme, "ana", fmt.Sprint("verb_", writer), "Thing", fmt.Sprint(round%3), naming("ben"))
				passing := fact(acme, fmt.Sprint("entity ", round%2), fmt.Sprint("verb_", writer), "Passing",
					fmt.Sprint(round%2))
				for _, b := range []role.Batch{put(kept, passing), {Delete: []role.Ref{{ID: passing.ID}}}} {
					if _, err := f.store.Commit(context.Background(), acme, b); err != nil {
						t.Errorf("Commit = %v, want nil", err)
					}
				}
			}
		})
	}
	wg.Wait()
	if r := f.wantSound(t, "acme"); r.Edges["ASSERTS"] != 16*3 || r.Vertices["Entity"] != 2 ||
		r.Vertices["Fact"] != 3 || r.Vertices["Source"] != 1 {
		t.Errorf("the graph has %v and %v, want 48 assertions of 3 nodes by 1 entity and naming 1, from 1 source",
			r.Edges, r.Vertices)
	}
}
