package operate

import (
	"context"
	"fmt"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/role"
)

// Repair fixes those findings of the doctor that it can fix without loss, and reports the state of the memory
// afterwards and its repairs: texts and vectors that are missing, stale or without a memory are made to agree with
// the truth; dead jobs get their attempts again, except jobs for a model, which cost each time; expired memories are
// marked; and the jobs that are due are run. A damaged file and a broken audit are left to a person.
func (o *Operator) Repair(ctx context.Context) (trilith.DoctorReport, error) {
	if err := o.settleSoon(ctx); err != nil {
		return trilith.DoctorReport{}, err
	}
	tenants, err := o.truth.Log.Tenants(ctx, trilith.AsSystem("repair"))
	if err != nil {
		return trilith.DoctorReport{}, err
	}
	var texts, vectors, graphs, jobs, expired, damaged int
	if c, ok := o.truth.Store.(role.RowChecksums); ok {
		if damaged, err = c.DropDamaged(ctx); err != nil {
			return trilith.DoctorReport{}, err
		}
	}
	for _, tenant := range tenants {
		s := trilith.Scope{Tenant: tenant, Actor: "repair"}
		x, _, err := o.examine(ctx, s, false)
		if err != nil {
			return trilith.DoctorReport{}, err
		}
		if err := o.truth.Index.RepairTexts(ctx, s, append(x.badTexts, x.strayTexts...)); err != nil {
			return trilith.DoctorReport{}, err
		}
		texts += len(x.badTexts) + len(x.strayTexts)
		if o.truth.Vectors != nil {
			if err := o.truth.Index.RepairVectors(ctx, s, append(x.missing, x.orphans...)); err != nil && !away(err) {
				return trilith.DoctorReport{}, err
			}
			vectors += len(x.missing) + len(x.orphans)
		}
		mended, err := o.mendGraph(ctx, tenant)
		if err != nil {
			return trilith.DoctorReport{}, err
		}
		if mended {
			graphs++
		}
		n, err := o.retryDead(ctx, s)
		if err != nil {
			return trilith.DoctorReport{}, err
		}
		jobs += n
		swept, err := o.jobs.Sweep(ctx, s)
		if err != nil {
			return trilith.DoctorReport{}, err
		}
		expired += swept.Expired
	}
	if err := o.jobs.Work(ctx); err != nil {
		return trilith.DoctorReport{}, err
	}
	if err := o.settleSoon(ctx); err != nil {
		return trilith.DoctorReport{}, err
	}
	report, err := o.Doctor(ctx)
	for _, done := range []struct {
		n    int
		what string
	}{{damaged, "damaged rows of vectors and index snapshots removed, to be rebuilt"},
		{texts, "texts made to agree with the truth"}, {vectors, "vectors made to agree with the truth"},
		{graphs, "graphs of tenants rebuilt from the facts"}, {jobs, "dead jobs given all their attempts again"},
		{expired, "memories marked that were over"}} {
		if done.n > 0 {
			report.Repaired = append(report.Repaired, fmt.Sprintf("%d %s", done.n, done.what))
		}
	}
	return report, err
}

// settleSoon settles, but does not wait for an embedder that is away longer than an assimilation would.
func (o *Operator) settleSoon(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, o.AssimilateWait)
	defer cancel()
	err := o.Settle(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		return o.truth.Index.CatchUp(ctx)
	}
	return err
}

// away reports whether an embedder did not answer: its vectors stay missing, and the report says so.
func away(err error) bool {
	kind := trilith.KindOf(err)
	return kind == trilith.Unavailable || kind == trilith.Exhausted || kind == trilith.Unauthenticated ||
		kind == trilith.Forbidden
}

// retryDead makes the dead jobs of a tenant ready again and counts them.
func (o *Operator) retryDead(ctx context.Context, s trilith.Scope) (int, error) {
	dead, err := o.truth.Queue.Jobs(ctx, s, trilith.JobListing{State: trilith.JobDead})
	n := 0
	for _, j := range dead {
		if j.Kind == derive.JobDistil {
			continue
		}
		switch err := o.truth.Queue.ChangeJob(ctx, trilith.RetryJob(s, j.ID)); {
		case err == nil:
			n++
		case trilith.KindOf(err) != trilith.NotFound: // somebody else was faster
			return n, err
		}
	}
	return n, err
}
