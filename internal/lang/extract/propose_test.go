package extract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// A proposal in an answer is found with its words; questions, prohibitions and remarks on the conversation are not.
func TestProposals(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][]string{
		"The roof costs 6,400 EUR.":                                          nil,
		"You should order the slate by Friday.":                              {"You should order the slate by Friday."},
		"You should not order the slate yet.":                                nil,
		"Should you order the slate now?":                                    nil,
		"I recommend asking Holm for a second quote.":                        {"I recommend asking Holm for a second quote."},
		"I'd suggest that you call the inspector. Fine.":                     {"I'd suggest that you call the inspector."},
		"Let me know if that helps.":                                         nil,
		"Please let me know what you think.":                                 nil,
		"You should know that it rains.":                                     nil,
		"- [ ] Book the crane\n- [x] Pay the deposit\n":                      {"Book the crane"},
		"Next steps:\n1. Book the crane\n2. Pay Holm now":                    {"Book the crane", "Pay Holm now"},
		"**Next steps**\n\n- Book the crane.\n\nIt will be fine.":            {"Book the crane."},
		"The crane has:\n- a long arm\n- a short arm":                        nil,
		"Sie sollten das Angebot bis Freitag einholen.":                      {"Sie sollten das Angebot bis Freitag einholen."},
		"Sie sollten das Angebot nicht annehmen.":                            nil,
		"Sollten Sie Fragen haben, melden Sie sich.":                         nil,
		"Ich empfehle, den Statiker anzurufen.":                              {"Ich empfehle, den Statiker anzurufen."},
		"Nächste Schritte:\n- Statiker anrufen\n- Angebot von Holm prüfen\n": {"Statiker anrufen", "Angebot von Holm prüfen"},
		"Als Nächstes sollten Sie den Statiker anrufen.":                     {"Als Nächstes sollten Sie den Statiker anrufen."},
		"The total is 5.50 EUR. You need to pay it on 3. March. Bye.":        {"You need to pay it on 3. March."},
	} {
		turn := Turn{Role: trilith.RoleAssistant, Text: answer, At: time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)}
		var got []string
		for _, f := range Proposals(turn) {
			got = append(got, answer[f.Start:f.End])
			if f.Type != trilith.FactTask || !f.RequiresAction || f.Node.Name == "" || f.Verb != "has_task" {
				t.Errorf("%q: %+v is no task", answer, f)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Proposals(%q) (-want +got):\n%s", answer, diff)
		}
	}
}

// The day in a proposal becomes its deadline.
func TestProposalsHaveDeadlines(t *testing.T) {
	t.Parallel()
	turn := Turn{Role: trilith.RoleAssistant, Text: "You should order the slate by Friday.",
		At: time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)} // a Wednesday
	got := Proposals(turn)
	if len(got) != 1 || got[0].Deadline == nil || got[0].Deadline.Day() != 16 || got[0].Node.Name != "order the slate" {
		t.Errorf("Proposals() = %+v, want one until the 16th", got)
	}
}
