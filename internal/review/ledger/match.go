package ledger

import (
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// account identifies an order; papers with one account belong together.
type account struct{ item, party, phase, currency string }

// mayBeFor reports whether two papers may be for one thing: for the same, for a sort of it, or one does not say.
func (p *paper) mayBeFor(q *paper) bool { return p.item.fits(q.item) || isSort(p.item, q.item) }

var ties = []tie{
	{"number", func(p, q *paper) bool {
		return q.number != "" && (p.number == q.number || p.names[q.number]) && p.party.fits(q.party)
	}, false},
	{"counterparty and item", func(p, q *paper) bool {
		return p.party.same(q.party) && p.item.same(q.item) && p.phase.fits(q.phase)
	}, false},
	{"counterparty", func(p, q *paper) bool {
		return p.party.same(q.party) && p.mayBeFor(q) && p.phase.fits(q.phase)
	}, false},
	{"counterparty", func(p, q *paper) bool {
		return p.party.same(q.party) && p.phase.fits(q.phase) && p.isWhole(q)
	}, true},
	{"counterparty", func(p, q *paper) bool { // a faulty part is credited on the whole
		return p.isBack() && p.party.same(q.party) && p.phase.fits(q.phase)
	}, false},
	{"item", func(p, q *paper) bool { // estimates are often exceeded, and bind no counterparty
		return q.Kind == string(money.Estimate) && q.party.text == "" && p.item.same(q.item) && p.phase.fits(q.phase)
	}, false},
	{"item", func(p, q *paper) bool {
		return p.item.same(q.item) && p.party.fits(q.party) && p.phase.fits(q.phase)
	}, true},
	{"item", func(p, q *paper) bool { // the hall costs 3,200, and the hall sends the invoice
		return q.party.text == "" && p.party.same(q.item) && p.phase.fits(q.phase)
	}, false},
	{"amount", func(p, q *paper) bool {
		return p.party.fits(q.party) && p.mayBeFor(q) && p.phase.fits(q.phase) && p.amount.Cmp(q.amount) == 0
	}, true},
}

// match finds what each invoice and each payment belongs to, in order of time.
func (b *book) match() {
	var firm, estimates, invoices, payments, credits, refunds []*paper
	for _, p := range b.papers {
		switch {
		case p.Kind == CreditNote:
			credits = append(credits, p)
		case p.Kind == Refund:
			refunds = append(refunds, p)
		case p.isFirm():
			firm = append(firm, p)
		case p.Kind == string(money.Estimate):
			estimates = append(estimates, p)
		case p.Kind == Invoice:
			invoices = append(invoices, p)
		case p.Kind == Payment:
			payments = append(payments, p)
		}
	}
	orders, guesses := shelve(firm), shelve(estimates)
	for _, p := range firm {
		if p.Kind == string(money.ChangeOrder) && !b.placeAsDecided(p) {
			b.attach(p, orders.near(p))
		}
	}
	for _, p := range invoices {
		if !b.placeAsDecided(p) && !b.place(p, orderedFor(p, orders)) {
			b.place(p, guesses.near(p))
		}
	}
	bills := shelve(invoices) // their matches, made above, tell their subjects
	b.takeBack(credits, bills)
	for _, p := range payments {
		if b.placeAsDecided(p) {
			continue
		}
		// a paid invoice is no candidate, unless its number is named
		unpaid := slices.DeleteFunc(bills.near(p), func(q *paper) bool {
			return q.left().Sign() <= 0 && !ties[0].holds(p, q)
		})
		isLater := func(q *paper) bool { return q.At.After(p.At) && !ties[0].holds(p, q) }
		if !b.place(p, slices.DeleteFunc(slices.Clone(unpaid), isLater)) && !b.place(p, orderedFor(p, orders)) &&
			!b.place(p, slices.DeleteFunc(guesses.near(p), func(q *paper) bool {
				return isLater(q) || !p.party.same(q.party)
			})) {
			b.place(p, unpaid)
		}
	}
	b.takeBack(refunds, shelve(payments))
}

// tie is a reason to connect two papers.
type tie struct {
	name  string
	holds func(p, q *paper) bool
	// only says that the amount must fit too, because the tie is weak
	only bool
}

// How an amount fits the paper that it may be a part of.
const (
	noFit     = ""
	exact     = "exact"
	tolerated = "within the tolerance"
	part      = "part"
	more      = "more"
	several   = "several"
)

// attach finds the quote that a change order changes: the one that it names, or the only order of its counterparty, or
// of its counterparty and item. A change implies that the quote was ordered. A change that could belong to several
// quotes is reported.
func (b *book) attach(p *paper, firm []*paper) {
	var several []*paper
	for _, t := range []tie{ties[0], ties[1], ties[2], {"counterparty", func(p, q *paper) bool {
		return p.party.same(q.party) && p.phase.fits(q.phase)
	}, false}, {"item", func(p, q *paper) bool {
		return p.party.text == "" && p.item.same(q.item) && p.phase.fits(q.phase)
	}, false}} {
		var tied []*paper
		for _, q := range firm {
			if q.Kind == string(money.Quote) && b.mayTie(p, q) && t.holds(p, q) {
				tied = append(tied, q)
			}
		}
		if len(tied) > 0 && isOneAccount(tied) {
			p.isAbout(tied[0])
			p.matched = tied[0]
			b.out.Matches = append(b.out.Matches, trilith.LedgerMatch{FactID: p.ID, To: tied[0].ID, By: t.name})
			return
		}
		if several == nil {
			several = tied
		}
	}
	if len(several) > 0 {
		b.ambiguous(p, several)
	}
}

// orderedFor returns the orders that a paper could be for. A change order without its quote is no candidate for a
// larger sum, which must be for more than that.
func orderedFor(p *paper, orders shelf) []*paper {
	return slices.DeleteFunc(orders.near(p), func(q *paper) bool {
		return q.Kind == string(money.ChangeOrder) && q.matched == nil && p.amount.Cmp(q.amount) > 0
	})
}

// takeBack matches credit notes and refunds to earlier papers that are not fully taken back yet.
func (b *book) takeBack(papers []*paper, among shelf) {
	for _, p := range papers {
		if b.placeAsDecided(p) {
			continue
		}
		b.place(p, slices.DeleteFunc(among.near(p), func(q *paper) bool {
			return q.At.After(p.At) || q.net().Sign() <= 0
		}))
	}
}

// placeAsDecided matches a paper as a person decided. It returns false if the other paper is not in the ledger, or is
// not of a kind that the first can belong to.
func (b *book) placeAsDecided(p *paper) bool {
	to := b.decided[p.ID]
	i := slices.IndexFunc(b.papers, func(q *paper) bool { return q.ID == to })
	if to == "" || i < 0 || b.papers[i].Currency != p.Currency || !b.papers[i].holds(p.Kind) {
		return false
	}
	q, fit := b.papers[i], part
	switch {
	case p.isWhole(q):
		fit = exact
	case b.isNear(p, q):
		fit = tolerated
	case p.amount.Cmp(q.left()) > 0:
		fit = more
	}
	b.join(p, q, "decision", fit)
	return true
}

// place matches a paper to one of others in its currency; false if nothing fits.
func (b *book) place(p *paper, among []*paper) bool {
	for _, t := range ties {
		var tied []*paper
		for _, q := range among {
			if b.mayTie(p, q) && t.holds(p, q) {
				tied = append(tied, q)
			}
		}
		if len(tied) == 0 {
			continue
		}
		q, fit := b.choose(p, tied)
		switch {
		case q == nil:
			p.ambiguous = true
			b.ambiguous(p, tied)
			return true
		case t.only && fit == more:
			continue
		}
		b.join(p, q, t.name, fit)
		return true
	}
	return false
}

// mayTie reports whether nothing rules out that p belongs to q.
func (b *book) mayTie(p, q *paper) bool {
	return q.Currency == p.Currency && !b.excluded[[2]trilith.ID{p.ID, q.ID}] && !p.namesAnother(q)
}

// namesAnother reports whether a paper names an invoice by its number, and q is an invoice of another one.
func (p *paper) namesAnother(q *paper) bool {
	return (p.Kind == Payment || p.Kind == CreditNote) && q.Kind == Invoice && p.number != "" && q.number != "" &&
		p.number != q.number && !p.names[q.number]
}

// choose picks the one of several papers that p belongs to, by its amount. It returns none and several if that does not
// decide. Papers of one account are one order: of these the first that fits will do.
func (b *book) choose(p *paper, tied []*paper) (*paper, string) {
	fits := func(how string, ok func(q *paper) bool) (*paper, string) {
		var fitting []*paper
		for _, q := range tied {
			if ok(q) {
				fitting = append(fitting, q)
			}
		}
		if len(fitting) > 1 && !isOneAccount(fitting) {
			fitting = known(p, fitting)
		}
		if len(fitting) == 0 || len(fitting) > 1 && !isOneAccount(fitting) {
			return nil, map[bool]string{true: noFit, false: several}[len(fitting) == 0]
		}
		return fitting[0], how
	}
	if q, how := fits(exact, p.isWhole); how != noFit {
		return q, how
	}
	if q, how := fits(tolerated, func(q *paper) bool { return b.isNear(p, q) }); how != noFit {
		return q, how
	}
	if len(tied) > 1 {
		tied = known(p, tied)
	}
	rest := func(q *paper) bool { return p.amount.Cmp(q.left()) < 0 }
	if len(tied) == 1 || isOneAccount(tied) && tied[0].Kind != Invoice {
		if q, how := fits(part, rest); how != noFit {
			return q, how
		}
		return tied[0], more
	}
	return nil, several
}

func isOneAccount(papers []*paper) bool {
	return !slices.ContainsFunc(papers, func(q *paper) bool {
		return q.order() != papers[0].order() && q.account() != papers[0].account()
	})
}

// order is the paper that made the order: the quote that a change order changes, or else the paper itself.
func (p *paper) order() *paper {
	if p.Kind == string(money.ChangeOrder) && p.matched != nil {
		return p.matched
	}
	return p
}

func (p *paper) account() account {
	return account{p.item.text, p.party.text, p.phase.text, p.Currency}
}

// known narrows several candidates for p to the likely ones: those of an earlier date that are not said to be paid. If
// there are none, it returns all.
func known(p *paper, tied []*paper) []*paper {
	likely := slices.DeleteFunc(slices.Clone(tied), func(q *paper) bool { return q.settled || q.At.After(p.At) })
	if len(likely) == 0 {
		return tied
	}
	return likely
}

// isWhole reports whether a paper is for all of another, or for all that is left of it.
func (p *paper) isWhole(q *paper) bool {
	return p.amount.Cmp(q.amount) == 0 || p.amount.Cmp(q.left()) == 0
}

// isNear reports whether the amount of a paper is within the tolerance of another's amount or remainder.
func (b *book) isNear(p, q *paper) bool {
	return b.terms.Tolerance.covers(p.amount, q.amount) || b.terms.Tolerance.covers(p.amount, q.left())
}

// join matches a paper to another and gives it the other's subject.
func (b *book) join(p, q *paper, by, fit string) {
	p.matched = q
	switch {
	case !p.isBack():
		q.used.Add(q.used, p.amount)
	default:
		q.credited.Add(q.credited, p.amount)
		if of := q.matched; of != nil { // less is invoiced of the order, or paid of the invoice
			of.used.Sub(of.used, p.amount)
		}
	}
	p.isAbout(q)
	b.out.Matches = append(b.out.Matches, trilith.LedgerMatch{FactID: p.ID, To: q.ID, By: by, Amount: fit})
}

// isAbout takes over what another paper is about.
func (p *paper) isAbout(q *paper) {
	if q.item.text != "" {
		p.Item, p.item = q.Item, q.item
	}
	if q.party.text != "" {
		p.Counterparty, p.party = q.Counterparty, q.party
	}
	if q.phase.text != "" {
		p.Phase, p.phase = q.Phase, q.phase
	}
}

// holds reports whether papers of a kind can belong to q.
func (q *paper) holds(kind string) bool {
	switch kind {
	case string(money.ChangeOrder):
		return q.Kind == string(money.Quote)
	case Invoice:
		return q.isFirm() || q.Kind == string(money.Estimate)
	case Payment:
		return q.isFirm() || q.Kind == Invoice || q.Kind == string(money.Estimate)
	case CreditNote:
		return q.Kind == Invoice
	case Refund:
		return q.Kind == Payment
	}
	return false
}
