package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

var secret = provider.Header("Authorization", "Bearer "+providertest.Secret)

func openEmbedder(tb testing.TB, f *providertest.Fake, model string, dims int) role.Embedder {
	tb.Helper()
	e, err := openai.NewEmbedder(openai.EmbedderOptions{Model: model, Dims: dims, Service: provider.Options{
		BaseURL: f.URL, Credential: secret, Transport: f.Transport, Logger: f.Logger}})
	if err != nil {
		tb.Fatalf("NewEmbedder(%s, %d) = %v", model, dims, err)
	}
	return e
}

// embeddings is a server as platform.openai.com/docs/api-reference/embeddings has it, with an answer of a certain
// shape.
func embeddings(answer func([][]float32) string) providertest.Embeddings {
	return providertest.Embeddings{
		Dims: 48, Answer: answer, Understand: func(r *http.Request, body []byte) ([]string, error) {
			var w struct {
				Input          []string `json:"input"`
				Model          string   `json:"model"`
				EncodingFormat string   `json:"encoding_format"`
			}
			d := json.NewDecoder(bytes.NewReader(body))
			d.DisallowUnknownFields() // dimensions, among others: many servers refuse it
			err := d.Decode(&w)
			if err == nil && (r.URL.String() != "/embeddings" || w.Model != "some-model" ||
				w.EncodingFormat != "base64" ||
				len(w.Input) > 2048) {
				err = errors.New("not a request for embeddings")
			}
			return w.Input, err
		}, Open: func(tb testing.TB, f *providertest.Fake) role.Embedder {
			return openEmbedder(tb, f, "some-model", 48)
		}}
}

// shapes are answers of OpenAI itself and of servers that follow it more or less.
var shapes = map[string]func([][]float32) string{
	"OpenAI": func(vs [][]float32) string {
		return list(vs, func(i int, v []float32) string {
			return fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, providertest.Base64(v))
		}, true, `,"usage":{"prompt_tokens":8,"total_tokens":8}`)
	},
	"lists of numbers, without usage": func(vs [][]float32) string {
		return list(vs, func(i int, v []float32) string {
			return fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, providertest.Numbers(v))
		}, false, "")
	},
	"no index": func(vs [][]float32) string {
		return list(vs, func(_ int, v []float32) string {
			return fmt.Sprintf(`{"embedding":%s}`, providertest.Numbers(v))
		}, false, "")
	},
	"index always 0": func(vs [][]float32) string {
		return list(vs, func(_ int, v []float32) string {
			return fmt.Sprintf(`{"index":0,"embedding":%s}`, providertest.Numbers(v))
		}, false, `,"usage":null`)
	},
}

func list(vs [][]float32, item func(int, []float32) string, backward bool, rest string) string {
	var data []string
	for i, v := range vs {
		data = append(data, item(i, v))
	}
	if backward {
		slices.Reverse(data)
	}
	return `{"object":"list","data":[` + strings.Join(data, ",") + `],"model":"some-model"` + rest + `}`
}

func TestEmbedder(t *testing.T) {
	for name, answer := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, embedtest.Harness{New: embeddings(answer).New, Metered: true})
		})
	}
}

func TestEmbedderFaults(t *testing.T) { embeddings(shapes["OpenAI"]).Run(t) }

// TestEmbedderNumbersOnce: an answer whose numbers are not those of the texts is not guessed at.
func TestEmbedderNumbersOnce(t *testing.T) {
	t.Parallel()
	for _, indexes := range [][2]int{{1, 1}, {0, 2}, {-1, 0}} {
		i := 0
		s := embeddings(func(vs [][]float32) string {
			i = 0
			return list(vs, func(_ int, v []float32) string {
				i++
				return fmt.Sprintf(`{"index":%d,"embedding":%s}`, indexes[i-1], providertest.Numbers(v))
			}, false, "")
		})
		if _, err := s.New(t).Embed(t.Context(), role.ForDocument, []string{"one", "two"}); trilith.KindOf(
			err) != trilith.Internal {
			t.Errorf("Embed where vectors are numbered %v = %v, want kind %s", indexes, err, trilith.Internal)
		}
	}
}

