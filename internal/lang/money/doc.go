// Package money reads amounts of money out of text, English and German, and checks quantity × rate against a stated
// total. A number is money because something says so: a currency next to it, or, for one without a currency, both the
// shape of an amount (5k, 1.200,00, 50,-) and a word about money just before or after it. Years, versions, dates,
// phone numbers, percentages and counts carry neither. A doubtful amount is left out: a missed amount can still be
// found as text, and an invented one cannot be taken back.
//
// Values are exact decimals; nothing is ever computed in floating point.
//
// # Numbers
//
// Both languages' words are known in every text; the language settles only the signs and words that both use
// differently:
//
//   - Where both . and , occur, the last is the decimal sign, in any language: 1,234.56 and 1.234,56.
//   - A sign that repeats groups thousands (1.234.567), as do apostrophes (1'234.50) and no-break and thin spaces; a
//     plain space groups in German only (10 000 Euro). Indian grouping is known (1,00,000).
//   - A single sign before one, two or more than three digits is a decimal sign: 7.5 and 7,5.
//   - A single sign before exactly three digits is a decimal sign after 0 or four digits and more. Else it depends:
//     1.234 is 1234 in German and 1.234 in English; 1,234 is 1.234 in German and 1234 in English. In an unknown
//     language both are 1234, and so are both next to the euro, except in the price of a unit (1.234 € per litre):
//     people of one project write both.
//   - billion is 10⁹, but 10¹² in German, where 10⁹ is Milliarde.
//
// A number needs at most 18 digits; longer ones are ids.
//
// # Currencies
//
// A symbol, an ISO code or a name tells the currency, with a nation if there is one (C$, Canadian dollars). The home
// currency decides the rest:
//
//   - $ and dollar are the home currency if that is a dollar, else USD; ¥ is JPY unless home is CNY.
//   - Cents are EUR in German, else of the home currency, USD without one. Grand and bucks go by home, too.
//   - kr and its long forms need a home that has kronor, or a country's word among the nearby words.
//   - Pounds are a weight, unless home is GBP or a word about money comes just before them. £ is GBP.
package money
