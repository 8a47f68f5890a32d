package engine

import (
	"cmp"
	"context"
	"math"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

// activeEntry accepts knowledge entries that stand.
var activeEntry = cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindEntry), cairn.Where("state", cairn.OpEq, cairn.StateActive))

// AddEntry stores a knowledge entry as [Engine.Remember] does and returns it. An external id that is stored already gives
// the entry that has it; Conflict if that is no entry. As there, the error that the time is over may come with what is stored.
func (e *Engine) AddEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (cairn.Memory, error) {
	res, err := e.Remember(ctx, s, cairn.RememberRequest{Entry: &r.Entry, ExternalID: r.ExternalID, Metadata: r.Metadata, Tags: r.Tags,
		Wait: r.Wait, RequestKey: r.RequestKey})
	if err != nil && !res.Pending {
		return cairn.Memory{}, err
	}
	if len(res.Memories) == 1 {
		m := res.Memories[0]
		m.Masking = cairn.Masking{Masked: res.Masked, MaskedIn: res.MaskedIn}
		m.Pending, m.JobID = res.Pending, res.JobID
		if res.Indexed {
			e.describeMemories(ctx, s, []*cairn.Memory{&m})
		}
		return m, err
	}
	if len(res.Rejected) == 0 || res.Rejected[0].Reason != cairn.ReasonDuplicate {
		return cairn.Memory{}, refused(res)
	}
	key := externalKey(scopeText(s), r.ExternalID)
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), []cairn.Key{key})
	if err != nil {
		return cairn.Memory{}, err
	}
	m, err := e.Get(ctx, s, owners[key])
	if err == nil && m.Entry == nil {
		return cairn.Memory{}, cairn.Errorf(cairn.Conflict, "external_id: belongs to memory %s, which is of kind %s", m.ID, m.Kind)
	}
	m.Masking = cairn.Masking{Masked: res.Masked, MaskedIn: res.MaskedIn}
	return m, err
}

// Entry returns a knowledge entry of the scope in whatever state it is; NotFound also for a memory that is none.
func (e *Engine) Entry(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	m, err := e.Get(ctx, s, id)
	if err == nil && m.Entry == nil || cairn.KindOf(err) == cairn.NotFound {
		return cairn.Memory{}, cairn.Errorf(cairn.NotFound, "entry %s does not exist", id)
	}
	return m, err
}

// SimilarEntries returns the active entries of the scope's domain that are most like a text or an embedding; see
// [cairn.SimilarRequest].
func (e *Engine) SimilarEntries(ctx context.Context, s cairn.Scope, r cairn.SimilarRequest) (cairn.SimilarEntries, error) {
	if err := checkScope(s); err != nil {
		return cairn.SimilarEntries{}, err
	}
	d := e.dense.Load()
	if err := e.checkSimilar(s, d, r); err != nil {
		return cairn.SimilarEntries{}, err
	}
	limit, err := checkLimit(r.Limit, cairn.DefaultSimilar, cairn.MaxSimilar)
	if err != nil {
		return cairn.SimilarEntries{}, err
	}
	minScore := leastSimilar(d)
	if r.MinScore != nil {
		minScore = *r.MinScore
	}
	filter := activeEntry
	if r.ExcludeSession != "" {
		filter = cairn.AllOf(filter, cairn.Where("session", cairn.OpNe, r.ExcludeSession))
	}
	var hits []cairn.Hit
	var covered cairn.Coverage
	if r.Embedding == nil && !d.gen.Threshold { // its cosines say nothing by themselves: the fused score does
		res, err := e.Recall(ctx, s, cairn.RecallRequest{Query: r.Text, K: limit, Filter: filter, MinScore: minScore, StrongOnly: true})
		if err != nil {
			return cairn.SimilarEntries{}, err
		}
		hits, covered = res.Hits, res.Coverage
	} else {
		probe, err := e.probe(ctx, s, d, r)
		if err != nil {
			return cairn.SimilarEntries{}, err
		}
		if hits, err = e.nearest(ctx, s, d, probe, filter, minScore, limit); err != nil {
			return cairn.SimilarEntries{}, err
		}
	}
	out := cairn.SimilarEntries{Items: make([]cairn.EntryHit, len(hits)), Coverage: covered}
	for i, h := range hits {
		out.Items[i] = cairn.EntryHit{Memory: h.Memory, Score: h.Score}
	}
	out.Total, err = e.countEntries(ctx, s)
	return out, err
}

// leastSimilar is the score below which entries are not like a text, as scores are in a generation.
func leastSimilar(d *dense) float64 {
	if d.gen.Threshold {
		return cairn.DefaultMinScore
	}
	return cairn.DefaultMinFused
}

