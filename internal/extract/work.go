package extract

import (
	"strings"
)

// occupations are the last words of occupations. The list is closed: "I'm a bit lost" names none.
const (
	englishOccupations = `accountant|actor|actress|analyst|anaesthetist|archaeologist|architect|artist|astronomer|author|baker|banker|barber|barista|bartender|beekeeper|biologist|` +
		`bookkeeper|bookseller|botanist|bricklayer|builder|butcher|caretaker|carpenter|cashier|chef|chemist|cleaner|clerk|coach|composer|consultant|contractor|cook|copywriter|` +
		`counsellor|curator|dancer|dentist|designer|developer|diplomat|director|doctor|driver|economist|editor|electrician|engineer|entrepreneur|farmer|firefighter|fisherman|` +
		`florist|gardener|geologist|goldsmith|graphic designer|guide|hairdresser|historian|illustrator|interpreter|investor|joiner|journalist|judge|lawyer|lecturer|librarian|` +
		`locksmith|manager|mathematician|mechanic|midwife|miner|musician|nanny|nurse|nutritionist|optician|painter|paramedic|pastor|pharmacist|photographer|physicist|` +
		`physiotherapist|pianist|pilot|plumber|poet|police officer|policeman|postman|potter|priest|principal|producer|professor|programmer|psychiatrist|psychologist|radiologist|` +
		`realtor|receptionist|reporter|researcher|roofer|sailor|salesperson|salesman|scientist|sculptor|secretary|server|shopkeeper|singer|social worker|soldier|solicitor|` +
		`speech therapist|statistician|student|surgeon|surveyor|tailor|teacher|technician|therapist|toolmaker|trainer|translator|tutor|veterinarian|vet|waiter|waitress|watchmaker|` +
		`weaver|welder|winemaker|writer|zookeeper|zoologist`
	germanOccupations = `Anwält(?:in)?|Anwalt|Apotheker(?:in)?|Architekt(?:in)?|Arzt|Ärztin|Astronom(?:in)?|Autor(?:in)?|Bäcker(?:in)?|Bauingenieur(?:in)?|Bauleiter(?:in)?|Bäuerin|` +
		`Berater(?:in)?|Bibliothekar(?:in)?|Bildhauer(?:in)?|Biolog(?:e|in)|Buchhalter(?:in)?|Buchhändler(?:in)?|Busfahrer(?:in)?|Chemiker(?:in)?|Chirurg(?:in)?|Dachdecker(?:in)?|` +
		`Designer(?:in)?|Dolmetscher(?:in)?|Elektriker(?:in)?|Entwickler(?:in)?|Ergotherapeut(?:in)?|Erzieher(?:in)?|Fahrer(?:in)?|Feuerwehrmann|Fischer(?:in)?|Florist(?:in)?|` +
		`Förster(?:in)?|Fotograf(?:in)?|Friseur(?:in)?|Gärtner(?:in)?|Geolog(?:e|in)|Goldschmied(?:in)?|Grafiker(?:in)?|Hausmeister(?:in)?|Hebamme|Historiker(?:in)?|Illustrator(?:in)?|` +
		`Imker(?:in)?|Informatiker(?:in)?|Ingenieur(?:in)?|Journalist(?:in)?|Jurist(?:in)?|Kellner(?:in)?|Klempner(?:in)?|Koch|Köchin|Konditor(?:in)?|Krankenpfleger(?:in)?|` +
		`Krankenschwester|Künstler(?:in)?|Landwirt(?:in)?|Lehrer(?:in)?|Lektor(?:in)?|Logopäd(?:e|in)|Maler(?:in)?|Maurer(?:in)?|Mechaniker(?:in)?|Mathematiker(?:in)?|Metzger(?:in)?|` +
		`Musiker(?:in)?|Notar(?:in)?|Optiker(?:in)?|Pfarrer(?:in)?|Pflegerin|Pfleger|Physiker(?:in)?|Physiotherapeut(?:in)?|Pilot(?:in)?|Polizist(?:in)?|Professor(?:in)?|` +
		`Programmierer(?:in)?|Psycholog(?:e|in)|Redakteur(?:in)?|Restaurator(?:in)?|Richter(?:in)?|Sänger(?:in)?|Schauspieler(?:in)?|Schlosser(?:in)?|Schneider(?:in)?|` +
		`Schreiner(?:in)?|Schriftsteller(?:in)?|Sekretär(?:in)?|Sozialarbeiter(?:in)?|Statiker(?:in)?|Steuerberater(?:in)?|Student(?:in)?|Therapeut(?:in)?|Tierarzt|Tierärztin|` +
		`Tischler(?:in)?|Töpfer(?:in)?|Trainer(?:in)?|Übersetzer(?:in)?|Uhrmacher(?:in)?|Verkäufer(?:in)?|Vermesser(?:in)?|Wirt(?:in)?|Winzer(?:in)?|Zahnarzt|Zahnärztin|Zimmermann`
	englishOccupation = `(?P<x>(?:[a-z-]+ ){0,2}?(?:` + englishOccupations + `))`
	germanOccupation  = `(?P<x>(?:[a-zäöü]+er?s? ){0,2}?(?:[A-ZÄÖÜ][a-zäöü]+-?)?(?:` + germanOccupations + `))`
)

