package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	// after matches what may follow a value at the end of a clause.
	after = `(?:[.,;!]|$| (?:and|but|since|for|at|in|on|with|now|because|so|these|this|last|next|from|until|as|every|und|aber|seit|bei|in|im|am|an|auf|für|mit|weil|von|vom|bis|jeden)\s)`
)

// jobRules find work in everyday wordings: how it began, self-employment, and unemployment.
var jobRules = []rule{
	{id: "en.job.1", triggers: "started hired", pattern: `(?:{who}(?:'ve| have| has)? {adv}(?:started|started working|started work|been hired|been taken on|got hired|hired|taken on)) (?:today |yesterday |recently )?as (?:an? |the |their )?(?:new )?(?P<x>[a-z][a-z /-]{2,40}?)(?: (?:at|with|for) ` + organisation + `)?` + after, verb: "works_as", check: isNewJob},
	{id: "en.job.2", triggers: "job position role", pattern: `{who}(?:'ve| have| has)? {adv}(?:got|landed|found|accepted|took|have|has|started) (?:an? |the |my )?(?:new |dream |first |part-time |full-time )*(?:job|position|role)(?: offer)? as (?:an? |the )?(?P<x>[a-z][a-z /-]{2,40}?)(?: (?:at|with|for) ` + organisation + `)?` + after, verb: "works_as", check: isNewJob},
	{id: "en.job.3", triggers: "job position role", pattern: `{who}(?:'ve| have| has)? {adv}(?:got|landed|found|accepted|took|have|has|started) (?:an? |the |my )?(?:new |dream |first |part-time |full-time )*(?:job|position|role) (?:at|with) ` + employer, verb: "works_at", check: isEmployer},
	{id: "en.job.4", triggers: "promoted", pattern: `{who}(?:'ve| have| has)? {adv}(?:got |been |was |were |just )*promoted to (?:the )?(?P<x>[a-z][a-z /-]{2,40}?)(?: (?:at|with|for) ` + organisation + `)?` + after, verb: "works_as", check: isNewJob},
	{id: "en.job.5", triggers: "job", pattern: `my (?:current |new |day )?job (?:title )?is (?:being )?(?:an? |the )?` + englishOccupation + `\b`, verb: "works_as", check: isOccupation},
	{id: "en.job.6", triggers: "became become", pattern: `{who}(?:'ve| have| has)? {adv}(?:became|become) an? ` + englishOccupation + after, verb: "works_as", check: isOccupation},
	{id: "en.job.7", triggers: "trained qualified", pattern: `{who}(?:'m|'s| am| is)? {adv}(?:a )?(?:trained|qualified|certified|registered|licensed) (?:as an? )?` + englishOccupation + after, verb: "works_as", check: isOccupation},
	{id: "en.job.8", triggers: "work works job working", pattern: `{who}(?:'m|'s| am| is|'ve been| have been)? {adv}(?:works?|working) (?:full-time |part-time )?in (?P<x>` + englishFields + `)\b`, verb: "works_in", check: isSinceThen},
	{id: "en.job.9", triggers: "teach teaches", pattern: `{who} {adv}teach(?:es)? (?P<x>[a-z]+(?: (?:and|education|studies|literature|science) ?[a-z]*)?)(?: to [\pL -]{3,30}?)?(?: (?:at|for) ` + organisation + `)?` + after, verb: "teaches", check: isTaught},
	{id: "en.job.10", triggers: "run runs own owns manage manages started opened founded set", pattern: `{who}(?:'ve| have| has)? {adv}(?:runs?|owns?|manages?|started|opened|founded|set up|have|has) (?:my|our|his|her) own (?:small |little )?(?P<x>[a-z][a-z -]{2,40}?)` + after, verb: "runs", check: isBusiness},
	{id: "en.job.11", triggers: "run runs manage manages", pattern: `{who} {adv}(?:runs?|manages?) an? (?:small |little |family )?(?P<x>(?:[a-z-]+ ){0,2}?` + businesses + `)` + after, verb: "runs", check: isBusiness},
	{id: "en.job.12", triggers: "laid redundant fired sacked dismissed let", pattern: `I(?:'ve| have)? {adv}(?:was |were |been |got |just )*(?:laid off|made redundant|fired|sacked|dismissed|let go) (?:from (?:my (?:job|position|role) )?(?:at )?|by |at )` + employer, verb: "works_at", ends: true, check: isEmployer},
	{id: "en.job.13", triggers: "with at for", needs: "from between until till", pattern: `{who} (?:was|were|worked|'ve been|have been|has been) {adv}(?:with|at|for) ` + employer + ` (?:from|between|until|till) `, verb: "works_at", check: isFormerEmployer},
	{id: "en.job.14", triggers: "working worked work", needs: "from between until till", pattern: `I (?:worked|used to work) (?:at|for) ` + employer + ` (?:from|between|until|till) `, verb: "works_at", check: isFormerEmployer},
	{id: "en.status.2", triggers: "retired unemployed self-employed freelance freelancer freelancing leave jobs", pattern: `{who}(?:'m|'s| am| is|'ve been| have been| has been| was| became) {adv}(?:an? |currently |fully |semi-)*(?P<x>retired|unemployed|out of work|self-employed|freelance|freelancer|freelancing|between jobs|on (?:parental|maternity|paternity|sick) leave|a stay-at-home (?:mum|mom|dad|parent))` + after, verb: "has_work_status", check: isWorkStatus},
	{id: "en.status.3", triggers: "freelance freelances", pattern: `{who} {adv}(?P<x>freelances?)` + after, verb: "has_work_status", check: isWorkStatus},
	{id: "en.status.4", triggers: "retired", pattern: `{who} {adv}(?P<x>retired) (?:in|last|this|two|three|\d|a few|from)`, verb: "has_work_status", check: isWorkStatus},
	{id: "en.studies.2", triggers: "study studies studying", pattern: `{who}(?:'m|'s| am| is)? {adv}stud(?:y|ies|ying)(?: [a-z]+(?: [a-z]+)?)?? (?:at|in) (?:the )?(?P<x>(?-i:\p{Lu})[\pL.’\x27-]*(?:(?: of| in)? (?-i:\p{Lu})[\pL.’\x27-]*){0,3})`, verb: "studies_in", check: isStudyPlace},
	{id: "en.studies.3", triggers: "degree phd master's masters bachelor's mba", pattern: `{who}(?:'ve| have| has)? {adv}(?:got|have|has|hold|holds|did|completed|finished|earned) an? (?P<x>(?:(?:bachelor|master)(?:'s)?(?: degree)?|degree|PhD|doctorate|MBA|diploma)(?: in [a-z]+(?: [a-z]+)?)?)` + after, verb: "has_degree", check: isAffirmed},

	{id: "en.job.20", triggers: "lead head chief principal senior managing creative technical art sales finance marketing office project product", pattern: `{who}(?:'m|'s| am| is) {adv}(?:the |an? )?(?P<x>(?:lead|head|chief|principal|senior|managing|creative|technical|art|sales|finance|marketing|office|project|product) (?:[a-z]+ )?(?:developer|engineer|designer|director|manager|officer|editor|chef|nurse|architect|scientist|analyst|gardener|producer|buyer|accountant|of [a-z]+))(?: (?:at|for) ` + organisation + `)?` + after, verb: "works_as", check: isNewJob},
	{id: "de.job.1", triggers: "angefangen begonnen gestartet eingestellt angestellt", pattern: `(?:ich habe|habe ich|ich bin|bin ich|ich wurde|wurde ich) (?:[^,.;]{0,40}? )?als ` + germanJob + `(?: (?:bei|für) (?:der |dem |den )?` + organisation + `)? (?:angefangen|begonnen|gestartet|eingestellt|angestellt)`, verb: "works_as", check: isOccupation},
	{id: "de.job.2", triggers: "gelernter gelernte ausgebildete ausgebildeter", pattern: `(?:ich bin|{who} ist) {adv}(?:gelernter?|ausgebildeter?|geprüfter?|studierter?) ` + germanJob + after, verb: "works_as", check: isOccupation},
	{id: "de.job.3", triggers: "stelle job", pattern: `(?:ich habe|habe ich) (?:[^,.;]{0,30}? )?(?:eine (?:neue )?Stelle|einen (?:neuen )?Job|die Stelle) als ` + germanJob + `(?: (?:bei|für) (?:der |dem |den )?` + organisation + `)?`, verb: "works_as", check: isOccupation},
	{id: "de.job.4", triggers: "jobbe jobbt arbeite arbeitet", pattern: `(?:ich (?:jobbe|arbeite)|{who} (?:jobbt|arbeitet)) {adv}(?:nebenbei |halbtags |in Teilzeit |in Vollzeit )*als ` + germanJob + after, verb: "works_as", check: isOccupation},
	{id: "de.job.5", triggers: "stelle job", pattern: `(?:ich habe|habe ich) (?:[^,.;]{0,30}? )?(?:eine (?:neue )?Stelle|einen (?:neuen )?Job) bei (?:der |dem |den )?` + employer, verb: "works_at", check: isEmployer},
	{id: "de.job.6", triggers: "angefangen", pattern: `(?:ich habe|habe ich) (?:[^,.;]{0,30}? )?bei (?:der |dem |den )?` + employer + ` (?:\S+ )?angefangen`, verb: "works_at", check: isEmployer},
	{id: "de.job.7", triggers: "befördert", pattern: `(?:ich wurde|wurde ich|ich bin) (?:[^,.;]{0,30}? )?zu[rm] ` + germanJob + ` befördert`, verb: "works_as", check: isOccupation},
	{id: "de.job.8", triggers: "unterrichte unterrichtet", pattern: `(?:ich unterrichte|unterrichte ich|{who} unterrichtet) {adv}(?P<x>(?-i:\p{Lu})[\pL]+(?: und (?-i:\p{Lu})[\pL]+)?)`, verb: "teaches", check: isTaught},
	{id: "de.job.9", triggers: "eigene eigenes eigenen", pattern: `(?:(?:ich (?:habe|führe|betreibe|leite)|(?:habe|führe) ich)|{who} (?:hat|führt|betreibt|leitet)) {adv}(?:seit [^,.;]{2,20}? )?(?:eine?n?|mein|meine?n?) eigene[ns]? (?:kleine[ns]? )?(?P<x>(?-i:\p{Lu})[\pL-]+)`, verb: "runs", check: isBusiness},
	{id: "de.job.10", triggers: "gekündigt entlassen", pattern: `(?:mir wurde|ich wurde|wurde ich) (?:[^,.;]{0,30}? )?(?:bei|von) (?:der |dem )?` + employer + ` (?:gekündigt|entlassen)`, verb: "works_at", ends: true, check: isEmployer},
	{id: "de.job.11", triggers: "war habe hat", needs: "von zwischen", pattern: `(?:ich (?:war|habe)|(?:war|habe) ich|{who} (?:war|hat)) (?:(?:von|zwischen) [^,.;]{3,40}? )bei (?:der |dem |den )?` + employer, verb: "works_at", check: isFormerEmployer},
	{id: "de.job.12", triggers: "war", needs: "von zwischen bis", pattern: `(?:ich war|{who} war) {adv}bei (?:der |dem |den )?` + employer + ` (?:von|zwischen|bis) `, verb: "works_at", check: isFormerEmployer},
	{id: "de.status.2", triggers: "selbstständig selbständig arbeitslos arbeitssuchend freiberuflich rente pension pensioniert elternzeit rentner rentnerin freiberufler freiberuflerin krankgeschrieben mutterschutz", pattern: `(?:ich (?:bin|arbeite)|(?:bin|arbeite) ich|{who} (?:ist|arbeitet)) {adv}(?:ein |eine )?(?P<x>selbstst?ändig|arbeitslos|arbeitssuchend|freiberuflich|Freiberufler(?:in)?|in Rente|in Pension|pensioniert|in Elternzeit|im Mutterschutz|Rentner(?:in)?|krankgeschrieben)` + after, verb: "has_work_status", check: isWorkStatus},
	{id: "de.studies.2", triggers: "studiere studiert", pattern: `(?:ich studiere|studiere ich|{who} studiert) {adv}(?:(?-i:\p{Lu})[\pL-]+ )?(?:in|an der) (?P<x>(?-i:\p{Lu})[\pL.-]*(?: (?-i:\p{Lu})[\pL.-]*){0,2})`, verb: "studies_in", check: isStudyPlace},
}

