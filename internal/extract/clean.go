package extract

import (
	"strings"
	"time"

	"github.com/trilith-memory/trilith/internal/dates"
)

// tails matches words after a value that say since when or how long it holds, and do not belong to it.
var tails = compiled(`(?i)(?:[\s,]+(?:any ?more|any longer|now|nowadays|after all|these days|at all|at the moment|right now|for now|lately|though|either|as well|by now|since then|completely|entirely|altogether|mehr|jetzt|doch nicht|inzwischen|` +
	`mittlerweile|derzeit|momentan|im Moment|zurzeit|seitdem|neuerdings|allerdings))+$`)

// tailless removes the tails of a value.
func tailless(s string) string { return tails.ReplaceAllString(s, "") }

// coming lists verbs of future facts, unless the sentence is about the past.
var coming = map[string]bool{"plans": true, "has_appointment": true, "has_schedule": true, "has_milestone": true,
	"has_deadline": true, "has_task": true}

var (
	isPast = compiled(`(?i)\b(?:was|were|had|did|went|took|started|began|ended|happened|last|ago|yesterday|released|launched|shipped|completed|finished|visited|war|waren|hatte|hatten|fand|fanden|ging|begann|` +
		`letzte[nrs]?|vor|gestern|vergangene[nrs]?|veröffentlicht|abgeschlossen|ausgeliefert|gewesen)\b`)
	dayNumber  = compiled(`(?i)\b\d{1,2}(?:st|nd|rd|th|\.)`)
	lookedBack = compiled(`(?i)\b(?:last|letzte[nrs]?|vergangene[nrs]?|this|diese[nrs]?)\b`)
)

// coming resolves an expression of time to the future. A month, or a day of it, without a year is the next one, and so
// is a day of the week; the number of a day without a month is in this month or the next.
func (h *hit) coming(e dates.Expression) (from, to time.Time) {
	s := h.sentence.text[e.Start:e.End]
	if !e.To.Before(h.turn.At) || lookedBack.MatchString(s) {
		return e.From, e.To
	}
	years, months, days := 0, 0, 0
	switch {
	case e.Anchor == dates.EveryYear && !hasYear.MatchString(s):
		years = 1
	case e.Anchor == dates.FromReference && dayNumber.MatchString(s) && e.From.AddDate(0, 1, 0).Day() == e.From.Day():
		months = 1
	case dayOfWeek.MatchString(s) && e.To.AddDate(0, 0, 7).After(h.turn.At):
		days = 7
	}
	if from = e.From; !from.IsZero() {
		from = from.AddDate(years, months, days)
	}
	return from, e.To.AddDate(years, months, days)
}

var (
	// saidThen matches reports of what somebody said or believed, which need not be true: "I told the bank I own a
	// house", "ich dachte, ich sei allergisch".
	saidThen = []pattern{
		compiled(`(?i)(\b(?:as|like|what) )?\bI(?:'ve| have|'d| had| once| just| always| also)* (?:said|claimed|pretended|lied|(?:told|wrote)\s+[^,:;\s]+)\b( you\b)?([^:;]*)$`),
		compiled(`(?i)(\bwie )?\b(?:ich (?:sagte|erzählte|behauptete|schrieb|log)|(?:habe ich|ich habe?|ich hatte) [^:;]{0,60}?(?:gesagt|erzählt|behauptet|geschrieben|vorgemacht|weisgemacht))\b( dir\b| euch\b| Ihnen\b)?([^:;]*)$`),
	}
	believedThen = compiled(
		`(?i)\b(?:I(?:'d| had| have|'ve)? (?:\w+ )?(?:thought|believed|assumed|imagined|figured|feared)|I was (?:convinced|sure|told|certain)|I used to (?:think|believe)|` +
			`ich (?:\S+ )?(?:dachte|glaubte|vermutete|befürchtete|hielt|bildete mir ein|war (?:\S+ )?überzeugt|nahm (?:\S+ )?an)|(?:dachte|glaubte) ich|ich habe? [^:;]{0,40}?(?:gedacht|geglaubt|angenommen))\b[^:;]*$`)
	andThen = compiled(`(?i)\b(?:and|but|und|aber|so|because|weil)\s[^,]*$`)
)

