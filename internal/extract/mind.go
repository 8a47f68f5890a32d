package extract

import (
	"slices"
	"strings"
	"unicode"
)

// The rules of this file match the words of an end without what ends: "Friday was my final day at Harlow", "Minka lebt
// leider nicht mehr". They pass on the clause, and the known facts decide what it means; see [reconcile.Amendment]. So
// these rules may be wide, while a pattern with a value must be narrow: if the clause names no known fact, nothing
// ends.

// Verbs of facts that such words may end.
var (
	workVerbs  = []string{"works_at", "works_as", "works_in", "runs", "has_work_status"}
	doingVerbs = []string{"plays", "learns", "does_regularly", "takes_medicine", "studies", "teaches", "works_on",
		"has_schedule", "uses"}
	bodilyVerbs = []string{"allergic_to", "intolerant_to", "has_condition", "follows_diet", "avoids",
		"takes_medicine"}
	likingVerbs   = []string{"likes", "prefers", "favourite_"}
	dislikeVerbs  = []string{"dislikes"}
	learningVerbs = []string{"studies", "studies_in"}
	partingVerbs  = append(slices.Clone(partnerVerbs), "has_marital_status")
)

var (
	clauseEnds = compiled(`(?i)[,;.!?–—(]+(?:\s|$)|\s(?:but|because|since I|as I|while|aber|weil|denn|sondern|obwohl)\s`)
	parted     = compiled(`(?i)[.!?;]+(?:\s|$)`)

	// unreal matches words for hypothetical and future things.
	unreal = compiled(`(?i)\b(?:want|wants|wanted|going to|gonna|might|could|should|would|must|may|will|if|whether|unless|until|thinking|plans?|planning|needs?|tr(?:y|ying|ied)|almost|nearly|supposed|about to|(?:have|has) to|never|yet|` +
		`hop(?:e|ing)|wish|imagine|consider(?:ing)?|tempted|maybe|perhaps|before|time to|ready to|didn['’]t|haven['’]t|hasn['’]t|don['’]t|doesn['’]t|isn['’]t|wasn['’]t|can['’]t|couldn['’]t|I['’]d|not|` +
		`will|wollen|wollte[nt]?|möchten?|könnten?|sollten?|soll|würden?|werden?|wird|muss|müssen|fast|beinahe|vielleicht|überlege|ob|wenn|falls|hätten?|wären?|noch nicht|nie|hoffentlich|bevor|nicht|keine?n?)\b|['’]ll\b`)

	// someoneElse matches the beginning of a clause about an unknown person.
	someoneElse = compiled(`(?i)^(?:(?:so|and|but|well|sadly|then|now|und|aber|dann|da|jetzt|also),? )*(?:he|she|you|your|his|her|their|someone|somebody|people|everyone|who|er|ihr|du|man|dein\w*|ihre?n?|seine?n?|jemand|wer)\b`)

	// pronounThere matches a pronoun for something named before.
	pronounThere = compiled(
		`(?i)\b(?:it|it['’]s|them|there|that|that['’]s|one|es|['’]s|hab['’]s|ihn|sie|dort|das|dies|davon|damit|daraus|da|den|die)\b`)

	// stateOfMind matches things that people stop only for a while.
	stateOfMind = compiled(`(?i)\b(?:know|care|think|understand|believe|remember|sure|recall|worried|see why|weiß|verstehe|sicher|glaube|denke|finde|erinnere|erkenne|schaffe|Welt|gesehen|seen|heard|gehört|gesprochen|the thought|the idea|stand up|train of thought)\b`)

	// lessOf matches a decrease that is no end.
	lessOf = compiled(`(?i)\b(?:(?:so|as|that|very|quite|too) (?:much|often|many|good|well|hard|bad)|just|only|nicht mehr (?:so|ganz|unbedingt|viel|lange|weit|nur|richtig|gern|gerne|jede\w*|immer)|nicht nur|nur noch)\b`)

	// behalf matches a clause about a named person.
	behalf = compiled(`^(?:(?i:so|and|but|well|sadly|unfortunately|by the way|und|aber|leider|übrigens),? )*(?P<who>(?i:my|our|meine?|unsere?) ` + degree + `(?i:` + relationWords + `)(?: \p{Lu}[\pL'’-]+)?|\p{Lu}[\pL’-]+)(?:['’]s)? ` +
		`(?:(?i:recently|just|also|finally|sadly|really) )?(?i:has|had|is|was|got|left|quit|gave|stopped|dropped|no longer|doesn['’]t|isn['’]t|hasn['’]t|retired|resigned|sold|lost|walked|called|cancelled|graduated|finished|completed|passed|hat|ist|war|wurde|lebt|arbeitet|spielt|studiert|isst|trinkt|mag|nimmt|geht|macht|wohnt|darf|kann|can|eats|drinks)\b`)

	ownerOf = compiled(`(?i)\pL+['’]s \pL+`)
)

