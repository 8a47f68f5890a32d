package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

const weDecided = `(?:I|we|they|the \w+|{Who}|it was)(?:'ve| have| has)? {adv}`

// decisionRules find decisions for and against something.
var decisionRules = []rule{
	{id: "en.decision.1", triggers: "decided resolved", pattern: weDecided + `(?:decided|resolved) (?:to|on|for) {clause}`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "en.decision.2", triggers: "decided", pattern: weDecided + `decided against (?:(?P<y>\w+ing)\b ?)?{clause}`, verb: "decided", check: isRefusal, subject: ProjectSubject},
	{id: "en.decision.3", triggers: "agreed decided settled", pattern: weDecided + `(?:agreed (?:on|to|that)|decided that|settled on) {clause}`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "en.decision.4", triggers: "go going", pattern: `(?:we'll|we will|we're going to|I'll|let's) (?P<x>go with .{2,160}?)[.!]*$`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "en.decision.5", triggers: "chose chosen picked", pattern: weDecided + `(?:chose|chosen|picked|opted for) (?P<x>(?:the|an?) .{2,100}?)(?:[.,;!]|$| (?:because|for|since|as)\b)`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "en.decision.6", triggers: "decision decided", pattern: `^(?:[-*•] )?(?:decision|decided): {clause}`, verb: "decided", check: isDecision, subject: ProjectSubject, whole: true},
	{id: "de.decision.1", triggers: "entschieden beschlossen vereinbart", pattern: `(?:hat|haben|habe|wurde) (?:(?:ich|wir|uns|heute|gestern|jetzt|gemeinsam|endlich|nun) )*(?:entschieden|beschlossen|vereinbart), (?:dass )?{clause}`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "de.decision.2", triggers: "entschieden", pattern: `(?:habe mich|haben uns|habe ich mich|haben wir uns|hat sich) (?:(?:jetzt|nun|heute|gestern|endlich|doch) )*für {things} entschieden`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "de.decision.3", triggers: "entschieden", pattern: `(?:habe mich|haben uns|habe ich mich|haben wir uns|hat sich) (?:(?:jetzt|nun|heute|gestern|endlich|doch) )*gegen {things} entschieden`, verb: "decided", check: isDecision, subject: ProjectSubject, ends: true},
	{id: "de.decision.4", triggers: "geeinigt verständigt", pattern: `(?:haben uns|haben wir uns) (?:(?:jetzt|nun|heute|gestern|endlich) )*auf {things} (?:geeinigt|verständigt)`, verb: "decided", check: isDecision, subject: ProjectSubject},
	{id: "de.decision.5", triggers: "entscheidung beschluss beschlossen entschieden", pattern: `^(?:[-*•] )?(?:Entscheidung|Beschluss|beschlossen|entschieden): {clause}`, verb: "decided", check: isDecision, subject: ProjectSubject, whole: true},
}

var (
	notDecided = compiled(`(?i)^(?:it|that|this|nothing|something|him|her|me|you|das|nichts|etwas|es)\W*$`)
	insteadOf  = compiled(`(?i)\b(?:instead of|rather than|statt|anstatt|anstelle von)\s+(.+)$`)
)

func isDecision(h *hit) bool {
	if h.Polarity == trilith.Negated && !h.rule.ends {
		return false
	}
	h.Node.Name = tidy(h.x)
	if notDecided.MatchString(h.Node.Name) || len(h.Node.Name) < 3 {
		return false
	}
	if m := insteadOf.FindStringSubmatch(h.Node.Name); m != nil {
		h.put("instead_of", tidy(m[1]))
	}
	return true
}

// isRefusal names the refused thing in the form of a decision for it.
func isRefusal(h *hit) bool {
	h.Ends, h.Polarity = true, trilith.Negated
	h.Node.Name = strings.TrimSpace(base(lower(h.y)) + " " + tidy(h.x))
	return true
}

// base returns the infinitive of an English verb in -ing, as far as its spelling shows.
func base(ing string) string {
	if b, ok := baseForms[ing]; ok {
		return b
	}
	stem := strings.TrimSuffix(ing, "ing")
	n := len(stem)
	switch {
	case n < 2 || stem == ing:
		return ing
	case n > 3 && stem[n-1] == stem[n-2] && !strings.ContainsRune("sl", rune(stem[n-1])):
		return stem[:n-1]
	case strings.ContainsRune("vcgsu", rune(stem[n-1])) && !strings.HasSuffix(stem, "ss") &&
		!strings.HasSuffix(stem, "ng"), strings.HasSuffix(stem, "at"), strings.HasSuffix(stem, "iz"),
		strings.HasSuffix(stem, "par"):
		return stem + "e"
	}
	return stem
}

