package embedded

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
)

// unitVector is a random one.
func unitVector(r *rand.Rand, dims int) cairn.Vector {
	v := make(cairn.Vector, dims)
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

func TestAShortVectorTakesHalfTheBytesAndKeepsItsCosines(t *testing.T) {
	t.Parallel()
	const dims = 384
	r := rand.New(rand.NewPCG(1, 2))
	var most float64
	for range 200 {
		p := fullRowPoint()
		p.Vector = unitVector(r, dims)
		row, err := encodeRow(&p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pointOf("ana", "i", dims, row)
		if err != nil {
			t.Fatal(err)
		}
		q := unitVector(r, dims)
		var want, have float64
		for i := range q {
			want += float64(q[i]) * float64(p.Vector[i])
			have += float64(q[i]) * float64(got.Vector[i])
		}
		most = max(most, math.Abs(want-have))
		kept := asKept([]cairn.Point{p})[0].Vector
		if diff := cmp.Diff(kept, got.Vector); diff != "" {
			t.Fatalf("asKept differs from what is read: -kept +read\n%s", diff)
		}
		again := got
		if diff := cmp.Diff(got.Vector, asKept([]cairn.Point{again})[0].Vector); diff != "" {
			t.Fatalf("a vector that was read is kept as another one: -first +second\n%s", diff)
		}
		if whole := len(row) - 2*dims; whole > 300 {
			t.Fatalf("the row has %d bytes beside the %d of its components", whole, 2*dims)
		}
	}
	if most > .00002 {
		t.Errorf("a cosine differs by %.7f, want 0.00002 at most", most)
	}
}

// One component far above the others would take the precision of all.
func TestAVectorWhoseShortFormIsFarAwayIsKeptWhole(t *testing.T) {
	t.Parallel()
	v := make(cairn.Vector, 4096)
	v[0] = .99
	rest := float32(math.Sqrt((1 - .99*.99) / 4095))
	for i := range v[1:] {
		v[i+1] = rest * (1 + float32(i%3-1)*.1)
	}
	if step := stepOf(v); step != 0 {
		t.Errorf("stepOf = %g, want 0: it is kept whole", step)
	}
	for _, v := range []cairn.Vector{nil, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {.6, .8}} {
		if step := stepOf(v); step != 0 {
			t.Errorf("stepOf(%v) = %g, want 0", v, step)
		}
	}
}

func TestShortTextsAreLengthened(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "user-1", "episode", "\x00", "\x01\x02", "\x02x", "é",
		"01a214e0-9a15-7a7e-9730-abacfc2cef4e", "01A214E0-9A15-7A7E-9730-ABACFC2CEF4E",
		"01a214e0_9a15-7a7e-9730-abacfc2cef4e", "{1a214e0-9a15-7a7e-9730-abacfc2cef4}"} {
		if got, ok := lengthened(shorten(s)); got != s || !ok {
			t.Errorf("lengthened(shorten(%q)) = %q, %t", s, got, ok)
		}
	}
	for _, s := range []string{"\x00", "\x00\xff", "\x00\x00\x00", "\x01short"} {
		if got, ok := lengthened(s); ok {
			t.Errorf("lengthened(%q) = %q, want a failure", s, got)
		}
	}
	if got := len(shorten("01a214e0-9a15-7a7e-9730-abacfc2cef4e")); got != 17 {
		t.Errorf("an id takes %d bytes, want 17", got)
	}
}
