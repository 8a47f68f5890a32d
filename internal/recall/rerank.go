package recall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/trace"
)

// Defaults for reranking.
const (
	rerankDepth   = 50
	rerankTimeout = 2 * time.Second
)

// candidatesToRerank returns how many hits a recall of k looks for: k or the reranker's depth, whichever is larger.
func (rd *Reader) candidatesToRerank(k int) int {
	if rd.reranker == nil {
		return k
	}
	return max(k, rd.rerankDepth)
}

// rerank puts the best results into the reranker's order. Their scores remain those of the fusion, which are
// comparable, but are reassigned: the highest goes to the text that the reranker ranks first, and so on. If the
// reranker fails or takes too long, nothing changes and the report says so.
func (rd *Reader) rerank(ctx context.Context, s trilith.Scope, query string, results []result) (trilith.ArmReport, error) {
	report := trilith.ArmReport{Arm: trilith.ArmRerank}
	var own []*result
	var texts []string
	for i := range results {
		if p := &results[i]; p.turn == "" && len(own) < min(rd.rerankDepth, rd.reranker.Info().MaxTexts) {
			own, texts = append(own, p), append(texts, index.TextOf(&p.hit.Memory))
		}
	}
	within, cancel := context.WithTimeout(ctx, rd.rerankTimeout)
	defer cancel()
	var scores []float64
	using, err := rd.usage.Spending.Of(within, s.Tenant, rd.reranker.Info().Provider, trilith.PurposeRerank)
	if err == nil {
		using, span := trace.Start(using, "reranker.rerank", trace.Client)
		span.SetInt("trilith.texts", len(texts))
		scores, err = rd.reranker.Rerank(using, query, texts)
		span.End(err)
	}
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	if err != nil {
		report.Error = trilith.MessageOf(err)
		if within.Err() != nil {
			report.Error = "no answer within " + rd.rerankTimeout.String()
		}
		rd.truth.Logger.WarnContext(ctx, "recall: the reranker failed; the order is unchanged", "error", report.Error)
		return report, nil
	}
	report.Candidates = len(own)
	order := make([]int, len(own)) // former positions, in the new order
	free := make([]float64, len(own))
	for i, p := range own {
		order[i], free[i] = i, p.hit.Score
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	at := map[trilith.ID]*result{}
	for rank, i := range order {
		own[i].move(free[rank], trilith.Part{Rank: rank + 1, Raw: scores[i]})
		at[own[i].hit.Memory.ID] = own[i]
	}
	for i := range results { // a fact ranks no higher than its turn
		if p := &results[i]; at[p.turn] != nil && at[p.turn].hit.Score < p.hit.Score {
			p.move(at[p.turn].hit.Score, at[p.turn].hit.Parts[trilith.ArmRerank])
		}
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(b.hit.Score, a.hit.Score) })
	return report, nil
}

// move changes the score of a result. It adds the difference as a score part, so that the parts still add up.
func (p *result) move(to float64, part trilith.Part) {
	if p.hit.Parts != nil {
		part.Weight, part.Norm = to-p.hit.Score, 1
		p.hit.Parts[trilith.ArmRerank] = part
	}
	p.hit.Score = to
}
