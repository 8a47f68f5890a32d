package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/trilith-memory/trilith"
)

// Jobs lists background jobs of the key's tenant, newest first.
func (c *Client) Jobs(ctx context.Context, _ trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	if len(l.IDs) > 0 {
		return c.jobsByID(ctx, l.IDs)
	}
	var jobs []trilith.Job
	cursor := string(l.Before)
	for {
		q := url.Values{}
		set(q, "state", l.State, "kind", l.Kind, "cursor", cursor)
		left := trilith.MaxPageSize
		if l.Limit > 0 {
			left = min(left, l.Limit-len(jobs))
		}
		q.Set("limit", strconv.Itoa(left))
		var page struct {
			Items      []trilith.Job `json:"items"`
			NextCursor string        `json:"next_cursor"`
		}
		if err := c.call(ctx, get("/jobs", q),
			&page); err != nil {
			return nil, err
		}
		jobs = append(jobs, page.Items...)
		if cursor = page.NextCursor; cursor == "" || len(jobs) == l.Limit {
			return jobs, nil
		}
	}
}

func (c *Client) jobsByID(ctx context.Context, ids []trilith.ID) ([]trilith.Job, error) {
	var jobs []trilith.Job
	for _, id := range ids {
		if err := id.Validate(); err != nil {
			return nil, err
		}
		var j trilith.Job
		err := c.call(ctx, get("/jobs/"+string(id), nil), &j)
		switch {
		case err == nil:
			jobs = append(jobs, j)
		case trilith.KindOf(err) != trilith.NotFound:
			return nil, err
		}
	}
	return jobs, nil
}

// RetryJob gives a dead job all its attempts again.
func (c *Client) RetryJob(ctx context.Context, _ trilith.Scope, id trilith.ID) error {
	var j trilith.Job
	return c.call(ctx, request{method: http.MethodPost, id: &id, path: "/jobs/" + string(id) + "/retry"}, &j)
}

// Usage reports what the tenant used of providers in the last days, today included: 1 to 366, 30 if 0.
func (c *Client) Usage(ctx context.Context, _ trilith.Scope, days int) (trilith.UsageReport, error) {
	q := url.Values{}
	set(q, "days", days)
	return ask[trilith.UsageReport](ctx, c, get("/usage", q))
}

// JobCounts says how many background jobs of the key's tenant are not done.
func (c *Client) JobCounts(ctx context.Context, _ trilith.Scope) (trilith.JobCounts, error) {
	var out struct {
		Counts trilith.JobCounts `json:"counts"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/jobs", idempotent: true,
		query: url.Values{"counts": {"true"}, "limit": {"1"}}}, &out)
	return out.Counts, err
}
