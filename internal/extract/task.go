package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// englishDoing are the verbs of work that a bare imperative may begin with. Most imperatives to an assistant are about
// the conversation ("tell me", "explain"), and those are not tasks.
const englishDoing = `(?:order|book|schedule|call|email|send|buy|pay|submit|renew|cancel|hire|file|arrange|confirm|invite|reserve|sign|ship|deliver|install|repair|fix|update|prepare|draft|finish|` +
	`measure|pick up|hand in|return|collect|register|print|publish|deploy|back up|upload|check|contact|notify|organi[sz]e|get|follow up|review|write to|clean|bring|move|ask|remove|add|set up|create)`

const germanDoing = `(?:bestell\w*|buch\w*|ruf\w*|schick\w*|send\w*|kauf\w*|bezahl\w*|überweis\w*|kündig\w*|prüf\w*|reparier\w*|verschieb\w*|organisier\w*|reservier\w*|bereite|hol\w*|bring\w*|` +
	`unterschreib\w*|druck\w*|aktualisier\w*|schreib\w*|kontaktier\w*|vereinbar\w*|plan\w*|lad\w*|mess\w*|frag\w*|erledig\w*|einholen|besorg\w*|änder\w*|entfern\w*)`

// taskRules find tasks. A polite request is a task even as a question.
var taskRules = []rule{
	{id: "en.task.1", triggers: "need must have", pattern: `(?:I|we)(?: {adv}(?:need to|have to|must|'ve got to)|'ve got to) {clause}`, verb: "has_task", check: isTask},
	{id: "en.task.2", triggers: "todo action task follow-up next", pattern: `^(?:[-*•] )?(?:to-?do|action(?: item)?|task|follow-up|next step)s?: (?:please )?{clause}`, verb: "has_task", check: isTask, whole: true},
	{id: "en.task.3", pattern: `^[-*•]? ?\[ \] {clause}`, triggers: checkbox, verb: "has_task", check: isTask, whole: true},
	{id: "en.task.4", triggers: "please", pattern: `^(?:(?:and|also|then|yes|ok|okay)[ ,]+)?please (?:also )?(?P<x>` + englishDoing + `\b.{2,160}?)[.!]*$`, verb: "has_task", check: isTask},
	{id: "en.task.5", triggers: "remind", pattern: `(?:please )?remind me (?:\S+ ){0,3}?to {clause}`, verb: "has_task", check: isTask, asked: true},
	{id: "en.task.6", triggers: "forget", pattern: `(?:don't|do not|must not|mustn't) forget to {clause}`, verb: "has_task", check: isTask, whole: true},
	{id: "en.task.7", triggers: "please", pattern: `^(?:can|could|would|will) you (?:please (?P<x>` + englishDoing +
		`\b.{2,160}?)|(?P<y>` + englishDoing + `\b.{2,160}?)[ ,]+please)\?$`, verb: "has_task", check: isTask,
		asked: true, whole: true},
	{id: "en.task.8", triggers: "get", pattern: `^(?:please |can you |could you )?get (?:me|us) (?P<x>an? (?:\w+ )?(?:quote|quotation|estimate|bid|offer|price)\b.{0,160}?|(?:quotes|bids|prices|estimates|offers)\b.{0,160}?)[.!?]*$`, verb: "has_task", check: isErrand, asked: true, whole: true},
	{id: "en.task.9", triggers: "order book schedule call email send buy pay submit renew cancel arrange confirm reserve", pattern: `^(?P<x>(?:order|book|schedule|call|email|send|buy|pay|submit|renew|cancel|arrange|confirm|reserve) (?:an?|the|my|our|(?-i:\p{Lu}))\b.{2,160}?)[.!]*$`, verb: "has_task", check: isOrder},
	{id: "de.task.1", triggers: "müssen muss", pattern: `(?:wir müssen|müssen wir|ich muss|muss ich) {adv}{clause}`, verb: "has_task", check: isGermanTask},
	{id: "de.task.2", triggers: "aufgabe todo to-do aufgaben", pattern: `^(?:[-*•] )?(?:Aufgabe|To-?do|Zu erledigen|Nächster Schritt): (?:bitte )?{clause}`, verb: "has_task", check: isTask, whole: true},
	{id: "de.task.3", triggers: "bitte", pattern: `^(?:(?:und|dann|ja)[ ,]+)?bitte (?P<x>` + germanDoing + `\b.{2,160}?)[.!]*$`, verb: "has_task", check: isTask},
	{id: "de.task.4", triggers: "bitte", pattern: `^bitte (?P<x>[^,?]{3,160} (?:einholen|bestellen|buchen|anrufen|schicken|senden|kaufen|bezahlen|überweisen|kündigen|prüfen|reparieren|verschieben|organisieren|reservieren|abholen|mitbringen|unterschreiben|aktualisieren|vereinbaren|erledigen|besorgen|ändern|entfernen|erinnern|vorbereiten|entwerfen|erstellen))[.!]*$`, verb: "has_task", check: isTask},
	{id: "de.task.5", triggers: "erinnere erinner", pattern: `erinnere? mich (?:bitte )?(?:daran|dran), {clause}`, verb: "has_task", check: isTask, asked: true},
	{id: "de.task.6", triggers: "vergiss vergesst", pattern: `(?:vergiss|vergesst) (?:bitte )?nicht, {clause}`, verb: "has_task", check: isTask, whole: true},
	{id: "de.task.7", triggers: "bitte", pattern: `^(?:kannst|könntest|könnten|können|würdest) (?:du|Sie) (?:mir )?bitte {things} ?\?$`, verb: "has_task", check: isTask, asked: true, whole: true},
	{id: "de.task.8", triggers: "angebot angebote kostenvoranschlag", pattern: `^(?:bitte )?hol(?:e|en Sie)? (?:mir |uns )?(?:bitte )?(?P<x>(?:ein Angebot|Angebote|einen Kostenvoranschlag)\b.{0,160}?)(?: ein)?[.!]*$`, verb: "has_task", check: isErrand},
}

