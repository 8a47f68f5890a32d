// Package ledger makes one ledger of the facts about a project's money: its budgets, estimates, quotes, orders,
// invoices and payments by item, counterparty, phase and currency, as of any date. It is pure: the same facts give the
// same ledger, in whatever order they come.
//
// Amounts are exact. Sums are of one currency, but for the combined total, which takes the rates that the caller gives.
// Invoices are matched to orders and payments to invoices. A paper that could belong to several is matched to none of
// them and is reported.
package ledger

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// The kinds of facts and entries that package money does not define.
const (
	Invoice    = string(money.Invoice)
	Payment    = string(money.Payment)
	CreditNote = string(money.CreditNote)
	Refund     = string(money.Refund)
	Approval   = "approval"   // says that something is taken, and has no amount
	Settlement = "settlement" // says that an invoice is paid, and has no amount
)

// kinds are those that are summed up.
var kinds = []string{string(money.Budget), string(money.Estimate), string(money.Quote), string(money.ChangeOrder),
	string(money.HardCost), Invoice, Payment, CreditNote, Refund}

// Settles reports whether words say that something is paid.
func Settles(text string) bool { return money.Settles(text) }

// paper is a fact that counts.
type paper struct {
	Fact
	amount             *big.Rat
	item, party, phase name
	number             string
	said               name            // the words of the quote
	names              map[string]bool // the numbers that these could name
	matched            *paper
	ambiguous          bool
	settled            bool     // said to be paid, by the time of the ledger
	used               *big.Rat // invoiced of an order, paid of an invoice or an order
	credited           *big.Rat // of an invoice that credit notes take back, of a payment that is refunded
	accepted           bool     // of a quote
}

// left is the part of an order that is not invoiced yet, of an invoice that is not paid, or of a payment that is not
// refunded.
func (p *paper) left() *big.Rat { return new(big.Rat).Sub(p.net(), p.used) }

// net is the amount minus its credits.
func (p *paper) net() *big.Rat { return new(big.Rat).Sub(p.amount, p.credited) }

// value is the amount as sums contain it: credit notes and refunds are negative.
func (p *paper) value() *big.Rat {
	if p.isBack() {
		return new(big.Rat).Neg(p.amount)
	}
	return p.amount
}

// standsAlone reports whether no order is behind an invoice or a payment. Then it commits its own amount.
func (p *paper) standsAlone() bool {
	switch {
	case p.matched == nil:
		return !p.ambiguous
	case p.Kind == Invoice, p.Kind == Payment:
		return p.matched.Kind == string(money.Estimate)
	}
	return false
}

// isFirm reports whether somebody can be held to the paper. An estimate is not binding.
func (p *paper) isFirm() bool {
	return p.Kind == string(money.Quote) || p.Kind == string(money.ChangeOrder) || p.Kind == string(money.HardCost)
}

// Fact is a fact about money in the form of a ledger.
type Fact struct {
	ID           trilith.ID
	Kind         string // as in [trilith.Financial], [Approval] or [Settlement]
	Amount       string
	Currency     string
	Item         string
	Counterparty string
	Phase        string
	Number       string
	At           time.Time  // from when on it holds
	Until        *time.Time // exclusive end
	Settled      *Settled   // of an invoice that ended because it is paid: it stays an invoice
	Omit         string     // why it is left out, if it is
	EpisodeID    trilith.ID
	Quote        string
}

// Terms say how a ledger is made.
type Terms struct {
	AsOf      time.Time
	Tolerance Tolerance
	Rates     Rates
	Decided   []Decided
}

// book is a ledger in the making.
type book struct {
	terms    Terms
	papers   []*paper // the papers that are summed up, in order of time
	decided  map[trilith.ID]trilith.ID
	excluded map[[2]trilith.ID]bool
	approved []*paper
	settling []*paper // statements that an invoice is paid, in order of time
	out      trilith.ProjectLedger
}

// Of makes the ledger of the facts.
func Of(facts []Fact, t Terms) trilith.ProjectLedger {
	b := &book{terms: t, out: trilith.ProjectLedger{AsOf: t.AsOf, Tolerance: t.Tolerance.String(),
		Lines: []trilith.LedgerLine{}, Items: []trilith.LedgerItem{}, Totals: []trilith.LedgerTotal{},
		Matches: []trilith.LedgerMatch{}, Findings: []trilith.LedgerFinding{}, LeftOut: []trilith.LedgerOmission{}}}
	b.decide()
	for i := range facts {
		b.take(facts[i])
	}
	slices.SortFunc(b.papers, byTime)
	slices.SortFunc(b.approved, byTime)
	slices.SortFunc(b.settling, byTime)
	b.nameCurrency()
	b.replaceBudgets()
	b.hear()
	b.match()
	b.settle()
	b.accept()
	b.find()
	b.sum()
	slices.SortFunc(b.out.LeftOut, func(x, y trilith.LedgerOmission) int { return cmp.Compare(x.FactID, y.FactID) })
	return b.out
}

