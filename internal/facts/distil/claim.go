package distil

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// claim is a fact as the model puts it.
type claim struct {
	Topic      string `json:"topic"`
	About      string `json:"about"`
	Sentence   string `json:"sentence"`
	Value      scalar `json:"value"`
	Quote      string `json:"quote"`
	WhoseWords string `json:"whose_words"`
	TimeWords  string `json:"time_words"`
	Confidence scalar `json:"confidence"`
	Amount     scalar `json:"amount"`
	Fields     []struct {
		Name  string `json:"name"`
		Value scalar `json:"value"`
	} `json:"fields"`
}

// Confidence says how a turn has a fact. One word has the place of a certainty, a polarity and a relation to known facts,
// which a small model mixes up.
type Confidence string

// The confidences.
const (
	Stated   Confidence = "stated"
	Planned  Confidence = "planned"
	Reported Confidence = "reported" // somebody else is said to have said it
	Unsure   Confidence = "unsure"   // it is hedged, supposed, asked or a joke
	Denied   Confidence = "denied"   // it is not so
	Over     Confidence = "over"     // it was so, and is no longer
)

// confidences are the certainty, polarity and weight of a fact of each confidence.
var confidences = []struct {
	name      Confidence
	certainty trilith.Certainty
	polarity  trilith.Polarity
	weight    float64
}{
	{Stated, trilith.Stated, trilith.Affirmed, 0.85}, {Planned, trilith.Planned, trilith.Affirmed, 0.7},
	{Reported, trilith.Reported, trilith.Affirmed, reported}, {Unsure, trilith.Hedged, trilith.Affirmed, doubtful},
	{Denied, trilith.Stated, trilith.Negated, 0.85}, {Over, trilith.Stated, trilith.Negated, 0.85},
}

// scalar is a text that some models write as a number or a truth value.
type scalar string

// UnmarshalJSON reads any value that is no list and no object.
func (s *scalar) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(s))
	case b[0] == '[' || b[0] == '{':
		return fmt.Errorf("a value is expected")
	}
	*s = scalar(b)
	return nil
}

// key is equal for facts that say the same of the same person.
func (f *Found) key(speaker string) string {
	if f.Subject != Speaker {
		speaker = ""
	}
	return fmt.Sprintf("%d %q %q %q %q %s", f.Subject, speaker, strings.ToLower(f.Name), f.Verb,
		strings.ToLower(f.Node.ID()), f.Polarity)
}

const (
	maxText   = 1000 // bytes of a fact's sentence
	maxObject = 200
	maxQuote  = 4000
)

// hearing is a claim while it is checked.
type hearing struct {
	r     *Request
	claim claim
	found Found
	turn  *Turn
	lang  textproc.Lang // of the turn
	frame frame         // the text around the quote
	near  []int         // the turns shortly before it
	basis string        // the part of them that a value or a number may be taken from
	sum   string        // the kind of a sum that the verb carries; empty: none
	shown bool          // the clause holds the words for its owner that the model gives
	own   evidence      // the turn
	said  evidence      // the turn and the basis
	names evidence      // of all turns shortly before it: whom he or there means
	more  evidence      // what else may be said: the speaker, known facts, the days that a phrase means, a product
}

// check makes a fact of a claim, or says why not.
func check(r *Request, c chunk, raw json.RawMessage) (Found, *Refusal) {
	h := hearing{r: r, own: evidence{}, said: evidence{}, names: evidence{}, more: evidence{}}
	if err := json.Unmarshal(raw, &h.claim); err != nil {
		return Found{}, &Refusal{Reason: ReasonMalformed}
	}
	for _, step := range []func() string{
		h.form, func() string { return h.place(c) }, h.kind, h.gather, h.whose, h.changes, h.copied,
		h.times, h.amount, h.details, h.grounds, h.tone} {
		if reason := step(); reason != "" {
			return Found{}, &Refusal{Reason: reason, Text: head(h.claim.Sentence, maxText)}
		}
	}
	h.finish()
	return h.found, nil
}

