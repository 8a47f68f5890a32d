package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// regenerateStep is how many texts are embedded together.
const regenerateStep = 100

// RegenerateEmbeddings makes vectors for memories of the scope that have none of the generation in force, or one of an
// earlier wording: facts first, then all others, each by ascending id, at most limit ([cairn.DefaultRegenerate] if 0, at
// most MaxPageSize). What the embedder refuses becomes a job, and what it has nothing to say about is passed over. Without
// an embedder it is Unsupported.
func (e *Engine) RegenerateEmbeddings(ctx context.Context, s cairn.Scope, limit int) (cairn.RegenerateResult, error) {
	var out cairn.RegenerateResult
	if err := checkScope(s); err != nil {
		return out, err
	}
	limit, err := checkLimit(limit, cairn.DefaultRegenerate, cairn.MaxPageSize)
	if err != nil {
		return out, err
	}
	if e.cfg.Vectors == nil {
		return out, cairn.Errorf(cairn.Unsupported, "embedder: none is configured, so nothing has a vector")
	}
	for _, filter := range []cairn.Filter{anyFact, cairn.Where("kind", cairn.OpNe, cairn.KindFact)} {
		if err := e.regenerate(ctx, s, filter, limit, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (e *Engine) regenerate(ctx context.Context, s cairn.Scope, filter cairn.Filter, limit int, out *cairn.RegenerateResult) error {
	var ms []cairn.Memory
	step := func() error {
		lacking, err := e.index.Lacking(ctx, s, ms)
		if err != nil {
			return err
		}
		ms = ms[:0]
		some := lacking[:min(len(lacking), limit-out.Embedded)]
		out.Left += len(lacking) - len(some)
		if err := e.index.Embed(ctx, some); err != nil {
			return err
		}
		still, err := e.index.Lacking(ctx, s, some)
		out.Embedded += len(some) - len(still)
		return err
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: filter}) {
		if err != nil {
			return err
		}
		if ms = append(ms, m); len(ms) == regenerateStep {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return step()
}
