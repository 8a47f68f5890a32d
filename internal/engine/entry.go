package engine

import (
	"context"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/truth"
)

// AddEntry stores a knowledge entry like [Engine.Remember] and returns it. If the external id exists, it returns the
// entry with that id; Conflict if that is not an entry. As there, a timeout may be returned along with the stored
// entry.
func (e *Engine) AddEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (cairn.Memory, error) {
	m, _, err := e.addEntry(ctx, s, r)
	return m, err
}

// addEntry is [Engine.AddEntry]; stored says that the entry is new.
func (e *Engine) addEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (
	m cairn.Memory, stored bool, err error) {
	res, err := e.Remember(ctx, s,
		cairn.RememberRequest{Entry: &r.Entry, ExternalID: r.ExternalID, Metadata: r.Metadata, Tags: r.Tags,
			ValidUntil: r.ValidUntil, Wait: r.Wait, RequestKey: r.RequestKey, Imported: r.Imported})
	if err != nil && !res.Pending {
		return cairn.Memory{}, false, err
	}
	masking := cairn.Masking{Masked: res.Masked, MaskedIn: res.MaskedIn}
	if len(res.Memories) == 1 {
		m = res.Memories[0]
		m.Masking, m.Pending, m.JobID = masking, res.Pending, res.JobID
		if res.Indexed {
			e.recall.DescribeMemories(ctx, s, []*cairn.Memory{&m})
		}
		return m, true, err
	}
	if len(res.Rejected) == 0 || res.Rejected[0].Reason != cairn.ReasonDuplicate {
		return cairn.Memory{}, false, refused(res)
	}
	m, err = e.keyed(ctx, s, r.ExternalID)
	m.Masking = masking
	return m, false, err
}

// Entry returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
func (e *Engine) Entry(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	m, err := e.Get(ctx, s, id)
	if err == nil && m.Entry == nil || cairn.KindOf(err) == cairn.NotFound {
		return cairn.Memory{}, cairn.Errorf(cairn.NotFound, "entry %s does not exist", id)
	}
	return m, err
}

// SimilarEntries returns the active entries of the scope's domain that are most similar to a text or an embedding; see
// [cairn.SimilarRequest].
func (e *Engine) SimilarEntries(ctx context.Context, s cairn.Scope, r cairn.SimilarRequest) (
	cairn.SimilarEntries, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.SimilarEntries{}, err
	}
	d := e.generations.Current.Load()
	if err := e.checkSimilar(s, d, r); err != nil {
		return cairn.SimilarEntries{}, err
	}
	limit, err := truth.CheckLimit(r.Limit, cairn.DefaultSimilar, cairn.MaxSimilar)
	if err != nil {
		return cairn.SimilarEntries{}, err
	}
	minScore := recall.LeastSimilar(d)
	if r.MinScore != nil {
		minScore = *r.MinScore
	}
	filter := recall.ActiveEntry
	if r.ExcludeSession != "" {
		filter = cairn.AllOf(filter, cairn.Where("session", cairn.OpNe, r.ExcludeSession))
	}
	var hits []cairn.Hit
	var covered cairn.Coverage
	if r.Embedding == nil && !d.Gen.Threshold { // cosines of this generation mean little: use the fused score
		res, err := e.recall.Recall(
			ctx, s, cairn.RecallRequest{Query: r.Text, K: limit, Filter: filter, MinScore: minScore, StrongOnly: true})
		if err != nil {
			return cairn.SimilarEntries{}, err
		}
		hits, covered = res.Hits, res.Coverage
	} else {
		probe, err := e.recall.Probe(ctx, s, d, r)
		if err != nil {
			return cairn.SimilarEntries{}, err
		}
		if hits, err = e.recall.Nearest(ctx, s, d, probe, filter, minScore, limit); err != nil {
			return cairn.SimilarEntries{}, err
		}
	}
	out := cairn.SimilarEntries{Items: make([]cairn.EntryHit, len(hits)), Coverage: covered}
	for i, h := range hits {
		out.Items[i] = cairn.EntryHit{Memory: h.Memory, Score: h.Score}
	}
	out.Total, err = e.recall.CountEntries(ctx, s)
	return out, err
}

func (e *Engine) checkSimilar(s cairn.Scope, d *generations.Serving, r cairn.SimilarRequest) error {
	switch {
	case s.Domain == "":
		return cairn.Errorf(cairn.Invalid, "domain: is empty; say in which domain to look")
	case (r.Text == "") == (r.Embedding == nil):
		return cairn.Errorf(cairn.Invalid, "text: give either a text or an embedding")
	case len(r.Text) > cairn.MaxQueryBytes:
		return cairn.Errorf(cairn.Invalid, "text: is %d bytes long, at most %d are allowed", len(r.Text),
			cairn.MaxQueryBytes)
	case !utf8.ValidString(r.Text):
		return cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8")
	case r.MinScore != nil && !(*r.MinScore >= 0 && *r.MinScore <= 1):
		return cairn.Errorf(cairn.Invalid, "min_score: must lie between 0 and 1")
	case r.Embedding == nil:
		return nil
	case e.truth.Vectors == nil:
		return cairn.Errorf(cairn.Unsupported,
			"embedding: needs an embedder to compare it with, and none is configured")
	}
	return recall.CheckEmbedding(r.Embedding, d.Gen)
}
