package operate_test

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
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A memory is expired for every reader from the end of its valid time on, whether or not a sweep has marked it.
// Questions as of an earlier time still find it.
func TestOverWithoutASweep(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock })
	now.Store(rig.Day(10).Unix())
	until := rig.Day(20)
	ids := e.PutFacts(t, trilith.Memory{Text: "The ferry to Bergen sails daily.", ValidUntil: &until,
		Fact: &trilith.Fact{Financial: rig.Money("7000", "EUR", "quote"),
			RequiresAction: true, Verification: trilith.Verification{Status: trilith.PendingApproval}}},
		trilith.Memory{Text: "The ferry to Oslo sails daily.", Fact: &trilith.Fact{}})
	type view struct {
		Recall, Facts, Found, Actionable, Unverified, AsOf, Every []string
		Sums, Active                                              int
	}
	look := func() (v view) {
		v.Recall = rig.Sorted(e.Found(t, rig.Acme, "ferry"))
		facts := func(q trilith.FactQuery) []string {
			page, err := e.Facts(t.Context(), rig.Acme, q)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, h := range page.Items {
				out = append(out, h.Memory.Text)
			}
			return rig.Sorted(out)
		}
		v.Facts, v.Found, v.Every = facts(trilith.FactQuery{}), facts(trilith.FactQuery{Query: "ferry"}),
			facts(trilith.FactQuery{ActiveOnly: new(false)})
		todo, err := e.Actionable(t.Context(), rig.Acme, trilith.ActionableQuery{})
		if err != nil {
			t.Fatal(err)
		}
		unverified, err := e.UnverifiedFinancial(t.Context(), rig.Acme, trilith.UnverifiedQuery{})
		if err != nil {
			t.Fatal(err)
		}
		sums, err := e.Exposure(t.Context(), rig.Acme)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := e.FactStats(t.Context(), rig.Acme)
		if err != nil {
			t.Fatal(err)
		}
		v.Actionable, v.Unverified, v.Sums, v.Active = rig.Texts(todo.Items), rig.Texts(unverified.Items), len(sums.Sums),
			stats.States[trilith.StateActive]
		v.AsOf = rig.Sorted(rig.TextsOf(e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "ferry",
			AsOf: "2025-01-15"}).Hits))
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
	if m, err := e.Get(t.Context(), rig.Acme, ids[0]); err != nil || m.State != trilith.StateActive {
		t.Fatalf("the store says %s, %v: something has swept", m.State, err)
	}
	for range 2 { // the second finds nothing to do
		if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(after, look()); diff != "" {
			t.Errorf("after a sweep (-want +got):\n%s", diff)
		}
	}
	if m, err := e.Get(t.Context(), rig.Acme, ids[0]); err != nil || m.State != trilith.StateExpired ||
		len(e.Audited(t, rig.Acme, "expire")) != 1 {
		t.Errorf("after a sweep the store says %s, %v", m.State, err)
	}
	// Bringing it back says that it holds.
	if _, err := e.Update(t.Context(), rig.Acme, ids[0], trilith.UpdateRequest{State: new(trilith.StateActive)}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(before, look()); diff != "" {
		t.Errorf("after it was brought back (-want +got):\n%s", diff)
	}
}

// Looking an entity up leaves out what is over, also among what hops lead to.
func TestLookupLeavesOutWhatIsOver(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	told := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo. I love jazz.").Facts
	for _, m := range told {
		if m.Fact.Verb == "likes" {
			e.Change(t, m.ID, func(m *trilith.Memory) { over := rig.Day(20); m.ValidUntil = &over })
		}
	}
	rig.WantFacts(t, "all facts", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Oslo")
	rig.WantFacts(t, "by a query", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, Query: "jazz in Oslo"}),
		"lives_in Oslo")
	rig.WantFacts(t, "with hops", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail, Query: "Oslo",
		ExpandHops: 2}),
		"lives_in Oslo")
	rig.WantFacts(t, "what has expired",
		e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail,
			IncludeStates: []trilith.State{trilith.StateExpired}}),
		"likes jazz")
}

func TestSweep(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.Likenesses["without vectors"])
	over, ahead := rig.Day(20), time.Now().AddDate(1, 0, 0)
	e.PutFacts(t, trilith.Memory{Text: "active", ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "candidate", State: trilith.StateCandidate, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "holds", ValidUntil: &ahead, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "for good", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "superseded", State: trilith.StateSuperseded, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "retracted", State: trilith.StateRetracted, ValidUntil: &over, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "of ben", Scope: trilith.Scope{User: "ben"}, ValidUntil: &over, Fact: &trilith.Fact{}})
	for _, c := range []struct {
		scope trilith.Scope
		want  int
	}{{trilith.Scope{Tenant: "other"}, 0}, {rig.Ben, 1}, {rig.Acme, 2}, {rig.Acme, 0}} {
		if res, err := e.Sweep(t.Context(), c.scope); err != nil || res.Expired != c.want {
			t.Errorf("Sweep(%+v) = %+v, %v; want %d", c.scope, res, err, c.want)
		}
	}
	states := map[string]trilith.State{}
	for _, m := range e.All(t, rig.Acme) {
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
		e.PutFacts(t, facts...)
	}
	if res, err := e.Sweep(t.Context(), rig.Acme); err != nil || res.Expired != 2100 {
		t.Errorf("Sweep of many = %+v, %v; want 2100", res, err)
	}
}