const organisation = `(?:the )?(?P<y>(?-i:\p{Lu}[\pL\pN&\x27’.-]*(?:\s(?:(?:of|and|for|&)\s)?\p{Lu}[\pL\pN&\x27’-]*){0,4}))`

var employer = strings.Replace(organisation, "<y>", "<x>", 1)

// workRules find occupations, employers and studies.
var workRules = []rule{
	{id: "en.works_as.1", triggers: "work works working worked",
		pattern: `(?:{who} {adv}works?|I(?:'m| am) {adv}working|I(?:'ve| have) {adv}(?:worked|working)) as (?:an? |the )?` + englishOccupation + `\b(?: (?:at|for|with) ` + organisation + `)?`, verb: "works_as", check: isOccupation},
	{id: "en.works_as.2", triggers: wordsOf(englishOccupations), pattern: `{who}(?:'m|'s| am| is) {adv}an? ` +
		englishOccupation + `(?: (?:at|for|with) ` + organisation +
		`)?(?:[.,;!]|$| (?:and|by|in|at|for|from|with|who|so|but|now|here|myself)\b)`, verb: "works_as",
		check: isOccupation},
	{id: "en.works_as.3", triggers: "profession trade", pattern: `by (?:profession|trade)[, ]+I(?:'m| am) an? ` + englishOccupation + `\b`, verb: "works_as", check: isOccupation},
	{id: "en.works_at.1", triggers: "work works working", pattern: `(?:{who} {adv}works?|I(?:'m| am|'ve| have) {adv}(?:been )?working) (?:at|for|with) ` + employer, verb: "works_at", check: isEmployer},
	{id: "en.works_at.2", triggers: "started joined", pattern: `(?:I|{Who})(?:'ve| have| has)? {adv}(?:started (?:working |work |a job )?(?:at|for)|joined) ` + employer, verb: "works_at", check: isEmployer},
	{id: "en.works_at.3", triggers: "quit left", pattern: `I(?:'ve| have)? {adv}(?:quit|left) my job at ` + employer, verb: "works_at", ends: true, check: isEmployer},
	{id: "en.studies.1", triggers: "study studies studying", pattern: `{who}(?:'m|'s| am| is)? {adv}stud(?:y|ies|ying) (?P<x>[a-z-]+(?: [a-z-]+){0,2}?)(?:[.,;!]|$| (?:at|in|and|but|since|now)\b)`, verb: "studies", check: isStudy},
	{id: "de.works_as.1", triggers: "arbeite arbeitet",
		pattern: `(?:ich arbeite|arbeite ich|{who} arbeitet) {adv}als ` + germanOccupation +
			`\b(?: (?:bei|für) (?:der |dem |den )?` + organisation + `)?`, verb: "works_as", check: isOccupation},
	{id: "de.works_as.2", triggers: "bin ist",
		pattern: `(?:ich bin|bin ich|{who} ist) {adv}(?:von Beruf )?(?:ein |eine )?` + germanOccupation +
			`(?: (?:bei|für) (?:der |dem |den )?` + organisation +
			`)?(?:[.,;!]|$| (?:und|von|in|an|am|aus|bei|für|mit|aber)\s)`, verb: "works_as", check: isOccupation},
	{id: "de.works_at.1", triggers: "arbeite arbeitet", pattern: `(?:ich arbeite|arbeite ich|{who} arbeitet) {adv}(?:bei|für) (?:der |dem |den |die )?` + employer, verb: "works_at", check: isEmployer},
	{id: "de.studies.1", triggers: "studiere studiert", pattern: `(?:ich studiere|studiere ich|{who} studiert) {adv}(?P<x>(?-i:\p{Lu})[\pL-]+(?: und (?-i:\p{Lu})[\pL-]+)?)`, verb: "studies", check: isStudy},
}

func isOccupation(h *hit) bool {
	h.Node.Name = trained.ReplaceAllString(strings.TrimPrefix(h.x, "also "), "")
	h.since()
	for _, w := range strings.Fields(lower(h.x)) {
		if notAnOccupation[w] {
			return false
		}
	}
	if h.y != "" && isOrganisation(h.y) {
		h.second("works_at", h.y, h.Ends)
	}
	return true
}

// trained comes before an occupation and describes the training.
var trained = compiled(`(?i)^(?:gelernter?|ausgebildeter?|geprüfter?|studierter?) `)

var notAnOccupation = wordSet(
	"bad good great terrible better not like fan of bit big little lousy hopeless guter schlechter miserabler großer")

var notOrganisations = wordSet(
	"home night christmas weekends monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september " +
		"october november december me myself you him her them us zwei hause nacht uns mir dir ihm ihr free money regen herrn frau i english german januar februar märz mai juni juli")

func isOrganisation(name string) bool {
	ws := strings.Fields(name)
	return len(ws) > 0 && !notOrganisations[lower(ws[0])] && !notPersons[lower(ws[0])]
}

func isEmployer(h *hit) bool {
	h.since()
	h.Node.Name = strings.TrimSuffix(h.x, " and I")
	return isOrganisation(h.Node.Name)
}

var notStudies = compiled(
	`(?i)^(?:it|this|that|them|hard|for|the|a|my|at|in|here|abroad|more|every|all|with|together|to)\b`)

func isStudy(h *hit) bool {
	h.since()
	return !notStudies.MatchString(h.x)
}
