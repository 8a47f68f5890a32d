package facts

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Note writes an erasure to the ledger and ends its job.
func (fs *Facts) Note(ctx context.Context, s cairn.Scope, erased cairn.Erased) error {
	if fs.truth.Ledger == nil {
		return nil
	}
	if err := fs.truth.Ledger.Append(s.Tenant, cairn.ExportItem{Erased: &erased}); err != nil {
		kind := cairn.Unavailable
		if cairn.OutOfSpace(err) {
			kind = cairn.Exhausted
		}
		return cairn.Errorf(kind,
			"ledger: the erasure is done, but could not be recorded beside the store yet, so an earlier backup would bring the data back (%w); it is recorded automatically as soon as possible, and nothing needs to be repeated", err)
	}
	_, err := fs.truth.Commit(
		ctx, truth.TenantOf(s), cairn.Batch{DropJobs: []cairn.ID{truth.NoteID(erased.Receipt.ID)}})
	if err != nil { // the job will repeat it
		fs.truth.Logger.WarnContext(ctx, "erase: the job that records an erasure could not be completed", "error", err)
	}
	return nil
}

// NoteAgain runs a [truth.NoteJob].
func (fs *Facts) NoteAgain(ctx context.Context, tenant string, receipt cairn.ID) error {
	rs, err := fs.truth.Store.Records(ctx, cairn.Scope{Tenant: tenant},
		cairn.RecordListing{Kind: cairn.RecordReceipt, IDs: []cairn.ID{receipt}})
	if err != nil || len(rs) == 0 || fs.truth.Ledger == nil {
		return err
	}
	erased, err := truth.Decode[cairn.Erased](rs[0])
	if err != nil {
		return err
	}
	return fs.truth.Ledger.Append(tenant, cairn.ExportItem{Erased: &erased})
}