// form makes the checks that do not need the turns.
func (h *hearing) form() string {
	c := &h.claim
	c.Value = scalar(tidy(string(c.Value)))
	c.Sentence = strings.Join(strings.Fields(c.Sentence), " ")
	c.Quote, c.WhoseWords = strings.TrimSpace(c.Quote), strings.TrimSpace(c.WhoseWords)
	switch {
	case c.Sentence == "" || c.Value == "" || c.Topic == "":
		return ReasonMalformed
	case len(c.Sentence) > maxText || len(c.Value) > maxObject || len(c.Quote) > maxQuote:
		return ReasonTooLong
	case h.r.Order != nil && h.r.Order(c.Sentence+"\n"+string(c.Value)) != "":
		return ReasonInstruction
	}
	how := confidences[0] // of any other word
	for _, known := range confidences {
		if known.name == Confidence(c.Confidence) {
			how = known
		}
	}
	h.found.Certainty, h.found.Polarity, h.found.Confidence = how.certainty, how.polarity, how.weight
	if how.name == Unsure {
		h.doubt(DoubtSupposed)
	}
	return ""
}

// place finds the turn and the quote in it.
func (h *hearing) place(c chunk) string {
	at, elided, reason := find(h.r, c, h.claim.Quote)
	if reason != "" {
		return reason
	}
	if elided {
		h.doubt(DoubtElided)
	}
	h.turn, h.near = &h.r.Turns[at.Turn], before(h.r.Turns, at.Turn)
	h.found.Quote, h.frame = at, frameOf(h.turn.Text, at.Start, at.End)
	h.lang = textproc.Detect(h.turn.Text, textproc.English, textproc.German)
	if l := textproc.Detect(h.turn.Text); l != textproc.Unknown && l != h.lang {
		h.lang = textproc.Unknown // no pattern is of it
	}
	if l := textproc.Detect(h.claim.Sentence, textproc.English, textproc.German); l != textproc.Unknown &&
		h.lang != textproc.Unknown && l != h.lang {
		return ReasonLanguage
	}
	return ""
}

// find finds a quote in the turns of the chunk, the newest of a person before one of the assistant, or says why it may
// not be taken.
func find(r *Request, c chunk, quote string) (at Span, elided bool, reason string) {
	if r.Order != nil && r.Order(quote) != "" {
		return at, false, ReasonInstruction
	}
	reason = ReasonQuote
	found := false
	for i, t := range slices.Backward(r.Turns) {
		shown, context := c.shown(i)
		start, end, gap, ok := locate(t.Text, quote)
		switch {
		case !ok || !shown || !readable(&t) || found && t.Role == trilith.RoleAssistant:
		case context || t.Context:
			reason = ReasonContext
		case t.Role != "" && end > textproc.Pasted(t.Text):
			reason = ReasonSpeaker
		case !found || r.Turns[at.Turn].Role == trilith.RoleAssistant:
			at, elided, found = Span{i, start, end}, gap, true
		}
	}
	if found {
		reason = ""
	}
	return at, elided, reason
}

const (
	reported = 0.55
	doubtful = 0.3 // at most, where something remains in doubt
)

// kind determines the verb, the type and the node: the profile has those of its topics.
func (h *hearing) kind() string {
	f := &h.found
	v, ok := profile.VerbOf(&h.r.Profile, h.claim.Topic, string(h.claim.Value))
	if !ok {
		return ReasonTopic
	}
	f.Verb, f.Type, f.Single, h.sum = v.Name, v.Type, v.Single(), v.Money
	f.Node = trilith.Node{Type: v.Node, Name: string(h.claim.Value)}
	return ""
}

// factType returns the type of the claim in the profile, which has it of every verb.
func (h *hearing) factType() *trilith.ProfileType {
	ts := h.r.Profile.Types
	return &ts[max(0, slices.IndexFunc(ts, func(t trilith.ProfileType) bool { return t.Name == h.found.Type }))]
}

// changes checks a claim that agrees to, ends or replaces a known fact of the same owner. A claim that something is over
// names its value, which needs no knowledge of the language; where that is known, the clause must also be the speaker's
// own.
func (h *hearing) changes() string {
	f, quote, over := &h.found, h.turn.Text[h.found.Quote.Start:h.found.Quote.End], h.isOver()
	i := slices.IndexFunc(h.r.Known, func(k Known) bool {
		known := k.Memory.Fact
		switch {
		case known.Polarity == trilith.Negated || !h.theirs(&k):
			return false
		case k.Memory.State == trilith.StateCandidate: // a consent repeats little of it
			return !over && h.sameTopic(known.Verb) && holds(known.Node.Name, string(h.claim.Value), h.lang) &&
				!holds(h.frame.whole, string(h.claim.Value), h.lang)
		case over:
			return h.sameTopic(known.Verb) && holds(quote+"\n"+string(h.claim.Value), known.Node.Name, h.lang)
		}
		return f.Single && known.Verb == f.Verb && fold(known.Node.Name) != fold(string(h.claim.Value))
	})
	if i < 0 {
		return ""
	}
	known := &h.r.Known[i].Memory
	if over || known.State == trilith.StateCandidate {
		f.Verb, f.Type, f.Node = known.Fact.Verb, known.Fact.Type, known.Fact.Node
	}
	switch {
	case over:
		f.Ends = known
	case known.State == trilith.StateCandidate:
		return ""
	}
	own := firstAs.MatchString(h.frame.clause) || h.ofMine(known.Fact.Node.Name)
	if h.lang == textproc.Unknown {
		own = h.shown || holds(quote, known.Fact.Node.Name, h.lang)
	}
	if f.Subject == Speaker && !own {
		h.doubt(DoubtSubject)
	}
	return ""
}

