package alerts_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestAlertsOfContradictions: facts that cannot all be true raise one alert each, and so does a fact that a person
// disputes. A dispute from before the search was saved raises none, even if the fact changes later.
func TestAlertsOfContradictions(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		learn(t, e, rig.Ben, "I live in Oslo.", "2025-01-01")
		learn(t, e, rig.Ben, "I live in Rome.", "2025-01-01")
		q := e.Save(t, rig.Acme, trilith.SearchRequest{Name: "doubts", Alerts: []trilith.AlertKind{trilith.AlertConflict}})
		at := int64(0)
		next := func(what string, want ...string) []trilith.Alert {
			t.Helper()
			got := e.Alerted(t, rig.Acme, trilith.AlertQuery{Search: q.ID, After: at})
			wantAlerts(t, e, what, got, want...)
			if len(got) > 0 {
				at = got[len(got)-1].Seq
			}
			return got
		}
		next("of what was disputed before")
		learn(t, e, rig.Ben, "I still live in Oslo. I love tea.", "2025-01-01")
		next("of what was disputed before, and is said again")
		learn(t, e, rig.Ana, "I live in Oslo.", "2025-01-01")
		next("of one home")
		learn(t, e, rig.Ana, "I live in Rome.", "2025-01-01")
		got := next("of two homes at a time", "contradiction", "contradiction")
		if len(got) == 2 && (got[0].MemoryID == got[1].MemoryID || got[0].State != trilith.StateActive) {
			t.Errorf("alerts = %+v, want one about each of the homes", got)
		}
		learn(t, e, rig.Ana, "I love jazz.", "2025-01-02")
		next("of a fact that contradicts nothing")
		facts, err := e.Facts(t.Context(), rig.Ana, trilith.FactQuery{Filter: trilith.Where("verb", trilith.OpEq, "likes")})
		if err != nil || len(facts.Items) != 1 {
			t.Fatalf("Facts = %+v, %v", facts.Items, err)
		}
		for range 2 { // deciding it again is no news
			e.MustDecide(t, facts.Items[0].Memory.ID, trilith.DecideDispute)
		}
		next("of a fact that a person disputes", "contradiction")
		e.MustDecide(t, facts.Items[0].Memory.ID, trilith.DecideVerify)
		next("of a fact that is settled")
		e.MustDecide(t, facts.Items[0].Memory.ID, trilith.DecideReview)
		next("of a fact that is in doubt again", "contradiction")
	})
}

// TestAlertsOfLag: indexes that are behind raise one alert an hour for as long as they are, with the number of changes.
func TestAlertsOfLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("", trilith.Unavailable))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		q := e.Save(t, rig.Acme, trilith.SearchRequest{Name: "behind", Alerts: []trilith.AlertKind{trilith.AlertLag},
			Behind: 3})
		raised := func() []trilith.Alert { return e.Alerted(t, rig.Acme, trilith.AlertQuery{Search: q.ID}) }
		wantAlerts(t, e, "of an empty store", raised())
		for i := range 5 {
			e.Note(t, rig.Ana, fmt.Sprintf("Note number %d.", i))
		}
		got := raised()
		wantAlerts(t, e, "when vectors are missing", got, "lag")
		if len(got) == 1 && (got[0].Behind <= 3 || got[0].MemoryID != "" || got[0].ID == "") {
			t.Errorf("alert = %+v, want one about no memory, with more than 3 changes", got[0])
		}
		wantAlerts(t, e, "a second time in the hour", raised(), "lag")
		<-time.After(time.Hour)
		wantAlerts(t, e, "an hour later", raised(), "lag", "lag")
		embedder.RefuseNow(nil)
		<-time.After(20 * time.Minute) // until the embedder is asked again
		n := len(raised())
		<-time.After(time.Hour)
		if got := raised(); len(got) != n {
			t.Errorf("%d alerts when nothing is behind any more, want %d", len(got), n)
		}
	})
}

