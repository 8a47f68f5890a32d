package recall_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/local"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// table reads a file of tab-separated lines of so many fields.
func table(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "lookup", name))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(body)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(row) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", name, line, len(row), fields)
		}
		out = append(out, row)
	}
	return out
}

// knowing returns a memory that knows the facts of testdata/lookup.
func knowing(t *testing.T, e rig.Rig) {
	t.Helper()
	entities := map[string]trilith.ID{}
	for _, row := range table(t, "facts.tsv", 5) {
		who := trilith.Identifier{Type: "name", Value: row[0]}
		if entities[row[0]] == "" {
			entities[row[0]] = e.MustAssimilate(t, rig.Acme, who, "2025-01-10", "Mmh.").Entity.ID
		}
		turn := e.One(t, rig.Acme, trilith.RememberRequest{Messages: []trilith.Message{{Speaker: row[0], Content: row[4]}}})
		m := factOn(turn, row[4])
		f := m.Fact
		f.EntityID, f.Verb, f.Node = entities[row[0]], row[1], trilith.Node{Type: row[2], Name: row[3]}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		m.ID = trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID)
		e.MustRestore(t, rig.Acme, []trilith.ExportItem{{Memory: &m}})
	}
	e.MustSettle(t)
}

// TestLookupFindsFacts: a question finds the fact that answers it, also without a common word. The questions of
// before.tsv were written before the glosses, those of after.tsv after them; both numbers are floors.
func TestLookupFindsFacts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	knowing(t, e)
	answers(t, e, map[string]int{"before.tsv": 40, "after.tsv": 38})
}

// TestLookupFindsWhatWasSaid: the same with facts that rules derive from what people say of themselves. The questions
// of said_unseen.tsv had no part in what the glosses say.
func TestLookupFindsWhatWasSaid(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	for _, row := range table(t, "said.tsv", 2) {
		e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "name", Value: row[0]}, "2025-01-10", row[1])
	}
	e.MustSettle(t)
	answers(t, e, map[string]int{"said_developed.tsv": 68, "said_unseen.tsv": 21})
}

// answers asks the questions of some files, and wants the answers to so many of them among the first three.
func answers(t *testing.T, e rig.Rig, files map[string]int) {
	t.Helper()
	for name, least := range files {
		questions := table(t, name, 3)
		var first, third int
		for _, row := range questions {
			res, err := e.Lookup(t.Context(), rig.Acme,
				trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: row[0]},
					Query: row[1], TopK: 200})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(res.Facts, func(m trilith.Memory) bool {
				return slices.Contains(strings.Split(row[2], "|"), m.Fact.Node.Name)
			})
			if at < 0 {
				t.Errorf("%s %q: none of %d facts is the answer, want all facts ranked", row[0], row[1], len(res.Facts))
				continue
			}
			if at == 0 {
				first++
			}
			if at < 3 {
				third++
				continue
			}
			top := []string{}
			for _, m := range res.Facts[:3] {
				top = append(top, m.Text)
			}
			t.Logf("%s %q: place %d; first are %q", row[0], row[1], at+1, top)
		}
		t.Logf("%s: %d questions, first %d, among the first three %d", name, len(questions), first, third)
		if third < least {
			t.Errorf("%s: the answer is among the first three for %d of %d questions, want %d", name, third,
				len(questions), least)
		}
	}
}

// TestLookupWithMiniLM: with a model that carries meanings more of them are found. It runs where TRILITH_TEST_MINILM
// names the folder of the model; tools/scripts/minilm fetches it.
func TestLookupWithMiniLM(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TRILITH_TEST_MINILM")
	if dir == "" {
		t.Skip("TRILITH_TEST_MINILM names no folder with all-MiniLM-L6-v2")
	}
	spec, err := provider.Parse("embedder", "local:"+dir, local.Params...)
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := local.Open(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
	for _, row := range table(t, "said.tsv", 2) {
		e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "name", Value: row[0]}, "2025-01-10", row[1])
	}
	e.MustSettle(t)
	answers(t, e, map[string]int{"said_developed.tsv": 68, "said_unseen.tsv": 21})
}
