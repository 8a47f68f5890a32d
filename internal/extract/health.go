package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// Names of conditions. The lists are closed: "I have a bad feeling" is not a condition, nor is a short illness.
const (
	englishConditions = `(?:(?:type (?:1|2|one|two)|gestational) diabetes|diabetes|asthma|ADHD|ADD|autism|epilepsy|arthritis|(?:rheumatoid )?arthritis|osteoporosis|migraines?|chronic \w+|high blood pressure|hypertension|low blood pressure|` +
		`high cholesterol|hay fever|eczema|psoriasis|rosacea|celiac disease|coeliac disease|celiac|Crohn's(?: disease)?|colitis|IBS|irritable bowel syndrome|endometriosis|PCOS|depression|anxiety|bipolar disorder|PTSD|OCD|` +
		`insomnia|sleep apn(?:o)?ea|tinnitus|glaucoma|cataracts|dyslexia|dyscalculia|scoliosis|sciatica|a herniated disc|a slipped disc|back problems|a bad back|a bad knee|bad knees|a heart condition|a heart murmur|a pacemaker|` +
		`an? (?:overactive|underactive) thyroid|hypothyroidism|hyperthyroidism|thyroid problems|Hashimoto's|lupus|fibromyalgia|multiple sclerosis|MS|Parkinson's|Alzheimer's|dementia|cancer|breast cancer|leuk(?:a)?emia|HIV|` +
		`long covid|an[a]?emia|gout|acid reflux|GERD|stomach ulcers?|kidney stones|gallstones|haemophilia|hemophilia|a nut allergy|vertigo|restless legs|burnout|carpal tunnel(?: syndrome)?|tendonitis|bronchitis|pneumonia)`
	englishStates    = `(?:diabetic|asthmatic|epileptic|colou?r-?blind|pregnant|deaf|partially deaf|hard of hearing|blind|short-sighted|long-sighted|near-?sighted|far-?sighted|dyslexic|autistic|an[a]?emic|bipolar|wheelchair-bound)`
	germanConditions = `(?:(?:[\pL]+-?)?(?:Diabetes|Asthma|ADHS|ADS|Autismus|Epilepsie|Arthritis|Arthrose|Rheuma|Osteoporose|Migräne|Bluthochdruck|Heuschnupfen|Neurodermitis|Schuppenflechte|Zöliakie|Morbus Crohn|Colitis|Reizdarm|` +
		`Endometriose|Depressionen|Depression|Angststörung|Panikattacken|Schlafstörungen|Schlafapnoe|Tinnitus|Legasthenie|Skoliose|Bandscheibenvorfall|Herzfehler|Herzschrittmacher|Schilddrüsenunterfunktion|Schilddrüsenüberfunktion|` +
		`Hashimoto|Lupus|Fibromyalgie|Multiple Sklerose|Parkinson|Alzheimer|Demenz|Krebs|Brustkrebs|Leukämie|Anämie|Gicht|Sodbrennen|Nierensteine|Gallensteine|Burnout|Rückenprobleme|Knieprobleme|Herzprobleme|Gürtelrose))(?: Typ (?:1|2|eins|zwei))?`
	germanStates = `(?:Diabetiker(?:in)?|Asthmatiker(?:in)?|Epileptiker(?:in)?|farbenblind|schwanger|schwerhörig|gehörlos|blind|kurzsichtig|weitsichtig|Legastheniker(?:in)?|Autist(?:in)?|Allergiker(?:in)?|Bluter)`

	medicine    = `(?P<x>(?:[\pL][\pL-]{3,}(?: (?:tablets|pills|drops|inhaler|spray|supplements|Tabletten|Tropfen|Spray))?)(?: \d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ml|IU|IE|g))?|\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ml|IU|IE) (?:of )?[\pL][\pL-]{3,})`
	medicines   = `(?P<x>(?:[\pL]+-)?(?:antibiotics|antidepressants|antihistamines|painkillers|blood thinners|beta[ -]blockers|statins|steroids|insulin|the pill|birth control|hormones|blood pressure (?:medication|meds|tablets)|metformin|ibuprofen|paracetamol|aspirin|levothyroxine|lisinopril|ritalin|sertraline|omeprazole|vitamin [A-Z]\d*)(?: \d+ ?(?:mg|mcg|µg|ml|IU|g)\b)?)`
	germanPills = `(?P<x>(?:Antibiotik(?:a|um)|Antidepressiv(?:a|um)|Betablocker|Blutverdünner|Cortison|Kortison|Insulin|Schmerzmittel|die Pille|Metformin|Ibuprofen|Paracetamol|Aspirin|L-Thyroxin|Ramipril|Ritalin|Statine|Vitamin [A-Z]\d*|Blutdrucktabletten|Schilddrüsentabletten|Schlaftabletten|Hormone|Eisentabletten)(?: \d+ ?(?:mg|µg|ml|IE))?)`

	manner      = `(?: (?:last|this|two|three|years|when|as|every|daily|twice|once|on|by|and|but|because|since|for|so|at|in|anymore|any|from|after|before|at all|completely|altogether|entirely|these|right|und|aber|weil|seit|wegen|mehr|komplett)\b|[.,;!]|$)`
	englishFood = `(?P<x>[a-z][a-z-]+(?:(?: or | and |, )[a-z][a-z-]+){0,3}(?: [a-z-]+)?)`
)

