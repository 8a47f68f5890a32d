package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	// wished are one's own undertakings. Requests to the listener, and short-term wishes, are no goals.
	wished = `(?:learn|run|visit|travel|become|start (?:a|an|my|our)|open (?:a|an|my|our|up)|move (?:to|out|back|abroad)|lose|save|get (?:fit|in shape|a (?:degree|dog|cat|tattoo|promotion|driving licence|driver's license|masters?|phd|new job|dog)|my (?:licence|license|degree|driving licence)|married|certified|back into)|` +
		`build (?:a|an|my|our)|retire|quit smoking|stop smoking|give up smoking|climb|hike|cycle (?:to|across|from|around)|study|write (?:a|my) (?:book|novel|memoir|screenplay|cookbook)|publish|finish (?:my|the) (?:degree|thesis|phd|book|studies|novel)|buy (?:a|an|my|our) (?:\w+ ){0,2}?(?:house|flat|apartment|car|boat|van|camper|bike|piano|home|cottage|farm|horse|place|dog|cat|puppy|boat|caravan|motorbike)|quit (?:my|this) job|` +
		`sail|see the (?:northern lights|world|pyramids|grand canyon)|live (?:in|abroad|by)|work (?:abroad|in|as)|adopt|have (?:kids|children|a family)|volunteer|complete|do (?:a|my) (?:phd|masters?|marathon|triathlon|degree|sabbatical)|change (?:jobs|careers)|take (?:a sabbatical|up)|grow my own|read (?:\d+|more|all)|swim|walk the|improve my|pay off|eat (?:less|more|healthier)|drink (?:less|more)|go (?:back to|freelance|vegan|vegetarian)|found|teach)`
	germanWished = `(?:lernen|abnehmen|zunehmen|besuchen|bereisen|werden|eröffnen|gründen|ziehen|umziehen|auswandern|kaufen|bauen|sparen|studieren|laufen|schreiben|aufhören|abschließen|machen|adoptieren|heiraten|besteigen|wandern|` +
		`reisen|verbessern|abbezahlen|anfangen|wechseln|segeln|tauchen)`
)

// wishRules find goals without a date.
var wishRules = []rule{
	{id: "en.wants.1", triggers: "want wants wanted", pattern: `(?:we|{who})(?:'ve| have| has)? {adv}(?:wants?|wanted) to (?:finally |one day |eventually |really |also |someday )*(?P<x>` + wished + `\b.{0,80}?)` + clauseEnd, verb: "wants", check: isGoal},
	{id: "en.wants.2", triggers: "like love", pattern: `I(?:'d| would) {adv}(?:like|love) to (?:finally |one day |eventually |someday )+(?P<x>` + wished + `\b.{0,80}?)` + clauseEnd, verb: "wants", check: isGoal, whole: true},
	{id: "en.wants.8", triggers: "like love", pattern: `I(?:'d| would) {adv}(?:like|love) to (?P<x>(?:learn (?:to (?:play|speak|sail|swim|ski|surf|dance|drive|fly|cook|sew|paint|ride|dive|draw|knit|code)|the (?:piano|guitar|violin|viola|cello|drums|flute|harp|saxophone|trumpet|accordion|organ|ukulele|clarinet|trombone|banjo)|(?-i:\p{Lu}))|become an?|move (?:to|back|abroad)|live abroad|have (?:kids|children|a family)|get (?:a dog|a cat|married)|retire|run a (?:half )?marathon|open (?:a|my)|own a|buy a (?:house|flat|boat|farm))\b.{0,60}?)` + clauseEnd, verb: "wants", check: isGoal, whole: true},
	{id: "en.wants.3", triggers: "goal dream ambition aim resolution", pattern: `my (?:(?:big|biggest|main|next|long-term|new year's|ultimate|lifelong|greatest|personal) )*(?:goal|dream|ambition|aim|resolution)(?: (?:for|this) [\pL\pN ]{3,20}?)? (?:is|has always been|remains) to (?P<x>[a-z].{2,80}?)` + clauseEnd, verb: "wants", check: isGoal},
	{id: "en.wants.4", triggers: "dream dreaming dreams", pattern: `{who}(?:'m|'s| am| is|'ve| have)? {adv}dream(?:s|ing|ed)? (?:of|about) (?P<y>opening|living|moving|becoming|running|owning|writing|building|sailing|travelling|traveling|visiting|starting|buying|having|climbing|retiring|working|learning) ?(?P<x>.{0,80}?)` + clauseEnd, verb: "wants", check: isDream},
	{id: "en.wants.5", triggers: "saving save", pattern: `(?:I(?:'m| am|'ve been| have been)|we(?:'re| are|'ve been| have been)|{Who} is) {adv}saving (?:up )?(?:money )?(?P<y>to|for) (?P<x>[a-z].{2,80}?)` + clauseEnd, verb: "wants", check: isSaving},
	{id: "en.wants.6", triggers: "trying hoping working aiming training", pattern: `(?:I(?:'m| am|'ve been| have been)|{Who} is) {adv}(?:trying|hoping|aiming|training|determined|working hard) to (?P<x>` + wished + `\b.{0,80}?)` + clauseEnd, verb: "wants", check: isGoal},
	{id: "en.wants.7", triggers: "training preparing", pattern: `{who}(?:'m|'s| am| is|'ve been| have been) {adv}(?P<y>training|preparing) for (?P<x>(?:an?|the|my) (?:[\pL-]+ ){0,3}?(?:marathon|half marathon|triathlon|race|competition|tournament|exam|exams|audition|trek|ironman|10k))(?:[.,;!]|$| (?:in|on|at|this|next|and|but|because|so|since|when|with)\b)`, verb: "wants", check: isPreparing},
	{id: "de.wants.1", triggers: "möchte will wollen möchten", pattern: `(?:ich (?:möchte|will)|(?:möchte|will) ich|wir (?:möchten|wollen)|{who} (?:möchte|will)) {adv}(?:(?:unbedingt|irgendwann|eines Tages|endlich|schon immer|gern|gerne|dieses Jahr|bald|einmal|mal|später) )*(?P<x>[^,;.!?]{3,70}? ` + germanWished + `)` + clauseEnd, verb: "wants", check: isGermanGoal},
	{id: "de.wants.2", triggers: "ziel traum wunsch vorsatz", pattern: `mein (?:größter |großer |nächster |größtes |großes |nächstes )?(?:Ziel|Traum|Wunsch|Vorsatz)(?: für [\pL\pN ]{3,20}?)? (?:ist|war schon immer|bleibt)(?: es)?,? (?P<x>[^,;.!?]{3,80}?)` + clauseEnd, verb: "wants", check: isGermanAim},
	{id: "de.wants.3", triggers: "träume träumt", pattern: `(?:ich träume|{who} träumt) {adv}(?:davon,|von) (?P<x>[^,;.!?]{3,80}?)` + clauseEnd, verb: "wants", check: isGermanAim},
	{id: "de.wants.4", triggers: "spare sparen", pattern: `(?:ich spare|wir sparen) {adv}(?:auf|für) (?P<x>(?:eine?n?|unsere?n?|meine?n?|den|das|die) [^,;.!?]{3,60}?)` + clauseEnd, verb: "wants", check: isGermanAim},
}

