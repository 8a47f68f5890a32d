package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
	"github.com/trilith-memory/trilith/internal/wait"
)

// The change log is numbered by a sequence, so that commits do not wait for each other; then a lower number may be
// committed after a higher one. A reader that had been handed the higher one would never see the lower. So readers stop
// at a mark below which nothing can appear any more:
//
//   - A writer reads the sequence's last value L, takes the shared advisory lock of L until its transaction ends, and
//     only then draws its numbers, which are all above L.
//   - A reader reads the last value W; then, in a later statement, which writers' locks are held; then, in a later
//     statement still, the changes up to the mark, which is the lowest of W and of every L that it saw.
//
// A writer whose lock the reader did not see had not taken it yet, so it drew its numbers after that: above W. One that
// the reader saw has numbers above its L. One that had given its lock back was committed before it did, and the
// reader's later statement sees it. So whatever is at or below the mark is seen, or never was. Locks are those of this
// database and of this program: long transactions of other programs do not hold the mark back. Each statement has to
// see the newest commits, so the reader's transaction is READ COMMITTED.
const (
	writers = "24929" // the upper 16 bits of a writer's lock, 0x6161; the others are L

	announce = "SELECT pg_advisory_xact_lock_shared(" + writers + "::bigint << 48 | last_value) FROM trilith.changes"

	beginLog = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
	endLog   = "COMMIT"
	// Changes are always read in the order of their index, even if PostgreSQL has no statistics yet.
	inOrder   = "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)"
	markValue = "SELECT set_config('trilith.mark', last_value::text, true) FROM trilith.changes"
	markLocks = `SELECT set_config('trilith.mark', least(current_setting('trilith.mark')::bigint, min((classid::bigint & 65535) << 32 | objid::bigint))::text, true)
		FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = ` + writers + `
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	mark = "current_setting('trilith.mark')::bigint"

	// The newest change up to the mark, and the newest of all.
	headQuery = `SELECT greatest((SELECT change FROM trilith.memories WHERE change <= ` + mark +
		` ORDER BY change DESC LIMIT 1),
			(SELECT change FROM trilith.deletions WHERE change <= ` + mark + ` ORDER BY change DESC LIMIT 1), 0),
		greatest((SELECT change FROM trilith.memories ORDER BY change DESC LIMIT 1), (SELECT change FROM trilith.deletions ORDER BY change DESC LIMIT 1), 0)`

	listChanges = `(SELECT change, tenant, id, version, false FROM trilith.memories WHERE change > $1 AND change <= ` +
		mark + ` ORDER BY change LIMIT $2)
		UNION ALL (SELECT change, tenant, id, version, true FROM trilith.deletions WHERE change > $1 AND change <= ` + mark + ` ORDER BY change LIMIT $2)
		ORDER BY 1 LIMIT $2`
)

var listTenants = sqlrows.Tenants("trilith.")

// A writer in the middle of a commit holds the mark back for some milliseconds, and readers of later changes wait that
// long. If a writer hangs, they wait until the server ends it.
const (
	writerPause = time.Millisecond
	writerWait  = 15 * time.Second
)

// changeLog plays [role.Log], except for the audit.
type changeLog struct{ *database }

// Shards is documented at [role.Log]: the sequence is one log.
func (cl *changeLog) Shards() int { return 1 }

// Changes is documented at [role.Log]. It returns nothing only if nothing has been committed after the cursor: it
// waits for commits after the mark.
func (cl *changeLog) Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor, limit int) (
	[]role.Change, trilith.Cursor, error) {
	from, err := sqlrows.ReadLog(sys, shard, after)
	if err != nil {
		return nil, after, err
	}
	var out []role.Change
	err = untilReadable(ctx, func() (bool, error) {
		_, newest, err := cl.log(ctx, "postgres.Changes", func(b *pgx.Batch) {
			out = nil
			b.Queue(listChanges, from, max(0, limit)).Query(listed(&out, func(rows pgx.Rows) (c role.Change, err error) {
				var id string
				var change int64
				err = rows.Scan(&change, &c.Tenant, &id, &c.Version, &c.Deleted)
				c.Cursor, c.ID = sqlrows.Cursor(change), trilith.ID(plain(id))
				return c, err
			}))
		})
		return len(out) > 0 || newest <= from || limit <= 0, err
	})
	if err != nil || len(out) == 0 {
		return nil, after, err
	}
	return out, out[len(out)-1].Cursor, nil
}

// Head is documented at [role.Log]. It is at or after every change that was committed before the call: if one of them
// is after the mark, it waits.
func (cl *changeLog) Head(ctx context.Context, sys trilith.System, shard int) (trilith.Cursor, error) {
	if _, err := sqlrows.ReadLog(sys, shard, ""); err != nil {
		return "", err
	}
	var head, wanted int64
	err := untilReadable(ctx, func() (bool, error) {
		var newest int64
		var err error
		head, newest, err = cl.log(ctx, "postgres.Head", func(*pgx.Batch) {})
		if wanted == 0 {
			wanted = newest
		}
		return head >= wanted, err
	})
	if err != nil || head == 0 {
		return "", err
	}
	return sqlrows.Cursor(head), nil
}

var errHeld = trilith.Errorf(trilith.Unavailable, "store: another writer has not finished its commit; repeat the request")

// untilReadable repeats look until it has seen enough, while writers are in the middle of their commits.
func untilReadable(ctx context.Context, look func() (enough bool, err error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, writerWait, errHeld)
	defer cancel()
	for {
		enough, err := look()
		if err != nil || enough {
			return err
		}
		if wait.For(ctx, writerPause) != nil {
			return context.Cause(ctx)
		}
	}
}

// log is read for statements on the log: it also returns the mark.
func (cl *changeLog) log(ctx context.Context, op string, queue func(*pgx.Batch)) (head, newest int64, err error) {
	err = cl.pipeline(ctx, op, true, func(b *pgx.Batch) {
		b.Queue(beginLog)
		cl.enter(ctx, b, allTenants)
		b.Queue(inOrder)
		b.Queue(markValue)
		b.Queue(markLocks)
		queue(b)
		b.Queue(headQuery).QueryRow(func(row pgx.Row) error { return row.Scan(&head, &newest) })
		b.Queue(endLog)
	})
	return head, newest, err
}

// Tenants is documented at [role.Log].
func (cl *changeLog) Tenants(ctx context.Context, sys trilith.System) ([]string, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	return cl.readStrings(ctx, "postgres.Tenants", allTenants, listTenants)
}
