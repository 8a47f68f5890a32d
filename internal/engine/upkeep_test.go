package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// A memory is expired for every reader from the end of its valid time on, whether or not a sweep has marked it.
// Questions as of an earlier time still find it.
func TestOverWithoutASweep(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	e := inMemory(t, func(c *engine.Config) { c.Now = clock })
	now.Store(day(10).Unix())
	until := day(20)
	ids := e.put(t, trilith.Memory{Text: "The ferry to Bergen sails daily.", ValidUntil: &until,
		Fact: &trilith.Fact{Financial: money("7000", "EUR", "quote"),
			RequiresAction: true, Verification: trilith.Verification{Status: trilith.PendingApproval}}},
		trilith.Memory{Text: "The ferry to Oslo sails daily.", Fact: &trilith.Fact{}})
	type view struct {
		Recall, Facts, Found, Actionable, Unverified, AsOf, Every []string
		Sums, Active                                              int
	}
	look := func() (v view) {
		v.Recall = sorted(e.found(t, acme, "ferry"))
		facts := func(q trilith.FactQuery) []string {
			page, err := e.Facts(t.Context(), acme, q)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, h := range page.Items {
				out = append(out, h.Memory.Text)
			}
			return sorted(out)
		}
		v.Facts, v.Found, v.Every = facts(trilith.FactQuery{}), facts(trilith.FactQuery{Query: "ferry"}),
			facts(trilith.FactQuery{ActiveOnly: new(false)})
		todo, err := e.Actionable(t.Context(), acme, trilith.ActionableQuery{})
		if err != nil {
			t.Fatal(err)
		}
		unverified, err := e.UnverifiedFinancial(t.Context(), acme, trilith.UnverifiedQuery{})
		if err != nil {
			t.Fatal(err)
		}
		sums, err := e.Exposure(t.Context(), acme)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := e.FactStats(t.Context(), acme)
		if err != nil {
			t.Fatal(err)
		}
		v.Actionable, v.Unverified, v.Sums, v.Active = texts(todo.Items), texts(unverified.Items), len(sums.Sums),
			stats.States[trilith.StateActive]
		v.AsOf = sorted(textsOf(e.recall(t, acme, trilith.RecallRequest{Query: "ferry", AsOf: "2025-01-15"}).Hits))
		return v
	}
	bergen, oslo := "The ferry to Bergen sails daily.", "The ferry to Oslo sails daily."
	both := []string{bergen, oslo}
	before := view{both, both, both, []string{bergen}, []string{bergen}, both, both, 1, 2}
	if diff := gocmp.Diff(before, look()); diff != "" {
		t.Errorf("while it holds (-want +got):\n%s", diff)
	}
	now.Store(until.Unix())
	after := view{[]string{oslo}, []string{oslo}, []string{oslo}, []string{}, []string{}, both, both, 0, 1}
	if diff := gocmp.Diff(after, look()); diff != "" {
		t.Errorf("when it is over (-want +got):\n%s", diff)
	}
	if m, err := e.Get(t.Context(), acme, ids[0]); err != nil || m.State != trilith.StateActive {
		t.Fatalf("the store says %s, %v: something has swept", m.State, err)
	}
	for range 2 { // the second finds nothing to do
		if _, err := e.Sweep(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(after, look()); diff != "" {
			t.Errorf("after a sweep (-want +got):\n%s", diff)
		}
	}
	if m, err := e.Get(t.Context(), acme, ids[0]); err != nil || m.State != trilith.StateExpired ||
		len(e.audited(t, acme, "expire")) != 1 {
		t.Errorf("after a sweep the store says %s, %v", m.State, err)
	}
	// Bringing it back says that it holds.
	if _, err := e.Update(t.Context(), acme, ids[0], trilith.UpdateRequest{State: new(trilith.StateActive)}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(before, look()); diff != "" {
		t.Errorf("after it was brought back (-want +got):\n%s", diff)
	}
}

// Looking an entity up leaves out what is over, also among what hops lead to.
func TestLookupLeavesOutWhatIsOver(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	told := e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo. I love jazz.").Facts
	for _, m := range told {
		if m.Fact.Verb == "likes" {
			e.change(t, m.ID, func(m *trilith.Memory) { over := day(20); m.ValidUntil = &over })
		}
	}
	wantFacts(t, "all facts", e.lookup(t, acme, trilith.LookupRequest{Identifier: byMail}), "lives_in Oslo")
	wantFacts(t, "by a query", e.lookup(t, acme, trilith.LookupRequest{Identifier: byMail, Query: "jazz in Oslo"}),
		"lives_in Oslo")
	wantFacts(t, "with hops", e.lookup(t, acme, trilith.LookupRequest{Identifier: byMail, Query: "Oslo", ExpandHops: 2}),
		"lives_in Oslo")
	wantFacts(t, "what has expired",
		e.lookup(t, acme, trilith.LookupRequest{Identifier: byMail, IncludeStates: []trilith.State{trilith.StateExpired}}),
		"likes jazz")
}

func TestSweep(t *testing.T) {
	t.Parallel()
	e := inMemory(t, likenesses["without vectors"])
	over, ahead := day(20), time.Now().AddDate(1, 0, 0)
	e.put(t, trilith.Memory{Text: "active", ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "candidate", State: trilith.StateCandidate, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "holds", ValidUntil: &ahead, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "for good", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "superseded", State: trilith.StateSuperseded, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "retracted", State: trilith.StateRetracted, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "of ben", Scope: trilith.Scope{User: "ben"}, ValidUntil: &over, Fact: &trilith.Fact{}})
	for _, c := range []struct {
		scope trilith.Scope
		want  int
	}{{trilith.Scope{Tenant: "other"}, 0}, {ben, 1}, {acme, 2}, {acme, 0}} {
		if res, err := e.Sweep(t.Context(), c.scope); err != nil || res.Expired != c.want {
			t.Errorf("Sweep(%+v) = %+v, %v; want %d", c.scope, res, err, c.want)
		}
	}
	states := map[string]trilith.State{}
	for _, m := range e.all(t, acme) {
		states[m.Text] = m.State
	}
	want := map[string]trilith.State{"active": "expired", "candidate": "expired", "of ben": "expired", "holds": "active",
		"for good":   "active",
		"superseded": "superseded", "retracted": "retracted"}
	if diff := gocmp.Diff(want, states); diff != "" {
		t.Errorf("after the sweep (-want +got):\n%s", diff)
	}
	for i := range 3 { // more than one commit holds
		facts := make([]trilith.Memory, 700)
		for j := range facts {
			facts[j] = trilith.Memory{Text: time.Duration(i*1000 + j).String(), ValidUntil: &over, Fact: &trilith.Fact{}}
		}
		e.put(t, facts...)
	}
	if res, err := e.Sweep(t.Context(), acme); err != nil || res.Expired != 2100 {
		t.Errorf("Sweep of many = %+v, %v; want 2100", res, err)
	}
}

// Of several processes on one store one sweeps each hour. When the one whose turn it is dies, another takes over.
func TestSweepInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := newLasting()
		var sweeps, fail atomic.Int64
		shared.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Tenants" {
				if sweeps.Add(1); fail.Add(-1) >= 0 {
					return trilith.Errorf(trilith.Unavailable, "the process has died")
				}
			}
			return nil
		}})
		one, two := open(t, shared.config()), open(t, shared.config())
		sweeps.Store(0) // the first process that opens a store asks for its tenants too
		until := time.Now().Add(90 * time.Minute)
		id := one.put(t, trilith.Memory{Text: "for a while", ValidUntil: &until, Fact: &trilith.Fact{}})[0]
		state := func() trilith.State {
			m, err := two.Get(t.Context(), acme, id)
			if err != nil {
				t.Fatal(err)
			}
			return m.State
		}
		<-time.After(30 * time.Minute)
		if n := sweeps.Load(); n != 1 || state() != trilith.StateActive {
			t.Errorf("after 30 minutes: %d sweeps, the fact is %s; want one, and active", n, state())
		}
		<-time.After(2 * time.Hour)
		if n := sweeps.Load(); n != 3 || state() != trilith.StateExpired {
			t.Errorf("after two and a half hours: %d sweeps, the fact is %s; want three, and expired", n, state())
		}
		if n := len(one.audited(t, acme, "expire")); n != 1 {
			t.Errorf("%d entries in the audit, want one", n)
		}
		fail.Store(1)
		<-time.After(40 * time.Minute) // the fourth sweep dies, and is done again when its lease has run out
		if n := sweeps.Load(); n != 5 {
			t.Errorf("after a sweep that failed: %d, want a fifth", n)
		}
	})
}

