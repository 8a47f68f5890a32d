package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type similarFactsInput struct {
	ScopeQuery
	ID       trilith.ID `path:"id" doc:"Id of the fact"`
	MinScore float64    `query:"min_score" doc:"Leave out facts below; 0 to 1" minimum:"0" maximum:"1"`
	Limit    int        `query:"limit" doc:"Facts at most: 1 to 200, 10 if absent" minimum:"1" maximum:"200"`
}

type groupsInput struct {
	ScopeQuery
	Limit  int    `query:"limit" doc:"Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB" minimum:"1" maximum:"200"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

type duplicatesInput struct {
	ScopeQuery
	Threshold float64 `query:"threshold" doc:"Cosine from which two facts say the same, where cosines carry a meaning: 0 to 1, 0.95 if absent" minimum:"0" maximum:"1"`
	Limit     int     `query:"limit" doc:"Groups per page: 1 to 200, 50 if absent; a page ends with an entity, or within it at 4 MiB" minimum:"1" maximum:"200"`
	Cursor    string  `query:"cursor" doc:"next_cursor of the page before"`
}

type staleInput struct {
	ScopeQuery
	Days  int `query:"days" doc:"How old the newest evidence may be: 1 to 36500, 30 if absent" minimum:"1" maximum:"36500"`
	Limit int `query:"limit" doc:"Facts at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

func (s *factRoutes) registerCompare(api huma.API) {
	handle(s.edge, api, get("similar-facts", "/facts/{id}/similar", "Facts that are similar to one, most similar first"),
		func(ctx context.Context, who trilith.Identity, in *similarFactsInput) (trilith.FactPage, error) {
			return s.engine.SimilarFacts(ctx, in.within(who), in.ID, in.MinScore, in.Limit)
		})
	handle(s.edge, api, get("duplicate-facts", "/facts/duplicates", "Facts of one entity that say the same"),
		func(ctx context.Context, who trilith.Identity, in *duplicatesInput) (trilith.FactGroups, error) {
			return s.engine.DuplicateFacts(ctx, in.within(who), in.Threshold, in.Limit, in.Cursor)
		})
	handle(s.edge, api, get("conflicting-facts", "/facts/conflicts", "Facts of one entity that cannot all hold"),
		func(ctx context.Context, who trilith.Identity, in *groupsInput) (trilith.FactGroups, error) {
			return s.engine.FactConflicts(ctx, in.within(who), in.Limit, in.Cursor)
		})
	handle(s.edge, api, get("stale-facts", "/facts/stale", "Facts of which nothing was heard for long, longest first"),
		func(ctx context.Context, who trilith.Identity, in *staleInput) (trilith.StalePage, error) {
			return s.engine.StaleFacts(ctx, in.within(who), in.Days, in.Limit)
		})
}
