package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/dates"
)

// A memory that takes back what a person said is worse than one that keeps it too long. So nothing ends a fact but a
// clause of its owner: the subject is I or we, or the thing itself with my before it, and the verb governs the value.
// Any other subject, known or not, ends nothing of the speaker's.

// opening are words before the subject of a clause that change nothing in it; a coordination joins it to another.
const (
	opening = `well|now|then|also|yes|yeah|yep|no|nope|ok|okay|oh|ah|hi|hey|hello|sorry|sadly|unfortunately|luckily|fortunately|thankfully|finally|actually|anyway|recently|by the way|btw|fyi|(?:good |bad |great |some |big )?news|update|wait|oops|whoops|correction|typo|tippfehler|quatsch|nee|entschuldigung|pardon|rather|ups|halt|moment|korrektur|in fact|in the end|at last|these days|` +
		`(?:after|for) \pL+ (?:\pL+ )?(?:years|months|weeks)|in \d{4}|since (?:the|my|our) \pL+|last \pL+|this \pL+|ja|nein|ach|oh|leider|übrigens|endlich|jetzt|nun|inzwischen|mittlerweile|seitdem|heute|gestern|zum Glück|(?:gute|schlechte) Nachrichten?|letzte\w* \pL+|vor \pL+ \pL+|seit \pL+|im \pL+`
	coordinating = `and|but|so|und|aber|also|deshalb`
)

var (
	opens  = compiled(`(?i)^(?:(?:` + opening + `|` + coordinating + `)[,:!]?\s+)+`)
	opened = compiled(`(?i)(?:^|[\s,;–—-])(?:` + opening + `|(` + coordinating + `))[,:!]?$`)

	firstSubject    = compiled(`(?i)^(?:(?:I|we)(?:['’]\pL+)?|ich|wir|mir wurde|\S+(?: \S+)? (?:and|und) (?:I|ich))\s`)
	invertedSubject = compiled(`(?i)^[^,;:!?"„“”]*?\pL+\s(?:ich|wir)\s`)
	mine            = compiled(`(?i)^(?:my|our|meine?|unsere?)\s`)
	matter          = compiled(`(?i)^(?:the|this|that|der|die|das|dieser|diese|dieses)\s`)

	coordinated = compiled(`(?i)[\s,](?:` + coordinating + `)\s+(?:(?:I|we|ich|wir|also|now|auch|jetzt)\s*)*$`)

	clauseEnds = compiled(`(?i)[,;.!?–—(]+(?:\s|$)|\s(?:but|because|while|since I|as I|aber|weil|denn|sondern|obwohl)\s`)

	// awhile matches what makes an end one of the hour: I left early, no coffee for a week.
	awhile = compiled(`(?i)\b(?:for (?:now|lunch|dinner|today|tonight|Lent|once|(?:an?|the|two|three|four|some|\d+) (?:\pL+ )?(?:while|hour|day|night|weekend|week|month|year|summer|winter|season|moment|time|rest|bit|meeting|walk|break)s?)|until|till|tonight|temporarily|early|at (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|lunch)|` +
		`this (?:time|once)|bis|für (?:heute|ein\w*|zwei|drei|den|die|das)|vorerst|vorübergehend|diese Woche|um \d)\b`)

	// aside matches a short clause of somebody else after a statement, by which it may be theirs: ", my aunt claims".
	aside = compiled(`[,–—-]\s*(?i:(?:or )?(?:so|as) )?(?:(?i:my|our|his|her|the|their|meine?|unsere?|seine?|ihre?|der|die) \pL+|(?i:he|she|people|everyone|everybody|some|er|sie|man)|\p{Lu}\pL+)\s(?:\pL+\s){0,4}\pL+[.!]*$|[,–—-]\s(?i:they|those) \pL+[.!]*$`)
)

