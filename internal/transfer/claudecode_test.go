package transfer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypedWhileTheAgentWorks: such a prompt is an attachment in the transcript, and the person's words all the same.
func TestTypedWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	record := func(id, attachment string) string {
		return `{"type":"attachment","uuid":"` + id + `","sessionId":"s","timestamp":"2026-05-01T10:00:00Z","attachment":` +
			attachment + "}\n"
	}
	items, err := Read("s.jsonl", ClaudeCode, strings.NewReader(
		record("a", `{"type":"queued_command","prompt":"Never deploy on Fridays.","commandMode":"prompt","origin":{"kind":"human"}}`)+
			record("b", `{"type":"queued_command","prompt":[{"type":"text","text":"And keep prices in euros."}],"commandMode":"prompt"}`)+
			record("c", `{"type":"queued_command","prompt":"Go on.","commandMode":"prompt","origin":{"kind":"coordinator"}}`)+
			record("d", `{"type":"todo_reminder","content":[]}`)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for item, err := range items {
		if err != nil || item.Request == nil {
			t.Fatalf("an item: %v, %v", item, err)
		}
		for _, m := range item.Request.Messages {
			got = append(got, string(m.Role)+": "+m.Content)
		}
		if item.Omitted["records of the program"] != 2 {
			t.Errorf("left out: %v, want 2 records of the program", item.Omitted)
		}
	}
	if diff := cmp.Diff([]string{"user: Never deploy on Fridays.", "user: And keep prices in euros."}, got); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}
