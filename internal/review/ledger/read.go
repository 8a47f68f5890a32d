package ledger

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// oneTalk bounds the time after which words no longer refer back to an earlier paper.
const oneTalk = 12 * time.Hour

var refersBack = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:them|they|their|it|(?:of|for|from) (?:that|this)|the (?:rest|remainder)|` +
	`remaining|(?:first|second|other) half|ihnen|denen|sie|davon|dafür|damit|rest\pL*|hälfte)(?:[^\pL]|$)`)

// parties are the names of counterparties by the words that tell them apart.
type parties map[string][]string

// hear finds the counterparty of the papers that have none: the one that their words name, as other papers do, or the
// last one before, if they say "them" or "half of it". Words that could name several find none.
func (b *book) hear() {
	known := b.parties()
	var last *paper // the last one with a counterparty
	for _, p := range b.papers {
		if p.party.text == "" {
			if who := known.namedIn(p.Quote); who != "" {
				p.Counterparty, p.party = who, nameOf(who)
			} else if last != nil && p.item.text == "" && p.At.Sub(last.At) < oneTalk &&
				refersBack.MatchString(p.Quote) {
				p.Counterparty, p.party = last.Counterparty, last.party
			}
		}
		if p.party.text != "" {
			last = p
		}
	}
}

// parties reads the names of all papers.
func (b *book) parties() parties {
	known := parties{}
	for _, p := range slices.Concat(b.papers, b.approved) {
		words := p.party.words
		for _, w := range words {
			if isTelling(w, len(words)) && !slices.Contains(known[w], p.Counterparty) {
				known[w] = append(known[w], p.Counterparty)
			}
		}
	}
	return known
}

// minTelling is how many letters a word of a longer name has at least, to stand for the name.
const minTelling = 4

// isTelling reports whether a word can stand for a name of so many words: Holm for Dachdecker Holm. Words for goods
// cannot.
func isTelling(word string, of int) bool {
	return len(word) >= minTelling && thing()[word] == "" || of == 1
}

// namedIn is the longest name of the one party that words with a capital name; "" if there is none, or several.
func (known parties) namedIn(quote string) string {
	var who string
	isGap := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, w := range strings.FieldsFunc(quote, isGap) {
		if !unicode.IsUpper([]rune(w)[0]) {
			continue
		}
		for _, name := range known.of(textproc.Fold(w)) {
			switch {
			case who == "" || nameOf(name).holds(nameOf(who)):
				who = name
			case !nameOf(who).same(nameOf(name)):
				return ""
			}
		}
	}
	return who
}

// of are the names that a word stands for; a German genitive is one, too.
func (known parties) of(word string) []string {
	if names := known[word]; names != nil {
		return names
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && len(stem) >= minTelling {
		return known[stem]
	}
	return nil
}
