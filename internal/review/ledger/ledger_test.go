package ledger_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// said is a fact in a line: ID kind amount currency item counterparty number, - for none.
func said(day int, line string) ledger.Fact {
	w := strings.Fields(line)
	for len(w) < 7 {
		w = append(w, "-")
	}
	for i := range w {
		if w[i] == "-" {
			w[i] = ""
		}
	}
	return ledger.Fact{ID: trilith.ID(w[0]), Kind: w[1], Amount: w[2], Currency: w[3], Item: w[4], Counterparty: w[5],
		Number: w[6], At: start.AddDate(0, 0, day)}
}

func of(t testing.TB, tolerance string, rates []string, lines ...string) trilith.ProjectLedger {
	t.Helper()
	var facts []ledger.Fact
	for i, l := range lines {
		facts = append(facts, said(i, l))
	}
	return made(t, tolerance, rates, facts)
}

func made(t testing.TB, tolerance string, rates []string, facts []ledger.Fact) trilith.ProjectLedger {
	t.Helper()
	tol, err := ledger.ParseTolerance(tolerance)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ledger.ParseRates(rates)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Of(facts, ledger.Terms{AsOf: start.AddDate(1, 0, 0), Tolerance: tol, Rates: r})
}

// brief writes matches and findings in a line each.
func brief(l trilith.ProjectLedger) string {
	var out []string
	for _, m := range l.Matches {
		out = append(out, fmt.Sprintf("%s→%s %s %s", m.FactID, m.To, m.By, m.Amount))
	}
	for _, f := range l.Findings {
		out = append(out, fmt.Sprintf("%s %v %v %s", f.Kind, f.FactIDs, f.Others, f.Amount))
	}
	return strings.Join(out, "\n")
}