// checkbox selects the rule for "[ ]", which contains no word; see [page.read].
const checkbox = "[]"

// notTasks begin figures of speech with must.
var notTasks = compiled(
	`(?i)^(?:(?:also |just |really |only )*(?:say|admit|be|know|confess|laugh|cry|go\W*$|go,\s|go (?:now|to bed)|run\W*$|eat|sleep|think|ask(?: you)?\W|see|wait|tell (?:you|me)|call me|live|stop|get (?:up|going|used)|` +
		`(?:(?:strictly|absolutely|carefully|completely|at all costs|under any circumstances),? )*(?:under no circumstances|by no means|on no account|in no case|never|no longer|avoid\w*|refrain|abstain|steer clear|(?:stay|keep) (?:away|off|clear)|watch out|do without|go without|make sure (?:that )?(?:I|we) (?:never|don't|do not|avoid))|` +
		`remember|agree|understand|talk(?: about)?\W*$|love|like|not|have (?:fun|been)|worry|feel|deal with|like)\b|(?:ja |doch |auch |halt |leider )*(?:sagen|zugeben|gestehen|lachen|weinen|los|gehen|schlafen|sein|wissen|essen|nicht|kein|keine|keinen|niemand\w*|nichts|weg|dich|dir|mal |es |das \w+$))`)

var (
	// abstaining are German words for things to avoid.
	abstaining = compiled(
		`(?i)\b(?:(?:ver)?meiden|verzichten|unterlassen|(?:auf )?kein\w*|niemals|nie|nicht|keinesfalls|keineswegs|weglassen|fernhalten|absehen|die Finger (?:davon )?lassen|sein lassen|bleiben lassen)\b`)
	germanSaying = compiled(
		`(?i)\b(?:sagen|zugeben|gestehen|lachen|weinen|wissen|sein|haben|denken|schlafen|los|zugestehen|aufpassen|warten|gehen)$`)
	urgent = compiled(
		`(?i)\b(?:urgent(?:ly)?|asap|immediately|right away|at once|critical|dringend|sofort|umgehend|unverzüglich|eilt)\b`)
	unhurried = compiled(
		`(?i)\b(?:sometime|some day|whenever|no rush|when you have time|irgendwann|bei Gelegenheit|eilt nicht|keine Eile)\b`)
)

// dangling matches a preposition whose date was cut off.
var dangling = compiled(`(?i)\s(?:for|on|by|at|until|before|after|für|bis|am|um|vor|ab)$`)

func isTask(h *hit) bool {
	if h.x == "" {
		h.x = h.y
		g := h.rule.groups()
		return h.setTask(h.cutTimes(h.m[2*g.y], h.m[2*g.y+1]), g.y)
	}
	return h.setTask(h.withoutTimes(), h.rule.groups().x)
}

// ownTask begins a task of the speaker, or a wish to be reminded; other tasks belong to the people who work on the
// project.
var ownTask = compiled(`(?i)^[^\pL]*(?:I['’\s]|ich\s|muss\s+ich\s|(?:please\s+)?remind\s+me\s|erinnere?\s+mich\s)`)

// setTask fills in the fields that every task has.
func (h *hit) setTask(name string, group int) bool {
	name = tidy(dangling.ReplaceAllString(tidy(name), ""))
	ws := strings.Fields(name)
	if len(ws) < 2 || notTasks.MatchString(name) || h.Polarity == trilith.Negated || h.Subject == SpeakerSubject &&
		h.turn.Role == trilith.RoleAssistant {
		return false
	}
	h.Subject = ProjectSubject
	if ownTask.MatchString(h.sentence.text[h.m[0]:h.m[1]]) {
		h.Subject = SpeakerSubject
		if h.turn.Speaker != "" {
			h.put("assignee", h.turn.Speaker)
		}
	}
	if h.turn.Speaker != "" {
		h.put("said_by", h.turn.Speaker)
	}
	h.RequiresAction = true
	h.due(h.m[2*group], h.m[2*group+1])
	if h.Deadline == nil {
		h.due(0, len(h.sentence.text))
	}
	switch {
	case unhurried.MatchString(h.sentence.text):
		h.Priority = trilith.PriorityLow
	case urgent.MatchString(h.sentence.text):
		h.Priority = trilith.PriorityHigh
	}
	h.Node.Name = name
	return true
}

func isGermanTask(h *hit) bool {
	name := tidy(h.withoutTimes())
	last := ""
	if ws := strings.Fields(name); len(ws) > 0 {
		last = ws[len(ws)-1]
	}
	if germanSaying.MatchString(name) || abstaining.MatchString(name) || negatedWords(name) ||
		!strings.HasSuffix(last, "n") || strings.Contains(name, ", dass") {
		return false
	}
	return h.setTask(name, h.rule.groups().x)
}

// isErrand restores the verb at the beginning of the pattern.
func isErrand(h *hit) bool {
	if !h.setTask(h.withoutTimes(), h.rule.groups().x) {
		return false
	}
	if h.rule.lang == german {
		h.Node.Name += " einholen"
	} else {
		h.Node.Name = "get " + h.Node.Name
	}
	return true
}

func isOrder(h *hit) bool {
	if !h.setTask(h.withoutTimes(), h.rule.groups().x) {
		return false
	}
	h.Node.Name = lowerFirst(h.Node.Name)
	return true
}

func lowerFirst(s string) string {
	r := firstRune(s)
	return strings.ToLower(string(r)) + s[len(string(r)):]
}
