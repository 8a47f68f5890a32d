package extract

const (
	german1st = `\d\. (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)` // a day of a month, with its point
	wrongX    = `(?P<x>[\pL\pN€$£](?:[^,;.!?]|[.,]\d|` + german1st + `){0,50}?)`
	rightY    = `(?P<y>[\pL\pN€$£](?:[^,;.!?]|[.,]\d|` + german1st + `){0,50}?)`
	stop      = `(?:[,;.!?](?:\s|$)|\s[-–—(]|$)`

	correcting    = `(?:(?:no|nope|sorry|oops|whoops|wait|actually|correction|typo|ah|oh|argh|my mistake|my bad|I misspoke|scratch that|rather|excuse me|edit|well|er|um|hang on|hold on|that's wrong|that was wrong|wrong (?:one|number|date|day|name))[,:;!. –—-]*\s?)`
	korrigierend  = `(?:(?:nein|nee|sorry|entschuldigung|entschuldige|pardon|ups|halt|moment|stopp|korrektur|tippfehler|ach|quatsch|falsch|stimmt nicht|mein Fehler|vertippt|zahlendreher|buchstabendreher|verschrieben|genauer|besser gesagt|also|äh|ähm|oh|hm|mist)[,:;!. –—-]*\s?)`
	esIstY        = `(?:(?:es ist|es sind|es heißt|es war|das ist|das heißt|ich bin|wir sind|ich meinte|ich meine)\s)?`
	naturally     = `(?:(?:eigentlich|natürlich|doch|ja|selbstverständlich)\s)*`
	englishLately = `(?:now |actually |of course )?`
)

// correctionRules find corrections: the wrong word and the right one.
var correctionRules = []rule{
	{id: "en.correct.1", triggers: "meant mean", pattern: `I (?:meant|mean) (?:to (?:say|write|type) )?` +
		englishLately + rightY + `,? (?:and )?not ` + wrongX + stop, change: corrects, whole: true},
	{id: "en.correct.2", triggers: "meant mean", pattern: `(?:^|[.;,–—-] )` + correcting +
		`+I (?:meant|mean) (?:to (?:say|write|type) )?` + rightY + stop, change: correctsSlip, whole: true},
	{id: "en.correct.6", triggers: "said wrote typed", pattern: `I (?:said|wrote|typed) ` + wrongX + `,? but (?:I )?(?:meant|mean|it's|it is|it should be|it should have been|that should be|should have said|should have written) ` + rightY + stop, change: corrects, whole: true},
	{id: "en.correct.8", triggers: "meant", pattern: `I meant ` + rightY + ` instead of ` + wrongX + stop, change: corrects, whole: true},

	{id: "en.correct.11", triggers: "meant", pattern: `^` + correcting + `*I meant (?:to (?:say|write|type) )?(?P<y>(?-i:\p{Lu})[\pL\x27’-]+)(?:[.!]|$|, sorry)`, change: correctsSlip, whole: true},

	{id: "de.correct.1", triggers: "meinte meine", pattern: `(?:ich (?:meinte|meine)|(?:meinte|meine) ich) ` +
		naturally + rightY + `,? (?:und )?(?:nicht|statt) ` + wrongX + stop, change: corrects, whole: true},
	{id: "de.correct.2", triggers: "meinte", pattern: `(?:^|[.;,–—-] )` + korrigierend + `+ich meinte ` + naturally +
		rightY + stop, change: correctsSlip, whole: true},
	{id: "de.correct.3", triggers: "meinte meine", pattern: `^` + korrigierend + `*ich (?:meinte|meine) ` + rightY +
		`,? (?:und )?(?:nicht|statt) ` + wrongX + `[.!]*$`, change: corrects, whole: true},
	{id: "de.correct.6", triggers: "gesagt geschrieben", pattern: `ich (?:habe|hab) ` + wrongX + ` (?:gesagt|geschrieben),? (?:meinte aber|aber es (?:ist|sind)|meine aber|gemeint (?:war|ist|waren)|richtig ist) ` + rightY + stop, change: corrects, whole: true},
	{id: "de.correct.7", triggers: "vertan verschrieben vertippt versprochen geirrt",
		pattern: `(?:ich (?:habe|hab)|(?:habe|hab) ich) mich (?:da |leider |gerade )?(?:vertan|verschrieben|vertippt|versprochen|geirrt)[,:;–—-]*\s` + esIstY + rightY + `,? (?:nicht|statt) ` + wrongX + stop, change: corrects, whole: true},
}

// correctsSlip handles a correction that names only the right value; the wrong one is the last value stated.
func correctsSlip(h *hit, c *Amendment) bool { return corrects(h, c) && h.y != "" }

// Words for moving something in time.
const (
	englishMoved = `(?:moved|pushed(?: back| out)?|extended|postponed|brought forward|changed|shifted|delayed|rescheduled)`
	germanMoved  = `(?:verschoben|verlängert|vorverlegt|verlegt|vorgezogen|geändert|gelegt)`
	movedTo      = `(?: back| forward| out)? (?:to|until|till|by) (?P<y>.{3,40})`
	englishDue   = `(?:deadline|due date|cut-?off|submission date)`
	mover        = `(?-i:\p{Lu})[\pL\x27’.-]+(?: (?-i:\p{Lu})[\pL\x27’.-]+)?` // whose day it is does not follow from who moves it
	germanDue    = `(?:Frist|Deadline|Abgabe|Abgabefrist|Abgabetermin|Stichtag)`
)

