package postgres

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// VectorOptions configure the search among many vectors of a tenant.
type VectorOptions struct {
	// Index is how the nearest of many are found: "hnsw" (if empty), "ivfflat", which is built in a tenth of the time
	// and finds less, or "exact", which reads all of them.
	Index string
	// IndexFrom is the number of vectors of a tenant in a generation that count as many; if 0, [DefaultIndexFrom].
	IndexFrom int
	Logger    *slog.Logger // for failures to build an index; nil: silent
}

// DefaultIndexFrom is the number of vectors from which a tenant gets its own index: below it, reading all of them takes
// some tens of milliseconds.
const DefaultIndexFrom = 20_000

// maxDims is the limit of pgvector's type vector.
const maxDims = 16_000

// Vectors is the [role.VectorIndex] in the database of a [Store], with pgvector. All generations and tenants share a
// table. A tenant with few vectors in a generation is searched exactly. One with many has its own index, see
// [Vectors.Maintain], and its answers are approximate: they have the right number of results, but a nearer one may be
// missing.
type Vectors struct {
	db          *database
	turns       *turns // for maintaining indexes
	index       string
	from        int
	width       int      // how many results an index is asked for
	schema      string   // of the extension, quoted, with a dot
	generations sync.Map // ids by key; an id never changes

	logger  *slog.Logger
	moved   atomic.Int64  // points applied and deleted since the last maintenance
	wake    chan struct{} // holds a token when maintenance is due
	closing <-chan struct{}
	stop    func()        // closes closing
	stopped chan struct{} // closed when background maintenance has ended
}

var (
	_ role.VectorIndex  = (*Vectors)(nil)
	_ role.VectorReader = (*Vectors)(nil)
)

// Reach is [role.ReachAll].
func (*Vectors) Reach() role.Reach { return role.ReachAll }

// Vectors opens the vector index in the store's database, creating its tables and the extension if necessary. Without
// pgvector it is Unsupported and says what to do; the store does not need it. Indexes are maintained in the background
// until Close, which does not close the store.
func (s *Store) Vectors(ctx context.Context, o VectorOptions) (*Vectors, error) {
	return openVectors(ctx, s.database, &s.turns, o)
}

func openVectors(ctx context.Context, db *database, turns *turns, o VectorOptions) (*Vectors, error) {
	const op = "postgres.Vectors"
	v := &Vectors{db: db, turns: turns, index: cmp.Or(o.Index, hnsw), from: cmp.Or(o.IndexFrom, DefaultIndexFrom),
		width:  defaultWidth,
		logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		wake:   make(chan struct{}, 1), stopped: make(chan struct{})}
	if !slices.Contains([]string{hnsw, ivfflat, exact}, v.index) {
		return nil, trilith.Errorf(trilith.Invalid, "vectors: the index %.32q is not one of hnsw, ivfflat and exact", v.index)
	}
	if v.from < 1 {
		return nil, trilith.Errorf(trilith.Invalid, "vectors: an index from %d vectors on; it must be 1 or more", v.from)
	}
	if err := v.owner(ctx, op, func(tx pgx.Tx) (err error) {
		v.schema, err = makeVectors(ctx, tx, db.system)
		return err
	}); err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	v.closing, v.stop = background.Done(), stop
	go v.tend(background)
	return v, nil
}

// Close ends the maintenance; the next one cleans up an unfinished index.
func (v *Vectors) Close() error {
	v.stop()
	<-v.stopped
	return nil
}

func (v *Vectors) ready(ctx context.Context) error {
	select {
	case <-v.closing:
		return trilith.Errorf(trilith.Unavailable, "the vector index is closed")
	default:
		return ctx.Err()
	}
}

// Apply stores the points of all tenants or none.
func (v *Vectors) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	const op = "postgres.Vectors.Apply"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := role.ValidatePoints(g, ps); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	ps = newest(ps)
	if len(ps) == 0 {
		return nil
	}
	if g.Dims > maxDims {
		return trilith.Errorf(trilith.Unsupported, "vector: has %d dimensions, pgvector holds up to %d", g.Dims, maxDims)
	}
	rows := make([][]any, len(ps))
	for i := range ps {
		var err error
		if rows[i], err = encodeFacets(&ps[i].Facets); err != nil {
			return trilith.WrapError(trilith.Invalid, op, err)
		}
	}
	generation, err := v.generation(ctx, op, g)
	if err != nil {
		return err
	}
	err = v.db.in(ctx, op, ps[0].Facets.Scope.Tenant, true, func(tx pgx.Tx) error {
		b, tenant := new(pgx.Batch), ps[0].Facets.Scope.Tenant
		for i := range ps {
			p := &ps[i]
			if p.Facets.Scope.Tenant != tenant {
				tenant = p.Facets.Scope.Tenant
				b.Queue("SELECT set_config('trilith.tenant', $1, true)", tenant)
			}
			b.Queue(v.insert(), append(rows[i][:len(facetColumns):len(facetColumns)], generation, trilith.Time(p.At),
				p.Cut, []float32(p.Vector))...)
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err == nil {
		v.touched(len(ps))
	}
	return err
}

// newest returns the final points, one for each tenant and id, in the order that every writer uses: two writers with
// different orders could deadlock.
func newest(ps []role.Point) []role.Point {
	ps = slices.Clone(ps)
	slices.SortStableFunc(ps, func(a, b role.Point) int {
		return cmp.Or(cmp.Compare(a.Facets.Scope.Tenant, b.Facets.Scope.Tenant), cmp.Compare(a.Facets.ID, b.Facets.ID),
			cmp.Compare(a.Facets.Version, b.Facets.Version))
	})
	last := ps[:0]
	for i := range ps {
		if n := len(last); n > 0 && last[n-1].Facets.Scope.Tenant == ps[i].Facets.Scope.Tenant &&
			last[n-1].Facets.ID == ps[i].Facets.ID {
			last = last[:n-1]
		}
		last = append(last, ps[i])
	}
	return last
}

// generation returns the id of a generation, creating one if no point was ever applied in it.
func (v *Vectors) generation(ctx context.Context, op string, g trilith.Generation) (id int32, err error) {
	key := g.Key()
	if id, ok := v.generations.Load(key); ok {
		return id.(int32), nil
	}
	err = v.owner(ctx, op, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO trilith.generations (key, dims) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
			text(key), g.Dims)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT id FROM trilith.generations WHERE key = $1", text(key)).Scan(&id)
	})
	if err == nil {
		v.generations.Store(key, id)
	}
	return id, err
}

