package engine_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

// A fact that an earlier version stored as verified by nobody waits for approval, and stays active.
func TestVerifiedByNobodyWaits(t *testing.T) {
	t.Parallel()
	store := newLasting()
	told := store.Store
	by := func(by string) *trilith.Fact {
		return &trilith.Fact{Verification: trilith.Verification{Status: trilith.Verified, By: by}}
	}
	old := []trilith.Memory{{Text: "nobody", Fact: by("")}, {Text: "a person", Fact: by("ada")},
		{Text: "a policy", Fact: by(trilith.ByPolicy)},
		{Text: "another application", Fact: by(trilith.ByForeign)},
		{Text: "replaced", State: trilith.StateSuperseded, Fact: by("")}}
	for i := range old {
		m := &old[i]
		m.ID, m.Version, m.Kind, m.Scope, m.Trust = trilith.DeriveID("old", m.Text), 1, trilith.KindFact, acme,
			trilith.TrustUserStated
		m.EventTime, m.RecordedAt = day(1), day(1)
		if m.State == "" {
			m.State = trilith.StateActive
		}
	}
	if _, err := told.Commit(t.Context(), acme, trilith.Batch{Memories: old}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // opened again, nothing is left to do
		e := open(t, store.config())
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range e.all(t, acme) {
			want := trilith.Verified
			if m.Text == "nobody" || m.Text == "replaced" {
				want = trilith.PendingApproval
			}
			state := trilith.StateActive
			if m.Text == "replaced" {
				state = trilith.StateSuperseded
			}
			if got := m.Fact.Verification.Status; got != want || m.State != state {
				t.Errorf("%q is %s, %s; want %s, %s", m.Text, got, m.State, want, state)
			}
		}
		stats, err := e.FactStats(t.Context(), acme)
		if err != nil || stats.Verification[trilith.PendingApproval] != 2 || stats.Verification[trilith.Verified] != 3 {
			t.Errorf("FactStats = %+v, %v; want 2 pending and 3 verified", stats, err)
		}
	}
}

// Verified means that somebody looked: what a person says of themselves is active and waits for approval.
func TestBornPending(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, m := range e.assimilate(t, acme, byMail, "2025-01-01",
		"I live in Oslo. Please order 12 chairs. The budget is 9,000 EUR.").Facts {
		if m.State != trilith.StateActive || m.Fact.Verification.Status != trilith.PendingApproval ||
			m.Fact.Verification.By != "" {
			t.Errorf("%q is born %s, %+v; want it active and pending", m.Text, m.State, m.Fact.Verification)
		}
	}
	page, err := e.UnverifiedFinancial(t.Context(), acme, "", 0)
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("UnverifiedFinancial = %v, %v; want the budget", texts(page.Items), err)
	}
	e.decide(t, page.Items[0].ID, trilith.DecideVerify)
	if page, err = e.UnverifiedFinancial(t.Context(), acme, "", 0); err != nil || len(page.Items) != 0 {
		t.Errorf("UnverifiedFinancial after it was verified = %v, %v; want nothing", texts(page.Items), err)
	}
}

// An export of an earlier version brings nothing that nobody verified as verified.
func TestRestoredByNobodyWaits(t *testing.T) {
	t.Parallel()
	from := inMemory(t)
	from.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.")
	items := from.items(t, acme)
	for i := range items {
		if m := items[i].Memory; m != nil && m.Fact != nil {
			m.Fact.Verification = trilith.Verification{Status: trilith.Verified}
		}
	}
	e := inMemory(t)
	e.restore(t, acme, items)
	for _, m := range e.all(t, acme) {
		if m.Fact != nil && (m.Fact.Verification.Status != trilith.PendingApproval || m.State != trilith.StateActive) {
			t.Errorf("%q comes in %s, %s; want it active and pending", m.Text, m.State, m.Fact.Verification.Status)
		}
	}
}
