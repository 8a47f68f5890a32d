package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

const (
	// occasions are events with a day. A day alone makes no occasion: "the joke is on you" has none, and neither does
	// "rent is in June".
	occasions = `(?:wedding|graduation|party|birthday party|concert|gig|festival|funeral|christening|baptism|anniversary|reunion|play|recital|match|game|tournament|race|marathon|exam|exams|final|finals|test|hearing|trial|` +
		`trip|flight|holiday|vacation|move|surgery|operation|check-?up|appointment|interview|first day|last day|housewarming|baby shower|dinner|barbecue|picnic|fair|exhibition|vernissage|premiere|show|ceremony|service|` +
		`audition|rehearsal dinner|open day|parents' evening|school trip|camp|retreat|conference|workshop|due date|prom|bar mitzvah|bat mitzvah|communion|confirmation|viewing|auction|elections?|deadline day|tour|ball|hen party|stag party|stag do|hen do|scan|biopsy|MRI|vaccination|inspection|audit|meeting|call|catch-up|consultation|rehearsal|lesson|board meeting)`
	germanOccasions = `(?:Hochzeit|[\pL]*[Ff]eier|[\pL]*[Pp]arty|Konzert|[\pL]*konzert|Festival|Beerdigung|Taufe|Hochzeitstag|Jubiläum|Klassentreffen|[\pL]*treffen|Aufführung|[\pL]*[Aa]ufführung|[\pL]*[Tt]urnier|[\pL]*[Ss]piel|[\pL]*[Ll]auf|[Mm]arathon|[\pL]*[Pp]rüfung|Klausur|` +
		`Verhandlung|[\pL]*[Rr]eise|[\pL]*[Ff]lug|Urlaub|Umzug|OP|Operation|[\pL]*[Tt]ermin|Vorstellungsgespräch|Einschulung|Konfirmation|Kommunion|Abiball|Abschlussball|[\pL]*[Ff]est|Elternabend|Ausstellung|Premiere|Messe|Tagung|Konferenz|` +
		`Geburtstagsfeier|Einweihung|Besichtigung|Untersuchung|Impfung|Auktion|Wahl|Vernissage|Ausflug|Klassenfahrt|Schulfest|Sommerfest|Weihnachtsfeier|Lesung)`
	on = `(?:is|are|was|will be|takes place|happens|starts|begins|has been (?:set|scheduled|moved|booked)|is (?:set|scheduled|booked|planned))(?: now)?(?: (?:for|to|on|at|in))? `
)

// pastTimes are words of past times: without one a sentence states no event.
const pastTimes = `yesterday|last|ago|in|on|this|today|when|since|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tonight|christmas|easter`

