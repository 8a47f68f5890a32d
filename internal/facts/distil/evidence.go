package distil

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/money"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// evidence holds the parts of texts that a claim can rest on: numbers in one spelling, words folded, and stems with a
// ~ before.
type evidence map[string]bool

// gather collects the evidence that the claim may rest on: its turn, the turns shortly before it, the speakers, and
// the known facts of its topic.
func (h *hearing) gather() string {
	h.own.read(h.turn.Text, h.lang)
	h.said.read(h.turn.Text, h.lang)
	names := []string{h.turn.Speaker, h.r.Subject}
	for _, i := range h.near {
		t := &h.r.Turns[i]
		h.names.words(t.Text)
		h.basis += h.basisIn(t)
		names = append(names, t.Speaker)
	}
	h.said.read(h.basis, h.lang)
	for i := range h.r.Known { // "moved from Oslo to Bergen"
		if known := h.r.Known[i].Memory.Fact; h.sameTopic(known.Verb) {
			names = append(names, known.Node.Name)
		}
	}
	for _, n := range names {
		h.more.read(n, h.lang)
	}
	return ""
}

// basisIn returns the part of an earlier turn that a claim may take its value or a number from: an answer from its
// question, a consent from its offer, a sum or an offer from all of it.
func (h *hearing) basisIn(t *Turn) (text string) {
	if h.sum != "" || h.turn.Role == trilith.RoleAssistant && proposal.MatchString(h.frame.whole) {
		return t.Text
	}
	for _, at := range sentences(t.Text) {
		s := t.Text[at[0]:at[1]]
		last, _ := utf8.DecodeLastRuneInString(s)
		if strings.ContainsRune("?？؟", last) || t.Role == trilith.RoleAssistant && proposal.MatchString(s) {
			text += s + "\n"
		}
	}
	return text
}

// capital is a word that begins with a capital, and whether any word would at its position.
type capital struct {
	word  string
	first bool
}

// grounds sees to it that every number and name of the claim is in the words that it rests on, and notes which
// words of other turns those are.
func (h *hearing) grounds() string {
	h.more.read(h.found.Name, h.lang) // checked with the subject
	object := string(h.claim.Value)
	needed := evidence{} // words that the turn itself lacks
	for _, text := range []string{h.claim.Sentence, object} {
		for _, n := range numbers(text) {
			if !h.rests(n.readings...) {
				return ReasonNumber
			}
			h.need(needed, n.readings...)
		}
	}
	said := slices.DeleteFunc(names(h.claim.Sentence, true), func(c capital) bool { return c.first }) // of any sentence
	for _, c := range append(said, names(object, !isTitle(object))...) {
		known := h.isName(c.word)
		if !known && !c.first && h.lang != textproc.German { // every German noun has a capital
			return ReasonName
		}
		if !known {
			h.doubt(DoubtName)
		}
		h.need(needed, c.word)
	}
	terms := textproc.Analyzer{}.QueryTerms(object, textproc.All)
	supported := len(terms) == 0
	for _, forms := range terms {
		for _, t := range forms {
			supported = supported || h.rests("~"+t)
			h.need(needed, "~"+t)
		}
	}
	if !supported && (h.lang != textproc.Unknown || !slices.ContainsFunc(letters(object), h.isRelated)) {
		h.doubt(DoubtUnsupported)
	}
	h.premises(needed)
	return ""
}

// need records the words that the turn itself lacks.
func (h *hearing) need(needed evidence, any ...string) {
	if !slices.ContainsFunc(any, func(s string) bool { return h.own[s] }) {
		for _, s := range any {
			needed[s] = true
		}
	}
}

var wordRun = lazyre.New(`[\pL\pN][\pL\pN\pM'’-]*`)

// names returns the words of a text that begin with a capital, folded. In running text the first word of a sentence
// always does.
func names(text string, running bool) (out []capital) {
	first := true
	at := 0
	for _, span := range wordRun.FindAllStringIndex(text, -1) {
		if strings.ContainsAny(text[at:span[0]], ".!?:") {
			first = true
		}
		for w := range strings.SplitSeq(text[span[0]:span[1]], "-") {
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
				for _, folded := range letters(w) {
					out = append(out, capital{folded, running && first})
				}
			}
			first = false
		}
		at = span[1]
	}
	return out
}

var lower = lazyre.New(`(?:^|\s)\p{Ll}`)

// isTitle reports whether every word of the text begins with a capital: then the first may be a name too.
func isTitle(text string) bool { return !lower.MatchString(text) }

// generic lists capitalised words in sentences about facts that are not names.
var generic = wordfile.Set(
	"user speaker assistant project team person client customer task decision estimate quote budget risk " +
		"deadline milestone schedule material constraint cost costs invoice payment order the a an no i he she it " +
		"they this that there here what who nutzer nutzerin benutzer sprecher assistent projekt kunde aufgabe " +
		"entscheidung schatzung angebot risiko frist termin meilenstein vorgabe kosten rechnung zahlung nachtrag " +
		"der die ein eine kein keine er sie es das dies hier was wer")

