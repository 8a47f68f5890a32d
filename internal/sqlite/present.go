package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-memory/cairn/internal/disk"
)

// Each process that may write the file holds a share of a lock beside it for as long as it has the file open. Nobody
// but the holders leases jobs, so a process that finds no holder knows that all leases are of processes that are gone.

const (
	anyLeased = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND leased_until IS NOT NULL)"
	endLeased = "UPDATE jobs SET leased_until = NULL, updated_at = ? WHERE state = 'ready' AND leased_until IS NOT NULL"
)

// join shows others that this process has the file open, and runs alone first if no other process has. Where that
// cannot be shown, for want of locks or of rights, nothing is known of others: it returns nil, and leases run out by
// their time.
func join(ctx context.Context, path string, alone func() error) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil { // one file has one lock, by whatever links it is reached
		path = real
	}
	f, err := disk.Join(ctx, path+".open", func() error {
		_ = alone() // a full disk or a damaged file shows when it is used; the leases run out by their time
		return nil
	})
	if err != nil {
		return nil, ctx.Err()
	}
	return f, nil
}

// endLeases makes jobs that are leased due. Their attempts count.
func endLeases(ctx context.Context, w *writer, now time.Time) error {
	return untilFree(ctx, func() error {
		var leased bool
		if err := w.row(anyLeased).Scan(&leased); err != nil || !leased {
			return err
		}
		return w.exec(endLeased, now.UnixMicro())
	})
}
