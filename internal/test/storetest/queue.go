package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var queueCases = []testCase{
	{name: "queue/lease", why: "Lease returns a due job with one more attempt; it is ready with LeasedUntil in the future, and no other call gets it",
		run: testLease},
	{name: "queue/order", why: "Lease returns the earliest due jobs first, at most Max, one if Max is 0",
		run: testLeaseOrder},
	{name: "queue/turns", why: "a worker that passes on the tenant of its last job serves every tenant in turn, however many jobs one has waiting",
		run: testTurnsOfTenants},
	{name: "queue/not_before", why: "a job does not run before its time",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1, func(j *trilith.Job) { j.RunAt = epoch.Add(time.Minute) })))
			f.wantLeased(t, leaseFor("w"))
			f.clock.Advance(time.Minute - time.Microsecond)
			f.wantLeased(t, leaseFor("w"))
			f.clock.Advance(time.Microsecond)
			f.wantLeased(t, leaseFor("w"), 1)
		}},
	{name: "queue/kinds", why: "a worker that names kinds gets only those",
		run: func(t *testing.T, f *fixture) {
			kind := func(k string) func(*trilith.Job) { return func(j *trilith.Job) { j.Kind = k } }
			f.commit(t, jobs(job(1, kind("embed")), job(2, kind("sweep")), job(3, kind("Embed")),
				job(4, kind("extract"))))
			r := leaseFor("w")
			r.Kinds = []string{"none"}
			f.wantLeased(t, r)
			r.Kinds = []string{"sweep", "extract", "none"}
			f.wantLeased(t, r, 2, 4)
			f.wantLeased(t, leaseFor("w"), 1, 3)
		}},
	{name: "queue/exclusive", why: "no job is leased twice at a time, however many workers ask",
		run: testExclusive},
	{name: "queue/expiry", why: "a job with an expired lease is leased again, and the former worker gets Conflict for every call",
		run: testExpiry},
	{name: "queue/expired_but_newest", why: "an expired lease is still valid until the job is leased again",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := f.lease(t, "w")
			f.clock.Advance(time.Hour)
			if err := f.Finish(t.Context(), l); err != nil {
				t.Errorf("Finish of the newest lease after it ran out = %v, want nil", err)
			}
		}},
	{name: "queue/never_leased",
		why: "Extend, Finish and Fail require a lease",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := trilith.Lease{Tenant: tenant, JobID: id(1)}
			wantKind(t, "Extend without a lease", f.Extend(t.Context(), l, time.Hour), trilith.Conflict)
			wantKind(t, "Finish without a lease", f.Finish(t.Context(), l), trilith.Conflict)
			wantKind(t, "Fail without a lease", f.Fail(t.Context(), l, "no", epoch), trilith.Conflict)
			f.wantLeased(t, leaseFor("w"), 1)
		}},
	{name: "queue/extend", why: "Extend prolongs a valid lease to now+d",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := f.lease(t, "w")
			f.clock.Advance(50 * time.Second)
			if err := f.Extend(t.Context(), l, time.Minute); err != nil {
				t.Fatalf("Extend = %v, want nil", err)
			}
			wantEqual(t, "LeasedUntil after Extend", f.job(t, 1).LeasedUntil, ptr(epoch.Add(110*time.Second)))
			f.clock.Advance(time.Minute - time.Microsecond)
			f.wantLeased(t, leaseFor("other"))
			f.clock.Advance(time.Microsecond)
			f.wantLeased(t, leaseFor("other"), 1)
		}},
	{name: "queue/finish", why: "a finished job is done for good",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := f.lease(t, "w")
			if err := f.Finish(t.Context(), l); err != nil {
				t.Fatalf("Finish = %v, want nil", err)
			}
			f.clock.Advance(time.Hour)
			f.wantLeased(t, leaseFor("w"))
			wantKind(t, "Fail after Finish", f.Fail(t.Context(), l, "late", epoch), trilith.Conflict)
			if j := f.job(t, 1); j.State != trilith.JobDone || j.Error != "" {
				t.Errorf("job after Finish = %+v, want it done without an error", j)
			}
		}},
	{name: "queue/fail", why: "Fail returns the job with its reason; it does not run before retryAt",
		run: testFail},
	{name: "queue/defer", why: "Defer returns the job with its reason; it does not run before the given time, and the attempt does not count",
		run: testDefer},
	{name: "queue/fail_for_good",
		why: "with the zero time Fail makes a job dead at once, whatever attempts are left; Retry restores all of them",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1, func(j *trilith.Job) { j.Payload = []byte(`{"kept":1}`) })))
			if err := f.Fail(t.Context(), f.lease(t, "w"), "no use", time.Time{}); err != nil {
				t.Fatalf("Fail = %v, want nil", err)
			}
			if j := f.job(t, 1); j.State != trilith.JobDead || j.Error != "no use" || j.Attempts != 1 ||
				j.LeasedUntil != nil || string(j.Payload) != `{"kept":1}` || j.RunAt.IsZero() {
				t.Errorf("job after Fail for good = %+v, want it dead with its error and its payload", j)
			}
			f.clock.Advance(time.Hour)
			f.wantLeased(t, leaseFor("w"))
			if err := f.Retry(t.Context(), acme, id(1)); err != nil {
				t.Fatalf("Retry = %v", err)
			}
			f.wantLeased(t, leaseFor("w"), 1)
		}},
	{name: "queue/dead", why: "with no attempts left a job becomes dead and keeps its error; MaxAttempts 0 means 10",
		run: testDead},
	{name: "queue/lost",
		why: "leases that run out cost no attempt, FreeAttempts of them; a job that ends each process becomes dead then",
		run: testLost},
	{name: "queue/retry", why: "Retry makes a dead job ready again with all its attempts; NotFound if the tenant has no such dead job",
		run: testRetry},
	{name: "queue/listing", why: "Jobs lists newest first, by ids, state and kind, before an id, up to a limit",
		run: testJobs},
	{name: "queue/invalid_lease", why: "a request without a worker or a duration is Invalid",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			for _, r := range []trilith.LeaseRequest{{For: time.Minute}, {Worker: "w"},
				{Worker: "w", For: -time.Second}} {
				_, err := f.Lease(t.Context(), system, r)
				wantKind(t, fmt.Sprintf("Lease(%+v)", r), err, trilith.Invalid)
			}
			f.wantLeased(t, leaseFor("w"), 1)
		}},
	{name: "queue/taken_id",
		why: "a batch that is repeated never replaces a job or enqueues it twice: the id of a stored job is Conflict",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := f.lease(t, "w")
			f.refuse(t, jobs(job(1, func(j *trilith.Job) { j.Kind = "other" })), trilith.Conflict)
			if j := f.job(t, 1); j.Kind != "embed" || j.Worker != "w" {
				t.Errorf("job after its id was used again = %+v, want it untouched", j)
			}
			if err := f.Finish(t.Context(), l); err != nil {
				t.Errorf("Finish = %v, want nil", err)
			}
		}},
	{name: "queue/drop", why: "a dropped job is gone, even if leased, and the same batch may enqueue another one under its id",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			l := f.lease(t, "w")
			f.commit(t, jobs(job(2)))
			until := epoch.Add(time.Hour)
			other := job(1, func(j *trilith.Job) {
				j.Kind, j.Attempts, j.Worker, j.LeasedUntil, j.Error = "other", 2, "v", &until, "why"
			})
			f.commitIn(t, beta, role.Batch{DropJobs: []trilith.ID{id(1)}}) // none of its own
			f.commit(t, role.Batch{DropJobs: []trilith.ID{id(1), id(1), id(2), id(9)}, Jobs: []trilith.Job{other}})
			other.Tenant = tenant
			wantEqual(t, "Jobs", f.jobs(t, acme, trilith.JobListing{}), []trilith.Job{other})
			wantKind(t, "Finish of a dropped job", f.Finish(t.Context(), l), trilith.Conflict)
			f.wantLeased(t, leaseFor("w"))
			f.clock.Advance(time.Hour)
			f.wantLeased(t, leaseFor("w"), 1)
		}},
	{name: "queue/at_once", why: "a job without times is due now, and was made now",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(trilith.Job{ID: id(1), Kind: "embed"}))
			wantEqual(t, "job", f.job(t, 1),
				trilith.Job{ID: id(1), Tenant: tenant, Kind: "embed", State: trilith.JobReady, RunAt: epoch,
					CreatedAt: epoch, UpdatedAt: epoch})
		}},
}