// Of several processes on one store one sweeps each hour. When the one whose turn it is dies, another takes over.
func TestSweepInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := rig.NewLasting()
		var sweeps, fail atomic.Int64
		shared.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Tenants" {
				if sweeps.Add(1); fail.Add(-1) >= 0 {
					return trilith.Errorf(trilith.Unavailable, "the process has died")
				}
			}
			return nil
		}})
		one, two := rig.Open(t, shared.Config()), rig.Open(t, shared.Config())
		sweeps.Store(0) // the first process that opens a store asks for its tenants too
		until := time.Now().Add(90 * time.Minute)
		id := one.PutFacts(t, trilith.Memory{Text: "for a while", ValidUntil: &until, Fact: &trilith.Fact{}})[0]
		state := func() trilith.State {
			m, err := two.Get(t.Context(), rig.Acme, id)
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
		if n := len(one.Audited(t, rig.Acme, "expire")); n != 1 {
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
	e := rig.InMemory(t, rig.At(time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)))
	was, lately := rig.Day(20), time.Date(2025, 5, 20, 0, 0, 0, 0, time.UTC)
	successor := trilith.DeriveID("heir")
	ids := e.PutFacts(t, trilith.Memory{Text: "The ferry was late.", State: trilith.StateSuperseded, SupersededBy: successor,
		SupersededAt: &was, ValidUntil: &was, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was early.", State: trilith.StateRetracted, SupersededAt: &was,
			Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was full.", State: trilith.StateExpired, ValidUntil: &was, Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry is blue.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "The ferry was red.", State: trilith.StateRetracted, SupersededAt: &lately,
			Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Ben's ferry was late.", Scope: trilith.Scope{User: "ben"}, State: trilith.StateExpired,
			ValidUntil: &was, Fact: &trilith.Fact{}})
	before := e.Exported(t, rig.Acme)
	for _, c := range []struct {
		scope trilith.Scope
		days  int
		dry   bool
		want  int
	}{{rig.Acme, 0, true, 4}, {trilith.Scope{Tenant: "other"}, 0, false, 0}, {rig.Ana, 0, false, 0}, {rig.Acme, 200,
		false, 0},
		{rig.Acme, 0, false, 4}, {rig.Acme, 0, false, 0}, {rig.Acme, 5, true, 1}} {
		if res, err := e.Archive(t.Context(), c.scope, trilith.ArchiveRequest{Days: c.days, DryRun: c.dry}); err != nil || res.Archived != c.want ||
			res.DryRun != c.dry {
			t.Errorf("Archive(%+v) = %+v, %v; want %d", c, res, err, c.want)
		}
	}
	if got := rig.Sorted(rig.Texts(e.All(t, rig.Acme))); gocmp.Diff(
		[]string{"The ferry is blue.", "The ferry was red."}, got) != "" {
		t.Errorf("List = %q, want what is not archived", got)
	}
	for _, newest := range []bool{false, true} {
		for states, n := range map[trilith.State]int{trilith.StateActive: 1, trilith.StateRetracted: 1,
			trilith.StateExpired: 0} {
			p, err := e.List(t.Context(), rig.Acme,
				trilith.ListRequest{Limit: 1, Newest: newest, States: []trilith.State{states}})
			if err != nil || len(p.Items) != n || p.NextCursor != "" {
				t.Errorf("List(limit 1, newest %v, %s) = %v, more after %q, %v; want %d", newest, states,
					rig.Texts(p.Items), p.NextCursor, err, n)
			}
		}
	}
	for _, c := range []struct {
		request trilith.ListRequest
		want    int
	}{{trilith.ListRequest{Archived: true}, 5}, {trilith.ListRequest{Archived: true, States: trilith.States()}, 6},
		{trilith.ListRequest{Archived: true, States: []trilith.State{trilith.StateRetracted}}, 2}} {
		if p, err := e.List(t.Context(), rig.Acme, c.request); err != nil || len(p.Items) != c.want {
			t.Errorf("List(%+v) = %v, %v; want %d", c.request, rig.Texts(p.Items), err, c.want)
		}
	}
	if m, err := e.Get(t.Context(), rig.Acme, ids[0]); err != nil || m.ArchivedAt == nil ||
		m.State != trilith.StateSuperseded {
		t.Errorf("Get = %+v, %v; want it archived and superseded still", m, err)
	}
	got := rig.Sorted(rig.TextsOf(e.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: "ferry", AsOf: "2025-01-10"}).Hits))
	want := []string{"Ben's ferry was late.", "The ferry is blue.", "The ferry was full.", "The ferry was late."}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("as of then (-want +got):\n%s", diff)
	}
	if h, err := e.History(t.Context(), rig.Acme, ids[0]); err != nil || len(h.Versions) != 1 {
		t.Errorf("History = %+v, %v", h, err)
	}
	if after := e.Items(t, rig.Acme); len(after) != len(rig.ParseExport(t, before)) {
		t.Errorf("the export holds %d items, %d before", len(after), len(rig.ParseExport(t, before)))
	}
	// A memory that is opened again is listed again.
	if _, err := e.Update(t.Context(), rig.Acme, ids[1], trilith.UpdateRequest{State: new(trilith.StateActive)}); err != nil {
		t.Fatal(err)
	}
	if got := e.All(t, rig.Acme); len(got) != 3 {
		t.Errorf("after one was brought back %v are listed, want three", rig.Texts(got))
	}
	_, err := e.Archive(t.Context(), rig.Acme, trilith.ArchiveRequest{Days: 36501})
	rig.WantError(t, "Archive(36501 days)", err, trilith.Invalid, "days")
}

