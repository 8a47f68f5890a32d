package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-memory/cairn"
)

// spending counts what is used of providers by tenant and day, and keeps to the budget. What is counted is written down
// within seconds and when the engine closes: a program that is killed may forget the last seconds of it. Several processes
// add to the same count, and see within seconds what the others wrote down: what they use together may pass a limit by as much
// as they use in that time.
type spending struct {
	e *Engine

	writing  sync.Mutex // held while pending bills are written down, so that none is twice
	mu       sync.Mutex
	accounts map[string]*account // by tenant
}

// account is what a tenant used on a day.
type account struct {
	day     string
	read    time.Time     // when written was read; zero: not yet
	written []bill        // of all processes
	pending map[bill]bill // of this one, not written down yet; by keyOf
}

type bill = cairn.UsageLine

// keyOf is what bills that are added up have in common.
func keyOf(b bill) bill {
	return bill{Day: b.Day, Provider: b.Provider, Model: b.Model, Purpose: b.Purpose}
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func usageID(day string) cairn.ID { return cairn.DeriveID("usage", day) }

// of returns a context in which what is used is counted for the tenant and the purpose. If a limit that bounds the
// provider is reached it answers Exhausted with a [cairn.OverBudget]; what is under way when it is reached is finished.
func (p *spending) of(ctx context.Context, tenant, provider string, purpose cairn.Purpose) (context.Context, error) {
	if slices.ContainsFunc(p.e.cfg.Budget, func(l cairn.BudgetLimit) bool { return l.Bounds(provider, purpose) }) {
		states, err := p.states(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for i, l := range p.e.cfg.Budget {
			if l.Bounds(provider, purpose) && states[i].Used >= l.Most {
				year, month, day := p.e.now().UTC().Date()
				over := &cairn.OverBudget{Limit: l, Until: time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)}
				return nil, cairn.Errorf(cairn.Exhausted, "daily-budget: %s is used up today; it goes on at midnight UTC, or with a higher --daily-budget: %w", l, over)
			}
		}
	}
	return cairn.Metered(ctx, func(s cairn.Spent) {
		p.e.cfg.Meter.Spent(purpose, s)
		p.add(tenant, purpose, s)
	}), nil
}

// account returns the tenant's account of today; p.mu is held. What belongs to an earlier day stays pending.
func (p *spending) account(tenant string) *account {
	a := p.accounts[tenant]
	if a == nil {
		a = &account{pending: map[bill]bill{}}
		p.accounts[tenant] = a
	}
	if today := dayOf(p.e.now()); a.day != today {
		a.day, a.read, a.written = today, time.Time{}, nil
	}
	return a
}

func (p *spending) add(tenant string, purpose cairn.Purpose, s cairn.Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.account(tenant)
	b := bill{Day: a.day, Provider: s.Provider, Model: s.Model, Purpose: purpose, Requests: s.Requests, Usage: s.Usage}
	a.pending[keyOf(b)] = sum(a.pending[keyOf(b)], b)
}

// sum adds up two bills; the zero bill adds nothing.
func sum(a, b bill) bill {
	out := b
	out.Requests += a.Requests
	out.Usage.Add(a.Usage)
	return out
}

// spendingFresh is how long what all processes wrote down is believed before it is read again; they write it as often.
const spendingFresh = jobPoll

// refresh reads what all processes wrote down today, if that was some time ago.
func (p *spending) refresh(ctx context.Context, tenant string) error {
	fresh := func() (day string, ok bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		a := p.account(tenant)
		return a.day, !a.read.IsZero() && p.e.now().Sub(a.read) < spendingFresh
	}
	if _, ok := fresh(); ok {
		return nil
	}
	p.writing.Lock() // what is being written down would be counted twice
	defer p.writing.Unlock()
	day, ok := fresh()
	if ok {
		return nil
	}
	at := p.e.now()
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

// states returns how much of each limit the tenant has used today.
func (p *spending) states(ctx context.Context, tenant string) ([]cairn.BudgetState, error) {
	if err := p.refresh(ctx, tenant); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.account(tenant)
	out := make([]cairn.BudgetState, len(p.e.cfg.Budget))
	for i, l := range p.e.cfg.Budget {
		out[i] = cairn.BudgetState{Limit: l.String(), Most: l.Most}
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

// read returns what was written down of a day, and the version of the record.
func (p *spending) read(ctx context.Context, tenant, day string) ([]bill, int64, error) {
	rs, err := p.e.cfg.Store.Records(ctx, cairn.Scope{Tenant: tenant}, cairn.RecordListing{Kind: cairn.RecordUsage, IDs: []cairn.ID{usageID(day)}})
	if err != nil || len(rs) == 0 {
		return nil, 0, err
	}
	bills, err := decode[[]bill](rs[0])
	return bills, rs[0].Version, err
}

// write writes down what is pending.
func (p *spending) write(ctx context.Context) error {
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

func (p *spending) writeDay(ctx context.Context, tenant, day string, bills []bill) error {
	var all []bill
	err := retry(ctx, func() (bool, error) {
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
		body, err := json.Marshal(all)
		if err != nil {
			return false, err
		}
		_, err = p.e.commit(ctx, cairn.Scope{Tenant: tenant}, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: cairn.RecordUsage, ID: usageID(day), Version: version}},
			Records: []cairn.Record{{Kind: cairn.RecordUsage, ID: usageID(day), Body: body}}})
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
		a.read, a.written = p.e.now(), all
	}
	return nil
}

// maxUsageDays bounds a report.
const maxUsageDays = 366

// Usage reports what the tenant used of providers in the last days, today included: 1 to 366, 30 if 0.
func (e *Engine) Usage(ctx context.Context, s cairn.Scope, days int) (cairn.UsageReport, error) {
	if err := checkScope(s); err != nil {
		return cairn.UsageReport{}, err
	}
	if days = cmp.Or(days, 30); days < 1 || days > maxUsageDays {
		return cairn.UsageReport{}, cairn.Errorf(cairn.Invalid, "days: must be 1 to %d", maxUsageDays)
	}
	if err := e.spending.write(ctx); err != nil && e.ReadOnly() == "" {
		return cairn.UsageReport{}, err
	}
	ids := make([]cairn.ID, days)
	for i := range ids {
		ids[i] = usageID(dayOf(e.now().AddDate(0, 0, -i)))
	}
	rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordUsage, IDs: ids})
	if err != nil {
		return cairn.UsageReport{}, err
	}
	out := cairn.UsageReport{Lines: []cairn.UsageLine{}}
	for _, r := range rs {
		bills, err := decode[[]bill](r)
		if err != nil {
			return cairn.UsageReport{}, err
		}
		out.Lines = append(out.Lines, bills...)
	}
	slices.SortFunc(out.Lines, func(a, b bill) int {
		return cmp.Or(-cmp.Compare(a.Day, b.Day), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Purpose, b.Purpose))
	})
	out.Budget, err = e.spending.states(ctx, s.Tenant)
	return out, err
}

