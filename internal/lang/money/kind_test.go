package money

import "testing"

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang Lang
		in   string
		want Kind
	}{
		{English, "The roofer's estimate is $12,000.", Estimate},
		{English, "They estimated $12,000 for the roof.", Estimate},
		{English, "a ballpark of $12k", Estimate},
		{English, "We got a quote for $8,200 from Lee.", Quote},
		{English, "Their bid came in at $8,200.", Quote},
		{English, "Invoice 4711 over $950 arrived.", Invoice},
		{English, "They billed us $950.", Invoice},
		{English, "I paid $40 for lunch.", Payment},
		{English, "A deposit of €500 is due.", Payment},
		{English, "The budget is $50k.", Budget},
		{English, "a $50k budget", Budget},
		{English, "Change order #3 adds $2,400.", ChangeOrder},
		{English, "hard costs of $2M", HardCost},
		{English, "It is worth $5.", ""},
		{English, "We have a budget. The bike was $900.", ""},
		{English, "The estimate came!\nIt was $900.", ""},
		{English, "The quote was fine, and I paid $900.", Payment},
		{English, "paid $900 of the invoice", Payment},
		{German, "Das Angebot liegt bei 8.200 €.", Quote},
		{German, "Angebotssumme: 8.200 €", Quote},
		{German, "Die Schlussrechnung über 950 € ist da.", Invoice},
		{German, "Der Rechnungsbetrag ist 950 €.", Invoice},
		{German, "Laut Berechnung sind es 950 €.", ""},
		{German, "Ich habe 40 Euro bezahlt.", Payment},
		{German, "Die Anzahlung von 500 € ist überwiesen.", Payment},
		{German, "Unser Projektbudget beträgt 50.000 €.", Budget},
		{German, "Der Nachtrag kostet 2.400 €.", ChangeOrder},
		{German, "Laut Kostenvoranschlag 12.000 €", Estimate},
		{German, "Wir schätzen 12.000 €.", Estimate},
		{German, "Baukosten: 2 Mio. Euro", HardCost},
		{German, "Das Rad war 900 €.", ""},
	} {
		found := Find(c.in, c.lang, "")
		if len(found) != 1 {
			t.Errorf("Find(%q) = %s, want one amount", c.in, render(found))
			continue
		}
		if got := Classify(c.in, found[0], c.lang); got != c.want {
			t.Errorf("Classify(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestClassifyOutside(t *testing.T) {
	t.Parallel()
	for _, s := range []Span{{0, -1, 1}, {0, 0, 99}, {0, 3, 2}} {
		if got := Classify("paid $5", Amount{Span: s}, English); got != "" {
			t.Errorf("Classify at %v = %q, want none: it lies outside the text", s, got)
		}
	}
}
