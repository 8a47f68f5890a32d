package ledger

import (
	"cmp"
	_ "embed" // things.txt
	"slices"
	"strings"
	"sync"
)

//go:embed things.txt
var things string

// thing is what each of the words is called in a comparison.
var thing = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(things) {
		if words := strings.Fields(line); line[0] != '#' {
			for _, w := range words {
				out[w] = words[0]
			}
		}
	}
	return out
})

// itemOf is a name of what is ordered: words that are known in two languages are one.
func itemOf(s string) name {
	n := nameOf(s)
	n.words = slices.Clone(n.words)
	for i, w := range n.words {
		n.words[i] = calledThing(w)
	}
	n.text = strings.Join(n.words, " ")
	return n
}

// endings of plurals, the longest first: Zelte and Zelt, tents and tent are one.
var endings = []string{"en", "er", "e", "n", "s"}

// minStem is how long a word is at least without its ending.
const minStem = 4

// calledThing is what a word of an item is called in a comparison.
func calledThing(w string) string {
	if known := thing()[w]; known != "" {
		return known
	}
	if isCompound(w) {
		return w
	}
	for _, end := range endings {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) >= minStem {
			return cmp.Or(thing()[stem], stem)
		}
	}
	return w
}

// isCompound reports whether a word ends with a known thing, as Etagenofen does.
func isCompound(w string) bool {
	for known := range thing() {
		if len(known) >= minHead && len(w) > len(known) && strings.HasSuffix(w, known) {
			return true
		}
	}
	return false
}

// minHead is how long the last part of a compound is at least, to be one.
const minHead = 4

// isSort reports whether one of two names is a compound of one word that ends with the other, as Etagenofen is an Ofen.
func isSort(a, b name) bool {
	if len(a.words) != 1 || len(b.words) != 1 {
		return false
	}
	for _, pair := range [][2]string{{a.text, b.text}, {b.text, a.text}} {
		for w, known := range thing() {
			if known == pair[1] && len(w) >= minHead && len(pair[0]) > len(w) && strings.HasSuffix(pair[0], w) {
				return true
			}
		}
		if len(pair[1]) >= minHead && strings.HasSuffix(pair[0], pair[1]) {
			return true
		}
	}
	return false
}
