package review_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

var matches = trilith.InboxQuery{Reasons: []trilith.ReviewReason{trilith.ReviewMatch}}

func ledgerOf(t *testing.T, r rig.Rig, s trilith.Scope) trilith.ProjectLedger {
	t.Helper()
	l, err := r.ProjectLedger(t.Context(), s, trilith.LedgerQuery{})
	if err != nil {
		t.Fatalf("ProjectLedger = %v", err)
	}
	return l
}

// belonging says what papers belong to and what is found about them.
func belonging(l trilith.ProjectLedger, names map[trilith.ID]string) []string {
	out := []string{}
	for _, m := range l.Matches {
		out = append(out, fmt.Sprintf("%s to %s by %s", names[m.FactID], names[m.To], m.By))
	}
	for _, f := range l.Findings {
		out = append(out, fmt.Sprintf("%s %s", f.Kind, names[f.FactIDs[0]]))
	}
	return out
}

// TestAmbiguousMatch: a paper that could belong to several waits for a person. The decision holds until it is taken
// back or its evidence is erased.
func TestAmbiguousMatch(t *testing.T) {
	t.Parallel()
	rig.EachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig.Rig) {
		e := open(t)
		said := e.Told(t, rig.Mill, "Huber quoted 4,000 EUR for the roof.", "Huber quoted 5,000 EUR for the doors.",
			"Huber sent invoice 77: 1,500 EUR.")
		e.Told(t, rig.Barge, "Huber quoted 4,000 EUR for the roof.")
		names, ids := map[trilith.ID]string{}, map[string]trilith.ID{}
		for _, line := range ledgerOf(t, e, rig.Mill).Lines {
			for _, entry := range line.Entries {
				name := map[string]string{"4000": "roof", "5000": "doors", "1500": "invoice"}[entry.Amount]
				names[entry.FactID], ids[name] = name, entry.FactID
			}
		}
		waiting := func() (out []string) {
			for _, it := range inbox(t, e, rig.Mill, matches).Items {
				text := names[it.ID] + " " + it.Why
				for _, o := range it.Others {
					text += " " + names[o.ID]
				}
				out = append(out, text)
			}
			return out
		}
		want := func(when string, inbox, ledger []string) {
			t.Helper()
			if diff := cmp.Diff(inbox, waiting()); diff != "" {
				t.Errorf("%s: inbox (-want +got):\n%s", when, diff)
			}
			if diff := cmp.Diff(ledger, belonging(ledgerOf(t, e, rig.Mill), names)); diff != "" {
				t.Errorf("%s: ledger (-want +got):\n%s", when, diff)
			}
		}
		asked := []string{"invoice This could belong to any of 2. To which does it? roof doors"}
		want("first", asked, []string{"ambiguous invoice"})
		for _, s := range []trilith.Scope{rig.Acme, rig.Barge} {
			if got := inbox(t, e, s, matches); len(got.Items) > 0 {
				t.Errorf("inbox of %+v = %v, want nothing of the mill", s, waits(got.Items))
			}
		}
		rel, err := e.RelateByHand(t, rig.Mill, trilith.PartOf, ids["invoice"], ids["doors"])
		if err != nil {
			t.Fatal(err)
		}
		want("decided", nil, []string{"invoice to doors by decision"})
		if _, err := e.Unrelate(t.Context(), rig.Mill, ids["invoice"], rel.ID); err != nil {
			t.Fatal(err)
		}
		want("taken back", asked, []string{"ambiguous invoice"})
		for range 2 { // again changes nothing
			decideAll(t, e, rig.Mill, trilith.BulkDecision{IDs: []trilith.ID{ids["invoice"]},
				Decision: trilith.DecideDismiss})
			want("dismissed", nil, []string{"unmatched invoice"})
		}
		// what was dismissed was rejected, so it takes a decision about the relation to have it again
		rel, err = e.RelateByHand(t, rig.Mill, trilith.PartOf, ids["invoice"], ids["roof"])
		if err == nil {
			_, err = e.VerifyFact(t.Context(), rig.Mill, rel.ID, trilith.VerifyRequest{Decision: trilith.DecideVerify})
		}
		if err != nil {
			t.Fatal(err)
		}
		want("decided again", nil, []string{"invoice to roof by decision"})
		if _, err := e.Erase(t.Context(), rig.Mill, trilith.EraseRequest{IDs: []trilith.ID{said[1].ID}}); err != nil {
			t.Fatal(err)
		}
		want("the other is erased", nil, []string{"invoice to roof by decision"})
	})
}

