package sessions

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Earlier versions stored only the number of turns of a session. Such sessions are counted once, in the background.

// JobFile is the kind of job that counts the sessions of a tenant and puts them in their session lists.
const JobFile = "file_sessions"

// ScheduleFiling queues, once for each store, a job for each tenant that files its sessions.
func (ss *Sessions) ScheduleFiling(ctx context.Context) error {
	done := cairn.Record{Kind: cairn.RecordSchedule, ID: cairn.DeriveID("schedule", JobFile), Version: 1,
		Body: []byte("{}")}
	rs, err := ss.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: done.Kind, IDs: []cairn.ID{done.ID}})
	if err != nil || len(rs) > 0 {
		return err
	}
	tenants, err := ss.truth.Log.Tenants(ctx, cairn.AsSystem(JobFile))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		j, err := ss.truth.Job(JobFile, struct{}{})
		if err != nil {
			return err
		}
		j.ID = cairn.DeriveID(JobFile, tenant) // of two processes that open the store, one writes the job
		if _, err := ss.truth.Store.Commit(ctx, cairn.Scope{Tenant: tenant},
			cairn.Batch{DropJobs: []cairn.ID{j.ID}, Jobs: []cairn.Job{j}}); err != nil {
			return err
		}
	}
	_, err = ss.truth.Store.Commit(
		ctx, truth.SystemScope, cairn.Batch{Expect: []cairn.Expect{{Kind: done.Kind, ID: done.ID}},
			Records: []cairn.Record{done}})
	return truth.UnlessConflict(err) // another process has done the same
}

// File runs a [JobFile]. Repeating it changes nothing.
func (ss *Sessions) File(ctx context.Context, tenant string) error {
	s := cairn.Scope{Tenant: tenant, Actor: JobFile}
	for r, err := range ss.truth.Records(ctx, s, cairn.RecordSession) {
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
func (ss *Sessions) file(ctx context.Context, s cairn.Scope, id cairn.ID) error {
	all, versions, err := ss.books.Sessions(ctx, s, []cairn.ID{id})
	if err != nil || len(all) == 0 || all[0].Filed {
		return err
	}
	was := all[0]
	st := truth.Session{Scope: was.Scope, Next: was.Next, Filed: true}
	l := cairn.Listing{Order: cairn.OrderSeq, Filter: cairn.AllOf(cairn.Where("session", cairn.OpEq, was.Scope.Session),
		cairn.Where("kind", cairn.OpEq, cairn.KindEpisode), truth.Unshared, exactly(was.Scope))}
	for m, err := range ss.truth.Store.List(ctx, was.Scope, l) {
		if err != nil {
			return err
		}
		ss.books.Count(&st, []cairn.Memory{m}, 1)
	}
	var b cairn.Batch
	if err := truth.PutSession(&b, was, st, versions[0]); err != nil {
		return err
	}
	_, err = ss.truth.Store.Commit(ctx, truth.TenantOf(s), b)
	return err
}
