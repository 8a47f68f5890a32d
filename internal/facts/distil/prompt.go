package distil

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

var templates = prompt.Templates(prompts)

// shownTurn is a turn as the model sees it. JSON leaves a text no way to look like another line.
type shownTurn struct {
	Context  int          `json:"context,omitempty"`
	Turn     int          `json:"turn,omitempty"`
	Said     string       `json:"said,omitempty"` // with its weekday
	Role     trilith.Role `json:"role"`
	Speaker  string       `json:"speaker,omitempty"`
	Language string       `json:"language,omitempty"`
	Text     string       `json:"text"`
}

type shownFact struct {
	Fact   int           `json:"fact"`
	About  string        `json:"about,omitempty"`
	Verb   string        `json:"verb"`
	Object string        `json:"object"`
	Text   string        `json:"text"`
	Since  string        `json:"since,omitempty"`
	State  trilith.State `json:"state,omitempty"`
}

// systemPrompt is the same for every request of a profile, so that a provider can cache it.
func systemPrompt(p *trilith.Profile) string {
	type example struct {
		Turns  []string
		Answer string
	}
	data := struct {
		Profile     *trilith.Profile
		Money       bool
		Placeholder string
		Examples    []example
	}{Profile: p, Money: hasMoney(p), Placeholder: trilith.PlaceholderPrefix}
	for _, e := range p.Examples {
		var x example
		for i, k := range e.Known {
			x.Turns = append(x.Turns,
				prompt.Line(shownFact{Fact: firstKnown(nil) + i, About: k.About, Verb: k.Verb, Object: k.Object,
					Text: k.Text}))
		}
		for i, t := range e.Turns {
			x.Turns = append(x.Turns,
				prompt.Line(shownTurn{Turn: i + 1, Role: t.Role, Speaker: t.Speaker, Text: t.Text}))
		}
		facts := []json.RawMessage{}
		for _, f := range e.Facts {
			facts = append(facts, exampleFact(p, f))
		}
		x.Answer = prompt.Line(map[string]any{"facts": facts, "relations": []any{}})
		data.Examples = append(data.Examples, x)
	}
	return render("system.tmpl", data)
}

func hasMoney(p *trilith.Profile) bool {
	return slices.ContainsFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Money != "" })
}

// exampleFact is a fact of an example with the members that it needs, in the order of the schema.
func exampleFact(p *trilith.Profile, f trilith.ExampleFact) json.RawMessage {
	given := map[string]any{"why": f.Why, "type": f.Type, "subject": f.Subject, "verb": f.Verb, "object": f.Object,
		"text": f.Text,
		"turn": f.Turn, "quote": f.Quote}
	if own := first.FindString(f.Quote); f.Subject == "speaker" && own != "" {
		given["whose_words"] = strings.TrimFunc(own, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	for name, v := range map[string]string{"polarity": string(f.Polarity), "certainty": string(f.Certainty),
		"time_phrase": f.TimePhrase, "end_phrase": f.EndPhrase, "relation": f.Relation} {
		if v != "" {
			given[name] = v
		}
	}
	if len(f.RefersTo) > 0 {
		given["refers_to"] = f.RefersTo
	}
	var fields []map[string]string
	for _, t := range p.Types {
		for _, d := range t.Fields {
			if v, ok := f.Fields[d.Name]; ok && t.Name == f.Type {
				fields = append(fields, map[string]string{"name": d.Name, "value": v})
			}
		}
	}
	if len(fields) > 0 {
		given["fields"] = fields
	}
	var o object
	for _, m := range members(p) {
		if v, ok := given[m.name]; ok {
			o = append(o, member{m.name, v})
		}
	}
	return json.RawMessage(prompt.Line(o))
}

// dataPrompt shows the chunk inside a boundary that no text of it can contain.
func dataPrompt(r *Request, c chunk) string {
	var lines []string
	for i, k := range r.Known {
		f := k.Memory.Fact
		s := shownFact{Fact: firstKnown(r.Turns) + i, About: k.About, Verb: f.Verb, Object: f.Node.Name,
			Text:  k.Memory.Text,
			Since: k.Memory.EventTime.Format(time.DateOnly)}
		if k.Memory.State != trilith.StateActive {
			s.State = k.Memory.State
		}
		lines = append(lines, prompt.Line(s))
	}
	show := func(i int, text string, context bool) {
		t := r.Turns[i]
		s := shownTurn{Turn: i + 1, Role: t.Role, Speaker: t.Speaker, Text: text}
		if context {
			s.Context, s.Turn = i+1, 0
		}
		if s.Role == "" {
			s.Role = trilith.RoleUser
		}
		if !t.At.IsZero() {
			s.Said = t.At.Format("Monday 2006-01-02 15:04")
		}
		if l := textproc.Detect(t.Text); l != textproc.Unknown {
			s.Language = l.String()
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

// firstKnown is the number of the first known fact. Turns are numbered from 1, so a number is either a turn or a fact.
func firstKnown(turns []Turn) int { return (len(turns)/100+1)*100 + 1 }

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
