package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type entryInput struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           struct {
		trilith.Scope
		trilith.EntryRequest
	}
}

type similarInput struct {
	Body struct {
		trilith.Scope
		trilith.SimilarRequest
	}
}

func (s *memoryRoutes) registerEntries(api huma.API) {
	handleWrite(s.edge, api, post("add-entry", "/entries",
		"Store a knowledge entry"), s.timeout, func(ctx context.Context, who trilith.Identity, in *entryInput) (
		trilith.Memory, bool, error) {
		r := in.Body.EntryRequest
		var err error
		if r.RequestKey, err = requestKey(in.IdempotencyKey, r.RequestKey); err != nil {
			return trilith.Memory{}, false, err
		}
		m, err := s.engine.AddEntry(ctx, within(who, in.Body.Scope), r)
		return m, m.Pending, err
	})
	handle(s.edge, api, get("get-entry", "/entries/{id}",
		"One knowledge entry"), func(ctx context.Context, who trilith.Identity, in *OneMemory) (
		trilith.Memory, error) {
		return s.engine.Entry(ctx, in.within(who), in.ID)
	})
	handle(s.edge, api, operation{id: "similar-entries", method: http.MethodPost, path: "/entries/similar",
		need:    trilith.AccessReader,
		summary: "The entries of a domain that are most like a text or an embedding"},
		func(ctx context.Context, who trilith.Identity, in *similarInput) (trilith.SimilarEntries, error) {
			return s.engine.SimilarEntries(ctx, within(who, in.Body.Scope), in.Body.SimilarRequest)
		})
}
