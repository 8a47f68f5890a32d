package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type searchInput struct {
	Body struct {
		trilith.Scope
		trilith.RecallRequest
	}
}

type contextInput struct {
	Body struct {
		trilith.Scope
		trilith.ContextRequest
	}
}

func (s *memoryRoutes) registerSearch(api huma.API) {
	handle(s.edge, api, operation{id: "search", method: http.MethodPost, path: "/search", need: trilith.AccessReader,
		summary: "Find what is known about a question"},
		func(ctx context.Context, who trilith.Identity, in *searchInput) (trilith.RecallResult, error) {
			if err := s.largeRecall(ctx, in.Body.RecallRequest); err != nil {
				return trilith.RecallResult{}, err
			}
			e, err := s.reading(ctx, within(who, in.Body.Scope), true)
			if err != nil {
				return trilith.RecallResult{}, err
			}
			return e.Recall(ctx, within(who, in.Body.Scope), in.Body.RecallRequest)
		})
	handle(s.edge, api, operation{id: "context", method: http.MethodPost, path: "/context", need: trilith.AccessReader,
		summary: "Make the text that a prompt gets"}, func(ctx context.Context, who trilith.Identity, in *contextInput) (
		trilith.ContextBlock, error) {
		if err := s.largeContext(ctx, in.Body.ContextRequest); err != nil {
			return trilith.ContextBlock{}, err
		}
		e, err := s.reading(ctx, within(who, in.Body.Scope), true)
		if err != nil {
			return trilith.ContextBlock{}, err
		}
		return e.Context(ctx, within(who, in.Body.Scope), in.Body.ContextRequest)
	})
}

// commonHits are as many memories as a recall may read of any size without waiting for its turn. It may wait for an
// embedder elsewhere, so only questions for more take a turn.
const commonHits = 50

// largeRecall takes a turn for a question that asks for many memories.
func (s *memoryRoutes) largeRecall(ctx context.Context, r trilith.RecallRequest) error {
	if r.K*(1+2*r.Neighbors) <= commonHits {
		return nil
	}
	return s.large(ctx)
}

// largeContext takes a turn for a block of many memories: as counted by the request, or if the budget is above the
// default.
func (s *memoryRoutes) largeContext(ctx context.Context, r trilith.ContextRequest) error {
	if r.K == 0 && r.Budget > trilith.DefaultBudget {
		return s.large(ctx)
	}
	return s.largeRecall(ctx, r.RecallRequest)
}

// filterSchema stands for [trilith.Filter] in the description. The filter decodes and checks itself; the schema of its Go
// fields would describe another grammar.
type filterSchema struct{}

var (
	filterType       = reflect.TypeFor[trilith.Filter]()
	filterSchemaType = reflect.TypeFor[filterSchema]()
)

// filterName is the component that describes filters.
const filterName = "Filter"

// Schema refers to the component Filter, which says the grammar as far as JSON Schema can in a few lines.
func (filterSchema) Schema(r huma.Registry) *huma.Schema {
	if r.Map()[filterName] == nil {
		r.Map()[filterName] = &huma.Schema{
			Type: huma.TypeObject,
			Description: `Conditions that must all hold: {"and": […]}, {"or": […]}, {"not": {…}}, {FIELD: VALUE} for equality, {FIELD: […]} for membership, ` +
				`{FIELD: {OPERATOR: VALUE}} with eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, startswith, regex, exists. Fields: id, kind, role, speaker, type, source_id, seq, state, trust, ` +
				`superseded_by, shared_from, category, title, external_id, project, domain, user, agent, session, channel, event_time, recorded_at, valid_until, tags, metadata.PATH; ` +
				`of facts: entity_id, verb, fact_id, entity_ref, fact_type, polarity, certainty, author_role, confidence, priority, requires_action, action_deadline, ` +
				`verification_status, financial_amount, financial_type, financial_category, currency.`,
			AdditionalProperties: true,
			Examples:             []any{map[string]any{"kind": "note", "tags": map[string]any{"contains": "travel"}}},
		}
		r.Map()[filterName].PrecomputeMessages()
	}
	return &huma.Schema{Ref: schemaPrefix + filterName}
}
