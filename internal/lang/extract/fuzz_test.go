package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

func dayOf(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.DateOnly)
}

// pieces are parts of what people type, as they come.
var pieces = []string{"I like and, well, that is that.", "activities that we enjoy and that contribute positively to our lives",
	"my", "my sister", "ich", "ich mag", "we're", "don't", "dont", "no longer", "nicht mehr", "since 2019", "seit Mai", "on Friday",
	"am 12. Mai", "remind me to", "I'm", "im", "i love", "because", "weil", "if", "Sorry, I mean", "not really", "?", "!", "...",
	"\n", "\n\n", "\"", "“", "”", ":", ";", "- [ ]", "> ", "```", "😀", "(", ")", "'s", "’s", "@", "a.b@c.de", "+43 660", "12.", "1,5",
	"\xff", "\x00", "ß", "Straße", "and", "und", "so", "but", "called", "namens", "$", "€ 4,200", "Jo", "Anna", "the", "The", "a", "of",
	"in", "in Graz", "at Arla", "moved from", "to", "my cat, Luna,", "can't", "eat meat", "anymore", "Next steps:", "you should",
	"My landlord is Mr.", "Dr.", "12. Mai", "my parents, John", "one of my hens, Luna,"}

func check(tb testing.TB, text string) {
	for _, role := range []trilith.Role{trilith.RoleUser, trilith.RoleAssistant} {
		for _, project := range []bool{false, true} {
			turn := Turn{Role: role, Speaker: "Jo", Text: text, At: spoken, Project: project}
			found, amendments := Read([]Turn{turn, turn})
			if role == trilith.RoleAssistant {
				found = Proposals(turn)
			}
			for _, f := range found {
				if f.Start < 0 || f.Start >= f.End || f.End > len(text) || f.Summary == "" || f.Verb == "" {
					tb.Fatalf("Read(%q): %+v lies outside the turn, or says nothing", text, f)
				}
			}
			for _, a := range amendments {
				if a.Start < 0 || a.Start >= a.End || a.End > len(text) {
					tb.Fatalf("Read(%q): %+v lies outside the turn", text, a)
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range examples(f) {
		f.Add(e.text)
	}
	for _, p := range pieces {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

// TestJoinsAndCuts reads examples and pieces of talk, joined and cut at random bytes.
func TestJoinsAndCuts(t *testing.T) {
	t.Parallel()
	texts := append([]string{}, pieces...)
	for _, e := range examples(t) {
		texts = append(texts, e.text)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			s := texts[rng.IntN(len(texts))]
			if rng.IntN(3) == 0 {
				s = s[rng.IntN(len(s)):]
			}
			b.WriteString(s)
			b.WriteString([]string{"", " ", ", ", "\n"}[rng.IntN(4)])
		}
		check(t, b.String())
	}
}

// TestNoSlowTexts reads long monotonous texts: the time stays about linear in their length.
func TestNoSlowTexts(t *testing.T) {
	t.Parallel()
	for _, piece := range append(pieces, "I love cats, ", "cats, ", "I live in ", "my sister my ", "I like the of the of ") {
		text := strings.Repeat(piece+" ", longest/(len(piece)+1))
		start := time.Now()
		Read([]Turn{{Role: trilith.RoleUser, Text: text, At: spoken}})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("Read(%q repeated) takes %v", piece, d)
		}
	}
}

// BenchmarkRead reads turns as people type them: most state nothing.
func BenchmarkRead(b *testing.B) {
	var turns []Turn
	for _, text := range []string{
		"Hey! How was your weekend? We went to the lake with the kids and it was so windy, but everybody had fun in the end.",
		"I live in Graz and work as a nurse. My sister Anna lives in Riga, she came over for Easter with her two dogs.",
		"Can you explain how the interest on a loan is computed if I pay it back early? Thanks a lot for your help!",
		"That sounds great. I've been thinking about a new bike for ages, do you have any tips for somebody who rides to work?",
		"Remind me to call the dentist tomorrow, please. And what else do I have on Friday?",
		"Wir sind letztes Jahr nach Bern gezogen, weil ich dort eine Stelle gefunden habe. Der Hund mag den Garten sehr.",
	} {
		turns = append(turns, Turn{Role: trilith.RoleUser, Text: text, At: spoken})
	}
	for b.Loop() {
		Read(turns)
	}
	b.ReportMetric(float64(len(turns)*b.N)/b.Elapsed().Seconds(), "turns/s")
}
