package money

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/test/saidtest"
)

// phrase is a text with « » around each amount, and what the amounts are: "~5000..7000 EUR/hour".
type phrase struct{ in, want string }

var english = []phrase{
	// symbols and codes
	{"The fee is «$1,234.56» today.", "1234.56 USD"},
	{"«$5»", "5 USD"},
	{"It cost «$ 50».", "50 USD"},
	{"Lunch was «$.50» off", "0.50 USD"},
	{"«€1.234,56» all in", "1234.56 EUR"},
	{"«€1,234.56» all in", "1234.56 EUR"},
	{"«1,234.56 €» all in", "1234.56 EUR"},
	{"We agreed on «EUR 5000».", "5000 EUR"},
	{"We agreed on «EUR5000».", "5000 EUR"},
	{"We agreed on «5000 EUR».", "5000 EUR"},
	{"send «20 usd» please", "20 USD"},
	{"send «usd 20» please", "20 USD"},
	{"«£99.99» a ticket", "99.99 GBP"},
	{"«CHF 120» or «120 CHF»", "120 CHF; 120 CHF"},
	{"«¥5000» and «JPY 300» and «300 yen»", "5000 JPY; 300 JPY; 300 JPY"},
	{"«₹1,00,000» or «₹ 2,50,000.50»", "100000 INR; 250000.50 INR"},
	{"«Rs. 500» a day", "500 INR/day"},
	{"«5 lakh rupees»", "500000 INR"},
	{"«2 crore rupees»", "20000000 INR"},
	{"«C$40», «A$50», «NZ$60», «HK$70», «S$80», «US$90», «CA$100», «R$110»",
		"40 CAD; 50 AUD; 60 NZD; 70 HKD; 80 SGD; 90 USD; 100 CAD; 110 BRL"},
	{"«USD 40», «CAD 50», «AUD 60»", "40 USD; 50 CAD; 60 AUD"},
	{"«$40 CAD» is «$30 USD»", "40 CAD; 30 USD"},
	{"«50 Canadian dollars» and «60 Australian dollars»", "50 CAD; 60 AUD"},
	{"«50 US dollars» and «60 Hong Kong dollars» and «70 New Zealand dollars»", "50 USD; 60 HKD; 70 NZD"},
	{"«75 Swiss francs»", "75 CHF"},
	{"«100 South Korean won»", "100 KRW"},
	{"«₩5,000», «₽300», «₺20», «₪10», «฿40»", "5000 KRW; 300 RUB; 20 TRY; 10 ILS; 40 THB"},
	{"«500 Swedish kronor»", "500 SEK"},
	{"In Norway a beer is «120 kr».", "120 NOK"},
	{"The Danish hotel took «kr 900»", "900 DKK"},
	{"«20 British pounds» and «20 pounds sterling» and «20 quid»", "20 GBP; 20 GBP; 20 GBP"},
	{"He paid «20 pounds».", "20 GBP"},
	{"«500 Mexican pesos»", "500 MXN"},
	{"«$10» \"«$20»\" '«$30»' *«$40»* `«$50»` [«$60»] <«$70»>",
		"10 USD; 20 USD; 30 USD; 40 USD; 50 USD; 60 USD; 70 USD"},
	// scales
	{"«$5k»", "5000 USD"},
	{"«$5K» raise", "5000 USD"},
	{"«$1.2M» round", "1200000 USD"},
	{"«$1.2m» round", "1200000 USD"},
	{"«€3bn» and «$2B» and «$5MM»", "3000000000 EUR; 2000000000 USD; 5000000 USD"},
	{"«$1.5T» market", "1500000000000 USD"},
	{"«$2 million» and «€3 billion»", "2000000 USD; 3000000000 EUR"},
	{"«$2.5 million dollars»", "2500000 USD"},
	{"«7.5 thousand dollars»", "7500 USD"},
	{"«3 hundred dollars»", "300 USD"},
	{"«5 hundred thousand dollars»", "500000 USD"},
	{"«5k EUR» and «5k€» and «5 k€» and «5kEUR»", "5000 EUR; 5000 EUR; 5000 EUR; 5000 EUR"},
	{"«5 grand» for the car", "5000 USD"},
	{"The budget is «5k».", "5000"},
	{"budget: «1.2M» for next year", "1200000"},
	{"They quoted «12k» for the roof", "12000"},
	{"a «20k» budget", "20000"},
	{"The invoice total is «1,250.00»", "1250"},
	// words
	{"«a hundred bucks»", "100 USD"},
	{"«twenty-five hundred dollars»", "2500 USD"},
	{"«one dollar»", "1 USD"},
	{"«fifty cents»", "0.50 USD"},
	{"«five thousand two hundred and fifty euros»", "5250 EUR"},
	{"«half a million dollars»", "500000 USD"},
	{"«a million dollars»", "1000000 USD"},
	{"«two million three hundred thousand dollars»", "2300000 USD"},
	{"«ninety-nine dollars»", "99 USD"},
	{"I owe him and «ten dollars» more", "10 USD"},
	{"«ten grand»", "10000 USD"},
	{"«five dollars and 50 cents»", "5.50 USD"},
	{"«5 dollars and 50 cents»", "5.50 USD"},
	// cents
	{"«50 cents»", "0.50 USD"},
	{"«99¢»", "0.99 USD"},
	{"«99ct»", "0.99 USD"},
	{"«30 pence»", "0.30 GBP"},
	// signs
	{"«-$50» today", "-50 USD"},
	{"«$-50» today", "-50 USD"},
	{"«−€5.50» today", "-5.50 EUR"},
	{"balance «-50 EUR»", "-50 EUR"},
	{"- «$50» for paint", "50 USD"},
	{"Net: «($1,200.00)»", "-1200 USD"},
	{"| «($1,200)» |", "-1200 USD"},
	{"the fee («$1,200») is due", "1200 USD"},
	{"+«$20» on top", "20 USD"},
	// rates
	{"«$150»/cy", "150 USD/yd3"},
	{"«$95» per hour", "95 USD/hour"},
	{"«$95»/h", "95 USD/hour"},
	{"«$20» an hour and «$900» a month", "20 USD/hour; 900 USD/month"},
	{"«$12» per sq ft and «$13»/sq. ft. and «$14» per square foot", "12 USD/ft2; 13 USD/ft2; 14 USD/ft2"},
	{"«$150» per cubic yard", "150 USD/yd3"},
	{"«€40»/m² and «€90» per m3", "40 EUR/m2; 90 EUR/m3"},
	{"«$20» each", "20 USD/piece"},
	{"«$10» per user per month", "10 USD/user"},
	{"«$8» per ticket", "8 USD/ticket"},
	{"«$3» per 1000 words", "3 USD/1000 words"},
	{"«$500»-a-month flat", "500 USD/month"},
	{"«$40» hourly", "40 USD/hour"},
	{"«$60,000» per annum", "60000 USD/year"},
	// approximations
	{"~«$150»/cy", "~150 USD/yd3"},
	{"about «$500»", "~500 USD"},
	{"approx. «€500»", "~500 EUR"},
	{"ca. «€500»", "~500 EUR"},
	{"approximately «$7,500»", "~7500 USD"},
	{"«$500» or so", "~500 USD"},
	{"«$500»-ish", "~500 USD"},
	{"around «a hundred bucks»", "~100 USD"},
	{"up to «$500»", "500 USD"},
	// ranges
	{"«$5-7k»", "5000..7000 USD"},
	{"«$5k-$7k»", "5000..7000 USD"},
	{"«$5,000 to $7,000»", "5000..7000 USD"},
	{"«$500–700»", "500..700 USD"},
	{"«$500-1k»", "500..1000 USD"},
	{"between «$5 and $7 million»", "5000000..7000000 USD"},
	{"between «5 and 7 thousand dollars»", "5000..7000 USD"},
	{"about «10-15 €»/h", "~10..15 EUR/hour"},
	{"from «500 to 700 euros»", "500..700 EUR"},
	{"«500 – 700 EUR»", "500..700 EUR"},
	{"Item 3 - «500 EUR»", "500 EUR"},
	{"from «$5» to 7 people", "5 USD"},
	{"from «$5» to «7 euros»", "5 USD; 7 EUR"},
	{"«50 cents» to «2 dollars»", "0.50 USD; 2 USD"},
	{"«50 cents» to «70 dollars»", "0.50 USD; 70 USD"},
	{"«€900k to 1.2M»", "900000..1200000 EUR"},
	{"Room 5 to «$700»", "700 USD"},
	// shapes
	{"«$1.234» per litre", "1.234 USD/l"},
	{"«$1,234»", "1234 USD"},
	{"«$0.125» each", "0.125 USD/piece"},
	{"«$0.000002» per token", "0.000002 USD/token"},
	{"«$12,345,678.90»", "12345678.90 USD"},
	{"«$1'234.50»", "1234.50 USD"},
	{"«€1 234,56» and «10 000 000 EUR»", "1234.56 EUR; 10000000 EUR"},
	{"«$5», then «$6».", "5 USD; 6 USD"},
	{"5 «$10» bills", "10 USD"},
	{"a «50-dollar» bill", "50 USD"},
	{"Total:«$500»", "500 USD"},
	{"3h @«$95» and 3x«$20»", "95 USD; 20 USD"},
}

