package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/trilith-memory/trilith/internal/disk"
)

// Each process that may write the file holds a shared lock on a second file for as long as it has the file open. Only
// such processes lease jobs, so a process that finds no lock held knows that all leases belong to dead processes.

const (
	anyLeased = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND leased_until IS NOT NULL)"
	endLeased = "UPDATE jobs SET " + spareLost + ", leased_until = NULL, updated_at = ? WHERE state = 'ready' AND leased_until IS NOT NULL"
)

// join takes the shared lock, and first runs alone if no other process holds it. If locks are not supported or not
// permitted, nothing is known of other processes: join returns nil, and leases end when they expire.
func join(ctx context.Context, path string, alone func() error) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil { // one file has one lock, whatever links lead to it
		path = real
	}
	f, err := disk.Join(ctx, path+".open", func() error {
		_ = alone() // an error will show again when the file is used; the leases expire
		return nil
	})
	if err != nil {
		return nil, ctx.Err()
	}
	return f, nil
}

// endLeases makes leased jobs due.
func endLeases(ctx context.Context, w *writer, now time.Time) error {
	return untilFree(ctx, func() error {
		var leased bool
		if err := w.row(anyLeased).Scan(&leased); err != nil || !leased {
			return err
		}
		return w.exec(endLeased, now.UnixMicro())
	})
}
