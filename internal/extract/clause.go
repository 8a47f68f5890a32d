package extract

import (
	"slices"
	"strings"
)

// A sentence may say several things of one subject: "I live in Oslo and work as a nurse". Rules read each clause with
// the subject. Such a clause is constructed and occurs nowhere in the text, so it records where its parts came from.

// Verbs at the beginning of a clause without a subject, by person.
const (
	englishOfI = `am|have|had|was|live|work|study|studied|love|like|enjoy|hate|prefer|speak|play|own|teach|run|earn|make|take|go|come|grew up|moved|started|worked|lived|got|suffer|drive|collect|` +
		`volunteer|cook|swim|drink|eat|avoid|freelance|write|read|practise|practice|pay|train|know|learn|do|don't|can't|cannot|bought|broke|passed|graduated|joined|stopped|quit|gave up|used to`
	englishOfShe = `is|has|had|was|lives|works|studies|studied|loves|likes|enjoys|hates|prefers|speaks|plays|owns|teaches|runs|earns|makes|takes|goes|comes|grew up|moved|started|worked|lived|got|` +
		`suffers|drives|collects|volunteers|cooks|drinks|eats|writes|doesn't|can't|turned`
	germanOfI = `bin|habe|hab|hatte|war|wohne|lebe|arbeite|studiere|mag|liebe|hasse|lese|höre|koche|esse|trinke|komme|heiße|gehe|mache|lerne|nehme|fahre|verdiene|besitze|leide|vertrage|jobbe|` +
		`unterrichte|sammle|wurde|spiele|spreche|bevorzuge|stamme|trainiere|leite|backe|schwimme|singe|male|zahle|meide|verzichte|ernähre|finde`
	germanOfShe = `ist|hat|hatte|war|wohnt|lebt|arbeitet|studiert|mag|liebt|hasst|liest|hört|kocht|isst|trinkt|kommt|heißt|geht|macht|lernt|nimmt|fährt|verdient|besitzt|leidet|verträgt|unterrichtet|` +
		`sammelt|wurde|spielt|spricht|bevorzugt|stammt|trainiert|leitet`
	germanOfWe = `sind|haben|hatten|waren|wohnen|leben|arbeiten|studieren|mögen|lieben|hassen|lesen|kochen|essen|trinken|kommen|gehen|machen|fahren|besitzen|spielen|sprechen|zahlen`
)

// grammar describes how clauses are joined in one language.
type grammar struct {
	i, we    string
	subject  pattern            // of the whole sentence, with its beginning
	joined   map[string]pattern // the beginning of the next clause, by the person of the subject
	governed pattern            // words that govern the next verb: want to …, can …
	fronted  map[string]pattern // an object or an adverb before verb and subject
}

const (
	firstSingular = "I"
	firstPlural   = "we"
	thirdPerson   = "she"
)

// joining matches the verb of the next clause: after and or but, or after a comma if it cannot be something else, as in
// "some fruit, like apples".
func joining(between, pronoun, verbs, afterComma string) pattern {
	const soon = `(?:(?:also|currently|now|auch|jetzt|gerade|derzeit)\s+)?`
	return compiled(`(?i),?\s+` + between + `\s+(?:(?:` + pronoun + `)\s+)?(?P<verb>` + soon + `(?:` + verbs +
		`))\b|,\s+(?P<bare>(?:(?:` + pronoun + `)\s+)?` + soon + `(?:` + afterComma + `))\b`)
}

var resumed = compiled(`(?i)^(?:I|we|he|she|ich|wir|er|sie)\s+`)

// germanFronted matches a sentence that begins with another part: X verb subject rest.
func germanFronted(subject, verbs string) pattern {
	return compiled(`^((?-i:\p{Lu})[^,;:!?()]{1,60}?)\s+(?i:(` + verbs + `))\s+(` + subject + `)\b(.*)$`)
}

var (
	englishPerson = `(?i:my|our)\s+` + degree + `(?i:` + relationWords + `)\b(?:\s+\p{Lu}[\pL'’-]+)?|\p{Lu}[\pL'’-]+`
	germanPerson  = `(?i:meine?|unsere?)\s+` + degree + `(?i:` + relationWords +
		`)\b(?:\s+\p{Lu}[\pL'’-]+)?|\p{Lu}[\pL'’-]+`
)

