package age_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// TestCheckAndRebuild damages the graph in every way that there is: Check names what differs, and Rebuild repairs it.
func TestCheckAndRebuild(t *testing.T) {
	t.Parallel()
	f := open(t)
	oslo, ben := fact(acme, "ana", "lives_in", "Location", "Oslo"),
		fact(acme, "ben", "knows", "Person", "Ana", naming("ana"))
	f.commit(t, acme, put(oslo, ben))
	want := trilith.GraphReport{Tenant: "acme", Facts: 2, Vertices: map[string]int{"Entity": 2, "Fact": 2, "Source": 2},
		Edges: map[string]int{"ASSERTS": 2, "FROM": 2, "NAMES": 1}}
	if diff := cmp.Diff(want, f.wantSound(t, "acme")); diff != "" {
		t.Errorf("Check of a sound graph (-want +got):\n%s", diff)
	}
	const property = `ag_catalog.agtype_access_operator(properties, '"%s"'::ag_catalog.agtype)::text = '%s'`
	of := func(m trilith.Memory) string { return fmt.Sprintf(property, "memory", m.ID) }
	all := []trilith.GraphDifference{{Label: "ASSERTS", ID: string(oslo.ID), Problem: "missing"},
		{Label: "FROM", ID: string(oslo.ID), Problem: "missing"},
		{Label: "ASSERTS", ID: string(ben.ID), Problem: "missing"},
		{Label: "FROM", ID: string(ben.ID), Problem: "missing"},
		{Label: "NAMES", ID: string(ben.ID), Problem: "missing"}}
	if oslo.ID > ben.ID {
		all = slices.Concat(all[2:], all[:2])
	}
	for _, c := range []struct {
		name, damage string // GRAPH stands for the name of the graph
		want         []trilith.GraphDifference
	}{
		{"an edge is gone", `DELETE FROM GRAPH."NAMES"`,
			[]trilith.GraphDifference{{Label: "NAMES", ID: string(ben.ID), Problem: "missing"}}},
		{"an assertion is gone", `DELETE FROM GRAPH."ASSERTS" WHERE ` + of(oslo),
			[]trilith.GraphDifference{{Label: "ASSERTS", ID: string(oslo.ID), Problem: "missing"}}},
		{"a vertex is gone", `DELETE FROM GRAPH."Source" WHERE ` + fmt.Sprintf(property, "id", oslo.SourceID),
			[]trilith.GraphDifference{{Label: "FROM", ID: string(oslo.ID), Problem: "different"}}},
		{"a vertex is left over",
			`INSERT INTO GRAPH."Entity" (properties) VALUES (ag_catalog.agtype_build_map('id', 'zoe'))`,
			[]trilith.GraphDifference{{Label: "Entity", ID: "zoe", Problem: "extra"}}},
		{"a vertex says nothing",
			`UPDATE GRAPH."Fact" SET properties = ag_catalog.agtype_build_map('id', 'Location:Oslo') WHERE ` +
				fmt.Sprintf(property, "id", "Location:Oslo"),
			[]trilith.GraphDifference{{Label: "Fact", ID: "Location:Oslo", Problem: "different"}}},
		{"a vertex has another's name", `UPDATE GRAPH."Entity" SET properties = ag_catalog.agtype_build_map('id', '` +
			string(person("ana")) + `', 'name', 'Zoe') WHERE ` + fmt.Sprintf(property, "id", person("ana")),
			[]trilith.GraphDifference{{Label: "Entity", ID: string(person("ana")), Problem: "different"}}},
		{"an edge is left over",
			`INSERT INTO GRAPH."NAMES" (start_id, end_id, properties) SELECT start_id, end_id, ag_catalog.agtype_build_map('memory', 'zoe', 'verb', 'likes', 'state', 'active', 'version', 1) FROM GRAPH."NAMES"`,
			[]trilith.GraphDifference{{Label: "NAMES", ID: "zoe", Problem: "extra"}}},
		{"a state is old", `UPDATE GRAPH."ASSERTS" SET properties = ag_catalog.agtype_build_map('memory', '` +
			string(oslo.ID) + `', 'verb', 'lives_in', 'state', 'superseded', 'version', 1) WHERE ` + of(oslo),
			[]trilith.GraphDifference{{Label: "ASSERTS", ID: string(oslo.ID), Problem: "different"}}},
		{"an edge leads elsewhere", `UPDATE GRAPH."ASSERTS" SET end_id = (SELECT end_id FROM GRAPH."ASSERTS" WHERE ` +
			of(ben) + `) WHERE ` + of(oslo),
			[]trilith.GraphDifference{{Label: "ASSERTS", ID: string(oslo.ID), Problem: "different"}}},
		{"the graph is gone", `SELECT ag_catalog.drop_graph('GRAPH', true)`, all},
	} {
		f.sql(t, strings.ReplaceAll(c.damage, "GRAPH", age.GraphName("acme")))
		r, err := f.Check(t.Context(), "acme")
		if diff := cmp.Diff(c.want, r.Examples); diff != "" || err != nil || r.Differences != len(c.want) {
			t.Errorf("Check where %s = %d differences, %v (-want +got):\n%s", c.name, r.Differences, err, diff)
		}
		if n, err := f.Rebuild(t.Context(), "acme"); err != nil || n != 2 {
			t.Errorf("Rebuild where %s = %d, %v; want 2, nil", c.name, n, err)
		}
		if diff := cmp.Diff(want, f.wantSound(t, "acme")); diff != "" {
			t.Errorf("Check after Rebuild where %s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestRebuildFromRuins wants Rebuild to repair graphs that AGE no longer recognises.
func TestRebuildFromRuins(t *testing.T) {
	t.Parallel()
	f := open(t)
	m := fact(acme, "ana", "lives_in", "Location", "Oslo")
	f.commit(t, acme, put(m))
	for _, ruin := range []string{
		`SELECT ag_catalog.drop_label('GRAPH', 'NAMES', false)`,
		`DELETE FROM ag_catalog.ag_label WHERE name = 'FROM'`,
		`DELETE FROM ag_catalog.ag_label; DELETE FROM ag_catalog.ag_graph`, // as in a dump that left them out
		`DROP INDEX GRAPH."ASSERTS_key"; DROP INDEX GRAPH."Entity_key"`,
	} {
		f.ruin(t, strings.ReplaceAll(ruin, "GRAPH", age.GraphName("acme")))
		if n, err := f.Rebuild(t.Context(), "acme"); err != nil || n != 1 {
			t.Errorf("Rebuild after %s = %d, %v; want 1, nil", ruin, n, err)
		}
		f.wantSound(t, "acme")
		f.commit(t, acme, put(m))
		if ms, err := f.Facts(t.Context(), acme, []trilith.ID{person("ana")}, 0); err != nil || len(ms) != 1 {
			t.Errorf("Facts after %s and Rebuild = %d facts, %v; want 1", ruin, len(ms), err)
		}
	}
}

// ruin executes statements in one transaction that AGE itself would never make. A server whose AGE meets such ruins while
// it waits for a statement ends the connection (08P01: the error comes where no answer is due); nothing has changed then,
// so the statements are sent once more, over another connection.
func (f *fixture) ruin(t *testing.T, statements string) {
	t.Helper()
	send := func() error {
		return f.pool.AcquireFunc(t.Context(), func(c *pgxpool.Conn) error {
			_, err := c.Conn().PgConn().Exec(t.Context(),
				`BEGIN; SET LOCAL search_path = ag_catalog; SELECT '0'::agtype; `+statements+`; COMMIT`).ReadAll()
			return err
		})
	}
	err := send()
	if ended := (*pgconn.PgError)(nil); errors.As(err, &ended) && ended.Code == "08P01" {
		err = send()
	}
	if err != nil {
		t.Fatalf("%s = %v, want nil", statements, err)
	}
}

// TestRebuildBesideWriters rebuilds again and again while others write and read: nothing that was committed is missing
// in any answer, and in the end graph and tables agree.
func TestRebuildBesideWriters(t *testing.T) {
	t.Parallel()
	f := open(t)
	first := fact(acme, "ana", "likes", "Thing", "the first")
	f.commit(t, acme, put(first))
	ctx, written := context.WithCancel(t.Context())
	var writers, others sync.WaitGroup
	for writer := range 4 {
		writers.Go(func() {
			for n := range 20 {
				if _, err := f.store.Commit(
					t.Context(), acme, put(fact(acme, "ana", "likes", "Thing",
						fmt.Sprint(writer, " ", n)))); err != nil {
					t.Errorf("Commit = %v, want nil", err)
				}
			}
		})
	}
	others.Go(func() {
		for ctx.Err() == nil {
			if _, err := f.Rebuild(t.Context(), "acme"); err != nil {
				t.Errorf("Rebuild = %v, want nil", err)
				return
			}
		}
	})
	others.Go(func() {
		for ctx.Err() == nil {
			if _, err := f.Match(t.Context(), acme, first.Fact.Owner, first.Fact.EntityID, first.Fact.Verb,
				first.Fact.FactID); err != nil {
				t.Errorf("Match while the graph is rebuilt = %v, want nil", err)
				return
			}
		}
	})
	writers.Wait()
	written()
	others.Wait()
	if r := f.wantSound(t, "acme"); r.Facts != 81 || r.Edges["ASSERTS"] != 81 {
		t.Errorf("%d facts and %d assertions, want 81", r.Facts, r.Edges["ASSERTS"])
	}
}

// TestComplete begins with facts that were stored before there was a projection.
func TestComplete(t *testing.T) {
	t.Parallel()
	f := open(t)
	m, theirs := fact(acme, "ana", "lives_in", "Location", "Oslo"), fact(beta, "ana", "lives_in", "Location", "Rome")
	before := openStore(t, postgres.Options{URL: f.url})
	if _, err := before.Commit(t.Context(), acme, put(m)); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	f.commit(t, beta, put(theirs))
	f.commit(t, beta, put(theirs))
	for range 2 {
		if err := f.Complete(t.Context(), []string{"acme", "beta", "nobody"}); err != nil {
			t.Fatalf("Complete = %v, want nil", err)
		}
	}
	f.wantSound(t, "acme")
	f.wantSound(t, "beta")
	if _, err := f.Match(t.Context(), acme, m.Fact.Owner, m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID); err != nil {
		t.Errorf("Match = %v, want nil", err)
	}
	var n int
	if err := f.pool.QueryRow(t.Context(), `SELECT count(*) FROM ag_catalog.ag_graph`).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d graphs, %v; want 2", n, err)
	}
	if err := f.Complete(t.Context(), nil); err != nil {
		t.Errorf("Complete of no tenants = %v, want nil", err)
	}
}

// TestPrepare wants a user with the right to make the extension, and a user without it to be told what to do.
func TestPrepare(t *testing.T) {
	t.Parallel()
	open(t) // makes the role
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatalf("Connect = %v, want nil", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	prepare := func(role string) error {
		return pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT set_config('role', $1, true)`, role); err != nil {
				return err
			}
			return age.Projection{}.Prepare(t.Context(), tx)
		})
	}
	for _, c := range []struct{ role, before, want string }{
		{"trilith_app", `SELECT`, "CREATE EXTENSION age"},
		{"trilith_app", `CREATE EXTENSION age`, "GRANT CREATE ON DATABASE"},
		{"postgres", `DROP EXTENSION age`, ""},
		{"trilith_app", `SELECT`, ""},
		{"postgres", `SELECT`, ""},
	} {
		if _, err := conn.Exec(t.Context(), c.before); err != nil {
			t.Fatalf("%s = %v, want nil", c.before, err)
		}
		switch err := prepare(c.role); {
		case c.want == "" && err != nil:
			t.Errorf("Prepare as %s after %s = %v, want nil", c.role, c.before, err)
		case c.want != "" && (err == nil || trilith.KindOf(err) != trilith.Unsupported ||
			!strings.Contains(trilith.MessageOf(err), c.want)):
			t.Errorf("Prepare as %s after %s = %v; want an error that says %q", c.role, c.before, err, c.want)
		}
	}
}

// TestSameAnswers makes memories at random and asks the graph and the tables the same.
func TestSameAnswers(t *testing.T) {
	t.Parallel()
	f := open(t)
	plain := walk.OverStore(f.store)
	r := rand.New(rand.NewPCG(1, 2))
	who := func() string { return fmt.Sprint("person ", r.IntN(6)) }
	var stored []trilith.Memory
	for range 60 {
		var b role.Batch
		for range 4 {
			m := fact(trilith.Scope{Tenant: "acme", User: fmt.Sprint(r.IntN(2))}, who(),
				[]string{"likes", "knows"}[r.IntN(2)], "Person", fmt.Sprint(r.IntN(5)), func(m *trilith.Memory) {
					if r.IntN(2) == 0 {
						m.Fact.Node.EntityRef = person(who())
					}
					m.SourceID = trilith.DeriveID("a source", fmt.Sprint(r.IntN(8)))
					m.State = trilith.States()[r.IntN(8)%len(trilith.States())]
				})
			same := func(o trilith.Memory) bool { return o.ID == m.ID }
			if slices.ContainsFunc(b.Memories, same) ||
				slices.ContainsFunc(b.Delete, func(o role.Ref) bool { return o.ID == m.ID }) {
				continue
			}
			stored = slices.DeleteFunc(stored, same)
			if r.IntN(4) == 0 {
				b.Delete = append(b.Delete, role.Ref{ID: m.ID})
				continue
			}
			b.Memories, stored = append(b.Memories, m), append(stored, m)
		}
		f.commit(t, acme, b)
	}
	f.wantSound(t, "acme")
	for _, s := range []trilith.Scope{acme, {Tenant: "acme", User: "0"}, {Tenant: "acme", User: "1"},
		{Tenant: "acme", User: "2"}, beta} {
		same := func(call string, one, other []trilith.Memory, err error) {
			t.Helper()
			if diff := cmp.Diff(one, other, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%s in %+v: %v (-tables +graph):\n%s", call, s, err, diff)
			}
		}
		for i := range 6 {
			entities := []trilith.ID{person(fmt.Sprint("person ", i)), person("person 0")}
			for _, limit := range []int{0, 3} {
				a, err1 := plain.Facts(t.Context(), s, entities, limit)
				b, err2 := f.Facts(t.Context(), s, entities, limit)
				same("Facts", a, b, errors.Join(err1, err2))
				a, err1 = plain.Naming(t.Context(), s, entities, limit)
				b, err2 = f.Naming(t.Context(), s, entities, limit)
				same("Naming", a, b, errors.Join(err1, err2))
			}
		}
		for i, m := range stored {
			a, err1 := plain.Walk(t.Context(), s, stored[i:min(i+2, len(stored))], i%3)
			b, err2 := f.Walk(t.Context(), s, stored[i:min(i+2, len(stored))], i%3)
			same("Walk", a, b, errors.Join(err1, err2))
			x, err1 := plain.Match(t.Context(), s, m.Fact.Owner, m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
			y, err2 := f.Match(t.Context(), s, m.Fact.Owner, m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
			if (err1 == nil) != (err2 == nil) || cmp.Diff(x, y) != "" {
				t.Errorf("Match(%s) in %+v = %v, %v by tables; %v, %v by the graph", m.Text, s, x.ID, err1, y.ID, err2)
			}
		}
	}
}