func TestMatching(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tolerance string
		lines           []string
		want            string
	}{
		{"by the number", "", []string{"q quote 100 EUR roof Huber A-7", "r quote 100 EUR roof Huber A-8",
			"i invoice 60 EUR - - A8"}, "i→r number part"},
		{"by counterparty and item", "", []string{"q quote 100 EUR roof Huber", "r quote 100 EUR doors Huber",
			"i invoice 100 EUR doors Huber"}, "i→r counterparty and item exact"},
		{"a company's form does not matter", "", []string{"q quote 100 EUR roof Huber-GmbH", "i invoice 100 EUR - Huber"},
			"i→q counterparty exact"},
		{"within the tolerance", "2%", []string{"q quote 100 EUR roof Huber", "r quote 200 EUR doors Huber",
			"i invoice 101.99 EUR - Huber"}, "i→q counterparty within the tolerance\nover_invoiced [i] [q] 1.99"},
		{"beyond the tolerance", "1%", []string{"q quote 100 EUR roof Huber", "r quote 200 EUR doors Huber",
			"i invoice 101.99 EUR - Huber"}, "ambiguous [i] [q r] 101.99"},
		{"ambiguous", "", []string{"q quote 100 EUR roof Huber", "r quote 100 EUR doors Huber",
			"i invoice 100 EUR - Huber"}, "ambiguous [i] [q r] 100"},
		{"another currency", "", []string{"q quote 100 EUR roof Huber", "i invoice 100 USD roof Huber"},
			"unmatched [i] [] 100"},
		{"another party", "", []string{"q quote 100 EUR roof Huber", "i invoice 100 EUR roof Kranz"},
			"unmatched [i] [] 100"},
		{"an estimate that is exceeded", "", []string{"e estimate 100 EUR roof", "i invoice 120 EUR roof Huber"},
			"i→e item more\nover_invoiced [i] [e] 20"},
		{"a change of one of two orders", "", []string{"q quote 100 EUR roof Huber", "r quote 90 EUR gutter Huber",
			"c change_order 20 EUR - Huber"}, "ambiguous [c] [q r] 20"},
		{"a change that says what it is for", "", []string{"q quote 100 EUR roof Huber", "r quote 90 EUR gutter Huber",
			"c change_order 20 EUR gutter Huber"}, "c→r counterparty and item "},
		{"an estimate of somebody else", "", []string{"e estimate 100 EUR roof Meyer", "i invoice 120 EUR roof Huber"},
			"unmatched [i] [] 120"},
		{"an estimate of the amount", "", []string{"e estimate 100 EUR roof", "i invoice 100 EUR roof Huber"},
			"i→e item exact"},
		{"payments of one invoice", "", []string{"i invoice 100 EUR roof Huber 7", "p payment 30 EUR - Huber",
			"o payment 70 EUR - - 7"}, "p→i counterparty part\no→i number exact\nunmatched [i] [] 100"},
		{"overpaid", "", []string{"i invoice 100 EUR roof Huber 7", "p payment 130 EUR - - 7"},
			"p→i number more\nunmatched [i] [] 100\noverpaid [i] [p] 30"},
		{"an advance", "", []string{"q quote 100 EUR roof Huber", "p payment 30 EUR - Huber"}, "p→q counterparty part"},
		{"one number twice", "", []string{"i invoice 100 EUR roof Huber R-7", "j invoice 100 EUR roof Huber R7"},
			"unmatched [i] [] 100\nunmatched [j] [] 100\ninvoiced_twice [j] [i] 100"},
		{"a payment that names another invoice", "", []string{"i invoice 60 EUR roof Huber R-7", "p payment 60 EUR roof Huber R-8"},
			"unmatched [i] [] 60\nunmatched [p] [] 60"},
		{"a credit note", "", []string{"q quote 100 EUR roof Huber", "i invoice 60 EUR roof Huber 7",
			"c credit_note 10 EUR - - 7", "p payment 50 EUR - Huber"},
			"i→q counterparty and item part\nc→i number part\np→i counterparty exact"},
		{"a credit note for an invoice too many", "", []string{"q quote 100 EUR roof Huber", "i invoice 100 EUR - Huber",
			"j invoice 100 EUR - Huber", "c credit_note 100 EUR - Huber"},
			"i→q counterparty exact\nj→q counterparty exact\nc→i counterparty exact"},
		{"a credit note for one of two orders", "", []string{"q quote 90 EUR roof Huber", "r quote 80 EUR doors Huber",
			"i invoice 90 EUR roof Huber", "j invoice 80 EUR doors Huber", "c credit_note 10 EUR - Huber"},
			"i→q counterparty and item exact\nj→r counterparty and item exact\nambiguous [c] [i j] 10"},
		{"a refund", "", []string{"i invoice 100 EUR roof Huber 7", "p payment 100 EUR - - 7", "r refund 30 EUR - Huber"},
			"p→i number exact\nr→p counterparty part\nunmatched [i] [] 100"},
		{"a refund of nothing", "", []string{"r refund 30 EUR - Huber", "i invoice 100 EUR roof Huber 7"},
			"unmatched [r] [] 30\nunmatched [i] [] 100"},
		{"a change order and its order", "", []string{"q quote 100 EUR roof Huber", "c change_order 20 EUR rafters Huber",
			"i invoice 130 EUR roof Huber"}, "c→q counterparty \ni→q counterparty and item more\nover_invoiced [i] [q c] 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := brief(of(t, c.tolerance, nil, c.lines...)); got != c.want {
				t.Errorf("matches and findings:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// The ledger says what it leaves out, and no sum contains it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	facts := []ledger.Fact{said(0, "a invoice 100 EUR roof Huber"), said(1, "b invoice 12,5 EUR roof Huber"),
		said(2, "c rent 100 EUR"), said(3, "d invoice 5 EUR roof Huber"), said(4, "e budget 10 EUR"),
		said(5, "f budget 20 EUR")}
	facts[3].Omit = trilith.OmittedDisputed
	l := made(t, "", nil, facts)
	var got []string
	for _, o := range l.LeftOut {
		got = append(got, string(o.FactID)+" "+o.Reason)
	}
	want := []string{"b no_amount", "c no_kind", "d disputed", "e replaced"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if got := l.Totals[0]; got.Invoiced != "100" || got.Budget != "20" {
		t.Errorf("totals = %+v, want 100 invoiced of a budget of 20", got)
	}
}

// Currencies are summed up with the rates of the caller alone.
func TestRates(t *testing.T) {
	t.Parallel()
	lines := []string{"a invoice 100 EUR roof", "b invoice 108 USD roof", "c invoice 7 CHF roof"}
	if l := of(t, "", nil, lines...); l.Combined != nil || len(l.Totals) != 3 {
		t.Errorf("without rates: combined %+v of %d totals, want none of 3", l.Combined, len(l.Totals))
	}
	c := of(t, "", []string{"EUR:USD=1.08"}, lines...).Combined
	if c == nil || c.Invoiced != "200" || c.Currency != "EUR" || !slices.Equal(c.Without, []string{"CHF"}) {
		t.Errorf("combined = %+v, want 200 EUR without CHF", c)
	}
}

// random are facts about money whose items say which belong together.
func random(r *rand.Rand, items int) []ledger.Fact {
	kinds := []string{"budget", "estimate", "quote", "change_order", "hard_cost", "invoice", "payment",
		"credit_note", "refund"}
	var out []ledger.Fact
	for i := range 60 + r.IntN(60) {
		item := r.IntN(items)
		f := said(r.IntN(200), fmt.Sprintf("f%d %s %d.%02d %s item%d party%d n%d-%d", i, kinds[r.IntN(len(kinds))],
			r.IntN(100000), r.IntN(100), []string{"EUR", "USD"}[item%2], item, item, item, i))
		if r.IntN(5) == 0 {
			f.Number = ""
		}
		if r.IntN(6) == 0 {
			until := f.At.AddDate(0, 0, r.IntN(400))
			f.Until = &until
			if f.Kind == "invoice" && r.IntN(2) == 0 {
				f.Settled = &ledger.Settled{Quote: "paid"}
			}
		}
		out = append(out, f)
	}
	return out
}

// figures are the sums of a total by name.
func figures(l trilith.ProjectLedger, committed bool) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for _, t := range l.Totals {
		all := map[string]string{"allocated": t.Allocated, "estimated": t.Estimated, "quoted": t.Quoted,
			"invoiced": t.Invoiced}
		if committed {
			all["committed"], all["paid"], all["open"] = t.Committed, t.Paid, t.Open
		}
		for name, text := range all {
			value, _ := new(big.Rat).SetString(text)
			out[t.Currency+" "+name] = value
		}
	}
	return out
}

// Plain sums are those of the parts, however the facts are parted; what depends on what belongs together is, too, if
// the parts keep that together.
func TestSumOfParts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		facts := random(r, 6)
		for _, together := range []bool{false, true} {
			parts := make([][]ledger.Fact, 3)
			for _, f := range facts {
				n := r.IntN(3)
				if together {
					n = int(f.Item[len(f.Item)-1]) % 3
				}
				parts[n] = append(parts[n], f)
			}
			sum := map[string]*big.Rat{}
			for _, p := range parts {
				for name, value := range figures(made(t, "", nil, p), together) {
					if sum[name] == nil {
						sum[name] = new(big.Rat)
					}
					sum[name].Add(sum[name], value)
				}
			}
			for name, want := range figures(made(t, "", nil, facts), together) {
				if sum[name] == nil || sum[name].Cmp(want) != 0 {
					t.Fatalf("seed %d, together %v: %s of the parts is %v, of the whole %v", seed, together, name, sum[name],
						want)
				}
			}
		}
	}
}

