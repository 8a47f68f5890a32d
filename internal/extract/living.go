package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	housemates = `(?:(?:my|our|two|three|four|five|his|her|an?|another) (?:[a-z]+ ){0,2}?(?:parents?|mum|mom|dad|mother|father|brothers?|sisters?|siblings|family|husband|wife|partner|girlfriend|boyfriend|fiancée?|sons?|daughters?|kids|children|grandparents|grandmother|grandfather|grandma|grandpa|grandson|granddaughter|flatmates?|roommates?|housemates?|friends?|in-laws|aunt|uncle|cousins?|nephew|niece|students?|colleagues?|couple|cats?|dogs?)(?: (?-i:\p{Lu}[\pL\x27’-]+))?` +
		`|(?-i:\p{Lu}[\pL\x27’-]+(?:(?:,| and|, and) \p{Lu}[\pL\x27’-]+){0,3}))`
	germanHousemates = `(?:(?:meine[nmr]?|unsere[nmr]?|zwei|drei|vier|eine[mr]) (?:[a-zäöü]+ ){0,2}?(?:Eltern|Mutter|Vater|Mama|Papa|Bruder|Brüdern|Schwester|Schwestern|Geschwistern|Familie|Mann|Frau|Partner|Partnerin|Freundin|Freund|Freunden|Freundinnen|Sohn|Tochter|Kindern|Großeltern|Oma|Opa|Großmutter|Großvater|Mitbewohnern?|Mitbewohnerinn?(?:en)?|Schwiegereltern|Tante|Onkel|Cousine?|Neffen|Nichte|Katzen?|Hund|Kollegin|Kollegen)` +
		`|(?-i:\p{Lu}[\pL\x27’-]+(?:(?:,| und) \p{Lu}[\pL\x27’-]+){0,3}))`
	sharedHome = `(?:flat|apartment|house|room|place|home|studio|cottage)`

	provided       = `(?:bank|gym|broker|insurer|internet provider|mobile provider|phone provider|electricity provider|energy supplier|health insurance|health insurer|car insurance|home insurance|household insurance|liability insurance|life insurance|dental insurance|travel insurance|pet insurance|insurance|phone contract|mobile contract|phone plan|mobile plan|broadband|internet|electricity|pension fund)`
	germanProvided = `(?:Bank|Hausbank|Krankenkasse|Krankenversicherung|Autoversicherung|Haftpflichtversicherung|Haftpflicht|Hausratversicherung|Versicherung|Stromanbieter|Internetanbieter|Handyanbieter|Handyvertrag|Internet|Strom|Mobilfunkanbieter|Fitnessstudio|Depot)`
	supplier       = `(?P<x>(?-i:the |[\p{Lu}\d])[\pL\pN&+.\x27’-]*(?: (?:(?:of|and|&) )?(?-i:[\p{Lu}\d])[\pL\pN&+\x27’-]*){0,3})`

	healthInsurers = `(?-i:AOK|TK|Techniker|Barmer|DAK|BKK|IKK|KKH|HEK|hkk|Knappschaft)(?:[ -](?-i:\p{Lu})[\pL-]+)*`

	vehicles = `(?P<x>bus|train|tram|tube|subway|metro|underground|ferry|car|bike|bicycle|e-bike|scooter|motorbike|taxi|foot|ferry|s-bahn|u-bahn)`

	offices       = `(?:treasurer|secretary|chair(?:man|woman|person)?|president|vice[- ]president|captain|vice[- ]captain|team captain|goalkeeper|goalie|keeper|coach|conductor|deputy|class rep(?:resentative)?|parent rep(?:resentative)?|union rep|trustee|chief whip|scout leader|leader|mayor|deputy mayor|councillor|board member|committee member|cashier|kit manager|drummer|bassist|lead singer|singer|guitarist|organist|concertmaster|first violin|striker|setter|team manager)`
	germanOffices = `(?:Kassenwart(?:in)?|Schatzmeister(?:in)?|Schriftführer(?:in)?|Vorsitzender|Vorsitzende|Vorstand|Präsident(?:in)?|Kapitän(?:in)?|Mannschaftsführer(?:in)?|Torwart|Torhüter(?:in)?|Trainer(?:in)?|Dirigent(?:in)?|Elternsprecher(?:in)?|Klassensprecher(?:in)?|Betriebsrat|Betriebsrätin|Chorleiter(?:in)?|Jugendleiter(?:in)?|Zeugwart(?:in)?|Schlagzeuger(?:in)?|Bassist(?:in)?|Sänger(?:in)?|Organist(?:in)?)`
	clubs         = `(?:club|society|association|team|choir|band|orchestra|ensemble|board|council|committee|party|union|league|squad|troop|troupe|network|co-op|cooperative|parish|church|gym|group|brass band|fire brigade|parent council|chapter|eleven|crew|fund|charity|foundation|ngo|trust)`
	germanGroup   = `(?:\pL*(?:[Vv]erein|[Cc]hor|[Bb]and|[Oo]rchester|[Mm]annschaft|[Tt]eam|[Cc]lub|[Kk]lub|[Gg]ruppe|[Pp]artei|[Gg]ewerkschaft|[Ff]euerwehr|[Kk]apelle|[Vv]orstand|[Kk]reis|[Ee]lf|[Vv]erband|[Ss]tiftung|[Gg]emeinde))`
)

