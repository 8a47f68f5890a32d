package money

// Lang is the language of a text. It decides the meaning of a single sign between digits; see the package comment.
type Lang uint8

// The languages. Unknown is for texts in an unknown language.
const (
	English Lang = iota
	German
	Unknown
)

// Span is a position in a text.
type Span struct {
	Text       int // which of several texts, see [Calculate]; 0 for [Find]
	Start, End int // bytes
}

// Amount is an amount of money and its position. The span includes sign, number and currency, and both ends of a range,
// but not the words around them (about, per hour).
type Amount struct {
	Span
	Value       Decimal // exact; of a range its upper end, the amount to plan with
	Low, High   Decimal // ends of a range, both equal to Value if there is none
	Currency    string  // ISO 4217; "" if the text names none
	Approximate bool    // marked with ~, about, rund …; bounds such as "up to" are not approximations
	Per         Unit    // the unit of a rate; "" for an amount that is no rate

	exponent int // power of ten of the last written digit
}

// Find returns the amounts of money in text, in order and without overlap. Home is the user's currency, an ISO 4217
// code that decides the meaning of a bare $ and similar signs, or ""; see the package comment. It is safe for
// concurrent use.
//
// A negative amount has its sign right before the number or currency, or fills a line, a table cell or the text after
// a colon in parentheses; parentheses inside a sentence do not count.
func Find(text string, lang Lang, home string) []Amount {
	r := newReader(text, lang, home)
	return r.amounts()
}

// FindBare is like [Find] and also returns bare numbers: those without a currency and the shape of an amount that a
// word of paying, billing, asking or offering governs, as "they billed the remaining 4,200". It is for texts about
// money; in others such a number may count anything.
func FindBare(text string, lang Lang, home string) []Amount {
	r := newReader(text, lang, home)
	r.bare = true
	return r.amounts()
}

type reader struct {
	source string
	lang   Lang
	home   string
	tokens []token
	bare   bool // bare numbers are wanted
	from   int  // the first token that is not part of an earlier amount
}

func newReader(text string, lang Lang, home string) *reader {
	return &reader{source: text, lang: lang, home: home, tokens: lex(text, make([]token, 0, len(text)/4+4))}
}

func (r *reader) amounts() []Amount {
	found, _ := r.amountsAndTokens()
	return found
}

// tokenSpan are the tokens of an amount with its rate.
type tokenSpan struct{ start, end int }

func (r *reader) amountsAndTokens() (found []Amount, spans []tokenSpan) {
	for i := 0; i < len(r.tokens); {
		a, start, end, ok := r.amountAt(i)
		if !ok {
			i++
			continue
		}
		a.Start, a.End = r.tokens[start].start, r.tokens[end-1].end
		if !a.Approximate {
			a.Approximate = r.isApproximate(start, end)
		}
		a.Per = r.rate(end)
		if first, last, negative := r.inParentheses(start, end); negative {
			a.Start, a.End = r.tokens[first].start, r.tokens[last].end
			a.Value, a.Low, a.High = a.Value.Neg(), a.High.Neg(), a.Low.Neg()
		}
		found, spans = append(found, a), append(spans, tokenSpan{start, end})
		i, r.from = end, end
	}
	return found, spans
}

// mark is a currency in the text, and a minus sign.
type mark struct {
	code     string // ISO 4217, "" if none
	exp      int
	negative bool
	dollar   bool // a bare dollar sign: a code after the number identifies the currency
}

// amountAt reads an amount that is found at token i: at its number or at the sign before it, or at its currency if the
// number is in words.
func (r *reader) amountAt(i int) (a Amount, start, end int, ok bool) {
	t := &r.tokens[i]
	switch {
	case t.class == number:
		if !r.opens(i) {
			return a, i, i, false
		}
		a, end, ok = r.read(i, i, mark{})
		return a, i, end, ok
	case t.class == word && t.entry.currency.code == "" && t.entry.nation == "", t.class == other && r.char(i) != '-':
		return a, i, i, false
	}
	if r.char(i) == '-' && !r.isSign(i) {
		return a, i, i, false
	}
	if n, m, ok := r.prefix(i); ok && r.opens(i) {
		if a, end, ok = r.read(i, n, m); ok {
			return a, i, end, true
		}
	}
	if t.class == word {
		return r.inWords(i)
	}
	return a, i, i, false
}

// read reads an amount whose number is at token n, with the currency before it if there is one.
func (r *reader) read(start, n int, m mark) (a Amount, end int, ok bool) {
	low, next, ok := r.digits(n)
	if !ok {
		return a, start, false
	}
	end = r.suffix(next, &m)
	high := low
	if upper, after, of, ok := r.rangeEnd(start, next, end, low, m); ok {
		high, end, m = upper, after, of
		if high.scaled && !low.scaled && low.base.Cmp(high.base) < 0 { // $5-7k
			if low.value, ok = low.value.shift(high.exponent + high.places); !ok {
				return a, start, false
			}
		}
	}
	if m.code == "" && !r.isPlainMoney(start, end, high) || !r.closes(end) {
		return a, start, false
	}
	if a, ok = r.amount(low.value, high.value, high.exponent, m); !ok {
		return a, start, false
	}
	end = r.cents(&a, end)
	return a, end, true
}