// sameTopic reports whether facts of the claim's topic are kept under a verb.
func (h *hearing) sameTopic(verb string) bool {
	return verb == h.found.Verb || slices.ContainsFunc(h.r.Profile.Topics, func(t trilith.ProfileTopic) bool {
		return t.Name == h.claim.Topic && slices.Contains(t.Verbs, verb)
	})
}

// isOver reports whether the claim says that something is no longer so.
func (h *hearing) isOver() bool { return Confidence(h.claim.Confidence) == Over }

// theirs reports whether a known fact is of the claim's owner.
func (h *hearing) theirs(k *Known) bool {
	switch f := &h.found; f.Subject {
	case Speaker:
		return strings.EqualFold(k.About, h.turn.Speaker) || strings.EqualFold(k.About, h.r.Subject)
	case Matter:
		return strings.EqualFold(k.About, h.r.Subject)
	default:
		return strings.EqualFold(k.About, f.Name)
	}
}

// holds reports whether a text has all words of a value, in whatever form.
func holds(text, value string, lang textproc.Lang) bool {
	if strings.Contains(fold(text), fold(value)) {
		return true
	}
	said := evidence{}
	said.read(text, lang)
	terms, _ := textproc.Analyzer{}.Terms(value)
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return !said["~"+t] })
}

var ownThing = lazyre.New(`(?i)^\W*(?:(?:and|but|so|und|aber)\s)?(?:my|our|meine?|unsere?)\s(\pL+(?:\s\pL+)?)\s`)

// ofMine reports whether the clause begins with a thing of the speaker's that the value names.
func (h *hearing) ofMine(value string) bool {
	m := ownThing.FindStringSubmatch(h.frame.clause)
	if m == nil {
		return false
	}
	said := evidence{}
	said.read(m[1], h.lang)
	terms, _ := textproc.Analyzer{}.Terms(value)
	return slices.ContainsFunc(terms, func(t string) bool { return said["~"+t] })
}

func (h *hearing) doubt(why string) {
	if h.found.Doubt == "" {
		h.found.Doubt = why
	}
}

// copied refuses a fact that comes from the prompt's examples and not from the turns: their values have made-up words.
func (h *hearing) copied() string {
	said := fold(h.turn.Text)
	for _, w := range strings.Fields(h.claim.Sentence + " " + string(h.claim.Value) + " " + h.claim.About) {
		w = tidy(w)
		if strings.HasPrefix(w, trilith.PlaceholderPrefix) && !strings.Contains(said, fold(w)) {
			return ReasonExample
		}
	}
	return ""
}

func tidy(s string) string {
	return strings.Trim(strings.Join(strings.Fields(s), " "), " ,;:.!?\"“”„")
}

var (
	proposal = lazyre.New(
		`(?i)(?:^|[^\pL])(?:I can|I could|I(?:'d| would) (?:be happy|suggest|recommend|propose)|shall I|should I|may I|would you like|do you want|` +
			`want me to|let me know if|if you (?:like|want|wish)|ich kann|ich könnte|soll ich|darf ich|möchten Sie|möchtest du|willst du|wollen Sie|ich würde|` +
			`wenn (?:du|Sie) (?:willst|wollen|möchtest|möchten)|gerne? (?:kann|könnte) ich)(?:[^\pL]|$)`)
)

// finish fills the fields that need no judging.
func (h *hearing) finish() {
	f := &h.found
	f.Text, f.RequiresAction, f.Priority = h.claim.Sentence, f.Type == trilith.FactTask, trilith.PriorityNormal
	if f.Doubt != "" {
		f.Confidence = min(f.Confidence, doubtful)
	}
}

// put sets an entry of the content.
func (h *hearing) put(key string, value any) {
	if h.found.Content == nil {
		h.found.Content = map[string]any{}
	}
	h.found.Content[key] = value
}
