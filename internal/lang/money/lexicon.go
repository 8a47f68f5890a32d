package money

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

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
	governing                      // a verb that takes a plain number as object: paid the remaining 500
	document                       // a noun whose amount follows as a plain number after a preposition: a credit of 300
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

// maxWord is the length in bytes of the longest word of the lexicon.
const maxWord = 20

// The rows of lexicon.txt.
var (
	//go:embed lexicon.txt
	lexiconFile string

	lexicon    = map[string]*entry{}            // words in small letters
	symbols    = map[rune]*entry{}              // currency signs
	currencyOf = map[string]map[string]string{} // codes by names of currencies and by countries
	triggers   []trigger
	unlike     = map[string]bool{} // words and pairs that are no triggers
)

var (
	formNamed = map[string]form{"name": name, "iso": isoCode, "loose": looseCode}
	roleNamed = map[string]flag{"approximately": approximately, "fastly": fastly, "upTo": upTo, "between": between,
		"conjunction": conjunction, "per": per, "article": article, "regularly": regularly, "each": each, "vague": vague,
		"pricing": pricing, "plain": plain, "at": at, "total": total, "apart": apart, "governing": governing,
		"document": document, "filling": filling, "loose": loose, "trading": trading}
)

func init() {
	for key, words := range wordfile.Rows(lexiconFile) {
		kind, of, _ := strings.Cut(key, " ")
		number, _ := strconv.Atoi(of)
		for w := range strings.FieldsSeq(words) {
			switch kind {
			case "currency":
				known(w).currency = currencyOfRow(of, w)
			case "sign":
				r, _ := utf8.DecodeRuneInString(w)
				symbols[r] = &entry{currency: currencyOfRow(of, w), numeral: -1}
			case "shared":
				if currencyOf[of] == nil {
					currencyOf[of] = map[string]string{}
				}
				country, code, _ := strings.Cut(w, "=")
				currencyOf[of][country] = code
			case "nation":
				known(w).nation, known(w).country = of, of
			case "country":
				known(w).country = of
			case "scale":
				known(w).scale = int8(number)
			case "numeral":
				known(w).numeral = int16(number)
			case "unit":
				known(w).unit = Unit(of)
			case "modifier":
				known(w).modifier = of
			case "role":
				known(w).flags |= roleNamed[of]
			case "kind":
				triggers = append(triggers, trigger{Kind(of), w})
			case "unlike":
				unlike[w] = true
			}
		}
	}
	known("billion").german = 12
}

// known returns the entry of a word, which it makes if there is none.
func known(w string) *entry {
	if lexicon[w] == nil {
		lexicon[w] = &entry{numeral: -1}
	}
	return lexicon[w]
}

// currencyOfRow reads "CODE EXP FORM", where the code - stands for the word itself.
func currencyOfRow(row, w string) currency {
	fields := strings.Fields(row)
	exp, _ := strconv.Atoi(fields[1])
	c := currency{code: fields[0], exp: int8(exp), form: formNamed[fields[2]]}
	if c.code == "-" {
		c.code = strings.ToUpper(w)
	}
	return c
}
