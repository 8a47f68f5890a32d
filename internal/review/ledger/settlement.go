package ledger

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// settle finds the invoices that statements without an amount say are paid: of those that were open at that time, the
// one with the number, of the counterparty, or for the item that the statement names. If there are several, a statement
// about a counterparty means all of them ("Auer is paid"), and one about an invoice is reported, as long as one of them
// is open: that another one was paid later does not tell which was meant.
func (b *book) settle() {
	for _, s := range b.settling {
		could := slices.DeleteFunc(slices.Clone(b.papers), func(p *paper) bool {
			return p.Kind != Invoice || !b.isOpen(p, s.At) || !b.mayMean(s, p)
		})
		open := slices.DeleteFunc(slices.Clone(could), func(p *paper) bool { return p.settled || p.left().Sign() <= 0 })
		if len(could) > 1 && namesInvoice.MatchString(s.Quote) {
			if len(open) > 0 {
				b.unclear(s, could)
			}
			continue
		}
		for _, p := range open {
			p.settled, p.Until = true, &s.At
			p.Settled = &Settled{EpisodeID: s.EpisodeID, Quote: s.Quote}
		}
	}
}

// isOpen reports whether an invoice was known at a time, and something of it was not paid by then.
func (b *book) isOpen(p *paper, at time.Time) bool {
	if p.At.After(at) || p.settled && !p.Until.After(at) {
		return false
	}
	left := p.net()
	for _, q := range b.papers {
		if q.matched == p && q.Kind == Payment && !q.At.After(at) {
			left.Sub(left, q.amount)
		}
	}
	return left.Sign() > 0
}

// mayMean reports whether a statement could mean an invoice: the one that a person has chosen, else any that its words
// name.
func (b *book) mayMean(s, p *paper) bool {
	if to := b.decided[s.ID]; to != "" {
		return p.ID == to
	}
	switch {
	case b.excluded[[2]trilith.ID{s.ID, p.ID}]:
		return false
	case s.number != "":
		return (s.number == p.number || p.names[s.number]) && s.party.fits(p.party)
	case s.party.text != "" && s.party.same(p.party):
		return true
	}
	item := s.item
	if item.text == "" { // "Programmes are paid": a capital does not tell a thing from a party
		item = itemOf(s.Counterparty)
	}
	return item.same(p.item) || item.text != "" && p.item.text != "" && isSort(item, p.item)
}

// unclear reports a statement that could mean several invoices.
func (b *book) unclear(s *paper, meant []*paper) {
	left := new(big.Rat)
	for _, p := range meant {
		left.Add(left, p.left())
	}
	s.Currency = meant[0].Currency
	b.report(trilith.FindingAmbiguous, []*paper{s}, meant, left,
		fmt.Sprintf("%q could mean any of %d invoices.", s.Quote, len(meant)))
}

// namesInvoice matches words for the paper, and not only for who is paid.
var namesInvoice = regexp.MustCompile(`(?i)(?:\binvoice|\bbill\b|rechnung)`)