// occasionRules find occasions with their day, and past events.
var occasionRules = []rule{
	{id: "en.occasion.1", triggers: "is are was will takes happens starts begins has", needs: wordsOf(occasions) +
		" checkup stag hen", pattern: `^(?:(?:and|so|well|oh|remember|by the way|btw|fyi|also)[, ]+)*(?P<y>the|my|our|his|her|their|{Who}'s)?\s?(?P<x>(?:[\pL\pN\x27’.-]+ ){0,3}?` + occasions + `(?: (?:with|at|in|of|for|to) (?:the )?[\pL]+(?: (?-i:\p{Lu})[\pL]+)?)?) ` + on, verb: "has_schedule", check: isOccasion},
	{id: "de.occasion.1", triggers: "*hochzeit *feier *party *konzert *festival *beerdigung *taufe *jubiläum *treffen *aufführung *turnier *spiel *lauf *marathon *prüfung *klausur *verhandlung *reise *flug *urlaub *umzug *operation *termin *gespräch *einschulung *konfirmation *kommunion *abiball *fest *elternabend *ausstellung *premiere *messe *tagung *konferenz *einweihung *besichtigung *untersuchung *impfung *auktion *wahl *vernissage *ausflug *klassenfahrt *lesung spiel fest feier party lauf reise flug termin treffen turnier prüfung " +
		wordsOf(germanOccasions),
		pattern: `^(?:(?:und|also|übrigens)[, ]+)*(?P<y>der|die|das|mein|meine|unser|unsere|{Who}s)\s(?P<x>(?:[\pL-]+ ){0,2}?(?-i:` + germanOccasions + `)(?: (?:mit|bei|in|im|von|beim) (?:der |dem |den |meinem |meiner )?(?-i:\p{Lu})[\pL]+)?) (?:ist|sind|war|findet|beginnt|startet)\b`, verb: "has_schedule", check: isOccasion},
	{id: "en.happened.1", triggers: "broke had got became adopted lost joined signed injured sprained tore twisted fell crashed proposed gave applied failed published launched hosted underwent inherited returned came took passed flew drove went", needs: wordsOf(pastTimes),
		pattern: `(?:I|we|{Who})(?:'ve| have| has)? {adv}(?P<x>(?:broke|had (?:(?:an? |my |our )?(?:[a-z-]+ ){0,2}(?:baby|accident|operation|surgery|miscarriage|heart attack|stroke|crash|procedure|biopsy|scan|check-up|first (?:day|child)|wedding|appendix|tonsils|wisdom teeth)\b|twins)|got (?:engaged|divorced|married|promoted|accepted|robbed|a (?:dog|puppy|cat|kitten|tattoo|promotion|divorce))|became|adopted|lost (?:my|our) (?:\w+ )?(?:job|wallet|dog|cat|grandmother|grandfather|father|mother|keys|phone)|joined|signed|injured|sprained|tore|twisted|fell off|crashed|proposed|gave birth|applied (?:for|to)|failed|published|launched|hosted|underwent|inherited|returned from|came back from|took up|passed (?:my|the|an?|his|her)|flew to|drove to|went (?:to|on|skiing|camping|hiking|sailing|diving))\b.{0,80}?){end}`, verb: "did", check: isHappening},
	{id: "de.happened.1", triggers: "gebrochen operiert bekommen adoptiert verloren gekauft verletzt verlobt getrennt geworden beworben veröffentlicht umgezogen gestürzt geboren eingezogen gesehen unterschrieben verstaucht", pattern: `(?:ich (?:habe|bin|wurde)|(?:habe|bin|wurde) ich|wir (?:haben|sind)|(?:haben|sind) wir) (?P<x>[^,;]{2,80}? (?:gebrochen|operiert|bekommen|adoptiert|verloren|verletzt|verlobt|geworden|beworben|umgezogen|gestürzt|eingezogen|unterschrieben|verstaucht))(?:[.,;!]|$| und )`, verb: "did", check: isEvent},
	{id: "en.visited.1", triggers: "been visited", pattern: `(?:I|we|{Who})(?:'ve| have| has) {adv}(?:been to|visited|travelled to|traveled to) {place}(?:[.,;!]|$| (?:once|twice|before|many|several|three|four|and|with|but|for|in|last)\b)`, verb: "visited", check: isVisited},
	{id: "de.visited.1", triggers: "war waren", pattern: `(?:ich war|war ich|wir waren|waren wir) (?:schon |schon einmal |schon zweimal |letztes Jahr |letzten Sommer |noch nie |nie |im (?:Sommer|Winter|Herbst|Frühling|\pL+) )*in {place}(?:[.,;!]|$| (?:und|im|mit|aber|letzte\w+)\b)`, verb: "visited", check: isVisited},
	{id: "en.available.1", triggers: "available free away unavailable", pattern: `{who}(?:'m|'s| am| is|'ll be| will be) {adv}(?P<x>available|free|away|unavailable|on holiday|on vacation|on leave|out of (?:the )?office|off work) (?:until|till|from|on|between|starting|next|this|tomorrow|in|for|by|all) `, verb: "has_availability", check: isAvailable},
	{id: "en.available.2", triggers: "available", pattern: `^(?P<x>available) (?:until|till|from|on|between|next|tomorrow) `, verb: "has_availability", check: isAvailable},
	{id: "de.available.1", triggers: "verfügbar erreichbar urlaub frei verhindert weg krankgeschrieben", pattern: `(?:ich bin|bin ich|{who} ist) (?:[^,;.]{0,30}? )?(?:bis|ab|vom|von|am|nächste|diese|morgen|übermorgen) [^,;.!?]{2,40}? (?P<x>verfügbar|erreichbar|nicht erreichbar|im Urlaub|verhindert|krankgeschrieben)`, verb: "has_availability", check: isAvailable},
	{id: "de.available.2", triggers: "verfügbar erreichbar urlaub verhindert krankgeschrieben", pattern: `(?:ich bin|{who} ist) (?P<x>verfügbar|erreichbar|nicht erreichbar|im Urlaub|verhindert|krankgeschrieben) (?:bis|ab|vom|von|am) `, verb: "has_availability", check: isAvailable},
}

