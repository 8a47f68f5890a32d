package alerts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// sharedStore is a store that several services open, each with a clock of its own.
type sharedStore func(t *testing.T, now func() time.Time) engine.Config

// stores make stores with nothing in them.
var stores = map[string]func(*testing.T) sharedStore{
	"inmem": func(*testing.T) sharedStore { // its clock is that of the first service
		var once sync.Once
		var all rig.Lasting
		return func(_ *testing.T, now func() time.Time) engine.Config {
			once.Do(func() {
				all = rig.Lasting{Store: inmem.New(now), Vectors: rig.LastingVectors{VectorIndex: embedded.NewVector(nil)}}
			})
			return all.Config()
		}
	},
	"sqlite": func(t *testing.T) sharedStore {
		path := rig.NewPath(t)
		return func(t *testing.T, now func() time.Time) engine.Config {
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return engine.Config{Store: s, Log: s, Queue: s, Vectors: embedded.NewVector(s)}
		}
	},
	"postgres": func(t *testing.T) sharedStore {
		url := pgtest.Database(t)
		return func(t *testing.T, now func() time.Time) engine.Config {
			s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return engine.Config{Store: s, Log: s, Queue: s, Vectors: embedded.NewVector(nil)}
		}
	},
}

// serve opens a service on the store, which closes at the end of the test.
func (h sharedStore) serve(t *testing.T, c *clocktest.Clock) rig.Rig {
	t.Helper()
	now := goingOn(c)
	return rig.Open(t, h(t, now), func(e *engine.Config) { e.Now = now })
}

// goingOn is a clock that goes on a little with every look at it, as all clocks do.
func goingOn(c *clocktest.Clock) func() time.Time {
	var looks atomic.Int64
	return func() time.Time { return c.Now().Add(time.Duration(looks.Add(1)) * time.Microsecond) }
}

const aDay = 24 * time.Hour

// steps are where a clock stands, one place after the other.
var steps = map[string][]time.Duration{
	"nothing":            {0, 0},
	"back an hour":       {0, -time.Hour},
	"back 400 days":      {0, -400 * aDay},
	"ahead 400 days":     {0, 400 * aDay},
	"ahead and back":     {0, 400 * aDay, 0},
	"begun ahead":        {400 * aDay, 0, 0},
	"back and ahead":     {0, -400 * aDay, 0},
	"begun back":         {-400 * aDay, 0},
	"ahead and further":  {0, 400 * aDay, -time.Hour},
	"an hour to and fro": {0, time.Hour, 0, time.Hour, 0},
}

// inSteps runs a test on each store with each walk of a clock.
func inSteps(t *testing.T, run func(t *testing.T, h sharedStore, c *clocktest.Clock, walk []func())) {
	t.Parallel()
	for name, at := range stores {
		for what, places := range steps {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
				c := clocktest.At(begin.Add(-30 * time.Minute))
				var walk []func()
				for i, p := range places {
					walk = append(walk, func() { c.Set(begin.Add(p + time.Duration(i)*time.Minute)) })
				}
				run(t, at(t), c, walk)
			})
		}
	}
}

// announced returns the alerts of a search by memory, and that none came twice.
func announced(t *testing.T, r rig.Rig, q trilith.SavedSearch) map[trilith.ID][]trilith.AlertKind {
	t.Helper()
	out, seen := map[trilith.ID][]trilith.AlertKind{}, map[trilith.ID]bool{}
	for _, al := range r.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID, Limit: 500}) {
		if seen[al.ID] {
			t.Errorf("the alert %+v came twice", al)
		}
		seen[al.ID] = true
		out[al.MemoryID] = append(out[al.MemoryID], al.Kind)
	}
	return out
}