// TestLedgersNeverMix: with two tenants, two projects and two people, the ledger of a project contains what was said
// in it, and erasing one person's words takes exactly that share out.
func TestLedgersNeverMix(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 9))
		e := rig.InMemory(t)
		type place struct{ tenant, project string }
		sums, shares := map[place]*big.Rat{}, map[trilith.ID]int64{}
		at := map[trilith.ID]place{}
		for i := range 40 {
			p := place{[]string{"acme", "bolt"}[r.IntN(2)], []string{"mill", "barge", ""}[r.IntN(3)]}
			s := trilith.Scope{Tenant: p.tenant, Project: p.project, User: []string{"ana", "ben", ""}[r.IntN(3)],
				Actor: "tester"}
			amount := 100 + r.Int64N(9000)
			m := e.Told(t, s, fmt.Sprintf("Invoice %d from Huber is %d EUR.", 1000+i, amount))[0]
			if p.project == "" {
				continue // it is in no ledger
			}
			if sums[p] == nil {
				sums[p] = new(big.Rat)
			}
			sums[p].Add(sums[p], big.NewRat(amount, 1))
			shares[m.ID], at[m.ID] = amount, p
		}
		check := func(when string) {
			t.Helper()
			for p, sum := range sums {
				got := "0"
				s := trilith.Scope{Tenant: p.tenant, Project: p.project, Actor: "tester"}
				if l := ledgerOf(t, e, s); len(l.Totals) > 0 {
					got = l.Totals[0].Invoiced
				}
				if got != sum.RatString() {
					t.Errorf("seed %d, %s: %+v has %s invoiced, want %s", seed, when, p, got, sum.RatString())
				}
			}
		}
		check("told")
		for id, amount := range shares {
			if r.IntN(2) == 0 {
				continue
			}
			p := at[id]
			if _, err := e.Erase(t.Context(), trilith.Scope{Tenant: p.tenant, Actor: "tester"},
				trilith.EraseRequest{IDs: []trilith.ID{id}}); err != nil {
				t.Fatal(err)
			}
			sums[p].Sub(sums[p], big.NewRat(amount, 1))
		}
		check("half is erased")
	}
}

// TestReportPhrasing: a model's text of a report is shown only if each of its numbers was computed; the report itself
// does not change.
func TestReportPhrasing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		entry scripted.Entry
		want  string
	}{
		"numbers of the report": {scripted.Entry{Answer: "Huber quoted 4,000 EUR for the roof and sent invoice 77 over 1,500 EUR."},
			"Huber quoted 4,000 EUR for the roof and sent invoice 77 over 1,500 EUR."},
		"a number that was computed": {scripted.Entry{Answer: "Huber quoted 4,000 EUR, so 2,500 EUR remain."}, ""},
		"another number":             {scripted.Entry{Answer: "Huber quoted 4,001 EUR for the roof."}, ""},
		"a share":                    {scripted.Entry{Answer: "Huber has billed 37.5% of the quote."}, ""},
		"a number in words":          {scripted.Entry{Answer: "Huber has billed a third, and two thousand remain."}, ""},
		"another name":               {scripted.Entry{Answer: "The invoice 77 came from Krause."}, ""},
		"nothing":                    {scripted.Entry{Answer: "  "}, ""},
		"a failure":                  {scripted.Entry{Fails: true, Kind: trilith.Unavailable}, ""},
		"a refusal":                  {scripted.Entry{Answer: "No.", Stop: role.StopRefusal}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, func(g *engine.Config) {
				g.Model = scripted.New(scripted.Script{Entries: []scripted.Entry{c.entry}})
			})
			e.Told(t, rig.Mill, "Huber quoted 4,000 EUR for the roof.", "Huber sent invoice 77: 1,500 EUR.")
			q := trilith.ReportQuery{From: "2026-01-01", To: "2026-02-01"}
			r, err := e.ProjectReport(t.Context(), rig.Mill, q)
			if err != nil || r.Prose != c.want || (r.Model != "") != (c.want != "") {
				t.Errorf("ProjectReport = %q by %q, %v; want %q", r.Prose, r.Model, err, c.want)
			}
			q.Plain = true
			plain, err := e.ProjectReport(t.Context(), rig.Mill, q)
			if r.Prose, r.Model = "", ""; err != nil || cmp.Diff(plain, r) != "" {
				t.Errorf("the report depends on the model (-plain +phrased): %v\n%s", err, cmp.Diff(plain, r))
			}
		})
	}
}
