package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/cairn-memory/cairn"
)

// Stats counts the memories of the scope, in every state.
func (c *Client) Stats(ctx context.Context, s cairn.Scope) (cairn.Stats, error) {
	return ask[cairn.Stats](ctx, c, get("/stats", scopeQuery(s)))
}

// Facets returns the values that a field of memories of the scope has, the most frequent first.
func (c *Client) Facets(ctx context.Context, s cairn.Scope, q cairn.FacetsQuery) (cairn.FacetList, error) {
	var out cairn.FacetList
	query, err := countingQuery(s, q.Counting)
	if err != nil {
		return out, err
	}
	set(query, "field", q.Field, "prefix", q.Prefix)
	if q.Limit != 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return ask[cairn.FacetList](ctx, c, get("/stats/facets", query))
}

// Histogram counts memories of the scope by period, the earliest first.
func (c *Client) Histogram(ctx context.Context, s cairn.Scope, q cairn.HistogramQuery) (cairn.Histogram, error) {
	var out cairn.Histogram
	query, err := countingQuery(s, q.Counting)
	if err != nil {
		return out, err
	}
	set(query, "by", string(q.By), "time", string(q.Time), "split", q.Split)
	return ask[cairn.Histogram](ctx, c, get("/stats/histogram", query))
}

func countingQuery(s cairn.Scope, c cairn.Counting) (url.Values, error) {
	q := scopeQuery(s)
	for _, k := range c.Kinds {
		q.Add("kinds", string(k))
	}
	for _, st := range c.States {
		q.Add("states", string(st))
	}
	return q, setFilter(q, c.Filter)
}

// set adds pairs of names and values to a query, except empty values.
func set(q url.Values, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
}

// setFilter puts a filter into a query.
func setFilter(q url.Values, f cairn.Filter) error {
	if f.IsZero() {
		return nil
	}
	text, err := f.MarshalJSON()
	if err != nil {
		return cairn.Errorf(cairn.Invalid, "filter: cannot be written as JSON: %w", err)
	}
	q.Set("filter", string(text))
	return nil
}
