package review_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestVerifyFact(t *testing.T) {
	t.Parallel()
	past := rig.Day(20)
	for _, c := range []struct {
		why       string
		before    trilith.Memory
		decisions []trilith.Decision
		state     trilith.State
		status    trilith.VerificationStatus
	}{
		{"a person's word is what a candidate waits for", trilith.Memory{State: trilith.StateCandidate},
			[]trilith.Decision{trilith.DecideVerify}, trilith.StateActive, trilith.Verified},
		{"a doubt changes the mark alone", trilith.Memory{State: trilith.StateCandidate},
			[]trilith.Decision{trilith.DecideReview}, trilith.StateCandidate, trilith.NeedsReview},
		{"what is rejected is out of search", trilith.Memory{State: trilith.StateActive},
			[]trilith.Decision{trilith.DecideReject}, trilith.StateRetracted, trilith.Rejected},
		{"a mistaken rejection can be taken back", trilith.Memory{State: trilith.StateActive},
			[]trilith.Decision{trilith.DecideReject, trilith.DecideVerify}, trilith.StateActive, trilith.Verified},
		{"a rejection in doubt leaves a proposal", trilith.Memory{State: trilith.StateActive},
			[]trilith.Decision{trilith.DecideReject, trilith.DecideReview}, trilith.StateCandidate, trilith.NeedsReview},
		{"who disputes a fact marks it and leaves it where it is", trilith.Memory{State: trilith.StateActive},
			[]trilith.Decision{trilith.DecideDispute}, trilith.StateActive, trilith.Disputed},
		{"a rejection that is disputed leaves a proposal", trilith.Memory{State: trilith.StateActive},
			[]trilith.Decision{trilith.DecideReject, trilith.DecideDispute}, trilith.StateCandidate, trilith.Disputed},
		{"a fact that was held back is released", trilith.Memory{State: trilith.StateQuarantined},
			[]trilith.Decision{trilith.DecideDispute, trilith.DecideVerify}, trilith.StateActive, trilith.Verified},
		{"an old value that is confirmed stays an old value",
			trilith.Memory{State: trilith.StateSuperseded, SupersededBy: trilith.DeriveID("heir")},
			[]trilith.Decision{trilith.DecideReject, trilith.DecideVerify}, trilith.StateSuperseded, trilith.Verified},
		{"what has ended does not begin again", trilith.Memory{State: trilith.StateExpired, ValidUntil: &past},
			[]trilith.Decision{trilith.DecideReject, trilith.DecideVerify}, trilith.StateExpired, trilith.Verified},
		{"what was forgotten was forgotten for a reason of its own", trilith.Memory{State: trilith.StateRetracted},
			[]trilith.Decision{trilith.DecideVerify}, trilith.StateRetracted, trilith.Verified},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			c.before.Text, c.before.Fact = "The roof is new.", &trilith.Fact{Type: trilith.FactOther}
			id := e.PutFacts(t, c.before)[0]
			var m trilith.Memory
			for _, d := range c.decisions {
				m = e.MustDecide(t, id, d)
			}
			v := m.Fact.Verification
			if m.State != c.state || v.Status != c.status || v.By != "tester" || v.At == nil || v.Note != "because" {
				t.Errorf("after %s: state %s, verification %+v; want %s, %s by tester", c.decisions, m.State, v,
					c.state, c.status)
			}
			stored, err := e.Get(t.Context(), rig.Acme, id)
			if err != nil || stored.Version != m.Version || stored.State != m.State ||
				stored.Fact.Verification.Status != c.status {
				t.Errorf("Get = %+v, %v; want what VerifyFact answered: %+v", stored, err, m)
			}
			log, err := e.Audit(t.Context(), rig.Acme, 0, 100)
			if err != nil || len(log) < len(c.decisions) {
				t.Fatalf("Audit = %v, %v", log, err)
			}
			last := log[len(log)-1]
			if last.Action != "fact.verify" || last.Target != id ||
				last.Detail["decision"] != string(c.decisions[len(c.decisions)-1]) {
				t.Errorf("the last entry of the audit is %+v", last)
			}
		})
	}
}

