package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

const (
	// A company's name in the singular, or with its legal form after it.
	companyName   = `(?-i:\p{Lu}[\pL\pN&\x27’.-]*(?:\s(?:&|and|und)\s\p{Lu}[\pL\x27’-]*|\s\p{Lu}[\pL&\x27’.-]*){0,3})`
	englishTrades = `(?:general contractor|contractor|subcontractor|builder|roofer|plumber|electrician|carpenter|joiner|painter|plasterer|tiler|landscaper|architect|structural engineer|surveyor|project manager|site manager|` +
		`accountant|tax adviser|tax advisor|lawyer|solicitor|insurer|bank|supplier|vendor|caterer|printer|agency|hosting provider|provider|client|customer|sponsor|investor|insurance|auditor|notary|dentist|doctor|GP|therapist|vet|hairdresser|mechanic|physio|trainer)`
	germanTrades = `(?:Generalunternehmer|Bauunternehmer|Dachdecker|Klempner|Installateur|Elektriker|Schreiner|Tischler|Maler|Verputzer|Fliesenleger|Gärtner|Architekt(?:in)?|Statiker(?:in)?|Bauleiter(?:in)?|Projektleiter(?:in)?|` +
		`Steuerberater(?:in)?|Anwalt|Anwältin|Versicherung|Bank|Lieferant|Caterer|Druckerei|Agentur|Kunde|Kundin|Auftraggeber|Sponsor|Investor|Notar(?:in)?|Hausarzt|Hausärztin|Zahnarzt|Zahnärztin|Therapeut(?:in)?|Tierarzt|Tierärztin)`
	// a part of a project, as the subject of finished or waiting work
	matterName = `(?P<x>[\pL][\pL\pN -]{1,40}?)`
	who        = `(?P<y>(?:the |our |my |der |die |das |unser |unsere |mein |meine )?[\pL][\pL .\x27’-]{1,40}?)`
)

