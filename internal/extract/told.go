package extract

import "strings"

// A German sentence may name its source first or in the middle, and its subject then comes after the verb: "laut Mia
// wohnt Ben in Bonn". It is put into plain order after the source, and read as reported.

const germanSource = `(?:(?i:laut)\s(?:[^\s,;:!?()]+\s){0,3}?[^\s,;:!?()]+|(?:[^\s,;:!?()]+\s){0,3}?[^\s,;:!?()]+\szufolge|(?i:nach Angaben (?:von|der|des|meiner|meines))\s(?:[^\s,;:!?()]+\s)?[^\s,;:!?()]+)`

var (
	sourceFirst  = compiled(`^(` + germanSource + `)\s(` + germanOfShe + `)\s(` + germanPerson + `)\s(.+)$`)
	sourceWithin = compiled(`^(` + germanPerson + `)\s(` + germanOfShe +
		`)\s((?i:laut)\s\p{Lu}[\pL'’-]+|\p{Lu}[\pL'’-]+\szufolge)\s(.+)$`)
)

// toldBy puts a source's statement about somebody into plain order, after the source.
func toldBy(s *sentence) (sentence, bool) {
	if !strings.Contains(s.text, "aut ") && !strings.Contains(s.text, " zufolge ") &&
		!strings.Contains(s.text, "Angaben ") {
		return sentence{}, false
	}
	source, subject, verb, rest := "", "", "", ""
	if m := sourceFirst.FindStringSubmatch(s.text); m != nil {
		source, verb, subject, rest = m[1], m[2], m[3], m[4]
	} else if m := sourceWithin.FindStringSubmatch(s.text); m != nil {
		subject, verb, source, rest = m[1], m[2], m[3], m[4]
	}
	if subject == "" || !isPersonal(subject) {
		return sentence{}, false
	}
	text := "Laut " + strings.TrimPrefix(strings.TrimPrefix(source, "Laut "), "laut ") + ": " + subject + " " +
		verb + " " + rest
	return sentence{start: s.start, end: s.end, text: text, lead: len(text), made: true}, true
}
