package firestore

import (
	"context"
	"slices"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

const (
	fieldHashed = "hashed" // a key made of the generation and the text's hash
	fieldText   = "text"   // the hash of the text
	fieldCut    = "cut"
	fieldVector = "v"
)

// cacheCount estimates the number of embeddings of all tenants and processes. Firestore bills one read for every
// thousand counted, so it counts only after this process has added a tenth of the limit, and when the limit is near.
type cacheCount struct {
	mu    sync.Mutex
	known bool
	held  int
	since int   // added since the last count
	last  int64 // time of the newest; it keeps the order of two that are stored one after the other
}

// embeddingTable caches embeddings of texts.
type embeddingTable struct {
	*database
	cached cacheCount
}

// CachedEmbeddings is documented at [role.EmbeddingCache].
func (et *embeddingTable) CachedEmbeddings(ctx context.Context, sc trilith.Scope, q role.EmbeddingQuery) (
	out []role.CachedEmbedding, err error) {
	const op = "firestore.CachedEmbeddings"
	if err := et.within(ctx, sc); err != nil {
		return nil, err
	}
	paths := make([]string, len(q.Memories))
	for i, id := range q.Memories {
		paths[i] = et.embedding(sc.Tenant, q.Generation, id)
	}
	held, err := et.c.get(ctx, paths)
	for _, d := range held {
		out = append(out, cachedOf(d.Fields))
	}
	if err != nil || len(paths) > 0 {
		return out, failed(op, err)
	}
	for some := range slices.Chunk(q.Hashes, maxIn) {
		keys := make([]string, len(some))
		for i, h := range some {
			keys[i] = key(fieldHashed, q.Generation, h)
		}
		find := of(embeddingsIn, false).where(fieldHashed, "IN", texts(keys))
		if len(keys) == 1 { // one memory with the text is enough
			find = of(embeddingsIn, false).where(fieldHashed, "EQUAL", text(keys[0])).limit(1)
		}
		docs, err := et.c.run(ctx, et.tenant(sc.Tenant), find)
		if err != nil {
			return nil, failed(op, err)
		}
		for _, d := range docs {
			if e := cachedOf(d.Fields); slices.Contains(some, e.Hash) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

func cachedOf(f fields) role.CachedEmbedding {
	e := role.CachedEmbedding{Memory: trilith.ID(f.text(fieldMemory)), Hash: string(f.octets(fieldText))}
	e.Cut = f.has(fieldCut)
	if f.has(fieldVector) {
		e.Vector, _ = packed.Floats(f.octets(fieldVector))
	}
	return e
}

// CacheEmbeddings is documented at [role.EmbeddingCache]. Its count may be wrong by a tenth of most for each process
// that adds embeddings.
func (et *embeddingTable) CacheEmbeddings(ctx context.Context, sc trilith.Scope, generation string,
	es []role.CachedEmbedding, most int) error {
	const op = "firestore.CacheEmbeddings"
	if err := et.within(ctx, sc); err != nil {
		return err
	}
	c := &et.cached
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws []write
	size := 0
	for i, e := range es {
		c.last = max(c.last+1, et.now().UnixNano())
		f := fields{fieldPrefix: text(et.prefix), fieldGen: text(clean(generation)),
			fieldMemory: text(string(e.Memory)),
			fieldText:   octets([]byte(e.Hash)),
			fieldHashed: text(key(fieldHashed, generation, e.Hash)), fieldAt: number(c.last)}
		if e.Cut {
			f[fieldCut] = yes()
		}
		if e.Vector != nil {
			f[fieldVector] = octets(packed.AppendFloats(nil, e.Vector))
		}
		ws = append(ws, et.put(et.embedding(sc.Tenant, generation, e.Memory), f, nil))
		size += 500 + 6*len(e.Vector)
		if size > groupBytes || len(ws) == groupWrites || i == len(es)-1 {
			if err := et.c.commitAgain(ctx, ws); err != nil {
				return failed(op, err)
			}
			ws, size = nil, 0
		}
	}
	c.held += len(es)
	c.since += len(es)
	return failed(op, et.evict(ctx, most))
}

func (et *embeddingTable) embedding(tenant, generation string, id trilith.ID) string {
	return join(et.tenant(tenant), embeddingsIn, key(fieldGen, generation)+"~"+string(id))
}

// evict removes the embeddings that were stored longest ago until most are left.
func (et *embeddingTable) evict(ctx context.Context, most int) error {
	c := &et.cached
	if c.known && c.held <= most && c.since <= most/10 {
		return nil
	}
	n, err := et.c.aggregate(ctx, everywhere, et.all(embeddingsIn), "")
	if err != nil {
		return err
	}
	c.known, c.held, c.since = true, int(n), 0
	for c.held > most {
		docs, err := et.c.run(ctx, everywhere, et.all(embeddingsIn).by(fieldAt,
			ascending).only().limit(min(c.held-most, rowsEach)))
		if err != nil || len(docs) == 0 {
			return err
		}
		if err := et.removeDocuments(ctx, docs); err != nil {
			return err
		}
		c.held -= len(docs)
	}
	return nil
}

// ForgetEmbeddings is documented at [role.EmbeddingCache].
func (et *embeddingTable) ForgetEmbeddings(ctx context.Context, sc trilith.Scope, ids []trilith.ID) error {
	if err := et.within(ctx, sc); err != nil {
		return err
	}
	return failed("firestore.ForgetEmbeddings", et.removeOf(ctx, sc.Tenant, embeddingsIn, ids))
}

// removeOf deletes a tenant's documents about some memories.
func (db *database) removeOf(ctx context.Context, tenant, collection string, ids []trilith.ID) error {
	for some := range slices.Chunk(ids, maxIn) {
		names := make([]string, len(some))
		for i, id := range some {
			names[i] = string(id)
		}
		q := of(collection, false).where(fieldMemory, "IN", texts(names)).only()
		docs, err := db.c.run(ctx, db.tenant(tenant), q)
		if err != nil {
			return err
		}
		if err := db.removeDocuments(ctx, docs); err != nil {
			return err
		}
	}
	return nil
}

func (db *database) removeDocuments(ctx context.Context, docs []*document) error {
	paths := make([]string, len(docs))
	for i := range docs {
		paths[i] = db.c.path(docs[i].Name)
	}
	return db.remove(ctx, paths)
}

// CachedGenerations is documented at [role.EmbeddingCache]. It skips from each generation to the next, and reads one
// document of each.
func (et *embeddingTable) CachedGenerations(ctx context.Context, sc trilith.Scope) ([]string, error) {
	if err := et.within(ctx, sc); err != nil {
		return nil, err
	}
	var out []string
	q := of(embeddingsIn, false).by(fieldGen, ascending).only(fieldGen).limit(1)
	for {
		docs, err := et.c.run(ctx, et.tenant(sc.Tenant), q)
		if err != nil || len(docs) == 0 {
			return out, failed("firestore.CachedGenerations", err)
		}
		gen := docs[0].Fields.text(fieldGen)
		out = append(out, gen)
		q.StartAt = nil
		q.Where = nil
		q.where(fieldGen, "GREATER_THAN", text(gen))
	}
}
