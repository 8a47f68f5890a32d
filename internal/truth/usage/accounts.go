// Package usage counts what each tenant uses of providers, and keeps to the budget of a day.
package usage

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Accounts are the tenants' accounts with providers. Its methods are safe for concurrent use.
type Accounts struct {
	truth  *truth.Truth
	budget []trilith.BudgetLimit

	Spending *Spending // counts current usage
}

// New opens the accounts. The budget says what each tenant may use of providers on a day; it is unlimited if empty.
func New(t *truth.Truth, budget []trilith.BudgetLimit) *Accounts {
	a := &Accounts{truth: t, budget: budget}
	a.Spending = &Spending{a: a, accounts: map[string]*account{}}
	return a
}
