package engine_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/scripted"
)

// life is what somebody says of themselves, in no order.
func (r rig) life(t *testing.T) {
	t.Helper()
	for i, said := range []string{"I love jazz.", "I need to renew my passport by 1 August 2025.",
		"I am allergic to hazelnuts.", "I've lived in Tampere since 2019.", "I plan to visit Porto.",
		"My brother is called Nils.", "I work as a nurse.", "I am 41 years old.", "I love sushi."} {
		r.tell(t, ana, fmt.Sprintf("2025-02-%02d", i+1), said)
	}
}

// Without a query facts come in the order of their headings, the newest of a kind first.
func TestLookupOrder(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.life(t)
	var got []string
	for _, m := range e.known(t, ana, trilith.LookupRequest{Identifier: user(ana)}) {
		got = append(got, m.Fact.Verb+" "+m.Fact.Node.Name)
	}
	want := []string{"has_age 41", "lives_in Tampere", "works_as nurse", "allergic_to hazelnuts", "has_brother Nils",
		"likes sushi", "likes jazz", "plans visit Porto", "has_task renew my passport"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Lookup (-want +got):\n%s", diff)
	}
}

func (r rig) summary(t *testing.T, q trilith.LookupRequest) trilith.SummaryResult {
	t.Helper()
	res, err := r.LookupSummary(t.Context(), ana, q)
	if err != nil {
		t.Fatalf("LookupSummary(%+v) = %v", q, err)
	}
	return res
}

// A summary is grouped, and says when something was said where it is not known since when it holds.
func TestSummary(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.life(t)
	e.tell(t, ana, "2025-04-01", "Jazz bores me.")
	got := e.summary(t, trilith.LookupRequest{Identifier: user(ana)})
	lines := strings.Split(got.Summary, "\n")
	for i, want := range []string{"Who: ", "Home: ", "Work: ", "Health: ", "People: ", "Tastes: ",
		"Plans: ", "Tasks: "} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("line %d of the summary does not begin with %q:\n%s", i, want, got.Summary)
		}
	}
	for _, want := range []string{"(said 8 February 2025)", "Tampere (since 1 January 2019)",
		"(due 2025-08-01) (said 2 February 2025)"} {
		if !strings.Contains(got.Summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got.Summary)
		}
	}
	if got.Model != "" {
		t.Errorf("the summary is by %q, want by nobody", got.Model)
	}
}

// However much is known, a summary has a bound, and says what it leaves out.
func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for i := range 120 {
		e.assimilate(t, ana, user(ana), "2025-02-01",
			fmt.Sprintf("I love the goatcheese%dfromthefarmbehindthehillsoverthere.", i))
	}
	got := e.summary(t, trilith.LookupRequest{Identifier: user(ana)})
	if got.FactCount != 120 || len(got.Summary) > 4100 ||
		!strings.HasSuffix(got.Summary, "\n112 more are known; ask with a query.") {
		t.Errorf("the summary of %d facts has %d bytes and ends %q", got.FactCount, len(got.Summary),
			got.Summary[max(0, len(got.Summary)-60):])
	}
}

// A model writes the summary of what it is shown; where it fails, or says nothing fit, the sentences of the facts
// remain.
func TestSummaryByModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer scripted.Entry
		model  string
		want   string
	}{
		{"it writes", scripted.Entry{Match: "Records about", Answer: " Ana said in 2025 that she lives in Tampere.\n"},
			"scripted:demo", "Ana said in 2025 that she lives in Tampere."},
		{"it fails", scripted.Entry{Match: "Records about", Fails: true, Kind: trilith.Unavailable}, "",
			"Home: ana lives in Tampere (said 1 February 2025)."},
		{"it is cut off", scripted.Entry{Match: "Records about", Answer: "Ana", Stop: trilith.StopLength}, "",
			"Home: ana lives in Tampere (said 1 February 2025)."},
		{"it does not end", scripted.Entry{Match: "Records about", Answer: strings.Repeat("Ana. ", 1000)}, "",
			"Home: ana lives in Tampere (said 1 February 2025)."},
	} {
		e, m := withModel(t, c.answer)
		e.tell(t, ana, "2025-02-01", "I live in Tampere.")
		got := e.summary(t, trilith.LookupRequest{Identifier: user(ana)})
		if got.Summary != c.want || got.Model != c.model {
			t.Errorf("%s: the summary is %q by %q, want %q by %q", c.name, got.Summary, got.Model, c.want, c.model)
		}
		if r := m.Requests(); len(r) != 1 ||
			!strings.Contains(r[0].Messages[0].Text, "Tampere (said 1 February 2025)") {
			t.Errorf("%s: the model was asked %+v", c.name, r)
		}
	}
}