var german = []phrase{
	{"Das kostet «1.234,56 €».", "1234.56 EUR"},
	{"Das kostet «€1.234,56».", "1234.56 EUR"},
	{"Das kostet «1.234 Euro».", "1234 EUR"},
	{"Das kostet «1,234 Euro» je Liter", "1.234 EUR/l"},
	{"«1.234.567 €»", "1234567 EUR"},
	{"«EUR 5000» oder «5.000 EUR»", "5000 EUR; 5000 EUR"},
	{"«10 000 Euro» Kaution", "10000 EUR"},
	{"«1 234 567,89 €»", "1234567.89 EUR"},
	{"«1,5 Mio. Euro»", "1500000 EUR"},
	{"«1,5 Mio €» und «3 Mrd. Euro»", "1500000 EUR; 3000000000 EUR"},
	{"«2 Millionen Euro», «3 Milliarden Euro», «1 Billion Euro»", "2000000 EUR; 3000000000 EUR; 1000000000000 EUR"},
	{"«500 TEUR» und «500 T€» und «30 Tsd. Euro»", "500000 EUR; 500000 EUR; 30000 EUR"},
	{"«5 tausend Euro»", "5000 EUR"},
	{"«fünftausend Euro»", "5000 EUR"},
	{"«zweihundertfünfzig Euro»", "250 EUR"},
	{"«fünfundzwanzigtausend Euro»", "25000 EUR"},
	{"«dreitausendfünfhundert Euro»", "3500 EUR"},
	{"«hunderttausend Euro»", "100000 EUR"},
	{"«tausend Euro» und «hundert Euro»", "1000 EUR; 100 EUR"},
	{"«eine Million Euro»", "1000000 EUR"},
	{"«eine halbe Million Euro»", "500000 EUR"},
	{"«anderthalb Millionen Euro»", "1500000 EUR"},
	{"«zwanzig Franken»", "20 CHF"},
	{"«ein Euro»", "1 EUR"},
	{"«50 Cent» und «99 ct»", "0.50 EUR; 0.99 EUR"},
	{"«5 Euro und 50 Cent»", "5.50 EUR"},
	{"«50,- €» und «50,– Euro»", "50 EUR; 50 EUR"},
	{"Der Stuhl: «50,-»", "50"},
	{"«CHF 1'234.50» und «75 Schweizer Franken»", "1234.50 CHF; 75 CHF"},
	{"«100 US-Dollar» und «50 kanadische Dollar»", "100 USD; 50 CAD"},
	{"«300 schwedische Kronen»", "300 SEK"},
	{"In Dänemark waren es «300 Kronen».", "300 DKK"},
	{"«£20» und «20 Britische Pfund»", "20 GBP; 20 GBP"},
	{"Das Pfund Kaffee kostet «8,99 €»", "8.99 EUR"},
	{"«95 Euro» pro Stunde", "95 EUR/hour"},
	{"«95 €»/h", "95 EUR/hour"},
	{"«95 €»/Std.", "95 EUR/hour"},
	{"«12,50 €» pro m² und «80 €»/m³ und «7 €» je Quadratmeter", "12.50 EUR/m2; 80 EUR/m3; 7 EUR/m2"},
	{"«4 €» je Stück und «5 €» je", "4 EUR/piece; 5 EUR/piece"},
	{"«900 Euro» im Monat und «60.000 €» im Jahr", "900 EUR/month; 60000 EUR/year"},
	{"«95 Euro» die Stunde", "95 EUR/hour"},
	{"«30 €» pro Kopf", "30 EUR/person"},
	{"«800 €» monatlich", "800 EUR/month"},
	{"zwischen «5.000 und 7.000 Euro»", "5000..7000 EUR"},
	{"«5.000 bis 7.000 Euro»", "5000..7000 EUR"},
	{"von «500 bis 700 €»", "500..700 EUR"},
	{"«5–7 Mio. Euro»", "5000000..7000000 EUR"},
	{"«5-7k €»", "5000..7000 EUR"},
	{"ca. «500 €»", "~500 EUR"},
	{"rund «3.000 Euro»", "~3000 EUR"},
	{"etwa «fünfzig Euro»", "~50 EUR"},
	{"fast «100 Euro»", "~100 EUR"},
	{"ungefähr «20 €» oder «30 €» oder so", "~20 EUR; ~30 EUR"},
	{"bis zu «500 €»", "500 EUR"},
	{"«-20,50 €» Gutschrift", "-20.50 EUR"},
	{"Saldo: «(1.200,00 €)»", "-1200 EUR"},
	{"die Gebühr («20 €») ist fällig", "20 EUR"},
	{"ein «500-Euro»-Budget", "500 EUR"},
	{"Die Rechnung über «1.200,00» ist da", "1200"},
	{"Das Budget liegt bei «20k».", "20000"},
	{"«7.500 Dollar»", "7500 USD"},
	{"«1.000 ¥» und «CZK 500» und «20 zł»", "1000 JPY; 500 CZK; 20 PLN"},
	{"«FÜNFZIG EURO»", "50 EUR"},
}

