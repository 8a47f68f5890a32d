package generations

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Serving is the generation that answers questions, with its embedder. A question gets it once and keeps it, even if
// another becomes active meanwhile.
type Serving struct {
	Gen      trilith.Generation
	Embedder role.Embedder
	err      error // why there is no embedder although there should be one
	Pulse    latencies
}

// Warm loads the tenant's vectors, so that the first search need not wait for them.
func (gs *Generations) Warm(ctx context.Context, s trilith.Scope) error {
	if err := truth.CheckScope(s); err != nil {
		return err
	}
	g := gs.Generation()
	if g.Dims == 0 {
		return nil
	}
	anything := make(trilith.Vector, g.Dims)
	anything[0] = 1
	_, err := gs.truth.Vectors.Search(ctx, truth.TenantOf(s), g, role.VectorProbe{Vector: anything, K: 1})
	return err
}

// denseOf opens the embedder of a generation.
func (gs *Generations) denseOf(ctx context.Context, n openable) *Serving {
	d := &Serving{Gen: n.Generation}
	if d.Embedder, d.err = gs.embedderOf(ctx, n); d.err != nil {
		d.err = trilith.Errorf(trilith.Unavailable,
			"embedder: the memory now has vectors of %s, whose embedder this process cannot open: %s", n.String(),
			trilith.MessageOf(d.err))
	}
	return d
}

// embedderOf returns the embedder of a generation: an open one, or the one that its name stands for.
func (gs *Generations) embedderOf(ctx context.Context, n openable) (role.Embedder, error) {
	makes := func(made role.Embedder) bool {
		g := made.Generation()
		g.Recipe = n.Recipe // the embedder does not depend on the text recipe
		return n.is(g)
	}
	gs.opening.Lock()
	for _, open := range gs.open {
		if makes(open) {
			gs.opening.Unlock()
			return open, nil
		}
	}
	gs.opening.Unlock()
	if n.Embedder == "" {
		return nil, trilith.Errorf(
			trilith.Conflict, "embedder: no setting names the one that makes vectors of %s; start with --embedder",
			n.String())
	}
	made, err := gs.openEmbedder(ctx, n.Embedder)
	if err != nil {
		return nil, err
	}
	if !makes(made) {
		return nil, trilith.Errorf(trilith.Conflict, "embedder: %s now makes %s, not %s", n.Embedder,
			index.Generation(made), n.String())
	}
	return made, nil
}

// openEmbedder opens the embedder with a name and keeps it open. If an open one makes the same vectors, it returns
// that.
func (gs *Generations) openEmbedder(ctx context.Context, name string) (role.Embedder, error) {
	if gs.opener == nil {
		return nil, trilith.Errorf(trilith.Unsupported, "embedder: this program can open its own embedder only")
	}
	made, err := gs.opener(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case made == nil:
		return nil, trilith.Errorf(trilith.Invalid, "embedder: %q makes no vectors; name another embedder", name)
	}
	gs.opening.Lock()
	defer gs.opening.Unlock()
	for _, open := range gs.open {
		if open.Generation().Key() == made.Generation().Key() {
			return open, made.Close()
		}
	}
	gs.open = append(gs.open, made)
	return made, nil
}

// Generation returns the active generation; the zero value without an embedder.
func (gs *Generations) Generation() trilith.Generation { return gs.Current.Load().Gen }

// VectorOf embeds one text; nil if the embedder returns no vector for it.
func (gs *Generations) VectorOf(ctx context.Context, s trilith.Scope, d *Serving, use role.Use, text string) (
	trilith.Vector, error) {
	vs, err := gs.VectorsOf(ctx, s, d, use, []string{text})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// VectorsOf embeds texts that are not stored: questions, and facts for comparison.
func (gs *Generations) VectorsOf(ctx context.Context, s trilith.Scope, d *Serving, use role.Use, texts []string) (
	[]trilith.Vector, error) {
	if d.err != nil {
		return nil, d.err
	}
	ctx, err := gs.usage.Spending.Of(ctx, s.Tenant, d.Gen.Provider, trilith.PurposeSearch)
	if err != nil {
		return nil, err
	}
	es, err := index.Embed(ctx, d.Embedder, use, texts)
	if err != nil {
		return nil, err
	}
	return role.VectorsOf(es), nil
}

// Indexing returns the context in which the index embeds a tenant's memories.
func (gs *Generations) Indexing(ctx context.Context, tenant, provider string) (context.Context, error) {
	return gs.usage.Spending.Of(ctx, tenant, provider, trilith.PurposeIndex)
}

// VectorsAtHand returns the vectors of memories of one tenant in the active generation, in order, without a request to
// a service: nil for those that would need one, and without an embedder.
func (gs *Generations) VectorsAtHand(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Vector, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	return gs.truth.Index.VectorsAtHand(ctx, truth.TenantOf(s), ms)
}
