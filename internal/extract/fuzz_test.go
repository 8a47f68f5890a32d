package extract

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/saidtest"
)

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		for _, project := range []bool{false, true} {
			turns := []Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: text, At: spoken, Project: project},
				{Role: trilith.RoleAssistant, Text: text, At: spoken, Project: project}}
			found, amendments := Read(turns)
			checkFound(t, turns, found)
			checkAmendments(t, turns, amendments)
		}
		checkFound(t, said(text), Proposals(said(text)[0]))
	})
}
