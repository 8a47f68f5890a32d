package lexical

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
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

// Whether a turn only asks is decided in its own language, as if that were found out first.
func TestOnlyAsksInItsLanguage(t *testing.T) {
	t.Parallel()
	clauses := strings.Split("What did you eat?|Where is it?|Do you like it|I like it|Oh wow!|And you?|That sounds great!|"+
		"Wie geht es dir?|Wo ist das?|kannst du kommen|Ich komme heim|Und was ist mit dem Hund?|Is it on friday?|"+
		"Am Montag?|Does Anna know?|Was it 5?|the dishes are done|¿Dónde está?|Es ist spät und alle gehen heim|did i ask", "|")
	random := rand.New(rand.NewPCG(3, 4))
	asked := 0
	for range 3000 {
		var of []string
		for range 1 + random.IntN(3) {
			of = append(of, clauses[random.IntN(len(clauses))])
		}
		m := trilith.Memory{Kind: trilith.KindEpisode, Text: strings.Join(of, []string{" ", ", ", ". "}[random.IntN(3)])}
		l := known().of(textproc.Analyzer{}.Language(m.Text))
		want := l != nil && l.onlyAsks(m.Text) && !tellsName(m.Text) && !strings.ContainsAny(m.Text, "0123456789")
		if got := OnlyAsks(&m); got != want {
			t.Errorf("OnlyAsks(%q) = %t, want %t", m.Text, got, want)
		}
		if want {
			asked++
		}
	}
	if asked < 100 {
		t.Errorf("%d texts only ask, too few to tell", asked)
	}
}
