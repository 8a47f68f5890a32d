package reconcile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// paper is a sum as it is said: what tells it apart, its amount ("" where an ending gives none), and whether it is an
// ending.
type paper struct {
	verb, number, party, amount string
	ends                        bool
}

func (p paper) assertion(day int) Assertion {
	node := trilith.Node{Type: "Amount", Name: strings.TrimSpace(p.amount + " " + p.number + " " + p.party)}
	x := &trilith.Fact{EntityID: "e", Verb: p.verb, FactID: node.ID(), Node: node, Type: trilith.FactFinancial,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.85,
		Content: map[string]any{"number": p.number, "counterparty": p.party}}
	if p.amount != "" {
		x.Financial = &trilith.Financial{Amount: p.amount, Type: "invoice"}
	}
	if p.ends {
		x.Polarity = trilith.Negated
	}
	x.Evidence = []trilith.Evidence{{EpisodeID: trilith.ID(rune('a' + day)), Quote: "q", End: 1}}
	at := time.Date(2026, 3, 1+day, 0, 0, 0, 0, time.UTC)
	return Assertion{Memory: trilith.Memory{ID: trilith.FactMemoryID("e", p.verb, x.FactID), Kind: trilith.KindFact,
		EventTime: at, State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: x}, Ends: p.ends}
}

// TestPapers: a sum is known by the paper that it is on, not by its amount.
func TestPapers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why     string
		said    []paper
		want    []string // active affirmed nodes
		dispute int
	}{
		{"three invoices of one amount from two suppliers are three",
			[]paper{{"has_invoice", "1", "Huber", "1200", false}, {"has_invoice", "2", "Huber", "1200", false},
				{"has_invoice", "1", "Meyer", "1200", false}},
			[]string{"1200 1 Huber", "1200 1 Meyer", "1200 2 Huber"}, 0},
		{"an invoice has one amount",
			[]paper{{"has_invoice", "1", "Huber", "1200", false}, {"has_invoice", "1", "Huber", "1300", false}},
			[]string{"1300 1 Huber"}, 0},
		{"the amount may change without the supplier being named again",
			[]paper{{"has_invoice", "1", "Huber", "1200", false}, {"has_invoice", "1", "", "1300", false}},
			[]string{"1300 1"}, 0},
		{"two invoices without numbers are two",
			[]paper{{"has_invoice", "", "Huber", "1200", false}, {"has_invoice", "", "Huber", "1300", false}},
			[]string{"1200  Huber", "1300  Huber"}, 0},
		{"a supplier's quote replaces the one before",
			[]paper{{"has_quote", "", "Huber", "1200", false}, {"has_quote", "", "Huber", "1100", false},
				{"has_quote", "", "Meyer", "900", false}}, []string{"1100  Huber", "900  Meyer"}, 0},
		{"payments of one invoice add up",
			[]paper{{"has_payment", "1", "Huber", "600", false}, {"has_payment", "1", "Huber", "500", false}},
			[]string{"500 1 Huber", "600 1 Huber"}, 0},
		{"a settled invoice is closed by its number",
			[]paper{{"has_invoice", "1", "Huber", "1200", false}, {"has_invoice", "2", "Huber", "1200", false},
				{"has_invoice", "1", "", "", true}}, []string{"1200 2 Huber"}, 0},
		{"and by its supplier", []paper{{"has_invoice", "1", "Huber", "1200", false},
			{"has_invoice", "2", "Meyer", "1200", false}, {"has_invoice", "", "Meyer", "", true}},
			[]string{"1200 1 Huber"}, 0},
		{"which of two is settled nobody guesses",
			[]paper{{"has_invoice", "1", "Huber", "1200", false}, {"has_invoice", "1", "Meyer", "900", false},
				{"has_invoice", "1", "", "", true}}, []string{"1200 1 Huber", "900 1 Meyer"}, 0},
	} {
		f := New(nil, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
		for day, p := range c.said {
			f.Apply(p.assertion(day))
		}
		var got []string
		disputes := 0
		for _, m := range f.Changed() {
			if m.State == trilith.StateActive && m.Fact.Polarity == trilith.Affirmed {
				got = append(got, m.Fact.Node.Name)
			}
			if m.Fact.Verification.Status == trilith.Disputed {
				disputes++
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || disputes != c.dispute {
			t.Errorf("after %v hold %q with %d disputed, want %q with %d: %s", c.said, got, disputes, c.want,
				c.dispute, c.why)
		}
	}
}
