package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// Relate says how a fact bears on another one of its owner.
func (c *Client) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	return ask[trilith.Relation](ctx, c, request{method: http.MethodPost, id: &id,
		path: "/facts/" + string(id) + "/relations", query: scopeQuery(s), body: r, idempotent: r.RequestKey != ""})
}

// Relations returns the relations of a fact, in both directions, and the facts that they connect.
func (c *Client) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.RelationQuery) (
	trilith.RelationList, error) {
	v := scopeQuery(s, "hops", q.Hops, "as_of", q.AsOf)
	r := get("/facts/"+string(id)+"/relations", v)
	r.id = &id
	return ask[trilith.RelationList](ctx, c, r)
}

// Unrelate takes back a relation of a fact.
func (c *Client) Unrelate(ctx context.Context, s trilith.Scope, id, relation trilith.ID) error {
	for _, id := range []trilith.ID{id, relation} {
		if err := id.Validate(); err != nil {
			return err
		}
	}
	var gone struct{ ID trilith.ID }
	return c.call(ctx, request{method: http.MethodDelete,
		path: "/facts/" + string(id) + "/relations/" + string(relation), query: scopeQuery(s)}, &gone)
}

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
