package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Assimilate stores what was said about an entity, and derives facts from it. If the server cannot derive and index the
// facts in time, the answer is Pending, and a job continues in the background. The call is repeated while the server is
// unavailable only if it has a RequestKey.
func (c *Client) Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (
	trilith.AssimilateResult, error) {
	var out trilith.AssimilateResult
	if !utf8.ValidString(r.Content) {
		return out, trilith.Errorf(trilith.Invalid, "content: is not valid UTF-8")
	}
	return ask[trilith.AssimilateResult](ctx, c,
		request{method: http.MethodPost, path: "/graph/assimilate", idempotent: r.RequestKey != "", scope: &s, body: r})
}

// Lookup returns the facts of an entity: all of them, or with a query those that match it.
func (c *Client) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return ask[trilith.LookupResult](ctx, c, get("/graph/entities/lookup", lookupQuery(s, r)))
}

// Card says who somebody is, in at most [trilith.CardTokens] tokens.
func (c *Client) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return ask[trilith.Card](ctx, c, get("/graph/entities/lookup/card",
		lookupQuery(s, trilith.LookupRequest{Identifier: r.Identifier, AsOf: r.AsOf, KnownAt: r.KnownAt})))
}

// LookupSummary is Lookup in words: without a query the lines of the card and what belongs into none.
func (c *Client) LookupSummary(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.SummaryResult, error) {
	return ask[trilith.SummaryResult](ctx, c, get("/graph/entities/lookup/summary", lookupQuery(s, r)))
}

func lookupQuery(s trilith.Scope, r trilith.LookupRequest) url.Values {
	q := scopeQuery(s, "rag_query", r.Query, "rag_top_k", r.TopK, "rag_min_score", r.MinScore, "rag_debug", r.Debug,
		"rag_expand_hops", r.ExpandHops, "as_of", r.AsOf, "known_at", r.KnownAt, "states", joined(r.IncludeStates))
	q.Set("type", r.Identifier.Type)
	q.Set("value", r.Identifier.Value)
	return q
}
