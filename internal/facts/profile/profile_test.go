package profile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
)

func shipped(t *testing.T) []trilith.Profile {
	t.Helper()
	ps, err := profile.Shipped()
	if err != nil {
		t.Fatalf("Shipped() = %v", err)
	}
	return ps
}

func names(ps []trilith.Profile) (out []string) {
	for _, p := range ps {
		out = append(out, p.Name)
	}
	return out
}

func TestShipped(t *testing.T) {
	t.Parallel()
	ps := shipped(t)
	if diff := cmp.Diff([]string{"code", "construction", "construction-before", "construction-client",
		"construction-closing", "construction-contractor", "construction-during", "construction-planner", "diary",
		"knowledge-capture", "personal"}, names(ps)); diff != "" {
		t.Errorf("Shipped() (-want +got):\n%s", diff)
	}
	if !slices.Contains(names(ps), profile.Default) {
		t.Errorf("the default profile %s is not shipped", profile.Default)
	}
	for _, p := range ps {
		if len(p.Examples) < 2 || len(p.Examples[len(p.Examples)-1].Facts) > 0 {
			t.Errorf("%s: needs an example with facts and, last, one without", p.Name)
		}
	}
	if n := len(ps[1].Categories); n != 35 || ps[1].Categories[3].Title() != "03 Concrete" {
		t.Errorf("construction has %d divisions, the fourth is %q; want 35 and 03 Concrete", n,
			ps[1].Categories[3].Title())
	}
}

// Facts of a model and of rules share a verb only if both mean the same by it.
func TestVerbsAgreeWithRules(t *testing.T) {
	t.Parallel()
	rules := extract.Verbs()
	shared := 0
	for _, p := range shipped(t) {
		for _, v := range p.Verbs {
			r, ok := rules[v.Name]
			if !ok {
				continue
			}
			shared++
			if v.Type != r.Type || v.Node != r.Node || v.Single() != r.Single {
				t.Errorf("%s: %s is %s of %s, single %v; the rules have %s of %s, single %v", p.Name, v.Name, v.Type,
					v.Node, v.Single(), r.Type, r.Node, r.Single)
			}
		}
	}
	if shared < 40 {
		t.Errorf("profiles share %d verbs with the rules", shared)
	}
}

const small = `name: boats
description: Boats.
types:
  - name: owner
    description: who owns a boat
    fields:
      - {name: since, type: date, description: since when}
verbs:
  - {name: owns_boat, type: owner, node: Boat, cardinality: single, description: the boat}
examples:
  - turns:
      - {role: user, text: "I bought the Zqella."}
    facts:
      - {topic: owns_boat, about: speaker, sentence: Owns the Zqella., value: the Zqella, quote: I bought the Zqella}
`

// A profile of one's own is beside the shipped ones, and in the place of one that has its name.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, body := range map[string]string{
		"boats.yaml": small, "mine.yml": strings.Replace(small, "name: boats", "name: personal", 1),
		"notes.txt": "no profile"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ps, err := profile.Load(dir)
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	if want := append([]string{"boats"}, names(shipped(t))...); !slices.Equal(names(ps), want) {
		t.Errorf("Load = %q, want %q", names(ps), want)
	}
	if last := ps[len(ps)-1]; last.Description != "Boats." {
		t.Errorf("personal is %q, want the folder's", last.Description)
	}
	if err := os.WriteFile(filepath.Join(dir, "twice.yaml"), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Load(dir); trilith.KindOf(err) != trilith.Invalid ||
		!strings.Contains(err.Error(), `boats.yaml and twice.yaml both define "boats"`) {
		t.Errorf("Load of a name twice = %v", err)
	}
	if _, err := profile.Load(filepath.Join(dir, "none")); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Load of no folder = %v, want Invalid", err)
	}
}

