// Package prompt renders prompts for a language model from templates that are part of the program, and makes texts safe
// for a model to read.
package prompt

import (
	"encoding/json"
	"io/fs"
	"strings"
	"sync"
	"text/template"
)

// Templates returns the templates of a folder named prompts. They are parsed on the first call, because most starts of
// the program ask no model. In them, join is [strings.Join] and line is [Line].
func Templates(files fs.FS) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		funcs := template.FuncMap{"join": strings.Join, "line": Line}
		return template.Must(template.New("").Funcs(funcs).ParseFS(files, "prompts/*.tmpl"))
	})
}

// Render executes a template and ends the text with one line break. It panics if the template fails: templates are part
// of the program, and tests render each of them.
func Render(t *template.Template, name string, data any) string {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		panic("prompt: a template that is part of the program fails: " + err.Error())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Line writes v as one line of JSON, so that a text cannot look like another part of the prompt. It panics if JSON
// cannot hold v.
func Line(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("prompt: a value cannot be written as JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
