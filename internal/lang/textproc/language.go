package textproc

import (
	"embed"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Lang is a language.
type Lang uint8

// The languages. Those up to Romanian are written in Latin letters, so they must be detected; the script of a word
// identifies the others. Unknown is the language of a text if detection fails.
const (
	English Lang = iota
	German
	French
	Spanish
	Italian
	Portuguese
	Dutch
	Swedish
	Norwegian
	Danish
	Finnish
	Hungarian
	Romanian
	Russian
	Arabic
	Chinese
	Japanese
	Korean
	Unknown
)

// latinLangs is the number of languages in Latin letters, which come first.
const latinLangs = Romanian + 1

// languages are the codes and names of the languages in settings and for people.
var languages = [Unknown]struct{ code, name string }{
	English: {"en", "English"}, German: {"de", "German"}, French: {"fr", "French"}, Spanish: {"es", "Spanish"},
	Italian: {"it", "Italian"}, Portuguese: {"pt", "Portuguese"}, Dutch: {"nl", "Dutch"}, Swedish: {"sv", "Swedish"},
	Norwegian: {"no", "Norwegian"}, Danish: {"da", "Danish"}, Finnish: {"fi", "Finnish"},
	Hungarian: {"hu", "Hungarian"},
	Romanian:  {"ro", "Romanian"}, Russian: {"ru", "Russian"}, Arabic: {"ar", "Arabic"}, Chinese: {"zh", "Chinese"},
	Japanese: {"ja", "Japanese"}, Korean: {"ko", "Korean"},
}

// String returns the language's English name.
func (l Lang) String() string {
	if l < Unknown {
		return languages[l].name
	}
	return "unknown"
}

// Code returns the code of the language, such as "de"; "" of Unknown.
func (l Lang) Code() string {
	if l < Unknown {
		return languages[l].code
	}
	return ""
}

// Set is a set of languages. The zero value is empty.
type Set uint32

const (
	// All holds every language, latinSet those in Latin letters.
	All      Set = 1<<Unknown - 1
	latinSet Set = 1<<latinLangs - 1
)

// setOf returns the set of some languages, All of none.
func setOf(langs []Lang) (s Set) {
	if len(langs) == 0 {
		return All
	}
	for _, l := range langs {
		s = s.With(l)
	}
	return s
}

// With returns the set and l.
func (s Set) With(l Lang) Set { return s | 1<<l }

// Has reports whether l is in the set.
func (s Set) Has(l Lang) bool { return s>>l&1 != 0 }

// several reports whether the set holds more than one language.
func (s Set) several() bool { return s&(s-1) != 0 }

// next removes the first language from a set that is not empty.
func (s *Set) next() Lang {
	l := Lang(bits.TrailingZeros32(uint32(*s)))
	*s &= *s - 1
	return l
}

// parseCodes returns the languages with these codes, in order.
func parseCodes(codes []string) ([]Lang, error) {
	var known []string
	for _, l := range languages {
		known = append(known, l.code)
	}
	var out []Lang
	for _, code := range codes {
		l := slices.Index(known, strings.ToLower(strings.TrimSpace(code)))
		if l < 0 {
			return nil, fmt.Errorf("%q is not a language that words are known of; use %s", code,
				strings.Join(known, ", "))
		}
		out = append(out, Lang(l))
	}
	return out, nil
}

//go:embed data/*.txt
var data embed.FS

// sayings holds the evidence of all stop words about the language of a text.
var sayings = sync.OnceValue(func() map[string][2]Set {
	m := map[string][2]Set{}
	for l := range Unknown {
		for _, w := range wordList("stop_" + languages[l].code) {
			all := m[w][stops].With(l)
			m[w] = [2]Set{stops: all, tells: all}
		}
	}
	for _, w := range wordList("shared") {
		m[w] = [2]Set{stops: m[w][stops]}
	}
	return m
})

// lastLetter is the last letter that indicates a language.
const lastLetter = 'ț'

// letters holds the languages that a letter or sign is typical of.
var letters = func() (t [lastLetter + 1]Set) {
	for _, line := range lines("letters") {
		code, typical, _ := strings.Cut(line, " ")
		langs, err := parseCodes([]string{code})
		if err != nil {
			panic(err) // the embedded data is invalid
		}
		for _, r := range typical {
			t[r] = t[r].With(langs[0])
			if upper := unicode.ToUpper(r); upper <= lastLetter {
				t[upper] = t[r]
			}
		}
	}
	return t
}()

// wordList reads a list of words separated by white space, and folds them.
func wordList(name string) []string {
	return strings.Fields(Fold(strings.Join(lines(name), " ")))
}

// lines reads the lines of a list, without comments from # to the end of the line.
func lines(name string) []string {
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // the embedded data is invalid
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Stops returns the languages that have a folded word as a stop word.
func Stops(word string) Set { return sayings()[word][stops] }
