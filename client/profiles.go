package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// Profiles returns the extraction profiles, and which is the default of the scope's project, or of the tenant.
func (c *Client) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return ask[trilith.Profiles](ctx, c, get("/profiles", ofProject(s)))
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none.
func (c *Client) UseProfile(ctx context.Context, s trilith.Scope, name string) error {
	return c.UseProfileFor(ctx, s, trilith.ProfileChoice{Name: name})
}

// UseProfileFor makes a profile the default of the scope's project, or of the tenant, for what people of a role say,
// while a project is in a phase, or both; with an empty name it takes such a choice back. The key needs the right
// admin.
func (c *Client) UseProfileFor(ctx context.Context, s trilith.Scope, p trilith.ProfileChoice) error {
	var out trilith.Profiles
	p.Project = s.Project
	return c.call(ctx, request{method: http.MethodPut, path: "/profiles/default", idempotent: true, body: p}, &out)
}

// Extraction returns how facts are derived in the scope's project, or in its tenant, where a request does not say.
func (c *Client) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return ask[trilith.ExtractionChoice](ctx, c, get("/extraction", ofProject(s)))
}

// UseExtraction sets how facts are derived in the scope's project, or in the tenant if the scope names none, if a
// request does not say; an empty mode removes the choice. The key needs the right admin.
func (c *Client) UseExtraction(ctx context.Context, s trilith.Scope, mode trilith.Extraction) error {
	var out trilith.ExtractionChoice
	return c.call(ctx, request{method: http.MethodPut, path: "/extraction", idempotent: true,
		body: trilith.ExtractionChoice{Project: s.Project, Extract: mode}}, &out)
}

// ofProject names the project of a scope, if it has one.
func ofProject(s trilith.Scope) url.Values {
	q := url.Values{}
	set(q, "project", s.Project)
	return q
}
