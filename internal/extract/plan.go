package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

// Verbs of journeys and undertakings, with which a sentence with a date is a plan or an event.
const (
	englishGoing = `(?P<y>going|flying|travelling|traveling|driving|moving|visiting|meeting|starting|getting married|taking|having|running|hosting|leaving|returning|seeing|attending|giving)`
	englishGo    = `(?:go|fly|travel|drive|move|visit|meet|start|take|have|run|host|leave|return|attend|give|join|begin|learn|study|build|buy|open|finish|climb|cycle|hike|celebrate|come|stay|write)`
	englishWent  = `(?:visited|attended|graduated|got married|started|finished|completed|ran|climbed|hiked|met|flew|travelled|traveled|passed (?:my|the|an?)|won|celebrated|went to)`
	germanGoing  = `(?P<y>fliege|fahre|reise|ziehe|besuche|treffe|heirate|beginne|starte|feiere|fliegen|fahren|reisen|ziehen|besuchen|treffen|heiraten|beginnen|starten|feiern)`
	germanDone   = `(?:besucht|gewesen|geflogen|gefahren|gereist|gelaufen|gewonnen|getroffen|geheiratet|bestanden|abgeschlossen|begonnen|gefeiert|bestiegen)`
)

// planRules find plans and past events. A sentence without a date states neither.
var planRules = []rule{
	{id: "en.plan.1", triggers: "going flying travelling traveling driving moving visiting meeting starting getting taking having running hosting leaving returning attending giving",
		pattern: `(?:I(?:'m| am)|we(?:'re| are)) {adv}` + englishGoing + `(?: {things})?{end}`, verb: "plans",
		check: isJourney},
	{id: "en.plan.2", triggers: "going", pattern: `(?:I(?:'m| am)|we(?:'re| are)) {adv}going to (?P<x>` + englishGo + `\b.{0,80}?){end}`, verb: "plans", check: isPlan},
	{id: "en.plan.3", triggers: "will i'll we'll", pattern: `(?:(?:I|we) will|(?:I|we)'ll) {adv}(?P<x>` + englishGo + `\b.{0,80}?){end}`, verb: "plans", check: isPlan},
	{id: "en.plan.4", triggers: "plan planning intend", pattern: `(?:I|we)(?:'m| am|'re| are)? {adv}(?:plan(?:ning)?|intend(?:ing)?) to (?P<x>[a-z].{1,80}?){end}`, verb: "plans", check: isIntention},
	{id: "en.plan.5", triggers: "planning booked planned", pattern: `(?:I|we)(?:'m| am|'re| are|'ve| have)? {adv}(?:planning|planned|booked|organi[sz]ing) (?:an?|our|my|the) (?P<x>(?:[a-z-]+ ){0,2}?(?:trip|holiday|vacation|journey|weekend|honeymoon|cruise|wedding|party|tour|getaway|reunion|move|visit)(?: (?:to|in|around|for|with|on) [^,.;!?]{2,40}?)?)` + untilEnd, verb: "plans", check: isUndertaking},
	{id: "en.appointment.1", triggers: "appointment interview exam surgery", pattern: `(?:I|we)(?:'ve got| {adv}have) an? (?P<x>(?:[\pL\x27-]+ ){0,2}?(?:appointment|interview|exam|surgery)(?: (?:at|with) the [\pL-]+)?)`, verb: "has_appointment", check: isDated},
	{id: "en.event.1", triggers: "visited attended graduated got started finished completed ran climbed hiked met flew travelled traveled passed won celebrated went",
		pattern: `(?:I|we) {adv}(?P<x>` + englishWent + `\b.{0,80}?){end}`, verb: "did", check: isEvent},
	{id: "de.plan.1", triggers: "fliege fahre reise ziehe besuche treffe heirate beginne starte feiere fliegen fahren reisen ziehen besuchen treffen heiraten feiern",
		pattern: `(?:(?:ich|wir) ` + germanGoing + `|` + strings.Replace(germanGoing, "?P<y>", "", 1) +
			` (?:ich|wir))(?: {things})?{end}`, verb: "plans", check: isGermanJourney},
	{id: "de.plan.2", triggers: "werde werden", pattern: `(?:ich werde|werde ich|wir werden|werden wir) {things} (?P<y>besuchen|laufen|fliegen|fahren|reisen|ziehen|umziehen|heiraten|beginnen|anfangen|starten|lernen|bauen|kaufen|feiern|treffen|machen|eröffnen)(?:[.,;!]|$| und )`, verb: "plans", check: isGermanPlan},
	{id: "de.plan.3", triggers: "vor plane planen", pattern: `(?:ich habe {adv}vor|wir haben vor|ich plane|wir planen), {things} (?P<y>(?:[\pL]+)?(?:zu )?[\pL]+en)[.!]?$`, verb: "plans", check: isGermanPlan},
	{id: "de.plan.4", triggers: "plane planen geplant gebucht", pattern: `(?:(?:ich plane|wir planen|plane ich|planen wir) (?:[^,.;!?]{0,30}? )?|(?:ich habe|wir haben) )(?:eine?n?|unsere?n?|meine?n?) (?P<x>(?:[a-zäöüß]+ ){0,2}?(?-i:[\pL-]*(?:[Rr]eise|[Uu]rlaub|[Aa]usflug|[Tt]our|[Ff]est|[Ff]eier|[Hh]ochzeit|[Pp]arty|[Uu]mzug|[Ww]ochenende|[Kk]reuzfahrt|[Bb]esuch|[Tt]rip))(?: (?:nach|in|an|auf|bei|durch|mit) [^,.;!?]{2,40}?)?)(?: (?:geplant|gebucht))?(?:[.,;!]|$|\s(?:und|aber)\b)`, verb: "plans", check: isUndertaking},
	{id: "de.plan.5", triggers: "wollen will", pattern: `(?:(?:ich will|wir wollen|will ich|wollen wir) )(?P<x>[^,.;!?]{0,40}?(?:nach|an den|an die|in die|in den|ans) (?-i:\p{Lu})[^,.;!?]{1,30}? (?:fahren|fliegen|reisen|ziehen))(?:[.,;!]|$|\s(?:und|aber)\b)`, verb: "plans", check: isUndertaking},
	{id: "de.appointment.1", triggers: "termin vorstellungsgespräch prüfung *termin", pattern: `(?:ich habe|habe ich|wir haben|haben wir) (?:[^,]{1,40}? )?(?:eine?n? )(?P<x>(?:[\pL]*termin|Termin(?: (?:beim|bei der|bei) [\pL]+)?|Vorstellungsgespräch|Prüfung)(?: (?:beim|bei der|bei) [\pL]+)?)`, verb: "has_appointment", check: isDated},
	{id: "de.event.1", triggers: "besucht gewesen geflogen gefahren gereist gelaufen gewonnen getroffen geheiratet bestanden abgeschlossen begonnen gefeiert bestiegen",
		pattern: `(?:ich (?:habe|bin)|(?:habe|bin) ich|wir (?:haben|sind)|(?:haben|sind) wir) (?P<x>[^,;]{2,80}? ` +
			germanDone + `)(?:[.,;!]|$| und )`, verb: "did", check: isEvent},
}

