package review

import (
	"cmp"
	"context"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// decimal matches an amount. It limits the length so that a number in a request cannot exhaust the machine.
var decimal = regexp.MustCompile(`^-?[0-9]{1,40}(?:\.([0-9]{1,20}))?$`)

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
	now, out := rv.truth.Now(), trilith.NewFactStats()
	rows, err := truth.Tally(ctx, rv.truth, s, trilith.Tally{By: []string{"state", "fact_type", "verification_status"},
		Kinds: []trilith.Kind{trilith.KindFact}, Unshared: true, At: now}, trilith.Filter{})
	for _, r := range rows {
		r.StatesAt(trilith.State(r.Values[0]), func(st trilith.State, n int) {
			out.Add(trilith.FactType(r.Values[1]), st, trilith.VerificationStatus(r.Values[2]), n)
		})
	}
	return out, err
}

// Exposure adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
func (rv *Reviewer) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Exposure{}, err
	}
	type key struct{ project, kind, currency string }
	type sum struct {
		amount   big.Rat
		decimals int
		facts    int
	}
	sums := map[key]*sum{}
	rows, err := truth.Tally(ctx, rv.truth, s, trilith.Tally{
		By:    []string{"project", "financial_type", "currency", "financial_amount", "polarity"},
		Kinds: []trilith.Kind{trilith.KindFact}, States: []trilith.State{trilith.StateActive}, Unshared: true, Money: true,
		At: rv.truth.Now()}, trilith.Filter{})
	if err != nil {
		return trilith.Exposure{}, err
	}
	for _, r := range rows {
		amount, ok := parseAmount(r.Values[3])
		if !ok || r.Active == 0 || r.Values[4] != string(trilith.Affirmed) {
			continue
		}
		k := key{r.Values[0], r.Values[1], r.Values[2]}
		if sums[k] == nil {
			sums[k] = &sum{}
		}
		_, fraction, _ := strings.Cut(r.Values[3], ".")
		sums[k].amount.Add(&sums[k].amount, amount.Mul(amount, new(big.Rat).SetInt64(int64(r.Active))))
		sums[k].decimals = max(sums[k].decimals, len(fraction))
		sums[k].facts += r.Active
	}
	out := trilith.Exposure{Sums: []trilith.ExposureSum{}}
	for k, v := range sums {
		out.Sums = append(out.Sums, trilith.ExposureSum{Project: k.project, Type: k.kind, Currency: k.currency,
			Amount: v.amount.FloatString(v.decimals), Facts: v.facts})
	}
	slices.SortFunc(out.Sums, compareSums)
	return out, nil
}

func parseAmount(s string) (*big.Rat, bool) {
	if !decimal.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func compareSums(a, b trilith.ExposureSum) int {
	return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Currency, b.Currency))
}
