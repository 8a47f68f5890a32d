package ollama_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/ollama"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// embeddings is Ollama as docs/api.md has it.
var embeddings = providertest.Embeddings{Dims: 384, Understand: func(r *http.Request, body []byte) ([]string, error) {
	var w struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"`
		Truncate *bool    `json:"truncate"`
		Options  struct {
			NumCtx int `json:"num_ctx"`
		} `json:"options"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(&w)
	switch {
	case err != nil:
	case r.URL.String() != "/api/embed" || w.Model != "all-minilm" || w.Options.NumCtx != 256:
		err = errors.New("not a request for embeddings")
	case w.Truncate == nil || *w.Truncate:
		err = errors.New("texts would be cut in silence")
	}
	return w.Input, err
}, Answer: func(vectors [][]float32) string {
	var out []string
	for _, v := range vectors {
		out = append(out, providertest.Numbers(v))
	}
	return fmt.Sprintf(`{"model":"all-minilm","embeddings":[%s],"total_duration":14143917,"load_duration":1019500,"prompt_eval_count":8}`, strings.Join(out, ","))
}, Open: func(tb testing.TB, f *providertest.Fake) role.Embedder {
	return openEmbedder(tb, f, ollama.EmbedderOptions{Model: "all-minilm"})
}}

func openEmbedder(tb testing.TB, f *providertest.Fake, o ollama.EmbedderOptions) role.Embedder {
	tb.Helper()
	o.Service = provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger}
	e, err := ollama.NewEmbedder(o)
	if err != nil {
		tb.Fatalf("NewEmbedder(%+v) = %v", o, err)
	}
	return e
}

func TestEmbedder(t *testing.T) {
	embedtest.Run(t, embedtest.Harness{New: embeddings.New, Metered: true})
}

func TestEmbedderFaults(t *testing.T) { embeddings.Run(t) }

func TestEmbedderRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    ollama.EmbedderOptions
		use  role.Use
		want string
	}{
		{ollama.EmbedderOptions{Model: "nomic-embed-text"}, role.ForQuery,
			`{"model":"nomic-embed-text","input":["search_query: hi"],"truncate":false,"options":{"num_ctx":2048}}`},
		{ollama.EmbedderOptions{Model: "nomic-embed-text:v1.5", Dims: 256, Context: 8192, KeepAlive: "10m"},
			role.ForDocument,
			`{"model":"nomic-embed-text:v1.5","input":["search_document: hi"],"truncate":false,"dimensions":256,"keep_alive":"10m","options":{"num_ctx":8192}}`},
		{ollama.EmbedderOptions{Model: "embeddinggemma"}, role.ForQuery,
			`{"model":"embeddinggemma","input":["task: search result | query: hi"],"truncate":false,"options":{"num_ctx":2048}}`},
		{ollama.EmbedderOptions{Model: "snowflake-arctic-embed2"}, role.ForDocument,
			`{"model":"snowflake-arctic-embed2","input":["hi"],"truncate":false,"options":{"num_ctx":2048}}`},
		{ollama.EmbedderOptions{Model: "my-own", Dims: 99}, role.ForQuery,
			`{"model":"my-own","input":["hi"],"truncate":false,"options":{"num_ctx":2048}}`},
	} {
		f := providertest.New(t, providertest.JSON(http.StatusOK, `{}`))
		if _, err := openEmbedder(t, f, c.o).Embed(t.Context(), c.use, []string{"hi"}); trilith.KindOf(
			err) != trilith.Internal {
			t.Errorf("Embed with an answer without vectors = %v, want kind %s", err, trilith.Internal)
		}
		f.Requests()[0].Want(t, "/api/embed", c.want, nil)
	}
}

func TestEmbedderRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []ollama.EmbedderOptions{
		{Model: "my-own"},
		{Model: "all-minilm", Dims: 128}, // the server would cut its vectors all the same
		{Model: "qwen3-embedding"},       // of several sizes
		{Model: "all-minilm", Context: 512},
	} {
		if _, err := ollama.NewEmbedder(o); err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("NewEmbedder(%+v) = %v, want kind %s", o, err, trilith.Invalid)
		}
	}
}

// TestEmbedderLoads: the first request may take as long as loading a model does.
func TestEmbedderLoads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := providertest.New(t, providertest.After(4*time.Minute, embeddings.Good()))
		if _, err := embeddings.Open(t, f).Embed(t.Context(), role.ForQuery, []string{"hi"}); err != nil ||
			len(f.Requests()) != 1 {
			t.Errorf("Embed = %v after %d requests, want none after 1", err, len(f.Requests()))
		}
	})
}

// TestEmbedderNoNumber: a vector with a component that is no number is the text's fault, for every status.
func TestEmbedderNoNumber(t *testing.T) {
	t.Parallel()
	f := providertest.New(t,
		providertest.JSON(http.StatusInternalServerError,
			`{"error":"failed to encode response: json: unsupported value: NaN"}`))
	_, err := embeddings.Open(t, f).Embed(t.Context(), role.ForDocument, []string{providertest.Text})
	if trilith.KindOf(err) != trilith.Invalid || len(f.Requests()) != 1 {
		t.Errorf("Embed = %v after %d requests, want kind %s after 1", err, len(f.Requests()), trilith.Invalid)
	}
}
