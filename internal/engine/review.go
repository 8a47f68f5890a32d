package engine

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// anyFact accepts facts and nothing else.
var anyFact = cairn.Where("kind", cairn.OpEq, cairn.KindFact)

// unshared accepts memories and not the shares of them: what a person decides, and what is counted, is where it belongs.
var unshared = cairn.Where("shared_from", cairn.OpEq, nil)

// activeFact accepts facts that stand: active ones whose validity is not over.
func (e *Engine) activeFact() cairn.Filter {
	return cairn.AllOf(anyFact, cairn.Where("state", cairn.OpEq, cairn.StateActive), e.notOver())
}

// presentFact accepts facts that stand and those that are proposed.
func (e *Engine) presentFact() cairn.Filter {
	return cairn.AllOf(anyFact, cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate}), e.notOver())
}

// notOver accepts memories whose validity is not over: what is open in the store has expired otherwise, see
// [cairn.Memory.StateAt].
func (e *Engine) notOver() cairn.Filter {
	return cairn.Filter{Or: []cairn.Filter{cairn.Where("valid_until", cairn.OpEq, nil), cairn.Where("valid_until", cairn.OpGt, e.now())}}
}

// Facts finds or lists facts; see [cairn.FactQuery].
func (e *Engine) Facts(ctx context.Context, s cairn.Scope, q cairn.FactQuery) (cairn.FactPage, error) {
	if err := checkScope(s); err != nil {
		return cairn.FactPage{}, err
	}
	var err error
	if q.Filter, err = e.withTexts(ctx, s, q.Filter); err != nil {
		return cairn.FactPage{}, err
	}
	filter, err := e.factFilter(q)
	if err != nil {
		return cairn.FactPage{}, err
	}
	limit, err := checkLimit(q.Limit, cairn.DefaultPageSize, cairn.MaxK)
	if err != nil {
		return cairn.FactPage{}, err
	}
	page := cairn.FactPage{Items: []cairn.FactHit{}}
	if q.Query != "" {
		// Where cosines are told the best by score are not quite the best by relevance.
		r := cairn.RecallRequest{Query: q.Query, Filter: filter, K: min(2*limit, cairn.MaxK), States: cairn.States(), StrongOnly: true}
		res, err := e.Recall(ctx, s, r)
		if err != nil {
			return cairn.FactPage{}, err
		}
		for _, h := range res.Hits {
			score := unweighted(h)
			if e.Generation().Threshold && h.Similarity != nil {
				score = *h.Similarity
			}
			parts := h.Memory.Fact.Relevance(score)
			hit := cairn.FactHit{Memory: h.Memory, Score: score, Relevance: parts.Product()}
			if q.Explain {
				hit.Explain = &parts
			}
			page.Items = append(page.Items, hit)
		}
		slices.SortStableFunc(page.Items, func(a, b cairn.FactHit) int { return cmp.Compare(b.Relevance, a.Relevance) })
		page.Items, page.Truncated = Fit(page.Items[:min(limit, len(page.Items))])
		page.Truncated = page.Truncated || res.Truncated && len(page.Items) < limit
		page.Coverage = res.Coverage
		return page, nil
	}
	listed, err := e.List(ctx, s, cairn.ListRequest{Filter: filter, Limit: limit, Newest: true, States: cairn.States()})
	for _, m := range once(listed.Items) {
		page.Items = append(page.Items, cairn.FactHit{Memory: m})
	}
	if err == nil {
		facts := make([]*cairn.Memory, len(page.Items))
		for i := range facts {
			facts[i] = &page.Items[i].Memory
		}
		var at cairn.Moment
		if at, err = moment(q.AsOf, q.KnownAt); err == nil {
			err = e.spokenOfAgain(ctx, s, facts, at)
		}
	}
	page.Truncated = len(listed.Items) < limit && listed.NextCursor != ""
	return page, err
}

// unweighted is the score of a fact before its relevance was taken into it.
func unweighted(h cairn.Hit) float64 {
	return min(1, h.Score/h.Memory.Fact.Relevance(1).Product())
}