// An archived memory is left out of listings, and of nothing else.
func TestArchive(t *testing.T) {
	t.Parallel()
	e := inMemory(t, at(time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)))
	was, lately := day(20), time.Date(2025, 5, 20, 0, 0, 0, 0, time.UTC)
	successor := trilith.DeriveID("heir")
	ids := e.put(t, trilith.Memory{Text: "The ferry was late.", State: trilith.StateSuperseded, SupersededBy: successor,
		SupersededAt: &was, ValidUntil: &was, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was early.", State: trilith.StateRetracted, SupersededAt: &was,
			Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was full.", State: trilith.StateExpired, ValidUntil: &was, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry is blue.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was red.", State: trilith.StateRetracted, SupersededAt: &lately,
			Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Ben's ferry was late.", Scope: trilith.Scope{User: "ben"}, State: trilith.StateExpired,
			ValidUntil: &was, Fact: &trilith.Fact{}})
	before := e.exported(t, acme)
	for _, c := range []struct {
		scope trilith.Scope
		days  int
		dry   bool
		want  int
	}{{acme, 0, true, 4}, {trilith.Scope{Tenant: "other"}, 0, false, 0}, {ana, 0, false, 0}, {acme, 200, false, 0},
		{acme, 0, false, 4}, {acme, 0, false, 0}, {acme, 5, true, 1}} {
		if res, err := e.Archive(t.Context(), c.scope, c.days, c.dry); err != nil || res.Archived != c.want ||
			res.DryRun != c.dry {
			t.Errorf("Archive(%+v) = %+v, %v; want %d", c, res, err, c.want)
		}
	}
	if got := sorted(texts(e.all(t, acme))); gocmp.Diff(
		[]string{"The ferry is blue.", "The ferry was red."}, got) != "" {
		t.Errorf("List = %q, want what is not archived", got)
	}
	for _, newest := range []bool{false, true} {
		for states, n := range map[trilith.State]int{trilith.StateActive: 1, trilith.StateRetracted: 1,
			trilith.StateExpired: 0} {
			p, err := e.List(t.Context(), acme,
				trilith.ListRequest{Limit: 1, Newest: newest, States: []trilith.State{states}})
			if err != nil || len(p.Items) != n || p.NextCursor != "" {
				t.Errorf("List(limit 1, newest %v, %s) = %v, more after %q, %v; want %d", newest, states,
					texts(p.Items), p.NextCursor, err, n)
			}
		}
	}
	for _, c := range []struct {
		request trilith.ListRequest
		want    int
	}{{trilith.ListRequest{Archived: true}, 5}, {trilith.ListRequest{Archived: true, States: trilith.States()}, 6},
		{trilith.ListRequest{Archived: true, States: []trilith.State{trilith.StateRetracted}}, 2}} {
		if p, err := e.List(t.Context(), acme, c.request); err != nil || len(p.Items) != c.want {
			t.Errorf("List(%+v) = %v, %v; want %d", c.request, texts(p.Items), err, c.want)
		}
	}
	if m, err := e.Get(t.Context(), acme, ids[0]); err != nil || m.ArchivedAt == nil ||
		m.State != trilith.StateSuperseded {
		t.Errorf("Get = %+v, %v; want it archived and superseded still", m, err)
	}
	got := sorted(textsOf(e.recall(t, acme, trilith.RecallRequest{Query: "ferry", AsOf: "2025-01-10"}).Hits))
	want := []string{"Ben's ferry was late.", "The ferry is blue.", "The ferry was full.", "The ferry was late."}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("as of then (-want +got):\n%s", diff)
	}
	if h, err := e.History(t.Context(), acme, ids[0]); err != nil || len(h.Versions) != 1 {
		t.Errorf("History = %+v, %v", h, err)
	}
	if after := e.items(t, acme); len(after) != len(parseExport(t, before)) {
		t.Errorf("the export holds %d items, %d before", len(after), len(parseExport(t, before)))
	}
	// A memory that is opened again is listed again.
	if _, err := e.Update(t.Context(), acme, ids[1], trilith.UpdateRequest{State: new(trilith.StateActive)}); err != nil {
		t.Fatal(err)
	}
	if got := e.all(t, acme); len(got) != 3 {
		t.Errorf("after one was brought back %v are listed, want three", texts(got))
	}
	_, err := e.Archive(t.Context(), acme, 36501, false)
	wantError(t, "Archive(36501 days)", err, trilith.Invalid, "days")
}