// notPlanned follow the verb of a plan and make it an idiom.
var notPlanned = compiled(
	`(?i)^(?:go (?:to (?:bed|sleep)|crazy|mad|nuts|on|ahead|for)|have (?:to|a look|fun)|take (?:care|a look|it)|give (?:it|you|up|in)|come back to|start (?:by|with)|meet you|` +
		`leave (?:it|that|you)|run (?:late|out|into)|be|see|get back)\b`)

// isDated requires a time in the sentence.
func isDated(h *hit) bool {
	return h.during() && h.Certainty != trilith.Hedged
}

// isUndertaking handles a planned thing, with or without a time.
func isUndertaking(h *hit) bool {
	name := tidy(h.withoutTimes())
	if name == "" || h.Polarity == trilith.Negated || h.Certainty != trilith.Stated {
		return false
	}
	h.Certainty = trilith.Planned
	h.during()
	h.Node.Name = name
	return true
}

func (h *hit) isPlanned(name string) bool {
	name = tidy(name)
	if name == "" || notPlanned.MatchString(name) || h.Certainty == trilith.Hedged {
		return false
	}
	if h.Certainty == trilith.Stated {
		h.Certainty = trilith.Planned
	}
	if h.Polarity == trilith.Negated && anyMore.MatchString(h.sentence.text) {
		h.Ends = true
		name = anyMore.ReplaceAllString(name, "")
	}
	if !h.during() && !h.Ends && !toSomewhere.MatchString(name) {
		return false
	}
	if h.Polarity == trilith.Negated && !h.Ends || len(strings.Fields(name)) < 2 && name != "heiraten" {
		return false
	}
	if h.Ends {
		h.From, h.Until, h.Content = nil, nil, nil
	}
	h.Node.Name = name
	return true
}

var anyMore = compiled(`(?i)\s*\b(?:any ?more|any longer|nicht mehr)\b\s*`)

// baseForms maps the verbs of [englishGoing] to their base forms.
var baseForms = map[string]string{"going": "go", "flying": "fly", "travelling": "travel", "traveling": "travel",
	"driving": "drive", "moving": "move", "visiting": "visit",
	"meeting": "meet", "starting": "start", "getting married": "get married", "taking": "take", "having": "have",
	"running": "run", "hosting": "host", "leaving": "leave",
	"returning": "return", "seeing": "see", "attending": "attend", "giving": "give"}

