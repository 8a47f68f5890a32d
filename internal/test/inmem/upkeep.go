package inmem

import (
	"context"
	"time"

	"github.com/trilith-memory/trilith/internal/role"
)

// upkeep plays [role.Upkeep]: there is nothing to do.
type upkeep struct{}

func (upkeep) Examine(context.Context, ...int) role.Checks { return nil }

func (upkeep) Repair(context.Context) (int, error) { return 0, nil }

func (upkeep) Purge(context.Context) error { return nil }

func (upkeep) Schema(context.Context) (int64, error) { return 0, nil }

func (upkeep) ReadOnly() string { return "" }

func (upkeep) Pace() time.Duration { return 0 }
