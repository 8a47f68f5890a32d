package sqlite

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

const (
	cachedEmbeddings = "SELECT memory, hash, cut, vector, sum FROM " + asked +
		" CROSS JOIN embeddings ON tenant = ? AND memory = wanted AND generation = ?"
	embeddingsOfTexts = "SELECT memory, hash, cut, vector, sum FROM " + asked +
		" CROSS JOIN embeddings INDEXED BY embeddings_by_hash ON tenant = ? AND hash = wanted AND generation = ?"
	// A row that replaces another gets a new rowid, as if it were the first.
	cacheEmbedding   = "INSERT OR REPLACE INTO embeddings (tenant, memory, generation, hash, cut, vector, sum) VALUES (?, ?, ?, ?, ?, ?, ?)"
	dropOldest       = "DELETE FROM embeddings WHERE seq <= (SELECT max(seq) FROM embeddings) - ?"
	anyEmbedding     = "SELECT memory FROM embeddings LIMIT 1"
	generations      = "SELECT DISTINCT generation FROM embeddings WHERE tenant = ? ORDER BY generation"
	forgetEmbeddings = "DELETE FROM embeddings WHERE tenant = ? AND memory IN (SELECT value FROM json_each(?))"
)

// embeddingTable plays [role.EmbeddingCache].
type embeddingTable struct{ *file }

var _ role.EmbeddingCache = (*Store)(nil)

// CachedEmbeddings is documented at [role.EmbeddingCache]. It leaves out damaged ones, which will be made again.
func (et *embeddingTable) CachedEmbeddings(ctx context.Context, sc trilith.Scope, q role.EmbeddingQuery) (
	out []role.CachedEmbedding, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	query, of := cachedEmbeddings, list(q.Memories)
	if len(q.Memories) == 0 {
		query, of = embeddingsOfTexts, list(q.Hashes)
	}
	err = et.read(ctx, "sqlite.CachedEmbeddings", func() error {
		out = nil
		rows, err := et.queries.query(ctx, query, of, tenant, q.Generation)
		return scanAll(rows, err, func(row scanner) error {
			var e role.CachedEmbedding
			var data []byte
			var sum any
			if err := row.Scan(&e.Memory, &e.Hash, &e.Cut, &data, &sum); err != nil {
				return err
			}
			if !holds(sum, sumOfEmbedding(tenant, string(e.Memory), q.Generation, e.Hash, e.Cut, data)) {
				return nil
			}
			if v, err := packed.Floats(data); err == nil {
				e.Vector = v
				out = append(out, e)
			}
			return nil
		})
	})
	return out, err
}

// CacheEmbeddings is documented at [role.EmbeddingCache]. There may be gaps in the row numbers, so the oldest may be
// evicted a little early.
func (et *embeddingTable) CacheEmbeddings(ctx context.Context, sc trilith.Scope, generation string,
	es []role.CachedEmbedding,
	most int) error {
	tenant, err := tenantOf(sc)
	if err != nil || len(es) == 0 {
		return err
	}
	return et.write(ctx, "sqlite.CacheEmbeddings", len(es), func(t *tx) error {
		for _, e := range es {
			vector := packed.AppendFloats(make([]byte, 0, 4*len(e.Vector)), e.Vector)
			if err := t.exec(cacheEmbedding, tenant, string(e.Memory), generation, e.Hash, e.Cut, vector,
				sumOfEmbedding(tenant, string(e.Memory), generation, e.Hash, e.Cut, vector)); err != nil {
				return err
			}
		}
		return t.exec(dropOldest, most)
	})
}

// ForgetEmbeddings is documented at [role.EmbeddingCache]. For memories without paid embeddings, which are most, it
// writes nothing.
func (et *embeddingTable) ForgetEmbeddings(ctx context.Context, sc trilith.Scope, ids []trilith.ID) error {
	tenant, err := tenantOf(sc)
	if err != nil || len(ids) == 0 {
		return err
	}
	if held, err := et.readStrings(ctx, "sqlite.ForgetEmbeddings", anyEmbedding); err != nil || len(held) == 0 {
		return err
	}
	return et.write(ctx, "sqlite.ForgetEmbeddings", len(ids),
		func(t *tx) error { return t.exec(forgetEmbeddings, tenant, list(ids)) })
}

// CachedGenerations is documented at [role.EmbeddingCache].
func (et *embeddingTable) CachedGenerations(ctx context.Context, sc trilith.Scope) ([]string, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	return et.readStrings(ctx, "sqlite.CachedGenerations", generations, tenant)
}
