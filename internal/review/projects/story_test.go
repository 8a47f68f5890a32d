package projects_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

var update = flag.Bool("update", false, "write the golden files")

// fact is a fact of the story as a person read it.
type fact struct {
	ID           string     `json:"id"`
	Turn         int        `json:"turn"`
	Quote        string     `json:"quote"`
	Kind         string     `json:"kind"`
	Amount       string     `json:"amount"`
	Currency     string     `json:"currency"`
	Item         string     `json:"item"`
	Counterparty string     `json:"counterparty"`
	Number       string     `json:"number"`
	At           time.Time  `json:"at"`
	Until        *time.Time `json:"until"`
	Settled      *time.Time `json:"settled"`
	SettledBy    string     `json:"settled_by"`
	Certainty    string     `json:"certainty"`
	Verification string     `json:"verification"`
}

// truths are what is true of the money of the story.
type truths struct {
	AsOf    time.Time `json:"as_of"`
	Facts   []fact    `json:"facts"`
	Matches struct {
		ChangeOrders map[string]string `json:"change_orders"`
		Invoices     map[string]string `json:"invoices"`
		Payments     map[string]string `json:"payments"`
		Credits      map[string]string `json:"credits"` // credit notes and refunds
	} `json:"matches"`
	Totals []struct{ Currency, Committed, Invoiced, Paid, Open string } `json:"totals"`
}

// stories are projects whose money a person has read. Each but the first was written before the rules of its time were
// run on it; film, school and house before anybody looked at any rule.
var stories = []string{"story", "bakery", "office", "film", "school", "house", "festival", "clinic", "wedding"}

// matches are what belongs to what in the end: nothing is left of a match to what belongs to nothing.
func (s truths) matches() map[string]string {
	out := map[string]string{}
	for _, of := range []map[string]string{s.Matches.ChangeOrders, s.Matches.Invoices, s.Matches.Payments,
		s.Matches.Credits} {
		for id, to := range of {
			if to != "" {
				out[id] = to
			}
		}
	}
	return out
}

func readStory(t testing.TB, name string) truths {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + "/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var s truths
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// entries are the facts of the story as a ledger takes them.
func (s truths) entries() []ledger.Fact {
	var out []ledger.Fact
	quotes := map[string]string{}
	for _, f := range s.Facts {
		quotes[f.ID] = f.Quote
	}
	for _, f := range s.Facts {
		e := ledger.Fact{ID: trilith.ID(f.ID), Kind: f.Kind, Amount: f.Amount, Currency: f.Currency, Item: f.Item,
			Counterparty: f.Counterparty, Number: f.Number, At: f.At, Until: f.Until, Quote: f.Quote}
		switch {
		case f.Kind == "settled":
			continue // told by the invoice
		case f.Kind == "decision":
			e.Kind = ledger.Approval
		case f.Settled != nil:
			e.Until, e.Settled = f.Settled, &ledger.Settled{Quote: quotes[f.SettledBy]}
		case f.Certainty == "hedged":
			e.Omit = trilith.OmittedUncertain
		case f.Verification == "disputed":
			e.Omit = trilith.OmittedDisputed
		}
		out = append(out, e)
	}
	return out
}

func terms(t testing.TB, asOf time.Time, rates ...string) ledger.Terms {
	t.Helper()
	tolerance, err := ledger.ParseTolerance("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ledger.ParseRates(rates)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Terms{AsOf: asOf, Tolerance: tolerance, Rates: r}
}

// With the facts given by hand the ledger is the one that a person would write, to the cent, and every invoice and
// payment belongs where it belongs.
func TestLedgerOfTheStory(t *testing.T) {
	t.Parallel()
	for _, name := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story := readStory(t, name)
			got := ledger.Of(story.entries(), terms(t, story.AsOf, "EUR:USD=1.08"))
			for i, want := range story.Totals {
				g := got.Totals[i]
				have := want
				have.Currency, have.Committed, have.Invoiced = g.Currency, g.Committed, g.Invoiced
				have.Paid, have.Open = g.Paid, g.Open
				if diff := gocmp.Diff(want, have); diff != "" {
					t.Errorf("total in %s (-want +got):\n%s", want.Currency, diff)
				}
			}
			matched := map[string]string{}
			for _, m := range got.Matches {
				matched[string(m.FactID)] = string(m.To)
			}
			if diff := gocmp.Diff(story.matches(), matched); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			golden(t, "testdata/"+name+"/ledger.json", got)
		})
	}
}

// golden compares a value with a file of JSON.
func golden(t *testing.T, path string, v any) {
	t.Helper()
	got, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, got) {
		t.Errorf("%s: %v; run with -update and look (-want +got):\n%s", path, err,
			gocmp.Diff(string(want), string(got)))
	}
}

// A ledger as of a day is the ledger of what was known on that day.
func TestAsOfIsReplay(t *testing.T) {
	t.Parallel()
	for _, name := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asOfIsReplay(t, readStory(t, name))
		})
	}
}

func asOfIsReplay(t *testing.T, story truths) {
	all := story.entries()
	for day := story.Facts[0].At; day.Before(story.AsOf); day = day.AddDate(0, 0, 5) {
		var known []ledger.Fact
		for _, f := range all {
			if f.At.After(day) {
				continue
			}
			if f.Until != nil && f.Until.After(day) {
				f.Until, f.Settled = nil, nil
			}
			known = append(known, f)
		}
		slices.Reverse(known)
		if diff := gocmp.Diff(ledger.Of(known, terms(t, day)), ledger.Of(all, terms(t, day))); diff != "" {
			t.Fatalf("as of %s (-replayed +asked):\n%s", day, diff)
		}
	}
}
