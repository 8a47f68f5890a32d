package extract

import (
	"strings"
)

// animals of [ownRules] in the singular.
const (
	englishAnimals = `(?:dog|cat|puppy|kitten|horse|pony|rabbit|hamster|guinea pig|parrot|budgie|canary|tortoise|turtle|goldfish|snake|gecko|donkey|goat|hen|labrador|poodle|dachshund|terrier)`
	germanAnimals  = `(?:Hund|Hündin|Katze|Kater|Welpe|Welpen|Pferd|Pony|Kaninchen|Hase|Hamster|Meerschweinchen|Papagei|Wellensittich|Kanarienvogel|Schildkröte|Goldfisch|Schlange|Esel|Ziege|Dackel|Pudel|Labrador)`
)

// ownRules find possessions and pets. To have is the widest of verbs, so only things of a closed list, or bought ones,
// count.
var ownRules = []rule{
	{id: "en.pet.1", triggers: "named called", pattern: `(?:I|we)(?:'ve got| have| own| adopted| got) {adv}an? (?:[\pL-]+ ){0,2}?(?P<y>` + englishAnimals + `)(?:,)? (?:named|called) {name}`, verb: "has_pet", check: isPet},
	{id: "en.pet.2", triggers: "my our", pattern: `(?:my|our) (?:[\pL-]+ )?(?P<y>` + englishAnimals + `)(?:'s name)? (?:is (?:called |named )?){name}`, verb: "has_pet", check: isPet},
	{id: "en.pet.3", triggers: "my our", pattern: `(?:my|our) (?:[\pL-]+ )?(?P<y>` + englishAnimals + `),? {name}[ ,.!]`, verb: "has_pet", check: isPet},
	{id: "en.owns.1", triggers: "own owns", pattern: `{who} {adv}owns? (?:an?|two|three|four|some|any) {thing}`, verb: "owns", check: isOwned},
	{id: "en.owns.2", triggers: "bought purchased acquired", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:bought|purchased|acquired) (?:myself |ourselves )?(?:an?|the|two|some) {thing}`, verb: "owns", check: isOwned},
	{id: "en.owns.3", triggers: "have i've we've", pattern: `(?:I|we)(?:'ve got| {adv}have(?: got)?) (?:an?|two|three) (?P<x>(?:[\pL\pN-]+ ){0,3}?` + englishThings + `)(?:[.,;!]|$| (?:and|in|at|on|with|but|from|that|now|since|behind|under|near|next|outside|downstairs|upstairs|too|here)\b)`, verb: "owns", check: isOwned},
	{id: "en.owns.4", triggers: "sold", pattern: `I(?:'ve| have)? {adv}sold my {thing}`, verb: "owns", ends: true, check: isOwned},
	{id: "de.pet.1", triggers: "namens", pattern: `(?:ich habe|wir haben) {adv}(?:eine?n? )(?:\S+ )?(?P<y>` + germanAnimals + `) namens {name}`, verb: "has_pet", check: isPet},
	{id: "de.pet.2", triggers: "mein meine unser unsere", pattern: `(?:meine?|unsere?) (?:\S+ )?(?P<y>` + germanAnimals + `) (?:heißt |ist ){name}`, verb: "has_pet", check: isPet},
	{id: "de.owns.1", triggers: "besitze besitzt besitzen", pattern: `(?:ich besitze|wir besitzen|{who} besitzt) {adv}(?:eine?n?|zwei|drei|keine?n?) {thing}`, verb: "owns", check: isOwned},
	{id: "de.owns.2", triggers: "gekauft angeschafft", pattern: `(?:ich habe|wir haben|hab(?:e|en) (?:ich|wir)) (?:mir|uns)?(?: [^,]{1,40}?)?\s*(?:eine?n?|das|die|den|zwei) (?P<x>[^,]{2,50}?) (?:gekauft|angeschafft)`, verb: "owns", check: isOwned},
	{id: "de.owns.3", triggers: "habe haben", pattern: `(?:ich habe|wir haben) {adv}(?:eine?n?|zwei|drei|keine?n?)? ?(?P<x>(?:[a-zäöü]+ ){0,2}?(?-i:[A-ZÄÖÜ][\pL-]*?)?` + germanThings + `)(?: mehr)?(?:[.,;!]|$| (?:und|in|im|auf|mit|aber|vor)\s)`, verb: "owns", check: isOwned},
	{id: "de.owns.4", triggers: "verkauft", pattern: `(?:ich habe|habe ich) (?:(?:gestern|jetzt|gerade|letzte Woche|endlich) )?(?:meine?n?|unsere?n?) {short} (?:\S+ )?verkauft`, verb: "owns", ends: true, check: isOwned},
}

// Things that people own.
const (
	englishThings = `(?:car|bike|bicycle|motorbike|motorcycle|scooter|van|truck|boat|yacht|canoe|kayak|caravan|camper|house|flat|apartment|cottage|cabin|farm|piano|guitar|violin|cello|drum kit|` +
		`3D printer|printer|laptop|camera|telescope|greenhouse|garden|allotment|workshop|kiln|loom|sewing machine|espresso machine|dog|cat|horse|parrot|` +
		`Volvo|Tesla|Toyota|Fiat|Ford|Honda|Audi|BMW|Mercedes|Renault|Skoda|Volkswagen|Vespa)`
	germanThings = `(?:Auto|Rad|Fahrrad|rad|Motorrad|Roller|Bus|Wohnmobil|Wohnwagen|Boot|boot|Kajak|Haus|Ferienhaus|Eigentumswohnung|Hof|Klavier|Gitarre|Geige|Cello|Schlagzeug|3D-Drucker|` +
		`Drucker|Laptop|Kamera|Teleskop|Gewächshaus|Garten|garten|Schrebergarten|Werkstatt|Nähmaschine|Webstuhl|Espressomaschine|Hund|Katze|Pferd|Papagei|Volvo|Tesla|Fiat|Ford|Audi|BMW|Mercedes|Vespa)`
)

func isPet(h *hit) bool {
	if !isPerson(h.x) {
		return false
	}
	h.put("kind", strings.ToLower(h.y))
	return true
}

var notOwned = compiled(
	`(?i)^(?:it|them|this|that|few|bit|lot|couple|new one|one|drink|round|coffee|beer|ticket|tickets|house of|mistake|present|gift|groceries|food|milk|bread|lunch|dinner)\b`)

func isOwned(h *hit) bool {
	h.Node.Name = bare(h.withoutTimes())
	if strings.Contains(strings.ToLower(h.sentence.text[h.m[0]:h.m[1]]), " kein") {
		h.negate()
	}
	if i := strings.Index(h.Node.Name, " in the "); i > 0 {
		h.Node.Name = h.Node.Name[:i]
	}
	return !notOwned.MatchString(h.Node.Name) && len(strings.Fields(h.Node.Name)) <= 5
}
