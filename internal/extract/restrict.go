package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Somebody who does not play the violin before breakfast plays it at other times. A denial for one time, place or
// manner denies nothing else.

const (
	meals        = `(?:breakfast|lunch|dinner|supper|tea|meals?|eating|bed|bedtime|work|school|church|training|dark|midnight|noon|sunset|sunrise|hours|\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+day)`
	germanMeals  = `(?:Frühstück|Mittag|Mittagessen|Abendessen|Essen|Schlafengehen|Schlafen|Arbeit|Dienst|Schule|Training|Mitternacht|Sonnenuntergang|Sport|Aufstehen|Einschlafen|\d{1,2}(?: Uhr)?|neun|zehn|elf|zwölf|acht|sieben|sechs|[A-Z][a-z]+tag)`
	germanPlaces = `(?:Arbeit|Büro|Dienst|Auto|Bett|Winter|Sommer|Frühling|Herbst|Urlaub|Dunkeln|Regen|Haus|Wohnzimmer|Schlafzimmer|Restaurant|Unterricht|Stehen|Sitzen|Gehen|Nacht|Woche|Kirche|Schule|Öffentlichkeit|Gesellschaft|Zug|Flugzeug|Freien)`
)

var (
	// restriction matches the limit of a denial, but not the cause or time of an end: after the accident, since May.
	restriction = compiled(`(?i)(?:^|[^\pL])(?:before (?:` + meals +
		`|the|a|an|going|I|my|our|noon|driving|exams?)\b|after (?:` + meals + `)\b|during|while|when|whenever|unless|` +
		`on (?:an empty stomach|weekends?|weekdays|work ?days|school nights|planes|trains|holiday|duty|call|\pL+days)|at (?:work|night|night-?time|home|school|lunch|breakfast|dinner|parties|weekends?|the (?:office|weekend|table|wheel|same time)|church)\b|` +
		`in (?:the )?(?:mornings?|evenings?|afternoons?|night|winter|summer|spring|autumn|fall|public|company|bed|rain|dark|office|house|car|restaurants?|front of)\b|(?:early|late) (?:in|at)\b|past \pN|past (?:nine|ten|eleven|midnight)|past my|` +
		`(?:in|on) (?:my )?(?:tea|coffee|pizza|salads?|toast|bread)\b|with (?:my|food|milk|sugar|alcohol|wine|guests|people|others|clients|grapefruit|strangers|children|kids|meals?|gloves|shoes|headphones|an?|the)\b|without|alone|outdoors|indoors|every (?:day|week|night|morning)|for (?:breakfast|lunch|dinner)|` +
		`vor (?:dem |der )?` + germanMeals + `|nach (?:dem |der )?` + germanMeals + `\b|während|wenn|solange|` +
		`(?:auf|mit) (?:nüchternen|nüchternem|leeren|leerem|vollem|vollen) \pL+|(?:bei|auf) der Arbeit|(?:im|in der|unter der|in|beim) ` + germanPlaces + `|zu Hause|am (?:Wochenende|Abend|Morgen|Vormittag|Nachmittag|Steuer|Tisch|Arbeitsplatz|\pL+tag)|an (?:Wochenenden|Feiertagen|Werktagen|\pL+tagen)|` +
		`nachts|abends|morgens|mittags|vormittags|nachmittags|werktags|tagsüber|(?:mon|diens|mitt|donners|frei|sams|sonn|feier)(?:tags|wochs)|ohne|vor (?:Gästen|Leuten|Publikum|Prüfungen|Fremden)|zum (?:Frühstück|Mittagessen|Abendessen)|jeden (?:Tag|Abend|Morgen)|jede (?:Woche|Nacht))(?:[^\pL]|$)`)

	// lastingly are words by which a denial holds altogether.
	lastingly = compiled(`(?i)\b(?:any ?more|any longer|no longer|at all|überhaupt|gar|mehr)\b`)

	// unrestricted lists verbs that are denied together with their time and place.
	unrestricted = slices.Concat([]string{"did", "was_at", "has_name", "is_from"}, plannedVerbs)
)

// restricted reports whether the denial applies to some time or place only.
func (h *hit) restricted() bool {
	if h.Polarity != trilith.Negated || h.Ends || slices.Contains(unrestricted, h.Verb) {
		return false
	}
	// The restriction is part of the taste: milk in coffee.
	if lookUp(h.Verb).Type == trilith.FactPreference && restriction.MatchString(h.Node.Name) {
		return false
	}
	text := h.sentence.text
	start, end := clauseOf(text, h.m[0], h.m[1])
	clause := text[start:end]
	return restriction.MatchString(clause) && !lastingly.MatchString(clause)
}

// clauseOf returns the clause of a sentence around a position.
func clauseOf(text string, from, to int) (start, end int) {
	end = len(text)
	for at := 0; at < len(text); {
		m := clauseEnds.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		if at+m[1] <= from {
			start = at + m[1]
		} else if at+m[0] >= to {
			end = at + m[0]
			break
		}
		at += max(1, m[1])
	}
	return start, end
}

var (
	germanHaving = compiled(`(?i)(?:^|\s)(?:habe|hab|haben|hat|hatte|hatten)\s`)
	perfect      = compiled(
		`(?:^|\s)(?:(?:ab|an|auf|aus|bei|ein|fort|her|hin|los|mit|nach|um|vor|weg|zurück|zusammen|weiter)?ge\pL{2,}(?:t|en)|(?:ver|be|ent|er|zer|über|unter|hinter)\pL{2,}(?:t|en)|\pL+iert)$`)
	nextClause = compiled(`[,;:.!?(–—]|\s(?:und|aber|oder|weil|denn)\s`)

	// held are verbs of facts that German expresses with haben alone.
	held = []string{"owns", "has_pet", "has_condition", "allergic_to", "intolerant_to"}
)

// auxiliary reports whether the haben of a match belongs to a participle at the end of its clause: ich habe das Rad
// abgegeben.
func (h *hit) auxiliary() bool {
	match := h.sentence.text[h.m[0]:h.m[1]]
	if h.rule.lang != german || !slices.Contains(held, h.Verb) || !germanHaving.MatchString(match) ||
		perfect.MatchString(match) {
		return false
	}
	match = strings.TrimRight(match, " .,;:!?")
	rest := h.sentence.text[h.m[0]+len(match):]
	if strings.HasSuffix(match, " und") || strings.HasSuffix(match, " aber") {
		return false
	}
	if end := nextClause.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return perfect.MatchString(strings.TrimSpace(rest))
}
