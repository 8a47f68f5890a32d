package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/trace"
)

// embedOrPostpone embeds memories of one tenant. If the embedder refuses a batch, it is halved until the refused texts
// are found; they become jobs, and the others are embedded. An unavailable embedder does not count as a refusal. If the
// tenant's budget is spent, its vectors are postponed; but a generation that is being built waits for the budget,
// because searches can use the old generation meanwhile.
func (x *vectorIndexer) embedOrPostpone(ctx context.Context, gs *generationState, ms []trilith.Memory) error {
	err := x.embed(ctx, gs, ms)
	// a generation that is being built waits the whole time
	if over, ok := errors.AsType[*trilith.OverBudget](err); ok && gs != x.building.Load() {
		return x.postpone(ctx, gs, ms, over.Until)
	}
	if err == nil || ctx.Err() != nil || temporary(err) {
		return err
	}
	if len(ms) == 1 {
		return x.postpone(ctx, gs, ms, x.cfg.Now())
	}
	for _, half := range [][]trilith.Memory{ms[:len(ms)/2], ms[len(ms)/2:]} {
		if err := x.embedOrPostpone(ctx, gs, half); err != nil {
			return err
		}
	}
	return nil
}

// embed embeds memories and stores all vectors, or none. It removes those of memories that may have none.
func (x *vectorIndexer) embed(ctx context.Context, gs *generationState, ms []trilith.Memory) error {
	held := make([]trilith.Memory, 0, len(ms))
	var gone []trilith.ID
	for i := range ms {
		if x.Holds(&ms[i]) {
			held = append(held, ms[i])
		} else {
			gone = append(gone, ms[i].ID)
		}
	}
	if len(gone) > 0 {
		if err := x.cfg.Vectors.Delete(ctx, trilith.Scope{Tenant: ms[0].Scope.Tenant}, gone); err != nil {
			return err
		}
	}
	if ms = held; len(ms) == 0 {
		return nil
	}
	es, err := x.embeddings(ctx, gs, ms)
	if err != nil {
		return err
	}
	now := trilith.Time(x.cfg.Now())
	points := make([]role.Point, 0, len(ms))
	for i, e := range es {
		if e.Vector != nil {
			points = append(points, role.Point{Facets: role.FacetsOf(&ms[i]), Vector: e.Vector, At: now, Cut: e.Cut})
		}
	}
	return x.cfg.Vectors.Apply(ctx, gs.gen, points)
}

// Holds reports whether a memory may have a vector. Other programs read an index outside the store and would see
// forgotten memories there: it has no vectors of those.
func (x *vectorIndexer) Holds(m *trilith.Memory) bool {
	_, outside := x.cfg.Vectors.(role.RemoteVectors)
	return !outside || m.State != trilith.StateRetracted
}

// postpone queues a job that embeds memories of one tenant.
func (x *vectorIndexer) postpone(ctx context.Context, gs *generationState, ms []trilith.Memory, until time.Time) error {
	ids := trilith.IDsOf(ms)
	job, err := NewEmbedJob(ids, gs.gen, trilith.Time(x.cfg.Now()))
	if err != nil {
		return err
	}
	job.RunAt = trilith.Time(until)
	_, err = x.cfg.Store.Commit(ctx, trilith.Scope{Tenant: ms[0].Scope.Tenant}, role.Batch{Jobs: []trilith.Job{job}})
	return err
}

// temporary reports whether the same call may succeed later: when the embedder is available again, or its key, address
// or model name is corrected. The text is not the cause of such an error.
func temporary(err error) bool {
	switch trilith.KindOf(err) {
	case trilith.Unavailable, trilith.Exhausted, trilith.DeadlineExceeded, trilith.Canceled, trilith.Unauthenticated,
		trilith.Forbidden, trilith.Unsupported:
		return true
	}
	return false
}

// VectorsAtHand returns the vectors of memories of one tenant in the active generation, in order, without a request to
// a service: nil for those that would need one.
func (x *vectorIndexer) VectorsAtHand(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Vector, error) {
	out := make([]trilith.Vector, len(ms))
	gs := x.active.Load()
	if gs == nil || len(ms) == 0 {
		return out, nil
	}
	if !Costs(gs.gen) {
		es, err := x.embeddings(ctx, gs, ms)
		if err != nil {
			return nil, err
		}
		return role.VectorsOf(es), nil
	}
	ids := trilith.IDsOf(ms)
	held, err := role.EmbeddingsByMemory(x.cfg.Store.CachedEmbeddings(ctx, s,
		role.EmbeddingQuery{Generation: gs.gen.Key(), Memories: ids}))
	for i := range ms {
		if e := held[ids[i]]; e.Hash == textHash(gs.gen.Key(), VectorTextOf(gs.gen, &ms[i])) {
			out[i] = e.Vector
		}
	}
	return out, err
}

// maxCached is how many embeddings are cached, of all tenants and generations together: 400 MB at 1024 dimensions.
const maxCached = 100_000