// movedRules find the new time of something that had another.
var movedRules = []rule{
	{id: "en.moved.1", triggers: "moved pushed extended postponed brought changed shifted delayed rescheduled",
		pattern: `(?:the |our |my )?` + englishDue +
			`(?: for (?:the |our |my )?(?P<x>[^,.;!?]{2,60}?))?(?: has| was| is| got|'s)? {adv}` + englishMoved +
			movedTo, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "en.moved.2", triggers: "deadline", pattern: `(?:the |our |my )(?P<x>[\pL][^,.;!?]{1,50}?) deadline(?: has| was| is| got|'s) {adv}(?:` + englishMoved + `(?: back| forward)? (?:to|until|till)|on|now) (?P<y>.{3,40})`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "en.moved.3", triggers: "moved pushed extended postponed brought shifted delayed rescheduled",
		pattern: `(?:they|we|I|he|she|(?:the|my|our) [\pL-]+|` + mover + `)(?:'ve| have| has)? {adv}` + englishMoved +
			` (?:the |our |my )(?:` + englishDue + ` for (?:the |our |my )?)?(?P<x>[^,.;!?]{2,60}?)(?: deadline)?` +
			movedTo, meets: timedVerbs, change: moves},
	{id: "en.moved.4", triggers: "moved pushed postponed brought shifted delayed rescheduled extended",
		pattern: subjectX + `(?:has been|have been|was|were|is|are|got) {adv}` + englishMoved + movedTo,
		meets:   timedVerbs, change: moves},
	{id: "en.moved.5", triggers: "due", pattern: subjectX + `(?:is|are) (?:now |only |not )*due (?:until )?(?P<y>.{3,40})`, meets: []string{"has_deadline", "has_task"}, change: movesAgain},
	{id: "en.moved.6", triggers: "extension", pattern: `extension (?:for (?:the |our |my )?(?P<x>[^,.;!?]{2,60}?) )?(?:until|till|to) (?P<y>.{3,40})`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "en.moved.7", triggers: "until till", pattern: `(?:gave|given|have|has|got|'ve|allowed) (?:(?:me|us|him|her|now|got|an extension|more time|some extra time) )*(?:until|till) (?P<y>.{3,25}?) (?:for|to (?:\pL+)) (?:the |my |our )?(?P<x>[^,.;!?]{2,40}?)(?:[.,;!]|$)`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "en.moved.8", triggers: "due", pattern: `(?:^|[,:;] |\b(?:and|so|but|that) )(?:the |our |my |this )?{short} (?:is|are) {adv}due (?:on |by )?(?P<y>.{3,30}?) (?:instead|now)`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "de.moved.6", triggers: "abgeben einreichen schicken bezahlen zahlen liefern", pattern: `(?:(?:ich|wir) (?:darf|dürfen|kann|können|muss|müssen|soll|sollen)|(?:darf|dürfen|kann|können|muss|müssen) (?:ich|wir)) (?:die |den |das |meine |meinen |unsere )?(?P<x>(?-i:\p{Lu})[^,.;!?]{2,40}?) (?:jetzt |doch |nun |noch )*(?P<y>(?:erst |schon )?(?:am|bis|bis zum|zum) .{3,30}?) (?:abgeben|einreichen|schicken|bezahlen|zahlen|liefern)`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "de.moved.7", triggers: "zeit", pattern: `^für (?:die |den |das |meine |meinen |unsere )?(?P<x>[^,.;!?]{2,40}?) (?:habe ich|haben wir|bleibt mir|bleibt uns) (?:jetzt |doch |nun |noch )*(?P<y>bis .{3,30}?) Zeit`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "de.moved.1", triggers: "verschoben verlängert vorverlegt verlegt vorgezogen geändert", pattern: `(?:die |der |den )?` + germanDue + `(?: für (?:die |den |das |unsere |unseren )?(?P<x>[^,.;!?]{2,60}?))? (?:wurde|ist|hat sich) {adv}(?P<y>(?:auf|bis) .{3,40}?) ` + germanMoved, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "de.moved.2", triggers: "verschoben verlängert vorverlegt verlegt vorgezogen gelegt", pattern: germanX + `(?:wurde|wurden|ist|sind|wird) {adv}(?P<y>(?:auf|bis) .{3,40}?) ` + germanMoved, meets: timedVerbs, change: moves},
	{id: "de.moved.3", triggers: "verschoben verlängert vorverlegt verlegt vorgezogen gelegt", pattern: `(?:ich habe|wir haben|haben wir|habe ich|sie haben|man hat|` + mover + ` hat|(?:der|die|das|mein|meine|unser|unsere) [\pL-]+ hat) (?:die |den |das |unsere |unseren |unser |meinen |meine )?(?:Frist für (?:die |den |das )?)?(?P<x>[^,.;!?]{2,60}?) (?P<y>(?:auf|bis) .{3,40}?) ` + germanMoved, meets: timedVerbs, change: moves},
	{id: "de.moved.4", triggers: "fällig", pattern: germanX + `(?:ist|sind|wird|werden) (?:jetzt|nun|doch|erst|schon|nur|bereits) (?P<y>.{3,40}?) fällig`, meets: []string{"has_deadline", "has_task"}, change: moves},
	{id: "de.moved.5", triggers: "aufschub fristverlängerung verlängerung", pattern: `(?:Aufschub|Fristverlängerung|Verlängerung) (?:für (?:die |den |das )?(?P<x>[^,.;!?]{2,60}?) )?(?P<y>bis .{3,40})`, meets: []string{"has_deadline", "has_task"}, change: moves},
}

var dueNow = compiled(`(?i)\b(?:is|are) (?:now |only )+due`)

// movesAgain handles a due date that is said to be new.
func movesAgain(h *hit, c *Amendment) bool {
	return dueNow.MatchString(h.sentence.text) && moves(h, c)
}
