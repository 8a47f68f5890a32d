package projects_test

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/memory"
)

func ledgerOf(t *testing.T, m *memory.Memory, s trilith.Scope, q trilith.LedgerQuery) trilith.ProjectLedger {
	t.Helper()
	l, err := m.ProjectLedger(t.Context(), s, q)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Asked as of a day, the whole story gives the sums of the story until that day.
func TestAsOfIsReplayOfWords(t *testing.T) {
	t.Parallel()
	turns := readTurns(t, "story")
	all := open(t)
	tell(t, all, "boathouse", turns)
	s := trilith.Scope{Project: "boathouse"}
	for _, day := range []string{"2026-02-20", "2026-05-15"} {
		part := open(t)
		n := 0
		for n < len(turns) && turns[n].Time < day {
			n++
		}
		tell(t, part, "boathouse", turns[:n])
		q := trilith.LedgerQuery{AsOf: day}
		want, got := ledgerOf(t, part, s, q), ledgerOf(t, all, s, q)
		if diff := gocmp.Diff(want.Totals, got.Totals); diff != "" {
			t.Errorf("totals as of %s (-told until then +asked):\n%s", day, diff)
		}
	}
}

// No sum contains what was erased, or what belongs to another project or to a person.
func TestErasingAndOwners(t *testing.T) {
	t.Parallel()
	m := open(t)
	at := func(day int, text string) turn {
		return turn{Time: time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC).Format(time.RFC3339), Session: "s",
			Speaker: "Ana", Text: text}
	}
	tell(t, m, "p1", []turn{at(1, "Invoice 101 from Huber is 1,200 EUR."),
		at(2, "Invoice 102 from Huber is 800 EUR.")})
	tell(t, m, "p2", []turn{at(1, "Invoice 101 from Huber is 77 EUR.")})
	s := trilith.Scope{Project: "p1"}
	if got := ledgerOf(t, m, s, trilith.LedgerQuery{}).Totals; len(got) != 1 || got[0].Invoiced != "2000" {
		t.Fatalf("totals = %+v, want 2000 invoiced", got)
	}
	page, err := m.List(t.Context(), s, trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Items {
		if strings.Contains(e.Text, "102") {
			if _, err := m.Erase(t.Context(), s, trilith.EraseRequest{IDs: []trilith.ID{e.ID}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := ledgerOf(t, m, s, trilith.LedgerQuery{}).Totals; len(got) != 1 || got[0].Invoiced != "1200" {
		t.Errorf("totals after erasing = %+v, want 1200 invoiced", got)
	}
	_, err = m.ProjectLedger(t.Context(), trilith.Scope{}, trilith.LedgerQuery{})
	if trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("ProjectLedger without a project = %v, want invalid", err)
	}
}

// The phases that people name keep what is for one apart from what is for another, from the words to the items.
func TestPhasesOfWords(t *testing.T) {
	t.Parallel()
	m := open(t)
	var turns []turn
	for i, text := range []string{"The budget for phase 1 is 5,000 EUR.", "The budget for phase 2 is 6,000 EUR.",
		"Huber offers 4,000 EUR for phase 1.", "Huber offers 3,000 EUR for phase 2.",
		"Huber sent invoice R-7 for phase 2: 1,000 EUR.", "We paid 1,000 EUR to Huber for invoice R-7."} {
		day := time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC).Format(time.RFC3339)
		turns = append(turns, turn{Time: day, Session: "s", Speaker: "Ana", Text: text})
	}
	tell(t, m, "mill", turns)
	got := map[string]string{}
	for _, i := range ledgerOf(t, m, trilith.Scope{Project: "mill"}, trilith.LedgerQuery{}).Items {
		got[i.Phase] = strings.Join([]string{i.Budget, i.Committed, i.Invoiced, i.Paid, i.Variance}, " ")
	}
	want := map[string]string{"phase 1": "5000 0 0 0 5000", "phase 2": "6000 3000 1000 1000 3000"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("items by phase (-want +got):\n%s", diff)
	}
}

// The trends of the story name the estimate that escalated, and a report its words.
func TestTrendsAndReportOfTheStory(t *testing.T) {
	t.Parallel()
	m := open(t)
	tell(t, m, "boathouse", readTurns(t, "story"))
	s := trilith.Scope{Project: "boathouse"}
	trends, err := m.ProjectTrends(t.Context(), s, trilith.TrendQuery{AsOf: "2026-07-11"})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range trends.Findings {
		kinds = append(kinds, f.Kind+" "+f.Of+" "+f.Name)
	}
	if !strings.Contains(strings.Join(kinds, "\n"), "escalation estimate roof") {
		t.Errorf("findings = %q, want that the estimate of the roof escalated", kinds)
	}
	r, err := m.ProjectReport(t.Context(), s, trilith.ReportQuery{From: "2026-03-01", To: "2026-04-01"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# boathouse, 2026-03-01 to 2026-04-01", "## financial", ", ended: ", "NT-1",
		"| EUR | 240000 |"} {
		if !strings.Contains(r.Markdown, want) {
			t.Errorf("the report lacks %q:\n%s", want, r.Markdown)
		}
	}
	for _, topic := range r.Topics {
		for _, i := range topic.Items {
			if i.Quote == "" || i.At.Before(r.From) || !i.At.Before(r.To) {
				t.Errorf("item %+v lies outside the period or quotes nothing", i)
			}
		}
	}
}
