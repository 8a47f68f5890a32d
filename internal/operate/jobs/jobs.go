package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth"
	"golang.org/x/sync/errgroup"
)

const (
	jobLease   = time.Minute     // after this the jobs of a worker that died go to another
	giveBackIn = 5 * time.Second // how long a program that ends waits for the store
	jobsEach   = 16
	jobsAtOnce = 4 // jobs for a model that run at once
)

// RunJobs runs background jobs until ctx ends.
func (jr *Runner) RunJobs(ctx context.Context, work func(context.Context) error) {
	jr.run(ctx, work, nil)
}

// run calls work in a loop until ctx ends, at once when it is woken. It finds jobs of other processes when the pace of
// the store allows another look, and jobs of this process within [truth.JobPoll] even on a slow store.
func (jr *Runner) run(ctx context.Context, work func(context.Context) error, woken <-chan struct{}) {
	for {
		made := jr.whenMade()
		if err := work(ctx); err != nil && ctx.Err() == nil {
			jr.truth.Logger.Warn("jobs: a round failed and will be retried", "error", err)
		}
		jr.rest(ctx, woken, made)
		if ctx.Err() != nil {
			return
		}
	}
}

// rest waits until it is time to look for jobs again.
func (jr *Runner) rest(ctx context.Context, woken, made <-chan struct{}) {
	soon, later := time.NewTimer(truth.JobPoll), time.NewTimer(jr.truth.Pace(truth.JobPoll))
	defer soon.Stop()
	defer later.Stop()
	select {
	case <-ctx.Done():
	case <-woken:
	case <-later.C:
	case <-made:
		select {
		case <-ctx.Done():
		case <-woken:
		case <-soon.C:
		}
	}
}

// Wake makes the loop of quick jobs look for work now.
func (jr *Runner) Wake() {
	select {
	case jr.woken <- struct{}{}:
	default: // already woken
	}
}

// RunQuickJobs runs the jobs that need neither an embedder nor a model until ctx ends, and sweeps when a sweep is due.
// A program that ends at once never sweeps.
func (jr *Runner) RunQuickJobs(ctx context.Context) {
	started := false
	jr.run(ctx, func(ctx context.Context) error {
		err := errors.Join(jr.WorkQuick(ctx), jr.usage.Spending.Write(ctx))
		if started {
			err = errors.Join(err, jr.sweepDue(ctx))
		}
		started = true
		return err
	}, jr.woken)
}

// Work runs the jobs that are due, except those for an embedder: [Runner.WorkEmbed] runs these. It waits for jobs that
// the background loops are running, but not for those of other processes.
func (jr *Runner) Work(ctx context.Context) error {
	if err := jr.WorkQuick(ctx); err != nil {
		return err
	}
	if err := jr.WorkWebhooks(ctx); err != nil || jr.truth.Model == nil {
		return err
	}
	return jr.WorkSlow(ctx)
}

// WorkQuick runs the jobs that are due and need neither an embedder nor a model.
func (jr *Runner) WorkQuick(ctx context.Context) error {
	kinds := []string{derive.JobExtract, truth.JobRevise, truth.JobRecordErasure,
		entities.JobRename, role.JobPurge, truth.JobSummarize, sessions.JobCapture}
	if jr.truth.Model == nil { // the model is no longer configured: quotes replace its text
		kinds = append(kinds, truth.JobSummarizeByModel)
	}
	return jr.work(ctx, jr.working, kinds...)
}

// WorkEmbed runs the jobs that are due and need an embedder. One that hangs keeps it until ctx ends.
func (jr *Runner) WorkEmbed(ctx context.Context) error {
	return jr.work(ctx, jr.embedding, index.JobEmbed)
}

// WorkWebhooks sends alerts to the webhooks in the settings of this process.
func (jr *Runner) WorkWebhooks(ctx context.Context) error {
	kinds := jr.alerts.Kinds()
	if len(kinds) == 0 {
		return nil
	}
	return jr.work(ctx, jr.sending, kinds...)
}

