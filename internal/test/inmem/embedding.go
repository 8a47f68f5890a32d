package inmem

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var _ role.EmbeddingCache = (*Store)(nil)

// cacheKey identifies a cached embedding.
type cacheKey struct {
	tenant, generation string
	memory             trilith.ID
}

// embeddings are cached ones, with their keys in the order in which they came.
type embeddings struct {
	held  map[cacheKey]role.CachedEmbedding
	order []cacheKey
}

func (e *embeddings) remove(doomed func(cacheKey) bool) {
	e.order = slices.DeleteFunc(e.order, func(k cacheKey) bool {
		if !doomed(k) {
			return false
		}
		delete(e.held, k)
		return true
	})
}

// CachedEmbeddings implements [role.EmbeddingCache].
func (s *Store) CachedEmbeddings(ctx context.Context, sc trilith.Scope, q role.EmbeddingQuery) (
	[]role.CachedEmbedding, error) {
	return do(ctx, s, "CachedEmbeddings", s.mu.RLocker(), func() (out []role.CachedEmbedding, _ error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		add := func(e role.CachedEmbedding) {
			e.Vector = slices.Clone(e.Vector)
			out = append(out, e)
		}
		for _, id := range q.Memories {
			if e, ok := s.cache.held[cacheKey{sc.Tenant, q.Generation, id}]; ok {
				add(e)
			}
		}
		if len(q.Memories) > 0 {
			return out, nil
		}
		for k, e := range s.cache.held {
			if k.tenant == sc.Tenant && k.generation == q.Generation && slices.Contains(q.Hashes, e.Hash) {
				add(e)
			}
		}
		return out, nil
	})
}

// CacheEmbeddings implements [role.EmbeddingCache].
func (s *Store) CacheEmbeddings(ctx context.Context, sc trilith.Scope, generation string, es []role.CachedEmbedding,
	most int) error {
	_, err := do(ctx, s, "CacheEmbeddings", &s.mu, func() (none struct{}, _ error) {
		if err := sc.Validate(); err != nil {
			return none, err
		}
		for _, e := range es {
			k := cacheKey{sc.Tenant, generation, e.Memory}
			if _, ok := s.cache.held[k]; ok {
				s.cache.remove(func(held cacheKey) bool { return held == k })
			}
			e.Vector = slices.Clone(e.Vector)
			s.cache.held[k] = e
			s.cache.order = append(s.cache.order, k)
		}
		for len(s.cache.order) > most {
			delete(s.cache.held, s.cache.order[0])
			s.cache.order = s.cache.order[1:]
		}
		return none, nil
	})
	return err
}

// ForgetEmbeddings implements [role.EmbeddingCache].
func (s *Store) ForgetEmbeddings(ctx context.Context, sc trilith.Scope, ids []trilith.ID) error {
	_, err := do(ctx, s, "ForgetEmbeddings", &s.mu, func() (none struct{}, _ error) {
		if err := sc.Validate(); err != nil {
			return none, err
		}
		s.cache.remove(func(k cacheKey) bool { return k.tenant == sc.Tenant && slices.Contains(ids, k.memory) })
		return none, nil
	})
	return err
}

// CachedGenerations implements [role.EmbeddingCache].
func (s *Store) CachedGenerations(ctx context.Context, sc trilith.Scope) ([]string, error) {
	return do(ctx, s, "CachedGenerations", s.mu.RLocker(), func() ([]string, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		held := make(map[string]bool)
		for _, k := range s.cache.order {
			if k.tenant == sc.Tenant {
				held[k.generation] = true
			}
		}
		return slices.Sorted(maps.Keys(held)), nil
	})
}