// job returns the job id(n) of kind embed, due shortly before [epoch] and before the job id(n+1).
func job(n int, edits ...func(*trilith.Job)) trilith.Job {
	at := epoch.Add(-time.Second + time.Duration(n)*time.Millisecond)
	j := trilith.Job{ID: id(n), Kind: "embed", Payload: []byte(`{"n":1}`), State: trilith.JobReady, RunAt: at,
		MaxAttempts: 3,
		RequestID:   "request-1", CreatedAt: at, UpdatedAt: at}
	for _, edit := range edits {
		edit(&j)
	}
	return j
}

func attempts(n int) func(*trilith.Job) { return func(j *trilith.Job) { j.MaxAttempts = n } }

func jobs(js ...trilith.Job) role.Batch { return role.Batch{Jobs: js} }

// leaseFor requests all jobs for a minute.
func leaseFor(worker string) trilith.LeaseRequest {
	return trilith.LeaseRequest{Worker: worker, For: time.Minute, Max: 100}
}

func leaseOf(j trilith.Job) trilith.Lease {
	return trilith.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: j.Worker, Attempt: j.Attempts}
}

// lease takes the only due job.
func (f *fixture) lease(t testing.TB, worker string) trilith.Lease {
	t.Helper()
	return leaseOf(f.wantLeased(t, leaseFor(worker), -1)[0])
}

