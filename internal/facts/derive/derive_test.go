package derive_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// countFacts counts the facts that a scope sees.
func countFacts(t *testing.T, e rig.Rig, s trilith.Scope) int {
	t.Helper()
	n := 0
	for range listed(t, e, s, trilith.Where("kind", trilith.OpEq, trilith.KindFact)) {
		n++
	}
	return n
}

func listed(t *testing.T, e rig.Rig, s trilith.Scope, f trilith.Filter) []trilith.Memory {
	t.Helper()
	page, err := e.List(t.Context(), s, trilith.ListRequest{Filter: f, Limit: 100})
	if err != nil {
		t.Fatalf("List = %v", err)
	}
	return page.Items
}

// If a request does not say whether to derive facts, its project's setting decides, then its tenant's, then the
// process's. Imports, curated memories and documents yield facts only if they ask for it.
func TestWhoSaysWhetherFactsAreDerived(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                     string
		process, tenant, project trilith.Extraction
		request                  trilith.RememberRequest
		want                     int
	}{
		{"nobody says", "", "", "", trilith.RememberRequest{}, 0},
		{"the process says", trilith.ExtractAuto, "", "", trilith.RememberRequest{}, 1},
		{"the tenant says no", trilith.ExtractAuto, trilith.ExtractNone, "", trilith.RememberRequest{}, 0},
		{"the project says yes", trilith.ExtractNone, trilith.ExtractNone, trilith.ExtractRules, trilith.RememberRequest{}, 1},
		{"the request says no", trilith.ExtractAuto, trilith.ExtractRules, trilith.ExtractRules,
			trilith.RememberRequest{Extract: trilith.ExtractNone}, 0},
		{"the request says yes", "", "", "", trilith.RememberRequest{Extract: trilith.ExtractRules}, 1},
		{"a note", trilith.ExtractAuto, "", "", trilith.RememberRequest{Note: &trilith.Note{Content: "I live in Oslo."}}, 1},
		{"an import", trilith.ExtractAuto, "", "", trilith.RememberRequest{Imported: true}, 0},
		{"an entry", trilith.ExtractAuto, "", "",
			trilith.RememberRequest{Entry: &trilith.Entry{Title: "Home", Content: "I live in Oslo."}}, 0},
		{"a document", trilith.ExtractAuto, "", "",
			trilith.RememberRequest{Document: &trilith.Document{Name: "home.md", Content: "I live in Oslo."}}, 0},
		{"no model any more", trilith.ExtractLLM, "", "", trilith.RememberRequest{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := rig.InMemory(t, func(cfg *engine.Config) { cfg.Extract = c.process })
			s := trilith.Scope{Tenant: "acme", Project: "tower", User: "uta", Actor: "tester"}
			for _, choice := range []struct {
				s    trilith.Scope
				mode trilith.Extraction
			}{{trilith.Scope{Tenant: "acme"}, c.tenant}, {trilith.Scope{Tenant: "acme", Project: "tower"}, c.project}} {
				if choice.mode == "" {
					continue
				}
				if _, err := e.UseExtraction(t.Context(), choice.s, trilith.ExtractionRequest{Extract: choice.mode}); err != nil {
					t.Fatal(err)
				}
				if got, err := e.Extraction(t.Context(), choice.s); err != nil || got.Extract != choice.mode {
					t.Fatalf("Extraction(%+v) = %+v, %v; want %s", choice.s, got, err, choice.mode)
				}
			}
			r := c.request
			if r.Note == nil && r.Entry == nil && r.Document == nil {
				r.Text = "I live in Oslo."
			}
			r.Wait = trilith.WaitExtracted
			e.MustRemember(t, s, r)
			if got := countFacts(t, e, s); got != c.want {
				t.Errorf("%d facts, want %d", got, c.want)
			}
		})
	}
}

// A memory that says of nobody whose it is has one person: the facts are theirs.
func TestFactsWithoutAScope(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(cfg *engine.Config) { cfg.Extract = trilith.ExtractAuto })
	s := trilith.Scope{Tenant: "acme", Actor: "tester"}
	e.MustRemember(t, s, trilith.RememberRequest{Text: "I live in Oslo.", Wait: trilith.WaitExtracted})
	e.MustRemember(t, s, trilith.RememberRequest{Text: "I moved to Bergen.", Wait: trilith.WaitExtracted})
	got, err := e.Lookup(t.Context(), s, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "self", Value: "User"}})
	if err != nil || len(got.Facts) != 1 || got.Facts[0].Fact.Node.Name != "Bergen" {
		t.Errorf("Lookup = %+v, %v; want that they live in Bergen", got.Facts, err)
	}
}

// Texts stored before facts were asked for give them later, once; the doctor counts them.
func TestDerivingWhatIsMissing(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	s := trilith.Scope{Tenant: "acme", User: "uta", Actor: "tester"}
	e.MustRemember(t, s, trilith.RememberRequest{Text: "I live in Oslo."})
	e.MustRemember(t, s, trilith.RememberRequest{Note: &trilith.Note{Content: "I work as a nurse."}})
	e.MustRemember(t, s, trilith.RememberRequest{Document: &trilith.Document{Name: "a.md", Content: "I like tea."}})
	e.MustRemember(t, s, trilith.RememberRequest{Text: "I like rain.", Extract: trilith.ExtractRules})
	count := func() string {
		t.Helper()
		r, err := e.Doctor(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Checks {
			if c.Name == "facts" {
				return c.Detail
			}
		}
		return ""
	}
	if want := "of 3 conversations and notes 2 gave none because nothing asked for any; trilith reextract --missing derives them"; count() != want {
		t.Errorf("doctor says %q, want %q", count(), want)
	}
	for i, want := range []int{2, 0} {
		res, err := e.Reextract(t.Context(), trilith.Scope{Tenant: "acme", Actor: "tester"}, trilith.ReextractRequest{Missing: true})
		if err != nil || res.Sources != want {
			t.Fatalf("Reextract number %d = %+v, %v; want %d sources", i+1, res, err, want)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := countFacts(t, e, s); got != 3 {
		t.Errorf("%d facts, want 3", got)
	}
	if want := "of 3 conversations and notes 0 gave none because nothing asked for any; trilith reextract --missing derives them"; count() != want {
		t.Errorf("doctor says %q, want %q", count(), want)
	}
}
