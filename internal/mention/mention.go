// Package mention finds out which later turns speak again of what a fact says: those that share a content word with its
// value, or speak of what it is about. Words are the same if their first five letters are, so that most inflections
// meet and no dictionary is needed.
//
// That something was spoken of again decides nothing. It is shown beside the fact, because most facts that have ceased
// to hold without a word that a rule could read have been spoken of since.
package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
	"github.com/trilith-memory/trilith/internal/wordvec"
)

const (
	keyLetters = 5     // by which words are compared
	minLetters = 3     // of a content word
	minDigits  = 3     // of a number that tells something
	common     = 0.025 // share of background texts above which a word tells nothing,
	commoner   = 0.012 // or where the value has a rarer one,
	rare       = 0.001 // and up to which sharing this one word alone is worth a question
	endings    = 3     // letters by which forms of one word differ
	quoteBytes = 200
)

// Key is a content word of a value.
type Key struct {
	Letters string // the first five, folded
	word    string // folded
	name    bool   // of a person
	rare    bool
	topic   bool // no word, but what the fact is about
	sort    bool // a word for something of the sort that the value names
}

// Keys returns the content words of a value in a language that context tells: no stop words, no words of without, and
// none that is in every other sentence. person says that the value is somebody's name.
func Keys(value, context, without string, person bool) []Key {
	stops := stopsOf(context)
	own := map[string]bool{}
	for _, w := range wordsOf(without) {
		own[w.letters()] = true
	}
	var keys []Key
	lowest, lowestOfHead := 1.0, 1.0
	head := len(value) // where the circumstances begin: running | in the park
	if at := circumstance.FindStringIndex(value); at != nil && at[0] > 0 {
		head = at[0]
	}
	type rarity struct {
		share  float64
		inHead bool
	}
	var rarities []rarity
	for _, w := range wordsOf(value) {
		share := shareOf(w.folded)
		if !w.tells(stops) && !(person && w.upper && months[w.folded]) || own[w.letters()] || share > common ||
			slices.ContainsFunc(keys, func(k Key) bool { return k.Letters == w.letters() }) {
			continue
		}
		keys = append(keys, Key{Letters: w.letters(), word: w.folded, name: person, rare: share <= rare &&
			!everyday[w.folded]})
		rarities, lowest = append(rarities, rarity{share, w.start < head}), min(lowest, share)
		if w.start < head {
			lowestOfHead = min(lowestOfHead, share)
		}
	}
	telling := keys[:0]
	for i, k := range keys {
		if r := rarities[i]; r.share <= commoner || lowest > commoner || r.inHead && lowestOfHead > commoner {
			telling = append(telling, k)
		}
	}
	return telling
}

// circumstance matches the beginning of the words about where, when or how in a value.
var circumstance = lazyre.New(`(?i)\s(?:in|at|on|with|from|near|every|each|before|after|during|im|am|an|auf|mit|bei|vor|nach|jeden|jede)\s`)

// Turn is the content words of a turn.
type Turn struct {
	text  string
	words map[string][]word // by their first letters
}

// Read reads a turn.
func Read(text string) Turn {
	t := Turn{text: text, words: map[string][]word{}}
	stops := stopsOf(text)
	before := ""
	for _, w := range wordsOf(text) {
		if w.tells(stops) || w.upper && months[w.folded] && !beforeMonth[before] {
			t.words[w.letters()] = append(t.words[w.letters()], w)
		}
		before = w.folded
	}
	t.readTopics()
	return t
}

// Letters calls f with the first letters of each content word.
func (t Turn) Letters(f func(string)) {
	for letters := range t.words {
		f(letters)
	}
}

// Found is where a turn speaks again of a value.
type Found struct {
	Start, End int // of the sentence, in bytes; cut if it is long
	// Asks says that the turn tells enough for a person to be asked whether the fact still holds: it states something,
	// and shares a rare word, a name or several words with the value.
	Asks bool
}

// Of says whether the turn shares a word with a value, or else a topic, and where it first does.
func (t Turn) Of(value []Key) (Found, bool) {
	first, topic, same, telling := -1, -1, 0, false
	for _, k := range value {
		words := t.words[k.Letters]
		if len(words) == 0 {
			continue
		}
		if k.topic {
			topic = words[0].start
			continue
		}
		if k.sort {
			if at := t.ofSpeaker(words); at >= 0 {
				topic = at
			}
			continue
		}
		if first < 0 || words[0].start < first {
			first = words[0].start
		}
		for _, w := range words {
			if sameWord(w.folded, k.word) {
				same++
				telling = telling || k.rare || k.name && w.upper
				break
			}
		}
	}
	if first < 0 {
		first = topic
	}
	if first < 0 {
		return Found{}, false
	}
	f, asks := sentence(t.text, first)
	f.Asks = !asks && (telling || same > 1)
	return f, true
}

