package qdrant_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

var (
	acme  = trilith.Scope{Tenant: "acme"}
	plane = trilith.Generation{Provider: "test", Model: "names/with:odd*signs", Dims: 2, Recipe: 1}
	day   = time.Date(2025, 6, 30, 12, 0, 0, 0, time.UTC)
)

func at(degrees float64) trilith.Vector {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return trilith.Vector{float32(cos), float32(sin)}
}

func point(n int, v trilith.Vector) role.Point {
	return role.Point{Vector: v, At: day, Facets: trilith.Facets{ID: trilith.DeriveID("point", fmt.Sprint(n)), Version: 1,
		Kind: trilith.KindNote, State: trilith.StateActive, Scope: acme, EventTime: day, RecordedAt: day, Seq: n}}
}

func apply(t *testing.T, x role.VectorIndex, g trilith.Generation, ps ...role.Point) {
	t.Helper()
	if err := x.Apply(t.Context(), g, ps); err != nil {
		t.Fatalf("Apply = %v", err)
	}
}

func search(t *testing.T, x role.VectorIndex, p role.VectorProbe) []role.Candidate {
	t.Helper()
	found, err := indextest.First(x.Search(t.Context(), acme, plane, p))
	if err != nil {
		t.Fatalf("Search = %v", err)
	}
	return found
}

// bodies notes the requests of a kind.
type bodies struct {
	mu   sync.Mutex
	seen []map[string]any
}

// on notes every request whose path ends so.
func on(s *qdranttest.Server, end string) *bodies {
	b := new(bodies)
	s.Set(func(x *qdranttest.Switches) {
		x.OnRequest = func(method, path string, data []byte) {
			var body map[string]any
			if strings.HasSuffix(method+" "+path, end) && json.Unmarshal(data, &body) == nil {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.seen = append(b.seen, body)
			}
		}
	})
	return b
}

// TestManyTies: among more points with the same cosine than a request returns, those with the lowest ids are found.
func TestManyTies(t *testing.T) {
	t.Parallel()
	for name, strict := range map[string]map[string]any{"free": nil, "strict": strictest} {
		s := qdranttest.New()
		s.Set(func(x *qdranttest.Switches) { x.Shuffle, x.Strict = true, strict })
		x, _ := fresh(t, qdranttest.Start(t, s))
		var ps []role.Point
		var ids []trilith.ID
		for n := range 700 {
			ps = append(ps, point(n, at(30)))
			ids = append(ids, ps[n].Facets.ID)
		}
		apply(t, x, plane, ps...)
		slices.Sort(ids)
		var got []trilith.ID
		for _, c := range search(t, x, role.VectorProbe{Vector: at(0), K: 10}) {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, ids[:10]) {
			t.Errorf("%s: found %q, want %q", name, got, ids[:10])
		}
	}
}

// TestRareMatches: conditions that only this package can check are exact however few points pass, with or without a
// limit of the server.
func TestRareMatches(t *testing.T) {
	t.Parallel()
	for name, strict := range map[string]map[string]any{"free": nil, "strict": strictest} {
		s := qdranttest.New()
		s.Set(func(x *qdranttest.Switches) { x.Strict = strict })
		x, _ := fresh(t, qdranttest.Start(t, s))
		var ps []role.Point
		for n := range 600 {
			p := point(n, at(float64(n)/10))
			p.Facets.Title = fmt.Sprintf("title %d", n)
			ps = append(ps, p)
		}
		apply(t, x, plane, ps...)
		found := search(t, x, role.VectorProbe{Vector: at(0), K: 5,
			Filter: trilith.Where("title", trilith.OpRegex, "^title 5[0-9]9$")})
		if len(found) != 5 || found[0].ID != ps[509].Facets.ID {
			t.Errorf("%s: found %v, want five from %s on", name, found, ps[509].Facets.ID)
		}
	}
}

// TestRequests: a search's requests depend on how much is asked for, and a write waits for its effect and has a
// bounded size.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	x, _ := fresh(t, qdranttest.Start(t, s), func(o *qdrant.Options) { o.Quantize = "int8" })
	writes := on(s, "PUT /collections/"+x.CollectionOf(plane)+"/points")
	var ps []role.Point
	for n := range 600 {
		ps = append(ps, point(n, at(float64(n))))
	}
	ps[0].Facets.Version = 9
	apply(t, x, plane, ps...)
	var sizes []int
	for _, body := range writes.seen {
		sizes = append(sizes, len(body["points"].([]any)))
	}
	if !slices.Equal(sizes, []int{256, 256, 87, 1}) {
		t.Errorf("600 points, one of another version, are written in requests of %v", sizes)
	}
	queries := on(s, "/points/query")
	for _, c := range []struct {
		p       role.VectorProbe
		ef      float64
		exact   any
		rescore bool
	}{
		{role.VectorProbe{Vector: at(0), K: 5}, 128, nil, true},
		{role.VectorProbe{Vector: at(0), K: 100}, 400, nil, false},
		{role.VectorProbe{Vector: at(0), K: 100, IDs: []trilith.ID{ps[1].Facets.ID}}, 400, true, true},
	} {
		queries.seen = nil
		search(t, x, c.p)
		params, _ := queries.seen[0]["params"].(map[string]any)
		quantization, _ := params["quantization"].(map[string]any)
		if params["hnsw_ef"] != c.ef || params["exact"] != c.exact || quantization["rescore"] != c.rescore {
			t.Errorf("a search of %d, %d named: params %v", c.p.K, len(c.p.IDs), params)
		}
	}
}

