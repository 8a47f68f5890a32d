package voyage_test

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
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/model/voyage"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// service is Voyage as docs.voyageai.com/reference/embeddings-api has it.
var service = providertest.Embeddings{Dims: 1024, Understand: understand, Answer: answer,
	Open: func(tb testing.TB, f *providertest.Fake) role.Embedder { return open(tb, f, "voyage-4", 0) }}

func understand(r *http.Request, body []byte) ([]string, error) {
	var w struct {
		Input           []string `json:"input"`
		Model           string   `json:"model"`
		InputType       string   `json:"input_type"`
		Truncation      *bool    `json:"truncation"`
		OutputDimension int      `json:"output_dimension"`
		EncodingFormat  string   `json:"encoding_format"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	switch err := d.Decode(&w); {
	case err != nil:
		return nil, err
	case r.Header.Get("Authorization") != "Bearer "+providertest.Secret:
		return nil, errors.New("no key")
	case r.URL.String() != "/embeddings" || w.InputType != "query" && w.InputType != "document" ||
		w.EncodingFormat != "base64" || len(w.Input) > 1000:
		return nil, errors.New("not a request for embeddings")
	case w.Truncation == nil || *w.Truncation:
		return nil, errors.New("texts would be cut in silence")
	}
	return w.Input, nil
}

// answer numbers the vectors and gives them in another order.
func answer(vectors [][]float32) string {
	var data []string
	for i, v := range slices.Backward(vectors) {
		data = append(data, fmt.Sprintf(`{"object":"embedding","embedding":%s,"index":%d}`, providertest.Base64(v), i))
	}
	return `{"object":"list","data":[` + strings.Join(data, ",") + `],"model":"voyage-4","usage":{"total_tokens":10}}`
}

func open(tb testing.TB, f *providertest.Fake, model string, dims int) role.Embedder {
	tb.Helper()
	e, err := voyage.NewEmbedder(
		voyage.EmbedderOptions{Model: model, Dims: dims,
			Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger,
				Credential: provider.Header("Authorization", "Bearer "+providertest.Secret)}})
	if err != nil {
		tb.Fatalf("NewEmbedder(%s, %d) = %v", model, dims, err)
	}
	return e
}

func TestEmbedder(t *testing.T) { embedtest.Run(t, embedtest.Harness{New: service.New, Metered: true}) }

func TestEmbedderFaults(t *testing.T) { service.Run(t) }

// TestRequest compares with the example of the reference.
func TestRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model string
		dims  int
		use   role.Use
		want  string
	}{
		{"voyage-4", 0, role.ForDocument,
			`{"input":["hello"],"model":"voyage-4","input_type":"document","truncation":false,"encoding_format":"base64"}`},
		{"voyage-4", 1024, role.ForQuery,
			`{"input":["hello"],"model":"voyage-4","input_type":"query","truncation":false,"encoding_format":"base64"}`},
		{"voyage-4-large", 2048, role.ForQuery,
			`{"input":["hello"],"model":"voyage-4-large","input_type":"query","truncation":false,"output_dimension":2048,"encoding_format":"base64"}`},
		{"voyage-3", 1024, role.ForQuery,
			`{"input":["hello"],"model":"voyage-3","input_type":"query","truncation":false,"encoding_format":"base64"}`},
		{"voyage-9", 77, role.ForQuery,
			`{"input":["hello"],"model":"voyage-9","input_type":"query","truncation":false,"encoding_format":"base64"}`},
	} {
		s := service
		s.Dims = max(c.dims, 1)
		if c.dims == 0 {
			s.Dims = 1024
		}
		f := providertest.New(t, s.Good())
		es, err := open(t, f, c.model, c.dims).Embed(t.Context(), c.use, []string{"hello"})
		if err != nil || len(es[0].Vector) != s.Dims {
			t.Errorf("%s: Embed = %d embeddings, %v", c.model, len(es), err)
		}
		f.Requests()[0].Want(t, "/embeddings", c.want,
			map[string]string{"Authorization": "Bearer " + providertest.Secret})
	}
}

func TestDims(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model string
		dims  int
	}{{"voyage-9", 0}, {"voyage-3", 512}, {"voyage-4", 4096}, {"voyage-4", 12}} {
		_, err := voyage.NewEmbedder(voyage.EmbedderOptions{Model: c.model, Dims: c.dims})
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), "dims") {
			t.Errorf("NewEmbedder(%s, %d) = %v, want kind %s and a word about dims", c.model, c.dims, err,
				trilith.Invalid)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"pa-1": "https://api.voyageai.com/v1",
		"al-1": "https://ai.mongodb.com/v1"} {
		if got := voyage.Address(key); got != want {
			t.Errorf("Address(%s…) = %s, want %s", key, got, want)
		}
	}
}

// TestLegacy: a model that goes away says so when it is chosen, and not before.
func TestLegacy(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"voyage-3": true, "voyage-3.5-lite": true, "voyage-4": false} {
		f := providertest.New(t, service.Good())
		open(t, f, model, 0)
		if got := strings.Contains(f.Log(), "2027-12-01"); got != want {
			t.Errorf("the log of %s is %q, want a warning: %t", model, f.Log(), want)
		}
	}
}