var negatives = []string{
	"in 2024 we moved", "since 1999", "the years 2019-2024", "call 555-123-4567", "call +1 (555) 123-4567",
	"+49 30 123456",
	"version 1.2.3", "v1.2 is out", "Go 1.26.8", "on 2024-05-01", "on 05/01/2024", "on 1.5.2024", "at 10:30",
	"from 10:30 to 11:45",
	"5 stars", "I rate it 4.5", "cd $HOME", "echo $PATH", "${HOME}/bin", "awk '{print $2}'", "$1_000", "€uro",
	"room 1,234", "room 1234",
	"id 1234567", "order #1234", "ticket ABC-1234", "192.168.1.100", "50%", "50 percent", "50 Prozent", "5,5 %", "$5%",
	"1.234.567 people",
	"12 apples", "5k run", "I ran 5k today", "10k followers", "1.2M rows", "5km", "5 m", "5 kg", "I lost 20 pounds",
	"20 Pfund Kartoffeln",
	"the 500 kr question", "won 500 games", "500 won", "I won 5", "a few hundred dollars", "a couple hundred bucks",
	"several thousand euros",
	"hundreds of dollars", "thousands of euros", "million dollar question", "the dollar is strong", "der Euro fällt",
	"die Eurozone",
	"ein paar hundert Euro", "mehrere tausend Euro", "Millionen Euro", "5 grand pianos", "20 Euro-Scheine",
	"Euro 6 diesel", "EURO 2024",
	"x$50", "abc123$", "$", "€", "$$", "$ $", "", "US", "C$", "5 x 3", "A4", "M3", "3T MRI", "T1", "100 %", "cent",
	"a cent", "50 shades",
	"dollar-store 5", "ISBN 978-3-16-148410-0", "0x1F4", "1e5", "#500", "3:1", "16:9", "KW 42", "Seite 12", "§ 433",
	"Zimmer 1.234",
	"geboren am 12.03.1985", "PLZ 10115", "IBAN DE89 3704 0044 0532 0130 00", "1.2.3 €", "12:30 EUR",
	"123456789012345678901 EUR",
	"$5abc", "$1,23,4", "$7-5", "$1.2.3", "$100.0,0.0", "2024-05-500 EUR", "10 000 Stück", "I have not a cent",
	"a dollar a day", "budget for 2024", "budget v1.20", "the paid plan has 5k users", "invoice 20.15.3",
	"Rechnung vom 12.05.", "the price rose 5.25 percent", "paid on 12.05", "paid for 5m of cable", "Angebot Nr. 12345",
	"Rechnung 4711", "invoice no. 1234", "price=$5", "den Euro 500", "Fr. 12.5.", "pro 5", "per 5",
}

