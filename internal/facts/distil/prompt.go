package distil

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

var templates = prompt.Templates(prompts)

// shownTurn is a turn as the model sees it, or a fact that is known. JSON leaves a text no way to look like another line.
type shownTurn struct {
	Known    string       `json:"known,omitempty"`
	Proposed string       `json:"proposed,omitempty"`
	Context  string       `json:"context,omitempty"`
	Said     string       `json:"said,omitempty"` // with its weekday
	Role     trilith.Role `json:"role,omitempty"`
	Speaker  string       `json:"speaker,omitempty"`
	Turn     string       `json:"turn,omitempty"`
}

// topic is a topic as the model sees it, with the fields of its facts.
type topic struct {
	Name, Description string
	Fields            []trilith.ProfileField
}

// topicsOf returns the topics of a profile; a verb that is under none is one of its own.
func topicsOf(p *trilith.Profile) (out []topic) {
	under := map[string]bool{}
	for _, t := range p.Topics {
		out = append(out, topic{Name: t.Name, Description: t.Description})
		for _, v := range t.Verbs {
			under[v] = true
		}
	}
	for _, v := range p.Verbs {
		if under[v.Name] {
			continue
		}
		t := topic{Name: v.Name, Description: v.Description}
		for _, of := range p.Types {
			if of.Name == v.Type {
				t.Fields = of.Fields
			}
		}
		out = append(out, t)
	}
	return out
}

// systemPrompt is the same for every request of a profile, so that a provider can cache it.
func systemPrompt(p *trilith.Profile) string {
	type example struct {
		Turns  []string
		Answer string
	}
	data := struct {
		Profile       *trilith.Profile
		Topics        []topic
		Money, Fields bool
		Placeholder   string
		Examples      []example
	}{Profile: p, Topics: topicsOf(p), Money: hasMoney(p), Fields: hasFields(p), Placeholder: trilith.PlaceholderPrefix}
	for _, e := range p.Examples {
		var x example
		for _, t := range e.Turns {
			x.Turns = append(x.Turns, prompt.Line(shownTurn{Role: t.Role, Speaker: t.Speaker, Turn: t.Text}))
		}
		facts := []json.RawMessage{}
		for _, f := range e.Facts {
			facts = append(facts, exampleFact(p, f))
		}
		x.Answer = prompt.Line(map[string]any{"facts": facts})
		data.Examples = append(data.Examples, x)
	}
	return render("system.tmpl", data)
}

func hasMoney(p *trilith.Profile) bool {
	return slices.ContainsFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Money != "" })
}

func hasFields(p *trilith.Profile) bool {
	return slices.ContainsFunc(topicsOf(p), func(t topic) bool { return len(t.Fields) > 0 })
}

// exampleFact is a fact of an example with all members, in the order of the schema.
func exampleFact(p *trilith.Profile, f trilith.ExampleFact) json.RawMessage {
	given := map[string]any{"topic": f.Topic, "about": f.About, "sentence": f.Sentence, "value": f.Value, "quote": f.Quote,
		"whose_words": f.WhoseWords, "confidence": cmp.Or(f.Confidence, string(Stated))}
	for name, words := range map[string]string{"time_words": f.TimeWords, "amount": f.Amount} {
		if words != "" {
			given[name] = words
		}
	}
	fields := []object{}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		fields = append(fields, object{{"name", name}, {"value", f.Fields[name]}})
	}
	given["fields"] = fields
	var o object
	for _, m := range members(p) {
		o = append(o, member{m.name, given[m.name]})
	}
	return json.RawMessage(prompt.Line(o))
}

// dataPrompt shows the chunk inside a boundary that no text of it can contain.
func dataPrompt(r *Request, c chunk) string {
	var lines []string
	for _, k := range r.Known {
		s := shownTurn{Known: k.Memory.Text, Said: k.Memory.EventTime.Format(time.DateOnly)}
		if k.Memory.State == trilith.StateCandidate {
			s.Known, s.Proposed = "", k.Memory.Text
		}
		lines = append(lines, prompt.Line(s))
	}
	show := func(i int, text string, context bool) {
		t := r.Turns[i]
		s := shownTurn{Role: cmp.Or(t.Role, trilith.RoleUser), Speaker: t.Speaker, Turn: text}
		if context {
			s.Context, s.Turn = text, ""
		}
		if !t.At.IsZero() {
			s.Said = t.At.Format("Monday 2006-01-02 15:04")
		}
		lines = append(lines, prompt.Line(s))
	}
	for _, i := range c.context {
		text := r.Turns[i].Text
		if len(text) > maxContext {
			n := maxContext
			for ; !utf8.RuneStart(text[n]); n-- {
			}
			text = text[:n] + " …"
		}
		show(i, text, true)
	}
	for _, p := range c.pieces {
		show(p.turn, r.Turns[p.turn].Text[p.start:p.end], false)
	}
	return render("data.tmpl", struct {
		Boundary string
		Lines    []string
	}{boundary(lines), lines})
}

func render(name string, data any) string { return prompt.Render(templates(), name, data) }

// boundary returns a separator that looks random, is derived from the lines and occurs in none of them.
func boundary(lines []string) string {
	all := strings.Join(lines, "\n")
	for salt := byte(0); ; salt++ {
		sum := sha256.Sum256(append([]byte(all), salt))
		b := "-----" + hex.EncodeToString(sum[:8]) + "-----"
		if !strings.Contains(all, b) {
			return b
		}
	}
}
