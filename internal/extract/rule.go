package extract

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lang is the language of a rule.
type lang uint8

const (
	english lang = iota
	german
)

// rule finds one way of saying one thing. Its pattern is RE2, ignores case, and matches within one sentence from the
// beginning of a word. A space matches white space, ' matches either apostrophe, and names in braces are pieces of
// [macros]. The groups who, adv, x and y are the subject, the words that modify the verb, and the values.
type rule struct {
	id string // language.family.number; a number is never reused
	// Words in small letters; every sentence that matches contains one. A * marks the end of a compound.
	triggers string
	needs    string // like triggers; if there are any, the sentence contains one of them too
	pattern  string
	verb     string
	check    func(*hit) bool // tests the values and may change the fact; nil: x is the node's name
	subject  Subject         // of a match without a third person
	ends     bool            // the words themselves state an end
	asked    bool            // also applies to questions: "could you please …"
	whole    bool            // negations before the match do not apply to it
	change   amending        // the match changes a fact and states none; nil: it states one
	meets    []string        // the verbs of the facts that a change may concern

	lang     lang
	needed   map[string]bool
	compiled func() *regexp.Regexp
	groups   func() groups
}

// groups are the numbers of a pattern's named groups, 0 for missing ones.
type groups struct{ who, adv, x, y int }

func newRules(tables ...[]rule) []rule {
	all := slices.Concat(tables...)
	for i := range all {
		r := &all[i]
		if strings.HasPrefix(r.id, "de.") {
			r.lang = german
		}
		r.needed = wordSet(r.needs)
		r.compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expand(r.pattern, r.lang)) })
		r.groups = sync.OnceValue(func() groups {
			re := r.compiled()
			n := func(name string) int { return max(0, re.SubexpIndex(name)) }
			return groups{n("who"), n("adv"), n("x"), n("y")}
		})
	}
	return all
}

// rules are all rules, in the order in which they are tried.
var rules = newRules(personRules, workRules, tasteRules, dietRules, ownRules, kinRules, planRules, taskRules,
	decisionRules, deadlineRules,
	concernRules, milestoneRules, scheduleRules, materialRules, peopleRules, homeRules, traitRules, jobRules,
	healthRules, skillRules, contactRules, wishRules,
	habitRules, livingRules, incomeRules, occasionRules, fancyRules, matterRules, settledRules, droppedRules,
	feelingRules, overRules, correctionRules, movedRules, insteadRules, livingEnds)

// waking maps words to the rules that they select; compounds are endings of such words.
var waking, compounds = wakeTable(rules)

type ending struct {
	text  string
	rules []int
}

func wakeTable(rules []rule) (map[string][]int, []ending) {
	byWord, byEnd := make(map[string][]int), make(map[string][]int)
	for i, r := range rules {
		for w := range strings.FieldsSeq(r.triggers) {
			if end, ok := strings.CutPrefix(w, "*"); ok {
				byEnd[end] = append(byEnd[end], i)
			} else {
				byWord[w] = append(byWord[w], i)
			}
		}
	}
	var ends []ending
	for text, rs := range byEnd {
		ends = append(ends, ending{text, rs})
	}
	slices.SortFunc(ends, func(a, b ending) int { return strings.Compare(a.text, b.text) })
	return byWord, ends
}

// wordsOf returns the words of an alternation in a pattern, for the triggers of its rule.
func wordsOf(alternation string) string {
	var all []string
	for _, w := range notTrigger.Split(strings.ToLower(notText.ReplaceAllString(alternation, " ")), -1) {
		if len(w) > 2 && !common[w] {
			all = append(all, w)
		}
	}
	return strings.Join(all, " ")
}

var (
	notText    = regexp.MustCompile(`\\pL|\\w|\\d|\\x27|\(\?P<\w+>|\(\?-?i?:|\[[^\]]*\]|\(\?:[^()|]{1,3}\)\?`)
	notTrigger = regexp.MustCompile(`[^\pL\pN-]+`)
	common     = wordSet("and the der die das von mit the for und with from bei")
)

// woken returns the rules that the words select, in order.
func woken(ws []string, into []int) []int {
	for _, w := range ws {
		into = append(into, waking[w]...)
		if len(w) < 7 { // shorter than any compound
			continue
		}
		for _, e := range compounds {
			if strings.Contains(w, e.text) {
				into = append(into, e.rules...)
			}
		}
	}
	if len(into) < 2 {
		return into
	}
	slices.Sort(into)
	return slices.Compact(into)
}

