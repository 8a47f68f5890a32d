//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package owner

import (
	"errors"
	"os"
	"syscall"

	"github.com/trilith-memory/trilith"
)

// acquire takes the lock of an open file without waiting. Closing the file, or the death of the process, releases it.
func acquire(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return trilith.Errorf(trilith.Conflict, "owner: another process owns the memory")
	case err != nil:
		return trilith.WrapError(trilith.Unsupported, "owner.Take", err)
	}
	return nil
}

// makePrivate makes sure that a folder exists and that no other user can enter it.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.Chmod(folder, 0o700) // fails if it belongs to somebody else
}
