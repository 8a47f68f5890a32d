package camel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// The ledger is beside financial/exposure, in camelCase, with facts by their numbers, and of the caller's tenant alone.
func TestLedger(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	reader := e.as(t, "north", trilith.AccessReader)
	for tenant, amount := range map[string]string{"north": "1,500", "south": "99"} {
		for _, text := range []string{"Huber quoted 4,000 EUR for the roof.", "Huber sent invoice R-77 for the roof: " +
			amount + " EUR."} {
			_, err := e.engine.Remember(t.Context(), trilith.Scope{Tenant: tenant, Project: "12", Actor: "tester"},
				trilith.RememberRequest{Text: text, Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted,
					Timestamp: "2026-01-10"})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got := e.do("GET", "/api/facts/financial/ledger/12?rate=EUR:USD=1.1,EUR:GBP=0.8&asOf=2026-01-12", "", reader...)
	var l struct {
		AsOf   string
		Totals []struct{ Currency, Committed, Invoiced, VariancePercent string }
		Lines  []struct {
			Item    string
			Entries []struct {
				FactID int64 `json:"factId"`
				Amount string
			}
		}
		Matches  []struct{ FactID, To int64 }
		Combined *struct{ Rates []string }
	}
	if err := json.Unmarshal([]byte(got.body), &l); err != nil || got.status != 200 {
		t.Fatalf("GET ledger = %d %v\n%s", got.status, err, got.body)
	}
	if len(l.Totals) != 1 || l.Totals[0].Invoiced != "1500" || l.Totals[0].Committed != "4000" ||
		len(l.Matches) != 1 || l.Matches[0].FactID == 0 || l.Matches[0].To == 0 || l.Combined == nil ||
		len(l.Combined.Rates) != 2 || len(l.Lines) != 1 || l.Lines[0].Entries[0].FactID == 0 {
		t.Errorf("ledger = %s", got.body)
	}
	if strings.Contains(got.body, "fact_id") || strings.Contains(got.body, "as_of") {
		t.Errorf("the ledger has members of the other interface:\n%s", got.body)
	}
	for _, bad := range []string{"x", "12?rate=EUR", "12?asOf=soon", "12?as_of=2026-01-12"} {
		if got := e.do("GET", "/api/facts/financial/ledger/"+bad, "", reader...); got.status != 400 {
			t.Errorf("GET ledger/%s = %d %s, want 400", bad, got.status, got.body)
		}
	}
}
