package rest

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
)

type entryInput struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           struct {
		cairn.Scope
		cairn.EntryRequest
	}
}

type similarInput struct {
	Body struct {
		cairn.Scope
		cairn.SimilarRequest
	}
}

func (s *memoryRoutes) registerEntries(api huma.API) {
	handleWrite(s.edge, api, operation{id: "add-entry", method: http.MethodPost, path: "/entries",
		need:    cairn.AccessWriter,
		summary: "Store a knowledge entry"}, s.timeout, func(ctx context.Context, who cairn.Identity, in *entryInput) (
		cairn.Memory, bool, error) {
		r := in.Body.EntryRequest
		var err error
		if r.RequestKey, err = requestKey(in.IdempotencyKey, r.RequestKey); err != nil {
			return cairn.Memory{}, false, err
		}
		m, err := s.engine.AddEntry(ctx, within(who, in.Body.Scope), r)
		return m, m.Pending, err
	})
	handle(s.edge, api, operation{id: "get-entry", method: http.MethodGet, path: "/entries/{id}", need: cairn.AccessReader,
		summary: "One knowledge entry"}, func(ctx context.Context, who cairn.Identity, in *OneMemory) (
		cairn.Memory, error) {
		return s.engine.Entry(ctx, in.within(who), in.ID)
	})
	handle(s.edge, api, operation{id: "similar-entries", method: http.MethodPost, path: "/entries/similar",
		need:    cairn.AccessReader,
		summary: "The entries of a domain that are most like a text or an embedding"},
		func(ctx context.Context, who cairn.Identity, in *similarInput) (cairn.SimilarEntries, error) {
			r, err := s.engine.SimilarEntries(ctx, within(who, in.Body.Scope), in.Body.SimilarRequest)
			r.Items = list(r.Items)
			return r, err
		})
}