// TestAlertsWhereTheClockSteps: whatever the clock does after searches were saved, what is stored since is announced
// once, what is changed at once is announced too, what was there before is not news, and no alert goes.
func TestAlertsWhereTheClockSteps(t *testing.T) {
	inSteps(t, func(t *testing.T, h sharedStore, c *clocktest.Clock, walk []func()) {
		e := h.serve(t, c)
		before := e.Note(t, rig.Quay, "The crane of before.")
		walk[0]()
		q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
		red := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "red", Of: trilith.SearchMemories,
			Filter: trilith.Where("tags", trilith.OpContains, "red")})
		var fresh, tagged []trilith.ID
		for i, step := range walk {
			step()
			for n := range 2 {
				fresh = append(fresh, e.Note(t, rig.Quay, fmt.Sprintf("Crane %d of place %d.", n, i)).ID)
			}
			late := e.Note(t, rig.Quay, fmt.Sprintf("A digger of place %d.", i)).ID
			for what, change := range quickly {
				if err := change(t.Context(), e, fmt.Sprintf("%s %d", what, i)); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				announced(t, e, q)
			}
			if _, err := e.Update(t.Context(), rig.Quay, late, trilith.UpdateRequest{Tags: &[]string{"red"}}); err != nil {
				t.Fatal(err)
			}
			tagged = append(tagged, late)
		}
		got := announced(t, e, q)
		for _, id := range fresh {
			if !slices.Equal(got[id], []trilith.AlertKind{trilith.AlertMatch}) {
				t.Errorf("alerts about the new note %s = %v, want a match", id, got[id])
			}
		}
		matches := 0
		for _, ks := range got {
			if slices.Contains(ks, trilith.AlertMatch) {
				matches++
			}
		}
		if want := len(fresh) + len(quickly)*len(walk); matches != want {
			t.Errorf("%d memories were announced, want %d", matches, want)
		}
		for _, id := range tagged {
			if ks := announced(t, e, red)[id]; !slices.Equal(ks, []trilith.AlertKind{trilith.AlertMatch}) {
				t.Errorf("alerts about what got its tag later = %v, want a match", ks)
			}
		}
		if len(got[before.ID]) > 0 {
			t.Errorf("alerts about the note of before = %v, want none", got[before.ID])
		}
		edit := trilith.UpdateRequest{Text: new("The crane of today.")}
		if _, err := e.Update(t.Context(), rig.Quay, before.ID, edit); err != nil {
			t.Fatal(err)
		}
		if ks := announced(t, e, q)[before.ID]; !slices.Equal(ks, []trilith.AlertKind{trilith.AlertChanged}) {
			t.Errorf("alerts about an edit of the note of before = %v, want a change", ks)
		}
	})
}

// TestAlertsOfServicesWithOtherClocks: of two services of which one is behind, each announces what the other stores.
func TestAlertsOfServicesWithOtherClocks(t *testing.T) {
	t.Parallel()
	for name, at := range stores {
		for saver := range 2 {
			t.Run(fmt.Sprintf("%s/%d", name, saver), func(t *testing.T) {
				t.Parallel()
				h, noon := at(t), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
				es := []rig.Rig{h.serve(t, clocktest.At(noon.Add(-90*time.Second))),
					h.serve(t, clocktest.At(noon.Add(90*time.Second)))}
				known := []trilith.Memory{es[0].Note(t, rig.Quay, "A crane."), es[1].Note(t, rig.Quay, "Another crane.")}
				q := es[saver].Save(t, rig.Quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories,
					Query: "crane"})
				want := map[trilith.ID]string{}
				for i := range 6 {
					m := es[i%2].Note(t, rig.Quay, fmt.Sprintf("Crane %d.", i))
					want[m.ID] = "[match]"
					if i%3 == 2 {
						announced(t, es[0], q)
						announced(t, es[1], q)
					}
				}
				for i, m := range known {
					tag := trilith.UpdateRequest{Tags: &[]string{"x"}}
					if _, err := es[i].Update(t.Context(), rig.Quay, m.ID, tag); err != nil {
						t.Fatal(err)
					}
				}
				announced(t, es[0], q)
				for i, m := range known {
					text := fmt.Sprintf("A crane, edited %d.", i)
					if _, err := es[1-i].Update(t.Context(), rig.Quay, m.ID, trilith.UpdateRequest{Text: &text}); err != nil {
						t.Fatal(err)
					}
					want[m.ID] = "[changed]"
				}
				announced(t, es[1], q)
				got := announced(t, es[0], q)
				for id, kinds := range want {
					if fmt.Sprint(got[id]) != kinds {
						t.Errorf("alerts about %s = %v, want %s", id, got[id], kinds)
					}
				}
				if len(got) != len(want) {
					t.Errorf("alerts about %d memories, want %d", len(got), len(want))
				}
			})
		}
	}
}

// overtakenLog calls back when the alerts have read changes, and before they read the memories.
type overtakenLog struct {
	role.Log
	read func([]role.Change)
}

func (l overtakenLog) Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor, limit int) (
	[]role.Change, trilith.Cursor, error) {
	changes, next, err := l.Log.Changes(ctx, sys, shard, after, limit)
	if sys == trilith.AsSystem("alerts") {
		l.read(changes)
	}
	return changes, next, err
}