// livingRules find how people live: with whom, smoking or not, on which way to work, at which bank, in which clubs, and
// what they weigh.
var livingRules = []rule{
	{id: "en.lives_with.1", triggers: "live lives living", pattern: `{who}(?:'m|'s| am| is|'ve been)? {adv}(?:lives?|living) (?:together |at home |back )?with (?P<x>` + housemates + `)(?:[.,;!]|$| (?:in|at|and|but|again|now|since|for|until|near|on|these|just)\b)`, verb: "lives_with", check: isHousemate},
	{id: "en.lives_with.2", triggers: "share shares sharing rent renting", pattern: `{who}(?:'m|'s| am| is|'ve been)? {adv}(?:shares?|sharing|rents?|renting) (?:an?|my|our|the|this) (?:[a-z-]+ ){0,2}?` + sharedHome + ` (?:(?:in|near) {place2} )?with (?P<x>` + housemates + `)(?:[.,;!]|$| (?:in|at|and|but|now|since|for|until|near)\b)`, verb: "lives_with", check: isHousemate},
	{id: "en.lives_with.3", triggers: "moved", pattern: `(?P<x>my (?:[a-z]+ ){0,2}?(?:mum|mom|dad|mother|father|brother|sister|partner|girlfriend|boyfriend|son|daughter|friend|cousin|nephew|niece)|(?-i:\p{Lu}[\pL\x27’-]+)) (?:has |have |'s )?{adv}(?:just )?moved in with (?:me|us)\b`, verb: "lives_with", check: isNewHousemate},
	{id: "de.lives_with.1", triggers: "wohne lebe wohnen leben wohnt lebt", pattern: `(?:(?:ich|wir) (?:wohnen?|leben?)|(?:wohne|lebe) ich|{who} (?:wohnt|lebt)) {adv}(?:noch |wieder |zusammen )*(?:mit|bei) (?P<x>` + germanHousemates + `)(?: zusammen)?(?: in {place2})?` + lastWord, verb: "lives_with", check: isHousemate},
	{id: "de.lives_with.2", triggers: "teile teilen", pattern: `(?:ich teile|teile ich|wir teilen) (?:mir|uns) {adv}(?:eine|ein|die|das) (?:[a-zäöü]+ )?(?:Wohnung|Haus|Zimmer|WG) mit (?P<x>` + germanHousemates + `)` + lastWord, verb: "lives_with", check: isHousemate},
	{id: "de.lives_with.3", triggers: "eingezogen", pattern: `(?P<x>(?:mein|meine) (?:Mutter|Vater|Bruder|Schwester|Freund|Freundin|Sohn|Tochter|Cousin|Cousine)|(?-i:\p{Lu}[\pL\x27’-]+)) ist {adv}(?:\S+ ){0,3}?(?:bei mir|bei uns|zu mir) eingezogen`, verb: "lives_with", check: isNewHousemate},

	{id: "en.coach.1", triggers: "coach coaches train trains", pattern: `(?:I|{Who}) {adv}(?P<x>coach(?:es)? (?:the |an? |my |our )(?:[\pL\pN-]+ ){0,3}?(?:under-\d+s?|U\d+s?|team|girls|boys|kids|juniors|youth team|squad))\b`, verb: "does_regularly", check: isCoaching},
	{id: "en.smoker.1", triggers: "smoke smokes", pattern: `{who} {adv}smokes?(?P<x>(?: cigarettes| cigars| a pipe| heavily| too much| socially| occasionally| regularly| a lot| like a chimney|(?: about| around| roughly| at least| up to)? (?:an? |half a |one |two |\d+ )(?:packs?|cigarettes)?(?: a day| per day| daily)?)*)(?:[.,;!]|$| (?:and|but|because|since|when|at|in|on|with|outside|these)\b)`, verb: "has_trait", check: isSmoker},
	{id: "en.smoker.2", triggers: "smoking cigarettes", pattern: `(?:I|{Who})(?:'ve|'m| have| am| has| is)? {adv}(?:started (?:smoking|on the cigarettes) again|(?:gone|went) back to (?:smoking|cigarettes)|back on (?:the )?cigarettes|smoking again)`, verb: "has_trait", check: isSmoker},
	{id: "de.smoker.1", triggers: "rauche raucht", pattern: `(?:ich rauche|rauche ich|{who} raucht)(?P<x>(?: (?:nicht|wieder|auch|noch|leider|jetzt|inzwischen|immer|Zigaretten|Pfeife|viel|zu viel|stark|gelegentlich|ab und zu|(?:eine|zwei|\d+) (?:Schachteln?|Zigaretten)(?: am Tag| pro Tag| täglich)?))*)(?:[.,;!]|$| (?:und|aber|weil|seit|am|auf|beim)\s)`, verb: "has_trait", check: isSmoker},

	{id: "en.commutes.1", triggers: "work office",
		pattern: `(?:I|{Who}) {adv}(?:(?:commutes?|goes?|gets?|travels?) to (?:work|the office|school|uni|university) (?:by|on) (?:the )?` + vehicles +
			`|takes? (?:the|my) ` +
			strings.Replace(vehicles, "<x>", "<y>", 1) + ` to (?:work|the office|school|uni|university)|(?P<ride>cycles?|bikes?|walks?|drives?|runs?) to (?:work|the office|school|uni|university))` + untilEnd,
		verb: "commutes_by", check: isCommute},
	{id: "en.commutes.2", triggers: "commute commutes", pattern: `(?:I|{Who}) {adv}commutes? by ` + vehicles + `\b`, verb: "commutes_by", check: isCommute},
	{id: "de.commutes.1", triggers: "arbeit büro uni schule", pattern: `(?:ich fahre|fahre ich|{who} fährt) {adv}(?:\S+ ){0,2}?mit (?:dem|der|meinem|meiner) (?P<x>Bus|Zug|Bahn|Straßenbahn|U-Bahn|S-Bahn|Fähre|Auto|Rad|Fahrrad|E-Bike|Roller|Motorrad) (?:zur Arbeit|in die Arbeit|ins Büro|zur Uni|in die Uni|zur Schule|in die Schule)`, verb: "commutes_by", check: isAffirmed},

	{id: "en.provider.1", triggers: wordsOf(provided),
		pattern: `(?:my|our) (?:new |current |main )?(?P<y>` + provided +
			`) (?:is|are|comes|runs) (?:now |currently )?(?:with |from |at |through |called )?` + supplier + untilEnd,
		verb: "provider_", check: isProvider},
	{id: "en.provider.2", triggers: "bank banking insured",
		pattern: `(?:I|we)(?:'m|'re| am| are)? {adv}(?P<y>bank|banking|insured) with ` + supplier + untilEnd,
		verb:    "provider_", check: isProvider},
	{id: "en.provider.3", triggers: "switched changed moved switching",
		pattern: `(?:I|we)(?:'ve| have|'m| am|'re| are)? {adv}(?:just )?(?:switched|changed|moved|switching|moving) (?:my |our |the )?(?P<y>` + provided +
			`)(?: over)?(?: from [^,;.!?]{2,30}?)? (?:over )?to ` + supplier + untilEnd,
		verb: "provider_", check: isProvider},
	{id: "de.provider.1", triggers: "bank hausbank krankenkasse krankenversicherung autoversicherung haftpflichtversicherung haftpflicht hausratversicherung versicherung stromanbieter internetanbieter handyanbieter handyvertrag internet strom mobilfunkanbieter fitnessstudio depot",
		pattern: `(?:mein|meine|unser|unsere) (?:neue[rs]? )?(?P<y>` + germanProvided +
			`) (?:ist|läuft|kommt|habe ich|haben wir) {adv}(?:bei |von |über )?(?:der |dem |die |das )?` + supplier + lastWord,
		verb: "provider_", check: isProvider},
	{id: "de.provider.2", triggers: "versichert krankenversichert kunde kundin",
		pattern: `(?:ich bin|wir sind|bin ich) {adv}bei (?:der |dem )?` + supplier + ` (?P<y>krankenversichert|versichert)`,
		verb:    "provider_", check: isProvider},
	{id: "de.provider.3", triggers: "gewechselt",
		pattern: `(?:ich bin|bin ich|wir sind|sind wir|ich habe|habe ich) {adv}(?:mit (?:der|dem|meiner|meinem) )(?P<y>` + germanProvided +
			`) (?:zu|zur|zum) (?:der |dem )?` + supplier + ` gewechselt`,
		verb: "provider_", check: isProvider},

	{id: "en.weight.1", triggers: "weigh weighs", pattern: `{who} {adv}weighs? (?:about |around |roughly |exactly |just )?` + weighed, verb: "has_weight", check: isAffirmed},
	{id: "en.weight.2", triggers: "down up", pattern: `^(?:(?:and|so|yay|update|good news|bad news|finally|today|this morning)[,:]? )*(?:I(?:'m| am|'ve got| got) )?(?:now |already |back )?(?:down|up) to ` + weighed, verb: "has_weight", check: isAffirmed},
	{id: "de.weight.1", triggers: "wiege wiegt", pattern: `(?:ich wiege|wiege ich|{who} wiegt) {adv}(?:etwa |ungefähr |rund |genau |nur noch |gut )*` + weighed, verb: "has_weight", check: isAffirmed},

	{id: "en.role.1", triggers: wordsOf(offices) + " rep",
		pattern: `{who}(?:'m|'s| am| is|'ve been|'ve become| have been| became)? {adv}(?:an? |the )?(?P<x>` + offices +
			` (?:of|at|for|in|on|with) (?:the |my |our |his |her |an? )(?:[\pL\pN\x27’&.-]+ ){0,4}?` + clubs + `)\b`,
		verb: "has_role", check: isRole},
	{id: "de.role.1", triggers: wordsOf(strings.ReplaceAll(germanOffices, "(?:in)?", "")) + " " +
		wordsOf(strings.ReplaceAll(germanOffices, "(?:in)?", "in")),
		pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:der |die |ein |eine )?(?P<x>` + germanOffices +
			` (?:im|in der|in unserem|in unserer|in einem|in einer|bei der|beim|des|der|von) (?:[\pL\pN&.-]+ ){0,3}?` + germanGroup + `)\b`,
		verb: "has_role", check: isRole},
	{id: "en.member.1", triggers: "member belong joined", pattern: `(?:I|{Who})(?:'m|'s| am| is|'ve| have| has)? {adv}(?:an? (?:proud |new |paying |long-time |active )?member of|belongs? to|joined) (?P<x>(?:the |my |our |an? )(?:[\pL\pN\x27’&.-]+ ){0,4}?` + clubs + `)\b`, verb: "member_of", check: isMember},
	{id: "en.member.2", triggers: "play plays sing sings", pattern: `(?:I|{Who}) {adv}(?:plays?|sings?)(?: (?:the )?[a-z]+(?: [a-z]+)?)? (?:in|for|with) (?P<x>(?:the |my |our )(?:[\pL\pN\x27’&.-]+ ){0,3}?(?:band|orchestra|choir|team|ensemble|club|eleven|brass band))\b`, verb: "member_of", check: isMember},
	{id: "en.member.3", triggers: "called named", pattern: `(?:in|with|of) an? (?:[a-z]+ ){0,2}?(?:band|choir|orchestra|quartet|trio|ensemble|club|team) (?:called|named) {name}`, verb: "member_of", check: isNamedGroup},
	{id: "de.member.1", triggers: "mitglied", pattern: `(?:ich bin|bin ich|{who} ist) {adv}Mitglied (?:im|in der|in unserem|in unserer|beim|bei der|des|der) (?P<x>(?:[\pL\pN&.-]+ ){0,3}?` + germanGroup + `)\b`, verb: "member_of", check: isMember},
	{id: "de.member.2", triggers: "spiele singe spielt singt", pattern: `(?:ich (?:spiele|singe)|(?:spiele|singe) ich|{who} (?:spielt|singt)) {adv}(?:(?-i:\p{Lu})[\pL-]+ )?(?:im|in der|in unserem|in unserer|beim) (?P<x>(?:[\pL\pN&.-]+ ){0,2}?` + germanGroup + `)\b`, verb: "member_of", check: isMember},

	{id: "en.aid.1", triggers: "glasses lenses braces wheelchair crutches cane hearing retainer pump prosthesis stick", pattern: `{who}(?:'m|'s| am| is)? {adv}(?:have (?P<z>braces)|(?:wears?|uses?|needs?|wearing|using) (?:an? |my |two )?(?P<x>glasses|braces|reading glasses|contact lenses|hearing aids?|wheelchair|crutches|cane|walking stick|walking frame|retainer|insulin pump|prosthesis)|(?:in|on) (?:an? )?(?P<y>wheelchair|crutches))(?:[.,;!]|$| (?:and|but|since|because|after|when|to|at|in|these|now)\b)`, verb: "uses", check: isAid},

	{id: "de.aid.1", triggers: "trage trägt", pattern: `(?:ich trage|trage ich|{who} trägt) {adv}(?:eine |ein )?(?P<x>Brille|Lesebrille|Kontaktlinsen|Hörgeräte?|Zahnspange)` + lastWord, verb: "uses", check: isAffirmed},
	{id: "de.aid.3", triggers: "sitze sitzt", pattern: `(?:ich sitze|sitze ich|{who} sitzt) {adv}im (?P<x>Rollstuhl)` + lastWord, verb: "uses", check: isAffirmed},
	{id: "en.birthday.9", triggers: "birthday", pattern: `(?:I|{Who})(?:'ve| have| has)? {adv}(?:had|celebrated|turned) (?:my|his|her|their) (?P<x>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\d{1,3}(?:st|nd|rd|th)) birthday`, verb: "has_age", check: isBirthdayAge},
	{id: "de.provider.4", triggers: "gewechselt", pattern: `(?:ich bin|bin ich|wir sind) {adv}(?:von der \S+ )?(?:zur|zu der) (?P<x>` + healthInsurers + `)(?P<y>) gewechselt`, verb: "provider_", check: isProvider},
	{id: "en.couple.1", triggers: "couple dating together item relationship",
		pattern: `(?:{name} and I|I and ` + secondName + `) (?:are|'re|have been) (?:now |finally |officially |back )*(?:an? (?:couple|item)|dating|together|in a relationship)(?: again| now| at last)?(?:[.,;!]|$| (?:and|since|for)\b)`,
		verb:    "has_partner", check: isCouple},
	{id: "en.couple.2", triggers: "dating seeing going together relationship",
		pattern: `I(?:'m| am|'ve been| have been)? {adv}(?:dating|started dating|started seeing|started going out with|in a relationship with|together with) {name}(?:[.,;!]|$| (?:and|since|for|now|again)\b)`,
		verb:    "has_partner", check: isCouple},
	{id: "de.couple.1", triggers: "zusammen paar",
		pattern: `(?:{name} und ich sind|ich bin (?:jetzt |wieder |nun |seit \S+(?: \S+)? )*mit ` + secondName + `) {adv}(?:seit [^,.;!?]{3,20} )?(?:ein Paar|zusammen)` + lastWord,
		verb:    "has_partner", check: isCouple},
}

// livingEnds find the ends of such facts.
var livingEnds = []rule{
	{id: "en.role.4", triggers: "stepped resigned handed passed gave stood",
		pattern: `I(?:'ve| have)? {adv}(?:stepped down|stood down|resigned|handed over|retired)(?: as| from being)? (?:the |my |our |being )?(?P<x>` + offices +
			`)\b`,
		meets: []string{"has_role"}, change: ends},
	{id: "en.commutes.3", triggers: "drive cycle bike walk", needs: "now instead days", pattern: `I {adv}(?P<x>drive|cycle|bike|walk)(?: to work)? (?:now|instead|these days)(?:[.,;!]|$)`, meets: []string{"commutes_by"}, change: insteadRide},
	{id: "de.member.3", triggers: "ausgetreten",
		pattern: `(?:aus (?:dem|der|unserem|unserer) (?P<x>` + germanGroup +
			`) (?:bin ich|sind wir) (?:\S+ ){0,3}?ausgetreten|(?:ich bin|bin ich|wir sind) (?:\S+ ){0,3}?aus (?:dem|der|unserem|unserer) (?P<y>` + germanGroup +
			`) ausgetreten)`,
		meets: []string{"member_of"}, change: endsMember},
}

// secondName is another place for a name in a pattern.
const secondName = `(?P<y>(?-i:\p{Lu}[\pL\x27’-]+))`

// weighed matches the weight of a person, not of money or luggage.
const weighed = `(?P<x>(?:[3-9]\d|1\d\d|2[0-4]\d)(?:[.,]\d)? ?(?:kilos?|kilograms?|kg|Kilogramm)|[1-4]\d\d ?(?:pounds|lbs|Pfund)|\d{1,2} stone)(?:[.,;!]|$| (?:now|and|but|at|today|this|again|already|und|aber|statt|instead)\b)`

// notHousemates are written like names and are no people to live with.
var notHousemates = wordSet("diabetes asthma adhd depression anxiety god jesus i it that this pain fear christmas monday sunday schmerzen gott angst")

// isPast reports whether the words say what was: "I was captain of the team".
func (h *hit) isPast() bool { return was.MatchString(h.sentence.text[h.m[0]:h.m[1]]) }

var was = compiled(`(?i)\b(?:was|were|had been|war|waren|wohnte|lebte)\b`)

// isHousemate accepts people and animals. German "bei" with a name may be a place: "bei Siemens", "bei München".
func isHousemate(h *hit) bool {
	name := tidy(h.x)
	h.Node.Name = bare(possessive.ReplaceAllString(name, ""))
	if h.Node.Name == "" || h.Polarity == trilith.Negated || h.isPast() ||
		notHousemates[lower(strings.Fields(h.Node.Name)[0])] {
		return false
	}
	if described.MatchString(name) {
		return true
	}
	at := h.rule.id == "de.lives_with.1" && !strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), " mit ")
	return isPerson(name) && !isNationWord(name) && !at
}

