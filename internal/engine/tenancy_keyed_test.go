package engine_test

import (
	"context"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// The calls of entries under keys: each tenant puts, reads and lists under a key that all of them use.
func init() {
	const key = "a key of everybody"
	maps.Copy(scopedCalls, map[string][]scopedCall{
		"PutEntry": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			s.Domain = "harbours"
			return e.PutEntry(ctx, s, key, trilith.PutRequest{Entry: trilith.Entry{Content: "One of its own."}})
		}},
		"EntryByKey": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			s.Domain = "harbours"
			return e.EntryByKey(ctx, s, key)
		}},
		"KeyedEntries": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			s.Domain = "harbours"
			page, err := e.KeyedEntries(ctx, s, trilith.KeyedRequest{Prefix: "a key"})
			return len(page.Items), err
		}},
		"ForgetByKey": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.ForgetByKey(ctx, s, "an id like "+string(id))
		}},
		"Batch": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			results, err := e.Batch(ctx, s, trilith.BatchRequest{Operations: []trilith.Operation{
				{Get: &trilith.KeyedRef{Key: key}},
				{Update: &trilith.MemoryUpdate{ID: id, UpdateRequest: trilith.UpdateRequest{Tags: &[]string{"batch"}}}}}})
			var kinds []string
			for _, r := range results.Results {
				if r.Error != nil {
					kinds = append(kinds, r.Error.Kind)
				}
			}
			return kinds, err
		}},
		"EraseByKey": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			return e.EraseByKey(ctx, s, "an id like "+string(id))
		}},
	})
}
