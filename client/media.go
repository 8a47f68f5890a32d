package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// PutMedia stores a picture, a recording or scanned pages; a model reads it as soon as one is available. The same file
// in the same scope is stored once, so repeating it does no harm.
func (c *Client) PutMedia(ctx context.Context, s trilith.Scope, m trilith.NewMedia) (out trilith.StoredMedia, err error) {
	q := scopeQuery(s, "name", m.Name, "timestamp", m.Timestamp, "extract", m.Extract, "dry_run", m.DryRun)
	kind := m.Type
	if kind == "" {
		kind = "application/octet-stream"
	}
	r := request{method: http.MethodPost, path: "/media", query: q}
	resp, err := c.send(ctx, r, kind, bytes.NewReader(m.Data))
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, MaxResponseBytes)).Decode(&out); err != nil {
		return out, transportError(ctx, r, err)
	}
	return out, nil
}

// MediaFile returns a file with its bytes.
func (c *Client) MediaFile(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error) {
	r := get("/media/"+url.PathEscape(string(id)), scopeQuery(s))
	r.accept = "application/json"
	return ask[trilith.MediaFile](ctx, c, r)
}
