package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	englishMilestones = `(?:kick-?off|launch|go-?live|handover|hand-over|release|ground-?breaking|topping-out|inauguration|opening|beta|alpha|soft launch|construction start|completion)`
	germanMilestones  = `(?:Kick-?off|Start|Go-?live|Übergabe|Baubeginn|Richtfest|Eröffnung|Einweihung|Fertigstellung|Inbetriebnahme|Veröffentlichung|Grundsteinlegung|Beta)`
	englishMeetings   = `(?:meeting|call|review|stand-?up|workshop|interview|appointment|practice|rehearsal|class|lesson|course|training|inspection|delivery|retro(?:spective)?|demo|conference|webinar|seminar|lunch|viewing|exam)`
	germanMeetings    = `(?:[Bb]esprechung|[Tt]ermin|[Ss]itzung|[Mm]eeting|[Cc]all|[Rr]eview|[Ss]tand-?up|[Ww]orkshop|[Gg]espräch|[Pp]robe|[Kk]urs|[Ll]ieferung|[Aa]bnahme|[Ss]chulung|[Bb]esichtigung|[Uu]nterricht|[Tt]raining|[Pp]rüfung|[Kk]onferenz|[Ss]eminar|[Ee]lternabend)`
)

// milestoneRules find the turning points of a project with their dates.
var milestoneRules = []rule{
	{id: "en.milestone.1", triggers: "phase sprint construction stage production work", pattern: `(?:the )?(?P<x>(?:(?:phase|sprint|stage) \w+|construction|production) (?:starts|begins|ends|finishes|is complete)) `, verb: "has_milestone", check: dated, subject: ProjectSubject},
	{id: "en.milestone.2", triggers: "kickoff kick-off launch go-live golive handover release groundbreaking opening beta inauguration completion",
		pattern: `(?:the |our )?(?P<x>(?:\w+ )??` + englishMilestones +
			`) (?:is|will be|takes place|happens)(?: (?:now |still )?(?:planned|scheduled|set|due))?(?: for| on| in| at)? `, verb: "has_milestone", check: dated, subject: ProjectSubject},
	{id: "en.milestone.3", triggers: "milestone", pattern: `^(?:[-*•] )?milestones?(?: \w+)?: {clause}`, verb: "has_milestone", check: isMilestone, subject: ProjectSubject, whole: true},
	{id: "en.milestone.4", triggers: "released launched shipped completed finished", pattern: `we(?:'ve| have)? {adv}(?:released|launched|shipped|completed|finished) (?P<x>(?:version|phase|sprint|release|beta)\b ?[\w.]*\w)`, verb: "has_milestone", check: dated, subject: ProjectSubject},
	{id: "de.milestone.1", triggers: "phase sprint", pattern: `(?P<x>(?:Phase|Sprint|Bauabschnitt) \w+ (?:beginnt|startet|endet)) `, verb: "has_milestone", check: dated, subject: ProjectSubject},
	{id: "de.milestone.2", triggers: "kickoff kick-off start go-live übergabe baubeginn richtfest eröffnung einweihung fertigstellung inbetriebnahme veröffentlichung grundsteinlegung beta",
		pattern: `(?:der |die |das |unser |unsere )?(?P<x>` + germanMilestones +
			`) (?:ist|wird|findet)(?: (?:für|am|im|auf))? `, verb: "has_milestone", check: dated,
		subject: ProjectSubject},
	{id: "de.milestone.3", triggers: "meilenstein", pattern: `^(?:[-*•] )?Meilenstein(?: \w+)?: {clause}`, verb: "has_milestone", check: isMilestone, subject: ProjectSubject, whole: true},
	{id: "de.milestone.4", triggers: "veröffentlicht abgeschlossen ausgeliefert", pattern: `(?:wir haben|haben wir) (?:[^,]{1,30}? )?(?P<x>(?:Version|Phase|Sprint) [\w.]*\w) (?:veröffentlicht|abgeschlossen|ausgeliefert)`, verb: "has_milestone", check: dated, subject: ProjectSubject},
}

func isMilestone(h *hit) bool {
	h.during()
	h.Node.Name = h.withoutTimes()
	return true
}