// embeddings returns the embeddings of memories, in order. It takes paid embeddings from the cache; if the cache fails,
// that costs money and nothing else.
func (x *vectorIndexer) embeddings(ctx context.Context, gs *generationState, ms []trilith.Memory) (
	[]role.Embedding, error) {
	texts := make([]string, len(ms))
	for i := range ms {
		texts[i] = VectorTextOf(gs.gen, &ms[i])
	}
	if !Costs(gs.gen) {
		return x.ask(ctx, gs, ms[0].Scope.Tenant, texts)
	}
	s, key := trilith.Scope{Tenant: ms[0].Scope.Tenant}, gs.gen.Key()
	ids := trilith.IDsOf(ms)
	held, err := role.EmbeddingsByMemory(
		x.cfg.Store.CachedEmbeddings(ctx, s, role.EmbeddingQuery{Generation: key, Memories: ids}))
	if err != nil {
		x.cfg.Logger.WarnContext(
			ctx, "index: cached embeddings cannot be read, the texts are embedded again", "error", err)
	}
	out := make([]role.Embedding, len(ms))
	var missing []int
	var unpaid []string
	fresh := make([]role.CachedEmbedding, 0, len(ms))
	for i, text := range texts {
		hash := textHash(key, text)
		if e, ok := held[ids[i]]; ok && e.Hash == hash && (e.Vector == nil || len(e.Vector) == gs.gen.Dims) {
			out[i] = e.Embedding
			continue
		}
		missing, unpaid = append(missing, i), append(unpaid, text)
		fresh = append(fresh, role.CachedEmbedding{Memory: ids[i], Hash: hash})
	}
	if len(missing) == 0 {
		return out, nil
	}
	paid, err := x.paidTexts(ctx, gs, s, unpaid, fresh)
	if err != nil {
		return nil, err
	}
	for n, i := range missing {
		e := paid[fresh[n].Hash]
		out[i], fresh[n].Embedding = e, e
	}
	if err := x.cfg.Store.CacheEmbeddings(ctx, s, key, fresh, maxCached); err != nil && ctx.Err() == nil {
		x.cfg.Logger.WarnContext(ctx, "index: embeddings could not be cached; their texts may be embedded again", "error", err)
	}
	return out, nil
}

// textHash identifies a text in a generation.
func textHash(generation, text string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%d:%s", len(generation), generation, len(text), text))
	return hex.EncodeToString(sum[:])
}

// paidTexts returns embeddings by the hashes of their texts, which fresh lists in the same order. It reuses embeddings
// that the tenant has paid for under another memory, and embeds a repeated text once.
func (x *vectorIndexer) paidTexts(ctx context.Context, gs *generationState, s trilith.Scope, texts []string,
	fresh []role.CachedEmbedding) (map[string]role.Embedding, error) {
	hashes := make([]string, len(fresh))
	for i, e := range fresh {
		hashes[i] = e.Hash
	}
	cached, err := x.cfg.Store.CachedEmbeddings(ctx, s,
		role.EmbeddingQuery{Generation: gs.gen.Key(), Hashes: hashes})
	if err != nil {
		x.cfg.Logger.WarnContext(
			ctx, "index: cached embeddings cannot be read, the texts are embedded again", "error", err)
	}
	held, paid := map[string]role.Embedding{}, make(map[string]role.Embedding, len(texts))
	for _, e := range cached {
		held[e.Hash] = e.Embedding
	}
	var unpaid, of []string
	for i, hash := range hashes {
		e, ok := held[hash]
		if ok = ok && (e.Vector == nil || len(e.Vector) == gs.gen.Dims); !ok && !slices.Contains(of, hash) {
			unpaid, of = append(unpaid, texts[i]), append(of, hash)
		}
		if ok {
			paid[hash] = e
		}
	}
	if len(unpaid) == 0 {
		return paid, nil
	}
	es, err := x.ask(ctx, gs, s.Tenant, unpaid)
	if err != nil {
		return nil, err
	}
	for i, hash := range of {
		paid[hash] = es[i]
	}
	return paid, nil
}

// ask calls the embedder on behalf of a tenant.
func (x *vectorIndexer) ask(ctx context.Context, gs *generationState, tenant string, texts []string) (
	[]role.Embedding, error) {
	if gs.embedder == nil {
		return nil, trilith.Errorf(trilith.Unavailable, "embedder: the one of %s cannot be opened by this process", gs.gen)
	}
	if x.cfg.Spending != nil {
		var err error
		if ctx, err = x.cfg.Spending(ctx, tenant, gs.gen.Provider); err != nil {
			return nil, err
		}
	}
	es, err := Embed(ctx, gs.embedder, role.ForDocument, texts)
	if err == nil && len(es) != len(texts) {
		err = trilith.Errorf(trilith.Internal, "embedder %s: gave %d vectors for %d texts", gs.gen, len(es), len(texts))
	}
	return es, err
}

// Embed calls an embedder in a trace span.
func Embed(ctx context.Context, e role.Embedder, use role.Use, texts []string) ([]role.Embedding, error) {
	ctx, span := trace.Start(ctx, "embedder.embed", trace.Client)
	gen := e.Generation()
	span.Set("gen_ai.system", gen.Provider)
	span.Set("gen_ai.request.model", gen.Model)
	span.SetInt("trilith.texts", len(texts))
	es, err := e.Embed(ctx, use, texts)
	span.End(err)
	return es, err
}
