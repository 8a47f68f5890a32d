package usage

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Spending counts the usage of providers by tenant and day, and keeps to the budget. The counts are written down within
// seconds and when the engine closes: a program that is killed may lose the last seconds. Several processes add to the
// same count, and see each other's usage within seconds: together they may pass a limit by as much as they use in that
// time.
type Spending struct {
	a *Accounts

	writing  sync.Mutex // held while pending bills are written down, so that none is twice
	mu       sync.Mutex
	accounts map[string]*account // by tenant
}

// account holds a tenant's bills of one day.
type account struct {
	day     string
	read    time.Time     // when written was read; zero: not yet
	written []bill        // of all processes
	pending map[bill]bill // of this one, not written down yet; by keyOf
}

type bill = trilith.UsageLine

// Of returns a context that counts usage for the tenant and the purpose. If a limit that bounds the provider is reached
// it answers Exhausted with a [trilith.OverBudget]; calls under way at that moment are finished.
func (p *Spending) Of(ctx context.Context, tenant, provider string, purpose trilith.Purpose) (context.Context, error) {
	if slices.ContainsFunc(p.a.budget, func(l trilith.BudgetLimit) bool { return l.Bounds(provider, purpose) }) {
		states, err := p.states(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for i, l := range p.a.budget {
			if l.Bounds(provider, purpose) && states[i].Used >= l.Most {
				year, month, day := p.a.truth.Now().UTC().Date()
				over := &trilith.OverBudget{Limit: l, Until: time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)}
				return nil, trilith.Errorf(
					trilith.Exhausted, "daily-budget: %s is used up for today; work continues at midnight UTC, or with a higher TRILITH_DAILY_BUDGET: %w", l, over)
			}
		}
	}
	return trilith.Metered(ctx, func(s trilith.Spent) {
		p.a.truth.Meter.Spent(purpose, s)
		p.add(tenant, purpose, s)
	}), nil
}

func (p *Spending) add(tenant string, purpose trilith.Purpose, s trilith.Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.account(tenant)
	b := bill{Day: a.day, Provider: s.Provider, Model: s.Model, Purpose: purpose, Requests: s.Requests, Usage: s.Usage}
	a.pending[keyOf(b)] = sum(a.pending[keyOf(b)], b)
}

// maxUsageDays bounds a report.
const maxUsageDays = 366

// Usage reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if 0.
func (a *Accounts) Usage(ctx context.Context, s trilith.Scope, q trilith.UsageQuery) (trilith.UsageReport, error) {
	if err := truth.CheckWhole(s); err != nil {
		return trilith.UsageReport{}, err
	}
	days := cmp.Or(q.Days, 30)
	if days < 1 || days > maxUsageDays {
		return trilith.UsageReport{}, trilith.Errorf(trilith.Invalid, "days: must be 1 to %d", maxUsageDays)
	}
	if err := a.Spending.Write(ctx); err != nil && a.truth.ReadOnly() == "" {
		return trilith.UsageReport{}, err
	}
	ids := make([]trilith.ID, days)
	for i := range ids {
		ids[i] = usageID(dayOf(a.truth.Now().AddDate(0, 0, -i)))
	}
	rs, err := a.truth.RecordsOf(ctx, s, role.RecordUsage, ids...)
	if err != nil {
		return trilith.UsageReport{}, err
	}
	out := trilith.UsageReport{Lines: []trilith.UsageLine{}}
	for _, r := range rs {
		bills, err := truth.Decode[[]bill](r)
		if err != nil {
			return trilith.UsageReport{}, err
		}
		out.Lines = append(out.Lines, bills...)
	}
	slices.SortFunc(out.Lines, func(a, b bill) int {
		return cmp.Or(-cmp.Compare(a.Day, b.Day), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Purpose, b.Purpose))
	})
	out.Budget, err = a.Spending.states(ctx, s.Tenant)
	return out, err
}

// Write writes down the pending bills.
func (p *Spending) Write(ctx context.Context) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	tenants := slices.Collect(maps.Keys(p.accounts))
	p.mu.Unlock()
	var errs []error
	for _, tenant := range tenants {
		p.mu.Lock()
		byDay := map[string][]bill{}
		for _, b := range p.account(tenant).pending {
			byDay[b.Day] = append(byDay[b.Day], b)
		}
		p.mu.Unlock()
		for day, bills := range byDay {
			errs = append(errs, p.writeDay(ctx, tenant, day, bills))
		}
	}
	return errors.Join(errs...)
}

