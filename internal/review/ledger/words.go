package ledger

import (
	"cmp"
	_ "embed" // things.txt
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

// itemOf is the name of an item: known words for one thing in two languages are one.
func itemOf(s string) name {
	words := nameOf(s).words
	for i, w := range words {
		words[i] = calledThing(w)
	}
	return name{strings.Join(words, " "), words}
}

// endings of plurals, the longest first: Zelte and Zelt, tents and tent are one.
var endings = []string{"en", "er", "e", "n", "s"}

// minStem is how long a word is at least without its ending.
const minStem = 4

// calledThing returns the form of an item's word for comparisons.
func calledThing(w string) string {
	if known := thing()[w]; known != "" || endsWith(w, "") {
		return cmp.Or(known, w)
	}
	for _, end := range endings {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) >= minStem {
			return cmp.Or(thing()[stem], stem)
		}
	}
	return w
}

// isSort reports whether one of two names is a compound of one word that ends with the other, as Etagenofen is an Ofen.
func isSort(a, b name) bool {
	return len(a.words) == 1 && len(b.words) == 1 && (endsWith(a.text, b.text) || endsWith(b.text, a.text))
}

// minHead is how long the last part of a compound is at least, to be one.
const minHead = 4

// endsWith reports whether a word is a compound that ends with a thing, or, if none is given, with any known one.
func endsWith(w, item string) bool {
	for known, called := range thing() {
		if (called == item || item == "") && len(known) >= minHead && len(w) > len(known) && strings.HasSuffix(w, known) {
			return true
		}
	}
	return len(item) >= minHead && strings.HasSuffix(w, item)
}
