package review_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// Deriving again removes what rules would no longer find, and nothing that a person has decided about, or that a model
// or another program has found. The doctor says how many facts that concerns.
func TestReextractRemovesWhatRulesNoLongerFind(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Likenesses["without vectors"])
	s := trilith.Scope{Tenant: "acme", User: "nadia", Actor: "nadia"}
	true1 := e.MustAssimilate(t, s, trilith.Identifier{Type: "user_id", Value: "nadia"}, "2025-01-01",
		"I live in Oslo. I love jazz.").Facts
	invented := func(kind, rule string) trilith.ID {
		m := wrong(t, e, s, wrongFacts[kind])
		e.Change(t, m.ID, func(m *trilith.Memory) { // as if a rule had found it in words that were read
			m.Fact.Rule, m.Fact.Evidence[0].Rule = rule, rule
			m.Fact.Evidence[0].EpisodeID = true1[0].Fact.Evidence[0].EpisodeID
			m.Fact.Evidence[0].Quote, m.Fact.Evidence[0].Start, m.Fact.Evidence[0].End = "I love jazz", 16, 27
		})
		return m.ID
	}
	gone := invented("employer", "en.anew.1")
	kept := []trilith.ID{invented("car", "openai:gpt/default"), invented("plan", "adopted"), invented("money", "en.paid.1"),
		true1[0].ID, true1[1].ID}
	if _, err := e.VerifyFact(t.Context(), s, kept[2], trilith.VerifyRequest{Decision: trilith.DecideVerify}); err != nil {
		t.Fatal(err)
	}
	facts := func() string {
		r, err := e.Doctor(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Checks, func(c trilith.Check) bool { return c.Name == "facts" })
		return r.Checks[i].Detail
	}
	if got := facts(); !strings.Contains(got, "would not find 1 facts") {
		t.Errorf("the doctor says %q, want one fact", got)
	}
	if _, err := e.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err := e.Get(t.Context(), s, gone); err == nil && m.State == trilith.StateActive {
		t.Errorf("what rules no longer find is %s", m.State)
	}
	for _, id := range kept {
		if m, err := e.Get(t.Context(), s, id); err != nil || m.State != trilith.StateActive {
			t.Errorf("%s is %s, %v; want it kept", m.Text, m.State, err)
		}
	}
	if got := facts(); strings.Contains(got, "would not find") {
		t.Errorf("the doctor says %q afterwards", got)
	}
}