// owned reports whether the match is a clause of the speaker: nothing comes before its subject but words that open a
// clause, and nothing after it hands it to somebody else or limits it. A thing of a project needs no my in the project.
func (h *hit) owned() bool {
	if s := h.sentence; s.made && s.from > 0 && !coordinated.MatchString(h.turn.Text[s.start:s.start+s.from]) {
		return false // "I dreamt, I sold it" is no statement of its own
	}
	text, from := h.sentence.text, h.m[0]
	for from < h.m[1] && !isWordStart(text[from:]) {
		from++
	}
	if m := opens.FindStringIndex(text[from:h.m[1]]); m != nil {
		from += m[1]
	}
	match, inverted := text[from:], false
	switch g := h.rule.groups(); {
	case firstSubject.MatchString(match):
	case mine.MatchString(match), h.turn.Project && matter.MatchString(match):
		at := from + strings.IndexByte(match, ' ') + 1
		for n := range len(h.m) / 2 {
			if n > 0 && h.m[2*n] == at && (n == g.x || n == g.y) {
				return h.leads(text[:from], false) && h.trails(text[at:])
			}
		}
		return false
	case invertedSubject.MatchString(match[:min(len(match), h.m[1]-from+1)]):
		inverted = true
	default:
		return false
	}
	return h.leads(text[:from], inverted) && h.trails(match)
}

// leads reports whether a clause after these words states something by itself. A German verb before its subject leaves
// room for one part of the same clause.
func (h *hit) leads(before string, inverted bool) bool {
	joined := false
	for before = strings.TrimRight(before, " "); before != ""; before = strings.TrimRight(before, " ") {
		if strings.ContainsAny(before[len(before)-1:], ";") {
			joined, before = true, before[:len(before)-1]
			continue
		}
		cut := strings.TrimRight(before, ",")
		if m := opened.FindStringSubmatchIndex(before); m != nil {
			joined = joined || m[2] >= 0
			before = strings.TrimRight(before[:m[0]], " ,–—-")
			continue
		}
		times := h.times()
		i := slices.IndexFunc(times, func(e dates.Expression) bool { return e.End == len(cut) })
		if i < 0 {
			break
		}
		before = strings.TrimRight(before[:times[i].Start], " ")
	}
	if before == "" {
		return true
	}
	for _, w := range words(nil, before) {
		if reports[w] || opinions[w] || hedges[w] || wishes[w] || w == "that" || w == "dass" {
			return false
		}
	}
	return (joined || inverted && !strings.Contains(before, ",")) && !strings.ContainsAny(before, `:"„“”`)
}

// trails reports whether a statement holds as it is, with all that follows its subject.
func (h *hit) trails(match string) bool {
	clause := match
	if m := clauseEnds.FindStringIndex(clause); m != nil {
		clause = clause[:m[0]]
	}
	if awhile.MatchString(clause) || aside.MatchString(match) {
		return false
	}
	return !slices.ContainsFunc(words(nil, match[len(clause):]), func(w string) bool { return hedges[w] })
}

// wholly reports whether an end is not limited to a time, a place or a manner. What was planned has them in its name.
// Somebody who is dead or dismissed, and a thing that is sold, is so everywhere.
func (h *hit) wholly() bool {
	from := h.m[0]
	if n := h.rule.groups().x; n > 0 && h.m[2*n] >= 0 {
		from = h.m[2*n]
	}
	clause := h.sentence.text[from:]
	if m := clauseEnds.FindStringIndex(clause); m != nil {
		clause = clause[:m[0]]
	}
	everywhere := func(v string) bool { return v == "plans" || v == "has_pet" || v == "works_at" }
	return slices.ContainsFunc(h.rule.meets, everywhere) || slices.Contains(unrestricted, h.rule.verb) ||
		!restriction.MatchString(clause) && (h.rule.change != nil ||
			!limiting.MatchString(h.cutTimes(from, from+len(clause))))
}

