package extract

import (
	"slices"
	"strings"
)

// The rules of this file read statements that replace a known value, in wordings that could also mean another kind of
// fact: "zu Hartmann gewechselt" means an employer if one is known, "back in Leeds" a home if somebody lived there
// before. So they yield amendments of known facts, and no facts; see [reconcile.Amendment].

const (
	properX = `(?P<x>(?-i:\p{Lu}[\pL\pN&.\x27’-]*)(?: (?-i:\p{Lu}[\pL\pN&.\x27’-]*|&|of|und|and)){0,3})`
	doctorX = `(?P<x>(?-i:(?:Dr|Doctor|Doktor|Prof|Frau|Herr|Mrs|Mr|Ms)\.? (?:Dr\.? )?\p{Lu}[\pL\x27’-]+))`
	stays   = `(?:[.,;!]|$|\s[-–—(]|\s(?:now|again|for good|since|and|but|these days|jetzt|und|aber|seit)\b)`
)

const (
	dosed = `(?:upped|raised|increased|lowered|cut|reduced|bumped|dropped|changed|switched|adjusted)`
	doseY = `(?P<y>\d[\d.,]* ?(?:mg|mcg|µg|ml|g|IU|IE|units?|Einheiten)\b)`
)

// days of a week, of a habit
const (
	someDays = `(?:(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?(?: (?:morning|afternoon|evening|night)s?)?)(?:, | and | & )?){1,4}`
	daysY    = `(?P<y>` + someDays + `)`
)

const (
	colours       = `(?:red|blue|green|yellow|orange|purple|violet|pink|black|white|brown|turquoise|teal|grey|gray)`
	germanColours = `(?:Rot|Blau|Grün|Gelb|Orange|Lila|Violett|Rosa|Pink|Schwarz|Weiß|Braun|Türkis|Grau)`
)

