package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type saveSearchInput struct {
	Body struct {
		trilith.Scope
		trilith.SearchRequest
	}
}

// OneSearch names a saved search in the path of a URL. It is exported for the framework, as OneMemory is.
type OneSearch struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the saved search"`
}

type changeSearchInput struct {
	OneSearch
	Body trilith.SearchRequest
}

type alertsInput struct {
	ScopeQuery
	Search trilith.ID `query:"search" doc:"Only alerts of this saved search"`
	After  int64      `query:"after" doc:"Only alerts behind this place: next of the page before" minimum:"0"`
	Open   bool       `query:"open" doc:"Only alerts that nobody has acknowledged"`
	Limit  int        `query:"limit" doc:"Alerts per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
}

type acknowledgeInput struct {
	Body struct {
		trilith.Scope
		IDs []trilith.ID `json:"ids" doc:"Ids of alerts" minItems:"1" maxItems:"200"`
	}
}

func (s *factRoutes) registerAlerts(api huma.API) {
	handle(s.edge, api, post("save-search", "/searches", "Save a search that runs on every change and raises alerts"),
		func(ctx context.Context, who trilith.Identity, in *saveSearchInput) (trilith.SavedSearch, error) {
			return s.engine.SaveSearch(ctx, within(who, in.Body.Scope), in.Body.SearchRequest)
		})
	handle(s.edge, api, get("list-searches", "/searches", "The saved searches of a scope, by name"),
		func(ctx context.Context, who trilith.Identity, in *struct{ ScopeQuery }) (trilith.Searches, error) {
			return s.engine.Searches(ctx, in.within(who))
		})
	handle(s.edge, api, get("get-search", "/searches/{id}", "One saved search"),
		func(ctx context.Context, who trilith.Identity, in *OneSearch) (trilith.SavedSearch, error) {
			return s.engine.SavedSearch(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, operation{id: "change-search", method: http.MethodPut, path: "/searches/{id}",
		need: trilith.AccessWriter, summary: "Replace what a saved search looks for"},
		func(ctx context.Context, who trilith.Identity, in *changeSearchInput) (trilith.SavedSearch, error) {
			return s.engine.ChangeSearch(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, operation{id: "delete-search", method: http.MethodDelete, path: "/searches/{id}",
		need: trilith.AccessWriter, summary: "Delete a saved search with its alerts; the answer is what it was"},
		func(ctx context.Context, who trilith.Identity, in *OneSearch) (trilith.SavedSearch, error) {
			q, err := s.engine.SavedSearch(ctx, in.within(who), in.ID)
			if err != nil {
				return q, err
			}
			return q, s.engine.DeleteSearch(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, get("list-alerts", "/alerts", "What saved searches have raised, oldest first"),
		func(ctx context.Context, who trilith.Identity, in *alertsInput) (trilith.AlertPage, error) {
			return s.engine.Alerts(ctx, in.within(who),
				trilith.AlertQuery{Search: in.Search, After: in.After, Open: in.Open, Limit: in.Limit})
		})
	handle(s.edge, api, post("acknowledge-alerts", "/alerts/acknowledge",
		"Note that somebody has seen alerts: all of them, or none if one does not exist"),
		func(ctx context.Context, who trilith.Identity, in *acknowledgeInput) (trilith.Acknowledged, error) {
			return s.engine.AcknowledgeAlerts(ctx, within(who, in.Body.Scope), in.Body.IDs)
		})
}