// TestAlertsOfAnEditBetweenLogAndMemory: a memory of before the search gets a tag, and while the alerts look at that
// change, a service that is behind edits it. The edit is announced, although its time is before that of the search.
func TestAlertsOfAnEditBetweenLogAndMemory(t *testing.T) {
	t.Parallel()
	for name, at := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, noon := at(t), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			ahead, behind := goingOn(clocktest.At(noon.Add(90*time.Second))), goingOn(clocktest.At(noon.Add(-90*time.Second)))
			var edit atomic.Pointer[func([]role.Change)]
			open := func(now func() time.Time) rig.Rig {
				return rig.Open(t, h(t, now), func(c *engine.Config) {
					c.Now = now
					c.Log = overtakenLog{c.Log, func(changes []role.Change) {
						if f := edit.Load(); f != nil {
							(*f)(changes)
						}
					}}
				})
			}
			late, e := open(behind), open(ahead)
			m := e.Note(t, rig.Quay, "A crane.")
			q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
			announced(t, e, q)
			var once sync.Once
			edit.Store(new(func(changes []role.Change) {
				if slices.ContainsFunc(changes, func(c role.Change) bool { return c.ID == m.ID && c.Version == 2 }) {
					once.Do(func() {
						_, err := late.Update(t.Context(), rig.Quay, m.ID,
							trilith.UpdateRequest{Text: new("A crane, edited.")})
						if err != nil {
							t.Error(err)
						}
					})
				}
			}))
			if _, err := e.Update(t.Context(), rig.Quay, m.ID, trilith.UpdateRequest{Tags: &[]string{"x"}}); err != nil {
				t.Fatal(err)
			}
			announced(t, e, q)
			if got := announced(t, e, q)[m.ID]; !slices.Equal(got, []trilith.AlertKind{trilith.AlertChanged}) {
				t.Errorf("alerts about the edited note = %v, want a change", got)
			}
		})
	}
}

// TestJobsWhereTheClockSteps: jobs of before the clock went elsewhere are done, whether they wait, were leased by a
// service that is no more, failed, or were postponed.
func TestJobsWhereTheClockSteps(t *testing.T) {
	inSteps(t, func(t *testing.T, h sharedStore, c *clocktest.Clock, walk []func()) {
		raw := h(t, c.Now)
		t.Cleanup(func() { _ = raw.Store.Close() })
		sys, in := trilith.AsSystem("test"), trilith.Scope{Tenant: rig.Acme.Tenant}
		for _, step := range walk {
			step()
			var b role.Batch
			for range 4 {
				b.Jobs = append(b.Jobs, trilith.Job{ID: trilith.NewID(c.Now()), Kind: role.JobPurge})
			}
			if _, err := raw.Store.Commit(t.Context(), in, b); err != nil {
				t.Fatal(err)
			}
			leased, err := raw.Queue.Lease(t.Context(), sys, trilith.LeaseRequest{Worker: "dead", For: time.Minute, Max: 3})
			if err != nil || len(leased) != 3 {
				t.Fatalf("Lease = %d, %v", len(leased), err)
			}
			lease := func(i int) trilith.Lease {
				return trilith.Lease{Tenant: in.Tenant, JobID: leased[i].ID, Worker: "dead", Attempt: leased[i].Attempts}
			}
			if err := raw.Queue.ChangeJob(t.Context(), lease(1).Fail("no", c.Now().Add(9*time.Minute))); err != nil {
				t.Fatal(err)
			}
			if err := raw.Queue.ChangeJob(t.Context(), lease(2).Defer("later", c.Now().Add(aDay))); err != nil {
				t.Fatal(err)
			}
		}
		e := h.serve(t, c)
		if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
			t.Fatal(err)
		}
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Advance(aDay + time.Minute) // what was postponed last is due then
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := raw.Queue.Jobs(t.Context(), in, trilith.JobListing{})
		if err != nil || len(left) != 4*len(walk) {
			t.Fatalf("Jobs = %d, %v", len(left), err)
		}
		for _, j := range left {
			if j.State != trilith.JobDone {
				t.Errorf("a job is not done: %+v", j)
			}
		}
	})
}

// TestExpiryWhereTheClockSteps: in the end what is over is expired, and nothing else.
func TestExpiryWhereTheClockSteps(t *testing.T) {
	inSteps(t, func(t *testing.T, h sharedStore, c *clocktest.Clock, walk []func()) {
		e := h.serve(t, c)
		var ids []trilith.ID
		for _, ends := range []time.Duration{30 * time.Minute, 10 * aDay, 500 * aDay} {
			m := e.Note(t, rig.Quay, "The permit holds until "+ends.String())
			until := c.Now().Add(ends).Format(time.RFC3339)
			if _, err := e.Update(t.Context(), rig.Quay, m.ID, trilith.UpdateRequest{ValidUntil: &until}); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, m.ID)
		}
		for _, step := range walk {
			step()
			if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
				t.Fatal(err)
			}
		}
		ms, err := e.Parts.Store.Get(t.Context(), rig.Acme, ids)
		if err != nil || len(ms) != len(ids) {
			t.Fatalf("Get = %d, %v", len(ms), err)
		}
		for _, m := range ms {
			want := trilith.StateActive
			if !m.ValidUntil.After(c.Now()) {
				want = trilith.StateExpired
			}
			if m.State != want || (m.SupersededAt == nil) != (want == trilith.StateActive) {
				t.Errorf("%q is %s at %s (closed %v), want %s", m.Text, m.State, c.Now(), m.SupersededAt, want)
			}
		}
	})
}

