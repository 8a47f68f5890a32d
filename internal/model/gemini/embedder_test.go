package gemini_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

var apiKey = provider.Header("x-goog-api-key", providertest.Secret)

func openEmbedder(tb testing.TB, f *providertest.Fake, o gemini.EmbedderOptions) role.Embedder {
	tb.Helper()
	o.Service.BaseURL, o.Service.Transport, o.Service.Logger = f.URL, f.Transport, f.Logger
	if o.Service.Credential == nil {
		o.Service.Credential = apiKey
	}
	e, err := gemini.NewEmbedder(o)
	if err != nil {
		tb.Fatalf("NewEmbedder(%s, %d) = %v", o.Model, o.Dims, err)
	}
	return e
}

// batches is the Gemini API as ai.google.dev/api/embeddings has it. As the service does, it makes one vector of the
// parts of a content.
func batches(model string, dims int) providertest.Embeddings {
	return providertest.Embeddings{
		Dims: dims, Understand: func(r *http.Request, body []byte) (texts []string, err error) {
			var w struct {
				Requests []struct {
					Model   string `json:"model"`
					Content struct {
						Parts []struct {
							Text string `json:"text"`
						} `json:"parts"`
					} `json:"content"`
					TaskType             string `json:"taskType"`
					OutputDimensionality int    `json:"outputDimensionality"`
				} `json:"requests"`
			}
			d := json.NewDecoder(bytes.NewReader(body))
			d.DisallowUnknownFields()
			switch err := d.Decode(&w); {
			case err != nil:
				return nil, err
			case r.URL.String() != "/v1beta/models/"+model+":batchEmbedContents" ||
				r.Header.Get("X-Goog-Api-Key") != providertest.Secret:
				return nil, errors.New("not there, or without the key")
			case len(w.Requests) > 100:
				return nil, errors.New("at most 100 requests can be in one batch")
			}
			for _, q := range w.Requests {
				switch known := []string{"RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"}; {
				case q.Model != "models/"+model || len(q.Content.Parts) != 1:
					return nil, errors.New("not a request about one text")
				case strings.HasSuffix(model, "-001") != slices.Contains(known, q.TaskType):
					return nil, errors.New("the task type is that of another model")
				}
				texts = append(texts, q.Content.Parts[0].Text)
			}
			return texts, nil
		}, Answer: func(vectors [][]float32) string {
			var out []string
			for _, v := range vectors {
				out = append(out, `{"values":`+providertest.Numbers(v)+`}`)
			}
			return `{"embeddings":[` + strings.Join(out, ",") + `]}`
		}, Open: func(tb testing.TB, f *providertest.Fake) role.Embedder {
			return openEmbedder(tb, f, gemini.EmbedderOptions{Model: model, Dims: dims})
		}}
}

var place1 = &gemini.Vertex{Project: "my-project", Location: "europe-west4"}

// predictions is Vertex AI as the reference of its text embeddings API has it.
func predictions(model string, dims, most int) providertest.Embeddings {
	return providertest.Embeddings{
		Dims: dims, Understand: func(r *http.Request, body []byte) (texts []string, err error) {
			var w struct {
				Instances []struct {
					Content  string `json:"content"`
					TaskType string `json:"task_type"`
				} `json:"instances"`
				Parameters struct {
					AutoTruncate         *bool `json:"autoTruncate"`
					OutputDimensionality int   `json:"outputDimensionality"`
				} `json:"parameters"`
			}
			d := json.NewDecoder(bytes.NewReader(body))
			d.DisallowUnknownFields()
			switch err := d.Decode(&w); {
			case err != nil:
				return nil, err
			case r.URL.String() != "/v1/projects/my-project/locations/europe-west4/publishers/google/models/"+
				model+":predict":
				return nil, errors.New("not there")
			case w.Parameters.AutoTruncate == nil || *w.Parameters.AutoTruncate:
				return nil, errors.New("texts would be cut in silence")
			case len(w.Instances) > most:
				return nil, errors.New("too many instances")
			}
			for _, i := range w.Instances {
				if i.TaskType == "" {
					return nil, errors.New("a document would be taken for a query")
				}
				texts = append(texts, i.Content)
			}
			return texts, nil
		}, Answer: func(vectors [][]float32) string {
			var out []string
			for _, v := range vectors {
				out = append(out, `{"embeddings":{"statistics":{"truncated":false,"token_count":6},"values":`+
					providertest.Numbers(v)+`}}`)
			}
			return `{"predictions":[` + strings.Join(out, ",") + `]}`
		}, Open: func(tb testing.TB, f *providertest.Fake) role.Embedder {
			return openEmbedder(tb, f, gemini.EmbedderOptions{Model: model, Dims: dims, Vertex: place1})
		}}
}

