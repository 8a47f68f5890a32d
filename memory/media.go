package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// PutMedia keeps a picture, a recording or scanned pages, and has a model read it as soon as there is one that can. The
// same file in the same scope is stored once, so repeating it does no harm.
func (m *Memory) PutMedia(ctx context.Context, s trilith.Scope, f trilith.NewMedia) (trilith.StoredMedia, error) {
	return m.engine.PutMedia(ctx, m.in(s), f)
}

// MediaFile returns a file with its bytes.
func (m *Memory) MediaFile(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error) {
	return m.engine.MediaFile(ctx, m.in(s), id)
}
