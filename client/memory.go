package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Remember stores something. It is repeated while the server is unavailable only if it has a RequestKey or is a dry
// run. If nothing of it is stored, that is an error, a [*trilith.Refused].
func (c *Client) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	var out trilith.RememberResult
	if err := checkTexts(&r); err != nil {
		return out, err
	}
	return ask[trilith.RememberResult](ctx, c,
		request{method: http.MethodPost, path: "/memories", idempotent: r.RequestKey != "" || r.DryRun, scope: &s, body: r})
}

// checkTexts returns an error for texts that JSON cannot represent: its encoder would replace invalid bytes, and the
// stored text would differ.
func checkTexts(r *trilith.RememberRequest) error {
	texts := []string{r.Text}
	for _, m := range r.Messages {
		texts = append(texts, m.Content)
	}
	if r.Note != nil {
		texts = append(texts, r.Note.Content)
	}
	if r.Entry != nil {
		texts = append(texts, r.Entry.Content)
	}
	if r.Document != nil {
		texts = append(texts, r.Document.Content)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return trilith.Errorf(trilith.Invalid, "content: is not valid UTF-8")
		}
	}
	return nil
}

// Recall searches the memories for a question.
func (c *Client) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return ask[trilith.RecallResult](ctx, c, request{method: http.MethodPost, path: "/search", idempotent: true,
		scope: &s, body: r})
}

// Context makes the text that a prompt gets.
func (c *Client) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	return ask[trilith.ContextBlock](ctx, c, request{method: http.MethodPost, path: "/context", idempotent: true,
		scope: &s, body: r})
}

// Get returns one memory.
func (c *Client) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return ofMemory[trilith.Memory](ctx, c, s, id, request{method: http.MethodGet, idempotent: true})
}

// List returns one page of a listing, of active memories unless the request says otherwise.
func (c *Client) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	q := scopeQuery(s)
	if err := setFilter(q, r.Filter); err != nil {
		return trilith.Page{}, err
	}
	set(q, "sort", r.Sort, "limit", r.Limit, "cursor", r.Cursor, "newest", r.Newest)
	for _, st := range r.States {
		q.Add("states", string(st))
	}
	set(q, "archived", r.Archived, "brief", r.Brief)
	return ask[trilith.Page](ctx, c, get("/memories", q))
}

// Update changes one memory.
func (c *Client) Update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (trilith.Memory,
	error) {
	return ofMemory[trilith.Memory](ctx, c, s, id, request{method: http.MethodPatch, body: r})
}

// Forget takes memories out of search.
func (c *Client) Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
	return ask[trilith.ForgetResult](ctx, c, request{method: http.MethodPost, path: "/forget", idempotent: r.DryRun,
		scope: &s, body: r})
}

// Erase removes memories for good. The key needs the right admin.
func (c *Client) Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error) {
	return ask[trilith.EraseReceipt](ctx, c, request{method: http.MethodPost, path: "/admin/erase", idempotent: r.DryRun,
		scope: &s, body: r})
}

// Share makes a memory visible in a second scope and returns the share: a reference, which follows the memory. The
// tenant of to is ignored.
func (c *Client) Share(ctx context.Context, s trilith.Scope, id trilith.ID, to trilith.Scope) (trilith.Memory, error) {
	return ofMemory[trilith.Memory](ctx, c, s, id, request{method: http.MethodPost, path: "/share", idempotent: true,
		body: struct {
			Scope trilith.Scope `json:"scope"`
		}{to}})
}

// History returns the life of a memory.
func (c *Client) History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error) {
	return ofMemory[trilith.History](ctx, c, s, id, get("/history", nil))
}

// ofMemory calls an operation on one memory; r.path is the path after its id.
func ofMemory[T any](ctx context.Context, c *Client, s trilith.Scope, id trilith.ID, r request) (out T, err error) {
	r.id, r.path, r.query = &id, "/memories/"+string(id)+r.path, scopeQuery(s)
	return ask[T](ctx, c, r)
}

// scopeQuery is a query with a scope, and pairs of names and values as [set] adds them.
func scopeQuery(s trilith.Scope, pairs ...any) url.Values {
	q := url.Values{}
	for _, f := range s.Fields() {
		set(q, f.Name, f.Value)
	}
	set(q, "time_zone", s.TimeZone)
	set(q, pairs...)
	return q
}
