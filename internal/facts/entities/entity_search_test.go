package entities_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// foundEntities writes what a search finds as a line for each entity.
func foundEntities(t *testing.T, e rig.Rig, s trilith.Scope, q trilith.EntityQuery) (lines []string) {
	t.Helper()
	for {
		page, err := e.SearchEntities(t.Context(), s, q)
		if err != nil {
			t.Fatalf("SearchEntities(%+v) = %v", q, err)
		}
		for _, v := range page.Items {
			lines = append(lines, fmt.Sprintf("%s %d+%d", v.Entity.Name, v.Facts, v.Past))
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return lines
		}
	}
}

func TestSearchEntities(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Ticking)
	for _, said := range []struct{ who, text string }{
		{"Joana", "I like tea."},
		{"Ana Berg", "I live in Oslo."}, {"Ana Berg", "I live in Bergen."}, {"Ana Berg", "I like chess."},
		{"Ben", "I like tea."}, {"Mia Ana", "I like tea."}, {"Ana", "I like tea."},
	} {
		rig.SayAs(t, e, rig.InScope("u1", "", "a"), said.who, said.text)
	}
	rig.SayAs(t, e, rig.InScope("u2", "", "b"), "Zoe", "I like rowing.")
	u1 := rig.InScope("u1", "", "")
	for _, c := range []struct {
		q    trilith.EntityQuery
		want []string
	}{
		{trilith.EntityQuery{Text: "aNa"}, []string{"Ana 1+0", "Ana Berg 2+1", "Mia Ana 1+0", "Joana 1+0"}},
		{trilith.EntityQuery{Text: "ana  berg"}, []string{"Ana Berg 2+1"}},
		{trilith.EntityQuery{Text: "nobody"}, nil},
		{trilith.EntityQuery{Sort: trilith.EntitiesByName},
			[]string{"Ana 1+0", "Ana Berg 2+1", "Ben 1+0", "Joana 1+0", "Mia Ana 1+0"}},
		{trilith.EntityQuery{Sort: trilith.EntitiesByHeard},
			[]string{"Ana 1+0", "Mia Ana 1+0", "Ben 1+0", "Ana Berg 2+1", "Joana 1+0"}},
		{trilith.EntityQuery{Type: "project"}, nil},
	} {
		for _, c.q.Limit = range []int{0, 1, 2} {
			if diff := cmp.Diff(c.want, foundEntities(t, e, u1, c.q)); diff != "" {
				t.Errorf("SearchEntities(%+v) (-want +got):\n%s", c.q, diff)
			}
		}
	}
	if got := foundEntities(t, e, rig.Acme, trilith.EntityQuery{Text: "zoe"}); len(got) != 1 {
		t.Errorf("SearchEntities of the tenant = %q, want Zoe", got)
	}
	_, err := e.SearchEntities(t.Context(), rig.Acme, trilith.EntityQuery{Sort: "size"})
	rig.WantError(t, "SearchEntities in an unknown order", err, trilith.Invalid, "sort")
	_, err = e.SearchEntities(t.Context(), rig.Acme, trilith.EntityQuery{Cursor: "x"})
	rig.WantError(t, "SearchEntities behind an unknown cursor", err, trilith.Invalid, "cursor")
}

// texts are what memories say, with their states.
func stated(ms []trilith.Memory) string {
	var out []string
	for _, m := range ms {
		out = append(out, fmt.Sprintf("%s (%s)", m.Text, m.State))
	}
	return strings.Join(out, " | ")
}

