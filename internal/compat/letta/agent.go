package letta

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compat"
)

var agentRoutes = []compat.Route{
	{Method: "POST", Path: "/v1/agents", Need: trilith.AccessWriter, Do: createAgent},
	{Method: "GET", Path: "/v1/agents", Do: listAgents},
	{Method: "GET", Path: "/v1/agents/{agent}", Do: getAgent},
	{Method: "PATCH", Path: "/v1/agents/{agent}", Need: trilith.AccessWriter, Do: changeAgent},
	{Method: "DELETE", Path: "/v1/agents/{agent}", Need: trilith.AccessWriter, Do: deleteAgent},
	{Method: "GET", Path: "/v1/agents/{agent}/core-memory/blocks", Do: agentBlocks},
	{Method: "GET", Path: "/v1/agents/{agent}/core-memory/blocks/{label}", Do: agentBlock},
	{Method: "PATCH", Path: "/v1/agents/{agent}/core-memory/blocks/{label}", Need: trilith.AccessWriter,
		Do: changeAgentBlock},
	{Method: "PATCH", Path: "/v1/agents/{agent}/core-memory/blocks/attach/{block}", Need: trilith.AccessWriter,
		Do: attachBlock(true)},
	{Method: "PATCH", Path: "/v1/agents/{agent}/core-memory/blocks/detach/{block}", Need: trilith.AccessWriter,
		Do: attachBlock(false)},
	{Method: "GET", Path: "/v1/agents/{agent}/messages", Do: messages},
}

// shapeAgent is an agent as the vendor writes it. Typed clients need every member.
func shapeAgent(ctx context.Context, c *compat.Call, o *trilith.Object) (map[string]any, error) {
	blocks, err := blocksOf(ctx, c, o)
	if err != nil {
		return nil, err
	}
	shaped := []map[string]any{}
	for i := range blocks {
		shaped = append(shaped, blockOf(&blocks[i]))
	}
	out := map[string]any{"system": "", "agent_type": "memgpt_v2_agent", "sources": []any{}, "tools": []any{},
		"tags": []any{}, "metadata": map[string]any{}, "description": nil,
		"llm_config": map[string]any{"model": "", "model_endpoint_type": "openai", "context_window": 0}}
	for name, value := range o.Data {
		if value != nil && name != "memory_blocks" {
			out[name] = value
		}
	}
	maps.Copy(out, map[string]any{"id": o.Name, "created_at": o.CreatedAt, "updated_at": o.UpdatedAt, "blocks": shaped,
		"memory": map[string]any{"blocks": shaped}})
	if out["name"] == nil {
		out["name"] = o.Name
	}
	return out, nil
}

func agents(ctx context.Context, c *compat.Call, all []trilith.Object) (any, error) {
	all, err := cut(c, all, nameOf)
	out := []map[string]any{}
	for i := range all {
		one, err := shapeAgent(ctx, c, &all[i])
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, err
}

func createAgent(ctx context.Context, c *compat.Call) (any, error) {
	data := map[string]any{}
	if err := c.Decode(&data); err != nil {
		return nil, err
	}
	name := newName(c, agentType)
	s := trilith.Scope{Agent: name}
	ids, _ := data["block_ids"].([]any)
	drafts, _ := data["memory_blocks"].([]any)
	delete(data, "memory_blocks")
	for _, draft := range drafts {
		block, ok := draft.(map[string]any)
		if !ok {
			return nil, trilith.Errorf(trilith.Invalid, "memory_blocks: must be a list of objects with label and value")
		}
		o, err := addBlock(ctx, c, block, s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, o.Name)
	}
	data["block_ids"] = ids
	o, err := c.Put(ctx, trilith.Object{Type: agentType, Name: name, Scope: s, Data: data}, true)
	if err != nil {
		return nil, err
	}
	return shapeAgent(ctx, c, &o)
}

// agent returns the agent of a path.
func agent(ctx context.Context, c *compat.Call) (trilith.Object, error) {
	return c.Object(ctx, c.Scope, agentType, c.Path("agent"))
}

func listAgents(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, c.Scope, agentType)
	if err != nil {
		return nil, err
	}
	if name := c.Query.Get("name"); name != "" {
		all = slices.DeleteFunc(all, func(o trilith.Object) bool { return o.Data["name"] != name })
	}
	return agents(ctx, c, all)
}

