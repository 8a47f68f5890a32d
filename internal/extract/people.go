package extract

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
)

const (
	givenNames  = `(?P<x>(?-i:\p{Lu}[\pL\x27’-]+(?:(?:, | and |, and | & | und )\p{Lu}[\pL\x27’-]+)*))`
	pluralOfKin = `(?P<y>sons|daughters|brothers|sisters|kids|children|twins|siblings|parents|cats|dogs|rabbits|friends|best friends|Söhne|Töchter|Brüder|Schwestern|Kinder|Zwillinge|Geschwister|Eltern|Katzen|Hunde|Kaninchen|Kater)`
)

// pluralKin are the relations of [pluralOfKin].
var pluralKin = map[string]string{"sons": "has_son", "söhne": "has_son", "daughters": "has_daughter",
	"töchter": "has_daughter", "brothers": "has_brother", "brüder": "has_brother", "sisters": "has_sister",
	"schwestern": "has_sister", "kids": "has_child", "children": "has_child", "twins": "has_child",
	"kinder": "has_child", "zwillinge": "has_child", "siblings": "has_sibling", "geschwister": "has_sibling",
	"parents": "has_parent", "eltern": "has_parent", "friends": "has_friend", "best friends": "has_friend",
	"cats": "has_pet", "dogs": "has_pet", "rabbits": "has_pet", "katzen": "has_pet", "hunde": "has_pet",
	"kaninchen": "has_pet", "kater": "has_pet"}

