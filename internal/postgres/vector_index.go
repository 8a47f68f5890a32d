package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// The values of [VectorOptions.Index].
const (
	hnsw    = "hnsw"
	ivfflat = "ivfflat"
	exact   = "exact"
)

// indexes are the kinds of index: how they are built and what a search of one sets. Scans end with what the index finds
// at once: pgvector's iterative scans go on with ever worse finds, where looking at all vectors is right and, for what
// is rare, faster. A search of an IVFFlat index reads a tenth of the vectors.
var indexes = map[string]struct{ with, settings string }{
	hnsw: {"m = 16, ef_construction = 100",
		", set_config('hnsw.ef_search', 'LIST', true), set_config('hnsw.iterative_scan', 'off', true)"},
	ivfflat: {"lists = 200",
		", set_config('ivfflat.probes', '20', true), set_config('ivfflat.iterative_scan', 'off', true)"},
}

// maxIndexedDims is up to how many dimensions pgvector indexes half-precision vectors; generations of more are searched
// exactly.
const maxIndexedDims = 4000

// suffix ends the name of a tenant's index.
func (v *Vectors) suffix(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return fmt.Sprintf("_%x", sum[:8])
}

// condition says which rows a tenant's index holds. Names of tenants hold nothing that would have to be quoted.
func (v *Vectors) condition(generation int32, tenant string) string {
	return fmt.Sprintf("tenant = '%s' AND generation = %d", tenant, generation)
}

// expression is what indexes hold of a vector: half the precision in half the space. A search scores what it finds by
// the whole vectors.
func (v *Vectors) expression(dims int) string {
	return fmt.Sprintf("(v::%shalfvec(%d))", v.schema, dims)
}

// touched notes that points came or went, and wakes the maintenance when they are enough to make a difference.
func (v *Vectors) touched(points int) {
	if n := v.moved.Add(int64(points)); n < int64(v.from+1)/2 {
		return
	}
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// tend maintains the indexes whenever it is due.
func (v *Vectors) tend(ctx context.Context) {
	defer close(v.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
			if err := v.Maintain(ctx); err != nil && ctx.Err() == nil {
				v.logger.Error("store: the indexes of vectors are not up to date; searches are slower", slog.Any("error", err))
			}
		}
	}
}

// Maintain gives an index of its own to each tenant that has many vectors in a generation, and takes it from one that
// has become half as small. It happens by itself as points come and go; a process that serves calls it when it starts,
// too. One process at a time does it, for the others there is nothing to do. Reads and writes go on meanwhile.
func (v *Vectors) Maintain(ctx context.Context) error {
	if err := v.ready(ctx); err != nil {
		return err
	}
	turn, release, ok, err := v.turns.TryTurn(ctx, cairn.AsSystem("indexes of vectors"), "vectors")
	if err != nil || !ok {
		return err
	}
	defer release()
	const op = "postgres.Vectors.Maintain"
	v.moved.Store(0)
	return fail(turn, op, v.maintain(turn, op))
}

func (v *Vectors) maintain(ctx context.Context, op string) error {
	type many struct {
		tenant           string
		generation, dims int32
		enough           bool // to build an index, not only to keep it
	}
	large, held := map[string]many{}, map[string]bool{} // by name of the index; held says whether it is whole
	err := v.db.read(ctx, op, allTenants, func(b *pgx.Batch) {
		clear(large)
		clear(held)
		b.Queue(`SELECT m.tenant, m.generation, g.dims, m.n >= $1 FROM (SELECT tenant, generation, count(*) AS n FROM cairn.vectors GROUP BY 1, 2) AS m
			JOIN cairn.generations AS g ON g.id = m.generation WHERE m.n >= ($1 + 1) / 2 AND g.dims <= $2`, v.from, maxIndexedDims).Query(each(func(rows pgx.Rows) error {
			var m many
			err := rows.Scan(&m.tenant, &m.generation, &m.dims, &m.enough)
			large[fmt.Sprintf("vectors_%s_%d%s", v.index, m.generation, v.suffix(m.tenant))] = m
			return err
		}))
		b.Queue(`SELECT c.relname, x.indisvalid FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
			WHERE x.indrelid = 'cairn.vectors'::regclass AND x.indpred IS NOT NULL`).Query(each(func(rows pgx.Rows) error {
			var name string
			var whole bool
			err := rows.Scan(&name, &whole)
			held[name] = whole
			return err
		}))
	})
	if err != nil {
		return err
	}
	kind, ok := indexes[v.index]
	for name, whole := range held {
		if _, wanted := large[name]; !wanted || !whole || !ok {
			if _, err := v.db.pool.Exec(ctx, "DROP INDEX CONCURRENTLY IF EXISTS cairn."+name); err != nil {
				return err
			}
			delete(held, name)
		}
	}
	for name, m := range large {
		if ok && m.enough && !held[name] {
			_, err := v.db.pool.Exec(
				ctx, fmt.Sprintf("CREATE INDEX CONCURRENTLY IF NOT EXISTS %s ON cairn.vectors USING %s (%s %shalfvec_cosine_ops) WITH (%s) WHERE %s",
					name, v.index, v.expression(int(m.dims)), v.schema, kind.with, v.condition(m.generation, m.tenant)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
