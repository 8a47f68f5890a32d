package interview_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

const boats = `id: boats
title: Boats
language: en
persona:
  name: Ida
fields:
  - id: length
    label: Length
    question: How long is it?
    type: number
    order: 20
  - id: rig
    label: Rig
    question: Which rig does it have?
    type: choice
    choices: [sloop, ketch]
    required: true
    order: 10
    follow_ups:
      - id: mizzen
        label: Mizzen
        question: Where does the mizzen stand?
        type: text
        when: [ketch]
`

// Both languages are included, and every field of a question can be filled.
func TestShipped(t *testing.T) {
	t.Parallel()
	all, err := interview.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range all {
		got[d.ID] = d.Language
	}
	if diff := cmp.Diff(map[string]string{"bakery": "en", "werkstatt": "de"}, got); diff != "" {
		t.Errorf("Shipped() (-want +got):\n%s", diff)
	}
}

// Fields are in the order of the questions, and follow-ups come after the questions that they follow.
func TestParse(t *testing.T) {
	t.Parallel()
	d, err := interview.Parse("boats.yaml", []byte(boats))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range interview.Fields(&d) {
		ids = append(ids, f.ID)
	}
	if diff := cmp.Diff([]string{"rig", "mizzen", "length"}, ids); diff != "" {
		t.Errorf("Fields (-want +got):\n%s", diff)
	}
}

// A mistake is reported with its place, and never passed over.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{"title: Boats", "tilte: Boats", `boats.yaml:2: unknown field "tilte"`},
		{"order: 20", "odrer: 20", `boats.yaml:11: unknown field "odrer"`},
		{"fields:\n", "fields: [\n", "boats.yaml:"},
		{"id: boats", "id: Boats!", "boats.yaml: id: must be 1 to 64 of a-z 0-9 _ -"},
		{"title: Boats", "title: ' '", "title: must be"},
		{"language: en", "language: English", "language: must be the code"},
		{"id: length", "id: rig", `field "rig": id: another field has it`},
		{"id: length", "id: the length", "fields, number 1: id: must be"},
		{"id: mizzen", "id: ''", `field "rig": follow_ups, number 1: id: must be`},
		{"label: Length", "label: RIG", `label: "Rig" is already the label of field "length"`},
		{"label: Length", "label: ''", `field "length": label: must be`},
		{"question: How long is it?", "question: ''", `field "length": question: must be`},
		{"type: number", "type: flag", `type: "flag" is not one of text, number, date, choice, list`},
		{"type: number", "type: choice", "choices: a field of type choice has them"},
		{"type: choice", "type: text", "choices: a field of type choice has them"},
		{"[sloop, ketch]", "[sloop, Sloop]", `choices: "Sloop" is there twice`},
		{"when: [ketch]", "when: [yawl]", `when: "yawl" is not a choice of field "rig"`},
		{"order: 20", "when: [ketch]", "when: belongs to follow-ups only"},
		{"order: 20", "aliases: ['']", "aliases: each must be"},
		{boats[strings.Index(boats, "fields:"):], "fields: []\n", "fields: a domain needs at least one"},
	} {
		body := strings.Replace(boats, c.old, c.new, 1)
		if body == boats {
			t.Fatalf("%q is not in the schema", c.old)
		}
		if _, err := interview.Parse("boats.yaml", []byte(body)); trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse with %q = %v, want Invalid with %q", c.new, err, c.want)
		}
	}
	if _, err := interview.Parse("large.yaml", make([]byte, 2<<20)); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Parse of 2 MiB = %v, want Invalid", err)
	}
}

// A file precedes a folder, and a folder precedes the schemas of the program.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("boats.yaml", boats)
	write("mine.yml", strings.Replace(boats, "id: boats", "id: bakery", 1))
	write("notes.txt", "no schema")
	file := filepath.Join(t.TempDir(), "boats.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(boats, "Boats", "Ships", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := interview.Load(dir, file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range all {
		got[d.ID] = d.Title
	}
	if diff := cmp.Diff(map[string]string{"bakery": "Boats", "boats": "Ships", "werkstatt": "Werkstattwissen"},
		got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
	write("twice.yaml", boats)
	if _, err := interview.Load(dir, ""); trilith.KindOf(err) != trilith.Invalid ||
		!strings.Contains(err.Error(), `boats.yaml and twice.yaml both define "boats"`) {
		t.Errorf("Load of an id twice = %v", err)
	}
	for _, names := range [][2]string{{filepath.Join(dir, "none"), ""}, {"", filepath.Join(dir, "none.yaml")}} {
		if _, err := interview.Load(names[0], names[1]); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Load(%q) = %v, want Invalid", names, err)
		}
	}
}

// The schema in the guide is a valid schema.
func TestGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "interviews.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	if d, err := interview.Parse("interviews.md", []byte(example)); err != nil || len(interview.Fields(&d)) != 2 {
		t.Errorf("the schema of the guide = %+v, %v", d, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(boats))
	f.Add([]byte("id: a\ntitle: b\nlanguage: de\nfields: [{id: a, label: b, question: c, type: list}]"))
	f.Add([]byte("fields:\n  - &a {id: a, follow_ups: [*a]}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := interview.Parse("f.yaml", body)
		if err != nil {
			if trilith.KindOf(err) != trilith.Invalid {
				t.Errorf("Parse = %v, want Invalid", err)
			}
			return
		}
		fields := interview.Fields(&d)
		if d.ID == "" || len(fields) == 0 || len(fields) > trilith.MaxDomainFields {
			t.Errorf("Parse accepts a domain without id, or with %d fields: %+v", len(fields), d)
		}
		if gaps := interview.Know(&d, nil).Gaps(); len(gaps) != len(d.Fields) {
			t.Errorf("of nothing there are %d gaps, want one for each of %d fields", len(gaps), len(d.Fields))
		}
	})
}

// For any answer, rules quote it and give values of the types of the fields.
func FuzzStructureByRules(f *testing.F) {
	for _, s := range []string{"Wir sind 48, gegründet 1987.", "1.200,50 Mio", "ja, nein", "I don't know, about 40",
		"a, b und c; - d\n2) e", "\u202f1 200 2 000", "3. Mai 1987, Wartungsvertrag: Huber"} {
		f.Add(s)
	}
	all, err := interview.Shipped()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for i := range all {
			d := &all[i]
			for _, asked := range append(interview.Fields(d), nil) {
				for _, found := range interview.StructureByRules(d, asked, said, noon) {
					if found.Field.ID != "" && interview.Value(found.Field, found.Value) == nil || found.Quote == "" ||
						found.Field.Label == "" ||
						!strings.Contains(said, found.Quote) {
						t.Errorf("of %q: %+v", said, found)
					}
				}
			}
		}
	})
}
