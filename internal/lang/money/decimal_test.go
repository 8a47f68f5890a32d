package money

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"7500", "7500"}, {"7500.5", "7500.50"}, {"7500.50", "7500.50"}, {"7500.00", "7500"},
		{"-0.05", "-0.05"}, {"0.125", "0.125"}, {"007", "7"}, {"0.000000000000000001", "0.000000000000000001"},
		{"999999999999999999", "999999999999999999"},
		{"1000000000000000000", ""}, {"0.0000000000000000001", ""}, {"", ""}, {"-", ""}, {".5", ""},
		{"5.", ""}, {"1,5", ""},
		{"+5", ""}, {"--5", ""}, {"1e5", ""}, {" 5", ""}, {"٣", ""}, {"1.2.3", ""},
	} {
		d, err := ParseDecimal(c.in)
		if c.want == "" {
			if err == nil {
				t.Errorf("ParseDecimal(%q) = %s, want an error", c.in, d)
			}
			continue
		}
		if err != nil || d.String() != c.want {
			t.Errorf("ParseDecimal(%q) = %q, %v, want %q", c.in, d, err, c.want)
		}
	}
}

// TestDecimalIsExact compares with rational numbers.
func TestDecimalIsExact(t *testing.T) {
	t.Parallel()
	number := rapid.StringMatching(`-?[0-9]{1,10}(\.[0-9]{1,8})?`)
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		a, errA := ParseDecimal(x)
		b, errB := ParseDecimal(y)
		if errA != nil || errB != nil {
			t.Fatalf("ParseDecimal(%q), ParseDecimal(%q): %v, %v", x, y, errA, errB)
		}
		p, q := rat(x), rat(y)
		if got, want := a.Cmp(b), p.Cmp(q); got != want || (a == b) != (want == 0) {
			t.Errorf("%s.Cmp(%s) = %d, equal %t, want %d", a, b, got, a == b, want)
		}
		if sum, ok := a.Add(b); ok && rat(sum.String()).Cmp(new(big.Rat).Add(p, q)) != 0 {
			t.Errorf("%s + %s = %s", a, b, sum)
		}
		if product, ok := a.Mul(b); ok && rat(product.String()).Cmp(new(big.Rat).Mul(p, q)) != 0 {
			t.Errorf("%s × %s = %s", a, b, product)
		}
		if again, err := ParseDecimal(a.String()); err != nil || again != a {
			t.Errorf("ParseDecimal(%q) = %v, %v, want it unchanged", a, again, err)
		}
	})
}

func rat(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(s)
	return r
}

func TestDecimalOverflow(t *testing.T) {
	t.Parallel()
	most, err := ParseDecimal(strings.Repeat("9", maxDigits))
	if err != nil {
		t.Fatal(err)
	}
	if sum, ok := most.Add(Decimal{coef: 1}); ok {
		t.Errorf("%s + 1 = %s, want no answer", most, sum)
	}
	if product, ok := most.Mul(most); ok {
		t.Errorf("%s × itself = %s, want no answer", most, product)
	}
	if shifted, ok := most.shift(1); ok {
		t.Errorf("%s × 10 = %s, want no answer", most, shifted)
	}
}
