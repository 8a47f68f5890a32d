package lexical

import (
	"embed"
	"regexp"
	"strings"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// Marks is what is noted of a turn when it is written. Notes, documents and what an assistant says have none but Asks: the
// rules that look at the others are about people who speak of themselves.
type Marks uint8

// The marks.
const (
	Impersonal Marks = 1 << iota // a person's turn without a word for themselves
	Timed                        // it speaks of a time
	Wish                         // it states a preference or a standing instruction
	Asks                         // it asks something
)

func (m Marks) has(v Marks) bool { return m&v != 0 }

// Layout changes whenever the same turn gets other marks than before: what was kept of them is then of no use.
const Layout = 1

// MarksOf returns the marks of a memory with a text.
func MarksOf(f *cairn.Facets, text string) Marks {
	var m Marks
	if f.Kind != cairn.KindEpisode {
		return 0
	}
	if strings.ContainsAny(text, "?？؟") {
		m |= Asks
	}
	if f.Role == cairn.RoleAssistant {
		return m
	}
	p := english()
	if !p.person.MatchString(text) {
		m |= Impersonal
	}
	if p.time.MatchString(text) {
		m |= Timed
	}
	if p.wish.MatchString(text) {
		m |= Wish
	}
	return m
}

// traits are what a question asks for.
type traits uint8

const (
	forTime traits = 1 << iota
	forHelp
)

func (t traits) has(v traits) bool { return t&v != 0 }

func asked(text string, l cairn.Levers) (t traits) {
	p := english()
	if l.Has(cairn.LeverWhen) && p.when.MatchString(text) {
		t |= forTime
	}
	if l.Has(cairn.LeverCue) && p.request.MatchString(text) && !p.own.MatchString(text) {
		t |= forHelp
	}
	return t
}

// patterns are the regular expressions of a language.
type patterns struct {
	person, time, wish *regexp.Regexp // of turns
	when, request, own *regexp.Regexp // of questions
}

//go:embed data/*.txt
var data embed.FS

var english = sync.OnceValue(func() patterns {
	text, err := data.ReadFile("data/en.txt")
	if err != nil {
		panic(err) // the program was not built right
	}
	byName := map[string]*regexp.Regexp{}
	for line := range strings.Lines(string(text)) {
		if name, expression, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			byName[name] = regexp.MustCompile("(?i)" + expression)
		}
	}
	return patterns{byName["person"], byName["time"], byName["preference"], byName["when"], byName["request"], byName["own"]}
})

// requestWords holds the terms of the words by which requests are made.
var requestWords = sync.OnceValue(func() map[string]bool {
	text, err := data.ReadFile("data/request_en.txt")
	if err != nil {
		panic(err) // the program was not built right
	}
	a, err := textproc.NewAnalyzer("en")
	if err != nil {
		panic(err)
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		terms, _ := a.Terms(line)
		for _, t := range terms {
			out[t] = true
		}
	}
	return out
})

// rarity returns the inverse document frequency of a term in the language at large, below 0 if it is not known.
func rarity(string) float64 { return -1 }