// TestSweepIsDueAfterAClockThatWasAhead: the next sweep that a clock far ahead has written down does not hold back those
// of the right time.
func TestSweepIsDueAfterAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	for name, at := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, c := at(t), clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
			far := role.Record{Kind: role.RecordSchedule, ID: trilith.DeriveID("schedule", "sweep"), Version: 1,
				Body: json.RawMessage(`{"due":"2027-04-05T00:00:00Z"}`)}
			in := trilith.Scope{Tenant: trilith.SystemTenant}
			raw := h(t, c.Now)
			t.Cleanup(func() { _ = raw.Store.Close() })
			if _, err := raw.Store.Commit(t.Context(), in, role.Batch{Records: []role.Record{far}}); err != nil {
				t.Fatal(err)
			}
			h.serve(t, c)
			rig.Until(t, func() bool {
				rs, err := raw.Store.Records(t.Context(), in,
					role.RecordListing{Kind: far.Kind, IDs: []trilith.ID{far.ID}})
				return err == nil && len(rs) == 1 && strings.HasPrefix(string(rs[0].Body), `{"due":"2026-03-01T13:00:00`)
			})
		})
	}
}

// TestDeadlinesOfASearchFromTheFuture: a search that a clock far ahead has saved announces what is due now.
func TestDeadlinesOfASearchFromTheFuture(t *testing.T) {
	t.Parallel()
	for name, at := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			c := clocktest.At(noon.Add(400 * aDay))
			e := at(t).serve(t, c)
			q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "permits", Of: trilith.SearchMemories, Query: "permit",
				Days:   5,
				Alerts: []trilith.AlertKind{trilith.AlertDeadline}})
			c.Set(noon)
			m := e.Note(t, rig.Quay, "The permit of the quay.")
			ends := noon.Add(20 * aDay).Format(time.RFC3339)
			if _, err := e.Update(t.Context(), rig.Quay, m.ID, trilith.UpdateRequest{ValidUntil: &ends}); err != nil {
				t.Fatal(err)
			}
			wantAlerts(t, e, "three weeks ahead", e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID}))
			c.Set(noon.Add(16 * aDay))
			wantAlerts(t, e, "four days ahead", e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID}), "deadline")
		})
	}
}

// TestJobsOfServicesWithOtherClocks: what a service that is ahead has queued, and a lease that it held, is done by one
// that is behind as soon as its own clock shows that time, and not twice.
func TestJobsOfServicesWithOtherClocks(t *testing.T) {
	t.Parallel()
	for name, at := range stores {
		if name == "inmem" {
			continue // has one clock
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			h, behind, ahead := at(t), clocktest.At(noon.Add(-90*time.Second)), clocktest.At(noon.Add(90*time.Second))
			raw, in := h(t, ahead.Now), trilith.Scope{Tenant: rig.Acme.Tenant}
			t.Cleanup(func() { _ = raw.Store.Close() })
			b := role.Batch{Jobs: []trilith.Job{{ID: trilith.NewID(noon), Kind: role.JobPurge},
				{ID: trilith.NewID(noon), Kind: role.JobPurge}}}
			if _, err := raw.Store.Commit(t.Context(), in, b); err != nil {
				t.Fatal(err)
			}
			if got, err := raw.Queue.Lease(t.Context(), trilith.AsSystem("test"),
				trilith.LeaseRequest{Worker: "dead", For: time.Minute}); err != nil || len(got) != 1 {
				t.Fatalf("Lease = %d, %v", len(got), err)
			}
			e := h.serve(t, behind)
			work := func(want int) {
				t.Helper()
				if _, err := e.Sweep(t.Context(), rig.Acme); err != nil {
					t.Fatal(err)
				}
				if err := e.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
				done := 0
				all, err := raw.Queue.Jobs(t.Context(), in, trilith.JobListing{})
				for _, j := range all {
					if j.State == trilith.JobDone {
						done++
					}
				}
				if err != nil || done != want {
					t.Errorf("%d jobs are done, %v; want %d", done, err, want)
				}
			}
			work(0)
			behind.Advance(3*time.Minute + time.Second)
			work(1)
			behind.Advance(time.Minute)
			work(2)
		})
	}
}
