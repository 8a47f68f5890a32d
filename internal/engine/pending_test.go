package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// jobOf returns the job that an answer names.
func jobOf(t *testing.T, r rig.Rig, res trilith.AssimilateResult) trilith.Job {
	t.Helper()
	jobs, err := r.Jobs(t.Context(), rig.Acme, trilith.JobListing{IDs: []trilith.ID{res.JobID}})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("Jobs(%q) = %+v, %v, want the job of the answer", res.JobID, jobs, err)
	}
	return jobs[0]
}

// hung is an embedder that does not answer while it is on.
type hung struct {
	role.Embedder
	on *atomic.Bool
}

func (h hung) Embed(ctx context.Context, u role.Use, texts []string) ([]role.Embedding, error) {
	if !h.on.Load() {
		return h.Embedder.Embed(ctx, u, texts)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Minute):
		return nil, trilith.Errorf(trilith.Unavailable, "no answer within a minute")
	}
}

// An embedder that is away delays the vectors of an assimilation and loses neither its words nor its facts. One that
// refuses is not waited for, whatever the caller wants; one that hangs only as long as is wanted.
func TestAssimilateWithTheEmbedderAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hangs bool
		level trilith.Wait
		limit time.Duration
		want  time.Duration
	}{
		{false, "", 0, 0}, {false, trilith.WaitIndexed, 0, 0}, {false, "", time.Second, 0},
		{true, "", 0, 5 * time.Second}, {true, trilith.WaitIndexed, 0, 30 * time.Second},
		{true, "", time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			embedder, hangs := rig.NewFussy(t, nil), new(atomic.Bool)
			hangs.Store(c.hangs)
			if !c.hangs {
				embedder.RefuseNow(rig.Refusing("", trilith.Unavailable))
			}
			e := rig.InMemory(t, func(conf *engine.Config) {
				conf.Embedder, conf.AssimilateWait = hung{embedder, hangs}, c.limit
			})
			start := time.Now()
			req := trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen.", ExternalID: "letter",
				Wait: c.level}
			res, err := e.Assimilate(t.Context(), rig.Acme, req)
			if err != nil || !res.Pending || res.JobID == "" {
				t.Fatalf("Assimilate during the outage = %+v, %v; want an answer that is pending", res, err)
			}
			if took := time.Since(start); took < c.want || took > c.want+time.Second {
				t.Errorf("%+v: answered after %v", c, took)
			}
			rig.WantFacts(t, "facts of the answer", rig.Assertions(res.Facts), "lives_in Bergen")
			if job := jobOf(t, e, res); job.State != trilith.JobReady {
				t.Errorf("the job of the answer = %+v, want it ready", job)
			}
			if got := e.Found(t, rig.Acme, "Bergen"); len(got) == 0 {
				t.Error("during the outage nothing is found by its words")
			}
			<-time.After(20 * time.Minute)
			start = time.Now()
			later := trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I like tea.", Wait: c.level}
			if res, err := e.Assimilate(t.Context(), rig.Acme, later); err != nil || !res.Pending {
				t.Errorf("Assimilate late in the outage = %+v, %v", res, err)
			}
			if took := time.Since(start); took > c.want+time.Second {
				t.Errorf("%+v: late in the outage answered after %v", c, took)
			}
			embedder.RefuseNow(nil)
			hangs.Store(false)
			<-time.After(time.Hour)
			if job := jobOf(t, e, res); job.State != trilith.JobDone {
				t.Errorf("the job after the outage = %+v, want it done", job)
			}
			again, err := e.Assimilate(t.Context(), rig.Acme, req)
			if err != nil || again.Pending || again.JobID != "" || len(again.Facts) != 1 {
				t.Errorf("Assimilate again after the outage = %+v, %v; want the fact and nothing pending", again, err)
			}
		})
	}
}

// A text that the embedder refuses has a job already, which is visible, repeated, and dead in the end.
func TestAssimilateWhatTheEmbedderRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		embedder := rig.NewFussy(t, rig.Refusing("Bergen", trilith.Invalid))
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		res, err := e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen.",
				RequestKey: "once"})
		if err != nil || !res.Pending || len(res.Facts) != 1 {
			t.Fatalf("Assimilate = %+v, %v; want the fact, and an answer that is pending", res, err)
		}
		if job := jobOf(t, e, res); job.Attempts == 0 || job.Error == "" {
			t.Errorf("the job of the answer = %+v, want one that was tried", job)
		}
		<-time.After(24 * time.Hour)
		start := time.Now()
		res, err = e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen.",
				RequestKey: "once"})
		if err != nil || !res.Pending || jobOf(t, e, res).State != trilith.JobDead || time.Since(start) > time.Second {
			t.Errorf("Assimilate a day later = %+v, %v after %v; want the dead job at once", res, err,
				time.Since(start))
		}
		embedder.RefuseNow(nil)
		jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobDead})
		if err != nil || len(jobs) == 0 {
			t.Fatalf("Jobs(dead) = %+v, %v, want some", jobs, err)
		}
		for _, j := range jobs {
			if _, err := e.RetryJob(t.Context(), rig.Acme, j.ID); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Minute)
		res, err = e.Assimilate(
			t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen.",
				RequestKey: "once"})
		if err != nil || res.Pending {
			t.Errorf("Assimilate after the retry = %+v, %v; want nothing pending", res, err)
		}
	})
}

