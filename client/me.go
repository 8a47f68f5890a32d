package client

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Me says whom the key stands for, and what it may do and see.
func (c *Client) Me(ctx context.Context) (cairn.Me, error) {
	return ask[cairn.Me](ctx, c, get("/me", nil))
}
