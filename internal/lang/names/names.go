// Package names compares names of people: whether two are the same, might be, or are different.
//
// Wrongly taking two people for one is worse than keeping one apart in two, so "same" is said only where nothing else
// can be meant. Names are compared word by word, without case, accents and titles, with ü and ue alike. A number for
// similarity misleads here: Petersen and Peterson, or Weinberg and Wienberg, are closer to each other than many a typo
// and are different families, while Ana and Ana Berg, which are far apart, may well be one person. So the kind of a
// difference decides, and not its size:
//
//   - same: equal words in the same order, or one slip of the keyboard in one long word that is not all vowels, the
//     others being equal: two neighbouring letters swapped, or in a very long word one letter left out or put in.
//   - maybe: a part of the name, initials, another order, another way of writing it together, a small difference.
//   - different: everything else, and above all names that only look alike because they are short.
package names

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Verdict is the result of a comparison.
type Verdict uint8

// The verdicts, each surer than the one before.
const (
	Different Verdict = iota
	Maybe
	Same
)

// Name is a name, parsed to be compared with many.
type Name struct {
	words      []word
	title      sort   // of address: its evidence about the person
	titled     bool   // it has a title, which matters where nothing but a family name follows
	generation string // junior, senior, a number
}

// word is one word of a name in the forms in which it is compared.
type word struct {
	plain   string // ü as u
	spelled string // ü as ue
}

// Compare says whether two names can be one person's. It is symmetrical.
func (n Name) Compare(o Name) Verdict {
	switch {
	case len(n.words) == 0 || len(o.words) == 0 || n.contradicts(o):
		return Different
	case n.Equal(o):
		return Same
	case slices.EqualFunc(n.words, o.words, word.equal), sameWords(n.words, o.words),
		n.together(false) == o.together(false):
		return Maybe
	case len(n.words) < len(o.words):
		return partOf(n.words, o.words)
	case len(n.words) > len(o.words):
		return partOf(o.words, n.words)
	}
	v := max(partOf(n.words, o.words), partOf(o.words, n.words), nearly(n.words, o.words))
	if v == Same && n.generation != o.generation {
		return Maybe
	}
	return v
}

// Equal reports whether two names are the same but for case, spacing, accents, titles and ways of writing umlauts.
func (n Name) Equal(o Name) bool {
	return len(n.words) > 0 && slices.EqualFunc(n.words, o.words, word.equal) && n.generation == o.generation &&
		// Dr. Berg is not any Berg
		!n.contradicts(o) && (len(n.words) > 1 || n.titled == o.titled && n.title == o.title)
}

const (
	anybody sort = iota
	man
	woman
)

// contradicts reports whether titles or generations say that two are meant.
func (n Name) contradicts(o Name) bool {
	return n.title != anybody && o.title != anybody && n.title != o.title ||
		n.generation != "" && o.generation != "" && n.generation != o.generation
}

// sameWords reports whether one name has the words of the other in another order.
func sameWords(a, b []word) bool {
	byPlain := func(ws []word) []word {
		return slices.SortedFunc(slices.Values(ws), func(x, y word) int { return strings.Compare(x.plain, y.plain) })
	}
	return slices.EqualFunc(byPlain(a), byPlain(b), word.equal)
}

// partOf says maybe if the words of one name are found in the other in their order, whole or as initials, the first or
// the last of it among them, and at least one as a whole word.
func partOf(part, whole []word) Verdict {
	at, ends, full := 0, false, false
	for _, w := range part {
		for at < len(whole) && !w.equal(whole[at]) && !w.begins(whole[at]) && !whole[at].begins(w) {
			at++
		}
		if at == len(whole) {
			return Different
		}
		if w.equal(whole[at]) && !w.initial() {
			full = true
			ends = ends || at == 0 || at == len(whole)-1
		}
		at++
	}
	if full && ends {
		return Maybe
	}
	return Different
}

// begins reports whether w is an initial of o.
func (w word) begins(o word) bool {
	return w.initial() && (strings.HasPrefix(o.plain, w.plain) || strings.HasPrefix(o.spelled, w.spelled))
}

// Guards of length, in letters.
const (
	longWord     = 8  // a swap in it is a slip: shorter words are a swap away from other names (Brian, Brain)
	veryLongWord = 12 // a letter more or less is a slip: Schuhmacher and Schumacher are two families
	loneWord     = 10 // a name of one word has no second word that agrees, so its one word must be longer
	shortWord    = 3  // the least that a small difference is taken seriously in: Al is not Ali
)

// leastEntropy is the least information of a long word, in bits a letter: repetitions look alike by themselves.
const leastEntropy = 2.3

// nearly compares names of equally many words that differ in one of them.
func nearly(a, b []word) Verdict {
	at, full := -1, false
	for i := range a {
		switch {
		case a[i].equal(b[i]):
			full = full || !a[i].initial()
		case at >= 0:
			return Different
		default:
			at = i
		}
	}
	alone := len(a) == 1
	if !alone && !full {
		return Different
	}
	x, y := []rune(a[at].plain), []rune(b[at].plain)
	if len(x) > len(y) {
		x, y = y, x
	}
	if slices.ContainsFunc(x, unicode.IsDigit) || slices.ContainsFunc(y, unicode.IsDigit) {
		return Different // numbers are never nearly equal
	}
	needed := longWord
	if alone {
		needed = loneWord
	}
	switch d := difference(x, y); {
	case d.slip && len(x) >= needed && (d.swap || len(y) > veryLongWord) && entropy(x) >= leastEntropy:
		return Same
	case d.edits <= 1 && len(x) >= shortWord && !alone, d.edits <= 2 && len(x) >= longWord:
		return Maybe
	case !alone && len(x) >= shortWord && slices.Equal(x, y[:len(x)]):
		return Maybe // Alex, Alexander
	}
	return Different
}