// unclear is an event that the sentence names elsewhere.
var unclear = compiled(`(?i)^\pL+(?:\s(?:for|to|in))?\s(?:her|him|it|them|this|that|these|those)\b|\s(?:to|for|at|with|of|and)$`)

func isHappening(h *hit) bool {
	return !unclear.MatchString(tidy(h.withoutTimes())) && isEvent(h)
}

// isOccasion handles an occasion with its day. The speaker's own belongs to the speaker, others to the project.
func isOccasion(h *hit) bool {
	whose := lower(h.y)
	owner := h.named("who")
	switch {
	case h.Polarity == trilith.Negated || h.Certainty == trilith.Hedged || !h.onDay():
		return false
	case owner != "":
		h.Subject, h.Name, h.kin = SpeakerSubject, "", ""
		if h.rule.lang == english {
			h.x = owner + "'s " + h.x
		} else {
			h.x = owner + "s " + h.x
		}
	case whose == "the" || whose == "" || whose == "der" || whose == "die" || whose == "das":
		h.Subject = ProjectSubject
	}
	name := tidy(h.x)
	if turningPoint.MatchString(name) ||
		slices.ContainsFunc(words(nil, h.x), func(w string) bool { return reports[w] || notOccasion[w] }) {
		return false
	}
	if h.rule.lang == english && owner == "" {
		name = h.uncapitalised(strings.TrimPrefix(name, "first "))
		if first := strings.Fields(name)[0]; h.y == "" && lower(first) == first {
			name = lowerFirst(name)
		}
	}
	h.Node.Name = name
	return true
}

// notOccasion are words that begin a new clause before an occasion.
var notOccasion = wordSet("his her their your if when that because which who whose and or but not no")

// turningPoint is a milestone, which has its own rules.
var turningPoint = compiled(`(?i)(?:^|\s)(?:` + englishMilestones + `|` + germanMilestones + `)$`)

// onDay sets the time to the first expression after the verb that is at most a month long.
func (h *hit) onDay() bool {
	for _, e := range h.times() {
		if e.Start < h.m[1]-4 || e.Kind == dates.Duration || e.Kind == dates.Recurring || e.Granularity > dates.Month ||
			e.From.IsZero() || e.Kind == dates.Deadline {
			continue
		}
		if again.MatchString(h.sentence.text[e.End:]) {
			return false
		}
		from, until := e.From, e.To
		h.From, h.Until = &from, &until
		h.put("when", strings.TrimSpace(h.sentence.text[e.Start:e.End]))
		return true
	}
	return false
}

// again turns a day of the week into every such day: on Friday nights.
var again = compiled(`(?i)^\s(?:nights|mornings|evenings|afternoons)\b`)

func isVisited(h *hit) bool {
	if strings.Contains(lower(h.sentence.text[h.m[0]:h.m[1]]), " nie ") {
		h.Polarity = trilith.Negated
	}
	for _, e := range h.times() {
		if e.Kind == dates.Point && !e.From.After(h.turn.At) {
			from := e.From
			h.From = &from
			h.put("when", strings.TrimSpace(h.sentence.text[e.Start:e.End]))
			break
		}
	}
	return isPlace(h.x)
}

// isAvailable stores the beginning or the end of somebody's availability.
func isAvailable(h *hit) bool {
	for _, e := range h.times() {
		if e.Kind == dates.Recurring || e.Kind == dates.Duration || h.Polarity == trilith.Negated {
			continue
		}
		if e.Kind != dates.Deadline && !e.From.IsZero() {
			from := e.From
			h.Begins = &from
		}
		if e.To.Before(dates.Forever()) {
			until := e.To
			h.Until = &until
		}
		when := strings.TrimSpace(h.sentence.text[e.Start:e.End])
		if beginning.MatchString(h.sentence.text[:e.Start]) && h.rule.lang == english {
			when = "from " + when
		}
		h.Node.Name = lower(h.x) + " " + when
		if h.rule.lang == german {
			h.Node.Name = when + " " + h.x
		}
		return true
	}
	return false
}
