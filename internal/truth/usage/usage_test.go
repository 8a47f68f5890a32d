package usage_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// days is a clock that stands still until a test moves it on.
type days struct{ now atomic.Int64 }

func newDays(t *testing.T) *days {
	t.Helper()
	d := &days{}
	d.now.Store(time.Date(2025, 6, 2, 10, 0, 0, 0, time.UTC).Unix())
	return d
}

func (d *days) Now() time.Time { return time.Unix(d.now.Load(), 0) }

func (d *days) pass(n int) { d.now.Add(int64(n * 24 * 60 * 60)) }

// engine opens an engine that lives by the clock.
func (d *days) engine(t *testing.T, change ...func(*engine.Config)) rig.Rig {
	t.Helper()
	store := inmem.New(d.Now)
	return rig.Open(t, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil), Now: d.Now},
		change...)
}

func usage(t *testing.T, r rig.Rig, s trilith.Scope) []trilith.UsageLine {
	t.Helper()
	report, err := r.Usage(t.Context(), s, trilith.UsageQuery{Days: 2})
	if err != nil {
		t.Fatalf("Usage = %v", err)
	}
	return report.Lines
}

// TestUsage: usage is counted by tenant, day, provider and purpose, and outlives the engine.
func TestUsage(t *testing.T) {
	t.Parallel()
	day := newDays(t)
	store := rig.NewLasting()
	today := day.Now().UTC().Format(time.DateOnly)
	again := func() rig.Rig {
		return rig.Open(t, store.Config(), func(c *engine.Config) {
			c.Now, c.Embedder = day.Now,
				rig.Paid{Embedder: rig.Hash(t, 64)}
		})
	}
	e := again()
	e.Note(t, rig.Acme, "The slate came from Wales.")
	e.MustSettle(t)
	if _, err := e.Recall(t.Context(), rig.Acme,
		trilith.RecallRequest{Query: "slate", Arms: []trilith.Arm{trilith.ArmDense}}); err != nil {
		t.Fatal(err)
	}
	line := func(p trilith.Purpose) trilith.UsageLine {
		return trilith.UsageLine{Day: today, Provider: "hash", Model: "words", Purpose: p, Requests: 1,
			Usage: trilith.Usage{InputTokens: 1}}
	}
	want := []trilith.UsageLine{line(trilith.PurposeIndex), line(trilith.PurposeSearch)}
	if diff := cmp.Diff(want, usage(t, e, rig.Acme)); diff != "" {
		t.Errorf("Usage (-want +got):\n%s", diff)
	}
	if got := usage(t, e, trilith.Scope{Tenant: "other"}); len(got) != 0 {
		t.Errorf("Usage of another tenant = %+v", got)
	}
	other := again() // a second process
	for _, r := range []rig.Rig{e, other} {
		if _, err := r.Recall(t.Context(), rig.Acme,
			trilith.RecallRequest{Query: "slate", Arms: []trilith.Arm{trilith.ArmDense}}); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want[1].Requests, want[1].InputTokens = 3, 3
	if diff := cmp.Diff(want, usage(t, again(), rig.Acme)); diff != "" {
		t.Errorf("Usage after two processes have ended (-want +got):\n%s", diff)
	}
	day.pass(1)
	if got := usage(t, again(), rig.Acme); len(got) != 2 || got[0].Day != today {
		t.Errorf("Usage of yesterday = %+v", got)
	}
}

// TestBudgetPutsOff: a limit that is reached stops what costs and loses nothing: it goes on when the next day begins,
// however many days that takes, and other tenants are not held up.
func TestBudgetPutsOff(t *testing.T) {
	t.Parallel()
	day := newDays(t)
	e := day.engine(t, rig.WithBudget("index/requests=1", "search/tokens=1"),
		func(c *engine.Config) { c.Embedder = rig.Paid{Embedder: rig.Hash(t, 64)} })
	e.Note(t, rig.Acme, "The slate came from Wales.")
	e.MustSettle(t)
	e.Note(t, rig.Acme, "The copper came from Chile.")
	other := trilith.Scope{Tenant: "other", Actor: "tester"}
	e.Note(t, other, "The oak came from Spessart.")
	e.MustSettle(t)
	dense := func(s trilith.Scope, q string) (trilith.RecallResult, string) {
		res, err := e.Recall(t.Context(), s,
			trilith.RecallRequest{Query: q, Explain: true, StrongOnly: true,
				Arms: []trilith.Arm{trilith.ArmDense, trilith.ArmLexical}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range res.Explain.Arms {
			if a.Arm == trilith.ArmDense {
				return res, a.Error
			}
		}
		return res, ""
	}
	if res, trouble := dense(rig.Acme, "copper"); len(res.Hits) != 1 || trouble != "" ||
		res.Hits[0].Memory.IndexedAt != nil {
		t.Errorf("what is over the budget: %+v, %q; want it found by its words, without a vector", res.Hits, trouble)
	}
	if res, trouble := dense(rig.Acme, "slate"); len(res.Hits) != 1 ||
		!strings.Contains(trouble, "search/tokens=1 is used up") {
		t.Errorf("a question over the budget: %d hits, the arm says %q", len(res.Hits), trouble)
	}
	if res, _ := dense(other, "oak"); len(res.Hits) != 1 || res.Hits[0].Memory.IndexedAt == nil {
		t.Errorf("another tenant's budget: %+v, want its vector made", res.Hits)
	}
	day.pass(2)
	e.MustWork(t)
	if res, trouble := dense(rig.Acme, "copper"); len(res.Hits) != 1 || res.Hits[0].Memory.IndexedAt == nil ||
		trouble != "" {
		t.Errorf("days later: %+v, %q; want its vector made", res.Hits, trouble)
	}
}

// TestBudgetOfExtraction: facts wait for their day and cost no attempt, and a provider that is known to be away costs
// none either.
func TestBudgetOfExtraction(t *testing.T) {
	t.Parallel()
	day := newDays(t)
	m := scripted.New(scripted.Script{Name: "demo", Entries: []scripted.Entry{{Answer: rig.Claims(rig.Estimate)}}})
	e := day.engine(t, rig.WithBudget("scripted/extract/requests=1"), func(c *engine.Config) { c.Model = m })
	const often = 15 // more than a job has attempts
	for range often {
		e.Talk(t, rig.Wish)
	}
	for range often {
		day.pass(1)
		e.MustWork(t)
	}
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "distil"})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.State != trilith.JobDone {
			t.Errorf("a job is %s after attempt %d: %s", j.State, j.Attempts, j.Error)
		}
	}
	if n := len(m.Requests()); n != len(jobs) {
		t.Errorf("%d jobs asked the model %d times", len(jobs), n)
	}
}