// sameWord reports whether two folded words are forms of one.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && utf8.RuneCountInString(b[len(a):]) <= endings
}

// sentenceBytes is how far the ends of a sentence are looked for, each way. A long text without any would otherwise be
// read whole for each word that is found in it.
const sentenceBytes = 1 << 10

// sentence returns the sentence around a place, at most so long that it can be shown, and whether it is a question.
func sentence(text string, at int) (f Found, question bool) {
	f.Start, f.End = max(0, at-sentenceBytes), min(len(text), at+sentenceBytes)
	for i := at; i < f.End; i++ {
		if textproc.EndsSentence(text, i) {
			question = text[i] == '?'
			f.End = i + 1
			break
		}
	}
	for i := at - 1; i >= f.Start; i-- {
		if textproc.EndsSentence(text, i) {
			f.Start = i + 1
			break
		}
	}
	for f.Start < at && (text[f.Start] == ' ' || text[f.Start] == '\n' || text[f.Start] == '\t') {
		f.Start++
	}
	if f.End-f.Start > quoteBytes { // around the word
		f.Start = boundary(text, max(f.Start, at-quoteBytes/2))
		f.End = boundary(text, min(f.End, f.Start+quoteBytes))
	}
	f.End = f.Start + len(strings.TrimRight(text[f.Start:f.End], " \n\t"))
	return f, question
}

// boundary is the first place from at on where a character begins.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// word is a word of a text.
type word struct {
	folded string
	start  int
	upper  bool // begins with a capital
}

// wordsOf returns the words of a text: runs of letters and digits.
func wordsOf(text string) []word {
	var out []word
	start := -1
	add := func(end int) {
		if start >= 0 {
			first, _ := utf8.DecodeRuneInString(text[start:])
			out = append(out, word{fold(text[start:end]), start, unicode.IsUpper(first)})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			add(i)
		}
	}
	add(len(text))
	return out
}

func fold(s string) string { return textproc.Fold(strings.ToLower(s)) }

// letters returns the first letters of a word: of a short English plural those of its singular, and of a short form in
// -ing those of its verb.
func (w word) letters() string {
	s := gerundOf(w.folded)
	n := 0
	for i := range s {
		if n == keyLetters {
			return s[:i]
		}
		n++
	}
	if n >= 4 && strings.HasSuffix(s, "s") && !strings.ContainsRune("sui", rune(s[len(s)-2])) {
		return s[:len(s)-1]
	}
	return s
}

// gerundOf returns the verb of a short form in -ing, without the letter that the form doubles: run of running. Longer
// ones begin as their verbs do.
func gerundOf(s string) string {
	verb, ok := strings.CutSuffix(s, "ing")
	n := len(verb)
	if !ok || n < 3 || n > keyLetters || !strings.ContainsAny(verb, "aeiouy") {
		return s
	}
	if verb[n-1] == verb[n-2] && !strings.ContainsRune("lsz", rune(verb[n-1])) {
		return verb[:n-1]
	}
	return verb
}

// tells reports whether a word says what about, and not how.
func (w word) tells(stops textproc.Set) bool {
	letters, digits := 0, 0
	for _, r := range w.folded {
		if unicode.IsDigit(r) {
			digits++
		} else {
			letters++
		}
	}
	switch {
	case letters == 0: // a year is no more than a day
		return digits >= minDigits &&
			!(digits == 4 && (strings.HasPrefix(w.folded, "19") || strings.HasPrefix(w.folded, "20")))
	case digits > 0:
		return true
	}
	return letters >= minLetters && !vague[w.folded] && textproc.Stops(w.folded)&stops == 0
}

// stopsOf are the languages whose stop words are none of a text's content words.
func stopsOf(text string) textproc.Set {
	set := textproc.Set(0).With(textproc.English).With(textproc.German)
	if l := textproc.Detect(text); l < textproc.Unknown {
		set = set.With(l)
	}
	return set
}

// shareOf is how common a word is in what people write to each other, as far as it is English.
func shareOf(folded string) float64 {
	terms, _ := english.Terms(folded)
	if len(terms) == 0 {
		return 0
	}
	return wordvec.Share(terms[0])
}

// english stems as the table of shares is stemmed.
var english = func() textproc.Analyzer {
	a, err := textproc.NewAnalyzer("en")
	if err != nil {
		panic(err) // the program was not built right
	}
	return a
}()
