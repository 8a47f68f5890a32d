package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/wait"
)

var errClosed = trilith.Errorf(trilith.Unavailable, "store: it is closed")

// unfinished reports whether a file could not be read because an interrupted write has to be rolled back first.
func unfinished(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == lib.SQLITE_READONLY_ROLLBACK
}

// denied replaces an error of opening a store by one that names the file or folder that the user of this process may
// not use, if that is the cause.
func denied(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) && code(err) != lib.SQLITE_CANTOPEN {
		return err
	}
	for _, name := range []string{filepath.Dir(path), path, path + "-wal", path + "-shm"} {
		if _, missing := os.Stat(name); !errors.Is(missing, fs.ErrNotExist) && !disk.Writable(name) {
			return trilith.Errorf(trilith.Invalid, "store: %w", &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission})
		}
	}
	return err
}

// read runs look, which only reads and may be repeated.
func (f *file) read(ctx context.Context, op string, look func() error) error {
	select {
	case <-f.closing:
		return errClosed
	default:
	}
	if err := f.disturbed(); err != nil {
		return trilith.WrapError(trilith.Unavailable, op, err)
	}
	if f.closedFor() == movedFile { // a new connection would read the file that is in its place
		return errMoved
	}
	err := untilFree(ctx, func() error {
		if err := f.unlocked(); err != nil {
			return err
		}
		defer f.share()()
		return look()
	})
	if Damaged(err) {
		f.suspect()
	}
	if err != nil && ctx.Err() == nil {
		select {
		case <-f.closing: // database/sql has no error value for a pool that was closed
			return errClosed
		default:
		}
	}
	return fail(ctx, op, err)
}

// lockPause is the pause between two attempts if SQLite fails at once instead of waiting itself.
const lockPause = 5 * time.Millisecond

// untilFree repeats f while other connections hold locks.
func untilFree(ctx context.Context, f func() error) error {
	for {
		err := f()
		if !locked(err) {
			return err
		}
		if err := wait.For(ctx, lockPause); err != nil {
			return err
		}
	}
}

// errHeld says that a reader still uses an older state in the log.
var errHeld = trilith.Errorf(trilith.Unavailable, "store: a reader still uses an older state of the file")

// locked reports whether err says that another connection holds a lock.
func locked(err error) bool {
	c := code(err)
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED || c == lib.SQLITE_PROTOCOL || errors.Is(err, errHeld)
}

// canLock is disk.CanLock, but for tests.
var canLock = disk.CanLock

// lockLook is how long a file system that could lock is not asked again.
const lockLook = 10 * time.Millisecond

// unlocked returns the error for a file system that cannot lock the file at present; nil if it can. SQLite would take
// that for another process that holds a lock, and wait.
func (f *file) unlocked() error {
	now := time.Now().UnixNano()
	if now-f.lockable.Load() < int64(lockLook) {
		return nil
	}
	if err := canLock(lockOf(f.path)); err != nil {
		return trilith.Errorf(trilith.Unavailable, "store: the file system cannot lock the file (%w); start its lock service "+
			"(for NFS lockd, or mount it with local_lock=all if one machine alone uses it), or move the store to a local disk", err)
	}
	f.lockable.Store(now)
	return nil
}

// Damaged reports whether SQLite found the file damaged.
func Damaged(err error) bool { return code(err) == lib.SQLITE_CORRUPT }

// fail translates an error of the product: a context's own error passes, everything else gets a kind.
func fail(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctxErr := ctx.Err(); ctxErr != nil && (code(err) == lib.SQLITE_INTERRUPT || errors.Is(err, ctxErr)) {
		return ctxErr
	}
	if full(err) {
		err = fmt.Errorf("%w: %w", trilith.ErrNoSpace, err)
	} else if kind, msg := meaning(code(err)); msg != "" {
		err = trilith.Errorf(kind, "%s: %w", msg, err)
	}
	return trilith.WrapError(trilith.Internal, op, err)
}

// full reports whether err says that the disk is full: for the file, its log, or the index of the log.
func full(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (code(err) == lib.SQLITE_FULL || e.Code() == lib.SQLITE_IOERR_SHMSIZE)
}

// code returns SQLite's primary result code of err, 0 if it is not SQLite's.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// meaning returns the kind of error of a result code, and a message for the operator.
func meaning(code int) (trilith.ErrorKind, string) {
	switch code {
	case lib.SQLITE_TOOBIG:
		return trilith.Exhausted, "store: a value is larger than the file can hold"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return trilith.Unavailable, "store: another process holds the file"
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return trilith.Unavailable, "store: the file cannot be read or written"
	case lib.SQLITE_CONSTRAINT:
		return trilith.Conflict, "store: the value exists already"
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return trilith.Internal, "store: the file is damaged; look with `trilith doctor`, then restore a backup with `trilith restore`"
	}
	return 0, ""
}