func getAgent(ctx context.Context, c *compat.Call) (any, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return nil, err
	}
	return shapeAgent(ctx, c, &o)
}

func changeAgent(ctx context.Context, c *compat.Call) (any, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := c.Decode(&o.Data); err != nil {
		return nil, err
	}
	if o, err = c.Put(ctx, o, false); err != nil {
		return nil, err
	}
	return shapeAgent(ctx, c, &o)
}

// deleteAgent deletes an agent with what it remembers, and the blocks that were made for it.
func deleteAgent(ctx context.Context, c *compat.Call) (any, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return nil, err
	}
	if _, err := c.Delete(ctx, c.Scope, nil, trilith.Where("agent", trilith.OpEq, o.Name)); err != nil {
		return nil, err
	}
	s := c.Within(trilith.Scope{Agent: o.Name})
	own, err := c.Objects(ctx, s, blockType)
	if err != nil {
		return nil, err
	}
	for _, gone := range append(own, o) {
		err := c.DeleteObject(ctx, c.Scope, gone.Type, gone.Name)
		if err != nil && trilith.KindOf(err) != trilith.NotFound { // erasing took it along
			return nil, err
		}
	}
	return nil, nil
}

// blocksOf reads the blocks of an agent, in their order; those that were deleted since are left out.
func blocksOf(ctx context.Context, c *compat.Call, o *trilith.Object) ([]trilith.Object, error) {
	var out []trilith.Object
	for _, id := range blockIDs(o) {
		block, err := c.Object(ctx, c.Scope, blockType, id)
		if err != nil && trilith.KindOf(err) == trilith.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, block)
	}
	return out, nil
}

func agentBlocks(ctx context.Context, c *compat.Call) (any, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := blocksOf(ctx, c, &o)
	if err != nil {
		return nil, err
	}
	return page(c, all, nameOf, blockOf)
}

// labelled returns the block of an agent that a path names by its label.
func labelled(ctx context.Context, c *compat.Call) (trilith.Object, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return o, err
	}
	all, err := blocksOf(ctx, c, &o)
	if err != nil {
		return o, err
	}
	label := c.Path("label")
	i := slices.IndexFunc(all, func(b trilith.Object) bool { return b.Data["label"] == label })
	if i < 0 {
		return o, trilith.Errorf(trilith.NotFound, "agent %s has no block %.64q", o.Name, label)
	}
	return all[i], nil
}

func agentBlock(ctx context.Context, c *compat.Call) (any, error) {
	o, err := labelled(ctx, c)
	if err != nil {
		return nil, err
	}
	return blockOf(&o), nil
}

func changeAgentBlock(ctx context.Context, c *compat.Call) (any, error) {
	o, err := labelled(ctx, c)
	if err != nil {
		return nil, err
	}
	return rewriteBlock(ctx, c, o)
}

// attachBlock gives an agent a block, or takes it away.
func attachBlock(attach bool) func(context.Context, *compat.Call) (any, error) {
	return func(ctx context.Context, c *compat.Call) (any, error) {
		o, err := agent(ctx, c)
		if err != nil {
			return nil, err
		}
		block := c.Path("block")
		if _, err := c.Object(ctx, c.Scope, blockType, block); err != nil {
			return nil, err
		}
		ids := slices.DeleteFunc(blockIDs(&o), func(id string) bool { return id == block })
		if attach {
			ids = append(ids, block)
		}
		list := make([]any, len(ids))
		for i, id := range ids {
			list[i] = id
		}
		o.Data["block_ids"] = list
		if o, err = c.Put(ctx, o, false); err != nil {
			return nil, err
		}
		return shapeAgent(ctx, c, &o)
	}
}

// messages lists what was said by and to an agent.
func messages(ctx context.Context, c *compat.Call) (any, error) {
	o, err := agent(ctx, c)
	if err != nil {
		return nil, err
	}
	s := c.Within(trilith.Scope{Agent: o.Name})
	all, err := c.All(ctx, s, trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), false)
	if err != nil {
		return nil, err
	}
	id := func(m *trilith.Memory) string { return messagePrefix + string(m.ID) }
	return page(c, all, id, func(m *trilith.Memory) map[string]any {
		return map[string]any{"id": id(m), "message_type": strings.ToLower(cmp.Or(string(m.Role), "user")) + "_message",
			"content": m.Text, "date": m.EventTime}
	})
}
