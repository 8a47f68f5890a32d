package client

import (
	"context"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// Batch runs up to [trilith.MaxOperations] operations one after the other, each with its own result. It is repeated while
// the server is unavailable only if none of them changes anything.
func (c *Client) Batch(ctx context.Context, s trilith.Scope, ops []trilith.Operation) ([]trilith.OperationResult, error) {
	reads := true
	for i := range ops {
		reads = reads && !ops[i].Writes()
	}
	var out struct {
		Results []trilith.OperationResult `json:"results"`
	}
	err := c.call(ctx, request{method: http.MethodPost, path: "/batch", idempotent: reads,
		body: struct {
			trilith.Scope
			Operations []trilith.Operation `json:"operations"`
		}{s, ops}}, &out)
	return out.Results, err
}
