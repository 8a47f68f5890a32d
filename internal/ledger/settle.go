package ledger

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"

	"github.com/cairn-memory/cairn"
)

// settle finds the invoices that statements without an amount say are paid: of those that were known and of which
// something is left, the one with the number, of the counterparty, or for the item that the statement names. If there
// are several, a statement about a counterparty means all of them ("Auer is paid"), and one about an invoice is
// reported.
func (b *book) settle() {
	for _, s := range b.settling {
		meant := slices.DeleteFunc(slices.Clone(b.papers), func(p *paper) bool {
			return p.Kind != Invoice || p.settled || p.left().Sign() <= 0 || p.At.After(s.At) || !b.mayMean(s, p)
		})
		if len(meant) > 1 && namesInvoice.MatchString(s.Quote) {
			b.unclear(s, meant)
			continue
		}
		for _, p := range meant {
			p.settled, p.Until = true, &s.At
			p.Settled = &Settled{EpisodeID: s.EpisodeID, Quote: s.Quote}
		}
	}
}

// mayMean reports whether a statement could mean an invoice: the one that a person has chosen, else any that its words
// name.
func (b *book) mayMean(s, p *paper) bool {
	if to := b.decided[s.ID]; to != "" {
		return p.ID == to
	}
	switch {
	case b.excluded[[2]cairn.ID{s.ID, p.ID}]:
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
	b.report(cairn.FindingAmbiguous, []*paper{s}, meant, left,
		fmt.Sprintf("%q could mean any of %d invoices.", s.Quote, len(meant)))
}

// namesInvoice matches words for the paper, and not only for who is paid.
var namesInvoice = regexp.MustCompile(`(?i)(?:\binvoice|\bbill\b|rechnung)`)
