package callers_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// provider stands for the services that make the teams' vectors: Voyage, Gemini, Vertex and Ollama. A text's vector is
// made of its words and of what they mean, as far as meanings lists it.
type provider struct {
	url string

	mu    sync.Mutex
	away  bool
	asked map[string]map[string]bool // texts by the kind of request
}

// meanings are words that texts of the recordings share a meaning by.
var meanings = map[string]string{
	"hiking": "outdoor activity hobby", "outdoor": "outdoor activity", "activities": "activity", "photography": "hobby picture",
	"paris": "place city live", "live": "live place", "lives": "live place", "wohnen": "live place",
	"concrete": "material building", "pricing": "price money", "price": "price money", "cost": "price money",
	"costs": "price money", "invoice": "money", "quote": "price money", "estimate": "price money", "payment": "money pay",
	"church": "building village", "kirche": "building village church", "dorfkirche": "building village church",
	"oak": "tree", "oaks": "tree", "trees": "tree", "bäume": "tree", "eichen": "tree",
	"café": "coffee", "coffee": "coffee drink", "noir": "black", "nuc": "computer", "ordinateur": "computer",
	"python": "programming language", "programming": "programming", "ai": "programming intelligence",
}

func newProvider(tb testing.TB) *provider {
	p := &provider{asked: map[string]map[string]bool{}}
	srv := httptest.NewServer(p)
	tb.Cleanup(srv.Close)
	p.url = srv.URL
	return p
}

// vectors makes vectors of a number of dimensions.
func (p *provider) vectors(r *http.Request, texts []string, dims int) ([][]float32, error) {
	e, err := hashembed.New(dims)
	if err != nil {
		return nil, err
	}
	meant := make([]string, len(texts))
	for i, text := range texts {
		words := []string{text}
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			words = append(words, meanings[w])
		}
		meant[i] = strings.Join(words, " ")
	}
	made, err := e.Embed(r.Context(), role.ForDocument, meant)
	out := make([][]float32, len(made))
	for i, m := range made {
		out[i] = m.Vector
	}
	return out, err
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Input     []string   `json:"input"` // Voyage, Ollama
		Dims      int        `json:"output_dimension"`
		InputType string     `json:"input_type"`
		Requests  []struct { // Gemini
			Content struct {
				Parts []struct{ Text string }
			}
			TaskType             string
			OutputDimensionality int
		}
		Instances []struct { // Vertex
			Content  string `json:"content"`
			TaskType string `json:"task_type"`
		}
		Parameters struct{ OutputDimensionality int }
	}
	if strings.HasSuffix(r.URL.Path, "/token") {
		providertest.JSON(http.StatusOK, `{"access_token":"t","expires_in":3600,"token_type":"Bearer"}`)(w, r)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts, dims, use := in.Input, in.Dims, in.InputType
	for _, q := range in.Requests {
		texts, dims, use = append(texts, q.Content.Parts[0].Text), q.OutputDimensionality, q.TaskType
	}
	for _, q := range in.Instances {
		texts, dims, use = append(texts, q.Content), in.Parameters.OutputDimensionality, q.TaskType
	}
	switch {
	case dims > 0:
	case in.Instances != nil:
		dims = 768
	case strings.HasSuffix(r.URL.Path, "/api/embed"):
		dims = 384
	default:
		dims = 1024
	}
	p.mu.Lock()
	kind := strings.Join(strings.Fields(fmt.Sprint(r.URL.Path, " ", use, " of ", dims, " dimensions")), " ")
	if p.asked[kind] == nil {
		p.asked[kind] = map[string]bool{}
	}
	for _, text := range texts {
		p.asked[kind][text] = true
	}
	away := p.away
	p.mu.Unlock()
	if away {
		providertest.JSON(http.StatusServiceUnavailable, `{"error":{"message":"away"}}`)(w, r)
		return
	}
	vectors, err := p.vectors(r, texts, dims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var out []string
	switch {
	case in.Requests != nil:
		for _, v := range vectors {
			out = append(out, `{"values":`+providertest.Numbers(v)+`}`)
		}
		fmt.Fprintf(w, `{"embeddings":[%s]}`, strings.Join(out, ","))
	case in.Instances != nil:
		for _, v := range vectors {
			out = append(out, `{"embeddings":{"values":`+providertest.Numbers(v)+
				`,"statistics":{"truncated":false,"token_count":3}}}`)
		}
		fmt.Fprintf(w, `{"predictions":[%s]}`, strings.Join(out, ","))
	case strings.HasSuffix(r.URL.Path, "/api/embed"):
		for _, v := range vectors {
			out = append(out, providertest.Numbers(v))
		}
		fmt.Fprintf(w, `{"embeddings":[%s]}`, strings.Join(out, ","))
	default:
		for i, v := range vectors {
			out = append(out, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, providertest.Base64(v)))
		}
		fmt.Fprintf(w, `{"data":[%s],"model":"voyage-3","usage":{"total_tokens":3}}`, strings.Join(out, ","))
	}
}

// set makes the service answer, or be away.
func (p *provider) set(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

func (p *provider) isAway() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

// log returns how many different texts were sent in each kind of request since the last call. How they were parted into
// requests, and how often one was sent again, is a matter of time.
func (p *provider) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(p.asked)) {
		fmt.Fprintf(&out, "%s: %d texts\n", kind, len(p.asked[kind]))
	}
	clear(p.asked)
	return out.String()
}

// account makes the file of a service account of Google's that does not exist.
func account(tb testing.TB, tokenURL string) []byte {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "p", "private_key_id": "k1",
		"private_key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email": "memory@p.iam.gserviceaccount.com", "token_uri": tokenURL})
	if err != nil {
		tb.Fatal(err)
	}
	return file
}
