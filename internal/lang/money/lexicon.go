package money

import "strings"

// flag is a role of a word near an amount.
type flag uint32

const (
	approximately flag = 1 << iota // about, rund: before an amount
	fastly                         // fast, which means nearly in German only
	upTo                           // to, bis: between the ends of a range
	between                        // begins a range with and
	conjunction                    // and, und
	per                            // per, pro
	article                        // a, die: per only before a known unit
	regularly                      // hourly: the unit is the purpose of the amount
	each                           // makes an amount the price of one
	vague                          // a few hundred has no value
	pricing                        // a word about money
	plain                          // may follow an amount without a currency
	at                             // between a quantity and its rate
	total                          // announces a total
	apart                          // the amount after it is no total of those before it
	governing                      // a verb of which a plain number is the object: paid the remaining 500
	document                       // a noun of which a plain number is the amount after a preposition: a credit of 300
	filling                        // may be between such a word and its number
	loose                          // may follow a bare number
	trading                        // a word of trade that makes a bare number money
)

// entry describes a word or a currency sign. Most words have one role.
type entry struct {
	currency currency
	nation   string // ISO country code, of a word that comes before a currency
	scale    int8   // power of ten, 0 if none
	german   int8   // the same in German, if different
	numeral  int16  // value of a number word under 100, -1 if none
	unit     Unit
	modifier string // square, cubic
	country  string // country that the word refers to
	flags    flag
}

func (e *entry) is(f flag) bool { return e.flags&f != 0 }

// currency is a code, sign or name of money.
type currency struct {
	code string // ISO 4217, or in lower case a name that nation and home resolve
	exp  int8   // of a name for a multiple or a part: cents, grand
	form form
}

type form uint8

const (
	name      form = iota // after the number, in any case
	isoCode               // before or after, in capitals
	looseCode             // the same, after the number in small letters too
)

// symbols are the currency signs without another use in writing.
var symbols = map[rune]*entry{
	'$': sign("dollar"), '€': sign("EUR"), '£': sign("GBP"), '¥': sign("yen"), '￥': sign("yen"), '₹': sign("INR"),
	'₽': sign("RUB"),
	'₩': sign("KRW"), '₺': sign("TRY"), '₪': sign("ILS"), '₫': sign("VND"), '฿': sign("THB"), '₴': sign("UAH"),
	'₱': sign("PHP"),
	'₦': sign("NGN"), '¢': {currency: currency{code: "cent", exp: -2}, numeral: -1},
}

func sign(code string) *entry { return &entry{currency: currency{code: code}, numeral: -1} }

// maxWord is the length in bytes of the longest word of the lexicon.
const maxWord = 20

// lexicon knows words in small letters.
var lexicon = buildLexicon()

func buildLexicon() map[string]*entry {
	known := map[string]*entry{}
	mark := func(words string, set func(e *entry)) {
		for w := range strings.FieldsSeq(words) {
			if known[w] == nil {
				known[w] = &entry{numeral: -1}
			}
			set(known[w])
		}
	}
	for _, c := range currencies {
		for w := range strings.FieldsSeq(c.words) {
			mark(w, func(e *entry) {
				e.currency = c.currency
				if e.currency.code == "" {
					e.currency.code = strings.ToUpper(w)
				}
			})
		}
	}
	for nation, words := range nations {
		mark(words, func(e *entry) { e.nation, e.country = nation, nation })
	}
	for country, words := range countries {
		mark(words, func(e *entry) { e.country = country })
	}
	for exp, words := range scales {
		mark(words, func(e *entry) { e.scale = exp })
	}
	mark("billion", func(e *entry) { e.german = 12 })
	for n, words := range numerals {
		mark(words, func(e *entry) { e.numeral = int16(n) })
	}
	for unit, words := range units {
		mark(words, func(e *entry) { e.unit = unit })
	}
	for modifier, words := range modifiers {
		mark(words, func(e *entry) { e.modifier = modifier })
	}
	for f, words := range roles {
		mark(words, func(e *entry) { e.flags |= f })
	}
	return known
}