var dayOfWeek = compiled(`(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend)\b`)

var toldYou = compiled(`(?i)\b(?:told|wrote) you\b`)

// staged reports whether the words before a statement mark it as said or believed at another time.
func staged(before string) bool {
	if before == "" {
		return false
	}
	if m := believedThen.FindString(before); m != "" && !andThen.MatchString(m) {
		return true
	}
	for _, told := range saidThen {
		m := told.FindStringSubmatch(before)
		if m == nil || m[1] != "" || m[2] != "" || toldYou.MatchString(m[0]) {
			continue
		}
		if rest := strings.TrimSpace(m[3]); !andThen.MatchString(" "+rest+" ") && !strings.HasPrefix(rest, ",") ||
			rest == "," || strings.HasPrefix(rest, ", dass") || strings.HasPrefix(rest, ", ich") {
			return true
		}
	}
	return false
}

var joke = compiled(`(?i)^\W*(?:no,? |nein,? |nah,? |ok(?:ay)?,? |well,? )?(?:ha(?:ha)+h?|hehe+|hihi+|lol|lmao|rofl|jk|(?:just |only |I'm |I'm just |was (?:just |only ))*(?:kidding|joking)|not really|as if|in my dreams|I wish|` +
	`(?:war |ist )?(?:nur |bloß )?(?:ein )?(?:kleiner )?(?:Scherz|Spaß|Spass|Witz)|quatsch|reingelegt|April,? April|nicht wirklich|schön wär's|schön wäre es|von wegen)(?:[^\pL]|$)`)

var jokeInside = compiled(
	`(?i)(?:[,.;!–—-]|\s)\s*(?:haha\w*|hehe+|lol|lmao|jk|just kidding|only joking|just joking|not really|nur Spaß|nur Spass|kleiner Scherz|Scherz beiseite)\W*$`)

// joking reports whether the text after a statement, or the next sentence, marks it as a joke.
func (h *hit) joking(after string) bool {
	if joke.MatchString(after) && !strings.HasPrefix(strings.TrimSpace(after), "not really ") ||
		jokeInside.MatchString(after) {
		return true
	}
	for i := range h.sentences {
		if s := &h.sentences[i]; s.start >= h.sentence.end {
			return joke.MatchString(s.text) && len(strings.Fields(s.text)) <= 6
		}
	}
	return false
}

// particles belong to a German verb of moving, and come at the end of the clause.
var particles = wordSet("um zurück ein aus los weg ab hin heim weiter mit rüber zusammen")

// joined puts a separable German verb together again: "nach Kiel um" and ziehen become "nach Kiel" and umziehen. It
// refuses a particle that changes the meaning of the verb.
func joined(rest, infinitive string) (string, string, bool) {
	at := strings.LastIndexByte(rest, ' ')
	last := rest[at+1:]
	switch {
	case at < 0 && !particles[last]:
		return rest, infinitive, true
	case particles[last]:
		return strings.TrimSpace(rest[:max(at, 0)]), last + infinitive, true
	case last == "hoch" || last == "vor" || last == "fort" || last == "auf" || last == "an" || last == "nach" ||
		last == "heran" || last == "durch" || last == "über":
		return "", "", false
	}
	return rest, infinitive, true
}

