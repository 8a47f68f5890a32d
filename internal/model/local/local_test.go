package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/local"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/berttest"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
)

// folder writes a model under a name and returns where.
// opened opens what a setting names.
func opened(setting string, find func(name string) (string, error)) (*local.Embedder, error) {
	spec, err := provider.Parse("embedder", setting, local.Params...)
	if err != nil {
		return nil, err
	}
	return local.Open(spec, find)
}

func folder(tb testing.TB, name string, m *berttest.Model) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), name)
	if err := os.CopyFS(dir, m.Files()); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// none knows no names.
func none(name string) (string, error) {
	return "", trilith.Errorf(trilith.NotFound, "embedder: no model %s here", name)
}

func open(tb testing.TB, setting string) *local.Embedder {
	tb.Helper()
	e, err := opened(setting, none)
	if err != nil {
		tb.Fatalf("Open(%s) = %v", setting, err)
	}
	return e
}

func TestEmbedder(t *testing.T) {
	for _, precision := range []string{"f32", "int8"} {
		t.Run(precision, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, "tiny", berttest.Tiny())
			embedtest.Run(t, embedtest.Harness{
				New: func(tb testing.TB) role.Embedder { return open(tb, "local:"+dir+"?precision="+precision) }})
		})
	}
}

// TestMiniLM runs the suite with trained weights, where TRILITH_TEST_MINILM names their folder; tools/scripts/minilm fetches
// them.
func TestMiniLM(t *testing.T) {
	dir := os.Getenv("TRILITH_TEST_MINILM")
	if dir == "" {
		t.Skip("TRILITH_TEST_MINILM names no folder with all-MiniLM-L6-v2")
	}
	setting := "local:" + dir
	embedtest.Run(t, embedtest.Harness{New: func(tb testing.TB) role.Embedder { return open(tb, setting) }})
	vs := embed(t, open(t, setting), role.ForDocument, "The dog barks at the postman.",
		"A puppy makes noise when mail arrives.", "Interest rates rose by half a point.")
	if near, far := cosine(vs[0], vs[1]), cosine(vs[0], vs[2]); near < far+0.3 {
		t.Errorf("a sentence is as near to another of its meaning as %.2f, and to a foreign one as %.2f", near, far)
	}
}

func embed(tb testing.TB, e role.Embedder, use role.Use, texts ...string) []trilith.Vector {
	tb.Helper()
	es, err := e.Embed(tb.Context(), use, texts)
	if err != nil {
		tb.Fatalf("Embed(%.60q) = %v", texts, err)
	}
	return role.VectorsOf(es)
}

func cosine[T float32 | float64](a trilith.Vector, b []T) float64 {
	var product float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
	}
	return product
}

