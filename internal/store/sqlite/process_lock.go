package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// Each process that may write the file holds a shared lock on a second file for as long as it has the file open. Only
// such processes lease jobs, so a process that finds no lock held knows that all leases belong to dead processes. And a
// process changes the schema only if no other has the file open: the others would write rows of their own schema.

const leasedJobs = "SELECT " + sqlrows.JobColumns + " FROM jobs WHERE state = 'ready' AND leased_until IS NOT NULL"

// ErrInUse is the error of [Open] for a file of an older schema that another process has open.
var ErrInUse = errors.New("another process has the file open")

// enter opens the file for writing and takes the shared lock. If no other process holds the lock, it first migrates the
// file and ends the leases of dead processes. If locks are not supported or not permitted, nothing is known of other
// processes: then the schema is changed all the same, leases end when they expire, and there is no lock to hold.
func enter(ctx context.Context, path string, now time.Time) (w *writer, present *os.File, err error) {
	var failed error
	present, err = disk.Join(ctx, lockOf(path), func() error {
		if failed = migrate(ctx, path); failed != nil {
			return nil
		}
		if w, failed = openWriter(ctx, path); failed == nil {
			_ = endLeases(ctx, w, now) // an error will show again when the file is used; the leases expire
		}
		return nil
	})
	if err != nil && failed == nil {
		if failed = ctx.Err(); failed == nil && w == nil {
			failed = migrate(ctx, path)
		}
	}
	if failed == nil && w == nil {
		w, failed = openWriter(ctx, path)
	}
	if failed == nil {
		failed = w.checkSchema(path)
	}
	if failed != nil {
		if w != nil {
			failed = errors.Join(failed, w.close())
		}
		return nil, nil, errors.Join(failed, leave(present))
	}
	return w, present, nil
}

// lockOf is the second file: one store has one, whatever links lead to it.
func lockOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path + ".open"
}

// endLeases makes leased jobs due.
func endLeases(ctx context.Context, w *writer, now time.Time) error {
	return untilFree(ctx, func() error {
		rows, err := w.query(leasedJobs)
		jobs, err := scanRows(rows, err, scanJob)
		for i := range jobs {
			if err == nil {
				jobs[i].LoseLease(now)
				err = w.saveJob(&jobs[i])
			}
		}
		return err
	})
}

// leave gives the lock back; nil is none.
func leave(present *os.File) error {
	if present == nil {
		return nil
	}
	return present.Close()
}
