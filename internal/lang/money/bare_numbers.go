package money

import (
	"slices"
	"strings"
)

// bare is a number without a currency, from token start to before token end.
type bare struct {
	*reader
	start, end int
}

// told are the words about money.
const told = pricing | trading

// Bounds of a bare number that can be money: smaller ones count something.
const (
	minGoverned   = 100
	firstYear     = 1900
	lastYear      = 2100
	governedReach = 14 // how many tokens before a number the word may be that governs it
	maxShort      = 3  // letters of a word that a point shortens: no., Nr., inv.
)

// isMoney reports whether the number is a sum: by its shape and a word of trade near by, or because such a word governs
// it.
func (b bare) isMoney(n numeral) bool {
	if !n.shaped {
		return b.isGoverned(n)
	}
	return b.char(b.start-1) == ':' || b.isSum() || b.hasParty() || b.near(b.start-5, b.start, trading) ||
		b.near(b.end, b.end+2, trading)
}

// isGoverned reports whether a whole number is the sum that is paid, billed or asked for: "they billed the remaining
// 4,200", "a credit of 300", "die 7.250 überwiesen".
func (b bare) isGoverned(n numeral) bool {
	value, grouped := n.value.coef, !allDigits(b.text(b.start))
	switch isNamed := b.has(b.start-1, filling); {
	case n.value.scale > 0, n.scaled, value < minGoverned, !grouped && firstYear <= value && value <= lastYear:
		return false
	case b.isSum(), isNamed && b.near(b.end, b.end+4, told):
		return true
	case grouped && (b.char(b.start-1) == ':' || b.isApposed() || b.near(b.end, b.end+2, told) ||
		isNamed && b.hasGoal()):
		return true
	}
	isFilled := true // between the word and the number is nothing but filling
	for i := b.start - 1; i >= max(0, b.start-governedReach) && !b.tokens[i+1].newline; i-- {
		isNext := i == b.start-1
		switch {
		case strings.IndexByte("!?;", b.char(i)) >= 0, b.char(i) == '.' && !b.isShort(i-1):
			return false
		case grouped && b.has(i, governing|document|told), isFilled && !isNext && b.has(i, governing|document):
			return true
		case isNext && b.has(i, governing) && b.has(b.end, plain|loose) && !b.has(b.end, conjunction):
			return true
		case !b.has(i, filling):
			isFilled = false
		}
	}
	return false
}

func (b bare) isShort(i int) bool { return b.is(i, word) && len(b.text(i)) <= maxShort }

// isSum reports whether the words behind the number say that it is a sum: "700 on top", "a 200 credit", "940
// überwiesen".
func (b bare) isSum() bool {
	i := b.end
	if !b.is(i, word) || b.tokens[i].newline {
		return false
	}
	next := ""
	if b.is(i+1, word) {
		next = b.lower(i + 1)
	}
	switch b.lower(i) {
	case "extra", "zusätzlich", "obendrauf", "altogether", "insgesamt":
		return true
	case "on":
		return next == "top"
	case "in":
		return next == "all" || next == "total"
	case "credit", "refund", "discount", "rebate", "deposit", "gutschrift", "nachlass", "rabatt", "kaution":
		return b.has(b.start-1, article)
	case "überwiesen", "bezahlt", "gezahlt", "angewiesen", "angezahlt", "paid", "transferred":
		return b.is(b.start-1, word) && !b.has(b.start-1, document)
	}
	return false
}

// isApposed reports whether the number is between commas, or ends a sentence after one: "the bill is in, 5,967."
func (b bare) isApposed() bool {
	return b.char(b.start-1) == ',' && (b.end >= len(b.tokens) || strings.IndexByte(",.!", b.char(b.end)) >= 0)
}

// towards come before the party that gets a sum.
var towards = []string{"to", "an", "for", "für", "at", "bei", "from", "von"}

// hasGoal reports whether a party comes after the number, or nothing: "4,080 to Kunz", "for 8,900."
func (b bare) hasGoal() bool {
	return b.end >= len(b.tokens) || strings.IndexByte(".!", b.char(b.end)) >= 0 || b.hasParty()
}

func (b bare) hasParty() bool {
	i := b.end
	return b.is(i, word) && slices.Contains(towards, b.lower(i)) && b.is(i+1, word) && isCapital(b.text(i + 1)[0])
}
