package distil

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// bounded makes a pattern of whole words, in whatever case.
func bounded(words string) lazyre.Regexp {
	return lazyre.New(`(?i)(?:^|[^\pL])(?:` + words + `)(?:[^\pL]|$)`)
}

var (
	negation = bounded(`not|never|no|no longer|nobody|none|neither|nor|hardly|cannot|\pL+n['’]t|nicht|nie|niemals|niemand|weder|kein\pL*|` +
		`den(?:y|ied|ies)|bestreite\pL*|untrue|false that|used to|früher`)
	// harmless are phrases with a word of denial that deny nothing.
	harmless = bounded(`no problem|no doubt|no idea|no matter|no wonder|no worries|not only|not just|why not|if not|can['’]?t wait|cannot wait|could\s?n['’]t be happier|do\s?n['’]t worry|` +
		`do\s?n['’]t forget|can['’]t help|nicht nur|nicht vergessen|vergiss nicht|kein problem|keine sorge|keine frage|kein wunder|never (?:tire|get tired|miss|stop|regret|fail)\pL*|nicht wahr|isn['’]t it|don['’]t you think|you know`)
	leadingNo = lazyre.New(`(?i)^\W*(?:oh,?\s|well,?\s)?(?:no|nope|nein|nee)\b[,.!;:–—]*`)
	// avoiding lists verbs that contain a denial: somebody who does not like rain dislikes it.
	avoiding = []string{"dislikes", "avoids", "intolerant_to", "allergic_to", "follows_diet", "hates", "lacks"}
	// cannotHave matches how people mention what they are allergic to.
	cannotHave = bounded(`can['’]?t|cannot|can not|may not|must not|mustn['’]t|do not|don['’]t|won['’]t|never|nicht|nie|kein\pL*|no`)

	supposing = bounded(`if|unless|provided|suppose|supposing|assuming|assume|imagine|pretend\pL*|in case|i wish|wish i|hopefully|dream\pL*|as though|role-?play|joking|kidding|` +
		`wenn|falls|sofern|angenommen|vorausgesetzt|stell dir vor|stellt euch vor|träum\pL*|geträumt|hoffentlich|als ob|im scherz|in (?:my|the|our|a) (?:novel|story|dream|game|film|movie|play)|in (?:meinem|dem|einem|unserem) (?:roman|traum|spiel|film|stück)`)
	// courtesy are conditions on which nothing depends but the conversation.
	courtesy = bounded(`if (?:(?:that|it|this) (?:matters|counts|is of interest)|you|anyone|anybody|possible|needed|necessary|i remember|i recall|i may|i['’]m not mistaken|i['’]m honest|it helps|that helps|so|not)|even if|what if|as if|` +
		`(?:immer|jedes mal|auch) wenn|wenn (?:du|ihr|sie|man|möglich|nötig|ich mich|ich ehrlich)|falls (?:du|ihr|sie|nötig|möglich)`)
	whether   = bounded(`whether|ob`)
	unreal    = bounded(`would|could|might|i['’]d|we['’]d|he['’]d|she['’]d|they['’]d|würde\pL*|könnte\pL*|hätte\pL*|wäre\pL*|dürfte\pL*`)
	real      = bounded(`would (?:like|love|rather|prefer)|['’]d (?:like|love|rather|prefer)|could not|couldn['’]t|hätte\pL* gern\pL*|würde\pL* gern\pL*|könnte schwören`)
	takenBack = lazyre.New(
		`(?i)^\W*(?:(?:ha){2,}|hihi|lol|rofl|just kidding|only kidding|kidding|just joking|only joking|joking|j/k|jk|not really|yeah right|as if|` +
			`(?:nur |war nur |kleiner |ein )*(?:spaß|scherz|witz)|quatsch|natürlich nicht|of course not)\b`)
	laughed = bounded(`(?:ha){2,}|lol|rofl|just kidding|j/k|😂|🤣|😜`)

	// told matches statements or opinions of another person; recounted matches those that the speaker once made or
	// held.
	told = lazyre.New(
		`(?i)(?:^|[^\pL])([\pL'’.-]+)(?:\s(?:has|have|had|once|always|also|even|just|hat|hatte|auch|immer|mal))?\s` +
			`(?:said|says|say|tells?|told|claims?|claimed|thinks|thought|believes|believed|wrote|writes|mentioned|insists?|insisted|reckons|reported|joked|pretended|` +
			`sagte?|sagt|meinte?|behauptete?|behauptet|erzählte?|erzählt|schrieb|schreibt|glaubte?|glaubt|dachte|denkt|findet)(?:[^\pL]|$)|` +
			`(?:^|[^\pL])([\pL'’.-]+)\s(?:hat|hatte|haben)\s(?:\pL+\s){0,4}(?:gesagt|behauptet|erzählt|geglaubt|gedacht|gemeint|geschrieben)`)
	recounted = lazyre.New(
		`(?i)(?:^|[^\pL])(?:I|we|ich|wir)(?:\s(?:have|had|once|never|always|even|just|also|auch|nie|immer|lange|mal))?\s(?:said|told|claimed|pretended|joked|` +
			`(believed|assumed|thought(?: that)? (?:I|we|he|she|it|they|my|the)|dachte|glaubte)|sagte|behauptete|erzählte|scherzte)(?:[^\pL]|$)|` +
			`(?:^|[^\pL])(?:ich|wir)\s(?:habe?|hatte|haben)\s(?:[\pL,]+\s){0,5}(?:gesagt|behauptet|erzählt|(geglaubt|gedacht))`)
	// phrases matches idioms with a verb of saying in which nobody says anything.
	phrases   = bounded(`that said|easier said|enough said|having said|being said|ehrlich gesagt|kurz gesagt|offen gesagt|anders gesagt|genau gesagt`)
	hearsay   = bounded(`according to|supposedly|allegedly|apparently|rumou?r has it|laut|angeblich|zufolge|gerüchte\pL*|anscheinend`)
	addressed = bounded(`told you|tell you|said before|as i said|like i said|i said earlier|wie gesagt|sagte ich|ich sag(?:e|te)? (?:dir|euch|ihnen)|dir gesagt|euch gesagt`)
	staged    = bounded(`so that|so (?:he|she|they|it|i|we)|to get|to avoid|just to|in order to|damit|um|am telefon|at the party|auf der party`)
	past      = bounded(`was|were|had|did|sei|seien|war|waren|hatte|hätte|habe`)
	first     = bounded(`I|I['’]\pL+|me|my|mine|myself|we|we['’]\pL+|us|our|ich|mir|mich|mein\pL*|wir|uns|unser\pL*`)
	firstAs   = bounded(`I|I['’]\pL+|me|we|we['’]\pL+|us|ich|mir|mich|wir|uns`)

	// otherPerson matches a clause whose subject is a person other than the speaker; otherName one that begins with a
	// name.
	otherPerson = lazyre.New(
		`(?i)^\W*(?:(?:and|but|because|while|that|und|aber|weil|dass|also)\s)*(?:(?:he|she|er|who)(?:['’]\pL+)?\s|sie\s(?:ist|hat|war|wohnt|lebt|arbeitet|mag|kann|studiert)\b|` +
			`(?:my|our|his|her|their|mein\pL*|unser\pL*|sein\pL*|ihr\pL*)\s(?:(?:older|younger|little|big|best|old|eldest|youngest|ex-?|kleine\pL*|große\pL*|ältere\pL*|jüngere\pL*|beste\pL*)\s)*` + people + `)`)
	otherName = lazyre.New(
		`^\W*(?:(?:and|but|because|while|that|und|aber|weil|dass)\s)*(\p{Lu}\pL+)(?:\s\p{Lu}\pL+)?(?:,[^,]+,)?\s(?:is|was|has|had|\pL{2,}[a-rt-z]s|hat|ist|war|hatte|mag|\pL{2,}[^\PLaeiou]t)\s`)
	anaphor = bounded(`it|this|that|these|those|there|them|him|her|he|she|they|one|ones|es|das|dies|diese\pL*|dort|da|ihn|ihm|sie|er|so`)
)

