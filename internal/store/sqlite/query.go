package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxPrepared limits the number of prepared statements. Listings can have any combination of conditions, but a program
// uses few of them.
const maxPrepared = 128

// limited limits the rows of a query. The limit is an expression and not a plain parameter: SQLite uses the value of a
// plain parameter for planning, so it plans the statement again for each run. That takes longer than reading a few
// memories.
const limited = " LIMIT ? + 0"

// queries caches the readers' prepared statements.
type queries struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func (q *queries) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := q.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return q.db.QueryContext(ctx, query, args...)
	}
	return st.QueryContext(ctx, args...)
}

// row reads the only row of a query into dest.
func (q *queries) row(ctx context.Context, query string, args []any, dest ...any) error {
	rows, err := q.query(ctx, query, args...)
	return scanAll(rows, err, func(row scanner) error { return row.Scan(dest...) })
}

// readStrings returns the only column of a query.
func (f *file) readStrings(ctx context.Context, op, query string, args ...any) ([]string, error) {
	return readRows(ctx, f, op, query, args, scanString)
}

func scanString(row scanner) (v string, err error) {
	err = row.Scan(&v)
	return v, err
}

// readRows returns the results of scan for each row of a query.
func readRows[T any](ctx context.Context, f *file, op, query string, args []any, scan func(scanner) (T, error)) (
	out []T, err error) {
	err = f.read(ctx, op, func() error {
		rows, err := f.queries.query(ctx, query, args...)
		out, err = scanRows(rows, err, scan)
		return err
	})
	return out, err
}

func scanRows[T any](rows *sql.Rows, err error, scan func(scanner) (T, error)) (out []T, _ error) {
	err = scanAll(rows, err, func(row scanner) error {
		v, err := scan(row)
		out = append(out, v)
		return err
	})
	return out, err
}

// prepared returns the prepared statement of a query, or nil if the cache is full.
func (q *queries) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	q.mu.Lock()
	st, full := q.stmts[query], len(q.stmts) >= maxPrepared
	q.mu.Unlock()
	if st != nil || full {
		return st, nil
	}
	st, err := q.db.PrepareContext(ctx, query) // without the lock, because it may wait for a connection
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if first := q.stmts[query]; first != nil {
		return first, st.Close()
	}
	if q.stmts == nil {
		q.stmts = make(map[string]*sql.Stmt)
	}
	q.stmts[query] = st
	return st, nil
}

func (q *queries) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	for _, st := range q.stmts {
		errs = append(errs, st.Close())
	}
	q.stmts = nil
	return errors.Join(errs...)
}

// scanner is a row to scan.
type scanner interface{ Scan(dest ...any) error }

// scanAll reads rows to their end.
func scanAll(rows *sql.Rows, err error, scan func(scanner) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