// The order in which facts come does not matter, and taking facts out takes their share out.
func TestOrderAndErasing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		facts := random(r, 4)
		want := made(t, "", nil, facts)
		shuffled := slices.Clone(facts)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := gocmp.Diff(want, made(t, "", nil, shuffled)); diff != "" {
			t.Fatalf("seed %d, another order (-want +got):\n%s", seed, diff)
		}
		n := r.IntN(len(facts))
		for n > 0 && facts[n].Kind != "invoice" {
			n--
		}
		erased := facts[n]
		rest := made(t, "", nil, slices.Delete(slices.Clone(facts), n, n+1))
		for _, l := range rest.Lines {
			for _, e := range l.Entries {
				if e.FactID == erased.ID {
					t.Fatalf("seed %d: the erased fact is still there", seed)
				}
			}
		}
		if erased.Kind == "invoice" && (erased.Until == nil || erased.Settled != nil) {
			name := erased.Currency + " invoiced"
			left := new(big.Rat)
			if v := figures(rest, false)[name]; v != nil {
				left = v
			}
			amount, _ := new(big.Rat).SetString(erased.Amount)
			if left.Add(left, amount).Cmp(figures(want, false)[name]) != 0 {
				t.Fatalf("seed %d: %s is not less by %s", seed, name, erased.Amount)
			}
		}
	}
}

