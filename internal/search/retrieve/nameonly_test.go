package retrieve

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestNameOnly(t *testing.T) {
	t.Parallel()
	fact := func(verb, kind, name, text string) trilith.Memory {
		return trilith.Memory{Text: text, Fact: &trilith.Fact{Verb: verb, Node: trilith.Node{Type: kind, Name: name}}}
	}
	lives := fact("lives_in", "Location", "Turku", "Wanda lives in Turku.")
	lebt := fact("lives_in", "Location", "Turku", "Wanda wohnt in Turku.")
	brother := fact("has_brother", "Person", "Emil", "Wanda's brother is Emil.")
	for _, c := range []struct {
		name, question string
		fact           trilith.Memory
		cosine         float64
		only           bool
	}{
		{"the name alone", "Which tools did Wanda sell?", lives, 0.1, true},
		{"in German", "Welches Werkzeug hat Wanda verkauft?", lebt, 0.1, true},
		{"the name of somebody, German", "Ist Wandas Werkzeug verkauft?", lebt, 0.1, true},
		{"a word of the node", "Which tools did Wanda sell in Turku?", lives, 0.1, false},
		{"a word that its verb is about", "Which town is Wanda's home?", lives, 0.1, false},
		{"a compound of one", "Was ist Wandas Wohnadresse?", lebt, 0.1, false},
		{"near", "Which tools did Wanda sell?", lives, 0.7, false},
		{"somebody as a whole", "Who is Wanda?", lives, 0.1, false},
		{"what is known of somebody", "What do you know about Wanda?", lives, 0.1, false},
		{"the same in German", "Erzähl mir etwas über Wanda.", lebt, 0.1, false},
		{"a name in the node", "Which tools did Emil sell?", brother, 0.1, true},
		{"both names", "What did Emil sell to Wanda?", brother, 0.1, false},
		{"another's name beside it", "What did Wanda and Boris sell?", lives, 0.1, true},
		{"no word", "Which tools were sold?", lives, 0.1, false},
	} {
		for _, meaning := range []bool{false, true} {
			q := NewNameQuestion(c.question, meaning)
			if got := q.Doubtful(&c.fact, &c.cosine) && q.Only(&c.fact, []string{"Wanda"}); got != c.only {
				t.Errorf("%s: %q finds %q by the name alone: %t, want %t", c.name, c.question, c.fact.Text, got, c.only)
			}
		}
	}
}
