// Package hashembed is the embedder "hash:DIMS" for tests and demonstrations: it needs no model, and its cosines can be
// computed in advance.
//
// Every word has a few places in the vector and a sign at each, both taken from a hash of it; a text is the sum of its
// words. So the cosine of two texts is about the share of words that they have in common, and nothing else: it knows no
// word forms, no meanings and no order. Chance adds noise of about 1/√DIMS.
package hashembed

import (
	"context"
	"hash/fnv"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
)

// MaxDims is the most dimensions: as many as the largest models have that people use for memories.
const MaxDims = 4096

// places is how many components a word uses. With one, two words with the same component would be equal; with four they
// nearly always differ in some.
const places = 4

// Embedder is a [role.Embedder] without state.
type Embedder struct{ dims int }

// New returns an embedder of 1 to [MaxDims] dimensions.
func New(dims int) (*Embedder, error) {
	if dims < 1 || dims > MaxDims {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: hash:%d: dimensions must be 1 to %d", dims, MaxDims)
	}
	return &Embedder{dims: dims}, nil
}

var _ role.Embedder = (*Embedder)(nil)

// Generation describes the vectors. Their cosines can carry a threshold, since they are a share.
func (e *Embedder) Generation() trilith.Generation {
	return trilith.Generation{Provider: "hash", Model: "words", Dims: e.dims, Recipe: 1, Threshold: true}
}

// Embed returns one embedding per text, its vector nil for a text without letters and digits. Documents and queries are
// treated alike.
func (e *Embedder) Embed(ctx context.Context, _ role.Use, texts []string) ([]role.Embedding, error) {
	out := make([]role.Embedding, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i].Vector = e.embed(text)
	}
	return out, nil
}

// Close does nothing.
func (e *Embedder) Close() error { return nil }

func (e *Embedder) embed(text string) trilith.Vector {
	words := strings.FieldsFunc(textproc.Fold(text), func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark)
	})
	if len(words) == 0 {
		return nil
	}
	v := make(trilith.Vector, e.dims)
	var last uint64
	for _, w := range words {
		h := fnv.New64a()
		io.WriteString(h, w) // a hash returns no error
		seed := h.Sum64()
		for n := range uint64(places) {
			last = mix(seed + n)
			v[last>>1%uint64(e.dims)] += 1 - 2*float32(last&1)
		}
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 { // every word met its opposite
		v[last>>1%uint64(e.dims)], sum = 1, 1
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// mix spreads the bits of h over all of it, after the finalizer of MurmurHash3 (A. Appleby, 2011).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
