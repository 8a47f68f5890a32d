package embedded

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// unitVector is a random one.
func unitVector(r *rand.Rand, dims int) trilith.Vector {
	v := make(trilith.Vector, dims)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func TestAVectorInPairsTakesTwoFifthsOfTheBytesAndKeepsItsCosines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{256, 383, 384, 768, 1024} {
		var most float64
		for range 200 {
			p := fullRowPoint()
			p.Vector = unitVector(r, dims)
			row, err := encodeRow(&p)
			if err != nil {
				t.Fatal(err)
			}
			if row[0] != rowPairs {
				t.Fatalf("a vector of %d dimensions has a row of format %d, want pairs", dims, row[0])
			}
			got, err := pointOf("ana", "i", dims, row)
			if err != nil {
				t.Fatal(err)
			}
			if !got.At.Equal(p.At) || got.Facets.Version != p.Facets.Version {
				t.Fatalf("a row of version %d at %v is read as one of %d at %v", p.Facets.Version, p.At,
					got.Facets.Version, got.At)
			}
			q := unitVector(r, dims)
			most = max(most, math.Abs(dot(q, p.Vector)-dot(q, got.Vector)))
			if diff := cmp.Diff(asKept([]role.Point{p})[0].Vector, got.Vector); diff != "" {
				t.Fatalf("asKept differs from what is read: -kept +read\n%s", diff)
			}
			if diff := cmp.Diff(got.Vector, asKept([]role.Point{got})[0].Vector); diff != "" {
				t.Fatalf("a vector that was read is kept as another one: -first +second\n%s", diff)
			}
			if rest, vector := len(row)-(dims+1)/2*25/8, (dims+1)/2*25/8; rest > 260 {
				t.Fatalf("the row has %d bytes beside the %d of its components", rest, vector)
			}
		}
		if most > .0002 {
			t.Errorf("a cosine of %d dimensions differs by %.7f, want 0.0002 at most", dims, most)
		}
	}
}

func dot(a, b trilith.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// One component far above the others would cost all others their precision. If pairs would change a vector too much, it
// is stored in full. In either format, rounding a rounded vector changes nothing.
func TestAVectorIsNotRoundedFar(t *testing.T) {
	t.Parallel()
	peaked := func(dims int, peak float64) trilith.Vector {
		v := make(trilith.Vector, dims)
		v[0] = float32(peak)
		rest := float32(math.Sqrt((1 - peak*peak) / float64(dims-1)))
		for i := range v[1:] {
			v[i+1] = rest * (1 + float32(i%3-1)*.1)
		}
		return v
	}
	for _, c := range []struct {
		v     trilith.Vector
		pairs bool
	}{
		{peaked(384, .15), true}, {peaked(384, .5), false}, {peaked(4096, .99), false},
		{nil, false}, {trilith.Vector{0, 0, 0, 0, 0, 0, 0, 0, 0}, false}, {trilith.Vector{.6, .8}, false},
	} {
		v, step := rounded(c.v)
		if step != 0 != c.pairs {
			t.Errorf("rounded(%.4v of %d) = step %g, want pairs: %t", c.v[:min(len(c.v), 2)], len(c.v), step, c.pairs)
		}
		if again, s := rounded(v); s != step || !slices.Equal(again, v) {
			t.Errorf("what was rounded with step %g is rounded again, with step %g", step, s)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 { // between the formats, too
		v := peaked(300+r.IntN(200), .1+.3*r.Float64())
		v, step := rounded(v)
		if again, s := rounded(v); s != step || !slices.Equal(again, v) {
			t.Fatalf("what was rounded with step %g is rounded again, with step %g", step, s)
		}
	}
}

var oddTexts = []string{"", "user-1", "episode", "\x00", "\x01\x02", "\x02x", "é", "tool_output",
	"01a214e0-9a15-7a7e-9730-abacfc2cef4e", "01A214E0-9A15-7A7E-9730-ABACFC2CEF4E",
	"01a214e0_9a15-7a7e-9730-abacfc2cef4e", "{1a214e0-9a15-7a7e-9730-abacfc2cef4}", strings.Repeat("long", 100)}

func TestTextsOfFacetsAreRead(t *testing.T) {
	t.Parallel()
	for i := range oddTexts {
		var want trilith.Facets
		for j, text := range facetTexts(&want) {
			*text = oddTexts[(i+j)%len(oddTexts)]
		}
		b, err := appendFacets(nil, &want)
		if err != nil {
			t.Fatal(err)
		}
		var got trilith.Facets
		r := packed.Read(string(b))
		readFacets(r, &got)
		if diff := cmp.Diff(want, got); r.Failed() || r.Rest() != "" || diff != "" {
			t.Errorf("failed %t, left %q: -want +got\n%s", r.Failed(), r.Rest(), diff)
		}
	}
	turn := trilith.Facets{Scope: trilith.Scope{User: "user-1", Session: "session-1"}, Kind: trilith.KindEpisode,
		Role: trilith.RoleUser, State: trilith.StateActive, SourceID: "01a214e0-9a15-7a7e-9730-abacfc2cef4e"}
	if b, err := appendFacets(nil, &turn); err != nil || len(b) > 65 {
		t.Errorf("facets of a turn take %d bytes, %v; want 65 at most", len(b), err)
	}
	for _, bad := range []string{"\x01\x3f", "\x01\x40short", "\x01\x41", "\x01\x7ftext",
		"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		var got trilith.Facets
		r := packed.Read(bad)
		if readFacets(r, &got); !r.Failed() {
			t.Errorf("facets of %q are read as %+v, want a failure", bad, got)
		}
	}
}
