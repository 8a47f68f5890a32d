package builtin_test

import (
	"math"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
)

var harness = embedtest.Harness{New: func(testing.TB) role.Embedder { return builtin.New() }}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, harness)
}

func BenchmarkEmbed(b *testing.B) { embedtest.Bench(b, harness) }

func embed(t *testing.T, text string) trilith.Vector {
	t.Helper()
	vs, err := builtin.New().Embed(t.Context(), role.ForDocument, []string{text})
	if err != nil {
		t.Fatalf("Embed(%q) = %v", text, err)
	}
	return vs[0].Vector
}

func cosine(a, b trilith.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// The bounds are loose: they say what the embedder is for, not how it is weighted.
func TestFormsAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, a, b string
		least      float64
	}{
		{"letter left out", "Kuberntes", "Kubernetes", 0.3},
		{"word form", "married", "marriage", 0.25},
		{"word form", "allergic", "allergy", 0.3},
		{"compound", "Datenbank", "Datenbankverbindung", 0.4},
		{"case and accents", "naïve CAFÉ", "Naive café", 0.999},
		{"stop words left out", "Where is the deployment?", "deployment", 0.999},
		{"question and answer", "When did they get married?", "Their marriage was in June.", 0.12},
		{"misspelt question", "how do I fix the Kuberntes deploment",
			"The deployment to Kubernetes failed on Tuesday", 0.15},
		{"script without spaces", "会議は明日です", "明日の会議", 0.4},
	} {
		if got := cosine(embed(t, c.a), embed(t, c.b)); got < c.least {
			t.Errorf("%s: cosine of %q and %q = %.3f, want at least %.3f", c.what, c.a, c.b, got, c.least)
		}
	}
}

func TestMeaningsAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		least float64
	}{
		{"dog", "pet", 0.2}, {"outdoor activities", "She enjoys hiking", 0.2},
		{"What is her job?", "works as a nurse", 0.2},
	} {
		if got := cosine(embed(t, c.a), embed(t, c.b)); got < c.least {
			t.Errorf("cosine of %q and %q = %.3f, want at least %.3f", c.a, c.b, got, c.least)
		}
	}
}

// Texts alike neither in form nor in meaning must stay in the noise.
func TestUnlikeTextsAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"house", "elephant"}, {"2024", "2025"}, {"会議は明日です", "猫が好き"},
		{"When did they get married?", "The server room is cold."},
	} {
		if got := cosine(embed(t, c[0]), embed(t, c[1])); got > 0.13 { // twice the noise
			t.Errorf("cosine of %q and %q = %.3f, want it in the noise", c[0], c[1], got)
		}
	}
}

// A text in another language counts by its word forms, not by their English meanings: "hat", "Rat" and "Gift" do not
// make a German sentence one of hats, rats and presents.
func TestOtherLanguagesCountByForm(t *testing.T) {
	t.Parallel()
	german := embed(t, "Der Arzt hat uns einen Rat zu dem Gift gegeben, das im Keller stand.")
	if got := cosine(german, embed(t, "Ratschlag des Arztes wegen Giftes im Kellerregal")); got < 0.2 {
		t.Errorf("cosine with the same in other forms = %.3f, want at least 0.2", got)
	}
	for _, english := range []string{"a hat", "rats and mice", "gifts for her birthday"} {
		if got := cosine(german, embed(t, english)); got > 0.13 {
			t.Errorf("cosine with %q = %.3f, want it in the noise", english, got)
		}
	}
}

func TestFindsTheMisspeltAmongMany(t *testing.T) {
	t.Parallel()
	memories := []string{
		"The deployment to Kubernetes failed on Tuesday.", "She is allergic to peanuts.", "Their marriage was in June.",
		"He enjoys hiking in the mountains.", "The invoice of the plumber is still unpaid.", "My dog is called Max.",
		"We moved the database to PostgreSQL.", "Grandmother's recipe for apple strudel.",
	}
	for query, want := range map[string]int{
		"kuberntes": 0, "alergies": 1, "when did they marry": 2, "mountain hikes": 3, "plumber's invoices": 4,
		"dogs": 5, "Postgres databases": 6,
		"appel strudle": 7,
	} {
		best, score := 0, -1.0
		for i, m := range memories {
			if c := cosine(embed(t, query), embed(t, m)); c > score {
				best, score = i, c
			}
		}
		if best != want {
			t.Errorf("nearest to %q = %q (%.3f), want %q", query, memories[best], score, memories[want])
		}
	}
}

func TestWordlessIsNil(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n", "?!", "🙂", "\x00", "\xff"} {
		if v := embed(t, text); v != nil {
			t.Errorf("Embed(%q) = a vector, want nil", text)
		}
	}
	for _, text := range []string{"the", "What is it?", "7", "x", "会", "\u0e01"} {
		if v := embed(t, text); v == nil {
			t.Errorf("Embed(%q) = nil, want a vector", text)
		}
	}
}

// Vectors are stored: the model that made them must make them again. A failure here asks for a new model name.
func TestModelHasNotChanged(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[int]float32{
		"Ana's wedding was on 12 June 2025 in Zürich; 会議は明日です.": {0: 0.104227, 18: -0.077981, 24: -0.139461,
			45: -0.054587, 51: -0.104227, 60: -0.052948, 63: -0.104596, 81: 0.139461},
		"The children went hiking with Kubernetes, our dog.": {0: -0.026771, 2: 0.039591, 100: 0.084910,
			255: 0.054249},
	} {
		v := embed(t, text)
		for i, x := range want {
			if math.Abs(float64(v[i]-x)) > 1e-5 {
				t.Errorf("component %d of %q = %v, want %v", i, text, v[i], x)
			}
		}
	}
}

func TestAllocatesTheResultOnly(t *testing.T) {
	texts := []string{"The deployment to Kubernetes failed on Tuesday because the registry answered with an error."}
	got := testing.AllocsPerRun(100, func() {
		if _, err := builtin.New().Embed(t.Context(), role.ForQuery, texts); err != nil {
			t.Fatal(err)
		}
	})
	if got != 2 { // the list and its vector
		t.Errorf("Embed of one text allocates %v times, want 2", got)
	}
}

// Any text gives a vector that an index accepts, or none.
func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{"", "the", "Kubernetes 2025", "naïve", "会議は明日です", "ที่นี่", "\xff\xfe", "a\x00b",
		"ﬁnﬂuß Ⅻ ²", "a\u0301\u0301\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v := embed(t, text); v != nil {
			if err := v.Validate(builtin.Dims); err != nil {
				t.Errorf("Embed(%q): %v", text, err)
			}
		}
	})
}
