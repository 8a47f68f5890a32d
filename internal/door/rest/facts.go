package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type assimilateInput struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           struct {
		trilith.Scope
		trilith.AssimilateRequest
	}
}

// IdentifierQuery names an entity in the query of a URL. It is exported because inputs embed it.
type IdentifierQuery struct {
	ScopeQuery
	Type    string `query:"type" required:"true" doc:"What the identifier is: email, phone, user_id, name or a word of your own" minLength:"1" maxLength:"64" pattern:"^[a-z0-9_]+$" patternDescription:"a-z 0-9 _"`
	Value   string `query:"value" required:"true" doc:"The identifier" minLength:"1" maxLength:"255"`
	AsOf    string `query:"as_of" doc:"The facts as they were in the world at this time"`
	KnownAt string `query:"known_at" doc:"The facts as they were known at this time"`
}

type cardInput struct{ IdentifierQuery }

// lookupInput carries a [trilith.LookupRequest] in the query of a URL.
type lookupInput struct {
	IdentifierQuery
	Query    string  `query:"rag_query" doc:"What the facts should matter for; all facts of the entity if absent" maxLength:"8192"`
	TopK     int     `query:"rag_top_k" doc:"Facts at most that match the query: 1 to 200, 10 if absent" default:"10" minimum:"1" maximum:"200"`
	MinScore float64 `query:"rag_min_score" doc:"Leave out facts below; 0 to 1" minimum:"0" maximum:"1"`
	Hops     int     `query:"rag_expand_hops" doc:"Steps to walk from the facts that match: 0 to 2" default:"0" minimum:"0" maximum:"2"`
	Debug    bool    `query:"rag_debug" doc:"Say how the facts were found" default:"false"`
	StatesQuery
}

func (in *lookupInput) request() trilith.LookupRequest {
	return trilith.LookupRequest{Identifier: trilith.Identifier{Type: in.Type, Value: in.Value}, Query: in.Query,
		TopK:     in.TopK,
		MinScore: in.MinScore, ExpandHops: in.Hops, Debug: in.Debug, IncludeStates: in.states(), AsOf: in.AsOf,
		KnownAt: in.KnownAt}
}

func (s *factRoutes) registerFacts(api huma.API) {
	s.registerAssimilate(api)
	handle(s.edge, api, operation{id: "lookup", method: http.MethodGet, path: "/graph/entities/lookup",
		need:    trilith.AccessReader,
		summary: "The facts of one entity: all of them, or those that matter for a query"}, s.lookup)
	handle(s.edge, api, operation{id: "card", method: http.MethodGet, path: "/graph/entities/lookup/card",
		need:    trilith.AccessReader,
		summary: "Say who somebody is, in at most 200 tokens"}, func(ctx context.Context, who trilith.Identity, in *cardInput) (
		trilith.Card, error) {
		e, err := s.reading(ctx, in.within(who), false)
		if err != nil {
			return trilith.Card{}, err
		}
		return e.Card(ctx, in.within(who), trilith.CardRequest{
			Identifier: trilith.Identifier{Type: in.Type, Value: in.Value}, AsOf: in.AsOf, KnownAt: in.KnownAt})
	})
	handle(s.edge, api, operation{id: "lookup-summary", method: http.MethodGet, path: "/graph/entities/lookup/summary",
		need:    trilith.AccessReader,
		summary: "The facts of one entity in words"}, func(ctx context.Context, who trilith.Identity, in *lookupInput) (
		trilith.SummaryResult, error) {
		e, err := s.reading(ctx, in.within(who), in.Query != "")
		if err != nil {
			return trilith.SummaryResult{}, err
		}
		return e.LookupSummary(ctx, in.within(who), in.request())
	})
}

// registerAssimilate describes the operation. It has the time of other operations, and beside it the time that the
// engine waits for facts: the words are stored by then, and running out of time would only hide that.
func (s *factRoutes) registerAssimilate(api huma.API) {
	handleWrite(s.edge, api, operation{id: "assimilate", method: http.MethodPost, path: "/graph/assimilate",
		need:    trilith.AccessWriter,
		summary: "Store what was said about an entity, and the facts that follow from it"},
		s.timeout+s.engine.AssimilateWait(),
		func(ctx context.Context, who trilith.Identity, in *assimilateInput) (trilith.AssimilateResult, bool, error) {
			out, err := s.assimilate(ctx, who, in)
			return out, out.Pending, err
		})
}

func (s *factRoutes) assimilate(ctx context.Context, who trilith.Identity, in *assimilateInput) (
	trilith.AssimilateResult, error) {
	r := in.Body.AssimilateRequest
	var err error
	if r.RequestKey, err = requestKey(in.IdempotencyKey, r.RequestKey); err != nil {
		return trilith.AssimilateResult{}, err
	}
	return s.engine.Assimilate(ctx, within(who, in.Body.Scope), r)
}

func (s *factRoutes) lookup(ctx context.Context, who trilith.Identity, in *lookupInput) (trilith.LookupResult, error) {
	if in.Query == "" { // all facts of the entity
		if err := s.large(ctx); err != nil {
			return trilith.LookupResult{}, err
		}
	}
	e, err := s.reading(ctx, in.within(who), in.Query != "")
	if err != nil {
		return trilith.LookupResult{}, err
	}
	return e.Lookup(ctx, in.within(who), in.request())
}
