package money

import "slices"

// findQuantities returns the numbers with known units that are not part of an amount, in order.
func (p *page) findQuantities() []Quantity {
	var found []Quantity
	span, from := 0, 0
	for i := range p.tokens {
		for span < len(p.spans) && i >= p.spans[span].end {
			from = p.spans[span].end
			span++
		}
		if span < len(p.spans) && i >= p.spans[span].start {
			continue
		}
		if q, ok := p.quantityAt(i, from); ok {
			found = append(found, q)
		}
	}
	return found
}

// quantityAt reads the quantity whose unit begins at token i.
func (p *page) quantityAt(i, from int) (Quantity, bool) {
	u, next := p.unit(i)
	if next == i || p.tokens[i].newline || p.char(i-1) == '/' || p.has(i-1, per) {
		return Quantity{}, false
	}
	end := i
	if p.char(i-1) == '-' && p.tokens[i].glued { // a 3-hour call
		end--
	}
	if p.has(end-1, vague) {
		return Quantity{}, false
	}
	n, start, ok := p.count(from, end)
	if !ok {
		return Quantity{}, false
	}
	q := Quantity{Value: n, Unit: u, Approximate: p.isApproximate(start, next)}
	q.Start, q.End = p.tokens[start].start, p.tokens[next-1].end
	return q, true
}

// addBareRates adds the numbers without a currency that a multiplication sign marks as rates: 120 h à 95, 3 × 1.200,00.
func (p *page) addBareRates() {
	for i := 1; i < len(p.tokens); i++ {
		sign := p.char(i) == '*' || p.char(i) == '@' || p.is(i, word) && p.tokens[i].entry.is(at)
		if !sign || !p.is(i+1, number) || !p.opens(i+1) || p.taken(i+1) {
			continue
		}
		n, next, ok := p.digits(i + 1)
		if !ok || !p.closes(next) || p.lower(i) != "à" &&
			(p.tokens[i].class == word && p.lower(i) != "x" || n.places != 2) {
			continue
		}
		if _, after := p.unit(next); after > next {
			continue
		}
		a := Amount{Value: n.value, Low: n.value, High: n.value, exponent: n.exponent, Per: p.rate(next)}
		a.Start, a.End = p.tokens[i+1].start, p.tokens[next-1].end
		at, _ := slices.BinarySearchFunc(p.amounts, a, func(x, y Amount) int { return x.Start - y.Start })
		p.amounts = slices.Insert(p.amounts, at, a)
		p.spans = slices.Insert(p.spans, at, tokenSpan{i + 1, next})
	}
}

// multiplied returns the quantity before amount i with a multiplication sign in between.
func (p *page) multiplied(i int) (Quantity, bool) {
	a, s := p.amounts[i], p.spans[i]
	end := s.start
	if p.char(end-1) == '~' {
		end--
	}
	signed := end
	for end > 0 && (p.char(end-1) == '*' || p.char(end-1) == '@' || p.has(end-1, at) && p.lower(end-1) != "a") {
		end--
	}
	if end == signed || end == 0 {
		return Quantity{}, false
	}
	last := p.tokens[end-1].end
	if k, ok := slices.BinarySearchFunc(p.quantities, last, func(q Quantity, end int) int { return q.End - end }); ok {
		q := p.quantities[k]
		return q, a.Per == "" || a.Per == Piece || a.Per == q.Unit
	}
	return p.things(end, a)
}

// nounWords is how many words may name the counted things: 3 concert tickets.
const nounWords = 2

// things reads a number, and up to two words for the counted things, before token end.
func (p *page) things(end int, rate Amount) (Quantity, bool) {
	noun := end
	for noun > 0 && end-noun <= nounWords {
		n, start, ok := p.count(0, noun)
		if ok && !p.taken(start) && !p.taken(noun-1) {
			q := Quantity{Value: n, Approximate: p.isApproximate(start, noun)}
			q.Span = Span{p.index, p.tokens[start].start, p.tokens[end-1].end}
			if noun < end {
				q.Unit = Unit(p.lower(end - 1))
			}
			return q, rate.Per == "" || rate.Per == Piece || rate.Per == q.Unit
		}
		if !p.is(noun-1, word) || p.tokens[noun-1].newline {
			break
		}
		noun--
	}
	return Quantity{}, false
}

// count reads the number that ends before token end.
func (p *page) count(from, end int) (n Decimal, start int, ok bool) {
	for start = end - 1; start >= max(from, end-3); start-- {
		if !p.is(start, number) {
			continue
		}
		n, next, ok := p.digits(start)
		return n.value, start, ok && next == end && p.opens(start)
	}
	words, start, ok := p.words(from, end)
	return words.value, start, ok
}

// taken reports whether token i belongs to an amount.
func (p *page) taken(i int) bool {
	k, _ := slices.BinarySearchFunc(p.spans, i, func(s tokenSpan, i int) int { return s.end - i - 1 })
	return k < len(p.spans) && p.spans[k].start <= i
}