// rangeEnd reads the other end of a range. Its first number ends before token next, and with its currency before token
// i. It returns the currency of both.
func (r *reader) rangeEnd(start, next, i int, low numeral, m mark) (high numeral, end int, of mark, ok bool) {
	joins := func(f flag) bool { return r.has(i, f) && !r.tokens[i].newline }
	dash := r.char(i) == '-' && !r.tokens[i].newline
	if !dash && !joins(upTo) && !(joins(conjunction) && r.has(start-1, between)) {
		return high, i, m, false
	}
	named, spaced := m.code != "", dash && !r.tokens[i].glued
	n := i + 1
	if code, exp, after, bare := r.currencyBefore(n); after > n {
		if m.code != code || m.exp != exp {
			return high, i, m, false
		}
		m.dollar, n = bare, after
	}
	if !r.is(n, number) || r.tokens[n].newline {
		return high, i, m, false
	}
	high, bare, ok := r.digits(n)
	if !ok || low.scaled && !high.scaled || low.value.Cmp(high.value) > 0 {
		return high, i, m, false
	}
	if end = r.suffix(bare, &m); end == bare {
		if _, _, _, another := r.currencyAfter(end); another { // 50 cents to 2 dollars
			return high, i, m, false
		}
	}
	if tenfold, ok := low.value.shift(1); spaced && !named && (!ok || tenfold.Cmp(high.value) < 0) { // item 3 - 500 EUR
		return high, i, m, false
	}
	if !dash && named && n == i+1 && end == bare && !high.scaled && r.counted(end) { // $5 to 7 people
		return high, i, m, false
	}
	return high, end, m, true
}

// suffix reads the currency after a number. It may repeat one before the number, or identify the dollars.
func (r *reader) suffix(i int, m *mark) (next int) {
	code, exp, next, ok := r.currencyAfter(i)
	switch {
	case !ok, m.code != "" && r.is(next, number) && !r.tokens[next].newline:
		return i
	case m.code == "", m.dollar && (exp == 0 && isDollar(code)):
		m.code, m.exp, m.dollar = code, exp, false
		return next
	case m.code == code && m.exp == exp:
		return next
	}
	return i
}

func isDollar(code string) bool {
	for _, iso := range currencyOf["dollar"] {
		if iso == code {
			return true
		}
	}
	return false
}

// prefix reads a sign and a currency before a number and returns the token of the number.
func (r *reader) prefix(i int) (n int, m mark, ok bool) {
	if r.char(i) == '-' {
		m.negative = true
		i++
	}
	if !r.is(i, number) {
		code, exp, next, bare := r.currencyBefore(i)
		if next == i {
			return i, m, false
		}
		m.code, m.exp, m.dollar = code, exp, bare
		i = next
		if r.char(i) == '-' && !m.negative && r.glued(i+1, number) { // $-50
			m.negative = true
			i++
		}
	}
	return i, m, r.is(i, number) && !r.tokens[i].newline
}

// currencyBefore reads a currency that comes before its number.
func (r *reader) currencyBefore(i int) (code string, exp, next int, bare bool) {
	if i >= len(r.tokens) {
		return "", 0, i, false
	}
	e := r.tokens[i].entry
	switch {
	case r.is(i, symbol) && e.currency.exp == 0:
		code, ok := r.resolve(e.currency.code, "", i)
		if !ok {
			return "", 0, i, false
		}
		return code, 0, i + 1, e.currency.code == "dollar"
	case r.is(i, word) && e.nation != "" && r.glued(i+1, symbol) && isCapital(r.source[r.tokens[i].start]):
		if code, ok := r.resolve(r.tokens[i+1].entry.currency.code, e.nation, i); ok {
			return code, 0, i + 2, false
		}
	case r.is(i, word) && (e.currency.form == looseCode || e.currency.form == isoCode && isUpper(r.text(i))):
		if code, ok := r.resolve(e.currency.code, "", i); ok {
			return code, int(e.currency.exp), r.skipPoint(i + 1), false
		}
	}
	return "", 0, i, false
}

// inWords reads an amount whose number is in words before the currency at token i.
func (r *reader) inWords(i int) (a Amount, start, end int, ok bool) {
	code, exp, end, ok := r.currencyAfter(i)
	if !ok {
		return a, i, i, false
	}
	before := i
	if r.char(i-1) == '-' && r.tokens[i].glued {
		before--
	}
	n, start, ok := r.words(r.from, before)
	if !ok || !r.closes(end) {
		return a, i, i, false
	}
	if a, ok = r.amount(n.value, n.value, 0, mark{code: code, exp: exp}); !ok {
		return a, i, i, false
	}
	end = r.cents(&a, end)
	return a, start, end, true
}

// amount makes an amount of its parts.
func (r *reader) amount(low, high Decimal, exponent int, m mark) (a Amount, ok bool) {
	if low, ok = low.shift(m.exp); !ok {
		return a, false
	}
	if high, ok = high.shift(m.exp); !ok {
		return a, false
	}
	if m.negative {
		low, high = high.Neg(), low.Neg()
	}
	return Amount{Value: high, Low: low, High: high, Currency: m.code, exponent: exponent + m.exp}, true
}

