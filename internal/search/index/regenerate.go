package index

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Lacking returns, in order, those of the memories that may have a vector, and have none of the active generation or one
// of another version.
func (x *vectorIndexer) Lacking(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	return x.lacking(ctx, x.active.Load(), s, ms)
}

func (x *vectorIndexer) lacking(ctx context.Context, gs *generationState, s trilith.Scope, ms []trilith.Memory) (
	[]trilith.Memory, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	ids := trilith.IDsOf(ms)
	stamps, err := x.cfg.Vectors.Stamps(ctx, trilith.Scope{Tenant: s.Tenant}, gs.gen, ids)
	if err != nil {
		return nil, err
	}
	version := make(map[trilith.ID]int64, len(stamps))
	for _, st := range stamps {
		version[st.ID] = st.Version
	}
	var out []trilith.Memory
	for _, m := range ms {
		if version[m.ID] != m.Version && x.Holds(&m) {
			out = append(out, m)
		}
	}
	return out, nil
}

// EmbedAnew is Embed for memories whose embeddings have to be replaced: it does not use cached ones.
func (x *vectorIndexer) EmbedAnew(ctx context.Context, ms []trilith.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	s := trilith.Scope{Tenant: ms[0].Scope.Tenant}
	if err := x.cfg.Store.ForgetEmbeddings(ctx, s, trilith.IDsOf(ms)); err != nil {
		return err
	}
	return x.Embed(ctx, ms)
}

// Embed embeds memories of one tenant now. A text that the embedder refuses becomes a job, and a text for which it
// returns no vector gets none.
func (x *vectorIndexer) Embed(ctx context.Context, ms []trilith.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	gs := x.active.Load()
	if err := x.embedOrPostpone(ctx, gs, ms); err != nil {
		return err
	}
	ids := trilith.IDsOf(ms)
	return x.noteLate(ctx, gs, ms[0].Scope.Tenant, ids)
}
