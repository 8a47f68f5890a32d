package ledger

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Bounds keep a number out of a request from taking the machine.
var (
	decimalForm = regexp.MustCompile(`^-?[0-9]{1,40}(?:\.[0-9]{1,20})?$`)
	rateForm    = regexp.MustCompile(`^([A-Z]{3}):([A-Z]{3})=([0-9]{1,20}(?:\.[0-9]{1,20})?)$`)
)

const maxRates = 50

// Rates are exchange rates of one base.
type Rates struct {
	Base string              // "" if there are none
	of   map[string]*big.Rat // the worth of one unit of the base, by currency
	said []string            // as they were given
}

// ParseRates reads rates such as EUR:USD=1.08: one EUR is 1.08 USD. All are of one base.
func ParseRates(texts []string) (Rates, error) {
	r := Rates{of: map[string]*big.Rat{}}
	if len(texts) > maxRates {
		return Rates{}, trilith.Errorf(trilith.Invalid, "rate: there are %d, must be at most %d", len(texts), maxRates)
	}
	for _, s := range texts {
		m := rateForm.FindStringSubmatch(s)
		if m == nil {
			return Rates{}, trilith.Errorf(trilith.Invalid,
				"rate: %.60q is no rate; write EUR:USD=1.08 for one EUR that is 1.08 USD", s)
		}
		value, ok := decimalOf(m[3])
		switch {
		case !ok || value.Sign() <= 0:
			return Rates{}, trilith.Errorf(trilith.Invalid, "rate: %.60q must be more than 0", s)
		case m[1] == m[2]:
			return Rates{}, trilith.Errorf(trilith.Invalid, "rate: %.60q is of one currency; name two", s)
		case r.Base != "" && r.Base != m[1]:
			return Rates{}, trilith.Errorf(trilith.Invalid,
				"rate: %.60q begins with another currency than %s; write all rates from one", s, r.Base)
		case r.of[m[2]] != nil:
			return Rates{}, trilith.Errorf(trilith.Invalid, "rate: %s:%s is given twice", m[1], m[2])
		}
		r.Base, r.of[m[2]] = m[1], value
		r.said = append(r.said, s)
	}
	slices.Sort(r.said)
	return r, nil
}

// in is an amount of a currency in the base; false if there is no rate for it.
func (r Rates) in(amount *big.Rat, currency string) (*big.Rat, bool) {
	if currency == r.Base {
		return amount, true
	}
	if rate := r.of[currency]; rate != nil {
		return new(big.Rat).Quo(amount, rate), true
	}
	return nil, false
}

// Tolerance is how far amounts may be apart that are taken for one.
type Tolerance struct {
	text    string
	value   *big.Rat
	percent bool
}

// ParseTolerance reads a percentage of the order such as 2%, or an amount such as 50; "" is [trilith.DefaultTolerance].
func ParseTolerance(s string) (Tolerance, error) {
	if s == "" {
		s = trilith.DefaultTolerance
	}
	digits, percent := strings.CutSuffix(s, "%")
	value, ok := decimalOf(digits)
	if !ok || value.Sign() < 0 || percent && value.Cmp(big.NewRat(100, 1)) > 0 {
		return Tolerance{}, trilith.Errorf(trilith.Invalid,
			"tolerance: %.60q is neither a percentage from 0%% to 100%% nor an amount such as 50", s)
	}
	if percent {
		value = new(big.Rat).Quo(value, big.NewRat(100, 1))
	}
	return Tolerance{s, value, percent}, nil
}

func decimalOf(s string) (*big.Rat, bool) {
	if !decimalForm.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// String is the tolerance as it was given.
func (t Tolerance) String() string { return t.text }

// covers reports whether an amount is near enough to another.
func (t Tolerance) covers(a, b *big.Rat) bool {
	if t.value == nil {
		return a.Cmp(b) == 0
	}
	apart := new(big.Rat).Sub(a, b)
	most := t.value
	if t.percent {
		most = new(big.Rat).Mul(t.value, new(big.Rat).Abs(b))
	}
	return apart.Abs(apart).Cmp(most) <= 0
}

// exactly writes a sum of decimals: with no fraction, or one of at least two digits.
func exactly(r *big.Rat) string {
	places, _ := r.FloatPrec()
	if places == 1 {
		places = 2
	}
	return r.FloatString(places)
}
