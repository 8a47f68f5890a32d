package age_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/graphtest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (role.Store, role.Graph) {
		f := open(tb)
		return f.store, f.Graph
	}})
}

func TestKept(t *testing.T) {
	t.Parallel()
	var opened sync.Map // graph → its fixture
	graphtest.RunProjected(t, graphtest.Harness{New: func(tb testing.TB) (role.Store, role.Graph) {
		f := open(tb)
		opened.Store(role.Graph(f.Graph), f)
		return f.store, f.Graph
	}}, func(tb testing.TB, g role.Graph, tenant string) {
		f, _ := opened.Load(g)
		f.(*fixture).sql(tb, `DELETE FROM `+age.GraphName(tenant)+`."ASSERTS"`)
	})
}

var (
	acme  = trilith.Scope{Tenant: "acme"}
	beta  = trilith.Scope{Tenant: "beta"}
	epoch = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fixture is the graph of a store in a database of its own.
type fixture struct {
	*age.Graph
	store *postgres.Store
	url   string
	pool  *pgxpool.Pool // of the superuser, outside every contract
}

func open(tb testing.TB) *fixture {
	tb.Helper()
	f := &fixture{url: pgtest.Database(tb, "age")}
	f.store = openStore(tb, postgres.Options{URL: f.url, Projections: []postgres.Projection{age.Projection{}}})
	f.Graph = age.New(f.store)
	var err error
	if f.pool, err = pgxpool.New(context.Background(), f.url+"&pool_max_conns=2"); err != nil {
		tb.Fatalf("New = %v, want nil", err)
	}
	tb.Cleanup(f.pool.Close)
	return f
}

func openStore(tb testing.TB, o postgres.Options) *postgres.Store {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), o)
	if err != nil {
		tb.Fatalf("Open = %v, want nil", err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// sql runs a statement as the superuser.
func (f *fixture) sql(tb testing.TB, statement string, args ...any) {
	tb.Helper()
	if _, err := f.pool.Exec(context.Background(), statement, args...); err != nil {
		tb.Fatalf("%s = %v, want nil", statement, err)
	}
}

func person(name string) trilith.ID { return trilith.DeriveID("age test entity", name) }

// fact returns the memory that asserts who –[verb]→ Type:Name; edits change it before its id is made.
func fact(s trilith.Scope, who, verb, typ, name string, edits ...func(*trilith.Memory)) trilith.Memory {
	f := &trilith.Fact{EntityID: person(who), Verb: verb, Node: trilith.Node{Type: typ, Name: name},
		Type:     trilith.FactProfile,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.9, AuthorRole: trilith.RoleUser,
		Priority:     trilith.PriorityNormal,
		Verification: trilith.Verification{Status: trilith.Verified}}
	m := trilith.Memory{Version: 1, Kind: trilith.KindFact, Text: who + " " + verb + " " + name, Scope: s, EventTime: epoch,
		RecordedAt: epoch,
		State:      trilith.StateActive, Trust: trilith.TrustUserStated, Fact: f,
		SourceID: trilith.DeriveID("age test source", who)}
	for _, edit := range edits {
		edit(&m)
	}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	m.ID = trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID)
	return m
}

func naming(who string) func(*trilith.Memory) {
	return func(m *trilith.Memory) { m.Fact.Node.EntityRef = person(who) }
}

// commit writes a batch of one tenant.
func (f *fixture) commit(t testing.TB, s trilith.Scope, b role.Batch) {
	t.Helper()
	if _, err := f.store.Commit(t.Context(), s, b); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
}

// wantGraph compares what the graph of a tenant holds, as Cypher tells it, with lines such as "ana ASSERTS
// Location:Oslo".
func (f *fixture) wantGraph(t testing.TB, when, tenant string, want ...string) {
	t.Helper()
	names := map[string]string{}
	for _, who := range []string{"ana", "ben", "carl", "ana maria"} {
		names[string(person(who))] = who
		names[string(trilith.DeriveID("age test source", who))] = "source of " + who
	}
	var got []string
	if err := f.store.InTenant(t.Context(), tenant, false, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(),
			`SELECT set_config('search_path', 'public, ag_catalog', true), '0'::ag_catalog.agtype::text`); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(),
			fmt.Sprintf(`SELECT * FROM cypher('%s', $$ MATCH (a)-[e]->(b) RETURN a.id, type(e), e.state, b.id $$) AS (a text, e text, state text, b text)`, age.GraphName(tenant)))
		if err != nil {
			return err
		}
		var start, label, state, end string
		name := func(id string) string {
			if n, ok := names[id]; ok {
				return n
			}
			return id
		}
		if _, err := pgx.ForEachRow(rows, []any{&start, &label, &state, &end}, func() error {
			line := name(start) + " " + label + " " + name(end)
			if state != "active" {
				line += " (" + state + ")"
			}
			got = append(got, line)
			return nil
		}); err != nil {
			return err
		}
		rows, err = tx.Query(t.Context(),
			fmt.Sprintf(`SELECT * FROM cypher('%s', $$ MATCH (a) WHERE NOT exists((a)-[]-()) RETURN a.id $$) AS (a text)`, age.GraphName(tenant)))
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&start}, func() error {
			got = append(got, name(start)+" alone")
			return nil
		})
		return err
	}); err != nil {
		t.Fatalf("reading the graph %s: %v", when, err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the graph %s holds\n%q\nwant\n%q", when, got, want)
	}
}

// entity is the record of a person.
func entity(tb testing.TB, who, name string, identifiers ...trilith.Identifier) role.Record {
	tb.Helper()
	body, err := json.Marshal(
		trilith.Entity{ID: person(who), Type: "person", Name: name, Identifiers: identifiers, CreatedAt: epoch})
	if err != nil {
		tb.Fatal(err)
	}
	return role.Record{Kind: role.RecordEntity, ID: person(who), Body: body}
}

// wantCypher asks the graph of acme for one column, and compares the sorted rows.
func (f *fixture) wantCypher(t testing.TB, when, query string, want ...string) {
	t.Helper()
	var got []string
	if err := f.store.InTenant(t.Context(), "acme", false, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(),
			`SELECT set_config('search_path', 'public, ag_catalog', true), '0'::ag_catalog.agtype::text`); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(),
			fmt.Sprintf(`SELECT format('%%s', x) FROM cypher('%s', $$ %s $$) AS (x agtype)`,
				age.GraphName("acme"), query))
		if err != nil {
			return err
		}
		got, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}); err != nil {
		t.Fatalf("%s, %s = %v, want nil", when, query, err)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s, %s = %q, want %q", when, query, got, want)
	}
}

// wantSound wants Check to find nothing.
func (f *fixture) wantSound(t testing.TB, tenant string) trilith.GraphReport {
	t.Helper()
	r, err := f.Check(t.Context(), tenant)
	if err != nil || r.Differences > 0 {
		t.Errorf("Check(%s) = %+v, %v; want no differences", tenant, r, err)
	}
	return r
}
