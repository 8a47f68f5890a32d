package recall_test

import (
	"math"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A memory that is no turn is scored by the rules that apply to it: a note ranks like a person's own turn with the
// same text, and gets no neighbour boost.
func TestNotesAmongTurns(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.WordsOnly)
	const own = "My bicycle stands in the cellar."
	e.MustRemember(t, trilith.Scope{Tenant: rig.Ana.Tenant, User: rig.Ana.User, Session: "1"},
		trilith.RememberRequest{Messages: []trilith.Message{{Content: own, Speaker: "Odile"}}})
	e.MustRemember(t, trilith.Scope{Tenant: rig.Ana.Tenant, User: rig.Ana.User, Session: "2"},
		trilith.RememberRequest{Messages: []trilith.Message{
			{Content: "The bicycle stands in the cellar.", Speaker: "Odile"},
			{Content: "Rain again.", Speaker: "Odile"}}})
	note := e.Note(t, rig.Ana, own)
	other := e.Note(t, rig.Ana, "Nothing else was written down.")
	scores := map[string]float64{}
	for _, h := range e.MustRecall(
		t, rig.Ana, trilith.RecallRequest{Query: "Where does the bicycle stand?", StrongOnly: true}).Hits {
		switch {
		case h.Memory.ID == note.ID:
			scores["note"] = h.Score
		case h.Memory.ID == other.ID:
			t.Errorf("a note beside a note that matches is a hit: %v", h)
		default:
			scores[h.Memory.Text] = h.Score
		}
	}
	if note, turn := scores["note"], scores[own]; note == 0 || math.Abs(note-turn) > 1e-9 {
		t.Errorf("the note scores %g and a person's turn with the same text %g, want them equal", note, turn)
	}
	if note, turn := scores["note"], scores["The bicycle stands in the cellar."]; turn >= note || turn < 0.7*note {
		t.Errorf("the note scores %g and a turn that says nothing about anybody %g, want that a little lower", note,
			turn)
	}
	if lent := scores["Rain again."]; lent == 0 || lent > 0.6*scores[own] {
		t.Errorf("the turn behind one that matches scores %g, want a part of %g", lent, scores[own])
	}
}

// Rules that a question applies are reported, and rules that are left out do nothing.
func TestRules(t *testing.T) {
	t.Parallel()
	ask := func(change ...func(*engine.Config)) (string, *trilith.Explain) {
		e := rig.InMemory(t, append(change, rig.WordsOnly)...)
		s := trilith.Scope{Tenant: rig.Ana.Tenant, User: rig.Ana.User, Session: "1"}
		e.MustRemember(t, s, trilith.RememberRequest{Messages: []trilith.Message{
			{Content: "I ride my bicycle to work.", Speaker: "Odile", Timestamp: "2025-03-04T10:00:00Z"},
			{Content: "I ride my bicycle to work.", Speaker: "Bruno", Timestamp: "2025-06-04T10:00:00Z"},
		}})
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "When did Bruno ride the bicycle in June?", Explain: true})
		if len(res.Hits) != 2 {
			t.Fatalf("Recall = %q, want both turns", rig.TextsOf(res.Hits))
		}
		if res.Hits[0].Score == res.Hits[1].Score {
			return "", res.Explain
		}
		return res.Hits[0].Memory.Speaker, res.Explain
	}
	if first, x := ask(); first != "Bruno" || x.Pulled != "all" || x.Fired != "names,dates,when" {
		t.Errorf("with all rules %q comes first, pulled %q, fired %q; want Bruno, all, names,dates,when", first,
			x.Pulled, x.Fired)
	}
	without := func(c *engine.Config) {
		text := embedded.NewText(nil)
		text.LeaveOut(lexical.AllRules)
		c.Text, c.Tuning.Without = text, lexical.AllRules
	}
	if _, x := ask(without); x.Pulled != "none" || x.Fired != "none" {
		t.Errorf("without rules pulled %q, fired %q, want none", x.Pulled, x.Fired)
	}
}
