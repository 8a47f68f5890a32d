package relations_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestRelationsByModel: a relation that a model proposes is stored if its quote states it of two things that mean one
// fact each, with the quote as evidence; everything else is refused, and nothing is stored for it.
func TestRelationsByModel(t *testing.T) {
	t.Parallel()
	said := []string{"To paint the hall somebody must have plastered the walls.",
		"Does the paint hold up the tiles?", "The tiles are not waiting for the paint, they do not need it.",
		"Maybe the walls hold back the tiles.", "The crane came on Monday."}
	relation := func(kind, first, second, turn, quote string) string {
		return `{"type":"` + kind + `","first":"` + first + `","second":"` + second + `","turn":` + turn + `,"quote":"` +
			quote + `"}`
	}
	answer := `{"facts":[],"relations":[` + strings.Join([]string{
		relation("depends_on", "paint the hall", "plastered the walls", "1", said[0]),
		relation("depends_on", "paint the hall", "plastered the walls", "1", said[0]),       // twice
		relation("likes", "paint the hall", "plastered the walls", "1", said[0]),            // no relation
		relation("blocks", "the paint", "the tiles", "2", said[1]),                          // a question
		relation("depends_on", "The tiles", "the paint", "3", said[2]),                      // denied
		relation("blocks", "the walls", "the tiles", "4", said[3]),                          // in doubt
		relation("causes", "The crane", "order the tiles", "5", said[4]),                    // not in the quote
		relation("causes", "The crane", "Monday", "5", "The crane was late on Monday."),     // no such quote
		relation("causes", "The crane", "Monday", "77", said[4]),                            // no such turn
		relation("part_of", "paint the hall", "paint the hall", "1", said[0]), `{"type":7}`, // of itself; malformed
	}, ",") + `]}`
	model := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: answer}}})
	e := rig.InMemory(t, func(c *engine.Config) { c.Model = model })
	e.Told(t, rig.Mill, millWorks...)
	known := factIDs(t, e, rig.Mill)
	var messages []trilith.Message
	for _, text := range said {
		messages = append(messages, trilith.Message{Role: trilith.RoleUser, Content: text})
	}
	e.MustRemember(t, rig.Mill, trilith.RememberRequest{Messages: messages, Extract: trilith.ExtractLLM,
		Wait: trilith.WaitExtracted})
	want := []string{"depends_on paint the hall > plaster the walls"}
	rig.WantFacts(t, "the hall", related(t, e, rig.Mill, known["paint the hall"], 1), want...)
	rig.WantFacts(t, "the tiles", related(t, e, rig.Mill, known["order the tiles"], 1))
	list, err := e.Relations(t.Context(), rig.Mill, known["paint the hall"], trilith.RelationQuery{})
	if err != nil || len(list.Relations) != 1 {
		t.Fatalf("Relations = %+v, %v", list, err)
	}
	fact := list.Relations[0].Memory.Fact
	if len(fact.Evidence) != 1 || fact.Evidence[0].Quote != said[0] || len(fact.Evidence[0].Premises) != 2 ||
		!strings.HasPrefix(fact.Rule, "scripted") {
		t.Errorf("the relation = %+v, want one of the model that rests on the sentence", fact)
	}
}
