package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type inboxInput struct {
	ScopeQuery
	Reasons []trilith.ReviewReason `query:"reasons" doc:"Why things wait; all reasons if absent" enum:"conflict,low_trust,ambiguous_entity,ambiguous_match,future,quarantined,candidate,unverified,stale"`
	Limit   int                    `query:"limit" doc:"Items per page: 1 to 200, 50 if absent" minimum:"1" maximum:"200"`
	Cursor  string                 `query:"cursor" doc:"next_cursor of the page before"`
}

type decideInput struct {
	Body struct {
		trilith.Scope
		trilith.BulkDecision
	}
}

type supersedeInput struct {
	ScopeQuery
	ID   trilith.ID `path:"id" doc:"Id of the fact that is wrong"`
	Body trilith.SupersedeRequest
}

type undoInput struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the change, as the answer to it and its entries in the audit have it"`
}

type autoVerifyInput struct {
	Body struct {
		trilith.Scope
		trilith.AutoVerifyRequest
	}
}

func (s *factRoutes) registerInbox(api huma.API) {
	handle(s.edge, api, get("inbox", "/review", "What waits for a person, the most pressing first"),
		func(ctx context.Context, who trilith.Identity, in *inboxInput) (trilith.ReviewPage, error) {
			return s.engine.Inbox(
				ctx, in.within(who), trilith.InboxQuery{Reasons: in.Reasons, Limit: in.Limit, Cursor: in.Cursor})
		})
	handle(s.edge, api, operation{id: "decide", method: http.MethodPost, path: "/review/decide",
		need: trilith.AccessWriter, long: true,
		summary: "One decision about many items, each answered by itself"},
		func(ctx context.Context, who trilith.Identity, in *decideInput) (trilith.DecisionReport, error) {
			return s.engine.Decide(ctx, within(who, in.Body.Scope), in.Body.BulkDecision)
		})
	handle(s.edge, api, post("supersede-fact", "/facts/{id}/supersede",
		"Correct a fact: by a sentence in any words, or by another fact"),
		func(ctx context.Context, who trilith.Identity, in *supersedeInput) (trilith.Supersession, error) {
			return s.engine.SupersedeFact(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, post("undo", "/changes/{id}/undo",
		"Undo a decision, correction, edit, forgetting or merge: all is as before it"),
		func(ctx context.Context, who trilith.Identity, in *undoInput) (trilith.Undone, error) {
			return s.engine.Undo(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, operation{id: "auto-verify-facts", method: http.MethodPost, path: "/facts/auto-verify",
		need: trilith.AccessWriter, long: true,
		summary: "Verify pending facts that rest on enough independent sources"},
		func(ctx context.Context, who trilith.Identity, in *autoVerifyInput) (trilith.AutoVerifyResult, error) {
			return s.engine.AutoVerify(ctx, within(who, in.Body.Scope), in.Body.AutoVerifyRequest)
		})
}
