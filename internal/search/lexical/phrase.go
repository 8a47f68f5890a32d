package lexical

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cues are kinds of phrases that show the nature of a text, or the subject of a question.
type cues uint8

// The cues: the first three of turns, the others of questions; the last of sentences of turns.
const (
	ofPerson     cues = 1 << iota // speakers say something of themselves
	ofTime                        // states a time
	ofPreference                  // a preference or a standing instruction is stated
	ofWhen                        // asks for a time
	ofRequest                     // asks for help
	ofOwn                         // asks for words or actions of a person
	ofAssistant                   // asks for words or actions of the assistant
	ofAsking                      // a sentence begins as questions do
)

func (c cues) has(v cues) bool { return c&v != 0 }

// cueNames are the sections of phrases in a language file, in the order of the bits.
var cueNames = []string{"person", "time", "preference", "when", "request", "own", "assistant", "asking"}

// phrases are the phrases of a language.
type phrases struct {
	byWord map[string][]*phrase // by each word that they can begin with
	digits []*phrase            // phrases that begin with digits
}

// phrase is a run of words in the notation of the language files.
type phrase struct {
	cue      cues
	first    bool // only where the text begins
	elements []element
}

// element is one word of a phrase, or several that need not be known.
type element struct {
	words    []pattern // any of them; none: any word
	optional bool
	gap      bool // up to maxGap words
}

// maxGap is the largest number of words for "..."; it and maxElements limit the work for each word of a text.
const (
	maxGap      = 12
	maxElements = 6
)

// parse parses a phrase, and finds the words that it can begin with.
func (x *phrases) parse(cue cues, text string) error {
	p := &phrase{cue: cue}
	text, p.first = strings.CutPrefix(text, "^")
	for field := range strings.FieldsSeq(text) {
		var e element
		field, e.optional = strings.CutSuffix(field, "?")
		switch field {
		case "...":
			e.gap = true
		case "_":
		default:
			for _, w := range strings.Split(field, "|") {
				if w == "" || strings.ContainsAny(w, "^?._'") {
					return fmt.Errorf("%q: %q is not a word", text, w)
				}
				e.words = append(e.words, newPattern(w))
			}
		}
		p.elements = append(p.elements, e)
	}
	switch n := len(p.elements); {
	case n == 0 || n > maxElements:
		return fmt.Errorf("%q: has %d elements, must have 1 to %d", text, n, maxElements)
	case p.elements[0].optional || p.elements[0].gap || p.elements[0].words == nil:
		return fmt.Errorf("%q: must begin with words", text)
	case p.elements[n-1].optional || p.elements[n-1].gap:
		return fmt.Errorf("%q: must end with words that are not optional", text)
	}
	for _, w := range p.elements[0].words {
		switch {
		case w.digits:
			x.digits = append(x.digits, p)
		case w.prefix:
			return fmt.Errorf("%q: must begin with whole words", text)
		default:
			x.byWord[w.text] = append(x.byWord[w.text], p)
		}
	}
	return nil
}

// find returns the cues of the phrases in a text, out of some.
func (x *phrases) find(w *words, among cues) (found cues) {
	for i := range w.spans {
		word := w.at(i)
		for _, p := range x.byWord[string(word)] {
			if among.has(p.cue) && p.matches(w, i) {
				found |= p.cue
				among &^= p.cue
			}
		}
		if isDigit(word[0]) {
			for _, p := range x.digits {
				if among.has(p.cue) && p.matches(w, i) {
					found |= p.cue
					among &^= p.cue
				}
			}
		}
		if among == 0 {
			break
		}
	}
	return found
}

func (p *phrase) matches(w *words, i int) bool {
	return (i == 0 || !p.first) && p.elements[0].matches(w.at(i)) && follow(p.elements[1:], w, i+1)
}

// follow reports whether the elements match from word i on. But for a gap, no mark may stand between words.
func follow(elements []element, w *words, i int) bool {
	if len(elements) == 0 {
		return true
	}
	e := &elements[0]
	if e.gap {
		for n := range min(maxGap, len(w.spans)-i) {
			if elements[1].matches(w.at(i+n)) && follow(elements[2:], w, i+n+1) {
				return true
			}
		}
		return false
	}
	if i < len(w.spans) && w.spans[i].joined && e.matches(w.at(i)) && follow(elements[1:], w, i+1) {
		return true
	}
	return e.optional && follow(elements[1:], w, i)
}

func (e *element) matches(word []byte) bool {
	for i := range e.words {
		if e.words[i].matches(word) {
			return true
		}
	}
	return e.words == nil
}

// pattern is a word, a prefix of words, or digits with a suffix.
type pattern struct {
	text   string // without the signs for digits
	prefix bool
	digits bool
	least  int // digits
	most   int
}

// newPattern parses a word: "ask*" begins with ask, "99" is two digits, "9+th" at least one and then th.
func newPattern(w string) pattern {
	p := pattern{}
	rest := strings.TrimLeft(w, "9")
	if p.least = len(w) - len(rest); p.least > 0 {
		p.digits, p.most = true, p.least
		if rest, p.prefix = strings.CutPrefix(rest, "+"); p.prefix {
			p.prefix, p.most = false, maxText
		}
	}
	p.text, p.prefix = strings.CutSuffix(rest, "*")
	return p
}

func (p *pattern) matches(word []byte) bool {
	if p.digits {
		n := 0
		for n < len(word) && isDigit(word[n]) {
			n++
		}
		if n < p.least || n > p.most {
			return false
		}
		word = word[n:]
	}
	if p.prefix {
		return len(word) >= len(p.text) && string(word[:len(p.text)]) == p.text
	}
	return string(word) == p.text
}

// words are the words of a text in lower case: runs of letters, marks and digits.
type words struct {
	buf   []byte
	spans []span
}

type span struct {
	start, end int
	joined     bool // nothing but white space, hyphens or an apostrophe comes before it
}

func (w *words) at(i int) []byte { return w.buf[w.spans[i].start:w.spans[i].end] }

// maxText is how many bytes of a text are read: enough to tell what kind of text it is.
const maxText = 8 << 10

// beginning returns the part of a text that is read.
func beginning(text string) string { return cut(text, maxText) }

// cut returns at most n bytes of a text, whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

var wordsPool = sync.Pool{New: func() any { return new(words) }}

// wordsOf reads a text. The caller calls free when it is done with the words.
func wordsOf(text string) *words {
	w := wordsPool.Get().(*words)
	w.buf, w.spans = w.buf[:0], w.spans[:0]
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
	}
	w.read(text)
	return w
}

func (w *words) free() { wordsPool.Put(w) }

func (w *words) read(text string) {
	start, joined := 0, true
	end := func() {
		if len(w.buf) > start {
			w.spans = append(w.spans, span{start, len(w.buf), joined})
			start, joined = len(w.buf), true
		}
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z', isDigit(c):
				w.buf = append(w.buf, c)
			case 'A' <= c && c <= 'Z':
				w.buf = append(w.buf, c+'a'-'A')
			default:
				end()
				if c != ' ' && c != '\'' && c != '-' && c != '\n' && c != '\t' && c != '\r' {
					joined = false
				}
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			w.buf = utf8.AppendRune(w.buf, unicode.ToLower(r))
		default:
			end()
			if r != '’' && !unicode.IsSpace(r) {
				joined = false
			}
		}
	}
	end()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