// isNewHousemate ignores somebody who stays for a while.
func isNewHousemate(h *hit) bool { return !forAWhile.MatchString(h.sentence.text) && isHousemate(h) }

// described matches housemates who are not named alone: "my sister", "two friends", "meinen Eltern".
var described = compiled(`(?i)^(?:my|our|his|her|their|an?|another|two|three|four|five|(?:mein|unser|ein)\pL*|zwei|drei|vier)\s`)

// possessive matches forms that [bare] leaves: "meiner Freundin", "his parents".
var possessive = compiled(`(?i)^(?:(?:mein|unser)e[nmr]|his|her|their) `)

func isSmoker(h *hit) bool {
	h.Node.Name = [2]string{"smoker", "Raucher"}[h.rule.lang]
	match := lower(h.sentence.text[h.m[0]:])
	switch {
	case strings.Contains(match, "any more") || strings.Contains(match, "anymore") || strings.Contains(match, " mehr") ||
		strings.Contains(match, "no longer"):
		return false // ends what was true
	case h.Polarity == trilith.Negated || strings.Contains(lower(h.x), " nicht"):
		h.Polarity = trilith.Affirmed
		h.Node.Name = [2]string{"non-smoker", "Nichtraucher"}[h.rule.lang]
	}
	return true
}