var currencies = []struct {
	words string
	currency
}{
	{"eur usd gbp chf aud nzd", currency{form: looseCode}}, // these two lines name themselves
	{"jpy cny inr sek nok dkk isk pln czk huf cad sgd hkd mxn brl zar krw rub ils thb uah aed sar vnd idr twd",
		currency{form: isoCode}},
	{"teur", currency{code: "EUR", exp: 3, form: isoCode}},
	{"keur", currency{code: "EUR", exp: 3, form: looseCode}},
	{"meur", currency{code: "EUR", exp: 6, form: isoCode}},
	{"tchf", currency{code: "CHF", exp: 3, form: isoCode}},
	{"kusd", currency{code: "USD", exp: 3, form: looseCode}},
	{"euro euros", currency{code: "EUR"}},
	{"dollar dollars", currency{code: "dollar"}},
	{"buck bucks", currency{code: "buck"}},
	{"grand", currency{code: "grand", exp: 3}},
	{"cent cents ct cts", currency{code: "cent", exp: -2}},
	{"pence penny", currency{code: "GBP", exp: -2}},
	{"quid sterling", currency{code: "GBP"}},
	{"pound pounds pfund", currency{code: "pound"}},
	{"franc francs", currency{code: "franc"}},
	{"franken", currency{code: "CHF"}},
	{"rappen", currency{code: "CHF", exp: -2}},
	{"sfr", currency{code: "CHF", form: looseCode}},
	{"yen", currency{code: "JPY"}},
	{"yuan renminbi rmb", currency{code: "CNY"}},
	{"rupee rupees rupien", currency{code: "INR"}},
	{"rs", currency{code: "INR", form: looseCode}},
	{"kr", currency{code: "krone", form: looseCode}},
	{"krone kroner kronen krona kronor", currency{code: "krone"}},
	{"zloty zlotys zł złoty", currency{code: "PLN"}},
	{"kč", currency{code: "CZK"}},
	{"forint", currency{code: "HUF"}},
	{"ruble rubles rubel", currency{code: "RUB"}},
	{"shekel shekels", currency{code: "ILS"}},
	{"peso pesos", currency{code: "peso"}},
	{"won", currency{code: "won"}},
}

// nations come right before the sign or the name of a currency and identify its country.
var nations = map[string]string{
	"US": "us american amerikanische amerikanischen",
	"CA": "c ca canadian kanadische kanadischen",
	"AU": "a au australian australische australischen",
	"NZ": "nz zealand",
	"HK": "hk hong kong hongkong",
	"SG": "s sg singapore",
	"BR": "r",
	"MX": "mx mexican mexikanische mexikanischen",
	"CH": "swiss schweizer",
	"GB": "british britische britischen",
	"SE": "swedish schwedische schwedischen",
	"NO": "norwegian norwegische norwegischen",
	"DK": "danish dänische dänischen",
	"IS": "icelandic isländische isländischen",
	"KR": "south korean koreanische koreanischen",
	"JP": "japanese japanische japanischen",
	"IN": "indian indische indischen",
}

// countries are the other words that identify kronor.
var countries = map[string]string{
	"SE": "sweden schweden stockholm", "NO": "norway norwegen oslo", "DK": "denmark dänemark copenhagen kopenhagen",
	"IS": "iceland island reykjavik",
}

