// Package mem0 is the dialect of mem0's platform in its versions 1, 2 and 3, as its Python and JavaScript clients speak
// it. Its users, agents, runs and apps are the user, agent, session and project of a scope.
package mem0

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// Bounds and defaults of the vendor.
const (
	defaultTopK     = 10
	defaultPageSize = 100
)

// Dialect is the table of calls.
var Dialect = compat.Dialect{
	Name: "mem0", Vendor: "mem0",
	Roots: []string{"/v1/", "/v2/", "/v3/", "/api/v1/orgs/", "/api/v1/webhooks/"},
	Problem: func(status int, detail string) any {
		return map[string]string{"detail": detail, "error": detail}
	},
	Routes: routes(),
	Whose:  []string{"user_id", "agent_id", "app_id", "run_id"},
	Restrictions: map[string]string{
		"excludes":            chosen,
		"includes":            chosen,
		"custom_instructions": chosen,
		"custom_categories":   "tags and metadata label memories, and filters find them",
		"immutable":           "the right of a key says who may change memories",
		"filter_memories":     "a threshold leaves out what is unlike",
		"retrieval_criteria":  "a threshold leaves out what is unlike",
	},
	Instead: map[string]string{
		"/v1/events":       "the state of one event is at /v1/event/ID, and of background jobs at GET /api/v1/jobs",
		"/v1/exports":      "a scope is exported by trilith export and GET /api/v1/export",
		"/v1/summary":      "summaries are made by trilith call summarize",
		"/v2/profiles":     "what is known of a person is at GET /api/v1/graph/lookup",
		"/api/v1/webhooks": "addresses to call are a setting of the service, TRILITH_WEBHOOKS, and saved searches at /api/v1/searches choose what they are told",
		"/api/v1/orgs":     "tenants and their keys are made by trilith keys create",
	},
}

// chosen says what to use instead of words about what to store.
const chosen = "leave out what shall not be stored, and choose what a model looks for by a profile: PUT /api/v1/profile"

func routes() []compat.Route {
	const writer = trilith.AccessWriter
	out := []compat.Route{
		{Method: "GET", Path: "/v1/ping", Do: ping},
		{Method: "GET", Path: "/v1/memories", Do: list},
		{Method: "DELETE", Path: "/v1/memories", Need: writer, Do: deleteAll},
		{Method: "GET", Path: "/v1/memories/{id}", Do: get},
		{Method: "PUT", Path: "/v1/memories/{id}", Need: writer, Do: compat.Taking(update)},
		{Method: "DELETE", Path: "/v1/memories/{id}", Need: writer, Do: remove},
		{Method: "GET", Path: "/v1/memories/{id}/history", Do: history},
		{Method: "GET", Path: "/v1/event/{id}", Do: event},
		{Method: "GET", Path: "/v1/entities", Do: entities},
		{Method: "PUT", Path: "/v1/batch", Need: writer, Do: compat.Taking(batchUpdate)},
		{Method: "DELETE", Path: "/v1/batch", Need: writer, Do: compat.Taking(batchDelete)},
		{Method: "POST", Path: "/v1/feedback", Need: writer, Do: compat.Taking(feedback)},
	}
	const settingsPath = "/api/v1/orgs/organizations/{org}/projects/{project}"
	out = append(out, compat.Route{Method: "GET", Path: settingsPath, Do: project},
		compat.Route{Method: "PATCH", Path: settingsPath, Need: writer, Do: changeProject})
	for _, path := range []string{"/v1/memories", "/v3/memories/add"} {
		out = append(out, compat.Route{Method: "POST", Path: path, Need: writer, Do: compat.Taking(add)})
	}
	for _, path := range []string{"/v2/memories", "/v3/memories"} {
		out = append(out, compat.Route{Method: "POST", Path: path, Do: list})
	}
	for _, version := range []string{"/v1", "/v2", "/v3"} {
		out = append(out, compat.Route{Method: "POST", Path: version + "/memories/search", Do: compat.Taking(search)})
	}
	for _, version := range []string{"/v1", "/v2"} {
		out = append(out, compat.Route{Method: "DELETE", Path: version + "/entities/{type}/{name}", Need: writer,
			Do: deleteEntity})
	}
	return out
}