func TestFactsOf(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, c := range []struct{ at, text string }{{"2025-01-10", "I live in Oslo."}, {"2025-06-02", "I moved to Bergen."},
		{"2025-06-03", "I like chess."}} {
		if _, err := e.Assimilate(t.Context(), rig.Acme,
			trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "email",
				Value: "ana@example.com"}, Speaker: "Ana", Content: c.text, Timestamp: c.at,
				Extract: trilith.ExtractRules}); err != nil {
			t.Fatal(err)
		}
	}
	known, err := e.SearchEntities(t.Context(), rig.Acme, trilith.EntityQuery{Text: "ana"})
	if err != nil || len(known.Items) != 1 {
		t.Fatalf("SearchEntities = %+v, %v", known, err)
	}
	ana := known.Items[0].Entity.ID
	for _, c := range []struct {
		q    trilith.EntityFactsQuery
		want string
	}{
		{trilith.EntityFactsQuery{}, "Ana lives in Bergen. (active) | Ana lives in Oslo. (superseded) | Ana likes chess. (active)"},
		{trilith.EntityFactsQuery{AsOf: "2025-03-01"}, "Ana lives in Oslo. (superseded)"},
		{trilith.EntityFactsQuery{States: []trilith.State{trilith.StateSuperseded}}, "Ana lives in Oslo. (superseded)"},
	} {
		out, err := e.FactsOf(t.Context(), rig.Acme, ana, c.q)
		if err != nil || stated(out.Facts) != c.want || out.Entity.ID != ana {
			t.Errorf("FactsOf(%+v) = %q, %v, want %q", c.q, stated(out.Facts), err, c.want)
		}
		for _, m := range out.Facts {
			if len(m.Fact.Evidence) == 0 || m.Fact.Evidence[0].Quote == "" {
				t.Errorf("FactsOf tells %q without its words", m.Text)
			}
		}
	}
	_, err = e.FactsOf(t.Context(), rig.Acme, trilith.DeriveID("nobody"), trilith.EntityFactsQuery{})
	rig.WantError(t, "FactsOf nobody", err, trilith.NotFound, "entity")
}

func TestBoundedNeighborhood(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Ticking)
	s := rig.InScope("u1", "", "a")
	for _, text := range []string{"My sister is called Eva.", "My brother is called Tom.", "I like tea.", "I like chess.",
		"I like rowing.", "My sister Eva lives in Bonn.", "My sister Eva likes jazz."} {
		rig.SayAs(t, e, s, "Ana", text)
	}
	found, err := e.SearchEntities(t.Context(), s, trilith.EntityQuery{Text: "ana"})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("SearchEntities = %+v, %v", found, err)
	}
	ana := found.Items[0].Entity.ID
	all, err := e.Neighborhood(t.Context(), s, ana, trilith.NeighborhoodQuery{Limit: trilith.MaxAround})
	if err != nil || all.Cut != 0 || len(all.Facts) < 5 {
		t.Fatalf("Neighborhood = %s, cut %d, %v", stated(all.Facts), all.Cut, err)
	}
	for limit := 1; limit < len(all.Facts); limit++ {
		n, err := e.Neighborhood(t.Context(), s, ana, trilith.NeighborhoodQuery{Limit: limit})
		if err != nil || stated(n.Facts) != stated(all.Facts[:limit]) || n.Cut != len(all.Facts)-limit {
			t.Errorf("Neighborhood of at most %d = %s, cut %d, %v; want the first of %s", limit, stated(n.Facts), n.Cut,
				err, stated(all.Facts))
		}
		if n.More[ana] == 0 && n.Cut > 0 && all.Facts[limit].Fact.EntityID == ana {
			t.Errorf("Neighborhood of at most %d does not say that there is more about Ana: %v", limit, n.More)
		}
	}
	before, err := e.Neighborhood(t.Context(), s, ana, trilith.NeighborhoodQuery{AsOf: "2000-01-01"})
	if err != nil || len(before.Facts) != 0 {
		t.Errorf("Neighborhood of long ago = %s, %v", stated(before.Facts), err)
	}
	for q, names := range map[trilith.NeighborhoodQuery]string{{Limit: 61}: "limit", {AsOf: "soon"}: "as_of",
		{Limit: 5, Hops: 3}: "hops"} {
		_, err := e.Neighborhood(t.Context(), s, ana, q)
		rig.WantError(t, fmt.Sprintf("Neighborhood(%+v)", q), err, trilith.Invalid, names)
	}
}
