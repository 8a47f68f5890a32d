package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type jobsInput struct {
	State  trilith.JobState `query:"state" doc:"Only jobs in this state" enum:"ready,done,dead"`
	Kind   string           `query:"kind" doc:"Only jobs of this kind" maxLength:"255"`
	Limit  int              `query:"limit" doc:"Jobs per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor trilith.ID       `query:"cursor" doc:"next_cursor of the page before"`
	Counts bool             `query:"counts" doc:"Say how many jobs are not done, too"`
}

type oneJob struct {
	ID trilith.ID `path:"id" doc:"Id of the job"`
}

type jobPage struct {
	Items      []trilith.Job      `json:"items"`
	NextCursor string             `json:"next_cursor,omitempty"`
	Counts     *trilith.JobCounts `json:"counts,omitempty" doc:"Of all jobs of the tenant, whatever was asked for"`
}

type usageInput struct {
	Days int `query:"days" doc:"How many days, today included; 30 if left out" minimum:"1" maximum:"366"`
}

func (s *upkeepRoutes) registerJobs(api huma.API) {
	handle(s.edge, api, get("usage", "/usage", "What was used of providers, and what the budget leaves for today"),
		func(ctx context.Context, who trilith.Identity, in *usageInput) (trilith.UsageReport, error) {
			return s.engine.Usage(ctx, within(who, trilith.Scope{}), in.Days)
		})
	handle(s.edge, api, get("list-jobs", "/jobs", "Background jobs, newest first"), s.jobs)
	handle(s.edge, api, get("get-job", "/jobs/{id}", "One job"), s.job)
	handle(s.edge, api, post("retry-job", "/jobs/{id}/retry",
		"Give a dead job all its attempts again"), func(ctx context.Context, who trilith.Identity, in *oneJob) (
		trilith.Job, error) {
		if err := s.engine.RetryJob(ctx, within(who, trilith.Scope{}), in.ID); err != nil {
			return trilith.Job{}, err
		}
		return s.job(ctx, who, in)
	})
}

func (s *upkeepRoutes) jobs(ctx context.Context, who trilith.Identity, in *jobsInput) (jobPage, error) {
	limit := in.Limit
	if limit == 0 {
		limit = trilith.DefaultPageSize
	}
	jobs, err := s.engine.Jobs(ctx, within(who, trilith.Scope{}),
		// one more tells whether a page follows
		trilith.JobListing{State: in.State, Kind: in.Kind, Before: in.Cursor, Limit: limit + 1})
	some, more := cut(jobs, limit)
	page := jobPage{Items: some}
	if more {
		page.NextCursor = string(some[len(some)-1].ID)
	}
	if err == nil && in.Counts {
		var counts trilith.JobCounts
		counts, err = s.engine.JobCounts(ctx, within(who, trilith.Scope{}))
		page.Counts = &counts
	}
	return page, err
}

func (s *upkeepRoutes) job(ctx context.Context, who trilith.Identity, in *oneJob) (trilith.Job, error) {
	jobs, err := s.engine.Jobs(ctx, within(who, trilith.Scope{}), trilith.JobListing{IDs: []trilith.ID{in.ID}})
	if err == nil && len(jobs) == 0 {
		err = trilith.Errorf(trilith.NotFound, "job %.64q does not exist", string(in.ID))
	}
	if err != nil {
		return trilith.Job{}, err
	}
	return jobs[0], nil
}
