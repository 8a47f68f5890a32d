package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// opened opens a vector index in a database of its own.
func opened(tb testing.TB, o VectorOptions) *Vectors {
	tb.Helper()
	return openedAt(tb, pgtest.Database(tb, "vector"), o)
}

func openedAt(tb testing.TB, url string, o VectorOptions) *Vectors {
	tb.Helper()
	s, err := Open(tb.Context(), Options{URL: url + "&pool_max_conns=4"})
	if err != nil {
		tb.Fatalf("Open() = %v", err)
	}
	tb.Cleanup(func() { s.Close() })
	v, err := s.Vectors(tb.Context(), o)
	if err != nil {
		tb.Fatalf("Vectors() = %v", err)
	}
	tb.Cleanup(func() { v.Close() })
	return v
}

func TestVectors(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(tb testing.TB) role.VectorIndex { return opened(tb, VectorOptions{}) },
		Reopen: func(tb testing.TB, old role.VectorIndex) role.VectorIndex {
			tb.Helper()
			if err := old.Close(); err != nil {
				tb.Fatalf("Close() = %v", err)
			}
			closed := old.(*Vectors)
			v, err := openVectors(tb.Context(), closed.db, closed.turns, VectorOptions{})
			if err != nil {
				tb.Fatalf("Vectors() = %v", err)
			}
			return v
		},
	})
}

func TestVectorAbilities(t *testing.T) {
	t.Parallel()
	indextest.RunVectorAbilities(t, func(tb testing.TB) func() role.VectorIndex {
		url := pgtest.Database(tb, "vector")
		return func() role.VectorIndex { return openedAt(tb, url, VectorOptions{}) }
	})
}

// indexed is an index in which every tenant has an index of its own, however few its vectors are.
type indexed struct{ *Vectors }

func (x indexed) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	if err := x.Vectors.Apply(ctx, g, ps); err != nil || len(ps) == 0 {
		return err
	}
	return x.Maintain(ctx)
}

func TestVectorsWithIndexes(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{New: func(tb testing.TB) role.VectorIndex {
		return indexed{opened(tb, VectorOptions{IndexFrom: 1})}
	}})
}

// built maintains until there are as many indexes as tenants and generations should have, which the maintenance in the
// background may be busy with.
func built(ctx context.Context, v *Vectors, want int) error {
	for {
		if err := v.Maintain(ctx); err != nil {
			return err
		}
		var n, broken int
		err := v.db.pool.QueryRow(
			ctx, "SELECT count(*), count(*) FILTER (WHERE NOT indisvalid) FROM pg_index WHERE indrelid = 'trilith.vectors'::regclass AND indpred IS NOT NULL").Scan(&n, &broken)
		if err != nil || n == want && broken == 0 {
			return err
		}
	}
}

// run runs statements as the login, which is a superuser here.
func run(tb testing.TB, v *Vectors, statements ...string) {
	tb.Helper()
	for _, statement := range statements {
		if _, err := v.db.pool.Exec(tb.Context(), statement); err != nil {
			tb.Fatalf("%s: %v", statement, err)
		}
	}
}

func mustBuild(tb testing.TB, v *Vectors, want int) {
	tb.Helper()
	if err := built(tb.Context(), v, want); err != nil {
		tb.Fatalf("Maintain() = %v", err)
	}
}

