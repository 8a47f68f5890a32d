package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

const (
	weekday = `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day`
	everySo = `(?:(?:every|each) (?:other |second |single )?(?:` + weekday +
		`(?: (?:morning|afternoon|evening|night))?|day|morning|afternoon|evening|night|week|weekend|month|summer|winter|spring|autumn|year|(?:two|three) (?:weeks|months|days))|on (?:` + weekday + `s|weekends|weekdays)(?: and (?:` + weekday + `s))?|` + weekday + `s|(?:once|twice|(?:two|three|four|five|six) times) (?:a|per) (?:day|week|month|year)|most (?:mornings|evenings|days|weekends|nights)|in the (?:mornings|evenings)|before work|after work|during my lunch break)`
	englishHabits = `(?:go|do|play|swim|run|jog|train|cycle|bike|ride|walk|hike|meet|visit|call|phone|ring|cook|bake|volunteer|work|practi[sc]e|attend|take|teach|babysit|look after|clean|read|write|paint|dance|climb|row|sing|fast|eat|order|drive|commute|help|meditate|stretch|lift weights|get up|wake up|watch|shop|garden|pick up|drop off|host|stay|spend|donate|journal|sail|surf|ski|fish)`
	germanEvery   = `(?:jede[nrs]? (?:zweiten? )?(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag|Tag|Morgen|Abend|Nachmittag|Mittag|Woche|Monat|Wochenende|Sommer|Winter|Jahr)(?:abend|morgen|nachmittag)?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:abend|morgen)?s|(?:ein|zwei|drei|vier|fünf)mal (?:die|in der|pro|im|am) (?:Woche|Monat|Tag|Jahr)|alle (?:zwei|drei|vier) (?:Tage|Wochen|Monate)|am Wochenende|an den Wochenenden|täglich|wöchentlich)`
	germanHabit   = `(?:gehe|mache|spiele|schwimme|laufe|jogge|trainiere|fahre|treffe|besuche|rufe|koche|backe|arbeite|übe|nehme|unterrichte|putze|lese|schreibe|male|tanze|klettere|singe|faste|esse|bestelle|helfe|meditiere|stehe|schaue|kaufe|reite|wandere|hole|bringe)`
)

// habitRules find habits and their frequency.
var habitRules = []rule{
	{id: "en.habit.1", triggers: "every each once twice times most mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings lunch work", pattern: `(?P<y>` + everySo + `),? (?:I|we) (?:(?:always|usually|also|normally|typically|still|both) )*(?P<x>` + englishHabits + `\b[^,;.!?]{0,60}?)(?:[.,;!]|$| (?:because|but|since|so|when|while|and (?:I|we|my|then|it))\b)`, verb: "does_regularly", check: isHabit},
	{id: "en.habit.2", triggers: "every each once twice times most mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings lunch work", pattern: `(?:I|we) (?:(?:always|usually|also|normally|typically|still|both|try to|like to|love to) )*(?P<x>` + englishHabits + `\b[^,;.!?]{0,60}?) (?P<y>` + everySo + `)(?:[.,;!]|$| (?:because|but|since|so|when|while|with|and|at|from|before|after|for|to)\b)`, verb: "does_regularly", check: isHabit},
	{id: "en.habit.3", triggers: "every each once twice times most mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings lunch work", pattern: `{Who} (?:(?:always|usually|also) )*(?P<x>(?:goes|does|plays|swims|runs|trains|cycles|walks|visits|volunteers|works|practises|practices|has|takes|teaches|sings|dances|comes)\b[^,;.!?]{0,60}?) (?P<y>` + everySo + `)(?:[.,;!]|$| (?:because|but|since|so|when|while|with|and|at|from)\b)`, verb: "does_regularly", check: isHabit},
	{id: "de.habit.1", triggers: "jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags einmal zweimal dreimal viermal fünfmal alle täglich wöchentlich wochenende wochenenden *abends *morgens", pattern: `(?P<y>` + germanEvery + `) (?P<verb>` + germanHabit + `) ich (?:(?:immer|meistens|normalerweise|auch|mit \S+(?: \S+)?|abends|morgens) )*(?P<x>[^,;.!?]{2,60}?)(?:[.,;!]|$| (?:und|aber|weil)\b)`, verb: "does_regularly", check: isGermanHabit},
	{id: "de.habit.2", triggers: "jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags einmal zweimal dreimal viermal fünfmal alle täglich wöchentlich wochenende wochenenden *abends *morgens", pattern: `ich (?P<verb>` + germanHabit + `) (?:immer |meistens |normalerweise |auch )*(?P<y>` + germanEvery + `) (?:(?:immer|meistens) )*(?P<x>[^,;.!?]{2,60}?)(?:[.,;!]|$| (?:und|aber|weil)\b)`, verb: "does_regularly", check: isGermanHabit},
}