// peopleRules find more ways of naming the people around the speaker.
var peopleRules = []rule{
	{id: "en.kin.4", triggers: wordsOf(pluralOfKin), pattern: `(?:my|our)(?: (?:two|three|four|older|younger|best))* ` +
		pluralOfKin + `(?:'s? names)? ?(?:are|,) (?:called |named )?` + givenNames, verb: "has_relative",
		check: areKin},
	{id: "en.kin.5", triggers: wordsOf(relationWords), pattern: `(?:^|, |, and |, so |; ){name}(?: is|'s)(?: now)? (?:my|our) ` + degree + relation +
		`(?:[.,;!]|$| (?:and|but|who|from|since|now|these days|nowadays)\b)`, verb: "has_relative", check: isKinOf},
	{id: "en.kin.11", triggers: "lead leader manager boss head", pattern: `(?:my|our) (?:new |current )?(?:team lead(?:er)?|squad lead|tech lead|line manager|direct manager|department head|head of department) is (?:now )?{name}(?:[.,;!]|$| (?:and|but|now|since|from|these)\b)`, verb: "has_boss", check: isBoss},
	{id: "en.kin.10", triggers: "report reporting reports", pattern: `(?:I(?:'m| am|'ve been)?|{Who}) {adv}report(?:ing|s)? (?:directly )?to {name}(?:[.,;!]|$| (?:and|but|now|since|from|these)\b)`, verb: "has_boss", check: isBoss},
	{id: "en.kin.6", triggers: "named called", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:named|called) (?:our|my|the) ` + degree + `(?P<y>baby|son|daughter|dog|cat|puppy|kitten|baby boy|baby girl) {name}`, verb: "has_child", check: isNamed},
	{id: "en.kin.7", triggers: "have has got", pattern: `(?:I|we)(?:'ve got| {adv}have(?: got)?) (?:an?|one|two|three|four) ` + degree + `(?P<y>son|daughter|brother|sister|sons|daughters|brothers|sisters|kids|children|dogs|cats|friend|cousin|uncle|aunt|nephew|niece)(?:,|:| -| –| called| named|, called|, named) ` + givenNames, verb: "has_relative", check: areKin},
	{id: "en.kin.8", triggers: wordsOf(relationWords), pattern: `(?:my|our) ` + degree + relation +
		`,? {name}, (?:is|was|has|lives|works|loves|goes|just|and I)\b`, verb: "has_relative", check: isKinOf},
	{id: "en.kin.9", triggers: wordsOf(relationWords), pattern: `(?:my|our) ` + degree + relation +
		` {name} (?:and I|is|was|has|lives|works|loves|goes|just|will|turned|turns|studies|plays|started|moved|got|can't|doesn't|wants|teaches|runs)\b`, verb: "has_relative", check: isKinOf},
	{id: "en.pet.4", triggers: "named called adopted got", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:adopted|got|have|rescued|bought) (?:an?|our|two) (?:[\pL-]+ ){0,2}?(?P<y>` + englishAnimals + `)(?:,| last \w+| yesterday| in \w+)*,? (?:named|called|we call|his name is|her name is|and named (?:him|her|it)|and called (?:him|her|it)) {name}`, verb: "has_pet", check: isPet},
	{id: "en.owns.5", triggers: "two three four five cats dogs", pattern: `(?:I|we)(?:'ve got| {adv}have(?: got)?) (?P<x>(?:two|three|four|five|six|\d+) (?:[a-z]+ )?(?:dogs|cats|rabbits|horses|hens|chickens|goats|guinea pigs|hamsters|ponies|parrots|budgies|cars|bikes|motorbikes|guitars|houses))\b`, verb: "owns", check: isAffirmed},
	{id: "de.kin.4", triggers: wordsOf(pluralOfKin),
		pattern: `(?:meine|unsere)(?: (?:beiden|zwei|drei|vier|älteren|jüngeren|großen|kleinen))* ` + pluralOfKin +
			` (?:heißen|sind|,) ` + givenNames, verb: "has_relative", check: areKin},
	{id: "de.kin.5", triggers: wordsOf(relationWords), pattern: `(?:^|, |, und |; ){name} ist (?:jetzt |nun |inzwischen )?(?:mein|meine|unser|unsere) ` + degree +
		relation + `(?:[.,;!]|$| (?:und|aber|aus|seit)\s)`, verb: "has_relative", check: isKinOf},
	{id: "de.kin.6", triggers: "genannt", pattern: `(?:ich habe|wir haben|haben wir|habe ich) (?:unsere?n?|meine?n?|die|den|das) (?P<y>Tochter|Sohn|Hund|Hündin|Katze|Kater|Baby|Kleine|Kleinen) {name} genannt`, verb: "has_child", check: isNamed},
	{id: "de.kin.7", triggers: "habe haben", pattern: `(?:ich habe|wir haben) {adv}(?:eine?n?|zwei|drei) (?:(?:kleine|große|ältere|jüngere|erwachsene)[nr]? )?(?P<y>Sohn|Tochter|Bruder|Schwester|Söhne|Töchter|Brüder|Schwestern|Kinder|Katzen|Hunde|Cousin|Freund|Freundin)(?:,|:| -| –) ` + givenNames, verb: "has_relative", check: areKin},
	{id: "de.kin.9", triggers: wordsOf(relationWords), pattern: `(?:mein|meine|unser|unsere) ` + degree + relation +
		` {name} (?:und ich|ist|war|hat|wohnt|lebt|arbeitet|spielt|studiert|geht|kommt|wird|liebt|mag|macht|hatte|spricht|leitet|zieht|lernt)\b`, verb: "has_relative", check: isKinOf},
	{id: "en.children.2", triggers: "mother father mum mom dad parent", pattern: `I(?:'m| am) {adv}an? (?:[a-z]+ )?(?:mother|father|mum|mom|dad|parent) of (?P<x>one|two|three|four|five|six|\d)\b`, verb: "has_children", check: isCount},
	{id: "en.children.3", triggers: "second third fourth fifth", pattern: `(?:our|my) (?P<x>second|third|fourth|fifth) (?:child|baby|kid) (?:is (?:finally |now )?here|has arrived|arrived|was born (?:today|yesterday|last night|this (?:morning|week)|on \pL+day))\b`, verb: "has_children", check: isNthChild},
	{id: "de.children.3", triggers: "zweites drittes viertes fünftes", pattern: `(?:unser|mein) (?P<x>zweites|drittes|viertes|fünftes) (?:Kind|Baby) ist (?:(?:endlich|jetzt|nun|heute|gestern|am \pL+tag) )*(?:da|geboren|auf der Welt)\b`, verb: "has_children", check: isNthChild},
	{id: "de.children.2", triggers: "mutter vater", pattern: `(?:ich bin|bin ich) {adv}(?:Mutter|Vater|Mama|Papa) von (?P<x>zwei|drei|vier|fünf|sechs|\d)\b`, verb: "has_children", check: isCount},
	{id: "en.status.5", triggers: "got divorced engaged married separated", pattern: `(?:I|we|{Who})(?:'ve| have| has)? {adv}(?:just )?got (?P<x>divorced|engaged|married)\b`, verb: "has_marital_status", check: isAffirmedStatus},
	{id: "en.status.6", triggers: "knot", pattern: `(?:I|we|{Who})(?:'ve| have| has)? {adv}tied (?P<x>the knot)\b`, verb: "has_marital_status", check: isAffirmedStatus},
	{id: "de.status.3", triggers: "geheiratet", pattern: `(?:ich habe|wir haben|habe ich|haben wir|{Who} hat) (?:[^,;.!?]{0,40} )?(?P<x>geheiratet)(?:[.,;!]|$)`, verb: "has_marital_status", check: isAffirmedStatus},
	{id: "en.age.3", triggers: smallNumbers + "two three four five six seven eight nine ten eleven twelve", pattern: `{who}(?:'m| am| is) {adv}(?P<x>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:[.,;!](?:\s|$)|$| and (?:I|live|lives|work|works|have|has|love|loves|study|just|still|from)\b)`, verb: "has_age", check: isBareAge},
	{id: "en.age.4", triggers: "turned turns turning", pattern: `(?:I|{Who})(?:'m| am| is|'ve| has| have)? {adv}(?:just )?(?:turned|turns|turning) (?P<x>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b`, verb: "has_age", check: isTurned},
	{id: "en.age.5", triggers: "year-old old", pattern: `(?:I|we)(?:'ve got| {adv}have) an? (?P<x>\d{1,2})[- ]year[- ]old (?P<y>son|daughter)`, verb: "has_age", check: isChildsAge},
	{id: "de.age.3", triggers: smallNumbers, pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?P<x>\d{1,2})(?: Jahre(?: alt)?)?(?:[.,;!](?:\s|$)|$| (?:und|aber)\s)`, verb: "has_age", check: isBareAge},
	{id: "de.age.4", triggers: "ist alt", pattern: `{who} ist {adv}(?P<x>\d{1,3}|\pL+) (?:Jahre|Monate) alt`, verb: "has_age", check: isBareAge},
	{id: "de.age.5", triggers: "geworden wird werde", pattern: `(?:ich bin|bin ich|{who} ist) (?:\S+ ){0,2}?(?P<x>\d{1,3}) geworden`, verb: "has_age", check: isBareAge},
	{id: "en.birthday.3", triggers: "birthday", pattern: `{Who}'s birthday is (?:on )?(?P<x>[^;.!]{4,30})`, verb: "has_birthday", check: isBirthday},
	{id: "de.birthday.5", triggers: "geburtstag", pattern: `{Who} hat (?P<x>am [^,;!]{4,30}?) Geburtstag`, verb: "has_birthday", check: isBirthday},
}

// smallNumbers are the numbers of people's ages.
var smallNumbers = func() string {
	var b strings.Builder
	for n := 1; n < 100; n++ {
		b.WriteString(strconv.Itoa(n) + " ")
	}
	return b.String()
}()

func isAffirmedStatus(h *hit) bool {
	for _, e := range h.times() {
		if e.From.After(h.turn.At) {
			return false
		}
	}
	return h.Polarity == trilith.Affirmed && !denies(h.sentence.text[h.m[0]:h.m[1]]) && isStatus(h)
}

var ordinals = map[string]string{"second": "2", "third": "3", "fourth": "4", "fifth": "5", "zweites": "2",
	"drittes": "3", "viertes": "4", "fünftes": "5"}

// isNthChild counts the children by the newest.
func isNthChild(h *hit) bool {
	h.x = ordinals[lower(h.x)]
	return isCount(h)
}

// areKin makes a fact of each name.
func areKin(h *hit) bool {
	what := lower(h.y)
	h.Verb = pluralKin[what]
	if h.Verb == "" {
		h.Verb = relations[what]
	}
	if h.Verb == "has_pet" || what == "cats" || what == "dogs" {
		h.put("kind", strings.TrimSuffix(what, "s"))
	}
	var names []string
	for _, n := range listed().Split(h.x, -1) {
		if n = tidy(n); n != "" && unicode.IsUpper(firstRune(n)) && isPerson(n) && !notKin[lower(n)] &&
			!isNationWord(n) {
			names = append(names, n)
		}
	}
	return h.Polarity != trilith.Negated && h.setList(names)
}

// isKinOf handles a name and a relation in either order.
func isKinOf(h *hit) bool {
	if ws := strings.Fields(lower(h.x)); !isPerson(h.x) || notKin[ws[0]] || notKin[ws[len(ws)-1]] ||
		h.Polarity == trilith.Negated || isNationWord(h.x) || occupationOnly.MatchString(h.x) {
		return false
	}
	h.Verb = relations[lower(h.y)]
	h.put("as", strings.ToLower(h.y))
	return true
}

func isNamed(h *hit) bool {
	what := lower(h.y)
	switch {
	case relations[what] != "":
		h.Verb = relations[what]
	case what != "baby" && what != "baby boy" && what != "baby girl" && what != "kleine" && what != "kleinen":
		h.Verb = "has_pet"
		h.put("kind", what)
	}
	return isPerson(h.x)
}

var ageWords = map[string]string{"ein": "1", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6",
	"sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12",
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12"}

// isBareAge treats a number alone as an age: any for a child, a plausible one for the speaker.
func isBareAge(h *hit) bool {
	if n, ok := ageWords[lower(h.x)]; ok {
		h.x = n
	}
	h.Node.Name = h.x
	if h.Polarity == trilith.Negated || strings.Contains(h.sentence.text[h.m[0]:h.m[1]], "Monate") {
		return false
	}
	for _, w := range lastWords(h.sentence.text[:h.m[0]], 2) {
		if notYet[w] {
			return false
		}
	}
	return h.kin != "" && h.x != "0" && len(h.x) < 4 || isAge(h)
}

// notYet come before an age in the future or the past.
var notYet = wordSet("when until before once till like though wenn bis bevor sobald als ehe")

// isTurned ignores future ages.
func isTurned(h *hit) bool {
	return strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), "turned") && isTurnedTo(h)
}

// isTurnedTo accepts an age that has been reached, in the last year.
func isTurnedTo(h *hit) bool {
	for _, e := range h.times() {
		if e.From.After(h.turn.At) || e.From.Before(h.turn.At.AddDate(-1, 0, 0)) {
			return false
		}
	}
	return isBareAge(h)
}

func isChildsAge(h *hit) bool {
	h.kin = lower(h.y)
	h.Node.Name = h.x
	return h.Polarity == trilith.Affirmed
}

// permanent traits of people
const (
	englishTraits = `(?:left-handed|right-handed|ambidextrous|an introvert|an extrovert|introverted|extroverted|a night owl|an early bird|an early riser|a morning person|a light sleeper|a perfectionist|a procrastinator|colou?r-?blind|shy|religious|` +
		`a non-?smoker|a smoker|teetotal|an only child|a twin|Catholic|Protestant|Muslim|Jewish|Buddhist|Hindu|atheist|an atheist|agnostic|tone-deaf|afraid of (?:heights|spiders|flying|dogs|the dark|needles|water|snakes|clowns|thunder)|scared of (?:heights|spiders|flying|dogs|the dark|needles|water|snakes|clowns))`
	germanTraits = `(?:Linkshänder(?:in)?|Rechtshänder(?:in)?|Frühaufsteher(?:in)?|Nachteule|Morgenmensch|Nachtmensch|Morgenmuffel|introvertiert|extrovertiert|schüchtern|Perfektionist(?:in)?|Nichtraucher(?:in)?|Raucher(?:in)?|Einzelkind|Zwilling|` +
		`katholisch|evangelisch|muslimisch|jüdisch|buddhistisch|Atheist(?:in)?|Brillenträger(?:in)?)`
)

var traitRules = []rule{
	{id: "en.trait.1", triggers: wordsOf(englishTraits) +
		" colour-blind color-blind colourblind colorblind non-smoker nonsmoker owl introvert extrovert",
		pattern: `{who}(?:'m|'s| am| is) {adv}(?:a bit |rather |very |quite |terribly |really |pretty )?(?P<x>` +
			englishTraits + `)` + after, verb: "has_trait", check: isTrait},
	{id: "en.trait.2", triggers: "tall", pattern: `{who}(?:'m|'s| am| is) {adv}(?P<x>\d(?:[.,]\d\d? ?m|\d\d ?cm| ?(?:foot|feet|ft|') ?\d{0,2}"?|\.\d\d)) tall`, verb: "has_height", check: isAffirmed},
	{id: "en.trait.3", triggers: "wear wears size", pattern: `(?:I wear (?:a )?(?:shoe )?size|my shoe size is|my size is) (?P<x>\d{1,2}(?:\.5)?|XXL|XL|L|M|S|XS)\b`, verb: "has_size"},
	{id: "en.trait.4", triggers: "blood", pattern: `my blood (?:type|group) is (?P<x>(?:A|B|AB|O|0)(?: ?(?:positive|negative|\+|-))?)`, verb: "has_blood_type"},
	{id: "en.trait.5", triggers: "positive negative", pattern: `(?:I(?:'m| am)|{Who} is) {adv}(?:type |blood type )?(?P<x>(?-i:A|B|AB|O) (?:positive|negative))(?:[.,;!]|$)`, verb: "has_blood_type"},
	{id: "de.trait.1", triggers: wordsOf(germanTraits) + " linkshänderin frühaufsteherin",
		pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:eine? )?(?:überzeugter? |absoluter? |echter? |ziemlich |etwas |eher |sehr )*(?P<x>` + germanTraits + `)` + after, verb: "has_trait", check: isTrait},
	{id: "de.trait.2", triggers: "groß", pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?P<x>\d[,.]\d\d(?: ?m)?|\d\d\d ?cm|\d Meter \d\d) groß`, verb: "has_height", check: isAffirmed},
	{id: "de.trait.3", triggers: "schuhgröße kleidergröße", pattern: `(?:ich habe|meine) (?:Schuhgröße|Kleidergröße)(?: ist)? (?P<x>\d\d(?:,5)?|XXL|XL|L|M|S|XS)\b`, verb: "has_size"},
	{id: "de.trait.4", triggers: "angst", pattern: `(?:ich habe|{who} hat) {adv}(?:große |totale |panische |furchtbare )?(?P<x>(?:Höhenangst|Flugangst|Platzangst|Angst vor (?:Spinnen|Hunden|Höhe|Schlangen|Spritzen|der Dunkelheit|dem Fliegen)))`, verb: "has_trait", check: isTrait},
}

