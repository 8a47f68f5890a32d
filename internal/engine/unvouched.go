package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Verified means that somebody looked. Earlier versions stored what a person said of themselves as verified, with nobody who
// had decided; such facts wait for approval like all others. Their state stays: trust decides what is active.

// jobUnvouched is the kind of job that makes the facts of a tenant wait for approval that are verified by nobody.
const jobUnvouched = "unvouched"

// unvouched reports whether a fact is verified and nobody, no policy either, has verified it.
func unvouched(m *cairn.Memory) bool {
	return m.Fact != nil && m.Fact.Verification.Status == cairn.Verified && m.Fact.Verification.By == ""
}

// awaitApproval lets a fact wait for somebody who looks.
func awaitApproval(m *cairn.Memory) {
	fact := *m.Fact
	fact.Verification = cairn.Verification{Status: cairn.PendingApproval}
	m.Fact = &fact
}

// scheduleUnvouched writes a job for each tenant of a store that no version since has opened for writing.
func (e *Engine) scheduleUnvouched(ctx context.Context) error {
	done := cairn.Record{Kind: cairn.RecordSchedule, ID: cairn.DeriveID("schedule", jobUnvouched), Version: 1, Body: []byte("{}")}
	rs, err := e.cfg.Store.Records(ctx, systemScope, cairn.RecordListing{Kind: done.Kind, IDs: []cairn.ID{done.ID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	tenants, err := e.cfg.Log.Tenants(ctx, cairn.AsSystem(jobUnvouched))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		j, err := e.job(jobUnvouched, struct{}{})
		if err != nil {
			return err
		}
		j.ID = cairn.DeriveID(jobUnvouched, tenant) // of two processes that open the store, one writes it
		if _, err := e.commit(ctx, cairn.Scope{Tenant: tenant}, cairn.Batch{DropJobs: []cairn.ID{j.ID}, Jobs: []cairn.Job{j}}); err != nil {
			return err
		}
	}
	_, err = e.commit(ctx, systemScope, cairn.Batch{Expect: []cairn.Expect{{Kind: done.Kind, ID: done.ID}}, Records: []cairn.Record{done}})
	return unlessConflict(err) // another process was as far
}

// unvouch does a job of its kind, as many facts at a time as one commit holds. Doing it again changes nothing.
func (e *Engine) unvouch(ctx context.Context, tenant string) error {
	s := cairn.Scope{Tenant: tenant, Actor: jobUnvouched}
	filter := cairn.AllOf(anyFact, cairn.Where("verification_status", cairn.OpEq, string(cairn.Verified)))
	_, err := e.markAll(ctx, s, jobUnvouched, filter, unvouched, awaitApproval)
	return err
}
