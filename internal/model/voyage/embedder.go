// Package voyage drives models of Voyage AI, behind its own service and behind that of MongoDB Atlas.
package voyage

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Where the services answer.
const (
	voyage = "https://api.voyageai.com/v1"
	atlas  = "https://ai.mongodb.com/v1"
)

// Address is where the service answers that a key belongs to: keys of Atlas begin with al-.
func Address(key string) string {
	if strings.HasPrefix(key, "al-") {
		return atlas
	}
	return voyage
}

// model holds the known limits of a model (docs.voyageai.com/docs/embeddings and docs/rate-limits, read
// 2026-11-20).
type model struct {
	name   string
	size   embedding.Size
	items  int // of one request
	tokens int // of one request
	minute int // tokens a minute, at the first tier
	legacy bool
}

// Tokens that a text may have, and requests a minute at the first tier.
const (
	reads   = 32_000
	minutes = 2000
)

var (
	flexible = embedding.Size{Default: 1024, Least: 256, Most: 2048}
	fixed    = embedding.Size{Default: 1024}
)

var models = []model{
	{"voyage-4-large", flexible, 1000, 120_000, 3_000_000, false},
	{"voyage-4", flexible, 1000, 320_000, 8_000_000, false},
	{"voyage-4-lite", flexible, 1000, 1_000_000, 16_000_000, false},
	{"voyage-code-4", flexible, 1000, 120_000, 3_000_000, false},
	{"voyage-code-3", flexible, 1000, 120_000, 3_000_000, false},
	{"voyage-3.5", flexible, 1000, 320_000, 8_000_000, true},
	{"voyage-3.5-lite", flexible, 1000, 1_000_000, 16_000_000, true},
	{"voyage-3-large", flexible, 1000, 120_000, 3_000_000, true},
	{"voyage-3", fixed, 128, 320_000, 8_000_000, true},
	{"voyage-finance-2", fixed, 128, 120_000, 3_000_000, true},
	{"voyage-law-2", fixed, 128, 120_000, 3_000_000, true},
}

// unknown is the limits assumed for an unknown model.
var unknown = model{items: 128, tokens: 120_000, minute: 3_000_000}

// EmbedderOptions describe an embedder.
type EmbedderOptions struct {
	Model   string
	Dims    int              // 0: the model's own; required for an unknown model
	Service provider.Options // Provider, Model, Explain and, where they are empty, BaseURL and Limits are filled in
}

// NewEmbedder returns an embedder. Nothing is sent.
func NewEmbedder(o EmbedderOptions) (*embedding.Embedder, error) {
	m := unknown
	for _, k := range models {
		if k.name == o.Model {
			m = k
		}
	}
	dims, err := m.size.Dims("voyage:"+o.Model, o.Dims)
	if err != nil {
		return nil, err
	}
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Explain = "voyage", o.Model, cmp.Or(s.BaseURL, voyage), embedding.Sized(explain)
	s.Limits.Requests, s.Limits.Tokens = cmp.Or(s.Limits.Requests, minutes), cmp.Or(s.Limits.Tokens, m.minute)
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	if m.legacy && s.Logger != nil {
		s.Logger.Warn("voyage: this model is deprecated on 2027-06-01 and retired on 2027-12-01; voyage-4 takes its place and needs its own vectors (trilith reindex)",
			slog.String("model", o.Model))
	}
	send := dims
	// the model's own number need not be sent, and a model with a fixed one has no such parameter
	if dims == m.size.Default || m.size.Default == 0 {
		send = 0
	}
	return embedding.New(embedding.Service{
		Client: client,
		Generation: trilith.Generation{Provider: "voyage", Model: o.Model, Dims: dims, Variant: "input types", Recipe: 1,
			Threshold: true},
		Limits:   embedding.Limits{Items: m.items, Tokens: m.tokens, Bytes: embedding.MaxBytes, Text: reads},
		Smallest: m.size.Least,
		Call: func(use role.Use, texts []string) embedding.Call {
			var a embedding.Answer
			return embedding.Call{Path: "/embeddings", Answer: &a, Vectors: a.Vectors,
				Body: request{Input: texts, Model: o.Model, InputType: inputTypes[use], EncodingFormat: "base64",
					OutputDimension: send}}
		},
	}), nil
}

var inputTypes = map[role.Use]string{role.ForDocument: "document", role.ForQuery: "query"}

// request is that of POST /embeddings (docs.voyageai.com/reference/embeddings-api).
type request struct {
	Input           []string `json:"input"`
	Model           string   `json:"model"`
	InputType       string   `json:"input_type"`
	Truncation      bool     `json:"truncation"` // true where it is left out
	OutputDimension int      `json:"output_dimension,omitempty"`
	EncodingFormat  string   `json:"encoding_format"`
}

// explain reads an error: its detail is a sentence or, with 422, a list.
func explain(_ int, _ http.Header, body []byte) (string, provider.Class) {
	var e struct {
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil {
		return "", provider.Unclassified
	}
	var sentence string
	if json.Unmarshal(e.Detail, &sentence) != nil {
		sentence = string(e.Detail)
	}
	return sentence, provider.Unclassified
}
