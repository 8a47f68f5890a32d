package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/textproc"
)

// Somebody called "my daughter" has no name to be found by. A statement about her is a fact of the speaker, with the
// relation before the verb: daughter_lives_in. A statement about a daughter with a name is a fact of the person of that
// name.

// kinsmen is the pattern of the speaker's people, for each language.
var kinsmen = [2]string{
	english: `(?:(?:my|our)\s+` + degree + `(?:` + relationWords + `)(?:\s(?-i:\p{Lu}[\pL'’-]+))?|` + englishBare + `)`,
	german: `(?:(?:meine?|unsere?)\s+` + degree + `(?:` + relationWords + `)(?:\s(?-i:\p{Lu}[\pL'’-]+))?|` +
		germanBare + `)`,
}

// Words that name one of the speaker's own people without "my" if they have a capital.
const (
	englishBare = `(?-i:Mum|Mom|Mummy|Mommy|Dad|Daddy|Grandma|Grandpa|Granny|Gran|Nana|Granddad|Grandad)`
	germanBare  = `(?-i:Mama|Papa|Oma|Opa)`
)

var bareKin = compiled(`^(?:` + englishBare + `|` + germanBare + `)$`)

var kinsmanParts = compiled(`^(?i:my|our|meine?|unsere?)\s+((?i:` + degree + `))((?i:` + relationWords +
	`))(?:\s+(\p{Lu}[\pL'’-]+))?$`)

// kinsman splits "my younger sister Carla" into her relation to the speaker, and her name if she has one.
func kinsman(who string) (relation, name string, ok bool) {
	if bareKin.MatchString(who) {
		return who, "", true
	}
	m := kinsmanParts.FindStringSubmatch(who)
	if m == nil || m[3] != "" && (!isPerson(m[3]) || notKin[lower(m[3])]) {
		return "", "", false
	}
	return m[1] + m[2], m[3], true
}

// degrees are the English names of words that distinguish relatives.
var degrees = invert(map[string]string{
	"younger": "younger little youngest kleine kleiner kleines jüngere jüngerer jüngste jüngster",
	"older":   "older big elder eldest oldest große großer großes ältere älterer älteste ältester",
	"best":    "best beste bester",
	"former":  "former",
	"twin":    "twin",
	"one":     "one eine einer eines",
	"other":   "other andere anderer anderes",
	"middle":  "middle mittlere mittlerer",
	"second":  "second zweite zweiter",
	"third":   "third dritte dritter",
})

// kinVerb returns the English verb for a fact about a relative, in every language.
func kinVerb(relation, verb string) string {
	ws := strings.Fields(lower(relation))
	last := ws[len(ws)-1]
	label := strings.TrimPrefix(relations[last], "has_")
	if label == "relative" {
		label = slug(textproc.Fold(englishRelative(last)))
	}
	for _, w := range ws[:len(ws)-1] {
		if d := degrees[w]; d != "" {
			label = d + "_" + label
		}
	}
	return label + "_" + verb
}

func englishRelative(w string) string {
	if e, ok := relatives[w]; ok {
		return e
	}
	return w
}

var relatives = map[string]string{"onkel": "uncle", "tante": "aunt", "oma": "grandmother", "opa": "grandfather",
	"grandma": "grandmother", "grandpa": "grandfather", "granny": "grandmother", "gran": "grandmother",
	"nana": "grandmother", "granddad": "grandfather", "grandad": "grandfather", "neffe": "nephew",
	"nichte": "niece", "cousine": "cousin", "schwager": "brother in law", "schwägerin": "sister in law",
	"brother-in-law": "brother in law", "sister-in-law": "sister in law"}

// several are relations of which a speaker may have more than one even with "my": my friend, my colleague, my aunt.
var several = wordSet("has_friend has_colleague has_neighbour has_relative")

// isOnly reports whether the speaker has only one of them, so that later statements replace earlier ones.
func isOnly(relation string) bool {
	ws := strings.Fields(lower(relation))
	best := slices.ContainsFunc(ws, func(w string) bool { return degrees[w] == "best" })
	return best || !several[relations[ws[len(ws)-1]]]
}

// women and men are the relations that decide between she and he.
var (
	women = wordSet("wife mother mum mom daughter sister girlfriend aunt grandmother grandma granny gran nana mummy mommy niece fiancée sister-in-law " +
		"frau ehefrau mutter mama tochter schwester freundin tante oma nichte cousine partnerin verlobte chefin kollegin nachbarin schwägerin lebensgefährtin vorgesetzte")
	men = wordSet("husband father dad son brother boyfriend uncle grandfather grandpa granddad grandad daddy nephew fiancé brother-in-law " +
		"mann ehemann vater papa sohn bruder freund onkel opa neffe verlobter chef kollege nachbar schwager lebensgefährte vorgesetzter partner")
)

// kinName returns the name of one of the speaker's people in a sentence: Ana's younger sister.
func (h *hit) kinName() string {
	owner := h.speakerName()
	if h.rule.lang == english {
		return owner + "'s " + strings.ToLower(h.kin)
	}
	ws := strings.Fields(h.kin)
	for i, w := range ws[:len(ws)-1] {
		ws[i] = strings.TrimRight(lower(w), "rs")
	}
	article := "Der "
	if women[lower(ws[len(ws)-1])] {
		article = "Die "
	}
	if owner == "Der Nutzer" {
		owner = "dem Nutzer"
	}
	return article + strings.Join(ws, " ") + " von " + owner
}

var pronounFirst = compiled(`^(She|He|Sie|Er)(?:['’]s)?\s`)

// meant replaces "she" or "he" in a sentence with the person of the sentence before it.
func (p *page) meant(s *sentence) (sentence, bool) {
	m := pronounFirst.FindStringSubmatch(s.text)
	if m == nil || s == &p.sentences[0] || len(s.text) > maxQuote {
		return sentence{}, false
	}
	at := 1
	for at < len(p.sentences) && &p.sentences[at] != s {
		at++
	}
	before := p.sentences[at-1]
	found := kinBefore.FindString(before.text)
	relation, _, ok := kinsman(strings.TrimSpace(found))
	if !ok || before.question {
		return sentence{}, false
	}
	ws := strings.Fields(lower(relation))
	last, female := ws[len(ws)-1], m[1] == "She" || m[1] == "Sie"
	if women[last] && !female || men[last] && female {
		return sentence{}, false
	}
	rest := s.text[len(m[1]):]
	if contracted := strings.TrimPrefix(strings.TrimPrefix(rest, "'s"), "’s"); contracted != rest {
		rest = " is" + contracted
	}
	lead := strings.TrimSpace(found)
	return sentence{start: s.start, end: s.end, text: lead + rest, from: len(m[1]), lead: len(lead), made: true}, true
}

var kinBefore = compiled(`^(?:(?i:my|our|meine?|unsere?)\s+(?i:` + degree + `)(?i:` + relationWords +
	`)\b(?:\s+\p{Lu}[\pL'’-]+)?)`)