// wantLeased leases and expects the jobs of the numbers in that order; -1 means any.
func (f *fixture) wantLeased(t testing.TB, r trilith.LeaseRequest, ns ...int) []trilith.Job {
	t.Helper()
	js, err := f.Lease(t.Context(), system, r)
	if err != nil {
		t.Fatalf("Lease(%+v) = %v, want nil", r, err)
	}
	ok := len(js) == len(ns)
	for i := 0; ok && i < len(ns); i++ {
		ok = ns[i] < 0 || js[i].ID == id(ns[i])
	}
	if !ok {
		t.Fatalf("Lease(%+v) = %+v, want the jobs %v", r, js, ns)
	}
	return js
}

// job reads acme's job.
func (f *fixture) job(t testing.TB, n int) trilith.Job {
	t.Helper()
	js := f.jobs(t, acme, trilith.JobListing{IDs: []trilith.ID{id(n)}})
	if len(js) != 1 {
		t.Fatalf("Jobs of %s returned %d jobs, want 1", id(n), len(js))
	}
	return js[0]
}

func testLease(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1)))
	want := job(1)
	want.Tenant = tenant
	got := f.job(t, 1)
	wantJSON(t, "Jobs", got.Payload, `{"n":1}`)
	got.Payload = want.Payload
	wantEqual(t, "Jobs before the lease", got, want)

	f.clock.Advance(time.Second)
	leased := f.wantLeased(t, leaseFor("w"), 1)[0]
	f.wantLeased(t, leaseFor("w")) // not even the same worker gets it twice
	if leased.Attempts != 1 || leased.Worker != "w" || leased.State != trilith.JobReady || leased.Tenant != tenant ||
		leased.LeasedUntil == nil || !leased.LeasedUntil.Equal(epoch.Add(61*time.Second)) {
		t.Errorf("Lease = %+v, want attempt 1 by w of tenant %s, ready, leased for a minute", leased, tenant)
	}
	wantJSON(t, "Lease", leased.Payload, `{"n":1}`)
	listed := f.job(t, 1)
	listed.Payload = leased.Payload
	wantEqual(t, "Jobs during the lease", listed, leased)
}

func testLeaseOrder(t *testing.T, f *fixture) {
	due := func(d time.Duration) func(*trilith.Job) { return func(j *trilith.Job) { j.RunAt = epoch.Add(d) } }
	f.commit(t, jobs(job(1, due(-time.Microsecond)), job(2, due(-time.Hour)), job(3, due(0)), job(4, due(-2*time.Hour)),
		job(5, due(-time.Second))))
	one := leaseFor("w")
	one.Max = 0
	f.wantLeased(t, one, 4)
	two := leaseFor("w")
	two.Max = 2
	f.wantLeased(t, two, 2, 5)
	f.wantLeased(t, leaseFor("w"), 1, 3)
}

