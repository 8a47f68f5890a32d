package engine_test

import (
	"context"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The calls of files: each tenant keeps and reads its own.
func init() {
	put := func(ctx context.Context, e *engine.Engine, s trilith.Scope) (trilith.StoredMedia, error) {
		return e.PutMedia(ctx, s, trilith.NewMedia{Name: "a.png", Data: rig.Picture(2)})
	}
	maps.Copy(scopedCalls, map[string][]scopedCall{
		"UndoMedia": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			_, memories, err := e.UndoMedia(ctx, s, id, true)
			return memories, err
		}},
		"PutMedia": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			_, err := put(ctx, e, s)
			return nil, err
		}},
		"Media": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, _ trilith.ID) (any, error) {
			page, err := e.Media(ctx, s, trilith.MediaQuery{})
			return len(page.Items), err
		}},
		"MediaFile": {func(ctx context.Context, e *engine.Engine, s trilith.Scope, id trilith.ID) (any, error) {
			f, err := e.MediaFile(ctx, s, id)
			return f.Name, err
		}},
	})
}