func TestFind(t *testing.T) {
	t.Parallel()
	for lang, phrases := range [][]phrase{English: english, German: german} {
		for _, p := range phrases {
			text := strings.NewReplacer("«", "", "»", "").Replace(p.in)
			found := Find(text, Lang(lang), "")
			if got := render(found); got != p.want {
				t.Errorf("Find(%q) = %s, want %s", text, got, p.want)
			}
			if got := marked(text, found); got != p.in {
				t.Errorf("Find(%q): spans %s, want %s", text, got, p.in)
			}
		}
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	for _, text := range negatives {
		for _, lang := range []Lang{English, German, Unknown} {
			if found := Find(text, lang, ""); len(found) > 0 {
				t.Errorf("Find(%q) in language %d = %s, want nothing", text, lang, render(found))
			}
		}
	}
}

func TestFindByLanguageAndHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		lang Lang
		home string
		want string
	}{
		{"1.234 €", German, "", "1234 EUR"},
		{"1.234 €", English, "", "1234 EUR"},
		{"1.234 € per litre", English, "", "1.234 EUR/l"},
		{"EUR 1.234", English, "", "1234 EUR"},
		{"$1.234", English, "", "1.234 USD"},
		{"1.234 €", Unknown, "", "1234 EUR"},
		{"1,234 €", German, "", "1234 EUR"},
		{"1,234 €", English, "", "1234 EUR"},
		{"1,234 €", Unknown, "", "1234 EUR"},
		{"1.50 €", German, "", "1.50 EUR"},
		{"1,50 €", English, "", "1.50 EUR"},
		{"0.123 €", German, "", "0.123 EUR"},
		{"1234.567 €", German, "", "1234.567 EUR"},
		{"1 billion euros", English, "", "1000000000 EUR"},
		{"one billion euros", English, "", "1000000000 EUR"},
		{"eine Billion Euro", German, "", "1000000000000 EUR"},
		{"2 Billion Euro", German, "", "2000000000000 EUR"},
		{"10 000 Euro", English, "", ""}, // a plain space groups in German only, and here nobody knows
		{"3 100 Euro", Unknown, "", ""},
		{"€1 234,56", German, "", "1234.56 EUR"},
		{"$5", English, "CAD", "5 CAD"},
		{"$5", English, "EUR", "5 USD"},
		{"US$5", English, "CAD", "5 USD"},
		{"5 dollars", English, "AUD", "5 AUD"},
		{"¥5", English, "CNY", "5 CNY"},
		{"50 cents", English, "EUR", "0.50 EUR"},
		{"50 cents", English, "CAD", "0.50 CAD"},
		{"50 Cent", German, "USD", "0.50 EUR"},
		{"20 pounds", English, "GBP", "20 GBP"},
		{"500 kr", English, "SEK", "500 SEK"},
		{"500 kr in Oslo", English, "SEK", "500 NOK"},
		{"500 francs", English, "CHF", "500 CHF"},
		{"fast 500 €", English, "", "500 EUR"},
		{"5 grand", English, "GBP", "5000 GBP"},
	} {
		if got := render(Find(c.in, c.lang, c.home)); got != c.want {
			t.Errorf("Find(%q, %d, %q) = %s, want %s", c.in, c.lang, c.home, got, c.want)
		}
	}
}

