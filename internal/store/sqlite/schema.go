package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
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

// migrations are the changes of the schema, the oldest first. A test replaces them to be a later version.
var migrations fs.FS = migrationFiles

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
	var version int64
	if err := t.QueryRowContext(ctx, schemaQuery).Scan(&version); err != nil {
		return err
	}
	known, err := newestSchema()
	if err != nil {
		return err
	}
	return notNewer(path, version, known)
}

func notNewer(path string, version, known int64) error {
	if version > known {
		return trilith.Errorf(trilith.Unsupported,
			"store: %s was written by a newer trilith (schema %d, this one knows %d); use that version or a later one",
			path, version, known)
	}
	return nil
}

// schemaQuery returns the number of the newest migration that was applied to the file. It reads the table and its
// index, because the migrations would take damaged rows for missing ones.
const schemaQuery = "SELECT max((SELECT max(version_id) FROM goose_db_version NOT INDEXED), (SELECT max(version_id) FROM goose_db_version))"

// appliedQuery is schemaQuery read only from the index. Every transaction that writes runs it: it takes 10 µs.
const appliedQuery = "SELECT max(version_id) FROM goose_db_version"

// checkSchema returns an error unless the file has the newest schema that this program knows, and notes its number.
func (w *writer) checkSchema(path string) error {
	known, err := newestSchema()
	if err != nil {
		return err
	}
	var version int64
	if err := errors.Join(w.row(schemaQuery).Scan(&version), w.row(appliedQuery).Scan(&w.schema)); err != nil {
		return err
	}
	if version < known {
		return trilith.Errorf(trilith.Unavailable, "store: %s has an older schema (%d, this trilith needs %d), and %w; "+
			"end that process, then try again", path, version, known, ErrInUse)
	}
	return notNewer(path, version, known)
}

// movedSchema is the reason for not writing a file whose schema another version has changed.
const movedSchema = "another version of trilith has changed its schema; end this process and start that version"

// newestSchema returns the number of the newest migration.
func newestSchema() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql") // ascending
	if err != nil || len(files) == 0 {
		return 0, err
	}
	number, _, _ := strings.Cut(path.Base(files[len(files)-1]), "_")
	return strconv.ParseInt(number, 10, 64)
}

// migrate applies the missing migrations. Each is one transaction that ends with its row in goose's table, and that row
// is unique: of two processes in a race, one fails, rolls back, and finds the work done when it checks again.
func migrate(ctx context.Context, path string) error {
	files, err := fs.Sub(migrations, "migrations")
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
