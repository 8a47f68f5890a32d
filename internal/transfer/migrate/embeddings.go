package migrate

import (
	"context"
	"math"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// caches returns both sides as caches of embeddings; ok says that both are.
func (r *run) caches() (from, to role.EmbeddingCache, ok bool) {
	from, fromOK := r.from.Truth.(role.EmbeddingCache)
	to, toOK := r.to.Truth.(role.EmbeddingCache)
	return from, to, fromOK && toOK
}

// copyEmbeddings copies the stored embeddings of the tenant's memories that the copy lacks. That is a pass of its
// own, because an embedding is made some time after its memory and leaves no change in the log.
func (t *tenant) copyEmbeddings(ctx context.Context) error {
	from, _, ok := t.caches()
	if !ok {
		return nil
	}
	generations, err := from.CachedGenerations(ctx, t.scope)
	if err != nil || len(generations) == 0 {
		return err
	}
	done := 0
	ids := make([]trilith.ID, 0, t.page)
	flush := func() error {
		for _, generation := range generations {
			if err := t.copyEmbeddingsOf(ctx, generation, ids); err != nil {
				return err
			}
		}
		done += len(ids)
		t.report(Progress{StageEmbeddings, t.scope.Tenant, done})
		ids = ids[:0]
		return nil
	}
	for m, err := range t.from.List(ctx, t.scope, role.Listing{}) {
		if err != nil {
			return err
		}
		if ids = append(ids, m.ID); len(ids) == t.page {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (t *tenant) copyEmbeddingsOf(ctx context.Context, generation string, ids []trilith.ID) error {
	from, to, _ := t.caches()
	q := role.EmbeddingQuery{Generation: generation, Memories: ids}
	there, err := from.CachedEmbeddings(ctx, t.scope, q)
	if err != nil || len(there) == 0 {
		return err
	}
	here, err := role.EmbeddingsByMemory(to.CachedEmbeddings(ctx, t.scope, q))
	if err != nil {
		return err
	}
	var missing []role.CachedEmbedding
	for _, e := range there {
		if e.Hash != here[e.Memory].Hash {
			missing = append(missing, e)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	// The copy says when it is used how many it keeps.
	return to.CacheEmbeddings(ctx, t.scope, generation, missing, math.MaxInt32)
}

// forgetEmbeddings removes the copy's embeddings of memories that will be deleted or changed.
func (t *tenant) forgetEmbeddings(ctx context.Context, ids []trilith.ID) error {
	if _, to, ok := t.caches(); ok {
		return to.ForgetEmbeddings(ctx, t.scope, ids)
	}
	return nil
}