func testTurnsOfTenants(t *testing.T, f *fixture) {
	const waiting = 40
	var many role.Batch
	for i := range waiting {
		at := epoch.Add(time.Duration(i-waiting) * time.Minute)
		many.Jobs = append(many.Jobs, job(i, func(j *trilith.Job) { j.RunAt = at }))
	}
	f.commit(t, many)
	for i, name := range []string{"aaa", "zzz"} {
		late := job(waiting+i, func(j *trilith.Job) { j.RunAt = epoch })
		if _, err := f.Commit(t.Context(), trilith.Scope{Tenant: name}, jobs(late)); err != nil {
			t.Fatal(err)
		}
	}
	r := leaseFor("w")
	r.Max = 5
	var served []string
	for range 4 {
		js, err := f.Lease(t.Context(), system, r)
		if err != nil {
			t.Fatal(err)
		}
		r.After = ""
		for _, j := range js {
			served, r.After = append(served, fmt.Sprint(j.Tenant, " ", j.RunAt.Sub(epoch))), j.Tenant
		}
	}
	want := []string{"aaa 0s", tenant + " -40m0s", tenant + " -39m0s", tenant + " -38m0s", tenant + " -37m0s", "zzz 0s",
		tenant + " -36m0s", tenant + " -35m0s", tenant + " -34m0s", tenant + " -33m0s", tenant + " -32m0s"}
	wantEqual(t, "jobs of four leases", served, want)
}

func testExclusive(t *testing.T, f *fixture) {
	const n, workers = 60, 8
	var b role.Batch
	for i := range n {
		b.Jobs = append(b.Jobs, job(i))
	}
	f.commit(t, b)
	var mu sync.Mutex
	hands := make(map[trilith.ID]int)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			r := trilith.LeaseRequest{Worker: fmt.Sprint("w", w), For: time.Minute, Max: 1 + w%3}
			for {
				js, err := f.Lease(t.Context(), system, r)
				if err != nil {
					t.Errorf("Lease by %s = %v, want nil", r.Worker, err)
				}
				if len(js) == 0 {
					return
				}
				for _, j := range js {
					mu.Lock()
					hands[j.ID]++
					mu.Unlock()
					if err := f.Finish(t.Context(), leaseOf(j)); err != nil {
						t.Errorf("Finish by %s = %v, want nil", r.Worker, err)
					}
				}
			}
		})
	}
	wg.Wait()
	// A worker may be told "nothing due" while others hold locks; the remaining jobs are there for the next.
	for _, j := range f.mustLease(t, leaseFor("last")) {
		hands[j.ID]++
	}
	for _, want := range idRange(0, n) {
		if hands[want] != 1 {
			t.Errorf("job %s was handed out %d times, want once", want, hands[want])
		}
	}
}

func (f *fixture) mustLease(t testing.TB, r trilith.LeaseRequest) []trilith.Job {
	t.Helper()
	js, err := f.Lease(t.Context(), system, r)
	if err != nil {
		t.Fatalf("Lease(%+v) = %v, want nil", r, err)
	}
	return js
}

func testExpiry(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1)))
	slow := f.lease(t, "w")
	f.clock.Advance(time.Minute - time.Microsecond)
	f.wantLeased(t, leaseFor("w"))
	f.clock.Advance(time.Microsecond)
	next := f.lease(t, "w") // the same worker's name: the attempt distinguishes the leases
	if next.Attempt != 2 {
		t.Errorf("second lease has the attempt %d, want 2", next.Attempt)
	}
	stranger := next
	stranger.Worker = "x"
	for _, l := range []trilith.Lease{slow, stranger} {
		wantKind(t, fmt.Sprintf("Extend(%+v)", l), f.Extend(t.Context(), l, time.Hour), trilith.Conflict)
		wantKind(t, fmt.Sprintf("Finish(%+v)", l), f.Finish(t.Context(), l), trilith.Conflict)
		wantKind(t, fmt.Sprintf("Fail(%+v)", l), f.Fail(t.Context(), l, "late", epoch), trilith.Conflict)
	}
	if j := f.job(t, 1); j.State != trilith.JobReady || j.Attempts != 2 || j.Error != "" ||
		!j.LeasedUntil.Equal(epoch.Add(2*time.Minute)) {
		t.Errorf("job after a slow worker's calls = %+v, want the second lease untouched", j)
	}
	if err := f.Finish(t.Context(), next); err != nil {
		t.Errorf("Finish by the newest lease = %v, want nil", err)
	}
}