// TestEmbedderRequest: dimensions are sent to OpenAI alone and only where they are not the model's own; what a model on
// another server is trained with comes before the text.
func TestEmbedderRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model      string
		compatible bool
		dims       int
		answered   int
		use        role.Use
		want       string
	}{
		{"text-embedding-3-small", false, 0, 1536, role.ForDocument,
			`{"input":["hi"],"model":"text-embedding-3-small","encoding_format":"base64"}`},
		{"text-embedding-3-large", false, 256, 256, role.ForQuery,
			`{"input":["hi"],"model":"text-embedding-3-large","dimensions":256,"encoding_format":"base64"}`},
		{"text-embedding-9", false, 99, 99, role.ForQuery,
			`{"input":["hi"],"model":"text-embedding-9","dimensions":99,"encoding_format":"base64"}`},
		{"intfloat/multilingual-e5-small", true, 0, 384, role.ForQuery,
			`{"input":["query: hi"],"model":"intfloat/multilingual-e5-small","encoding_format":"base64"}`},
		{"intfloat/multilingual-e5-small", true, 384, 384, role.ForDocument,
			`{"input":["passage: hi"],"model":"intfloat/multilingual-e5-small","encoding_format":"base64"}`},
		{"nomic-embed-text-v1.5", true, 0, 768, role.ForDocument,
			`{"input":["search_document: hi"],"model":"nomic-embed-text-v1.5","encoding_format":"base64"}`},
		{"BAAI/bge-m3", true, 0, 1024, role.ForQuery,
			`{"input":["hi"],"model":"BAAI/bge-m3","encoding_format":"base64"}`},
	} {
		s := embeddings(shapes["OpenAI"])
		s.Dims = c.answered
		s.Understand = func(_ *http.Request, body []byte) (texts []string, err error) {
			var w struct{ Input []string }
			err = json.Unmarshal(body, &w)
			return w.Input, err
		}
		f := providertest.New(t, s.Good())
		o := openai.EmbedderOptions{Model: c.model, Dims: c.dims,
			Service: provider.Options{Credential: secret, Transport: f.Transport}}
		path := "/embeddings"
		if c.compatible {
			o.Service.BaseURL = f.URL
		} else {
			o.Service.Transport, path = toFake{f}, "/v1/embeddings"
		}
		e, err := openai.NewEmbedder(o)
		if err != nil {
			t.Errorf("NewEmbedder(%+v) = %v", c, err)
			continue
		}
		if _, err := e.Embed(t.Context(), c.use, []string{"hi"}); err != nil {
			t.Errorf("%s: Embed = %v", c.model, err)
		}
		f.Requests()[0].Want(t, path, c.want, map[string]string{"Authorization": "Bearer " + providertest.Secret})
	}
}

// toFake sends what is meant for OpenAI to a fake.
type toFake struct{ *providertest.Fake }

func (f toFake) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" || r.URL.Host != "api.openai.com" {
		return nil, fmt.Errorf("a request to %s", r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", "127.0.0.1:1"
	return f.Transport.RoundTrip(r)
}

// TestEmbedderRegion: another address of OpenAI's is OpenAI, and a name that only looks like one is not.
func TestEmbedderRegion(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{"": true, "https://eu.api.openai.com/v1": true,
		"https://api.openai.com.example/v1": false, "https://myapi.openai.com.example": false} {
		_, err := openai.NewEmbedder(
			openai.EmbedderOptions{Model: "nomic-embed-text", Dims: 99, Service: provider.Options{BaseURL: base}})
		// OpenAI has no model of that name that is known; on other servers it has 768 dimensions
		if own := err == nil; own != want {
			t.Errorf("the address %q is taken for OpenAI's: %t, want %t", base, own, want)
		}
	}
}

func TestEmbedderDims(t *testing.T) {
	t.Parallel()
	for _, o := range []openai.EmbedderOptions{
		{Model: "text-embedding-9"},
		{Model: "text-embedding-ada-002", Dims: 512},
		{Model: "text-embedding-3-small", Dims: 3072},
		{Model: "nomic-embed-text", Dims: 256, Service: provider.Options{BaseURL: "http://127.0.0.1:1"}},
		{Model: "some-model", Service: provider.Options{BaseURL: "http://127.0.0.1:1"}},
	} {
		if _, err := openai.NewEmbedder(o); err == nil || trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), "dims") {
			t.Errorf("NewEmbedder(%s, %d) = %v, want kind %s and a word about dims", o.Model, o.Dims, err,
				trilith.Invalid)
		}
	}
}

// TestEmbedderQuota: OpenAI reports an empty account with the status of a passing limit.
func TestEmbedderQuota(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, providertest.JSON(http.StatusTooManyRequests,
		`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`))
	_, err := openEmbedder(t, f, "some-model", 48).Embed(t.Context(), role.ForDocument, []string{providertest.Text})
	if trilith.KindOf(err) != trilith.Exhausted || len(f.Requests()) != 1 {
		t.Errorf("Embed = %v after %d requests, want kind %s after 1", err, len(f.Requests()), trilith.Exhausted)
	}
}