// currencyOf maps a currency name that several countries share to the code of each country's currency.
var currencyOf = map[string]map[string]string{
	"dollar": {"US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "HK": "HKD", "SG": "SGD", "BR": "BRL", "MX": "MXN"},
	"krone":  {"SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK"},
	"pound":  {"GB": "GBP"},
	"franc":  {"CH": "CHF"},
	"peso":   {"MX": "MXN"},
	"won":    {"KR": "KRW"},
}

// scales by their power of ten. Single letters count only directly after a number.
var scales = map[int8]string{
	2:  "hundred hundert",
	3:  "k thousand thousands tausend tsd",
	5:  "lakh lakhs lac",
	6:  "m mm mn mio mill million millionen millions",
	7:  "crore crores",
	9:  "b bn mrd billion billions milliarde milliarden",
	12: "t tn trn trillion billionen",
}

var numerals = map[int]string{
	0: "zero null", 1: "one ein eine einen einem einer eins", 2: "two zwei", 3: "three drei", 4: "four vier",
	5: "five fünf fuenf",
	6: "six sechs", 7: "seven sieben", 8: "eight acht", 9: "nine neun", 10: "ten zehn", 11: "eleven elf",
	12: "twelve zwölf zwoelf",
	13: "thirteen dreizehn", 14: "fourteen vierzehn", 15: "fifteen fünfzehn fuenfzehn", 16: "sixteen sechzehn",
	17: "seventeen siebzehn",
	18: "eighteen achtzehn", 19: "nineteen neunzehn", 20: "twenty zwanzig", 30: "thirty dreißig dreissig",
	40: "forty fourty vierzig",
	50: "fifty fünfzig fuenfzig", 60: "sixty sechzig", 70: "seventy siebzig", 80: "eighty achtzig",
	90: "ninety neunzig",
}

// modifiers turn a length into an area or a volume.
var modifiers = map[string]string{
	"2": "square sq", "3": "cubic cu",
}

var roles = map[flag]string{
	approximately: "about around approx approximately roughly circa ca nearly almost ballpark ungefähr etwa rund zirka knapp schätzungsweise annähernd",
	fastly:        "fast",
	upTo:          "to bis",
	between:       "between zwischen",
	conjunction:   "and und",
	per:           "per pro je",
	article:       "a an die der das den im am",
	regularly:     "hourly daily weekly monthly quarterly yearly annually stündlich täglich wöchentlich monatlich jährlich",
	each:          "each apiece jeweils",
	vague:         "few several couple many paar einige mehrere viele some dozens",
	pricing: "budget budgets budgeted cost costs costing costed price prices priced pricing quote quoted quotes estimate estimated estimates invoice invoiced invoices " +
		"bill billed pay pays paid paying payment payments fee fees salary rent spend spent total totals totaling totalled deposit charge charged charges " +
		"worth raise raised funding revenue profit loan debt earn earns earned expensive cheap " +
		"kosten kostet kostete gekostet preis preise angebot rechnung rechnungen zahlung zahlungen zahlen zahlt gezahlt bezahlt bezahlen gehalt miete gebühr gebühren " +
		"anzahlung gesamt gesamtkosten gesamtpreis summe honorar umsatz gewinn kredit schulden verdient verdiene teuer betrag",
	plain: "for per a an in on total budget and or to by if is was as so from this next max at the of but with we i it " +
		"für pro je im am und oder bis inkl netto brutto ist war wenn als so von diese dieses dieser mit aber wir ich",
	at:    "at à á x zu je",
	total: "total totals totaling totalling makes equals so thus approximately about roughly around gives altogether sum gesamt insgesamt macht ergibt also ergeben summe gesamtsumme zusammen rund etwa ca",
	loose: "more extra again off less up today yesterday now including excluding inclusive follow follows came comes arrived landed goes due left remains still then already altogether upfront are were has have went before after until once because minus  " +
		"haben mehr wieder deutlich folgt folgen inklusive drin kam kommt kamen fällig offen heute gestern raus sind waren gingen ging gehen wurden wurde vorab zusammen an bei abzüglich noch",
	trading: "asking asks wanted offered land lands landed cheaper dearer teurer günstiger billiger back zurück transferred wired settled credit credited refund refunded remitted instalment wants " +
		"überwiesen überweisen verlangt verlangen berechnet gutschrift erstattet angewiesen beglichen ausgegeben ausgelegt abgerechnet angezahlt flat pauschal",
	governing: "pay paid paying pays billed bill charge charged charges charging ask asks asking asked want wants wanted transfer transferred wired wire " +
		"spent spend cost costs invoiced owe owes owed refunded credited settled remitted taking takes took sent gave withdrew put puts got need needs needed offered offers quoted bids estimates refunds bought purchased collected raised let lets brauchen braucht brauchte demanded demand demands add adds " +
		"zahlen zahle zahlt zahlte zahlten bezahlt gezahlt überweise überweist überweisen verlangt verlangen verlangte berechnet berechnete kostet kosten kostete " +
		"schulden schuldet erstattet fordert fordern will wollen wollte liegt läge lägen wäre extra additional another",
	document: "fee fees price invoice invoiced bill deposit credit refund payment instalment installment quote offer estimate budget rebate fee advance " +
		"rechnung gutschrift anzahlung rate zahlung erstattung angebot nachtrag schlussrechnung abschlagsrechnung teilrechnung abschlag rabatt restbetrag rest",
	filling: "the a an another other remaining last final full whole outstanding further extra first second about around roughly only just over of for us them him her me to " +
		"die den das der restlichen restliche weiteren weitere letzten letzte ganzen vollen übrigen noch nochmal nur rund etwa über von um auf uns mir ihm ihnen dafür heute gestern today in be will is something like höhe bei schon per pauschal",
	apart: "plus minus deposit discount less zzgl zuzüglich abzüglich anzahlung rabatt extra additional zusätzlich shipping travel versand",
}
