package facts

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// JobResetVerification is the kind of job that sets facts of a tenant back to pending approval. Earlier versions stored
// what a person said of themselves as verified although nobody had checked it. The state of the facts stays: trust
// decides what is active.
const JobResetVerification = "unvouched"

// VerifiedWithoutDecision reports whether a fact is verified although neither a person nor a policy has decided so.
func VerifiedWithoutDecision(m *trilith.Memory) bool {
	return m.Fact != nil && m.Fact.Verification.Status == trilith.Verified && m.Fact.Verification.By == ""
}

// SetPendingApproval sets a fact to pending approval.
func SetPendingApproval(m *trilith.Memory) {
	fact := *m.Fact
	fact.Verification = trilith.Verification{Status: trilith.PendingApproval}
	m.Fact = &fact
}

// ScheduleVerificationReset queues, once for each store, a job for each tenant that resets facts verified without a
// decision.
func (fs *Facts) ScheduleVerificationReset(ctx context.Context) error {
	done := trilith.Record{Kind: trilith.RecordSchedule, ID: trilith.DeriveID("schedule", JobResetVerification), Version: 1,
		Body: []byte("{}")}
	rs, err := fs.truth.Store.Records(
		ctx, truth.SystemScope, trilith.RecordListing{Kind: done.Kind, IDs: []trilith.ID{done.ID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	tenants, err := fs.truth.Log.Tenants(ctx, trilith.AsSystem(JobResetVerification))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		j, err := fs.truth.Job(JobResetVerification, struct{}{})
		if err != nil {
			return err
		}
		j.ID = trilith.DeriveID(JobResetVerification, tenant) // of two processes that open the store, one writes the job
		if _, err := fs.truth.Commit(ctx, trilith.Scope{Tenant: tenant},
			trilith.Batch{DropJobs: []trilith.ID{j.ID}, Jobs: []trilith.Job{j}}); err != nil {
			return err
		}
	}
	_, err = fs.truth.Commit(
		ctx, truth.SystemScope, trilith.Batch{Expect: []trilith.Expect{{Kind: done.Kind, ID: done.ID}},
			Records: []trilith.Record{done}})
	return truth.UnlessConflict(err) // another process has done the same
}

// ResetVerification runs the job, in commits of as many facts as one can hold. Repeating it changes nothing.
func (fs *Facts) ResetVerification(ctx context.Context, tenant string) error {
	s := trilith.Scope{Tenant: tenant, Actor: JobResetVerification}
	filter := trilith.AllOf(truth.AnyFact, trilith.Where("verification_status", trilith.OpEq, string(trilith.Verified)))
	_, err := fs.UpdateAll(ctx, s, JobResetVerification, filter, VerifiedWithoutDecision, SetPendingApproval)
	return err
}