// insteadRules find values that replace known ones.
var insteadRules = []rule{
	{id: "en.anew.1", triggers: "started switched moved joined gone transferred went hired begun", pattern: `{who}(?:'ve| have| has|'m| am| is)? {adv}(?:(?:started|begun) (?:working |work |a (?:new )?job )?(?:at|with|for)|switched (?:over )?to|moved (?:over )?to|transferred to|gone over to|went over to|hired by|been hired by) (?:the )?` + properX + stays, meets: []string{"works_at"}, change: insteadEmployer},
	{id: "en.anew.2", triggers: "back home", pattern: `(?:I(?:'m| am)|we(?:'re| are)|{Who} is) {adv}(?:back (?:living |home )?|home )in ` + properX + stays, meets: []string{"lives_in"}, change: insteadHome},
	{id: "en.anew.5", triggers: "back home", pattern: `^(?:(?:and|finally|so|now),? )*(?:back (?:living |home )?|home )in ` + properX + ` (?:again|now|for good|since|at last)(?:[^\pL]|$)`, meets: []string{"lives_in"}, change: insteadHome},
	{id: "en.anew.3", triggers: "see seeing go going with switched changed", pattern: `(?:(?:I|we)(?:'m| am|'re)? {adv}(?:see|seeing|go to|going to|with|under)|(?:switched|changed|moved) (?:over )?to) ` + doctorX + `(?: (?:now|instead|these days))?` + stays, meets: []string{"consults"}, change: insteadOne},
	{id: "en.anew.4", triggers: wordsOf(consulted) + " gp", pattern: `(?:my|our) new ` + consulted +
		` is (?:called )?(?P<x>(?-i:(?:Dr\.? )?\p{Lu}[\pL\x27’.-]+(?: \p{Lu}[\pL\x27’-]+)?))`,
		meets: []string{"consults"}, change: insteadOne},
	{id: "en.anew.6", triggers: "upped raised increased lowered cut reduced bumped dropped changed switched adjusted doubled halved", pattern: `(?:{who}|they|(?:the|my) [\pL-]+|we)(?:'ve|'s| have| has)? {adv}` + dosed + ` (?:(?:my |the )?(?:(?:dose|dosage) of )?(?P<x>[\pL][\pL -]{2,30}?)(?: dose| dosage)?(?: up| down| back)?(?: from [^,.;!?]{1,20}?)? to) ` + doseY, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.7", triggers: "upped raised increased lowered cut reduced bumped dropped changed adjusted up down", pattern: `(?:my|the) (?:(?:dose|dosage) of )?(?P<x>[\pL][\pL -]{2,30}?)(?: dose| dosage)? (?:(?:'s|has|was|is|been|got|gone|went|now|just) )*(?:` + dosed + `|up|down)(?: from [^,.;!?]{1,20}?)? to ` + doseY, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.8", triggers: "on taking take", pattern: `(?:I(?:'m| am)|{Who} is) {adv}(?:on|taking|up to|down to) ` + doseY + ` of (?P<x>[\pL][\pL-]{3,30}) (?:now|instead|these days|from now on)`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "de.anew.5", triggers: "erhöht gesteigert gesenkt reduziert verringert umgestellt verdoppelt halbiert", pattern: `(?:(?:mein|meine|der|die|das) [\pL-]+ hat|ich habe|habe ich|wir haben|sie hat|er hat) (?:mir )?(?:(?:die|meine) Dosis (?:vom|von|des|der) |das |die |den |mein |meine |meinen )?(?P<x>(?-i:\p{Lu})[\pL-]{2,30}?)(?:-?[Dd]osis)? (?:von [^,.;!?]{1,20}? )?auf ` + doseY + ` (?:erhöht|gesteigert|gesenkt|reduziert|verringert|umgestellt|hochgesetzt|runtergesetzt)`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.9", triggers: "switched changed moved", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:switched|changed|moved) (?:my |our |the )(?P<x>[\pL][\pL -]{1,30}?)(?: days?| nights?| sessions?| classes| practice)? (?:from ` + someDays + ` )?to ` + daysY, meets: []string{"does_regularly"}, change: otherDays},
	{id: "en.anew.10", triggers: "moved switched migrated changed went gone transferred swapped traded exchanged replaced",
		pattern: `(?:^|(?:I|we|{Who})(?:'ve| have| has|'s)? ){adv}(?:(?:moved|switched|migrated|changed|went|gone|transferred)(?: [\pL][\pL ]{1,24}?)??(?: over)? from (?P<x>(?-i:\p{Lu})[^,.;!?]{1,28}?) to|(?:swapped|traded(?: in)?|exchanged|replaced) (?:my |our |the )(?P<values>[^,.;!?]{2,30}?) (?:for|with|by)) (?:an? |the |my )?(?P<y>[\pL\pN][^,.;!?]{1,36}?)(?:[.,;!]|$|\s[-–—(]|\s(?:and|but|so|because|since|after|when|last|this|yesterday|today|now|already)\b)`,
		meets:   []string{"owns", "uses", "plays", "learns", "studies"}, change: insteadThing},
	{id: "en.anew.11", triggers: "moved shifted switched changed now",
		pattern: `^(?:(?:and|so|but|by the way|fyi),? )*(?:the |my |our )?(?P<x>[\pL][\pL -]{1,30}?)(?: class| night| day| session| practice| training)?(?:(?:'s| has| have| is| are| got| was| were)?(?: been)? {adv}(?:moved|shifted|switched|changed)(?: from ` + someDays + `)? to|(?:'s| is| are) now on) ` + daysY, meets: []string{"does_regularly"}, change: otherDays},
	{id: "en.anew.12", triggers: "need wear take", pattern: `I(?:'m)? {adv}(?:(?:wear|take) (?:an? )?(?:size )?|need (?:an? )?size |need an? )(?P<x>\d{2}(?:\.5)?) (?:now|these days|nowadays)(?:[.,;!]|$)`, meets: []string{"has_size"}, change: insteadOne},
	{id: "en.anew.13", triggers: "switched changed", pattern: `I(?:'ve| have)? {adv}(?:switched|changed) (?:my )?(?:major|degree|course|subject|field|field of study)(?: from [\pL -]{3,30}?)? to (?P<x>[\pL][\pL ]{2,30}?)(?:[.,;!]|$|\s(?:and|but|because|since|after|last|this|at|in)\b)`, meets: []string{"studies"}, change: insteadSubject},
	{id: "en.anew.14", triggers: "up down", pattern: `(?:(?:I|we)(?:'ve| have)? {adv}(?:gone|went|moved|come|stepped|been put) (?:back )?|(?:I'm|I am) (?:now )?)(?:up|down) to ` + doseY + ` of (?P<x>[\pL][\pL-]{3,30})`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.15", triggers: wordsOf(colours), needs: "like prefer",
		pattern: `I(?:'ve| have)? {adv}(?:like|prefer) (?P<x>` + colours + `) (?:better|more|best|now|these days|instead|nowadays)(?: (?:now|these days|nowadays))?(?:[.,;!]|$)`,
		meets:   []string{"favourite_colour"}, change: insteadOne},
	{id: "de.anew.8", triggers: wordsOf(germanColours), needs: "lieber liebsten besser",
		pattern: `(?:mag|finde|gefällt) (?:ich|mir) (?:jetzt |nun |inzwischen )?(?P<x>` + germanColours + `) (?:jetzt |inzwischen )?(?:lieber|am liebsten|besser)`,
		meets:   []string{"favourite_farbe"}, change: insteadOne},
	{id: "de.anew.9", triggers: "studiengang fach studienfach studium", pattern: `(?:Studiengang|Fach|Studienfach|Studium) gewechselt(?:,? und (?:studiere|mache) (?:jetzt |nun )?| (?:zu|auf)|, (?:jetzt|nun)) (?P<x>(?-i:\p{Lu})[\pL-]+)`, meets: []string{"studies"}, change: insteadOne},
	{id: "de.anew.7", triggers: "montags dienstags mittwochs donnerstags freitags samstags sonntags",
		pattern: `^(?:(?:und|also|aber|übrigens),? )*(?:zum |zur |ins |in den |in die |den |die |das )?(?P<x>(?-i:\p{Lu})[\pL-]{2,30}) (?:mache|habe|gehe|spiele|ist|sind|findet|treffe)(?: ich| wir)? (?:jetzt |nun |neuerdings |inzwischen |seit \pL+ )+(?:immer |nur noch |erst )?(?P<y>(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)(?:(?:,| und) (?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags))*)`,
		meets:   []string{"does_regularly"}, change: otherDays},
	{id: "de.anew.6", triggers: "gewechselt umgestiegen umgezogen",
		pattern: `(?:^|(?:ich bin|bin ich|wir sind|sind wir) (?:[^,.;!?]{0,20}? )?)von (?P<x>(?-i:\p{Lu})[\pL\pN.+#-]{1,20}(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*)?) (?:(?:bin ich|sind wir) )?(?:[^,.;!?]{0,20}? )?(?:zu|zum|zur|auf) (?P<y>(?-i:\p{Lu})[\pL\pN.+#-]{1,20}(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*)?) (?:gewechselt|umgestiegen|umgezogen)`,
		meets:   []string{"owns", "uses"}, change: insteadThing},
	{id: "de.anew.1", triggers: "gewechselt gegangen angefangen rüber", pattern: `(?:ich bin|bin ich|ich habe|habe ich|{Who} (?:ist|hat)) (?:[^,.;!?]{0,40}? )?(?:(?:zur|zum|zu) ` + properX + ` (?:gewechselt|gegangen)|bei (?:der |dem )?(?P<y>(?-i:\p{Lu})[\pL\pN&.-]+) angefangen)` + stays, meets: []string{"works_at"}, change: insteadEmployer},
	{id: "de.anew.2", triggers: "wieder zurück", pattern: `(?:ich bin|bin ich|wir sind|sind wir|{Who} ist) {adv}(?:(?:jetzt|nun|seit [\pL\d. ]{2,20}) )?(?:wieder|zurück|wieder zurück) in ` + properX + stays, meets: []string{"lives_in"}, change: insteadHome},
	{id: "de.anew.3", triggers: "bei zu",
		pattern: `(?:(?:ich bin|bin ich|wir sind|ich gehe|gehe ich) (?:[^.;!?]{0,50}?[ ,]+)?(?:bei|zu)(?: (?:einem|einer) [\pL ]{3,30},)? |(?:anderen|neuen|andere|neue) ` + germanConsulted + `(?: bin ich)?[,:] (?:bei )?|(?:zu|zur) )` + doctorX + `(?: gewechselt)?` + stays, meets: []string{"consults"}, change: insteadOne},
	{id: "de.anew.4", triggers: wordsOf(germanConsulted),
		pattern: `(?:mein neuer|meine neue|unser neuer|unsere neue) ` + germanConsulted +
			` (?:ist|heißt) (?P<x>(?-i:(?:Dr\.? |Frau |Herr )?\p{Lu}[\pL-]+(?: \p{Lu}[\pL-]+)?))`,
		meets: []string{"consults"}, change: insteadOne},
}

const (
	consulted       = `(?:dentist|doctor|GP|therapist|vet|hairdresser|mechanic|physio|trainer|gynaecologist|dermatologist|optician|barber|midwife)`
	germanConsulted = `(?:Hausarzt|Hausärztin|Zahnarzt|Zahnärztin|Ärztin|Arzt|Therapeutin|Therapeut|Tierärztin|Tierarzt|Friseurin|Friseur|Physiotherapeutin|Physiotherapeut|Frauenärztin|Frauenarzt|Kinderärztin|Kinderarzt|Hautärztin|Hautarzt|Trainerin|Trainer|Hebamme)`
)

// insteadOne sets the value that replaces the known one.
func insteadOne(h *hit, c *Amendment) bool {
	c.Instead, c.Replaces = tidy(h.x+h.y), true
	return c.Instead != ""
}

// insteadSubject handles a subject of study; an article names something else.
func insteadSubject(h *hit, c *Amendment) bool {
	return insteadOne(h, c) && !leadingArticle.MatchString(c.Instead)
}

// providers matches companies that people switch to without working for them.
var providers = compiled(
	`(?i)^(?:android|ios|iphone|linux|ubuntu|mac|macos|windows|firefox|chrome|spotify|netflix|telekom|vodafone|o2|1&1|congstar|apple|samsung|google|gmail|signal|whatsapp|threema|plan|team|room|table|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|english|german|english|deutsch|teil|schluss|bett|fuß|arbeit|schule|uni|yoga|sport|training|arzt|zahnarzt|kasse|mama|papa|oma|opa)\b`)

func insteadEmployer(h *hit, c *Amendment) bool {
	return insteadOne(h, c) && isOrganisation(c.Instead) && !providers.MatchString(c.Instead)
}

// insteadHome handles a return to a former home; somebody who is back for a while has not moved.
func insteadHome(h *hit, c *Amendment) bool {
	c.Back = true
	return insteadOne(h, c) && isPlace(c.Instead) && !forAWhile.MatchString(h.sentence.text)
}

var forAWhile = compiled(
	`(?i)(?:^|[^\pL])(?:for (?:the|a|an|two|three|some|my|\d+)|until|till|visiting|on (?:holiday|business)|this (?:week|weekend)|tomorrow|tonight|today|heute|morgen|bis|zu Besuch|übers|für (?:ein|zwei|drei|das|die)|im Urlaub|dieses Wochenende)\b`)

// endsLeft ignores places where something was left, lost or sold.
func endsLeft(h *hit, c *Amendment) bool {
	if leaving.MatchString(h.sentence.text[h.m[0]:h.m[1]]) {
		if h.x = tidy(objectOf(h.x)); h.x == "" {
			return false
		}
		g := h.rule.groups()
		h.m = slices.Clone(h.m)
		h.m[2*g.x+1] = h.m[2*g.x] + len(strings.TrimRight(h.sentence.text[h.m[2*g.x]:h.m[2*g.x+1]], " "))
		if at := strings.Index(h.sentence.text[h.m[2*g.x]:h.m[2*g.x+1]], h.x); at >= 0 {
			h.m[2*g.x+1] = h.m[2*g.x] + at + len(h.x)
		}
	}
	return ends(h, c)
}

var leaving = compiled(`(?i)\b(?:left|lost|returned)\s`)

// endsHome handles a former home.
func endsHome(h *hit, c *Amendment) bool {
	match := h.sentence.text[h.m[0]:h.m[1]]
	return isPlace(tidy(h.x)) && !almost(match) && !toCome.MatchString(match) && ends(h, c)
}

// insteadDose sets another dose of a medicine that is known.
func insteadDose(h *hit, c *Amendment) bool {
	x := bare(tidy(h.x))
	if x == "" || almost(x) {
		return false
	}
	c.Values, c.Instead = []string{x}, tidy(h.y)+" of "+x
	if h.rule.lang == german {
		c.Instead = tidy(h.y) + " " + x
	}
	return true
}

// insteadThing sets the thing or the program that replaces a known one.
func insteadThing(h *hit, c *Amendment) bool {
	was := bare(tidy(h.x + h.named("values")))
	c.Values, c.Instead = []string{was}, bare(tidy(h.y))
	return was != "" && c.Instead != "" && !almost(was)
}

// otherDays sets the days of a habit that is known.
func otherDays(h *hit, c *Amendment) bool {
	x := bare(tidy(h.x))
	c.Values, c.When = []string{x}, [2]string{"on ", ""}[h.rule.lang]+tidy(h.y)
	return x != "" && !almost(x)
}
