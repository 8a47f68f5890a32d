package rig

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Billed is an embedder that costs money.
type Billed struct{ *Fussy }

func (d Billed) Generation() trilith.Generation {
	g := d.Fussy.Generation()
	g.Provider = "dear"
	return g
}

// Building is a conversation of a domain.
var Building = trilith.Scope{Tenant: "acme", Domain: "building", Session: "monday", Actor: "tester"}

// MustAddEntry stores a knowledge entry and returns its memory.
func (r Rig) MustAddEntry(t *testing.T, s trilith.Scope, req trilith.EntryRequest) trilith.Memory {
	t.Helper()
	m, err := r.AddEntry(t.Context(), s, req)
	if err != nil {
		t.Fatalf("AddEntry(%+v) = %v", req, err)
	}
	return m
}

// Similar returns the titles of the entries that are like something, best first.
func (r Rig) Similar(t *testing.T, s trilith.Scope, req trilith.SimilarRequest) []string {
	t.Helper()
	res, err := r.SimilarEntries(t.Context(), s, req)
	if err != nil {
		t.Fatalf("SimilarEntries(%+v) = %v", req, err)
	}
	titles := []string{}
	for i, h := range res.Items {
		titles = append(titles, h.Memory.Entry.Title)
		if i > 0 && h.Score > res.Items[i-1].Score {
			t.Errorf("SimilarEntries(%+v): scores %v then %v", req, res.Items[i-1].Score, h.Score)
		}
	}
	return titles
}

// Plant puts a memory into both indexes as if truth held it so.
func (r Rig) Plant(tb testing.TB, f trilith.Facets, text string) {
	tb.Helper()
	if err := r.Parts.Text.Apply(tb.Context(), []role.TextPoint{{Facets: f, Text: text}}); err != nil {
		tb.Fatal(err)
	}
	vs, err := r.Parts.Embedder.Embed(tb.Context(), role.ForDocument, []string{text})
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Parts.Vectors.Apply(tb.Context(), r.Generation(),
		[]role.Point{{Facets: f, Vector: vs[0].Vector}}); err != nil {
		tb.Fatal(err)
	}
}

// OfWindows finds windows.
var OfWindows = trilith.Where("type", trilith.OpEq, trilith.TypeEpisodic)