func render(found []Amount) string {
	var parts []string
	for _, a := range found {
		s := a.Value.String()
		if a.Low != a.High {
			s = a.Low.String() + ".." + a.High.String()
		}
		if a.Approximate {
			s = "~" + s
		}
		if a.Currency != "" {
			s += " " + a.Currency
		}
		if a.Per != "" {
			s += "/" + string(a.Per)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

// marked puts « » around the amounts.
func marked(text string, found []Amount) string {
	var b strings.Builder
	end := 0
	for _, a := range found {
		fmt.Fprintf(&b, "%s«%s»", text[end:a.Start], text[a.Start:a.End])
		end = a.End
	}
	return b.String() + text[end:]
}

func FuzzFind(f *testing.F) {
	for _, p := range append(english, german...) {
		f.Add(p.in, uint8(0), "USD")
	}
	for _, s := range negatives {
		f.Add(s, uint8(1), "")
	}
	f.Fuzz(checkFind)
}

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		for lang := range uint8(3) {
			checkFind(t, text, lang, "EUR")
			checkCalculate(t, text, text, lang)
			for _, a := range FindBare(text, Lang(lang), "") {
				About(text[:a.Start], text[a.End:]).Details()
			}
		}
		Topic(text)
		TopicBefore(text)
		Settles(text)
	})
}