// clauseOf returns the clause of a sentence around a position.
func clauseOf(text string, from, to int, ends pattern) (start, end int) {
	end = len(text)
	for at := 0; at < len(text); {
		m := ends.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		if at+m[1] <= from {
			start = at + m[1]
		} else if at+m[0] >= to {
			end = at + m[0]
			break
		}
		at += max(1, m[1])
	}
	return start, end
}

// spokenEnd passes on the clause that contains the words of an end.
func spokenEnd(h *hit, c *Amendment) bool { return h.speaks(c, clauseEnds) }

// spokenApart handles statements of two people about each other: the whole sentence is the clause, because it contains
// "and" or "zwischen".
func spokenApart(h *hit, c *Amendment) bool {
	return !inGroups.MatchString(h.sentence.text) && h.speaks(c, parted)
}

// spokenAlone handles words that name the sort of thing that ends.
func spokenAlone(h *hit, c *Amendment) bool {
	c.Alone = true
	return !upTo.MatchString(h.sentence.text[h.m[0]:]) && h.speaks(c, clauseEnds)
}

// upTo matches a step from one thing to another, which is no end: "graduated from beginner to intermediate".
var upTo = compiled(`(?i)^\W*\pL+ from [^,.;!?]{2,40} to\b`)

// spokenWell handles things that somebody has, cannot bear or does not eat. The end of an allergy requires a word for
// allergies: its cause may be gone for other reasons.
func spokenWell(h *hit, c *Amendment) bool {
	if !h.speaks(c, clauseEnds) {
		return false
	}
	if !bearing.MatchString(c.Said) {
		c.Verbs = slices.DeleteFunc(
			slices.Clone(c.Verbs), func(v string) bool {
				return v == "allergic_to" || v == "intolerant_to" ||
					v == "avoids"
			})
	}
	return true
}

var bearing = compiled(`(?i)allerg|intoler|unverträg|vertrag|vertrage|toler|\b(?:eat|drink|have|eating|drinking|having|esse|trinke|darf|kann|meide|avoid)\b`)

// spokenDone handles a task, named by its object and, if given, its verb.
func spokenDone(h *hit, c *Amendment) bool {
	if h.rule.verb != "" { // the cue itself is the verb of doing
		if c.With = h.x; h.rule.lang == english && !hasDone.MatchString(h.sentence.text) {
			return false
		}
	}
	if base, ok := doneForms[lower(c.With)]; ok {
		c.With = base
	}
	return h.speaks(c, clauseEnds)
}

// names reports whether words of a clause may name a known value: in German a noun, or a word for a diet.
func (h *hit) names(around string) bool {
	if h.rule.lang == english || pronounThere.MatchString(around) {
		return true
	}
	for _, w := range strings.Fields(around) {
		if w = tidy(w); w != "" && (unicode.IsUpper(firstRune(w)) && !notPersons[lower(w)] || dietWord.MatchString(w)) {
			return true
		}
	}
	return false
}

var (
	dietWord = compiled(`(?i)^(?:vegan|vegetar|pescet|glutenfrei|laktose)`)
	hasDone  = compiled(`(?i)(?:^|[^\pL])(?:I|we|I['’]ve|we['’]ve|is|are|was|were|been|got|has|have|all)[^\pL]|['’]s\s|^(?:\pL+[ ,!.]*){1,4}$`)
)

