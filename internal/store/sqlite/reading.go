package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/wait"
)

// movedFile is the reason for not writing a file that is not at its path any more, or whose log is not: writes there
// are lost when the process ends.
const movedFile = "its file or its log (-wal) was moved, replaced or deleted while it was open"

// ReadOnly returns why the file is not written, as a sentence; "" if it is. After damage was found, a file is not
// written until all of it is found intact: writing into a damaged tree of pages may destroy data that can still be read.
func (f *file) ReadOnly() string {
	if why := f.closedFor(); why != "" || !f.gone() {
		return why
	}
	return movedFile
}

// gone reports whether a file that was opened for writing is no longer the one at its path.
func (f *file) gone() bool {
	for i, now := range sightings(f.path) {
		if opened := f.opened[i]; opened != nil && (now == nil || !os.SameFile(now, opened)) {
			return true
		}
	}
	return false
}

// damagedFile is the reason for not writing a damaged file. Only a store that found the damage itself, and so has this
// very string, writes again: one that was opened for reading, for the same reason, has no writer.
var damagedFile = "the file is damaged"

// firstLook is the pause before damage is looked at again; each further pause is twice as long.
var firstLook = time.Second

// suspect ends writing until the whole file is found intact: a read that failed once looks like damage to SQLite.
func (f *file) suspect() {
	if !f.closed.CompareAndSwap(nil, &damagedFile) {
		return
	}
	f.warn("store: the file seems damaged and is not written until it is found intact")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-f.closing
		cancel()
	}()
	go func() {
		for pause := firstLook; f.closed.Load() == &damagedFile && wait.For(ctx, pause) == nil; pause *= 2 {
			_ = f.examine(ctx)
		}
	}()
}

// examine checks the whole file. If it is intact, writing goes on.
func (f *file) examine(ctx context.Context) error {
	err := checkDB(ctx, f.readers)
	if err == nil && f.closed.CompareAndSwap(&damagedFile, nil) {
		f.warn("store: the whole file was found intact, so it is written again")
	}
	return err
}

// FullDisk is the reason for opening a file only for reading if there is no disk space for the log that writing needs.
const FullDisk = "the disk is full"

var errMoved = trilith.Errorf(trilith.Unavailable,
	"store: %s; put back what was moved, or restore a backup, then restart this process", movedFile)

// writable returns the error for a write that is not possible, or nil.
func (f *file) writable() error {
	why := f.closedFor()
	switch why {
	case "":
		return nil
	case FullDisk:
		return fmt.Errorf("%w: %s", trilith.ErrNoSpace,
			"it was full when the file was opened, so the file is only read: free some space and start the program again")
	case movedFile:
		return errMoved
	case damagedFile:
		return trilith.Errorf(trilith.Unsupported,
			"store: the file is damaged and can only be read; run `trilith doctor`, then restore a backup with `trilith restore`")
	}
	return trilith.Errorf(trilith.Unsupported, "store: is open for reading only (%s); nothing can be written", why)
}

func (f *file) closedFor() string {
	if why := f.closed.Load(); why != nil {
		return *why
	}
	return ""
}

// unwritable returns why the existing file at path cannot be written; "" if it can, or if there is no file.
func unwritable(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if !disk.Writable(path) {
		return "the file cannot be written"
	}
	if disk.Writable(filepath.Dir(path)) {
		return ""
	}
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if !disk.Writable(beside) { // nor can it be created
			return "its folder cannot be written"
		}
	}
	return ""
}

// openReading opens an existing file for reading. It returns an error for a file with another schema version, because
// this program needs its own tables and cannot create them.
func openReading(ctx context.Context, path string, o Options, why string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, trilith.Errorf(
			trilith.NotFound, "store: %s does not exist, and a read-only start does not create it", path)
	}
	settings, err := reading(path)
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	s.refuse(why)
	s.still, s.opened = settings.Has("immutable"), sightings(path)
	last, acknowledged := readMark(path)
	for name, values := range readerSettings {
		if !settings.Has(name) {
			settings[name] = values
		}
	}
	if err := s.connect(settings, o.Readers); err != nil {
		return nil, err
	}
	if err := s.recognise(ctx); err != nil {
		return nil, errors.Join(err, s.readers.Close())
	}
	s.compare(ctx, last, acknowledged)
	close(s.committer.written)
	return s, nil
}

// locksRoom is a little more than the smallest size of the locks file.
const locksRoom = 64 << 10

// reading returns the settings of a connection that only reads the file at path. SQLite reads a file with a log
// together with a second file, which it creates for the locks of all users. If that cannot be created, the file can be
// read without it, provided that there is no log: a process that has the file open has a log.
func reading(path string) (url.Values, error) {
	settings := url.Values{"mode": {"ro"}}
	if _, ok := inMemory(path); ok {
		return settings, nil
	}
	if dir := filepath.Dir(path); disk.Writable(dir) {
		if free, err := disk.Free(dir); err != nil || free >= locksRoom {
			return settings, nil
		}
	}
	switch log, err := os.Stat(path + "-wal"); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, trilith.WrapError(trilith.Unavailable, "", err)
	case err != nil || log.Size() == 0:
		settings.Set("immutable", "1")
		return settings, nil
	}
	if _, err := os.Stat(path + "-shm"); err != nil {
		return nil, trilith.Errorf(
			trilith.Unsupported, "store: %s-wal holds the latest writes, and cannot be read where nothing can be written; free some space, or "+
				"copy %s and %s-wal to a folder that can be written to, and open the copy", path, path, path)
	}
	return settings, nil
}

// refuse ends writing, for a reason, and reports whether it had not ended.
func (f *file) refuse(why string) bool { return f.closed.CompareAndSwap(nil, &why) }

// recognise returns an error for a file that is no trilith store of this version. Damage outside the first page shows
// only when it is read.
func (f *file) recognise(ctx context.Context) error {
	err := untilFree(ctx, func() error {
		t, err := f.readers.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer t.Rollback()
		if err := inspectState(ctx, t, f.path); err != nil {
			return err
		}
		var version int64
		if err := t.QueryRowContext(ctx, schemaQuery).Scan(&version); err != nil {
			return err
		}
		known, err := newestSchema()
		if err == nil && version < known {
			err = trilith.Errorf(trilith.Unsupported,
				"store: %s was written by an older trilith (schema %d, this one needs %d) and can only be read here; "+
					"copy it to a folder that can be written to, and open the copy", f.path, version, known)
		}
		return err
	})
	switch {
	case code(err) == lib.SQLITE_NOTADB:
		return trilith.Errorf(trilith.Invalid, "store: %s is not a trilith store", f.path)
	case Damaged(err): // the version is unknown; read what can be read
		return nil
	}
	return err
}

// disturbed returns Unavailable if a process has begun to change a file that is read without locks: a read may then return
// neither the old nor the new state.
func (f *file) disturbed() error {
	if !f.still {
		return nil
	}
	now, was := sightings(f.path), f.opened[0]
	same := now[0] != nil && now[0].Size() == was.Size() && now[0].ModTime().Equal(was.ModTime())
	if same && (now[1] == nil || now[1].Size() == 0) {
		return nil
	}
	return trilith.Errorf(trilith.Unavailable,
		"store: another process has begun to write %s, which this process opened for reading only; restart this process", f.path)
}

// sightings describes the store's file and its log, which exists while it is open.
func sightings(path string) (out [2]fs.FileInfo) {
	out[0], _ = os.Stat(path)
	out[1], _ = os.Stat(path + "-wal")
	return out
}
