package bert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxJSON is the largest size of a model's file, other than the weights, because it is read as a whole.
const maxJSON = 64 << 20

// inside marks a piece that goes on with a word.
const inside = "##"

// tokenizerFile is the content of tokenizer.json; null means not said.
type tokenizerFile struct {
	Normalizer struct {
		Type    string `json:"type"`
		Clean   *bool  `json:"clean_text"`
		Chinese *bool  `json:"handle_chinese_chars"`
		Strip   *bool  `json:"strip_accents"`
		Lower   *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string           `json:"type"`
		Unknown  string           `json:"unk_token"`
		Inside   string           `json:"continuing_subword_prefix"`
		MaxChars int              `json:"max_input_chars_per_word"`
		Vocab    map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// tokenizerConfig is the content of tokenizer_config.json.
type tokenizerConfig struct {
	Class   string  `json:"tokenizer_class"`
	Lower   *bool   `json:"do_lower_case"`
	Strip   *bool   `json:"strip_accents"`
	Chinese *bool   `json:"tokenize_chinese_chars"`
	Longest float64 `json:"model_max_length"` // some write 1e30 for "no limit"
}

// loadTokenizer reads tokenizer.json, or vocab.txt and tokenizer_config.json. Every piece's number is below size, which
// is how many embeddings there are.
func loadTokenizer(fsys fs.FS, config tokenizerConfig, size int) (*tokenizer, error) {
	var f tokenizerFile
	err := readJSON(fsys, "tokenizer.json", &f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return loadVocabulary(fsys, config, size)
	case err != nil:
		return nil, err
	case f.Model.Type != "WordPiece" || f.Normalizer.Type != "BertNormalizer" ||
		f.PreTokenizer.Type != "BertPreTokenizer":
		return nil, fmt.Errorf("tokenizer.json: is a %.32q with %.32q and %.32q; only WordPiece with BertNormalizer and BertPreTokenizer is read",
			f.Model.Type, f.Normalizer.Type, f.PreTokenizer.Type)
	case f.Model.Inside != inside || f.Model.MaxChars != maxWord || f.Model.Unknown != "[UNK]" ||
		!or(f.Normalizer.Clean, true):
		return nil, fmt.Errorf("tokenizer.json: its words end or begin in another way than with BERT (%q, [UNK], %d characters, clean text)", inside, maxWord)
	}
	n := f.Normalizer
	t, err := newTokenizer(newRules(n.Lower, n.Strip, n.Chinese), f.Model.Vocab, size)
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return t, nil
}

func loadVocabulary(fsys fs.FS, config tokenizerConfig, size int) (*tokenizer, error) {
	if c := config.Class; c != "" && c != "BertTokenizer" && c != "BertTokenizerFast" {
		return nil, fmt.Errorf("tokenizer_config.json: %.64q is not read, only BertTokenizer", c)
	}
	text, err := readAll(fsys, "vocab.txt")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	vocabulary := make(map[string]int32, len(lines))
	for i, piece := range lines {
		vocabulary[strings.TrimSuffix(piece, "\r")] = int32(i)
	}
	t, err := newTokenizer(newRules(config.Lower, config.Strip, config.Chinese), vocabulary, size)
	if err != nil {
		return nil, fmt.Errorf("vocab.txt: %w", err)
	}
	return t, nil
}

// newRules applies the defaults: lower case, no accents if lower case, Chinese characters separated.
func newRules(lower, strip, chinese *bool) rules {
	l := or(lower, true)
	return rules{lower: l, accents: !or(strip, l), chinese: or(chinese, true)}
}

func or(said *bool, otherwise bool) bool {
	if said == nil {
		return otherwise
	}
	return *said
}

func newTokenizer(r rules, vocabulary map[string]int32, size int) (*tokenizer, error) {
	t := &tokenizer{rules: r, whole: make(map[string]int32, len(vocabulary)), inner: make(map[string]int32)}
	for piece, id := range vocabulary {
		if id < 0 || int(id) >= size {
			return nil, fmt.Errorf("the piece %.32q has the number %d, and there are %d embeddings", piece, id, size)
		}
		rest, ok := strings.CutPrefix(piece, inside)
		if ok && rest != "" {
			t.inner[rest] = id
		}
		t.whole[piece] = id
		t.longest = max(t.longest, len(piece))
	}
	for name, id := range map[string]*int32{"[CLS]": &t.begin, "[SEP]": &t.end, "[UNK]": &t.unknown} {
		special, ok := vocabulary[name]
		if !ok {
			return nil, fmt.Errorf("has no token %s", name)
		}
		*id = special
	}
	return t, nil
}

// readJSON reads a small file; for a missing one the error is [fs.ErrNotExist].
func readJSON(fsys fs.FS, name string, into any) error {
	b, err := readAll(fsys, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readAll(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: %w", name, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case info.Size() > maxJSON:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are read", name, info.Size(), maxJSON)
	}
	return fs.ReadFile(fsys, name)
}
