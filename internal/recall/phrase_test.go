package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestPhrases: texts that contain a quoted phrase exactly come before texts that contain its words more often.
func TestPhrases(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, text := range []string{
		"The keeper keeps the lighthouse, and the lighthouse keeps the keeper: keeper, lighthouse.",
		"A keeper of old books passed the lighthouse.",
		"We read The Lighthouse  Keeper aloud while it rained on the roof and the children had long gone to sleep in the tent.",
		"Nothing else happened in March.",
	} {
		e.Say(t, rig.Ana, text)
	}
	e.Note(t, rig.Ana, "Ticket AB-17: the lighthouse keeper has gone on leave.")
	e.MustSettle(t)
	want := func(query string, k int, texts ...string) {
		t.Helper()
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: query, K: k, Explain: true})
		got := map[string]bool{}
		for _, h := range res.Hits {
			if h.Parts[trilith.ArmExact].Norm > 0 {
				got[h.Memory.Text[:8]] = true
			}
			if h.Score > 1 {
				t.Errorf("Recall(%q) scores %q %g, want 1 at most", query, h.Memory.Text, h.Score)
			}
		}
		for _, text := range texts {
			if !got[text] {
				t.Errorf("Recall(%q) does not find %q as written: %v", query, text, got)
			}
		}
		if len(got) != len(texts) {
			t.Errorf("Recall(%q) finds as written %v, want %q", query, got, texts)
		}
	}
	want(`Who read "the lighthouse keeper"?`, 2, "We read ", "Ticket A")
	want(`Was “Lighthouse, Keeper” in AB-17?`, 2, "We read ", "Ticket A")
	want(`Was AB-17 about "the lighthouse keeper" and "gone on leave"?`, 1, "Ticket A")
	want(`Who read the lighthouse keeper?`, 5)
	want(`Who said "keeper lighthouse keeper"?`, 5)
	if hits := e.MustRecall(t, trilith.Scope{Tenant: rig.Ana.Tenant, User: "somebody-else"},
		trilith.RecallRequest{Query: `"the lighthouse keeper"`}).Hits; len(hits) != 0 {
		t.Errorf("another user's phrase finds %d hits", len(hits))
	}
}

// TestManyPhrases: all hits have a similarity, even if many texts contain phrases of the question.
func TestManyPhrases(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	var told trilith.RememberRequest
	for i := range 1200 {
		phrase := []string{"blue harbour", "green harbour"}[i%2]
		told.Messages = append(told.Messages, trilith.Message{Content: fmt.Sprintf("Boat %d left the %s.", i, phrase)})
	}
	for some := range slices.Chunk(told.Messages, 200) {
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: some})
	}
	e.MustSettle(t)
	res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{
		Query: `Which boats left the "blue harbour", and which the "green harbour"?`, K: trilith.MaxK})
	if len(res.Hits) != trilith.MaxK {
		t.Fatalf("%d hits, want %d", len(res.Hits), trilith.MaxK)
	}
	for _, h := range res.Hits {
		if h.Similarity == nil {
			t.Fatalf("of %q it is not told how similar it is", h.Memory.Text)
		}
	}
}
