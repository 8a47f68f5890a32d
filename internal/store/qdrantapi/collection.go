package qdrantapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Collection is the server's description of a collection: only the parts that matter to us.
type Collection struct {
	Status      string `json:"status"` // green, yellow, grey or red
	PointsCount int    `json:"points_count"`
	Config      struct {
		Params struct {
			Vectors Vectors `json:"vectors"`
		} `json:"params"`
		Strict   *Strict        `json:"strict_mode_config"`
		Metadata map[string]any `json:"metadata"`
	} `json:"config"`
	Schema map[string]struct {
		Type string `json:"data_type"`
	} `json:"payload_schema"`
}

// Vectors are the unnamed vectors of a collection. One with named vectors only has the size 0.
type Vectors struct {
	Size     int    `json:"size"`
	Distance string `json:"distance"`
}

// Strict holds the limits of strict mode; nil is no limit.
type Strict struct {
	Enabled           bool  `json:"enabled"`
	MaxQueryLimit     *int  `json:"max_query_limit"`
	UnindexedRetrieve *bool `json:"unindexed_filtering_retrieve"`
	MaxEF             *int  `json:"search_max_hnsw_ef"`
	AllowExact        *bool `json:"search_allow_exact"`
	UpsertMaxBatch    *int  `json:"upsert_max_batchsize"`
	SearchMaxBatch    *int  `json:"search_max_batchsize"`
	MaxConditions     *int  `json:"filter_max_conditions"`
	ConditionMaxSize  *int  `json:"condition_max_size"`
}

// Point is a point as answers have it. Fields that the request did not ask for are empty.
type Point struct {
	ID      PointID        `json:"id"`
	Score   float32        `json:"score"`
	Payload map[string]any `json:"payload"`
	Vector  []float32      `json:"vector"`
}

// PointID is the id of a point: a UUID, or a number, which is kept as its digits.
type PointID string

// UnmarshalJSON reads a text or a number.
func (id *PointID) UnmarshalJSON(data []byte) error {
	*id = PointID(strings.Trim(string(data), `"`))
	return nil
}

// MarshalJSON writes digits as a number and all else as a text.
func (id PointID) MarshalJSON() ([]byte, error) {
	if _, err := strconv.ParseUint(string(id), 10, 64); err == nil {
		return []byte(id), nil
	}
	return strconv.AppendQuote(nil, string(id)), nil
}

// Version returns the server's version, as 1.19.0.
func (c *Client) Version(ctx context.Context) (string, error) {
	var root struct{ Version string } // it has no result around it
	err := c.send(ctx, http.MethodGet, "/", nil, &root)
	return root.Version, err
}

// Collections returns the names of all collections.
func (c *Client) Collections(ctx context.Context) ([]string, error) {
	var r struct{ Collections []struct{ Name string } }
	err := c.Call(ctx, http.MethodGet, "/collections", nil, &r)
	names := make([]string, len(r.Collections))
	for i := range names {
		names[i] = r.Collections[i].Name
	}
	slices.Sort(names)
	return names, err
}

// Count counts the points that a filter selects; all if it is nil.
func (c *Client) Count(ctx context.Context, collection string, filter map[string]any) (int, error) {
	var r struct{ Count int }
	err := c.Call(ctx, http.MethodPost, Path(collection, "/points/count"),
		map[string]any{"filter": filter, "exact": true}, &r)
	return r.Count, err
}

// Aliases returns the collections that aliases stand for.
func (c *Client) Aliases(ctx context.Context) (map[string]string, error) {
	var r struct {
		Aliases []struct {
			Alias      string `json:"alias_name"`
			Collection string `json:"collection_name"`
		}
	}
	err := c.Call(ctx, http.MethodGet, "/aliases", nil, &r)
	out := make(map[string]string, len(r.Aliases))
	for _, a := range r.Aliases {
		out[a.Alias] = a.Collection
	}
	return out, err
}

// Collection describes a collection; ok is false if there is none of the name.
func (c *Client) Collection(ctx context.Context, name string) (info Collection, ok bool, err error) {
	err = c.Call(ctx, http.MethodGet, Path(name, ""), nil, &info)
	if Status(err) == http.StatusNotFound {
		return Collection{}, false, nil
	}
	return info, err == nil, err
}

// ScrollPage is a page of points in the order of their ids.
type ScrollPage struct {
	Points []Point  `json:"points"`
	Next   *PointID `json:"next_page_offset"` // nil: there are no more
}

// Scroll calls page with every page of points that a request to /points/scroll selects, until there are no more or page
// fails. The body has filter, limit, with_payload and with_vector; Scroll sets its offset. The path's query is that of
// reads.
func (c *Client) Scroll(ctx context.Context, collection, query string, body map[string]any,
	page func([]Point) error) error {
	for {
		var p ScrollPage
		if err := c.Call(ctx, http.MethodPost, Path(collection, "/points/scroll")+query, body, &p); err != nil {
			return err
		}
		if err := page(p.Points); err != nil || p.Next == nil {
			return err
		}
		body["offset"] = *p.Next
	}
}

// Path returns the path of a collection, continued by rest.
func Path(collection, rest string) string { return "/collections/" + url.PathEscape(collection) + rest }