var (
	// others matches a thing that belongs to somebody else, or a thing that is only a part of what is named.
	others = compiled(`(?i)['’]s\s|s['’]\s|^(?:his|her|their|your|its|someone|somebody|dein\w*|sein\w*|ihre?\w?|euer|eure\w*)\s|\s(?:of|von|vom)\s|\pL\s(?:mein|dein|sein|ihr|unser|eur)e[rs]\s|\pL\s(?:des|meines|seines|ihres)\s`)
	// ungoverned begins words that are no object of the verb before them.
	ungoverned = compiled(`(?i)^(?:by|at|in|on|off|out|from|for|to|with|without|about|over|under|near|past|behind|before|after|because|when|while|if|there|here|bei|in|im|an|am|auf|mit|für|vor|nach|zu[mr]?|wegen)\b`)
	beyond     = compiled(`(?i)\s(?:to|for|with|from|by|at|in|on|about|near|during|because|when|while|after|before|für|mit|bei|an|wegen)\s`)
	limiting   = compiled(`(?i)\s(?:for|with|at|in|on|für|mit|bei|in|auf|vor)\s`)
	clausal    = compiled(`(?i)(?:^|\s)(?:I|he|she|it|they|we|you|who|that|ich|er|es|wir|ihr|dass|habe|haben|hat)\s`)
	anyOne     = compiled(`(?i)^(?:an?|some|another|any|one|two|three|several|many|ein|eine|einen|einem|einige|mehrere|zwei|drei)\s`)
)

// ends fills in what has ended: the value x, or each item of an enumeration.
func ends(h *hit, c *Amendment) bool {
	if n := h.rule.groups().x; n > 0 && h.m[2*n] >= 0 {
		return endsWhat(c, h.withoutTimes())
	}
	return endsWhat(c, h.x)
}

// endsWhat fills in what the words name as objects of the verb.
func endsWhat(c *Amendment, x string) bool {
	for _, item := range listed().Split(x, -1) {
		item = tidy(tailless(tidy(item)))
		if m := beyond.FindStringIndex(item); m != nil {
			item = item[:m[0]]
		}
		if others.MatchString(item) || ungoverned.MatchString(item) || clausal.MatchString(item) {
			return false
		}
		if item = bare(item); item == "" || unnamed.MatchString(item) {
			continue
		}
		if almost(item) || len(strings.Fields(item)) > 9 || len(c.Values) == 4 {
			return false
		}
		c.Values = append(c.Values, item)
	}
	return len(c.Values) > 0
}

// unnamed are values without a name.
var unnamed = compiled(`(?i)^(?:it|that|this|them|there|everything|mine|(?:old |day )?(?:job|position|work|company|plan|idea|relationship)|Stelle|Job|es|das)$`)

// endsThing handles a thing that somebody had: a canoe of no owner may be anybody's.
func endsThing(h *hit, c *Amendment) bool { return !anyOne.MatchString(h.x) && ends(h, c) }

// endsLeft handles what somebody left for good.
func endsLeft(h *hit, c *Amendment) bool {
	return !anyOne.MatchString(h.x) && !beyond.MatchString(h.x) && !andThen.MatchString(h.x) && ends(h, c)
}

// endsPlan handles what was planned, whose place and company belong to its name.
func endsPlan(h *hit, c *Amendment) bool {
	x := tidy(tailless(tidy(h.withoutTimes())))
	if others.MatchString(x) || ungoverned.MatchString(x) || almost(x) || x == "" || unnamed.MatchString(bare(x)) {
		return false
	}
	for _, item := range listed().Split(bare(x), -1) {
		c.Values = append(c.Values, tidy(item))
	}
	return true
}

