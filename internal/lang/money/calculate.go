package money

import (
	"math/big"
	"slices"
)

// Check says whether quantity × rate equals the total in the text.
type Check uint8

// The results. A difference is reported, never corrected: the text does not say which of the three numbers is wrong.
const (
	Unchecked Check = iota // no total is stated
	Agrees                 // within the tolerance of [Calculate]
	Differs
)

// String returns the result in lower case.
func (c Check) String() string {
	switch c {
	case Agrees:
		return "agrees"
	case Differs:
		return "differs"
	}
	return "unchecked"
}

// Quantity is a number of units or things.
type Quantity struct {
	Span
	Value       Decimal
	Unit        Unit // "" if there is only a number: 3 × $40
	Approximate bool
}

// Calculation is a quantity times a rate, with their positions in the texts, and the total stated for them.
type Calculation struct {
	Quantity Quantity
	Rate     Amount
	Total    Amount  // the zero value if none is stated
	Product  Decimal // quantity × rate, of a range its upper end; exact
	Check    Check
}

// Calculate finds the quantities, rates and totals that belong together in consecutive texts, such as a question and
// its answer. The calculations are in the order of their rates.
//
// A rate is an amount per unit ($150/cy, 95 € pro Stunde), or one that is multiplied with the number before it (3 ×
// 1.200,00 €, 120 h à 95 EUR, 4 tickets at $20). Its quantity is the nearest one of that unit: before it in its text,
// else after it, else the last one in an earlier text. Its total is the nearest amount of the same currency that is no
// rate and agrees, in its own text first and then in later ones; else the nearest one after it in its own text that is
// announced (=, total, approximately) and not separated (plus, less, deposit).
//
// A total agrees if it differs from the product by at most half a unit of its last written digit, because totals are
// rounded; by at most a twentieth of it if quantity, rate or total is approximate; and for ranges if they overlap.
// Products of more than 18 digits are left out.
func Calculate(lang Lang, home string, texts ...string) []Calculation {
	read := make([]page, len(texts))
	for i, text := range texts {
		read[i] = newPage(i, text, lang, home)
	}
	var all []Calculation
	var rates []int // of all rates: the index of the amount in its page
	for t := range read {
		p := &read[t]
		for i := range p.amounts {
			q, ok := p.multiplied(i)
			switch {
			case ok:
			case p.amounts[i].Per == "":
				continue
			default:
				if q, ok = quantityFor(read[:t+1], i); !ok {
					continue
				}
			}
			rate := p.amounts[i]
			if rate.Per == "" {
				rate.Per = Piece
				if q.Unit != "" {
					rate.Per = q.Unit
				}
			}
			p.isRate[i] = true
			c := Calculation{Quantity: q, Rate: rate}
			if c.Product, ok = q.Value.Mul(rate.Value); ok {
				all, rates = append(all, c), append(rates, i)
			}
		}
	}
	for i := range all {
		all[i].findTotal(read, rates[i])
	}
	return all
}

// page is one text with everything found in it.
type page struct {
	*reader
	index      int
	amounts    []Amount
	spans      []tokenSpan // of amounts
	isRate     []bool      // of amounts
	isTotal    []bool      // of amounts: one total is not used for two products
	quantities []Quantity
}

func newPage(index int, text string, lang Lang, home string) page {
	p := page{reader: newReader(text, lang, home), index: index}
	p.amounts, p.spans = p.amountsAndTokens()
	p.addBareRates()
	p.quantities = p.findQuantities()
	for i := range p.amounts {
		p.amounts[i].Text = index
	}
	for i := range p.quantities {
		p.quantities[i].Text = index
	}
	p.isRate, p.isTotal = make([]bool, len(p.amounts)), make([]bool, len(p.amounts))
	for i, a := range p.amounts {
		p.isRate[i] = a.Per != ""
	}
	return p
}

