package operate

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Stats counts the memories of the scope.
func (o *Operator) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Stats{}, err
	}
	rows, err := truth.Tally(ctx, o.truth, s, trilith.Tally{By: []string{"kind", "state"}, Last: true}, trilith.Filter{})
	out := trilith.NewStats()
	for _, r := range rows {
		out.Add(trilith.Kind(r.Values[0]), trilith.State(r.Values[1]), r.Count, r.Last)
	}
	return out, err
}
