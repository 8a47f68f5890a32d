package engine_test

import (
	"context"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// The calls of objects: each tenant puts, reads, lists and deletes under a name that all of them use.
func init() {
	const kind, name = "thread", "a name of everybody"
	put := func(ctx context.Context, e *engine.Engine, s trilith.Scope) error {
		_, err := e.PutObject(ctx, s, trilith.Object{Type: kind, Name: name, Scope: s.Bare(),
			Data: map[string]any{"of": s.Tenant}}, false)
		return err
	}
	maps.Copy(scopedCalls, map[string][]scopedCall{
		"PutObject": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return nil, put(ctx, e, s)
		}},
		"Object": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			o, err := e.Object(ctx, s, kind, name)
			return o.Data, err
		}},
		"Objects": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			all, err := e.Objects(ctx, s, kind)
			return len(all), err
		}},
		"DeleteObject": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			return nil, e.DeleteObject(ctx, s, kind, name)
		}},
		"AwaitFacts": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.AwaitFacts(ctx, s, []trilith.ID{id}, 0)
		}},
	})
}
