package embedding_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

const dims = 16

type question struct {
	Texts []string `json:"texts"`
}

// open returns an embedder of a service that takes a list of texts.
func open(tb testing.TB, f *providertest.Fake, change func(*embedding.Service)) *embedding.Embedder {
	tb.Helper()
	client, err := provider.New(
		provider.Options{Provider: "some", Model: "model", BaseURL: f.URL, Transport: f.Transport})
	if err != nil {
		tb.Fatalf("New = %v", err)
	}
	s := embedding.Service{Client: client,
		Generation: trilith.Generation{Provider: "some", Model: "model", Dims: dims, Recipe: 1, Threshold: true},
		Call: func(_ role.Use, texts []string) embedding.Call {
			var a embedding.Answer
			return embedding.Call{Path: "/", Body: question{texts}, Answer: &a, Vectors: a.Vectors}
		}}
	if change != nil {
		change(&s)
	}
	return embedding.New(s)
}

var service = providertest.Embeddings{Dims: dims, Understand: func(_ *http.Request, body []byte) ([]string, error) {
	var q question
	err := json.Unmarshal(body, &q)
	return q.Texts, err
}, Answer: func(vs [][]float32) string {
	var data []string
	for _, v := range vs {
		data = append(data, `{"embedding":`+providertest.Numbers(v)+`}`)
	}
	return `{"data":[` + strings.Join(data, ",") + `]}`
}, Open: func(tb testing.TB, f *providertest.Fake) role.Embedder { return open(tb, f, nil) }}

func TestEmbedder(t *testing.T) {
	embedtest.Run(t, embedtest.Harness{New: service.New, Metered: true})
}

// sent returns the texts of each request.
func sent(t *testing.T, f *providertest.Fake) (all [][]string) {
	t.Helper()
	for _, r := range f.Requests() {
		var q question
		if err := json.Unmarshal(r.Body, &q); err != nil {
			t.Fatalf("a request is no JSON: %v", err)
		}
		all = append(all, q.Texts)
	}
	return all
}

func TestBatches(t *testing.T) {
	t.Parallel()
	texts := []string{"aaaaaa", "bbbbbb", "", "cccccc", "dddddd", "eeeeee"} // two tokens each
	for name, c := range map[string]struct {
		limits embedding.Limits
		want   []int // texts of each request
	}{
		"no limit":        {embedding.Limits{}, []int{5}},
		"items":           {embedding.Limits{Items: 2}, []int{2, 2, 1}},
		"tokens":          {embedding.Limits{Tokens: 7}, []int{3, 2}},
		"bytes":           {embedding.Limits{Bytes: 12}, []int{2, 2, 1}},
		"whichever first": {embedding.Limits{Items: 4, Tokens: 100, Bytes: 18}, []int{3, 2}},
		"one too large":   {embedding.Limits{Tokens: 1}, []int{1, 1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := providertest.New(t, service.Good())
			es, err := open(t, f, func(s *embedding.Service) { s.Limits = c.limits }).Embed(
				t.Context(), role.ForDocument, texts)
			if err != nil {
				t.Fatalf("Embed = %v", err)
			}
			var got []int
			for _, texts := range sent(t, f) {
				got = append(got, len(texts))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("requests have %v texts, want %v", got, c.want)
			}
			for i, e := range es {
				if (e.Vector == nil) != (texts[i] == "") || e.Cut {
					t.Errorf("embedding %d is %v", i, e)
				}
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, service.Good())
	e := open(t, f, func(s *embedding.Service) { s.Prefix = embedding.Prefix{Query: "q: ", Document: "d: "} })
	for _, use := range []role.Use{role.ForQuery, role.ForDocument} {
		if _, err := e.Embed(t.Context(), use, []string{"hi"}); err != nil {
			t.Fatalf("Embed = %v", err)
		}
	}
	if got := slices.Concat(sent(t, f)...); !slices.Equal(got, []string{"q: hi", "d: hi"}) {
		t.Errorf("the texts are %q", got)
	}
}

// TestCut: a text that is longer than the model reads is cut between words, prefix and all, and marked.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		cut              bool
	}{
		{"short", "three little words", "three little words", false},
		{"exactly", strings.Repeat("abc", 8), strings.Repeat("abc", 8), false},
		{"between words", "several words in a row, and then some", "several words in a row,", true},
		{"no words", strings.Repeat("x", 99), strings.Repeat("x", 24), true},
		{"between characters", strings.Repeat("ж", 99), strings.Repeat("ж", 8), true},
		{"broken", "a\xff" + strings.Repeat("b", 99), "a\uFFFD" + strings.Repeat("b", 18), true},
	} {
		f := providertest.New(t, service.Good())
		e := open(t, f, func(s *embedding.Service) {
			s.Limits.Text, s.Prefix.Document = 10, "doc: " // two tokens
		})
		es, err := e.Embed(t.Context(), role.ForDocument, []string{c.text})
		if err != nil || es[0].Cut != c.cut {
			t.Errorf("%s: Embed = %v, %v, want cut %t", c.name, es, err, c.cut)
		}
		if got := sent(t, f)[0][0]; got != "doc: "+c.want {
			t.Errorf("%s: the text is %q, want %q", c.name, got, "doc: "+c.want)
		}
	}
}

// TestTooBigForGood: a service that finds everything too big is not asked forever.
func TestTooBigForGood(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, providertest.Complaint(http.StatusRequestEntityTooLarge))
	texts := slices.Repeat([]string{strings.Repeat("long ", 1000)}, 64)
	if es, err := open(t, f, nil).Embed(t.Context(), role.ForDocument, texts); trilith.KindOf(err) != trilith.Invalid ||
		es != nil {
		t.Errorf("Embed = %d embeddings, %v, want kind %s", len(es), err, trilith.Invalid)
	}
	if n := len(f.Requests()); n > 20 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestSpent(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{`{"data":[{"embedding":[1,0]}],"usage":{"total_tokens":77}}`: 77,
		`{"data":[{"embedding":[1,0]}]}`: 2} {
		tokens := 0
		ctx := trilith.Metered(t.Context(), func(s trilith.Spent) { tokens += s.Usage.InputTokens })
		e := open(t, providertest.New(t, providertest.JSON(200, answer)),
			func(s *embedding.Service) { s.Generation.Dims = 2 })
		if _, err := e.Embed(ctx, role.ForQuery, []string{"aaaaaa"}); err != nil || tokens != want {
			t.Errorf("Embed with the answer %s = %v with %d tokens reported, want %d", answer, err, tokens, want)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		dims   int
		prefix embedding.Prefix
	}{
		"all-minilm:l6-v2":                       {384, embedding.Prefix{}},
		"sentence-transformers/all-MiniLM-L6-v2": {384, embedding.Prefix{}},
		"nomic-embed-text:latest": {
			768, embedding.Prefix{Query: "search_query: ", Document: "search_document: "}},
		"intfloat/multilingual-e5-large": {1024, embedding.Prefix{Query: "query: ", Document: "passage: "}},
		"embeddinggemma:300m": {
			768, embedding.Prefix{Query: "task: search result | query: ", Document: "title: none | text: "}},
		"Snowflake/snowflake-arctic-embed-l-v2.0": {1024, embedding.Prefix{Query: "query: "}},
		"bge-m3": {1024, embedding.Prefix{}},
	} {
		m, ok := embedding.Lookup(name)
		if !ok || m.Dims != want.dims || m.Prefix != want.prefix ||
			(m.Variant() == "") != (want.prefix == embedding.Prefix{}) {
			t.Errorf("Lookup(%s) = %+v, %t, want %+v", name, m, ok, want)
		}
	}
	for _, name := range []string{"qwen3-embedding:0.6b", "Qwen/Qwen3-Embedding-0.6B"} {
		if m, ok := embedding.Lookup(name); !ok || m.Dims != 1024 || !strings.HasPrefix(m.Prefix.Query, "Instruct: ") ||
			!strings.HasSuffix(m.Prefix.Query, "\nQuery:") || m.Prefix.Document != "" {
			t.Errorf("Lookup(%s) = %+v, %t", name, m, ok)
		}
	}
	if m, ok := embedding.Lookup("something-else"); ok {
		t.Errorf("Lookup of a model that is not known = %+v", m)
	}
}

func trained(s *embedding.Service) { s.Smallest = 4 }

func TestAdapters(t *testing.T) {
	for name, adapt := range map[string]func(role.Embedder) (role.Embedder, error){
		"pad": func(e role.Embedder) (role.Embedder, error) { return embedding.Padded(e, 24) },
		"mrl": func(e role.Embedder) (role.Embedder, error) { return embedding.Shortened(e, 4) },
		"mrl, then pad": func(e role.Embedder) (role.Embedder, error) {
			e, err := embedding.Shortened(e, 4)
			if err != nil {
				return nil, err
			}
			return embedding.Padded(e, 24)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, embedtest.Harness{Metered: true, New: func(tb testing.TB) role.Embedder {
				e, err := adapt(open(tb, providertest.New(tb, service.Good()), trained))
				if err != nil {
					tb.Fatalf("%s = %v", name, err)
				}
				return e
			}})
		})
	}
}