// sequence is what the tiny vocabulary makes of words that it holds.
func sequence(m *berttest.Model, words ...string) []int32 {
	var ids []int32
	for _, w := range slices.Concat([]string{"[CLS]"}, words, []string{"[SEP]"}) {
		ids = append(ids, int32(slices.Index(m.Vocabulary, w)))
	}
	return ids
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	said := berttest.Tiny()
	said.Prompts = map[string]string{"query": "where: "}
	for _, c := range []struct {
		folder          string
		model           *berttest.Model
		name            string
		query, document []string // what comes before the text
	}{
		{"tiny", berttest.Tiny(), "tiny", nil, nil},
		{"tiny", said, "tiny", []string{"where", ":"}, nil},
		{"e5-small-v2", berttest.Tiny(), "e5-small-v2", []string{"query", ":"}, []string{"passage", ":"}},
		{"intfloat--e5-small-v2", berttest.Tiny(), "e5-small-v2", []string{"query", ":"}, []string{"passage", ":"}},
		{"e5-small-v2", said, "e5-small-v2", []string{"where", ":"}, nil}, // what a model says itself is right
		{"all-MiniLM-L6-v2", berttest.Tiny(), "all-MiniLM-L6-v2", nil, nil},
	} {
		e := open(t, "local:"+folder(t, c.folder, c.model)+"?precision=f32")
		if g := e.Generation(); g.Model != c.name {
			t.Errorf("%s: Generation() = %v, want the model %s", c.folder, g, c.name)
		}
		for use, prefix := range map[role.Use][]string{role.ForQuery: c.query, role.ForDocument: c.document} {
			want := c.model.Vector(sequence(c.model, append(slices.Clone(prefix), "the", "house")...))
			if got := cosine(embed(t, e, use, "The house")[0], want); got < 0.9999 {
				t.Errorf("%s: Embed(%d) has the cosine %.4f with the vector of the text after %q", c.folder,
					use, got, prefix)
			}
		}
	}
	for name, model := range map[string]string{"snowflake-arctic-embed-s": "arctic-embed-s",
		"BAAI--bge-small-en-v1.5": "bge-small", "bge-small": "bge-small"} {
		e := open(t, "local:"+folder(t, name, berttest.Tiny()))
		question, passage := embed(t, e, role.ForQuery, "house")[0], embed(t, e, role.ForDocument, "house")[0]
		if got := e.Generation().Model; got != model || cosine(question, passage) > 0.9999 {
			t.Errorf("%s: the model %s, and a question is read like a passage: %t", name, got,
				cosine(question, passage) > 0.9999)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	m := berttest.Tiny()
	e := open(t, "local:"+folder(t, "tiny", m)+"?precision=f32")
	fits := slices.Repeat([]string{"house"}, m.Limit-2)
	es, err := e.Embed(t.Context(), role.ForDocument,
		[]string{strings.Join(fits, " "), strings.Join(fits, " ") + " garden", ""})
	if err != nil {
		t.Fatal(err)
	}
	want := m.Vector(sequence(m, fits...))
	for i, cut := range []bool{false, true} {
		if c := cosine(es[i].Vector, want); es[i].Cut != cut || c < 0.9999 {
			t.Errorf("%d: cut %t, want %t; cosine with the beginning %.4f", i, es[i].Cut, cut, c)
		}
	}
	if es[2].Vector != nil || es[2].Cut {
		t.Errorf("an empty text has the embedding %v", es[2])
	}
}

// Results of any batch, computed on any core, come back in their places.
func TestManyTexts(t *testing.T) {
	t.Parallel()
	e := open(t, "local:"+folder(t, "tiny", berttest.Tiny()))
	var texts []string
	for i := range 300 {
		texts = append(texts, strings.Repeat("house ", i%40)+strings.Repeat("x", i%7))
	}
	for i, got := range embed(t, e, role.ForDocument, texts...) {
		want := embed(t, e, role.ForDocument, texts[i])[0]
		if (got == nil) != (want == nil) || got != nil && cosine(got, want) < 0.9999 {
			t.Fatalf("text %d of many: another vector than alone", i)
		}
	}
}

func TestGenerationTellsModelsApart(t *testing.T) {
	t.Parallel()
	other := berttest.Tiny()
	other.Seed++
	a, b := folder(t, "tiny", berttest.Tiny()), folder(t, "tiny", other)
	keys := make(map[string]string)
	for _, setting := range []string{a, b, a + "?precision=f32", b + "?precision=f32"} {
		key := open(t, "local:"+setting).Generation().Key()
		if before, ok := keys[key]; ok {
			t.Errorf("%s and %s have the generation %s", before, setting, key)
		}
		keys[key] = setting
	}
	if open(t, "local:"+a).Generation() != open(t, "local:"+a+"?precision=int8").Generation() {
		t.Errorf("int8 is not the default")
	}
}

func TestNamesAreFound(t *testing.T) {
	t.Parallel()
	dir := folder(t, "shelf", berttest.Tiny())
	e, err := opened("local:e5-small-v2", func(name string) (string, error) {
		if name != "e5-small-v2" {
			return none(name)
		}
		return dir, nil
	})
	if err != nil || e.Generation().Model != "shelf" {
		t.Errorf("Open(local:e5-small-v2) = %v, %v", e, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	torn := folder(t, "torn", berttest.Tiny())
	if err := os.Truncate(filepath.Join(torn, "model.safetensors"), 1000); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		setting string
		kind    trilith.ErrorKind
		want    string
	}{
		{"local:", trilith.Invalid, "needs the name"},
		{"local:unheard-of", trilith.NotFound, "no model unheard-of"},
		{"local:" + torn, trilith.Invalid, "model.safetensors"},
		{"local:" + torn + "?precision=f16", trilith.Invalid, "int8 or f32"},
		{"local:" + torn + "?speed=high", trilith.Invalid, "precision"},
	} {
		if _, err := opened(c.setting, none); trilith.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%s) = %v, want kind %s with %q", c.setting, err, c.kind, c.want)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	dir := os.Getenv("TRILITH_TEST_MINILM")
	if dir == "" {
		dir = folder(b, "random", berttest.MiniLM())
	}
	for _, precision := range []string{"f32", "int8"} {
		b.Run(precision, func(b *testing.B) {
			embedtest.Bench(b, embedtest.Harness{
				New: func(tb testing.TB) role.Embedder { return open(tb, "local:"+dir+"?precision="+precision) }})
		})
	}
}
