package rest

import (
	"context"
	"net/http"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
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

func (q PageQuery) query() cairn.SessionQuery {
	return cairn.SessionQuery{Limit: q.Limit, Cursor: q.Cursor}
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
	Body cairn.SessionContextRequest
}

type sessionSummaryInput struct {
	SessionPath
	Body *struct {
		Tokens int              `json:"tokens,omitempty" doc:"Tokens of the summary at most; 400 if absent" minimum:"20" maximum:"4000"`
		By     cairn.Extraction `json:"by,omitempty" doc:"rules: an extract; llm: by a model; auto: by a model if one is configured" enum:"rules,llm,auto"`
	} `required:"false"`
}

type summariesInput struct {
	Body struct {
		cairn.Scope
		cairn.SummarizeRequest
	}
}

type sessionPruneInput struct {
	SessionPath
	Body *cairn.PruneRequest `required:"false"`
}

type pruneInput struct {
	Body struct {
		cairn.Scope
		cairn.PruneRequest
	}
}

type appendItemsInput struct {
	SessionPath
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           cairn.AppendItems
}

type itemsInput struct {
	SessionPath
	Limit  int    `query:"limit" doc:"Items per page: 1 to 1000, 1000 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before" maxLength:"64"`
	Latest bool   `query:"latest" doc:"The last items instead of the first, in order all the same"`
}

func (s *sessionRoutes) registerSessions(api huma.API) {
	handle(s.edge, api, operation{id: "list-sessions", method: http.MethodGet, path: "/sessions", need: cairn.AccessReader,
		summary: "Sessions with their counts, the one with the latest turn first"},
		func(ctx context.Context, who cairn.Identity, in *sessionsInput) (cairn.SessionPage, error) {
			page, err := s.engine.ListSessions(ctx, in.within(who), in.query())
			page.Items = list(page.Items)
			return page, err
		})
	handle(s.edge, api, operation{id: "get-session", method: http.MethodGet, path: "/sessions/{id}",
		need:    cairn.AccessReader,
		summary: "The turns of a session in order, with its tokens and its newest summary"},
		func(ctx context.Context, who cairn.Identity, in *sessionInput) (cairn.SessionTurns, error) {
			turns, err := s.engine.GetSession(ctx, in.within(who), in.ID, in.query())
			turns.Items = list(turns.Items)
			return turns, err
		})
	sessionContext := func(ctx context.Context, who cairn.Identity, p *SessionPath, r cairn.SessionContextRequest) (
		cairn.SessionContext, error) {
		out, err := s.engine.SessionContext(ctx, p.within(who), p.ID, r)
		out.Window, out.Past = list(out.Window), list(out.Past)
		return out, err
	}
	handle(s.edge, api, operation{id: "session-context", method: http.MethodGet, path: "/sessions/{id}/context",
		need:    cairn.AccessReader,
		summary: "What a prompt needs of a session: the newest turns, the newest summary and the relevant past"},
		func(ctx context.Context, who cairn.Identity, in *sessionContextInput) (cairn.SessionContext, error) {
			return sessionContext(ctx, who, &in.SessionPath,
				cairn.SessionContextRequest{Query: in.Query, Budget: in.Budget, Limit: in.Limit})
		})
	handle(s.edge, api, operation{id: "make-session-context", method: http.MethodPost, path: "/sessions/{id}/context",
		need:    cairn.AccessReader,
		summary: "The same with the question in the body"},
		func(ctx context.Context, who cairn.Identity, in *sessionContextBody) (cairn.SessionContext, error) {
			return sessionContext(ctx, who, &in.SessionPath, in.Body)
		})
	s.registerSummaries(api)
	s.registerItems(api)
}

func (s *sessionRoutes) registerSummaries(api huma.API) {
	summarize := func(ctx context.Context, scope cairn.Scope, r cairn.SummarizeRequest) (cairn.SummarizeResult, error) {
		out, err := s.engine.Summarize(ctx, scope, r)
		out.Summaries = list(out.Summaries)
		return out, err
	}
	prune := func(ctx context.Context, scope cairn.Scope, r cairn.PruneRequest) (cairn.PruneResult, error) {
		out, err := s.engine.Prune(ctx, scope, r)
		out.Pruned = list(out.Pruned)
		return out, err
	}
	handle(s.edge, api, operation{id: "summarize-session", method: http.MethodPost, path: "/sessions/{id}/summarize",
		need: cairn.AccessWriter, long: true,
		summary: "Make the summary of a session now"},
		func(ctx context.Context, who cairn.Identity, in *sessionSummaryInput) (cairn.SummarizeResult, error) {
			r := cairn.SummarizeRequest{Session: in.ID}
			if in.Body != nil {
				r.Tokens, r.By = in.Body.Tokens, in.Body.By
			}
			return summarize(ctx, in.within(who), r)
		})
	handle(s.edge, api, operation{id: "summarize", method: http.MethodPost, path: "/summaries", need: cairn.AccessWriter,
		long:    true,
		summary: "Make a summary of a session, a period or an entity, or of the summaries of a scope by topic"},
		func(ctx context.Context, who cairn.Identity, in *summariesInput) (cairn.SummarizeResult, error) {
			return summarize(ctx, within(who, in.Body.Scope), in.Body.SummarizeRequest)
		})
	handle(s.edge, api, operation{id: "prune-session", method: http.MethodPost, path: "/sessions/{id}/prune",
		need: cairn.AccessWriter, long: true,
		summary: "Forget the turns and notes of a session that matter least"},
		func(ctx context.Context, who cairn.Identity, in *sessionPruneInput) (cairn.PruneResult, error) {
			scope, r := in.within(who), cairn.PruneRequest{}
			if scope.Session != "" && scope.Session != in.ID {
				return cairn.PruneResult{}, cairn.Errorf(cairn.NotFound, "session %.64q does not exist", in.ID)
			}
			if in.Body != nil {
				r = *in.Body
			}
			scope.Session = in.ID
			return prune(ctx, scope, r)
		})
	handle(s.edge, api, operation{id: "prune", method: http.MethodPost, path: "/memories/prune", need: cairn.AccessWriter,
		long:    true,
		summary: "Forget the turns and notes of a scope that matter least"},
		func(ctx context.Context, who cairn.Identity, in *pruneInput) (cairn.PruneResult, error) {
			return prune(ctx, within(who, in.Body.Scope), in.Body.PruneRequest)
		})
}

func (s *sessionRoutes) registerItems(api huma.API) {
	handle(s.edge, api, operation{id: "append-session-items", method: http.MethodPost, path: "/sessions/{id}/items",
		need:    cairn.AccessWriter,
		summary: "Add items of any form to a transcript; what people and the assistant say is remembered"},
		func(ctx context.Context, who cairn.Identity, in *appendItemsInput) (cairn.SessionItems, error) {
			if in.IdempotencyKey != "" {
				in.Body.RequestKey = in.IdempotencyKey
			}
			out, err := s.engine.AppendItems(ctx, in.within(who), in.ID, in.Body)
			out.Items = list(out.Items)
			return out, err
		})
	handle(s.edge, api, operation{id: "list-session-items", method: http.MethodGet, path: "/sessions/{id}/items",
		need:    cairn.AccessReader,
		summary: "A transcript, exactly as it was given"},
		func(ctx context.Context, who cairn.Identity, in *itemsInput) (cairn.SessionItems, error) {
			out, err := s.engine.SessionItems(ctx, in.within(who), in.ID,
				cairn.ItemsQuery{Limit: in.Limit, Cursor: in.Cursor, Latest: in.Latest})
			out.Items = list(out.Items)
			return out, err
		})
	handle(s.edge, api, operation{id: "pop-session-item", method: http.MethodPost, path: "/sessions/{id}/items/pop",
		need:    cairn.AccessWriter,
		summary: "Remove the last item of a transcript and return it"},
		func(ctx context.Context, who cairn.Identity, in *SessionPath) (cairn.SessionItem, error) {
			return s.engine.PopItem(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, operation{id: "clear-session-items", method: http.MethodDelete, path: "/sessions/{id}/items",
		need:    cairn.AccessWriter,
		summary: "Remove all items of a transcript; what was remembered of them stays"},
		func(ctx context.Context, who cairn.Identity, in *SessionPath) (cairn.ClearedItems, error) {
			return s.engine.ClearItems(ctx, in.within(who), in.ID)
		})
}
