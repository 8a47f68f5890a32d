package money

import (
	"fmt"
	"strings"
	"testing"
)

func TestCalculate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why   string
		lang  Lang
		texts []string
		want  string
	}{
		{"the answer completes the question", English,
			[]string{"What would 50 cubic yards of concrete cost?", "At ~$150/cy, approximately $7,500."},
			"50 yd3 × ~150 USD/yd3 = 7500: agrees with ~7500 USD"},
		{"all of it stands in one sentence", English, []string{"50 cubic yards at ~$150/cy, approximately $7,500"},
			"50 yd3 × ~150 USD/yd3 = 7500: agrees with ~7500 USD"},
		{"an approximate total may be a twentieth off", English,
			[]string{"52 cubic yards at $150/cy, approximately $7,500"},
			"52 yd3 × 150 USD/yd3 = 7800: agrees with ~7500 USD"},
		{"and no more", English, []string{"60 cubic yards at $150/cy, approximately $7,500"},
			"60 yd3 × 150 USD/yd3 = 9000: differs with ~7500 USD"},
		{"an exact total has to be exact", English, []string{"40 hours at $95 per hour = $3,900"},
			"40 hour × 95 USD/hour = 3800: differs with 3900 USD"},
		{"a total is rounded to its last place", English, []string{"1.5 hours at $33.33/h = $50.00 (rounded)"},
			"1.50 hour × 33.33 USD/hour = 49.995: agrees with 50 USD"},
		{"or to whole units", English, []string{"1.5 hours at $33.50/h makes $50"},
			"1.50 hour × 33.50 USD/hour = 50.25: agrees with 50 USD"},
		{"no total is no difference", English, []string{"We need 40 hours at $95/h."},
			"40 hour × 95 USD/hour = 3800: unchecked"},
		{"what is added is no total", English, []string{"40 hours at $95/h, plus $200 travel, about"},
			"40 hour × 95 USD/hour = 3800: unchecked"},
		{"what nothing announces is no total", English, []string{"40 hours at $95/h. Dana lent me $200."},
			"40 hour × 95 USD/hour = 3800: unchecked"},
		{"the total may come first", English, []string{"That is $3,800, for 40 hours at $95/h."},
			"40 hour × 95 USD/hour = 3800: agrees with 3800 USD"},
		{"the total may come in the answer", English, []string{"40 hours at $95/h?", "So $3,800 then."},
			"40 hour × 95 USD/hour = 3800: agrees with 3800 USD"},
		{"the rate may come first", English, []string{"$95 per hour for 40 hours: $3,800"},
			"40 hour × 95 USD/hour = 3800: agrees with 3800 USD"},
		{"two calculations", English, []string{"40 hours at $95/h = $3,800 and 10 m² at $20 per square meter = $200"},
			"40 hour × 95 USD/hour = 3800: agrees with 3800 USD; 10 m2 × 20 USD/m2 = 200: agrees with 200 USD"},
		{"one total for two products is stated for one", English,
			[]string{"2 hours at $50/h and 4 days at $25 a day: $100"},
			"2 hour × 50 USD/hour = 100: agrees with 100 USD; 4 day × 25 USD/day = 100: unchecked"},
		{"other units do not multiply", English, []string{"50 cubic yards at $95 per hour"}, ""},
		{"other currencies are no total", English, []string{"40 hours at $95/h = €3,800"},
			"40 hour × 95 USD/hour = 3800: unchecked"},
		{"things counted", English, []string{"4 concert tickets at $20 each = $80"},
			"4 tickets × 20 USD/piece = 80: agrees with 80 USD"},
		{"things counted in words", English, []string{"four tickets at $20, total $80"},
			"4 tickets × 20 USD/tickets = 80: agrees with 80 USD"},
		{"a range of rates", English, []string{"10 hours at $90-110 per hour = $1,000"},
			"10 hour × 90..110 USD/hour = 1100: agrees with 1000 USD"},
		{"a quantity in words", English, []string{"fifty cubic yards at $150/cy = $7,500"},
			"50 yd3 × 150 USD/yd3 = 7500: agrees with 7500 USD"},
		{"the German sign", German, []string{"120 h à 95 EUR = 11.400 EUR"},
			"120 hour × 95 EUR/hour = 11400: agrees with 11400 EUR"},
		{"without a currency", German, []string{"120 h à 95"}, "120 hour × 95/hour = 11400: unchecked"},
		{"a sign of multiplication", German, []string{"3 × 1.200,00 = 3.600,00 €"},
			"3 × 1200/piece = 3600: agrees with 3600 EUR"},
		{"German pieces", German, []string{"12 Stück à 4,50 €, zusammen 54 €"},
			"12 piece × 4.50 EUR/piece = 54: agrees with 54 EUR"},
		{"German rate", German, []string{"Wie viel kosten 80 m² Parkett?", "Rund 45 € pro m², also etwa 3.600 €."},
			"80 m2 × ~45 EUR/m2 = 3600: agrees with ~3600 EUR"},
		{"German zu je", German, []string{"50 Stunden zu je 80 Euro macht 4.100 Euro"},
			"50 hour × 80 EUR/hour = 4000: differs with 4100 EUR"},
		{"dimensions", English, []string{"a 3 x 4 m room", "3 × 4", "room 3 x 4.20 m"}, ""},
		{"nothing", English, nil, ""},
		{"too many digits", English, []string{"999999999999999999 hours at $999 per hour"}, ""},
	} {
		var got []string
		for _, x := range Calculate(c.lang, "", c.texts...) {
			q := strings.TrimSpace(x.Quantity.Value.String() + " " + string(x.Quantity.Unit))
			s := fmt.Sprintf("%s × %s = %s: %s", q, render([]Amount{x.Rate}), x.Product, x.Check)
			if x.Check != Unchecked {
				s += " with " + render([]Amount{x.Total})
			}
			got = append(got, s)
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s: Calculate(%q) = %s, want %s", c.why, c.texts, got, c.want)
		}
	}
}