// scheduleRules find meetings and the like with their times.
var scheduleRules = []rule{
	{id: "en.schedule.1", triggers: "meeting call review stand-up standup workshop interview appointment practice rehearsal class lesson course training inspection delivery retro retrospective demo conference webinar seminar viewing exam",
		pattern: `(?:the |my |our |your |^)(?P<x>(?:[\pL\x27’-]+ ){0,2}?` + englishMeetings +
			`) (?:is|takes place|will be|runs|starts|arrives|comes|happens)\b`, verb: "has_schedule",
		check: isScheduled, subject: ProjectSubject},
	{id: "en.schedule.2", triggers: "practice rehearsal class lesson course training meeting", pattern: `(?:I|we) {adv}have (?:an? |our )?(?P<x>(?:[\pL-]+ ){0,2}?(?:practice|rehearsal|class|lesson|course|training|meeting|lessons)) (?:every|on|each)\b`, verb: "has_schedule", check: isScheduled},
	{id: "en.schedule.3", triggers: "moved postponed rescheduled",
		pattern: `(?:we|I|they)(?:'ve| have)? {adv}(?:moved|postponed|rescheduled) (?:the |our |my )(?P<x>(?:[\pL-]+ ){0,2}?` + englishMeetings + `) (?:to|until) `, verb: "has_schedule", check: isScheduled, subject: ProjectSubject},
	{id: "en.schedule.4", triggers: wordsOf(englishTrades), pattern: `(?:the|our|my|an?) (?P<x>` + englishTrades +
		` (?:comes|is coming|are coming|come|will come|arrives?))\b`, verb: "has_schedule", check: isScheduled,
		subject: ProjectSubject},
	{id: "de.schedule.4", triggers: wordsOf(germanTrades),
		pattern: `(?:der|die|unser|unsere|mein|meine|ein|eine) (?P<x>` + germanTrades + ` (?:kommt|kommen))\b`,
		verb:    "has_schedule", check: isScheduled, subject: ProjectSubject},
	{id: "de.schedule.1", triggers: "*besprechung *termin *sitzung meeting call review stand-up workshop *gespräch *probe *kurs *lieferung abnahme *schulung *besichtigung *unterricht *training *prüfung *konferenz *seminar besprechung termin sitzung probe kurs lieferung gespräch prüfung elternabend",
		pattern: `(?:der |die |das |mein |meine |unser |unsere |^)(?P<x>(?-i:[\pL-]*` + germanMeetings +
			`)) (?:ist|findet|geht|kommt|läuft|beginnt|wird)\b`, verb: "has_schedule", check: isScheduled,
		subject: ProjectSubject},
	{id: "de.schedule.2", triggers: "*probe *kurs *training *unterricht", pattern: `(?:ich habe|habe ich|wir haben|haben wir) (?:jede[nsr]? \S+|immer \S+|\S+s) (?P<x>(?-i:[\pL-]*` + germanMeetings + `))`, verb: "has_schedule", check: isScheduled},
	{id: "de.schedule.3", triggers: "verschoben verlegt",
		pattern: `(?:wir haben|haben wir|ich habe) (?:die |den |das |unsere |unseren )(?P<x>(?-i:[\pL-]*` +
			germanMeetings + `)) auf (?:den |die )?(?:.{2,30}) (?:verschoben|verlegt)`, verb: "has_schedule",
		check: isScheduled, subject: ProjectSubject},
}

func isScheduled(h *hit) bool {
	h.Node.Name = lowerFirst(h.x)
	if h.rule.lang == german {
		h.Node.Name = h.x
	}
	return dated(h)
}

