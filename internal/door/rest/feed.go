package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// SpanQuery selects a page between two times, in the query of a URL. It is exported for the same reason as
// [ScopeQuery].
type SpanQuery struct {
	From   time.Time `query:"from" doc:"From then on, as RFC 3339"`
	To     time.Time `query:"to" doc:"Before then, as RFC 3339"`
	Limit  int       `query:"limit" doc:"Items per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string    `query:"cursor" doc:"next_cursor of the page before"`
}

type feedInput struct {
	ScopeQuery
	SpanQuery
	Kinds  []string `query:"kinds,explode" doc:"What happened, with commas between them or repeated: learned, replaced, ended, forgotten, planned; all if absent"`
	Filter string   `query:"filter" doc:"Conditions on the memory that it happened to, as JSON; see the filter grammar"`
}

type auditInput struct {
	SpanQuery
	Newest  bool       `query:"newest" doc:"The latest first"`
	Actions []string   `query:"actions,explode" doc:"Actions, with commas between them or repeated; entity.* means all that begin with entity."`
	Actor   string     `query:"actor" doc:"Name of the key that acted; local without one" maxLength:"255"`
	Target  trilith.ID `query:"target" doc:"Id of what was acted on" maxLength:"64"`
}

func (s *memoryRoutes) registerFeed(api huma.API) {
	handle(s.edge, api, get("changes", "/changes",
		"What was learned, replaced, forgotten, or has ended: latest first"), s.feed)
	handle(s.edge, api, operation{id: "audit", method: http.MethodGet, path: "/admin/audit", need: trilith.AccessAdmin,
		summary: "What was done, oldest first unless asked otherwise; each entry holds the hash of the one before"},
		func(ctx context.Context, who trilith.Identity, in *auditInput) (trilith.AuditPage, error) {
			return s.engine.AuditLog(ctx, within(who, trilith.Scope{}), trilith.AuditQuery{Newest: in.Newest,
				Actions: separated(in.Actions), Actor: in.Actor, Target: in.Target, From: in.From, To: in.To,
				Limit: in.Limit, Cursor: in.Cursor})
		})
}

func (s *memoryRoutes) feed(ctx context.Context, who trilith.Identity, in *feedInput) (trilith.Feed, error) {
	q := trilith.FeedQuery{From: in.From, To: in.To, Limit: in.Limit, Cursor: in.Cursor}
	for _, k := range separated(in.Kinds) {
		q.Kinds = append(q.Kinds, trilith.FeedKind(k))
	}
	if in.Filter != "" {
		if err := q.Filter.UnmarshalJSON([]byte(in.Filter)); err != nil {
			return trilith.Feed{}, err
		}
	}
	if err := s.large(ctx); err != nil {
		return trilith.Feed{}, err
	}
	return s.engine.Feed(ctx, in.within(who), q)
}
