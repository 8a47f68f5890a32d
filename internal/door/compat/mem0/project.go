package mem0

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// projectType is the type of the objects that hold the settings of projects. They are kept and change nothing.
const projectType = "mem0-project"

// usualSettings are the settings that clients read before they have written any.
var usualSettings = map[string]any{"custom_instructions": "", "custom_categories": []any{}}

func project(ctx context.Context, c *compat.Call) (any, error) {
	all, err := settings(ctx, c)
	if fields := c.Query["fields"]; err == nil && len(fields) > 0 {
		maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	}
	return all, err
}

func changeProject(ctx context.Context, c *compat.Call) (any, error) {
	all, err := settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := c.Decode(&all); err != nil {
		return nil, err
	}
	_, err = c.Put(ctx, trilith.Object{Type: projectType, Name: c.Path("project"), Data: all}, false)
	return map[string]any{"message": "Project updated successfully!"}, err
}

func settings(ctx context.Context, c *compat.Call) (map[string]any, error) {
	out := maps.Clone(usualSettings)
	o, err := c.Object(ctx, c.Scope, projectType, c.Path("project"))
	if err != nil && trilith.KindOf(err) != trilith.NotFound {
		return nil, err
	}
	maps.Copy(out, o.Data)
	return out, nil
}