var services = map[string]providertest.Embeddings{
	"task types":  batches("gemini-embedding-001", 768),
	"prefixes":    batches("gemini-embedding-2", 256),
	"vertex":      predictions("text-multilingual-embedding-002", 768, 250),
	"one by one":  predictions("gemini-embedding-001", 256, 1),
	"new on both": predictions("text-embedding-077", 64, 1),
}

func TestEmbedder(t *testing.T) {
	for name, s := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, embedtest.Harness{New: s.New, Metered: true})
		})
	}
}

func TestEmbedderFaults(t *testing.T) {
	t.Run("gemini", services["task types"].Run)
	t.Run("vertex", services["vertex"].Run)
}

// TestEmbedderRequest compares with the examples of the references.
func TestEmbedderRequest(t *testing.T) {
	t.Parallel()
	const predict = "/v1/projects/my-project/locations/europe-west4/publishers/google/models/"
	for _, c := range []struct {
		model  string
		vertex *gemini.Vertex
		dims   int
		use    role.Use
		path   string
		want   string
	}{
		{"gemini-embedding-001", nil, 768, role.ForDocument, "/v1beta/models/gemini-embedding-001:batchEmbedContents",
			`{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"hi"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":768}]}`},
		{"gemini-embedding-001", nil, 3072, role.ForQuery, "/v1beta/models/gemini-embedding-001:batchEmbedContents",
			`{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"hi"}]},"taskType":"RETRIEVAL_QUERY"}]}`},
		{"gemini-embedding-2", nil, 256, role.ForQuery, "/v1beta/models/gemini-embedding-2:batchEmbedContents",
			`{"requests":[{"model":"models/gemini-embedding-2","content":{"parts":[{"text":"task: search result | query: hi"}]},"outputDimensionality":256}]}`},
		{"gemini-embedding-2", nil, 3072, role.ForDocument, "/v1beta/models/gemini-embedding-2:batchEmbedContents",
			`{"requests":[{"model":"models/gemini-embedding-2","content":{"parts":[{"text":"title: none | text: hi"}]}}]}`},
		{"text-multilingual-embedding-002", place1, 768, role.ForDocument,
			predict + "text-multilingual-embedding-002:predict",
			`{"instances":[{"content":"hi","task_type":"RETRIEVAL_DOCUMENT"}],"parameters":{"autoTruncate":false}}`},
		{"gemini-embedding-001", place1, 1536, role.ForQuery, predict + "gemini-embedding-001:predict",
			`{"instances":[{"content":"hi","task_type":"RETRIEVAL_QUERY"}],"parameters":{"autoTruncate":false,"outputDimensionality":1536}}`},
	} {
		s := batches(c.model, c.dims)
		if c.vertex != nil {
			s = predictions(c.model, c.dims, 1)
		}
		f := providertest.New(t, s.Good())
		if _, err := openEmbedder(t, f, gemini.EmbedderOptions{Model: c.model, Dims: c.dims, Vertex: c.vertex}).Embed(
			t.Context(), c.use, []string{"hi"}); err != nil {
			t.Errorf("%s: Embed = %v", c.model, err)
		}
		f.Requests()[0].Want(t, c.path, c.want, map[string]string{"X-Goog-Api-Key": providertest.Secret})
	}
}

func TestEmbedderRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []gemini.EmbedderOptions{
		{Model: "gemini-embedding-9"},
		{Model: "gemini-embedding-001", Dims: 4096},
		{Model: "text-embedding-005", Dims: 256, Vertex: place1},
		{Model: "text-embedding-005", Vertex: &gemini.Vertex{Project: "p"}},
		{Model: "text-embedding-005", Vertex: &gemini.Vertex{Project: "p", Location: "evil.example/"}},
		{Model: "gemini-embedding-2", Vertex: place1},
	} {
		if _, err := gemini.NewEmbedder(o); err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("NewEmbedder(%+v) = %v, want kind %s", o, err, trilith.Invalid)
		}
	}
}

// TestEmbedderCut: a vector of a text that the service says it has cut, although it was told not to, is refused.
func TestEmbedderCut(t *testing.T) {
	t.Parallel()
	s := predictions("text-embedding-005", 768, 250)
	s.Answer = func(vectors [][]float32) string {
		return `{"predictions":[{"embeddings":{"statistics":{"truncated":true,"token_count":6},"values":` +
			providertest.Numbers(vectors[0]) + `}}]}`
	}
	if _, err := s.New(t).Embed(t.Context(), role.ForDocument, []string{"hi"}); trilith.KindOf(err) != trilith.Internal {
		t.Errorf("Embed = %v, want kind %s", err, trilith.Internal)
	}
}