// A fact that a person has rejected stays rejected, however often it is stated.
func TestRejectedStaysRejected(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	told := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
	e.MustDecide(t, told.Facts[0].ID, trilith.DecideReject)
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I live in Oslo.")
	e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-01", "I moved to Oslo.")
	rig.WantFacts(t, "after the rejection", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}))
	got := e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, Query: "Oslo"})
	rig.WantFacts(t, "by a query", got)
	e.MustDecide(t, told.Facts[0].ID, trilith.DecideVerify)
	rig.WantFacts(t, "after the rejection was taken back", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}),
		"lives_in Oslo")
}

func TestVerifyFactRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	id := e.PutFacts(t, trilith.Memory{Text: "A fact of Ana.", Scope: trilith.Scope{User: "ana"}, Fact: &trilith.Fact{}})[0]
	note := e.Note(t, rig.Ana, "Not a fact.").ID
	verify := trilith.VerifyRequest{Decision: trilith.DecideVerify}
	for _, c := range []struct {
		call  string
		scope trilith.Scope
		id    trilith.ID
		req   trilith.VerifyRequest
		kind  trilith.ErrorKind
		names string
	}{
		{"of another user", rig.Ben, id, verify, trilith.NotFound, string(id)},
		{"of another tenant", trilith.Scope{Tenant: "other"}, id, verify, trilith.NotFound, string(id)},
		{"of nothing", rig.Acme, trilith.DeriveID("nothing"), verify, trilith.NotFound, "does not exist"},
		{"of a note", rig.Acme, note, verify, trilith.Invalid, "is not a fact"},
		{"without a decision", rig.Acme, id, trilith.VerifyRequest{}, trilith.Invalid, "decision"},
		{"with a state as decision", rig.Acme, id, trilith.VerifyRequest{Decision: "verified"}, trilith.Invalid, "decision"},
		{"with an action of items", rig.Acme, id, trilith.VerifyRequest{Decision: trilith.DecideEdit},
			trilith.Invalid, "decision"},
		{"since a time for what has none", rig.Acme, id, trilith.VerifyRequest{Decision: trilith.DecideReject, At: "2025-01-02"},
			trilith.Invalid, "at"},
		{"ended before it was said", rig.Acme, id, trilith.VerifyRequest{Decision: trilith.DecideEnded, At: "2024-01-02"},
			trilith.Invalid, "at"},
		{"with a long note", rig.Acme, id,
			trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: string(make([]byte, 256))}, trilith.Invalid, "note"},
		{"with a broken note", rig.Acme, id, trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: "\xff"},
			trilith.Invalid, "note"},
	} {
		_, err := e.VerifyFact(t.Context(), c.scope, c.id, c.req)
		rig.WantError(t, "VerifyFact "+c.call, err, c.kind, c.names)
	}
	if m, err := e.Get(t.Context(), rig.Acme, id); err != nil || m.Version != 1 {
		t.Errorf("after the refusals the fact is %+v, %v; want it as it was", m, err)
	}
}

