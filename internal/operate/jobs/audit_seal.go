package jobs

import (
	"context"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/wait"
)

const (
	sealEvery = time.Second      // how long an audit entry stays unsealed
	sealSlow  = 30 * time.Second // the longest pause after failures
)

// RunAuditSealing seals the audit repeatedly until ctx ends, if the store does not seal it by itself.
func (jr *Runner) RunAuditSealing(ctx context.Context) {
	sealer, ok := jr.truth.Log.(role.Sealer)
	if !ok {
		return
	}
	for pause := sealEvery; ; {
		if wait.For(ctx, pause) != nil {
			return
		}
		switch err := sealer.Seal(ctx, trilith.AsSystem("audit")); {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = min(2*pause, sealSlow)
			jr.truth.Logger.WarnContext(ctx, "audit: entries could not be sealed and will be retried", "error", err,
				"pause", pause)
		default:
			pause = sealEvery
		}
	}
}
