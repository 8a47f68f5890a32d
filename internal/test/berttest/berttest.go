// Package berttest makes small models for tests, as files and as numbers: a program reads the files, and the numbers
// go through a computation in float64 that is as plain as the formulas of the papers. Nothing here is fast or shared
// with the code under test.
package berttest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/fstest"
)

// Model is an encoder with random weights. Change its fields before calling its methods.
type Model struct {
	Layers, Heads, Hidden, Inner, Positions int
	First                                   bool     // pools the first token instead of the mean
	Limit                                   int      // tokens of a sequence
	Vocabulary                              []string // every piece at the place of its number
	Prompts                                 map[string]string
	Seed                                    uint64

	weights map[string]tensor
}

type tensor struct {
	shape  []int
	values []float32
}

// Tiny is a model of two layers that knows the letters, and the words of the tests of embedders and of this package.
func Tiny() *Model {
	vocabulary := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			vocabulary = append(vocabulary, string(c))
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				vocabulary = append(vocabulary, "##"+string(c))
			}
		}
	}
	vocabulary = append(vocabulary, strings.Fields(words)...)
	return &Model{Layers: 2, Heads: 2, Hidden: 64, Inner: 96, Positions: 48, Limit: 32, Vocabulary: vocabulary, Seed: 1}
}

const words = `the in of and is she he to with her on because ana work ##ed ##ing as nurse oslo where does house garden deploy ##ment ku
	##ber ##net ##es fail tuesday register answer an error allergic pea ##nut enjoy hi ##king mount ##ain dog what it query passage
	un ##aff ##able 日 本 会 は 明 ##す — … é ##é ᄒ ##ᅡ ##ᆫ я`

// MiniLM has the shape of all-MiniLM-L6-v2, for measuring; its vocabulary is the tiny one, which costs no time.
func MiniLM() *Model {
	m := Tiny()
	m.Layers, m.Heads, m.Hidden, m.Inner, m.Positions, m.Limit = 6, 12, 384, 1536, 512, 256
	return m
}

// make draws the weights, once: about as spread as trained ones are, and further where the norms are.
func (m *Model) make() map[string]tensor {
	if m.weights != nil {
		return m.weights
	}
	r := rand.New(rand.NewPCG(m.Seed, 2))
	m.weights = make(map[string]tensor)
	add := func(name string, mean, spread float64, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(mean + spread*r.NormFloat64())
		}
		m.weights[name] = tensor{shape, values}
	}
	norm := func(name string) {
		add(name+".weight", 1, 0.2, m.Hidden)
		add(name+".bias", 0, 0.2, m.Hidden)
	}
	dense := func(name string, in, out int) {
		add(name+".weight", 0, 1.5/math.Sqrt(float64(in)), out, in)
		add(name+".bias", 0, 0.1, out)
	}
	add("embeddings.word_embeddings.weight", 0, 1, len(m.Vocabulary), m.Hidden)
	add("embeddings.position_embeddings.weight", 0, 0.3, m.Positions, m.Hidden)
	add("embeddings.token_type_embeddings.weight", 0, 0.3, 2, m.Hidden)
	norm("embeddings.LayerNorm")
	for i := range m.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		dense(p+"attention.self.query", m.Hidden, m.Hidden)
		dense(p+"attention.self.key", m.Hidden, m.Hidden)
		dense(p+"attention.self.value", m.Hidden, m.Hidden)
		dense(p+"attention.output.dense", m.Hidden, m.Hidden)
		norm(p + "attention.output.LayerNorm")
		dense(p+"intermediate.dense", m.Hidden, m.Inner)
		dense(p+"output.dense", m.Inner, m.Hidden)
		norm(p + "output.LayerNorm")
	}
	return m.weights
}

// Files are the files of the model, as Hugging Face keeps them.
func (m *Model) Files() fstest.MapFS {
	numbers := make(map[string]int)
	for i, piece := range m.Vocabulary {
		numbers[piece] = i
	}
	files := map[string]any{
		"config.json": map[string]any{"model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": m.Layers,
			"num_attention_heads": m.Heads,
			"hidden_size":         m.Hidden, "intermediate_size": m.Inner, "vocab_size": len(m.Vocabulary),
			"max_position_embeddings": m.Positions,
			"type_vocab_size":         2, "layer_norm_eps": epsilon},
		"tokenizer.json": map[string]any{
			"normalizer": map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
				"strip_accents": nil, "lowercase": true},
			"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
			"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
				"max_input_chars_per_word": 100, "vocab": numbers}},
		"tokenizer_config.json": map[string]any{"tokenizer_class": "BertTokenizer", "do_lower_case": true,
			"model_max_length": 512},
		"sentence_bert_config.json":         map[string]any{"max_seq_length": m.Limit, "do_lower_case": false},
		"config_sentence_transformers.json": map[string]any{"prompts": m.Prompts},
		"modules.json": []map[string]any{{"path": "", "type": "sentence_transformers.models.Transformer"},
			{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			{"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}},
		"1_Pooling/config.json": map[string]any{"word_embedding_dimension": m.Hidden, "pooling_mode_cls_token": m.First,
			"pooling_mode_mean_tokens": !m.First},
	}
	out := fstest.MapFS{
		"model.safetensors": {Data: m.safetensors()},
		"vocab.txt":         {Data: []byte(strings.Join(m.Vocabulary, "\n") + "\n")},
	}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: marshal(content)}
	}
	return out
}

const epsilon = 1e-12

func (m *Model) safetensors() []byte {
	var data bytes.Buffer
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	weights := m.make()
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		t, start := weights[name], data.Len()
		data.Write(numbers(t.values))
		header[name] = map[string]any{"dtype": "F32", "shape": t.shape, "data_offsets": []int{start, data.Len()}}
	}
	head := marshal(header)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, data.Bytes())
}

func numbers(values []float32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// marshal encodes a value made here, which never fails.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
