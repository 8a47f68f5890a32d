// Package lexical adds knowledge about conversations to word search: a turn shares the subject of the turns around it,
// a person named in a question speaks in the answer, and a question may name a day, be a request, or ask when. It turns
// the text of a question into a query of package bm25, and extracts from each turn, when it is written, the properties
// that a search uses.
//
// Every rule is one of [Rules] and can be left out; without any, a query is plain BM25.
//
// The words of the rules are in one file for each language, data/CODE.txt, in a format that docs/languages.md
// describes. A turn is analysed in its own language. So is a question, or in all languages with a file if it is too
// short to detect one. In a language without a file turns have no marks that need one and questions have no traits;
// neighbours, names, numeric dates and assistants' turns need none.
//
// Dates are those of package dates; a language without a grammar there can name its months in its file. Package wordvec
// knows how common a word is, for English only.
package lexical

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordvec"
	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// The constants of the recipe. Their optimum is flat; docs/retrieval.md tells what each gives.
var (
	boostAfter  = []float64{.5, .3, .2} // of a match one, two and three turns before
	boostBefore = []float64{.2, .1}     // of a match one and two turns after
)

const (
	boostAnswer   = 1  // of a match in the question that a turn answers
	commonShare   = .5 // of a term's rarity in the language; the rest is its rarity in the searched set
	requestWeight = .6 // of words of the request

	aboutNobody  = .8  // times the score of a person's turn without a word for themselves
	tellsTime    = 1.2 // factor for turns that mention a time, if the question asks when
	tellsWish    = 1.3 // factor for turns that state a preference, if the question is a request
	namedSpeaker = 2.0 // added for a named speaker: about one middling term
	namedDate    = 2.0 // added for the date that is named
)

// Turn holds the properties of a document that a search uses apart from its words.
type Turn struct {
	Marks   Marks
	Speaker uint32 // as numbered by the index; 0: none
	Day     int32  // days from 1970 to the event
}

// Probe is a question to be asked.
type Probe struct {
	Text     string
	Analyzer textproc.Analyzer
	Held     textproc.Set // languages of the documents
	Rules    Rules
	// Speakers returns the speakers in the searched set that have a name with a word of the form: see [NameForms].
	Speakers func(form string) []uint32
	// Now is the time of the question, for "yesterday" and "last March"; zero: they are ignored.
	Now time.Time
	// Holds returns those of the forms that some document in the searched set contains. It is called at most twice,
	// with at most a few hundred forms for each word that no document contains; nil: no other spellings are searched.
	Holds func(forms []string) []string
}

// Question is a probe made ready.
type Question struct {
	Query   bm25.Query // without Neighbours and Finish
	Subject string     // its subject if it also names people: its text without their names; usually empty
	rules   Rules
	speaker []uint32 // the people named
	dates   []named
	asks    traits // the kind of answer that it asks for
	formed  Rules  // those that gave words other forms
}

// NameForms returns the forms of the words of a name.
func NameForms(a textproc.Analyzer, name string) []string {
	var out []string
	for _, forms := range a.QueryTerms(name, textproc.All) {
		out = append(out, forms...)
	}
	return out
}

