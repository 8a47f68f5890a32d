package postgres

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// A tenant of many vectors takes minutes to build, so it is measured only on request.
var (
	manyVectors = flag.Int("vectors", 0, "BenchmarkVectorsRecall: also a tenant of so many vectors")
	vectorDims  = flag.Int("dims", 96, "BenchmarkVectorsRecall: dimensions")
)

// cloud draws unit vectors as embeddings lie: in many overlapping clusters, with few directions that tell more than
// others.
type cloud struct {
	*rand.Rand
	centres [][]float64
}

func newCloud(dims int) *cloud {
	c := &cloud{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 200 {
		c.centres = append(c.centres, c.around(make([]float64, dims), 1))
	}
	return c
}

func (c *cloud) around(centre []float64, spread float64) []float64 {
	out := slices.Clone(centre)
	for i := range out {
		out[i] += c.NormFloat64() * spread / math.Sqrt(1+float64(i)/8)
	}
	return out
}

func (c *cloud) draw() trilith.Vector {
	x := c.around(c.centres[c.IntN(len(c.centres))], 0.6)
	var sum float64
	for _, x := range x {
		sum += x * x
	}
	v := make(trilith.Vector, len(x))
	for i, x := range x {
		v[i] = float32(x / math.Sqrt(sum))
	}
	return v
}

// cloudPoint is the n-th point of a tenant: of a thousand that follow each other, every one has another seq, and so has
// every user of a thousand.
func (c *cloud) point(tenant string, n int) role.Point {
	at := time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)
	return role.Point{Facets: trilith.Facets{ID: trilith.DeriveID("cloud", fmt.Sprint(n)), Version: 1,
		Kind: trilith.KindEpisode, State: trilith.StateActive,
		Scope: trilith.Scope{Tenant: tenant, User: fmt.Sprint("user-", c.IntN(1000)),
			Session: fmt.Sprint("session-", n/20)}, Role: trilith.RoleUser, Speaker: "Ana", Trust: trilith.TrustUserStated,
		Seq: c.IntN(1000), EventTime: at, RecordedAt: at, Metadata: map[string]any{"source": "import"}},
		Vector: c.draw(), At: at}
}

func (c *cloud) fill(tb testing.TB, v *Vectors, g trilith.Generation, tenant string, n int) {
	tb.Helper()
	for from := 0; from < n; from += 1000 {
		var ps []role.Point
		for i := from; i < min(n, from+1000); i++ {
			ps = append(ps, c.point(tenant, i))
		}
		if err := v.Apply(tb.Context(), g, ps); err != nil {
			tb.Fatalf("Apply() = %v", err)
		}
	}
}

func cloudOf(dims int) trilith.Generation {
	return trilith.Generation{Provider: "test", Model: "cloud", Dims: dims, Recipe: 1}
}

func BenchmarkVectorsApply(b *testing.B) {
	const points = 1000
	for _, dims := range []int{384, 1024} {
		b.Run(fmt.Sprintf("%dx%d", points, dims), func(b *testing.B) {
			v, c := opened(b, VectorOptions{Index: exact}), newCloud(dims)
			var ps []role.Point
			for i := range points {
				ps = append(ps, c.point("ana", i))
			}
			n := 0
			for b.Loop() {
				for i := range ps {
					ps[i].Facets.ID = trilith.DeriveID("cloud", fmt.Sprint(n, i))
				}
				n++
				if err := v.Apply(b.Context(), cloudOf(dims), ps); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(points*b.N)/b.Elapsed().Seconds(), "vectors/s")
		})
	}
}