func (h *hit) speaks(c *Amendment, bounds pattern) bool {
	s := h.sentence
	if s.made || s.question {
		return false
	}
	from, to := h.m[0], h.m[1]
	start, end := clauseOf(s.text, from, to, bounds)
	for start < from && (s.text[start] == ' ' || s.text[start] == '\n') {
		start++
	}
	clause := s.text[start:end]
	around := s.text[start:from] + " … " + h.y + " … " + s.text[to:end]
	if unreal.MatchString(around) || someoneElse.MatchString(clause) || stateOfMind.MatchString(clause) ||
		lessOf.MatchString(clause) || infinitive.MatchString(clause) {
		return false
	}
	if worn.MatchString(s.text[from:to]) && !ownWord.MatchString(clause) &&
		(!behalf.MatchString(clause) || being.MatchString(clause)) && bounds().String() != parted().String() {
		return false
	}
	c.Start, c.End = s.start+start, s.start+end
	c.Said = clause
	if bounds().String() == parted().String() {
		c.Said = ownerOf.ReplaceAllString(clause, " ")
	}
	if h.object {
		if before := strings.TrimSpace(s.text[start:from]); passive.MatchString(before) || before == "" &&
			start == from && end == to {
			c.Said = before
		} else {
			c.Said, c.Head = objectOf(s.text[to:end]), true
		}
	}
	bare := !worn.MatchString(s.text[from:to]) && !telling.MatchString(fillers.ReplaceAllString(around, " "))
	if h.rule.id == "en.cue.5" && away.MatchString(strings.TrimSpace(s.text[to:])) &&
		strings.HasSuffix(s.text[from:to], "off") || !bare && !h.names(around) {
		return false
	}
	if bare || pronounThere.MatchString(c.Said) {
		c.Near = h.around()
	}
	if bounds().String() != parted().String() {
		h.withoutAgent(c, start, end)
	}
	if c.Said == "" {
		c.Said = " "
	}
	return h.onBehalf(c, clause)
}

// around returns the sentence with the one before it.
func (h *hit) around() string {
	for i := range h.sentences {
		if h.sentences[i].end <= h.sentence.start &&
			(i+1 == len(h.sentences) || h.sentences[i+1].end > h.sentence.start) {
			return h.sentences[i].text + " " + h.sentence.text
		}
	}
	return h.sentence.text
}

// onBehalf assigns a change with a named person as its subject to that person. If the person ends ("Minka lebt nicht
// mehr"), it may also be one of the speaker's people.
func (h *hit) onBehalf(c *Amendment, clause string) bool {
	named := behalf.FindStringSubmatch(clause)
	if named == nil || slices.Contains(c.Verbs, "has_task") {
		return true
	}
	relation, name, kin := kinsman(named[1])
	if !kin && !isPerson(named[1]) {
		return true
	}
	of := *c
	switch {
	case kin && name == "":
		of.Verbs = kinVerbs(relation, c.Verbs)
	case kin:
		of.Subjects, of.Name = []Subject{PersonSubject}, name
	default:
		of.Subjects, of.Name, name = []Subject{PersonSubject}, named[1], named[1]
	}
	h.page.amendments = append(h.page.amendments, of)
	c.Alone = false
	if slices.Contains(c.Verbs, "has_partner") {
		return true
	}
	c.Said, c.Near = name, ""
	return name != ""
}

var (
	fillers = compiled(`(?i)(?:^|[^\pL])(?:(?:I|we)['’]ve|have|has|just|finally|already|really|even|then|thrown?|packed|gave|given|hung|put|also|that|this|habe|haben|jetzt|leider|schon|endlich|wurde|ich|wir|dann|einfach)(?:$|[^\pL'’])`)
	telling = compiled(`\pL{4}`)
)

// objectOf returns the object at the beginning of some words, without place, time and company.
func objectOf(s string) string {
	if m := beyondObject.FindStringIndex(s); m != nil && !wide.MatchString(s[:m[0]]) {
		s = s[:m[0]]
	}
	return ownerOf.ReplaceAllString(s, " ")
}

var (
	beyondObject = compiled(
		`(?i)(?:^|\s)(?:at|in|on|for|with|from|during|near|behind|outside|before|after|until|by|yesterday|today|last|and)\s`)
	wide = compiled(
		`(?i)\b(?:job|role|membership|position|place|subscription|contract|classes?|course|lessons|post)\b`)
	being   = compiled(`^\S+ (?i:ist|sind|war|wurde|is|are|was|were) `)
	passive = compiled(
		`(?i)(?:\b(?:is|are|was|were|been|got|gets|be)|['’]s)(?: (?:just|finally|now|already|also|all|recently))*$`)
	infinitive = compiled(`(?i)\szu \pL+n$`)
	worn       = compiled(`(?i)\b(?:mehr|any ?more|longer)$|^no longer`)
	ownWord    = compiled(
		`(?i)(?:^|[^\pL])(?:I|we|me|us|my|our|ich|wir|mir|mich|uns|mein\w*|unser\w*)(?:[^\pL]|$)|I['’]|we['’]`)
)
