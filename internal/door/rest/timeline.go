package rest

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type timelineInput struct {
	ScopeQuery
	Name   string `path:"name" doc:"Name of the project" minLength:"1" maxLength:"255"`
	AsOf   string `query:"as_of" doc:"The timeline as it was at this time; now if absent"`
	Format string `query:"format" doc:"json or mermaid (text); json if absent" enum:"json,mermaid"`
}

// drawn is an answer of a type of its own.
type drawn struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
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
