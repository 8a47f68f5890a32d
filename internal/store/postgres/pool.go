package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith"
)

// configOf reads a connection string. Its errors show nothing of it: it may hold a password.
func configOf(url string) (*pgxpool.Config, error) {
	if url == "" {
		return nil, trilith.Errorf(trilith.Invalid, "store: the URL of PostgreSQL is missing")
	}
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, trilith.Errorf(
			trilith.Invalid, "store: the URL of PostgreSQL cannot be read; write postgres://USER:PASSWORD@HOST:5432/DATABASE, with %%40 for an @ in the password")
	}
	if c := &cfg.ConnConfig.Config; c.ValidateConnect == nil && severalHosts(c) {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if params := cfg.ConnConfig.RuntimeParams; params["application_name"] == "" {
		params["application_name"] = "trilith"
	}
	return cfg, nil
}

func severalHosts(c *pgconn.Config) bool {
	return slices.ContainsFunc(
		c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != c.Host || f.Port != c.Port })
}

// in runs f in a transaction that sees and writes the rows of one tenant, or of [allTenants]. It begins again, a few
// times, where the server gives up a transaction because of others, and where the connection turns out to be lost
// before anything could have been committed; so f starts from nothing each time. The outcome of a commit whose
// connection breaks is not known: the answer is Unavailable.
func (db *database) in(ctx context.Context, op, tenant string, write bool, f func(pgx.Tx) error) error {
	if !write {
		return db.answered(ctx, func(db *database) error {
			return db.transact(ctx, op, db.begin(ctx, tenant, "READ COMMITTED READ ONLY"), false, f)
		})
	}
	if db.primary != nil {
		return errStandby
	}
	o := db.begin(ctx, tenant, "READ COMMITTED READ WRITE")
	o.BeginQuery += guard
	err := db.transact(ctx, op, o, true, f)
	db.written.commits.Add(1) // also if the outcome of the commit is not known
	return err
}

// snapshot is [database.in] for statements that only read, and that all see the same commits.
func (db *database) snapshot(ctx context.Context, op, tenant string, f func(pgx.Tx) error) error {
	return db.answered(ctx, func(db *database) error {
		return db.transact(ctx, op, db.begin(ctx, tenant, "REPEATABLE READ READ ONLY"), false, f)
	})
}

// commitTimeout bounds the wait for the answer to a COMMIT, which is awaited even when the caller gives up: a commit
// that was given up has written nothing.
const commitTimeout = 30 * time.Second

var errUnknown = trilith.Errorf(
	trilith.Unavailable, "store: the connection broke before PostgreSQL confirmed the commit; repeat the request")

func (db *database) transact(ctx context.Context, op string, o pgx.TxOptions, write bool, f func(pgx.Tx) error) error {
	return db.repeat(ctx, op, func() (again bool, err error) {
		c, err := db.acquire(ctx)
		if err != nil {
			return lost(err), err
		}
		defer c.Release()
		tx, err := c.BeginTx(ctx, o)
		if err != nil {
			return lost(err), err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) // after a commit it does nothing
		if err := f(tx); err != nil {
			return repeatable(err) || lost(err), err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
		defer cancel()
		err = tx.Commit(end)
		if err != nil && (end.Err() != nil || lost(err)) {
			return false, errUnknown
		}
		return repeatable(err), err
	})
}

// patient lifts the server's time limits for the transaction; not all versions have all of them.
const patient = `SELECT set_config(name, '0', true) FROM pg_settings
	WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout', 'lock_timeout')`

// begin is the first round trip of a transaction of a tenant, or of [allTenants]. A connection that is lost in the
// middle of a commit must not hold its locks for long.
func (db *database) begin(ctx context.Context, tenant, mode string) pgx.TxOptions {
	step := stepInAll(db.system)
	if tenant != allTenants {
		step = strings.Replace(stepIn, "$1", literal(tenant), 1)
	}
	return pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL " + mode + "; " + step + db.impatient(ctx) +
		", set_config('idle_in_transaction_session_timeout', '10s', true)"}
}

// readStrings returns the only column of a query, as it lies there.
func (db *database) readStrings(ctx context.Context, op, tenant, query string, args ...any) ([]string, error) {
	return readRows(ctx, db, op, tenant, query, args, func(rows pgx.Rows) (v string, err error) {
		err = rows.Scan(&v)
		return v, err
	})
}

// readRows returns the results of scan for each row of a query; see [database.read].
func readRows[T any](ctx context.Context, db *database, op, tenant, query string, args []any,
	scan func(pgx.Rows) (T, error)) (out []T, err error) {
	err = db.read(ctx, op, tenant, func(b *pgx.Batch) {
		out = nil
		b.Queue(query, args...).Query(listed(&out, scan))
	})
	return out, err
}

// read sends the statements of queue as one pipeline, in one round trip, and hands the answers to their functions. Each
// statement sees the newest commits. It begins again where the connection turns out to be lost, so queue and its
// functions start from nothing each time.
func (db *database) read(ctx context.Context, op, tenant string, queue func(*pgx.Batch)) error {
	return db.answered(ctx, func(db *database) error {
		return db.pipeline(ctx, op, true, func(b *pgx.Batch) {
			db.enter(ctx, b, tenant)
			queue(b)
		})
	})
}

