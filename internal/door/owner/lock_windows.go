package owner

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"

	"github.com/trilith-memory/trilith"
)

// lockedAt is the byte that is locked. A lock on this system prevents others from reading the locked bytes, and they
// must read the address, so the byte is at an offset where nothing is ever written.
var lockedAt = windows.Overlapped{OffsetHigh: 1 << 30}

// acquire takes the lock of an open file without waiting. Closing the file, or the death of the process, releases it.
func acquire(f *os.File) error {
	at := lockedAt
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &at)
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return trilith.Errorf(trilith.Conflict, "owner: another process owns the memory")
	case err != nil:
		return trilith.WrapError(trilith.Unsupported, "owner.Take", err)
	}
	return nil
}

// makePrivate makes sure that a folder exists and that no other user can enter it. This system ignores modes, so the
// folder gets an access list that names only this user, and its content inherits the list.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	sd, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return err
	}
	list, _, err := sd.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(folder, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}