// No cell is a formula, and numbers stay numbers.
func TestCSV(t *testing.T) {
	t.Parallel()
	facts := []ledger.Fact{said(0, "a invoice -12.50 EUR roof Huber")}
	facts[0].Item, facts[0].Quote, facts[0].Counterparty = "=1+1", "+49 30, \"cmd\"\n|x", "@SUM(A1)"
	l := made(t, "", nil, facts)
	var b strings.Builder
	if err := l.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"'=1+1", "'@SUM(A1)", `"'+49 30, ""cmd""`, ",-12.50,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("CSV lacks %q:\n%s", want, b.String())
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"EUR:USD=1.08", "EUR:EUR=1", "EUR:USD=0", "EUR:USD=1e9", "1%", "50", "-1", "101%", "", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := ledger.ParseRates([]string{s}); err == nil && r.Base == "" {
			t.Errorf("ParseRates(%q) has no base", s)
		}
		if tol, err := ledger.ParseTolerance(s); err == nil && s != "" && tol.String() != s {
			t.Errorf("ParseTolerance(%q) = %s", s, tol)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("=cmd()", "-1")
	f.Add("\t=x", "roof")
	f.Fuzz(func(t *testing.T, item, quote string) {
		fact := said(0, "a invoice 1 EUR")
		fact.Item, fact.Quote = item, quote
		l := made(t, "", nil, []ledger.Fact{fact})
		var b strings.Builder
		if err := l.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
	})
}

// Credited amounts are not invoiced and refunded amounts are not paid; both reduce the committed amount only where
// nothing was ordered.
func TestCredits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []string
		want  trilith.LedgerSums
	}{
		{"on an order", []string{"q quote 100 EUR roof Huber", "i invoice 100 EUR roof Huber", "c credit_note 40 EUR - Huber"},
			trilith.LedgerSums{Quoted: "100", Committed: "100", Invoiced: "60", Paid: "0", Open: "60"}},
		{"without an order", []string{"i invoice 100 EUR roof Huber", "c credit_note -40 EUR - Huber"},
			trilith.LedgerSums{Committed: "60", Invoiced: "60", Paid: "0", Open: "60"}},
		{"and paid back", []string{"i invoice 100 EUR roof Huber", "p payment 100 EUR - Huber",
			"c credit_note 40 EUR - Huber", "r refund 40 EUR - Huber"},
			trilith.LedgerSums{Committed: "60", Invoiced: "60", Paid: "60", Open: "0"}},
		{"an advance refunded", []string{"p payment 100 EUR roof Huber", "r refund 100 EUR - Huber"},
			trilith.LedgerSums{Committed: "0", Invoiced: "0", Paid: "0", Open: "0"}},
		{"refunded and due again", []string{"i invoice 100 EUR roof Huber", "p payment 100 EUR - Huber",
			"r refund 100 EUR - Huber"},
			trilith.LedgerSums{Committed: "100", Invoiced: "100", Paid: "0", Open: "100"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := c.want
			want.Budget, want.Estimated = "0", "0"
			if want.Quoted == "" {
				want.Quoted = "0"
			}
			if got := of(t, "", nil, c.lines...).Totals[0].LedgerSums; got != want {
				t.Errorf("sums = %+v, want %+v", got, want)
			}
		})
	}
}

