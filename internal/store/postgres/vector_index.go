package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// The values of [VectorOptions.Index].
const (
	hnsw    = "hnsw"
	ivfflat = "ivfflat"
	exact   = "exact"
)

// indexes are the kinds of index: how they are built, and the settings of a search. A scan ends with the first results
// of the index: pgvector's iterative scans continue with ever worse results, where reading all vectors is right and,
// for rare matches, faster. A search of an IVFFlat index reads a tenth of the vectors.
var indexes = map[string]struct{ with, settings string }{
	hnsw: {"m = 16, ef_construction = 100",
		", set_config('hnsw.ef_search', 'LIST', true), set_config('hnsw.iterative_scan', 'off', true)"},
	ivfflat: {"lists = 200",
		", set_config('ivfflat.probes', '20', true), set_config('ivfflat.iterative_scan', 'off', true)"},
}

// maxIndexedDims is the largest number of dimensions of half-precision vectors that pgvector can index; generations
// with more are searched exactly.
const maxIndexedDims = 4000

// condition returns the condition of a tenant's partial index. Names of tenants contain nothing that needs quoting.
func (v *Vectors) condition(generation int32, tenant string) string {
	return fmt.Sprintf("tenant = '%s' AND generation = %d", tenant, generation)
}

// touched counts added and removed points, and wakes the maintenance when there are enough to make a difference.
func (v *Vectors) touched(points int) {
	if n := v.moved.Add(int64(points)); n < int64(v.from+1)/2 {
		return
	}
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// tend maintains the indexes whenever that is due.
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

// Maintain creates an index for each tenant that has many vectors in a generation, and drops it when less than half as
// many are left. It runs in the background as points are added and removed; a serving process also calls it at its
// start. Only one process at a time does it. Reads and writes continue meanwhile.
func (v *Vectors) Maintain(ctx context.Context) error {
	if err := v.ready(ctx); err != nil {
		return err
	}
	turn, release, ok, err := v.turns.TryTurn(ctx, trilith.AsSystem("indexes of vectors"), "vectors")
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
		enough           bool // enough to build an index, not only to keep it
	}
	large, held := map[string]many{}, map[string]bool{} // by name of the index; held says whether it is complete
	err := v.db.read(ctx, op, allTenants, func(b *pgx.Batch) {
		clear(large)
		clear(held)
		b.Queue(`SELECT m.tenant, m.generation, g.dims, m.n >= $1 FROM (SELECT tenant, generation, count(*) AS n FROM trilith.vectors GROUP BY 1, 2) AS m
			JOIN trilith.generations AS g ON g.id = m.generation WHERE m.n >= ($1 + 1) / 2 AND g.dims <= $2`, v.from, maxIndexedDims).Query(each(func(rows pgx.Rows) error {
			var m many
			err := rows.Scan(&m.tenant, &m.generation, &m.dims, &m.enough)
			large[fmt.Sprintf("vectors_%s_%d%s", v.index, m.generation, v.suffix(m.tenant))] = m
			return err
		}))
		b.Queue(`SELECT c.relname, x.indisvalid FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
			WHERE x.indrelid = 'trilith.vectors'::regclass AND x.indpred IS NOT NULL`).Query(each(func(rows pgx.Rows) error {
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
			if _, err := v.db.pool.Exec(ctx, "DROP INDEX CONCURRENTLY IF EXISTS trilith."+name); err != nil {
				return err
			}
			delete(held, name)
		}
	}
	for name, m := range large {
		if ok && m.enough && !held[name] {
			_, err := v.db.pool.Exec(
				ctx, fmt.Sprintf("CREATE INDEX CONCURRENTLY IF NOT EXISTS %s ON trilith.vectors USING %s (%s %shalfvec_cosine_ops) WITH (%s) WHERE %s",
					name, v.index, v.expression(int(m.dims)), v.schema, kind.with, v.condition(m.generation, m.tenant)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// suffix returns the end of the name of a tenant's index.
func (v *Vectors) suffix(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return fmt.Sprintf("_%x", sum[:8])
}

// expression returns the SQL of the form in which indexes store a vector: half the precision in half the space. A
// search scores its results by the whole vectors.
func (v *Vectors) expression(dims int) string {
	return fmt.Sprintf("(v::%shalfvec(%d))", v.schema, dims)
}
