package embedded_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

var large = flag.Bool("large", false, "measure a million vectors too")

// dims are those of small models for texts.
const dims = 384

var wide = trilith.Generation{Provider: "test", Model: "wide", Dims: dims, Recipe: 1}

// clustered draws unit vectors as models make them: around centres, and with components of falling variance.
type clustered struct {
	r       *rand.Rand
	centres [][]float32
}

func newClustered(seed uint64) *clustered {
	c := &clustered{r: rand.New(rand.NewPCG(seed, 1))}
	for range 500 {
		c.centres = append(c.centres, c.normal(1))
	}
	return c
}

func (c *clustered) normal(scale float64) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(scale * c.r.NormFloat64() / math.Sqrt(float64(i+5)))
	}
	return v
}

func (c *clustered) vector() trilith.Vector {
	v := c.normal(0.7)
	var sum float64
	for i, x := range c.centres[c.r.IntN(len(c.centres))] {
		v[i] += x
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// point is the i-th of many: of a hundred users one has a hundredth, a tenth is of one project, and twenty facts
// are about each entity.
func (c *clustered) point(i int) role.Point {
	id := trilith.DeriveID(fmt.Sprint(i))
	f := trilith.Facets{ID: id, Version: 1, Kind: trilith.KindEpisode, Role: trilith.RoleUser, State: trilith.StateActive,
		Trust: trilith.TrustUserStated,
		Scope: trilith.Scope{Tenant: "ana", Project: fmt.Sprint("p", i%10), User: fmt.Sprint("u", i/20%100),
			Session: fmt.Sprint("s", i/20)},
		Speaker: fmt.Sprint("Speaker ", i%7), Seq: i % 20, SourceID: trilith.DeriveID("source", fmt.Sprint(i/20)),
		EventTime: day, RecordedAt: day.Add(time.Second)}
	if i%3 == 1 {
		f.Role = trilith.RoleAssistant
	}
	if i%10 == 0 {
		f.Kind, f.Role, f.Fact = trilith.KindFact, "",
			&trilith.Fact{EntityID: trilith.DeriveID("entity", fmt.Sprint(i/200)), Verb: "likes", FactID: "Thing:Cake",
				Node: trilith.Node{Type: "Thing", Name: "Cake"}, Evidence: []trilith.Evidence{{EpisodeID: id}}}
	}
	return role.Point{Facets: f, Vector: c.vector(), At: day}
}

// stored returns a file that holds n points, kept.
func stored(b *testing.B, n int) *sqlite.Store {
	b.Helper()
	file, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(b.TempDir(), "trilith.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	x, c := embedded.NewVector(file), newClustered(1)
	for i := 0; i < n; {
		var ps []role.Point
		for ; i < n && len(ps) < 5000; i++ {
			ps = append(ps, c.point(i))
		}
		if err := x.Apply(b.Context(), wide, ps); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	if err := x.SaveSnapshot(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("kept %d vectors in %v", n, time.Since(start).Round(time.Millisecond))
	return file
}

// held is the memory in use, without what is garbage.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

func sizes() []int {
	if *large {
		return []int{100_000, 1_000_000}
	}
	return []int{100_000}
}

// BenchmarkVectorFile opens an index over a file, and searches it.
func BenchmarkVectorFile(b *testing.B) {
	for _, n := range sizes() {
		file := stored(b, n)
		q := newClustered(2)
		search := func(b *testing.B, x *embedded.Vector, p role.VectorProbe, s trilith.Scope) {
			b.Helper()
			s.Tenant = "ana"
			if p.Vector == nil {
				p.Vector = q.vector()
			}
			p.K = 10
			if found, err := indextest.First(x.Search(b.Context(), s, wide, p)); err != nil || len(found) != p.K {
				b.Fatalf("Search = %d candidates, %v", len(found), err)
			}
		}
		b.Run(fmt.Sprintf("open_%d", n), func(b *testing.B) {
			before := held()
			var x *embedded.Vector
			for b.Loop() {
				x = embedded.NewVector(file)
				search(b, x, role.VectorProbe{}, trilith.Scope{})
			}
			b.ReportMetric(float64(held()-before)/float64(n), "B/vector")
			runtime.KeepAlive(x)
		})
		x := embedded.NewVector(file)
		for _, c := range []struct {
			name   string
			scope  trilith.Scope
			filter trilith.Filter
		}{
			{"all", trilith.Scope{}, trilith.Filter{}},
			{"kind_active", trilith.Scope{},
				trilith.AllOf(trilith.Where("kind", trilith.OpNe, trilith.KindFact),
					trilith.Where("state", trilith.OpEq, trilith.StateActive))},
			{"tenth", trilith.Scope{Project: "p3"}, trilith.Filter{}},
			{"hundredth", trilith.Scope{User: "u7"}, trilith.Filter{}},
			{"entity", trilith.Scope{}, trilith.AllOf(trilith.Where("entity_id", trilith.OpEq, trilith.DeriveID("entity", "77")),
				trilith.Where("kind", trilith.OpEq, trilith.KindFact))},
			{"session", trilith.Scope{User: "u7", Session: "s107"}, trilith.Filter{}},
		} {
			b.Run(fmt.Sprintf("search_%s_%d", c.name, n), func(b *testing.B) {
				search(b, x, role.VectorProbe{Filter: c.filter}, c.scope)
				b.ReportAllocs()
				probe := q.vector()
				for b.Loop() {
					search(b, x, role.VectorProbe{Filter: c.filter, Vector: probe}, c.scope)
				}
			})
		}
		ask := func(name string, ps []role.VectorProbe) {
			b.Run(fmt.Sprintf("%s_%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if found, err := x.Search(b.Context(), trilith.Scope{Tenant: "ana"}, wide, ps...); err != nil ||
						len(found) != len(ps) {
						b.Fatalf("Search = %d answers, %v", len(found), err)
					}
				}
			})
		}
		v := q.vector()
		ask("recall", recallProbes(v))
		ask("measure", measureProbes(rand.New(rand.NewPCG(4, 4)), v, n))
	}
}

// recallProbes are what a recall asks of vectors: the three parts of a memory, side by side.
func recallProbes(v trilith.Vector) (ps []role.VectorProbe) {
	active := trilith.Where("state", trilith.OpEq, trilith.StateActive)
	for _, f := range []trilith.Filter{
		trilith.AllOf(trilith.Where("kind", trilith.OpNe, trilith.KindFact),
			trilith.Where("role", trilith.OpNe, trilith.RoleAssistant), active),
		trilith.AllOf(trilith.Where("kind", trilith.OpNe, trilith.KindFact),
			trilith.Where("role", trilith.OpEq, trilith.RoleAssistant), active),
		trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindFact), active),
	} {
		ps = append(ps, role.VectorProbe{Vector: v, Filter: f, K: 100})
	}
	return ps
}

// measureProbes are what a recall asks after that: how near two hundred are that words have found of so many.
func measureProbes(r *rand.Rand, v trilith.Vector, n int) (ps []role.VectorProbe) {
	for _, p := range recallProbes(v) {
		ids := make([]trilith.ID, 70)
		for i := range ids {
			ids[i] = trilith.DeriveID(fmt.Sprint(r.IntN(n)))
		}
		ps = append(ps, role.VectorProbe{Vector: v, Filter: p.Filter, IDs: ids, K: len(ids)})
	}
	return ps
}

// BenchmarkFullRows_100000 reads the rows that a search ends with.
func BenchmarkFullRows_100000(b *testing.B) {
	file := stored(b, 100_000)
	r := rand.New(rand.NewPCG(3, 3))
	for b.Loop() {
		ids := make([]string, 40)
		for i := range ids {
			ids[i] = string(trilith.DeriveID(fmt.Sprint(2500*i + r.IntN(2500))))
		}
		n := 0
		if err := file.BlobsOf(b.Context(), "vec:"+wide.Key(), "ana", ids,
			func(string, []byte) error { n++; return nil }); err != nil || n != len(ids) {
			b.Fatalf("BlobsOf = %d rows, %v", n, err)
		}
	}
}
