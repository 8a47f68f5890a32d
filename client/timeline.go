package client

import (
	"context"
	"io"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// Timeline returns the timeline of a project.
func (c *Client) Timeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return ask[trilith.ProjectTimeline](ctx, c, timelineRequest(s, project, q))
}

// DrawTimeline returns the timeline of a project as a Mermaid diagram.
func (c *Client) DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string,
	error) {
	r := timelineRequest(s, project, q)
	r.query.Set("format", "mermaid")
	r.accept = "*/*"
	resp, err := c.send(ctx, r, "", nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, MaxLineBytes))
	if err != nil {
		return "", transportError(ctx, r, err)
	}
	return string(text), nil
}

func timelineRequest(s trilith.Scope, project string, q trilith.TimelineQuery) request {
	return get("/projects/"+url.PathEscape(project)+"/timeline", scopeQuery(s, "as_of", q.AsOf))
}
