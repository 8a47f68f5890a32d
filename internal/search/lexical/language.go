package lexical

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// language is the content of a language file.
type language struct {
	phrases
	months map[string]int             // by their names
	words  map[string]map[string]bool // single words, by their section
}

// knowledge is the content of all language files. Terms of different languages differ, so one list of terms is enough.
type knowledge struct {
	languages [textproc.Unknown]*language // nil: without a file
	all       []*language                 // that have one
	request   map[string]bool             // terms of words of requests
	related   map[string][]string         // by a term, synonyms of it and members of the class that it names
	particles []string                    // that may be joined to the word before them
}

// reading returns the languages in which to analyse a question: all of them if it is too short to detect one.
func (k *knowledge) reading(text string, in textproc.Lang) []*language {
	if textproc.Detect(text) == textproc.Unknown {
		return k.all
	}
	if l := k.of(in); l != nil {
		return []*language{l}
	}
	return nil
}

// of returns the language's content, nil if it has no file.
func (k *knowledge) of(l textproc.Lang) *language {
	if l >= textproc.Unknown {
		return nil
	}
	return k.languages[l]
}

//go:embed data/*.txt
var data embed.FS

// known reads the language files.
var known = sync.OnceValue(func() *knowledge {
	k := &knowledge{request: map[string]bool{}, related: map[string][]string{}}
	for l := range textproc.Unknown {
		text, err := data.ReadFile("data/" + l.Code() + ".txt")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = k.read(l, string(text))
		}
		if err != nil {
			panic(fmt.Errorf("lexical: data/%s.txt: %w", l.Code(), err)) // the program was not built right
		}
	}
	return k
})

// read adds the content of a language file. docs/languages.md describes the format.
func (k *knowledge) read(l textproc.Lang, text string) error {
	a, err := textproc.NewAnalyzer(l.Code())
	if err != nil {
		return err
	}
	of := &language{phrases: phrases{byWord: map[string][]*phrase{}}, months: map[string]int{},
		words: map[string]map[string]bool{"speaker words": {}, "helping words": {}, "day words": {},
			"question words": {}}}
	k.languages[l], k.all = of, append(k.all, of)
	section, month := "", 0
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			section, ok = strings.CutSuffix(name, "]")
			if !ok {
				return fmt.Errorf("%q: a section is a name in brackets", line)
			}
			continue
		}
		switch cue := slices.Index(cueNames, section); {
		case cue >= 0:
			for p := range strings.SplitSeq(line, ",") {
				if err := of.parse(1<<cue, strings.TrimSpace(p)); err != nil {
					return fmt.Errorf("%s: %w", section, err)
				}
			}
		case section == "months":
			month++
			for name := range strings.FieldsSeq(line) {
				if name != "-" {
					of.months[name] = month
				}
			}
		case section == "request words":
			terms, _ := a.Terms(line)
			for _, t := range terms {
				k.request[t] = true
			}
		case of.words[section] != nil:
			for word := range strings.FieldsSeq(line) {
				of.words[section][word] = true
			}
		case section == "particles":
			k.particles = append(k.particles, strings.Fields(line)...)
		case section == "synonyms":
			terms, _ := a.Terms(line)
			k.relate(terms, terms)
		case section == "classes":
			names, members, ok := strings.Cut(line, ":")
			if !ok {
				return fmt.Errorf("%q: a class is its names, a colon, and its members", line)
			}
			classes, _ := a.Terms(names)
			terms, _ := a.Terms(members)
			k.relate(classes, terms)
		default:
			return fmt.Errorf("%q is not a section", section)
		}
	}
	if month != 0 && month != 12 {
		return fmt.Errorf("months: are %d, a year has 12; a line of - is for one without a name", month)
	}
	return nil
}

// relate makes some terms find others.
func (k *knowledge) relate(terms, others []string) {
	for _, t := range terms {
		for _, other := range others {
			if other != t && !slices.Contains(k.related[t], other) {
				k.related[t] = append(k.related[t], other)
			}
		}
	}
}
