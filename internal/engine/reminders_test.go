package engine_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// TestReminders: people are asked about expensive facts that nobody looked at, and about old ones that may have
// changed; so many a day, until they answer or put it off.
func TestReminders(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	e := inMemory(t, func(c *engine.Config) {
		c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		c.Reminders = engine.Reminders{Daily: 2, Verify: 10 * day, Amount: "5000", Stale: 100 * day}
	})
	pass := func(days int) { mu.Lock(); defer mu.Unlock(); now = now.AddDate(0, 0, days) }
	for _, text := range []string{"The steel costs 7000 EUR.", "The crane costs 9000 EUR.", "The roof costs 8000 EUR.",
		"The paint costs 300 EUR."} {
		e.learn(t, quay, text, "2026-03-01")
	}
	waiting := func() []trilith.ReviewItem {
		t.Helper()
		if err := e.Remind(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := e.Inbox(t.Context(), quay, trilith.InboxQuery{
			Reasons: []trilith.ReviewReason{trilith.ReviewUnverified, trilith.ReviewStale}})
		if err != nil {
			t.Fatal(err)
		}
		return page.Items
	}
	want := func(when string, amounts ...string) []trilith.ReviewItem {
		t.Helper()
		items := waiting()
		var got []string
		for _, it := range items {
			got = append(got, it.Memory.Fact.Financial.Amount)
		}
		if diff := cmp.Diff(amounts, sorted(got)); diff != "" {
			t.Errorf("reminded %s (-want +got):\n%s", when, diff)
		}
		return items
	}
	decide := func(d trilith.Decision, ids ...trilith.ID) {
		t.Helper()
		report, err := e.Decide(t.Context(), quay, trilith.BulkDecision{IDs: ids, Decision: d})
		if err != nil || report.Failed > 0 {
			t.Fatalf("Decide(%s) = %+v, %v", d, report, err)
		}
	}
	want("at once")
	pass(11)
	first := want("after eleven days, two a day, the most expensive", "8000", "9000")
	want("again on that day", "8000", "9000")
	decide(trilith.DecideVerify, first[0].ID)
	decide(trilith.DecideSnooze, first[1].ID)
	want("when one is answered and one put off")
	pass(1)
	want("a day later", "7000")
	if block, err := e.Inbox(t.Context(), ana, trilith.InboxQuery{}); err != nil || len(block.Items) != 0 {
		t.Errorf("the inbox of somebody else = %+v, %v", block.Items, err)
	}
	pass(7)
	if items := waiting(); len(items) != 2 {
		t.Errorf("%d reminders when the one that was put off is back, want 2", len(items))
	}
	pass(100)
	stale := 0
	for _, it := range waiting() {
		if it.Reason == trilith.ReviewStale {
			stale++
		}
	}
	if stale == 0 {
		t.Error("nobody is asked about old facts")
	}
	report, err := e.Decide(t.Context(), quay, trilith.BulkDecision{IDs: []trilith.ID{trilith.DeriveID("nothing")},
		Decision: trilith.DecideSnooze})
	if err != nil || report.Failed != 1 {
		t.Errorf("snoozing nothing = %+v, %v; want one failure", report, err)
	}
}

// TestRemindersOfEach: the limit of a day counts for each user and each project by itself, so a project with many
// expensive facts does not keep others from being asked. An erased fact leaves no reminder.
func TestRemindersOfEach(t *testing.T) {
	t.Parallel()
	everyStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig) {
		var mu sync.Mutex
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		const day = 24 * time.Hour
		e := open(func(c *engine.Config) {
			c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
			c.Reminders = engine.Reminders{Daily: 2, Verify: 10 * day, Amount: "5000", Stale: 1000 * day}
		})
		roof := trilith.Scope{Tenant: "acme", Project: "roof", Actor: "tester"}
		for _, text := range []string{"The steel costs 70000 EUR.", "The crane costs 90000 EUR.", "The tower costs 80000 EUR."} {
			e.learn(t, quay, text, "2026-03-01")
		}
		e.learn(t, roof, "The roof costs 8000 EUR.", "2026-03-01")
		mu.Lock()
		now = now.AddDate(0, 0, 11)
		mu.Unlock()
		asked := func(s trilith.Scope) (ids []trilith.ID) {
			t.Helper()
			for range 2 { // a second time on a day brings no more
				if err := e.Remind(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			page, err := e.Inbox(t.Context(), s,
				trilith.InboxQuery{Reasons: []trilith.ReviewReason{trilith.ReviewUnverified}})
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				ids = append(ids, it.Memory.ID)
			}
			return ids
		}
		for _, c := range []struct {
			s    trilith.Scope
			want int
		}{{quay, 2}, {roof, 1}, {ana, 0}, {acme, 3}} {
			if got := asked(c.s); len(got) != c.want {
				t.Errorf("%d reminders in %+v, want %d", len(got), c.s, c.want)
			}
		}
		gone := asked(roof)
		if _, err := e.Erase(t.Context(), acme, trilith.EraseRequest{IDs: gone}); err != nil {
			t.Fatal(err)
		}
		rs, err := e.parts.Store.Records(t.Context(), acme, trilith.RecordListing{Kind: trilith.RecordReminder, IDs: gone})
		if err != nil || len(gone) != 1 || len(rs) != 0 {
			t.Errorf("reminders of erased facts = %+v, %v", rs, err)
		}
	})
}

