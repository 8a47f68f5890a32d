package bert

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/trilith-memory/trilith/internal/test/berttest"
)

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	header := func(text string) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	}
	weights := berttest.Tiny().Files()["model.safetensors"].Data
	for _, c := range []struct {
		name, file string
		from, to   string // replaced in the file
		content    []byte // instead of all of it
		want       string // in the error
	}{
		{name: "another architecture", file: "config.json", from: `"bert"`, to: `"modernbert"`, want: "only bert"},
		{name: "another activation", file: "config.json", from: `"gelu"`, to: `"relu"`, want: "only gelu"},
		{name: "relative positions", file: "config.json", from: `"model_type"`,
			to: `"position_embedding_type":"relative_key","model_type"`, want: "only absolute"},
		{name: "no layers", file: "config.json", from: `"num_hidden_layers":2`, to: `"num_hidden_layers":0`,
			want: "num_hidden_layers is 0"},
		{name: "endless layers", file: "config.json", from: `"num_hidden_layers":2`,
			to: `"num_hidden_layers":2000000000`, want: "num_hidden_layers is 2000000000"},
		{name: "odd width", file: "config.json", from: `"hidden_size":64`, to: `"hidden_size":65`,
			want: "hidden_size is 65"},
		{name: "absurd width", file: "config.json", from: `"hidden_size":64`, to: `"hidden_size":64000000`,
			want: "hidden_size is 64000000"},
		{name: "heads", file: "config.json", from: `"num_attention_heads":2`, to: `"num_attention_heads":5`,
			want: "not a multiple of the 5 heads"},
		{name: "epsilon", file: "config.json", from: `"layer_norm_eps":1e-12`, to: `"layer_norm_eps":-1`,
			want: "layer_norm_eps"},
		{name: "another width than the weights", file: "config.json", from: `"intermediate_size":96`,
			to: `"intermediate_size":128`, want: "the configuration says"},
		{name: "no JSON", file: "config.json", content: []byte("{"), want: "config.json"},
		{name: "missing", file: "config.json", want: "config.json is missing"},
		{name: "another tokenizer", file: "tokenizer.json", from: "WordPiece", to: "Unigram", want: `is a "Unigram"`},
		{name: "another normalizer", file: "tokenizer.json", from: "BertNormalizer", to: "NFKC",
			want: "BertNormalizer"},
		{name: "another mark", file: "tokenizer.json", from: `"continuing_subword_prefix":"##"`,
			to: `"continuing_subword_prefix":"@@"`, want: "tokenizer.json"},
		{name: "piece beyond the embeddings", file: "tokenizer.json", from: `"[MASK]":4`, to: `"[MASK]":4000`,
			want: "has the number 4000"},
		{name: "no separator", file: "tokenizer.json", from: `"[SEP]":3,`, to: ``, want: "has no token [SEP]"},
		{name: "missing", file: "tokenizer.json", want: "vocab.txt is missing"},
		{name: "missing", file: "modules.json", want: "modules.json is missing"},
		{name: "dense layer", file: "modules.json", from: "models.Normalize", to: "models.Dense", want: "models.Dense"},
		{name: "no pooling", file: "modules.json", content: []byte("[]"), want: "has no Pooling"},
		{name: "out of the folder", file: "modules.json", from: "1_Pooling", to: "../1_Pooling",
			want: "leads out of the folder"},
		{name: "missing", file: "1_Pooling/config.json", want: "1_Pooling/config.json is missing"},
		{name: "two poolings", file: "1_Pooling/config.json", from: `"pooling_mode_cls_token":false`,
			to: `"pooling_mode_cls_token":true`, want: "pools in a way"},
		{name: "pooling of the greatest", file: "1_Pooling/config.json", from: "{",
			to: `{"pooling_mode_max_tokens":true,`, want: "pools in a way"},
		{name: "without prompts", file: "1_Pooling/config.json", from: "{", to: `{"include_prompt":false,`,
			want: "include_prompt"},
		{name: "other dimensions", file: "1_Pooling/config.json", from: ":64", to: ":32",
			want: "word_embedding_dimension is 32"},
		{name: "no room", file: "sentence_bert_config.json", from: ":32", to: ":2", want: "no room"},
		{name: "missing", file: "model.safetensors", want: "model.safetensors"},
		{name: "empty", file: "model.safetensors", content: []byte{1, 2}, want: "too short"},
		{name: "endless header", file: "model.safetensors", content: bytes.Repeat([]byte{0xFF}, 64),
			want: "its header would have"},
		{name: "header beyond the end", file: "model.safetensors",
			content: binary.LittleEndian.AppendUint64(nil, 1<<20), want: "its header would have"},
		{name: "no header", file: "model.safetensors", content: header("[]"), want: "not JSON"},
		{name: "no tensors", file: "model.safetensors", content: header("{}"), want: "has no tensor"},
		{name: "no tensor", file: "model.safetensors", content: header(`{"x":7}`), want: "something else than type"},
		{name: "torn", file: "model.safetensors", content: weights[:len(weights)-1], want: "which is incomplete"},
		{name: "backwards", file: "model.safetensors",
			content: header(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`), want: "which is incomplete"},
		{name: "endless tensor", file: "model.safetensors",
			content: header(`{"embeddings.word_embeddings.weight":{"dtype":"F32","shape":[9999999999],"data_offsets":[0,0]}}`), want: "the configuration says"},
		{name: "halves", file: "model.safetensors", from: `"dtype":"F32"`, to: `"dtype":"F16"`, want: "only F32"},
		{name: "not finite", file: "model.safetensors", content: infinite(weights), want: "not finite"},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			files := berttest.Tiny().Files()
			old := files[c.file].Data
			switch {
			case c.content != nil:
				files[c.file] = &fstest.MapFile{Data: c.content}
			case c.from != "":
				changed := bytes.Replace(old, []byte(c.from), []byte(c.to), 1)
				if bytes.Equal(changed, old) {
					t.Fatalf("%s does not hold %s", c.file, c.from)
				}
				files[c.file] = &fstest.MapFile{Data: changed}
			default:
				delete(files, c.file)
				if c.file == "tokenizer.json" {
					delete(files, "vocab.txt")
				}
			}
			if _, err := Load(files, Float32); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load = %v, want an error with %q", err, c.want)
			}
		})
	}
}

// infinite makes the last number one that is not finite.
func infinite(weights []byte) []byte {
	return append(bytes.Clone(weights[:len(weights)-4]), 0, 0, 0x80, 0x7F)
}

func TestLoadRefusesPrecision(t *testing.T) {
	t.Parallel()
	if _, err := Load(berttest.Tiny().Files(), "f16"); err == nil || !strings.Contains(err.Error(), "precision") {
		t.Errorf("Load with f16 = %v", err)
	}
}

// Models are found with "bert." before all names, too.
func TestLoadKnowsPrefixes(t *testing.T) {
	t.Parallel()
	files := berttest.Tiny().Files()
	old := files["model.safetensors"].Data
	n := binary.LittleEndian.Uint64(old)
	head := strings.NewReplacer(`"embeddings.`, `"bert.embeddings.`, `"encoder.`, `"bert.encoder.`).Replace(
		string(old[8 : 8+n]))
	changed := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	changed = append(append(changed, head...), old[8+n:]...)
	want := mustLoad(t, files, Float32)
	files["model.safetensors"] = &fstest.MapFile{Data: changed}
	if got := mustLoad(t, files, Float32); got.Fingerprint() != want.Fingerprint() {
		t.Errorf("Fingerprint() = %s, without the prefix %s", got.Fingerprint(), want.Fingerprint())
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompts map[string]string
		want    Prefixes
	}{
		{nil, Prefixes{}},
		{map[string]string{"query": "", "document": ""}, Prefixes{}},
		{map[string]string{"query": "q: ", "passage": "p: "}, Prefixes{"q: ", "p: "}},
		{map[string]string{"query": "q: ", "passage": "p: ", "document": "d: "}, Prefixes{"q: ", "d: "}},
	} {
		m := berttest.Tiny()
		m.Prompts = c.prompts
		if got := mustLoad(t, m.Files(), Float32).Prefixes(); got != c.want {
			t.Errorf("Prefixes() with %v = %q, want %q", c.prompts, got, c.want)
		}
	}
}

// FuzzTensors reads anything as safetensors.
func FuzzTensors(f *testing.F) {
	m := berttest.Tiny()
	m.Layers, m.Hidden, m.Inner, m.Heads, m.Vocabulary = 1, 32, 32, 1, m.Vocabulary[:8]
	whole := m.Files()["model.safetensors"].Data
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tensors, err := openTensors(bytes.NewReader(b), int64(len(b)), sha256.New())
		if err != nil {
			return
		}
		for name, e := range tensors.index {
			shape := make([]int, len(e.Shape))
			for i, n := range e.Shape {
				shape[i] = int(n)
			}
			tensors.prefix = ""
			if x, err := tensors.read(name, shape...); err == nil && 4*len(x) > len(b) {
				t.Errorf("%q: %d numbers from %d bytes", name, len(x), len(b))
			}
		}
	})
}