func ping(_ context.Context, c *compat.Call) (any, error) {
	return map[string]any{"status": "ok", "org_id": c.Scope.Tenant, "project_id": c.Scope.Tenant}, nil
}

func get(ctx context.Context, c *compat.Call) (any, error) {
	m, err := c.Current(ctx, c.Scope, c.Path("id"))
	if err != nil {
		return nil, err
	}
	return memory(&m), nil
}

// history tells the life of a memory, oldest first.
func history(ctx context.Context, c *compat.Call) (any, error) {
	id := trilith.IDOf(c.Path("id"))
	if id.Validate() != nil {
		return nil, trilith.Errorf(trilith.NotFound, "memory %.64q does not exist", id)
	}
	h, err := c.History(ctx, c.Scope, id)
	if err != nil {
		return nil, err
	}
	out := []map[string]any{}
	var before any
	step := func(m *trilith.Memory, event string, now any, at time.Time) {
		e := memory(m)
		delete(e, "memory")
		e["memory_id"], e["event"], e["old_memory"], e["new_memory"] = id, event, before, now
		e["input"] = []map[string]any{{"role": m.Role, "content": m.Text}}
		e["created_at"], e["updated_at"] = at, at
		out = append(out, e)
		before = now
	}
	for i, m := range slices.Backward(h.Versions) {
		event := "UPDATE"
		if i == len(h.Versions)-1 {
			event = "ADD"
		}
		step(&m, event, m.Text, m.RecordedAt)
	}
	if m := &h.Versions[0]; m.State == trilith.StateRetracted {
		at := m.RecordedAt
		if m.SupersededAt != nil {
			at = *m.SupersededAt
		}
		step(m, "DELETE", "", at)
	}
	return out, nil
}

// event tells how far an add has come. Its id is that of the source of the memories.
func event(ctx context.Context, c *compat.Call) (any, error) {
	id := trilith.IDOf(c.Path("id"))
	none := trilith.Errorf(trilith.NotFound, "event %.64q does not exist", id)
	if id.Validate() != nil {
		return nil, none
	}
	ms, err := c.All(ctx, c.Scope, trilith.Where("source_id", trilith.OpEq, string(id)), false)
	if err != nil {
		return nil, err
	}
	if len(ms) == 0 {
		return nil, none
	}
	slices.SortStableFunc(ms, func(a, b trilith.Memory) int { // an episode, then its facts
		return cmp.Or(a.EventTime.Compare(b.EventTime), cmp.Compare(a.Kind, b.Kind))
	})
	pending, err := c.AwaitFacts(ctx, c.Scope, trilith.IDsOf(ms), time.Millisecond)
	if err != nil {
		return nil, err
	}
	at := ms[0].RecordedAt
	return map[string]any{"id": id, "event_type": "ADD", "status": status(pending), "payload": map[string]any{}, "metadata": nil,
		"results": added(ms, id, pending), "created_at": at, "updated_at": at, "started_at": at, "completed_at": at,
		"latency": 0, "error": nil}, nil
}

func status(pending bool) string {
	if pending {
		return "PENDING"
	}
	return "SUCCEEDED"
}

// entityTypes are the vendor's words for whose a memory is, by the name of the field of a scope.
var entityTypes = []struct{ kind, field string }{
	{"user", "user"}, {"agent", "agent"}, {"app", "project"}, {"run", "session"}}

