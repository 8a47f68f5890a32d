package recall_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// life is what somebody says of themselves, in no order.
func life(t *testing.T, r rig.Rig) {
	t.Helper()
	for i, said := range []string{"I love jazz.", "Remind me to renew my passport by 1 August 2025.",
		"I am allergic to hazelnuts.", "I've lived in Tampere since 2019.", "I plan to visit Porto in August 2035.",
		"My brother is called Nils.", "I work as a nurse.", "I am 41 years old.", "I love sushi."} {
		r.Tell(t, rig.Ana, fmt.Sprintf("2025-02-%02d", i+1), said)
	}
}

// Without a query facts come in the order of their headings, the newest of a kind first.
func TestLookupOrder(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	life(t, e)
	var got []string
	for _, m := range e.Known(t, rig.Ana, trilith.LookupRequest{Identifier: rig.User(rig.Ana)}) {
		got = append(got, m.Fact.Verb+" "+m.Fact.Node.Name)
	}
	want := []string{"has_age 41", "lives_in Tampere", "works_as nurse", "allergic_to hazelnuts", "has_brother Nils",
		"likes sushi", "likes jazz", "plans visit Porto", "has_task renew my passport"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Lookup (-want +got):\n%s", diff)
	}
}

func summary(t *testing.T, r rig.Rig, q trilith.LookupRequest) string {
	t.Helper()
	res, err := r.LookupSummary(t.Context(), rig.Ana, q)
	if err != nil {
		t.Fatalf("LookupSummary(%+v) = %v", q, err)
	}
	return res.Summary
}

// A summary is the card and what belongs into none; with a query it is the sentences of what matches.
func TestSummary(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	life(t, e)
	want := "Who: ana, 41 years old (2025-02-08)\nHome: Tampere (since 2019-01-01)\nWork and study: nurse (2025-02-07)\n" +
		"People: brother Nils (2025-02-06)\nHealth and food: allergic to hazelnuts (2025-02-03)\n" +
		"To do: renew your passport, due 2025-08-01 (2025-02-02)\n" +
		"ana likes sushi (said 9 February 2025). ana likes jazz (said 1 February 2025). " +
		"ana plans to visit Porto (2035-08) (said 5 February 2025, until 1 September 2035)."
	if diff := gocmp.Diff(want, summary(t, e, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})); diff != "" {
		t.Errorf("LookupSummary (-want +got):\n%s", diff)
	}
	want = "ana lives in Tampere (since 1 January 2019)."
	if got := summary(t, e, trilith.LookupRequest{Identifier: rig.User(rig.Ana), Query: "Where does Ana live?",
		TopK: 1}); got != want {
		t.Errorf("LookupSummary with a query = %q, want %q", got, want)
	}
}

// However much is known, a summary has a bound, and says what it leaves out.
func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for i := range 120 {
		e.MustAssimilate(t, rig.Ana, rig.User(rig.Ana), "2025-02-01",
			fmt.Sprintf("I love goatcheese%dfromthefarmbehindthehillsoverthere.", i))
	}
	got := summary(t, e, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})
	if len(got) > 4100 || !strings.HasSuffix(got, " more are known; ask with a query.") {
		t.Errorf("the summary of 120 facts has %d bytes and ends %q", len(got), got[max(0, len(got)-60):])
	}
}

// A summary uses its room: what does not fit on the card follows in sentences.
func TestSummaryUsesItsRoom(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for i := range 150 {
		if _, err := e.TellFact(t.Context(), rig.Ana, trilith.TellRequest{Subject: new(rig.User(rig.Ana)), Verb: "has_friend",
			Value: fmt.Sprintf("Person %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	got := summary(t, e, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})
	if len(got) < 3800 || len(got) > 4100 || !strings.HasSuffix(got, " more are known; ask with a query.") {
		t.Errorf("the summary of 150 facts of one slot has %d bytes and ends %q", len(got), got[max(0, len(got)-60):])
	}
	for i := range 150 {
		if n := strings.Count(got, fmt.Sprintf("Person %d ", i)) + strings.Count(got, fmt.Sprintf("Person %d;", i)); n > 1 {
			t.Errorf("person %d is there %d times", i, n)
		}
	}
}

// Of whatever facts, a card keeps to its size and has no slot twice, and home and work are in it.
func TestCardKeepsToItsSize(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	said := []string{"My %s is called %s.", "I am allergic to %[2]s.", "I speak %[2]s.", "I have a dog called %[2]s.",
		"Remind me to send the long letter about the %s to %s tomorrow.", "I play the %[2]s.", "I take %[2]s every morning."}
	kin := []string{"sister", "brother", "daughter", "son", "cousin", "boss", "uncle"}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := trilith.Scope{Tenant: "card", User: fmt.Sprintf("u%d", n)}
		text := "I live in Tampere and work as a nurse. My e-mail address is ana@example.com. "
		for range rapid.IntRange(0, 40).Draw(rt, "facts") {
			name := fmt.Sprintf("%c%s", 'A'+rand.N(26), []string{"da", "berto", "nnemarie", "xolotl-Quetzalcoatl", "oo"}[rand.N(5)])
			text += fmt.Sprintf(said[rand.N(len(said))], kin[rand.N(len(kin))], name) + " "
		}
		e.MustAssimilate(t, s, rig.User(s), "2025-02-01", text)
		c, err := e.Card(t.Context(), s, trilith.CardRequest{Identifier: rig.User(s)})
		if err != nil || c.Tokens > trilith.CardTokens || !strings.Contains(c.Text, "Home: Tampere (2025-02-01)\n") ||
			!strings.Contains(c.Text, "Work and study: nurse (2025-02-01)\n") {
			rt.Fatalf("Card = %d tokens, %v:\n%s", c.Tokens, err, c.Text)
		}
		seen := map[string]bool{}
		for line := range strings.Lines(c.Text) {
			slot, _, _ := strings.Cut(line, ":")
			if seen[slot] {
				rt.Errorf("%q is there twice:\n%s", slot, c.Text)
			}
			seen[slot] = true
		}
	})
}

// A card holds what was stated and holds: nothing denied, doubted or proposed, and of health only what somebody says of
// themselves.
func TestCardLeavesOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, lacks, has string }{
		{"I live in Oslo. I am not allergic to nuts.", "nuts", "Oslo"},
		{"I live in Oslo. Maybe I work as a nurse.", "nurse", "Oslo"},
		{"I live in Oslo. My sister Ida is allergic to shrimps.", "shrimps", "Oslo"},
		{"I live in Oslo. My mother is diabetic.", "diabet", "Oslo"},
		{"I lived in Rome. I live in Oslo.", "Rome", "Oslo"},
	} {
		e := rig.InMemory(t)
		e.MustAssimilate(t, rig.Ana, rig.User(rig.Ana), "2025-02-01", c.said)
		got, err := e.Card(t.Context(), rig.Ana, trilith.CardRequest{Identifier: rig.User(rig.Ana)})
		if err != nil || strings.Contains(got.Text, c.lacks) || !strings.Contains(got.Text, c.has) {
			t.Errorf("Card of %q = %v, want %q without %q:\n%s", c.said, err, c.has, c.lacks, got.Text)
		}
	}
}

