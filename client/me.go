package client

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Me returns the identity and the rights of the key.
func (c *Client) Me(ctx context.Context) (trilith.Me, error) {
	return ask[trilith.Me](ctx, c, get("/me", nil))
}
