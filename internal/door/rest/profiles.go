package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type profilesInput struct {
	Project string `query:"project" doc:"Project whose default is asked for; that of the tenant if absent" maxLength:"255"`
}

type useProfileInput struct {
	Body struct {
		Project string `json:"project,omitempty" doc:"Project whose default it becomes; the tenant's if absent" maxLength:"255"`
		Name    string `json:"name" doc:"Name of the profile; empty takes the choice for a role or a phase back" maxLength:"64"`
		Role    string `json:"role,omitempty" doc:"Only for what people of this role say: the attribute role of the speaker's entity" maxLength:"64"`
		Phase   string `json:"phase,omitempty" doc:"Only while the project is in this phase: the attribute phase of its entity" maxLength:"64"`
	}
}

type useExtractionInput struct {
	Body struct {
		Project string             `json:"project,omitempty" doc:"Project whose choice it becomes; the tenant's if absent" maxLength:"255"`
		Extract trilith.Extraction `json:"extract,omitempty" doc:"auto: by rules, and by a model if one is configured; empty takes the choice back" enum:"none,rules,llm,auto"`
	}
}

func (s *factRoutes) registerProfiles(api huma.API) {
	handle(s.edge, api, get("list-profiles", "/profiles", "Extraction profiles: what a model looks for"),
		func(ctx context.Context, who trilith.Identity, in *profilesInput) (trilith.Profiles, error) {
			return s.profiles(ctx, who, in.Project)
		})
	handle(s.edge, api, operation{id: "use-profile", method: http.MethodPut, path: "/profiles/default",
		need:    trilith.AccessAdmin,
		summary: "Choose what a model looks for where a request names no profile"},
		func(ctx context.Context, who trilith.Identity, in *useProfileInput) (trilith.Profiles, error) {
			choice := trilith.ProfileChoice{Name: in.Body.Name, Role: in.Body.Role, Phase: in.Body.Phase}
			if err := s.engine.UseProfile(ctx, within(who, trilith.Scope{Project: in.Body.Project}),
				choice); err != nil {
				return trilith.Profiles{}, err
			}
			return s.profiles(ctx, who, in.Body.Project)
		})
}

func (s *factRoutes) registerExtraction(api huma.API) {
	handle(s.edge, api, get("extraction", "/extraction",
		"How facts are derived from conversations and notes where a request does not say"),
		func(ctx context.Context, who trilith.Identity, in *profilesInput) (trilith.ExtractionChoice, error) {
			return s.engine.Extraction(ctx, within(who, trilith.Scope{Project: in.Project}))
		})
	handle(s.edge, api, operation{id: "use-extraction", method: http.MethodPut, path: "/extraction", need: trilith.AccessAdmin,
		summary: "Choose how facts are derived where a request does not say"},
		func(ctx context.Context, who trilith.Identity, in *useExtractionInput) (trilith.ExtractionChoice, error) {
			scope := within(who, trilith.Scope{Project: in.Body.Project})
			if err := s.engine.UseExtraction(ctx, scope, in.Body.Extract); err != nil {
				return trilith.ExtractionChoice{}, err
			}
			return s.engine.Extraction(ctx, scope)
		})
}

func (s *factRoutes) profiles(ctx context.Context, who trilith.Identity, project string) (trilith.Profiles, error) {
	return s.engine.Profiles(ctx, within(who, trilith.Scope{Project: project}))
}