// The head of a block says who the question is about, or what is to be done if it asks for that, in the language of the
// question; it takes a quarter of the budget at most.
func TestBlockBeginsWithWhomItIsAbout(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	kim := trilith.Scope{Tenant: "acme", User: "u1"}
	for _, said := range []string{"I live in Oslo. My daughter Ada is allergic to milk.", "Remind me to call my mother.",
		"Remind me to renew my passport by 1 August 2025.", "I have a dog called Rex."} {
		e.MustRemember(t, kim, trilith.RememberRequest{Extract: "rules", Messages: []trilith.Message{
			{Role: trilith.RoleUser, Speaker: "Kim", Content: said, Timestamp: "2025-02-01"}}})
	}
	e.MustWork(t)
	e.MustSettle(t)
	const wer, tun = "\nPerson: Kim\nWohnort: Oslo (2025-02-01)\n",
		"\nZu tun:\n- renew Kim's passport, bis 2025-08-01 (2025-02-01)\n- call Kim's mother (2025-02-01)\n"
	const who, todo, none = "\nWho: Kim\nHome: Oslo (2025-02-01)\n",
		"\nTo do:\n- renew Kim's passport, due 2025-08-01 (2025-02-01)\n- call Kim's mother (2025-02-01)\n", ""
	for _, c := range []struct{ asks, head string }{
		{"Where does Kim live?", who}, {"Is Kim's dog at home?", who}, {"where is my dog?", who}, {"Who am I?", who},
		{"What do you know about me?", who}, {"Wie heißt meine Tochter?", wer}, {"Was habe ich vergessen?", wer},
		{"What do I still have to do?", todo}, {"Any deadlines coming up?", todo}, {"what's left to do for Kim", todo},
		{"Which tasks are still open?", todo}, {"Is anything due this week?", todo}, {"Was muss ich noch tun?", tun},
		{"Was steht noch an?", tun}, {"Gibt es bald Fristen?", todo}, {"Welche Aufgaben sind noch offen?", tun},
		{"What is Ada allergic to?", none}, {"How do I install a tap?", none}, {"Which tasks does the scheduler run?", none},
		{"What is the capital of Peru?", none}, {"Can I eat mushrooms?", none}, {"Welche Termine hatte Peter gestern?", none},
	} {
		for _, budget := range []int{600, 240} {
			b, err := e.Context(t.Context(), kim, trilith.ContextRequest{Budget: budget,
				RecallRequest: trilith.RecallRequest{Query: c.asks}})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(b.Text, "\n")
			head := "\n"
			for _, line := range lines[min(2, len(lines)):] {
				if strings.HasPrefix(line, "Lines are") || strings.HasPrefix(line, "2025") || strings.HasPrefix(line, "#") ||
					strings.HasPrefix(line, "<") {
					break
				}
				head += line
			}
			want := c.head
			if budget == 240 {
				want = want[:strings.LastIndex(want[:max(0, len(want)-1)], "\n")+1] // the whole head may be too long
			}
			if !strings.HasPrefix(head, want) || c.head == none && head != "\n" {
				t.Errorf("%q, budget %d: the block begins %q, want %q", c.asks, budget, head, c.head)
			}
			if n := assemble.Tokens(head); n > budget/4 || strings.Contains(head, "milk") {
				t.Errorf("%q, budget %d: the head has %d tokens:\n%s", c.asks, budget, n, head)
			}
		}
	}
}