// Ask reads a question.
func Ask(p Probe) Question {
	q := Question{rules: p.Rules}
	k := known()
	named := []bm25.Term{} // words that are names
	for _, forms := range p.Analyzer.QueryTerms(p.Text, p.Held) {
		t := bm25.Term{Forms: forms, Scale: 1, Common: -1}
		if p.Rules.Has(RuleBackground) {
			t.Common = rarity(forms[0])
		}
		if p.Rules.Has(RuleRequest) && k.request[forms[0]] {
			t.Scale = requestWeight
		}
		if p.Rules.Has(RuleNames) && p.Speakers != nil {
			is := false
			for _, form := range forms {
				for _, code := range p.Speakers(form) {
					is = true
					if !slices.Contains(q.speaker, code) {
						q.speaker = append(q.speaker, code)
					}
				}
			}
			if is {
				named = append(named, t)
				continue
			}
		}
		q.Query.Terms = append(q.Query.Terms, t)
	}
	if len(q.Query.Terms) == 0 { // a question that is only a name asks for statements about them, too
		q.Query.Terms = named
	} else if len(named) > 0 {
		q.Subject = p.subject(named)
	}
	if p.Rules.Has(RuleBackground) {
		q.Query.Share = commonShare
	}
	if p.Rules.Has(RuleNearby) {
		q.Query.Boost = bm25.Boost{After: boostAfter, Before: boostBefore}
		if p.Rules.Has(RuleAsked) {
			q.Query.Boost.Answer = boostAnswer
		}
	}
	if p.Rules&(RuleSpelling|RuleRelated) != 0 {
		q.addForms(&p)
	}
	// the named speaker may have answered without a word of the question
	q.Query.OrAll = len(q.speaker) > 0
	if p.Rules&(RuleWhen|RuleCue|RuleDates) == 0 {
		return q
	}
	w := wordsOf(beginning(p.Text))
	defer w.free()
	in := p.Analyzer.Language(p.Text)
	among := k.reading(p.Text, in)
	q.asks = asked(w, among, p.Rules)
	if p.Rules.Has(RuleDates) {
		q.dates = datesIn(p.Text, w, in, among, p.Now)
		// an event of 17 June may be mentioned without that date
		q.Query.OrAll = q.Query.OrAll || len(q.dates) > 0
	}
	return q
}

// backgroundSize is the assumed number of texts in the background of [wordvec.Share].
const backgroundSize = 3000

// rarity returns the inverse document frequency of a term among texts at large, below 0 if it is not an English one.
func rarity(term string) float64 {
	for i := range len(term) {
		if c := term[i]; c >= utf8.RuneSelf || c == '/' {
			return -1
		}
	}
	df := backgroundSize * wordvec.Share(term)
	return math.Log1p((backgroundSize - df + .5) / (df + .5))
}

// Fired returns the rules that the text of the question set off.
func (q *Question) Fired() (r Rules) {
	for _, t := range q.Query.Terms {
		if t.Scale != 1 {
			r |= RuleRequest
		}
	}
	r |= q.formed
	for rule, fired := range map[Rules]bool{
		RuleNames: q.Speakers(), RuleDates: len(q.dates) > 0, RuleWhen: q.asks.has(forTime),
		RuleCue: q.asks.has(forHelp),
	} {
		if fired {
			r |= rule
		}
	}
	return r
}

// Boosts reports whether turns boost their neighbours: the query then needs Neighbours.
func (q *Question) Boosts() bool { return q.rules.Has(RuleNearby) }

// Plain reports whether sums over the terms are scores as they are, so that [Question.Finish] need not be asked.
func (q *Question) Plain() bool { return !q.Marks() && !q.Dates() && !q.Speakers() }

// Dates reports whether [Question.Finish] looks at days.
func (q *Question) Dates() bool { return len(q.dates) > 0 }

// Speakers reports whether [Question.Finish] looks at speakers.
func (q *Question) Speakers() bool { return len(q.speaker) > 0 }

// Finish returns the score of a turn from the sum over its terms.
func (q *Question) Finish(t Turn, sum float64) float64 {
	if t.Marks.has(Impersonal) && q.rules.Has(RulePerson) {
		sum *= aboutNobody
	}
	if t.Marks.has(Timed) && q.asks.has(forTime) {
		sum *= tellsTime
	}
	if t.Marks.has(Wish) && q.asks.has(forHelp) {
		sum *= tellsWish
	}
	if len(q.dates) > 0 {
		sum += namedDate * match(q.dates, t.Day)
	}
	if t.Speaker != 0 && slices.Contains(q.speaker, t.Speaker) {
		sum += namedSpeaker
	}
	return sum
}

// Marks reports whether [Question.Finish] looks at marks.
func (q *Question) Marks() bool { return q.rules.Has(RulePerson) || q.asks != 0 }

// Attainable returns an upper bound of scores, given an upper bound of the sums over the terms.
func (q *Question) Attainable(sum float64) float64 {
	if q.asks.has(forTime) {
		sum *= tellsTime
	}
	if q.asks.has(forHelp) {
		sum *= tellsWish
	}
	if len(q.dates) > 0 {
		sum += namedDate
	}
	if len(q.speaker) > 0 {
		sum += namedSpeaker
	}
	return sum
}
