package operate

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// CheckMoved refuses a store that another one is being copied to: what is not here yet would be missed, and what is
// written here would be lost.
func (o *Operator) CheckMoved(ctx context.Context) error {
	rs, err := o.truth.Store.Records(
		ctx, truth.SystemScope, role.RecordListing{Kind: role.RecordMigration,
			IDs: []trilith.ID{trilith.MigrationID()}})
	if err != nil || len(rs) == 0 {
		return trilith.WrapError(trilith.Internal, "engine.Open", err)
	}
	m, err := truth.Decode[trilith.Migration](rs[0])
	if err == nil && !m.Finished {
		err = trilith.Errorf(trilith.Conflict,
			"store: the copy of %s is not complete; run trilith migrate again until it reports that both are equal", m.From)
	}
	return err
}