// Facts that cannot be derived now follow; an answer does not wait for ever, and comes as soon as they are there.
func TestAssimilateWithTheWorkersAway(t *testing.T) {
	t.Parallel()
	for name, lease := range map[string]func(context.Context) error{
		"leasing fails": func(context.Context) error { return trilith.Errorf(trilith.Unavailable, "no work today") },
		"leasing hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			e := rig.InMemory(t)
			store := e.Parts.Store.(*inmem.Store)
			store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
				if op == "Lease" {
					return lease(ctx)
				}
				return nil
			}})
			letter := trilith.RememberRequest{Text: "I work as a baker.", Extract: trilith.ExtractRules}
			// read before what is said later
			if _, err := e.Remember(t.Context(), trilith.Scope{Tenant: rig.Acme.Tenant, User: "ben"}, letter); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			res, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen."})
			if took := time.Since(start); err != nil || !res.Pending || len(res.Facts) != 0 || took > 31*time.Second {
				t.Fatalf("%s: Assimilate = %+v, %v after %v; want an answer without facts that is pending", name,
					res, err, took)
			}
			if job := jobOf(t, e, res); job.Kind != "extract" || job.State != trilith.JobReady {
				t.Errorf("%s: the job of the answer = %+v, want the one that derives the facts", name, job)
			}
			if got := e.Found(t, rig.Acme, "Bergen"); len(got) == 0 {
				t.Errorf("%s: nothing is found, want the words", name)
			}
			if name == "leasing hangs" {
				return // until the end of the engine
			}
			go func() {
				<-time.After(5 * time.Second)
				store.Inject(inmem.Fault{})
			}()
			start = time.Now()
			res, err = e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I love sailing."})
			if took := time.Since(start); err != nil || res.Pending || len(res.Facts) != 1 || took > 10*time.Second {
				t.Errorf("%s: Assimilate while the workers come back = %+v, %v after %v; want its fact soon after",
					name, res, err, took)
			}
		})
	}
}

// Words of which deriving fails are stored, and their facts follow.
func TestAssimilateWhileDerivingFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(context.Context) error{
		"reading the facts fails": func(context.Context) error {
			return trilith.Errorf(trilith.Unavailable, "no facts today")
		},
		"reading the facts hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			e := rig.InMemory(t)
			if _, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{
					Identifier: rig.ByMail, Content: "I love sailing."}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()        // for what the background reads of it
			var failed atomic.Bool // the background reads, too
			e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
				if op == "List" && failed.CompareAndSwap(false, true) {
					return fault(ctx)
				}
				return nil
			}})
			res, err := e.Assimilate(
				t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I moved to Bergen."})
			if err != nil || res.Pending || !failed.Load() {
				t.Fatalf("%s: Assimilate = %+v, %v (fault met: %t); want its fact", name, res, err, failed.Load())
			}
			rig.WantFacts(t, name, rig.Assertions(res.Facts), "lives_in Bergen")
			jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{Kind: "extract"})
			if err != nil || len(jobs) != 1 || jobs[0].State != trilith.JobDone {
				t.Errorf("%s: jobs = %+v, %v; want the one that derived the fact", name, jobs, err)
			}
		})
	}
}

