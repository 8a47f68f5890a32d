package bert

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
)

// shape is the layout of a model's weights.
type shape struct {
	layers, heads int
	hidden        int // components of a token, and of the result
	inner         int // components inside the feed-forward part
	vocabulary    int
	positions     int
	types         int
	epsilon       float32
}

// Limits of a shape: above the largest encoders of the family. They keep products of lengths far from overflowing.
const (
	maxLayers     = 64
	maxHidden     = 8192
	maxInner      = 4 * maxHidden
	maxVocabulary = 1 << 21
	maxPositions  = 1 << 16
	lanes         = 32 // hidden and inner are multiples of it, so that kernels need no remainders
)

type configFile struct {
	Type       string   `json:"model_type"`
	Activation string   `json:"hidden_act"`
	Position   string   `json:"position_embedding_type"`
	Layers     int      `json:"num_hidden_layers"`
	Heads      int      `json:"num_attention_heads"`
	Hidden     int      `json:"hidden_size"`
	Inner      int      `json:"intermediate_size"`
	Vocabulary int      `json:"vocab_size"`
	Positions  int      `json:"max_position_embeddings"`
	Types      int      `json:"type_vocab_size"`
	Epsilon    *float64 `json:"layer_norm_eps"`
}

func loadShape(fsys fs.FS) (shape, error) {
	var f configFile
	if err := readJSON(fsys, "config.json", &f); err != nil {
		return shape{}, err
	}
	epsilon := 1e-12
	if f.Epsilon != nil {
		epsilon = *f.Epsilon
	}
	switch {
	case f.Type != "bert":
		return shape{}, fmt.Errorf("config.json: model_type is %.32q; only bert is computed", f.Type)
	case f.Activation != "gelu":
		return shape{}, fmt.Errorf("config.json: hidden_act is %.32q; only gelu is computed", f.Activation)
	case f.Position != "" && f.Position != "absolute":
		return shape{}, fmt.Errorf(
			"config.json: position_embedding_type is %.32q; only absolute is computed", f.Position)
	case !(epsilon >= 0 && epsilon < 1):
		return shape{}, fmt.Errorf("config.json: layer_norm_eps is %g, must be a small number", epsilon)
	}
	for _, n := range []struct {
		name           string
		value, max, of int
	}{
		{"num_hidden_layers", f.Layers, maxLayers, 1},
		{"hidden_size", f.Hidden, maxHidden, lanes},
		{"intermediate_size", f.Inner, maxInner, lanes},
		{"vocab_size", f.Vocabulary, maxVocabulary, 1},
		{"max_position_embeddings", f.Positions, maxPositions, 1},
		{"type_vocab_size", f.Types, maxVocabulary, 1},
		{"num_attention_heads", f.Heads, f.Hidden, 1},
	} {
		if n.value < 1 || n.value > n.max || n.value%n.of != 0 {
			return shape{}, fmt.Errorf("config.json: %s is %d, must be 1 to %d and a multiple of %d", n.name,
				n.value, n.max, n.of)
		}
	}
	if f.Hidden%f.Heads != 0 {
		return shape{}, fmt.Errorf("config.json: hidden_size is %d, not a multiple of the %d heads", f.Hidden, f.Heads)
	}
	return shape{layers: f.Layers, heads: f.Heads, hidden: f.Hidden, inner: f.Inner, vocabulary: f.Vocabulary,
		positions: f.Positions, types: f.Types, epsilon: float32(epsilon)}, nil
}

// sentence is how a text becomes one vector.
type sentence struct {
	limit    int  // tokens of a sequence, [CLS] and [SEP] among them
	first    bool // the vector of [CLS] instead of the mean of all
	lower    bool // small letters before everything else
	prefixes Prefixes
}

// Prefixes are the texts that a model needs before a text, empty for none.
type Prefixes struct{ Query, Document string }

// loadSentence reads the notes of sentence-transformers.
func loadSentence(fsys fs.FS, s shape, longest float64) (sentence, error) {
	out := sentence{limit: s.positions}
	if longest >= 1 {
		out.limit = int(math.Min(longest, float64(out.limit)))
	}
	var modules []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	if err := readJSON(fsys, "modules.json", &modules); err != nil {
		return sentence{}, err
	}
	pooled := false
	for _, m := range modules {
		var err error
		switch path.Ext(m.Type) {
		case ".Transformer", ".Normalize": // the result has length 1 in any case
		case ".Pooling":
			pooled = true
			out.first, err = loadPooling(fsys, path.Join(m.Path, "config.json"), s.hidden)
		default:
			err = fmt.Errorf("modules.json: %.100q is not computed, only Transformer, Pooling and Normalize", m.Type)
		}
		if err != nil {
			return sentence{}, err
		}
	}
	if !pooled {
		return sentence{}, errors.New("modules.json: has no Pooling, so nothing says how a text becomes one vector")
	}
	var bert struct {
		Longest int  `json:"max_seq_length"`
		Lower   bool `json:"do_lower_case"`
	}
	if err := readJSON(fsys, "sentence_bert_config.json", &bert); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sentence{}, err
	}
	if bert.Longest > 0 {
		out.limit = min(out.limit, bert.Longest)
	}
	if out.limit < 3 {
		return sentence{}, fmt.Errorf("sentence_bert_config.json: %d tokens leave no room for a text", out.limit)
	}
	out.lower = bert.Lower
	var st struct {
		Prompts map[string]string `json:"prompts"`
	}
	if err := readJSON(fsys, "config_sentence_transformers.json", &st); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sentence{}, err
	}
	out.prefixes.Query = st.Prompts["query"]
	for _, name := range []string{"document", "passage", "corpus"} {
		if out.prefixes.Document == "" {
			out.prefixes.Document = st.Prompts[name]
		}
	}
	return out, nil
}

func loadPooling(fsys fs.FS, name string, hidden int) (first bool, err error) {
	if !fs.ValidPath(name) {
		return false, fmt.Errorf("modules.json: the path of Pooling leads out of the folder")
	}
	p := struct {
		Dims   int  `json:"word_embedding_dimension"`
		First  bool `json:"pooling_mode_cls_token"`
		Mean   bool `json:"pooling_mode_mean_tokens"`
		Max    bool `json:"pooling_mode_max_tokens"`
		Sqrt   bool `json:"pooling_mode_mean_sqrt_len_tokens"`
		Weight bool `json:"pooling_mode_weightedmean_tokens"`
		Last   bool `json:"pooling_mode_lasttoken"`
		Prompt bool `json:"include_prompt"`
	}{Dims: hidden, Prompt: true}
	if err := readJSON(fsys, name, &p); err != nil {
		return false, err
	}
	switch {
	case p.First == p.Mean || p.Max || p.Sqrt || p.Weight || p.Last:
		return false, fmt.Errorf(
			"%s: pools in a way that is not computed; only mean_tokens or cls_token alone is", name)
	case p.Dims != hidden:
		return false, fmt.Errorf("%s: word_embedding_dimension is %d, hidden_size %d", name, p.Dims, hidden)
	case !p.Prompt:
		return false, fmt.Errorf("%s: include_prompt is false, which is not computed", name)
	}
	return p.First, nil
}
