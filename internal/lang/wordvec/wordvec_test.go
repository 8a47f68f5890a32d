package wordvec_test

import (
	"math"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/wordvec"
)

func cosine(t *testing.T, a, b string) (sum float64) {
	t.Helper()
	u, v := wordvec.Embed(a), wordvec.Embed(b)
	if u == nil || v == nil {
		t.Fatalf("Embed(%q) or Embed(%q) = nil, want vectors", a, b)
	}
	for i := range u {
		sum += float64(u[i]) * float64(v[i])
	}
	return sum
}

// A text is found although it has no word of the question.
func TestNearestByMeaning(t *testing.T) {
	t.Parallel()
	memories := []string{"She enjoys hiking", "My dog is called Max", "He works as a nurse", "I love Thai food",
		"We bought a house", "The guitar needs new strings"}
	for question, want := range map[string]string{
		"outdoor activities": "She enjoys hiking", "pets": "My dog is called Max",
		"what is her job?":    "He works as a nurse",
		"what should I cook?": "I love Thai food", "musical instruments": "The guitar needs new strings",
	} {
		best := slices.MaxFunc(memories, func(a, b string) int {
			return int(math.Copysign(1, cosine(t, question, a)-cosine(t, question, b)))
		})
		if best != want {
			t.Errorf("nearest to %q = %q, want %q", question, best, want)
		}
	}
}

func TestEmbedIsUnit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"dog", "dogs and cats", "the DOG, the dog; the dog's", "I don’t like naïve cafés"} {
		v := wordvec.Embed(text)
		if len(v) != wordvec.Dims {
			t.Fatalf("Embed(%q) has %d dimensions, want %d", text, len(v), wordvec.Dims)
		}
		var square float64
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		if math.Abs(square-1) > 1e-5 {
			t.Errorf("Embed(%q) is %v long, want 1", text, math.Sqrt(square))
		}
	}
}

// A text that says nothing to the table gets no vector, so that nothing is found by it.
func TestUnknownIsNil(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "?!", "the and of", "2024", "3com", "会議は明日です", "совещание", "xqzvkw",
		"\xff\xfe", "d\u04e9g"} {
		if v := wordvec.Embed(text); v != nil {
			t.Errorf("Embed(%q) = a vector, want nil", text)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                            nil,
		"Ana's dog, isn't it?":        {"ana", "dog", "isnt", "it"},
		"the dogs' Café—naïve":        {"the", "dogs", "cafe", "naive"},
		"covid19 2nd 7 x'":            {"covid19", "x"},
		"d\u04e9g dog Straße ﬁn 会議 a": {"dog", "strasse", "fin", "a"},
	} {
		var got []string
		words := wordvec.Scan(text)
		for w := words.Next(); w != nil; w = words.Next() {
			got = append(got, string(w))
		}
		if !slices.Equal(got, want) {
			t.Errorf("words of %q = %q, want %q", text, got, want)
		}
	}
}

// Words that the table lacks count as those that they are made of.
func TestDerivedWords(t *testing.T) {
	t.Parallel()
	for derived, base := range map[string]string{"petlike": "pet", "guitarless": "guitar", "dancelike": "dance",
		"funniness": "funny"} {
		if got := cosine(t, derived, base); got < 0.99 {
			t.Errorf("cosine of %q and %q = %.2f, want 1", derived, base, got)
		}
	}
	if got := cosine(t, "peanutbutter", "peanut butter"); got < 0.99 {
		t.Errorf("cosine of a compound and its parts = %.2f, want 1", got)
	}
}

func TestMisspeltWords(t *testing.T) {
	t.Parallel()
	for written, meant := range map[string]string{"guitra": "guitar", "alergies": "allergies", "kittten": "kitten",
		"sandwhich": "sandwich"} {
		if got := cosine(t, written, meant); got < 0.99 {
			t.Errorf("cosine of %q and %q = %.2f, want 1", written, meant, got)
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	if common, rare := wordvec.Share("love"), wordvec.Share("guitar"); !(0 < rare && rare < common && common < 1) {
		t.Errorf("Share(love) = %v, Share(guitar) = %v; want 0 < guitar < love < 1", common, rare)
	}
	for _, stem := range []string{"", "xqzvkw", "haus/de"} {
		if got := wordvec.Share(stem); got != 0 {
			t.Errorf("Share(%q) = %v, want 0", stem, got)
		}
	}
}

func TestEmbedAllocatesTheResultOnly(t *testing.T) {
	if got := testing.AllocsPerRun(
		100, func() { wordvec.Embed("The deployment failed on Tuesday, she said.") }); got != 1 {
		t.Errorf("Embed allocates %v times, want once", got)
	}
}

func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{"", "dog's", "naïve café", "'''s", "\xffs'", "ﬁ ß ’s", "会議 hiking"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range wordvec.Embed(text) {
			if math.IsNaN(float64(x)) || x > 1.0001 || x < -1.0001 {
				t.Errorf("Embed(%q) holds %v", text, x)
			}
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	const sentence = "We spent the long weekend hiking around the lake and my sister taught the kids how to build a fire, which they loved. "
	for _, c := range []struct {
		name, text string
	}{
		{"words=13", "What are some good outdoor activities for a family with two small children?"},
		{"words=24", sentence},
		{"words=288", repeat(sentence, 12)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				wordvec.Embed(c.text)
			}
		})
	}
}

func repeat(s string, n int) (all string) {
	for range n {
		all += s
	}
	return all
}
