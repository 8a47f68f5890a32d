package trilith

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spent is the usage of a provider's service.
type Spent struct {
	Provider string
	Model    string
	Requests int // that were sent, also those that failed
	Usage    Usage
}

type meterKey struct{}

// Metered returns a context under which drivers report their usage of providers to f. f is called during a request,
// possibly by several goroutines at once, and must return at once. An f of an outer context is called too.
func Metered(ctx context.Context, f func(Spent)) context.Context {
	outer, _ := ctx.Value(meterKey{}).(func(Spent))
	if outer == nil {
		return context.WithValue(ctx, meterKey{}, f)
	}
	return context.WithValue(ctx, meterKey{}, func(s Spent) { f(s); outer(s) })
}

// Spend reports usage; drivers call it. Without a meter it does nothing.
func Spend(ctx context.Context, s Spent) {
	if f, _ := ctx.Value(meterKey{}).(func(Spent)); f != nil {
		f(s)
	}
}

// UsageQuery chooses the days of a usage report.
type UsageQuery struct {
	Days int `json:"days,omitempty" doc:"How many days, today included; 30 if left out" minimum:"1" maximum:"366"`
}

// UsageReport is the usage of a tenant, and the rest of its budget for today.
type UsageReport struct {
	Lines  []UsageLine   `json:"lines"` // the newest day first, then by provider, model and purpose
	Budget []BudgetState `json:"budget"`
}

// BudgetLimit bounds the usage of a tenant on a day of UTC.
type BudgetLimit struct {
	Provider string  // empty: of all together
	Purpose  Purpose // empty: for all together
	Unit     BudgetUnit
	Most     int
}

// String is the limit as [ParseBudget] reads it.
func (l BudgetLimit) String() string { return l.name() + "=" + strconv.Itoa(l.Most) }

// Purpose is the purpose of a request to a provider.
type Purpose string

// UsageLine is a tenant's usage of one model for one purpose on one day.
type UsageLine struct {
	Day      string  `json:"day"` // of UTC, as 2006-01-02
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Purpose  Purpose `json:"purpose"`
	Requests int     `json:"requests"` // sent, also those that failed
	Usage            // as the provider counts; zero for one that does not
}

// The units.
const (
	BudgetTokens   BudgetUnit = "tokens" // of requests and answers together
	BudgetRequests BudgetUnit = "requests"
)

// Count returns the usage in a line by the limit's unit; 0 if the limit does not apply to it.
func (l BudgetLimit) Count(u UsageLine) int {
	switch {
	case !l.Bounds(u.Provider, u.Purpose):
		return 0
	case l.Unit == BudgetRequests:
		return u.Requests
	}
	return u.InputTokens + u.OutputTokens
}

// Bounds reports whether the limit counts a provider and a purpose.
func (l BudgetLimit) Bounds(provider string, p Purpose) bool {
	return (l.Provider == "" || l.Provider == provider) && (l.Purpose == "" || l.Purpose == p)
}

// BudgetUnit is the unit of a limit.
type BudgetUnit string

// BudgetState is how much of a limit is used today.
type BudgetState struct {
	Limit string `json:"limit"` // as [BudgetLimit.String]
	Used  int    `json:"used"`
	Most  int    `json:"most"`
}

// ParseBudget reads limits, each [PROVIDER/][PURPOSE/]tokens=N or the same with requests: tokens=2000000,
// voyage/tokens=500000, extract/requests=200, openai/extract/tokens=100000. The first of two words is the provider. A
// single word is a purpose if one has that name.
func ParseBudget(limits []string) ([]BudgetLimit, error) {
	var out []BudgetLimit
	for _, text := range limits {
		name, most, _ := strings.Cut(text, "=")
		parts := strings.Split(name, "/")
		l := BudgetLimit{Unit: BudgetUnit(parts[len(parts)-1])}
		var err error
		if l.Most, err = strconv.Atoi(most); err != nil || l.Most < 1 {
			return nil, Errorf(Invalid, "daily-budget: %.64q must end with = and a whole number above 0", text)
		}
		switch of := parts[:len(parts)-1]; {
		case l.Unit != BudgetTokens && l.Unit != BudgetRequests:
			return nil, Errorf(Invalid, "daily-budget: %.64q must count tokens or requests", text)
		case len(of) == 1 && slices.Contains(Purposes(), Purpose(of[0])):
			l.Purpose = Purpose(of[0])
		case len(of) == 1:
			l.Provider = of[0]
		case len(of) == 2 && slices.Contains(Purposes(), Purpose(of[1])):
			l.Provider, l.Purpose = of[0], Purpose(of[1])
		case len(of) > 0:
			return nil, Errorf(Invalid, "daily-budget: %.64q must be PROVIDER/PURPOSE/UNIT=N, its purpose one of %q",
				text, Purposes())
		}
		if slices.ContainsFunc(out, func(o BudgetLimit) bool { return o.name() == l.name() }) {
			return nil, Errorf(Invalid, "daily-budget: %s is given twice", l.name())
		}
		out = append(out, l)
	}
	return out, nil
}

// The purposes.
const (
	PurposeIndex   Purpose = "index"   // vectors of stored texts
	PurposeSearch  Purpose = "search"  // vectors of questions, and of compared texts
	PurposeRerank  Purpose = "rerank"  // the order of results
	PurposeExtract Purpose = "extract" // facts from texts
	PurposeSummary Purpose = "summary" // prose summaries
	// classify an answer in an interview, and choose and phrase the next question
	PurposeInterview Purpose = "interview"
	PurposeConsult   Purpose = "consult" // answers to prompts
	PurposeReading   Purpose = "reading" // the content of pictures, scanned pages and recordings
)

// Purposes lists every purpose.
func Purposes() []Purpose {
	return []Purpose{PurposeIndex, PurposeSearch, PurposeRerank, PurposeExtract, PurposeSummary,
		PurposeInterview, PurposeConsult, PurposeReading}
}

func (l BudgetLimit) name() string {
	name := ""
	for _, part := range []string{l.Provider, string(l.Purpose)} {
		if part != "" {
			name += part + "/"
		}
	}
	return name + string(l.Unit)
}

// OverBudget is why a provider was not asked: a limit of the tenant is reached. It is wrapped in an [Error] of the kind
// Exhausted.
type OverBudget struct {
	Limit BudgetLimit
	Until time.Time // when the next day begins
}

// Error says which limit it is.
func (o *OverBudget) Error() string {
	return "the budget " + o.Limit.String() + " of the day is used up"
}
