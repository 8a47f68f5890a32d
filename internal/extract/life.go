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

// endsLife handles dead people and animals. A thing that dies, such as a phone, is not gone.
func endsLife(h *hit, c *Amendment) bool {
	if !ends(h, c) {
		return false
	}
	for i, v := range c.Values {
		if named := beloved.FindStringSubmatch(v); named != nil {
			c.Values[i] = tidy(named[1])
			if !animal.MatchString(v) { // a neighbour of that name is no pet
				c.Verbs = slices.DeleteFunc(slices.Clone(c.Verbs), func(v string) bool { return v == "has_pet" })
			}
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
	c.Subjects = []Subject{SpeakerSubject}
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