var grammars = [...]grammar{
	english: {
		i: "i", we: "we",
		subject: compiled(`^(?:(?i:well|so|yes|yeah|yep|and|but|hi|hello|hey|also|oh|anyway|currently|nowadays|now)[,!.]?\s+)*(I|[Ww]e|` + englishPerson + `)(?:['’](?:m|ve|re|s))?\s`),
		joined: map[string]pattern{
			firstSingular: joining(`(?:and|but)`, `I`, englishOfI, `live|work|study|speak|teach|have|moved|grew up|am`),
			firstPlural: joining(`(?:and|but)`, `we`, strings.Replace(englishOfI, "am|", "are|", 1),
				`live|work|speak|have|moved|are`),
			thirdPerson: joining(`(?:and|but)`, `he|she`, englishOfShe,
				`lives|works|studies|speaks|teaches|has|moved|grew up|is`),
		},
		governed: compiled(`(?i)\b(?:(?:want|wants|like|likes|love|loves|plan|plans|need|needs|have|has|had|going|try|trying|tried|hope|hoping|able|used|learn\w*|got|ready|supposed|decided|started|began|` +
			`prefer|prefers|time|how|hate|hates|happy|glad|ask\w*|tell|help\w*|order|chance|enough|forced|allowed|nice|good|hard|easy)\s+to\s|can|could|will|would|should|might|may|must|shall|let|didn't|don't|doesn't|did|do|does|not|never|cannot|can't|won't|because|when|where|who|which|that|whose|whom|` +
			`said|says|told|think|thinks|hope|between|(?:he|she|they|it|you)\s+\pL+|I'd|I'll|we'll)\b`),
	},
	german: {
		i: "ich", we: "wir",
		subject: compiled(`^(?:(?i:ja|also|na|und|aber|hallo|hi|hey|übrigens)[,!.]?\s+)*([Ii]ch|[Ww]ir|` +
			germanPerson + `)\s`),
		joined: map[string]pattern{
			firstSingular: joining(`(?:und|aber)`, `ich`, germanOfI,
				`wohne|lebe|arbeite|studiere|spreche|unterrichte|komme|habe|bin`),
			firstPlural: joining(`(?:und|aber)`, `wir`, germanOfWe, `wohnen|leben|arbeiten|sprechen|haben|sind`),
			thirdPerson: joining(`(?:und|aber)`, `er|sie`, germanOfShe,
				`wohnt|lebt|arbeitet|studiert|spricht|unterrichtet|kommt|hat|ist`),
		},
		governed: compiled(`(?i)\b(?:kann|können|will|wollen|möchte|möchten|soll|sollte|sollten|muss|müssen|darf|dürfen|würde|würden|werde|werden|wird|könnte|lass|weil|dass|wenn|als|wo|damit|obwohl|der|nicht|nie|` +
			`sagt|sagte|meint|glaube|hoffe|zwischen)\b`),
		fronted: map[string]pattern{
			firstSingular: germanFronted(`ich`, germanOfI),
			firstPlural:   germanFronted(`wir`, germanOfWe),
			thirdPerson: germanFronted(`(?i:meine?|unsere?)\s+`+degree+`(?i:`+relationWords+
				`)\b(?:\s+\p{Lu}[\pL'’-]+)?`, germanOfShe),
		},
	},
}

// clauses returns the clauses of a sentence, each with their common subject, or nil if there is only one. If a German
// sentence does not begin with its subject, the last of them is the sentence in plain order.
func (p *page) clauses(s *sentence) (all []sentence) {
	if len(s.text) > maxQuote || s.question {
		return nil
	}
	if several := p.ofSeveral(s); several != nil {
		return several
	}
	if plain, ok := toldBy(s); ok {
		return []sentence{plain}
	}
	for l := range grammars {
		t := &grammars[l]
		if cut := t.cut(s); cut != nil {
			return cut
		}
		if plain, ok := t.inOrder(s); ok {
			return append(t.cut(&plain), plain)
		}
	}
	return nil
}

// cut cuts a sentence before each verb that shares the first subject.
func (g *grammar) cut(s *sentence) (all []sentence) {
	if !strings.ContainsAny(s.text, ",") && !strings.Contains(s.text, " and ") && !strings.Contains(s.text, " und ") &&
		!strings.Contains(s.text, " but ") && !strings.Contains(s.text, " aber ") {
		return nil
	}
	m := g.subject().FindStringSubmatchIndex(s.text)
	if m == nil {
		return nil
	}
	subject := s.text[m[2]:m[3]]
	person := g.personOf(subject)
	if person == thirdPerson && (!isPersonal(subject) || !thirdVerb.MatchString(s.text[m[3]:])) {
		return nil
	}
	join := g.joined[person]()
	verb, bare := join.SubexpIndex("verb"), join.SubexpIndex("bare")
	from, lead := 0, ""
	for at := m[3]; ; {
		next := join.FindStringSubmatchIndex(s.text[at:])
		if next != nil && g.governed.MatchString(s.text[max(from, m[3]):at+next[0]]) {
			next = nil
		}
		if next == nil {
			break
		}
		n := verb
		if next[2*n] < 0 {
			n = bare
		}
		if staged(s.text[:at+next[2*n]]) { // the rest was said or believed
			return nil
		}
		all = append(all, s.part(from, at+next[0], lead))
		from, lead = at+next[2*n]+len(resumed.FindString(s.text[at+next[2*n]:at+next[2*n+1]])), subject+" "
		at = at + next[2*n+1]
	}
	if all == nil {
		return nil
	}
	return append(all, s.part(from, len(s.text), lead))
}

