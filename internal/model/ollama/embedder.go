package ollama

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Numbers of requests. Servers load some models with a context of 2,048 tokens whatever they can, and cut longer texts
// in silence even where they are told not to (ollama#14186), so no longer ones are sent unless somebody says so.
const (
	defaultReads = 2048
	maxItems     = 64
	timeout      = 5 * time.Minute // the first request loads the model
)

// EmbedderOptions describe an embedder.
type EmbedderOptions struct {
	Model     string
	Dims      int              // 0: the model's own; required for an unknown model
	Context   int              // tokens of a text that the server makes room for; 2,048 or the model's limit, if 0
	KeepAlive string           // how long the server keeps the model loaded, such as 10m; empty: as it is set
	Service   provider.Options // Provider, Model, Explain and, where they are empty, BaseURL and Timeout are filled in
}

// NewEmbedder returns an embedder. Nothing is sent. The model is known by its name, and gets the prefixes that it is
// trained with: the server puts none.
func NewEmbedder(o EmbedderOptions) (*embedding.Embedder, error) {
	m, known := embedding.Lookup(o.Model)
	reads := cmp.Or(o.Context, min(cmp.Or(m.Reads, defaultReads), defaultReads))
	if known && o.Context > m.Reads {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: %s reads no more than %d tokens: num_ctx is above that",
			o.Model, m.Reads)
	}
	g := trilith.Generation{Provider: "ollama", Model: o.Model, Variant: m.Variant(), Recipe: 1, Threshold: true}
	var err error
	// The server cuts vectors of any model, trained for it or not.
	if g.Dims, err = (embedding.Size{Default: m.Dims, Least: m.Smallest}).Dims("ollama:"+o.Model, o.Dims); err != nil {
		return nil, err
	}
	send := g.Dims
	if m.Dims == 0 || g.Dims == m.Dims {
		send = 0
	}
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Timeout, s.Explain = g.Provider, o.Model, cmp.Or(s.BaseURL, Local),
		cmp.Or(s.Timeout, timeout), embedding.Sized(explainEmbedding)
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	return embedding.New(embedding.Service{
		Client: client, Generation: g, Prefix: m.Prefix, Smallest: m.Smallest,
		Limits: embedding.Limits{Items: maxItems, Bytes: embedding.MaxBytes, Text: reads},
		Call: func(_ role.Use, texts []string) embedding.Call {
			var a embedAnswer
			return embedding.Call{Path: "/api/embed", Answer: &a,
				Body: embedRequest{Model: o.Model, Input: texts, Dimensions: send, KeepAlive: o.KeepAlive,
					Options: embedOptions{reads}},
				Vectors: func() ([][]float32, int, error) {
					return a.Embeddings, a.PromptEvalCount, nil
				}}
		},
	}), nil
}

// embedRequest is that of POST /api/embed (ollama/ollama, docs/api.md).
type embedRequest struct {
	Model      string       `json:"model"`
	Input      []string     `json:"input"`
	Truncate   bool         `json:"truncate"` // true where it is left out
	Dimensions int          `json:"dimensions,omitempty"`
	KeepAlive  string       `json:"keep_alive,omitempty"`
	Options    embedOptions `json:"options"`
}

type embedOptions struct {
	NumCtx int `json:"num_ctx"`
}

type embedAnswer struct {
	Embeddings      [][]float32 `json:"embeddings"`
	PromptEvalCount int         `json:"prompt_eval_count"`
}

// explainEmbedding knows the failure that comes from a text and not from the server: a vector with a component that is
// no number cannot be written as JSON.
func explainEmbedding(status int, h http.Header, data []byte) (string, provider.Class) {
	message, class := explain(status, h, data)
	if strings.Contains(message, "unsupported value") {
		class = provider.Bad
	}
	return message, class
}