// deadlineRules find deadlines.
var deadlineRules = []rule{
	{id: "en.deadline.1", triggers: "due", pattern: `(?:^|, |the |my |our |and )?(?:the |my |our |your )?{short} (?:is|are) {adv}due (?P<y>(?:on |by |in |next |this |tomorrow|today|at |before |no later).{0,40}|(?-i:[A-Z]\w+day).{0,20})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "en.deadline.2", triggers: "deadline", pattern: `(?:the |our |my )?deadline(?: for (?:the |our |my |your )?(?P<x>[^,.;!?]{2,60}?))? (?:is|was moved to|has been moved to)(?: on)? (?P<y>.{3,60})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "en.deadline.3", triggers: "must has have needs need", pattern: `^(?:and |so )?(?:the |our |my |your )?(?P<x>[\pL][^,.;!?]{1,50}?) (?:must|(?:has|have|needs?) to) be (?:finished|done|ready|complete[d]?|submitted|delivered|paid|sent|filed|handed in|approved|signed) (?P<y>(?:by|before|no later than|until) .{2,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "en.deadline.4", triggers: "close closes end ends", pattern: `^(?:the |our )?(?P<x>applications|registration|submissions?|enrolment|voting|the call|bidding|early bird)(?: period)? (?:closes?|ends?) (?P<y>(?:on|at|in|next|this) .{2,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "en.deadline.5", triggers: "want wants need needs expect expects", pattern: `(?:he|she|they|the client|{Who}) (?:wants?|needs?|expects?) (?:the |our |my |to )?{short} (?P<y>(?:by|before|no later than) .{2,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "en.deadline.6", triggers: "deadline due", pattern: `^(?:[-*•] )?(?:(?P<x>[\pL ]{2,30}) )?(?:deadline|due(?: date)?): (?P<y>.{3,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject, whole: true},
	{id: "de.deadline.1", triggers: "fällig", pattern: `(?:der |die |das |meine |unsere |mein |unser )?{short} (?:ist|sind|wird|werden) (?P<y>(?:am |bis |im |zum |nächste|diese|morgen|heute|spätestens).{1,40}?) fällig`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.2", triggers: "frist deadline abgabefrist stichtag", pattern: `(?:die |der )?(?:Frist|Deadline|Abgabefrist|Stichtag)(?: für (?:die |den |das |unsere |unseren )?(?P<x>[^,.;!?]{2,60}?))? (?:ist|endet|läuft)(?: bis)? (?P<y>.{3,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.3", triggers: "muss müssen", pattern: `^(?:und )?(?:der |die |das |unser |unsere |mein |meine )?(?P<x>(?-i:\p{Lu})[^,.;!?]{1,50}?) (?:muss|müssen) (?P<y>(?:bis|spätestens|vor) .{2,40}?) (?:fertig|abgegeben|eingereicht|bezahlt|geliefert|erledigt|unterschrieben|da|verschickt|abgeschlossen|gezahlt)\b`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.4", triggers: "bezahlen zahlen begleichen abzugeben einzureichen liefern", pattern: `^(?:der |die |das |unser |unsere )?(?P<x>(?-i:\p{Lu})[^,.;!?]{1,50}?) (?:ist|sind) (?P<y>(?:bis|spätestens) .{2,40}?) (?:zu (?:bezahlen|zahlen|begleichen|liefern)|abzugeben|einzureichen)`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.5", triggers: "abgabe frist fällig deadline abgabetermin", pattern: `^(?:[-*•] )?(?P<x>Abgabe|Frist|Deadline|Fällig|Abgabetermin): (?P<y>.{3,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject, whole: true},
}

var notDue = compiled(`(?i)^(?:it|that|this|he|she|they|we|you|i|everything|all|what|das|es|er|sie|alles|wir|ich|was|baby|child|twins)$`)

func isDue(h *hit) bool {
	g := h.rule.groups()
	name := ""
	if h.x != "" {
		name = bare(tidy(h.wholeSum(h.withoutTimes())))
	}
	if notDue.MatchString(name) || len(strings.Fields(name)) > 6 || h.Polarity == trilith.Negated {
		return false
	}
	if !h.due(max(0, h.m[2*g.y]-5), h.m[2*g.y+1]) {
		return false
	}
	if name == "" || name == "Frist" || name == "Deadline" {
		name, _ = h.Content["due"].(string)
	}
	h.Node.Name = h.uncapitalised(name)
	h.RequiresAction = true
	return true
}

// concernRules find risks and constraints.
var concernRules = []rule{
	{id: "en.risk.1", triggers: "risk risks", pattern: `^(?:[-*•] )?(?:main |biggest )?risks?: {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject, whole: true},
	{id: "en.risk.2", triggers: "blocked held", pattern: `(?:I(?:'m| am)|we(?:'re| are)|the (?:team|project|work|launch|migration|order|build|task|release|delivery|kitchen|site)(?: is)?) {adv}(?:blocked|held up) by {thing}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "en.risk.3", triggers: "risk danger", pattern: `there(?:'s| is) {adv}(?:an? )?(?:(?:real|big|high|serious|small|considerable) )?(?:risk|danger)(?: of| that) {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "en.risk.4", triggers: "risk", pattern: `(?:the|our) (?:main|biggest|greatest|only|key) risk (?:is|remains) (?:that )?{clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "en.risk.5", triggers: "risk", pattern: `(?:we|I) run the risk of {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "en.risk.6", triggers: "worried concerned afraid", pattern: `(?:I(?:'m| am)|we(?:'re| are)) {adv}(?:worried|concerned|afraid) that {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "de.risk.1", triggers: "risiko risiken gefahr", pattern: `^(?:[-*•] )?(?:Risiko|Risiken|Gefahr): {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject, whole: true},
	{id: "de.risk.2", triggers: "blockiert aufgehalten", pattern: `(?:wir sind|wir werden|das (?:Team|Projekt) (?:ist|wird)|die Arbeit (?:ist|wird)|der Bau (?:ist|wird)) {adv}(?:durch|von) {things} (?:blockiert|aufgehalten)`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "de.risk.3", triggers: "risiko gefahr", pattern: `es besteht {adv}(?:das|die|ein|eine) (?:(?:große[s]?|hohe[s]?|reale?s?) )?(?:Risiko|Gefahr)(?: von|, dass| einer| eines) {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "de.risk.4", triggers: "risiko gefahr", pattern: `(?:das|die|unser|unsere) (?:größte|größtes|einzige|einziges|wichtigste) (?:Risiko|Gefahr) (?:ist|bleibt),? (?:dass )?{clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},
	{id: "de.risk.5", triggers: "befürchte fürchte befürchten", pattern: `(?:ich (?:befürchte|fürchte)|wir (?:befürchten|fürchten)), dass {clause}`, verb: "has_risk", check: isConcern, subject: ProjectSubject},

	{id: "en.constraint.1", triggers: "rule constraint requirement limit restriction condition", pattern: `^(?:[-*•] )?(?:rule|constraint|requirement|limit|restriction|condition)s?: {clause}`, verb: "has_constraint", check: isConcern, subject: ProjectSubject, whole: true},
	{id: "en.constraint.2", triggers: "exceed longer heavier larger more higher wider bigger later below above over under within", pattern: `^(?:and |but )?(?P<x>(?:the |our |an? |all )?[\pL][^,;!?]{1,60}? (?:must|may|can|should) (?:not (?:exceed|be (?:longer|heavier|larger|more|higher|wider|bigger|later) than|go (?:above|over|below))|(?:stay|remain|be|keep) (?:below|under|above|within)) .{1,80}?)[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject},
	{id: "en.constraint.3", triggers: "most least", pattern: `^(?P<x>(?:we|I|you|they|the [\pL ]{2,30}) (?:can|may|must|have to|want to) [^,;!?]{1,60}? at (?:most|least) .{0,60}?\d.{0,60}?)[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject, whole: true},
	{id: "en.constraint.4", triggers: "allowed permitted forbidden prohibited", pattern: `^(?P<x>[\pL][^,;!?]{1,60}? (?:is|are) (?:not (?:allowed|permitted)|forbidden|prohibited)\b.{0,80}?)[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject},
	{id: "en.constraint.5", triggers: "nothing", pattern: `^(?P<x>nothing (?:gets|is|may be|will be) (?:[a-z]+ed|built|sold|sent|bought|paid|done) (?:before|until|without) .{2,80}?)(?:[.,;!]|$)`, verb: "has_constraint", check: isLimit, subject: ProjectSubject},
	{id: "de.constraint.1", triggers: "regel vorgabe anforderung bedingung einschränkung auflage", pattern: `^(?:[-*•] )?(?:Regel|Vorgabe|Anforderung|Bedingung|Einschränkung|Auflage)(?:n|en)?: {clause}`, verb: "has_constraint", check: isConcern, subject: ProjectSubject, whole: true},
	{id: "de.constraint.2", triggers: "darf dürfen", pattern: `^(?P<x>(?:der|die|das|unser|unsere|ein|eine|alle)? ?(?-i:\p{Lu})[^,;!?]{1,40}? (?:darf|dürfen) (?:nicht (?:schwerer|länger|größer|höher|breiter|mehr|teurer|später) als .{1,60}?|(?:maximal|höchstens) .{1,80}?|.{1,40}? nicht (?:überschreiten|übersteigen)))[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject},
	{id: "de.constraint.3", triggers: "höchstens mindestens maximal", pattern: `^(?P<x>(?:wir|ich) (?:dürfen|darf|können|kann|müssen|muss) (?:höchstens|mindestens|maximal) .{0,60}?\d.{0,60}?)[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject},
	{id: "de.constraint.4", triggers: "verboten untersagt erlaubt", pattern: `^(?P<x>[\pL][^,;!?]{1,60}? (?:ist|sind) (?:[^,;!?]{1,40}? )?(?:verboten|untersagt|nicht (?:erlaubt|gestattet)))[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject, whole: true},
	{id: "de.constraint.5", triggers: "nichts", pattern: `^(?P<x>(?:vor|ohne|bis zu) (?:der|die|dem|den) [^,;!?]{2,40}? wird nichts [\pL]+t)[.!]*$`, verb: "has_constraint", check: isLimit, subject: ProjectSubject, whole: true},
}

var notConcern = compiled(`(?i)^(?:it|that|this|you|him|her|me|us|them|everything|nothing|das|es|dies|sheep)\b\W*$`)

func isConcern(h *hit) bool {
	if h.Polarity == trilith.Negated {
		return false
	}
	h.Node.Name = tidy(h.x)
	return len(h.Node.Name) > 2 && !notConcern.MatchString(h.Node.Name)
}

// notLimited matches subjects that cannot have a limit.
var notLimited = compiled(`(?i)^(?:it|that|this|there|he|she|es|er|sie|das (?:darf|muss|ist|kann)) `)

// isLimit stores the sentence, with a small letter at its beginning unless it begins with a name.
func isLimit(h *hit) bool {
	h.Node.Name = tidy(h.x)
	if notLimited.MatchString(h.Node.Name) {
		return false
	}
	if first := lower(strings.Fields(h.Node.Name)[0]); h.rule.lang == english || notPersons[first] || first == "wir" ||
		first == "vor" || first == "ohne" || first == "rauchen" {
		h.Node.Name = lowerFirst(h.Node.Name)
	}
	h.Polarity = trilith.Affirmed
	return true
}

// uncapitalised removes the capital letter that an English name only has at the beginning of a sentence.
func (h *hit) uncapitalised(name string) string {
	if h.rule.lang == english && len(name) > 1 && strings.HasPrefix(h.sentence.text, name) && 'a' <= name[1] &&
		name[1] <= 'z' {
		return lowerFirst(name)
	}
	return name
}

// dated handles a node with a time, which becomes the time of the fact.
func dated(h *hit) bool {
	if h.Polarity == trilith.Negated || h.Certainty == trilith.Hedged {
		return false
	}
	h.Node.Name = h.uncapitalised(h.Node.Name)
	for _, e := range h.times() {
		if e.Kind == dates.Recurring {
			h.put("when", strings.TrimSpace(h.sentence.text[e.Start:e.End]))
			return true
		}
	}
	if h.during() {
		return true
	}
	if m := monthAlone.FindStringSubmatch(h.sentence.text[max(0, h.m[1]-5):]); m != nil {
		h.put("when", m[1])
		return true
	}
	return false
}

// monthAlone is a month after a preposition that is not part of an expression of time: planned for September.
var monthAlone = compiled(
	`(?i)\b(?:for|für)\s+(January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b`)
