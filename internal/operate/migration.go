package operate

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// CheckMoved refuses a store that another one is being copied to: reads would miss memories that have not arrived
// yet, and writes would be lost.
func (o *Operator) CheckMoved(ctx context.Context) error {
	m, version, err := truth.ReadRecord[trilith.Migration](
		ctx, o.truth, truth.SystemScope, role.RecordMigration, trilith.MigrationID())
	if err != nil {
		return trilith.WrapError(trilith.Internal, "engine.Open", err)
	}
	if version > 0 && !m.Finished {
		err = trilith.Errorf(trilith.Conflict,
			"store: the copy of %s is not complete; run trilith migrate again until it reports that both are equal", m.From)
	}
	return err
}
