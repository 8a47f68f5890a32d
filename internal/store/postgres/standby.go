package postgres

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith"
)

// Standby is a server that follows the primary and is only read. It has the methods of a [Store]; those that write are
// refused. The primary answers reads that the standby cannot, because it is down, is being promoted, or cancels a
// statement that blocks its replay.
type Standby struct {
	*Store
	name string
}

// standbyTimeout is how long connecting to a standby may take, in seconds, where the store's URL says nothing.
const standbyTimeout = "2"

// openStandbys makes the connections of all standbys ready. None of them has to answer yet.
func (s *Store) openStandbys(ctx context.Context, store string, addresses []string) error {
	for _, address := range addresses {
		u, err := standbyURL(store, address)
		if err != nil {
			return err
		}
		cfg, err := configOf(u)
		if err != nil {
			return err
		}
		pool, err := pgxpool.NewWithConfig(ctx, cfg)
		if err != nil {
			return fail(ctx, "postgres.Open", err)
		}
		db := &database{pool: pool, now: s.now, system: s.system, lockWait: s.lockWait, closing: s.closing,
			primary: s.database}
		s.standbys = append(s.standbys, &Standby{storeOn(db, nil, ""), address})
	}
	return nil
}

// standbyURL is the URL of a store with the address of a standby in place of its hosts.
func standbyURL(store, address string) (string, error) {
	u, err := url.Parse(store)
	if err != nil || address == "" || strings.ContainsAny(address, "/@?#, ") {
		return "", trilith.Errorf(trilith.Invalid, "store: standbys=%.64q must be addresses such as db2:5432,db3:5432",
			address)
	}
	u.Host = address
	q := u.Query()
	for _, name := range []string{"host", "port", "hostaddr", "target_session_attrs"} {
		q.Del(name)
	}
	if !q.Has("connect_timeout") {
		q.Set("connect_timeout", standbyTimeout)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Standbys returns the standbys of the store, in the order of [Options.Standbys]. They close with the store.
func (s *Store) Standbys() []*Standby { return s.standbys }

// Name is the address of the standby.
func (sb *Standby) Name() string { return sb.name }

// Close does nothing: a standby closes with its store.
func (sb *Standby) Close() error { return nil }

// Text returns the text index x as the standby has it.
func (sb *Standby) Text(x *Text) *Text {
	return &Text{db: sb.database, analyzer: x.analyzer, without: x.without}
}

// Vectors returns the vector index v as the standby has it. Nothing maintains it there: indexes come with the replay.
func (sb *Standby) Vectors(v *Vectors) *Vectors {
	return &Vectors{db: sb.database, turns: v.turns, index: v.index, from: v.from, width: v.width, schema: v.schema,
		logger: v.logger, wake: v.wake, closing: v.closing, stop: func() {}, stopped: v.stopped}
}

const (
	insertPosition = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
	// Nothing was replayed by a server that has never been a standby.
	replayPosition = "SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint"

	countErasures = "SELECT coalesce(max(n), 0) FROM trilith.erasures WHERE tenant = $1"
	countErasure  = `INSERT INTO trilith.erasures (tenant, n) VALUES ($1, 1)
		ON CONFLICT (tenant) DO UPDATE SET n = erasures.n + 1`
)

// Replayed returns how far the standby has replayed the primary's log, and how many erasures of the tenant a read shows
// that begins after the call. follows says that the server is a standby now. The primary does not answer for it.
func (sb *Standby) Replayed(ctx context.Context, tenant string) (position uint64, erasures int64, follows bool,
	err error) {
	err = sb.pipeline(ctx, "postgres.Replayed", true, func(b *pgx.Batch) {
		sb.enter(ctx, b, tenant)
		b.Queue(replayPosition).QueryRow(func(row pgx.Row) error { return row.Scan(&follows, &position) })
		b.Queue(countErasures, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&erasures) })
	})
	return position, erasures, follows, err
}

// written is where the log ended after the commits of this process.
type written struct {
	commits atomic.Uint64

	mu       sync.Mutex
	of       uint64 // the number of commits that position is behind
	position uint64
}

// Commits counts the commits of this process.
func (db *database) Commits() uint64 { return db.written.commits.Load() }

// Committed returns a position of the log behind every commit of this process. It asks the server only if there were
// commits since it was asked last.
func (db *database) Committed(ctx context.Context) (uint64, error) {
	w := &db.written
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.commits.Load()
	if n == w.of {
		return w.position, nil
	}
	position, _, err := db.Here(ctx, noTenant)
	if err != nil {
		return 0, err
	}
	w.of, w.position = n, position
	return position, nil
}

// Here returns a position of the primary's write-ahead log behind every commit that was acknowledged before the call,
// and how often something of the tenant was erased.
func (db *database) Here(ctx context.Context, tenant string) (position uint64, erasures int64, err error) {
	err = db.read(ctx, "postgres.Here", tenant, func(b *pgx.Batch) {
		b.Queue(countErasures, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&erasures) })
		b.Queue(insertPosition).QueryRow(func(row pgx.Row) error { return row.Scan(&position) })
	})
	return position, erasures, err
}

// answered runs a read: on the standby that db is, and on the primary if the standby does not answer it.
func (db *database) answered(ctx context.Context, read func(*database) error) error {
	err := read(db)
	if err == nil || db.primary == nil || ctx.Err() != nil {
		return err
	}
	return read(db.primary)
}

// errStandby ends a write that was sent to a standby: the reads that it rests on may be old.
var errStandby = trilith.Errorf(trilith.Internal, "store: a standby is only read")