// doings are the verbs of facts by the words for what somebody does; what follows the words is the value.
var doings = []struct {
	words pattern
	verbs []string
	exact bool
}{
	{did(`play(?:ing)?|spielen?`), []string{"plays"}, false},
	{did(`(?:work(?:ing)?|employed) (?:at|for|by|as|with|in)|arbeiten? (?:bei|als|für|in)`), []string{"works_at", "works_as", "works_in"}, false},
	{did(`be (?:at|with|bei)`), []string{"works_at", "has_partner", "has_spouse", "consults"}, false},
	{did(`(?:live|living|based) (?:in|at)|(?:wohnen?|leben?) (?:in|bei)`), homeVerbs, false},
	{did(`(?:live|living) with|(?:wohnen?|leben?) mit`), []string{"lives_with"}, false},
	{did(`lebe|leben|ernähre mich|esse|essen`), []string{"follows_diet"}, true},
	{did(`allergic to|intolerant (?:to|of)|gegen`), []string{"allergic_to", "intolerant_to"}, false},
	{did(`tak(?:e|ing)|be on|nehmen?`), []string{"takes_medicine"}, false},
	{did(`learn(?:ing)?|study(?:ing)?|lernen?|studieren?`), []string{"learns", "studies"}, false},
	{did(`teach(?:ing)?|unterrichten?`), []string{"teaches"}, false},
	{did(`have|own(?:ing)?|driv(?:e|ing)|habe|haben|besitzen?|fahren?`), []string{"owns", "has_pet", "has_condition"}, false},
	{did(`us(?:e|ing)|need(?:ing)?|wear(?:ing)?|(?:be)?nutzen?|verwenden?|brauchen?`), []string{"uses"}, false},
	{did(`like|love|enjoy|adore|prefer|be (?:fond of|keen on|into|a (?:big )?fan of|interested in)|mag|mögen|lieben?|bevorzugen?`), []string{"likes", "prefers"}, true},
	{did(`hate|dislike|mind|hassen?`), []string{"dislikes"}, true},
	{did(`(?:be )?(?:afraid|scared|frightened) of`), []string{"has_trait"}, false},
	{did(`married to|engaged to|together with|dating|seeing`), partnerVerbs, false},
	{did(`(?:be )?a member of|sing(?:ing)? in`), []string{"member_of"}, false},
	{did(`go(?:ing)?(?: to)?|do(?:ing)?|attend(?:ing)?|volunteer(?:ing)?(?: at)?|practi[cs](?:e|ing)|run(?:ning)?|eat(?:ing)?|drink(?:ing)?|gehen?(?: zum| zur| in)?|machen?|treiben?|trinken?`), []string{"does_regularly"}, false},
}

func did(words string) pattern { return compiled(`(?i)^(?:be )?(?:` + words + `)\s+(.+)$`) }

var (
	smokers     = []string{"smoker", "Raucher", "Raucherin"} // in whatever form and language it was stated
	smoking     = compiled(`(?i)^(?:be )?(?:(?:a )?smok(?:e|er|ing)|rauchen?|Raucher(?:in)?)$`)
	gerund      = compiled(`(?i)^\pL+ing\s`)
	isAuxiliary = compiled(`(?i)['’](?:m|re)\b|\b(?:am|are|aren['’]t)\b`)
)

// endsDoing handles what somebody is or does no longer, or has given up: the verb says which facts are meant. A name
// alone ends no fact that lasts, and a word for what somebody is ends any fact with exactly this value.
func endsDoing(h *hit, c *Amendment) bool {
	x := tidy(tailless(tidy(h.withoutTimes())))
	being := isAuxiliary.MatchString(h.y)
	if being {
		x = "be " + x
	}
	return c.given(x, being || h.y == "" && !strings.Contains(h.rule.id, ".over.1"))
}

// given fills in the verbs and the value of something given up; bare allows a value without a verb before it.
func (c *Amendment) given(x string, bareToo bool) bool {
	if smoking.MatchString(x) {
		c.Verbs, c.Values, c.Exact = []string{"has_trait"}, smokers, true
		return true
	}
	for _, d := range doings {
		if m := d.words.FindStringSubmatch(x); m != nil {
			if c.Verbs, c.Exact = d.verbs, d.exact; limiting.MatchString(m[1]) {
				return false
			}
			return endsWhat(c, m[1])
		}
	}
	value, being := strings.CutPrefix(x, "be ")
	if !bareToo || gerund.MatchString(value) || anyOne.MatchString(value) && !being {
		return false
	}
	c.Whole, c.Exact = being, being
	return endsWhat(c, value)
}