const (
	englishAdverbs = `really|also|still|currently|now|just|actually|usually|always|mostly|do|does|both|even|simply|absolutely|particularly|especially|` +
		`generally|honestly|only|don't|do not|does not|doesn't|didn't|never|not|no longer|already|probably|maybe|perhaps|definitely|quite|finally|` +
		`recently|have|has|had|'ve|truly|very|genuinely|originally|personally|again|too|to be|being|been|both|indeed|certainly|aren't|isn't|am|are|is|was|were`
	germanAdverbs = `jetzt|gerade|noch|nun|seit \S+(?: (?:Jahren|Monaten|Wochen|Tagen|Jahr|Monat|Januar|Februar|März|April|Mai|Juni|Juli|August|September|` +
		`Oktober|November|Dezember|\d{4}))?|derzeit|aktuell|momentan|eigentlich|wirklich|sehr|auch|schon|immer|total|nicht mehr|nicht|nie|niemals|ja|halt|hier|ganz|selbst|` +
		`leider|inzwischen|mittlerweile|ursprünglich|vielleicht|wahrscheinlich|wohl|vermutlich|besonders|keine?n?|übrigens|zurzeit|gar|überhaupt|doch|erst`
)

// macros are named parts of patterns, written in braces. Those that depend on the language exist twice.
var macros = [2]*strings.Replacer{english: newMacros(englishAdverbs, kinsmen[english]),
	german: newMacros(germanAdverbs, kinsmen[german])}

// endOfThing matches the end of a value: a mark, or a word that begins another clause.
const endOfThing = `(?:[,.;:!?)"”“]+(?:\s|$)|\s[-–—(]|\s(?:because|but|and (?:I|we|he|she|they|it|my|the|then|so|also)|when|while|since|so|which|that|who|although|though|if|unless|` +
	`for now|too|very much|a lot|more than|most of|by the way|weil|aber|und (?:ich|wir|er|sie|es)|oder ich|wenn|obwohl|denn|dass|sehr|total|besonders|lieber|als|laut)\b|$)`

func newMacros(adverbs, people string) *strings.Replacer {
	const name = `(?-i:(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.?\s)?\p{Lu}[\pL'’-]+(?:\s(?:(?:von|van|de|der|la|da|al)\s)?\p{Lu}[\pL'’-]+){0,2})`
	const place = `(?-i:(?:the\s|St\.\s)?\p{Lu}[\pL'’-]*(?:(?:\s|\s(?:de|del|la|upon|am|an\sder|of)\s)\p{Lu}[\pL'’-]*){0,3})`
	return strings.NewReplacer(
		"'", "['’]",
		" ?", `\s*`,
		" ", `\s+`,
		"{adv}", `(?P<adv>(?:(?:`+strings.NewReplacer("'", "['’]", " ", `\s`).Replace(adverbs)+`)\s+)*)`,
		"{who}", `(?P<who>I|`+people+`|`+name+`)`,
		"{Who}", `(?P<who>`+people+`|`+name+`)`,
		"{paper}", paperNumber,
		"{name}", `(?P<x>(?-i:(?:von|van|de|del)\s)?`+name+`)`,
		"{place}", `(?P<x>`+place+`)`,
		"{place2}", `(?P<y>`+place+`)`,
		"{thing}", `(?P<x>[\pL\pN].{0,80}?)`+endOfThing,
		"{things}", `(?P<x>[\pL\pN].{0,80}?)`,
		"{short}", `(?P<x>[\pL\pN][^,.;:!?()"“”„]{0,50}?)`,
		"{clause}", `(?P<x>[\pL\pN].{1,200}?)(?:[.!?]+$|;|\s[–—]\s|,\s(?:but|because|so|which|weil|aber|damit|da|denn|sonst|und zwar)\s|\s(?:because|otherwise)\s|$)`,
		"{end}", endOfThing,
	)
}

// expand turns a pattern into a regular expression.
func expand(pattern string, l lang) string {
	if strings.HasPrefix(pattern, "^") {
		return "(?i)" + macros[l].Replace(pattern)
	}
	if rest, ok := strings.CutPrefix(pattern, "(?:^|"); ok { // the mark before a clause comes before the word
		pattern = "(?:^| |" + rest
	}
	return `(?i)(?:^|[^\pL\pN])` + macros[l].Replace(pattern)
}