// isName reports whether the evidence of the claim contains a capitalised word in any form, or whether the word is
// no person's name.
func (h *hearing) isName(w string) bool {
	if generic[w] || h.names[w] || h.rests(w) {
		return true
	}
	for _, forms := range (textproc.Analyzer{}).QueryTerms(w, textproc.All) {
		if slices.ContainsFunc(forms, func(t string) bool { return h.names["~"+t] || h.rests("~"+t) }) {
			return true
		}
	}
	return h.isRelated(w)
}

func (h *hearing) rests(any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return h.said[s] || h.more[s] })
}

// isRelated reports whether a word may be a form of one that was said; in English it is known which are.
func (h *hearing) isRelated(w string) bool {
	for said := range h.said {
		if h.lang != textproc.English && inflected(w, said) {
			return true
		}
	}
	return false
}

// inflected reports whether two words differ in their endings: allergisch, Allergie; Kraków, Krakowie. In a script without
// capitals it is enough that one is in the other.
func inflected(word, said string) bool {
	stem := []rune(word)
	n := max(4, min(5, len(stem)-1))
	return n <= len(stem) && strings.HasPrefix(said, string(stem[:n])) ||
		strings.ToUpper(word) == word && strings.Contains(said, word)
}

// premises records the sentences, of the turns before, that contain a needed word.
func (h *hearing) premises(needed evidence) {
	for _, i := range h.near {
		text := h.r.Turns[i].Text
		for _, s := range sentences(text) {
			gives := evidence{}
			gives.read(text[s[0]:s[1]], h.lang)
			for w := range needed {
				if gives[w] {
					h.found.Premises = append(h.found.Premises, Span{i, s[0], s[1]})
					break
				}
			}
		}
	}
}

// numerals maps words to numbers.
var numerals = func() map[string]string {
	m := map[string]string{}
	for key, words := range wordfile.Rows(toneFile) {
		if n, is := strings.CutPrefix(key, "numeral "); is {
			for w := range strings.FieldsSeq(words) {
				m[w] = n
			}
		}
	}
	return m
}()

func (e evidence) read(text string, l textproc.Lang) {
	for _, n := range numbers(text) {
		for _, reading := range n.readings {
			e[reading] = true
		}
	}
	for _, a := range money.Find(text, moneyLang(l), "") {
		for _, d := range []money.Decimal{a.Value, a.Low, a.High} {
			e[canonical(d.String())] = true
		}
	}
	e.words(text)
	for _, w := range letters(text) {
		if n, ok := numerals[w]; ok {
			e[n] = true
		}
	}
}

func (e evidence) words(text string) {
	for _, w := range letters(text) {
		e[w] = true
	}
	terms, _ := textproc.Analyzer{}.Terms(text)
	for _, t := range terms {
		e["~"+t] = true
	}
}

// number is a number as a text has it, with all that it may mean.
type number struct {
	start, end int
	readings   []string
}

var digits = lazyre.New(`\d(?:[\d.,'’\x{a0}\x{202f}]*\d)?`)

var dateLike = lazyre.New(`^\d{1,2}\.\d{1,2}(?:\.\d{2}|\.\d{4})?$`)

// numbers returns the numbers of a text. 1.234 may be read in two ways: which of them is meant, two texts tell
// together.
func numbers(text string) (out []number) {
	for _, at := range digits.FindAllStringIndex(text, -1) {
		s := text[at[0]:at[1]]
		n := number{start: at[0], end: at[1]}
		parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
		grouped := func(ps []string) bool {
			return !slices.ContainsFunc(ps[1:], func(p string) bool { return len(p) != 3 })
		}
		last := len(parts) - 1
		if grouped(parts) {
			n.readings = append(n.readings, canonical(strings.Join(parts, "")))
		}
		if last > 0 && grouped(parts[:last]) {
			n.readings = append(n.readings, canonical(strings.Join(parts[:last], "")+"."+parts[last]))
		}
		if dateLike.MatchString(s) || len(n.readings) == 0 {
			for _, p := range parts {
				n.readings = append(n.readings, canonical(p))
			}
		}
		if r, size := utf8.DecodeRuneInString(text[n.end:]); r == 'k' || r == 'K' {
			if next, _ := utf8.DecodeRuneInString(text[n.end+size:]); !unicode.IsLetter(next) {
				for i, reading := range n.readings {
					n.readings[i] = multiply(reading, "1000")
				}
			}
		}
		out = append(out, n)
	}
	return out
}

// multiply gives a product in one spelling; its first factor if it has too many digits.
func multiply(a, b string) string {
	x, errA := money.ParseDecimal(a)
	y, errB := money.ParseDecimal(b)
	if errA != nil || errB != nil {
		return a
	}
	product, ok := x.Mul(y)
	if !ok {
		return a
	}
	return canonical(product.String())
}

// canonical returns a number in one spelling: no leading zeros, and no trailing ones in a fraction.
func canonical(s string) string {
	whole, fraction, _ := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return whole
}

func moneyLang(l textproc.Lang) money.Lang {
	if l == textproc.German {
		return money.German
	}
	return money.English
}