// entities counts the memories of every user, agent, app and run.
func entities(ctx context.Context, c *compat.Call) (any, error) {
	ms, err := c.Listed(ctx, c.Scope, compat.Memories(true))
	if err != nil {
		return nil, err
	}
	type entity struct {
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		Type     string         `json:"type"`
		Memories int            `json:"total_memories"`
		Created  time.Time      `json:"created_at"`
		Updated  time.Time      `json:"updated_at"`
		Owner    string         `json:"owner"`
		Metadata map[string]any `json:"metadata"`
	}
	found := []*entity{}
	known := map[string]*entity{}
	for _, m := range ms {
		for _, f := range m.Scope.Fields() {
			for _, t := range entityTypes {
				if t.field != f.Name || f.Value == "" {
					continue
				}
				e := known[t.kind+"\x00"+f.Value]
				if e == nil {
					e = &entity{ID: string(trilith.DeriveID("mem0 entity", t.kind, f.Value)), Name: f.Value, Type: t.kind,
						Updated: m.RecordedAt, Owner: c.Scope.Tenant, Metadata: map[string]any{}}
					known[t.kind+"\x00"+f.Value] = e
					found = append(found, e)
				}
				e.Memories++
				e.Created = m.RecordedAt // the list is newest first
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *entity) int {
		return strings.Compare(a.Type+"\x00"+a.Name, b.Type+"\x00"+b.Name)
	})
	size := max(c.Whole("page_size", len(found)), 1)
	page := compat.Page(found, c.Whole("page", 1), size)
	return paged(c, len(found), size, page), nil
}

// paged is a page with the addresses of its neighbours.
func paged(c *compat.Call, count, size int, results any) map[string]any {
	page := c.Whole("page", 1)
	at := func(n int) any {
		if n < 1 || (n-1)*size >= count {
			return nil
		}
		q := c.Request.URL.Query()
		q.Set("page", fmt.Sprint(n))
		scheme := "http"
		if c.Request.TLS != nil || c.Request.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https"
		}
		path, _, _ := strings.Cut(c.Request.RequestURI, "?")
		return scheme + "://" + c.Request.Host + path + "?" + q.Encode()
	}
	return map[string]any{"count": count, "next": at(page + 1), "previous": at(page - 1), "results": results}
}

// whose is the entities that a request names.
type whose struct {
	UserID  compat.Name `json:"user_id"`
	AgentID compat.Name `json:"agent_id"`
	AppID   compat.Name `json:"app_id"`
	RunID   compat.Name `json:"run_id"`
}

func (w whose) names() map[string]any {
	out := map[string]any{}
	for name, value := range map[string]compat.Name{"user_id": w.UserID, "agent_id": w.AgentID, "app_id": w.AppID,
		"run_id": w.RunID} {
		if value != "" {
			out[name] = string(value)
		}
	}
	return out
}

// ofQuery reads the entities that a URL names.
func ofQuery(c *compat.Call) whose {
	name := func(key string) compat.Name { return compat.Name(c.Query.Get(key)) }
	return whose{name("user_id"), name("agent_id"), name("app_id"), name("run_id")}
}

// related adds the relations that version 1 promises: there are none.
func related(c *compat.Call, answer map[string]any) map[string]any {
	if version(c) == "v1" {
		answer["relations"] = []any{}
	}
	return answer
}

// version is which of the vendor's versions is asked.
func version(c *compat.Call) string {
	v, _, _ := strings.Cut(c.Request.URL.Path[1:], "/")
	return v
}

// memories encodes memories, each with the requested members, or all if none are named.
func memories(ms []trilith.Memory, fields []string) []map[string]any {
	out := make([]map[string]any, len(ms))
	for i := range ms {
		out[i] = only(memory(&ms[i]), fields)
	}
	return out
}

func only(m map[string]any, fields []string) map[string]any {
	if len(fields) == 0 {
		return m
	}
	out := map[string]any{"id": m["id"]}
	for _, name := range fields {
		if value, ok := m[name]; ok {
			out[name] = value
		}
	}
	return out
}

// memory is a memory as the vendor writes it. Created is when it was said, which stays when its words change.
func memory(m *trilith.Memory) map[string]any {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	tags := m.Tags
	if tags == nil {
		tags = []string{}
	}
	out := map[string]any{"id": m.ID, "memory": m.Text, "user_id": orNull(m.Scope.User),
		"agent_id": orNull(m.Scope.Agent), "app_id": orNull(m.Scope.Project), "run_id": orNull(m.Scope.Session),
		"metadata": m.Metadata, "categories": tags, "created_at": m.EventTime, "updated_at": m.RecordedAt,
		"expiration_date": nil}
	if m.ValidUntil != nil {
		out["expiration_date"] = m.ValidUntil.Add(-time.Nanosecond).UTC().Format(time.DateOnly)
	}
	return out
}

// expiry is the end of the day on which a memory expires.
func expiry(date string) (string, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return "", trilith.Errorf(trilith.Invalid, "expiration_date: %.40q is not a day such as 2030-01-31", date)
	}
	return day.AddDate(0, 0, 1).Format(time.RFC3339), nil
}
