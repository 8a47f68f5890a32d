package distil

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/role"
)

// BadAnswer is an answer that could not be used, after all attempts to get a better one. It contains the model's
// text; its message does not, because that may repeat people's words.
type BadAnswer struct {
	Why  error  // the fault
	Text string // the last answer
}

// Error names the fault, with enough of the answer to recognise it.
func (e *BadAnswer) Error() string {
	return fmt.Sprintf("model: its answer cannot be used: %v (%d bytes, sha256 %x)", e.Why, len(e.Text),
		sha256.Sum256([]byte(e.Text)))
}

// Unwrap returns the cause.
func (e *BadAnswer) Unwrap() error { return e.Why }

const (
	maxOutput = 8192 // tokens of an answer at most; a model of a small context gets half of it
	leastRoom = 700  // tokens of an answer about one turn
	turnRoom  = 300  // more for each other turn: a model that repeats itself must not take minutes
	maxRepair = 4000 // bytes of a bad answer that are shown again
)

// asker asks a model for the facts of chunks.
type asker struct {
	model   role.Model
	request *Request
	result  *Result
	system  string
	schema  *role.OutputSchema
	forms   []role.OutputForm
	tokens  int
}

func newAsker(m role.Model, r *Request, res *Result) *asker {
	info := m.Info()
	a := &asker{model: m, request: r, result: res, system: systemPrompt(&r.Profile), schema: schema(&r.Profile),
		forms:  info.Forms,
		tokens: min(maxOutput, max(1, info.Context/2))}
	if len(a.forms) == 0 {
		a.forms = []role.OutputForm{role.FormText}
	}
	return a
}

// ask tries each output form that the model supports, the strictest first; then once more with the error of the last
// answer. A refusal and a truncated answer end the attempts, because they would be repeated.
func (a *asker) ask(ctx context.Context, c chunk) (items, error) {
	r := role.ModelRequest{System: a.system, MaxOutput: min(a.tokens, c.room()), Schema: a.schema, Steady: true,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: dataPrompt(a.request, c)}}}
	var bad *BadAnswer
	var rejected error
	for _, form := range a.forms {
		got, err := a.generate(ctx, r, form)
		b, isBad := errors.AsType[*BadAnswer](err)
		switch {
		case err == nil || errors.Is(err, role.ErrRefused) || errors.Is(err, role.ErrCutOff):
			return got, err
		case isBad:
			bad = b
		case trilith.KindOf(err) == trilith.Unsupported || trilith.KindOf(err) == trilith.Invalid:
			rejected = err
		default:
			return got, err
		}
	}
	if bad == nil {
		return items{}, rejected
	}
	r.Messages = append(r.Messages,
		role.ModelMessage{Role: trilith.RoleAssistant, Text: cmp.Or(head(bad.Text, maxRepair), "{}")},
		role.ModelMessage{Role: trilith.RoleUser, Text: render("repair.tmpl", bad.Why)})
	return a.generate(ctx, r, a.forms[len(a.forms)-1])
}

func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

// generate asks once.
func (a *asker) generate(ctx context.Context, r role.ModelRequest, form role.OutputForm) (items, error) {
	r.Form = form
	answer, err := a.model.Generate(ctx, r)
	a.result.Calls++
	if err != nil {
		return items{}, err
	}
	a.result.Usage.Add(answer.Usage)
	var got items
	if err = answer.Check(); err == nil {
		got, err = parse(answer.Text)
	} else if errors.Is(err, role.ErrCutOff) { // one that goes round in circles has said everything
		if part, _ := parse(answer.Text); part.circles() {
			return part, nil
		}
	}
	if err != nil {
		err = trilith.Errorf(trilith.Invalid, "%w", &BadAnswer{Why: err, Text: answer.Text})
	}
	return got, err
}

// items are the facts in an answer, as written by the model.
type items struct {
	facts     []json.RawMessage
	truncated bool // the answer broke off after them
}

// circles reports whether a fact is repeated word for word, and leaves only one of each.
func (it *items) circles() bool {
	n := len(it.facts)
	seen := map[string]bool{}
	it.facts = slices.DeleteFunc(it.facts, func(f json.RawMessage) bool {
		again := seen[string(f)]
		seen[string(f)] = true
		return again
	})
	return len(it.facts) < n
}

var (
	thinking = lazyre.New(`(?s)<think(?:ing)?>.*?(?:</think(?:ing)?>|$)`)
	fence    = lazyre.New("(?m)^\\s*```[a-zA-Z]*\\s*$")
)

// parse decodes a complete answer: JSON as requested, or JSON between fences, after thoughts or among prose. If the
// JSON is broken, it returns the facts that are complete. An answer without a list of facts is an error, an empty list
// is not.
func parse(text string) (items, error) {
	text = strings.TrimSpace(fence.ReplaceAllString(thinking.ReplaceAllString(text, ""), ""))
	if text == "" {
		return items{}, role.ErrNoContent
	}
	if strings.HasPrefix(text, "[") {
		return list(text)
	}
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return items{}, errors.New("it holds no JSON object")
	}
	var top map[string]json.RawMessage
	err := json.NewDecoder(strings.NewReader(text[start:])).Decode(&top)
	facts, has := top["facts"]
	switch {
	case err != nil: // facts in broken JSON may be complete
		if at := factsList.FindStringIndex(text); at != nil {
			return list(text[at[1]-1:])
		}
		return items{}, errors.New("it is not valid JSON")
	case !has && top["properties"] != nil:
		return items{}, errors.New("it repeats the schema instead of following it")
	case !has:
		return items{}, errors.New(`the member "facts" is missing`)
	case !strings.HasPrefix(string(facts), "["):
		return items{}, errors.New(`the member "facts" is not a list`)
	}
	return list(string(facts))
}

var factsList = lazyre.New(`"facts"\s*:\s*\[`)

// list reads the members of a JSON list as far as they are whole.
func list(text string) (items, error) {
	var out items
	dec := json.NewDecoder(strings.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return out, errors.New("it is not valid JSON")
	}
	for dec.More() {
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			out.truncated = true
			break
		}
		out.facts = append(out.facts, v)
	}
	if _, err := dec.Token(); err != nil {
		out.truncated = true
	}
	if out.truncated && len(out.facts) == 0 {
		return out, errors.New("it breaks off before its first fact is whole")
	}
	return out, nil
}