// A search begins with the few vectors that an index considers the nearest. If these are not enough, it reads all.
func TestVectorsLoseNothing(t *testing.T) {
	t.Parallel()
	const points, k = 2000, 10
	for _, kind := range []string{hnsw, ivfflat} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			url, c, g := pgtest.Database(t, "vector"), newCloud(16), cloudOf(16)
			v, all := openedAt(t, url, VectorOptions{Index: kind, IndexFrom: 1000}),
				openedAt(t, url, VectorOptions{Index: exact})
			v.width = 100
			c.fill(t, v, g, "ana", points)
			c.fill(t, v, g, "ben", points)
			mustBuild(t, v, 2)
			hits, wants := 0, 0
			for _, filter := range []trilith.Filter{{}, trilith.Where("seq", trilith.OpLt, 500),
				trilith.Where("seq", trilith.OpLt, 100), trilith.Where("seq", trilith.OpLt, 20),
				trilith.Where("seq", trilith.OpLt, 3),
				trilith.Where("user", trilith.OpIn, []string{"user-1", "user-2"}),
				trilith.Where("session", trilith.OpRegex, "[05]$"), trilith.Where("session", trilith.OpRegex, "-77$")} {
				for range 10 {
					p := role.VectorProbe{Vector: c.draw(), Filter: filter, K: k}
					want, err := indextest.First(all.Search(t.Context(), trilith.Scope{Tenant: "ana"}, g, p))
					if err != nil {
						t.Fatalf("Search() = %v", err)
					}
					got, err := indextest.First(v.Search(t.Context(), trilith.Scope{Tenant: "ana"}, g, p))
					if err != nil || len(got) != len(want) {
						t.Fatalf("Search(%+v) = %d rows, %v; looking at all finds %d", filter, len(got), err, len(want))
					}
					for _, c := range got {
						for _, w := range want {
							if c == w {
								hits++
							}
						}
					}
					wants += len(want)
				}
			}
			if recall := float64(hits) / float64(wants); recall < 0.9 {
				t.Errorf("%d of %d that looking at all finds were found, want nine of ten", hits, wants)
			}
		})
	}
}

