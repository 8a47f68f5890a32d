package client

import (
	"context"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// Batch runs up to [trilith.MaxOperations] operations; see [trilith.BatchRequest]. It is repeated while
// the server is unavailable only if none of them changes anything.
func (c *Client) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) ([]trilith.OperationResult, error) {
	reads := true
	for i := range r.Operations {
		reads = reads && !r.Operations[i].Writes()
	}
	var out struct {
		Results []trilith.OperationResult `json:"results"`
	}
	err := c.call(ctx, request{method: http.MethodPost, path: "/batch", idempotent: reads,
		body: struct {
			trilith.Scope
			trilith.BatchRequest
		}{s, r}}, &out)
	return out.Results, err
}