// WorkSlow runs the jobs for a model, if no other process does: reading a later statement uses facts from earlier ones,
// and two processes would overtake each other.
func (jr *Runner) WorkSlow(ctx context.Context) error {
	release, err := truth.Acquire(ctx, jr.reading)
	if err != nil {
		return err
	}
	defer release()
	if jr.truth.Turns != nil {
		turn, release, ok, err := jr.truth.Turns.TryTurn(ctx, trilith.AsSystem("jobs"), "read with a model")
		if err != nil || !ok {
			return err
		}
		defer release()
		ctx = turn
	}
	return jr.workAll(ctx, append(media.Jobs(jr.truth.Model), derive.JobDistil, truth.JobSummarizeByModel)...)
}

func (jr *Runner) work(ctx context.Context, token chan struct{}, kinds ...string) error {
	release, err := truth.Acquire(ctx, token)
	if err != nil {
		return err
	}
	defer release()
	return jr.workAll(ctx, kinds...)
}

func (jr *Runner) workAll(ctx context.Context, kinds ...string) error {
	worker := string(trilith.NewID(jr.truth.Now()))
	last, _ := jr.turns.LoadOrStore(kinds[0], new(string))
	turn := last.(*string) // only used with the token of these kinds
	for {
		jobs, err := jr.truth.Queue.Lease(ctx, trilith.AsSystem("jobs"),
			trilith.LeaseRequest{Kinds: kinds, Worker: worker, For: jobLease, Max: jobsEach, After: *turn})
		if err == nil && len(jobs) == 0 && *turn != "" { // every tenant has had its turn
			*turn = ""
			continue
		}
		if err != nil || len(jobs) == 0 {
			return err
		}
		*turn = ""
		if len(jobs) == jobsEach { // more may wait
			*turn = jobs[len(jobs)-1].Tenant
		}
		leases := make([]trilith.Lease, len(jobs))
		for i, j := range jobs {
			leases[i] = trilith.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: worker, Attempt: j.Attempts}
		}
		over, release := jr.hold(ctx, leases)
		var running errgroup.Group
		running.SetLimit(jobsAtOnce)
		for _, sequence := range sequences(jobs) {
			running.Go(func() error {
				for _, i := range sequence {
					over[i].Store(jr.runJob(ctx, leases[i], jobs[i]))
				}
				return nil
			})
		}
		_ = running.Wait() // the queue records the outcome of each job
		release()
		if ctx.Err() != nil {
			jr.giveBack(ctx, leases, jobs, over)
		}
	}
}

// giveBack returns jobs that were leased and not ended when ctx was: to another process, or to a caller with more time.
// The attempts do not count.
func (jr *Runner) giveBack(ctx context.Context, leases []trilith.Lease, jobs []trilith.Job, over []atomic.Bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackIn)
	defer cancel()
	var all sync.WaitGroup
	for i, l := range leases {
		if over[i].Load() {
			continue
		}
		all.Go(func() {
			// if that fails, its lease runs out
			if err := jr.truth.Queue.ChangeJob(ctx, l.Defer(jobs[i].Error, jr.truth.Now())); err != nil {
				jr.truth.Logger.WarnContext(ctx, "jobs: a lease could not be given back", "job", l.JobID, "error", err)
			}
		})
	}
	all.Wait()
}

// sequences groups jobs, given by index, that have to run one after the other; the groups run in parallel. Jobs for a
// model about one entity form a group, because reading a later statement uses facts from earlier ones. Each webhook job
// forms a group of its own. All other jobs are quick and form one group.
func sequences(jobs []trilith.Job) (out [][]int) {
	at := map[[2]string]int{} // positions in out, by tenant and entity
	for i, j := range jobs {
		var key [2]string
		switch {
		case j.Kind == derive.JobDistil:
			var p derive.ExtractJob
			_ = json.Unmarshal(j.Payload, &p) // the job itself reports a damaged payload
			key = [2]string{j.Tenant, string(p.Entity)}
		case strings.HasPrefix(j.Kind, alerts.JobWebhook):
			key = [2]string{j.Tenant, string(j.ID)}
		}
		n, known := at[key]
		if !known {
			n = len(out)
			at[key], out = n, append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out
}

// hold extends leases while their jobs run or wait in their group, because a model can be slow. It stops for jobs that
// are marked in over.
func (jr *Runner) hold(ctx context.Context, leases []trilith.Lease) (over []atomic.Bool, release func()) {
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
				if err := jr.truth.Queue.ChangeJob(ctx, l.Extend(jobLease)); err != nil && ctx.Err() == nil &&
					trilith.KindOf(err) != trilith.Conflict {
					jr.truth.Logger.Warn("jobs: a lease could not be extended", "job", l.JobID, "error", err)
				}
			}
		}
	})
	return over, func() {
		stop()
		done.Wait()
	}
}

