package client

import (
	"context"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// ProjectLedger returns the ledger of the scope's project as of a time.
func (c *Client) ProjectLedger(ctx context.Context, s trilith.Scope, r trilith.LedgerQuery) (trilith.ProjectLedger, error) {
	q := url.Values{}
	for _, rate := range r.Rates {
		q.Add("rate", rate)
	}
	return askProject[trilith.ProjectLedger](ctx, c, s, "ledger", q, "as_of", r.AsOf, "tolerance", r.Tolerance)
}

// ProjectTrends says how amounts, dates and risks of a project have moved.
func (c *Client) ProjectTrends(ctx context.Context, s trilith.Scope, r trilith.TrendQuery) (trilith.ProjectTrends, error) {
	return askProject[trilith.ProjectTrends](ctx, c, s, "trends", url.Values{}, "as_of", r.AsOf)
}

// ProjectReport returns what became known and what ended in a project in a period.
func (c *Client) ProjectReport(ctx context.Context, s trilith.Scope, r trilith.ReportQuery) (trilith.ProjectReport, error) {
	q := url.Values{}
	set(q, "plain", r.Plain)
	return askProject[trilith.ProjectReport](ctx, c, s, "report", q, "from", r.From, "to", r.To)
}

// askProject requests something of the project of a scope. Empty parameters are left to the service.
func askProject[T any](ctx context.Context, c *Client, s trilith.Scope, what string, q url.Values, pairs ...any) (
	out T, err error) {
	if s.Project == "" || s.Project == "." || s.Project == ".." {
		return out, trilith.Errorf(trilith.Invalid, "project: name the project")
	}
	rest := s
	rest.Project = ""
	for name, values := range scopeQuery(rest) {
		q[name] = values
	}
	set(q, pairs...)
	return ask[T](ctx, c, get("/projects/"+url.PathEscape(s.Project)+"/"+what, q))
}
