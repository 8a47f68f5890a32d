package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// supposing are words that mark a sentence as no assertion: conditions, wishes, games and stories.
var supposing = wordSet(
	"if unless whether wish wishes wished imagine pretend suppose supposing assume assuming hypothetically novel fiction roleplay role-play " +
		"wenn falls ob angenommen wünschte roman märchen rollenspiel sofern")

// quoting are instructions after which a text is somebody's draft and no statement.
var quoting = wordSet("rewrite rephrase translate proofread paraphrase summarize summarise übersetze übersetz korrigiere formuliere umformulieren zusammenfassen")

// supposes reports whether the words of a sentence mark it as no assertion.
func supposes(ws []string) bool {
	for i, w := range ws {
		if w == "angenommen" && slices.ContainsFunc(ws[:i], func(w string) bool { return accepting[w] }) {
			continue
		}
		if supposing[w] || (w == "in" || w == "im") && played(ws[i+1:]) {
			return true
		}
		if i+1 < len(ws) {
			switch w + " " + ws[i+1] {
			case "let's say", "stell dir", "stellt euch", "stellen sie", "as though", "tun wir", "sagen wir",
				"the story", "der geschichte", "in case":
				return true
			}
		}
	}
	return false
}

// accepting come before "angenommen" where it is a participle: somebody has accepted something.
var accepting = wordSet("ist sind wird wurde wurden hat haben habe")

// fictions are works and dreams whose events are not real.
var fictions = wordSet("film movie series episode sitcom novel dream play game comic serie folge krimi film roman traum spiel geschichte märchen hörspiel theaterstück")

// played reports whether words after "in" begin with a fiction: in the film, in my dream, im Krimi.
func played(ws []string) bool {
	if len(ws) > 0 && fictions[ws[0]] {
		return true
	}
	return len(ws) > 1 && fictions[ws[1]] &&
		slices.Contains([]string{"the", "a", "that", "this", "my", "der", "einer", "einem", "meinem", "dem"}, ws[0])
}

// reach is how many words before a match may modify it, as in NegEx.
const reach = 6

var (
	negations = wordSet("not never no nobody nothing don't doesn't didn't can't cannot won't isn't aren't haven't hasn't wasn't neither nor " +
		"nicht nie niemals kein keine keinen keiner keinem niemand nichts weder")
	wishes = wordSet("would could might should i'd we'd he'd she'd hope hopefully " +
		"würde würden könnte könnten sollte sollten möchte möchten hätte hätten wäre wären hoffe hoffentlich dürfte")
	hedges = wordSet("maybe perhaps probably possibly apparently supposedly likely seems " +
		"vielleicht wahrscheinlich vermutlich möglicherweise anscheinend wohl angeblich scheinbar")
	opinions = wordSet("guess think believe suppose glaube denke vermute schätze") // with an I beside them
	reports  = wordSet("assumes assumed thought jokes joked insists insisted swears swore reckons says said told claims claimed wrote thinks believes tells mentioned reports heard according " +
		"sagt sagte meint meinte behauptet erzählt erzählte schreibt schrieb laut zufolge gehört findet")
	sources      = wordSet("according laut zufolge") // the speaker continues after them: their I is the speaker
	firstPersons = wordSet("i we ich wir i've")

	expert = compiled(`(?i)\b(?:the|my|our) (?:doctors?|GP|allergist|specialist|dermatologist|dentist|vet|consultant|nurse|tests?|results|blood tests?|lab|clinic) (?:says?|said|told me|tells me|confirms|confirmed)(?: that)?\s*$|` +
		`(?i)\b(?:der|die|mein|meine) (?:Arzt|Ärztin|Hausarzt|Hausärztin|Test|Allergologe|Allergologin|Hautarzt|Hautärztin) (?:sagt|sagte|meint)\W*$`)
	advised    = compiled(`(?i)\b(?:should|must|ought|need|needs|have|has to|can't|mustn't|soll|sollte|muss|darf)\b`)
	noLonger   = compiled(`(?i)\b(?:no longer|not any ?more|nicht mehr|kein\w* mehr|used to|früher|not anymore)\b`)
	anyLonger  = compiled(`(?i)^\W*(?:any ?more|any longer|these days anymore|mehr)\b`)
	deniedThen = compiled(`(?i)^\W*(?:(?:is|are|was) (?:ruled out|not true)|nicht\W*$|\w{0,12} nicht\W*$)`)
	saidSo     = compiled(`(?i)^[^.!?;]{0,60},\s(?:he|she|they|(?-i:\p{Lu})\pL+)\s(?:lied|said|says|joked|claimed|claims|told|insisted|sang)\b|^\s*(?:he|she|they)\s(?:lied|said|says|joked|claimed)\b|^[^.!?;]{0,60},\s(?:sagt|sagte|meint|meinte|log|behauptet\w*)\s(?:er|sie)\b`)
	toldThen   = compiled(`^[^.!?;]{0,60},\s(?i:said|says|told|claims|claimed|insists|sagt|sagte|meint|meinte|\p{Lu}\pL+\s(?:said|says|claims|claimed|told|insisted))\b`)
	sourceThen = compiled(`^(?:[^.!?;]{0,60}?,?\s)?(?:(?i:according\sto|laut)\s\p{Lu}|(says|said|claims|claimed|sagt|sagte|meint|meinte|behauptet|erzählt)\s(?:(?:my|mein|meine|our|unser|unsere)\s)?\p{Lu})`)
	hedgedThen = compiled(`(?i)^\W*(?:I (?:think|guess|believe|suppose)|glaube? ich|denke ich|vielleicht|oder so|maybe|probably)\b`)
)