// tally counts what is used for one request.
type tally struct{ requests, input, output atomic.Int64 }

func (t *tally) add(s cairn.Spent) {
	t.requests.Add(int64(s.Requests))
	t.input.Add(int64(s.Usage.InputTokens))
	t.output.Add(int64(s.Usage.OutputTokens))
}

// usage is nil if no provider was asked.
func (t *tally) usage() *cairn.Usage {
	if t.requests.Load() == 0 {
		return nil
	}
	return &cairn.Usage{InputTokens: int(t.input.Load()), OutputTokens: int(t.output.Load())}
}

// maxReported bounds among how many jobs those of one request are looked for.
const maxReported = 200

// usedFor sums what models used so far to derive facts from memories that were just stored; nil if they were not asked.
func (e *Engine) usedFor(ctx context.Context, s cairn.Scope, of []cairn.ID) (*cairn.Usage, error) {
	if e.cfg.Model == nil {
		return nil, nil
	}
	jobs, err := e.cfg.Queue.Jobs(ctx, tenantOf(s), cairn.JobListing{Kind: jobDistil, Limit: maxReported})
	if err != nil {
		return nil, err
	}
	jobs = slices.DeleteFunc(jobs, func(j cairn.Job) bool {
		var p extractJob
		return json.Unmarshal(j.Payload, &p) != nil || !slices.ContainsFunc(p.Episodes, func(id cairn.ID) bool { return slices.Contains(of, id) })
	})
	if err := e.addReports(ctx, s, jobs); err != nil {
		return nil, err
	}
	var sum *cairn.Usage
	for _, j := range jobs {
		if j.Report == nil {
			continue
		}
		if sum == nil {
			sum = &cairn.Usage{}
		}
		sum.Add(j.Report.Usage)
	}
	return sum, nil
}
