package consult_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A model is shown a long session as its summary and its last turns, and of other sessions what was said about the
// prompt: nothing twice, nothing of another scope, and no more than the budget.
func TestConsultShowsTheWholeSession(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		model := rig.Saying("Understood.")
		e := open(rig.Consulting(model), func(c *engine.Config) { c.Sessions.Window, c.Sessions.Manual = 400, false })
		in := func(user, session string) trilith.Scope {
			return trilith.Scope{Tenant: "acme", User: user, Session: session, Actor: "tester"}
		}
		for _, s := range []trilith.Scope{in("7", "spring"), in("8", "spring"), in("8", "long")} {
			e.MustRemember(t, s, trilith.RememberRequest{Extract: trilith.ExtractNone,
				Text: "The ferry to Skagen sails at 06:40 from pier " + s.User + "."})
		}
		s := in("7", "long")
		for i := range 40 {
			res := rig.Consult(t, e, s, trilith.ConsultRequest{Budget: 1200, Prompt: fmt.Sprintf(
				"Turn %d: the crew of boat %d met on 3 March 2025 and decided to paint its hull in colour %d.", i, i, i)})
			if res.Used.Tokens > 1200 || res.MemoryMissing != "" {
				t.Fatalf("turn %d: used %+v, missing %q", i, res.Used, res.MemoryMissing)
			}
			if i%5 == 4 {
				if err := e.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		res := rig.Consult(t, e, s, trilith.ConsultRequest{Prompt: "When does the ferry to Skagen sail?"})
		shown := model.Last()
		sum, err := e.Get(t.Context(), s, res.Used.Summary)
		if err != nil || !sum.IsSummary() {
			t.Errorf("summary = %+v, %v; want that of the session", sum, err)
		}
		head, turns, _ := strings.Cut(shown, "## RECENT TURNS OF THIS SESSION\n")
		if !strings.Contains(head, "## SUMMARY OF THIS SESSION\n") || !strings.Contains(head, "from pier 7") {
			t.Errorf("the model was shown no summary, or not what was said in spring:\n%s", shown)
		}
		if strings.Contains(shown, "pier 8") {
			t.Errorf("the model was shown what another user said:\n%s", shown)
		}
		if !strings.Contains(turns, "Turn 39:") || strings.Contains(turns, "Turn 5:") {
			t.Errorf("the window is\n%s\nwant the last turns and not the first", turns)
		}
		for _, id := range res.Used.Past {
			if slices.Contains(res.Used.Turns, id) {
				t.Errorf("%s is shown as past and as a turn", id)
			}
		}
		alone := rig.Consult(t, e, s, trilith.ConsultRequest{Prompt: "When does the ferry to Skagen sail?", SessionOnly: true})
		if strings.Contains(model.Last(), "from pier") {
			t.Errorf("the session alone: used %+v, shown\n%s", alone.Used, model.Last())
		}
	})
}