// TestEmbedderQuota: a quota of the day is not waited for.
func TestEmbedderQuota(t *testing.T) {
	t.Parallel()
	f := providertest.New(t,
		providertest.JSON(http.StatusTooManyRequests,
			`{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[
		{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"EmbedContentRequestsPerDayPerUserPerProjectPerModel-FreeTier"}]}]}}`))
	_, err := openEmbedder(t, f, gemini.EmbedderOptions{Model: "gemini-embedding-001"}).Embed(
		t.Context(), role.ForDocument, []string{"hi"})
	if trilith.KindOf(err) != trilith.Exhausted || len(f.Requests()) != 1 {
		t.Errorf("Embed = %v after %d requests, want kind %s after 1", err, len(f.Requests()), trilith.Exhausted)
	}
}

// account makes the file of a service account that does not exist.
func account(t testing.TB, tokenURL string) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("GenerateKey = %v", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatalf("MarshalPKCS8PrivateKey = %v", err)
	}
	file, err := json.Marshal(
		map[string]string{"type": "service_account", "project_id": "my-project", "private_key_id": "k1",
			"private_key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
			"client_email": "memory@my-project.iam.gserviceaccount.com", "token_uri": tokenURL})
	if err != nil {
		t.Fatalf("Marshal = %v", err)
	}
	return file
}

// cloudOf answers for tokens and for predictions.
func cloudOf(s providertest.Embeddings, token http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			token(w, r)
			return
		}
		s.Good()(w, r)
	}
}

func withAccount(t testing.TB, f *providertest.Fake) role.Embedder {
	t.Helper()
	credential, err := gemini.Credentials(account(t, f.URL+"/token"), f.Transport)
	if err != nil {
		t.Fatalf("Credentials = %v", err)
	}
	return openEmbedder(t, f,
		gemini.EmbedderOptions{Model: "text-embedding-005", Vertex: place1,
			Service: provider.Options{Credential: credential}})
}

// TestCredentials: a service account's file gets a token, once for many requests.
func TestCredentials(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, cloudOf(predictions("text-embedding-005", 768, 250),
		providertest.JSON(http.StatusOK,
			fmt.Sprintf(`{"access_token":"%s","token_type":"Bearer","expires_in":3600}`, providertest.Secret))))
	e := withAccount(t, f)
	for range 2 {
		if _, err := e.Embed(t.Context(), role.ForQuery, []string{"hi"}); err != nil {
			t.Fatalf("Embed = %v", err)
		}
	}
	rs := f.Requests()
	if len(rs) != 3 || rs[0].Path != "/token" || !strings.Contains(string(rs[0].Body), "jwt-bearer") {
		t.Fatalf("%d requests, want one for a token and two for vectors", len(rs))
	}
	for _, r := range rs[1:] {
		if r.Header.Get("Authorization") != "Bearer "+providertest.Secret {
			t.Errorf("%s without the token", r.Path)
		}
	}
}

// TestCredentialsFail: callers never see the message of the token service, and only passing failures are tried again.
// silent is a network in which nobody answers before answer is closed.
type silent struct{ answer chan struct{} }

func (s silent) RoundTrip(*http.Request) (*http.Response, error) {
	<-s.answer
	return nil, errors.New("nobody is there")
}

// TestCredentialsInTime: waiting for a token that does not come takes no longer than the caller allows.
func TestCredentialsInTime(t *testing.T) {
	t.Parallel()
	network := silent{make(chan struct{})}
	defer close(network.answer)
	credential, err := gemini.Credentials(account(t, "https://oauth2.googleapis.com/token"), network)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := credential(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a credential for a request that was given up = %v, want canceled", err)
	}
}

func TestCredentialsFail(t *testing.T) {
	t.Parallel()
	said := `{"error":"invalid_grant","error_description":"` + providertest.Secret + `"}`
	for status, want := range map[int]trilith.ErrorKind{400: trilith.Unauthenticated, 401: trilith.Unauthenticated,
		307: trilith.Unauthenticated} {
		f := providertest.New(t, providertest.JSON(status, said, "Location", "/elsewhere"))
		_, err := withAccount(t, f).Embed(t.Context(), role.ForQuery, []string{providertest.Text})
		if trilith.KindOf(err) != want || len(f.Requests()) != 1 {
			t.Errorf("Embed where tokens are answered with %d = %v after %d requests, want kind %s after 1", status,
				err, len(f.Requests()), want)
		}
		providertest.Discreet(t, f, err)
	}
	for _, file := range []string{"{}", "no JSON", `{"type":"secret_sauce"}`} {
		if _, err := gemini.Credentials([]byte(file), nil); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Credentials(%s) = %v, want kind %s", file, err, trilith.Invalid)
		}
	}
	credential, err := gemini.Credentials([]byte(`{"type":"service_account","private_key":"none"}`), nil)
	if err != nil {
		t.Fatalf("Credentials = %v", err)
	}
	if _, err := credential(context.Background()); err == nil {
		t.Error("a service account without a key gives a token")
	}
}
