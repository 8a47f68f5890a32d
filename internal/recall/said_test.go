package recall_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The same turns sent again are refused one by one and leave nothing behind, no job either. Equal turns of one request
// are said twice.
func TestTheSameTurnsAgain(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	at := "2025-03-01T10:00:00Z"
	talk := trilith.RememberRequest{Extract: trilith.ExtractRules, Messages: []trilith.Message{
		{Role: trilith.RoleUser, Speaker: "Ana", Content: "I live in Bergen.", Timestamp: at},
		{Role: trilith.RoleAssistant, Content: "Noted.", Timestamp: at},
		{Role: trilith.RoleUser, Speaker: "Ana", Content: "Yes.", Timestamp: at},
		{Role: trilith.RoleUser, Speaker: "Ana", Content: "Yes.", Timestamp: at},
	}}
	scope := trilith.Scope{Tenant: "acme", User: "ana", Session: "monday"}
	if res := e.MustRemember(t, scope, talk); len(res.Memories) != 4 {
		t.Fatalf("%d turns are stored, want 4: %+v", len(res.Memories), res.Rejected)
	}
	for range 2 {
		res := e.MustRemember(t, scope, talk)
		if len(res.Memories) != 0 || len(res.Rejected) != 4 || res.SourceID != "" {
			t.Errorf("sent again: %d turns are stored and %d refused by source %q, want 0, 4 and none",
				len(res.Memories), len(res.Rejected), res.SourceID)
		}
		for _, r := range res.Rejected {
			if r.Reason != trilith.ReasonDuplicate {
				t.Errorf("turn %d is refused as %s, want %s", r.Index, r.Reason, trilith.ReasonDuplicate)
			}
		}
	}
	talk.Messages[0].Content = "I live in Oslo now."
	if res := e.MustRemember(t, scope, talk); len(res.Memories) != 1 || len(res.Rejected) != 3 {
		t.Errorf("with one new turn: %d are stored and %d refused, want 1 and 3", len(res.Memories), len(res.Rejected))
	}
	jobs, err := e.Jobs(t.Context(), scope, trilith.JobListing{Kind: "extract"})
	if err != nil || len(jobs) > 2 {
		t.Errorf("%d jobs derive facts (%v), want one for each request that stored something", len(jobs), err)
	}
}
