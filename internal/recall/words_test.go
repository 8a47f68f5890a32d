package recall_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// exchange stores turns of two speakers in one session.
func exchange(tb testing.TB, r rig.Rig, s trilith.Scope, turns ...string) {
	tb.Helper()
	var q trilith.RememberRequest
	for i, text := range turns {
		q.Messages = append(q.Messages, trilith.Message{Content: text, Role: []trilith.Role{trilith.RoleUser,
			trilith.RoleAssistant}[i%2]})
	}
	r.MustRemember(tb, s, q)
}

// TestLinesHaveWords: what carries no word of content is kept and found, and is never a line of a block, whether it is
// weak, strong or near a hit.
func TestLinesHaveWords(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	empty := []string{"HEARTBEAT_OK", "ok", ".", "👍", "…", "[SILENT_REPLY]", "ja!", "好的", "haha haha", "спасибо", "🎉🎉 !!"}
	for i, text := range empty {
		s := rig.Ana
		s.Session = "asked" + string(rune('a'+i))
		exchange(t, e, s, "When will the heron pond be full again?", "They said it takes a week, for pond "+s.Session+".", text)
	}
	for i, text := range empty {
		s := rig.Ana
		s.Session = "s" + string(rune('a'+i))
		exchange(t, e, s, "The heron pond was drained on Monday, more will follow in the minutes.", text,
			"Gudrun keeps the keys of shed "+string(rune('a'+i))+" for us.")
		e.Say(t, rig.Ana, text)
		e.Note(t, rig.Ana, text)
	}
	e.MustSettle(t)
	for _, query := range []string{"heron pond", "zebra crossing", "heartbeat ok", "Gudrun keys"} {
		for _, format := range []trilith.ContextFormat{trilith.FormatBriefing, trilith.FormatJSON, trilith.FormatWindow} {
			b, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{Format: format,
				RecallRequest: trilith.RecallRequest{Query: query}})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range empty {
				if text != "." && strings.Contains(b.Text, text+"\n") || strings.Contains(b.Text, ": "+text+" /") ||
					strings.Contains(b.Text, "/ "+text) || strings.Contains(b.Text, `"`+text+`"`) {
					t.Errorf("%s of %q has a line %q:\n%s", format, query, text, b.Text)
				}
			}
		}
	}
	if got := e.Found(t, rig.Ana, "HEARTBEAT_OK"); len(got) == 0 {
		t.Error("HEARTBEAT_OK is not kept")
	}
}

// TestAnswersOfAWord: one word that answers a question is a line.
func TestAnswersOfAWord(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"And in which town did Tove grow up?", "Bergen."}, {"Is the boiler of flat nine fixed?", "No."},
		{"トーヴェさんはどこの出身ですか？", "東京"}, {"Wann kommt der Schornsteinfeger zu Tove?", "Dienstag"},
		{"When does Tove visit the dentist?", "Yes, Tuesday"}, {"What is Tove's order number?", "ORD-1187"},
		{"Which soup did Tove order at the waterfront again?", "Ramen"}} {
		e := rig.InMemory(t)
		s := rig.Ana
		s.Session = "one"
		exchange(t, e, s, "Good evening, all lamps are lit here.", c[0], c[1], "Thank you, I wrote that down for later.")
		e.MustSettle(t)
		b, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: c[0]}})
		if err != nil || !strings.Contains(b.Text, c[1]) {
			t.Errorf("the block of %q lacks %q (%v):\n%s", c[0], c[1], err, b.Text)
		}
	}
}

// TestSignsAreFound: an emoji is found by itself, and a name with a sign before those that it only resembles.
func TestSignsAreFound(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, text := range []string{"Tove writes her thesis in C++.", "Nils has a course in C#.", "Kaja likes F#, and plays in F.",
		"The neighbour's 🦜 speaks.", "Look at that 🐢!", "Tea at five."} {
		e.Note(t, rig.Ana, text)
	}
	e.MustSettle(t)
	for query, want := range map[string]string{"C#": "Nils", "c++": "Tove", "Who knows C#?": "Nils", "F#": "Kaja", "🦜": "speaks",
		"🐢🐢": "Look"} {
		if got := e.Found(t, rig.Ana, query); len(got) == 0 || !strings.Contains(got[0], want) {
			t.Errorf("%q finds %q, want first what has %q", query, got, want)
		}
	}
}
