package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/role"
)

// backupPages is how many pages are copied between two checks of the context: 4 MiB.
const backupPages = 1024

// Backup writes one consistent state of the store to a new file, while others read and write. The file appears under
// its name when it is complete; an existing file is a Conflict. Progress, if not nil, receives the pages done and the
// total. The whole copy is verified, including checksums: a damaged store cannot be backed up, and the error names the
// damage. The copy contains nothing that had been erased by then, even where vectors, snapshots and unused parts of
// pages of the store itself still do.
func (u *upkeep) Backup(ctx context.Context, path string, progress func(done, total int)) error {
	const op = "sqlite.Backup"
	select {
	case <-u.closing:
		return errClosed
	default:
	}
	defer u.share()()
	return fail(ctx, op, copyFile(ctx, u.path, path, nil, finish, progress))
}

// Restore creates the store at to from a backup. It returns an error for a damaged backup, one that is not a trilith
// store, one of a newer trilith, and an existing to.
func Restore(ctx context.Context, from, to string) error {
	const op = "sqlite.Restore"
	if info, err := os.Stat(from); err != nil {
		return trilith.Errorf(trilith.NotFound, "restore: there is no backup %s", from)
	} else if !info.Mode().IsRegular() {
		return trilith.Errorf(trilith.Invalid, "restore: %s is not a file", from)
	}
	from, err := filepath.Abs(from)
	if err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	if err := inspect(ctx, from); err != nil {
		return fail(ctx, op, err)
	}
	return fail(ctx, op, copyFile(ctx, from, to, verify, nil, nil))
}

// copyFile copies one state of the database at from to the new file to. It runs check, if not nil, before the copy, and
// finishes the copy before that gets its name.
func copyFile(ctx context.Context, from, to string, check func(context.Context, querier) error,
	finish func(context.Context, string) error, progress func(done, total int)) (err error) {
	to, err = filepath.Abs(to)
	if err != nil {
		return trilith.WrapError(trilith.Invalid, "", err)
	}
	if err := absent(to); err != nil {
		return err
	}
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return trilith.WrapError(trilith.Unavailable, "", err)
	}
	temp, err := os.CreateTemp(dir, "."+filepath.Base(to)+".*") // mode 0600
	if err != nil {
		return trilith.WrapError(trilith.Unavailable, "", err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp.Name())
			os.Remove(temp.Name() + "-journal")
		}
	}()
	err = copyPages(ctx, from, temp.Name(), check, progress)
	if err == nil && finish != nil {
		err = finish(ctx, temp.Name())
	}
	if err == nil {
		err = trilith.WrapError(trilith.Unavailable, "", temp.Sync())
	}
	if e := temp.Close(); err == nil {
		err = trilith.WrapError(trilith.Unavailable, "", e)
	}
	if err != nil {
		return err
	}
	if err := absent(to); err != nil { // another process was faster
		return err
	}
	if err := os.Rename(temp.Name(), to); err != nil {
		return trilith.WrapError(trilith.Unavailable, "", err)
	}
	return trilith.WrapError(trilith.Unavailable, "", disk.SyncDir(dir))
}

// absent returns an error if there is a database, or a log of one, under a name.
func absent(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-journal"} {
		if _, err := os.Lstat(name); err == nil {
			return trilith.Errorf(trilith.Conflict, "%s exists already; name a file that does not", name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return trilith.WrapError(trilith.Unavailable, "", err)
		}
	}
	return nil
}

// copyPages copies the state that one read transaction of the source sees, so that writers do not make it start again.
func copyPages(ctx context.Context, from, to string, check func(context.Context, querier) error,
	progress func(done, total int)) error {
	settings, err := reading(from)
	if err != nil {
		return err
	}
	settings.Set("_pragma", safety[0])
	db, err := openDB(from, settings, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = untilFree(ctx, func() error {
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		var n int
		// the transaction begins with its first read
		err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
		if err != nil {
			conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
		return err
	})
	if err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	if check != nil {
		if err := check(ctx, conn); err != nil {
			return err
		}
	}
	return conn.Raw(func(dc any) error {
		b, err := dc.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		}).NewBackup(dsn(to, url.Values{"_pragma": {"synchronous(OFF)"}})) // copyFile syncs at the end
		if err != nil {
			return err
		}
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return errors.Join(err, b.Finish())
			}
			if more, err = b.Step(backupPages); err != nil {
				return errors.Join(err, b.Finish())
			}
			if progress != nil {
				progress(b.PageCount()-b.Remaining(), b.PageCount())
			}
		}
		dest, err := b.Commit()
		if err != nil {
			return err
		}
		// The copy is one file: without this its header would ask for a log.
		_, err = dest.(driver.ExecerContext).ExecContext(ctx, "PRAGMA journal_mode = DELETE", nil)
		return errors.Join(err, dest.Close())
	})
}