// quantityFor returns the quantity of the rate i of the last page.
func quantityFor(pages []page, i int) (Quantity, bool) {
	last := len(pages) - 1
	rate := pages[last].amounts[i]
	own := pages[last].quantities
	behind, _ := slices.BinarySearchFunc(own, rate, func(q Quantity, a Amount) int { return q.Start - a.Start })
	for _, q := range slices.Backward(own[:behind]) {
		if q.Unit == rate.Per {
			return q, true
		}
	}
	for _, q := range own[behind:] {
		if q.Unit == rate.Per {
			return q, true
		}
	}
	for _, p := range slices.Backward(pages[:last]) {
		for _, q := range slices.Backward(p.quantities) {
			if q.Unit == rate.Per {
				return q, true
			}
		}
	}
	return Quantity{}, false
}

// totalReach is how many amounts of a text are tried as a total, on each side of the rate and in each later text.
// Amounts farther away belong to something else, and a price list stays fast.
const totalReach = 16

// findTotal looks for the total of the calculation, whose rate is amount i of its page.
func (c *Calculation) findTotal(pages []page, i int) {
	own := &pages[c.Rate.Text]
	end := min(len(own.amounts), i+1+totalReach)
	for k := i + 1; k < end; k++ {
		if c.take(own, k) {
			return
		}
	}
	for k := i - 1; k >= max(0, i-totalReach); k-- {
		if c.take(own, k) {
			return
		}
	}
	for t := c.Rate.Text + 1; t < len(pages); t++ {
		for k := range min(len(pages[t].amounts), totalReach) {
			if c.take(&pages[t], k) {
				return
			}
		}
	}
	for k := i + 1; k < end; k++ {
		if c.mayTake(own, k) && own.announces(i, k) {
			c.Total, c.Check, own.isTotal[k] = own.amounts[k], Differs, true
			return
		}
	}
}

// take makes amount k the total if it agrees.
func (c *Calculation) take(p *page, k int) bool {
	if !c.mayTake(p, k) || !c.agrees(p.amounts[k]) {
		return false
	}
	c.Total, c.Check, p.isTotal[k] = p.amounts[k], Agrees, true
	return true
}

func (c *Calculation) mayTake(p *page, k int) bool {
	a := p.amounts[k]
	return !p.isRate[k] && !p.isTotal[k] && (a.Currency == c.Rate.Currency || a.Currency == "" || c.Rate.Currency == "")
}

// announces reports whether the words between the amounts i and k make the second the total of the first.
func (p *page) announces(i, k int) bool {
	said := false
	for j := p.spans[i].end; j < p.spans[k].start; j++ {
		switch c := p.char(j); {
		case p.tokens[j].entry.is(apart), c == '+', c == '?':
			return false
		case p.tokens[j].entry.is(total), c == '=', c == '~':
			said = true
		}
	}
	return said
}

// agrees reports whether the amount is the product within the tolerance.
func (c *Calculation) agrees(a Amount) bool {
	low, ok := c.Quantity.Value.Mul(c.Rate.Low)
	if !ok {
		return false
	}
	slack := tolerance(a, c.Quantity.Approximate || c.Rate.Approximate || a.Approximate).rat()
	least, most := new(big.Rat).Sub(a.Low.rat(), slack), new(big.Rat).Add(a.High.rat(), slack)
	return least.Cmp(c.Product.rat()) <= 0 && most.Cmp(low.rat()) >= 0
}

// tolerance returns the largest difference between a product and a stated total: half a unit of its last digit, or a
// twentieth of it.
func tolerance(a Amount, approximate bool) Decimal {
	half := Decimal{coef: 5, scale: 1}
	slack, ok := half.shift(a.exponent)
	if !ok || slack.Cmp(half) > 0 {
		slack = half // a total in round thousands is not rounded to them, unless it says so
	}
	if !approximate {
		return slack
	}
	part, ok := a.High.Mul(Decimal{coef: 5, scale: 2})
	if part.coef < 0 {
		part = part.Neg()
	}
	if !ok || part.Cmp(slack) < 0 {
		return slack
	}
	return part
}