const (
	englishFields = `marketing|sales|finance|logistics|healthcare|IT|tech|HR|human resources|accounting|insurance|banking|construction|retail|hospitality|education|publishing|advertising|engineering|` +
		`consulting|law|media|film|fashion|tourism|agriculture|real estate|customer (?:service|support)|cybersecurity|research|procurement|event management|software|aviation|childcare|elderly care|` +
		`data science|public relations|PR|e-commerce|biotech|pharma|manufacturing|the (?:public sector|film industry|music industry|car industry)`
	businesses = `(?:shop|store|bakery|cafe|café|restaurant|bar|pub|studio|salon|agency|company|business|firm|farm|clinic|practice|hotel|guesthouse|bookshop|bookstore|garage|school|start-?up|nursery|gym|workshop|gallery|kiosk|food truck)`
	germanJob  = `(?P<x>(?:[a-zäöü]+er?s? ){0,2}?(?-i:[A-ZÄÖÜ][\pL-]{2,30}))`
)

// notJobs follow "started as" and name no job.
var notJobs = compiled(`(?i)^(?:(?:an? )?(?:joke|child|kid|way|result|favou?r|team|usual|soon|friends?|hobby|good|bad|great|possible|well|always|expected|planned|thing|one|it|follows|part)\b)`)

