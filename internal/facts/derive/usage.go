package derive

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// UsageOf adds up the usage of models so far to derive facts from memories that were just stored; nil if none was
// used.
func (dv *Deriver) UsageOf(ctx context.Context, s trilith.Scope, of []trilith.ID) (*trilith.Usage, error) {
	if dv.truth.Model == nil {
		return nil, nil
	}
	jobs, err := dv.truth.Queue.Jobs(
		ctx, truth.TenantOf(s), trilith.JobListing{Kind: JobDistil, Limit: usage.MaxReported})
	if err != nil {
		return nil, err
	}
	jobs = slices.DeleteFunc(jobs, func(j trilith.Job) bool {
		var p ExtractJob
		return json.Unmarshal(j.Payload, &p) != nil ||
			!slices.ContainsFunc(p.Episodes, func(id trilith.ID) bool { return slices.Contains(of, id) })
	})
	if err := dv.AddReports(ctx, s, jobs); err != nil {
		return nil, err
	}
	var sum *trilith.Usage
	for _, j := range jobs {
		if j.Report == nil {
			continue
		}
		if sum == nil {
			sum = &trilith.Usage{}
		}
		sum.Add(j.Report.Usage)
	}
	return sum, nil
}