// survive runs a job. A panic counts as a failure: stored text must not end the program, nor end it again at each
// start.
func (jr *Runner) survive(ctx context.Context, j trilith.Job) error {
	err := survive.Do(func() error { return jr.do(ctx, j) })
	if survive.Is(err) {
		jr.truth.Logger.ErrorContext(ctx, "jobs: a job panicked", "kind", j.Kind, "job", j.ID, "panic", err)
	}
	return err
}

// runJob runs a job and records its outcome. It is not over if ctx ended before it did.
func (jr *Runner) runJob(ctx context.Context, lease trilith.Lease, j trilith.Job) (over bool) {
	if ctx.Err() != nil {
		return false
	}
	ctx = trace.Without(truth.WithRequest(ctx, j.RequestID)) // not the trace of the caller that waits for the job
	ctx, span := jr.truth.Tracer.Start(ctx, "job "+j.Kind, trace.Internal)
	span.Set("trilith.job", string(j.ID))
	span.Set("trilith.request_id", j.RequestID)
	start := jr.truth.Clock()
	var sent atomic.Int64 // requests to providers
	err := jr.survive(trilith.Metered(ctx, func(s trilith.Spent) { sent.Add(int64(s.Requests)) }), j)
	span.End(err)
	until := jr.putOff(j, err, sent.Load())
	switch took := jr.truth.Clock().Sub(start); {
	case err == nil:
		jr.truth.Meter.Worked(j.Kind, truth.JobSucceeded, took)
		jr.truth.Logger.DebugContext(ctx, "jobs: a job is done", "kind", j.Kind, "job", j.ID, "attempt", j.Attempts, "ms",
			took.Milliseconds())
		// record the outcome even if the program ends now
		err = jr.truth.Queue.ChangeJob(context.WithoutCancel(ctx), lease.Finish())
	case ctx.Err() != nil:
		return false
	case !until.IsZero():
		jr.truth.Meter.Worked(j.Kind, truth.JobDeferred, took)
		level, reason := slog.LevelInfo, trilith.MessageOf(err)
		if _, early := errors.AsType[*truth.NotYet](err); early { // nothing is wrong
			level, reason = slog.LevelDebug, j.Error
		}
		jr.truth.Logger.Log(ctx, level, "jobs: a job is postponed", "kind", j.Kind, "job", j.ID, "until", until, "why", err)
		err = jr.truth.Queue.ChangeJob(ctx, lease.Defer(reason, until))
	default:
		jr.truth.Meter.Worked(j.Kind, truth.JobFailed, took)
		jr.truth.Logger.WarnContext(ctx, "jobs: a job failed", "kind", j.Kind, "job", j.ID, "attempt",
			j.Attempts, "error", err)
		retryAt := jr.truth.Now().Add(backoff(j.Attempts))
		if byModel(j.Kind) && final(err) {
			retryAt = time.Time{}
		}
		err = jr.truth.Queue.ChangeJob(ctx, lease.Fail(trilith.MessageOf(err), retryAt))
	}
	if err != nil && ctx.Err() == nil {
		jr.truth.Logger.WarnContext(ctx, "jobs: the outcome of a job could not be recorded", "kind", j.Kind, "job",
			j.ID, "error", err)
	}
	return true
}

