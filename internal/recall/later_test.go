package recall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A hit names a later turn of the same person on its matter, a block shows it, and nobody else's turn; the order of hits
// stays, unless the newest are asked for.
func TestLaterTurns(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	say := func(at, who, text string) trilith.Memory {
		s := rig.Ana
		s.Session = at
		return e.One(t, s, trilith.RememberRequest{Messages: []trilith.Message{
			{Role: trilith.RoleUser, Speaker: who, Content: text, Timestamp: at}}})
	}
	old := say("2025-01-10", "Kim", "My flat is in Rennes, close to the railway station.")
	for i, text := range []string{"The printer has eaten the sheet again.", "Lunch was far too salty for everybody.",
		"My glove got lost on the tram.", "A pigeon came into the shop."} {
		say([]string{"2025-02-01", "2025-02-10", "2025-03-01", "2025-05-05"}[i], "Kim", text)
	}
	moved := say("2025-04-01", "Kim", "The boxes are unpacked in the new flat in Nantes, the railway station is a walk away.")
	say("2025-04-20", "Lou", "Our flat in Brest is near a railway station.")
	e.MustSettle(t)
	r := trilith.RecallRequest{Query: "Which town is Kim's flat in?"}
	hits := e.MustRecall(t, rig.Ana, r).Hits
	i := slices.IndexFunc(hits, func(h trilith.Hit) bool { return h.Memory.ID == old.ID })
	if i < 0 || i > 1 || hits[i].Later == nil || hits[i].Later.ID != moved.ID || !hits[i].Later.At.Equal(moved.EventTime) {
		t.Fatalf("hits are %+v, want the old flat with the new one as later", hits)
	}
	r.Order = trilith.ByNewest
	newest := e.MustRecall(t, rig.Ana, r).Hits
	if !slices.IsSortedFunc(newest, func(a, b trilith.Hit) int { return b.Memory.EventTime.Compare(a.Memory.EventTime) }) ||
		len(newest) != len(hits) {
		t.Errorf("newest first = %q, want the same hits by their time", rig.TextsOf(newest))
	}
	r.Order = "oldest"
	rig.WantError(t, "Recall", rig.ErrorOf(e.Recall(t.Context(), rig.Ana, r)), trilith.Invalid, "order")
	r.Order = ""
	block, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: r, Budget: 120})
	if at := strings.Index(block.Text, "Nantes"); err != nil || at < 0 || at < strings.Index(block.Text, "Rennes") {
		t.Errorf("%v, want Nantes after Rennes:\n%s", err, block.Text)
	}
}

// Turns that only ask rank behind those that tell, and are lines of a block only on request or alone.
func TestQuestionsAreNoMemories(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: []trilith.Message{
		{Role: trilith.RoleUser, Speaker: "Kim", Content: "Where is the ladder, where is the ladder?"},
		{Role: trilith.RoleUser, Speaker: "Lou", Content: "The ladder leans in the shed behind the house of our neighbours."}}})
	e.MustSettle(t)
	r := trilith.RecallRequest{Query: "Where is the ladder?", StrongOnly: true}
	if hits := e.MustRecall(t, rig.Ana, r).Hits; len(hits) != 2 || !strings.Contains(hits[0].Memory.Text, "shed") ||
		hits[1].Score > hits[0].Score {
		t.Errorf("hits are %q, want what tells first", rig.TextsOf(hits))
	}
	for include, want := range map[bool]int{false: 1, true: 2} {
		block, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: r, IncludeQuestions: include})
		if err != nil || len(block.Hits) != want {
			t.Errorf("include_questions %t: %v, %d hits, want %d:\n%s", include, err, len(block.Hits), want, block.Text)
		}
	}
	e.MustRemember(t, rig.Ben, trilith.RememberRequest{Messages: []trilith.Message{
		{Role: trilith.RoleUser, Speaker: "Kim", Content: "Where is the ladder?"}}})
	e.MustSettle(t)
	block, err := e.Context(t.Context(), rig.Ben, trilith.ContextRequest{RecallRequest: r})
	if err != nil || len(block.Hits) != 1 {
		t.Errorf("%v, %d hits, want the question where nothing else is found:\n%s", err, len(block.Hits), block.Text)
	}
}
