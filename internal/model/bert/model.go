package bert

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
)

// Precision is the kind of numbers that the large products are computed in.
type Precision string

// The precisions. Vectors of different ones are nearly but not quite the same: mixing them in one index makes search
// a little worse.
const (
	Float32 Precision = "f32"
	Int8    Precision = "int8"
)

// Model is an encoder. It is immutable, so any number of goroutines may share it, each with its own [Workspace].
type Model struct {
	shape
	sentence
	tokenizer   *tokenizer
	kernels     *kernels
	words       []float32 // an embedding for each piece of the vocabulary
	places      []float32 // an embedding for each position, with that of the first type of token added
	norm        layerNorm
	layers      []layer
	fingerprint string
}

// layer is one of the equal steps that an encoder is made of.
type layer struct {
	query, output matrix // of attention; query makes queries, keys and values at once
	attended      layerNorm
	widen, narrow matrix // of the feed-forward part
	forwarded     layerNorm
}

// layerNorm is a scale and a shift for each component.
type layerNorm struct{ scale, shift []float32 }

// Load reads the model in fsys: config.json, tokenizer.json or vocab.txt, modules.json and the files that it names,
// model.safetensors, and optionally tokenizer_config.json, sentence_bert_config.json and
// config_sentence_transformers.json. It returns an error, which names the file, for a model that it cannot compute
// correctly: other architectures, tokenizers and poolings, shapes that do not fit the weights, truncated files. Nothing
// stays open.
func Load(fsys fs.FS, p Precision) (*Model, error) {
	all := available()
	return load(fsys, p, &all[len(all)-1])
}

func load(fsys fs.FS, p Precision, k *kernels) (*Model, error) {
	if p != Float32 && p != Int8 {
		return nil, fmt.Errorf("precision: %.32q is neither %s nor %s", p, Float32, Int8)
	}
	s, err := loadShape(fsys)
	if err != nil {
		return nil, err
	}
	var config tokenizerConfig
	if err := readJSON(fsys, "tokenizer_config.json", &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m := &Model{shape: s, kernels: k}
	if m.sentence, err = loadSentence(fsys, s, config.Longest); err != nil {
		return nil, err
	}
	if m.tokenizer, err = loadTokenizer(fsys, config, s.vocabulary); err != nil {
		return nil, err
	}
	m.tokenizer.lower = m.tokenizer.lower || m.sentence.lower
	const weights = "model.safetensors"
	file, err := fsys.Open(weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", weights, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", weights, err)
	}
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s: cannot be read in parts", weights)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%v %v %v\n", m.shape, m.sentence, m.tokenizer.rules) // a hash returns no error
	m.tokenizer.describe(sum)
	t, err := openTensors(at, info.Size(), sum)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", weights, err)
	}
	if err := m.loadWeights(t, p); err != nil {
		return nil, fmt.Errorf("%s: %w", weights, err)
	}
	m.fingerprint = hex.EncodeToString(sum.Sum(nil)[:4])
	return m, nil
}

// loadWeights reads all weights, always in the same order, since the fingerprint depends on it.
func (m *Model) loadWeights(t *tensors, p Precision) error {
	r := weightReader{tensors: t}
	h := m.hidden
	m.words = r.read("embeddings.word_embeddings.weight", m.vocabulary, h)
	m.places = r.read("embeddings.position_embeddings.weight", m.shape.positions, h)
	types := r.read("embeddings.token_type_embeddings.weight", m.types, h)
	m.norm = r.norm("embeddings.LayerNorm", h)
	if r.err != nil {
		return r.err
	}
	for i := range m.places {
		m.places[i] += types[i%h]
	}
	build := func(in, out int, weights, bias []float32) matrix {
		if p == Int8 {
			return newInt8Matrix(m.kernels, in, out, weights, bias)
		}
		return newFloatMatrix(&m.kernels.float, in, out, weights, bias)
	}
	dense := func(name string, in, out int) matrix {
		weights, bias := r.dense(name, in, out)
		if r.err != nil {
			return nil
		}
		return build(in, out, weights, bias)
	}
	for i := range m.shape.layers {
		name := func(part string) string { return fmt.Sprintf("encoder.layer.%d.%s", i, part) }
		var weights, bias []float32
		for _, part := range []string{"query", "key", "value"} {
			w, b := r.dense(name("attention.self."+part), h, h)
			if part == "query" { // the divisor of attention, once and for all
				by := float32(1 / math.Sqrt(float64(h/m.heads)))
				scale(w, by)
				scale(b, by)
			}
			weights, bias = append(weights, w...), append(bias, b...)
		}
		if r.err != nil {
			return r.err
		}
		m.layers = append(m.layers, layer{
			query:     build(h, 3*h, weights, bias),
			output:    dense(name("attention.output.dense"), h, h),
			attended:  r.norm(name("attention.output.LayerNorm"), h),
			widen:     dense(name("intermediate.dense"), h, m.inner),
			narrow:    dense(name("output.dense"), m.inner, h),
			forwarded: r.norm(name("output.LayerNorm"), h),
		})
	}
	return r.err
}

func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

// weightReader keeps the first error.
type weightReader struct {
	*tensors
	err error
}

func (r *weightReader) read(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	var out []float32
	out, r.err = r.tensors.read(name, shape...)
	return out
}

func (r *weightReader) dense(name string, in, out int) (weights, bias []float32) {
	return r.read(name+".weight", out, in), r.read(name+".bias", out)
}

func (r *weightReader) norm(name string, n int) layerNorm {
	return layerNorm{scale: r.read(name+".weight", n), shift: r.read(name+".bias", n)}
}

// describe writes the vocabulary in a canonical order.
func (t *tokenizer) describe(w io.Writer) {
	pieces := make([]string, 0, len(t.whole))
	for piece, id := range t.whole {
		pieces = append(pieces, fmt.Sprintf("%d %q\n", id, piece))
	}
	slices.Sort(pieces)
	io.WriteString(w, strings.Join(pieces, ""))
}

// Dims is the number of components of a vector.
func (m *Model) Dims() int { return m.hidden }

// Limit is how many tokens of a sequence are read, the special ones at its ends among them.
func (m *Model) Limit() int { return m.limit }

// Prefixes returns the prefixes in the model's own files.
func (m *Model) Prefixes() Prefixes { return m.prefixes }

// Fingerprint identifies a model: 8 hexadecimal digits of a SHA-256 of everything that determines a vector, except the
// precision. Equivalent formatting and settings give the same fingerprint.
func (m *Model) Fingerprint() string { return m.fingerprint }

// Tokenize appends the tokens of prefix and text to ids: [CLS], pieces, [SEP], [Model.Limit] of them at most. cut says
// that the text was longer than that and is read up to the last piece that fits. If the text has no piece that the
// model knows, nothing is appended: there is nothing to say about it.
func (m *Model) Tokenize(ids []int32, prefix, text string) (_ []int32, cut bool) {
	t, before := m.tokenizer, len(ids)
	ids = append(ids, t.begin)
	led, _ := t.append(ids, m.limit, prefix)
	ids, cut = t.append(ids, m.limit-2, prefix, text)
	if !slices.ContainsFunc(ids[min(len(led), len(ids)):], func(id int32) bool { return id != t.unknown }) {
		return ids[:before], false
	}
	return append(ids, t.end), cut
}
