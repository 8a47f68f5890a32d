package client

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
)

// Batch runs up to [cairn.MaxOperations] operations one after the other, each with its own result. It is repeated while
// the server is unavailable only if none of them changes anything.
func (c *Client) Batch(ctx context.Context, s cairn.Scope, ops []cairn.Operation) ([]cairn.OperationResult, error) {
	reads := true
	for i := range ops {
		reads = reads && !ops[i].Writes()
	}
	var out struct {
		Results []cairn.OperationResult `json:"results"`
	}
	err := c.call(ctx, request{method: http.MethodPost, path: "/batch", idempotent: reads,
		body: struct {
			cairn.Scope
			Operations []cairn.Operation `json:"operations"`
		}{s, ops}}, &out)
	return out.Results, err
}