// A person's decision comes before every rule, and what is ruled out cannot be chosen.
func TestDecided(t *testing.T) {
	t.Parallel()
	lines := []string{"q quote 100 EUR roof Huber", "r quote 100 EUR doors Huber", "i invoice 100 EUR - Huber",
		"x budget 100 EUR roof", "y quote 100 USD roof Huber"}
	for _, c := range []struct {
		name    string
		decided []ledger.Decided
		want    string
	}{
		{"nothing", nil, "ambiguous [i] [q r] 100"},
		{"to one", []ledger.Decided{{Paper: "i", Of: "r"}}, "i→r decision exact"},
		{"the last", []ledger.Decided{{Paper: "i", Of: "r"}, {Paper: "i", Of: "q"}}, "i→q decision exact"},
		{"one ruled out", []ledger.Decided{{Paper: "i", Of: "q", Not: true}}, "i→r counterparty exact"},
		{"all ruled out", []ledger.Decided{{Paper: "i", Of: "q", Not: true}, {Paper: "i", Of: "r", Not: true}},
			"unmatched [i] [] 100"},
		{"to what holds no invoice", []ledger.Decided{{Paper: "i", Of: "x"}}, "ambiguous [i] [q r] 100"},
		{"to another currency", []ledger.Decided{{Paper: "i", Of: "y"}}, "ambiguous [i] [q r] 100"},
		{"to what is not there", []ledger.Decided{{Paper: "i", Of: "z"}}, "ambiguous [i] [q r] 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var facts []ledger.Fact
			for i, l := range lines {
				facts = append(facts, said(i, l))
			}
			tolerance, err := ledger.ParseTolerance("")
			if err != nil {
				t.Fatal(err)
			}
			l := ledger.Of(facts, ledger.Terms{AsOf: start.AddDate(1, 0, 0), Tolerance: tolerance, Decided: c.decided})
			if got := brief(l); got != c.want {
				t.Errorf("matches and findings:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// A fact that has ended is in no sum from then on, and neither is a change of it.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	facts := []ledger.Fact{said(0, "q quote 100 EUR roof Huber"), said(1, "c change_order 20 EUR roof Huber"),
		said(2, "i invoice 50 EUR roof Huber")}
	until := start.AddDate(0, 0, 10)
	facts[1].Until = &until
	for day, want := range map[int]string{9: "120", 10: "100"} {
		tolerance, _ := ledger.ParseTolerance("")
		l := ledger.Of(facts, ledger.Terms{AsOf: start.AddDate(0, 0, day), Tolerance: tolerance})
		if got := l.Totals[0].Committed; got != want {
			t.Errorf("day %d: committed %s, want %s", day, got, want)
		}
	}
}

// Phases are kept apart like items: what is for one phase belongs to nothing of another, and takes a phase that it does
// not name from what it belongs to.
func TestPhases(t *testing.T) {
	t.Parallel()
	var facts []ledger.Fact
	for i, l := range []string{"b budget 500 EUR roof", "d budget 300 EUR roof", "q quote 100 EUR roof Huber 1",
		"r quote 250 EUR roof Huber 2", "i invoice 100 EUR roof Huber", "j invoice 40 EUR - Huber 2",
		"p payment 40 EUR - Huber"} {
		facts = append(facts, said(i, l))
	}
	for i, phase := range []string{"phase 1", "phase 2", "phase 1", "phase 2", "phase 1"} {
		facts[i].Phase = phase
	}
	l := made(t, "", nil, facts)
	if got, want := brief(l), "i→q counterparty and item exact\nj→r number part\np→j counterparty exact"; got != want {
		t.Errorf("matches and findings:\n%s\nwant:\n%s", got, want)
	}
	got := map[string]string{}
	for _, i := range l.Items {
		got[i.Phase] = strings.Join([]string{i.Budget, i.Committed, i.Invoiced, i.Paid, i.Open, i.Variance}, " ")
	}
	want := map[string]string{"phase 1": "500 100 100 0 100 400", "phase 2": "300 250 40 40 0 50"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("items by phase (-want +got):\n%s", diff)
	}
}

// As of a day, the ledger of all facts is that of the facts that were known on it, as they were known.
func TestAsOfIsReplayOfRandomFacts(t *testing.T) {
	t.Parallel()
	tolerance, err := ledger.ParseTolerance("")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := random(r, 5)
		day := start.AddDate(0, 0, r.IntN(260))
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
		terms := ledger.Terms{AsOf: day, Tolerance: tolerance}
		if diff := gocmp.Diff(ledger.Of(known, terms), ledger.Of(all, terms)); diff != "" {
			t.Fatalf("seed %d, as of %s (-replayed +asked):\n%s", seed, day.Format(time.DateOnly), diff)
		}
	}
}

// The entries of the lines add up to what the totals say is invoiced and paid.
func TestBalance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		l := made(t, "", nil, random(rand.New(rand.NewPCG(seed, 4)), 5))
		sum := map[string]*big.Rat{}
		for _, line := range l.Lines {
			for _, e := range line.Entries {
				name := map[string]string{"invoice": " invoiced", "credit_note": " invoiced", "payment": " paid",
					"refund": " paid", ledger.Settlement: " paid"}[e.Kind]
				if sum[line.Currency+name] == nil {
					sum[line.Currency+name] = new(big.Rat)
				}
				amount, _ := new(big.Rat).SetString(e.Amount)
				sum[line.Currency+name].Add(sum[line.Currency+name], amount)
			}
		}
		for name, want := range figures(l, true) {
			if got := sum[name]; got != nil && got.Cmp(want) != 0 {
				t.Fatalf("seed %d: the entries of %s add up to %s, the total says %s", seed, name, got, want)
			}
		}
	}
}

