package sessions

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Earlier versions stored only the number of turns of a session. Such sessions are counted once, in the background.

// JobFile is the kind of job that counts the sessions of a tenant and puts them in their session lists.
const JobFile = "file_sessions"

// ScheduleFiling queues, once for each store, a job for each tenant that files its sessions.
func (ss *Sessions) ScheduleFiling(ctx context.Context) error {
	done := trilith.Record{Kind: trilith.RecordSchedule, ID: trilith.DeriveID("schedule", JobFile), Version: 1,
		Body: []byte("{}")}
	rs, err := ss.truth.Store.Records(
		ctx, truth.SystemScope, trilith.RecordListing{Kind: done.Kind, IDs: []trilith.ID{done.ID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	tenants, err := ss.truth.Log.Tenants(ctx, trilith.AsSystem(JobFile))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		j, err := ss.truth.Job(JobFile, struct{}{})
		if err != nil {
			return err
		}
		j.ID = trilith.DeriveID(JobFile, tenant) // of two processes that open the store, one writes the job
		if _, err := ss.truth.Store.Commit(ctx, trilith.Scope{Tenant: tenant},
			trilith.Batch{DropJobs: []trilith.ID{j.ID}, Jobs: []trilith.Job{j}}); err != nil {
			return err
		}
	}
	_, err = ss.truth.Store.Commit(
		ctx, truth.SystemScope, trilith.Batch{Expect: []trilith.Expect{{Kind: done.Kind, ID: done.ID}},
			Records: []trilith.Record{done}})
	return truth.UnlessConflict(err) // another process has done the same
}

// File runs a [JobFile]. Repeating it changes nothing.
func (ss *Sessions) File(ctx context.Context, tenant string) error {
	s := trilith.Scope{Tenant: tenant, Actor: JobFile}
	for r, err := range ss.truth.Records(ctx, s, trilith.RecordSession) {
		if err != nil {
			return err
		}
		if err := truth.Retry(ctx, func() (bool, error) { return true, ss.file(ctx, s, r.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// file counts one session.
func (ss *Sessions) file(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	all, versions, err := ss.books.Sessions(ctx, s, []trilith.ID{id})
	if err != nil || len(all) == 0 || all[0].Filed {
		return err
	}
	was := all[0]
	st := truth.Session{Scope: was.Scope, Next: was.Next, Filed: true}
	l := trilith.Listing{Order: trilith.OrderSeq, Filter: trilith.AllOf(trilith.Where("session", trilith.OpEq,
		was.Scope.Session),
		trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), truth.Unshared, exactly(was.Scope))}
	for m, err := range ss.truth.Store.List(ctx, was.Scope, l) {
		if err != nil {
			return err
		}
		ss.books.Count(&st, []trilith.Memory{m}, 1)
	}
	var b trilith.Batch
	if err := truth.PutSession(&b, was, st, versions[0]); err != nil {
		return err
	}
	_, err = ss.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return err
}
