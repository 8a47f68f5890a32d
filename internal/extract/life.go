package extract

import (
	"slices"
	"strings"
	"unicode"
)

// The functions of this file fill in what ends with a turn in a life: an exam, a birth, a job, a parting, a death.

// endsReady handles what somebody prepared for and has done: an exam, a race.
func endsReady(h *hit, c *Amendment) bool {
	if !ends(h, c) {
		return false
	}
	var prepared []string
	for _, v := range c.Values {
		prepared = append(prepared, "prepare for "+v, "train for "+v, "pass "+v, "run "+v)
		if strings.HasPrefix(lower(v), "driving") {
			prepared = append(prepared, "drive", "to drive")
		}
	}
	c.Values, c.Exact = prepared, true
	return true
}

// endsPregnancy handles a birth. "Our daughter was born" may be said by either parent.
func endsPregnancy(h *hit, c *Amendment) bool {
	if h.kin == "" && h.Subject == SpeakerSubject {
		for _, mother := range [...]string{"wife", "girlfriend", "partner", "fiancée", "frau", "freundin", "partnerin"} {
			c.Verbs = append(slices.Clone(c.Verbs), kinVerb(mother, "has_condition"))
		}
	}
	c.Values = []string{"pregnant", "schwanger", "expecting"}
	return true
}

// endsJobless handles somebody who has found work.
func endsJobless(_ *hit, c *Amendment) bool {
	c.Values = []string{"unemployed", "out of work", "between jobs", "arbeitslos"}
	return true
}

// endsRetired handles somebody who has stopped working: every job has ended.
func endsRetired(_ *hit, _ *Amendment) bool { return true }

// endsKin handles the death of a relative: what was a state of the living has ended, where they were born has not.
func endsKin(h *hit, c *Amendment) bool {
	c.Alone = true
	return h.kin != ""
}

// endsLife handles dead people and animals. A thing that dies, such as a phone, is not gone.
func endsLife(h *hit, c *Amendment) bool {
	if !ends(h, c) {
		return false
	}
	for i, v := range c.Values {
		if named := beloved.FindStringSubmatch(v); named != nil {
			c.Values[i] = tidy(named[1])
		}
		if animal.MatchString(v) {
			c.Verbs = append(slices.Clone(c.Verbs), "owns")
		}
	}
	return true
}

// endsBond handles couples: the named partner, or else any.
func endsBond(h *hit, c *Amendment) bool {
	if inGroups.MatchString(h.sentence.text[h.m[0]:]) {
		return false
	}
	c.Subjects, c.Name = []Subject{SpeakerSubject}, ""
	who := h.Name
	if who == "" {
		who = tidy(h.x)
	}
	who = bondless.ReplaceAllString(who, "")
	if who == "" || lower(who) == "her" || lower(who) == "him" || lower(who) == "ihm" || lower(who) == "ihr" {
		return true
	}
	if !isPerson(who) || almost(who) || unicode.IsLower(firstRune(who)) {
		return false
	}
	c.Values = []string{who}
	return true
}

var (
	animal  = compiled(`(?i)\b(?:` + englishAnimals + `|` + germanAnimals + `)`)
	beloved = compiled(`(?i)^(?:[\pL]+ )?(?:` + englishAnimals + `|` + germanAnimals +
		`|husband|wife|partner|friend|boss|neighbou?r|mann|frau|freund|freundin|nachbar|nachbarin) ((?-i:\p{Lu}).*)$`)
)

// inGroups matches partings for a game or a walk.
var inGroups = compiled(`(?i)\b(?:in|into) (?:\pL+ )?(?:Gruppen|Teams|Mannschaften|groups|teams|pairs)\b`)

var bondless = compiled(
	`(?i)^(?:my |meine[mr]? )?(?:girlfriend|boyfriend|partner|husband|wife|fiancée?|freundin|freund|mann|frau|partnerin)(?:\s+|$)`)
