package camel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// An answer ends where it has become large, says so, and still tells the callers' own ids of the turns.
func TestAnswersAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	twelve := trilith.Scope{Project: "12"}
	text := strings.Repeat("roof slate ", 200<<10/11)
	var items []trilith.ExportItem
	for n := range 50 {
		turn := trilith.Memory{ID: trilith.DeriveID("said", fmt.Sprint(n)), Version: 1, Kind: trilith.KindEpisode,
			Role: trilith.RoleUser, Text: text,
			Scope: twelve, EventTime: now(), RecordedAt: now(), State: trilith.StateActive, Trust: trilith.TrustUserStated,
			ExternalID: fmt.Sprint("msg-", n)}
		short := made(fmt.Sprint("Roof slate ", n), twelve, n,
			trilith.Fact{Type: trilith.FactProfile, Confidence: 0.9, Priority: trilith.PriorityHigh,
				Verification: trilith.Verification{Status: trilith.PendingApproval},
				Evidence:     []trilith.Evidence{{EpisodeID: turn.ID, Quote: "roof", End: 4}}})
		long := made(fmt.Sprint(text, n), trilith.Scope{Project: "13"}, n,
			trilith.Fact{Type: trilith.FactFinancial, Confidence: 0.9, RequiresAction: true,
				Financial:    &trilith.Financial{Amount: "9000"},
				Verification: trilith.Verification{Status: trilith.PendingApproval}})
		items = append(items, trilith.ExportItem{Memory: &turn}, trilith.ExportItem{Memory: &short},
			trilith.ExportItem{Memory: &long})
	}
	restore(t, e, "default", items)
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, got := range []answer{
		e.do("POST", "/api/facts/search", `{"query": "roof slate", "projectId": 13, "limit": 200}`),
		e.do("GET", "/api/facts/actionable/13?limit=1000", ""),
		e.do("GET", "/api/facts/financial/unverified?limit=1000", ""),
	} {
		var told struct {
			Results, Facts []json.RawMessage
			Truncated      bool
		}
		if err := json.Unmarshal([]byte(got.body), &told); err != nil || got.status != 200 {
			t.Fatalf("%d %.200s, %v", got.status, got.body, err)
		}
		if n := len(told.Results) + len(told.Facts); len(got.body) > trilith.MaxPageBytes+trilith.MaxPageSize || n == 0 ||
			n >= 50 || !told.Truncated {
			t.Errorf("an answer of %d facts takes %d bytes and has truncated %v; want some facts in at most %d, and that there are more",
				n, len(got.body), told.Truncated, trilith.MaxPageBytes)
		}
	}
	if got := e.do("GET", "/api/facts/actionable/12", ""); strings.Count(got.body, `"sourceMessageId":"msg-`) != 50 {
		t.Errorf("facts of long turns name %d of their 50 turns", strings.Count(got.body, `"sourceMessageId":"msg-`))
	}
}
