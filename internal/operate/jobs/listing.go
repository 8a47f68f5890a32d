package jobs

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// List returns a page of background jobs of the tenant, newest first.
func (jr *Runner) List(ctx context.Context, s trilith.Scope, q trilith.JobQuery) (trilith.JobPage, error) {
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err != nil {
		return trilith.JobPage{}, err
	}
	jobs, err := jr.Jobs(ctx, s, // one more tells whether a page follows
		trilith.JobListing{State: q.State, Kind: q.Kind, Before: q.Cursor, Limit: limit + 1})
	var page trilith.JobPage
	var more bool
	if page.Items, more = truth.Fit(jobs[:min(limit, len(jobs))]); more || len(jobs) > limit {
		page.NextCursor = string(page.Items[len(page.Items)-1].ID)
	}
	if err == nil && q.Counts {
		var counts trilith.JobCounts
		counts, err = jr.Counts(ctx, s)
		page.Counts = &counts
	}
	return page, err
}

// Retry gives a dead job all its attempts again.
func (jr *Runner) Retry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	err := truth.CheckWhole(s)
	if err == nil {
		err = jr.truth.Queue.ChangeJob(ctx, trilith.RetryJob(s, id))
	}
	if err != nil {
		return trilith.Job{}, err
	}
	return jr.Job(ctx, s, id)
}

// Job returns one background job of the tenant.
func (jr *Runner) Job(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Job, error) {
	jobs, err := jr.Jobs(ctx, s, trilith.JobListing{IDs: []trilith.ID{id}})
	if err == nil && len(jobs) == 0 {
		err = trilith.Errorf(trilith.NotFound, "job %.64q does not exist", string(id))
	}
	if err != nil {
		return trilith.Job{}, err
	}
	return jobs[0], nil
}

// Jobs lists background jobs of the tenant, newest first.
func (jr *Runner) Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	if err := truth.CheckWhole(s); err != nil {
		return nil, err
	}
	jobs, err := jr.truth.Queue.Jobs(ctx, s, l)
	if jobs == nil {
		jobs = []trilith.Job{}
	}
	if err != nil {
		return jobs, err
	}
	return jobs, jr.derive.AddReports(ctx, s, jobs)
}
