//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the lock that is the file at path, which it makes if need be, without waiting: another holder is
// [ErrLocked]. Closing the returned file, or the death of the process, releases the lock. The file stays.
func Lock(path string) (*os.File, error) { return lock(path, syscall.LOCK_EX) }

func lockShared(path string) (*os.File, error) { return lock(path, syscall.LOCK_SH) }

func lock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}

// CanLock returns ENOLCK if the file system at path, an existing file, has no locks at present, like a network file
// system without its lock service; otherwise nil. Locks that this process holds on the file by fcntl end.
func CanLock(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	how := syscall.Flock_t{Type: syscall.F_RDLCK, Len: 1}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &how); err == syscall.ENOLCK {
		return err
	}
	return nil
}
