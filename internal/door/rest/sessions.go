package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// SessionPath names a session in the path of a URL, and the rest of its scope in the query.
type SessionPath struct {
	ScopeQuery
	ID string `path:"id" doc:"Name of the session: the value of session in the scope" maxLength:"255"`
}

// PageQuery is a page of a list of sessions or turns.
type PageQuery struct {
	Limit  int    `query:"limit" doc:"Sessions or turns per page: 1 to 200, 50 if absent" minimum:"1" maximum:"200"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before" maxLength:"1024"`
}

type sessionsInput struct {
	ScopeQuery
	PageQuery
}

type sessionInput struct {
	SessionPath
	PageQuery
}

type sessionContextInput struct {
	SessionPath
	Query  string `query:"query" doc:"What the past is searched for; the latest turn of the user if absent" maxLength:"8192"`
	Budget int    `query:"budget" doc:"Tokens of the newest turns" minimum:"1" maximum:"200000"`
	Limit  int    `query:"limit" doc:"Memories of before the window" minimum:"1" maximum:"50"`
}

type sessionContextBody struct {
	SessionPath
	Body trilith.SessionContextRequest
}

func (s *sessionRoutes) registerSessions(api huma.API) {
	handle(s.edge, api, get("list-sessions", "/sessions", "Sessions with their counts, the one with the latest turn first"),
		func(ctx context.Context, who trilith.Identity, in *sessionsInput) (trilith.SessionPage, error) {
			return s.engine.ListSessions(ctx, in.within(who), in.query())
		})
	handle(s.edge, api, get("get-session", "/sessions/{id}",
		"The turns of a session in order, with its tokens and its newest summary"),
		func(ctx context.Context, who trilith.Identity, in *sessionInput) (trilith.SessionTurns, error) {
			return s.engine.GetSession(ctx, in.within(who), in.ID, in.query())
		})
	sessionContext := func(ctx context.Context, who trilith.Identity, p *SessionPath, r trilith.SessionContextRequest) (
		trilith.SessionContext, error) {
		return s.engine.SessionContext(ctx, p.within(who), p.ID, r)
	}
	handle(s.edge, api, get("session-context", "/sessions/{id}/context",
		"What a prompt needs of a session: the newest turns, the newest summary and the relevant past"),
		func(ctx context.Context, who trilith.Identity, in *sessionContextInput) (trilith.SessionContext, error) {
			return sessionContext(ctx, who, &in.SessionPath,
				trilith.SessionContextRequest{Query: in.Query, Budget: in.Budget, Limit: in.Limit})
		})
	handle(s.edge, api, operation{id: "make-session-context", method: http.MethodPost, path: "/sessions/{id}/context",
		need:    trilith.AccessReader,
		summary: "The same with the question in the body"},
		func(ctx context.Context, who trilith.Identity, in *sessionContextBody) (trilith.SessionContext, error) {
			return sessionContext(ctx, who, &in.SessionPath, in.Body)
		})
	s.registerSummaries(api)
	s.registerItems(api)
}

func (q PageQuery) query() trilith.SessionQuery {
	return trilith.SessionQuery{Limit: q.Limit, Cursor: q.Cursor}
}

type sessionSummaryInput struct {
	SessionPath
	Body *struct {
		Tokens int                `json:"tokens,omitempty" doc:"Tokens of the summary at most; 400 if absent" minimum:"20" maximum:"4000"`
		By     trilith.Extraction `json:"by,omitempty" doc:"rules: an extract; llm: by a model; auto: by a model if one is configured" enum:"rules,llm,auto"`
	} `required:"false"`
}

type summariesInput struct {
	Body struct {
		trilith.Scope
		trilith.SummarizeRequest
	}
}

type sessionPruneInput struct {
	SessionPath
	Body *trilith.PruneRequest `required:"false"`
}

type pruneInput struct {
	Body struct {
		trilith.Scope
		trilith.PruneRequest
	}
}

