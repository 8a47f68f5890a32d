package operate

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// regenerateStep is how many texts are embedded together.
const regenerateStep = 100

// RegenerateEmbeddings makes vectors for memories of the scope that have none of the active generation, or one of an
// earlier wording: facts first, then all others, each by ascending id, at most Limit ([trilith.DefaultRegenerate] if 0,
// at most MaxPageSize). With Cut it also makes those again that stand for the beginning of a text only, the oldest
// vectors first: for a model that now reads more. A text that the embedder refuses becomes a job, and a text that gets
// no vector is skipped. Without an embedder it is Unsupported.
func (o *Operator) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, r trilith.RegenerateRequest) (
	trilith.RegenerateResult, error) {
	var out trilith.RegenerateResult
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	limit, err := truth.CheckLimit(r.Limit, trilith.DefaultRegenerate, trilith.MaxPageSize)
	if err != nil {
		return out, err
	}
	if err := o.generations.NeedVectors(); err != nil {
		return out, err
	}
	if r.Cut {
		return out, o.regenerateCut(ctx, s, limit, &out)
	}
	for _, filter := range []trilith.Filter{truth.AnyFact, trilith.Where("kind", trilith.OpNe, trilith.KindFact)} {
		if err := o.regenerate(ctx, s, filter, limit, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (o *Operator) regenerate(ctx context.Context, s trilith.Scope, filter trilith.Filter, limit int,
	out *trilith.RegenerateResult) error {
	var ms []trilith.Memory
	step := func() error {
		lacking, err := o.truth.Index.Lacking(ctx, s, ms)
		if err != nil {
			return err
		}
		ms = ms[:0]
		some := lacking[:min(len(lacking), limit-out.Embedded)]
		out.Left += len(lacking) - len(some)
		if err := o.truth.Index.Embed(ctx, some); err != nil {
			return err
		}
		still, err := o.truth.Index.Lacking(ctx, s, some)
		out.Embedded += len(some) - len(still)
		return err
	}
	for m, err := range o.truth.Store.List(ctx, s, role.Listing{Filter: filter}) {
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

// regenerateCut makes the vectors again that stand for the beginning of a text only.
func (o *Operator) regenerateCut(ctx context.Context, s trilith.Scope, limit int, out *trilith.RegenerateResult) error {
	stamps, err := o.truth.Vectors.Stamps(ctx, truth.TenantOf(s), o.generations.Generation(), nil)
	if err != nil {
		return err
	}
	stamps = slices.DeleteFunc(stamps, func(st role.Stamp) bool { return !st.Cut })
	slices.SortStableFunc(stamps, func(a, b role.Stamp) int { return a.At.Compare(b.At) })
	ids := make([]trilith.ID, len(stamps))
	for i, st := range stamps {
		ids[i] = st.ID
	}
	ms, err := o.truth.Store.Get(ctx, s, ids)
	if err != nil {
		return err
	}
	out.Left = max(0, len(ms)-limit)
	for some := range slices.Chunk(ms[:len(ms)-out.Left], regenerateStep) {
		if err := o.truth.Index.EmbedAnew(ctx, some); err != nil {
			return err
		}
		out.Embedded += len(some)
	}
	return nil
}
