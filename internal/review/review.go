package review

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Facts finds or lists facts; see [trilith.FactQuery].
func (rv *Reviewer) Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.FactPage{}, err
	}
	var err error
	if q.Filter, err = rv.facts.ResolveFilter(ctx, s, q.Filter); err != nil {
		return trilith.FactPage{}, err
	}
	filter, err := rv.factFilter(s, q)
	if err != nil {
		return trilith.FactPage{}, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxK)
	if err != nil {
		return trilith.FactPage{}, err
	}
	page := trilith.FactPage{Items: []trilith.FactHit{}}
	if q.Query != "" {
		// With cosines, the best by score are not exactly the best by relevance.
		r := trilith.RecallRequest{Query: q.Query, Filter: filter, K: min(2*limit, trilith.MaxK), States: trilith.States(),
			StrongOnly: q.StrongOnly, Scale: trilith.ScaleCosine}
		res, err := rv.recall.Recall(ctx, s, r)
		if err != nil {
			return trilith.FactPage{}, err
		}
		for _, h := range res.Hits {
			score := unweighted(&h, res.Scale)
			parts := h.Memory.Fact.Relevance(score)
			hit := trilith.FactHit{Memory: h.Memory, Score: score, Weak: h.Weak, Relevance: parts.Product()}
			if q.Explain {
				hit.Explain = &parts
			}
			page.Items = append(page.Items, hit)
		}
		slices.SortStableFunc(page.Items, func(a, b trilith.FactHit) int {
			last := map[bool]int{true: 1}
			return cmp.Or(last[a.Weak]-last[b.Weak], cmp.Compare(b.Relevance, a.Relevance))
		})
		page.Items, page.Truncated = truth.Fit(page.Items[:min(limit, len(page.Items))])
		page.Truncated = page.Truncated || res.Truncated && len(page.Items) < limit
		page.Coverage, page.Scale = res.Coverage, res.Scale
		return page, nil
	}
	listed, err := rv.List(ctx, s,
		trilith.ListRequest{Filter: filter, Limit: limit, Newest: true, States: trilith.States()})
	for _, m := range truth.Distinct(listed.Items) {
		page.Items = append(page.Items, trilith.FactHit{Memory: m})
	}
	if err == nil {
		_, err = rv.truth.ClockOf(s).Moment(q.AsOf, q.KnownAt)
	}
	page.Truncated = len(listed.Items) < limit && listed.NextCursor != ""
	return page, err
}

// unweighted returns the score of a fact without its relevance, which is a factor of the fused score.
func unweighted(h *trilith.Hit, scale trilith.Scale) float64 {
	if scale == trilith.ScaleCosine || h.Weak {
		return h.Score
	}
	return min(1, h.Score/h.Memory.Fact.Relevance(1).Product())
}

// factFilter translates the conditions of a query to a filter.
func (rv *Reviewer) factFilter(s trilith.Scope, q trilith.FactQuery) (trilith.Filter, error) {
	switch {
	case !(q.MinConfidence >= 0 && q.MinConfidence <= 1):
		return trilith.Filter{}, trilith.Errorf(trilith.Invalid, "min_confidence: must lie between 0 and 1")
	case math.IsNaN(q.MinAmount) || math.IsInf(q.MinAmount, 0):
		return trilith.Filter{}, trilith.Errorf(trilith.Invalid, "min_financial_amount: is not a finite number")
	}
	at, err := rv.truth.ClockOf(s).Moment(q.AsOf, q.KnownAt)
	if err != nil {
		return trilith.Filter{}, err
	}
	all := []trilith.Filter{truth.AnyFact, q.Filter, at.Filter()}
	if q.ActiveOnly == nil || *q.ActiveOnly {
		if at.IsZero() {
			all = append(all, rv.facts.ActiveFact())
		} else {
			all = append(all, trilith.Where("state", trilith.OpIn, at.States()))
		}
	}
	if len(q.Types) > 0 {
		all = append(all, trilith.Where("fact_type", trilith.OpIn, truth.Texts(q.Types)))
	}
	if len(q.Status) > 0 {
		all = append(all, trilith.Where("verification_status", trilith.OpIn, truth.Texts(q.Status)))
	}
	if len(q.Priorities) > 0 {
		all = append(all, trilith.Where("priority", trilith.OpIn, truth.Texts(q.Priorities)))
	}
	if q.MinConfidence > 0 {
		all = append(all, trilith.Where("confidence", trilith.OpGte, q.MinConfidence))
	}
	if q.RequiresAction != nil {
		all = append(all, trilith.Where("requires_action", trilith.OpEq, *q.RequiresAction))
	}
	if q.FinancialOnly {
		all = append(all, trilith.Where("financial_amount", trilith.OpNe, nil))
	}
	if q.MinAmount != 0 {
		all = append(all, trilith.Where("financial_amount", trilith.OpGte, q.MinAmount))
	}
	if q.ValidOnly {
		all = append(all, trilith.Where("event_time", trilith.OpLte, rv.truth.Now()), rv.facts.NotExpired())
	}
	filter := trilith.AllOf(all...)
	return filter, filter.Validate()
}

// UnverifiedFinancial returns unverified facts with at least an amount, active ones and candidates: the largest first,
// ties by id. Amounts are compared exactly, as numbers, regardless of their currency.
func (rv *Reviewer) UnverifiedFinancial(ctx context.Context, s trilith.Scope, q trilith.UnverifiedQuery) (
	trilith.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Page{}, err
	}
	least, ok := parseAmount(cmp.Or(q.MinAmount, trilith.DefaultMinAmount))
	if !ok {
		return trilith.Page{}, trilith.Errorf(
			trilith.Invalid, "min_amount: %.40q is not a decimal such as 5000 or 99.50", q.MinAmount)
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultK, trilith.MaxPageSize)
	if err != nil {
		return trilith.Page{}, err
	}
	filter := trilith.AllOf(rv.facts.PresentFact(),
		trilith.Where("verification_status", trilith.OpNe, string(trilith.Verified)),
		trilith.Where("financial_amount", trilith.OpNe, nil))
	if least.Sign() > 0 { // an amount that is no decimal counts as 0
		// A filter compares floating-point numbers. Rounding is monotonic, so no amount that reaches the minimum is
		// lost.
		about, _ := least.Float64()
		filter = trilith.AllOf(filter, trilith.Where("financial_amount", trilith.OpGte, about))
	}
	page, err := rv.recall.First(
		ctx, s, limit, func(a, b *trilith.Memory) int { return amountOf(b).Cmp(amountOf(a)) }, filter)
	page.Items = slices.DeleteFunc(page.Items, func(m trilith.Memory) bool { return amountOf(&m).Cmp(least) < 0 })
	return page, err
}