const clauseEnd = `(?:[.,;!]|$| (?:and|but|because|so|since|when|und|aber|weil|damit|wenn)\s)`

var notGoal = compiled(`(?i)^(?:(?:learn|read|visit) (?:more about|about|how|what|why|from this)|start (?:by|with)|move (?:on|to the next|this|it)|save (?:this|it|that|the)|become of|see |lose (?:it|my|you|sight|track)|teach you|run (?:this|it|that|away|something|into|a (?:test|query|command|script|command))|` +
	`improve my (?:query|prompt|code|text|essay|email)|complete (?:this|the)|work in (?:this|the) )`)

var alsoEnd = compiled(`(?i)\s(?:too|also|as well|again|someday|one day|lately)$`)

func isGoal(h *hit) bool {
	name := alsoEnd.ReplaceAllString(tidy(h.x), "")
	if notGoal.MatchString(name) || h.Polarity == trilith.Negated || len(strings.Fields(name)) < 2 && name != "retire" &&
		name != "sail" {
		return false
	}
	h.Node.Name = name
	return true
}

func isDream(h *hit) bool {
	h.Node.Name = tidy(base(lower(h.y)) + " " + h.x)
	return h.Polarity == trilith.Affirmed
}

func isSaving(h *hit) bool {
	if lower(h.y) == "for" {
		h.Node.Name = "save for " + bare(h.x)
		return !strings.HasPrefix(lower(h.x), "later")
	}
	return isGoal(h)
}

func isPreparing(h *hit) bool {
	h.Node.Name = base(lower(h.y)) + " for " + bare(h.x)
	return true
}

var notGermanGoal = compiled(
	`(?i)^(?:wissen|mich|dich|dir|euch|Sie|Ihnen|nicht|kein|es|das|mir nur|mal|nur|jetzt|dass|noch)\b|\b(?:bitte|den Termin|Platz machen|aufmerksam|Schluss machen|Feierabend machen|Pause machen|Sorgen machen|eine Pause|Reservierung)\b`)

func isGermanGoal(h *hit) bool {
	name := tidy(h.x)
	if negatedWords(name) || notGermanGoal.MatchString(name) {
		return false
	}
	h.Node.Name = bare(name)
	return true
}

// zuOf finds the particle of an infinitive: "zehn Kilo abzunehmen", "ein Haus zu bauen".
var zuOf = compiled(`(?:^|\s)zu\s+([\pL]+n)$`)
var zuWithin = compiled(`\b(ab|an|auf|aus|ein|um|zu|vor|mit|nach|her|hin|los|weg|zurück|fertig|kennen)zu([\pL]+en)$`)

func isGermanAim(h *hit) bool {
	name := tidy(h.x)
	name = zuOf.ReplaceAllString(name, " $1")
	name = zuWithin.ReplaceAllString(name, "$1$2")
	h.Node.Name = bare(strings.TrimSpace(name))
	return h.Polarity == trilith.Affirmed && len(strings.Fields(name)) > 0 && !negatedWords(name)
}
