package gemini

import (
	"cmp"
	"errors"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// embedder holds the known limits of an embedding model (ai.google.dev/gemini-api/docs/embeddings and, for Vertex
// AI, the reference of the text embeddings API; read 2026-11-20).
type embedder struct {
	name  string
	size  embedding.Size
	reads int // tokens of one text
	items int // of one request to Vertex AI
	// tasks says that the side of a search is a parameter; later models are told it in a prefix.
	tasks bool
}

var embedders = []embedder{
	{"gemini-embedding-001", embedding.Size{Default: 3072, Least: 128}, 2048, 1, true},
	{"gemini-embedding-2", embedding.Size{Default: 3072, Least: 128}, 8192, 1, false},
	{"text-multilingual-embedding-002", embedding.Size{Default: 768}, 2048, 250, true},
	{"text-embedding-005", embedding.Size{Default: 768}, 2048, 250, true},
}

// Variants and prefixes of the two ways of telling the side of a search.
const (
	tasksVariant    = "task types"
	prefixesVariant = "prefixes 1"
)

var (
	taskTypes = map[role.Use]string{role.ForDocument: "RETRIEVAL_DOCUMENT", role.ForQuery: "RETRIEVAL_QUERY"}
	prefixes  = embedding.Prefix{Query: "task: search result | query: ", Document: "title: none | text: "}
)

// EmbedderOptions describe an embedder.
type EmbedderOptions struct {
	Model   string
	Dims    int              // 0: the model's own; required for an unknown model
	Vertex  *Vertex          // nil: the Gemini API
	Service provider.Options // Provider, Model, Explain and, where it is empty, BaseURL are filled in
}

// NewEmbedder returns an embedder of the Gemini API or of Vertex AI. Nothing is sent.
func NewEmbedder(o EmbedderOptions) (*embedding.Embedder, error) {
	m := find(o.Model)
	name, base := "gemini", address
	if o.Vertex != nil {
		if err := o.Vertex.validate(); err != nil {
			return nil, err
		}
		if !m.tasks {
			return nil, trilith.Errorf(
				trilith.Invalid, "embedder: %s is not supported on Vertex AI; use gemini:%s, or vertex:gemini-embedding-001", o.Model, o.Model)
		}
		name, base = "vertex", o.Vertex.address()
	}
	g := trilith.Generation{Provider: name, Model: o.Model, Variant: prefixesVariant, Recipe: 1, Threshold: true}
	var prefix embedding.Prefix
	if m.tasks {
		g.Variant = tasksVariant
	} else {
		prefix = prefixes
	}
	var err error
	if g.Dims, err = m.size.Dims(name+":"+o.Model, o.Dims); err != nil {
		return nil, err
	}
	s := o.Service
	s.Provider, s.Model, s.BaseURL, s.Explain = name, o.Model, cmp.Or(s.BaseURL, base), embedding.Sized(explain)
	client, err := provider.New(s)
	if err != nil {
		return nil, err
	}
	send := g.Dims
	if g.Dims == m.size.Default {
		send = 0
	}
	out := embedding.Service{Client: client, Generation: g, Prefix: prefix, Smallest: m.size.Least}
	if o.Vertex != nil {
		out.Limits = embedding.Limits{Items: m.items, Tokens: 20_000, Bytes: embedding.MaxBytes, Text: m.reads}
		out.Call = predict(o.Vertex.models()+o.Model+":predict", send)
	} else {
		out.Limits = embedding.Limits{Items: 100, Tokens: 100_000, Bytes: embedding.MaxBytes, Text: m.reads}
		out.Call = batchEmbed(m, send)
	}
	return embedding.New(out), nil
}

// find returns the limits of a model; for an unknown one, those of the latest models.
func find(name string) embedder {
	for _, e := range embedders {
		if e.name == name {
			return e
		}
	}
	return embedder{name: name, reads: 2048, items: 1, tasks: strings.HasPrefix(name, "text-")}
}

// predictRequest is that of predict. Without the parameter texts that are too long are cut in silence.
type predictRequest struct {
	Instances  []instance        `json:"instances"`
	Parameters predictParameters `json:"parameters"`
}

type instance struct {
	Content  string `json:"content"`
	TaskType string `json:"task_type"` // for a query where it is left out
}

type predictParameters struct {
	AutoTruncate         bool `json:"autoTruncate"`
	OutputDimensionality int  `json:"outputDimensionality,omitempty"`
}

type predictAnswer struct {
	Predictions []struct {
		Embeddings struct {
			Values     []float32 `json:"values"`
			Statistics struct {
				TokenCount float64 `json:"token_count"`
				Truncated  bool    `json:"truncated"`
			} `json:"statistics"`
		} `json:"embeddings"`
	} `json:"predictions"`
}

// predict speaks to Vertex AI.
func predict(path string, dims int) func(role.Use, []string) embedding.Call {
	return func(use role.Use, texts []string) embedding.Call {
		body := predictRequest{Parameters: predictParameters{OutputDimensionality: dims}}
		for _, text := range texts {
			body.Instances = append(body.Instances, instance{text, taskTypes[use]})
		}
		var a predictAnswer
		return embedding.Call{Path: path, Body: body, Answer: &a, Vectors: func() ([][]float32, int, error) {
			vectors, tokens := make([][]float32, len(a.Predictions)), 0
			for i, p := range a.Predictions {
				vectors[i] = p.Embeddings.Values
				tokens += int(p.Embeddings.Statistics.TokenCount)
				if p.Embeddings.Statistics.Truncated {
					return nil, tokens, errors.New("a vector of a text that was cut although that was not allowed")
				}
			}
			return vectors, tokens, nil
		}}
	}
}

// batchRequest is that of batchEmbedContents. A text is a request of its own: the parts of one content become one
// vector.
type batchRequest struct {
	Requests []embedRequest `json:"requests"`
}

type embedRequest struct {
	Model                string       `json:"model"`
	Content              embedContent `json:"content"`
	TaskType             string       `json:"taskType,omitempty"`
	OutputDimensionality int          `json:"outputDimensionality,omitempty"`
}

type embedContent struct {
	Parts []embedPart `json:"parts"`
}

type embedPart struct {
	Text string `json:"text"`
}

type batchAnswer struct {
	Embeddings []struct {
		Values []float32 `json:"values"`
	} `json:"embeddings"`
}

// batchEmbed speaks to the Gemini API. It does not report the billed tokens.
func batchEmbed(m embedder, dims int) func(role.Use, []string) embedding.Call {
	return func(use role.Use, texts []string) embedding.Call {
		var body batchRequest
		for _, text := range texts {
			r := embedRequest{Model: "models/" + m.name, Content: embedContent{[]embedPart{{text}}},
				OutputDimensionality: dims}
			if m.tasks {
				r.TaskType = taskTypes[use]
			}
			body.Requests = append(body.Requests, r)
		}
		var a batchAnswer
		return embedding.Call{Path: "/v1beta/models/" + m.name + ":batchEmbedContents", Body: body, Answer: &a,
			Vectors: func() ([][]float32, int, error) {
				vectors := make([][]float32, len(a.Embeddings))
				for i, e := range a.Embeddings {
					vectors[i] = e.Values
				}
				return vectors, 0, nil
			}}
	}
}