var (
	noMore = compiled(`(?i)\b(?:doch nicht|doch keine?n?|nicht mehr|keine?n?|mehr|doch)\b`)
	isGone = compiled(`(?i)^(?:bin|sind)\s`)
)

// endsNoMore handles what is no longer, or after all not, done, had or planned, in German word order: the object of the
// verb y.
func endsNoMore(h *hit, c *Amendment) bool {
	verb, rest := lower(h.y), tidy(noMore.ReplaceAllString(h.withoutTimes(), " "))
	if rest == "" || almost(rest) || wishes[verb] || hedges[verb] || opinions[verb] {
		return false
	}
	if c.Verbs != nil || strings.Contains(h.sentence.text[h.m[0]:h.m[1]], " doch ") { // planned
		c.Verbs, c.Values = plannedVerbs, []string{rest}
		return len(strings.Fields(rest)) <= 8
	}
	x := verb + " " + strings.TrimSuffix(rest, " allergisch")
	return c.given(isGone.ReplaceAllString(x, "be "), isGone.MatchString(x))
}

// endsRefused handles planned things that people refuse to do. A single word may mean this hour alone.
func endsRefused(h *hit, c *Amendment) bool {
	match := h.sentence.text[h.m[0]:]
	return endsPlan(h, c) && !forNow.MatchString(match) &&
		(len(strings.Fields(c.Values[0])) > 1 || afterAll.MatchString(match))
}

var (
	forNow   = compiled(`(?i)\b(?:yet|today|tonight|right now|at the moment|for now|only|just)\b`)
	afterAll = compiled(`(?i)\b(?:after all|any ?more|any longer)\b`)
)

// endsDone handles activities that are named with their verb, y.
func endsDone(h *hit, c *Amendment) bool {
	if !endsPlan(h, c) {
		return false
	}
	doing := lower(h.y)
	if !settling[doing] {
		c.Verbs = slices.DeleteFunc(slices.Clone(c.Verbs), func(v string) bool { return v == "has_deadline" })
	}
	if base, ok := doneForms[doing]; ok {
		doing = base
	}
	if doing != "" && !finishing[doing] {
		c.Values[0] = doing + " " + c.Values[0]
	}
	return true
}

// endsTreated handles a stopped medicine; somebody who is off to bed or on holiday stops nothing.
func endsTreated(h *hit, c *Amendment) bool { return !away.MatchString(h.x) && ends(h, c) }

var away = compiled(`(?i)^(?:to|on|for|at|in|with|work|home|school|duty|sick|guard|topic|track|grid|again|today|tomorrow|course|limits|the (?:hook|record|mark|grid|radar|table|air|clock|phone|plane|train|bus))\b`)

// endsJob handles words about work: a job may be named by its place or its title, or is the only one. Somebody who lost
// a job long ago has another.
func endsJob(h *hit, c *Amendment) bool {
	if named := h.x + h.y; named != "" {
		return endsWhat(c, named)
	}
	return !longAgo.MatchString(h.sentence.text)
}

// longAgo matches times before those of which people speak as news.
var longAgo = compiled(`(?i)\b(?:when I was|back when|years ago|as a (?:child|kid|teenager|student)|at (?:1\d|2\d|sixteen|seventeen|eighteen|nineteen|twenty)|in (?:19|20)\d\d|als ich|vor \S+ Jahren|mit (?:1\d|2\d|achtzehn|neunzehn|zwanzig)|(?:im Jahr )?(?:19|20)\d\d)\b`)

// endsHome handles a former home.
func endsHome(h *hit, c *Amendment) bool { return isPlace(tidy(h.x)) && ends(h, c) }

// endsAilment handles an allergy that has ended.
func endsAilment(h *hit, c *Amendment) bool {
	what := h.doubled(h.x)
	if what == "" {
		what = h.y
	}
	if others.MatchString(what) {
		return false
	}
	what = tidy(ailment.ReplaceAllString(what, " "))
	c.Values = []string{what}
	return what != "" && !almost(what)
}

var ailment = compiled(`(?i)\b(?:allergy to|allergy|intolerance to|intolerance)\b`)
