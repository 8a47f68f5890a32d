package extract

import (
	"strings"
)

// animals of [ownRules] in the singular.
const (
	englishAnimals = `(?:dog|cat|puppy|kitten|horse|pony|rabbit|hamster|guinea pig|parrot|budgie|canary|tortoise|turtle|goldfish|snake|gecko|donkey|goat|hen|labrador|poodle|dachshund|terrier|retriever|spaniel|beagle|collie|husky|bulldog|pug|corgi|whippet|greyhound|sheepdog|mutt|mongrel|chihuahua|schnauzer|ferret|gerbil|cockatiel|lizard|iguana|tabby|tomcat)`
	germanAnimals  = `(?:Hund|Hündin|Katze|Kater|Welpe|Welpen|Pferd|Pony|Kaninchen|Hase|Hamster|Meerschweinchen|Papagei|Wellensittich|Kanarienvogel|Schildkröte|Goldfisch|Schlange|Esel|Ziege|Dackel|Pudel|Labrador|Retriever|Schäferhund|Terrier|Spaniel|Mops|Mischling|Windhund|Husky|Wellensittich|Frettchen|Leguan|Huhn)`
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
	{id: "en.owns.8", triggers: "got get upgraded treated", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:had to get|got|got myself|upgraded to|treated myself to) an? (?:[a-z]+ )?(?P<x>` + englishThings + `)` + untilEnd, verb: "owns", check: isOwnGet},
	{id: "en.owns.9", triggers: "keep raise raising breed keeping breeding", pattern: `(?:I|we)(?:'m|'re| am| are)? {adv}(?:keep|raise|raising|breed|keeping|breeding) (?P<x>bees|chickens|hens|ducks|geese|sheep|goats|pigs|rabbits|horses|pigeons|quails|alpacas|cattle)(?:[.,;!]|$| (?:and|at|behind|for|but|since|now|as)\b)`, verb: "owns", check: isAffirmed},
	{id: "en.owns.4", triggers: "sold", pattern: `I(?:'ve| have)? {adv}sold my {thing}`, verb: "owns", ends: true, check: isOwned},
	{id: "en.owns.6", triggers: "drive drives", pattern: `{who} {adv}drives? (?:an? |the )(?P<x>(?:[\pL\pN-]+ ){0,3}?` + vehicleMakes + `(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2})` + untilEnd, verb: "owns", check: isOwned},
	{id: "en.owns.7", triggers: "phone car laptop tablet bike camera computer", pattern: `my (?:work )?(?:phone|mobile|car|laptop|tablet|bike|camera|computer) is (?:now )?(?:an? |the )(?P<x>(?:[\pL\pN-]+ ){0,2}?(?-i:[a-z]?\p{Lu})[\pL\pN-]+(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2}(?: (?:mini|pro|max|plus|ultra|air))?)` + untilEnd, verb: "owns", check: isOwned},
	{id: "de.owns.5", triggers: "fahre fahren fährt", pattern: `(?:ich fahre|fahre ich|wir fahren|{who} fährt) {adv}(?:eine?n? |den |die )(?P<x>(?:[\pL\pN-]+ ){0,2}?` + vehicleMakes + `(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2})` + lastWord, verb: "owns", check: isOwned},
	{id: "de.owns.6", triggers: "handy auto laptop tablet rad kamera computer telefon", pattern: `(?:mein|meine) (?:Handy|Auto|Laptop|Tablet|Rad|Kamera|Computer|Telefon|Wagen) ist (?:jetzt )?(?:eine? |das |der )(?P<x>(?:[a-zäöü]+ )?(?-i:[a-z]?\p{Lu})[\pL\pN-]+(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2})` + lastWord, verb: "owns", check: isModel},
	{id: "en.uses.1", triggers: "use uses using", pattern: `(?:I(?:'m| am)?|{Who}(?:'s| is)?) {adv}(?:uses?|using) ` + program + ` (?:for [\pL-]{2,}|as (?:my|our|his|her|their|the|an?) (?:[\pL-]+ ){0,2}?` + tools + `)\b`, verb: "uses", check: isProgram},
	{id: "en.uses.2", triggers: "subscribe subscribed subscribes subscription",
		pattern: `(?:I(?:'m| am|'ve| have)?|{Who}(?:'s| is| has)?) {adv}(?:subscribed?s? to ` + program +
			`|(?:have |has )?(?:an? )` + otherProgram + ` subscription)` + untilEnd, verb: "uses", check: isProgram},
	{id: "en.uses.3", triggers: "subscription membership ticket", pattern: `(?:I|we)(?:'ve got| {adv}have| hold) an? (?:annual |monthly |yearly |digital )?(?:subscription to|season ticket for|membership (?:at|of|with)) (?:the )?` + program + untilEnd, verb: "uses", check: isProgram},
	{id: "de.uses.1", triggers: "nutze benutze verwende nutzt benutzt verwendet", pattern: `(?:ich (?:nutze|benutze|verwende)|(?:nutze|benutze|verwende) ich|{who} (?:nutzt|benutzt|verwendet)) {adv}` + program + ` (?:für |zum |zur |als (?:[\pL]+ )?` + tools + `\b)`, verb: "uses", check: isProgram},
	{id: "de.uses.2", triggers: "abonniert abo *-abo",
		pattern: `(?:ich habe|habe ich|{who} hat) {adv}(?:ein )?(?:` + program + ` abonniert|` + otherProgram +
			`-?\s?Abo\b)`, verb: "uses", check: isProgram},
	{id: "de.pet.1", triggers: "namens", pattern: `(?:ich habe|wir haben) {adv}(?:eine?n? )(?:\S+ )?(?P<y>` + germanAnimals + `) namens {name}`, verb: "has_pet", check: isPet},
	{id: "de.pet.2", triggers: "mein meine unser unsere", pattern: `(?:meine?|unsere?) (?:\S+ )?(?P<y>` + germanAnimals + `) (?:heißt |ist ){name}`, verb: "has_pet", check: isPet},
	{id: "de.owns.1", triggers: "besitze besitzt besitzen", pattern: `(?:ich besitze|wir besitzen|{who} besitzt) {adv}(?:eine?n?|zwei|drei|keine?n?) {thing}`, verb: "owns", check: isOwned},
	{id: "de.owns.2", triggers: "gekauft angeschafft", pattern: `(?:ich habe|wir haben|hab(?:e|en) (?:ich|wir)) (?:mir|uns)?(?: [^,]{1,40}?)?\s*(?:eine?n?|das|die|den|zwei) (?P<x>[^,]{2,50}?) (?:gekauft|angeschafft)`, verb: "owns", check: isOwned},
	{id: "de.owns.3", triggers: "habe haben", pattern: `(?:ich habe|wir haben) {adv}(?:eine?n?|zwei|drei|keine?n?)? ?(?P<x>(?:[a-zäöü]+ ){0,2}?(?-i:[A-ZÄÖÜ][\pL-]*?)?` + germanThings + `)(?: mehr)?(?:[.,;!]|$| (?:und|in|im|auf|mit|aber|vor)\s)`, verb: "owns", check: isOwned},
	// only with an article: somebody who has "Golf" or "Polo" tomorrow plays it
	{id: "de.owns.7", triggers: "habe haben", pattern: `(?:ich habe|wir haben) {adv}(?:jetzt |nun |inzwischen )?(?:eine?n?|zwei) (?P<x>(?:[a-zäöü]+ ){0,2}?` + vehicleMakes + `(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2})` + lastWord, verb: "owns", check: isOwned},
	{id: "de.owns.4", triggers: "verkauft", pattern: `(?:ich habe|habe ich) (?:(?:gestern|jetzt|gerade|letzte Woche|endlich) )?(?:meine?n?|unsere?n?) {short} (?:\S+ )?verkauft`, verb: "owns", ends: true, check: isOwned},
}

// vehicleMakes are makes and models of vehicles. People who say which one they drive own it.
const vehicleMakes = `(?-i:Alfa Romeo|Audi|BMW|BYD|Chevrolet|Chevy|Chrysler|Citroën|Citroen|Dacia|Dodge|Ducati|Fiat|Ford|Honda|Hyundai|Jaguar|Jeep|Kia|Land Rover|Lexus|Mazda|Mercedes|Mini|Mitsubishi|Nissan|Opel|Peugeot|Polestar|Porsche|Renault|Rivian|Saab|Seat|Skoda|Škoda|Subaru|Suzuki|Tesla|Toyota|Vauxhall|Vespa|Volkswagen|Volvo|VW|Yamaha|` +
	`Astra|Civic|Clio|Corolla|Corsa|Fiesta|Focus|Golf|Jetta|Kona|Leaf|Octavia|Panda|Passat|Polo|Prius|Punto|Twingo|Yaris|Zoe)`

// program matches the name of a program or a service.
const program = `(?P<x>(?-i:\p{Lu}|[a-z]\p{Lu})[\pL\pN.+#-]*(?:\s(?-i:[\p{Lu}\pN])[\pL\pN.+#-]*){0,2})`

// tools are what a program is used as; people are used as other things: "she uses Max as an excuse".
const tools = `(?:editor|browser|IDE|tool|app|calendar|Kalender|database|Datenbank|framework|language|Sprache|search engine|Suchmaschine|password manager|Passwortmanager|client|terminal|shell|OS|operating system|Betriebssystem|platform|backend|host|provider|messenger|planner|tracker|cloud|Cloud|Browser|Editor|Werkzeug|Anbieter|Messenger)`

var otherProgram = strings.Replace(program, "<x>", "<y>", 1)

// Things that people own.
const (
	englishThings = `(?:car|bike|bicycle|motorbike|motorcycle|scooter|van|truck|boat|yacht|canoe|kayak|caravan|camper|house|flat|apartment|cottage|cabin|farm|piano|guitar|violin|cello|drum kit|` +
		`3D printer|printer|laptop|camera|telescope|greenhouse|garden|allotment|workshop|kiln|loom|sewing machine|espresso machine|dog|cat|horse|parrot|` +
		`iPhone|iPad|MacBook|ThinkPad|Pixel|Kindle|Fairphone|PlayStation|Xbox|` +
		vehicleMakes + `)(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*){0,2}`
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

// isOwnGet ignores things for others, or for a purpose: a van for the move.
func isOwnGet(h *hit) bool {
	return !strings.HasSuffix(h.sentence.text[h.m[0]:h.m[1]], " for") && isOwned(h)
}

// anotherClause matches what begins after a thing without a mark between them: "the bike I ride to work".
var anotherClause = compiled(`(?i)\s(?:I|we|you|he|she|they|it|ich|wir|er|sie)\s.*$`)

func isOwned(h *hit) bool {
	h.Node.Name = bare(anotherClause.ReplaceAllString(h.withoutTimes(), ""))
	if strings.Contains(strings.ToLower(h.sentence.text[h.m[0]:h.m[1]]), " kein") {
		h.negate()
	}
	if i := strings.Index(h.Node.Name, " in the "); i > 0 {
		h.Node.Name = h.Node.Name[:i]
	}
	return !notOwned.MatchString(h.Node.Name) && len(strings.Fields(h.Node.Name)) <= 5
}

// isModel accepts names of makes and models: German writes every noun like one, so only those with a number, a capital
// inside, or a known name count.
func isModel(h *hit) bool {
	return modelName.MatchString(h.x) && isOwned(h)
}

var modelName = compiled(`\pN|\p{Ll}\p{Lu}|\b(?:` + vehicleMakes + `|Samsung|Pixel|Fairphone|Xiaomi|Huawei|Nokia|Sony|Canon|Nikon|Fujifilm|Leica|Lenovo|Dell|Asus|Acer|Surface|Kindle)\b`)

// notPrograms have a capital letter and are no programs.
var notPrograms = wordSet("i english german french spanish sunday sundays monday mondays saturday christmas easter")

func isProgram(h *hit) bool {
	h.Node.Name = bare(tidy(h.x + h.y))
	return h.Node.Name != "" && !h.sentence.question && !notPrograms[lower(strings.Fields(h.Node.Name)[0])]
}
