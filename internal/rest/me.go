package rest

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
)

func (s *upkeepRoutes) registerMe(api huma.API) {
	handle(s.edge, api, operation{id: "me", method: http.MethodGet, path: "/me", need: cairn.AccessReader,
		summary: "Your identity, your rights, and what you may see"},
		func(ctx context.Context, who cairn.Identity, _ *struct{}) (cairn.Me, error) {
			open, err := s.auth.open(ctx)
			out := s.engine.Me(who)
			out.Open, out.Version = open, s.version
			return out, err
		})
}