var notHabit = compiled(
	`(?i)^(?:has (?:to|been|got|moved|shifted|switched|changed|finished|stopped|started|become)|have (?:to|been|no|never|a (?:question|problem|feeling|look|headache))|go (?:crazy|mad|nuts|wrong|through|on about|to (?:bed|sleep))|get up on the wrong|play (?:the fool|devil|dumb|along|tricks)|take (?:it|that|this|care of it)|walk on|run (?:out|late|into|away|in)|do (?:it|that|this|not)|` +
		`work (?:out (?:fine|well)|like)|call (?:it|you|him a|her a|myself)|eat my words|watch (?:out|my)|stay (?:calm|tuned)|spend (?:a|my) (?:lot|fortune))`)

// isHabit includes the frequency in the value: swimming on Mondays and on Thursdays are two habits.
func isHabit(h *hit) bool {
	name := tidy(h.x)
	if notHabit.MatchString(name) || h.Polarity == trilith.Negated {
		return false
	}
	often := tidy(h.y)
	h.put("when", lowerFirst(often))
	h.Node.Name = name + " " + strings.ToLower(often[:1]) + often[1:]
	return true
}

var germanInfinitives = map[string]string{"gehe": "gehen", "mache": "machen", "schwimme": "schwimmen",
	"laufe": "laufen", "jogge": "joggen", "trainiere": "trainieren", "fahre": "fahren", "treffe": "treffen",
	"besuche": "besuchen", "rufe": "rufen", "arbeite": "arbeiten", "übe": "üben", "nehme": "nehmen",
	"unterrichte": "unterrichten", "putze": "putzen", "tanze": "tanzen", "klettere": "klettern",
	"faste": "fasten", "bestelle": "bestellen", "helfe": "helfen", "meditiere": "meditieren", "stehe": "stehen",
	"schaue": "schauen", "kaufe": "kaufen", "reite": "reiten", "wandere": "wandern", "hole": "holen",
	"bringe": "bringen"}

var particleEnd = compiled(`^(.*?)\s?\b(an|auf|ab|ein|aus|mit|zu|vor|los|weg|fern)$`)

func isGermanHabit(h *hit) bool {
	name := tidy(h.x)
	if negatedWords(name) {
		return false
	}
	verb := lower(h.named("verb"))
	full := germanInfinitives[verb]
	if full == "" {
		full = infinitives[verb]
	}
	// joggen gehen: joggen
	if ws := strings.Fields(name); verb == "gehe" && strings.HasSuffix(ws[len(ws)-1], "en") &&
		unicodeLower(ws[len(ws)-1]) {
		full = ""
	}
	if m := particleEnd.FindStringSubmatch(name); m != nil {
		name, full = m[1], m[2]+full
	}
	often := tidy(h.y)
	h.put("when", lowerFirst(often))
	h.Node.Name = strings.TrimSpace(lowerFirst(often) + " " + name + " " + full)
	return full != "" || verb == "gehe"
}

func unicodeLower(s string) bool { return s == strings.ToLower(s) }