func testDefer(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1, func(j *trilith.Job) { j.MaxAttempts = 2 }), job(2)))
	const often = 30 // more than the allowed attempts of a job
	for range often {
		for _, j := range f.wantLeased(t, trilith.LeaseRequest{Worker: "w", For: time.Minute, Max: 2}, 1, 2) {
			l := leaseOf(j)
			if err := f.Defer(t.Context(), l, "not today", f.clock.Now().Add(time.Hour)); err != nil {
				t.Fatalf("Defer = %v, want nil", err)
			}
			wantKind(t, "Finish after Defer", f.Finish(t.Context(), l), trilith.Conflict)
			wantKind(t, "Defer after Defer", f.Defer(t.Context(), l, "again", epoch), trilith.Conflict)
		}
		f.wantLeased(t, leaseFor("w"))
		f.clock.Advance(time.Hour)
	}
	if j := f.job(t, 1); j.State != trilith.JobReady || j.Error != "not today" || j.LeasedUntil != nil {
		t.Errorf("job after Defer = %+v, want it ready with its reason and no lease", j)
	}
	for attempt := range 2 { // the initial attempts
		l := leaseOf(f.wantLeased(t, trilith.LeaseRequest{Worker: "w", For: time.Minute, Max: 1}, 1)[0])
		if err := f.Fail(t.Context(), l, "no", f.clock.Now()); err != nil {
			t.Fatalf("Fail = %v, want nil", err)
		}
		if dead := f.job(t, 1).State == trilith.JobDead; dead != (attempt == 1) {
			t.Errorf("after attempt %d that counts, dead = %t", attempt+1, dead)
		}
		if attempt == 0 {
			f.clock.Advance(time.Second)
		}
	}
}

func testFail(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1)))
	l := f.lease(t, "w")
	retry := epoch.Add(time.Hour + 500*time.Nanosecond)
	if err := f.Fail(t.Context(), l, "no network", retry); err != nil {
		t.Fatalf("Fail = %v, want nil", err)
	}
	j := f.job(t, 1)
	if j.State != trilith.JobReady || j.Attempts != 1 || j.Error != "no network" || j.LeasedUntil != nil ||
		!j.RunAt.Equal(trilith.Time(retry)) {
		t.Errorf("job after Fail = %+v, want it ready at %v with its error and no lease", j, trilith.Time(retry))
	}
	wantKind(t, "Finish after Fail", f.Finish(t.Context(), l), trilith.Conflict)
	wantKind(t, "Extend after Fail", f.Extend(t.Context(), l, time.Minute), trilith.Conflict)
	f.clock.Advance(59 * time.Minute)
	f.wantLeased(t, leaseFor("w"))
	f.clock.Advance(time.Minute + time.Second)
	if j := f.wantLeased(t, leaseFor("v"), 1)[0]; j.Attempts != 2 || j.Error != "no network" {
		t.Errorf("Lease after Fail = %+v, want attempt 2 with the error of the last", j)
	}
}

func testDead(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1, attempts(2)), job(2, attempts(0))))
	for attempt := 1; attempt <= 10; attempt++ {
		for _, j := range f.mustLease(t, leaseFor("w")) {
			if err := f.Fail(t.Context(), leaseOf(j), fmt.Sprint("failure ", attempt), f.clock.Now()); err != nil {
				t.Fatalf("Fail of %s at attempt %d = %v, want nil", j.ID, attempt, err)
			}
		}
	}
	f.clock.Advance(time.Hour)
	f.wantLeased(t, leaseFor("w"))
	for n, want := range map[int]int{1: 2, 2: 10} {
		j := f.job(t, n)
		if j.State != trilith.JobDead || j.Attempts != want || j.Error != fmt.Sprint("failure ", want) ||
			j.LeasedUntil != nil {
			t.Errorf("job %d after all its attempts = %+v, want it dead after %d with the last error", n, j, want)
		}
	}
}

func testLost(t *testing.T, f *fixture) {
	// killed ten times, as often as it may fail, a job keeps all its attempts
	f.commit(t, jobs(job(1, attempts(2))))
	for range 10 {
		f.wantLeased(t, leaseFor("w"), 1)
		f.clock.Advance(time.Hour)
	}
	for failure := range 2 {
		if err := f.Fail(t.Context(), f.lease(t, "w"), "no", f.clock.Now()); err != nil {
			t.Fatalf("Fail = %v, want nil", err)
		}
		if dead := f.job(t, 1).State == trilith.JobDead; dead != (failure == 1) {
			t.Errorf("after failure %d, dead = %t", failure+1, dead)
		}
		f.clock.Advance(time.Second)
	}
	f.commit(t, jobs(job(2, attempts(2))))
	const most = trilith.FreeAttempts + 2
	for range most {
		f.mustLease(t, leaseFor("w"))
		f.clock.Advance(time.Hour)
	}
	f.wantLeased(t, leaseFor("w"))
	if j := f.job(t, 2); j.State != trilith.JobDead || j.Attempts < trilith.FreeAttempts || j.Attempts > most {
		t.Errorf("job after %d leases that ran out = %+v, want it dead", most, j)
	}
}

