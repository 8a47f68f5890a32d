package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-memory/cairn"
)

// jobNote is the kind of job that notes an erasure in the ledger. It is written with the erasure, so that one that could not be
// noted, or that was cut off before, is noted all the same. Its payload is a [noteJob].
const jobNote = "note_erasure"

type noteJob struct {
	Receipt cairn.ID `json:"receipt"`
}

// noteAfter is how long an erasure has to note itself before the job does; twice noted does no harm.
const noteAfter = time.Minute

// noteJobs are the jobs that note the erasure of a receipt; none where there is no ledger.
func (e *Engine) noteJobs(receipt cairn.ID) []cairn.Job {
	if e.cfg.Ledger == nil {
		return nil
	}
	now := e.now()
	return []cairn.Job{{ID: noteID(receipt), Kind: jobNote, Payload: fmt.Appendf(nil, `{"receipt": %q}`, receipt), State: cairn.JobReady,
		RunAt: now.Add(noteAfter), CreatedAt: now, UpdatedAt: now}}
}

func noteID(receipt cairn.ID) cairn.ID { return cairn.DeriveID("note_erasure", string(receipt)) }

// note writes an erasure to the ledger and ends its job.
func (e *Engine) note(ctx context.Context, s cairn.Scope, erased cairn.Erased) error {
	if e.cfg.Ledger == nil {
		return nil
	}
	if err := e.cfg.Ledger.Append(s.Tenant, cairn.ExportItem{Erased: &erased}); err != nil {
		kind := cairn.Unavailable
		if cairn.OutOfSpace(err) {
			kind = cairn.Exhausted
		}
		return cairn.Errorf(kind, "ledger: what was asked for is erased, but cannot be noted beside the store yet, so a backup from before would bring it back (%w); it is noted by itself as soon as that is possible, and nothing needs to be repeated", err)
	}
	_, err := e.commit(ctx, tenantOf(s), cairn.Batch{DropJobs: []cairn.ID{noteID(erased.Receipt.ID)}})
	if err != nil { // it will be noted once more
		e.cfg.Logger.WarnContext(ctx, "erase: the job that notes an erasure could not be ended", "error", err)
	}
	return nil
}

// noteAgain does a [noteJob].
func (e *Engine) noteAgain(ctx context.Context, tenant string, receipt cairn.ID) error {
	rs, err := e.cfg.Store.Records(ctx, cairn.Scope{Tenant: tenant}, cairn.RecordListing{Kind: cairn.RecordReceipt, IDs: []cairn.ID{receipt}})
	if err != nil || len(rs) == 0 || e.cfg.Ledger == nil {
		return err
	}
	erased, err := decode[cairn.Erased](rs[0])
	if err != nil {
		return err
	}
	return e.cfg.Ledger.Append(tenant, cairn.ExportItem{Erased: &erased})
}