// factFilter says the conditions of a query in the filter grammar.
func (e *Engine) factFilter(q cairn.FactQuery) (cairn.Filter, error) {
	switch {
	case !(q.MinConfidence >= 0 && q.MinConfidence <= 1):
		return cairn.Filter{}, cairn.Errorf(cairn.Invalid, "min_confidence: must lie between 0 and 1")
	case math.IsNaN(q.MinAmount) || math.IsInf(q.MinAmount, 0):
		return cairn.Filter{}, cairn.Errorf(cairn.Invalid, "min_financial_amount: is not a finite number")
	}
	at, err := moment(q.AsOf, q.KnownAt)
	if err != nil {
		return cairn.Filter{}, err
	}
	all := []cairn.Filter{anyFact, q.Filter, at.Filter()}
	if q.ActiveOnly == nil || *q.ActiveOnly {
		if at.IsZero() {
			all = append(all, e.activeFact())
		} else {
			all = append(all, cairn.Where("state", cairn.OpIn, at.States()))
		}
	}
	if len(q.Types) > 0 {
		all = append(all, cairn.Where("fact_type", cairn.OpIn, texts(q.Types)))
	}
	if len(q.Status) > 0 {
		all = append(all, cairn.Where("verification_status", cairn.OpIn, texts(q.Status)))
	}
	if len(q.Priorities) > 0 {
		all = append(all, cairn.Where("priority", cairn.OpIn, texts(q.Priorities)))
	}
	if q.MinConfidence > 0 {
		all = append(all, cairn.Where("confidence", cairn.OpGte, q.MinConfidence))
	}
	if q.RequiresAction != nil {
		all = append(all, cairn.Where("requires_action", cairn.OpEq, *q.RequiresAction))
	}
	if q.FinancialOnly {
		all = append(all, cairn.Where("financial_amount", cairn.OpNe, nil))
	}
	if q.MinAmount != 0 {
		all = append(all, cairn.Where("financial_amount", cairn.OpGte, q.MinAmount))
	}
	if q.ValidOnly {
		all = append(all, cairn.Where("event_time", cairn.OpLte, e.now()), e.notOver())
	}
	filter := cairn.AllOf(all...)
	return filter, filter.Validate()
}

// checkLimit returns the limit of a request, with its default filled in.
func checkLimit(limit, usual, most int) (int, error) {
	if limit < 0 || limit > most {
		return 0, cairn.Errorf(cairn.Invalid, "limit: is %d, must be 1 to %d (%d if left out)", limit, most, usual)
	}
	return cmp.Or(limit, usual), nil
}

// UnverifiedFinancial returns the facts of at least an amount that nobody has verified, active ones and candidates: the
// largest first, ties by id. minAmount is a decimal, [cairn.DefaultMinAmount] if empty. Amounts compare exactly and as
// numbers, whatever their currency. limit is 1 to MaxPageSize; DefaultK if 0.
func (e *Engine) UnverifiedFinancial(ctx context.Context, s cairn.Scope, minAmount string, limit int) (cairn.Page, error) {
	if err := checkScope(s); err != nil {
		return cairn.Page{}, err
	}
	least, ok := parseAmount(cmp.Or(minAmount, cairn.DefaultMinAmount))
	if !ok {
		return cairn.Page{}, cairn.Errorf(cairn.Invalid, "min_amount: %.40q is not a decimal such as 5000 or 99.50", minAmount)
	}
	limit, err := checkLimit(limit, cairn.DefaultK, cairn.MaxPageSize)
	if err != nil {
		return cairn.Page{}, err
	}
	filter := cairn.AllOf(e.presentFact(), cairn.Where("verification_status", cairn.OpNe, string(cairn.Verified)), cairn.Where("financial_amount", cairn.OpNe, nil))
	if least.Sign() > 0 { // what is no decimal counts as 0
		// A filter compares floating-point numbers. Rounding leaves no amount below one that it was not below.
		about, _ := least.Float64()
		filter = cairn.AllOf(filter, cairn.Where("financial_amount", cairn.OpGte, about))
	}
	page, err := e.first(ctx, s, limit, func(a, b *cairn.Memory) int { return amountOf(b).Cmp(amountOf(a)) }, filter)
	page.Items = slices.DeleteFunc(page.Items, func(m cairn.Memory) bool { return amountOf(&m).Cmp(least) < 0 })
	return page, err
}

