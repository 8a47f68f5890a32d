package extract

import "strings"

// If somebody else gives something up, it is theirs: "the hotel in Vienna cancelled our breakfast" ends a breakfast at
// most, and "der Pförtner bei Siemens hat gekündigt" ends no fact. So a clause whose subject is neither the speaker nor
// a name is compared with the known facts without its subject.

var (
	// doers lists the verbs of actions that only a person can do.
	doers = compiled(`(?i)^(?:quit|resigned|retired|left|gave|given|dropped|stopped|cancelled|canceled|called|scrapped|shelved|binned|ditched|axed|sold|packed|jacked|threw|thrown|chucked|walked|backed|pulled|bailed|bowed|stepped|abandoned|paused|withdrew|donated|passed|returned|swapped|traded|decided|handed|finished|completed)\b`)

	otherSubject = compiled(
		`(?i)^(?:(?:so|and|but|well|sadly|unfortunately|today|yesterday|meanwhile|then|apparently)[, ]+)*(?:the|my|our|an?|his|her|their|your|one of|two|three|four|five|some|most|several|all|both|every|nobody|somebody|\d+)\s`)
	ofUs = compiled(`(?i)(?:^|[^\pL])(?:I|we|ich|wir)(?:[^\pL]|$)`)

	theirs = compiled(`(?i)^\s*(?:his|her|their)\s`)

	germanSubject = compiled(
		`(?i)^(?:(?:und|aber|leider|übrigens|also),? )*(?:der|die|das|ein|eine|mein|meine|unser|unsere|dein|deine|euer|eure|sein|seine|ihr|ihre|zwei|drei|alle|viele|einige) [^,]*? ?(?:hat|haben|hatte|hatten) `)
	toUs = compiled(`(?i)^(?:mich|mir|uns|der|mein|unser)\b`)
)

// withoutAgent removes the subject of a clause, the bytes from start to end of the sentence, if the subject is somebody
// else and the clause ends something.
func (h *hit) withoutAgent(c *Amendment, start, end int) {
	text, from := h.sentence.text, h.m[0]
	before := text[start:from]
	switch {
	case ofUs.MatchString(text[start:end]):
		return
	case h.object && c.Said != text[start:end]:
		if otherSubject.MatchString(before) && theirs.MatchString(c.Said) {
			c.Said, c.Near = " ", ""
		}
		return
	}
	if h.rule.lang == german {
		m := germanSubject.FindStringIndex(before)
		if m == nil || toUs.MatchString(text[start+m[1]:end]) {
			return
		}
		c.Said, c.Near = strings.TrimSpace(text[start+m[1]:end]), ""
		return
	}
	if otherSubject.MatchString(before) && doers.MatchString(text[from:]) &&
		!passive.MatchString(strings.TrimSpace(before)) && strings.Contains(strings.TrimSpace(before), " ") {
		c.Said, c.Near = text[from:end], ""
	}
}
