// Package distil finds facts in text with a model, and checks everything that the model says. The model proposes; code
// decides. Every fact names a turn and quotes it, and the quote has to be there. Numbers and names have to be in the
// turns that the fact rests on, sums have to be right, code places expressions of time on the calendar, and the speaker
// is known from the turns, not from the model. A finding that fails a check is refused with its reason, and the others
// are kept.
//
// It is pure except for the model: it reads turns and returns facts, and stores nothing.
package distil

import (
	"context"
	"errors"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Turn is one message of a conversation.
type Turn struct {
	Role    trilith.Role
	Speaker string // a person's name; may be empty
	Text    string
	At      time.Time // the day that "tomorrow" follows; if zero, no expression of time is read
	Context bool      // it is there to understand the others: no fact is taken from it
}

// Known is a fact that is known already.
type Known struct {
	About  string // name of the entity
	Memory trilith.Memory
}

// Request is the text to read. The model never sees turns of tools and of the system.
type Request struct {
	Profile trilith.Profile
	Subject string // name of the entity that the words were stored for; may be empty
	Person  bool   // that is one, or the session of one
	Turns   []Turn // oldest first, with the context before the rest
	Known   []Known
	// Order says what in a text reads like an order to a model; empty if nothing does.
	Order func(text string) string
}

// Subject is the kind of a fact's subject.
type Subject uint8

// The subjects.
const (
	Speaker Subject = iota // the speaker
	Matter                 // the entity that the words were stored for
	Person                 // the one that Found.Name names
)

// Span is a span of bytes of a turn's text.
type Span struct{ Turn, Start, End int }

// Found is a fact that passed the checks.
type Found struct {
	Quote          Span   // the words that state it
	Premises       []Span // sentences of other turns that its numbers and names are in
	Subject        Subject
	Name           string // of a Person
	Verb           string
	Node           trilith.Node
	Type           trilith.FactType
	Text           string
	Content        map[string]any
	Polarity       trilith.Polarity
	Certainty      trilith.Certainty
	Confidence     float64
	Priority       trilith.Priority
	RequiresAction bool
	Deadline       *time.Time // the last second in time
	From, Until    *time.Time // when it holds in the world, as far as said; Until is excluded
	Begins         *time.Time // as [extract.Found] has it
	Single         bool       // the verb holds one value at a time
	Financial      *trilith.Financial
	Ends           *trilith.Memory // the known fact that is over by it; nil: none
	Proposed       bool            // offered by the assistant and not accepted yet
	Doubt          string          // why it is kept as a candidate only; a word of the Doubts
}

// Doubts: why a fact that may be right is not believed.
const (
	DoubtElided      = "elided"      // the quote leaves words out
	DoubtName        = "name"        // a word that may be a name is in no turn
	DoubtUnsupported = "unsupported" // no word of the object is in the turns
	DoubtNegation    = "negation"    // the clause denies the fact
	DoubtQuestion    = "question"    // the sentence asks
	DoubtSupposed    = "supposed"    // the sentence supposes or jokes, or reports a former belief or saying
	DoubtSubject     = "subject"     // the clause speaks of another person
	DoubtElsewhere   = "elsewhere"   // the object is in another sentence of the turn
	DoubtField       = "field"       // a required field is missing
)

// Refusal is something in an answer that did not become a fact.
type Refusal struct {
	Reason string // a word of the Reasons
	Text   string // of the fact as the model put it; may be empty
}

// Reasons for refusing a fact.
const (
	ReasonMalformed   = "malformed"   // members are missing or of the wrong type
	ReasonTruncated   = "truncated"   // the answer was truncated, and the rest is unknown
	ReasonTooLong     = "too_long"    // longer than any fact
	ReasonTooMany     = "too_many"    // more facts than turns can state
	ReasonContext     = "context"     // it rests on a turn that is context only
	ReasonQuote       = "quote"       // the quote is not in the turn
	ReasonTopic       = "topic"       // not one of the profile's
	ReasonSubject     = "subject"     // no person in the turns has that name
	ReasonSpeaker     = "speaker"     // somebody else said it, or the assistant says it of itself
	ReasonNumber      = "number"      // a number that is in no turn
	ReasonName        = "name"        // a name that is in no turn
	ReasonAmount      = "amount"      // a sum without an amount
	ReasonExample     = "example"     // it is copied from an example of the profile
	ReasonLanguage    = "language"    // it is not in the language of its turn
	ReasonDuplicate   = "duplicate"   // an earlier one says the same
	ReasonInstruction = "instruction" // it reads like an order to a model
)

// Result is the result of reading.
type Result struct {
	Found   []Found // in the order of the answers
	Refused []Refusal
	Calls   int
	Usage   trilith.Usage
}

// Read has the model find the facts in the turns. Long conversations are read in chunks, each with the turns before it
// as context. A failed chunk does not affect the others: the facts found are returned together with the first error. An
// answer that cannot be used is a [BadAnswer] of kind Invalid; errors of the model have the kinds of [role.Model].
func Read(ctx context.Context, m role.Model, r Request) (Result, error) {
	var res Result
	var first error
	a := newAsker(m, &r, &res)
	seen := map[string]bool{}
	for queue := chunks(r.Turns); len(queue) > 0; {
		c := queue[0]
		queue = queue[1:]
		items, err := a.ask(ctx, c)
		if errors.Is(err, role.ErrCutOff) {
			if halves := c.halve(r.Turns); halves != nil {
				queue = append(halves, queue...)
				continue
			}
		}
		if err != nil {
			if first == nil {
				first = err
			}
			if _, bad := errors.AsType[*BadAnswer](err); !bad {
				return res, first
			}
			continue
		}
		if len(items.facts) > maxFacts {
			res.Refused = append(res.Refused, Refusal{Reason: ReasonTooMany})
			items.facts = items.facts[:maxFacts]
		}
		if items.truncated {
			res.Refused = append(res.Refused, Refusal{Reason: ReasonTruncated})
		}
		for _, raw := range items.facts {
			f, refusal := check(&r, c, raw)
			key := ""
			if refusal == nil {
				key = f.key(r.Turns[f.Quote.Turn].Speaker)
			}
			if refusal == nil && seen[key] {
				refusal = &Refusal{Reason: ReasonDuplicate, Text: f.Text}
			}
			if refusal != nil {
				res.Refused = append(res.Refused, *refusal)
				continue
			}
			seen[key] = true
			res.Found = append(res.Found, f)
		}
	}
	return res, first
}
