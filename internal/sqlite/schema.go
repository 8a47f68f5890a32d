package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	lib "modernc.org/sqlite/lib"

	"github.com/trilith-memory/trilith"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks trilith's files: "tril", written by the first migration. formerID marks those that the program
// made when it was called cairn.
const (
	applicationID = 0x7472696c
	formerID      = 0x63616972
)

// inspect reads the file before anything writes to it. A file has no write-ahead log while it is created. If a process
// was killed in the middle of a write to such a file, SQLite shows it only to a connection that may roll that write
// back, so inspect then opens it for writing.
func inspect(ctx context.Context, path string) error {
	settings, err := reading(path)
	if err != nil {
		return err
	}
	settings.Set("_pragma", safety[0])
	if err = inspectWith(ctx, path, settings); unfinished(err) {
		settings.Set("mode", "rw")
		err = inspectWith(ctx, path, settings)
	}
	return err
}

func inspectWith(ctx context.Context, path string, settings url.Values) error {
	db, err := openDB(path, settings, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	err = untilFree(ctx, func() error {
		t, err := db.BeginTx(ctx, nil) // one state of the file: another process may be creating it now
		if err != nil {
			return err
		}
		defer t.Rollback()
		return inspectState(ctx, t, path)
	})
	if code(err) == lib.SQLITE_NOTADB {
		return trilith.Errorf(trilith.Invalid, "store: %s is not a trilith store", path)
	}
	return err
}

func inspectState(ctx context.Context, t *sql.Tx, path string) error {
	var app int64
	if err := t.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return err
	}
	if app == formerID {
		return trilith.MadeByCairn(path, "sqlite:"+path, "another file")
	}
	if app != applicationID {
		var strange int // a file that is being created has at most the migrations' own table
		err := t.QueryRowContext(
			ctx, "SELECT count(*) FROM sqlite_schema WHERE tbl_name NOT IN ('goose_db_version', 'sqlite_sequence')").Scan(&strange)
		if err != nil {
			return err
		}
		if app != 0 || strange > 0 {
			return trilith.Errorf(trilith.Invalid, "store: %s is the database of another program", path)
		}
		return nil
	}
	version, err := schemaOf(ctx, t)
	if err != nil {
		return err
	}
	known, err := newestSchema()
	if err != nil {
		return err
	}
	if version > known {
		return trilith.Errorf(trilith.Unsupported,
			"store: %s was written by a newer trilith (schema %d, this one knows %d); use that version or a later one",
			path, version, known)
	}
	return nil
}

// schemaOf returns the number of the newest migration that was applied to the file. It reads the table and its index,
// because the migrations would take damaged rows for missing ones.
func schemaOf(ctx context.Context, t *sql.Tx) (version int64, err error) {
	err = t.QueryRowContext(
		ctx, "SELECT max((SELECT max(version_id) FROM goose_db_version NOT INDEXED), (SELECT max(version_id) FROM goose_db_version))").Scan(&version)
	return version, err
}

// newestSchema returns the number of the newest migration.
func newestSchema() (int64, error) {
	migrations, err := fs.Glob(migrationFiles, "migrations/*.sql") // ascending
	if err != nil || len(migrations) == 0 {
		return 0, err
	}
	number, _, _ := strings.Cut(path.Base(migrations[len(migrations)-1]), "_")
	return strconv.ParseInt(number, 10, 64)
}

// migrate applies the missing migrations. Each is one transaction that ends with its row in goose's table, and that row
// is unique: of two processes in a race, one fails, rolls back, and finds the work done when it checks again.
func migrate(ctx context.Context, path string) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	db, err := openDB(path, writerSettings, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := untilFree(ctx, func() error { return db.PingContext(ctx) }); err != nil {
		return err
	}
	const tries = 3
	for range tries {
		var p *goose.Provider
		p, err = goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return err
		}
		err = untilFree(ctx, func() error { _, err := p.Up(ctx); return err })
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}
