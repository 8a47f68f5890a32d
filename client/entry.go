package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// AddEntry stores a knowledge entry. It is repeated while the server is unavailable only if it has a RequestKey or an
// ExternalID.
func (c *Client) AddEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (cairn.Memory, error) {
	var out cairn.Memory
	if !utf8.ValidString(r.Content) {
		return out, cairn.Errorf(cairn.Invalid, "content: is not valid UTF-8")
	}
	return ask[cairn.Memory](ctx, c,
		request{method: http.MethodPost, path: "/entries", idempotent: r.RequestKey != "" ||
			r.ExternalID != "",
			body: struct {
				cairn.Scope
				cairn.EntryRequest
			}{s, r}})
}

// Entry returns one knowledge entry.
func (c *Client) Entry(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	var out cairn.Memory
	if err := id.Validate(); err != nil {
		return out, err
	}
	return ask[cairn.Memory](ctx, c, get("/entries/"+string(id), scopeQuery(s)))
}

// PutEntry stores an entry under a key, replacing the value that the key has in exactly this scope.
func (c *Client) PutEntry(ctx context.Context, s cairn.Scope, key string, r cairn.PutRequest) (cairn.Memory, error) {
	var out cairn.Memory
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	if !utf8.ValidString(r.Content) {
		return out, cairn.Errorf(cairn.Invalid, "content: is not valid UTF-8")
	}
	return ask[cairn.Memory](ctx, c,
		request{method: http.MethodPut, path: path, idempotent: r.Version == 0 && !r.IfAbsent,
			body: struct {
				cairn.Scope
				cairn.PutRequest
			}{s, r}})
}

// EntryByKey returns the entry that has a key in this very scope.
func (c *Client) EntryByKey(ctx context.Context, s cairn.Scope, key string) (cairn.Memory, error) {
	var out cairn.Memory
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	return ask[cairn.Memory](ctx, c, get(path, scopeQuery(s)))
}

// ForgetByKey forgets the entry that has a key in this very scope.
func (c *Client) ForgetByKey(ctx context.Context, s cairn.Scope, key string) (cairn.ForgetResult, error) {
	var out cairn.ForgetResult
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	return ask[cairn.ForgetResult](ctx, c, request{method: http.MethodDelete, path: path, query: scopeQuery(s)})
}

// EraseByKey erases the entry that has a key in this very scope. It needs the right admin.
func (c *Client) EraseByKey(ctx context.Context, s cairn.Scope, key string) (cairn.EraseReceipt, error) {
	path, err := keyPath(key)
	if err != nil {
		return cairn.EraseReceipt{}, err
	}
	q := scopeQuery(s)
	q.Set("erase", "true")
	var out struct {
		Receipt cairn.EraseReceipt `json:"receipt"`
	}
	err = c.call(ctx, request{method: http.MethodDelete, path: path, query: q}, &out)
	return out.Receipt, err
}

// KeyedEntries lists the entries of exactly this scope with a key prefix, oldest first.
func (c *Client) KeyedEntries(ctx context.Context, s cairn.Scope, r cairn.KeyedRequest) (cairn.Page, error) {
	q := scopeQuery(s)
	if r.Prefix != "" {
		q.Set("prefix", r.Prefix)
	}
	if r.Limit != 0 {
		q.Set("limit", strconv.Itoa(r.Limit))
	}
	if r.Cursor != "" {
		q.Set("cursor", r.Cursor)
	}
	return ask[cairn.Page](ctx, c, get("/memories/by-key", q))
}

// keyPath is the path of a key.
func keyPath(key string) (string, error) {
	switch {
	case key == "":
		return "", cairn.Errorf(cairn.Invalid, "key: is empty")
	case !utf8.ValidString(key):
		return "", cairn.Errorf(cairn.Invalid, "key: is not valid UTF-8")
	}
	return "/memories/by-key/" + url.PathEscape(key), nil
}

// SimilarEntries returns the entries of the scope's domain that are most like a text or an embedding.
func (c *Client) SimilarEntries(ctx context.Context, s cairn.Scope, r cairn.SimilarRequest) (
	cairn.SimilarEntries, error) {
	var out cairn.SimilarEntries
	if !utf8.ValidString(r.Text) {
		return out, cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8")
	}
	return ask[cairn.SimilarEntries](ctx, c,
		request{method: http.MethodPost, path: "/entries/similar", idempotent: true,
			body: struct {
				cairn.Scope
				cairn.SimilarRequest
			}{s, r}})
}
