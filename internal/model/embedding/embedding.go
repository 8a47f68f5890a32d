// Package embedding has the common parts of all embedders behind an HTTP service: it cuts texts to the limit of the
// model and puts them into requests, checks vectors and gives them unit length, and splits requests that a service
// finds too big. Each driver brings a [Service], which knows the form of its requests.
package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Service is a model behind an HTTP service.
type Service struct {
	Client     *provider.Client // closed by the embedder
	Generation trilith.Generation
	Prefix     Prefix
	Limits     Limits
	// Smallest is the smallest number of dimensions that the beginning of a vector may be cut to; 0: the model is not
	// trained for that.
	Smallest int
	// Call makes the request for texts, which are at least one, none of them empty, their prefixes in front.
	Call func(use role.Use, texts []string) Call
}

// Call is a request for the vectors of some texts.
type Call struct {
	Path   string
	Body   any
	Answer any // a pointer to the value that the answer is decoded into
	// Vectors reads Answer: one vector for each text, in their order, and the tokens that are billed, 0 if the service
	// does not say. Its error must hold no text.
	Vectors func() (vectors [][]float32, tokens int, err error)
}

// Prefix is the text that a model needs before a query or a document.
type Prefix struct{ Query, Document string }

// Embedder is a [role.Embedder] over a service. It is safe for concurrent use.
type Embedder struct{ s Service }

// Generation describes the vectors.
func (e *Embedder) Generation() trilith.Generation { return e.s.Generation }

// Smallest returns the smallest number of dimensions to which [Shortened] may cut vectors; 0: none.
func (e *Embedder) Smallest() int { return e.s.Smallest }

// Close gives connections back.
func (e *Embedder) Close() error {
	e.s.Client.Close()
	return nil
}

// Limits are the limits of one request. Tokens are estimated, rather too high. A zero value is no limit.
type Limits struct {
	Items  int
	Tokens int
	Bytes  int
	Text   int // tokens of one text that the model reads, prefix included
}

// piece is a text on its way.
type piece struct {
	at     int // in the input
	text   string
	tokens int // with its prefix
	cut    bool
}

// Embed returns one embedding per text; a text of only white space has none and is not sent.
func (e *Embedder) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	prefix := e.s.Prefix.of(use)
	out := make([]role.Embedding, len(texts))
	var batch []piece
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		p := piece{at: i, text: strings.ToValidUTF8(text, "\uFFFD")}
		if e.s.Limits.Text > 0 {
			p.text, p.cut = shorten(p.text, e.s.Limits.Text-Tokens(prefix))
		}
		p.tokens = Tokens(prefix) + Tokens(p.text)
		if len(batch) > 0 && !e.s.Limits.hold(prefix, batch, p) {
			if err := e.embed(ctx, use, batch, out); err != nil {
				return nil, err
			}
			batch = nil
		}
		batch = append(batch, p)
	}
	if len(batch) > 0 {
		if err := e.embed(ctx, use, batch, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var _ role.Embedder = (*Embedder)(nil)

// hold reports whether one more piece goes into a request.
func (l Limits) hold(prefix string, batch []piece, p piece) bool {
	tokens, bytes := p.tokens, len(prefix)+len(p.text)
	for _, b := range batch {
		tokens += b.tokens
		bytes += len(prefix) + len(b.text)
	}
	return (l.Items == 0 || len(batch) < l.Items) && (l.Tokens == 0 || tokens <= l.Tokens) &&
		(l.Bytes == 0 || bytes <= l.Bytes)
}

// leastTokens is the length below which a text is not shortened further: the reason for its refusal is not its size.
const leastTokens = 16

// embed makes the vectors of a batch. One that is too big is halved, down to a text that is too big by itself, which is
// made shorter.
func (e *Embedder) embed(ctx context.Context, use role.Use, batch []piece, out []role.Embedding) error {
	vectors, err := e.ask(ctx, use, batch)
	switch {
	case err == nil:
		for i, p := range batch {
			out[p.at] = role.Embedding{Vector: vectors[i], Cut: p.cut}
		}
		return nil
	case !tooBig(err):
		return err
	case len(batch) > 1:
		half := len(batch) / 2
		if err := e.embed(ctx, use, batch[:half], out); err != nil {
			return err
		}
		return e.embed(ctx, use, batch[half:], out)
	}
	p := batch[0]
	shorter, cut := shorten(p.text, Tokens(p.text)/2)
	if !cut || Tokens(p.text) <= leastTokens {
		return err
	}
	return e.embed(ctx, use, []piece{{at: p.at, text: shorter, tokens: p.tokens, cut: true}}, out)
}

// ask sends one request.
func (e *Embedder) ask(ctx context.Context, use role.Use, batch []piece) ([]trilith.Vector, error) {
	texts, tokens := make([]string, len(batch)), 0
	for i, p := range batch {
		texts[i] = e.s.Prefix.of(use) + p.text
		tokens += p.tokens
	}
	call := e.s.Call(use, texts)
	var vectors []trilith.Vector
	err := e.s.Client.Do(ctx,
		provider.Request{Path: call.Path, Body: call.Body, Tokens: tokens, Once: use == role.ForQuery,
			Check: func() error {
				raw, billed, err := call.Vectors()
				if billed == 0 {
					billed = tokens
				}
				g := e.s.Generation
				trilith.Spend(ctx, trilith.Spent{Provider: g.Provider, Model: g.Model,
					Usage: trilith.Usage{InputTokens: billed}})
				if err != nil {
					return err
				}
				vectors, err = units(raw, len(texts), g.Dims)
				return err
			}}, call.Answer)
	return vectors, err
}

func (p Prefix) of(use role.Use) string {
	if use == role.ForQuery {
		return p.Query
	}
	return p.Document
}

// units checks vectors and makes them of unit length.
func units(raw [][]float32, n, dims int) ([]trilith.Vector, error) {
	if len(raw) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(raw), n)
	}
	out := make([]trilith.Vector, n)
	for i, v := range raw {
		if len(v) != dims {
			return nil, fmt.Errorf("a vector of %d dimensions, not of the %d that the settings say", len(v), dims)
		}
		u, ok := unit(v)
		if !ok {
			return nil, errors.New("a vector without a direction, or with a component that is no number")
		}
		out[i] = u
	}
	return out, nil
}

// unit returns v with length 1; it does not change v.
func unit(v []float32) (trilith.Vector, bool) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, false
	}
	u := make(trilith.Vector, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / length)
	}
	return u, true
}

// New returns an embedder. Nothing is sent.
func New(s Service) *Embedder { return &Embedder{s} }