// TestAlertsOfErased: an alert about an erased memory is gone when the erasure is, and is not sent any more; one about
// another memory does not name it any more.
func TestAlertsOfErased(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		r := &receiver{refuse: 1 << 30}
		e := open(func(c *engine.Config) { c.Alerts.Webhooks = map[string]alerts.Sender{"hook": r} })
		notes := e.Save(t, rig.Acme, trilith.SearchRequest{Name: "notes", Of: trilith.SearchMemories, Webhook: "hook"})
		e.Save(t, rig.Acme, trilith.SearchRequest{Name: "homes", Filter: trilith.Where("verb", trilith.OpEq, "lives_in")})
		var ids []trilith.ID
		for i := range 250 { // more than one commit erases
			ids = append(ids, e.Note(t, rig.Quay, fmt.Sprintf("Note number %d.", i)).ID)
		}
		learn(t, e, rig.Ana, "I live in Oslo.", "2025-01-10")
		e.Alerted(t, rig.Acme, trilith.AlertQuery{})
		learn(t, e, rig.Ana, "I moved to Bergen.", "2025-06-02")
		before := e.Alerted(t, rig.Acme, trilith.AlertQuery{Limit: 500})
		if len(before) < 252 {
			t.Fatalf("%d alerts before the erasure", len(before))
		}
		var oslo trilith.ID
		for _, al := range before {
			if al.Before != "" {
				oslo = al.Before
			}
		}
		left := func() []trilith.Alert {
			t.Helper()
			page, err := e.Alerts(t.Context(), rig.Acme, trilith.AlertQuery{Limit: 500})
			if err != nil {
				t.Fatal(err)
			}
			return page.Items
		}
		if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: ids[1:]}); err != nil {
			t.Fatal(err)
		}
		about := map[trilith.ID]int{}
		for _, al := range left() {
			about[al.MemoryID]++
		}
		for _, id := range ids[1:] {
			if about[id] > 0 {
				t.Fatalf("an alert about the erased memory %s is left", id)
			}
		}
		if about[ids[0]] != 1 || len(before)-len(left()) != 249 {
			t.Errorf("%d alerts are left of %d, want all but 249", len(left()), len(before))
		}
		if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{oslo}}); err != nil {
			t.Fatal(err)
		}
		for _, al := range left() {
			if al.MemoryID == oslo || al.Before == oslo {
				t.Errorf("alert %+v names an erased fact", al)
			}
		}
		r.mu.Lock()
		r.refuse = 0
		r.mu.Unlock()
		if err := e.RunSearches(t.Context()); err != nil {
			t.Fatal(err)
		}
		deliverAll(t, e, notes.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, id := range r.got {
			if id != wantSent(left(), notes.ID)[i] {
				t.Fatalf("sent %s, which is none of the alerts that are left", id)
			}
		}
	})
}

// wantSent are the ids of the alerts of a search.
func wantSent(all []trilith.Alert, search trilith.ID) (out []trilith.ID) {
	for _, al := range all {
		if al.Search == search {
			out = append(out, al.ID)
		}
	}
	return out
}

// deliverAll retries the job of a search until all of its alerts are delivered.
func deliverAll(t *testing.T, r rig.Rig, search trilith.ID) {
	t.Helper()
	rig.Until(t, func() bool {
		jobs, err := r.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "webhook:hook"})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if _, err := r.RetryJob(t.Context(), rig.Acme, j.ID); err != nil && trilith.KindOf(err) != trilith.NotFound {
				t.Fatal(err)
			}
		}
		page, err := r.Alerts(t.Context(), rig.Acme, trilith.AlertQuery{Search: search, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, al := range page.Items {
			if al.DeliveredAt == nil {
				return false
			}
		}
		return true
	})
}