// An export has archived memories, and says that they are archived.
func TestArchiveIsExported(t *testing.T) {
	t.Parallel()
	e, other := rig.InMemory(t), rig.InMemory(t)
	was, note := rig.Day(20), e.Note(t, rig.Acme, "The ferry was late.")
	if _, err := e.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{note.ID}}); err != nil {
		t.Fatal(err)
	}
	e.Change(t, note.ID, func(m *trilith.Memory) { m.SupersededAt = &was })
	if res, err := e.Archive(t.Context(), rig.Acme, trilith.ArchiveRequest{}); err != nil || res.Archived != 1 {
		t.Fatalf("Archive = %+v, %v; want one", res, err)
	}
	other.MustRestore(t, rig.Acme, e.Items(t, rig.Acme))
	m, err := other.Get(t.Context(), rig.Acme, note.ID)
	if got := other.All(t, rig.Acme); err != nil || m.ArchivedAt == nil || len(got) != 0 {
		t.Errorf("after an import it is %+v, %v, and %v are listed", m, err, rig.Texts(got))
	}
}

func TestRegenerateEmbeddings(t *testing.T) {
	t.Parallel()
	refused := rig.NewFussy(t, rig.Refusing("accursed", trilith.Invalid))
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = refused })
	for range 150 {
		e.Note(t, rig.Acme, "A note like others.")
	}
	ids := e.PutFacts(t, trilith.Memory{Text: "A fact.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Another fact.", Fact: &trilith.Fact{}},
		trilith.Memory{Text: "Ben's fact.", Scope: trilith.Scope{User: "ben"}, Fact: &trilith.Fact{}})
	regenerate := func(s trilith.Scope, limit int, want trilith.RegenerateResult) {
		t.Helper()
		if got, err := e.RegenerateEmbeddings(t.Context(), s, trilith.RegenerateRequest{Limit: limit}); err != nil || got != want {
			t.Errorf("RegenerateEmbeddings(%+v, %d) = %+v, %v; want %+v", s, limit, got, err, want)
		}
	}
	regenerate(rig.Acme, 0, trilith.RegenerateResult{})
	if err := e.Parts.Vectors.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	regenerate(rig.Ben, 0, trilith.RegenerateResult{Embedded: 1})
	regenerate(rig.Acme, 2, trilith.RegenerateResult{Embedded: 2, Left: 150})
	if m, err := e.Get(t.Context(), rig.Acme, ids[1]); err != nil || m.Embedding == nil {
		t.Errorf("facts come first, but %+v has no vector, %v", m, err)
	}
	regenerate(rig.Acme, 0, trilith.RegenerateResult{Embedded: 100, Left: 50})
	regenerate(rig.Acme, 1000, trilith.RegenerateResult{Embedded: 50})
	regenerate(rig.Acme, 0, trilith.RegenerateResult{})
	_, err := e.RegenerateEmbeddings(t.Context(), rig.Acme, trilith.RegenerateRequest{Limit: 1001})
	rig.WantError(t, "RegenerateEmbeddings(1001)", err, trilith.Invalid, "limit")
	none := rig.InMemory(t, rig.Likenesses["without vectors"])
	_, err = none.RegenerateEmbeddings(t.Context(), rig.Acme, trilith.RegenerateRequest{})
	rig.WantError(t, "RegenerateEmbeddings without an embedder", err, trilith.Unsupported, "embedder")

	// A text that the embedder refuses holds nothing else up.
	e.Note(t, rig.Acme, "An accursed note.")
	e.MustSettle(t)
	if err := e.Parts.Vectors.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	regenerate(rig.Acme, 1000, trilith.RegenerateResult{Embedded: 153})
}
