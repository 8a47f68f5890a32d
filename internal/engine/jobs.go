package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

const (
	jobLease = time.Minute     // a worker that dies gives its jobs back after this
	jobPoll  = 2 * time.Second // how soon a job that was made elsewhere is found
	jobsEach = 16
	jobLanes = 4 // jobs for a model that are under way at once
)

// runJobs works on background jobs until ctx ends.
func (e *Engine) runJobs(ctx context.Context, work func(context.Context) error) {
	for {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Logger.Warn("jobs: a round failed, will be repeated", "error", err)
		}
		timer := time.NewTimer(jobPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// runQuickJobs works on the jobs that wait for neither an embedder nor a model until ctx ends, and sweeps when it is time to. A program that ends at
// once never sweeps.
func (e *Engine) runQuickJobs(ctx context.Context) {
	started := false
	e.runJobs(ctx, func(ctx context.Context) error {
		err := errors.Join(e.workQuick(ctx), e.spending.write(ctx))
		if started {
			err = errors.Join(err, e.sweepDue(ctx))
		}
		started = true
		return err
	})
}

// Work runs the jobs that are due until there are none. It waits for those that the background loops are at, but not for those
// that other processes have in hand.
func (e *Engine) Work(ctx context.Context) error {
	if err := e.workQuick(ctx); err != nil {
		return err
	}
	if err := e.workEmbed(ctx); err != nil || e.cfg.Model == nil {
		return err
	}
	return e.workSlow(ctx)
}

func (e *Engine) workQuick(ctx context.Context) error {
	return e.work(ctx, e.working, jobExtract, jobRevise, jobUnvouched, jobNote, jobRename, cairn.JobPurge)
}

func (e *Engine) workEmbed(ctx context.Context) error {
	return e.work(ctx, e.embedding, index.JobEmbed)
}

// workSlow reads with a model, if no other process does: what is said later about somebody leans on what was found before, and
// two processes would overtake each other.
func (e *Engine) workSlow(ctx context.Context) error {
	release, err := take(ctx, e.reading)
	if err != nil {
		return err
	}
	defer release()
	if e.turns != nil {
		turn, release, ok, err := e.turns.TryTurn(ctx, cairn.AsSystem("jobs"), "read with a model")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	return e.workAll(ctx, jobDistil)
}

func (e *Engine) work(ctx context.Context, token chan struct{}, kinds ...string) error {
	release, err := take(ctx, token)
	if err != nil {
		return err
	}
	defer release()
	return e.workAll(ctx, kinds...)
}

// take waits for a token, and returns what gives it back.
func take(ctx context.Context, token chan struct{}) (release func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *Engine) workAll(ctx context.Context, kinds ...string) error {
	worker := string(cairn.NewID(e.now()))
	for {
		jobs, err := e.cfg.Queue.Lease(ctx, cairn.AsSystem("jobs"), cairn.LeaseRequest{Kinds: kinds, Worker: worker, For: jobLease, Max: jobsEach})
		if err != nil || len(jobs) == 0 {
			return err
		}
		leases := make([]cairn.Lease, len(jobs))
		for i, j := range jobs {
			leases[i] = cairn.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: worker, Attempt: j.Attempts}
		}
		over, release := e.hold(ctx, leases)
		var running errgroup.Group
		running.SetLimit(jobLanes)
		for _, lane := range lanes(jobs) {
			running.Go(func() error {
				for _, i := range lane {
					e.runJob(ctx, leases[i], jobs[i])
					over[i].Store(true)
				}
				return nil
			})
		}
		_ = running.Wait() // what became of each job is noted in the queue
		release()
	}
}

// lanes says which jobs follow each other, by their places. Those for a model that are about one entity do, since what is
// said later leans on what was found before; those about others run beside them. All other jobs are quick and stand in line.
func lanes(jobs []cairn.Job) (out [][]int) {
	at := map[[2]string]int{} // by tenant and entity
	for i, j := range jobs {
		var key [2]string
		if j.Kind == jobDistil {
			var p extractJob
			_ = json.Unmarshal(j.Payload, &p) // what cannot be read is said by the job itself
			key = [2]string{j.Tenant, string(p.Entity)}
		}
		lane, known := at[key]
		if !known {
			lane = len(out)
			at[key], out = lane, append(out, nil)
		}
		out[lane] = append(out[lane], i)
	}
	return out
}

// hold prolongs leases while their jobs are run or wait for their turn: a model takes its time. Those that over marks are
// let go.
func (e *Engine) hold(ctx context.Context, leases []cairn.Lease) (over []atomic.Bool, release func()) {
	over = make([]atomic.Bool, len(leases))
	ctx, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(jobLease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			for i, l := range leases {
				if over[i].Load() {
					continue
				}
				if err := e.cfg.Queue.Extend(ctx, l, jobLease); err != nil && ctx.Err() == nil && cairn.KindOf(err) != cairn.Conflict {
					e.cfg.Logger.Warn("jobs: a lease could not be prolonged", "job", l.JobID, "error", err)
				}
			}
		}
	})
	return over, func() {
		stop()
		done.Wait()
	}
}

// survive does a job. One that panics has failed like any other: what somebody said must not end the program, nor end it again at
// each start.
func (e *Engine) survive(ctx context.Context, j cairn.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e.cfg.Logger.ErrorContext(ctx, "jobs: a job panicked", "kind", j.Kind, "job", j.ID, "panic", p, "stack", string(debug.Stack()))
			err = cairn.Errorf(cairn.Internal, "job: it panicked; the log says where")
		}
	}()
	return e.do(ctx, j)
}