func testRetry(t *testing.T, f *fixture) {
	f.commit(t, jobs(job(1, attempts(1)), job(2, attempts(2))))
	f.commitIn(t, beta, jobs(job(3, attempts(1))))
	for _, j := range f.mustLease(t, leaseFor("w")) {
		if err := f.Fail(t.Context(), leaseOf(j), "no", epoch); err != nil {
			t.Fatalf("Fail = %v, want nil", err)
		}
	}
	for name, c := range map[string]struct {
		s trilith.Scope
		n int
	}{"a job that is not dead": {acme, 2}, "an unknown job": {acme, 9}, "another tenant's dead job": {acme, 3}} {
		wantKind(t, "Retry of "+name, f.Retry(t.Context(), c.s, id(c.n)), trilith.NotFound)
	}
	if err := f.Retry(t.Context(), acme, id(1)); err != nil {
		t.Fatalf("Retry = %v, want nil", err)
	}
	wantKind(t, "Retry of a job that is ready again", f.Retry(t.Context(), acme, id(1)), trilith.NotFound)
	if j := f.job(t, 1); j.State != trilith.JobReady || j.Attempts != 0 {
		t.Errorf("job after Retry = %+v, want it ready with no attempt used", j)
	}
	leased := f.mustLease(t, leaseFor("w"))
	if len(leased) != 2 {
		t.Errorf("Lease after Retry gave %d jobs, want the one retried and the one failed before", len(leased))
	}
	if js := f.jobs(t, beta, trilith.JobListing{State: trilith.JobDead}); len(js) != 1 {
		t.Errorf("Jobs of the other tenant that are dead = %+v, want its own one", js)
	}
}

func testJobs(t *testing.T, f *fixture) {
	kind := func(j *trilith.Job) { j.Kind = "sweep" }
	f.commit(t, jobs(job(2), job(5, kind), job(1, kind)), jobs(job(4), job(3, kind)))
	r := leaseFor("w")
	r.Max, r.Kinds = 1, []string{"embed"}
	j := f.mustLease(t, r)[0]
	if err := f.Finish(t.Context(), leaseOf(j)); err != nil {
		t.Fatalf("Finish = %v, want nil", err)
	}
	done := j.ID
	open := id(4)
	if done == open {
		open = id(2)
	}
	for _, c := range []struct {
		l    trilith.JobListing
		want []trilith.ID
	}{
		{trilith.JobListing{}, []trilith.ID{id(5), id(4), id(3), id(2), id(1)}},
		{trilith.JobListing{Limit: 2}, []trilith.ID{id(5), id(4)}},
		{trilith.JobListing{Before: id(4), Limit: 2}, []trilith.ID{id(3), id(2)}},
		{trilith.JobListing{Kind: "sweep"}, []trilith.ID{id(5), id(3), id(1)}},
		{trilith.JobListing{Kind: "sweep", Before: id(5), Limit: 1}, []trilith.ID{id(3)}},
		{trilith.JobListing{State: trilith.JobDone}, []trilith.ID{done}},
		{trilith.JobListing{State: trilith.JobReady, Kind: "embed"}, []trilith.ID{open}},
		{trilith.JobListing{IDs: []trilith.ID{id(1), id(9), id(3)}}, []trilith.ID{id(3), id(1)}},
		{trilith.JobListing{IDs: []trilith.ID{id(1), id(4)}, Kind: "sweep"}, []trilith.ID{id(1)}},
		{trilith.JobListing{State: trilith.JobDead}, []trilith.ID{}},
	} {
		var got []trilith.ID
		for _, j := range f.jobs(t, acme, c.l) {
			got = append(got, j.ID)
		}
		wantEqual(t, fmt.Sprintf("Jobs(%+v)", c.l), got, c.want)
	}
}