// BenchmarkVectorsRecall searches tenants of several sizes through filters that accept more or less of them, and tells
// how long it takes and how many of the truly nearest are found: by this index and by what one would write first, a
// table with an HNSW index and the tenant in the WHERE clause.
func BenchmarkVectorsRecall(b *testing.B) {
	const k, queries = 100, 20
	dims := *vectorDims
	g, c := cloudOf(dims), newCloud(dims)
	url := pgtest.Database(b, "vector")
	v := openedAt(b, url, VectorOptions{IndexFrom: 10_000})
	truth := openedAt(b, url, VectorOptions{Index: exact, IndexFrom: math.MaxInt32})
	sizes := []int{100, 10_000}
	if *manyVectors > 0 {
		sizes = append(sizes, *manyVectors)
	}
	tenant := func(n int) string { return fmt.Sprint("t", n) }
	for _, n := range sizes {
		c.fill(b, truth, g, tenant(n), n) // which builds nothing meanwhile
	}
	took := func(f func() error) time.Duration {
		from := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		return time.Since(from)
	}
	build := took(func() error { return built(b.Context(), v, len(sizes)-1) })
	var plain time.Duration
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range []string{
		fmt.Sprintf("CREATE TABLE plain (tenant text, id text, user_id text, seq int, v vector(%d))", dims),
		"INSERT INTO plain SELECT tenant, id, user_id, seq, v FROM trilith.vectors",
		"CREATE INDEX plain_v ON plain USING hnsw (v vector_cosine_ops)", "CREATE INDEX ON plain (tenant)",
		"VACUUM ANALYZE plain", "VACUUM ANALYZE trilith.vectors"} {
		plain += took(func() error { _, err := conn.Exec(b.Context(), statement); return err })
	}
	var table strings.Builder
	row := func(cells ...any) { fmt.Fprintf(&table, strings.Repeat("| %v ", len(cells))+"|\n", cells...) }
	fmt.Fprintf(&table, "\n%d dimensions, K %d; indexes built in %.1fs, the plain one in %.1fs\n\n", dims, k,
		build.Seconds(), plain.Seconds())
	var rows pgx.Rows
	rows, err = conn.Query(b.Context(),
		"SELECT relname, reltuples::bigint, pg_size_pretty(pg_relation_size(oid)) FROM pg_class WHERE relname LIKE 'vectors%' OR relname LIKE 'plain%' ORDER BY 1")
	if err != nil {
		b.Fatal(err)
	}
	if err := collect(rows, func(rows pgx.Rows) error {
		values, err := rows.Values()
		row(values...)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	row("tenant", "filter", "recall", "rows", "p50", "max", "all looked at: p50", "plain SQL: recall", "rows", "p50")
	row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, n := range sizes {
		for _, share := range []float64{0.1, 1, 10, 50, 100, -0.1} {
			s, probe := trilith.Scope{Tenant: tenant(n)}, role.VectorProbe{K: k}
			name, condition := fmt.Sprintf("%v %%", share), fmt.Sprintf("seq < %v", share*10)
			switch {
			case share < 0:
				s.User, name, condition = "user-7", "a user", "user_id = 'user-7'"
			case share < 100:
				probe.Filter = trilith.Where("seq", trilith.OpLt, share*10)
			}
			var mine, all, theirs sample
			for range queries {
				probe.Vector = c.draw()
				want := all.ask(b, truth, s, g, probe, nil)
				mine.ask(b, v, s, g, probe, want)
				theirs.took(b, func() (ids []trilith.ID, err error) {
					rows, err := conn.Query(b.Context(), "SELECT id FROM plain WHERE tenant = $1 AND "+condition+
						" ORDER BY v <=> $2::real[]::vector LIMIT $3", s.Tenant, []float32(probe.Vector), k)
					if err != nil {
						return nil, err
					}
					return pgx.CollectRows(rows, pgx.RowTo[trilith.ID])
				}, want)
			}
			row(n, name, mine.recall(), mine.rows, mine.p50(), slices.Max(mine.times).Round(100*time.Microsecond),
				all.p50(), theirs.recall(), theirs.rows, theirs.p50())
		}
	}
	fmt.Println(table.String()) // the log of a benchmark is cut
	for b.Loop() {              // what a serving process asks most
		if _, err := v.Search(b.Context(), trilith.Scope{Tenant: tenant(sizes[len(sizes)-1])}, g,
			role.VectorProbe{K: k, Vector: c.centre()}); err != nil {
			b.Fatal(err)
		}
	}
}

// centre is a vector that is the same each time.
func (c *cloud) centre() trilith.Vector {
	v := make(trilith.Vector, len(c.centres[0]))
	v[0] = 1
	return v
}

// sample gathers what searches found and how long they took.
type sample struct {
	times             []time.Duration
	rows, hits, wants int
}

func (s *sample) ask(b *testing.B, v *Vectors, scope trilith.Scope, g trilith.Generation, p role.VectorProbe,
	want []trilith.ID) []trilith.ID {
	b.Helper()
	return s.took(b, func() (ids []trilith.ID, err error) {
		found, err := indextest.First(v.Search(b.Context(), scope, g, p))
		for _, c := range found {
			ids = append(ids, c.ID)
		}
		return ids, err
	}, want)
}

func (s *sample) took(b *testing.B, f func() ([]trilith.ID, error), want []trilith.ID) []trilith.ID {
	b.Helper()
	from := time.Now()
	ids, err := f()
	if err != nil {
		b.Fatal(err)
	}
	s.times = append(s.times, time.Since(from))
	s.rows, s.wants = s.rows+len(ids), s.wants+len(want)
	for _, id := range ids {
		if slices.Contains(want, id) {
			s.hits++
		}
	}
	return ids
}

func (s *sample) recall() string {
	if s.wants == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", float64(s.hits)/float64(s.wants))
}

func (s *sample) p50() time.Duration {
	slices.Sort(s.times)
	return s.times[len(s.times)/2].Round(100 * time.Microsecond)
}

func BenchmarkVectors(b *testing.B) {
	indextest.BenchVector(b,
		indextest.VectorHarness{
			New: func(tb testing.TB) role.VectorIndex { return opened(tb, VectorOptions{Index: exact}) }})
}
