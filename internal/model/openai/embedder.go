package openai

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Limits of POST /embeddings (platform.openai.com/docs/api-reference/embeddings). The limits of a compatible server are
// unknown; a batch that it refuses is halved.
var (
	ownLimits        = embedding.Limits{Items: 2048, Tokens: 300_000, Bytes: embedding.MaxBytes, Text: 8191}
	compatibleLimits = embedding.Limits{Items: 32, Tokens: 100_000, Bytes: embedding.MaxBytes}
)

// sizes lists OpenAI's own models.
var sizes = map[string]embedding.Size{
	"text-embedding-3-small": {Default: 1536, Least: 256},
	"text-embedding-3-large": {Default: 3072, Least: 256},
	"text-embedding-ada-002": {Default: 1536},
}

// EmbedderOptions describe an embedder.
type EmbedderOptions struct {
	Model string
	// Dims is 0 for the model's own; required for an unknown model. A compatible server's vectors must have it, but
	// the request never names it, since many servers refuse the parameter.
	Dims int
	// Service says where the service is: OpenAI itself if BaseURL is empty or one of its own, else a compatible server.
	// Provider, Model and Explain are filled in.
	Service provider.Options
}

// NewEmbedder returns an embedder. Nothing is sent.
//
// An open model on a compatible server is known by its name, and gets the prefixes that it is trained with. Its
// dimensions are not the server's matter then: fewer of them are cut here.
func NewEmbedder(o EmbedderOptions) (*embedding.Embedder, error) {
	compatible := !own(o.Service.BaseURL)
	g := trilith.Generation{Provider: "openai", Model: o.Model, Recipe: 1, Threshold: true}
	size, limits, prefix := sizes[o.Model], ownLimits, embedding.Prefix{}
	smallest := size.Least
	if compatible {
		limits = compatibleLimits
		if m, ok := embedding.Lookup(o.Model); ok {
			size, smallest = embedding.Size{Default: m.Dims}, m.Smallest
			limits.Text, prefix, g.Variant = m.Reads, m.Prefix, m.Variant()
		}
	}
	var err error
	if g.Dims, err = size.Dims("openai:"+o.Model, o.Dims); err != nil {
		return nil, err
	}
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Explain = g.Provider, o.Model, cmp.Or(s.BaseURL, OpenAI), embedding.Sized(explain)
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	send := g.Dims
	if compatible || g.Dims == size.Default {
		send = 0
	}
	return embedding.New(embedding.Service{
		Client: client, Generation: g, Prefix: prefix, Limits: limits, Smallest: smallest,
		Call: func(_ role.Use, texts []string) embedding.Call {
			var a embedding.Answer
			return embedding.Call{Path: "/embeddings", Answer: &a, Vectors: a.Vectors,
				Body: embeddingRequest{Input: texts, Model: o.Model, Dimensions: send, EncodingFormat: "base64"}}
		},
	}), nil
}

// own reports whether a base URL is OpenAI's, which has one for each region.
func own(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return baseURL == "" || err == nil && strings.HasSuffix("."+u.Hostname(), ".api.openai.com")
}

// embeddingRequest is that of POST /embeddings.
type embeddingRequest struct {
	Input          []string `json:"input"`
	Model          string   `json:"model"`
	Dimensions     int      `json:"dimensions,omitempty"`
	EncodingFormat string   `json:"encoding_format"`
}
