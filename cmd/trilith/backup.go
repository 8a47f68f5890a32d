package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/role"
)

// errNoBackups is the error for a backup over HTTP if no setting names a folder for it.
var errNoBackups = trilith.Errorf(
	trilith.Unsupported, "backup: no folder for backups over HTTP is set; start the server with --backup-dir DIR (TRILITH_BACKUP_DIR)")

// backupFolder is the folder for backups over HTTP. Nothing outside it is read or written, wherever links in it lead.
type backupFolder struct {
	root *os.Root
	from role.Backuper
}

// openBackupFolder opens the folder that the setting names, and makes it if it is not there.
func openBackupFolder(dir string, from role.Backuper) (*backupFolder, error) {
	err := os.MkdirAll(dir, 0o700)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "backup-dir: %w", err)
	}
	return &backupFolder{root, from}, nil
}

// write writes a backup to a new file of the folder.
func (f *backupFolder) write(ctx context.Context, name string) error {
	if err := checkBackupName(name); err != nil {
		return err
	}
	if err := f.absent(name); err != nil {
		return err
	}
	// The copy is made in a folder with a random name, and moved when it is complete.
	making := ".making-" + rand.Text()
	if err := f.root.Mkdir(making, 0o700); err != nil {
		return trilith.Errorf(trilith.Unavailable, "backup: %w", err)
	}
	defer f.root.RemoveAll(making)
	if err := f.from.Backup(ctx, filepath.Join(f.root.Name(), making, "backup.db"), nil); err != nil {
		return err
	}
	parent := path.Dir(name)
	if err := f.root.MkdirAll(parent, 0o700); err != nil {
		return f.failed(err)
	}
	if err := f.absent(name); err != nil { // somebody else was faster
		return err
	}
	if err := f.root.Rename(path.Join(making, "backup.db"), name); err != nil {
		return f.failed(err)
	}
	return trilith.WrapError(trilith.Unavailable, "backup", disk.SyncDir(filepath.Join(f.root.Name(), parent)))
}

// absent returns an error if there is a database, or a log of one, under a name.
func (f *backupFolder) absent(name string) error {
	for _, name := range []string{name, name + "-wal", name + "-journal"} {
		switch _, err := f.root.Lstat(name); {
		case err == nil:
			return trilith.Errorf(trilith.Conflict, "path: %s exists already; name a file that does not", name)
		case !errors.Is(err, fs.ErrNotExist):
			return f.failed(err)
		}
	}
	return nil
}

// namesFault are the system's errors for a name that a new file cannot have.
var namesFault = []syscall.Errno{syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ELOOP, syscall.ENAMETOOLONG}

// failed tells a name that cannot be written from a folder that cannot. A name that leads out of the folder is not an
// error of the system.
func (f *backupFolder) failed(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && !slices.Contains(namesFault, errno) {
		return trilith.Errorf(trilith.Unavailable, "backup: %w", err)
	}
	return trilith.Errorf(trilith.Invalid,
		"path: cannot be written below the folder for backups; name a new file whose folders are none but folders of it")
}

// checkBackupName returns an error for anything but a relative name, with / between folders.
func checkBackupName(name string) error {
	plain := utf8.ValidString(name) && !strings.ContainsAny(name, `\:`) &&
		!strings.ContainsFunc(name, unicode.IsControl)
	for part := range strings.SplitSeq(name, "/") {
		plain = plain && part != "" && part != "." && part != ".."
	}
	if !plain || !filepath.IsLocal(filepath.FromSlash(name)) {
		return trilith.Errorf(trilith.Invalid,
			"path: must be a name below the folder for backups, such as monday.db or 2026/monday.db: without .., :, \\ and control characters, and not beginning with /")
	}
	return nil
}