// TestForeign: a collection of the generation's name that is not ours, or of another size, is refused by every call,
// and neither Drop nor Reset removes it.
func TestForeign(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	x, _ := fresh(t, qdranttest.Start(t, s))
	name := x.CollectionOf(plane)
	s.Create(name, 2)
	for what, err := range map[string]error{
		"Apply":    x.Apply(t.Context(), plane, []role.Point{point(1, at(0))}),
		"Announce": x.Announce(t.Context(), trilith.AsSystem("test"), plane),
	} {
		if trilith.KindOf(err) != trilith.Conflict || err == nil || !strings.Contains(err.Error(), "trilith import --format qdrant") {
			t.Errorf("%s on a foreign collection = %v, want a conflict that says what to do", what, err)
		}
	}
	if err := x.Drop(t.Context(), trilith.AsSystem("test"), plane); err != nil {
		t.Errorf("Drop = %v", err)
	}
	if err := x.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Errorf("Reset = %v", err)
	}
	if !slices.Contains(s.Names(), name) {
		t.Error("a foreign collection was removed")
	}
}

// TestFirstName: a collection that the program made under its first name is rebuilt; one of another base stays.
func TestFirstName(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	address := qdranttest.Start(t, s)
	x := open(t, address, "agent_memory")
	name := x.CollectionOf(plane)
	for made, base := range map[string]string{name: "agent_memory", "agent_memory_of_others": "agent_memory_of"} {
		body := strings.NewReader(fmt.Sprintf(
			`{"vectors": {"size": 7, "distance": "Cosine"}, "metadata": {"cairn": {"base": %q}}}`, base))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address+"/collections/"+made, body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("making a collection = %v, %v", answer, err)
		}
		answer.Body.Close()
	}
	if err := x.Connect(t.Context()); err != nil {
		t.Fatalf("Connect = %v", err)
	}
	apply(t, x, plane, point(1, at(10)))
	if found := search(t, x, role.VectorProbe{Vector: at(0), K: 5}); len(found) != 1 {
		t.Errorf("the index finds %v, want its point", found)
	}
	if !slices.Contains(s.Names(), "agent_memory_of_others") {
		t.Error("a collection of another base was removed")
	}
}

// TestOtherBases: an index whose base begins another's name leaves the other alone.
func TestOtherBases(t *testing.T) {
	t.Parallel()
	address := qdranttest.Start(t, qdranttest.New())
	short, long := open(t, address, "base"), open(t, address, "base_more")
	apply(t, short, plane, point(1, at(10)))
	apply(t, long, plane, point(1, at(20)), point(2, at(30)))
	if err := short.Delete(t.Context(), acme, []trilith.ID{point(1, nil).Facets.ID}); err != nil {
		t.Fatal(err)
	}
	if err := short.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	if found := search(t, long, role.VectorProbe{Vector: at(0), K: 5}); len(found) != 2 {
		t.Errorf("the other index finds %v, want both of its points", found)
	}
}

// TestNumbersBeyondJSON: an amount that is no number, or an infinite one, is stored and compared as in other stores.
func TestNumbersBeyondJSON(t *testing.T) {
	t.Parallel()
	x, _ := fresh(t, qdranttest.Start(t, qdranttest.New()))
	for n, amount := range []string{"NaN", "Inf", "-Inf", "7"} {
		p := point(n, at(float64(n)))
		p.Facets.Kind, p.Facets.Fact = trilith.KindFact, &trilith.Fact{Financial: &trilith.Financial{Amount: amount}}
		apply(t, x, plane, p)
	}
	for _, c := range []struct {
		f    trilith.Filter
		want []int
	}{
		{trilith.Where("financial_amount", trilith.OpGt, 1), []int{1, 3}},
		{trilith.Where("financial_amount", trilith.OpLt, 1), []int{2}},
		{trilith.Where("financial_amount", trilith.OpEq, nil), nil},
		{trilith.Where("financial_amount", trilith.OpEq, math.Inf(1)), []int{1}},
		{trilith.Where("financial_amount", trilith.OpNe, 7), []int{0, 1, 2}},
	} {
		var got []int
		for _, found := range search(t, x, role.VectorProbe{Vector: at(0), K: 9, Filter: c.f}) {
			for n := range 4 {
				if found.ID == point(n, nil).Facets.ID {
					got = append(got, n)
				}
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("Search(%+v) finds %v, want %v", c.f, got, c.want)
		}
	}
}

// TestCollectionLost: a collection that somebody removes is empty until it is written to, and then there again.
func TestCollectionLost(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	address := qdranttest.Start(t, s)
	name := base()
	x, other := open(t, address, name), open(t, address, name)
	apply(t, x, plane, point(1, at(10)))
	if err := other.Drop(t.Context(), trilith.AsSystem("test"), plane); err != nil {
		t.Fatal(err)
	}
	if found := search(t, x, role.VectorProbe{Vector: at(0), K: 5}); len(found) != 0 {
		t.Errorf("a lost collection holds %v", found)
	}
	if err := x.Delete(t.Context(), acme, []trilith.ID{point(1, nil).Facets.ID}); err != nil {
		t.Errorf("Delete = %v", err)
	}
	apply(t, x, plane, point(2, at(20)))
	if found := search(t, x, role.VectorProbe{Vector: at(0), K: 5}); len(found) != 1 {
		t.Errorf("a collection that was made again holds %v, want one point", found)
	}
}

// TestIndexed: a server that still indexes what it was sent says so.
func TestIndexed(t *testing.T) {
	t.Parallel()
	s := qdranttest.New()
	x := open(t, qdranttest.Start(t, s), "indexed")
	apply(t, x, plane, point(1, at(0)))
	for _, busy := range []bool{true, false} {
		s.Set(func(x *qdranttest.Switches) { x.Indexing = busy })
		if done, err := x.Indexed(t.Context()); done == busy || err != nil {
			t.Errorf("Indexed of a server that indexes (%v) = %v, %v", busy, done, err)
		}
	}
}
