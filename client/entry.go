package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// AddEntry stores a knowledge entry. It is repeated while the server is unavailable only if it has a RequestKey or an
// ExternalID.
func (c *Client) AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (trilith.Memory, error) {
	var out trilith.Memory
	if !utf8.ValidString(r.Content) {
		return out, trilith.Errorf(trilith.Invalid, "content: is not valid UTF-8")
	}
	return ask[trilith.Memory](ctx, c,
		request{method: http.MethodPost, path: "/entries", idempotent: r.RequestKey != "" ||
			r.ExternalID != "", scope: &s, body: r})
}

// Entry returns one knowledge entry.
func (c *Client) Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	r := get("/entries/"+string(id), scopeQuery(s))
	r.id = &id
	return ask[trilith.Memory](ctx, c, r)
}

// PutEntry stores an entry under a key, replacing the value that the key has in exactly this scope.
func (c *Client) PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (trilith.Memory, error) {
	var out trilith.Memory
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	if !utf8.ValidString(r.Content) {
		return out, trilith.Errorf(trilith.Invalid, "content: is not valid UTF-8")
	}
	return ask[trilith.Memory](ctx, c,
		request{method: http.MethodPut, path: path, idempotent: r.Version == 0 && !r.IfAbsent, scope: &s, body: r})
}

// EntryByKey returns the entry that has a key in this very scope.
func (c *Client) EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	var out trilith.Memory
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	return ask[trilith.Memory](ctx, c, get(path, scopeQuery(s)))
}

// ForgetByKey forgets the entry that has a key in this very scope.
func (c *Client) ForgetByKey(ctx context.Context, s trilith.Scope, key string) (trilith.ForgetResult, error) {
	var out trilith.ForgetResult
	path, err := keyPath(key)
	if err != nil {
		return out, err
	}
	return ask[trilith.ForgetResult](ctx, c, request{method: http.MethodDelete, path: path, query: scopeQuery(s)})
}

// EraseByKey erases the entry that has a key in this very scope. It needs the right admin.
func (c *Client) EraseByKey(ctx context.Context, s trilith.Scope, key string) (trilith.EraseReceipt, error) {
	path, err := keyPath(key)
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	q := scopeQuery(s)
	q.Set("erase", "true")
	var out struct {
		Receipt trilith.EraseReceipt `json:"receipt"`
	}
	err = c.call(ctx, request{method: http.MethodDelete, path: path, query: q}, &out)
	return out.Receipt, err
}

// KeyedEntries lists the entries of exactly this scope with a key prefix, oldest first.
func (c *Client) KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error) {
	q := scopeQuery(s, "prefix", r.Prefix, "limit", r.Limit, "cursor", r.Cursor)
	return ask[trilith.Page](ctx, c, get("/memories/by-key", q))
}

// keyPath is the path of a key.
func keyPath(key string) (string, error) {
	switch {
	case key == "":
		return "", trilith.Errorf(trilith.Invalid, "key: is empty")
	case !utf8.ValidString(key):
		return "", trilith.Errorf(trilith.Invalid, "key: is not valid UTF-8")
	}
	return "/memories/by-key/" + url.PathEscape(key), nil
}

// SimilarEntries returns the entries of the scope's domain that are most like a text or an embedding.
func (c *Client) SimilarEntries(ctx context.Context, s trilith.Scope, r trilith.SimilarRequest) (
	trilith.SimilarEntries, error) {
	var out trilith.SimilarEntries
	if !utf8.ValidString(r.Text) {
		return out, trilith.Errorf(trilith.Invalid, "text: is not valid UTF-8")
	}
	return ask[trilith.SimilarEntries](ctx, c,
		request{method: http.MethodPost, path: "/entries/similar", idempotent: true, scope: &s, body: r})
}
