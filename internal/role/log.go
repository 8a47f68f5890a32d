package role

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
)

// Heads returns the head of every shard of a log.
func Heads(ctx context.Context, log Log, sys trilith.System) ([]trilith.Cursor, error) {
	heads := make([]trilith.Cursor, log.Shards())
	for shard := range heads {
		var err error
		if heads[shard], err = log.Head(ctx, sys, shard); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// Pending are some changes of a shard. Next is the cursor after them.
type Pending struct {
	Shard   int
	Changes []Change
	Next    trilith.Cursor
}

// PendingAfter reads the changes of every shard after its cursor, up to step at a time, until none is left. The first
// error ends the sequence.
func PendingAfter(ctx context.Context, log Log, sys trilith.System, after []trilith.Cursor, step int) (
	all iter.Seq2[Pending, error]) {
	return func(yield func(Pending, error) bool) {
		for shard, at := range after {
			for {
				changes, next, err := log.Changes(ctx, sys, shard, at, step)
				if err == nil && len(changes) == 0 {
					break
				}
				if !yield(Pending{shard, changes, next}, err) || err != nil {
					return
				}
				at = next
			}
		}
	}
}
