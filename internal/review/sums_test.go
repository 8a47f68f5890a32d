package review_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// Debts add up over papers: equal amounts are different debts, a paper that is settled or corrected counts once or not
// at all, a rate is no sum, and an income is no invoice.
func TestExposureOfWords(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	s := trilith.Scope{Tenant: rig.Acme.Tenant, Project: "tower"}
	for _, text := range []string{"Invoice 101 from Huber is 1,200 EUR.", "Invoice 102 from Huber is 1,200 EUR.",
		"Invoice 101 from Meyer is 1,200 EUR.",
		"Invoice 101 from Huber is 1,250 EUR.", "We paid invoice 102 yesterday.",
		"The budget for phase 1 is 40,000 EUR.", "The budget for phase 2 is 40,000 EUR.",
		"The electrician charges 85 EUR per hour.",
		"Invoice 7 from Kranz is 100 EUR, invoice 8 from Kranz is 100 EUR and invoice 7 from Vogt is 100 EUR."} {
		if _, err := e.Assimilate(
			t.Context(), s, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "project", Value: "tower"},
				Content: text, Extract: trilith.ExtractRules}); err != nil {
			t.Fatal(err)
		}
	}
	want := []trilith.ExposureSum{
		{Project: "tower", Type: "budget", Currency: "EUR", Amount: "80000", Facts: 2},
		{Project: "tower", Type: "invoice", Currency: "EUR", Amount: "2750", Facts: 5},
	}
	got, err := e.Exposure(t.Context(), s)
	if diff := gocmp.Diff(want, got.Sums); err != nil || diff != "" {
		t.Errorf("Exposure = %v (-want +got):\n%s", err, diff)
	}
}