func (w word) equal(o word) bool {
	return w.plain == o.plain || w.plain == o.spelled || w.spelled == o.plain || w.spelled == o.spelled
}

func (w word) initial() bool { return len([]rune(w.plain)) == 1 }

// edit is how two words differ.
type edit struct {
	edits int  // insertions, deletions, substitutions, swaps of neighbours; 3 stands for more than 2
	swap  bool // one swap
	slip  bool // one edit that no other name is made by: inside the word, and no exchange of vowels
}

// difference compares two words, the shorter one first.
func difference(x, y []rune) edit {
	head := 0
	for head < len(x) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	inX, inY := x[head:len(x)-tail], y[head:len(y)-tail]
	switch {
	case len(inX) == 2 && len(inY) == 2 && inX[0] == inY[1] && inX[1] == inY[0]:
		return edit{1, true, head > 0 && !(vowel(inX[0]) && vowel(inX[1]))}
	case len(inX) == 0 && len(inY) == 1:
		return edit{1, false, head > 0 && tail > 1}
	case len(inX) <= 1 && len(inY) <= 1:
		return edit{edits: 1}
	}
	return edit{edits: min(3, distance(inX, inY))}
}

func vowel(r rune) bool { return strings.ContainsRune("aeiouy", r) }

// distance is the number of insertions, deletions, substitutions and swaps of neighbours between two words.
func distance(x, y []rune) int {
	before, row, next := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(y)]
}

// entropy is the information of a word in bits a letter.
func entropy(w []rune) float64 {
	count := map[rune]int{}
	for _, r := range w {
		count[r]++
	}
	bits := 0.0
	for _, n := range count {
		p := float64(n) / float64(len(w))
		bits -= p * math.Log2(p)
	}
	return bits
}

// Keys returns the keys by which a name is found. Two names that [Name.Compare] does not call different share a
// key, except names of one word that differ at both its ends. A word gives up to six keys.
func (n Name) Keys() []string {
	if len(n.words) == 0 {
		return nil
	}
	var keys []string
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	add("=" + n.together(false))
	add("=" + n.together(true))
	for _, w := range n.words {
		if len(w.plain) < 2 {
			continue
		}
		for _, form := range []string{w.plain, w.spelled} {
			add("w" + form)
			if letters := []rune(form); len(letters) >= longWord {
				add("<" + string(letters[:4]))
				add(">" + string(letters[len(letters)-4:]))
			}
		}
	}
	return keys
}

// together is the name written without spaces.
func (n Name) together(spelled bool) string {
	var b strings.Builder
	for _, w := range n.words {
		if spelled {
			b.WriteString(w.spelled)
		} else {
			b.WriteString(w.plain)
		}
	}
	return b.String()
}

// sort is whom a title addresses.
type sort uint8

var titles = map[string]sort{"mr": man, "mister": man, "sir": man, "lord": man, "herr": man, "herrn": man,
	"mrs": woman, "ms": woman, "miss": woman, "madam": woman, "lady": woman, "dame": woman, "frau": woman,
	"fraulein": woman,
	"dr":       anybody, "doctor": anybody, "doktor": anybody, "prof": anybody, "professor": anybody,
	"professorin": anybody,
	"ing":         anybody, "dipl": anybody}

var degrees = map[string]bool{"phd": true, "md": true, "msc": true, "bsc": true, "mba": true, "dds": true, "esq": true}

var generations = map[string]string{"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii",
	"iii": "iii", "iv": "iv"}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "å", "aa", "Å",
	"Aa", "ø", "oe", "Ø", "Oe")

// Parse reads a name. Text without letters and digits is no name: it has no keys and is equal to nothing.
func Parse(s string) Name {
	s = norm.NFC.String(s)
	if family, given, ok := strings.Cut(s, ","); ok && !strings.Contains(given, ",") && !suffix(given) {
		s = given + " " + family
	}
	var n Name
	for _, raw := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'’ʼ", r)
	}) {
		bare := strings.ReplaceAll(textproc.Fold(raw), "'", "")
		if bare == "" {
			continue
		}
		n.words = append(n.words, word{bare, strings.ReplaceAll(textproc.Fold(umlauts.Replace(raw)), "'", "")})
	}
	for len(n.words) > 1 {
		title, ok := titles[n.words[0].plain]
		if !ok {
			break
		}
		n.titled, n.title, n.words = true, max(n.title, title), n.words[1:]
	}
	for len(n.words) > 1 {
		last := n.words[len(n.words)-1].plain
		generation := generations[last]
		if generation == "" && !degrees[last] {
			break
		}
		if generation != "" {
			n.generation = generation
		}
		n.words = n.words[:len(n.words)-1]
	}
	return n
}

func (v Verdict) String() string { return [...]string{"different", "maybe", "same"}[v] }

// suffix reports whether the text after a comma belongs to the name before it: Ana Berg, PhD.
func suffix(s string) bool {
	w := textproc.Fold(strings.Trim(s, " ."))
	w = strings.ReplaceAll(w, ".", "")
	return w == "" || degrees[w] || generations[w] != ""
}
