package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

func (s *upkeepRoutes) registerMe(api huma.API) {
	handle(s.edge, api, get("me", "/me", "Your identity, your rights, and what you may see"),
		func(ctx context.Context, who trilith.Identity, _ *struct{}) (trilith.Me, error) {
			open, err := s.auth.open(ctx)
			out := s.engine.Me(who)
			out.Open, out.Version = open, s.version
			return out, err
		})
}
