package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// Inbox lists what waits for a person, the most pressing first.
func (c *Client) Inbox(ctx context.Context, s cairn.Scope, r cairn.InboxQuery) (cairn.ReviewPage, error) {
	q := paged(s, r.Limit, r.Cursor)
	if len(r.Reasons) > 0 {
		reasons := make([]string, len(r.Reasons))
		for i, reason := range r.Reasons {
			reasons[i] = string(reason)
		}
		q.Set("reasons", strings.Join(reasons, ","))
	}
	return ask[cairn.ReviewPage](ctx, c, get("/review", q))
}

// Decide makes one decision about many items. Each has its own result.
func (c *Client) Decide(ctx context.Context, s cairn.Scope, r cairn.BulkDecision) (cairn.DecisionReport, error) {
	var out cairn.DecisionReport
	if !utf8.ValidString(r.Note) {
		return out, cairn.Errorf(cairn.Invalid, "note: is not valid UTF-8")
	}
	return ask[cairn.DecisionReport](ctx, c,
		request{method: http.MethodPost, path: "/review/decide", idempotent: r.DryRun,
			body: struct {
				cairn.Scope
				cairn.BulkDecision
			}{s, r}})
}

// SupersedeFact says that another fact holds instead of one. With By it is repeated while the server is unavailable.
func (c *Client) SupersedeFact(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SupersedeRequest) (
	cairn.Supersession, error) {
	var out cairn.Supersession
	if err := id.Validate(); err != nil {
		return out, err
	}
	if !utf8.ValidString(r.Note) || !utf8.ValidString(r.Text) {
		return out, cairn.Errorf(cairn.Invalid, "text, note: is not valid UTF-8")
	}
	return ask[cairn.Supersession](ctx, c, request{method: http.MethodPost, path: "/facts/" + string(id) + "/supersede",
		query: scopeQuery(s), body: r, idempotent: r.By != ""})
}

// AutoVerify verifies pending facts that satisfy a policy.
func (c *Client) AutoVerify(ctx context.Context, s cairn.Scope, r cairn.AutoVerifyRequest) (
	cairn.AutoVerifyResult, error) {
	return ask[cairn.AutoVerifyResult](ctx, c,
		request{method: http.MethodPost, path: "/facts/auto-verify", idempotent: r.DryRun,
			body: struct {
				cairn.Scope
				cairn.AutoVerifyRequest
			}{s, r}})
}

// SimilarFacts returns the facts that are similar to one, the most similar first.
func (c *Client) SimilarFacts(ctx context.Context, s cairn.Scope, id cairn.ID, minScore float64, limit int) (
	cairn.FactPage, error) {
	var out cairn.FactPage
	if err := id.Validate(); err != nil {
		return out, err
	}
	q := limited(s, limit)
	if minScore != 0 {
		q.Set("min_score", strconv.FormatFloat(minScore, 'g', -1, 64))
	}
	return ofFacts[cairn.FactPage](ctx, c, "/"+string(id)+"/similar", q)
}

// DuplicateFacts returns facts of one entity that say the same.
func (c *Client) DuplicateFacts(ctx context.Context, s cairn.Scope, threshold float64, limit int, cursor string) (
	cairn.FactGroups, error) {
	q := paged(s, limit, cursor)
	if threshold != 0 {
		q.Set("threshold", strconv.FormatFloat(threshold, 'g', -1, 64))
	}
	return ofFacts[cairn.FactGroups](ctx, c, "/duplicates", q)
}

// FactConflicts returns facts of one entity that cannot all hold.
func (c *Client) FactConflicts(ctx context.Context, s cairn.Scope, limit int, cursor string) (cairn.FactGroups, error) {
	return ofFacts[cairn.FactGroups](ctx, c, "/conflicts", paged(s, limit, cursor))
}

// StaleFacts returns the facts that nothing has confirmed for so many days, the longest first.
func (c *Client) StaleFacts(ctx context.Context, s cairn.Scope, days, limit int) (cairn.StalePage, error) {
	q := limited(s, limit)
	if days != 0 {
		q.Set("days", strconv.Itoa(days))
	}
	return ofFacts[cairn.StalePage](ctx, c, "/stale", q)
}

func paged(s cairn.Scope, limit int, cursor string) url.Values {
	q := limited(s, limit)
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return q
}
