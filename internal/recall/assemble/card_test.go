package assemble

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// A card has one line a slot in order, the newest first with its day, in the words of its reader, and no word of time
// that depends on when it was said.
func TestCard(t *testing.T) {
	t.Parallel()
	said := time.Date(2026, 3, 2, 0, 30, 0, 0, time.FixedZone("", 8*60*60)) // on the clock of whoever said it
	fact := func(verb, value, quote string, days int) trilith.Memory {
		at := said.AddDate(0, 0, days)
		return trilith.Memory{ID: trilith.DeriveID(verb, value), EventTime: at, Fact: &trilith.Fact{Verb: verb,
			Node: trilith.Node{Name: value}, SingleValued: verb == "lives_in",
			Evidence: []trilith.Evidence{{At: at, Quote: quote}}}}
	}
	english := []trilith.Memory{fact("has_task", "send my report tomorrow", "Remind me to send my report tomorrow", 0),
		fact("has_instruction", "answer me in German", "Always answer me in German", 1),
		fact("lives_in", "Oslo", "I live in Oslo", 0), fact("lives_in", "Bergen", "I live in Bergen", 2),
		fact("speaks", "Welsh", "I speak Welsh", 0), fact("has_sister", "Ida", "My sister is Ida", 0),
		fact("has_brother", "Jon", "My brother is Jon", 1), fact("allergic_to", "nuts", "I am allergic to nuts", 0),
		fact("likes", "jazz", "I like jazz", 0)}
	german := []trilith.Memory{fact("has_task", "meinen Pass morgen abholen", "Ich muss morgen meinen Pass abholen", 0),
		fact("lives_in", "Kassel", "Ich wohne seit Jahren in Kassel", 0)}
	for _, c := range []struct {
		name string
		p    Person
		want string
	}{
		{"of somebody else", Person{Facts: english}, "Who: Kim\nHome: Bergen (2026-03-04)\n" +
			"People: sister Ida (2026-03-02), brother Jon (2026-03-03)\nHealth and food: allergic to nuts (2026-03-02)\n" +
			"Languages and skills: Welsh (2026-03-02)\nStanding instructions: answer Kim in German (2026-03-03)\n" +
			"To do: send Kim's report 2026-03-03 (2026-03-02)\n"},
		{"of the reader", Person{Facts: english[:2], You: true}, "Who: Kim\n" +
			"Standing instructions: answer you in German (2026-03-03)\nTo do: send your report 2026-03-03 (2026-03-02)\n"},
		{"in German", Person{Facts: german}, "Person: Kim\nWohnort: Kassel (2026-03-02)\n" +
			"Zu tun: Kims Pass 2026-03-03 abholen (2026-03-02)\n"},
		{"of an open period", Person{Facts: []trilith.Memory{fact("lives_in", "it's Leer since May", "It's Leer since May", 0)}},
			"Who: Kim\nHome: it's Leer since 2025-05-01 (2026-03-02)\n"},
		{"for a German question", Person{Facts: english[2:4], Question: "Wo wohnt Kim?"},
			"Person: Kim\nWohnort: Bergen (2026-03-04)\n"},
		{"for an English question", Person{Facts: german, Question: "Where does Kim live?"}, "Who: Kim\n" +
			"Home: Kassel (2026-03-02)\nTo do: Kims Pass 2026-03-03 abholen (2026-03-02)\n"},
		{"for a question in no language", Person{Facts: german[1:], Question: "Kim"}, "Person: Kim\nWohnort: Kassel (2026-03-02)\n"},
		{"of nobody known", Person{}, ""},
		{"of tastes alone", Person{Facts: english[8:]}, ""},
	} {
		c.p.Names, c.p.Own = []string{"Kim"}, func(*trilith.Memory) bool { return true }
		if got := NewCard(c.p, Tokens).Text(trilith.CardTokens); got != c.want {
			t.Errorf("the card %s is\n%swant\n%s", c.name, got, c.want)
		}
	}
	health := Person{Names: []string{"Kim"}, Facts: english, Own: func(*trilith.Memory) bool { return false }}
	if got := NewCard(health, Tokens).Text(trilith.CardTokens); got == "" || strings.Contains(got, "nuts") {
		t.Errorf("the card of a third person tells of their health:\n%s", got)
	}
}

// A long value is cut, at a word where there is one, and within no character, wherever its characters begin.
func TestCardCutsLongValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{strings.Repeat("毎日散歩", 20), "a" + strings.Repeat("毎日散歩", 20), "ab" + strings.Repeat("毎日散歩", 20),
		strings.Repeat("ä", 80), "a" + strings.Repeat("😀", 40), strings.Repeat("word ", 40), "b " + strings.Repeat("ы", 90)} {
		m := trilith.Memory{Fact: &trilith.Fact{Verb: "speaks", Node: trilith.Node{Name: value}}}
		p := Person{Names: []string{"Kim"}, Facts: []trilith.Memory{m}}
		got := NewCard(p, Tokens).Text(1000)
		_, shown, _ := strings.Cut(got, "skills: ")
		shown, _, cut := strings.Cut(shown, "…")
		if !cut || !utf8.ValidString(got) || len(shown) > longestValue || !strings.HasPrefix(value, shown) {
			t.Errorf("the card of %q is\n%s", value, got)
		}
	}
}

// A card is cut as if one value after the other went until it fits, however many there are.
func TestCardKeepsWhatFits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	verbs := slices.Sorted(maps.Keys(cardWords))
	for n := range 60 {
		p := Person{Names: []string{"Kim"}, Own: func(*trilith.Memory) bool { return true }}
		for i := range random.IntN(5 * (n + 1)) {
			verb := verbs[random.IntN(len(verbs))]
			p.Facts = append(p.Facts, trilith.Memory{ID: trilith.DeriveID(verb, fmt.Sprint(i)),
				EventTime: time.Date(2026, 1, 1+random.IntN(9), 0, 0, 0, 0, time.UTC), Fact: &trilith.Fact{Verb: verb,
					Node: trilith.Node{Name: strings.Repeat("Oslo ", 1+random.IntN(4)) + fmt.Sprint(random.IntN(40))}}})
		}
		limit := random.IntN(300)
		plain := NewCard(p, Tokens)
		for Tokens(plain.written()) > limit {
			plain.lines = shorter(plain.lines, 1)
		}
		card := NewCard(p, Tokens)
		if got, want := card.Text(limit), plain.written(); got != want || card.Facts() != plain.Facts() {
			t.Errorf("of %d facts in %d tokens the card is\n%s(%d) want\n%s(%d)", len(p.Facts), limit, got, card.Facts(), want,
				plain.Facts())
		}
	}
}