// TestNoReminders: without the setting nobody is reminded.
func TestNoReminders(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.learn(t, quay, "The steel costs 7000 EUR.", "2020-03-01")
	if err := e.Remind(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := e.Inbox(t.Context(), quay, trilith.InboxQuery{})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("inbox = %+v, %v", page.Items, err)
	}
}

// TestConsultShowsReminders: the model is shown up to two facts of the scope that somebody is to be asked about, with
// the question, until they are answered.
func TestConsultShowsReminders(t *testing.T) {
	t.Parallel()
	everyStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig) {
		var mu sync.Mutex
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		const day = 24 * time.Hour
		model := saying("Fine.")
		e := open(consulting(model), func(c *engine.Config) {
			c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
			c.Reminders = engine.Reminders{Daily: 3, Verify: 10 * day, Amount: "5000", Stale: 1000 * day}
		})
		for _, text := range []string{"The steel costs 7000 EUR.", "The crane costs 9000 EUR.", "The roof costs 8000 EUR."} {
			e.remember(t, quay, trilith.RememberRequest{Text: text, Extract: trilith.ExtractRules})
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		now = now.AddDate(0, 0, 11)
		mu.Unlock()
		if err := e.Remind(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked := func(s trilith.Scope) []trilith.ID {
			t.Helper()
			res := consult(t, e, s, trilith.ConsultRequest{Prompt: "What is the weather like?"})
			_, items, _ := strings.Cut(model.last(), "## ACTION ITEMS REQUIRING ATTENTION\n")
			if n := strings.Count(items, "Is it right?"); n != len(res.Used.Actions) {
				t.Errorf("%d questions are shown, %d facts are used:\n%s", n, len(res.Used.Actions), model.last())
			}
			return res.Used.Actions
		}
		first := asked(quay)
		if len(first) != 2 {
			t.Fatalf("%d reminders are shown, want 2:\n%s", len(first), model.last())
		}
		if got := asked(trilith.Scope{Tenant: "acme", Project: "roof", Actor: "tester"}); len(got) != 0 {
			t.Errorf("another project is shown %v", got)
		}
		e.decideAll(t, quay, trilith.BulkDecision{IDs: first[:1], Decision: trilith.DecideVerify})
		e.decideAll(t, quay, trilith.BulkDecision{IDs: first[1:], Decision: trilith.DecideSnooze, Days: 3})
		last := asked(quay)
		if len(last) != 1 || last[0] == first[0] || last[0] == first[1] {
			t.Errorf("shown after one was answered and one put off: %v, want the third", last)
		}
	})
}
