// Package zep is the dialect of Zep in its version 3, as its Python and JavaScript clients speak it, and the sessions
// of version 2. Its users are users of a scope, its threads and sessions are sessions, and its graphs are projects.
// Edges are facts, nodes are their entities, and episodes are turns and documents.
package zep

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

const (
	root     = "/api/v2"
	nextRoot = "/api/v4" // of the clients 4, whose calls are others

	// types of objects
	userType, threadType, graphType = "user", "thread", "graph"

	defaultPageSize = 50

	writer = trilith.AccessWriter
)

// unrated is what to use instead of a least rating of facts.
const unrated = "facts have a confidence and no rating: POST /api/v1/search takes a filter of it"

const searchable = "POST /api/v1/search takes filters of all fields"

// Dialect is the table of calls.
var Dialect = compat.Dialect{
	Name: "zep", Vendor: "Zep",
	Roots:   []string{root + "/", nextRoot + "/"},
	Problem: func(_ int, detail string) any { return map[string]string{"message": detail} },
	Whose:   []string{"user_id", "graph_id", "group_id", "session_id", "thread_id"},
	Routes: slices.Concat(objectRoutes, threadRoutes, graphRoutes, sessionRoutes, []compat.Route{
		{Method: "GET", Path: root + "/tasks/{id}", Do: task},
		{Method: "GET", Path: root + "/projects/info", Do: projectInfo},
		{Method: "GET", Path: root + "/users/{user}/warm", Do: nothing("Users need no warming here.")},
		{Method: "GET", Path: root + "/graph/{graph}/{what}", Do: warmGraph},
		{Method: "GET", Path: root + "/entity-types", Do: constant("entity_types", "edge_types")},
		{Method: "PUT", Path: root + "/entity-types", Do: nothing("Types are found by themselves; these change nothing.")},
		{Method: "GET", Path: root + "/custom-instructions", Do: constant("instructions")},
		{Method: "GET", Path: root + "/user-summary-instructions", Do: constant("instructions")},
		{Method: "GET", Path: root + "/context-templates", Do: constant("templates")},
	}),
	Restrictions: map[string]string{
		"min_fact_rating":                    unrated,
		"minFactRating":                      unrated,
		"min_rating":                         unrated,
		"minRating":                          unrated,
		"min_score":                          "leave out results by their score",
		"bfs_origin_node_uuids":              "the edges of a node are at graph/node/UUID/entity-edges",
		"search_filters.exclude_node_labels": "leave out nodes by their labels",
		"search_filters.property_filters":    searchable,
		"search_filters.edge_uuids":          "an edge is at graph/edge/UUID",
		"filters":                            searchable,
		"episode_metadata_filters":           searchable,
		"mentioned_node_uuids":               "the episodes of a node are at graph/node/UUID/episodes",
	},
	Instead: map[string]string{
		nextRoot:                            "it has the calls of Zep 3: install zep-cloud<4 or @getzep/zep-cloud@3, with a base URL that ends in " + root,
		root + "/custom-instructions":       "what a model looks for is chosen by an extraction profile: PUT /api/v1/profile",
		root + "/user-summary-instructions": "summaries are made by trilith call summarize",
		root + "/context-templates":         "a context block has the formats of POST /api/v1/context",
		root + "/graph/clone":               "a scope is copied by trilith export and trilith import",
		root + "/graph/patterns":            "neighbours of an entity are at GET /api/v1/graph/neighborhood",
		root + "/batches":                   "many messages go to POST threads/ID/messages-batch, many texts to POST graph-batch",
	},
}

// constant answers empty lists under names.
func constant(names ...string) func(context.Context, *compat.Call) (any, error) {
	out := map[string]any{}
	for _, name := range names {
		out[name] = []any{}
	}
	return func(context.Context, *compat.Call) (any, error) { return out, nil }
}

type message struct {
	Message string `json:"message"`
}

func nothing(text string) func(context.Context, *compat.Call) (any, error) {
	return func(context.Context, *compat.Call) (any, error) { return message{text}, nil }
}

func warmGraph(_ context.Context, c *compat.Call) (any, error) {
	if c.Path("what") != "warm" {
		return nil, trilith.Errorf(trilith.Unsupported, "trilith does not have graph/{graph}/%.40s of Zep; docs/compat.md lists "+
			"the calls that are there", c.Path("what"))
	}
	return message{"Graphs need no warming here."}, nil
}

