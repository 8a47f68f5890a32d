package operate

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// CheckMoved refuses a store that another one is being copied to: what is not here yet would be missed, and what is
// written here would be lost.
func (o *Operator) CheckMoved(ctx context.Context) error {
	rs, err := o.truth.Store.Records(
		ctx, truth.SystemScope, cairn.RecordListing{Kind: cairn.RecordMigration, IDs: []cairn.ID{cairn.MigrationID()}})
	if err != nil || len(rs) == 0 {
		return cairn.WrapError(cairn.Internal, "engine.Open", err)
	}
	m, err := truth.Decode[cairn.Migration](rs[0])
	if err == nil && !m.Finished {
		err = cairn.Errorf(cairn.Conflict,
			"store: the copy of %s is not complete; run cairn migrate again until it reports that both are equal", m.From)
	}
	return err
}
