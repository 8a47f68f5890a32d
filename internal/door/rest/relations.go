package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type relateInput struct {
	ScopeQuery
	IdempotencyKey string     `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	ID             trilith.ID `path:"id" doc:"Id of the first fact"`
	Body           trilith.RelateRequest
}

type relationsInput struct {
	ScopeQuery
	ID   trilith.ID `path:"id" doc:"Id of the fact"`
	Hops int        `query:"hops" doc:"How many relations away a fact may lie: 1 to 3, 1 if absent" minimum:"1" maximum:"3"`
	AsOf string     `query:"as_of" doc:"The relations as they were in the world at this time"`
}

type unrelateInput struct {
	ScopeQuery
	ID       trilith.ID `path:"id" doc:"Id of one of the two facts"`
	Relation trilith.ID `path:"relation" doc:"Id of the relation"`
}

type timelineInput struct {
	ScopeQuery
	Name   string `path:"name" doc:"Name of the project" minLength:"1" maxLength:"255"`
	AsOf   string `query:"as_of" doc:"The timeline as it was at this time; now if absent"`
	Format string `query:"format" doc:"json or mermaid (text); json if absent" enum:"json,mermaid"`
}

// unrelated says that a relation is gone.
type unrelated struct {
	ID trilith.ID `json:"id" doc:"Of the relation that was taken back"`
}

// drawn is an answer of a type of its own.
type drawn struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (s *factRoutes) registerRelations(api huma.API) {
	handle(s.edge, api, post("relate-facts", "/facts/{id}/relations", "Say how a fact bears on another one of its owner"),
		func(ctx context.Context, who trilith.Identity, in *relateInput) (trilith.Relation, error) {
			var err error
			if in.Body.RequestKey, err = requestKey(in.IdempotencyKey, in.Body.RequestKey); err != nil {
				return trilith.Relation{}, err
			}
			return s.engine.Relate(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, get("fact-relations", "/facts/{id}/relations",
		"What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it"),
		func(ctx context.Context, who trilith.Identity, in *relationsInput) (trilith.RelationList, error) {
			q := trilith.RelationQuery{Hops: in.Hops, AsOf: in.AsOf}
			return s.engine.Relations(ctx, in.within(who), in.ID, q)
		})
	handle(s.edge, api, operation{id: "unrelate-facts", method: http.MethodDelete,
		path: "/facts/{id}/relations/{relation}", need: trilith.AccessWriter, summary: "Take back a relation of a fact"},
		func(ctx context.Context, who trilith.Identity, in *unrelateInput) (unrelated, error) {
			return unrelated{in.Relation}, s.engine.Unrelate(ctx, in.within(who), in.ID, in.Relation)
		})
	s.registerTimeline(api)
}

// registerTimeline describes an answer that is JSON or text.
func (s *factRoutes) registerTimeline(api huma.API) {
	op := s.describe(get("timeline", "/projects/{name}/timeline",
		"What is to be done in a project and when, what waits for what, and the critical chain"))
	body := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[trilith.ProjectTimeline](), true, "")
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		"application/json": {Schema: body}, "text/plain": text}}}
	huma.Register(api, op, func(ctx context.Context, in *timelineInput) (*drawn, error) {
		limited, cancel := context.WithTimeout(ctx, s.timeout)
		defer cancel()
		out, err := s.timeline(limited, callOf(ctx).who, in)
		if err != nil {
			return nil, problemOf(ctx, err)
		}
		return out, nil
	})
}

func (s *factRoutes) timeline(ctx context.Context, who trilith.Identity, in *timelineInput) (*drawn, error) {
	scope, q := in.within(who), trilith.TimelineQuery{AsOf: in.AsOf}
	if in.Format == "mermaid" {
		text, err := s.engine.DrawTimeline(ctx, scope, in.Name, q)
		return &drawn{"text/plain; charset=utf-8", []byte(text)}, err
	}
	t, err := s.engine.Timeline(ctx, scope, in.Name, q)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(t)
	return &drawn{"application/json", body}, err
}
