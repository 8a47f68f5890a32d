package facts

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// A verified fact is one that somebody has checked. Earlier versions stored what a person said of themselves as
// verified without a decision; such facts now wait for approval like all others. Their state stays: trust decides what
// is active.

// JobVerifiedByNobody is the kind of job that resets the facts of a tenant that are verified without a decision.
const JobVerifiedByNobody = "unvouched"

// VerifiedByNobody reports whether a fact is verified although neither a person nor a policy has decided so.
func VerifiedByNobody(m *cairn.Memory) bool {
	return m.Fact != nil && m.Fact.Verification.Status == cairn.Verified && m.Fact.Verification.By == ""
}

// AwaitApproval sets a fact to pending approval.
func AwaitApproval(m *cairn.Memory) {
	fact := *m.Fact
	fact.Verification = cairn.Verification{Status: cairn.PendingApproval}
	m.Fact = &fact
}

// ScheduleVerifiedByNobody queues, once for each store, a job for each tenant that resets facts verified without a
// decision.
func (fs *Facts) ScheduleVerifiedByNobody(ctx context.Context) error {
	done := cairn.Record{Kind: cairn.RecordSchedule, ID: cairn.DeriveID("schedule", JobVerifiedByNobody), Version: 1,
		Body: []byte("{}")}
	rs, err := fs.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: done.Kind, IDs: []cairn.ID{done.ID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	tenants, err := fs.truth.Log.Tenants(ctx, cairn.AsSystem(JobVerifiedByNobody))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		j, err := fs.truth.Job(JobVerifiedByNobody, struct{}{})
		if err != nil {
			return err
		}
		j.ID = cairn.DeriveID(JobVerifiedByNobody, tenant) // of two processes that open the store, one writes the job
		if _, err := fs.truth.Commit(ctx, cairn.Scope{Tenant: tenant},
			cairn.Batch{DropJobs: []cairn.ID{j.ID}, Jobs: []cairn.Job{j}}); err != nil {
			return err
		}
	}
	_, err = fs.truth.Commit(
		ctx, truth.SystemScope, cairn.Batch{Expect: []cairn.Expect{{Kind: done.Kind, ID: done.ID}},
			Records: []cairn.Record{done}})
	return truth.UnlessConflict(err) // another process has done the same
}

// ResetVerifiedByNobody runs the job, in commits of as many facts as one can hold. Repeating it changes nothing.
func (fs *Facts) ResetVerifiedByNobody(ctx context.Context, tenant string) error {
	s := cairn.Scope{Tenant: tenant, Actor: JobVerifiedByNobody}
	filter := cairn.AllOf(truth.AnyFact, cairn.Where("verification_status", cairn.OpEq, string(cairn.Verified)))
	_, err := fs.MarkAll(ctx, s, JobVerifiedByNobody, filter, VerifiedByNobody, AwaitApproval)
	return err
}
