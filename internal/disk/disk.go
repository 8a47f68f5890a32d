// Package disk is what files need of the system beyond reading and writing: how much room is left, a renaming that
// survives a loss of power, a lock that ends with its process, and folders of definitions in YAML.
package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/trilith-memory/trilith/internal/wait"
)

// ErrLocked is the error of [Lock] while another process, or another caller in this one, holds the lock.
var ErrLocked = errors.New("locked by another process")

// joinPause is how soon [Join] looks again whether an exclusive holder lets others in.
const joinPause = 5 * time.Millisecond

// Join takes a share of the lock that is the file at path, and creates the file if necessary; any number of processes
// may hold one. If none does, it first runs first, while no other can join; the error of first is Join's error. Closing
// the returned file, or the death of the process, releases the share. The file stays.
func Join(ctx context.Context, path string, first func() error) (*os.File, error) {
	alone, err := Lock(path)
	switch {
	case err == nil:
		if err = errors.Join(first(), alone.Close()); err != nil {
			return nil, err
		}
	case !errors.Is(err, ErrLocked):
		return nil, err
	}
	for {
		f, err := lockShared(path)
		if !errors.Is(err, ErrLocked) {
			return f, err
		}
		if err := wait.For(ctx, joinPause); err != nil {
			return nil, err
		}
	}
}

// SyncDir makes a renaming in dir durable. Systems whose directories cannot be synced do without.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