// An export has archived memories, and says that they are archived.
func TestArchiveIsExported(t *testing.T) {
	t.Parallel()
	e, other := inMemory(t), inMemory(t)
	was, note := day(20), e.note(t, acme, "The ferry was late.")
	if _, err := e.Forget(t.Context(), acme, trilith.ForgetRequest{IDs: []trilith.ID{note.ID}}); err != nil {
		t.Fatal(err)
	}
	e.change(t, note.ID, func(m *trilith.Memory) { m.SupersededAt = &was })
	if res, err := e.Archive(t.Context(), acme, 0, false); err != nil || res.Archived != 1 {
		t.Fatalf("Archive = %+v, %v; want one", res, err)
	}
	other.restore(t, acme, e.items(t, acme))
	m, err := other.Get(t.Context(), acme, note.ID)
	if got := other.all(t, acme); err != nil || m.ArchivedAt == nil || len(got) != 0 {
		t.Errorf("after an import it is %+v, %v, and %v are listed", m, err, texts(got))
	}
}

func TestRegenerateEmbeddings(t *testing.T) {
	t.Parallel()
	refused := newFussy(t, refusing("accursed", trilith.Invalid))
	e := inMemory(t, func(c *engine.Config) { c.Embedder = refused })
	for range 150 {
		e.note(t, acme, "A note like others.")
	}
	ids := e.put(t, trilith.Memory{Text: "A fact.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Another fact.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Ben's fact.", Scope: trilith.Scope{User: "ben"}, Fact: &trilith.Fact{}})
	regenerate := func(s trilith.Scope, limit int, want trilith.RegenerateResult) {
		t.Helper()
		if got, err := e.RegenerateEmbeddings(t.Context(), s, limit, false); err != nil || got != want {
			t.Errorf("RegenerateEmbeddings(%+v, %d) = %+v, %v; want %+v", s, limit, got, err, want)
		}
	}
	regenerate(acme, 0, trilith.RegenerateResult{})
	if err := e.parts.Vectors.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	regenerate(ben, 0, trilith.RegenerateResult{Embedded: 1})
	regenerate(acme, 2, trilith.RegenerateResult{Embedded: 2, Left: 150})
	if m, err := e.Get(t.Context(), acme, ids[1]); err != nil || m.Embedding == nil {
		t.Errorf("facts come first, but %+v has no vector, %v", m, err)
	}
	regenerate(acme, 0, trilith.RegenerateResult{Embedded: 100, Left: 50})
	regenerate(acme, 1000, trilith.RegenerateResult{Embedded: 50})
	regenerate(acme, 0, trilith.RegenerateResult{})
	_, err := e.RegenerateEmbeddings(t.Context(), acme, 1001, false)
	wantError(t, "RegenerateEmbeddings(1001)", err, trilith.Invalid, "limit")
	none := inMemory(t, likenesses["without vectors"])
	_, err = none.RegenerateEmbeddings(t.Context(), acme, 0, false)
	wantError(t, "RegenerateEmbeddings without an embedder", err, trilith.Unsupported, "embedder")

	// A text that the embedder refuses holds nothing else up.
	e.note(t, acme, "An accursed note.")
	e.settle(t)
	if err := e.parts.Vectors.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	regenerate(acme, 1000, trilith.RegenerateResult{Embedded: 153})
}
