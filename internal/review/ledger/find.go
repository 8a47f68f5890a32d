package ledger

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// belonging is what papers of a kind belong to.
var belonging = map[string]string{Invoice: "order or estimate", Payment: "invoice or order", CreditNote: "invoice",
	Refund: "payment"}

// find reports papers without a match, and sums that are invoiced or paid beyond the order.
func (b *book) find() {
	of := map[*paper][]*paper{}
	accounts := map[account][]*paper{} // of orders and estimates
	var order []account
	for _, p := range b.papers {
		isOrder := p.isFirm() || p.Kind == string(money.Estimate)
		if key := p.account(); isOrder && (p.Kind != string(money.Quote) || p.accepted) {
			if accounts[key] == nil {
				order = append(order, key)
			}
			accounts[key] = append(accounts[key], p)
		}
		if p.matched != nil {
			of[p.matched] = append(of[p.matched], p)
		}
	}
	for _, p := range b.papers {
		isInvoice := p.Kind == Invoice
		if what := belonging[p.Kind]; what != "" && p.matched == nil && !p.ambiguous {
			b.report(trilith.FindingUnmatched, []*paper{p}, nil, p.amount,
				fmt.Sprintf("%s belongs to no %s that is known.", upper(p.called()), what))
		}
		if paid := new(big.Rat).Neg(p.left()); isInvoice && p.amount.Sign() > 0 && paid.Sign() > 0 {
			b.report(trilith.FindingOverpaid, []*paper{p}, of[p], paid,
				fmt.Sprintf("%s %s more than %s is paid.", exactly(paid), p.Currency, p.called()))
		}
	}
	for _, key := range order {
		b.findOver(accounts[key], of)
	}
	b.findRepeated()
}

func (b *book) ambiguous(p *paper, among []*paper) {
	b.report(trilith.FindingAmbiguous, []*paper{p}, among, p.amount,
		fmt.Sprintf("%s could belong to any of %d.", upper(p.called()), len(among)))
}

// findOver reports an order on which more is invoiced than was ordered, and those of its invoices that equal earlier
// ones and exceed it.
func (b *book) findOver(orders []*paper, of map[*paper][]*paper) {
	ordered, estimated := new(big.Rat), new(big.Rat)
	var invoices []*paper
	for _, q := range orders {
		if q.isFirm() {
			ordered.Add(ordered, q.amount)
		} else {
			estimated.Set(q.amount) // the last one counts
		}
		for _, p := range of[q] {
			if p.Kind == Invoice {
				invoices = append(invoices, p)
			}
		}
	}
	if ordered.Sign() == 0 {
		ordered = estimated
	}
	slices.SortFunc(invoices, byTime)
	sum := new(big.Rat)
	var twice, equal []*paper
	for i, p := range invoices {
		sum.Add(sum, p.net())
		if sum.Cmp(ordered) <= 0 {
			continue
		}
		before := slices.DeleteFunc(slices.Clone(invoices[:i]), func(e *paper) bool {
			return e.net().Cmp(p.net()) != 0
		})
		if len(before) > 0 {
			twice, equal = append(twice, p), before
		}
	}
	over := new(big.Rat).Sub(sum, ordered)
	if len(invoices) == 0 || over.Sign() <= 0 {
		return
	}
	b.report(trilith.FindingOver, invoices, orders, over,
		fmt.Sprintf("%s %s more is invoiced than the %s that were ordered.", exactly(over), orders[0].Currency,
			exactly(ordered)))
	for _, p := range twice {
		b.report(trilith.FindingTwice, []*paper{p}, equal, p.amount,
			fmt.Sprintf("%s equals %s, and more is invoiced than was ordered.", upper(p.called()), equal[0].called()))
	}
}

// findRepeated reports invoices of one counterparty that have one number.
func (b *book) findRepeated() {
	type key struct{ party, number, currency string }
	first := map[key]*paper{}
	for _, p := range b.papers {
		k := key{p.party.text, p.number, p.Currency}
		if p.Kind != Invoice || p.number == "" || p.party.text == "" || p.net().Sign() == 0 {
			continue
		}
		if q := first[k]; q != nil {
			b.report(trilith.FindingTwice, []*paper{p}, []*paper{q}, p.amount,
				fmt.Sprintf("%s has the number of another invoice of %s.", upper(p.called()), p.Counterparty))
			continue
		}
		first[k] = p
	}
}

// report adds a finding about papers of one currency.
func (b *book) report(kind string, about, others []*paper, amount *big.Rat, says string) {
	p := about[0]
	b.out.Findings = append(b.out.Findings, trilith.LedgerFinding{Kind: kind, FactIDs: idsOf(about),
		Others: idsOf(others), Amount: exactly(amount), Currency: p.Currency, Item: p.Item,
		Party: p.Counterparty, Says: says})
}

func idsOf(papers []*paper) []trilith.ID {
	out := []trilith.ID{}
	for _, p := range papers {
		out = append(out, p.ID)
	}
	return out
}

// called is how a paper is named in a finding.
func (p *paper) called() string {
	if p.Number != "" {
		return p.Kind + " " + p.Number
	}
	return "the " + p.Kind + " over " + exactly(p.amount) + " " + p.Currency
}