// cents reads a part in cents after an amount of whole units: 5 dollars and 50 cents.
func (r *reader) cents(a *Amount, i int) (next int) {
	if a.exponent < 0 || a.Low != a.High || !r.is(i-1, word) {
		return i
	}
	n := i
	if r.is(n, word) && r.tokens[n].entry.is(conjunction) {
		n++
	}
	if !r.is(n, number) || !allDigits(r.text(n)) || len(r.text(n)) > 2 || r.tokens[n].newline {
		return i
	}
	code, exp, next, ok := r.currencyAfter(n + 1)
	if !ok || exp != -2 || code != a.Currency && !r.is(next-1, word) {
		return i
	}
	part, _ := newDecimal(r.text(n), "")
	if part, ok = part.shift(-2); !ok {
		return i
	}
	if a.Value.Cmp(Decimal{}) < 0 {
		part = part.Neg()
	}
	sum, ok := a.Value.Add(part)
	if !ok {
		return i
	}
	a.Value, a.Low, a.High, a.exponent = sum, sum, sum, -2
	return next
}

// currencyAfter reads a currency that comes after its number.
func (r *reader) currencyAfter(i int) (code string, exp, next int, ok bool) {
	if i >= len(r.tokens) || r.tokens[i].newline {
		return "", 0, i, false
	}
	if r.char(i) == '-' && r.glued(i, other) && r.glued(i+1, word) { // 5-Euro
		i++
	}
	first, nation := i, ""
	e := r.tokens[i].entry
	if e.nation != "" && r.is(i, word) && len(r.text(i)) > 1 {
		nation = e.nation
		if i++; r.char(i) == '-' {
			i++
		}
		if r.is(i, word) && r.tokens[i].entry.nation == nation { // Hong Kong, South Korean
			i++
		}
	} else if r.is(i, word) && r.lower(i) == "new" && r.is(i+1, word) && r.tokens[i+1].entry.nation == "NZ" {
		nation, i = "NZ", i+2
	}
	if !r.is(i, word) && !r.is(i, symbol) {
		return "", 0, first, false
	}
	c := r.tokens[i].entry.currency
	switch {
	case c.code == "", c.form == isoCode && !isUpper(r.text(i)):
		return "", 0, first, false
	case r.is(i, symbol) && r.glued(i+1, number) && !r.tokens[i].glued: // 5 $10 bills
		return "", 0, first, false
	case r.is(i, word) && r.glued(i+1, other) && r.char(i+1) == '-' && r.glued(i+2, word) && !r.tokens[first].glued &&
		!r.tokens[i+2].entry.is(article): // 20 Euro-Scheine
		return "", 0, first, false
	case c.code == "grand" && r.is(i+1, word) && (r.lower(i+1) == "piano" || r.lower(i+1) == "pianos"):
		return "", 0, first, false
	}
	if code, ok = r.resolve(c.code, nation, first); !ok {
		return "", 0, first, false
	}
	next = i + 1
	if code == "GBP" && r.is(next, word) && r.lower(next) == "sterling" {
		next++
	}
	return code, int(c.exp), next, true
}

// resolve returns the ISO code of a code or name that is at token i.
func (r *reader) resolve(code, nation string, i int) (string, bool) {
	if code == "" {
		return "", false
	}
	if isCapital(code[0]) {
		return code, true
	}
	if nation != "" && code != "cent" {
		iso := currencyOf[code][nation]
		if iso == "" && code == "yen" {
			iso = "JPY"
		}
		return iso, iso != ""
	}
	switch code {
	case "dollar":
		for _, iso := range currencyOf["dollar"] {
			if iso == r.home && iso != "BRL" {
				return iso, true
			}
		}
		return "USD", true
	case "yen":
		if r.home == "CNY" {
			return "CNY", true
		}
		return "JPY", true
	case "cent":
		switch {
		case r.lang == German:
			return "EUR", true
		case r.home != "":
			return r.home, true
		}
		return "USD", true
	case "buck", "grand":
		if r.home != "" {
			return r.home, true
		}
		return "USD", true
	case "krone":
		return r.krone(i)
	case "pound":
		sterling := r.is(i+1, word) && r.lower(i+1) == "sterling"
		return "GBP", sterling || r.home == "GBP" || r.near(i-3, i, pricing)
	case "franc":
		return "CHF", r.home == "CHF"
	}
	return "", false
}

// nearby is how many tokens away the word for a country may be that identifies kronor.
const nearby = 12

func (r *reader) krone(i int) (string, bool) {
	for distance := range nearby {
		for _, j := range [2]int{i - distance, i + distance} {
			if j < 0 || j >= len(r.tokens) {
				continue
			}
			if iso := currencyOf["krone"][r.tokens[j].entry.country]; iso != "" && len(r.text(j)) > 2 {
				return iso, true
			}
		}
	}
	for _, iso := range currencyOf["krone"] {
		if iso == r.home {
			return iso, true
		}
	}
	return "", false
}