func projectInfo(_ context.Context, c *compat.Call) (any, error) {
	return map[string]any{"project": map[string]any{"uuid": uuid(c, "project", c.Scope.Tenant), "name": c.Scope.Tenant,
		"description": "", "created_at": time.Unix(0, 0).UTC()}}, nil
}

// task tells how far the facts of a source are. Its id is that of the source.
func task(ctx context.Context, c *compat.Call) (any, error) {
	id := c.Path("id")
	ms, err := c.All(ctx, c.Scope, trilith.Where("source_id", trilith.OpEq, id), false)
	if err != nil {
		return nil, err
	}
	if len(ms) == 0 {
		return nil, trilith.Errorf(trilith.NotFound, "task %.64q does not exist", id)
	}
	pending, err := c.AwaitFacts(ctx, c.Scope, trilith.IDsOf(ms), time.Millisecond)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"task_id": id, "status": "succeeded", "type": "ingest", "created_at": ms[0].RecordedAt,
		"completed_at": ms[0].RecordedAt}
	if pending {
		out["status"], out["completed_at"] = "processing", nil
	}
	return out, nil
}

func addObject(kind string) func(context.Context, *compat.Call) (any, error) {
	return func(ctx context.Context, c *compat.Call) (any, error) {
		data := map[string]any{}
		if err := c.Decode(&data); err != nil {
			return nil, err
		}
		name, _ := data[kind+"_id"].(string)
		if name == "" {
			return nil, trilith.Errorf(trilith.Invalid, "%s_id: is missing", kind)
		}
		delete(data, kind+"_id")
		o, err := c.Put(ctx, trilith.Object{Type: kind, Name: name, Scope: scopeOf(kind, name), Data: data}, true)
		if err != nil {
			return nil, known(err)
		}
		return shape(c, &o), nil
	}
}

// known turns a conflict, which the clients have no class for, into a bad request.
func known(err error) error {
	if trilith.KindOf(err) == trilith.Conflict {
		return trilith.Errorf(trilith.Invalid, "%s", trilith.MessageOf(err))
	}
	return err
}

func getObject(kind string) func(context.Context, *compat.Call) (any, error) {
	return func(ctx context.Context, c *compat.Call) (any, error) {
		o, err := c.Object(ctx, c.Scope, kind, c.Path(kind))
		if err != nil {
			return nil, err
		}
		return shape(c, &o), nil
	}
}

func changeObject(kind string) func(context.Context, *compat.Call) (any, error) {
	return func(ctx context.Context, c *compat.Call) (any, error) {
		o, err := c.Object(ctx, c.Scope, kind, c.Path(kind))
		if err != nil {
			return nil, err
		}
		if o, err = c.UpdateObject(ctx, o); err != nil {
			return nil, err
		}
		return shape(c, &o), nil
	}
}

func listUsers(ctx context.Context, c *compat.Call) (any, error) {
	page, total, err := ordered(ctx, c, userType, "pageNumber", "pageSize")
	return map[string]any{"users": shapes(c, page), "total_count": total, "row_count": len(page)}, err
}

func listGraphs(ctx context.Context, c *compat.Call) (any, error) {
	page, total, err := ordered(ctx, c, graphType, "pageNumber", "pageSize")
	return map[string]any{"graphs": shapes(c, page), "total_count": total, "row_count": len(page)}, err
}

// ordered reads objects of a type in the order that the query asks for, and cuts its page out.
func ordered(ctx context.Context, c *compat.Call, kind, page, size string) (cut []trilith.Object, total int, err error) {
	all, err := c.Objects(ctx, c.Scope, kind)
	if err != nil {
		return nil, 0, err
	}
	if search := strings.ToLower(c.Query.Get("search")); search != "" {
		all = slices.DeleteFunc(all, func(o trilith.Object) bool {
			return !strings.Contains(strings.ToLower(o.Name), search)
		})
	}
	if c.Query.Get("order_by") == kind+"_id" {
		slices.SortFunc(all, func(a, b trilith.Object) int { return strings.Compare(a.Name, b.Name) })
	}
	if c.Query.Get("asc") == "false" {
		slices.Reverse(all)
	}
	return compat.Page(all, c.Whole(page, 1), max(c.Whole(size, defaultPageSize), 1)), len(all), nil
}

