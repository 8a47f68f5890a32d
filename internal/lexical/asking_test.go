package lexical

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestOnlyAsks: a question is seen by the form of each clause, not by a mark, and what tells anything tells.
func TestOnlyAsks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"What should I cook for the guests?":                        true,
		"where did i put my keys":                                   true,
		"Do you know a good dentist nearby? Which one is cheap?":    true,
		"Oh wow! What got you into running?":                        true,
		"And you?":                                                  true,
		"Wie geht es dir heute?":                                    true,
		"kannst du mir sagen, wo ist das":                           true,
		"I moved last week, remember?":                              false,
		"You asked her??":                                           false,
		"Does Anna still live there?":                               false,
		"Is the party on friday?":                                   false,
		"Can we meet at 5?":                                         false,
		"That sounds great! What did you paint?":                    true,
		"When I was young, where did we live?":                      false,
		"Do the dishes before dinner.":                              false,
		"Ich bin umgezogen, weißt du noch?":                         false,
		"¿Dónde está la estación?":                                  false, // no file, so nobody knows the form
		"Thanks!":                                                   false,
		"Is this of any use? " + strings.Repeat("It is long. ", 60): false,
	} {
		if got := OnlyAsks(&trilith.Memory{Kind: trilith.KindEpisode, Text: text}); got != want {
			t.Errorf("OnlyAsks(%q) = %t, want %t", text, got, want)
		}
	}
	if OnlyAsks(&trilith.Memory{Kind: trilith.KindNote, Text: "And you?"}) {
		t.Error("a note is no turn")
	}
}
