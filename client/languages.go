package client

import (
	"context"
	"net/http"
)

type languages struct {
	Languages []string `json:"languages"`
}

// Languages returns the codes of the languages that the tenant of the key has chosen for its texts, the main one first;
// none if it has not.
func (c *Client) Languages(ctx context.Context) ([]string, error) {
	var out languages
	err := c.call(ctx, get("/languages", nil), &out)
	return out.Languages, err
}

// UseLanguages sets the languages of the tenant's texts and questions, by their codes, the main one first; none removes
// the choice. It returns when the texts are indexed in them.
func (c *Client) UseLanguages(ctx context.Context, codes ...string) error {
	var out languages
	return c.call(ctx, request{method: http.MethodPut, path: "/languages", idempotent: true,
		body: languages{append([]string{}, codes...)}}, &out)
}
