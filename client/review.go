package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// VerifyFact records the decision about a fact.
func (c *Client) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	if !utf8.ValidString(r.Note) {
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "note: is not valid UTF-8")
	}
	return ask[trilith.Memory](ctx, c,
		request{method: http.MethodPost, id: &id, path: "/facts/" + string(id) + "/verify", query: scopeQuery(s), body: r})
}

// Facts finds facts by relevance for a query, or lists them newest first.
func (c *Client) Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error) {
	return ask[trilith.FactPage](ctx, c, request{method: http.MethodPost, path: "/facts/search", idempotent: true,
		scope: &s, body: q})
}

// Actionable returns the facts that ask for an action, are urgent, or are due in so many days (0: the server's
// default), the most urgent first.
func (c *Client) Actionable(ctx context.Context, s trilith.Scope, limit, days int) (trilith.Page, error) {
	return ofFacts[trilith.Page](ctx, c, "/actionable", scopeQuery(s, "limit", limit, "days", days))
}

// UnverifiedFinancial returns unverified facts with at least an amount, the largest first.
func (c *Client) UnverifiedFinancial(ctx context.Context, s trilith.Scope, minAmount string, limit int) (
	trilith.Page, error) {
	return ofFacts[trilith.Page](ctx, c, "/financial/unverified", scopeQuery(s, "limit", limit, "min_amount", minAmount))
}

// Exposure sums the money of the active facts.
func (c *Client) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return ofFacts[trilith.Exposure](ctx, c, "/financial/exposure", scopeQuery(s))
}

// FactStats counts facts.
func (c *Client) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return ofFacts[trilith.FactStats](ctx, c, "/stats", scopeQuery(s))
}

func ofFacts[T any](ctx context.Context, c *Client, path string, q url.Values) (T, error) {
	return ask[T](ctx, c, get("/facts"+path, q))
}