// denies reports whether one of the words is a negation.
func denies(s string) bool {
	return slices.ContainsFunc(words(nil, s), func(w string) bool { return negations[w] })
}

// modify sets polarity and certainty by the words around the match, and reports whether anything is asserted at all:
// before the match, inside it between subject and verb, and after it.
func (h *hit) modify(before, adverbs, after string) bool {
	if staged(before) || h.joking(after) {
		return false
	}
	clause := before
	if i := strings.LastIndexAny(clause, ",;:(–—"); i >= 0 {
		clause = clause[i+1:]
	}
	for _, turn := range [...]string{" but ", " aber ", " sondern "} {
		if i := strings.LastIndex(clause, turn); i >= 0 {
			clause = clause[i+len(turn):]
		}
	}
	if !h.rule.whole {
		for _, w := range lastWords(clause, reach) {
			if negations[w] || wishes[w] {
				return false
			}
		}
	}
	said := lastWords(before, reach)
	for i, w := range said {
		switch {
		case hedges[w], opinions[w] && (i > 0 && firstPersons[said[i-1]] || i+1 < len(said) && firstPersons[said[i+1]]):
			h.Certainty = trilith.Hedged
		case reports[w] && (i == 0 || !firstPersons[said[i-1]]) && (i+1 == len(said) || !firstPersons[said[i+1]]):
			if expert.MatchString(before) && !advised.MatchString(h.sentence.text[h.m[0]:h.m[1]]) {
				continue // what a doctor found out about the speaker, in the speaker's words
			}
			if h.Certainty = trilith.Reported; h.Subject == SpeakerSubject && !sources[w] {
				return false // somebody else's I
			}
		}
	}
	for _, w := range words(nil, adverbs) {
		switch {
		case negations[w] || w == "no":
			h.Polarity = trilith.Negated
		case hedges[w]:
			h.Certainty = trilith.Hedged
		}
	}
	if hedgedThen.MatchString(after) {
		h.Certainty = trilith.Hedged
	}
	if saidSo.MatchString(after) {
		if h.Subject != PersonSubject || !toldThen.MatchString(after) {
			return false
		}
		h.Certainty = trilith.Reported
	}
	if m := sourceThen.FindStringSubmatch(after); m != nil {
		if m[1] != "" && h.Subject == SpeakerSubject && h.kin == "" {
			return false
		}
		h.Certainty = trilith.Reported
	}
	switch {
	case noLonger.MatchString(adverbs), h.Polarity == trilith.Negated && anyLonger.MatchString(after):
		h.Ends, h.Polarity = true, trilith.Negated
	case h.Polarity == trilith.Affirmed && deniedThen.MatchString(after):
		h.Polarity = trilith.Negated
	}
	return true
}

// lastWords returns the last n words of s in small letters.
func lastWords(s string, n int) []string {
	ws := words(nil, s[max(0, len(s)-16*n):])
	return ws[max(0, len(ws)-n):]
}

// beginsClause reports whether a name after these words can be the subject of its clause.
func beginsClause(before string) bool {
	before = strings.TrimSpace(before)
	if before == "" || strings.ContainsAny(before[len(before)-1:], ",;:(-") || strings.HasSuffix(before, "–") ||
		strings.HasSuffix(before, "—") {
		return true
	}
	ws := lastWords(before, 1)
	return len(ws) == 1 && clauseOpeners[ws[0]]
}

var clauseOpeners = wordSet(
	"and but so because that think believe says said know guess also where while since und aber weil dass denn sagt glaube weiß deshalb")

// notPersons begin clauses with a capital letter and name nobody.
var notPersons = wordSet(
	"sounds looks feels seems theres family appreciate glad hope guess sorry the this that these those a an he she it they we you who what which where when why how everyone everybody someone somebody nobody anyone people " +
		"my your his her our their its there here then now also and but or so because while since as in on at for with from to of by if no yes not never only just " +
		"well hey hi hello ok okay please thanks today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february march april may june july " +
		"august september october november december some any all each every most many one two three another nothing something everything " +
		"der die das den dem des ein eine er sie es wir ihr man wer was wo wie wann warum jeder jede alle niemand jemand keiner mein meine dein deine sein seine ihre unser unsere " +
		"und aber oder weil wenn dass denn also dann jetzt hier da dort heute morgen gestern montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai " +
		"juni juli oktober dezember ich du nein ja nicht nur auch früher seit vielleicht bitte hallo danke etwas nichts alles dieser diese dieses")

func isPerson(name string) bool {
	ws := strings.Fields(name)
	for _, w := range ws {
		if stem, _, _ := strings.Cut(lower(w), "'"); notPersons[stem] || stem == "i" {
			return false
		}
	}
	return len(ws) > 0
}