// Decided is a person's decision about two papers: that the first belongs to the second, or does not. If a person joins
// a paper to several others, the last decision is in force.
type Decided struct {
	Paper, Of trilith.ID
	Not       bool
}

// decide indexes the decisions by paper.
func (b *book) decide() {
	b.decided, b.excluded = map[trilith.ID]trilith.ID{}, map[[2]trilith.ID]bool{}
	for _, d := range b.terms.Decided {
		if d.Not {
			b.excluded[[2]trilith.ID{d.Paper, d.Of}] = true
		} else {
			b.decided[d.Paper] = d.Of
		}
	}
}

// Settled names the statement that an invoice is paid, which has no amount.
type Settled struct {
	EpisodeID trilith.ID
	Quote     string
}

// take takes a fact in if it holds at the time of the ledger.
func (b *book) take(f Fact) {
	p := &paper{Fact: f, item: itemOf(f.Item), party: nameOf(f.Counterparty), phase: nameOf(f.Phase),
		number: plainNumber(f.Number), said: nameOf(f.Quote), used: new(big.Rat), credited: new(big.Rat)}
	p.names = references(p.said.words)
	if f.At.After(b.terms.AsOf) {
		return
	}
	if f.Until != nil && !f.Until.After(b.terms.AsOf) {
		if f.Settled == nil {
			return
		}
		p.settled = true
	}
	omit := f.Omit
	switch {
	case f.Kind == Approval && omit == "":
		b.approved = append(b.approved, p)
	case f.Kind == Settlement && omit == "":
		b.settling = append(b.settling, p)
	}
	if f.Kind == Approval || f.Kind == Settlement {
		return
	}
	amount, ok := decimalOf(f.Amount)
	switch {
	case omit != "":
	case !slices.Contains(kinds, f.Kind):
		omit = trilith.OmittedNoKind
	case !ok:
		omit = trilith.OmittedNoAmount
	}
	if omit != "" {
		b.leaveOut(p, omit)
		return
	}
	p.amount = amount
	if p.isBack() {
		p.amount.Abs(amount) // some credit notes have a negative amount
	}
	b.papers = append(b.papers, p)
}

// isBack reports whether a paper takes another one back, wholly or in part.
func (p *paper) isBack() bool { return p.Kind == CreditNote || p.Kind == Refund }

func byTime(p, q *paper) int { return cmp.Or(p.At.Compare(q.At), cmp.Compare(p.ID, q.ID)) }

// nameCurrency gives the amounts without a currency the one of all others, if these have only one.
func (b *book) nameCurrency() {
	only := ""
	for _, p := range b.papers {
		if only == "" {
			only = p.Currency
		}
		if p.Currency != "" && p.Currency != only {
			return
		}
	}
	for _, p := range b.papers {
		p.Currency = only
	}
}

// replaceBudgets leaves of the budgets for the whole project the last one of each currency.
func (b *book) replaceBudgets() {
	last := map[string]*paper{}
	for _, p := range b.papers {
		if p.isOverall() {
			last[p.Currency] = p
		}
	}
	b.papers = slices.DeleteFunc(b.papers, func(p *paper) bool {
		isOld := p.isOverall() && last[p.Currency] != p
		if isOld {
			b.leaveOut(p, trilith.OmittedReplaced)
		}
		return isOld
	})
}

// isOverall reports whether a paper is the budget for the whole project.
func (p *paper) isOverall() bool {
	return p.Kind == string(money.Budget) && p.item.text == "" && p.phase.text == ""
}

func (b *book) leaveOut(p *paper, reason string) {
	b.out.LeftOut = append(b.out.LeftOut, trilith.LedgerOmission{FactID: p.ID, Kind: p.Kind, Amount: p.Amount,
		Currency: p.Currency, Reason: reason, Quote: p.Quote})
}

// accept finds the quotes that bind: something was invoiced, paid or changed on them, or somebody said that they are
// taken.
func (b *book) accept() {
	changed := map[account]bool{}
	for _, p := range b.papers {
		if p.Kind == string(money.ChangeOrder) {
			changed[p.account()] = true
		}
	}
	for _, q := range b.papers {
		if q.Kind != string(money.Quote) {
			continue
		}
		q.accepted = q.used.Sign() != 0 || changed[q.account()] && q.party.text != "" ||
			slices.ContainsFunc(b.approved, func(a *paper) bool { return b.approves(a, q) })
	}
}

// approves reports whether an approval is about a quote: it names its number, or its counterparty and nothing else that
// this counterparty offers.
func (b *book) approves(a, q *paper) bool {
	if q.number != "" && (a.number == q.number || a.names[q.number]) {
		return true
	}
	names := func(field, of name) bool { // its words may also name rejected things
		return of.text != "" && (field.same(of) || field.text == "" && a.said.holds(of))
	}
	if !names(a.party, q.party) {
		return false
	}
	if names(a.item, q.item) {
		return true
	}
	if a.item.text != "" && q.item.text != "" {
		return false
	}
	return !slices.ContainsFunc(b.papers, func(other *paper) bool {
		return other != q && other.Kind == q.Kind && other.party.same(q.party) && !other.item.same(q.item)
	})
}
