package role

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Model generates text. Requests are independent of each other; it stores nothing between them.
type Model interface {
	// Info describes the model; it is constant while the model is open.
	Info() ModelInfo
	// Generate answers a request. An answer that was cut off, refused or left empty is still returned without an error;
	// call [ModelAnswer.Check]. A request that fails [ModelRequest.Validate] is refused with its error and nothing is
	// sent. An error has the kind of the failure: Invalid and Unsupported for a request that this model will never
	// accept, Unauthenticated and Forbidden for a credential, Exhausted for a quota, Unavailable for a service that
	// does not answer now. No error contains text of the request or of the answer. Safe for concurrent use.
	Generate(ctx context.Context, r ModelRequest) (ModelAnswer, error)
	// Close releases the model; Generate then answers Unavailable. Closing twice is no error.
	Close() error
}

// ModelInfo describes a model.
type ModelInfo struct {
	Provider string       // scripted, …
	Name     string       // as the provider calls it
	Context  int          // tokens of request and answer together
	Forms    []OutputForm // structured outputs that it can be held to, best first
}

// String names the model for people and in facts: provider:name.
func (i ModelInfo) String() string { return i.Provider + ":" + i.Name }

// OutputForm says how a model is held to an output.
type OutputForm string

// The forms, strongest first. The zero value asks for plain text, which every model can.
const (
	FormText   OutputForm = ""
	FormSchema OutputForm = "json_schema" // the answer follows the schema
	FormTool   OutputForm = "tool"        // the answer is the argument of a call that the model is made to do
	FormObject OutputForm = "json_object" // the answer is some JSON object; the schema is in the prompt only
)

// OutputForms lists the structured forms, strongest first.
func OutputForms() []OutputForm { return []OutputForm{FormSchema, FormTool, FormObject} }

// ModelMessage is one message of a request.
type ModelMessage struct {
	Role trilith.Role // user or assistant
	Text string
}

// ModelRequest asks a model for text. The parts that stay the same from request to request come first, so that a
// provider can cache them: System, then Messages.
type ModelRequest struct {
	System    string
	Messages  []ModelMessage // the last is the user's
	Form      OutputForm
	Schema    *OutputSchema // required by FormSchema and FormTool
	MaxOutput int           // tokens of the answer at most
	// Steady asks for the likeliest answer, so that equal requests get equal ones: the temperature 0, where the service
	// takes one.
	Steady bool
	// Words, if set, asks for one of these words, in small letters and none the beginning of another, as plain text. A
	// service that can tell says how likely each of them is.
	Words []string
	// Stream, if set, is called with the pieces of the answer's text as they arrive, in order, by the goroutine that
	// called Generate and before it returns. Together they are the Text of the answer; after an error they are a part
	// of it.
	Stream func(piece string)
}

// OutputSchema is the form of an answer.
type OutputSchema struct {
	Name        string // 1 to 64 of A-Z a-z 0-9 _ -
	Description string
	JSON        json.RawMessage // JSON Schema: an object, all members required, no further ones
}

// Validate checks the request against the abilities of the model.
func (r *ModelRequest) Validate(i ModelInfo) error {
	switch {
	case len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != trilith.RoleUser:
		return trilith.Errorf(trilith.Invalid, "messages: the last must be the user's")
	case slices.ContainsFunc(
		r.Messages, func(m ModelMessage) bool {
			return m.Role != trilith.RoleUser && m.Role != trilith.RoleAssistant || m.Text == ""
		}):
		return trilith.Errorf(trilith.Invalid, "messages: each has a text and the role user or assistant")
	case r.MaxOutput < 1 || r.MaxOutput > i.Context:
		return trilith.Errorf(trilith.Invalid, "max_output: is %d, must be 1 to the %d tokens of the model", r.MaxOutput, i.Context)
	case (r.Form == FormSchema || r.Form == FormTool) && (r.Schema == nil || !json.Valid(r.Schema.JSON)):
		return trilith.Errorf(trilith.Invalid, "schema: the form %s needs one, as JSON", r.Form)
	case len(r.Words) > 0 && (r.Form != FormText || r.Stream != nil):
		return trilith.Errorf(trilith.Invalid, "words: are asked for as plain text, and not streamed")
	case r.Form != FormText && !slices.Contains(i.Forms, r.Form):
		return trilith.Errorf(trilith.Unsupported, "form: %s does not support %.32q", i, string(r.Form))
	}
	return nil
}

// wordOf returns which of the words a text begins with, or is the beginning of; -1 if that is none, or not clear.
func (r *ModelRequest) wordOf(text string) int {
	text = strings.ToLower(strings.Trim(text, " \t\r\n\"'*.▁Ġ"))
	at := -1
	for i, w := range r.Words {
		if text == "" || !strings.HasPrefix(w, text) && !strings.HasPrefix(text, w) {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// leastOfWords is how likely the words have to be together for their shares to say something.
const leastOfWords = 0.5

// Settle completes an answer to a request for words. first holds how likely the tokens are that the answer could have
// begun with, nil if the service does not say. An answer that was cut off within a word is whole.
func (r *ModelRequest) Settle(a *ModelAnswer, first map[string]float64) {
	if i := r.wordOf(a.Text); i >= 0 {
		a.Text = r.Words[i]
		if a.Stop == StopLength {
			a.Stop = StopEnd
		}
	}
	sum, likely := 0.0, make([]float64, len(r.Words))
	for token, p := range first {
		if i := r.wordOf(token); i >= 0 {
			likely[i] += p
			sum += p
		}
	}
	if sum < leastOfWords {
		return
	}
	for i := range likely {
		likely[i] /= sum
	}
	a.Likely = likely
}

// StopReason says why an answer ended.
type StopReason string

// The reasons.
const (
	StopEnd     StopReason = "end"     // the model was done
	StopLength  StopReason = "length"  // it reached MaxOutput or the limit of its context: the text is incomplete
	StopRefusal StopReason = "refusal" // it, or a filter of its provider, would not answer
)

// ModelAnswer is the answer of a model.
type ModelAnswer struct {
	Text  string // JSON for a structured form, if the model complied: check it
	Stop  StopReason
	Usage trilith.Usage
	// Likely are the shares of the Words of the request, 0 to 1, in their order; nil if the service does not say. Text is
	// one of the words, if the model complied.
	Likely []float64
}

// The reasons why an answer is of no use. errors.Is finds them in errors of [ModelAnswer.Check] and those that wrap
// them.
var (
	ErrRefused   error = trilith.Errorf(trilith.Invalid, "model: it refused to answer")
	ErrCutOff    error = trilith.Errorf(trilith.Exhausted, "model: its answer was cut off; ask for less, or allow a longer answer")
	ErrNoContent error = trilith.Errorf(trilith.Unavailable, "model: its answer was empty")
)

// Check returns ErrRefused, ErrCutOff or ErrNoContent for an answer that is not whole.
func (a *ModelAnswer) Check() error {
	switch {
	case a.Stop == StopRefusal:
		return ErrRefused
	case a.Stop == StopLength:
		return ErrCutOff
	case a.Text == "":
		return ErrNoContent
	}
	return nil
}
