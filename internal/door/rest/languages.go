package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type languagesBody struct {
	Languages []string `json:"languages" doc:"Codes of the languages that the tenant's texts are in, the main one first; none: every text tells its own" maxItems:"18"`
}

type useLanguagesInput struct{ Body languagesBody }

func (s *upkeepRoutes) registerLanguages(api huma.API) {
	handle(s.edge, api, get("get-languages", "/languages", "The languages that the tenant has chosen for its texts"),
		func(ctx context.Context, who trilith.Identity, _ *struct{}) (languagesBody, error) {
			return s.languages(ctx, who)
		})
	handle(s.edge, api, operation{id: "use-languages", method: http.MethodPut, path: "/languages", need: trilith.AccessAdmin,
		summary: "Choose the languages of the tenant's texts, which are then indexed again"},
		func(ctx context.Context, who trilith.Identity, in *useLanguagesInput) (languagesBody, error) {
			if err := s.engine.UseLanguages(ctx, within(who, trilith.Scope{}), in.Body.Languages); err != nil {
				return languagesBody{}, err
			}
			return s.languages(ctx, who)
		})
}

func (s *upkeepRoutes) languages(ctx context.Context, who trilith.Identity) (languagesBody, error) {
	codes, err := s.engine.Languages(ctx, within(who, trilith.Scope{}))
	return languagesBody{codes}, err
}