// germanIdioms are phrases with a verb of moving but without a destination.
var germanIdioms = compiled(
	`(?i)\b(?:aus der Haut|in die Länge|in den Kakao|auf dem Schlauch|de[nm] Kürzeren|an einem Strang|in Betracht|zu Felde|vor Gericht|ins Lächerliche|in Zweifel|auf die Nerven|` +
		`in den Krieg|um die Häuser|zur Rechenschaft|zu ?rate|ins Vertrauen|mit dem Feuer|auf Sicht|zur Hölle|in den Himmel|zum Mond|in Gedanken|auf Wolke|zum Teufel|in die Luft|in den Schatten|(?:gegen|an) die Wand|` +
		`in Teufels Küche|die Reißleine|den Stecker|die Notbremse|das große Los|den Hut|über den Tisch|den Schwanz|ein Fazit|Bilanz|eine Lehre|Konsequenzen|die Konsequenz|auf dem Zahnfleisch|zweigleisig|schwarz|` +
		`mit angezogener Handbremse|in die Falle|die Krallen|eine Schnute|ins Ungewisse|im Kreis|auf Verschleiß|mein Ding|den Karren|Leine|Schlüsse|in Mitleidenschaft|Kreise|mit ins Boot|auf Nummer sicher)\b`)

// wholeSum repairs a name that begins inside a number, because a comma or point of the number was taken for
// punctuation. It restores the beginning and drops the sum: "Rechnung über 2.715,80 €" becomes Rechnung.
func (h *hit) wholeSum(name string) string {
	text, start := h.sentence.text, h.m[2*h.rule.groups().x]
	if start < 2 || !strings.ContainsAny(text[start-1:start], ",.") || !hasDigit.MatchString(text[start-2:start-1]) {
		return name
	}
	m := sumOfThing.FindStringSubmatch(text[:start])
	if m == nil {
		return ""
	}
	return leadingArticle.ReplaceAllString(m[1], "")
}

var sumOfThing = compiled(
	`(?i)(?:^|[;:,] )(?:und |and )?([\pL][^,;:]*?)\s+(?:über|von|in Höhe von|for|of|over)\s+[€$£]?\s?[\d.,]+$`)

// itemCompound matches a compound for an amount, with its purpose before it.
var itemCompound = compiled(
	`(?i)(?:^|[^\pL])(?:(?:my|our)\s+([\pL-]+)\s+(?:budget|quote|estimate|invoice|bid|offer)|(?-i:(\p{Lu}[\pL]{2,}?))-?(?:[Bb]udget|[Aa]ngebot|[Rr]echnung|[Kk]ostenvoranschlag|[Kk]osten))(?:[^\pL]|$)`)

// compoundItem returns the purpose of an amount in a German compound: Küchenbudget is the Budget of the Küche.
func compoundItem(before string) string {
	m := itemCompound.FindStringSubmatch(before)
	switch {
	case m == nil || notItems[lower(m[1])] && m[2] == "":
		return ""
	case m[1] != "":
		return m[1]
	case notCompound[lower(m[2])]:
		return ""
	}
	return unlinked(m[2])
}

var (
	notCompound = wordSet("gesamt jahres monats unser haupt rest sonder einzel schluss teil abschlags anzahlungs anzahlung zwischen end endab zwischenab vorab rest sammel proforma quartals storno mehr minder neben zusatz ab")
	keepsN      = wordSet("garten boden ofen wagen laden rasen hafen graben balken becken brunnen rahmen süden norden")
)

// unlinked removes the linking letters from the first part of a German compound: Küchen, Heizungs.
func unlinked(part string) string {
	w := lower(part)
	for _, end := range []string{"ungs", "heits", "keits", "schafts", "tions", "itäts"} {
		if strings.HasSuffix(w, end) {
			return part[:len(part)-1]
		}
	}
	if strings.HasSuffix(w, "en") && len(w) > 4 && !keepsN[w] {
		return part[:len(part)-1]
	}
	return part
}

var (
	// remarked begins figures of speech with hate or prefer: "I hate to break it to you".
	remarked = compiled(`(?i)^to (?:break|bring|brag|complain|contradict|correct|disagree|disturb|do (?:this|that|it)|generali[sz]e|keep|leave|mention|nag|point|repeat|rush|sound|speak|spoil|talk|burst|call|question)\b`)
	refrains = compiled(`(?i)^not\b`)
)

// remarks reports whether a taste is a remark on the conversation or a wish to leave something alone.
func (h *hit) remarks() bool {
	return refrains.MatchString(h.x) || h.rule.verb == "dislikes" && remarked.MatchString(h.x)
}
