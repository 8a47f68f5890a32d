package distil

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// hypothetical is a certainty that the model may give and no fact has.
const hypothetical trilith.Certainty = "hypothetical"

// claim is a fact as the model puts it.
type claim struct {
	Why            string            `json:"why"`
	Type           trilith.FactType  `json:"type"`
	Subject        string            `json:"subject"`
	Verb           string            `json:"verb"`
	Object         scalar            `json:"object"`
	Text           string            `json:"text"`
	Polarity       trilith.Polarity  `json:"polarity"`
	Certainty      trilith.Certainty `json:"certainty"`
	Turn           integer           `json:"turn"`
	Quote          string            `json:"quote"`
	WhoseWords     string            `json:"whose_words"`
	TimePhrase     string            `json:"time_phrase"`
	EndPhrase      string            `json:"end_phrase"`
	Entities       []string          `json:"entities"`
	RefersTo       []integer         `json:"refers_to"`
	Relation       Relation          `json:"relation"`
	Amount         scalar            `json:"amount"`
	Quantity       scalar            `json:"quantity"`
	Rate           scalar            `json:"rate"`
	Unit           string            `json:"unit"`
	Currency       string            `json:"currency"`
	RequiresAction bool              `json:"requires_action"`
	DuePhrase      string            `json:"due_phrase"`
	Priority       trilith.Priority  `json:"priority"`
	Fields         []struct {
		Name  string `json:"name"`
		Value scalar `json:"value"`
	} `json:"fields"`
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

// integer is a whole number that some models write as a text.
type integer int

// UnmarshalJSON reads 3, 3.0 and "3".
func (n *integer) UnmarshalJSON(b []byte) error {
	var f float64
	if err := json.Unmarshal(bytes.Trim(b, `"`), &f); err != nil || f != math.Trunc(f) || math.Abs(f) > 1e6 {
		return fmt.Errorf("a whole number is expected")
	}
	*n = integer(f)
	return nil
}

// key is equal for facts that say the same.
func (f *Found) key() string {
	return fmt.Sprintf("%d %q %q %q %s", f.Subject, strings.ToLower(f.Name), f.Verb,
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
	refs  []int         // other turns that the claim refers to
	shown bool          // the clause holds the words for its owner that the model gives
	own   evidence      // the turn
	said  evidence      // the turn and those
	more  evidence      // what else may be said: the speaker, known facts, the days that a phrase means, a product
}

// check makes a fact of a claim, or says why not.
func check(r *Request, c chunk, raw json.RawMessage) (Found, *Refusal) {
	h := hearing{r: r, own: evidence{}, said: evidence{}, more: evidence{}}
	if err := json.Unmarshal(raw, &h.claim); err != nil {
		return Found{}, &Refusal{Reason: ReasonMalformed}
	}
	for _, step := range []func() string{
		h.form, func() string { return h.place(c) }, h.kind, h.relate, h.gather, h.whose, h.changes, h.copied,
		h.times, h.money, h.details, h.grounds, h.tone} {
		if reason := step(); reason != "" {
			return Found{}, &Refusal{Reason: reason, Text: head(h.claim.Text, maxText)}
		}
	}
	h.finish()
	return h.found, nil
}

// weight is the confidence in a fact that passed every check, by its certainty.
var weight = map[trilith.Certainty]float64{trilith.Stated: 0.85, trilith.Planned: 0.7, trilith.Reported: 0.55,
	trilith.Hedged: 0.5}

// form makes the checks that do not need the turns.
func (h *hearing) form() string {
	c := &h.claim
	c.Object = scalar(tidy(string(c.Object)))
	c.Text = strings.Join(strings.Fields(c.Text), " ")
	c.Quote, c.WhoseWords = strings.TrimSpace(c.Quote), strings.TrimSpace(c.WhoseWords)
	switch {
	case c.Text == "" || c.Object == "" || c.Subject == "" || c.Verb == "":
		return ReasonMalformed
	case len(c.Text) > maxText || len(c.Object) > maxObject || len(c.Quote) > maxQuote || len(c.Why) > maxText:
		return ReasonTooLong
	case c.Certainty == hypothetical:
		return ReasonHypothetical
	case h.r.Order != nil && h.r.Order(c.Text+"\n"+string(c.Object)) != "":
		return ReasonInstruction
	}
	if c.Polarity != trilith.Negated {
		c.Polarity = trilith.Affirmed
	}
	if weight[c.Certainty] == 0 {
		c.Certainty = trilith.Stated
	}
	return ""
}

// place finds the turn and the quote in it.
func (h *hearing) place(c chunk) string {
	at, elided, reason := place(h.r, c, h.claim.Turn, h.claim.Quote)
	if reason != "" {
		return reason
	}
	if elided {
		h.doubt(DoubtElided)
	}
	h.turn = &h.r.Turns[at.Turn]
	h.found.Quote, h.frame = at, frameOf(h.turn.Text, at.Start, at.End)
	h.lang = textproc.Detect(h.turn.Text, textproc.English, textproc.German)
	if l := textproc.Detect(h.turn.Text); l != textproc.Unknown && l != h.lang {
		h.lang = textproc.Unknown // no pattern is of it
	}
	if l := textproc.Detect(h.claim.Text, textproc.English, textproc.German); l != textproc.Unknown &&
		h.lang != textproc.Unknown && l != h.lang {
		return ReasonLanguage
	}
	return ""
}

// place finds a quote in a turn of the chunk, of somebody who may state facts, or says why it may not be taken.
func place(r *Request, c chunk, turn integer, quote string) (at Span, elided bool, reason string) {
	i := int(turn) - 1
	if i < 0 || i >= len(r.Turns) || !readable(&r.Turns[i]) {
		return at, false, ReasonTurn
	}
	t := &r.Turns[i]
	switch shown, context := c.shown(i); {
	case context || t.Context:
		return at, false, ReasonContext
	case !shown:
		return at, false, ReasonTurn
	case r.Order != nil && r.Order(quote) != "":
		return at, false, ReasonInstruction
	}
	start, end, elided, ok := locate(t.Text, quote)
	switch {
	case !ok:
		reason = ReasonQuote
	case t.Role != "" && end > textproc.Pasted(t.Text):
		reason = ReasonSpeaker
	}
	return Span{i, start, end}, elided, reason
}

const (
	newVerb  = 0.8 // of the confidence, for a verb that the profile does not have
	doubtful = 0.3 // at most, where something remains in doubt
)

var verbPattern = lazyre.New(`^[a-z0-9_]{1,64}$`)

// kind determines the verb, the type and the fields that follow from them. The profile determines the type of a
// verb, even against the model.
func (h *hearing) kind() string {
	f := &h.found
	f.Verb, f.Confidence = h.claim.Verb, weight[h.claim.Certainty]
	if !verbPattern.MatchString(f.Verb) || strings.HasSuffix(f.Verb, "_") {
		return ReasonVerb
	}
	f.Type = h.claim.Type
	if v := h.verb(); v != nil {
		f.Type, f.Node.Type, f.Single = v.Type, v.Node, v.Single()
	} else {
		f.Confidence *= newVerb
	}
	t := h.factType()
	if t == nil { // a type that the profile does not know is any other one
		f.Type = trilith.FactOther
		t = h.factType()
	}
	if t == nil {
		return ReasonType
	}
	if f.Node.Type == "" {
		f.Node.Type = strings.ToUpper(string(t.Name[:1])) + string(t.Name[1:])
	}
	f.Node.Name = string(h.claim.Object)
	return ""
}

// verb returns the verb in the profile, nil if there is none of that name.
func (h *hearing) verb() *trilith.ProfileVerb {
	vs := h.r.Profile.Verbs
	if i := slices.IndexFunc(vs, func(v trilith.ProfileVerb) bool { return v.Name == h.claim.Verb }); i >= 0 {
		return &vs[i]
	}
	if i := slices.IndexFunc(vs, func(v trilith.ProfileVerb) bool { return v.Covers(h.claim.Verb) }); i >= 0 {
		return &vs[i]
	}
	return nil
}

func (h *hearing) factType() *trilith.ProfileType {
	ts := h.r.Profile.Types
	if i := slices.IndexFunc(ts, func(t trilith.ProfileType) bool { return t.Name == h.found.Type }); i >= 0 {
		return &ts[i]
	}
	return nil
}

// changes checks a claim that ends or replaces a known fact. The words must name its value, which needs no knowledge of
// their language; where it is known, the clause must also be the speaker's own.
func (h *hearing) changes() string {
	f, known := &h.found, h.refers()
	theirs := func(k *Known) bool {
		return f.Subject != Speaker || strings.EqualFold(k.About, h.turn.Speaker) ||
			strings.EqualFold(k.About, h.r.Subject)
	}
	if known != nil && !theirs(known) {
		known = nil
	}
	for i := range h.r.Known { // the statement itself replaces the one value
		k := &h.r.Known[i]
		if known == nil && f.Single && f.Subject == Speaker && k.Memory.Fact.Verb == f.Verb && theirs(k) {
			known = k
		}
	}
	if known == nil {
		if f.Relation == Retracts {
			return ReasonReference
		}
		f.Relation = New
		return ""
	}
	value, quote := known.Memory.Fact.Node.Name, h.turn.Text[f.Quote.Start:f.Quote.End]
	switch {
	case fold(value) == fold(string(h.claim.Object)) && f.Relation != Retracts:
		return ""
	case f.Relation == Retracts && !holds(quote+"\n"+string(h.claim.Object), value, h.lang):
		return ReasonReference
	case f.Relation == Updates && !f.Single && !holds(quote, value, h.lang):
		f.Relation = New
	}
	own := firstAs.MatchString(h.frame.clause) || h.ofMine(value)
	if h.lang == textproc.Unknown {
		own = h.shown || holds(quote, value, h.lang)
	}
	if f.Subject == Speaker && !own && (f.Single || f.Relation == Retracts || f.Relation == Updates) {
		h.doubt(DoubtSubject)
	}
	return ""
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

// copied refuses a fact that comes from the prompt's examples and not from the turns.
func (h *hearing) copied() string {
	said := fold(h.turn.Text)
	for _, w := range strings.Fields(h.claim.Text + " " + string(h.claim.Object) + " " + h.claim.Subject) {
		w = tidy(w)
		if strings.HasPrefix(w, trilith.PlaceholderPrefix) && !strings.Contains(said, fold(w)) {
			return ReasonExample
		}
	}
	for _, e := range h.r.Profile.Examples {
		for _, f := range e.Facts {
			if fold(f.Text) == fold(h.claim.Text) && !strings.Contains(said, fold(f.Object)) {
				return ReasonExample
			}
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
	f, c := &h.found, &h.claim
	f.Why, f.Text, f.Polarity, f.Certainty = c.Why, c.Text, c.Polarity, c.Certainty
	if f.Relation == Retracts {
		f.Polarity = trilith.Negated
	}
	f.RequiresAction, f.Priority = c.RequiresAction, c.Priority
	if !slices.Contains([]trilith.Priority{trilith.PriorityCritical, trilith.PriorityHigh, trilith.PriorityLow}, f.Priority) {
		f.Priority = trilith.PriorityNormal
	}
	if f.Doubt != "" {
		f.Confidence = min(f.Confidence, doubtful)
	}
	f.Confidence = math.Round(100*f.Confidence) / 100
}

// relate turns the numbers that the claim refers to into turns and known facts.
func (h *hearing) relate() string {
	first := firstKnown(h.r.Turns)
	for _, n := range h.claim.RefersTo {
		turn, known := int(n)-1, int(n)-first
		switch {
		case known >= 0 && known < len(h.r.Known):
			h.found.Refers = append(h.found.Refers, known)
		case turn >= 0 && turn < len(h.r.Turns) && readable(&h.r.Turns[turn]):
			if turn != h.found.Quote.Turn {
				h.refs = append(h.refs, turn)
			}
		default:
			return ReasonReference
		}
	}
	h.found.Relation = New
	if slices.Contains([]Relation{Same, Updates, Contradicts, Retracts}, h.claim.Relation) &&
		(h.claim.Relation == Retracts || h.refers() != nil) {
		h.found.Relation = h.claim.Relation
	}
	return ""
}

// refers returns the first known fact that the claim refers to and that has its verb.
func (h *hearing) refers() *Known {
	for _, i := range h.found.Refers {
		if k := &h.r.Known[i]; k.Memory.Fact.Verb == h.found.Verb {
			return k
		}
	}
	return nil
}

// put sets an entry of the content.
func (h *hearing) put(key string, value any) {
	if h.found.Content == nil {
		h.found.Content = map[string]any{}
	}
	h.found.Content[key] = value
}