func (e *Engine) runJob(ctx context.Context, lease cairn.Lease, j cairn.Job) {
	ctx = WithRequest(ctx, j.RequestID) // not that of whoever waits for the job
	start := e.cfg.Now()
	var sent atomic.Int64 // requests to providers
	err := e.survive(cairn.Metered(ctx, func(s cairn.Spent) { sent.Add(int64(s.Requests)) }), j)
	until := e.putOff(j, err, sent.Load())
	switch took := e.cfg.Now().Sub(start); {
	case err == nil:
		e.cfg.Meter.Worked(j.Kind, JobSucceeded, took)
		e.cfg.Logger.DebugContext(ctx, "jobs: done", "kind", j.Kind, "job", j.ID, "attempt", j.Attempts, "ms", took.Milliseconds())
		err = e.cfg.Queue.Finish(context.WithoutCancel(ctx), lease) // what is done is done, also when the program ends now
	case ctx.Err() != nil:
		return // the lease runs out and the job is given to the next worker
	case !until.IsZero():
		e.cfg.Meter.Worked(j.Kind, JobDeferred, took)
		e.cfg.Logger.InfoContext(ctx, "jobs: put off", "kind", j.Kind, "job", j.ID, "until", until, "why", err)
		err = e.cfg.Queue.Defer(ctx, lease, cairn.MessageOf(err), until)
	default:
		e.cfg.Meter.Worked(j.Kind, JobFailed, took)
		e.cfg.Logger.WarnContext(ctx, "jobs: a job failed", "kind", j.Kind, "job", j.ID, "attempt", j.Attempts, "error", err)
		retryAt := e.now().Add(backoff(j.Attempts))
		if j.Kind == jobDistil && final(err) {
			retryAt = time.Time{}
		}
		err = e.cfg.Queue.Fail(ctx, lease, cairn.MessageOf(err), retryAt)
	}
	if err != nil && ctx.Err() == nil {
		e.cfg.Logger.WarnContext(ctx, "jobs: the outcome could not be recorded", "kind", j.Kind, "job", j.ID, "error", err)
	}
}

// putOff says until when a job waits whose attempt is not to count: one for which the budget has nothing left today, or
// whose provider was known to be away, so that it was not even asked. The zero time: the attempt counts.
func (e *Engine) putOff(j cairn.Job, err error, sent int64) time.Time {
	if err == nil {
		return time.Time{}
	}
	if over, ok := errors.AsType[*cairn.OverBudget](err); ok {
		return over.Until
	}
	kind := cairn.KindOf(err)
	if (j.Kind == jobDistil || j.Kind == index.JobEmbed) && sent == 0 && (kind == cairn.Unavailable || kind == cairn.Exhausted) {
		return e.now().Add(backoff(j.Attempts))
	}
	return time.Time{}
}

// final reports whether a job for a model that failed so fails whenever it is repeated, and costs each time. It is kept with
// its payload until a person has mended what is wrong and retries it.
func final(err error) bool {
	kind := cairn.KindOf(err)
	return kind == cairn.Invalid || kind == cairn.Unsupported
}

// backoff grows from one second to ten minutes with full jitter, so that jobs that failed together do not return together.
func backoff(attempt int) time.Duration {
	most := min(time.Second<<min(attempt, 10), 10*time.Minute)
	return rand.N(most) + time.Second
}

func (e *Engine) do(ctx context.Context, j cairn.Job) error {
	switch j.Kind {
	case index.JobEmbed:
		var p index.EmbedJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.embedAgain(ctx, j.Tenant, p)
	case jobExtract:
		var p extractJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.extract(ctx, j.Tenant, p)
	case jobDistil:
		var p extractJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.distil(ctx, j.Tenant, j.ID, p)
	case jobRevise:
		var p reviseJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.follow(ctx, cairn.Scope{Tenant: j.Tenant, Actor: "revise"}, p.Episodes)
	case jobUnvouched:
		return e.unvouch(ctx, j.Tenant)
	case jobNote:
		var p noteJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.noteAgain(ctx, j.Tenant, p.Receipt)
	case jobRename:
		var p renameJob
		if err := decodeJob(j, &p); err != nil {
			return err
		}
		return e.rename(ctx, cairn.Scope{Tenant: j.Tenant, Actor: "rename"}, p)
	case cairn.JobPurge:
		if err := e.index.Discard(ctx); err != nil {
			return err
		}
		if p, ok := e.cfg.Store.(purger); ok {
			return p.Purge(ctx)
		}
		return nil
	}
	return cairn.Errorf(cairn.Unsupported, "no worker for jobs of kind %q", j.Kind)
}

// decodeJob reads the payload of a job.
func decodeJob(j cairn.Job, payload any) error {
	if err := json.Unmarshal(j.Payload, payload); err != nil {
		return cairn.Errorf(cairn.Internal, "the job's payload is not readable: %w", err)
	}
	return nil
}

// ofRequest names the request of ctx in the jobs of a batch.
func ofRequest(ctx context.Context, b cairn.Batch) cairn.Batch {
	if id := RequestOf(ctx); id != "" {
		for i := range b.Jobs {
			b.Jobs[i].RequestID = id
		}
	}
	return b
}
