// Package letta is the dialect of Letta, as far as it is memory: blocks, agents as those who have some, passages and
// archives, and the messages of agents. An agent is an agent of a scope, and an archive a project.
package letta

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compat"
)

const (
	// types of objects, and what their ids begin with
	blockType, agentType, archiveType = "block", "agent", "archive"

	passagePrefix = "passage-"
	messagePrefix = "message-"

	defaultLimit = 50
	defaultTopK  = 10
	blockLimit   = 100_000 // characters of a block, if it does not say
)

// Dialect is the table of calls.
var Dialect = compat.Dialect{
	Name: "letta", Vendor: "Letta",
	Roots:   []string{"/v1/"},
	Problem: func(_ int, detail string) any { return map[string]string{"detail": detail} },
	Whose:   []string{"agent_id", "archive_id"},
	Routes:  slices.Concat(blockRoutes, agentRoutes, passageRoutes),
	Instead: map[string]string{
		"/v1/agents": "it remembers and does not answer: ask your model with the blocks and passages of the agent",
		"/v1/tools":  "its own tools are at /mcp",
	},
}

var blockRoutes = []compat.Route{
	{Method: "GET", Path: "/v1/health", Do: health},
	{Method: "POST", Path: "/v1/blocks", Need: trilith.AccessWriter, Do: createBlock},
	{Method: "GET", Path: "/v1/blocks", Do: listBlocks},
	{Method: "GET", Path: "/v1/blocks/{block}", Do: getBlock},
	{Method: "PATCH", Path: "/v1/blocks/{block}", Need: trilith.AccessWriter, Do: changeBlock},
	{Method: "DELETE", Path: "/v1/blocks/{block}", Need: trilith.AccessWriter, Do: deleteBlock},
	{Method: "GET", Path: "/v1/blocks/{block}/agents", Do: agentsOfBlock},
}

func health(context.Context, *compat.Call) (any, error) {
	return map[string]string{"status": "ok", "version": "trilith"}, nil
}

// newName is the id of a new object.
func newName(c *compat.Call, kind string) string { return kind + "-" + string(trilith.NewID(c.Now())) }

// cut is the page of a list that the query asks for: behind after, before before. Clients read on behind the last item
// until nothing comes.
func cut[T any](c *compat.Call, all []T, id func(*T) string) ([]T, error) {
	if c.Query.Get("order") == "desc" || c.Query.Get("ascending") == "false" {
		slices.Reverse(all)
	}
	at := func(name string) (int, error) {
		i := slices.IndexFunc(all, func(v T) bool { return id(&v) == c.Query.Get(name) })
		if i < 0 {
			return 0, trilith.Errorf(trilith.Invalid, "%s: %.64q is not in this list", name, c.Query.Get(name))
		}
		return i, nil
	}
	if c.Query.Get("before") != "" {
		i, err := at("before")
		if err != nil {
			return nil, err
		}
		all = all[:i]
	}
	if c.Query.Get("after") != "" {
		i, err := at("after")
		if err != nil {
			return nil, err
		}
		all = all[i+1:]
	}
	return all[:min(c.Whole("limit", defaultLimit), len(all))], nil
}

// page is [cut] with every item in its shape.
func page[T any](c *compat.Call, all []T, id func(*T) string, shape func(*T) map[string]any) (any, error) {
	all, err := cut(c, all, id)
	out := []map[string]any{}
	for i := range all {
		out = append(out, shape(&all[i]))
	}
	return out, err
}

func nameOf(o *trilith.Object) string { return o.Name }

// blockOf is a block as the vendor writes it.
func blockOf(o *trilith.Object) map[string]any {
	out := map[string]any{"id": o.Name, "value": "", "label": nil, "limit": blockLimit, "description": nil,
		"read_only": false, "tags": []any{}, "metadata": map[string]any{}, "created_at": o.CreatedAt,
		"updated_at": o.UpdatedAt}
	for name, value := range o.Data {
		if name != "id" && value != nil {
			out[name] = value
		}
	}
	return out
}

// checkBlock refuses words that are longer than the block takes.
func checkBlock(o *trilith.Object) error {
	value, _ := o.Data["value"].(string)
	limit := blockLimit
	if own, ok := o.Data["limit"].(float64); ok && own > 0 {
		limit = int(own)
	}
	if n := len([]rune(value)); n > limit {
		return trilith.Errorf(trilith.Invalid, "value: has %d characters, the block takes %d", n, limit)
	}
	return nil
}

// addBlock stores a new block.
func addBlock(ctx context.Context, c *compat.Call, data map[string]any, s trilith.Scope) (trilith.Object, error) {
	if label, _ := data["label"].(string); label == "" {
		return trilith.Object{}, trilith.Errorf(trilith.Invalid, "label: is missing")
	}
	o := trilith.Object{Type: blockType, Name: newName(c, blockType), Scope: s, Data: data}
	if err := checkBlock(&o); err != nil {
		return o, err
	}
	return c.Put(ctx, o, true)
}

func createBlock(ctx context.Context, c *compat.Call) (any, error) {
	data := map[string]any{}
	if err := c.Decode(&data); err != nil {
		return nil, err
	}
	o, err := addBlock(ctx, c, data, trilith.Scope{})
	if err != nil {
		return nil, err
	}
	return blockOf(&o), nil
}

func listBlocks(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, blockType)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"label", "name"} {
		if want := c.Query.Get(name); want != "" {
			all = slices.DeleteFunc(all, func(o trilith.Object) bool { return o.Data[name] != want })
		}
	}
	return page(c, all, nameOf, blockOf)
}

func getBlock(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, blockType, c.Path("block"))
	if err != nil {
		return nil, err
	}
	return blockOf(&o), nil
}

// rewriteBlock changes a block, unless it may only be read and stays so.
func rewriteBlock(ctx context.Context, c *compat.Call, o trilith.Object) (any, error) {
	if o.Data == nil {
		o.Data = map[string]any{}
	}
	was := o.Data["value"]
	readOnly := o.Data["read_only"] == true
	if err := c.Decode(&o.Data); err != nil {
		return nil, err
	}
	if readOnly && o.Data["read_only"] == true && o.Data["value"] != was {
		return nil, trilith.Errorf(trilith.Invalid, "block %s may only be read", o.Name)
	}
	if err := checkBlock(&o); err != nil {
		return nil, err
	}
	o, err := c.Put(ctx, o, false)
	if err != nil {
		return nil, err
	}
	return blockOf(&o), nil
}

func changeBlock(ctx context.Context, c *compat.Call) (any, error) {
	o, err := c.Object(ctx, c.Scope, blockType, c.Path("block"))
	if err != nil {
		return nil, err
	}
	return rewriteBlock(ctx, c, o)
}

func deleteBlock(ctx context.Context, c *compat.Call) (any, error) {
	return nil, c.DeleteObject(ctx, c.Scope, blockType, c.Path("block"))
}

func agentsOfBlock(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, agentType)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o trilith.Object) bool { return !slices.Contains(blockIDs(&o), c.Path("block")) })
	return agents(ctx, c, all)
}

// blockIDs are those of the blocks that an agent has.
func blockIDs(agent *trilith.Object) []string {
	list, _ := agent.Data["block_ids"].([]any)
	var out []string
	for _, id := range list {
		if text, ok := id.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
