package rest

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
)

type profilesInput struct {
	Project string `query:"project" doc:"Project whose default is asked for; that of the tenant if absent" maxLength:"255"`
}

type useProfileInput struct {
	Body struct {
		Project string `json:"project,omitempty" doc:"Project whose default it becomes; the tenant's if absent" maxLength:"255"`
		Name    string `json:"name" doc:"Name of the profile" minLength:"1" maxLength:"64"`
	}
}

func (s *server) registerProfiles(api huma.API) {
	handle(s, api, operation{id: "list-profiles", method: http.MethodGet, path: "/profiles", need: cairn.AccessReader,
		summary: "Extraction profiles: what a model looks for"}, func(ctx context.Context, who cairn.Identity, in *profilesInput) (cairn.Profiles, error) {
		return s.profiles(ctx, who, in.Project)
	})
	handle(s, api, operation{id: "use-profile", method: http.MethodPut, path: "/profiles/default", need: cairn.AccessAdmin,
		summary: "Choose what a model looks for where a request names no profile"}, func(ctx context.Context, who cairn.Identity, in *useProfileInput) (cairn.Profiles, error) {
		if err := s.Engine.UseProfile(ctx, within(who, cairn.Scope{Project: in.Body.Project}), in.Body.Name); err != nil {
			return cairn.Profiles{}, err
		}
		return s.profiles(ctx, who, in.Body.Project)
	})
}

func (s *server) profiles(ctx context.Context, who cairn.Identity, project string) (cairn.Profiles, error) {
	ps, err := s.Engine.Profiles(ctx, within(who, cairn.Scope{Project: project}))
	ps.Items = list(ps.Items)
	for i := range ps.Items {
		ps.Items[i].Types, ps.Items[i].Verbs = list(ps.Items[i].Types), list(ps.Items[i].Verbs)
	}
	return ps, err
}