// querier is a connection or a pool of connections.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Check reads the whole file and reports the first damage that it finds, or the loss of changes before the file was
// opened. A file that is intact is written again if damage was suspected.
func (u *upkeep) Check(ctx context.Context) error {
	const op = "sqlite.Check"
	if u.gone() {
		return errMoved
	}
	if err := u.read(ctx, op, func() error { return u.examine(ctx) }); err != nil {
		return err
	}
	return u.lost
}

// checkDB checks the structure of the file and the references in it.
func checkDB(ctx context.Context, db querier) error {
	for _, c := range []struct{ query, sound, sentence string }{
		{"PRAGMA integrity_check(1)", "ok", "its structure"},
		{"SELECT count(*) FROM memories AS m JOIN deletions AS d USING (change)", "0", "the numbers of its change log"},
		{"SELECT count(*) FROM (SELECT 1 FROM audit GROUP BY tenant HAVING min(seq) <> 1 OR max(seq) <> count(*))", "0",
			"the numbers of its audit log"},
	} {
		var found string
		rows, err := db.QueryContext(ctx, c.query)
		if err := scanAll(rows, err, func(row scanner) error { return row.Scan(&found) }); err != nil {
			return err
		}
		if found != c.sound {
			return trilith.Errorf(trilith.Internal,
				"store: the file is damaged in %s (%s); restore a backup with `trilith restore`", c.sentence, found)
		}
	}
	return nil
}

// verify checks the file and the checksums of its rows.
func verify(ctx context.Context, db querier) error {
	if err := checkDB(ctx, db); err != nil {
		return err
	}
	sums, err := checkSums(ctx, db)
	switch {
	case err != nil:
		return err
	case len(sums.Damaged) > 0 || sums.Copies > 0:
		return trilith.Errorf(trilith.Internal,
			"store: rows are damaged (wrong checksums): %s; restore a backup with `trilith restore`, or save the other rows with `trilith export --skip-damaged`",
			strings.Join(sums.Named, ", "))
	case sums.Derived > 0:
		return trilith.Errorf(trilith.Internal,
			"store: rows of vectors or index snapshots are damaged: %s; rebuild them with `trilith doctor --repair`",
			strings.Join(sums.Named, ", "))
	}
	return nil
}

const (
	// A blob with the id of a memory belongs to that memory; all others cover many memories.
	ofMemory   = "id GLOB '????????-????-????-????-????????????'"
	dropStrays = "DELETE FROM blobs WHERE " + ofMemory +
		" AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.tenant = blobs.tenant AND m.id = blobs.id)"
	dropUnpaired  = "DELETE FROM embeddings WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.tenant = embeddings.tenant AND m.id = embeddings.memory)"
	dropSnapshots = "DELETE FROM blobs WHERE NOT " + ofMemory
	anyPurge      = "SELECT count(*) FROM jobs WHERE kind = '" + role.JobPurge + "' AND state <> 'done'"
)

// finish completes the erasures in a copy. An erasure deletes the truth at once, and vectors, snapshots and unused
// parts of pages a moment later; a copy from in between has to be cleaned here, because nothing else will do that for a
// stored file.
func finish(ctx context.Context, path string) error {
	// copyFile syncs at the end
	db, err := openDB(path, url.Values{"_pragma": {"synchronous(OFF)", "secure_delete(ON)", "temp_store(MEMORY)"}}, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := verify(ctx, db); err != nil {
		return err
	}
	var purges, strays int64
	if err := db.QueryRowContext(ctx, anyPurge).Scan(&purges); err != nil {
		return err
	}
	for _, drop := range []string{dropStrays, dropUnpaired} {
		res, err := db.ExecContext(ctx, drop)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		strays += n
	}
	if purges+strays == 0 {
		return db.Close()
	}
	for _, last := range []string{dropSnapshots, "VACUUM"} {
		if _, err := db.ExecContext(ctx, last); err != nil {
			return err
		}
	}
	return db.Close()
}

// Purge makes sure that deleted data are in neither the file nor its log. Deleted rows are overwritten at once, but
// pages that were split or merged may still have copies in their unused parts, so the file is rewritten. That takes
// time, and temporarily space, in proportion to its size, and it blocks writers but not readers. It waits for readers
// that began before it, in every process.
func (u *upkeep) Purge(ctx context.Context) error {
	for _, step := range []func(*tx) error{(*tx).vacuum, (*tx).truncateLog} {
		err := untilFree(ctx, func() error { // lets writers in between two attempts
			return u.submit(ctx, "sqlite.Purge", &request{alone: true, run: step})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) vacuum() error {
	// the copy that VACUUM makes may be larger than the machine's memory
	if err := t.exec("PRAGMA temp_store = FILE"); err != nil {
		return err
	}
	err := t.exec("VACUUM")
	return errors.Join(err, t.exec("PRAGMA temp_store = MEMORY"))
}

func (t *tx) truncateLog() error {
	var busy, pages, moved int
	if err := t.row("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return errHeld
	}
	return nil
}
