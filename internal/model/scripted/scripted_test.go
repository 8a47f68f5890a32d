package scripted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/modeltest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, modeltest.Harness{
		New: func(_ testing.TB, will ...modeltest.Outcome) (role.Model, func() []role.ModelRequest) {
			var s scripted.Script
			for _, o := range will {
				s.Entries = append(s.Entries,
					scripted.Entry{Answer: o.Answer.Text, Stop: o.Answer.Stop, Usage: &o.Answer.Usage, Fails: o.Fails,
						Kind: o.Kind})
			}
			m := scripted.New(s)
			return m, m.Requests
		}})
	modeltest.Run(t, modeltest.Harness{
		New: func(_ testing.TB, will ...modeltest.Outcome) (role.Model, func() []role.ModelRequest) {
			s := scripted.Script{Forms: []role.OutputForm{role.FormObject}}
			for _, o := range will {
				s.Entries = append(s.Entries,
					scripted.Entry{Answer: o.Answer.Text, Stop: o.Answer.Stop, Usage: &o.Answer.Usage, Fails: o.Fails,
						Kind: o.Kind})
			}
			m := scripted.New(s)
			return m, m.Requests
		}})
}

func ask(t *testing.T, m role.Model, text string, form role.OutputForm) string {
	t.Helper()
	r := role.ModelRequest{Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: text}},
		MaxOutput: 10, Form: form}
	if form != "" {
		r.Schema = &role.OutputSchema{JSON: []byte("{}")}
	}
	a, err := m.Generate(t.Context(), r)
	if err != nil {
		return trilith.KindOf(err).String()
	}
	return a.Text
}

// Which entry answers depends on the request and on what was said before, and repeating the last is harmless.
func TestScript(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(path, []byte(`
name: demo
entries:
  - match: concrete
    answer: first
  - match: concrete
    form: tool
    answer: {facts: []}
  - match: concrete
    answer: second
  - error: unavailable
`), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := scripted.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Info().String(); got != "scripted:demo" {
		t.Errorf("Info() = %s", got)
	}
	var got []string
	for _, text := range []string{"of concrete", "steel", "concrete", "concrete"} {
		got = append(got, ask(t, m, text, ""))
	}
	if diff := cmp.Diff([]string{"2 \"concrete\""}, m.Unused()); diff != "" {
		t.Errorf("Unused() (-want +got):\n%s", diff)
	}
	got = append(got, ask(t, m, "concrete", role.FormTool), ask(t, m, "steel", ""))
	if diff := cmp.Diff([]string{"first", "unavailable", "second", "unavailable", `{"facts":[]}`, "unavailable"},
		got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if got := ask(t, scripted.New(scripted.Script{}), "anything", ""); got != "unsupported" {
		t.Errorf("without an entry: %s, want unsupported", got)
	}
}

// A script with a mistake is refused with the place of the mistake, and is never half followed.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"entries:\n  - anwser: x\n":                      `"anwser"`,
		"entries: 3\n":                                   "[1:",
		"entries:\n  - error: broken\n":                  `entry 1: error "broken"`,
		"entries:\n  - answer: x\n    stop: soon\n":      `entry 1: stop "soon"`,
		"entries:\n  - error: internal\n    answer: x\n": "entry 1: give an error, or an answer",
		"forms: [xml]\n":                                 `"xml"`,
		"entries:\n  - form: xml\n":                      `"xml"`,
		"entries:\n  - answer: {a: ":                     "[2:",
	} {
		path := filepath.Join(t.TempDir(), "script.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := scripted.Open(path); err == nil || trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%q) = %v, want Invalid with the path and %q", text, err, want)
		}
	}
	if _, err := scripted.Open(filepath.Join(t.TempDir(), "none")); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Open of no file = %v, want Invalid", err)
	}
}

// A script answers about files of the kinds that it names, by their names and prompts.
func TestMedia(t *testing.T) {
	t.Parallel()
	m := scripted.New(scripted.Script{Media: []trilith.MediaKind{trilith.MediaImage}, Entries: []scripted.Entry{
		{Match: "receipt.png", Answer: "Total 48"}}})
	for _, r := range modeltest.Media {
		r.MaxOutput = 100
		a, err := m.ReadMedia(t.Context(), r)
		switch {
		case r.Name == "receipt.png":
			if err != nil || a.Text != "Total 48" {
				t.Errorf("ReadMedia(%s) = %+v, %v", r.Name, a, err)
			}
		case err == nil || trilith.KindOf(err) != trilith.Unsupported:
			t.Errorf("ReadMedia(%s), of which the script says nothing = %v, want Unsupported", r.Name, err)
		}
	}
}

// A script says how likely the words of a request for words are, and nothing of the kind to other requests.
func TestLikely(t *testing.T) {
	t.Parallel()
	m := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: "Yes", Likely: []float64{.8, .2}}}})
	r := role.ModelRequest{Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "Is it?"}}, MaxOutput: 4}
	for _, words := range [][]string{nil, {"yes", "no"}} {
		r.Words = words
		a, err := m.Generate(t.Context(), r)
		if err != nil || len(a.Likely) != len(words) || (a.Text == "yes") != (words != nil) {
			t.Errorf("Generate for %q = %+v, %v", words, a, err)
		}
	}
}
