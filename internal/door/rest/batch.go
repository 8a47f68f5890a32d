package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type batchInput struct {
	Body struct {
		trilith.Scope
		trilith.BatchRequest
	}
}

// batchResults are in the order of the operations.
type batchResults struct {
	Results []trilith.OperationResult `json:"results"`
}

func (s *memoryRoutes) registerBatch(api huma.API) {
	handle(s.edge, api, operation{id: "batch", method: http.MethodPost, path: "/batch", need: trilith.AccessReader,
		summary: "Run up to 1,000 operations one after the other, each with its own result or error, or all writes together. Those that change " +
			"something need the right writer"}, s.batch)
}

func (s *memoryRoutes) batch(ctx context.Context, who trilith.Identity, in *batchInput) (batchResults, error) {
	if err := s.large(ctx); err != nil {
		return batchResults{}, err
	}
	for i := range in.Body.Operations {
		if in.Body.Operations[i].Writes() && !who.Access.Allows(trilith.AccessWriter) {
			return batchResults{}, trilith.Errorf(trilith.Forbidden,
				"operations[%d]: needs the right %s; the key holds %s", i, trilith.AccessWriter, who.Access)
		}
		if own := &in.Body.Operations[i].Scope; own.Bare() != (trilith.Scope{}) {
			zone := own.TimeZone
			*own = within(who, *own).Bare() // within the key's bound
			own.TimeZone = zone
		}
	}
	results, err := s.engine.Batch(ctx, within(who, in.Body.Scope), in.Body.BatchRequest)
	for i := range results {
		if found := results[i].Found; found != nil {
			*found = filled(*found)
		}
		if forgotten := results[i].Forgotten; forgotten != nil {
			*forgotten = filled(*forgotten)
		}
	}
	return batchResults{results}, err
}
