package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type archiveInput struct {
	ScopeQuery
	Days   int  `query:"days" doc:"How long ago they were closed: 1 to 36500, 90 if absent" minimum:"1" maximum:"36500"`
	DryRun bool `query:"dry_run" doc:"Say how many there are and do nothing"`
}

type regenerateInput struct {
	ScopeQuery
	Limit int  `query:"limit" doc:"Vectors at most: 1 to 1000, 100 if absent" minimum:"1" maximum:"1000"`
	Cut   bool `query:"cut" doc:"Also rebuild vectors of the beginning of a text"`
}

func (s *upkeepRoutes) registerUpkeep(api huma.API) {
	handle(s.edge, api, operation{id: "sweep-facts", method: http.MethodPost, path: "/admin/facts/sweep",
		need: trilith.AccessAdmin, long: true,
		summary: "Mark what is over as expired; reads know without it"},
		func(ctx context.Context, who trilith.Identity, in *ScopeQuery) (trilith.SweepResult, error) {
			return s.engine.Sweep(ctx, in.within(who))
		})
	handle(s.edge, api, operation{id: "archive-facts", method: http.MethodPost, path: "/admin/facts/archive",
		need: trilith.AccessAdmin, long: true,
		summary: "Take what was closed long ago out of listings"},
		func(ctx context.Context, who trilith.Identity, in *archiveInput) (trilith.ArchiveResult, error) {
			return s.engine.Archive(ctx, in.within(who), in.Days, in.DryRun)
		})
	handle(s.edge, api, operation{id: "regenerate-embeddings", method: http.MethodPost,
		path: "/admin/facts/regenerate-embeddings", need: trilith.AccessAdmin, long: true,
		summary: "Make vectors for what has none, facts first"},
		func(ctx context.Context, who trilith.Identity, in *regenerateInput) (trilith.RegenerateResult, error) {
			return s.engine.RegenerateEmbeddings(ctx, in.within(who), in.Limit, in.Cut)
		})
}
