package client

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Me returns the identity and the rights of the key.
func (c *Client) Me(ctx context.Context) (cairn.Me, error) {
	return ask[cairn.Me](ctx, c, get("/me", nil))
}
