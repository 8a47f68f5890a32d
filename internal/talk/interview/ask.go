package interview

import (
	"context"
	"embed"
	"encoding/json"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
	"github.com/trilith-memory/trilith/internal/role"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

var templates = prompt.Templates(prompts)

// maxOutput bounds an answer in tokens; a model of a small context gets half of it.
const maxOutput = 2048

// ask sends a model the prompt of a stage, in the strongest form that holds it to the stage's schema, and reads the
// answer into v. data fills the templates of both.
func ask(ctx context.Context, m role.Model, stage string, data, v any) error {
	info := m.Info()
	forms := info.Forms
	if len(forms) == 0 {
		forms = []role.OutputForm{role.FormText}
	}
	r := role.ModelRequest{System: render(stage+"_system.tmpl", nil),
		MaxOutput: min(maxOutput, max(1, info.Context/2)),
		Schema: &role.OutputSchema{Name: stage, Description: "The answer of the stage.",
			JSON: json.RawMessage(strings.TrimSpace(render(stage+"_schema.tmpl", data)))},
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: render(stage+".tmpl", data)}}}
	var err error
	for _, form := range forms {
		r.Form = form
		var a role.ModelAnswer
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

func render(name string, data any) string { return prompt.Render(templates(), name, data) }

var thinking = lazyre.New(`(?s)<think(?:ing)?>.*?(?:</think(?:ing)?>|$)`)

// decode reads the first object of an answer. Its error does not repeat the answer.
func decode(text string, v any) error {
	text = thinking.ReplaceAllString(text, "")
	if i := strings.IndexByte(text, '{'); i >= 0 && json.NewDecoder(strings.NewReader(text[i:])).Decode(v) == nil {
		return nil
	}
	return trilith.Errorf(trilith.Invalid, "model: its answer is not the JSON object that was asked for")
}