// listed is [each] for rows that scan makes items of a list of.
func listed[T any](out *[]T, scan func(pgx.Rows) (T, error)) func(pgx.Rows) error {
	return each(func(rows pgx.Rows) error {
		v, err := scan(rows)
		*out = append(*out, v)
		return err
	})
}

// each makes a function that scans one row into one that scans the answer to a query of a pipeline.
func each(scan func(pgx.Rows) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error { return collect(rows, scan) }
}

// collect reads all rows of a query of a pipeline.
func collect(rows pgx.Rows, scan func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// write1 sends one statement as a transaction of its own, in one round trip, and returns how many rows it changed.
func (db *database) write1(ctx context.Context, op, tenant, statement string, args ...any) (changed int64, err error) {
	if db.primary != nil {
		return 0, errStandby
	}
	return changed, db.pipeline(ctx, op, false, func(b *pgx.Batch) {
		db.enterWriting(ctx, b, tenant)
		b.Queue(statement, args...).Exec(func(tag pgconn.CommandTag) error {
			changed = tag.RowsAffected()
			return nil
		})
	})
}

// pipeline sends a pipeline that is one transaction; harmless says that it may be sent again if the outcome of its
// commit is not known.
func (db *database) pipeline(ctx context.Context, op string, harmless bool, queue func(*pgx.Batch)) error {
	return db.repeat(ctx, op, func() (again bool, err error) {
		b := new(pgx.Batch)
		queue(b)
		err = db.send(ctx, b)
		return repeatable(err) || lost(err) && (harmless || unsent(err)), err
	})
}

// tries is how often a transaction that may be repeated is begun at most.
const tries = 5

func (db *database) repeat(ctx context.Context, op string, f func() (again bool, err error)) error {
	for try := 1; ; try++ {
		select {
		case <-db.closing:
			return errClosed
		default:
		}
		again, err := f()
		if err == nil {
			return nil
		}
		if code(err) == readOnlyTransaction {
			db.pool.Reset() // the server has become a standby: the connections that are open lead there
		}
		if !again || try == tries || db.primary != nil || ctx.Err() != nil { // of a standby the primary is asked next
			return db.failed(ctx, op, err)
		}
	}
}

// failed is fail for an error that may come of the store's being closed.
func (db *database) failed(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil {
		select {
		case <-db.closing: // the pool was closed meanwhile
			return errClosed
		default:
		}
	}
	return fail(ctx, op, err)
}

// lockWait is how long a request waits for a lock that another transaction holds (of a table, of a row or an advisory
// one), and for a connection.
const lockWait = 5 * time.Second

// known is the name under which a connection carries the statements that it has prepared, at most knownStatements of
// them.
const (
	known           = "trilith.known"
	knownStatements = 512 // as many as the driver keeps
)

// send sends a pipeline. A server looks at the tables of a statement when it prepares it, which the driver does before
// the pipeline has set anything. So a request sends statements that are new to the connection in a transaction that has
// set how long it waits.
func (db *database) send(ctx context.Context, b *pgx.Batch) error {
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	carried := c.Conn().PgConn().CustomData()
	prepared, _ := carried[known].(map[string]bool)
	if db.impatient(ctx) == "" || b.QueuedQueries[0].SQL == beginLog ||
		!slices.ContainsFunc(b.QueuedQueries, func(q *pgx.QueuedQuery) bool { return !prepared[q.SQL] }) {
		return c.SendBatch(ctx, b).Close()
	}
	begin := pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT set_config('lock_timeout', '" +
		strconv.FormatInt(db.lockWait.Milliseconds(), 10) + "', true)"}
	err = pgx.BeginTxFunc(ctx, c, begin, func(tx pgx.Tx) error { return tx.SendBatch(ctx, b).Close() })
	if err != nil {
		return err
	}
	if prepared == nil || len(prepared)+b.Len() > knownStatements {
		prepared = map[string]bool{}
		carried[known] = prepared
	}
	for _, q := range b.QueuedQueries {
		prepared[q.SQL] = true
	}
	return nil
}

var errBusy error = trilith.Errorf(trilith.Unavailable, "store: all connections to PostgreSQL are in use, and none was free in time; repeat, and look at pg_locks if that goes on")

// acquire takes a connection. A request waits no longer for one than for a lock: when all are taken, their holders wait
// for locks, or are more than the server can handle.
func (db *database) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if db.impatient(ctx) == "" {
		return db.pool.Acquire(ctx)
	}
	wait, cancel := context.WithTimeoutCause(ctx, db.lockWait, errBusy)
	defer cancel()
	c, err := db.pool.Acquire(wait)
	if err != nil && ctx.Err() == nil && context.Cause(wait) == errBusy {
		err = errBusy
	}
	return c, err
}

// impatient returns SQL, for a step into a role, that also bounds the waiting for locks if the caller has a deadline.
// Only requests have one; jobs, migrations and rebuilds wait as long as it takes.
func (db *database) impatient(ctx context.Context) string {
	if _, ok := ctx.Deadline(); !ok {
		return ""
	}
	return ", set_config('lock_timeout', '" + strconv.FormatInt(db.lockWait.Milliseconds(), 10) + "', true)"
}