// A decision does not undo what somebody else changes at the same moment.
func TestVerifyFactKeepsOtherChanges(t *testing.T) {
	t.Parallel()
	store := inmem.New(time.Now)
	e := rig.Open(t, engine.Config{Store: store, Log: store, Queue: store, Vectors: embedded.NewVector(nil)})
	id := e.PutFacts(t, trilith.Memory{Text: "Contested.", Fact: &trilith.Fact{}})[0]
	var met atomic.Bool
	store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		if op != "Commit" || !met.CompareAndSwap(false, true) {
			return nil
		}
		_, err := e.Update(ctx, rig.Acme, id, trilith.UpdateRequest{Tags: &[]string{"seen"}})
		return err
	}})
	m := e.MustDecide(t, id, trilith.DecideVerify)
	if diff := gocmp.Diff([]string{"seen"}, m.Tags); diff != "" || m.Version != 3 || !met.Load() {
		t.Errorf("version %d after two changes at once; tags (-want +got):\n%s", m.Version, diff)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	over := rig.Day(30)
	e.PutFacts(t,
		trilith.Memory{Text: "old", State: trilith.StateSuperseded,
			Fact: &trilith.Fact{Type: trilith.FactTask, Confidence: 0.9}},
		trilith.Memory{Text: "task",
			Fact: &trilith.Fact{Type: trilith.FactTask, Confidence: 0.9, RequiresAction: true,
				Priority: trilith.PriorityHigh}},
		trilith.Memory{Text: "bill", Scope: trilith.Scope{Project: "roof"},
			Fact: &trilith.Fact{Type: trilith.FactFinancial, Confidence: 0.5, Priority: trilith.PriorityNormal,
				Financial:    rig.Money("980", "EUR", "invoice"),
				Verification: trilith.Verification{Status: trilith.NeedsReview}}},
		trilith.Memory{Text: "plan", ValidUntil: &over,
			Fact: &trilith.Fact{Type: trilith.FactPlan, Confidence: 0.7, Priority: trilith.PriorityLow}},
		trilith.Memory{Text: "rejected", State: trilith.StateRetracted,
			Fact: &trilith.Fact{Verification: trilith.Verification{Status: trilith.Rejected}}},
	)
	e.Note(t, rig.Acme, "A note is not a fact.")
	yes, no := true, false
	roof := rig.Acme
	roof.Project = "roof"
	for _, c := range []struct {
		name  string
		scope trilith.Scope
		query trilith.FactQuery
		want  []string
	}{
		{"newest first, and not what is over", rig.Acme, trilith.FactQuery{}, []string{"bill", "task"}},
		{"limit", rig.Acme, trilith.FactQuery{Limit: 1}, []string{"bill"}},
		{"every state", rig.Acme, trilith.FactQuery{ActiveOnly: &no}, []string{"rejected", "plan", "bill", "task", "old"}},
		{"active", rig.Acme, trilith.FactQuery{ActiveOnly: &yes, Types: []trilith.FactType{trilith.FactTask}},
			[]string{"task"}},
		{"types", rig.Acme, trilith.FactQuery{Types: []trilith.FactType{trilith.FactTask, trilith.FactFinancial}},
			[]string{"bill", "task"}},
		{"confidence", rig.Acme, trilith.FactQuery{MinConfidence: 0.7}, []string{"task"}},
		{"status", rig.Acme, trilith.FactQuery{Status: []trilith.VerificationStatus{trilith.NeedsReview, trilith.Rejected}},
			[]string{"bill"}},
		{"status in every state", rig.Acme,
			trilith.FactQuery{Status: []trilith.VerificationStatus{trilith.Rejected}, ActiveOnly: &no}, []string{"rejected"}},
		{"to do", rig.Acme, trilith.FactQuery{RequiresAction: &yes}, []string{"task"}},
		{"nothing to do", rig.Acme, trilith.FactQuery{RequiresAction: &no}, []string{"bill"}},
		{"priority", rig.Acme, trilith.FactQuery{Priorities: []trilith.Priority{trilith.PriorityHigh,
			trilith.PriorityNormal}},
			[]string{"bill", "task"}},
		{"money", rig.Acme, trilith.FactQuery{FinancialOnly: true}, []string{"bill"}},
		{"enough money", rig.Acme, trilith.FactQuery{MinAmount: 980}, []string{"bill"}},
		{"too little money", rig.Acme, trilith.FactQuery{MinAmount: 980.5}, []string{}},
		{"valid", rig.Acme, trilith.FactQuery{ValidOnly: true}, []string{"bill", "task"}},
		{"filter", rig.Acme, trilith.FactQuery{Filter: trilith.Where("currency", trilith.OpEq, "EUR")}, []string{"bill"}},
		{"scope", roof, trilith.FactQuery{}, []string{"bill"}},
		{"another tenant", trilith.Scope{Tenant: "other"}, trilith.FactQuery{ActiveOnly: &no}, []string{}},
	} {
		page, err := e.Facts(t.Context(), c.scope, c.query)
		got := []string{}
		for _, h := range page.Items {
			got = append(got, h.Memory.Text)
		}
		if diff := gocmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("Facts(%s) = %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	for names, q := range map[string]trilith.FactQuery{
		"min_confidence": {MinConfidence: 1.5}, "min_financial_amount": {MinAmount: math.Inf(1)}, "limit": {Limit: 201},
		"filter": {Filter: trilith.Where("nonsense", trilith.OpEq, "x")}, "query": {Query: "\xff"},
	} {
		_, err := e.Facts(t.Context(), rig.Acme, q)
		rig.WantError(t, "Facts with a wrong "+names, err, trilith.Invalid, names)
	}
}

// Among facts that fit a query alike, the pressing and the certain come first.
func TestFactsByRelevance(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*engine.Config){
		"with vectors":                 func(*engine.Config) {},
		"with vectors that only order": func(c *engine.Config) { c.Embedder = rig.Relative{Embedder: c.Embedder} },
		"without vectors":              func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, change)
			for id, f := range map[string]trilith.Fact{
				"low":      {Confidence: 1, Priority: trilith.PriorityLow},
				"doubtful": {Confidence: 0.5, Priority: trilith.PriorityNormal},
				"high":     {Confidence: 1, Priority: trilith.PriorityHigh},
				"critical": {Confidence: 1, Priority: trilith.PriorityCritical},
			} {
				f.EntityID = trilith.DeriveID(id) // all say the same
				e.PutFacts(t, trilith.Memory{Text: "The harbour opens early.", Fact: &f})
			}
			e.PutFacts(t, trilith.Memory{Text: "The harbour opens early.", State: trilith.StateRetracted,
				Fact: &trilith.Fact{Confidence: 1, Priority: trilith.PriorityCritical}})
			page, err := e.Facts(t.Context(), rig.Acme, trilith.FactQuery{Query: "harbour", Limit: 3, Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			scores := map[trilith.ID]float64{}
			for _, h := range e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "harbour"}).Hits {
				if scores[h.Memory.ID] = h.Score; e.Generation().Threshold {
					scores[h.Memory.ID] = *h.Relevance
				}
			}
			got := []string{}
			for _, h := range page.Items {
				f := h.Memory.Fact
				got = append(got, string(f.Priority))
				if math.Abs(h.Relevance-scores[h.Memory.ID]) > 1e-9 {
					t.Errorf("a %s fact has relevance %v, Recall says %v", f.Priority, h.Relevance, scores[h.Memory.ID])
				}
				want := h.Score * (0.7 + 0.3*f.Confidence) * map[trilith.Priority]float64{"critical": 1.3, "high": 1.15,
					"normal": 1, "low": 1}[f.Priority]
				if x := h.Explain; x == nil || x.Similarity != h.Score ||
					math.Abs(x.Similarity*x.ConfidenceFactor*x.PriorityFactor-h.Relevance) > 1e-9 {
					t.Errorf("a %s fact has relevance %v, explained as %+v", f.Priority, h.Relevance, x)
				}
				if h.Score <= 0 || math.Abs(h.Relevance-want) > 1e-9 {
					t.Errorf("a %s fact has score %v and relevance %v, want %v", f.Priority, h.Score, h.Relevance, want)
				}
			}
			if diff := gocmp.Diff([]string{"critical", "high", "low"}, got); diff != "" {
				t.Errorf("Facts by relevance (-want +got):\n%s", diff)
			}
		})
	}
}

