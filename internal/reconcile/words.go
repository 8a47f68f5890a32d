package reconcile

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// hollow lists words that name nothing by themselves.
var hollow = wordSet(`a an the my our your his her their its this that these those some any all to of for in on at with from by and or as into over about around up out off i we it is be one ones own
	new old own not no more now after again longer anymore really just there here him them me us also too very get go do did
	der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren dieser diese dieses diesen zu zum zur vom von fur in im ins am an auf
	mit bei beim aus uber um nach und oder als ich wir es ist nicht kein keine keinen mehr doch wieder schon jetzt auch noch so sich mich mir uns euro euros eur dollar dollars usd chf franken pounds gbp`)

// general lists words for sorts of things. The value need not contain them: "the trip to Rome" is the plan to go to
// Rome.
var general = wordSet(`trip journey travel holiday vacation flight visit plan idea project appointment meeting job position role work company subscription membership course class studies degree
	deadline task decision thing stuff allergy intolerance relationship member contract medicine medication tablets pills game lessons lesson event
	reise urlaub flug besuch idee vorhaben projekt termin treffen stelle arbeit job firma mitgliedschaft abo abonnement vertrag kurs studium frist aufgabe entscheidung sache
	thema allergie unvertraglichkeit beziehung spiel unterricht tabletten spielen stunden stunde`)

// heads lists general words at the end of German compounds.
var heads = []string{"studium", "reise", "urlaub", "termin", "allergie", "unvertraglichkeit", "mitgliedschaft",
	"vertrag", "kurs", "unterricht", "training", "abo", "spielen", "stunden", "stunde", "lernen"}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// content returns the words that name something, folded; if there are none, the general words.
func content(s string) []string {
	var named, sorts []string
	for _, w := range strings.FieldsFunc(
		digits(textproc.Fold(s)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch {
		case hollow[w] || len(w) < 2 && !unicode.IsDigit(rune(w[0])):
		case general[w]:
			sorts = append(sorts, w)
		default:
			named = append(named, specific(w))
		}
	}
	if len(named) == 0 {
		return sorts
	}
	return named
}

// withZu matches the infinitive of a separable German verb with zu in it.
var withZu = lazyre.New(
	`^(ab|an|auf|aus|bei|ein|fest|fort|her|hin|los|mit|nach|um|vor|weg|zuruck|zusammen)zu(\pL+n)$`)

// participle matches that of a regular German verb: gekundigt, abgeholt.
var participle = lazyre.New(
	`^(ab|an|auf|aus|bei|ein|fest|fort|her|hin|los|mit|nach|um|vor|weg|zuruck|zusammen)?ge(\pL{3,})(?:t|en)$`)

// specific removes the general end of a compound, chemiestudium becomes chemie, and makes infinitives of verbs:
// anzurufen and abgeholt become anrufen and abholen.
func specific(w string) string {
	if strings.Contains(w, "zu") { // cheaper than the expression, which few words match
		if m := withZu.FindStringSubmatch(w); m != nil {
			return m[1] + m[2]
		}
	}
	if strings.Contains(w, "ge") && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en")) {
		if m := participle.FindStringSubmatch(w); m != nil {
			return m[1] + m[2] + "en"
		}
	}
	for _, h := range heads {
		if stem, ok := strings.CutSuffix(w, h); ok && len(stem) > 3 {
			return stem
		}
	}
	return w
}

// digits removes the separators of thousands in numbers, so that 12,000 and 12.000 become 12000.
func digits(s string) string {
	if !strings.ContainsAny(s, ".,") {
		return s
	}
	return number.ReplaceAllStringFunc(s, func(n string) string {
		for i := len(n) - 4; i > 0; i-- {
			if (n[i] == ',' || n[i] == '.') && (i+4 == len(n) || n[i+4] == ',' || n[i+4] == '.') {
				n = n[:i] + n[i+1:]
			}
		}
		return strings.Replace(n, ",", ".", 1)
	})
}

// within reports whether each of some words is one of others, in any form.
func within(words, others []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(others, func(o string) bool { return sameWord(w, o) }) {
			return false
		}
	}
	return len(words) > 0
}

var stemmers = sync.OnceValue(func() []textproc.Analyzer {
	var all []textproc.Analyzer
	for _, code := range []string{"en", "de"} {
		if a, err := textproc.NewAnalyzer(code); err == nil {
			all = append(all, a)
		}
	}
	return all
})

const (
	prefix   = 5 // letters that forms of one word share
	compound = 4 // letters of a word at the end of a compound
)

// sameWord reports whether two folded words are forms of one word, or one is the head of the other: boat and boats,
// renew and renewal, boot and segelboot.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case a == b, len(a) >= compound && strings.HasSuffix(b, a) && !strings.ContainsFunc(b, unicode.IsDigit):
		return true
	case len(a) >= prefix && len(b)-len(a) <= 3 && a[:prefix] == b[:prefix] && unicode.IsLetter(rune(a[0])):
		return true
	case len(a) == 0 || a[0] != b[0]: // a stem begins as its word does
		return false
	}
	return slices.ContainsFunc(stemmers(), func(s textproc.Analyzer) bool {
		x, _ := s.Terms(a)
		y, _ := s.Terms(b)
		return len(x) == 1 && slices.Equal(x, y)
	})
}

// near reports whether two names differ by a typing error: at most two letters in one longer than three.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if min(len(x), len(y)) < 4 || a == b {
		return false
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)] <= 2
}