// userThreads lists the threads of a user.
func userThreads(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, within(c, userType, c.Path(userType)), threadType)
	return shapes(c, all), err
}

func shapes(c *compat.Call, all []trilith.Object) []map[string]any {
	out := make([]map[string]any, len(all))
	for i := range all {
		out[i] = shape(c, &all[i])
	}
	return out
}

// objectRoutes are the calls for users and graphs, which are objects of one form.
var objectRoutes = []compat.Route{
	{Method: "POST", Path: root + "/users", Need: writer, Status: 201, Do: addObject(userType)},
	{Method: "GET", Path: root + "/users-ordered", Do: listUsers},
	{Method: "GET", Path: root + "/users/{user}", Do: getObject(userType)},
	{Method: "PATCH", Path: root + "/users/{user}", Need: writer, Do: changeObject(userType)},
	{Method: "DELETE", Path: root + "/users/{user}", Need: writer, Do: deleteUser},
	{Method: "GET", Path: root + "/users/{user}/threads", Do: userThreads},
	{Method: "GET", Path: root + "/users/{user}/node", Do: userNode},
	{Method: "POST", Path: root + "/graph/create", Need: writer, Status: 201, Do: addObject(graphType)},
	{Method: "GET", Path: root + "/graph/list-all", Do: listGraphs},
	{Method: "GET", Path: root + "/graph/{graph}", Do: getObject(graphType)},
	{Method: "PATCH", Path: root + "/graph/{graph}", Need: writer, Do: changeObject(graphType)},
	{Method: "DELETE", Path: root + "/graph/{graph}", Need: writer, Do: deleteGraph},
}

// shape is a user, a thread, a session or a graph as the vendor writes it.
func shape(c *compat.Call, o *trilith.Object) map[string]any {
	out := map[string]any{"uuid": uuid(c, o.Type, o.Name), o.Type + "_id": o.Name, "created_at": o.CreatedAt,
		"updated_at": o.UpdatedAt}
	for name, value := range o.Data {
		if _, ours := out[name]; !ours {
			out[name] = value
		}
	}
	switch o.Type {
	case userType:
		out["graph_uuid"] = uuid(c, graphType, "user "+o.Name)
	case threadType:
		out["user_id"], out["user_uuid"] = o.Scope.User, uuid(c, userType, o.Scope.User)
	}
	return out
}

// uuid makes a stable id for a thing that has only a name here.
func uuid(c *compat.Call, kind, name string) trilith.ID {
	return trilith.DeriveID("zep", c.Scope.Tenant, kind, name)
}

func deleteUser(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, userType, c.Path(userType))
	if err != nil {
		return nil, err
	}
	s := within(c, userType, o.Name)
	threads, err := c.Objects(ctx, s, threadType)
	if err != nil {
		return nil, err
	}
	if err := deleteAll(ctx, c, s, "user", o.Name, append(threads, o)...); err != nil {
		return nil, err
	}
	return message{"User deleted."}, nil
}

func deleteGraph(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, graphType, c.Path(graphType))
	if err != nil {
		return nil, err
	}
	if err := deleteAll(ctx, c, within(c, graphType, o.Name), "project", o.Name, o); err != nil {
		return nil, err
	}
	return message{"Graph deleted."}, nil
}

// deleteAll deletes the memories of a scope, and the given objects.
func deleteAll(ctx context.Context, c *compat.Call, s trilith.Scope, field, value string, objects ...trilith.Object) error {
	if _, err := c.Delete(ctx, s, nil, trilith.Where(field, trilith.OpEq, value)); err != nil {
		return err
	}
	for _, o := range objects {
		err := c.DeleteObject(ctx, c.Scope, o.Type, o.Name)
		if err != nil && trilith.KindOf(err) != trilith.NotFound { // erasing took it along
			return err
		}
	}
	return nil
}

// within is the scope of the memories of a user or a graph of the tenant.
func within(c *compat.Call, kind, name string) trilith.Scope {
	return c.Within(scopeOf(kind, name))
}

// scopeOf is the scope of the memories of a user or a graph.
func scopeOf(kind, name string) trilith.Scope {
	if kind == userType {
		return trilith.Scope{User: name}
	}
	return trilith.Scope{Project: name}
}