// TestAdaptersKeepCosines: zeros change no cosine, and what is cut is the beginning of the vector.
func TestAdaptersKeepCosines(t *testing.T) {
	t.Parallel()
	e := open(t, providertest.New(t, service.Good()), trained)
	padded, err := embedding.Padded(e, 20)
	if err != nil {
		t.Fatalf("Padded = %v", err)
	}
	short, err := embedding.Shortened(e, 8)
	if err != nil {
		t.Fatalf("Shortened = %v", err)
	}
	vector := func(e role.Embedder) trilith.Vector {
		es, err := e.Embed(context.Background(), role.ForQuery, []string{"hi", ""})
		if err != nil || es[1].Vector != nil {
			t.Fatalf("Embed = %v, %v", es, err)
		}
		return es[0].Vector
	}
	whole := vector(e)
	if got := vector(padded); !slices.Equal(got[:dims], whole) ||
		slices.ContainsFunc(got[dims:], func(x float32) bool { return x != 0 }) {
		t.Errorf("padded = %v, want %v and zeros", got, whole)
	}
	ratio := vector(short)[0] / whole[0]
	for i, x := range vector(short) {
		if math.Abs(float64(x-ratio*whole[i])) > 1e-6 {
			t.Errorf("shortened component %d = %v, want %v", i, x, ratio*whole[i])
		}
	}
	for _, c := range []struct {
		g    trilith.Generation
		want string
	}{{padded.Generation(), "pad=20"}, {short.Generation(), "mrl=8"}} {
		if c.g.Variant != c.want || c.g.Key() == e.Generation().Key() {
			t.Errorf("Generation() = %+v, want the variant %s and a key of its own", c.g, c.want)
		}
	}
}

func TestAdaptersRefuse(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, service.Good())
	for name, err := range map[string]error{
		"pad to less":            second(embedding.Padded(open(t, f, nil), 8)),
		"mrl of another model":   second(embedding.Shortened(open(t, f, nil), 8)),
		"mrl below the smallest": second(embedding.Shortened(open(t, f, trained), 3)),
		"mrl to the same":        second(embedding.Shortened(open(t, f, trained), dims)),
	} {
		if err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("%s = %v, want kind %s", name, err, trilith.Invalid)
		}
	}
}

func second(_ role.Embedder, err error) error { return err }
