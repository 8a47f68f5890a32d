package money

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxDigits is the largest number of digits of a [Decimal]: any such number fits into an int64.
const maxDigits = 18

// Decimal is an exact decimal number of at most 18 digits. The zero value is 0. Equal numbers are equal with ==.
type Decimal struct {
	coef  int64 // without trailing zeros after the decimal point
	scale int8  // how many digits of coef come after the point: 0 to maxDigits
}

// ParseDecimal reads digits with an optional minus sign and an optional point between digits: the form that
// [Decimal.String] writes. It is an error if the number has more than 18 digits.
func ParseDecimal(s string) (Decimal, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if !allDigits(whole) || point && !allDigits(fraction) {
		return Decimal{}, fmt.Errorf("money: %q is not a decimal number such as 7500 or -7500.50", s)
	}
	d, ok := newDecimal(whole, fraction)
	if !ok {
		return Decimal{}, fmt.Errorf("money: %q has more than %d digits", s, maxDigits)
	}
	if negative {
		d = d.Neg()
	}
	return d, nil
}

// newDecimal makes a number of the digits before and after the point.
func newDecimal(whole, fraction string) (Decimal, bool) {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(whole)+len(fraction) > maxDigits {
		return Decimal{}, false
	}
	coef, _ := strconv.ParseInt("0"+whole+fraction, 10, 64)
	return Decimal{coef, int8(len(fraction))}, true
}

// String writes the canonical form of the number: no grouping, a point, and either no fraction or one of at least two
// digits, as for money: 7500, 7500.50, -0.05, 0.125.
func (d Decimal) String() string {
	if d.scale == 1 {
		return d.rat().FloatString(2)
	}
	return d.rat().FloatString(int(d.scale))
}

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{-d.coef, d.scale} }

// Cmp returns -1, 0 or 1 as d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	if d.scale == e.scale {
		return cmp.Compare(d.coef, e.coef)
	}
	return d.rat().Cmp(e.rat())
}

// Add returns d + e; false if that has more than 18 digits.
func (d Decimal) Add(e Decimal) (Decimal, bool) { return fromRat(new(big.Rat).Add(d.rat(), e.rat())) }

// Mul returns d × e; false if that has more than 18 digits.
func (d Decimal) Mul(e Decimal) (Decimal, bool) { return fromRat(new(big.Rat).Mul(d.rat(), e.rat())) }

// shift returns d × 10^exp; false if that has more than 18 digits.
func (d Decimal) shift(exp int) (Decimal, bool) {
	if exp == 0 {
		return d, true
	}
	return fromRat(new(big.Rat).Mul(d.rat(), scaled(1, exp)))
}

func (d Decimal) rat() *big.Rat { return scaled(d.coef, -int(d.scale)) }

// scaled returns coef × 10^exp.
func scaled(coef int64, exp int) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatInt(coef, 10) + "e" + strconv.Itoa(exp))
	return r
}

// fromRat returns a number that has an end; false if it has more than 18 digits.
func fromRat(r *big.Rat) (Decimal, bool) {
	places, _ := r.FloatPrec()
	d, err := ParseDecimal(r.FloatString(places))
	return d, err == nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
