package money

import (
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

// ParseDecimal reads digits with an optional minus sign and an optional point between digits: what [Decimal.String]
// writes. It is an error if the number has more than 18 digits.
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
	var coef int64
	for _, part := range [2]string{whole, fraction} {
		for i := range len(part) {
			coef = coef*10 + int64(part[i]-'0')
		}
	}
	return Decimal{coef, int8(len(fraction))}, true
}

// String writes the canonical form of the number: no grouping, a point, and either no fraction or one of at least two
// digits, as for money: 7500, 7500.50, -0.05, 0.125.
func (d Decimal) String() string {
	sign, coef := "", d.coef
	if coef < 0 {
		sign, coef = "-", -coef
	}
	digits := strconv.FormatInt(coef, 10)
	if d.scale == 0 {
		return sign + digits
	}
	if missing := int(d.scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(d.scale)
	fraction := digits[point:]
	if len(fraction) == 1 {
		fraction += "0"
	}
	return sign + digits[:point] + "." + fraction
}

// Neg returns -d.
func (d Decimal) Neg() Decimal { return Decimal{-d.coef, d.scale} }

// Cmp returns -1, 0 or 1 as d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	if d.scale == e.scale {
		switch {
		case d.coef < e.coef:
			return -1
		case d.coef > e.coef:
			return 1
		}
		return 0
	}
	a, b, _ := aligned(d, e)
	return a.Cmp(b)
}

// Add returns d + e; false if that has more than 18 digits.
func (d Decimal) Add(e Decimal) (Decimal, bool) {
	a, b, scale := aligned(d, e)
	return fromBig(a.Add(a, b), scale)
}

// Mul returns d × e; false if that has more than 18 digits.
func (d Decimal) Mul(e Decimal) (Decimal, bool) {
	product := new(big.Int).Mul(big.NewInt(d.coef), big.NewInt(e.coef))
	return fromBig(product, int(d.scale)+int(e.scale))
}

// shift returns d × 10^exp; false if that has more than 18 digits.
func (d Decimal) shift(exp int) (Decimal, bool) {
	if exp == 0 {
		return d, true
	}
	return fromBig(big.NewInt(d.coef), int(d.scale)-exp)
}

// aligned returns both numbers as integers of the same scale.
func aligned(d, e Decimal) (a, b *big.Int, scale int) {
	a, b = big.NewInt(d.coef), big.NewInt(e.coef)
	switch {
	case d.scale < e.scale:
		a.Mul(a, pow10(int(e.scale-d.scale)))
	case d.scale > e.scale:
		b.Mul(b, pow10(int(d.scale-e.scale)))
	}
	return a, b, int(max(d.scale, e.scale))
}

// fromBig returns coef ÷ 10^scale, where scale may be negative; false if that has more than 18 digits.
func fromBig(coef *big.Int, scale int) (Decimal, bool) {
	if scale < 0 {
		coef.Mul(coef, pow10(-scale))
		scale = 0
	}
	ten, quotient, rest := big.NewInt(10), new(big.Int), new(big.Int)
	for scale > 0 {
		if quotient.QuoRem(coef, ten, rest); rest.Sign() != 0 {
			break
		}
		coef, quotient = quotient, coef
		scale--
	}
	if scale > maxDigits || coef.CmpAbs(pow10(maxDigits)) >= 0 {
		return Decimal{}, false
	}
	return Decimal{coef.Int64(), int8(scale)}, true
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
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
