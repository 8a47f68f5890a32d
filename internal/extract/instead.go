package extract

// The rules of this file read statements that replace a known value, in wordings that could also mean another kind of
// fact: "zu Hartmann gewechselt" means an employer if one is known, "back in Leeds" a home if somebody lived there
// before. So they yield amendments of known facts, and no facts; see [reconcile.Amendment].

const (
	properX = `(?P<x>(?-i:\p{Lu}[\pL\pN&.\x27’-]*)(?: (?-i:\p{Lu}[\pL\pN&.\x27’-]*|&|of|und|and)){0,3})`
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
	{id: "en.anew.1", triggers: "started switched moved joined gone transferred went hired begun", pattern: `I(?:'ve| have|'m| am)? {adv}(?:(?:started|begun) (?:working |work |a (?:new )?job )?(?:at|with|for)|switched (?:over )?to|moved (?:over )?to|transferred to|gone over to|went over to|hired by|been hired by) (?:the )?` + properX + stays, meets: []string{"works_at"}, change: insteadEmployer},
	{id: "en.anew.2", triggers: "back home", pattern: `(?:I(?:'m| am)|we(?:'re| are)) {adv}(?:back (?:living |home )?|home )in ` + properX + stays, meets: []string{"lives_in"}, change: insteadHome},
	{id: "en.anew.6", triggers: "upped raised increased lowered cut reduced bumped dropped changed switched adjusted doubled halved", pattern: `(?:I|we)(?:'ve| have)? {adv}` + dosed + ` (?:(?:my |the )?(?:(?:dose|dosage) of )?(?P<x>[\pL][\pL -]{2,30}?)(?: dose| dosage)?(?: up| down| back)?(?: from [^,.;!?]{1,20}?)? to) ` + doseY, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.7", triggers: "upped raised increased lowered cut reduced bumped dropped changed adjusted up down", pattern: `my (?:(?:dose|dosage) of )?(?P<x>[\pL][\pL -]{2,30}?)(?: dose| dosage)? (?:(?:'s|has|was|is|been|got|gone|went|now|just) )*(?:` + dosed + `|up|down)(?: from [^,.;!?]{1,20}?)? to ` + doseY, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.8", triggers: "on taking take", pattern: `I(?:'m| am) {adv}(?:on|taking|up to|down to) ` + doseY + ` of (?P<x>[\pL][\pL-]{3,30}) (?:now|instead|these days|from now on)`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "de.anew.5", triggers: "erhöht gesteigert gesenkt reduziert verringert umgestellt verdoppelt halbiert", pattern: `(?:ich habe|habe ich|wir haben) (?:(?:die|meine) Dosis (?:vom|von|des|der) |das |die |den |mein |meine |meinen )?(?P<x>(?-i:\p{Lu})[\pL-]{2,30}?)(?:-?[Dd]osis)? (?:von [^,.;!?]{1,20}? )?auf ` + doseY + ` (?:erhöht|gesteigert|gesenkt|reduziert|verringert|umgestellt|hochgesetzt|runtergesetzt)`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.9", triggers: "switched changed moved", pattern: `(?:I|we)(?:'ve| have)? {adv}(?:switched|changed|moved) (?:my |our |the )(?P<x>[\pL][\pL -]{1,30}?)(?: days?| nights?| sessions?| classes| practice)? (?:from ` + someDays + ` )?to ` + daysY, meets: []string{"does_regularly"}, change: otherDays},
	{id: "en.anew.10", triggers: "moved switched migrated changed went gone transferred swapped traded exchanged replaced",
		pattern: `(?:I|we)(?:'ve| have)? {adv}(?:(?:moved|switched|migrated|changed|went|gone|transferred)(?: [\pL][\pL ]{1,24}?)??(?: over)? from (?P<x>(?-i:\p{Lu})[^,.;!?]{1,28}?) to|(?:swapped|traded(?: in)?|exchanged|replaced) (?:my |our |the )(?P<values>[^,.;!?]{2,30}?) (?:for|with|by)) (?:an? |the |my )?(?P<y>[\pL\pN][^,.;!?]{1,36}?)(?:[.,;!]|$|\s[-–—(]|\s(?:and|but|so|because|since|after|when|last|this|yesterday|today|now|already)\b)`,
		meets:   []string{"owns", "uses", "plays", "learns", "studies"}, change: insteadThing},
	{id: "en.anew.12", triggers: "need wear take", pattern: `I(?:'m)? {adv}(?:(?:wear|take) (?:an? )?(?:size )?|need (?:an? )?size |need an? )(?P<x>\d{2}(?:\.5)?) (?:now|these days|nowadays)(?:[.,;!]|$)`, meets: []string{"has_size"}, change: insteadOne},
	{id: "en.anew.13", triggers: "switched changed", pattern: `I(?:'ve| have)? {adv}(?:switched|changed) (?:my )?(?:major|degree|course|subject|field|field of study)(?: from [\pL -]{3,30}?)? to (?P<x>[\pL][\pL ]{2,30}?)(?:[.,;!]|$|\s(?:and|but|because|since|after|last|this|at|in)\b)`, meets: []string{"studies"}, change: insteadSubject},
	{id: "en.anew.14", triggers: "up down", pattern: `(?:(?:I|we)(?:'ve| have)? {adv}(?:gone|went|moved|come|stepped|been put) (?:back )?|(?:I'm|I am) (?:now )?)(?:up|down) to ` + doseY + ` of (?P<x>[\pL][\pL-]{3,30})`, meets: []string{"takes_medicine"}, change: insteadDose},
	{id: "en.anew.15", triggers: wordsOf(colours), needs: "like prefer",
		pattern: `I(?:'ve| have)? {adv}(?:like|prefer) (?P<x>` + colours + `) (?:better|more|best|now|these days|instead|nowadays)(?: (?:now|these days|nowadays))?(?:[.,;!]|$)`,
		meets:   []string{"favourite_colour"}, change: insteadOne},
	{id: "de.anew.8", triggers: wordsOf(germanColours), needs: "lieber liebsten besser",
		pattern: `(?:mag|finde) ich (?:jetzt |nun |inzwischen )?(?P<x>` + germanColours + `) (?:jetzt |inzwischen )?(?:lieber|am liebsten|besser)`,
		meets:   []string{"favourite_farbe"}, change: insteadOne},
	{id: "de.anew.9", triggers: "studiengang fach studienfach studium", pattern: `(?:ich habe|habe ich) (?:[^,.;!?]{0,30} )?(?:Studiengang|Fach|Studienfach|Studium) gewechselt(?:,? und (?:studiere|mache) (?:jetzt |nun )?| (?:zu|auf)|, (?:jetzt|nun)) (?P<x>(?-i:\p{Lu})[\pL-]+)`, meets: []string{"studies"}, change: insteadOne},
	{id: "de.anew.6", triggers: "gewechselt umgestiegen umgezogen",
		pattern: `(?:ich bin|bin ich|wir sind|sind wir) (?:[^,.;!?]{0,20}? )?von (?P<x>(?-i:\p{Lu})[\pL\pN.+#-]{1,20}(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*)?) (?:(?:bin ich|sind wir) )?(?:[^,.;!?]{0,20}? )?(?:zu|zum|zur|auf) (?P<y>(?-i:\p{Lu})[\pL\pN.+#-]{1,20}(?: (?-i:[\p{Lu}\pN])[\pL\pN-]*)?) (?:gewechselt|umgestiegen|umgezogen)`,
		meets:   []string{"owns", "uses"}, change: insteadThing},
	{id: "de.anew.1", triggers: "gewechselt gegangen angefangen rüber", pattern: `(?:ich bin|bin ich|ich habe|habe ich) (?:[^,.;!?]{0,40}? )?(?:(?:zur|zum|zu) ` + properX + ` (?:gewechselt|gegangen)|bei (?:der |dem )?(?P<y>(?-i:\p{Lu})[\pL\pN&.-]+) angefangen)` + stays, meets: []string{"works_at"}, change: insteadEmployer},
	{id: "de.anew.2", triggers: "wieder zurück", pattern: `(?:ich bin|bin ich|wir sind|sind wir) {adv}(?:(?:jetzt|nun|seit [\pL\d. ]{2,20}) )?(?:wieder|zurück|wieder zurück) in ` + properX + stays, meets: []string{"lives_in"}, change: insteadHome},
}

const ()

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

// insteadDose sets another dose of a medicine that is known.
func insteadDose(h *hit, c *Amendment) bool {
	x := bare(tidy(h.x))
	if x == "" || almost(x) || others.MatchString(x) {
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
	return was != "" && c.Instead != "" && !almost(was) && !others.MatchString(was)
}

// otherDays sets the days of a habit that is known.
func otherDays(h *hit, c *Amendment) bool {
	x := bare(tidy(h.x))
	c.Values, c.When = []string{x}, [2]string{"on ", ""}[h.rule.lang]+tidy(h.y)
	return x != "" && !almost(x) && !others.MatchString(x)
}