// matterRules find the state of a project: approvals, finished and waiting work, and participants.
var matterRules = []rule{
	{id: "en.approval.1", triggers: "signed approved okayed greenlit authorised authorized ratified",
		pattern: `^(?:(?:good news|update|ok|okay|so|and|great|fyi)[:, ]+)*` + who +
			`(?: has| have|'s|'ve)? (?:finally |now |also |already |officially |just |formally )*(?:signed off(?: on)?|approved|okayed|greenlit|authori[sz]ed|ratified) (?P<x>(?:the|our|my|phase|lot|change order|invoice)\b ?.{2,80}?)` + matterEnd, verb: "approved", check: isApproval, subject: ProjectSubject},
	{id: "en.approval.2", triggers: "signed approved cleared okayed granted",
		pattern: `^(?:(?:good news|update|ok|okay|so|and|great|fyi)[:, ]+)*(?:the |our |my )?` + matterName +
			` (?:is|was|were|are|has been|have been|got) (?:finally |now |also |already |officially )*(?:signed off|approved|cleared|okayed|granted)(?: by (?P<y>.{2,40}?))?` + matterEnd, verb: "approved", check: isApproval, subject: ProjectSubject},
	{id: "en.approval.3", triggers: "sign-off approval go-ahead green", pattern: `(?:we|I) (?:have|got|received|'ve got|finally got) (?:the )?(?:sign-off|approval|go-ahead|green light|permission) (?:for|on|to) (?:the )?(?P<x>.{2,60}?)(?: from (?P<y>.{2,40}?))?` + matterEnd, verb: "approved", check: isApproval, subject: ProjectSubject},
	{id: "de.approval.1", triggers: "freigegeben genehmigt abgenommen abgesegnet bewilligt", pattern: `^` + who +
		` (?:hat|haben) (?:(?:heute|gestern|jetzt|endlich|nun|am \S+(?: \S+)?) )*(?P<x>(?:den|die|das|unser|unsere|unseren) .{2,60}?) (?:freigegeben|genehmigt|abgenommen|abgesegnet|bewilligt)` + matterEnd, verb: "approved", check: isApproval, subject: ProjectSubject},
	{id: "de.approval.2", triggers: "freigegeben genehmigt abgenommen bewilligt abgesegnet",
		pattern: `^(?:der|die|das|unser|unsere) ` + matterName +
			` (?:ist|wurde|sind|wurden) (?:(?:heute|gestern|jetzt|endlich|nun|am \S+(?: \S+)?) )*(?:vo[nm] (?P<y>.{2,40}?) )?(?:freigegeben|genehmigt|abgenommen|bewilligt|abgesegnet)` + matterEnd, verb: "approved", check: isApproval, subject: ProjectSubject},
	{id: "en.milestone.5", triggers: "finished complete completed done ready installed delivered live up poured laid",
		pattern: `^(?:(?:good news|update|ok|okay|so|and|great|fyi|finally|status)[:, ]+)*(?:the |our )` + matterName +
			` (?:is|are|was|were|has been|have been) (?:now |finally |all |fully |already |officially |100% )*(?P<y>finished|complete|completed|done|ready|installed|delivered|live|poured|laid)` + matterEnd, verb: "has_milestone", check: isFinished, subject: ProjectSubject},
	{id: "en.milestone.6", triggers: "completed installed delivered poured", pattern: `^(?:we|they|` + companyName +
		`|the [a-z]+)(?:'ve| have| has)? (?:now |finally |just |already )*(?P<y>completed|installed|delivered|poured) (?:the |our )(?P<x>[\pL][\pL\pN -]{1,40}?)` + matterEnd, verb: "has_milestone", check: isFinished, subject: ProjectSubject},
	{id: "de.milestone.5", triggers: "fertig abgeschlossen fertiggestellt montiert geliefert eingebaut",
		pattern: `^(?:der|die|das|unser|unsere) ` + matterName +
			` (?:ist|sind|wurde|wurden) (?:(?:jetzt|nun|endlich|seit \S+|schon|bereits|heute|gestern|komplett|am \S+(?: \S+)?) )*(?P<y>fertig|abgeschlossen|fertiggestellt|montiert|geliefert|eingebaut)` + matterEnd, verb: "has_milestone", check: isFinished, subject: ProjectSubject},
	{id: "en.blocker.1", triggers: "waits wait waiting",
		pattern: `^(?:(?:and|but|so|right now|currently|at the moment)[, ]+)*(?P<x>(?:we|they|the [\pL -]{2,30}?|our [\pL -]{2,30}?|` + companyName + `) (?:is|are|'re|'s)? ?(?:still |currently )*(?:waits?|waiting) (?:for|on) .{2,80}?)` + matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject},
	{id: "en.blocker.2", triggers: "until without before",
		pattern: `^(?:(?:and|but|so|right now|currently|at the moment)[, ]+)*(?P<x>(?:we|they|I|the [\pL -]{2,30}?|our [\pL -]{2,30}?|` +
			companyName + `|work) (?:can't|cannot|can not|won't be able to|are unable to|is unable to|are not able to) (?:go on|go ahead|start|continue|begin|proceed|move on|pour|install|finish|deliver|order|ship|close|sign|launch|release|build|lay|paint|plaster|test|deploy|complete|excavate|connect|invoice|pay|book|send|submit|open|work)\b.{0,60}?(?:until|before|without) .{2,80}?)` +
			matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject, whole: true},
	{id: "en.blocker.3", triggers: "held stuck hold", pattern: `^(?:(?:and|but|so|right now|currently|at the moment)[, ]+)*(?P<x>(?:we|they|the [\pL -]{2,30}?|our [\pL -]{2,30}?) (?:is|are|'re) (?:still |currently )*(?:held up|stuck|on hold)(?: (?:by|because of|due to|on|until|waiting) .{2,80}?))` + matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject},
	{id: "de.blocker.1", triggers: "wartet warten",
		pattern: `^(?:(?:und|aber|also|im Moment|momentan|derzeit)[, ]+)*(?P<x>(?:wir|(?:der|die|das|unser|unsere) [\pL -]{2,30}?|` + companyName + `) (?:wartet|warten) (?:(?:noch|immer noch|derzeit|weiterhin) )*auf .{2,80}?)` + matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject},
	{id: "de.blocker.2", triggers: "bevor solange bis erst ohne vorher",
		pattern: `^(?:(?:und|aber|also)[, ]+)*(?P<x>(?:wir|ich|(?:der|die|das|unser|unsere) [\pL -]{2,30}?|` +
			companyName + `|ohne .{2,40}?) (?:können|kann) (?:wir )?(?:(?:erst .{2,80}?,? (?:wenn|nachdem|sobald) .{2,80}?)|(?:.{0,40}?nicht .{2,60}?,? (?:bevor|solange|bis|ehe) .{2,80}?)|(?:nicht (?:weitermachen|anfangen|starten|beginnen|loslegen))))` +
			matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject, whole: true},
	{id: "de.blocker.3", triggers: "blockiert hängt stockt", pattern: `^(?:(?:und|aber|also|im Moment)[, ]+)*(?P<x>(?:wir|(?:der|die|das|unser|unsere) [\pL -]{2,30}?) (?:hängt|hängen|stockt) (?:noch |derzeit )*(?:an|bei|am|wegen) .{2,80}?)` + matterEnd, verb: "has_blocker", check: isBlocker, subject: ProjectSubject},
	{id: "en.partner.1", triggers: wordsOf(englishTrades), pattern: `(?:our|my|the) (?:new )?(?P<y>` + englishTrades +
		`) is (?:called )?(?P<x>` + companyName + `)(?:[.,;!]|$| (?:from|and|who|now|in)\b)`, verb: "has_contractor",
		check: isPartner},
	{id: "en.partner.2", triggers: "hired commissioned engaged contracted chose appointed awarded signed", pattern: `^(?:(?:and|so|also)[, ]+)*(?:we|I)(?:'ve| have)? {adv}(?:hired|commissioned|engaged|contracted|appointed|signed with|signed up) (?P<x>` + companyName + `)(?: (?:for|to do|as) (?:the |our )?(?P<y>[\pL -]{2,40}?))?` + matterEnd, verb: "has_contractor", check: isPartner},
	{id: "en.partner.3", triggers: "delivers supplies supply deliver installs install", pattern: `^(?P<x>` + companyName + `) (?:will |is going to )?(?:delivers?|supply|supplies|installs?) (?:the|our|all) (?P<y>[\pL][\pL -]{2,40}?)` + matterEnd, verb: "has_supplier", check: isPartner},
	{id: "de.partner.1", triggers: wordsOf(germanTrades) +
		" architektin statikerin bauleiterin vermieterin hausärztin zahnärztin",
		pattern: `(?:unser|unsere|mein|meine|der|die) (?P<y>` + germanTrades + `) ist (?:die Firma |die )?(?P<x>` +
			companyName + `)(?:[.,;!]|$| (?:aus|und)\s)`, verb: "has_contractor", check: isPartner},
	{id: "de.partner.2", triggers: "beauftragt engagiert", pattern: `(?:wir haben|haben wir|ich habe) (?:für (?:den|die|das) (?P<y>[\pL-]{2,40}) )?(?:die Firma |die )?(?P<x>` + companyName + `) (?:mit (?:dem|der|den) (?P<work>[\pL-]{2,40}) )?(?:beauftragt|engagiert)`, verb: "has_contractor", check: isPartner},
	{id: "de.partner.3", triggers: "liefert liefern", pattern: `^(?:die Firma )?(?P<x>` + companyName + `) (?:liefert|liefern) (?:die|den|das|unsere|unseren) (?P<y>[\pL-]{3,40})(?: ein)?` + matterEnd, verb: "has_supplier", check: isPartner},
	{id: "en.figure.1", triggers: "over under behind ahead", pattern: `(?:we(?:'re| are)|I(?:'m| am)|the (?:project|budget|[a-z]+) is|costs are) {adv}(?:now |about |around |roughly |already )*(?P<x>(?:\d+(?:[.,]\d+)?|an?|one|two|three|four|five|six) ?(?:%|percent|per cent|days?|weeks?|months?|(?:EUR|USD|euros?|dollars?)) (?:over|under|above|below|behind|ahead of|late)(?: (?:the )?(?:budget|plan|schedule|estimate|target))?)`, verb: "has_figure", check: isAffirmed, subject: ProjectSubject},
	{id: "de.figure.1", triggers: "über unter hinter vor", pattern: `(?:wir (?:liegen|sind)|liegen wir|sind wir|(?:das|die|der) \pL+ (?:liegt|liegen)) {adv}(?P<x>(?:\d+(?:[.,]\d+)?|eine[n]?|zwei|drei|vier|fünf|sechs) ?(?:%|Prozent|Tage?|Wochen?|Monate?|Euro|€) (?:über|unter|hinter|vor) (?:dem |der |den )?(?:Budget|Plan|Zeitplan|Schätzung|Vorjahr|Kostenrahmen))`, verb: "has_figure", check: isAffirmed, subject: ProjectSubject},
	{id: "en.decision.7", triggers: "going", pattern: `(?:we're|we are|I'm|I am) {adv}going with (?P<x>(?:the |an? |our )?[\pL][^,;.!?]{2,60}?)(?:[.!]*$|[,;]| (?:for|because|since|instead|after|and|as|but)\b)`, verb: "decided", check: isChoice, subject: ProjectSubject},
	{id: "en.task.10", triggers: "urgent asap important", pattern: `^(?:[-*•!] )?(?:urgent|asap|important|high priority|top priority)(?:[:!–-]+| -) ?(?:please )?(?P<x>[\pL].{3,160}?)[.!]*$`, verb: "has_task", check: isUrgent, whole: true},
	{id: "de.task.9", triggers: "dringend wichtig eilt eilig", pattern: `^(?:[-*•!] )?(?:(?:sehr )?dringend|wichtig|eilt|eilig)(?:[:!–-]+| -) ?(?:bitte )?(?P<x>[\pL].{3,160}?)[.!]*$`, verb: "has_task", check: isUrgent, whole: true},
	{id: "en.task.11", triggers: "has needs must supposed",
		pattern: `(?P<y>(?-i:\p{Lu}[\pL\x27’-]+)) (?:has to|needs to|must|is supposed to) (?P<x>` + englishDoing +
			`\b.{2,160}?)(?:[.!]*$|, (?:but|because|so)\b)`, verb: "has_task", check: isAssigned,
		subject: ProjectSubject, whole: true},
	{id: "de.task.10", triggers: "muss soll", pattern: `(?P<y>(?-i:\p{Lu}[\pL-]+)) (?:muss|soll) (?P<x>[^,?]{3,160} (?:einholen|bestellen|buchen|anrufen|schicken|senden|kaufen|bezahlen|überweisen|kündigen|prüfen|reparieren|verschieben|organisieren|reservieren|abholen|mitbringen|unterschreiben|aktualisieren|vereinbaren|erledigen|besorgen|ändern|entfernen|vorbereiten|entwerfen|erstellen|schreiben|klären|liefern))[.!]*$`, verb: "has_task", check: isAssigned, subject: ProjectSubject, whole: true},
	{id: "en.deadline.7", triggers: "until till", pattern: `(?:I|we)(?:'ve got| have) (?P<y>(?:until|till) .{3,30}?) (?:to|for) (?:hand in |submit |finish |deliver |file |complete |send in |pay )?(?:the |my |our )?(?P<x>[^,.;!?]{2,50}?)[.!]*$`, verb: "has_deadline", check: isDue},
	{id: "en.deadline.8", triggers: "must has have needs need", needs: "by before until later on", pattern: `^(?:and |so )?(?:the |our |my |your )?(?P<x>[\pL][^,.;!?]{1,50}?) (?:must|(?:has|have|needs?|need) to) (?:be (?:in|out|off)|go out|get out|arrive|be with [\pL ]{2,30}|be on [\pL ]{2,20}) (?P<y>(?:by|before|no later than|until|on) .{2,40})`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.6", triggers: "raus weg sein vorliegen ankommen", pattern: `^(?:und )?(?:der |die |das |unser |unsere |mein |meine )?(?P<x>(?-i:\p{Lu})[^,.;!?]{1,50}?) (?:muss|müssen) (?P<y>(?:bis|spätestens|vor) .{2,40}?) (?:raus|weg|beim [\pL]+ sein|da sein|vorliegen|ankommen|im [\pL]+ sein)`, verb: "has_deadline", check: isDue, subject: ProjectSubject},
	{id: "de.deadline.7", triggers: "zeit", pattern: `(?:ich habe|wir haben) (?:noch )?(?P<y>bis .{2,30}?) Zeit,? (?:für |um |mich für |)(?:die |den |das |meine |meinen |mein |unsere )?(?P<x>[^,.;!?]{2,50}?)(?: (?:abzugeben|einzureichen|zu \pL+))?[.!]*$`, verb: "has_deadline", check: isDue},
}

const matterEnd = `(?: (?:yesterday|today|this morning|this week|on \pL+day|last \pL+|since \pL+|gestern|heute|am \pL+tag|letzte \pL+|seit \pL+)){0,2}(?:[.!]*$|[,;]| (?:but|so|because|aber|weil|und wir|and we)\b)`

var (
	matterArticle = compiled(`(?i)^(?:the|our|my|der|die|das|den|dem|unser|unsere|unseren|mein|meine)\s+`)
	notApproving  = compiled(
		`(?i)^(?:he|she|mum|mom|dad|nobody|no one|everyone|somebody|someone|anyone|it|that|this|who|niemand|keiner|jemand|wer|es|das)\b`)
	notMatter = compiled(
		`(?i)^(?:it|that|this|they|he|she|you|party|dinner|food|meal|laundry|dishes|homework|movie|book|show|series|match|meeting|call|season|water|tea|kettle|song|puzzle|bottle|parcel|package|table|apology|invitation|outfit|goods|shopping|cooking|Wäsche|Geschirr|Hausaufgaben|Buch|Serie|Paket|Tee|Wasser|coffee|cake|lunch|breakfast|pizza|game|battle|fun|work|day|week|world|damage|job|time|line|crowd|deal|joke|baby|es|das|spiel|tag|essen|kuchen|kaffee|drops|käse|messe|film)\b`)
)

// isApproval stores the approved thing, with its approver in the content.
func isApproval(h *hit) bool {
	name := tidy(matterArticle.ReplaceAllString(tidy(h.withoutTimes()), ""))
	by := tidy(h.y)
	if h.Polarity == trilith.Negated || h.Certainty == trilith.Hedged || notMatter.MatchString(name) ||
		notApproving.MatchString(by) || len(name) < 3 || negatedBefore(by) {
		return false
	}
	if by != "" {
		h.put("by", matterArticle.ReplaceAllString(by, ""))
	}
	h.pastDay()
	h.Node.Name = name
	return true
}

func negatedBefore(s string) bool {
	for _, w := range words(nil, s) {
		if negations[w] || wishes[w] || hedges[w] {
			return true
		}
	}
	return false
}

// pastDay sets the beginning to the day that the sentence names, if that is past.
func (h *hit) pastDay() {
	for _, e := range h.times() {
		if (e.Kind == dates.Point || e.Kind == dates.Interval) && !e.From.IsZero() && !e.From.After(h.turn.At) {
			from := e.From
			h.From = &from
			h.put("when", strings.TrimSpace(h.sentence.text[e.Start:e.End]))
			return
		}
	}
}

// isFinished stores finished work in its own words: roof finished.
func isFinished(h *hit) bool {
	name := tidy(h.withoutTimes())
	if h.Polarity == trilith.Negated || h.Certainty == trilith.Hedged || notMatter.MatchString(name) ||
		negatedBefore(name) || len(strings.Fields(name)) > 5 {
		return false
	}
	h.pastDay()
	h.put("status", "done")
	h.Node.Name = name + " " + lower(h.y)
	return true
}

var notBlocker = compiled(
	`(?i)\b(?:miracle|weekend|Wunder|Godot|christmas|weihnachten|answer\b.*\bme|for (?:me|you|him|her|us|ever)|to see|too long|stop\w*|wait|help|believe|imagine|live without|leben|understand|verstehen|your (?:answer|reply)|Wochenende|Antwort|weather|Wetter|coffee|caffeine|Kaffee|Santa|Weihnachtsmann|breakfast|Frühstück|glasses|Brille)\b|^(?:the |our |die |der |unser |unsere )?(?:kids|children|dog|cat|audience|fans|world|crowd|guests|family|Kinder|Hund|Katze|Fans|Gäste|Welt|Familie|Leute)\b`)

// isBlocker stores the clause: the blocked work, and what it waits for.
func isBlocker(h *hit) bool {
	name := tidy(h.x)
	if h.Certainty == trilith.Hedged || notBlocker.MatchString(name) || h.Polarity == trilith.Negated && !h.rule.whole {
		return false
	}
	for _, article := range [...]string{"the ", "we ", "our ", "wir ", "der ", "die ", "das ", "unser ", "unsere ",
		"is ", "are "} {
		if len(name) > len(article) && strings.EqualFold(name[:len(article)], article) {
			name = name[len(article):]
		}
	}
	name = waiting.ReplaceAllString(name, "$1 waits for")
	h.Polarity, h.Priority = trilith.Affirmed, trilith.PriorityHigh
	h.Node.Name = name
	return len(strings.Fields(name)) > 2
}

var waiting = compiled(`(?i)^(.{2,30}?)(?:\s(?:is|are)|['’]s)?\s(?:still\s|currently\s)*(?:waiting|waits?) (?:for|on)`)

// isPartner stores a participant and their role.
func isPartner(h *hit) bool {
	work := h.named("work")
	if work == "" {
		work = h.y
	}
	name := tidy(h.x)
	if ownServices[lower(work)] && myOwn.MatchString(h.sentence.text[h.m[0]:h.m[1]]) {
		return false // somebody's own, and no partner of a project
	}
	if h.Polarity == trilith.Negated || notMatter.MatchString(work) || !isOrganisation(name) || !isPerson(name) ||
		occupationOnly.MatchString(name) {
		return false
	}
	if strings.HasSuffix(h.rule.id, ".1") && lower(work) == "supplier" || lower(work) == "lieferant" {
		h.Verb = "has_supplier"
	}
	if clients[lower(work)] {
		h.Verb = "has_client"
	}
	h.Subject = ProjectSubject
	if privately[lower(work)] {
		h.Subject, h.Verb = SpeakerSubject, "consults"
	}
	if work != "" {
		h.put("for", tidy(work))
	}
	h.Node.Name = name
	return true
}

var (
	myOwn       = compiled(`(?i)^[^\pL]*(?:my|meine?)\b`)
	ownServices = wordSet("bank insurer insurance provider versicherung")

	clients   = wordSet("client customer kunde kundin auftraggeber")
	privately = wordSet("dentist doctor gp therapist vet hairdresser mechanic physio trainer hausarzt hausärztin zahnarzt zahnärztin therapeut therapeutin tierarzt tierärztin")
)

// notChoice follow "go with" and are people or things that one takes along.
var notChoice = compiled(
	`(?i)^(?:the flow|my|him|her|them|you|me|us|it|that|this|a (?:friend|group)|friends|(?:the|our) (?:kids|family|children)|some|(?-i:\p{Lu}\pL+(?: and \p{Lu}\pL+)?)$)`)

func isChoice(h *hit) bool {
	return !notChoice.MatchString(h.x) && !toSomewhereElse.MatchString(h.sentence.text) && isDecision(h)
}

var toSomewhereElse = compiled(`(?i)\bgoing with\b.*\bto\b`)

// isUrgent handles a statement that is marked as urgent and begins like a task.
func isUrgent(h *hit) bool {
	if !h.setTask(h.withoutTimes(), h.rule.groups().x) {
		return false
	}
	first := lower(strings.Fields(h.Node.Name)[0])
	last := h.Node.Name[strings.LastIndexByte(h.Node.Name, ' ')+1:]
	if h.rule.lang == english && !doingFirst.MatchString(first+" ") || h.rule.lang == german &&
		!strings.HasSuffix(last, "en") && !doingFirst.MatchString(first+" ") {
		return false
	}
	h.Priority = trilith.PriorityHigh
	h.Node.Name = h.uncapitalised(h.Node.Name)
	if h.rule.lang == english {
		h.Node.Name = lowerFirst(h.Node.Name)
	}
	return true
}

var doingFirst = compiled(`(?i)^(?:` + englishDoing + `|` + germanDoing +
	`|stop|replace|clear|chase|find|pay|move|evacuate|change|restart|roll back|drain|turn off|lock)\s`)

// isAssigned handles a task that is assigned to a named person.
func isAssigned(h *hit) bool {
	if !isPerson(h.y) || negatedBefore(h.x) {
		return false
	}
	if !h.setTask(h.withoutTimes(), h.rule.groups().x) {
		return false
	}
	h.put("assignee", h.y)
	return true
}
