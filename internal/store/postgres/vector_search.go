package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// defaultWidth is how many of the nearest an index is asked for. The best K of them that a filter accepts are the best
// K of all, if there are K. It is half of the longest list of HNSW: results at the end of a list are less reliable.
const defaultWidth = 500

// vectorSearch is a checked search.
type vectorSearch struct {
	op         string
	scope      trilith.Scope
	probe      role.VectorProbe
	match      trilith.Matcher
	dims       int
	generation int32
}

// Search runs the probes in parallel, each on its own connection if there are enough.
func (v *Vectors) Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	out := make([][]role.Candidate, len(ps))
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range ps {
		group.Go(func() (err error) {
			out[i], err = v.search(ctx, s, g, p)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// search reads all vectors that scope and filter accept. If the tenant has an index, it first takes the nearest from
// the index, and reads all only if too few of those are accepted. So rare matches are found too.
func (v *Vectors) search(ctx context.Context, s trilith.Scope, g trilith.Generation, p role.VectorProbe) (
	[]role.Candidate, error) {
	q := vectorSearch{op: "postgres.Vectors.Search", scope: s, probe: p, dims: g.Dims}
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, q.op, err)
	}
	err := p.Validate(g.Dims)
	if err != nil {
		return nil, trilith.WrapError(trilith.Invalid, q.op, err)
	}
	if len(p.IDs) > 0 {
		q.probe.Filter = trilith.AllOf(trilith.Where("id", trilith.OpIn, p.IDs), p.Filter)
	}
	if q.match, err = q.probe.Filter.Compile(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, q.op, err)
	}
	near, err := v.plan(ctx, &q, g)
	if err != nil || q.generation == 0 {
		return nil, err
	}
	if near {
		if found, _, err := v.ask(ctx, &q, true, v.width); err != nil || len(found) == p.K {
			return found, err
		}
	}
	for limit := 4 * p.K; ; limit *= 8 {
		found, all, err := v.ask(ctx, &q, false, limit)
		if err != nil || all || len(found) == p.K {
			return found, err
		}
	}
}

// plan returns the id of the generation, 0 if it is unknown, and whether to begin with the index: not if the request
// names a user or a session with few vectors, which other indexes find.
func (v *Vectors) plan(ctx context.Context, q *vectorSearch, g trilith.Generation) (near bool, err error) {
	w := where{table: "m"}
	key, name, many := w.arg(text(g.Key())), w.arg(v.suffix(q.scope.Tenant)), "true"
	switch s := q.scope; {
	case len(q.probe.IDs) > 0:
		many = "false"
	case s.User != "" || s.Session != "":
		w.scope(trilith.Scope{Tenant: s.Tenant, User: s.User, Session: s.Session})
		many = "(SELECT count(*) FROM (SELECT FROM trilith.vectors AS m WHERE " + w.clause() +
			" AND m.generation = g.id LIMIT " + strconv.Itoa(v.from) + ") AS few) = " + strconv.Itoa(v.from)
	}
	err = v.db.read(ctx, q.op, q.scope.Tenant, func(b *pgx.Batch) {
		b.Queue(`SELECT g.id, CASE WHEN x.indisvalid THEN `+many+` ELSE false END FROM trilith.generations AS g
			LEFT JOIN pg_class AS c ON c.relnamespace = to_regnamespace('trilith') AND c.relname = 'vectors_`+v.index+`_' || g.id || `+name+`
			LEFT JOIN pg_index AS x ON x.indexrelid = c.oid WHERE g.key = `+key, w.args...).Query(
			each(func(rows pgx.Rows) error { return rows.Scan(&q.generation, &near) }))
	})
	return near, err
}

// ask returns the best K accepted ones, from the nearest that the index finds or from all. It reads up to limit rows
// that pass in SQL; all says that there were no more.
func (v *Vectors) ask(ctx context.Context, q *vectorSearch, near bool, limit int) (
	found []role.Candidate, all bool, err error) {
	query, args, exactly := v.statement(q, near, limit)
	if exactly {
		limit = q.probe.K
	}
	seen := 0
	err = v.db.read(ctx, q.op, q.scope.Tenant, func(b *pgx.Batch) {
		found, seen = nil, 0
		b.Queue(v.settings(near))
		b.Queue(query, args...).Query(each(func(rows pgx.Rows) error {
			var id string
			var c role.Candidate
			var row facetRow
			targets := []any{&id, &c.Version, &c.Score}
			if !exactly {
				targets = append(targets, row.targets()...)
			}
			if err := rows.Scan(targets...); err != nil {
				return err
			}
			seen++
			if len(found) == q.probe.K {
				return nil
			}
			if !exactly {
				if f, _, err := row.facets(); err != nil || !q.match(&f) {
					return err
				}
			}
			c.ID, c.Score = trilith.ID(plain(id)), 1-c.Score
			found = append(found, c)
			return nil
		}))
	})
	return found, seen < limit, err
}

// statement returns the SQL of a search; exactly says that it expresses the whole filter. Then K rows are enough;
// otherwise rows come with their facets.
func (v *Vectors) statement(q *vectorSearch, near bool, limit int) (query string, args []any, exactly bool) {
	w := where{table: "m"}
	vector := w.arg([]float32(q.probe.Vector)) + "::real[]::" + v.schema + "vector"
	w.scope(q.scope)
	w.add("m.generation = " + strconv.Itoa(int(q.generation)))
	facets, from := "", "trilith.vectors"
	if exactly = w.filter(q.probe.Filter); exactly {
		limit = q.probe.K
	} else {
		facets = ", " + columnsOf("m")
	}
	if near { // the same expression as in the index: otherwise it is not used
		from = fmt.Sprintf("(SELECT * FROM trilith.vectors WHERE %s ORDER BY %s OPERATOR(%s<=>) (SELECT %s::%shalfvec(%d)) LIMIT %d)",
			v.condition(q.generation, q.scope.Tenant), v.expression(q.dims), v.schema, vector, v.schema,
			q.dims, v.width)
	}
	// No index has the order of this sum, so all rows that pass are read.
	return fmt.Sprintf("SELECT m.id, m.version, (m.v OPERATOR(%s<=>) (SELECT %s)) + 0 AS distance%s FROM %s AS m WHERE %s ORDER BY distance, m.id LIMIT %d",
		v.schema, vector, facets, from, w.clause(), limit), w.args, exactly
}

// settings returns the settings for a search's transaction. Compiling a plan to machine code takes longer than the
// search.
func (v *Vectors) settings(near bool) string {
	settings := "SELECT set_config('jit', 'off', true)"
	if near { // the planner does not know that sorting all rows is not wanted
		settings += ", set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)" +
			strings.ReplaceAll(indexes[v.index].settings, "LIST", strconv.Itoa(2*v.width))
	}
	return settings
}