var rides = map[string]string{"cycle": "bike", "cycles": "bike", "bike": "bike", "bikes": "bike", "walk": "foot",
	"walks": "foot", "drive": "car", "drives": "car", "run": "foot", "runs": "foot"}

func isCoaching(h *hit) bool {
	h.Node.Name = strings.Replace(lowerFirst(tidy(h.x)), "coaches ", "coach ", 1)
	return h.Polarity == trilith.Affirmed && !h.sentence.question
}

func isCommute(h *hit) bool {
	h.Node.Name = lower(tidy(h.x + h.y + rides[lower(h.named("ride"))]))
	return h.Node.Name != "" && h.Polarity == trilith.Affirmed
}

var healthInsurer = compiled(`^` + healthInsurers + `$`)

// notSuppliers have a capital letter and supply nothing.
var notSuppliers = wordSet("i monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag")

// isProvider makes a verb of what is provided: provider_bank, provider_car_insurance.
func isProvider(h *hit) bool {
	what := lower(h.y)
	switch what {
	case "banking", "hausbank":
		what = "bank"
	case "insured", "versichert":
		what = "insurance"
	case "krankenversichert", "krankenkasse", "krankenversicherung", "health insurer":
		what = "health insurance"
	case "insurer", "versicherung":
		what = "insurance"
	case "":
		what = "health insurance"
	case "autoversicherung":
		what = "car insurance"
	}
	if what == "insurance" && healthInsurer.MatchString(tidy(h.x)) {
		what = "health insurance"
	}
	h.Verb = "provider_" + strings.ReplaceAll(what, " ", "_")
	h.Node.Name = strings.TrimPrefix(tidy(h.x), "the ")
	return h.Polarity == trilith.Affirmed && !h.sentence.question && !h.isPast() && h.Node.Name != "" &&
		!notSuppliers[lower(strings.Fields(h.Node.Name)[0])]
}