// A profile that extends another has what that has, and its own goes before it.
func TestExtends(t *testing.T) {
	t.Parallel()
	load := func(files map[string]string) ([]trilith.Profile, error) {
		dir := t.TempDir()
		for name, body := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return profile.Load(dir)
	}
	const fast = `name: fast-boats
extends: boats
description: Fast boats.
rules: [Speed counts.]
verbs:
  - {name: owns_boat, type: owner, node: Boat, cardinality: multi, description: a boat of several}
`
	ps, err := load(map[string]string{"a.yaml": fast, "b.yaml": small})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(ps, func(p trilith.Profile) bool { return p.Name == "fast-boats" })
	if p := ps[at]; len(p.Types) != 1 || len(p.Examples) != 1 || len(p.Verbs) != 1 || p.Verbs[0].Single() ||
		len(p.Rules) != 1 {
		t.Errorf("fast-boats = %+v, want the type and the example of boats, and a verb of its own", p)
	}
	ps, err = load(map[string]string{"a.yaml": strings.Replace(fast, "extends: boats", "extends: construction", 1) +
		"types:\n  - {name: owner, description: who owns a boat}\n"})
	if err != nil {
		t.Fatal(err)
	}
	at = slices.IndexFunc(ps, func(p trilith.Profile) bool { return p.Name == "fast-boats" })
	if p := ps[at]; len(p.Categories) != 35 || len(p.Types) != 12 {
		t.Errorf("a folder's profile that extends a shipped one has %d categories and %d types", len(p.Categories),
			len(p.Types))
	}
	for _, base := range []string{"poetry", "fast-boats", "construction-planner"} {
		_, err := load(map[string]string{"a.yaml": strings.Replace(fast, "extends: boats", "extends: "+base, 1)})
		if trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), "a.yaml: extends") {
			t.Errorf("Load of a profile that extends %s = %v, want Invalid with the file", base, err)
		}
	}
}

// A mistake is reported with its place, and never passed over.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	if _, err := profile.Parse("boats.yaml", []byte(small)); err != nil {
		t.Fatalf("Parse = %v", err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"description: Boats.", "descriptoin: Boats.", `boats.yaml:2: unknown field "descriptoin"`},
		{"fields:", "feilds:", `boats.yaml:6: unknown field "feilds"`},
		{"types:\n", "types: [\n", "boats.yaml:"},
		{"name: boats", "name: Boats!", "name: must have"},
		{"cardinality: single", "cardinality: one",
			`verbs, "owns_boat": cardinality: "one" is not one of single, multi`},
		{"type: owner, node", "type: sailor, node", `type: "sailor" is not a type of the profile`},
		{"type: date", "type: day", `field "since": type: "day" is not one of`},
		{"type: date", "type: choice", `choices: list them for the type choice`},
		{"type: date", "type: category", `category needs categories in the profile`},
		{"node: Boat", "node: ':'", "node: must be a word"},
		{"Boat, card", "Boat, money: gold, card", `money: "gold"`},
		{"value: the Zqella", "value: the Bella", "made-up word that begins with Zq"},
		{"quote: I bought", "quote: I sold", "must be in a turn"},
		{"about: speaker, ", "", "about, sentence and value are required"},
		{"types:\n", "topics:\n  - {name: boat, description: boats, verbs: [sails]}\ntypes:\n", `no verb "sails"`},
		{"topic: owns_boat", "topic: sells_boat", `no topic or verb "sells_boat"`},
		{"{role: user,", "{role: tool,", "the role user or assistant"},
		{"description: who owns a boat", "description: who owns a boat\n    time: soon", `time: "soon"`},
		{"verbs:", "verbs: []\nrules:", "boats.yaml:"},
	} {
		body := strings.Replace(small, c.old, c.new, 1)
		if body == small {
			t.Fatalf("%q is not in the profile", c.old)
		}
		if _, err := profile.Parse("boats.yaml", []byte(body)); err == nil || trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse with %q = %v, want Invalid with %q", c.new, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := profile.Parse("f.yaml", body); err == nil && (p.Name == "" || len(p.Verbs) == 0) {
			t.Errorf("Parse accepts a profile without name or verbs: %+v", p)
		}
	})
}

// The example of the guide is a profile.
func TestGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "extraction.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	if p, err := profile.Parse("extraction.md", []byte(example)); err != nil || p.Name != "fleet" {
		t.Errorf("the profile of the guide = %q, %v", p.Name, err)
	}
}
