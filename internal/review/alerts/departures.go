package alerts

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// leave adds to a batch that deletes memories that the claims and alerts about them go too, and that others name them
// no more. It also changes the state of the tenant, so that a follower that has read the memories before the batch meets
// a conflict and looks again.
func (a *Alerts) leave(ctx context.Context, s trilith.Scope, b *role.Batch) error {
	gone := map[trilith.ID]bool{}
	for _, r := range b.Delete {
		if r.Kind == "" {
			gone[r.ID] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for {
		st, err := a.state(ctx, s)
		if err != nil || st.version == 0 {
			return err
		}
		p, rows, err := a.parting(ctx, s, gone)
		if err != nil {
			return err
		}
		if rows == step { // there may be more than fit into the commit that deletes the memories
			if err := truth.UnlessConflict(a.commit(ctx, s, p)); err != nil {
				return err
			}
			continue
		}
		b.Expect, b.Records, b.Delete = append(b.Expect, p.Expect...), append(b.Records, p.Records...),
			append(b.Delete, p.Delete...)
		return st.put(b)
	}
}

// parting returns the changes of the first rows of alerts that name memories, at most [step] of them, and how many. If
// there are no more, the claims about the memories go with them.
func (a *Alerts) parting(ctx context.Context, s trilith.Scope, gone map[trilith.ID]bool) (
	p role.Batch, rows int, err error) {
	ids := slices.Sorted(maps.Keys(gone))
	claims, err := a.truth.RecordsOf(ctx, s, role.RecordAlerted, ids...)
	if err != nil || len(claims) == 0 {
		return p, 0, err // no search has raised an alert about them
	}
	for r, err := range a.after(ctx, s, 0) {
		if err != nil {
			return p, rows, err
		}
		switch {
		case gone[r.alert.MemoryID]:
			p.Delete = append(p.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
		case gone[r.alert.Before]:
			r.alert.Before = ""
			if err := p.Replace(r.Kind, r.ID, r.Version, r.alert); err != nil {
				return p, rows, err
			}
		default:
			continue
		}
		if rows++; rows == step {
			return p, rows, nil
		}
	}
	for _, r := range claims {
		p.Delete = append(p.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
	}
	return p, rows, nil
}