func isTrait(h *hit) bool {
	h.Node.Name = indefinite.ReplaceAllString(h.x, "")
	return true
}

// homeRules find more ways of saying where somebody lives.
var homeRules = []rule{
	{id: "en.lives_in.9", triggers: "bought rent rented renting found own moved house flat apartment place", pattern: `(?:I|we)(?:'ve| have|'re| are|'m| am)? {adv}(?:bought|rent|rented|renting|moved into|own|found|closed on|settled into) (?:an?|our|my|the) (?:[a-z-]+ ){0,3}?(?:house|flat|apartment|place|home|cottage|condo|studio|room|farmhouse|townhouse) (?:in|near|outside|just outside) {place}`, verb: "lives_in", check: isNewHome},
	{id: "en.lives_in.15", triggers: "been", pattern: `(?:I|we)(?:'ve| have) {adv}been in {place} (?:for|since) (?:\S+ )?(?:years?|months?|weeks?|\d{4}|last|january|february|march|april|may|june|july|august|september|october|november|december)`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.10", triggers: "settled", pattern: `(?:I|we)(?:'ve| have)? {adv}settled (?:down )?in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.11", triggers: "home", pattern: `^{place} (?:is|has been) (?:now )?(?:my|our) home\b`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.12", triggers: "flat apartment house home place", pattern: `(?:my|our) (?:new )?(?:flat|apartment|house|home|place) is (?:in|near) {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.13", triggers: "living lives live", pattern: `(?:I(?:'m| am)|we(?:'re| are)|{Who} is) {adv}living in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.16", triggers: "home", pattern: `^(?:(?:so|and|well|now),? )*(?:my |our )?home is (?:now |again |once again |once more |back in |in )*{place}(?: (?:again|now|once more|once again|these days))?[.!]*$`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.18", triggers: "own", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:got|get|have|found|moved into|rent) (?:now )?(?:my|our) own (?:little |small )?(?:place|flat|apartment|house|room|studio) in {place}`, verb: "lives_in", check: isHome},
	{id: "en.lives_in.19", triggers: "new", pattern: `(?:my|our) new (?:little |small |own )?(?:place|flat|apartment|home|house|studio) (?:here )?in {place}`, verb: "lives_in", check: isNewHome},
	{id: "en.lives_in.14", triggers: "moved relocated", pattern: `^(?:just |recently |finally )?(?:moved|relocated) to {place}`, verb: "lives_in", check: isMove},
	{id: "de.lives_in.7", triggers: "zuhause heimat", pattern: `(?:ist|war) {place} mein (?:neues )?(?:Zuhause|Wohnort)`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.8", triggers: "zuhause hause daheim", pattern: `(?:ich bin|bin ich|wir sind|sind wir) {adv}(?:(?:wieder|endlich|jetzt|nun) )*in {place} (?:(?:wieder|jetzt) )?(?:zu ?[Hh]ause|daheim)`, verb: "lives_in", check: isHomeForGood},
	{id: "de.lives_in.12", triggers: "zuhause hause daheim", pattern: `(?:zu ?[Hh]ause|daheim) (?:bin ich|sind wir|ist (?:für mich|für uns)) {adv}(?:(?:wieder|endlich|jetzt|nun) )*in {place}[.!]*$`, verb: "lives_in", check: isHomeForGood},
	{id: "de.lives_in.13", triggers: "zuhause", pattern: `(?:mein|unser) (?:neues )?Zuhause ist {adv}(?:(?:wieder|jetzt|nun|in) )*{place}[.!]*$`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.9", triggers: "wohnung haus gekauft gemietet gefunden", pattern: `(?:wir haben|ich habe|haben wir|habe ich) (?:[^,.;]{0,30}? )?(?:eine|ein|unser|unsere) (?:[a-zäöü]+ ){0,2}?(?:[\pL]*wohnung|Wohnung|[\pL]*haus|Haus|Reihenhaus|WG-Zimmer|Zimmer) in {place}(?: (?:gekauft|gemietet|gefunden|bezogen)| und|[.,;!]|$)`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.14", triggers: "eigene", pattern: `(?:wir haben|ich habe|haben wir|habe ich) {adv}(?:(?:jetzt|nun|endlich|inzwischen) )*(?:eine|meine|unsere) eigene (?:kleine )?(?:Wohnung|Bude|Bleibe) in {place}`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.10", triggers: "gezogen umgezogen", pattern: `(?:ich bin|bin ich|wir sind|sind wir|{Who} ist) (?:[^ ,]+ ){0,4}?(?:nach|in die) {place} (?:um)?gezogen`, verb: "lives_in", check: isHome},
	{id: "de.lives_in.11", triggers: "zog zogen", pattern: `(?:zog ich|ich zog|zogen wir|wir zogen) (?:[^ ,]+ ){0,3}?nach {place}`, verb: "lives_in", check: isHome},
}

// isNewHome ignores a second house: one for the holidays, or one that is rented out.
func isNewHome(h *hit) bool {
	match := lower(h.sentence.text[h.m[0]:h.m[1]])
	for _, w := range [...]string{"holiday", "summer", "vacation", "weekend", "second"} {
		if strings.Contains(match, w) {
			return false
		}
	}
	return isHome(h)
}

// isHomeForGood handles being at home somewhere, which may be a visit.
func isHomeForGood(h *hit) bool {
	return !forAWhile.MatchString(h.sentence.text) && !noPlace.MatchString(h.x) && isHome(h)
}

// noPlace are subjects that people are said to be at home in.
var noPlace = compiled(`^(?:Gedanken|Büchern|Träumen|Filmen|Welten|Sprachen|Zahlen|Musik)$`)
