package hashembed_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
)

func open(tb testing.TB, dims int) *hashembed.Embedder {
	tb.Helper()
	e, err := hashembed.New(dims)
	if err != nil {
		tb.Fatalf("New(%d) = %v", dims, err)
	}
	return e
}

func TestEmbedder(t *testing.T) {
	for _, dims := range []int{1, 3, 64, hashembed.MaxDims} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, embedtest.Harness{New: func(tb testing.TB) role.Embedder { return open(tb, dims) }})
		})
	}
}

func BenchmarkEmbed(b *testing.B) {
	embedtest.Bench(b, embedtest.Harness{New: func(tb testing.TB) role.Embedder { return open(tb, 256) }})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, dims := range []int{-1, 0, hashembed.MaxDims + 1} {
		if _, err := hashembed.New(dims); err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("New(%d) = %v, want kind %s", dims, err, trilith.Invalid)
		}
	}
}

func TestCosineIsTheShareOfWords(t *testing.T) {
	t.Parallel()
	e := open(t, 4096)
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"red apple", "red apple", 1},
		{"red apple", "Apple, RED!", 1},
		{"über café", "UBER Cafe", 1},
		{"red apple", "red pear", 0.5},
		{"one two three four", "one two five six", 0.5},
		{"one two three four", "one", 0.5}, // 1/√(4·1)
		{"red apple", "green pear", 0},
		{"marry", "married", 0},
	} {
		vs, err := e.Embed(t.Context(), role.ForDocument, []string{c.a, c.b})
		if err != nil {
			t.Fatalf("Embed(%q, %q) = %v", c.a, c.b, err)
		}
		var got float64
		for i := range vs[0].Vector {
			got += float64(vs[0].Vector[i]) * float64(vs[1].Vector[i])
		}
		if math.Abs(got-c.want) > 0.08 {
			t.Errorf("cosine of %q and %q = %.3f, want about %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestWordlessIsNil(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "?!", "🙂"} {
		vs, err := open(t, 8).Embed(t.Context(), role.ForDocument, []string{text})
		if err != nil || vs[0].Vector != nil {
			t.Errorf("Embed(%q) = %v, %v, want nil", text, vs, err)
		}
	}
}
