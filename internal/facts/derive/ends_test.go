package derive_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestOnlyTheOwnerEnds: what a person said stands until a clause of that person ends it, and whatever else is said of
// the thing ends nothing. The lines are in testdata/ends.txt.
func TestOnlyTheOwnerEnds(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ends.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 4 {
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		mark, first, second, fact := parts[0], parts[1], parts[2], parts[3]
		now := time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)
		clock := clocktest.At(now)
		e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock.Now })
		stands := func() bool {
			return slices.ContainsFunc(e.Standing(t, now),
				func(f string) bool { return strings.Contains(" "+f, " "+fact) })
		}
		e.Tell(t, rig.Ana, now.Format(time.RFC3339), first)
		if !stands() {
			t.Errorf("%q: %q does not stand; active are %q", first, fact, e.Standing(t, now))
			continue
		}
		now = now.AddDate(0, 6, 0)
		clock.Set(now)
		e.Tell(t, rig.Ana, now.Format(time.RFC3339), second)
		if stands() != (mark == "=") {
			t.Errorf("%q, then %q: %q stands is %v; active are %q", first, second, fact, stands(), e.Standing(t, now))
		}
	}
}

// TestAnotherSpeakerEndsNothing: the same clauses in the mouth of somebody else, who speaks in the person's scope, are
// about somebody else.
func TestAnotherSpeakerEndsNothing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ends.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 4 || parts[0] == "=" || strings.HasPrefix(line, "#") {
			continue
		}
		tried++
		now := time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)
		clock := clocktest.At(now)
		e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock.Now })
		e.Tell(t, rig.Ana, now.Format(time.RFC3339), parts[1])
		facts := e.Known(t, rig.Ana, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "user_id", Value: "ana"}})
		now = now.AddDate(0, 6, 0)
		clock.Set(now)
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted,
			Messages: []trilith.Message{{Role: trilith.RoleUser, Speaker: "Uta", Content: parts[2]}}})
		for _, was := range facts {
			is, err := e.Get(t.Context(), rig.Ana, was.ID)
			if err != nil || len(is.Fact.Evidence) != len(was.Fact.Evidence) || is.State != was.State {
				t.Errorf("%q, then Uta: %q: %q is %s (%v), and was %s", parts[1], parts[2], is.Text, is.State, err, was.State)
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d clauses were tried; want most of the file", tried)
	}
}

// TestAModelEndsOnlyTheOwners: what a model makes of words ends or replaces a fact only if the words name its value and
// are the owner's, as far as can be told.
func TestAModelEndsOnlyTheOwners(t *testing.T) {
	t.Parallel()
	who := trilith.Identifier{Type: "name", Value: "Ana"}
	for _, c := range []struct {
		first, text, subject, verb, object, confidence, quote string
		stands                                                string
	}{
		{"I'm allergic to sesame.", "My nephew is not allergic to sesame any more.", "speaker", "allergic_to", "sesame",
			"over", "not allergic to sesame any more", "allergic_to sesame"},
		{"I'm allergic to sesame.", "The postman is not allergic to sesame any more.", "speaker", "allergic_to", "sesame",
			"over", "not allergic to sesame any more", "allergic_to sesame"},
		{"I'm allergic to sesame.", "No cats in here, please.", "speaker", "allergic_to", "cats", "over",
			"No cats in here", "allergic_to sesame"},
		{"I'm allergic to sesame.", "Ya no tengo alergia a los gatos.", "speaker", "allergic_to", "gatos", "over",
			"Ya no tengo alergia a los gatos", "allergic_to sesame"},
		{"I live in Nantes.", "Mon oncle habite à Lille.", "speaker", "lives_in", "Lille", "stated", "habite à Lille",
			"lives_in nantes"},
		{"I live in Nantes.", "Mon oncle habite à Lille.", "speaker", "lives_in", "Lille", "stated", "habite à Lille",
			"lives_in nantes"},
		{"I live in Nantes.", "Mon oncle habite à Lille.", "Ana", "lives_in", "Lille", "stated",
			"Mon oncle habite à Lille", "lives_in nantes"},
		{"I live in Nantes.", "The postman lives in Lille.", "speaker", "lives_in", "Lille", "stated", "lives in Lille",
			"lives_in nantes"},
		{"I live in Nantes.", "Our dentist Zoe lives in Lille.", "Zoe", "lives_in", "Lille", "stated",
			"Zoe lives in Lille", "lives_in nantes, lives_in lille"},
		{"I work at Volvo.", "My aunt thinks I quit Volvo.", "speaker", "works_at", "Volvo", "over", "I quit Volvo",
			"works_at volvo"},
		{"I love tea.", "Coffee is great at that place.", "speaker", "likes", "coffee", "stated", "Coffee is great",
			"likes tea, likes coffee"},
		{"I'm allergic to sesame.", "I'm not allergic to sesame any more.", "speaker", "allergic_to", "sesame",
			"over", "I'm not allergic to sesame any more", ""},
		{"I'm allergic to sesame.", "My sesame allergy is a thing of the past.", "speaker", "allergic_to", "sesame",
			"over", "My sesame allergy is a thing of the past", ""},
		{"I live in Nantes.", "J'ai quitté Nantes pour Lille.", "speaker", "lives_in", "Lille", "stated",
			"J'ai quitté Nantes pour Lille", "lives_in lille"},
		{"I live in Nantes.", "I moved to Lille.", "speaker", "lives_in", "Lille", "stated", "I moved to Lille",
			"lives_in lille"},
	} {
		e, _ := rig.WithModel(t, scripted.Entry{Answer: rig.Claims(rig.Claim{"about": c.subject, "topic": c.verb,
			"value": c.object, "sentence": "Ana: " + c.object + ".", "quote": c.quote, "confidence": c.confidence})})
		for _, r := range []trilith.AssimilateRequest{
			{Identifier: who, Content: c.first, Timestamp: "2025-01-01", Extract: trilith.ExtractRules},
			{Identifier: who, Content: c.text, Timestamp: "2025-02-01", Extract: trilith.ExtractLLM},
		} {
			if _, err := e.Assimilate(t.Context(), rig.Acme, r); err != nil {
				t.Fatal(err)
			}
		}
		var stands []string
		for _, f := range e.Standing(t, time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)) {
			if strings.HasPrefix(f, c.verb) {
				stands = append(stands, f)
			}
		}
		if got := strings.Join(stands, ", "); got != c.stands {
			t.Errorf("%q, then %s of %q: %q stands, want %q", c.first, c.confidence, c.text, got, c.stands)
		}
	}
}
