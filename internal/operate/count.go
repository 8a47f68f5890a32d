package operate

import (
	"context"
	"encoding/json"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
)

// countGenerations adds the number of a tenant's memories in each generation. For the active one, x knows the
// missing memories.
func (o *Operator) countGenerations(ctx context.Context, s trilith.Scope, x examination, truth map[trilith.ID]int64,
	counts []trilith.GenerationCount) error {
	if len(counts) == 0 {
		return nil
	}
	refused := map[string]int{}
	for _, state := range []trilith.JobState{trilith.JobReady, trilith.JobDead} {
		jobs, err := o.truth.Queue.Jobs(ctx, s, trilith.JobListing{Kind: index.JobEmbed, State: state})
		if err != nil {
			return err
		}
		for _, j := range jobs {
			var p index.EmbedJob
			if err := json.Unmarshal(j.Payload, &p); err == nil {
				refused[p.Generation] += len(p.IDs)
			}
		}
	}
	for i := range counts {
		c := &counts[i]
		stamps, err := o.truth.Vectors.Stamps(ctx, s, c.Generation, nil)
		if err != nil {
			return err
		}
		c.Vectors += len(stamps)
		for _, st := range stamps {
			if st.Cut {
				c.Cut++
			}
		}
		c.Refused += refused[c.Key]
		if c.State == trilith.GenerationActive {
			c.Missing += len(x.missing)
			c.Refused += refused[""]
			continue
		}
		missing, _ := compareStamps(truth, stamps)
		c.Missing += len(missing)
		// released at once, because no question uses them
		if r, ok := o.truth.Vectors.(role.VectorReleaser); ok && o.generations.Progress.Load() == nil {
			r.Release(c.Generation)
		}
	}
	return nil
}