var directed = compiled(
	`(?i)^(?:away|to|back|for|home|on|with|over|down|up|the|a|an|my|our|his|her|their|\p{Lu}|at|into|there|in|from)`)

func isJourney(h *hit) bool {
	verb := lower(h.y)
	rest := h.x
	if rest != "" {
		rest = h.withoutTimes()
	}
	if verb == "going" && !goesSomewhere.MatchString(rest) || rest != "" && !directed.MatchString(rest) || rest == "" &&
		verb != "getting married" {
		return false
	}
	return h.isPlanned(baseForms[verb] + " " + anyway.ReplaceAllString(rest, ""))
}

// toSomewhere is a journey that is a plan even without a date.
var toSomewhere = compiled(`^(?:go|fly|travel|move) to \p{Lu}`)

// anyway are words after a destination that do not belong to it.
var anyway = compiled(`(?i)\s(?:instead|again|now|soon|then|today)$`)

// goesSomewhere distinguishes a destination from the future tense and from idioms.
var goesSomewhere = compiled(
	`^(?:(?:back |away )?to (?:the |a |my |our )?(?-i:\p{Lu})|to (?:the|a|my|our) |away\b|home\b|on (?:a|holiday|vacation)|there\b)`)

func isPlan(h *hit) bool { return h.isPlanned(h.withoutTimes()) }

// isIntention needs no date, because the sentence says that it is a plan.
func isIntention(h *hit) bool {
	h.Certainty = trilith.Planned
	h.during()
	h.Node.Name = h.withoutTimes()
	return true
}

// infinitiveOf maps first persons to infinitives.
var infinitiveOf = map[string]string{"fliege": "fliegen", "fahre": "fahren", "reise": "reisen", "ziehe": "ziehen",
	"besuche": "besuchen", "treffe": "treffen", "heirate": "heiraten",
	"beginne": "beginnen", "starte": "starten", "feiere": "feiern"}

var germanDirected = compiled(
	`(?i)^(?:nach|zu|zum|zur|in (?:die|den|das|der)|ins|an die|ans|auf|mit|meine?n?|unsere?n?|de[nrm]|die|das|eine?n?|um)\s`)

func isGermanJourney(h *hit) bool {
	verb := firstGoing.FindString(h.sentence.text[h.m[0]:h.m[1]])
	infinitive := lower(verb)
	if full, ok := infinitiveOf[infinitive]; ok {
		infinitive = full
	}
	rest := ""
	if h.x != "" {
		rest = tidy(h.withoutTimes())
	}
	if h.x != "" && noLonger.MatchString(rest) {
		h.Polarity, h.Ends = trilith.Negated, true
		rest = tidy(anyMore.ReplaceAllString(rest, " "))
	} else if negatedWords(rest) {
		return false
	}
	rest, infinitive, ok := joined(rest, infinitive)
	if !ok || germanIdioms.MatchString(rest) || rest == "" && infinitive != "heiraten" || rest != "" &&
		!germanDirected.MatchString(rest+" ") || strings.Contains(rest, "Kurve") ||
		strings.HasPrefix(rest, "nach Hause") {
		return false
	}
	return h.isPlanned(rest + " " + infinitive)
}

var firstGoing = compiled(`(?i)\b` + germanGoing + `\b`)

func negatedWords(s string) bool {
	for _, w := range words(nil, s) {
		if negations[w] || wishes[w] || hedges[w] || opinions[w] || w == "gern" || w == "gerne" || w == "jetzt" ||
			w == "gleich" {
			return true
		}
	}
	return false
}

func isGermanPlan(h *hit) bool {
	rest := tidy(h.withoutTimes())
	if negatedWords(rest) || strings.HasPrefix(lower(rest), "es ") || strings.HasPrefix(lower(rest), "mir ") {
		return false
	}
	verb := strings.TrimPrefix(h.y, "zu ")
	return h.isPlanned(rest + " " + verb)
}

// isEvent handles an undertaking with a past time.
func isEvent(h *hit) bool {
	name := tidy(h.withoutTimes())
	if negatedWords(name) || h.Polarity == trilith.Negated || strings.HasPrefix(name, "went to bed") ||
		strings.HasPrefix(name, "went to sleep") || strings.HasPrefix(name, "started as ") {
		return false
	}
	if len(strings.Fields(name)) < 2 && name != "geheiratet" {
		return false
	}
	for _, e := range h.times() {
		if e.Kind == dates.Point && !e.From.After(h.turn.At) {
			h.Node.Name = strings.TrimPrefix(name, "gestern ")
			return h.during()
		}
	}
	return false
}