// checkFind checks what must hold for every text.
func checkFind(t *testing.T, text string, lang uint8, home string) {
	end := 0
	for _, a := range Find(text, Lang(lang%3), home) {
		if a.Start < end || a.End <= a.Start || a.End > len(text) {
			t.Fatalf("Find(%q): span %d..%d after %d", text, a.Start, a.End, end)
		}
		end = a.End
		if utf8.ValidString(text) && !utf8.ValidString(text[a.Start:a.End]) {
			t.Errorf("Find(%q): span %q cuts a character", text, text[a.Start:a.End])
		}
		for _, d := range []Decimal{a.Value, a.Low, a.High} {
			if again, err := ParseDecimal(d.String()); err != nil || again != d {
				t.Errorf("Find(%q): ParseDecimal(%q) = %v, %v", text, d, again, err)
			}
		}
		if a.Low.Cmp(a.High) > 0 || a.Value != a.High {
			t.Errorf("Find(%q): %v is outside %v..%v", text, a.Value, a.Low, a.High)
		}
		Classify(text, a, Lang(lang%3))
	}
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"none_200B", "Yesterday we walked along the river with the children and talked about school, the new teacher and the trip to the " +
			"mountains in 2024, which all 12 of them liked so much that they want to go again."},
		{"german_none_200B", "Gestern sind wir mit den Kindern am Fluss entlang gelaufen und haben über die Schule, die neue Lehrerin und die " +
			"Fahrt in die Berge 2024 geredet, die allen 12 gut gefiel."},
		{"two_200B", "The contractor came back with a number: 50 cubic yards of concrete at ~$150/cy, which makes approximately $7,500 " +
			"before delivery, and he wants to begin on Monday if the weather holds up."},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Find(c.text, English, "USD")
			}
		})
	}
}
