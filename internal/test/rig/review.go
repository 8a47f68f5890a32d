package rig

import (
	"cmp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// Quay is a project.
var Quay = trilith.Scope{Tenant: "acme", Project: "quay", Actor: "tester"}

// Save saves a search.
func (r Rig) Save(t *testing.T, s trilith.Scope, q trilith.SearchRequest) trilith.SavedSearch {
	t.Helper()
	out, err := r.SaveSearch(t.Context(), s, q)
	if err != nil {
		t.Fatalf("SaveSearch(%+v): %v", q, err)
	}
	return out
}

// Alerted runs the searches and returns the alerts of a scope behind a place as their kinds, and the place.
func (r Rig) Alerted(t *testing.T, s trilith.Scope, q trilith.AlertQuery) []trilith.Alert {
	t.Helper()
	if err := r.RunSearches(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := r.Alerts(t.Context(), s, q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// GroupsOf are groups of facts by the texts of their members.
func GroupsOf(page trilith.FactGroups) [][]string {
	out := [][]string{}
	for _, g := range page.Items {
		out = append(out, Texts(g.Facts))
	}
	return out
}

// Likenesses are the ways of being similar: by cosine, by fused score, by words only.
var Likenesses = map[string]func(*engine.Config){
	"with vectors":                 func(*engine.Config) {},
	"with vectors that only order": func(c *engine.Config) { c.Embedder = Relative{c.Embedder} },
	"without vectors":              func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil },
}

// Audited returns the audit's entries of an action.
func (r Rig) Audited(t *testing.T, s trilith.Scope, action string) []trilith.AuditEntry {
	t.Helper()
	log, err := r.Audit(t.Context(), s, 0, 10000)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(log, func(e trilith.AuditEntry) bool { return e.Action != action })
}

// At sets the engine's clock.
func At(now time.Time) func(*engine.Config) {
	return func(c *engine.Config) { c.Now = func() time.Time { return now } }
}

// Ticking makes the clock of an engine go on by a second at each look.
func Ticking(c *engine.Config) {
	var ticks atomic.Int64
	c.Now = func() time.Time { return time.Date(2025, 7, 1, 0, 0, int(ticks.Add(1)), 0, time.UTC) }
}

// Change edits a memory behind the engine's back.
func (r Rig) Change(t *testing.T, id trilith.ID, f func(*trilith.Memory)) {
	t.Helper()
	ms, err := r.Parts.Store.Get(t.Context(), Acme, []trilith.ID{id})
	if err != nil || len(ms) != 1 {
		t.Fatalf("Get(%s) = %v, %v", id, ms, err)
	}
	f(&ms[0])
	if _, err := r.Parts.Store.Commit(t.Context(), Acme, role.Batch{Memories: ms}); err != nil {
		t.Fatal(err)
	}
}

// Day is a day of January 2025.
func Day(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }

// PutFacts stores facts, a day apart, as they are given but for what every fact needs. Their texts name them in the tests.
func (r Rig) PutFacts(t *testing.T, facts ...trilith.Memory) []trilith.ID {
	t.Helper()
	for i := range facts {
		m, f := &facts[i], *facts[i].Fact
		f.EntityID, f.Verb = cmp.Or(f.EntityID, trilith.DeriveID("somebody")), "says"
		f.Node = trilith.Node{Type: "Other", Name: m.Text}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		f.Polarity = cmp.Or(f.Polarity, trilith.Affirmed)
		f.Verification.Status = cmp.Or(f.Verification.Status, trilith.Verified)
		m.State = cmp.Or(m.State, trilith.StateActive)
		m.ID, m.Version, m.Kind, m.Trust = trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), 1, trilith.KindFact,
			trilith.TrustUserStated
		m.EventTime, m.RecordedAt, m.Scope.Tenant, m.Fact = Day(i+1), Day(i+1), "acme", &f
	}
	if _, err := r.Parts.Store.Commit(t.Context(), Acme, role.Batch{Memories: facts}); err != nil {
		t.Fatal(err)
	}
	r.MustSettle(t)
	return IDsOf(facts)
}

// Texts are those of memories.
func Texts(ms []trilith.Memory) []string {
	out := []string{}
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

// Money is an amount of a kind.
func Money(amount, currency, kind string) *trilith.Financial {
	return &trilith.Financial{Amount: amount, Currency: currency, Type: kind}
}

// MustDecide decides about a fact and returns it.
func (r Rig) MustDecide(t *testing.T, id trilith.ID, d trilith.Decision) trilith.Memory {
	t.Helper()
	m, err := r.VerifyFact(t.Context(), Acme, id, trilith.VerifyRequest{Decision: d, Note: "because"})
	if err != nil {
		t.Fatalf("VerifyFact(%s, %s) = %v", id, d, err)
	}
	return m
}

// Relative is an embedder whose cosines only order: none of them carries a meaning by itself.
type Relative struct{ role.Embedder }

func (r Relative) Generation() trilith.Generation {
	g := r.Embedder.Generation()
	g.Threshold = false
	return g
}
