package engine

import (
	"context"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// AddEntry stores a knowledge entry like [Engine.Remember] and returns it. If the external id exists, it returns the
// entry with that id; Conflict if that is not an entry. As there, a timeout may be returned along with the stored
// entry.
func (e *Engine) AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (m trilith.Memory, err error) {
	res, err := e.Remember(ctx, s,
		trilith.RememberRequest{Entry: &r.Entry, ExternalID: r.ExternalID, Metadata: r.Metadata, Tags: r.Tags,
			ValidUntil: r.ValidUntil, Wait: r.Wait, RequestKey: r.RequestKey, Imported: r.Imported})
	if err != nil && !res.Pending {
		return trilith.Memory{}, err
	}
	if len(res.Memories) == 1 {
		m = res.Memories[0]
		m.Pending, m.JobID = res.Pending, res.JobID
		if res.Indexed {
			e.recall.DescribeMemories(ctx, s, []*trilith.Memory{&m})
		}
	} else if len(res.Rejected) == 0 || res.Rejected[0].Reason != trilith.ReasonDuplicate {
		return trilith.Memory{}, refused(res)
	} else {
		m, err = e.keyed(ctx, s, r.ExternalID)
	}
	m.Masking = trilith.Masking{Masked: res.Masked, MaskedIn: res.MaskedIn}
	return m, err
}

// Entry returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
func (e *Engine) Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	m, err := e.Get(ctx, s, id)
	if err == nil && m.Entry == nil || trilith.KindOf(err) == trilith.NotFound {
		return trilith.Memory{}, trilith.Errorf(trilith.NotFound, "entry %s does not exist", id)
	}
	return m, err
}

// SimilarEntries returns the active entries of the scope's domain that are most similar to a text or an embedding; see
// [trilith.SimilarRequest].
func (e *Engine) SimilarEntries(ctx context.Context, s trilith.Scope, r trilith.SimilarRequest) (
	trilith.SimilarEntries, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.SimilarEntries{}, err
	}
	d := e.generations.Current.Load()
	if err := e.checkSimilar(s, d, r); err != nil {
		return trilith.SimilarEntries{}, err
	}
	limit, err := truth.CheckLimit(r.Limit, trilith.DefaultSimilar, trilith.MaxSimilar)
	if err != nil {
		return trilith.SimilarEntries{}, err
	}
	minScore := recall.LeastSimilar(d)
	if r.MinScore != nil {
		minScore = *r.MinScore
	}
	filter := recall.ActiveEntry
	if r.ExcludeSession != "" {
		filter = trilith.AllOf(filter, trilith.Where("session", trilith.OpNe, r.ExcludeSession))
	}
	var hits []trilith.Hit
	var covered trilith.Coverage
	scale := trilith.ScaleCosine
	if r.Embedding == nil && !d.Gen.Threshold { // cosines of this generation mean little: use the fused score
		res, err := e.recall.Recall(
			ctx, s, trilith.RecallRequest{Query: r.Text, K: limit, Filter: filter, MinScore: minScore, StrongOnly: true})
		if err != nil {
			return trilith.SimilarEntries{}, err
		}
		hits, covered, scale = res.Hits, res.Coverage, res.Scale
	} else {
		probe, err := e.recall.Probe(ctx, s, d, r)
		if err != nil {
			return trilith.SimilarEntries{}, err
		}
		if hits, err = e.recall.Nearest(ctx, s, d, probe, filter, minScore, limit); err != nil {
			return trilith.SimilarEntries{}, err
		}
	}
	out := trilith.SimilarEntries{Items: make([]trilith.EntryHit, len(hits)), Scale: scale, Coverage: covered}
	for i, h := range hits {
		out.Items[i] = trilith.EntryHit{Memory: h.Memory, Score: h.Score}
	}
	out.Total, err = e.recall.CountEntries(ctx, s)
	return out, err
}

func (e *Engine) checkSimilar(s trilith.Scope, d *generations.Serving, r trilith.SimilarRequest) error {
	switch {
	case s.Domain == "":
		return trilith.Errorf(trilith.Invalid, "domain: is empty; say in which domain to look")
	case (r.Text == "") == (r.Embedding == nil):
		return trilith.Errorf(trilith.Invalid, "text: give either a text or an embedding")
	case len(r.Text) > trilith.MaxQueryBytes:
		return trilith.Errorf(trilith.Invalid, "text: is %d bytes long, at most %d are allowed", len(r.Text),
			trilith.MaxQueryBytes)
	case !utf8.ValidString(r.Text):
		return trilith.Errorf(trilith.Invalid, "text: is not valid UTF-8")
	case r.MinScore != nil && !(*r.MinScore >= 0 && *r.MinScore <= 1):
		return trilith.Errorf(trilith.Invalid, "min_score: must lie between 0 and 1")
	case r.Embedding == nil:
		return nil
	case e.truth.Vectors == nil:
		return trilith.Errorf(trilith.Unsupported,
			"embedding: needs an embedder to compare it with, and none is configured")
	}
	return recall.CheckEmbedding(r.Embedding, d.Gen)
}