// insteadRide sets the new way to work.
func insteadRide(h *hit, c *Amendment) bool {
	c.Instead, c.Replaces = rides[lower(h.x)], true
	return !sometimes.MatchString(h.sentence.text)
}

var sometimes = compiled(`(?i)\b(?:sometimes|(?:on|at|every) (?:\pL+days?|(?:the )?weekends?)|when it)\b`)

// ages are the ordinals of birthdays.
var ages = map[string]string{"second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
	"eighth": "8", "ninth": "9", "tenth": "10", "eleventh": "11", "twelfth": "12"}

// isBirthdayAge reads an age from a birthday that has been.
func isBirthdayAge(h *hit) bool {
	if n, ok := ages[lower(h.x)]; ok {
		h.x = n
	}
	h.x = strings.TrimRight(h.x, "stndrh")
	return isTurnedTo(h)
}

func isRole(h *hit) bool {
	h.since()
	h.Node.Name = tidy(h.x)
	return !h.sentence.question && !h.isPast()
}

// endsMember handles a group that the speaker has left.
func endsMember(h *hit, c *Amendment) bool { return endsWhat(c, h.x+h.y) }

func isMember(h *hit) bool {
	h.since()
	h.Node.Name = bare(h.x)
	compound := h.rule.lang == german && len(h.Node.Name) > len("Gruppe")+1
	return h.Polarity == trilith.Affirmed && !h.sentence.question && !h.isPast() &&
		(compound || len(strings.Fields(h.Node.Name)) > 1)
}

// isNamedGroup is for groups that the speaker plays or sings in: "I play drums in a band called Static".
func isNamedGroup(h *hit) bool {
	before := lower(h.sentence.text[:h.m[0]])
	return h.Polarity == trilith.Affirmed && !h.sentence.question && belongs.MatchString(before)
}

var belongs = compiled(`(?i)(?:^|\W)(?:I|we)(?:['’](?:m|re)(?:\s(?:also|now|an?|the|member|part|drummer|singer|guitarist|bassist|pianist|conductor))*|\s(?:\pL+\s)?(?:play|sing|drum|row|swim)(?:\s\pL+){0,3})$`)

func isAid(h *hit) bool {
	h.Node.Name = lower(tidy(h.x + h.y + h.named("z")))
	return h.Polarity == trilith.Affirmed && !h.isPast()
}

func isCouple(h *hit) bool {
	name := h.x
	if name == "" {
		name = h.y
	}
	h.Node.Name = tidy(name)
	return isPerson(h.Node.Name) && !isNationWord(h.Node.Name) && !notKin[lower(h.Node.Name)] && !h.isPast() &&
		h.Polarity == trilith.Affirmed && !h.sentence.question
}