func TestActionable(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = func() time.Time { return rig.Day(5) } })
	soon, later, past, inFour, inTwoWeeks := rig.Day(10), rig.Day(20), rig.Day(2), rig.Day(9), rig.Day(19)
	todo := func(text string, p trilith.Priority, due *time.Time) trilith.Memory {
		return trilith.Memory{Text: text, Fact: &trilith.Fact{RequiresAction: true, Priority: p, ActionDeadline: due}}
	}
	done := todo("done", trilith.PriorityCritical, &soon)
	done.State = trilith.StateSuperseded
	dated := func(text string, f trilith.Fact, until *time.Time) trilith.Memory {
		return trilith.Memory{Text: text, Fact: &f, ValidUntil: until}
	}
	e.PutFacts(t, todo("some day", trilith.PriorityLow, &soon), todo("undated", trilith.PriorityHigh, nil),
		todo("later", trilith.PriorityHigh, &later),
		todo("soon", trilith.PriorityHigh, &soon), todo("unmarked", "", nil),
		todo("now", trilith.PriorityCritical, nil), done,
		dated("critical", trilith.Fact{Priority: trilith.PriorityCritical, ActionDeadline: &later}, nil),
		dated("a deadline in five days", trilith.Fact{ActionDeadline: &soon}, nil),
		dated("overdue", trilith.Fact{ActionDeadline: &past, Type: "inspection"}, nil),
		dated("a deadline in two weeks", trilith.Fact{ActionDeadline: &later}, nil),
		dated("ends in four days", trilith.Fact{Type: trilith.FactProfile}, &inFour),
		dated("ends in two weeks", trilith.Fact{}, &inTwoWeeks),
		dated("over", trilith.Fact{Priority: trilith.PriorityHigh}, &past),
		dated("plain", trilith.Fact{}, nil))
	week := []string{"critical", "now", "soon", "later", "undated", "overdue", "ends in four days",
		"a deadline in five days", "unmarked", "some day"}
	month := []string{"critical", "now", "soon", "later", "undated", "overdue", "ends in four days",
		"a deadline in five days",
		"ends in two weeks", "a deadline in two weeks", "unmarked", "some day"}
	day := []string{"critical", "now", "soon", "later", "undated", "overdue", "unmarked", "some day"}
	for _, c := range []struct {
		limit, days int
		want        []string
	}{{0, 0, week}, {1, 0, week[:1]}, {4, 7, week[:4]}, {1000, 30, month}, {0, 1, day}} {
		page, err := e.Actionable(t.Context(), rig.Acme, trilith.ActionableQuery{Limit: c.limit, Days: c.days})
		if diff := gocmp.Diff(c.want, rig.Texts(page.Items)); err != nil || diff != "" {
			t.Errorf("Actionable(%d, %d) = %v (-want +got):\n%s", c.limit, c.days, err, diff)
		}
	}
	_, err := e.Actionable(t.Context(), rig.Acme, trilith.ActionableQuery{Limit: 1001})
	rig.WantError(t, "Actionable(1001)", err, trilith.Invalid, "limit")
	_, err = e.Actionable(t.Context(), rig.Acme, trilith.ActionableQuery{Days: 3651})
	rig.WantError(t, "Actionable in 3651 days", err, trilith.Invalid, "days")
}

