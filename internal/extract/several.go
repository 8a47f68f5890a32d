package extract

import (
	"cmp"
	"slices"
	"strings"
)

// Somebody with two brothers speaks of one and of the other. Neither is named, and a statement about one does not apply
// to the other. So they are distinguished as my one brother and my other brother.

var (
	oneOf = compiled(`^(?:` +
		`(?i:one\sof\s(?:my|our)\s(?:two\s|three\s)?)(?P<en>(?i:` + relationWords + `))s?|` +
		`(?i:eine[rs]?\s(?:meiner|von\smeinen|unserer|von\sunseren)\s(?:zwei\s|drei\s|beiden\s)?)(?P<de>(?i:brüdern?|schwestern|söhnen?|töchtern?|onkeln?|tanten|freunden?|freundinnen|cousins|cousinen|nachbarn|kollegen|kolleginnen))|` +
		`(?i:eine?\s)(?P<mine>(?i:` + relationWords + `))(?i:\svon\s(?:mir|uns))|` +
		`(?i:(?:my|our|meine?|unsere?)\s(?:one|eine[rs]?)\s)(?P<one>(?i:` + relationWords + `)))\s(?P<rest>.+)$`)
	theOther = compiled(`^(?i:and\s|but\s|while\s|und\s|aber\s)?(?i:(?:(?:the|my|our|der|die|meine?|unsere?)\s(?:other|andere[rs]?)|another)(?:\sone|\sof\sthem)?)(?:\s(?P<rel>(?i:` + relationWords + `)))?\s(?P<rest>.+)$`)
	otherNow = compiled(`[,;]\s(?:(?i:and|but|while|und|aber)\s)?(?i:the\sother|another|my\sother|der\sandere|die\sandere|mein\sanderer|meine\sandere)\b`)
	ofShe    = compiled(`^(?:` + englishOfShe + `|` + germanOfShe + `)\b`)
)

// singular maps the plurals of relations to their singulars.
var singular = map[string]string{"brüder": "Bruder", "brüdern": "Bruder", "schwestern": "Schwester", "söhne": "Sohn",
	"söhnen": "Sohn", "töchter": "Tochter", "töchtern": "Tochter",
	"onkel": "Onkel", "onkeln": "Onkel", "tanten": "Tante", "freunde": "Freund", "freunden": "Freund",
	"freundinnen": "Freundin", "cousins": "Cousin", "cousinen": "Cousine",
	"nachbarn": "Nachbar", "kollegen": "Kollege", "kolleginnen": "Kollegin"}

// ofSeveral returns a sentence's statements about one of several relatives and about the other, each with its own
// subject.
func (p *page) ofSeveral(s *sentence) []sentence {
	relation, rest, ok := oneOfMine(s.text)
	if !ok {
		if relation, ok = p.oneBefore(s); !ok {
			return nil
		}
		if other, ok := s.ofTheOther(s.text, relation, ""); ok {
			return []sentence{other}
		}
		return nil
	}
	out := []sentence{}
	if at := otherNow.FindStringIndex(rest); at != nil {
		if other, ok := s.ofTheOther(strings.TrimLeft(rest[at[0]:], ",; "), relation, rest); ok {
			out = append(out, other)
		}
		rest = rest[:at[0]]
	}
	return append(out, s.of("one", "eine", relation, rest))
}

// oneOfMine splits a sentence about one of several relatives.
func oneOfMine(text string) (relation, rest string, ok bool) {
	m := oneOf.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	relation, rest = m[1]+m[2]+m[3]+m[4], m[5]
	if one, ok := singular[lower(m[2])]; ok {
		relation = one
	}
	return relation, rest, true
}

// oneBefore returns the relation in the sentence before, if that is about one of several relatives.
func (p *page) oneBefore(s *sentence) (relation string, ok bool) {
	i, known := slices.BinarySearchFunc(
		p.sentences, s.start, func(one sentence, start int) int { return cmp.Compare(one.start, start) })
	if !known || i == 0 {
		return "", false
	}
	relation, _, ok = oneOfMine(p.sentences[i-1].text)
	return relation, ok
}

// ofTheOther returns a clause's statement about the other one, with the verb of the first clause if it has none.
func (s *sentence) ofTheOther(clause, relation, first string) (sentence, bool) {
	m := theOther.FindStringSubmatch(clause)
	if m == nil || m[1] != "" && !strings.EqualFold(m[1], relation) {
		return sentence{}, false
	}
	rest := m[2]
	if !ofShe.MatchString(rest) {
		verb, _, ok := strings.Cut(first, " ")
		if !ok || !ofShe.MatchString(verb) {
			return sentence{}, false
		}
		rest = verb + " " + rest
	}
	return s.of("other", "andere", relation, rest), true
}

// of constructs a sentence about one of the speaker's people.
func (s *sentence) of(english, german, relation, rest string) sentence {
	which := "My " + english + " "
	if strings.ToLower(relation) != relation {
		which = "Meine " + german + " "
	}
	text := which + relation + " " + strings.TrimSpace(rest)
	return sentence{start: s.start, end: s.end, text: text, lead: len(text), made: true}
}