// away is a provider that its driver knows to be away: it sends nothing.
type away struct {
	role.Model
	until time.Time
	now   func() time.Time
}

func (a away) Generate(ctx context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	if a.now().Before(a.until) {
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unavailable, "away")
	}
	return a.Model.Generate(ctx, r)
}

func TestProviderAway(t *testing.T) {
	t.Parallel()
	day := newDays(t)
	m := scripted.New(scripted.Script{Name: "demo", Entries: []scripted.Entry{{Answer: rig.Claims(rig.Estimate)}}})
	e := day.engine(t, func(c *engine.Config) { c.Model = away{m, day.Now().AddDate(0, 0, 15), day.Now} })
	e.Talk(t, rig.Wish)
	for range 16 {
		day.pass(1)
		e.MustWork(t)
	}
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "distil"})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("Jobs = %d, %v", len(jobs), err)
	}
	if jobs[0].State != trilith.JobDone {
		t.Errorf("after two weeks without its provider the job is %s: %s", jobs[0].State, jobs[0].Error)
	}
}

// TestBudgetErrors: the error says until when the budget is used up.
func TestBudgetErrors(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.WithBudget("search/requests=1"),
		func(c *engine.Config) { c.Embedder = rig.Paid{Embedder: rig.Hash(t, 64)} })
	var err error
	for range 2 {
		_, err = e.SimilarEntries(t.Context(), trilith.Scope{Tenant: "acme", Domain: "building"},
			trilith.SimilarRequest{Text: "slate"})
	}
	over, ok := errors.AsType[*trilith.OverBudget](err)
	if !ok || trilith.KindOf(err) != trilith.Exhausted || !over.Until.After(time.Now()) ||
		over.Until.After(time.Now().Add(24*time.Hour)) {
		t.Errorf("a request over the budget = %v", err)
	}
}

// TestUsageInResponses: an answer that the caller waits for says what it cost.
func TestUsageInResponses(t *testing.T) {
	t.Parallel()
	e, m := rig.WithModel(t, scripted.Entry{Answer: rig.Claims(rig.Estimate), Usage: &trilith.Usage{InputTokens: 7,
		OutputTokens: 3}})
	want := &trilith.Usage{InputTokens: 7, OutputTokens: 3}
	res := e.MustRemember(t, rig.Site, trilith.RememberRequest{Messages: []trilith.Message{rig.Wish},
		Extract: trilith.ExtractLLM,
		Wait:    trilith.WaitExtracted})
	if diff := cmp.Diff(want, res.Usage); diff != "" || len(m.Requests()) != 1 {
		t.Errorf("remember used (-want +got):\n%s", diff)
	}
	if res := e.MustRemember(t, rig.Site,
		trilith.RememberRequest{Text: "The crane is late.", Wait: trilith.WaitExtracted}); res.Usage != nil {
		t.Errorf("remember without facts used %+v", res.Usage)
	}
	out, err := e.Assimilate(
		t.Context(), rig.Site, trilith.AssimilateRequest{Identifier: rig.Tower, Content: "The tower needs more concrete.",
			Extract: trilith.ExtractLLM})
	if err != nil || cmp.Diff(want, out.Usage) != "" {
		t.Errorf("assimilate used %+v, %v", out.Usage, err)
	}
	p := rig.InMemory(t, func(c *engine.Config) { c.Embedder = rig.Paid{Embedder: rig.Hash(t, 64)} })
	p.Note(t, rig.Acme, "The slate came from Wales.")
	p.MustSettle(t)
	found := p.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "slate", Explain: true,
		Arms: []trilith.Arm{trilith.ArmDense}})
	if diff := cmp.Diff(&trilith.Usage{InputTokens: 1}, found.Explain.Usage); diff != "" {
		t.Errorf("recall used (-want +got):\n%s", diff)
	}
}