// TestSettlement: a statement of payment without an amount settles the one invoice that was open then, or all of a
// party that is paid, and none if several bills could be meant, even if something is paid later.
func TestSettlement(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 9, 0, 0, 0, time.UTC) }
	invoice := func(id, number, party, item, amount string, n int) ledger.Fact {
		return ledger.Fact{ID: trilith.ID(id), Kind: ledger.Invoice, Number: number, Counterparty: party, Item: item,
			Amount: amount, Currency: "EUR", At: day(n), Quote: "an invoice"}
	}
	says := func(id, number, party, item, quote string, n int) ledger.Fact {
		return ledger.Fact{ID: trilith.ID(id), Kind: ledger.Settlement, Number: number, Counterparty: party, Item: item,
			At: day(n), Quote: quote}
	}
	first, second := invoice("a", "7", "Auer", "roof", "1000", 1), invoice("b", "9", "Auer", "door", "500", 2)
	for _, c := range []struct {
		why       string
		facts     []ledger.Fact
		open      string
		ambiguous int
	}{
		{"the one that is open", []ledger.Fact{first, says("s", "", "Auer", "", "Auer's bill is paid.", 3)}, "0", 0},
		{"by its number", []ledger.Fact{first, second, says("s", "9", "", "", "9 is paid.", 3)}, "1000", 0},
		{"by what it is for", []ledger.Fact{first, second, says("s", "", "", "Dach", "Das Dach ist bezahlt.", 3)}, "500", 0},
		{"all of a party", []ledger.Fact{first, second, says("s", "", "Auer", "", "Auer is paid.", 3)}, "0", 0},
		{"none that came later", []ledger.Fact{first, invoice("b", "9", "Auer", "door", "500", 5),
			says("s", "", "Auer", "", "Auer is paid.", 3)}, "500", 0},
		{"none of two bills", []ledger.Fact{first, second, says("s", "", "Auer", "", "Auer's bill is paid.", 3)},
			"1500", 1},
		{"nor if one of them is paid later", []ledger.Fact{first, second,
			says("s", "", "Auer", "", "Auer's bill is paid.", 3), says("u", "9", "", "", "9 is paid.", 4)}, "1000", 1},
	} {
		got := ledger.Of(c.facts, ledger.Terms{AsOf: day(30)})
		if len(got.Totals) != 1 || got.Totals[0].Open != c.open {
			t.Errorf("%s: totals %+v, want %s open", c.why, got.Totals, c.open)
		}
		ambiguous := 0
		for _, f := range got.Findings {
			if f.Kind == trilith.FindingAmbiguous {
				ambiguous++
			}
		}
		if ambiguous != c.ambiguous {
			t.Errorf("%s: %d ambiguous, want %d: %+v", c.why, ambiguous, c.ambiguous, got.Findings)
		}
	}
}