func TestUnverifiedFinancial(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	sum := func(text, amount string, st trilith.State, v trilith.VerificationStatus) trilith.Memory {
		return trilith.Memory{Text: text, State: st,
			Fact: &trilith.Fact{Financial: rig.Money(amount, "EUR", "quote"), Verification: trilith.Verification{Status: v}}}
	}
	e.PutFacts(t,
		sum("pending", "5000", trilith.StateActive, trilith.PendingApproval),
		sum("proposed", "12000.50", trilith.StateCandidate, trilith.PendingApproval),
		// one more than a float64 can tell from its neighbour
		sum("doubted", "9007199254740993", trilith.StateActive, trilith.NeedsReview),
		sum("as large but one", "9007199254740992", trilith.StateActive, trilith.NeedsReview),
		sum("small", "4999.99", trilith.StateActive, trilith.NeedsReview),
		sum("verified", "70000", trilith.StateActive, trilith.Verified),
		sum("rejected", "80000", trilith.StateRetracted, trilith.Rejected),
		sum("no number", "a lot", trilith.StateActive, trilith.NeedsReview),
		trilith.Memory{Text: "no money",
			Fact: &trilith.Fact{Verification: trilith.Verification{Status: trilith.NeedsReview}}})
	for _, c := range []struct {
		least string
		limit int
		want  []string
	}{
		{"", 0, []string{"doubted", "as large but one", "proposed", "pending"}},
		{"", 2, []string{"doubted", "as large but one"}},
		{"4999.99", 0, []string{"doubted", "as large but one", "proposed", "pending", "small"}},
		{"5000.01", 0, []string{"doubted", "as large but one", "proposed"}},
		{"9007199254740993", 0, []string{"doubted"}},
		{"9007199254740993.5", 0, []string{}},
	} {
		page, err := e.UnverifiedFinancial(t.Context(), rig.Acme,
			trilith.UnverifiedQuery{MinAmount: c.least, Limit: c.limit})
		if diff := gocmp.Diff(c.want, rig.Texts(page.Items)); err != nil || diff != "" {
			t.Errorf("UnverifiedFinancial(%q, %d) = %v (-want +got):\n%s", c.least, c.limit, err, diff)
		}
	}
	for _, bad := range []string{"much", "1/2", "1e9", "1_000", "0x10", "5.", " 5"} {
		_, err := e.UnverifiedFinancial(t.Context(), rig.Acme, trilith.UnverifiedQuery{MinAmount: bad})
		rig.WantError(t, fmt.Sprintf("UnverifiedFinancial(%q)", bad), err, trilith.Invalid, "min_amount")
	}
	_, err := e.UnverifiedFinancial(t.Context(), rig.Acme, trilith.UnverifiedQuery{Limit: -1})
	rig.WantError(t, "UnverifiedFinancial(limit -1)", err, trilith.Invalid, "limit")
}

