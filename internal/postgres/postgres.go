// Package postgres keeps the memory in PostgreSQL, for as many processes as want to open it: it plays [cairn.Store],
// [cairn.Log], [cairn.Queue], [cairn.EmbeddingCache] and [cairn.Turns], and on the same database [cairn.TextIndex] and
// [cairn.VectorIndex].
package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// Options say which database to open and how.
type Options struct {
	// URL is a connection string of PostgreSQL. Several hosts are tried in order until one takes writes.
	URL         string
	Now         func() time.Time // the clock of leases and jobs; time.Now if nil
	Projections []Projection     // what is written with the truth
}

// Projection is something that is kept in step with the truth: it is written in the transactions that write the truth.
type Projection interface {
	// Prepare makes what the projection lies in. It is called when the database is opened, by one process at a time, by the
	// role that owns the schema, in a transaction of its own; calling it again changes nothing.
	Prepare(ctx context.Context, tx pgx.Tx) error
	// Project follows one commit to a tenant: memories as they are stored now, and ids that are gone. It is called inside the
	// transaction of the commit, after its writes; an error undoes all of it.
	Project(ctx context.Context, tx pgx.Tx, tenant string, put []cairn.Memory, deleted []cairn.ID) error
}