func TestCalculateSaysWhere(t *testing.T) {
	t.Parallel()
	texts := []string{"What would 50 cubic yards cost?", "At ~$150/cy,", "approximately $7,500."}
	all := Calculate(English, "USD", texts...)
	if len(all) != 1 {
		t.Fatalf("Calculate(%q) = %v, want one calculation", texts, all)
	}
	for _, c := range []struct {
		what string
		at   Span
		text int
		want string
	}{
		{"Quantity", all[0].Quantity.Span, 0, "50 cubic yards"},
		{"Rate", all[0].Rate.Span, 1, "$150"},
		{"Total", all[0].Total.Span, 2, "$7,500"},
	} {
		if got := texts[c.at.Text][c.at.Start:c.at.End]; c.at.Text != c.text || got != c.want {
			t.Errorf("Calculate(%q): %s is %q in text %d, want %q in text %d", texts, c.what, got, c.at.Text,
				c.want, c.text)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	f.Add("What would 50 cubic yards cost?", "~$150/cy, approximately $7,500", uint8(0))
	f.Add("120 h à 95 EUR", "3 × 1.200,00 = 3.600,00 €", uint8(1))
	f.Add("four tickets at $20 each", "4 m2 x @ ~ $5-7k/m2 = (€1)", uint8(2))
	f.Add("100y à 70EUR", "0×A! 1.000,00X 1000000$ 0", uint8(0))
	f.Fuzz(checkCalculate)
}

// checkCalculate checks what must hold for every two texts.
func checkCalculate(t *testing.T, question, answer string, lang uint8) {
	texts := []string{question, answer}
	for _, c := range Calculate(Lang(lang%3), "", texts...) {
		for _, s := range []Span{c.Quantity.Span, c.Rate.Span, c.Total.Span} {
			if s.Text < 0 || s.Text > 1 || s.Start < 0 || s.Start > s.End || s.End > len(texts[s.Text]) {
				t.Fatalf("Calculate(%q): span %v", texts, s)
			}
		}
		if product, ok := c.Quantity.Value.Mul(c.Rate.Value); !ok || product != c.Product {
			t.Errorf("Calculate(%q): %v × %v = %v", texts, c.Quantity.Value, c.Rate.Value, c.Product)
		}
		if (c.Check == Unchecked) != (c.Total == Amount{}) {
			t.Errorf("Calculate(%q): %v with total %v", texts, c.Check, c.Total)
		}
	}
}