// TestDeadWebhookJobs: a receiver that never answers ends in a dead job that says why. Retrying it sends everything
// that waits, in order, each once; and so does the next alert.
func TestDeadWebhookJobs(t *testing.T) {
	t.Parallel()
	for _, again := range []string{"retry", "next alert"} {
		t.Run(again, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := &receiver{refuse: 1 << 30}
				e := rig.InMemory(t, func(c *engine.Config) { c.Alerts.Webhooks = map[string]alerts.Sender{"hook": r} })
				q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "all", Of: trilith.SearchMemories, Webhook: "hook"})
				<-time.After(time.Second) // what is stored at the very time of the search is no news
				for i := range 3 {
					e.Note(t, rig.Quay, fmt.Sprintf("Note number %d.", i))
					e.Alerted(t, rig.Quay, trilith.AlertQuery{})
				}
				<-time.After(6 * time.Hour) // forty attempts with the longest pauses
				dead, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobDead})
				if err != nil || len(dead) != 1 || dead[0].Kind != "webhook:hook" || dead[0].Error == "" {
					t.Fatalf("Jobs(dead) = %+v, %v; want the one of the webhook, with the reason", dead, err)
				}
				others, err := e.Jobs(t.Context(), trilith.Scope{Tenant: "other"}, trilith.JobListing{State: trilith.JobDead})
				if err != nil || len(others) != 0 {
					t.Errorf("Jobs(dead) of another tenant = %+v, %v", others, err)
				}
				r.mu.Lock()
				r.refuse = 0
				r.mu.Unlock()
				if again == "retry" {
					if _, err := e.RetryJob(t.Context(), rig.Acme, dead[0].ID); err != nil {
						t.Fatal(err)
					}
				} else {
					e.Note(t, rig.Quay, "Note number 3.")
				}
				want := wantSent(e.Alerted(t, rig.Quay, trilith.AlertQuery{}), q.ID)
				<-time.After(time.Minute)
				r.mu.Lock()
				defer r.mu.Unlock()
				if diff := cmp.Diff(want, r.got); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
				if dead, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobDead}); err != nil ||
					len(dead) != 0 {
					t.Errorf("Jobs(dead) afterwards = %+v, %v", dead, err)
				}
			})
		})
	}
}

// TestAlertsOfAWebhookThatIsGone: nothing is sent for a search whose webhook is not, or no longer, in the settings:
// its alerts wait until it is.
func TestAlertsOfAWebhookThatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		e := rig.InMemory(t, func(c *engine.Config) { c.Alerts.Webhooks = map[string]alerts.Sender{"hook": r} })
		from := rig.InMemory(t, func(c *engine.Config) { c.Alerts.Webhooks = map[string]alerts.Sender{"https": r} })
		from.Save(t, rig.Quay, trilith.SearchRequest{Name: "all", Of: trilith.SearchMemories, Webhook: "https"})
		var items []trilith.ExportItem
		for it, err := range from.Export(t.Context(), rig.Quay) {
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, it)
		}
		if _, _, err := e.Restore(t.Context(), rig.Acme, items); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second) // what is stored at the very time of the search is no news
		e.Note(t, rig.Quay, "A note.")
		if got := e.Alerted(t, rig.Quay, trilith.AlertQuery{}); len(got) != 1 {
			t.Fatalf("alerts = %+v, want one", got)
		}
		<-time.After(time.Hour)
		jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "webhook:https"})
		if err != nil || len(jobs) != 1 || jobs[0].State != trilith.JobReady || jobs[0].Attempts != 0 {
			t.Errorf("jobs = %+v, %v; want one that waits", jobs, err)
		}
		all, err := e.Searches(t.Context(), rig.Quay)
		if err != nil || len(all.Items) != 1 {
			t.Fatalf("Searches = %+v, %v", all, err)
		}
		change := trilith.SearchRequest{Of: trilith.SearchMemories, Webhook: "https"}
		_, err = e.ChangeSearch(t.Context(), rig.Quay, all.Items[0].ID, trilith.SearchChange{SearchRequest: change})
		rig.WantError(t, "a change that names a webhook that no setting names", err, trilith.Invalid, "webhook: ")
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.got) != 0 {
			t.Errorf("%d alerts were sent", len(r.got))
		}
	})
}
