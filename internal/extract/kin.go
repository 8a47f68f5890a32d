package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// relations maps the words of a relation in both languages to its verb.
var relations = invert(map[string]string{
	"has_wife":      "wife frau ehefrau",
	"has_husband":   "husband mann ehemann",
	"has_spouse":    "spouse",
	"has_partner":   "partner girlfriend boyfriend fiancé fiancée fiance fiancee partnerin lebensgefährte lebensgefährtin verlobter verlobte",
	"has_son":       "son sohn",
	"has_daughter":  "daughter tochter",
	"has_brother":   "brother bruder",
	"has_sister":    "sister schwester",
	"has_mother":    "mother mum mom mummy mommy mutter mama",
	"has_father":    "father dad daddy vater papa",
	"has_relative":  "cousin uncle aunt grandmother grandfather grandma grandpa granny gran nana granddad grandad nephew niece brother-in-law sister-in-law onkel tante oma opa neffe nichte cousine schwager schwägerin",
	"has_boss":      "boss manager supervisor chef chefin vorgesetzter vorgesetzte",
	"has_colleague": "colleague coworker co-worker kollege kollegin",
	"has_landlord":  "landlord landlady vermieter vermieterin",
	"has_friend":    "friend freund freundin",
	"has_neighbour": "neighbour neighbor nachbar nachbarin",
})

func invert(verbs map[string]string) map[string]string {
	byWord := make(map[string]string)
	for verb, ws := range verbs {
		for w := range strings.FieldsSeq(ws) {
			byWord[w] = verb
		}
	}
	return byWord
}

// relationWords is a pattern of the words of [relations], the longest first; relation matches one of them as a value.
var relation = `(?P<y>` + relationWords + `)`

