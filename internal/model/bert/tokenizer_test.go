package bert

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/test/berttest"
)

// tokenTable was written by the tokenizers library of Hugging Face, with the vocabulary of berttest.Tiny.
func tokenTable(tb testing.TB) []map[string]json.RawMessage {
	tb.Helper()
	b, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		tb.Fatal(err)
	}
	var table []map[string]json.RawMessage
	if err := json.Unmarshal(b, &table); err != nil {
		tb.Fatal(err)
	}
	return table
}

func decode[T any](tb testing.TB, raw json.RawMessage) (v T) {
	tb.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

var ruleSets = map[string]rules{
	"uncased": newRules(nil, nil, nil),
	"cased":   newRules(new(false), nil, nil),
	"accents": newRules(nil, new(false), nil),
}

func tinyTokenizer(tb testing.TB, r rules) *tokenizer {
	tb.Helper()
	vocabulary := make(map[string]int32)
	for i, piece := range berttest.Tiny().Vocabulary {
		vocabulary[piece] = int32(i)
	}
	t, err := newTokenizer(r, vocabulary, len(vocabulary))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestTokensAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	for name, r := range ruleSets {
		tokenizer := tinyTokenizer(t, r)
		for _, row := range tokenTable(t) {
			text, want := decode[string](t, row["text"]), decode[[]int32](t, row[name])
			got, cut := tokenizer.append([]int32{}, 1000, text)
			if diff := cmp.Diff(want, got); diff != "" || cut {
				t.Errorf("%s: tokens of %q, cut %v (-want +got):\n%s", name, text, cut, diff)
			}
		}
	}
}

func TestTokensAreCutAtThePiece(t *testing.T) {
	t.Parallel()
	tokenizer := tinyTokenizer(t, ruleSets["uncased"])
	whole, _ := tokenizer.append(nil, 1000, "unaffable house")
	for room := range len(whole) + 2 {
		got, cut := tokenizer.append([]int32{7}, room, "unaffable house \n")
		want := append([]int32{7}, whole[:min(room, len(whole))]...)
		if diff := cmp.Diff(want, got); diff != "" || cut != (room < len(whole)) {
			t.Errorf("room for %d: cut %v (-want +got):\n%s", room, cut, diff)
		}
	}
}

// Several texts are read as one: a prompt that does not end in a space runs on into the text.
func TestTokensOfTextsInARow(t *testing.T) {
	t.Parallel()
	tokenizer := tinyTokenizer(t, ruleSets["uncased"])
	want, _ := tokenizer.append(nil, 1000, "query: unaffable")
	for _, parts := range [][]string{{"query: ", "unaffable"}, {"query: un", "affable"}, {"", "query: unaffable"}} {
		got, _ := tokenizer.append(nil, 1000, parts...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tokens of %q in a row (-want +got):\n%s", parts, diff)
		}
	}
}

func TestVocabularyFileSaysTheSame(t *testing.T) {
	t.Parallel()
	files := berttest.Tiny().Files()
	want := mustLoad(t, files, Float32)
	delete(files, "tokenizer.json")
	for name, text := range map[string]string{"lines": "\n", "carriage returns": "\r\n"} {
		files["vocab.txt"] = &fstest.MapFile{Data: []byte(strings.Join(berttest.Tiny().Vocabulary, text) + text)}
		got := mustLoad(t, files, Float32)
		if got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%s: fingerprint %s with vocab.txt, %s with tokenizer.json", name, got.Fingerprint(),
				want.Fingerprint())
		}
	}
}

func TestTokenizeLeavesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	m := mustLoad(t, berttest.Tiny().Files(), Float32)
	for _, text := range []string{"", " \n", "\u200b", "Ж", "Ж Ж", strings.Repeat("x", 101), "\xff"} {
		if ids, cut := m.Tokenize([]int32{9}, "query: ", text); len(ids) != 1 || cut {
			t.Errorf("Tokenize(%q) = %v, %v, want nothing appended", text, ids, cut)
		}
	}
	for _, text := range []string{"house", "Ж house", "..."} {
		ids, cut := m.Tokenize(nil, "query: ", text)
		if n := len(ids); n < 5 || ids[0] != m.tokenizer.begin || ids[n-1] != m.tokenizer.end || cut {
			t.Errorf("Tokenize(%q) = %v, %v, want a whole sequence between its ends", text, ids, cut)
		}
	}
	ids, cut := m.Tokenize(nil, "query: ", strings.Repeat("house ", 100))
	if len(ids) != m.Limit() || ids[len(ids)-1] != m.tokenizer.end || !cut {
		t.Errorf("Tokenize of a long text = %d tokens, cut %v, want %d and true", len(ids), cut, m.Limit())
	}
}

// FuzzTokenize checks what holds for every text.
func FuzzTokenize(f *testing.F) {
	for _, row := range tokenTable(f) {
		f.Add(decode[string](f, row["text"]), 5)
	}
	f.Add("\xff\xc3\x28", 0)
	tokenizers := make(map[string]*tokenizer)
	for name, r := range ruleSets {
		tokenizers[name] = tinyTokenizer(f, r)
	}
	f.Fuzz(func(t *testing.T, text string, room int) {
		room = max(room%100, 0)
		for name, tokenizer := range tokenizers {
			all, cut := tokenizer.append(nil, len(text)*4+1, text) // a character has up to four parts
			if cut {
				t.Errorf("%s: %q has more than %d tokens", name, text, len(text)*4)
			}
			some, cut := tokenizer.append(nil, room, text)
			if len(some) > room || cut != (len(all) > room) || !cmp.Equal(all[:len(some)], some) && len(some) > 0 {
				t.Errorf("%s: tokens of %q with room for %d = %v, cut %v; without end %v", name, text, room,
					some, cut, all)
			}
			for _, id := range all {
				if id < 0 || int(id) >= len(tokenizer.whole) {
					t.Errorf("%s: %q has the token %d", name, text, id)
				}
			}
		}
	})
}

// FuzzTokenizerFile reads anything as tokenizer.json.
func FuzzTokenizerFile(f *testing.F) {
	b, err := fs.ReadFile(berttest.Tiny().Files(), "tokenizer.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"model":{"type":"BPE"}}`))
	f.Add([]byte(`{"model":{"type":"WordPiece","vocab":{"[CLS]":-1}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tokenizer, err := loadTokenizer(fstest.MapFS{"tokenizer.json": {Data: b}}, tokenizerConfig{}, 200)
		if err != nil {
			return
		}
		if ids, _ := tokenizer.append(nil, 100, "unaffable house ##s"); len(ids) == 0 {
			t.Errorf("no tokens")
		}
	})
}
