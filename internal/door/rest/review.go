package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type factsInput struct {
	Body struct {
		trilith.Scope
		trilith.FactQuery
	}
}

type actionableInput struct {
	ScopeQuery
	Limit int `query:"limit" doc:"Facts at most: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Days  int `query:"days" doc:"How many days ahead a deadline or an end may lie: 1 to 3650, 7 if absent" minimum:"1" maximum:"3650"`
}

type unverifiedInput struct {
	ScopeQuery
	MinAmount string `query:"min_amount" doc:"Only facts of at least this amount, a decimal in whatever currency; 5000 if absent" maxLength:"64"`
	Limit     int    `query:"limit" doc:"Facts at most: 1 to 1000, 10 if absent" minimum:"1" maximum:"1000"`
}

type verifyInput struct {
	ScopeQuery
	ID   trilith.ID `path:"id" doc:"Id of the fact"`
	Body trilith.VerifyRequest
}

func (s *factRoutes) registerReview(api huma.API) {
	handle(s.edge, api, operation{id: "search-facts", method: http.MethodPost, path: "/facts/search",
		need:    trilith.AccessReader,
		summary: "Facts by relevance for a query, or newest first"},
		func(ctx context.Context, who trilith.Identity, in *factsInput) (trilith.FactPage, error) {
			e, err := s.reading(ctx, within(who, in.Body.Scope), in.Body.Query != "")
			if err != nil {
				return trilith.FactPage{}, err
			}
			return e.Facts(ctx, within(who, in.Body.Scope), in.Body.FactQuery)
		})
	handle(s.edge, api, get("actionable-facts", "/facts/actionable",
		"What is to be done, is pressing or is due soon: most pressing first, then by deadline"),
		func(ctx context.Context, who trilith.Identity, in *actionableInput) (trilith.Page, error) {
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.Page{}, err
			}
			return e.Actionable(ctx, in.within(who), in.Limit, in.Days)
		})
	handle(s.edge, api, get("unverified-financial-facts", "/facts/financial/unverified",
		"Amounts of money that nobody has verified, largest first"),
		func(ctx context.Context, who trilith.Identity, in *unverifiedInput) (trilith.Page, error) {
			return s.engine.UnverifiedFinancial(ctx, in.within(who), in.MinAmount, in.Limit)
		})
	handle(s.edge, api, get("financial-exposure", "/facts/financial/exposure",
		"Exact sums of money by project, type and currency"),
		func(ctx context.Context, who trilith.Identity, in *ScopeQuery) (trilith.Exposure, error) {
			return s.engine.Exposure(ctx, in.within(who))
		})
	handle(s.edge, api, get("fact-stats", "/facts/stats", "How many facts there are, by type, state and verification"),
		func(ctx context.Context, who trilith.Identity, in *ScopeQuery) (trilith.FactStats, error) {
			return s.engine.FactStats(ctx, in.within(who))
		})
	handle(s.edge, api, post("verify-fact", "/facts/{id}/verify", "Record a person's decision about a fact"),
		func(ctx context.Context, who trilith.Identity, in *verifyInput) (trilith.Memory, error) {
			return s.engine.VerifyFact(ctx, in.within(who), in.ID, in.Body)
		})
}
