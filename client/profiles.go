package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cairn-memory/cairn"
)

// Profiles returns the extraction profiles, and which is the default of the scope's project, or of the tenant.
func (c *Client) Profiles(ctx context.Context, s cairn.Scope) (cairn.Profiles, error) {
	q := url.Values{}
	if s.Project != "" {
		q.Set("project", s.Project)
	}
	var out cairn.Profiles
	err := c.call(ctx, request{method: http.MethodGet, path: "/profiles", query: q, idempotent: true}, &out)
	return out, err
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none.
func (c *Client) UseProfile(ctx context.Context, s cairn.Scope, name string) error {
	var out cairn.Profiles
	return c.call(ctx, request{method: http.MethodPut, path: "/profiles/default", idempotent: true, body: struct {
		Project string `json:"project,omitempty"`
		Name    string `json:"name"`
	}{s.Project, name}}, &out)
}