// putOff returns when to repeat a job whose attempt does not count: the daily budget is spent, or the provider was
// known to be unavailable, so that it got no request. The zero time means that the attempt counts.
func (jr *Runner) putOff(j trilith.Job, err error, sent int64) time.Time {
	if err == nil {
		return time.Time{}
	}
	if over, ok := errors.AsType[*trilith.OverBudget](err); ok {
		return over.Until
	}
	if early, ok := errors.AsType[*truth.NotYet](err); ok {
		return early.Until
	}
	kind := trilith.KindOf(err)
	if (byModel(j.Kind) || j.Kind == index.JobEmbed) && sent == 0 &&
		(kind == trilith.Unavailable || kind == trilith.Exhausted) {
		return jr.truth.Now().Add(backoff(j.Attempts))
	}
	return time.Time{}
}

// byModel reports whether a model reads stored text for jobs of a kind.
func byModel(kind string) bool { return kind == derive.JobDistil || media.IsJob(kind) }

// final reports whether a job for a model that failed with this error would fail again on every repetition, and cost
// money each time. Such a job is kept with its payload until a person has fixed the cause and retries it.
func final(err error) bool {
	kind := trilith.KindOf(err)
	return kind == trilith.Invalid || kind == trilith.Unsupported
}

// backoff grows from one second to ten minutes with full jitter, so that jobs that failed together do not return
// together.
func backoff(attempt int) time.Duration {
	most := min(time.Second<<min(attempt, 10), 10*time.Minute)
	return rand.N(most) + time.Second
}

// with decodes the payload of a job, and does the job.
func with[P any](ctx context.Context, j trilith.Job, do func(ctx context.Context, tenant string, about P) error) error {
	var p P
	if err := truth.DecodeJob(j, &p); err != nil {
		return err
	}
	return do(ctx, j.Tenant, p)
}

func (jr *Runner) do(ctx context.Context, j trilith.Job) error {
	in := trilith.Scope{Tenant: j.Tenant, Actor: j.Kind}
	switch {
	case strings.HasPrefix(j.Kind, alerts.JobWebhook):
		return with(ctx, j, jr.alerts.Deliver)
	case media.IsJob(j.Kind):
		return with(ctx, j, jr.media.Read)
	}
	switch j.Kind {
	case index.JobEmbed:
		return with(ctx, j, jr.generations.EmbedAgain)
	case derive.JobExtract:
		return with(ctx, j, func(ctx context.Context, tenant string, p derive.ExtractJob) error {
			return jr.derive.Extract(ctx, tenant, j.ID, p)
		})
	case derive.JobDistil:
		return with(ctx, j, func(ctx context.Context, tenant string, p derive.ExtractJob) error {
			if err := jr.derive.Distil(ctx, tenant, j.ID, p); err != nil {
				return err
			}
			return jr.derive.Endings(ctx, tenant, j.ID, p)
		})
	case truth.JobRevise:
		return with(ctx, j, func(ctx context.Context, _ string, p truth.ReviseJob) error {
			in.Change = p.Change // it may be done before the request itself comes to it
			return jr.facts.ReviseAfter(ctx, in, p.Episodes)
		})
	case truth.JobRecordErasure:
		return with(ctx, j, func(ctx context.Context, tenant string, p truth.RecordErasureJob) error {
			return jr.facts.RetryRecordErasure(ctx, tenant, p.Receipt)
		})
	case entities.JobRename:
		return with(ctx, j, func(ctx context.Context, _ string, p entities.RenameJob) error {
			return jr.entities.Rename(ctx, in, p)
		})
	case truth.JobSummarize, truth.JobSummarizeByModel:
		return with(ctx, j, jr.sessions.Do)
	case sessions.JobCapture:
		return with(ctx, j, jr.sessions.Transcripts.Capture)
	case role.JobPurge:
		if err := jr.truth.Index.DiscardSnapshot(ctx); err != nil {
			return err
		}
		return jr.truth.Purge(ctx)
	}
	return trilith.Errorf(trilith.Unsupported, "jobs: this process cannot run jobs of kind %q; use the same version everywhere", j.Kind)
}
