package rerank_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/model/rerank"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/providertest"
	"github.com/trilith-memory/trilith/internal/test/reranktest"
)

// service is how a provider's service understands and speaks, as its documentation has it.
type service struct {
	open   func(rerank.Options) (*rerank.Reranker, error)
	body   string // of a request for two texts, "a" and "b", with the query "q"
	list   string // the member of an answer that holds the scores; empty: it is a list itself
	score  string // the member of a score
	keyed  bool
	detail string // how an error says its sentence
}

var services = map[string]service{
	"voyage": {rerank.NewVoyage, `{"query":"q","documents":["a","b"],"model":"m","truncation":true}`, "data",
		"relevance_score", true, `{"detail":%q}`},
	"cohere": {rerank.NewCohere, `{"model":"m","query":"q","documents":["a","b"]}`, "results", "relevance_score", true,
		`{"id":"x","message":%q}`},
	"jina": {rerank.NewJina, `{"model":"m","query":"q","documents":["a","b"]}`, "results", "relevance_score", true,
		`{"detail":%q}`},
	"tei": {rerank.NewTEI, `{"query":"q","texts":["a","b"],"truncate":true}`, "", "score", false,
		`{"error":%q,"error_type":"Validation"}`},
}

// answer writes scores as the service does, which is best first.
func (s service) answer(scores []float64) string {
	var items []string
	for i := range scores {
		items = append(items, fmt.Sprintf(`{"index":%d,%q:%g}`, i, s.score, scores[i]))
	}
	slices.Reverse(items)
	list := "[" + strings.ReplaceAll(strings.Join(items, ","), "+Inf", "null") + "]"
	if s.list == "" {
		return list
	}
	return fmt.Sprintf(`{"object":"list",%q:%s,"model":"m"}`, s.list, list)
}

var statuses = map[trilith.ErrorKind]int{trilith.Invalid: 422, trilith.Unauthenticated: 401, trilith.Exhausted: 402,
	trilith.Unavailable: 503}

func (s service) handle(score reranktest.Scorer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Query     string   `json:"query"`
			Documents []string `json:"documents"`
			Texts     []string `json:"texts"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		scores, fails, kind := score(q.Query, append(q.Documents, q.Texts...))
		if fails {
			providertest.JSON(statuses[kind], fmt.Sprintf(s.detail, "You said "+q.Query), "Retry-After", "3600")(w, r)
			return
		}
		providertest.JSON(http.StatusOK, s.answer(scores))(w, r)
	}
}

func (s service) at(f *providertest.Fake) (*rerank.Reranker, error) {
	o := rerank.Options{Model: "m", Service: provider.Options{BaseURL: f.URL, Transport: f.Transport, Logger: f.Logger}}
	if s.keyed {
		o.Service.Credential = func(context.Context) (http.Header, error) {
			return http.Header{"Authorization": {"Bearer " + providertest.Secret}}, nil
		}
	}
	return s.open(o)
}

func (s service) must(tb testing.TB, f *providertest.Fake) *rerank.Reranker {
	tb.Helper()
	r, err := s.at(f)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestReranker(t *testing.T) {
	t.Parallel()
	for name, s := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reranktest.Run(t, reranktest.Harness{New: func(tb testing.TB, score reranktest.Scorer) role.Reranker {
				return s.must(tb, providertest.New(tb, s.handle(score)))
			}})
		})
	}
}

// TestWire: requests are as the documentation of each service has them.
func TestWire(t *testing.T) {
	t.Parallel()
	for name, s := range services {
		f := providertest.New(t, providertest.JSON(http.StatusOK, s.answer([]float64{0.25, 0.75})))
		r := s.must(t, f)
		defer r.Close()
		got, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
		if err != nil || !slices.Equal(got, []float64{0.25, 0.75}) {
			t.Errorf("%s: Rerank = %v, %v", name, got, err)
		}
		headers := map[string]string{"Content-Type": "application/json"}
		if s.keyed {
			headers["Authorization"] = "Bearer " + providertest.Secret
		}
		f.Requests()[0].Want(t, "/rerank", s.body, headers)
		if i := r.Info(); i.String() != name+":m" {
			t.Errorf("%s: Info() = %s", name, i)
		}
	}
}

// TestFaults: the faults that all services have in common.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, s := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := func(ctx context.Context, f *providertest.Fake) error {
				r, err := s.at(f)
				if err != nil {
					return err
				}
				defer r.Close()
				_, err = r.Rerank(ctx, providertest.Text, []string{providertest.Text})
				return err
			}
			providertest.Faults(t, providertest.JSON(http.StatusOK, s.answer([]float64{0.5})), call)
			providertest.Canceled(t, call)
		})
	}
}

// TestOdd: an answer whose texts are ambiguous is refused, and the error contains none of the answer.
func TestOdd(t *testing.T) {
	t.Parallel()
	for name, s := range services {
		for _, items := range []string{`{"index":0,"S":1},{"index":0,"S":2}`, `{"index":0,"S":1},{"index":2,"S":2}`,
			`{"index":-1,"S":1},{"index":0,"S":2}`,
			`{"index":0,"S":1},{"index":1}`, `{"index":0,"S":1},{"index":1,"S":"walnuts"}`,
			`{"index":0,"S":1},{"index":1,"S":1e999}`} {
			body := "[" + strings.ReplaceAll(items, "S", s.score) + "]"
			if s.list != "" {
				body = fmt.Sprintf(`{%q:%s}`, s.list, body)
			}
			f := providertest.New(t, providertest.JSON(http.StatusOK, body))
			r := s.must(t, f)
			defer r.Close()
			got, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
			if err == nil || got != nil {
				t.Errorf("%s: Rerank of %s = %v, %v, want an error alone", name, body, got, err)
			}
			providertest.Discreet(t, f, err)
		}
	}
}

// TestUsage: billed units are metered if the service reports them.
func TestUsage(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{"voyage": `"usage":{"total_tokens":26}`,
		"jina": `"usage":{"total_tokens":26}`, "cohere": `"meta":{"billed_units":{"input_tokens":26}}`} {
		s := services[name]
		body := strings.TrimSuffix(s.answer([]float64{1}), "}") + "," + tail + "}"
		r := s.must(t, providertest.New(t, providertest.JSON(http.StatusOK, body)))
		defer r.Close()
		var used trilith.Usage
		ctx := trilith.Metered(t.Context(), func(s trilith.Spent) { used.Add(s.Usage) })
		if _, err := r.Rerank(ctx, "q", []string{"a"}); err != nil || used.InputTokens != 26 {
			t.Errorf("%s: Rerank used %+v, %v, want 26 tokens", name, used, err)
		}
	}
}

// TestAddress: each service is asked where its documentation says, unless another address is named.
func TestAddress(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"voyage": "https://api.voyageai.com/v1/rerank",
		"cohere": "https://api.cohere.com/v2/rerank", "jina": "https://api.jina.ai/v1/rerank"} {
		var asked string
		var giveUp func()
		r, err := services[name].open(
			rerank.Options{Model: "m",
				Service: provider.Options{Transport: roundTrip(func(q *http.Request) (*http.Response, error) {
					asked = q.URL.String()
					giveUp()
					return nil, context.Canceled
				})}})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		ctx, cancel := context.WithCancel(t.Context())
		giveUp = cancel // no second attempt
		if _, err := r.Rerank(ctx, "q", []string{"a"}); err == nil || asked != want {
			t.Errorf("%s: Rerank = %v and asked %s, want %s", name, err, asked, want)
		}
	}
	if _, err := rerank.NewTEI(rerank.Options{}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("NewTEI without an address = %v, want Invalid", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }
