package ledger

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/money"
)

// sums are [trilith.LedgerSums] as they are added up.
type sums struct {
	budget, estimated, quoted, committed, invoiced, paid, open big.Rat
	budgeted                                                   bool // there is a budget
}

// sum adds the papers up: by line, by item, and by currency.
func (b *book) sum() {
	lines := map[account]*trilith.LedgerLine{}
	ofLine, ofItem, ofTotal, overall := map[account]*sums{}, map[account]*sums{}, map[string]*sums{}, map[string]*sums{}
	items := map[account]*trilith.LedgerItem{}
	for _, p := range b.papers {
		key := p.account()
		if lines[key] == nil {
			lines[key] = &trilith.LedgerLine{Item: p.Item, Counterparty: p.Counterparty, Phase: p.Phase,
				Currency: p.Currency}
		}
		lines[key].Entries = append(lines[key].Entries, p.entries()...)
		at(ofLine, key).add(p)
		key.party = ""
		if items[key] == nil {
			items[key] = &trilith.LedgerItem{Item: p.Item, Phase: p.Phase, Currency: p.Currency}
		}
		items[key].FactIDs = append(items[key].FactIDs, p.ID)
		at(ofItem, key).add(p)
		if p.isOverall() {
			at(overall, p.Currency).add(p)
			at(ofTotal, p.Currency)
			continue
		}
		at(ofTotal, p.Currency).add(p)
	}
	for _, key := range slices.SortedFunc(maps.Keys(lines), compareAccounts) {
		lines[key].LedgerSums = ofLine[key].written()
		b.out.Lines = append(b.out.Lines, *lines[key])
	}
	for _, key := range slices.SortedFunc(maps.Keys(items), compareAccounts) {
		for other := range items {
			if other.item == key.item && other.phase == key.phase && other.currency != key.currency {
				items[key].Without = append(items[key].Without, other.currency)
			}
		}
		slices.Sort(items[key].Without)
		items[key].LedgerSums, items[key].LedgerVariance = ofItem[key].written(), ofItem[key].variance()
		b.out.Items = append(b.out.Items, *items[key])
	}
	for _, currency := range slices.Sorted(maps.Keys(ofTotal)) {
		b.out.Totals = append(b.out.Totals, total(currency, ofTotal[currency], overall[currency]))
	}
	b.combine(ofTotal)
}

// entries are the lines of a paper: itself, and the part that is paid only by words without an amount.
func (p *paper) entries() []trilith.LedgerEntry {
	out := []trilith.LedgerEntry{{FactID: p.ID, Kind: p.Kind, Amount: exactly(p.value()), At: p.At, Number: p.Number,
		EpisodeID: p.EpisodeID, Quote: p.Quote}}
	if rest := p.left(); p.settled && rest.Sign()*p.amount.Sign() > 0 {
		out = append(out, trilith.LedgerEntry{FactID: p.ID, Kind: Settlement, Amount: exactly(rest), At: *p.Until,
			Number: p.Number, EpisodeID: p.Settled.EpisodeID, Quote: p.Settled.Quote})
	}
	return out
}

// add adds a paper.
func (s *sums) add(p *paper) {
	count := func(to ...*big.Rat) {
		for _, r := range to {
			r.Add(r, p.value())
		}
	}
	switch money.Kind(p.Kind) {
	case money.Budget:
		s.budgeted = true
		count(&s.budget)
	case money.Estimate:
		count(&s.estimated)
	case money.Quote:
		count(&s.quoted)
		if p.accepted {
			count(&s.committed)
		}
	case money.ChangeOrder, money.HardCost:
		count(&s.committed)
	case money.Invoice:
		count(&s.invoiced)
		if p.standsAlone() {
			count(&s.committed)
		}
		if rest := p.left(); rest.Sign()*p.amount.Sign() > 0 {
			if p.settled {
				s.paid.Add(&s.paid, rest)
			} else {
				s.open.Add(&s.open, rest)
			}
		}
	case money.Payment:
		count(&s.paid)
		if p.standsAlone() {
			count(&s.committed)
		}
	case money.CreditNote:
		count(&s.invoiced)
		if p.matched != nil && p.matched.standsAlone() {
			count(&s.committed)
		}
	case money.Refund:
		count(&s.paid)
		if p.matched != nil && p.matched.standsAlone() {
			count(&s.committed)
		}
	}
}

func at[K comparable](m map[K]*sums, key K) *sums {
	if m[key] == nil {
		m[key] = &sums{}
	}
	return m[key]
}

func compareAccounts(a, b account) int {
	return cmp.Or(strings.Compare(a.item, b.item), strings.Compare(a.party, b.party),
		strings.Compare(a.phase, b.phase), strings.Compare(a.currency, b.currency))
}

// total is a total whose budget is the one for the whole project, if there is one.
func total(currency string, s, overall *sums) trilith.LedgerTotal {
	t := trilith.LedgerTotal{Currency: currency, Allocated: exactly(&s.budget)}
	if overall != nil {
		s.budget, s.budgeted = overall.budget, true
	}
	t.LedgerSums, t.LedgerVariance = s.written(), s.variance()
	return t
}

// combine adds the totals up for which there are rates. The sums are rounded to cents at the end. Totals have their
// budgets by now.
func (b *book) combine(totals map[string]*sums) {
	r := b.terms.Rates
	if r.Base == "" {
		return
	}
	var all sums
	var without []string
	allocated := new(big.Rat)
	for i, currency := range slices.Sorted(maps.Keys(totals)) {
		if _, ok := r.in(new(big.Rat), currency); !ok {
			without = append(without, currency)
			continue
		}
		to, from := all.all(), totals[currency].all()
		for i := range to {
			value, _ := r.in(from[i], currency)
			to[i].Add(to[i], value)
		}
		all.budgeted = all.budgeted || totals[currency].budgeted
		part, _ := new(big.Rat).SetString(b.out.Totals[i].Allocated)
		value, _ := r.in(part, currency)
		allocated.Add(allocated, value)
	}
	for _, sum := range append(all.all(), allocated) {
		sum.SetString(sum.FloatString(2)) // half away from zero
	}
	b.out.Combined = &trilith.LedgerTotal{Currency: r.Base, Allocated: exactly(allocated), LedgerSums: all.written(),
		LedgerVariance: all.variance(), Rates: r.said, Without: without}
}

func (s *sums) all() []*big.Rat {
	return []*big.Rat{&s.budget, &s.estimated, &s.quoted, &s.committed, &s.invoiced, &s.paid, &s.open}
}

func (s *sums) written() trilith.LedgerSums {
	return trilith.LedgerSums{Budget: exactly(&s.budget), Estimated: exactly(&s.estimated), Quoted: exactly(&s.quoted),
		Committed: exactly(&s.committed), Invoiced: exactly(&s.invoiced), Paid: exactly(&s.paid),
		Open: exactly(&s.open)}
}

// variance is the rest of the budget, if there is one.
func (s *sums) variance() trilith.LedgerVariance {
	if !s.budgeted {
		return trilith.LedgerVariance{}
	}
	left := new(big.Rat).Sub(&s.budget, &s.committed)
	v := trilith.LedgerVariance{Variance: exactly(left)}
	if s.budget.Sign() != 0 {
		v.Percent = left.Quo(left, &s.budget).Mul(left, big.NewRat(100, 1)).FloatString(1)
	}
	return v
}