// isNewJob accepts any trade as a new job, because the words before it say that it is one.
func isNewJob(h *hit) bool {
	name := tidy(h.withoutTimes())
	if notJobs.MatchString(name) || len(strings.Fields(name)) > 4 || h.Polarity == trilith.Negated {
		return false
	}
	h.since()
	h.Node.Name = name
	if h.y != "" && isOrganisation(h.y) {
		h.second("works_at", h.y, false)
	}
	return true
}

func isSinceThen(h *hit) bool {
	h.since()
	return true
}

func isAffirmed(h *hit) bool { return h.Polarity == trilith.Affirmed }

var notTaught = wordSet(
	"me you him her us them it that this the a an people everyone kids children students my your someone and how about at in online there here dich mich mir")

func isTaught(h *hit) bool {
	h.since()
	if h.y != "" && isOrganisation(h.y) {
		h.second("works_at", h.y, h.Ends)
	}
	return !notTaught[lower(strings.Fields(h.x)[0])]
}

var notBusinesses = wordSet(
	"life way thing risk words room mind race time eyes leben weg willen kopf meinung zimmer kinder haus wohnung auto bett")

func isBusiness(h *hit) bool {
	h.since()
	ws := strings.Fields(lower(h.x))
	return h.Polarity == trilith.Affirmed && !notBusinesses[ws[len(ws)-1]]
}

// isFormerEmployer handles a former employment with its time. A time that extends to today is not former.
func isFormerEmployer(h *hit) bool {
	return isOrganisation(h.x) && h.Polarity == trilith.Affirmed && h.during() && h.Until != nil
}

var workStatuses = map[string]string{"freelancer": "freelance", "freelancing": "freelance", "freelances": "freelance",
	"selbständig": "selbstständig", "freiberufler": "freiberuflich",
	"freiberuflerin": "freiberuflich", "rentner": "in Rente", "rentnerin": "in Rente", "in rente": "in Rente",
	"in pension": "in Pension", "in elternzeit": "in Elternzeit",
	"im mutterschutz": "im Mutterschutz", "out of work": "unemployed"}

func isWorkStatus(h *hit) bool {
	h.since()
	h.Node.Name = lower(h.x)
	if s, ok := workStatuses[h.Node.Name]; ok {
		h.Node.Name = s
	}
	return true
}

func isStudyPlace(h *hit) bool {
	h.since()
	return isPlace(h.x)
}
