package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// SwitchTo has the server make the vectors of another embedder in the background, and switch to it when they are all
// there.
func (c *Client) SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error) {
	return c.wish(ctx, map[string]any{"to": embedder})
}

// Rollback has the server go back to the generation before the last switch.
func (c *Client) Rollback(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return c.wish(ctx, map[string]any{"rollback": true})
}

// ForgetPrevious has the server remove the vectors of the generation before the last switch.
func (c *Client) ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return c.wish(ctx, map[string]any{"forget_old": true})
}

// wish is not repeated: between two tries a switch may come about, and going back twice goes forth.
func (c *Client) wish(ctx context.Context, body map[string]any) ([]trilith.GenerationStatus, error) {
	var out trilith.ReindexResult
	r := request{method: http.MethodPost, path: "/admin/jobs", query: url.Values{"do": {"reindex"}}, body: body}
	err := c.call(ctx, r, &out)
	return out.Generations, err
}

// Generations lists the generations of vectors that the memory holds. The key needs to be an admin's of tenant default,
// here and below.
func (c *Client) Generations(ctx context.Context) ([]trilith.GenerationStatus, error) {
	var out struct {
		Items []trilith.GenerationStatus `json:"items"`
	}
	err := c.call(ctx, get("/admin", url.Values{"view": {"vectors"}}), &out)
	return out.Items, err
}