// people are words for the people around somebody.
const people = `(?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter|kids?|child|children|brother|sister|siblings?|mother|mum|mom|father|dad|parents?|cousin|uncle|aunt|` +
	`grand(?:mother|father|ma|pa|son|daughter)|nephew|niece|boss|manager|supervisor|colleague|co-?worker|friend|neighbou?r|flatmate|roommate|room mate|teacher|doctor|landlord|` +
	`frau|mann|ehefrau|ehemann|partnerin|freund(?:in)?|sohn|tochter|kind(?:er)?|bruder|schwester|geschwister|mutter|mama|vater|papa|eltern|cousine?|onkel|tante|oma|opa|neffe|nichte|` +
	`chef(?:in)?|kolleg(?:e|in)|nachbar(?:in)?|mitbewohner(?:in)?|lehrer(?:in)?|arzt|ärztin|vermieter(?:in)?)(?:\s|$)`

// tone checks the tone of the quote in its clause and sentence: what is denied, asked, supposed or said by somebody
// else is not a statement of the speaker.
func (h *hearing) tone() string {
	if reason := h.reported(); reason != "" {
		return reason
	}
	switch f := h.frame; {
	case h.denied():
		h.doubt(DoubtNegation)
	case strings.HasSuffix(f.whole, "?") && !h.claim.RequiresAction && h.found.Type != trilith.FactTask &&
		!h.found.Proposed:
		h.doubt(DoubtQuestion)
	case h.supposed():
		h.doubt(DoubtSupposed)
	case h.elsewhere():
		h.doubt(DoubtElsewhere)
	}
	return ""
}

