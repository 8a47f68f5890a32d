package interview

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/prompt"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

var templates = prompt.Templates(prompts)

func render(name string, data any) string { return prompt.Render(templates(), name, data) }

// maxOutput bounds an answer in tokens; a model of a small context gets half of it.
const maxOutput = 2048

var (
	thinking = lazyre.New(`(?s)<think(?:ing)?>.*?(?:</think(?:ing)?>|$)`)
	errNone  = errors.New("interview: no model is configured")
)

// ask asks a model for an object of the schema, in the strongest form that it can be held to, and reads it into v.
func ask(ctx context.Context, m trilith.Model, stage, prompt string, schema json.RawMessage, v any) error {
	if m == nil {
		return errNone
	}
	info := m.Info()
	forms := info.Forms
	if len(forms) == 0 {
		forms = []trilith.OutputForm{trilith.FormText}
	}
	r := trilith.ModelRequest{System: render(stage+"_system.tmpl", nil),
		MaxOutput: min(maxOutput, max(1, info.Context/2)),
		Schema:    &trilith.OutputSchema{Name: stage, Description: "The answer of the stage.", JSON: schema},
		Messages:  []trilith.ModelMessage{{Role: trilith.RoleUser, Text: prompt}}}
	var err error
	for _, form := range forms {
		r.Form = form
		var a trilith.ModelAnswer
		if a, err = m.Generate(ctx, r); err != nil {
			if k := trilith.KindOf(err); k == trilith.Unsupported || k == trilith.Invalid {
				continue // another form may do
			}
			return err
		}
		if err = a.Check(); err != nil {
			return err
		}
		if err = decode(a.Text, v); err == nil {
			return nil
		}
	}
	return err
}

// decode reads the first object of an answer. Its error does not repeat the answer.
func decode(text string, v any) error {
	text = thinking.ReplaceAllString(text, "")
	if i := strings.IndexByte(text, '{'); i >= 0 && json.NewDecoder(strings.NewReader(text[i:])).Decode(v) == nil {
		return nil
	}
	return trilith.Errorf(trilith.Invalid, "model: its answer is not the JSON object that was asked for")
}

// object returns the schema of an object with exactly these members, all of them required, in order.
func object(members ...member) json.RawMessage {
	var b strings.Builder
	names := make([]string, len(members))
	b.WriteString(`{"type":"object","properties":{`)
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		names[i] = m.name
		b.WriteString(prompt.Line(m.name) + ":" + string(m.schema))
	}
	b.WriteString(`},"required":` + prompt.Line(names) + `,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

type member struct {
	name   string
	schema json.RawMessage
}

var (
	text   = json.RawMessage(`{"type":"string"}`)
	number = json.RawMessage(`{"type":"number"}`)
)

func oneOf(values []string) json.RawMessage {
	return json.RawMessage(`{"type":"string","enum":` + prompt.Line(values) + `}`)
}

func listing(of json.RawMessage) json.RawMessage {
	return json.RawMessage(`{"type":"array","items":` + string(of) + `}`)
}