func TestFactStatsAndExposure(t *testing.T) {
	t.Parallel()
	store, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]rig.Rig{
		"in memory": rig.InMemory(t),
		"PostgreSQL": rig.Open(t, engine.Config{Store: store, Log: store, Queue: store,
			Vectors: embedded.NewVector(nil)})} {
		t.Run(name, func(t *testing.T) { statsAndExposure(t, e) })
	}
}

func statsAndExposure(t *testing.T, e rig.Rig) {
	t.Helper()
	sum := func(project, amount, currency, kind string) trilith.Memory {
		return trilith.Memory{Text: project + amount + currency + kind, Scope: trilith.Scope{Project: project},
			Fact: &trilith.Fact{Type: trilith.FactFinancial, Financial: rig.Money(amount, currency, kind)}}
	}
	denied, old := sum("roof", "7", "EUR", "quote"), sum("roof", "8", "EUR", "quote")
	denied.Fact.Polarity, old.State = trilith.Negated, trilith.StateSuperseded
	e.PutFacts(t, sum("roof", "0.10", "EUR", "quote"), sum("roof", "0.2", "EUR", "quote"),
		sum("roof", "9007199254740993", "EUR", "quote"),
		sum("roof", "-50", "EUR", "change_order"), sum("roof", "3", "USD", "quote"), sum("barn", "4", "EUR", ""),
		sum("barn", "unknown", "EUR", ""),
		denied, old, trilith.Memory{Text: "free", State: trilith.StateCandidate,
			Fact: &trilith.Fact{Type: trilith.FactTask, Verification: trilith.Verification{Status: trilith.NeedsReview}}})
	want := []trilith.ExposureSum{
		{Project: "barn", Currency: "EUR", Amount: "4", Facts: 1},
		{Project: "roof", Type: "change_order", Currency: "EUR", Amount: "-50", Facts: 1},
		{Project: "roof", Type: "quote", Currency: "EUR", Amount: "9007199254740993.30", Facts: 3},
		{Project: "roof", Type: "quote", Currency: "USD", Amount: "3", Facts: 1},
	}
	got, err := e.Exposure(t.Context(), rig.Acme)
	if diff := gocmp.Diff(want, got.Sums); err != nil || diff != "" {
		t.Errorf("Exposure = %v (-want +got):\n%s", err, diff)
	}
	stats, err := e.FactStats(t.Context(), rig.Acme)
	counts := trilith.FactStats{Total: 10, Types: map[trilith.FactType]int{"financial": 9, "task": 1},
		States:       map[trilith.State]int{"active": 8, "superseded": 1, "candidate": 1},
		Verification: map[trilith.VerificationStatus]int{"verified": 9, "needs_review": 1}}
	if diff := gocmp.Diff(counts, stats); err != nil || diff != "" {
		t.Errorf("FactStats = %v (-want +got):\n%s", err, diff)
	}
}