// denied reports whether the clause denies what the claim affirms.
func (h *hearing) denied() bool {
	deny := func(s string) bool {
		return negation.MatchString(leadingNo.ReplaceAllString(harmless.ReplaceAllString(s, " "), " "))
	}
	if h.claim.Polarity != trilith.Affirmed || h.found.Relation == Retracts || !deny(h.frame.clause) ||
		deny(h.claim.Text) || deny(strings.ReplaceAll(h.claim.Verb, "_", " ")) {
		return false
	}
	if slices.Contains(avoiding, h.claim.Verb) && cannotHave.MatchString(h.frame.clause) {
		stem := h.claim.Verb[:4] // I do not avoid gluten, I am not allergic to it
		return strings.Contains(strings.ToLower(h.frame.clause), stem)
	}
	return !slices.Contains([]trilith.FactType{trilith.FactDecision, trilith.FactRisk, trilith.FactConstraint,
		trilith.FactTask},
		h.found.Type)
}

// supposed reports whether the sentence only supposes what the claim states. A task, a risk or a rule may well depend
// on something.
func (h *hearing) supposed() bool {
	f := h.frame
	if takenBack.MatchString(f.next) || laughed.MatchString(f.whole) {
		return true
	}
	if h.claim.RequiresAction ||
		slices.Contains([]trilith.FactType{trilith.FactTask, trilith.FactRisk, trilith.FactConstraint, trilith.FactDecision},
			h.found.Type) {
		return false
	}
	if supposing.MatchString(courtesy.ReplaceAllString(f.whole, " ")) ||
		whether.MatchString(f.before+" "+f.clause) {
		return true
	}
	lasting := slices.Contains(
		[]trilith.FactType{trilith.FactProfile, trilith.FactRelationship, trilith.FactEvent}, h.found.Type)
	return lasting && unreal.MatchString(real.ReplaceAllString(f.clause, " ")) &&
		!unreal.MatchString(h.claim.Text)
}

// reported decides about statements that the sentence attributes to somebody. A statement that somebody else made about
// himself is not the speaker's; what the speaker once told others, or believed, need not be true.
func (h *hearing) reported() string {
	upTo := phrases.ReplaceAllString(h.frame.upTo, " ")
	if at := recounted.FindStringSubmatchIndex(upTo); at != nil {
		believed := at[2] >= 0 || at[4] >= 0
		if !addressed.MatchString(h.frame.whole) &&
			(believed || negation.MatchString(upTo[:at[1]]) || staged.MatchString(h.frame.whole) ||
				past.MatchString(upTo[at[1]:])) {
			h.doubt(DoubtSupposed)
		}
		return ""
	}
	at := told.FindStringSubmatchIndex(upTo)
	if at == nil {
		if !hearsay.MatchString(upTo) {
			return ""
		}
		if h.found.Subject == Speaker && !first.MatchString(upTo) {
			return ReasonSpeaker
		}
		h.hearsay()
		return ""
	}
	if said := upTo[at[1]:]; h.found.Subject == Speaker && (!first.MatchString(said) || inQuotes(said)) {
		return ReasonSpeaker
	}
	h.hearsay()
	return ""
}

// hearsay notes that somebody else is said to have said it.
func (h *hearing) hearsay() {
	if h.claim.Certainty == trilith.Stated {
		h.claim.Certainty = trilith.Reported
		h.found.Confidence = min(h.found.Confidence, weight[trilith.Reported])
	}
}

// inQuotes reports whether a text begins with quoted words.
func inQuotes(s string) bool {
	return strings.IndexAny(strings.TrimLeft(s, " :,"), "\"“„«»‚‘'") == 0
}

// elsewhere reports whether the object is in the turn, but not at the quote: then the quote states something else. A
// pronoun may stand for a name in the sentence before.
func (h *hearing) elsewhere() bool {
	near := evidence{}
	near.read(h.frame.whole, h.lang)
	if anaphor.MatchString(h.frame.whole) {
		near.read(h.frame.last, h.lang)
	}
	for _, i := range h.refs {
		near.read(h.r.Turns[i].Text, h.lang)
	}
	terms := textproc.Analyzer{}.QueryTerms(string(h.claim.Object), textproc.All)
	inTurn := false
	for _, forms := range terms {
		for _, t := range forms {
			if near["~"+t] || h.more["~"+t] {
				return false
			}
			inTurn = inTurn || h.own["~"+t]
		}
	}
	return inTurn
}
