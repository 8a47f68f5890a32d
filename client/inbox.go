package client

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Inbox lists what waits for a person, the most pressing first.
func (c *Client) Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error) {
	return ask[trilith.ReviewPage](ctx, c,
		get("/review", scopeQuery(s, "limit", r.Limit, "cursor", r.Cursor, "reasons", joined(r.Reasons))))
}

// Decide makes one decision about many items. Each has its own result.
func (c *Client) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	var out trilith.DecisionReport
	if !utf8.ValidString(r.Note) {
		return out, trilith.Errorf(trilith.Invalid, "note: is not valid UTF-8")
	}
	return ask[trilith.DecisionReport](ctx, c,
		request{method: http.MethodPost, path: "/review/decide", idempotent: r.DryRun, scope: &s, body: r})
}

// Undo restores the state before a decision, correction, edit, forgetting or merge, by the id of the change.
func (c *Client) Undo(ctx context.Context, s trilith.Scope, change trilith.ID) (trilith.Undone, error) {
	return ask[trilith.Undone](ctx, c, request{method: http.MethodPost, id: &change,
		path: "/changes/" + string(change) + "/undo", query: scopeQuery(s)})
}

// SupersedeFact corrects a fact: by a sentence in any words, or by another fact. With By it is repeated while the server
// is unavailable.
func (c *Client) SupersedeFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	if !utf8.ValidString(r.Note) || !utf8.ValidString(r.Text) {
		return trilith.Supersession{}, trilith.Errorf(trilith.Invalid, "text, note: is not valid UTF-8")
	}
	return ask[trilith.Supersession](ctx, c, request{method: http.MethodPost, id: &id,
		path: "/facts/" + string(id) + "/supersede", query: scopeQuery(s), body: r, idempotent: r.By != ""})
}

// AutoVerify verifies pending facts that satisfy a policy.
func (c *Client) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	return ask[trilith.AutoVerifyResult](ctx, c,
		request{method: http.MethodPost, path: "/facts/auto-verify", idempotent: r.DryRun, scope: &s, body: r})
}

// SimilarFacts returns the facts that are similar to one, the most similar first.
func (c *Client) SimilarFacts(ctx context.Context, s trilith.Scope, id trilith.ID, minScore float64, limit int) (
	trilith.FactPage, error) {
	q := scopeQuery(s, "limit", limit, "min_score", minScore)
	r := get("/facts/"+string(id)+"/similar", q)
	r.id = &id
	return ask[trilith.FactPage](ctx, c, r)
}

// DuplicateFacts returns facts of one entity that say the same.
func (c *Client) DuplicateFacts(ctx context.Context, s trilith.Scope, threshold float64, limit int, cursor string) (
	trilith.FactGroups, error) {
	q := scopeQuery(s, "limit", limit, "cursor", cursor, "threshold", threshold)
	return ofFacts[trilith.FactGroups](ctx, c, "/duplicates", q)
}

// FactConflicts returns facts of one entity that cannot all hold.
func (c *Client) FactConflicts(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.FactGroups, error) {
	return ofFacts[trilith.FactGroups](ctx, c, "/conflicts", scopeQuery(s, "limit", limit, "cursor", cursor))
}

// StaleFacts returns the facts that nothing has confirmed for so many days, the longest first.
func (c *Client) StaleFacts(ctx context.Context, s trilith.Scope, days, limit int) (trilith.StalePage, error) {
	return ofFacts[trilith.StalePage](ctx, c, "/stale", scopeQuery(s, "limit", limit, "days", days))
}
