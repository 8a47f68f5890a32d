// Package rerank drives rerankers behind HTTP services: those of Voyage, Cohere and Jina, text-embeddings-inference
// (TEI), and the servers that follow Jina's shape, such as llama.cpp, vLLM and Infinity.
//
// A service sees the query and the texts. Answers are joined with the texts by their numbers, and an answer that does
// not score every text once, with a finite number, is none.
package rerank

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Options describe a reranker.
type Options struct {
	Model string // of TEI it may be empty: a server has one
	// Provider, Model, Explain and, where the service has an address of its own, BaseURL are filled in
	Service provider.Options
}

const (
	maxTexts = 1000 // the limit of Voyage, and Cohere's advice
	// maxText is how many bytes of a text are scored: some 2,000 tokens, which is more than most rerankers read.
	maxText = 8 << 10
	// batchTEI is how many texts a TEI server takes at once unless it is told otherwise (--max-client-batch-size).
	batchTEI = 32
)

// shape is how a service wants to be asked and how it answers.
type shape struct {
	name    string
	address string // empty: there is none but one's own
	batch   int    // texts in one request
	body    func(model, query string, texts []string) any
	read    func(answer []byte) (scored []score, tokens int, err error)
}

// score is the score of the text at an index.
type score struct {
	Index int      `json:"index"`
	Score *float64 `json:"relevance_score"`
}

// NewVoyage returns a reranker of Voyage.
func NewVoyage(o Options) (*Reranker, error) {
	return open(o, shape{name: "voyage", address: "https://api.voyageai.com/v1", batch: maxTexts,
		body: func(model, query string, texts []string) any {
			return struct {
				Query      string   `json:"query"`
				Documents  []string `json:"documents"`
				Model      string   `json:"model"`
				Truncation bool     `json:"truncation"`
			}{query, texts, model, true}
		}, read: readList})
}

// NewCohere returns a reranker of Cohere.
func NewCohere(o Options) (*Reranker, error) {
	return open(o, shape{name: "cohere", address: "https://api.cohere.com/v2", batch: maxTexts, body: documents,
		read: readList})
}

// NewJina returns a reranker of Jina, or of a server of the same shape that Service.BaseURL names.
func NewJina(o Options) (*Reranker, error) {
	return open(o, shape{name: "jina", address: "https://api.jina.ai/v1", batch: maxTexts, body: documents,
		read: readList})
}

// NewTEI returns the reranker that a text-embeddings-inference server at Service.BaseURL runs.
func NewTEI(o Options) (*Reranker, error) {
	return open(o, shape{name: "tei", batch: batchTEI,
		body: func(_, query string, texts []string) any {
			return struct {
				Query    string   `json:"query"`
				Texts    []string `json:"texts"`
				Truncate bool     `json:"truncate"`
			}{query, texts, true}
		}, read: readScores})
}

func documents(model, query string, texts []string) any {
	return struct {
		Model     string   `json:"model"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
	}{model, query, texts}
}

// readList reads an answer of Voyage (data), or of Cohere and those of Jina's shape (results).
func readList(answer []byte) ([]score, int, error) {
	var a struct {
		Data    []score `json:"data"`
		Results []score `json:"results"`
		Usage   struct {
			TotalTokens int `json:"total_tokens"`
		} `json:"usage"`
		Meta struct {
			BilledUnits struct {
				InputTokens float64 `json:"input_tokens"`
			} `json:"billed_units"`
		} `json:"meta"`
	}
	err := json.Unmarshal(answer, &a)
	return append(a.Data, a.Results...), max(a.Usage.TotalTokens, int(a.Meta.BilledUnits.InputTokens)), err
}

// readScores reads an answer of TEI.
func readScores(answer []byte) ([]score, int, error) {
	var scored []struct {
		Index int      `json:"index"`
		Score *float64 `json:"score"`
	}
	err := json.Unmarshal(answer, &scored)
	out := make([]score, len(scored))
	for i, s := range scored {
		out[i] = score(s)
	}
	return out, 0, err
}

// Reranker is a [role.Reranker] behind a service.
type Reranker struct {
	shape
	info   role.RerankerInfo
	client *provider.Client
	closed atomic.Bool
}

var _ role.Reranker = (*Reranker)(nil)

func open(o Options, s shape) (*Reranker, error) {
	p := o.Service
	p.Provider, p.Model, p.BaseURL, p.Explain = s.name, o.Model, cmp.Or(p.BaseURL, s.address), explain
	client, err := provider.New(p)
	if err != nil {
		return nil, err
	}
	return &Reranker{shape: s, info: role.RerankerInfo{Provider: s.name, Name: o.Model, MaxTexts: maxTexts},
		client: client}, nil
}

// Info describes the reranker.
func (r *Reranker) Info() role.RerankerInfo { return r.info }

// Rerank returns one score per text.
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	switch {
	case len(texts) > r.info.MaxTexts:
		return nil, trilith.Errorf(trilith.Invalid, "texts: are %d, %s takes %d at once", len(texts), r.info,
			r.info.MaxTexts)
	case r.closed.Load():
		return nil, trilith.Errorf(trilith.Unavailable, "reranker: it is closed")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]float64, 0, len(texts))
	for batch := range slices.Chunk(texts, r.batch) {
		scores, err := r.score(ctx, query, batch)
		if err != nil {
			return nil, err
		}
		out = append(out, scores...)
	}
	return out, nil
}

// score sends one request.
func (r *Reranker) score(ctx context.Context, query string, texts []string) (scores []float64, err error) {
	shown := make([]string, len(texts))
	tokens := 0
	for i, t := range texts {
		shown[i] = beginning(t)
		tokens += (len(query) + len(shown[i])) / 4
	}
	var answer json.RawMessage
	var used int
	request := provider.Request{Path: "/rerank", Body: r.body(r.info.Name, query, shown), Tokens: tokens,
		Check: func() error {
			var scored []score
			var err error
			if scored, used, err = r.read(answer); err == nil {
				scores, err = joined(scored, len(texts))
			} else {
				err = errShape
			}
			return err
		}}
	err = r.client.Do(ctx, request, &answer)
	if used > 0 {
		trilith.Spend(ctx, trilith.Spent{Provider: r.info.Provider, Model: r.info.Name,
			Usage: trilith.Usage{InputTokens: used}})
	}
	return scores, err
}

// beginning returns the part of a text that is scored.
func beginning(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Errors of an answer.
var (
	errShape = errors.New("it is not a list of scores")
	errCount = errors.New("it does not score every text")
	errIndex = errors.New("it scores a text twice, or one that was not sent")
	errScore = errors.New("a score is not a number")
)

// joined puts scores at the places of their texts.
func joined(scored []score, n int) ([]float64, error) {
	if len(scored) != n {
		return nil, errCount
	}
	out, seen := make([]float64, n), make([]bool, n)
	for _, j := range scored {
		switch {
		case j.Index < 0 || j.Index >= n || seen[j.Index]:
			return nil, errIndex
		case j.Score == nil: // JSON itself knows no others that are not finite
			return nil, errScore
		}
		out[j.Index], seen[j.Index] = *j.Score, true
	}
	return out, nil
}

// Close gives the connections back.
func (r *Reranker) Close() error {
	if !r.closed.Swap(true) {
		r.client.Close()
	}
	return nil
}
