package review

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Facts finds or lists facts; see [cairn.FactQuery].
func (rv *Reviewer) Facts(ctx context.Context, s cairn.Scope, q cairn.FactQuery) (cairn.FactPage, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.FactPage{}, err
	}
	var err error
	if q.Filter, err = rv.facts.ResolveTextFilters(ctx, s, q.Filter); err != nil {
		return cairn.FactPage{}, err
	}
	filter, err := rv.factFilter(q)
	if err != nil {
		return cairn.FactPage{}, err
	}
	limit, err := truth.CheckLimit(q.Limit, cairn.DefaultPageSize, cairn.MaxK)
	if err != nil {
		return cairn.FactPage{}, err
	}
	page := cairn.FactPage{Items: []cairn.FactHit{}}
	if q.Query != "" {
		// With cosines, the best by score are not exactly the best by relevance.
		r := cairn.RecallRequest{Query: q.Query, Filter: filter, K: min(2*limit, cairn.MaxK), States: cairn.States(),
			StrongOnly: true}
		res, err := rv.recall.Recall(ctx, s, r)
		if err != nil {
			return cairn.FactPage{}, err
		}
		for _, h := range res.Hits {
			score := unweighted(h)
			if rv.generations.Generation().Threshold && h.Similarity != nil {
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
		page.Items, page.Truncated = truth.Fit(page.Items[:min(limit, len(page.Items))])
		page.Truncated = page.Truncated || res.Truncated && len(page.Items) < limit
		page.Coverage = res.Coverage
		return page, nil
	}
	listed, err := rv.List(ctx, s,
		cairn.ListRequest{Filter: filter, Limit: limit, Newest: true, States: cairn.States()})
	for _, m := range truth.Distinct(listed.Items) {
		page.Items = append(page.Items, cairn.FactHit{Memory: m})
	}
	if err == nil {
		list := make([]*cairn.Memory, len(page.Items))
		for i := range list {
			list[i] = &page.Items[i].Memory
		}
		var at cairn.Moment
		if at, err = facts.ParseMoment(q.AsOf, q.KnownAt); err == nil {
			err = rv.mentions.Annotate(ctx, s, list, at)
		}
	}
	page.Truncated = len(listed.Items) < limit && listed.NextCursor != ""
	return page, err
}

// unweighted returns the score of a fact without its relevance.
func unweighted(h cairn.Hit) float64 {
	return min(1, h.Score/h.Memory.Fact.Relevance(1).Product())
}

// factFilter translates the conditions of a query to a filter.
func (rv *Reviewer) factFilter(q cairn.FactQuery) (cairn.Filter, error) {
	switch {
	case !(q.MinConfidence >= 0 && q.MinConfidence <= 1):
		return cairn.Filter{}, cairn.Errorf(cairn.Invalid, "min_confidence: must lie between 0 and 1")
	case math.IsNaN(q.MinAmount) || math.IsInf(q.MinAmount, 0):
		return cairn.Filter{}, cairn.Errorf(cairn.Invalid, "min_financial_amount: is not a finite number")
	}
	at, err := facts.ParseMoment(q.AsOf, q.KnownAt)
	if err != nil {
		return cairn.Filter{}, err
	}
	all := []cairn.Filter{truth.AnyFact, q.Filter, at.Filter()}
	if q.ActiveOnly == nil || *q.ActiveOnly {
		if at.IsZero() {
			all = append(all, rv.facts.ActiveFact())
		} else {
			all = append(all, cairn.Where("state", cairn.OpIn, at.States()))
		}
	}
	if len(q.Types) > 0 {
		all = append(all, cairn.Where("fact_type", cairn.OpIn, truth.Texts(q.Types)))
	}
	if len(q.Status) > 0 {
		all = append(all, cairn.Where("verification_status", cairn.OpIn, truth.Texts(q.Status)))
	}
	if len(q.Priorities) > 0 {
		all = append(all, cairn.Where("priority", cairn.OpIn, truth.Texts(q.Priorities)))
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
		all = append(all, cairn.Where("event_time", cairn.OpLte, rv.truth.Now()), rv.facts.NotExpired())
	}
	filter := cairn.AllOf(all...)
	return filter, filter.Validate()
}

// UnverifiedFinancial returns unverified facts with at least an amount, active ones and candidates: the largest first,
// ties by id. minAmount is a decimal, [cairn.DefaultMinAmount] if empty. Amounts are compared exactly, as numbers,
// regardless of their currency. limit is 1 to MaxPageSize; DefaultK if 0.
func (rv *Reviewer) UnverifiedFinancial(ctx context.Context, s cairn.Scope, minAmount string, limit int) (
	cairn.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Page{}, err
	}
	least, ok := parseAmount(cmp.Or(minAmount, cairn.DefaultMinAmount))
	if !ok {
		return cairn.Page{}, cairn.Errorf(
			cairn.Invalid, "min_amount: %.40q is not a decimal such as 5000 or 99.50", minAmount)
	}
	limit, err := truth.CheckLimit(limit, cairn.DefaultK, cairn.MaxPageSize)
	if err != nil {
		return cairn.Page{}, err
	}
	filter := cairn.AllOf(rv.facts.PresentFact(),
		cairn.Where("verification_status", cairn.OpNe, string(cairn.Verified)),
		cairn.Where("financial_amount", cairn.OpNe, nil))
	if least.Sign() > 0 { // an amount that is no decimal counts as 0
		// A filter compares floating-point numbers. Rounding is monotonic, so no amount that reaches the minimum is
		// lost.
		about, _ := least.Float64()
		filter = cairn.AllOf(filter, cairn.Where("financial_amount", cairn.OpGte, about))
	}
	page, err := rv.recall.First(
		ctx, s, limit, func(a, b *cairn.Memory) int { return amountOf(b).Cmp(amountOf(a)) }, filter)
	page.Items = slices.DeleteFunc(page.Items, func(m cairn.Memory) bool { return amountOf(&m).Cmp(least) < 0 })
	return page, err
}
