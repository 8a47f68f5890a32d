package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/inmem"
)

// jobOf returns the job that an answer names.
func (r rig) jobOf(t *testing.T, res cairn.AssimilateResult) cairn.Job {
	t.Helper()
	jobs, err := r.Jobs(t.Context(), acme, cairn.JobListing{IDs: []cairn.ID{res.JobID}})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("Jobs(%q) = %+v, %v, want the job of the answer", res.JobID, jobs, err)
	}
	return jobs[0]
}

// An embedder that is away delays the vectors of an assimilation and loses neither its words nor its facts.
func TestAssimilateWithTheEmbedderAway(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			embedder := newFussy(t, refusing("", cairn.Unavailable))
			e := inMemory(t, func(c *engine.Config) { c.Embedder, c.AssimilateWait = embedder, wait })
			start := time.Now()
			req := cairn.AssimilateRequest{Identifier: byMail, Content: "I moved to Bergen.", ExternalID: "letter"}
			res, err := e.Assimilate(t.Context(), acme, req)
			if err != nil || !res.Pending || res.JobID == "" {
				t.Fatalf("Assimilate during the outage = %+v, %v; want an answer that is pending", res, err)
			}
			want := wait
			if wait == 0 {
				want = 30 * time.Second
			}
			if took := time.Since(start); took < want || took > want+time.Second {
				t.Errorf("AssimilateWait %v: answered after %v, want %v", wait, took, want)
			}
			wantFacts(t, "facts of the answer", assertions(res.Facts), "lives_in Bergen")
			if job := e.jobOf(t, res); job.State != cairn.JobReady {
				t.Errorf("the job of the answer = %+v, want it ready", job)
			}
			if got := e.found(t, acme, "Bergen"); len(got) == 0 {
				t.Error("during the outage nothing is found by its words")
			}
			embedder.refuseNow(nil)
			<-time.After(time.Hour)
			if job := e.jobOf(t, res); job.State != cairn.JobDone {
				t.Errorf("the job after the outage = %+v, want it done", job)
			}
			again, err := e.Assimilate(t.Context(), acme, req)
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
		embedder := newFussy(t, refusing("Bergen", cairn.Invalid))
		e := inMemory(t, func(c *engine.Config) { c.Embedder = embedder })
		res, err := e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "I moved to Bergen.", RequestKey: "once"})
		if err != nil || !res.Pending || len(res.Facts) != 1 {
			t.Fatalf("Assimilate = %+v, %v; want the fact, and an answer that is pending", res, err)
		}
		if job := e.jobOf(t, res); job.Attempts == 0 || job.Error == "" {
			t.Errorf("the job of the answer = %+v, want one that was tried", job)
		}
		<-time.After(24 * time.Hour)
		start := time.Now()
		res, err = e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "I moved to Bergen.", RequestKey: "once"})
		if err != nil || !res.Pending || e.jobOf(t, res).State != cairn.JobDead || time.Since(start) > time.Second {
			t.Errorf("Assimilate a day later = %+v, %v after %v; want the dead job at once", res, err, time.Since(start))
		}
		embedder.refuseNow(nil)
		jobs, err := e.Jobs(t.Context(), acme, cairn.JobListing{State: cairn.JobDead})
		if err != nil || len(jobs) == 0 {
			t.Fatalf("Jobs(dead) = %+v, %v, want some", jobs, err)
		}
		for _, j := range jobs {
			if err := e.RetryJob(t.Context(), acme, j.ID); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Minute)
		res, err = e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "I moved to Bergen.", RequestKey: "once"})
		if err != nil || res.Pending {
			t.Errorf("Assimilate after the retry = %+v, %v; want nothing pending", res, err)
		}
	})
}

// Facts that cannot be derived now follow; an answer does not wait for ever, and comes as soon as they are there.
func TestAssimilateWithTheWorkersAway(t *testing.T) {
	t.Parallel()
	for name, lease := range map[string]func(context.Context) error{
		"leasing fails": func(context.Context) error { return cairn.Errorf(cairn.Unavailable, "no work today") },
		"leasing hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			e := inMemory(t)
			store := e.parts.Store.(*inmem.Store)
			store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
				if op == "Lease" {
					return lease(ctx)
				}
				return nil
			}})
			start := time.Now()
			res, err := e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "I moved to Bergen."})
			if took := time.Since(start); err != nil || !res.Pending || len(res.Facts) != 0 || took > 31*time.Second {
				t.Fatalf("%s: Assimilate = %+v, %v after %v; want an answer without facts that is pending", name, res, err, took)
			}
			if job := e.jobOf(t, res); job.Kind != "extract" || job.State != cairn.JobReady {
				t.Errorf("%s: the job of the answer = %+v, want the one that derives the facts", name, job)
			}
			if got := e.found(t, acme, "Bergen"); len(got) != 1 {
				t.Errorf("%s: %d memories are found, want the words", name, len(got))
			}
			if name == "leasing hangs" {
				return // until the end of the engine
			}
			go func() {
				<-time.After(5 * time.Second)
				store.Inject(inmem.Fault{})
			}()
			start = time.Now()
			res, err = e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "I love sailing."})
			if took := time.Since(start); err != nil || res.Pending || len(res.Facts) != 1 || took > 10*time.Second {
				t.Errorf("%s: Assimilate while the workers come back = %+v, %v after %v; want its fact soon after", name, res, err, took)
			}
		})
	}
}

// Nothing is pending for a text that no embedder could say anything about.
func TestAssimilateWithoutWords(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	res, err := e.Assimilate(t.Context(), acme, cairn.AssimilateRequest{Identifier: byMail, Content: "?!"})
	if err != nil || res.Pending || res.JobID != "" || len(res.Facts) != 0 {
		t.Errorf("Assimilate(?!) = %+v, %v; want an answer without facts and nothing pending", res, err)
	}
}