var relationWords = func() string {
	ws := make([]string, 0, len(relations))
	for w := range relations {
		ws = append(ws, w)
	}
	slices.SortFunc(ws, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return strings.Join(ws, "|")
}()

const degree = `(?:(?:older|younger|little|big|elder|eldest|youngest|oldest|best|good|old|new|dear|former|twin|only|one|other|middle|second|third|eine[rs]?|andere[rs]?|mittlere[rs]?|zweite[rs]?|dritte[rs]?|kleine[rs]?|große[rs]?|ältere[rs]?|jüngere[rs]?|älteste[rs]?|jüngste[rs]?|` +
	`beste[rs]?|gute[rs]?|alte[rs]?|neue[rs]?|liebe[rs]?) )*`

// kinRules find the people around the speaker by their names, and the number of children.
var kinRules = []rule{
	{id: "en.kin.1", triggers: "my our", pattern: `(?:my|our) ` + degree + relation + `(?:'s name is|'s called| is called| is named| is (?:now )?an? (?:company|firm|woman|man|guy|lady|agency|couple) (?:called|named)| is|,)? {name}`, verb: "has_relative", check: isKin},
	{id: "en.kin.13", triggers: "my our", pattern: `(?:my|our) ` + degree + relation + ` is an? {name}`, verb: "has_relative", check: isTitledKin},
	{id: "en.kin.2", triggers: "named called", pattern: `(?:I|we)(?:'ve got| have) an? ` + degree + relation + `,? (?:named|called) {name}`, verb: "has_relative", check: isKin},
	{id: "en.kin.3", triggers: "married", pattern: `I(?:'m| am) {adv}married to {name}`, verb: "has_spouse", check: isSpouse},
	{id: "en.children.1", triggers: "kids children", pattern: `(?:I|we)(?:'ve got| {adv}have) (?P<x>one|two|three|four|five|six|seven|eight|\d|any|no) (?:(?:small|young|little|grown-up|grown) )?(?:kids|children)(?:[.,;!]|$| (?:and|who|aged|but|from|together)\b)`, verb: "has_children", check: isCount},
	{id: "en.status.1", triggers: "married divorced single engaged widowed", pattern: `{who}(?:'m|'s| am| is) {adv}(?P<x>married|divorced|single|engaged|widowed)(?:[.,;!]|$| (?:and|but|now|since|with|for)\b)`, verb: "has_marital_status", check: isStatus},
	{id: "de.kin.1", triggers: "mein meine unser unsere", pattern: `(?:meine?|unsere?) ` + degree + relation + `(?: heißt| ist|,)? {name}`, verb: "has_relative", check: isKin},
	{id: "de.kin.2", triggers: "namens", pattern: `(?:ich habe|wir haben) (?:eine?n? )` + `(?:(?:kleinen?|großen?|älteren?|jüngeren?) )?` + relation + ` namens {name}`, verb: "has_relative", check: isKin},
	{id: "de.kin.3", triggers: "verheiratet", pattern: `ich bin {adv}mit {name} verheiratet`, verb: "has_spouse", check: isSpouse},
	{id: "de.children.1", triggers: "kinder", pattern: `(?:ich habe|wir haben) {adv}(?P<x>zwei|drei|vier|fünf|sechs|sieben|acht|\d|keine)? ?(?:(?:kleine|große|erwachsene) )?Kinder(?:[.,;!]|$| (?:und|im|aber|aus)\s)`, verb: "has_children", check: isCount},
	{id: "de.status.1", triggers: "verheiratet geschieden single ledig verlobt verwitwet", pattern: `(?:ich bin|{who} ist) {adv}(?P<x>verheiratet|geschieden|Single|ledig|verlobt|verwitwet)(?:[.,;!]|$| (?:und|aber|seit)\s)`, verb: "has_marital_status", check: isStatus},
}

// notKin follow a relation with a capital letter and are no names.
var notKin = wordSet("music coffee google time food sleep caffeine wine chocolate money netflix work sarcasm karma silence laughter reading jesus youtube wikipedia procrastination pain fear kaffee musik zeit schlaf geld arbeit angst staat gesellschaft nature god gott montag dienstag mittwoch donnerstag freitag samstag sonntag natur")

var namedBy = compiled(`(?i)(?: is| ist)\s+\S+$`)

// isTitledKin is for "a Ms. Fuchs": without the title, a name behind an article is a nation or a trade.
func isTitledKin(h *hit) bool { return titled.MatchString(h.x) && isKin(h) }

var titled = compiled(`^(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s`)

func isKin(h *hit) bool {
	first := lower(strings.Fields(h.x)[0])
	if !isPerson(h.x) || notKin[first] {
		return false
	}
	match := h.sentence.text[h.m[0]:h.m[1]]
	if namedBy.MatchString(match) && (isNationWord(h.x) || h.rule.lang == german && !isEnd(h.sentence.text[h.m[1]:])) {
		return false // my brother is Swedish; mein Bruder ist Lehrer geworden
	}
	if strings.Contains(match, ",") && !isEnd(h.sentence.text[h.m[1]:]) {
		return false // when I asked my boss, Renata laughed
	}
	if occupationOnly.MatchString(h.x) {
		return false
	}
	h.Verb = relations[lower(h.y)]
	h.put("as", strings.ToLower(h.y))
	return true
}

var (
	nationOnly     = compiled(`^(?:` + englishNations + `|` + germanNations + `)$`)
	occupationOnly = compiled(`^(?:` + germanOccupations + `)$`)
)

func isNationWord(s string) bool { return nationOnly.MatchString(s) }

// isEnd reports whether a clause ends here.
func isEnd(after string) bool {
	return after == "" || strings.ContainsAny(after[:1], ".,;!?)")
}

func isSpouse(h *hit) bool { return isPerson(h.x) }

var counts = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8}

func isCount(h *hit) bool {
	n, known := counts[lower(h.x)]
	switch {
	case len(h.x) == 1 && h.x[0] >= '0' && h.x[0] <= '9':
		n = int(h.x[0] - '0')
	case h.Polarity == trilith.Negated || lower(h.x) == "no" || lower(h.x) == "keine":
		n, h.Polarity = 0, trilith.Affirmed
	case !known:
		return false
	}
	h.Node.Name = strconv.Itoa(n)
	return true
}

var statuses = map[string]string{"verheiratet": "married", "geschieden": "divorced", "single": "single",
	"ledig": "single", "verlobt": "engaged", "verwitwet": "widowed", "geheiratet": "married",
	"the knot": "married"}

func isStatus(h *hit) bool {
	h.Node.Name = lower(h.x)
	if s, ok := statuses[h.Node.Name]; ok {
		h.Node.Name = s
	}
	return true
}

// notBosses follow "report to" but are no persons: offices, or matters.
var notBosses = wordSet("congress parliament brussels berlin london washington headquarters hq marketing sales finance hr legal god")

func isBoss(h *hit) bool {
	return isPerson(h.x) && !h.sentence.question &&
		!slices.ContainsFunc(strings.Fields(h.x), func(w string) bool { return notBosses[lower(w)] })
}