// first returns the limit facts that any of the filters accepts and that compare lowest, ties by id. Shares are passed over: what
// is to be done is listed where it belongs.
func (e *Engine) first(ctx context.Context, s cairn.Scope, limit int, compare func(a, b *cairn.Memory) int, filters ...cairn.Filter) (cairn.Page, error) {
	page := cairn.Page{Items: []cairn.Memory{}}
	for _, f := range filters {
		for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: f}) {
			if err != nil {
				return cairn.Page{}, err
			}
			if m.SharedFrom != "" {
				continue
			}
			at, known := slices.BinarySearchFunc(page.Items, m, func(a, b cairn.Memory) int {
				return cmp.Or(compare(&a, &b), cmp.Compare(a.ID, b.ID))
			})
			if at < limit && !known {
				page.Items = slices.Insert(page.Items, at, m)[:min(limit, len(page.Items)+1)]
			}
		}
	}
	page.Items, page.Truncated = Fit(page.Items)
	ms := pointers(page.Items)
	e.describeMemories(ctx, s, ms)
	return page, e.spokenOfAgain(ctx, s, ms, cairn.Moment{})
}

// decimal is how amounts are written. The bound on its length keeps a number out of a request from taking the machine.
var decimal = regexp.MustCompile(`^-?[0-9]{1,40}(?:\.([0-9]{1,20}))?$`)

func parseAmount(s string) (*big.Rat, bool) {
	if !decimal.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// amountOf is the amount of a fact; 0 if it has none that is a decimal.
func amountOf(m *cairn.Memory) *big.Rat {
	if m.Fact.Financial != nil {
		if amount, ok := parseAmount(m.Fact.Financial.Amount); ok {
			return amount
		}
	}
	return new(big.Rat)
}

// FactStats counts the facts of the scope.
func (e *Engine) FactStats(ctx context.Context, s cairn.Scope) (cairn.FactStats, error) {
	if err := checkScope(s); err != nil {
		return cairn.FactStats{}, err
	}
	out := cairn.FactStats{Types: map[cairn.FactType]int{}, States: map[cairn.State]int{}, Verification: map[cairn.VerificationStatus]int{}}
	now := e.now()
	if store, ok := e.cfg.Store.(tallying); ok {
		return store.FactStats(ctx, s, now)
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: anyFact}) {
		if err != nil {
			return cairn.FactStats{}, err
		}
		if m.SharedFrom != "" { // counted where it belongs
			continue
		}
		out.Total++
		out.Types[m.Fact.Type]++
		out.States[m.StateAt(now)]++
		out.Verification[m.Fact.Verification.Status]++
	}
	return out, nil
}

// Exposure sums the money of the active facts that affirm an amount, exactly. An amount that is no decimal is left out.
func (e *Engine) Exposure(ctx context.Context, s cairn.Scope) (cairn.Exposure, error) {
	if err := checkScope(s); err != nil {
		return cairn.Exposure{}, err
	}
	if store, ok := e.cfg.Store.(adding); ok {
		sums, err := store.Exposure(ctx, s, e.now())
		slices.SortFunc(sums, compareSums)
		return cairn.Exposure{Sums: sums}, err
	}
	type key struct{ project, kind, currency string }
	type sum struct {
		amount   big.Rat
		decimals int
		facts    int
	}
	sums := map[key]*sum{}
	filter := cairn.AllOf(e.activeFact(), cairn.Where("polarity", cairn.OpEq, string(cairn.Affirmed)), cairn.Where("financial_amount", cairn.OpNe, nil))
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: filter}) {
		if err != nil {
			return cairn.Exposure{}, err
		}
		f := m.Fact.Financial
		amount, ok := parseAmount(f.Amount)
		if !ok || m.SharedFrom != "" {
			continue
		}
		k := key{m.Scope.Project, f.Type, f.Currency}
		if sums[k] == nil {
			sums[k] = &sum{}
		}
		_, fraction, _ := strings.Cut(f.Amount, ".")
		sums[k].amount.Add(&sums[k].amount, amount)
		sums[k].decimals = max(sums[k].decimals, len(fraction))
		sums[k].facts++
	}
	out := cairn.Exposure{Sums: []cairn.ExposureSum{}}
	for k, v := range sums {
		out.Sums = append(out.Sums, cairn.ExposureSum{Project: k.project, Type: k.kind, Currency: k.currency,
			Amount: v.amount.FloatString(v.decimals), Facts: v.facts})
	}
	slices.SortFunc(out.Sums, compareSums)
	return out, nil
}

// adding is played by stores that add up without sending what they add.
type adding interface {
	// Exposure is [Engine.Exposure] as of a moment, in any order.
	Exposure(ctx context.Context, s cairn.Scope, at time.Time) ([]cairn.ExposureSum, error)
}

func compareSums(a, b cairn.ExposureSum) int {
	return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Currency, b.Currency))
}