// knowledge recalls what a block of knowledge is made of: by cosines where they carry a meaning and the present is asked about,
// as [Engine.SimilarEntries] does, else by the search. The latter is what is left when an embedder does not answer.
func (e *Engine) knowledge(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
	r.K = cmp.Or(r.K, cairn.DefaultSimilar)
	var err error
	if r.Filter, err = e.withTexts(ctx, s, r.Filter); err != nil {
		return cairn.RecallResult{}, err
	}
	q, err := question(s, r)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	d := e.dense.Load()
	if d.gen.Threshold && r.AsOf == "" && r.KnownAt == "" && len(r.States) == 0 && len(r.Arms) == 0 {
		probe, err := e.questionVector(ctx, s, d, r.Query)
		if err == nil {
			hits, err := e.nearest(ctx, s, d, probe, cairn.AllOf(activeEntry, r.Filter), cmp.Or(r.MinScore, cairn.DefaultMinScore), q.K)
			return cairn.RecallResult{Hits: hits}, err
		}
		if ctx.Err() != nil {
			return cairn.RecallResult{}, ctx.Err()
		}
	}
	r.MinScore = cmp.Or(r.MinScore, cairn.DefaultMinFused)
	return e.Recall(ctx, s, r)
}

func (e *Engine) checkSimilar(s cairn.Scope, d *dense, r cairn.SimilarRequest) error {
	switch {
	case s.Domain == "":
		return cairn.Errorf(cairn.Invalid, "domain: is empty; say in which domain to look")
	case (r.Text == "") == (r.Embedding == nil):
		return cairn.Errorf(cairn.Invalid, "text: give either a text or an embedding")
	case len(r.Text) > cairn.MaxQueryBytes:
		return cairn.Errorf(cairn.Invalid, "text: is %d bytes long, at most %d are allowed", len(r.Text), cairn.MaxQueryBytes)
	case !utf8.ValidString(r.Text):
		return cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8")
	case r.MinScore != nil && !(*r.MinScore >= 0 && *r.MinScore <= 1):
		return cairn.Errorf(cairn.Invalid, "min_score: must lie between 0 and 1")
	case r.Embedding == nil:
		return nil
	case e.cfg.Vectors == nil:
		return cairn.Errorf(cairn.Unsupported, "embedding: needs an embedder to compare it with, and none is configured")
	}
	return checkEmbedding(r.Embedding, d.gen)
}

// checkEmbedding refuses vectors that cannot be compared with those of the generation.
func checkEmbedding(v cairn.Vector, g cairn.Generation) error {
	if len(v) != g.Dims {
		return cairn.Errorf(cairn.Invalid, "embedding: has %d dimensions, those of %s are needed", len(v), g)
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return cairn.Errorf(cairn.Invalid, "embedding: component %d is not a finite number", i)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return cairn.Errorf(cairn.Invalid, "embedding: has no direction, every component is 0")
	}
	return nil
}

// unit gives a vector with a direction the length 1.
func unit(v cairn.Vector) cairn.Vector {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make(cairn.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// probe returns the vector that a request is compared by; nil if the embedder has nothing to say about its text.
func (e *Engine) probe(ctx context.Context, s cairn.Scope, d *dense, r cairn.SimilarRequest) (cairn.Vector, error) {
	if r.Embedding != nil {
		return unit(r.Embedding), nil
	}
	v, err := e.questionVector(ctx, s, d, r.Text)
	return v, armError(ctx, cairn.ArmDense, err)
}

// nearest returns the memories with the highest cosines, verified; none for a nil vector.
func (e *Engine) nearest(ctx context.Context, s cairn.Scope, d *dense, probe cairn.Vector, filter cairn.Filter, minScore float64, limit int) ([]cairn.Hit, error) {
	if probe == nil {
		return nil, nil
	}
	found, err := e.cfg.Vectors.Search(ctx, s, d.gen, cairn.VectorProbe{Vector: probe, Filter: filter, K: cairn.MaxK})
	if err != nil {
		return nil, armError(ctx, cairn.ArmDense, err)
	}
	ranked := make([]retrieve.Fused, len(found[0]))
	for i, c := range found[0] {
		ranked[i] = retrieve.Fused{ID: c.ID, Version: c.Version, Score: c.Score, Similarity: &c.Score, Measured: c.Version}
	}
	q := retrieve.Question{K: limit, Filter: filter, States: []cairn.State{cairn.StateActive}}
	v, err := e.verifier(s, q)
	if err != nil {
		return nil, err
	}
	hits, err := v.hits(ctx, limit, minScore, retrieve.Rank(ranked))
	if err != nil {
		return nil, err
	}
	e.describe(ctx, s, hits)
	return hits, e.label(ctx, s, hits, q.At, v.resting)
}

// countEntries says how many active entries the scope covers; one that is shared within it counts once.
func (e *Engine) countEntries(ctx context.Context, s cairn.Scope) (int, error) {
	seen := map[cairn.ID]bool{}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: activeEntry}) {
		if err != nil {
			return 0, err
		}
		seen[originOf(&m)] = true
	}
	return len(seen), nil
}