func (p *Spending) writeDay(ctx context.Context, tenant, day string, bills []bill) error {
	var all []bill
	err := truth.Retry(ctx, func() (bool, error) {
		written, version, err := p.read(ctx, tenant, day)
		if err != nil {
			return false, err
		}
		all = written
		for _, b := range bills {
			if i := slices.IndexFunc(all, func(w bill) bool { return keyOf(w) == keyOf(b) }); i >= 0 {
				all[i] = sum(all[i], b)
			} else {
				all = append(all, b)
			}
		}
		var b role.Batch
		if err := b.Replace(role.RecordUsage, usageID(day), version, all); err != nil {
			return false, err
		}
		_, err = p.a.truth.Commit(ctx, trilith.Scope{Tenant: tenant}, b)
		return true, err
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.account(tenant)
	for _, b := range bills {
		left := a.pending[keyOf(b)]
		left.Requests -= b.Requests
		left.InputTokens -= b.InputTokens
		left.OutputTokens -= b.OutputTokens
		if left == keyOf(b) {
			delete(a.pending, keyOf(b))
		} else {
			a.pending[keyOf(b)] = left
		}
	}
	if a.day == day {
		a.read, a.written = p.a.truth.Now(), all
	}
	return nil
}

// keyOf returns a bill without its amounts: bills with equal keys are added up.
func keyOf(b bill) bill {
	return bill{Day: b.Day, Provider: b.Provider, Model: b.Model, Purpose: b.Purpose}
}

// sum adds up two bills; the zero bill adds nothing.
func sum(a, b bill) bill {
	out := b
	out.Requests += a.Requests
	out.Usage.Add(a.Usage)
	return out
}

// states returns how much of each limit the tenant has used today.
func (p *Spending) states(ctx context.Context, tenant string) ([]trilith.BudgetState, error) {
	if err := p.refresh(ctx, tenant); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.account(tenant)
	out := make([]trilith.BudgetState, len(p.a.budget))
	for i, l := range p.a.budget {
		out[i] = trilith.BudgetState{Limit: l.String(), Most: l.Most}
		for _, b := range a.written {
			out[i].Used += l.Count(b)
		}
		for _, b := range a.pending {
			if b.Day == a.day {
				out[i].Used += l.Count(b)
			}
		}
	}
	return out, nil
}

// spendingFresh is how long the bills read from the store are valid before they are read again; each process writes its
// own as often.
const spendingFresh = truth.JobPoll

// refresh reads today's bills of all processes, unless they were read within spendingFresh.
func (p *Spending) refresh(ctx context.Context, tenant string) error {
	fresh := func() (day string, ok bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		a := p.account(tenant)
		return a.day, !trilith.Over(a.read.Add(spendingFresh), p.a.truth.Now(), spendingFresh)
	}
	if _, ok := fresh(); ok {
		return nil
	}
	p.writing.Lock() // bills that are being written down would be counted twice
	defer p.writing.Unlock()
	day, ok := fresh()
	if ok {
		return nil
	}
	at := p.a.truth.Now()
	written, _, err := p.read(ctx, tenant, day)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.account(tenant); a.day == day {
		a.read, a.written = at, written
	}
	return nil
}

// account returns the tenant's account of today; p.mu is held. Usage of an earlier day stays pending.
func (p *Spending) account(tenant string) *account {
	a := p.accounts[tenant]
	if a == nil {
		a = &account{pending: map[bill]bill{}}
		p.accounts[tenant] = a
	}
	if today := dayOf(p.a.truth.Now()); a.day != today {
		a.day, a.read, a.written = today, time.Time{}, nil
	}
	return a
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// read returns the recorded bills of a day, and the version of their record.
func (p *Spending) read(ctx context.Context, tenant, day string) ([]bill, int64, error) {
	return truth.ReadRecord[[]bill](ctx, p.a.truth, trilith.Scope{Tenant: tenant}, role.RecordUsage, usageID(day))
}

func usageID(day string) trilith.ID { return trilith.DeriveID("usage", day) }

// Tally counts the usage of one request.
type Tally struct{ requests, input, output atomic.Int64 }

func (t *Tally) Add(s trilith.Spent) {
	t.requests.Add(int64(s.Requests))
	t.input.Add(int64(s.Usage.InputTokens))
	t.output.Add(int64(s.Usage.OutputTokens))
}

// Usage is nil if no provider was asked.
func (t *Tally) Usage() *trilith.Usage {
	if t.requests.Load() == 0 {
		return nil
	}
	return &trilith.Usage{InputTokens: int(t.input.Load()), OutputTokens: int(t.output.Load())}
}

// MaxReported bounds among how many jobs those of one request are looked for.
const MaxReported = 200