// The plan of a search that begins with an index reads that of its own tenant and of no other.
func TestVectorsUseTheIndexOfTheTenant(t *testing.T) {
	t.Parallel()
	v, c, g := opened(t, VectorOptions{IndexFrom: 500}), newCloud(16), cloudOf(16)
	c.fill(t, v, g, "ana", 1000)
	c.fill(t, v, g, "ben", 1000)
	c.fill(t, v, g, "cem", 100)
	mustBuild(t, v, 2)
	for tenant, want := range map[string]bool{"ana": true, "ben": true, "cem": false} {
		q := vectorSearch{scope: trilith.Scope{Tenant: tenant}, dims: 16,
			probe: role.VectorProbe{Vector: c.draw(), K: 10, Filter: trilith.Where("seq", trilith.OpLt, 500)}}
		near, err := v.plan(t.Context(), &q, g)
		if err != nil || near != want {
			t.Fatalf("plan(%s) = %t, %v; want %t", tenant, near, err, want)
		}
		query, args, _ := v.statement(&q, near, q.probe.K)
		var plan []string
		err = v.db.read(t.Context(), "test", tenant, func(b *pgx.Batch) {
			b.Queue(v.settings(near))
			b.Queue("EXPLAIN (COSTS OFF) "+query, args...).Query(func(rows pgx.Rows) (err error) {
				plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if used := strings.Contains(text, "Index Scan using vectors_hnsw_1"+v.suffix(tenant)); used != want ||
			strings.Count(text, "vectors_hnsw") > 1 {
			t.Errorf("plan of %s, that should use its index (%t) and no other:\n%s", tenant, want, text)
		}
		narrow := vectorSearch{scope: trilith.Scope{Tenant: tenant, User: "user-7"}, dims: 16, probe: q.probe}
		if near, err := v.plan(t.Context(), &narrow, g); err != nil || near {
			t.Errorf("plan of a user with few vectors = %t, %v; want to look at all of them", near, err)
		}
	}
}

// The database itself shows rows of one tenant only, with or without an index.
func TestVectorsUnderRowLevelSecurity(t *testing.T) {
	t.Parallel()
	v, c, g := opened(t, VectorOptions{IndexFrom: 100}), newCloud(4), cloudOf(4)
	c.fill(t, v, g, "ana", 100)
	c.fill(t, v, g, "ben", 150)
	mustBuild(t, v, 2)
	for tenant, want := range map[string]int{"ana": 100, "ben": 150, "cem": 0, allTenants: 250} {
		var rows, nearest int
		err := v.db.read(t.Context(), "test", tenant, func(b *pgx.Batch) {
			b.Queue("SELECT count(*) FROM trilith.vectors").QueryRow(func(row pgx.Row) error { return row.Scan(&rows) })
			b.Queue(v.settings(true))
			b.Queue("SELECT count(*) FROM (SELECT FROM trilith.vectors WHERE " + v.condition(1, "ben") + " ORDER BY " +
				v.expression(4) + " OPERATOR(" + v.schema + "<=>) '[1,0,0,0]' LIMIT 1000) AS m").
				QueryRow(func(row pgx.Row) error { return row.Scan(&nearest) })
		})
		if err != nil || rows != want || nearest != map[string]int{"ben": 150, allTenants: 150}[tenant] {
			t.Errorf("as %s: %d rows, %d by the index of ben, %v; want %d, and those of ben for ben alone", tenant,
				rows, nearest, err, want)
		}
	}
	err := v.db.in(t.Context(), "test", "ana", true, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE trilith.vectors SET tenant = 'ben' WHERE tenant = 'ana'")
		return err
	})
	if err == nil {
		t.Error("a tenant could give its vectors to another")
	}
}

// An index comes when a tenant has enough vectors, stays until it has half as many, and is whole.
func TestVectorsMaintain(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "vector")
	v, c, g := openedAt(t, url, VectorOptions{IndexFrom: 100}), newCloud(4), cloudOf(4)
	wide := trilith.Generation{Provider: "test", Model: "wide", Dims: maxIndexedDims + 1}
	c.fill(t, v, g, "ana", 99)
	c.fill(t, v, g, "ben", 99)
	ps := make([]role.Point, 100)
	for i := range ps {
		ps[i] = c.point("ana", i)
		ps[i].Vector = make(trilith.Vector, wide.Dims)
		ps[i].Vector[i] = 1
	}
	if err := v.Apply(t.Context(), wide, ps); err != nil {
		t.Fatalf("Apply(%d dimensions) = %v", wide.Dims, err)
	}
	if got, err := indextest.First(
		v.Search(t.Context(), trilith.Scope{Tenant: "ana"}, wide,
			role.VectorProbe{Vector: ps[7].Vector, K: 1})); err != nil || len(got) != 1 ||
		got[0].ID != ps[7].Facets.ID {
		t.Errorf("Search(%d dimensions) = %v, %v; want the eighth point", wide.Dims, got, err)
	}
	mustBuild(t, v, 0)
	c.fill(t, v, g, "ana", 100)
	mustBuild(t, v, 1)
	name := "vectors_hnsw_1" + v.suffix("ana")
	// as a build that was broken off leaves it
	run(t, v, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'trilith."+name+"'::regclass")
	mustBuild(t, v, 1)

	ids := make([]trilith.ID, 51)
	for i := range ids {
		ids[i] = trilith.DeriveID("cloud", fmt.Sprint(i))
	}
	ana := trilith.Scope{Tenant: "ana"}
	if err := v.Delete(t.Context(), ana, ids[:50]); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
	mustBuild(t, v, 1)
	if err := v.Delete(t.Context(), ana, ids); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
	mustBuild(t, v, 0)

	c.fill(t, v, g, "ana", 100)
	mustBuild(t, v, 1)
	mustBuild(t, openedAt(t, url, VectorOptions{Index: ivfflat, IndexFrom: 100}), 1)
	mustBuild(t, openedAt(t, url, VectorOptions{Index: exact}), 0)
}

// The maintenance in the background does it without being asked.
func TestVectorsMaintainThemselves(t *testing.T) {
	t.Parallel()
	v, c := opened(t, VectorOptions{IndexFrom: 50}), newCloud(4)
	c.fill(t, v, cloudOf(4), "ana", 50)
	q := vectorSearch{scope: trilith.Scope{Tenant: "ana"}}
	for near := false; !near; {
		var err error
		if near, err = v.plan(t.Context(), &q, cloudOf(4)); err != nil {
			t.Fatal(err)
		}
	}
}

// A turn is held for as long as a process lives, and building an index waits for the end of every snapshot that is
// older.
func TestTurnKeepsNoSnapshot(t *testing.T) {
	t.Parallel()
	v := opened(t, VectorOptions{})
	_, release, ok, err := v.turns.TryTurn(t.Context(), trilith.AsSystem("test"), "test")
	if err != nil || !ok {
		t.Fatalf("TryTurn() = %t, %v", ok, err)
	}
	defer release()
	var snapshots int
	err = v.db.pool.QueryRow(
		t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xmin IS NOT NULL").Scan(&snapshots)
	if err != nil || snapshots > 0 {
		t.Errorf("%d idle transactions keep a snapshot, %v; want none", snapshots, err)
	}
}

func TestVectorsExtension(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *Store {
		t.Helper()
		s, err := Open(t.Context(), Options{URL: pgtest.Database(t)})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	exec := func(t *testing.T, s *Store, statement string) {
		t.Helper()
		if _, err := s.pool.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	refused := func(t *testing.T, err error, fix string) {
		t.Helper()
		if trilith.KindOf(err) != trilith.Unsupported || !strings.Contains(err.Error(), fix) {
			t.Errorf("Vectors() = %v, want one of kind %s that says %q", err, trilith.Unsupported, fix)
		}
	}
	t.Run("made", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		for range 2 {
			v, err := s.Vectors(t.Context(), VectorOptions{})
			if err != nil {
				t.Fatalf("Vectors() = %v", err)
			}
			defer v.Close()
			newCloud(4).fill(t, v, cloudOf(4), "ana", 10)
		}
	})
	t.Run("not allowed", func(t *testing.T) {
		t.Parallel()
		err := pgx.BeginFunc(t.Context(), open(t).pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL ROLE "+appRole); err != nil {
				return err
			}
			_, err := makeExtension(t.Context(), tx)
			return err
		})
		refused(t, err, "CREATE EXTENSION vector")
	})
	t.Run("in a schema of its own", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		exec(t, s, `CREATE SCHEMA "Other"; CREATE EXTENSION vector SCHEMA "Other"`)
		_, err := s.Vectors(t.Context(), VectorOptions{})
		refused(t, err, `GRANT USAGE ON SCHEMA "Other" TO trilith_app`)
		exec(t, s, `GRANT USAGE ON SCHEMA "Other" TO trilith_app`)
		v, err := s.Vectors(t.Context(), VectorOptions{IndexFrom: 10})
		if err != nil {
			t.Fatalf("Vectors() = %v", err)
		}
		defer v.Close()
		c := newCloud(4)
		c.fill(t, v, cloudOf(4), "ana", 10)
		mustBuild(t, v, 1)
		if got, err := indextest.First(
			v.Search(t.Context(), trilith.Scope{Tenant: "ana"}, cloudOf(4),
				role.VectorProbe{Vector: c.draw(), K: 5})); err != nil || len(got) != 5 {
			t.Errorf("Search() = %v, %v; want five", got, err)
		}
	})
	t.Run("too old", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		exec(t, s, "CREATE EXTENSION vector; UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
		_, err := s.Vectors(t.Context(), VectorOptions{})
		refused(t, err, "ALTER EXTENSION vector UPDATE")
	})
	t.Run("options", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		for _, o := range []VectorOptions{{Index: "flat"}, {IndexFrom: -1}} {
			if _, err := s.Vectors(t.Context(), o); trilith.KindOf(err) != trilith.Invalid {
				t.Errorf("Vectors(%+v) = %v, want one of kind %s", o, err, trilith.Invalid)
			}
		}
	})
}

// Random operations on this index, with indexes for all tenants and without, and on the embedded one leave no
// difference.
func TestVectorsEqualEmbedded(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"exact": 0, "indexed": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var x role.VectorIndex = opened(t, VectorOptions{IndexFrom: from})
			if from > 0 {
				x = indexed{x.(*Vectors)}
			}
			ctx, sys := t.Context(), trilith.AsSystem("test")
			c := newCloud(8)
			var ps []role.Point
			for i := range 60 {
				p := c.point("", i)
				p.Facets.Seq, p.Facets.Scope.Session = i%4, fmt.Sprint("s", i%3)
				ps = append(ps, p)
			}
			rapid.Check(t, func(t *rapid.T) {
				ref := embedded.NewVector(nil)
				if err := x.Reset(ctx, sys); err != nil {
					t.Fatalf("Reset() = %v", err)
				}
				scope := func() trilith.Scope {
					return trilith.Scope{Tenant: rapid.SampledFrom([]string{"ana", "ben"}).Draw(t, "tenant")}
				}
				gen := func() trilith.Generation {
					g := cloudOf(8)
					g.Recipe = rapid.IntRange(1, 2).Draw(t, "recipe")
					return g
				}
				ids := func() (ids []trilith.ID) {
					for range rapid.IntRange(1, 5).Draw(t, "ids") {
						ids = append(ids, rapid.SampledFrom(ps).Draw(t, "id").Facets.ID)
					}
					return ids
				}
				same := func(what string, got, want any, err, refErr error) {
					t.Helper()
					if (err == nil) != (refErr == nil) {
						t.Fatalf("%s = %v, the reference says %v", what, err, refErr)
					}
					if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-5)); diff != "" {
						t.Fatalf("%s: -reference +got\n%s", what, diff)
					}
				}
				for range rapid.IntRange(1, 6).Draw(t, "operations") {
					switch rapid.IntRange(0, 9).Draw(t, "operation") {
					case 0:
						s, ids := scope(), ids()
						same("Delete", nil, nil, x.Delete(ctx, s, ids), ref.Delete(ctx, s, ids))
					case 1:
						g := gen()
						same("Drop", nil, nil, x.Drop(ctx, sys, g), ref.Drop(ctx, sys, g))
					default:
						g, some := gen(), rapid.SliceOfN(rapid.SampledFrom(ps), 1, 40).Draw(t, "points")
						for i := range some {
							some[i].Facets.Scope.Tenant = scope().Tenant
							some[i].Facets.Version = int64(rapid.IntRange(1, 3).Draw(t, "version"))
						}
						same("Apply", nil, nil, x.Apply(ctx, g, some), ref.Apply(ctx, g, some))
					}
				}
				for range 5 {
					s, g := scope(), gen()
					s.Session = rapid.SampledFrom([]string{"", "", "s1"}).Draw(t, "session")
					p := role.VectorProbe{Vector: rapid.SampledFrom(ps).Draw(t, "near").Vector,
						K: rapid.IntRange(1, role.ExactCandidates).Draw(t, "k")}
					p.Filter = rapid.SampledFrom(
						[]trilith.Filter{{}, trilith.Where("seq", trilith.OpEq, 1),
							trilith.Where("session", trilith.OpRegex, "[12]")}).Draw(t, "filter")
					if rapid.Bool().Draw(t, "by id") {
						p.IDs, p.K = ids(), 30
					}
					got, err := indextest.First(x.Search(ctx, s, g, p))
					want, refErr := indextest.First(ref.Search(ctx, s, g, p))
					same("Search", nil, nil, err, refErr)
					if diff := indextest.DiffFound(p, want, got); diff != "" {
						t.Fatalf("Search: -reference +got\n%s", diff)
					}
					stamps, err := x.Stamps(ctx, s, g, nil)
					all, refErr := ref.Stamps(ctx, s, g, nil)
					same("Stamps", stamps, all, err, refErr)
				}
			})
		})
	}
}
