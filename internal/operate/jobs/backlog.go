package jobs

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Backlog is the number of jobs of a kind in a state, over all tenants.
type Backlog struct {
	Kind  string
	State trilith.JobState
	Jobs  int
}

// maxBacklog limits how many jobs of a tenant and a state are counted.
const maxBacklog = 1000

// Backlog counts the jobs that are not done: for each tenant and state the newest thousand.
func (jr *Runner) Backlog(ctx context.Context) ([]Backlog, error) {
	tenants, err := jr.truth.Log.Tenants(ctx, trilith.AsSystem("backlog"))
	if err != nil {
		return nil, err
	}
	var out []Backlog
	at := map[Backlog]int{} // counts, by kind and state
	for _, tenant := range tenants {
		for _, state := range []trilith.JobState{trilith.JobReady, trilith.JobDead} {
			jobs, err := jr.truth.Queue.Jobs(ctx, trilith.Scope{Tenant: tenant},
				trilith.JobListing{State: state, Limit: maxBacklog})
			if err != nil {
				return nil, err
			}
			for _, j := range jobs {
				key := Backlog{Kind: j.Kind, State: state}
				i, ok := at[key]
				if !ok {
					i = len(out)
					at[key], out = i, append(out, key)
				}
				out[i].Jobs++
			}
		}
	}
	return out, nil
}

// Counts returns how many jobs of the tenant are not done.
func (jr *Runner) Counts(ctx context.Context, s trilith.Scope) (out trilith.JobCounts, err error) {
	if err := truth.CheckWhole(s); err != nil {
		return out, err
	}
	for _, state := range []trilith.JobState{trilith.JobReady, trilith.JobDead} {
		found, err := jr.truth.Queue.Jobs(ctx, truth.TenantOf(s),
			trilith.JobListing{State: state, Limit: trilith.MaxJobCount + 1})
		if err != nil {
			return out, err
		}
		out.More = out.More || len(found) > trilith.MaxJobCount
		now := jr.truth.Now()
		for i := range found[:min(len(found), trilith.MaxJobCount)] {
			switch j := &found[i]; {
			case state == trilith.JobDead:
				out.Dead++
			case j.LeasedUntil != nil && j.LeasedUntil.After(now):
				out.Running++
			default:
				out.Ready++
			}
		}
	}
	return out, nil
}
