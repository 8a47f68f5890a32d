package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

func (s *upkeepRoutes) registerMe(api huma.API) {
	handle(s.edge, api, operation{id: "me", method: http.MethodGet, path: "/me", need: trilith.AccessReader,
		summary: "Your identity, your rights, and what you may see"},
		func(ctx context.Context, who trilith.Identity, _ *struct{}) (trilith.Me, error) {
			open, err := s.auth.open(ctx)
			out := s.engine.Me(who)
			out.Open, out.Version = open, s.version
			return out, err
		})
}
