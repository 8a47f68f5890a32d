package rest

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
)

type jobsInput struct {
	State  cairn.JobState `query:"state" doc:"Only jobs in this state" enum:"ready,done,dead"`
	Kind   string         `query:"kind" doc:"Only jobs of this kind" maxLength:"255"`
	Limit  int            `query:"limit" doc:"Jobs per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor cairn.ID       `query:"cursor" doc:"next_cursor of the page before"`
	Counts bool           `query:"counts" doc:"Say how many jobs are not done, too"`
}

type oneJob struct {
	ID cairn.ID `path:"id" doc:"Id of the job"`
}

type jobPage struct {
	Items      []cairn.Job      `json:"items"`
	NextCursor string           `json:"next_cursor,omitempty"`
	Counts     *cairn.JobCounts `json:"counts,omitempty" doc:"Of all jobs of the tenant, whatever was asked for"`
}

type usageInput struct {
	Days int `query:"days" doc:"How many days, today included; 30 if left out" minimum:"1" maximum:"366"`
}

func (s *upkeepRoutes) registerJobs(api huma.API) {
	handle(s.edge, api, operation{id: "usage", method: http.MethodGet, path: "/usage", need: cairn.AccessReader,
		summary: "What was used of providers, and what the budget leaves for today"},
		func(ctx context.Context, who cairn.Identity, in *usageInput) (cairn.UsageReport, error) {
			return s.engine.Usage(ctx, within(who, cairn.Scope{}), in.Days)
		})
	handle(s.edge, api, operation{id: "list-jobs", method: http.MethodGet, path: "/jobs", need: cairn.AccessReader,
		summary: "Background jobs, newest first"}, s.jobs)
	handle(s.edge, api, operation{id: "get-job", method: http.MethodGet, path: "/jobs/{id}", need: cairn.AccessReader,
		summary: "One job"}, s.job)
	handle(s.edge, api, operation{id: "retry-job", method: http.MethodPost, path: "/jobs/{id}/retry",
		need:    cairn.AccessWriter,
		summary: "Give a dead job all its attempts again"}, func(ctx context.Context, who cairn.Identity, in *oneJob) (
		cairn.Job, error) {
		if err := s.engine.RetryJob(ctx, within(who, cairn.Scope{}), in.ID); err != nil {
			return cairn.Job{}, err
		}
		return s.job(ctx, who, in)
	})
}

func (s *upkeepRoutes) jobs(ctx context.Context, who cairn.Identity, in *jobsInput) (jobPage, error) {
	limit := in.Limit
	if limit == 0 {
		limit = cairn.DefaultPageSize
	}
	jobs, err := s.engine.Jobs(ctx, within(who, cairn.Scope{}),
		// one more tells whether a page follows
		cairn.JobListing{State: in.State, Kind: in.Kind, Before: in.Cursor, Limit: limit + 1})
	some, more := cut(jobs, limit)
	page := jobPage{Items: some}
	if more {
		page.NextCursor = string(some[len(some)-1].ID)
	}
	if err == nil && in.Counts {
		var counts cairn.JobCounts
		counts, err = s.engine.JobCounts(ctx, within(who, cairn.Scope{}))
		page.Counts = &counts
	}
	return page, err
}

func (s *upkeepRoutes) job(ctx context.Context, who cairn.Identity, in *oneJob) (cairn.Job, error) {
	jobs, err := s.engine.Jobs(ctx, within(who, cairn.Scope{}), cairn.JobListing{IDs: []cairn.ID{in.ID}})
	if err == nil && len(jobs) == 0 {
		err = cairn.Errorf(cairn.NotFound, "job %.64q does not exist", string(in.ID))
	}
	if err != nil {
		return cairn.Job{}, err
	}
	return jobs[0], nil
}