// healthRules find conditions, medicine, and things that somebody must avoid.
var healthRules = []rule{
	{id: "en.condition.1", triggers: wordsOf(englishConditions) +
		" migraine migraines crohn's hashimoto's parkinson's alzheimer's ms add ibs ocd hiv apnea anemia leukemia ulcers bad chronic", pattern: `{who}(?:'ve| have| has| am| is|'m)? {adv}(?:have|has|got|suffers? from|suffering from|developed|live with|lives with)?(?: (?:a touch of|a mild form of|mild|severe|bad|chronic|terrible|a bit of))? ?(?P<x>` + englishConditions + `)` + manner, verb: "has_condition", check: isCondition},
	{id: "en.condition.2", triggers: "diagnosed", pattern: `{who}(?:'ve| have| has)? {adv}(?:was |were |been |got |just )*diagnosed with (?P<x>` + englishConditions + `|(?:an? )?[a-z][a-z\x27 -]{3,40}?)` + manner, verb: "has_condition", check: isCondition},
	{id: "en.condition.3", triggers: "diabetic asthmatic epileptic colour-blind color-blind colourblind colorblind pregnant deaf blind dyslexic autistic anaemic anemic bipolar short-sighted nearsighted hearing near-sighted long-sighted far-sighted farsighted", pattern: `{who}(?:'m|'s| am| is) {adv}(?:an? )?(?:type (?:1|2|one|two) )?(?P<x>` + englishStates + `)` + manner, verb: "has_condition", check: isCondition},
	{id: "en.condition.4", triggers: "expecting", pattern: `(?:we|{who})(?:'m|'s|'re| am| is| are) {adv}expecting (?P<x>a baby|a child|a boy|a girl|twins|our (?:first|second|third)(?: child| baby)?|(?:her|my) (?:first|second|third)(?: child| baby)?)` + manner, verb: "has_condition", check: isExpecting},
	{id: "en.medicine.1", triggers: "take takes taking", pattern: `{who}(?:'m|'s| am| is|'ve been| have been)? {adv}(?:takes?|taking) (?:my |his |her )?` + medicines + `\b`, verb: "takes_medicine", check: isMedicine},
	{id: "en.medicine.2", triggers: "take takes taking", pattern: `{who}(?:'m|'s| am| is|'ve been| have been)? {adv}(?:takes?|taking) (?P<x>(?:[\pL][\pL-]{3,} \d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ml|IU)|\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ml|IU) (?:of )?[\pL][\pL-]{3,}))`, verb: "takes_medicine", check: isMedicine},
	{id: "en.medicine.3", triggers: wordsOf(medicines) + " pill",
		pattern: `{who}(?:'m|'s| am| is|'ve been| have been| has been) {adv}on ` + medicines + manner,
		verb:    "takes_medicine", check: isMedicine},
	{id: "en.medicine.4", triggers: "prescribed", pattern: `(?:I(?:'ve| have)? (?:was|been|got)|my doctor|the doctor|my GP) {adv}prescribed (?:me )?` + medicine + manner, verb: "takes_medicine", check: isMedicine},
	{id: "en.avoids.2", triggers: "can't cannot", pattern: `{who} (?:can't|cannot|can not|mustn't|must not|am not allowed to|'m not allowed to|shouldn't) {adv}(?:have|eat|drink|consume|touch) (?:any )?` + englishFood + manner, verb: "avoids", check: isLeft},
	{id: "en.avoids.3", triggers: "keep stay lay cut cutting avoid avoids avoiding steer given off", pattern: `{who}(?:'m|'s| am| is|'ve| have| has)? {adv}(?:(?:need to|needs to|have to|has to|had to|must|try to|tries to|trying to|supposed to|should) )?(?:avoids?|avoiding|keep(?:ing)? off|keep(?:ing)? away from|stay(?:ing)? off|stay(?:ing)? away from|steer clear of|cut(?:ting)? out|lay off|given up eating|gave up eating|stopped eating|go without) (?:all )?` + englishFood + manner, verb: "avoids", check: isLeft},
	{id: "en.avoids.4", triggers: "off", pattern: `I(?:'m| am) {adv}off ` + `(?P<x>dairy|gluten|sugar|alcohol|caffeine|coffee|carbs|bread|meat|wheat|lactose|red meat|sweets|chocolate|salt|nuts|cigarettes)` + manner, verb: "avoids", check: isLeft},
	{id: "de.condition.1", triggers: wordsOf(germanConditions) + " *diabetes *asthma *migräne *rheuma *arthrose",
		pattern: `(?:ich (?:habe|leide)|(?:habe|leide) ich|{who} (?:hat|leidet)) {adv}(?:eine?n? |unter |an |starke[sn]? |leichte[sn]? |chronische[sn]? |einer )*(?P<x>` + germanConditions + `)` + manner, verb: "has_condition", check: isCondition},
	{id: "de.condition.2", triggers: "diagnostiziert festgestellt", pattern: `bei mir (?:wurde|ist|hat man|wurden) (?:[^,.;]{0,30}? )?(?P<x>` + germanConditions + `) (?:diagnostiziert|festgestellt)`, verb: "has_condition", check: isCondition},
	{id: "de.condition.3", triggers: "diabetiker diabetikerin asthmatiker asthmatikerin epileptiker epileptikerin farbenblind schwanger schwerhörig gehörlos blind kurzsichtig weitsichtig legastheniker legasthenikerin autist autistin allergiker allergikerin", pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:eine? )?(?P<x>` + germanStates + `)` + manner, verb: "has_condition", check: isCondition},
	{id: "de.medicine.1", triggers: "nehme nimmt", pattern: `(?:ich nehme|nehme ich|{who} nimmt) {adv}(?:(?:täglich|regelmäßig|morgens|abends|jeden (?:Tag|Morgen|Abend)|zweimal täglich|einmal täglich|zurzeit|mein|meine) )*` + germanPills + manner, verb: "takes_medicine", check: isMedicine},
	{id: "de.medicine.2", triggers: "nehme nimmt", pattern: `(?:ich nehme|nehme ich|{who} nimmt) {adv}(?:täglich|regelmäßig|morgens|abends|jeden (?:Tag|Morgen|Abend)|zweimal täglich|einmal täglich|dreimal täglich) (?P<x>(?:\d+ ?(?:mg|µg|ml|Tabletten) )?(?-i:\p{Lu})[\pL-]{3,}(?: \d+ ?(?:mg|µg|ml|IE))?)` + manner, verb: "takes_medicine", check: isMedicine},
	{id: "de.medicine.3", triggers: "nehmen", pattern: `ich (?:muss|soll) {adv}(?:(?:täglich|regelmäßig|morgens|abends|jeden (?:Tag|Morgen|Abend)) )?` + germanPills + ` nehmen`, verb: "takes_medicine", check: isMedicine},
	{id: "de.avoids.2", triggers: "verzichte verzichtet meide meidet vermeide", pattern: `(?:(?:ich|{who}) (?:verzichtet?|meidet?|vermeidet?)) {adv}(?:auf )?(?:jede[sn]? )?` + germanFood + manner, verb: "avoids", check: isLeft},
	{id: "de.avoids.3", triggers: "darf soll", pattern: `(?:ich darf|darf ich|{who} darf|ich soll|soll ich) {adv}(?:kein(?:e|en)? )?` + germanFood + ` (?:mehr )?(?:essen|trinken|zu mir nehmen)`, verb: "avoids", check: isForbidden},
	{id: "de.avoids.4", triggers: "verzichten meiden", pattern: `ich (?:muss|soll|möchte) {adv}(?:auf )?` + germanFood + ` (?:verzichten|meiden|vermeiden)`, verb: "avoids", check: isLeft},
	{id: "de.avoids.5", triggers: "vertrage verträgt vertragen", pattern: `(?:ich vertrage|{who} verträgt) {adv}(?:kein(?:e|en)? )?` + germanFood + `(?: (?:nicht|gar nicht))?` + manner, verb: "intolerant_to", check: isIntolerance},
}

const germanFood = `(?P<x>(?-i:\p{Lu})[\pL-]+(?:(?: und | oder |, )(?-i:\p{Lu})[\pL-]+){0,3})`

// passing matches short illnesses.
var passing = compiled(`(?i)^(?:an? )?(?:cold|flu|fever|headache|cough|hangover|bad (?:case|feeling|luck|day)|being|love|terminal \w+|acute \w+ of)\b`)

var indefinite = compiled(`(?i)^an?\s+`)

func isCondition(h *hit) bool {
	h.since()
	name := tidy(h.withoutTimes())
	if h.rule.lang == english {
		name = indefinite.ReplaceAllString(name, "")
	}
	h.Node.Name = name
	return !passing.MatchString(name) && !strings.HasPrefix(lower(name), "chronic ") || chronicOf.MatchString(name)
}

// isExpecting is for a pregnancy, which a birth ends.
func isExpecting(h *hit) bool {
	h.Node.Name = "expecting " + tidy(h.x)
	return h.Polarity == trilith.Affirmed && !h.isPast()
}

var chronicOf = compiled(
	`(?i)^chronic (?:pain|back|kidney|fatigue|bronchitis|migraines?|asthma|sinusitis|illness|insomnia|depression)`)

var notMedicine = compiled(
	`(?i)^(?:care|part|time|note|advantage|photos|pictures|lessons|classes|turns|place|over|the (?:bus|train|dog|kids)|sugar|zeit|platz|rücksicht|abschied|stellung|urlaub|unterricht|bus|bahn|fahrrad|zug|auto|teil|das|die|den)\b`)

func isMedicine(h *hit) bool {
	h.since()
	h.Node.Name = tidy(strings.TrimPrefix(strings.TrimPrefix(h.x, "the "), "die "))
	return !notMedicine.MatchString(h.Node.Name)
}

// notLeft are words after "I can't have" and "I avoid" that are neither food nor drink.
var notLeft = compiled(`(?i)^(?:it|that|this|them|him|her|you|people|everything|anything|something|my|your|his|the|a|an|one|both|another|children|kids|pets|visitors|guests|eye|work|crowds|conflict\w*|trouble|being|having|\w+ing|` +
	`questions?|answers?|fun|nice|more|much|until|out|here|there|at|in|on|before|after|what|how|politics|drama|traffic|risks?|mistakes?|stress|streit|ärger|ihn|sie|nichts|alles|konflikte|menschen|stress|risiken)\b`)

// A thing that is avoided, not eaten, must be food or drink.
var (
	avoiding = compiled(`(?i)\b(?:avoid\w*|stay\w* (?:away|off)|keep\w* away|steer|vermeide\w*|meide\w*)\b`)
	eaten    = compiled(`(?i)(?:dairy|milk|cheese|lactose|gluten|wheat|bread|carbs|sugar|sweets|candy|chocolate|salt|sodium|fat|fats|caffeine|coffee|tea|soda|alcohol|beer|wine|spirits|nuts|peanuts|almonds|walnuts|soy|eggs?|meat|beef|pork|lamb|poultry|chicken|fish|shellfish|seafood|shrimp|` +
		`onions?|garlic|tomatoes|mushrooms|peppers|citrus|fruit|bananas|strawberries|kiwi|beans|legumes|corn|rice|pasta|potatoes|food|foods|fast food|junk food|grapefruit|spicy|fried|processed|additives|sweeteners|juice|drinks?|sushi|yeast|sesame|mustard|celery|honey|gelatine|offal|` +
		`milch\w*|käse|laktose|weizen|brot|zucker|süß\w*|schokolade|salz|fett|koffein|kaffee|alkohol|bier|wein|nüsse|erdnüsse|soja|eier|fleisch|schwein\w*|rind\w*|fisch|meeresfrüchte|zwiebeln|knoblauch|tomaten|pilze|obst|bohnen|mais|kohlenhydrate|fastfood|zusatzstoffe|honig)\b`)
)

// isLeft makes a fact of each avoided thing.
func isLeft(h *hit) bool {
	if avoiding.MatchString(h.sentence.text[h.m[0]:h.m[1]]) && !eaten.MatchString(h.x) {
		return false
	}
	items := listOf(h.withoutTimes())
	if h.Polarity == trilith.Negated && h.rule.lang == english {
		return false
	}
	for _, item := range items {
		if notLeft.MatchString(item) {
			return false
		}
	}
	return h.setList(items)
}

var notEaten = wordSet("spaß stress kritik lärm hitze kälte sonne druck widerspruch alkohol")

func isIntolerance(h *hit) bool {
	return !notEaten[lower(strings.Fields(h.x)[0])] && isForbidden(h)
}

// isForbidden requires a denial in the match: may not eat, cannot stand.
func isForbidden(h *hit) bool {
	match := lower(h.sentence.text[h.m[0]:h.m[1]])
	if !strings.Contains(match, " kein") && !strings.Contains(match, " nicht") {
		return false
	}
	h.Polarity = trilith.Affirmed
	return isLeft(h)
}