// insert returns the statement that stores a point. The vector is sent as an array, whose binary form every driver
// knows.
func (v *Vectors) insert() string {
	columns := append(slices.Clone(facetColumns), "generation", "at", "cut", "v")
	var changes []string
	for _, c := range columns {
		if c != "tenant" && c != "id" && c != "generation" {
			changes = append(changes, c+" = EXCLUDED."+c)
		}
	}
	return "INSERT INTO trilith.vectors AS held (" + strings.Join(columns, ", ") + ") VALUES (" +
		placeholders(0, len(columns)) + "::real[]::" + v.schema + "vector)" +
		" ON CONFLICT (tenant, id, generation) DO UPDATE SET " + strings.Join(changes, ", ") +
		" WHERE held.version <= EXCLUDED.version"
}

// Stamps returns the ids and versions of the vectors that the index holds.
func (v *Vectors) Stamps(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) (
	[]role.Stamp, error) {
	const op = "postgres.Vectors.Stamps"
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	var out []role.Stamp
	err := v.db.read(ctx, op, s.Tenant, func(b *pgx.Batch) {
		out = nil
		var w where
		w.add("tenant = " + w.arg(s.Tenant))
		w.add("generation = (SELECT id FROM trilith.generations WHERE key = " + w.arg(text(g.Key())) + ")")
		if ids != nil {
			w.add("id = ANY(" + w.arg(texts(ids)) + "::text[])")
		}
		b.Queue("SELECT id, version, at, cut FROM trilith.vectors WHERE "+w.clause()+" ORDER BY id", w.args...).Query(
			listed(&out, func(rows pgx.Rows) (stamp role.Stamp, err error) {
				var id string
				var at time.Time
				err = rows.Scan(&id, &stamp.Version, &at, &stamp.Cut)
				stamp.ID, stamp.At = trilith.ID(plain(id)), at.UTC()
				return stamp, err
			}))
	})
	return out, err
}

// Points implements [role.VectorReader].
func (v *Vectors) Points(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) (
	[]role.Point, error) {
	const op = "postgres.Vectors.Points"
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	var out []role.Point
	err := v.db.read(ctx, op, s.Tenant, func(b *pgx.Batch) {
		out = nil
		b.Queue("SELECT m.at, m.cut, m.v::real[], "+columnsOf("m")+` FROM trilith.vectors AS m WHERE m.tenant = $1
			AND m.generation = (SELECT id FROM trilith.generations WHERE key = $2) AND m.id = ANY($3::text[])`,
			s.Tenant, text(g.Key()), texts(ids)).Query(listed(&out, func(rows pgx.Rows) (p role.Point, err error) {
			var row facetRow
			err = rows.Scan(append([]any{&p.At, &p.Cut, (*[]float32)(&p.Vector)}, row.targets()...)...)
			if err == nil {
				p.At = p.At.UTC()
				p.Facets, _, err = row.facets()
			}
			return p, err
		}))
	})
	return out, err
}

// Delete removes ids of the tenant from every generation.
func (v *Vectors) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	const op = "postgres.Vectors.Delete"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	if len(ids) == 0 {
		return nil
	}
	var deleted int64
	err := v.db.in(ctx, op, s.Tenant, true, func(tx pgx.Tx) error {
		// in the same order as Apply
		tag, err := tx.Exec(ctx,
			`WITH gone AS MATERIALIZED (SELECT id, generation FROM trilith.vectors WHERE tenant = $1 AND id = ANY($2::text[]) ORDER BY id, generation FOR UPDATE)
			DELETE FROM trilith.vectors AS held USING gone WHERE held.tenant = $1 AND held.id = gone.id AND held.generation = gone.generation`, s.Tenant, texts(ids))
		deleted = tag.RowsAffected()
		return err
	})
	if err == nil {
		v.touched(int(deleted))
	}
	return err
}

// Drop removes a generation of all tenants.
func (v *Vectors) Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	const op = "postgres.Vectors.Drop"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	err := v.db.in(ctx, op, allTenants, true, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM trilith.vectors WHERE generation = (SELECT id FROM trilith.generations WHERE key = $1)", text(g.Key()))
		return err
	})
	if err == nil {
		v.touched(v.from)
	}
	return err
}

// Reset removes everything.
func (v *Vectors) Reset(ctx context.Context, sys trilith.System) error {
	const op = "postgres.Vectors.Reset"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	err := v.owner(ctx, op, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "TRUNCATE trilith.vectors")
		return err
	})
	if err == nil {
		v.touched(v.from)
	}
	return err
}

// owner runs f in a transaction of the role that owns the tables, which is subject to row-level security too.
func (v *Vectors) owner(ctx context.Context, op string, f func(pgx.Tx) error) error {
	return v.db.repeat(ctx, op, func() (again bool, err error) {
		err = pgx.BeginTxFunc(ctx, v.db.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, f)
		return repeatable(err), err
	})
}
