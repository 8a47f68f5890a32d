package disk

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is ERROR_SHARING_VIOLATION: another process has opened the file without sharing it.
const sharingViolation = syscall.Errno(32)

// Lock takes the lock that is the file at path, which it makes if need be, without waiting: another holder is
// [ErrLocked]. Closing the returned file, or the death of the process, releases the lock. The file stays.
func Lock(path string) (*os.File, error) {
	return lock(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0)
}

func lockShared(path string) (*os.File, error) {
	return lock(path, syscall.GENERIC_READ, syscall.FILE_SHARE_READ)
}

func lock(path string, access, share uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	h, err := syscall.CreateFile(name, access, share, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// CanLock is nil: this system has no lock service that could be absent.
func CanLock(string) error { return nil }
