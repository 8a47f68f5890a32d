package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// EntitiesQuery pages through entities. It is exported because inputs embed it.
type EntitiesQuery struct {
	ScopeQuery
	Limit  int    `query:"limit" doc:"Entities per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

// OneEntity names an entity in a path. It is exported because inputs embed it.
type OneEntity struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the entity"`
}

type updateEntityInput struct {
	OneEntity
	Body trilith.EntityUpdate
}

type mergeInput struct {
	OneEntity
	Body struct {
		From trilith.ID `json:"from" doc:"The entity that becomes part of this one" minLength:"1"`
	}
}

type splitInput struct {
	OneEntity
	Body trilith.SplitRequest
}

type entityHistoryInput struct {
	OneEntity
	Limit  int    `query:"limit" doc:"Changes per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

type neighborhoodInput struct {
	OneEntity
	Hops  int    `query:"hops" doc:"Steps to walk from the facts about the entity and those that name it: 0 to 2" minimum:"0" maximum:"2"`
	Limit int    `query:"limit" doc:"Facts at most, 1 to 60: those that name an entity first, then the latest; steps then lead from entity to entity. As many as an answer holds if absent" minimum:"1" maximum:"60"`
	AsOf  string `query:"as_of" doc:"As it was in the world at this time; steps then lead from entity to entity"`
}

type searchEntitiesInput struct {
	EntitiesQuery
	Q    string             `query:"q" doc:"What is in a name, an alias or an identifier" maxLength:"255"`
	Type string             `query:"type" doc:"person, project, organisation, thing or session" maxLength:"64"`
	Sort trilith.EntitySort `query:"sort" doc:"By name, by falling number of facts, or by when something was stored last; facts if absent" enum:"name,facts,heard"`
}

type entityFactsInput struct {
	OneEntity
	StatesQuery
	AsOf    string `query:"as_of" doc:"Only what held in the world at this time"`
	KnownAt string `query:"known_at" doc:"Only what was known at this time"`
}

func (s *factRoutes) registerEntities(api huma.API) {
	handle(s.edge, api, get("list-entities", "/graph/entities",
		"List entities by ascending id, without those that were merged into others"), s.entities)
	s.registerEntitySearch(api)
	handle(s.edge, api, get("get-entity", "/graph/entities/{id}",
		"One entity"), func(ctx context.Context, who trilith.Identity, in *OneEntity) (trilith.Entity, error) {
		e, err := s.reading(ctx, in.within(who), false)
		if err != nil {
			return trilith.Entity{}, err
		}
		return e.Entity(ctx, in.within(who), in.ID)
	})
	handle(s.edge, api, operation{id: "update-entity", method: http.MethodPatch, path: "/graph/entities/{id}",
		need:    trilith.AccessWriter,
		summary: "Change what an entity is called and known by; absent members stay as they are"},
		func(ctx context.Context, who trilith.Identity, in *updateEntityInput) (trilith.Entity, error) {
			return s.engine.UpdateEntity(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, post("merge-entities", "/graph/entities/{id}/merge",
		"Make another entity a part of this one, with its facts"),
		func(ctx context.Context, who trilith.Identity, in *mergeInput) (trilith.Entity, error) {
			return s.engine.MergeEntities(ctx, in.within(who), in.ID, in.Body.From)
		})
	handle(s.edge, api, post("split-entity", "/graph/entities/{id}/split",
		"Take a part of an entity out of it, or undo a merge"),
		func(ctx context.Context, who trilith.Identity, in *splitInput) (trilith.SplitResult, error) {
			return s.engine.SplitEntity(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, get("entity-history", "/graph/entities/{id}/history",
		"What was changed of an entity, when and by whom, newest first"),
		func(ctx context.Context, who trilith.Identity, in *entityHistoryInput) (trilith.EntityHistory, error) {
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.EntityHistory{}, err
			}
			return e.EntityHistory(ctx, in.within(who), in.ID, in.Limit, in.Cursor)
		})
	handle(s.edge, api, get("entity-neighborhood", "/graph/entities/{id}/neighborhood",
		"Facts and entities around an entity"),
		func(ctx context.Context, who trilith.Identity, in *neighborhoodInput) (trilith.Neighborhood, error) {
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.Neighborhood{}, err
			}
			return e.Neighborhood(ctx, in.within(who), in.ID,
				trilith.NeighborhoodQuery{Hops: in.Hops, Limit: in.Limit, AsOf: in.AsOf})
		})
}

func (s *factRoutes) registerEntitySearch(api huma.API) {
	handle(s.edge, api, get("search-entities", "/graph/entities/search",
		"Entities by what they are called, with the number of their facts"),
		func(ctx context.Context, who trilith.Identity, in *searchEntitiesInput) (trilith.EntityList, error) {
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.EntityList{}, err
			}
			return e.SearchEntities(ctx, in.within(who), trilith.EntityQuery{Text: in.Q, Type: in.Type,
				Sort: in.Sort, Limit: in.Limit, Cursor: in.Cursor})
		})
	handle(s.edge, api, get("entity-facts", "/graph/entities/{id}/facts",
		"All facts of an entity, those that hold and those that do no longer, with their quotes"),
		func(ctx context.Context, who trilith.Identity, in *entityFactsInput) (trilith.LookupResult, error) {
			if err := s.large(ctx); err != nil {
				return trilith.LookupResult{}, err
			}
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.LookupResult{}, err
			}
			return e.FactsOf(ctx, in.within(who), in.ID,
				trilith.EntityFactsQuery{States: in.states(), AsOf: in.AsOf, KnownAt: in.KnownAt})
		})
}

func (s *factRoutes) entities(ctx context.Context, who trilith.Identity, in *EntitiesQuery) (trilith.EntityPage, error) {
	e, err := s.reading(ctx, in.within(who), false)
	if err != nil {
		return trilith.EntityPage{}, err
	}
	return e.Entities(ctx, in.within(who), in.Limit, in.Cursor)
}
