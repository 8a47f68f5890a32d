// Package saidtest makes texts as people write them, for fuzz tests of everything that reads words: whole sentences,
// joined at conjunctions and commas, and cut anywhere.
package saidtest

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"testing"
)

//go:embed sentences.txt
var written string

// sentences are English and German statements of all kinds, one a line.
var sentences = strings.Split(strings.TrimSpace(written), "\n")

// joints stand between two parts of a text.
var joints = []string{" ", " and ", ", ", " but ", ", and, well, ", " or ", " because ", " und ", ", aber ", ", dass ",
	" oder ", "; ", ": ", " - ", " – ", "\n", "\n\n", "\n- ", "\n> ", " (", ") ", "? ", "! ", "... ", "\t", "\n# ",
	"\n```\n", "\n---\n", " | ", "\n1. ", " \"", "\" ", " “", "” ", "\u00a0", "\u200b", "/", "’", "…", " not ", " if "}

// Text makes a text of a recipe: each four bytes take a part of a sentence and join it to the text so far. Every
// recipe is good, and the same one makes the same text.
func Text(recipe []byte) string {
	var b strings.Builder
	for ; len(recipe) >= 4; recipe = recipe[4:] {
		said := sentences[int(recipe[0])%len(sentences)]
		from, to := 0, len(said)
		switch how := recipe[2]; how % 8 {
		case 0, 1: // whole, without its full stop
			said = strings.TrimRight(said, ".!?")
			to = len(said)
		case 2: // the end, from a word on
			from = word(said, recipe[3])
		case 3: // the beginning, up to a word
			to = word(said, recipe[3])
		case 4: // the beginning, up to any byte
			to = int(recipe[3]) % (len(said) + 1)
		case 5: // the end, from any byte on
			from = int(recipe[3]) % (len(said) + 1)
		case 6: // from one word to another
			from, to = word(said, recipe[3]), word(said, how/8+recipe[3])
			from, to = min(from, to), max(from, to)
		}
		b.WriteString(said[from:to])
		b.WriteString(joints[int(recipe[1])%len(joints)])
	}
	return b.String()
}

// word returns where the nth word of a sentence begins.
func word(said string, n byte) int {
	at := 0
	for range int(n) % (strings.Count(said, " ") + 1) {
		at += strings.IndexByte(said[at:], ' ') + 1
	}
	return at
}

// Recipes returns n recipes, always the same, of up to eight parts each.
func Recipes(n int) [][]byte {
	r := rand.New(rand.NewPCG(37, 3))
	out := make([][]byte, n)
	for i := range out {
		out[i] = make([]byte, 4*(1+r.IntN(8)))
		for j := range out[i] {
			out[i][j] = byte(r.Uint32())
		}
	}
	return out
}

// Fuzz fuzzes a reader of texts: read must neither panic nor find fault with the text. The seeds run in every test;
// `go test -fuzz` looks for more.
func Fuzz(f *testing.F, read func(t *testing.T, text string)) {
	for _, recipe := range Recipes(400) {
		f.Add(recipe)
	}
	f.Fuzz(func(t *testing.T, recipe []byte) {
		text := Text(recipe)
		defer func() {
			if cause := recover(); cause != nil {
				t.Errorf("text: %q", text)
				panic(cause)
			}
		}()
		read(t, text)
	})
}
