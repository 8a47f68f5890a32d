package review_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// Verified means that somebody looked: what a person says of themselves is active and waits for approval.
func TestBornPending(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, m := range e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "project", Value: "roof"}, "2025-01-01",
		"I live in Oslo. Please order 12 chairs. The budget is 9,000 EUR.").Facts {
		if m.State != trilith.StateActive || m.Fact.Verification.Status != trilith.PendingApproval ||
			m.Fact.Verification.By != "" {
			t.Errorf("%q is born %s, %+v; want it active and pending", m.Text, m.State, m.Fact.Verification)
		}
	}
	page, err := e.UnverifiedFinancial(t.Context(), rig.Acme, trilith.UnverifiedQuery{})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("UnverifiedFinancial = %v, %v; want the budget", rig.Texts(page.Items), err)
	}
	e.MustDecide(t, page.Items[0].ID, trilith.DecideVerify)
	if page, err = e.UnverifiedFinancial(t.Context(), rig.Acme,
		trilith.UnverifiedQuery{}); err != nil || len(page.Items) != 0 {
		t.Errorf("UnverifiedFinancial after it was verified = %v, %v; want nothing", rig.Texts(page.Items), err)
	}
}
