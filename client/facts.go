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

// Assimilate stores what was said about an entity, and derives facts from it. If the server cannot derive and index the
// facts in time, the answer is Pending, and a job continues in the background. The call is repeated while the server is
// unavailable only if it has a RequestKey.
func (c *Client) Assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (
	cairn.AssimilateResult, error) {
	var out cairn.AssimilateResult
	if !utf8.ValidString(r.Content) {
		return out, cairn.Errorf(cairn.Invalid, "content: is not valid UTF-8")
	}
	return ask[cairn.AssimilateResult](ctx, c,
		request{method: http.MethodPost, path: "/graph/assimilate", idempotent: r.RequestKey != "",
			body: struct {
				cairn.Scope
				cairn.AssimilateRequest
			}{s, r}})
}

// Lookup returns the facts of an entity: all of them, or with a query those that match it.
func (c *Client) Lookup(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.LookupResult, error) {
	return ask[cairn.LookupResult](ctx, c, get("/graph/entities/lookup", lookupQuery(s, r)))
}

// LookupSummary is Lookup in prose.
func (c *Client) LookupSummary(ctx context.Context, s cairn.Scope, r cairn.LookupRequest) (cairn.SummaryResult, error) {
	return ask[cairn.SummaryResult](ctx, c, get("/graph/entities/lookup/summary", lookupQuery(s, r)))
}

// Reextract derives facts in the background: again from all sources of the scope that have facts, or with missing from
// conversations and notes without any. The key needs the right admin.
func (c *Client) Reextract(ctx context.Context, s cairn.Scope, missing bool) (cairn.Reextraction, error) {
	q := scopeQuery(s)
	if missing {
		q.Set("missing", "true")
	}
	return ask[cairn.Reextraction](ctx, c,
		request{method: http.MethodPost, path: "/admin/reextract", query: q, idempotent: true})
}

func lookupQuery(s cairn.Scope, r cairn.LookupRequest) url.Values {
	q := scopeQuery(s)
	q.Set("type", r.Identifier.Type)
	q.Set("value", r.Identifier.Value)
	if r.Query != "" {
		q.Set("rag_query", r.Query)
	}
	if r.TopK != 0 {
		q.Set("rag_top_k", strconv.Itoa(r.TopK))
	}
	if r.MinScore != 0 {
		q.Set("rag_min_score", strconv.FormatFloat(r.MinScore, 'g', -1, 64))
	}
	if r.ExpandHops != 0 {
		q.Set("rag_expand_hops", strconv.Itoa(r.ExpandHops))
	}
	if r.Debug {
		q.Set("rag_debug", "true")
	}
	if r.AsOf != "" {
		q.Set("as_of", r.AsOf)
	}
	if r.KnownAt != "" {
		q.Set("known_at", r.KnownAt)
	}
	if len(r.IncludeStates) > 0 {
		states := make([]string, len(r.IncludeStates))
		for i, state := range r.IncludeStates {
			states[i] = string(state)
		}
		q.Set("states", strings.Join(states, ","))
	}
	return q
}
