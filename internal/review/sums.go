package review

import (
	"cmp"
	"context"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// decimal matches an amount. It limits the length so that a number in a request cannot exhaust the machine.
var decimal = regexp.MustCompile(`^-?[0-9]{1,40}(?:\.([0-9]{1,20}))?$`)

func parseAmount(s string) (*big.Rat, bool) {
	if !decimal.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// amountOf returns the amount of a fact; 0 if it has no decimal amount.
func amountOf(m *trilith.Memory) *big.Rat {
	if m.Fact.Financial != nil {
		if amount, ok := parseAmount(m.Fact.Financial.Amount); ok {
			return amount
		}
	}
	return new(big.Rat)
}

// FactStats counts the facts of the scope.
func (rv *Reviewer) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.FactStats{}, err
	}
	out := trilith.NewFactStats()
	now := rv.truth.Now()
	if store, ok := rv.truth.Store.(role.Tallier); ok {
		return store.FactStats(ctx, s, now)
	}
	for m, err := range rv.truth.Store.List(ctx, s, role.Listing{Filter: truth.AnyFact}) {
		if err != nil {
			return trilith.FactStats{}, err
		}
		if m.SharedFrom != "" { // counted with its origin
			continue
		}
		out.Add(m.Fact.Type, m.StateAt(now), m.Fact.Verification.Status, 1)
	}
	return out, nil
}

// Exposure adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
func (rv *Reviewer) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Exposure{}, err
	}
	if store, ok := rv.truth.Store.(role.ExposureSummer); ok {
		sums, err := store.Exposure(ctx, s, rv.truth.Now())
		slices.SortFunc(sums, compareSums)
		return trilith.Exposure{Sums: sums}, err
	}
	type key struct{ project, kind, currency string }
	type sum struct {
		amount   big.Rat
		decimals int
		facts    int
	}
	sums := map[key]*sum{}
	filter := trilith.AllOf(rv.facts.ActiveFact(), trilith.Where("polarity", trilith.OpEq, string(trilith.Affirmed)),
		trilith.Where("financial_amount", trilith.OpNe, nil))
	for m, err := range rv.truth.Store.List(ctx, s, role.Listing{Filter: filter}) {
		if err != nil {
			return trilith.Exposure{}, err
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
	out := trilith.Exposure{Sums: []trilith.ExposureSum{}}
	for k, v := range sums {
		out.Sums = append(out.Sums, trilith.ExposureSum{Project: k.project, Type: k.kind, Currency: k.currency,
			Amount: v.amount.FloatString(v.decimals), Facts: v.facts})
	}
	slices.SortFunc(out.Sums, compareSums)
	return out, nil
}

func compareSums(a, b trilith.ExposureSum) int {
	return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Currency, b.Currency))
}