func (s *sessionRoutes) registerSummaries(api huma.API) {
	summarize := func(ctx context.Context, scope trilith.Scope, r trilith.SummarizeRequest) (trilith.SummarizeResult, error) {
		return s.engine.Summarize(ctx, scope, r)
	}
	prune := func(ctx context.Context, scope trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
		return s.engine.Prune(ctx, scope, r)
	}
	handle(s.edge, api, operation{id: "summarize-session", method: http.MethodPost, path: "/sessions/{id}/summarize",
		need: trilith.AccessWriter, long: true,
		summary: "Make the summary of a session now"},
		func(ctx context.Context, who trilith.Identity, in *sessionSummaryInput) (trilith.SummarizeResult, error) {
			r := trilith.SummarizeRequest{Session: in.ID}
			if in.Body != nil {
				r.Tokens, r.By = in.Body.Tokens, in.Body.By
			}
			return summarize(ctx, in.within(who), r)
		})
	handle(s.edge, api, operation{id: "summarize", method: http.MethodPost, path: "/summaries", need: trilith.AccessWriter,
		long:    true,
		summary: "Make a summary of a session, a period or an entity, or of the summaries of a scope by topic"},
		func(ctx context.Context, who trilith.Identity, in *summariesInput) (trilith.SummarizeResult, error) {
			return summarize(ctx, within(who, in.Body.Scope), in.Body.SummarizeRequest)
		})
	handle(s.edge, api, operation{id: "prune-session", method: http.MethodPost, path: "/sessions/{id}/prune",
		need: trilith.AccessWriter, long: true,
		summary: "Forget the turns and notes of a session that matter least"},
		func(ctx context.Context, who trilith.Identity, in *sessionPruneInput) (trilith.PruneResult, error) {
			scope, r := in.within(who), trilith.PruneRequest{}
			if scope.Session != "" && scope.Session != in.ID {
				return trilith.PruneResult{}, trilith.Errorf(trilith.NotFound, "session %.64q does not exist", in.ID)
			}
			if in.Body != nil {
				r = *in.Body
			}
			scope.Session = in.ID
			return prune(ctx, scope, r)
		})
	handle(s.edge, api, operation{id: "prune", method: http.MethodPost, path: "/memories/prune", need: trilith.AccessWriter,
		long:    true,
		summary: "Forget the turns and notes of a scope that matter least"},
		func(ctx context.Context, who trilith.Identity, in *pruneInput) (trilith.PruneResult, error) {
			return prune(ctx, within(who, in.Body.Scope), in.Body.PruneRequest)
		})
}

type appendItemsInput struct {
	SessionPath
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           trilith.AppendItems
}

type itemsInput struct {
	SessionPath
	Limit  int    `query:"limit" doc:"Items per page: 1 to 1000, 1000 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before" maxLength:"64"`
	Latest bool   `query:"latest" doc:"The last items instead of the first, in order all the same"`
}

func (s *sessionRoutes) registerItems(api huma.API) {
	handle(s.edge, api, post("append-session-items", "/sessions/{id}/items",
		"Add items of any form to a transcript; what people and the assistant say is remembered"),
		func(ctx context.Context, who trilith.Identity, in *appendItemsInput) (trilith.SessionItems, error) {
			if in.IdempotencyKey != "" {
				in.Body.RequestKey = in.IdempotencyKey
			}
			return s.engine.AppendItems(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, get("list-session-items", "/sessions/{id}/items", "A transcript, exactly as it was given"),
		func(ctx context.Context, who trilith.Identity, in *itemsInput) (trilith.SessionItems, error) {
			return s.engine.SessionItems(ctx, in.within(who), in.ID,
				trilith.ItemsQuery{Limit: in.Limit, Cursor: in.Cursor, Latest: in.Latest})
		})
	handle(s.edge, api, post("pop-session-item", "/sessions/{id}/items/pop",
		"Remove the last item of a transcript and return it"),
		func(ctx context.Context, who trilith.Identity, in *SessionPath) (trilith.SessionItem, error) {
			return s.engine.PopItem(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, operation{id: "clear-session-items", method: http.MethodDelete, path: "/sessions/{id}/items",
		need:    trilith.AccessWriter,
		summary: "Remove all items of a transcript; what was remembered of them stays"},
		func(ctx context.Context, who trilith.Identity, in *SessionPath) (trilith.ClearedItems, error) {
			return s.engine.ClearItems(ctx, in.within(who), in.ID)
		})
}
