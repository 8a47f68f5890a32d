package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

const (
	cachedEmbeddings  = "SELECT memory, hash, cut, vector FROM trilith.embeddings WHERE tenant = $1 AND generation = $2 AND memory = ANY($3::text[])"
	embeddingsOfTexts = "SELECT memory, hash, cut, vector FROM trilith.embeddings WHERE tenant = $1 AND generation = $2 AND hash = ANY($3::text[])"
	// An embedding that replaces another gets a new number, as if it were the first.
	cacheEmbeddings = `INSERT INTO trilith.embeddings (tenant, generation, memory, hash, cut, vector)
		SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::boolean[], $6::bytea[])
		ON CONFLICT (tenant, memory, generation) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, cut = excluded.cut, vector = excluded.vector`
	dropOldest       = "DELETE FROM trilith.embeddings WHERE seq <= (SELECT max(seq) FROM trilith.embeddings) - $1"
	generations      = "SELECT DISTINCT generation FROM trilith.embeddings WHERE tenant = $1 ORDER BY generation"
	forgetEmbeddings = "DELETE FROM trilith.embeddings WHERE tenant = $1 AND memory = ANY($2::text[])"
)

// embeddingTable plays [role.EmbeddingCache].
type embeddingTable struct{ *database }

var _ role.EmbeddingCache = (*Store)(nil)

// CachedEmbeddings is documented at [role.EmbeddingCache]. It leaves out damaged ones.
func (et *embeddingTable) CachedEmbeddings(ctx context.Context, sc trilith.Scope, q role.EmbeddingQuery) (
	out []role.CachedEmbedding, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	query, of := cachedEmbeddings, texts(q.Memories)
	if len(q.Memories) == 0 {
		query, of = embeddingsOfTexts, texts(q.Hashes)
	}
	err = et.read(ctx, "postgres.CachedEmbeddings", tenant, func(b *pgx.Batch) {
		out = nil
		b.Queue(query, tenant, text(q.Generation), of).Query(each(func(rows pgx.Rows) error {
			var e role.CachedEmbedding
			var id, hash string
			var data []byte
			if err := rows.Scan(&id, &hash, &e.Cut, &data); err != nil {
				return err
			}
			e.Memory, e.Hash = trilith.ID(plain(id)), plain(hash)
			if v, err := packed.Floats(data); err == nil {
				e.Vector = v
				out = append(out, e)
			}
			return nil
		}))
	})
	return out, err
}

// CacheEmbeddings is documented at [role.EmbeddingCache]. There may be gaps in the row numbers, so the oldest may be
// evicted a little early. Of several for one memory the last is kept.
func (et *embeddingTable) CacheEmbeddings(ctx context.Context, sc trilith.Scope, generation string,
	es []role.CachedEmbedding,
	most int) error {
	tenant, err := tenantOf(sc)
	if err != nil || len(es) == 0 {
		return err
	}
	place := make(map[trilith.ID]int, len(es))
	var memories, hashes []string
	var cuts []bool
	var vectors [][]byte
	for _, e := range es {
		vector := packed.AppendFloats(make([]byte, 0, 4*len(e.Vector)), e.Vector)
		i, again := place[e.Memory]
		if !again {
			i = len(place)
			place[e.Memory] = i
			memories, hashes, cuts, vectors = append(memories, ""), append(hashes, ""), append(cuts, false),
				append(vectors, nil)
		}
		memories[i], hashes[i], cuts[i], vectors[i] = text(string(e.Memory)), text(e.Hash), e.Cut, vector
	}
	return et.in(ctx, "postgres.CacheEmbeddings", tenant, true, func(tx pgx.Tx) error {
		b := new(pgx.Batch)
		b.Queue(cacheEmbeddings, tenant, text(generation), memories, hashes, cuts, vectors)
		et.enter(ctx, b, allTenants) // the limit applies to all tenants together
		b.Queue(dropOldest, most)
		return tx.SendBatch(ctx, b).Close()
	})
}

// ForgetEmbeddings is documented at [role.EmbeddingCache].
func (et *embeddingTable) ForgetEmbeddings(ctx context.Context, sc trilith.Scope, ids []trilith.ID) error {
	tenant, err := tenantOf(sc)
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = et.write1(ctx, "postgres.ForgetEmbeddings", tenant, forgetEmbeddings, tenant, texts(ids))
	return err
}

// CachedGenerations is documented at [role.EmbeddingCache].
func (et *embeddingTable) CachedGenerations(ctx context.Context, sc trilith.Scope) ([]string, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	out, err := et.readStrings(ctx, "postgres.CachedGenerations", tenant, generations, tenant)
	for i, generation := range out {
		out[i] = plain(generation)
	}
	return out, err
}