// An assimilation whose facts are found by rules is one commit, and gives the facts that a job gives.
func TestAssimilateCommitsOnce(t *testing.T) {
	t.Parallel()
	said := []string{
		"I live in Oslo. I love sailing.", "I moved to Bergen.", "My sister Anna lives in Rome and works as a nurse.",
		"I don't like coffee any more. My name is Ana Berg.", "Please remind me to call Ben Hill tomorrow.", "?!",
		"I live in Oslo. I love sailing.",
	}
	told := func(t *testing.T, jobs bool) (out [][]string, commits int) {
		synctest.Test(t, func(t *testing.T) {
			// whose progress is a commit of its own
			e := rig.InMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
			mine := trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I am Ana."}
			if _, err := e.Assimilate(t.Context(), rig.Acme, mine); err != nil { // makes the entity
				t.Fatal(err)
			}
			for i, text := range said {
				<-time.After(time.Hour)
				if jobs { // what is to be read before puts the next words in line behind it
					if _, err := e.Remember(t.Context(), trilith.Scope{Tenant: rig.Acme.Tenant, User: "ben"},
						trilith.RememberRequest{Text: "?", Extract: trilith.ExtractRules}); err != nil {
						t.Fatal(err)
					}
				}
				if !jobs {
					synctest.Wait() // for what the background does every hour
				}
				var ops []string
				var mu sync.Mutex // the background works, too
				e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{After: func(_ context.Context, op string) error {
					mu.Lock()
					defer mu.Unlock()
					if op == "Commit" {
						commits++
					}
					ops = append(ops, op)
					return nil
				}})
				mine.Content = text
				res, err := e.Assimilate(t.Context(), rig.Acme, mine)
				e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{})
				if err != nil || res.Pending {
					t.Fatalf("Assimilate(%q) = %+v, %v", text, res, err)
				}
				mu.Lock()
				if !jobs && i == 0 && slices.Contains(ops, "Finish") {
					t.Errorf("Assimilate(%q) finished a job: %v", text, ops)
				}
				mu.Unlock()
				all, err := e.Lookup(t.Context(), rig.Acme,
					trilith.LookupRequest{Identifier: rig.ByMail, IncludeStates: trilith.States()})
				if err != nil {
					t.Fatal(err)
				}
				state := []string{}
				for _, f := range all.Facts {
					state = append(state, fmt.Sprint(f.Fact.Verb, " ", f.Fact.Node.Name, " ", f.Fact.Polarity, " ",
						f.State, " ", f.Trust, " ", f.EventTime, " ", f.ValidUntil, " ", len(f.Fact.Evidence)))
				}
				slices.Sort(state)
				out = append(out, state)
			}
		})
		return out, commits
	}
	byJobs, _ := told(t, true)
	atOnce, commits := told(t, false)
	if diff := cmp.Diff(byJobs, atOnce); diff != "" {
		t.Errorf("facts by a job (-) and with the words (+):\n%s", diff)
	}
	if most := len(said) + 1; commits > most { // Anna is an entity of her own
		t.Errorf("%d assimilations made %d commits, want %d at most", len(said), commits, most)
	}
}

// A text for which the embedder has no vector is not pending.
func TestAssimilateWithoutWords(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	res, err := e.Assimilate(t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "?!"})
	if err != nil || res.Pending || res.JobID != "" || len(res.Facts) != 0 {
		t.Errorf("Assimilate(?!) = %+v, %v; want an answer without facts and nothing pending", res, err)
	}
}

// paidByLook is a store that is looked at twice a minute.
type paidByLook struct{ *inmem.Store }

func (paidByLook) Pace() time.Duration { return 30 * time.Second }

// TestOwnJobsAreDoneSoon: even where polling for jobs costs money, jobs that this process made run soon.
func TestOwnJobsAreDoneSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Script{Entries: []scripted.Entry{{Answer: rig.Claims()}}})
		e := rig.InMemory(t, func(c *engine.Config) {
			store := paidByLook{inmem.New(time.Now)}
			c.Store, c.Log, c.Queue, c.Model = store, store, store, m
		})
		<-time.After(31 * time.Second) // behind the first looks
		e.MustRemember(t, rig.Ana,
			trilith.RememberRequest{Text: "I live in Oslo.", Extract: trilith.ExtractLLM, Wait: trilith.WaitStored})
		<-time.After(5 * time.Second)
		if n := len(m.Requests()); n != 1 {
			t.Errorf("five seconds later the model was asked %d times, want once", n)
		}
	})
}

// TestHangingEmbedder: what earlier writes left for an embedder that hangs holds up no later one.
func TestHangingEmbedder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := &hanging{Embedder: rig.Hash(t, 64), begun: make(chan struct{})}
		e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = stuck }).Waiting(2*time.Second, time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, wait := range []trilith.Wait{trilith.WaitExtracted, trilith.WaitExtracted, trilith.WaitIndexed} {
			start := time.Now()
			res, err := e.Remember(ctx, rig.Ana,
				trilith.RememberRequest{Text: "I moved to Bergen " + string(wait) + start.String(), Wait: wait})
			if took := time.Since(start); err != nil || !res.Pending || res.JobID == "" || len(res.Memories) != 1 ||
				took > 3*time.Second {
				t.Fatalf("Remember, wait %s = %+v, %v after %v; want what is stored and its job after 2 s", wait, res,
					err, took)
			}
		}
		start := time.Now()
		res, err := e.Assimilate(ctx, rig.Acme,
			trilith.AssimilateRequest{Identifier: rig.ByMail, Content: "I work as a nurse.", Wait: trilith.WaitExtracted})
		if took := time.Since(start); err != nil || len(res.Facts) == 0 || took > time.Second {
			t.Errorf("Assimilate = %+v, %v after %v; want the facts at once", res, err, took)
		}
		for _, most := range []time.Duration{time.Second, time.Minute} {
			start := time.Now()
			pending, err := e.SettleWithin(ctx, most)
			if took := time.Since(start); err != nil || !pending || took > most {
				t.Errorf("SettleWithin %v = %t, %v after %v; want pending in time", most, pending, err, took)
			}
		}
	})
}
