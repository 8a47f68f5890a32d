// Package postgres keeps the memory in PostgreSQL, for as many processes as want to open it: it plays [role.Store],
// [role.Log], [role.Queue], [role.EmbeddingCache] and [role.Turns], and on the same database [role.TextIndex]
// and [role.VectorIndex].
//
// Everything lies in the schema trilith, whose name all statements give, and settings are made for single transactions.
// So it works behind a pooler that gives every transaction another connection. A transaction of a tenant steps into the
// role trilith_app, for which row-level security shows the rows of one tenant only, whatever a statement says. Work
// across tenants, such as leases, the change log and the doctor, steps into the role trilith_system.
package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Options say which database to open and how.
type Options struct {
	// URL is a connection string of PostgreSQL. Several hosts are tried in order until one takes writes.
	URL         string
	Standbys    []string         // addresses of servers that follow it; all else is as in URL
	Now         func() time.Time // the clock of leases and jobs; time.Now if nil
	Projections []Projection     // written together with the truth
}

// Projection is a copy that stays in step with the truth: the transactions that write the truth write it, too.
type Projection interface {
	// Prepare makes the tables or graphs of the projection. It is called when the database is opened, by one process at
	// a time, by the role that owns the schema, in a transaction of its own; calling it again changes nothing.
	Prepare(ctx context.Context, tx pgx.Tx) error
	// Project follows one commit to a tenant: done has its Memories and Records as they are stored now, and in Delete
	// the removed ones. It is called inside the transaction of the commit, after its writes; an error undoes all of it.
	// read is [Store.EntitiesIn] in this transaction.
	Project(ctx context.Context, tx pgx.Tx, tenant string, done role.Batch,
		read func(ids []trilith.ID) ([]trilith.Entity, error)) error
}

// Store is an open database. All methods are safe for concurrent use. Each of its parts knows some tables and one role
// or ability, and no other part.
type Store struct {
	*database
	memoryTable
	recordTable
	changeLog
	auditLog
	jobQueue
	embeddingTable
	tallies
	turns
	upkeep

	standbys  []*Standby
	closeOnce sync.Once
}

// database is what all parts of a store have in common: the connections, and how transactions are begun and repeated on
// them.
type database struct {
	pool     *pgxpool.Pool
	now      func() time.Time
	system   bool // the login may step into systemRole
	lockWait time.Duration
	closing  chan struct{} // closed when Close begins
	primary  *database     // of a standby: answers the reads that it does not; nil of the primary itself
	written  written
}

var (
	_ role.Store = (*Store)(nil)
	_ role.Log   = (*Store)(nil)
	_ role.Queue = (*Store)(nil)

	_ role.Tallier = (*Store)(nil)
)

// Open opens the database of o, making the schema trilith in it if there is none, and brings it up to date. A URL that
// cannot be read is Invalid, a server that does not answer Unavailable, a schema of a newer trilith Unsupported and left
// as it is.
func Open(ctx context.Context, o Options) (*Store, error) {
	const op = "postgres.Open"
	cfg, err := configOf(o.URL)
	if err != nil {
		return nil, err
	}
	system, advice, err := prepare(ctx, cfg.ConnConfig, o.Projections)
	if err != nil {
		return nil, fail(ctx, op, err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg) // connects when it is asked for the first time
	if err != nil {
		return nil, fail(ctx, op, err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	db := &database{pool: pool, now: o.Now, system: system, lockWait: lockWait, closing: make(chan struct{})}
	s := storeOn(db, o.Projections, advice)
	if err := s.openStandbys(ctx, o.URL, o.Standbys); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// storeOn puts the parts of a store on a database.
func storeOn(db *database, projections []Projection, advice string) *Store {
	return &Store{database: db, memoryTable: memoryTable{db, projections}, recordTable: recordTable{db},
		changeLog: changeLog{db}, auditLog: auditLog{db}, jobQueue: jobQueue{db}, embeddingTable: embeddingTable{db},
		tallies: tallies{db}, turns: turns{database: db, spare: make(chan *pgx.Conn, 1)},
		upkeep: upkeep{db, advice}}
}

// Close ends the store. It gives turns back and waits for the calls that are under way.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.turns.end()
		for _, standby := range s.standbys {
			standby.pool.Close()
		}
		s.pool.Close()
	})
	return nil
}

// tenantOf returns the scope's tenant, which every method needs and row-level security relies on.
func tenantOf(s trilith.Scope) (string, error) {
	if s.Tenant == "" {
		return "", trilith.Errorf(trilith.Invalid, "scope: the tenant is missing")
	}
	return s.Tenant, trilith.Scope{Tenant: s.Tenant}.Validate()
}
