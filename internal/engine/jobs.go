package engine

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

const (
	jobLease = time.Minute     // a worker that dies gives its jobs back after this
	jobPoll  = 2 * time.Second // how soon a job that was made elsewhere is found
	jobsEach = 16
)

// runJobs works on background jobs until ctx ends.
func (e *Engine) runJobs(ctx context.Context) {
	for {
		if err := e.Work(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Logger.Warn("jobs: leasing failed, will be repeated", "error", err)
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

// Work runs the jobs that are due until there are none. It waits for those that the background loop is at.
func (e *Engine) Work(ctx context.Context) error {
	select {
	case e.working <- struct{}{}:
		defer func() { <-e.working }()
	case <-ctx.Done():
		return ctx.Err()
	}
	worker := string(cairn.NewID(e.now()))
	for {
		jobs, err := e.cfg.Queue.Lease(ctx, cairn.AsSystem("jobs"), cairn.LeaseRequest{
			Kinds: []string{jobExtract, jobRevise, index.JobEmbed, jobPurge}, Worker: worker, For: jobLease, Max: jobsEach})
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, j := range jobs {
			e.runJob(ctx, worker, j)
		}
	}
}

func (e *Engine) runJob(ctx context.Context, worker string, j cairn.Job) {
	lease := cairn.Lease{Tenant: j.Tenant, JobID: j.ID, Worker: worker, Attempt: j.Attempts}
	err := e.do(ctx, j)
	switch {
	case err == nil:
		err = e.cfg.Queue.Finish(context.WithoutCancel(ctx), lease) // what is done is done, also when the program ends now
	case ctx.Err() != nil:
		return // the lease runs out and the job is given to the next worker
	default:
		e.cfg.Logger.Warn("jobs: a job failed", "kind", j.Kind, "job", j.ID, "attempt", j.Attempts, "error", err)
		err = e.cfg.Queue.Fail(ctx, lease, cairn.MessageOf(err), e.now().Add(backoff(j.Attempts)))
	}
	if err != nil && ctx.Err() == nil {
		e.cfg.Logger.Warn("jobs: the outcome could not be recorded", "kind", j.Kind, "job", j.ID, "error", err)
	}
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
		if err := json.Unmarshal(j.Payload, &p); err != nil {
			return cairn.Errorf(cairn.Internal, "the job's payload is not readable: %w", err)
		}
		return e.index.EmbedAgain(ctx, j.Tenant, p)
	case jobExtract:
		var p extractJob
		if err := json.Unmarshal(j.Payload, &p); err != nil {
			return cairn.Errorf(cairn.Internal, "the job's payload is not readable: %w", err)
		}
		return e.extract(ctx, j.Tenant, p)
	case jobRevise:
		var p reviseJob
		if err := json.Unmarshal(j.Payload, &p); err != nil {
			return cairn.Errorf(cairn.Internal, "the job's payload is not readable: %w", err)
		}
		return e.follow(ctx, cairn.Scope{Tenant: j.Tenant, Actor: "revise"}, p.Episodes)
	case jobPurge:
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
