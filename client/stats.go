package client

import (
	"context"
	"fmt"
	"net/url"
	"reflect"

	"github.com/trilith-memory/trilith"
)

// Facets returns the values that a field of memories of the scope has, the most frequent first.
func (c *Client) Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error) {
	var out trilith.FacetList
	query, err := countingQuery(s, q.Counting)
	if err != nil {
		return out, err
	}
	set(query, "field", q.Field, "prefix", q.Prefix, "limit", q.Limit)
	return ask[trilith.FacetList](ctx, c, get("/stats/facets", query))
}

// Histogram counts memories of the scope by period, the earliest first.
func (c *Client) Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error) {
	var out trilith.Histogram
	query, err := countingQuery(s, q.Counting)
	if err != nil {
		return out, err
	}
	set(query, "by", q.By, "time", q.Time, "split", q.Split)
	return ask[trilith.Histogram](ctx, c, get("/stats/histogram", query))
}

func countingQuery(s trilith.Scope, c trilith.Counting) (url.Values, error) {
	q := scopeQuery(s)
	for _, k := range c.Kinds {
		q.Add("kinds", string(k))
	}
	for _, st := range c.States {
		q.Add("states", string(st))
	}
	return q, setFilter(q, c.Filter)
}

// set adds pairs of names and values to a query, except zero values, for which the service has its own.
func set(q url.Values, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		if value := reflect.ValueOf(pairs[i+1]); !value.IsZero() {
			q.Set(pairs[i].(string), fmt.Sprint(value))
		}
	}
}

// setFilter puts a filter into a query.
func setFilter(q url.Values, f trilith.Filter) error {
	if f.IsZero() {
		return nil
	}
	text, err := f.MarshalJSON()
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "filter: cannot be written as JSON: %w", err)
	}
	q.Set("filter", string(text))
	return nil
}
