package recall_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestTodoOfAProject: what is to be done in a project is of nobody: the key of the project is no name of a person.
func TestTodoOfAProject(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	s := trilith.Scope{Tenant: "acme", Project: "1", User: "7"}
	e.MustRemember(t, s, trilith.RememberRequest{Text: "Please order the slates by Friday. I need to call the bank tomorrow.",
		Role: trilith.RoleUser, Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
	what := trilith.RecallRequest{Query: "What is to do?"}
	got, err := e.Context(t.Context(), s, trilith.ContextRequest{RecallRequest: what,
		Format: trilith.FormatFacts})
	if err != nil || !strings.Contains(got.Text, "order the slates") || !strings.Contains(got.Text, "call the bank") ||
		!strings.Contains(got.Text, "of 7") || strings.Contains(got.Text, "of 1") {
		t.Errorf("Context = %v\n%s\nwant both tasks, that of the person with who it is", err, got.Text)
	}
}