// thirdVerb matches the verb of a third person after its subject. A capital letter at the beginning of a sentence does
// not prove a name; the verb does.
var thirdVerb = compiled(`^(?:['’]s|\s(?:also\s|really\s|currently\s|now\s)?(?:` + englishOfShe + `|` +
	germanOfShe + `))\b`)

// personOf returns the person of a subject.
func (g *grammar) personOf(subject string) string {
	switch lower(subject) {
	case g.i:
		return firstSingular
	case g.we:
		return firstPlural
	}
	return thirdPerson
}

// isPersonal reports whether a subject names a person: one of the speaker's people, or a name.
func isPersonal(subject string) bool {
	_, _, kin := kinsman(subject)
	return kin || isPerson(subject)
}

// part returns a part of the text with a subject before it.
func (s *sentence) part(from, to int, lead string) sentence {
	text := lead + strings.TrimSpace(s.text[from:to])
	return sentence{start: s.start, end: s.end, text: text, from: from, lead: len(lead), made: true}
}

// adverbial begins an adverbial of time, place or manner, which may come after the object.
var adverbial = compiled(
	`(?i)^(?:seit|jetzt|heute|morgen|gestern|dort|hier|am|im|in|an|auf|bei|um|nach|vor|ab|bis|mit|ohne|zu[rm]?|aus|früher|aktuell|derzeit|zurzeit|momentan|inzwischen|mittlerweile|leider|` +
		`eigentlich|beruflich|privat|jede[nrs]?|letzte[snr]?|nächste[snr]?|laut|normalerweise|meistens|manchmal|oft|immer|tagsüber|abends|morgens|nachts|[a-zä]+tags|außerdem|nebenbei|vielleicht|wahrscheinlich)\b`)

var notFronted = compiled(
	`(?i)^(?:das|dies\w*|es|so|da|dann|deshalb|darum|was|wer|wie|wo|woher|wohin|wann|warum|welche\w*|ob|wenn|als|dass|weil|und|aber|oder|nicht|kein\w*|nie|angeblich|hoffentlich|ihn|ihm|sie|ihr)\b`)

// inOrder puts a German sentence that does not begin with its subject into plain order: subject, verb, object, rest.
func (g *grammar) inOrder(s *sentence) (sentence, bool) {
	for _, person := range [...]string{firstSingular, firstPlural, thirdPerson} {
		front := g.fronted[person]
		if front == nil {
			return sentence{}, false
		}
		m := front.FindStringSubmatch(s.text)
		if m == nil || notFronted.MatchString(m[1]) {
			continue
		}
		first, verb, subject, rest := m[1], m[2], m[3], strings.TrimSpace(m[4])
		end := ""
		if trimmed := strings.TrimRight(rest, ".!"); trimmed != rest {
			rest, end = trimmed, rest[len(trimmed):]
		}
		between, before := first+" "+rest, ""
		switch {
		case slices.ContainsFunc(words(nil, first), func(w string) bool { return sources[w] }):
			before, between = first+": ", rest
		case particles[rest[strings.LastIndexByte(rest, ' ')+1:]]: // the verb ends with the clause
			between = lowerFirst(first) + " " + rest
		case adverbial.MatchString(first):
			between = rest + " " + lowerFirst(first)
			if clause := strings.IndexAny(rest, ",;"); clause >= 0 {
				between = rest[:clause] + " " + lowerFirst(first) + rest[clause:]
			} else if and := strings.Index(rest, " und "); and >= 0 {
				between = rest[:and] + " " + lowerFirst(first) + rest[and:]
			}
		}
		text := before + upperFirst(subject) + " " + verb + " " + strings.TrimSpace(between) + end
		return sentence{start: s.start, end: s.end, text: text, lead: len(text), made: true}, true
	}
	return sentence{}, false
}

func upperFirst(s string) string {
	r := firstRune(s)
	return strings.ToUpper(string(r)) + s[len(string(r)):]
}

// place returns the position in the turn of a byte of the sentence's text.
func (s *sentence) place(i int) int {
	if !s.made {
		return s.start + i
	}
	return min(s.start+s.from+max(0, i-s.lead), s.end-1)
}