// Materials that things are made of: the last word of an English name, the end of a German one.
const (
	englishMaterials = `(?:oak|pine|larch|cedar|ash|beech|birch|walnut|teak|bamboo|plywood|timber|wood|MDF|cork|steel|iron|copper|zinc|brass|bronze|aluminium|aluminum|concrete|cement|brick|bricks|slate|` +
		`marble|granite|sandstone|limestone|stone|clay|glass|ceramic|tiles|plaster|gypsum|asbestos|plastic|PVC|acrylic|leather|linen|wool|cotton|silk|felt|rubber|carbon fibre|fibreglass|hemp|straw)`
	germanMaterials = `(?:[Ee]iche|[Kk]iefer|[Ll]ärche|[Zz]eder|[Ee]sche|[Bb]uche|[Bb]irke|[Nn]ussbaum|Teak|Bambus|[Ss]perrholz|[Hh]olz|MDF|Kork|[Ss]tahl|[Ee]isen|[Kk]upfer|Zink|Messing|Bronze|Aluminium|` +
		`[Bb]eton|Zement|[Zz]iegeln?|[Ss]chiefer|[Mm]armor|[Gg]ranit|[Ss]andstein|[Kk]alkstein|[Ss]tein|Ton|[Gg]las|Keramik|[Ff]liesen|[Ll]ehm|Gips|Asbest|[Kk]unststoff|PVC|Acryl|[Ll]eder|Leinen|Wolle|Baumwolle|Seide|Filz|Hanf|Stroh)`
	materialOfEnglish = `(?P<x>(?:[\pL-]+ ){0,2}?` + englishMaterials +
		`)(?:[.,;!]|$| (?:for|and|from|with|in|on|but|instead)\b)`
	materialOfGerman = `(?P<x>(?-i:(?:[a-zäöüß]+ ){0,2}?[\pL-]*?` + germanMaterials +
		`))(?:[.,;!]|$| (?:für|und|aus|mit|in|gebaut|gefertigt|gemacht|hergestellt|statt|verkleidet)\b)`
)

// materialRules find what things are made of.
var materialRules = []rule{
	{id: "en.material.1", triggers: "using use chose chosen",
		pattern: `(?:we(?:'re| are)?|I(?:'m| am)?|they)(?:'ve| have| will|'ll)? {adv}(?:using|use|chose|chosen) ` +
			materialOfEnglish, verb: "uses_material", check: isMaterial, subject: ProjectSubject},
	{id: "en.material.2", triggers: "made built",
		pattern: `(?:the |our |my )(?P<y>[\pL -]{2,40}?) (?:is|are|will be) {adv}(?:made|built) (?:of|from|out of) ` +
			materialOfEnglish, verb: "uses_material", check: isMaterial, subject: ProjectSubject},
	{id: "en.material.3", triggers: "is are be",
		pattern: `(?:the |our |my )(?P<y>foundation|frame|roof|walls?|floors?|floorboards|worktop|gutters|stairs|staircase|facade|façade|beams?|shelves|doors?|table|railing|cladding|ceiling|counter) (?:is|are|will be) {adv}` + materialOfEnglish, verb: "uses_material", check: isMaterial, subject: ProjectSubject},
	{id: "en.material.4", triggers: "material materials", pattern: `^(?:[-*•] )?materials?: {thing}`, verb: "uses_material", subject: ProjectSubject, whole: true},
	{id: "de.material.1", triggers: "nehmen verwenden nutzen verbauen",
		pattern: `(?:wir (?:nehmen|verwenden|nutzen|verbauen)|(?:nehmen|verwenden) wir) {adv}` + materialOfGerman,
		verb:    "uses_material", check: isMaterial, subject: ProjectSubject},
	{id: "de.material.2", triggers: "aus",
		pattern: `(?:der |die |das |unser |unsere )(?P<y>[\pL-]{3,40}) (?:ist|sind|besteht|bestehen|wird|werden) {adv}aus ` + materialOfGerman, verb: "uses_material", check: isMaterial, subject: ProjectSubject},
	{id: "de.material.3", triggers: "material", pattern: `^(?:[-*•] )?Material(?:ien)?: {thing}`, verb: "uses_material", subject: ProjectSubject, whole: true},
}

// notMaterial come before a material's name and make it an image.
var notMaterial = compiled(`(?i)\b(?:made|built|from|nerves|anderem|heart|half|das gleiche|on|in|of)\b`)

func isMaterial(h *hit) bool {
	if notMaterial.MatchString(h.x) {
		return false
	}
	h.Node.Name = strings.TrimPrefix(bare(h.x), "more ")
	if h.y != "" {
		h.put("for", tidy(h.y))
	}
	if h.Polarity == trilith.Negated {
		h.Certainty = trilith.Stated
	}
	return true
}
