package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

// found is what the arms came back with.
type found struct {
	answers []retrieve.Answer // one for each search of the plan
	facts   []retrieve.Fused  // those among them that may take part
	reports []cairn.ArmReport
	terms   []string
	fired   cairn.Levers
	texts   *index.Texts // what words were asked
	dense   *dense       // what vectors were asked
}

// report adds what one search of an arm found to the arm's report.
func (f *found) report(arm cairn.Arm, candidates int, err error) {
	at := slices.IndexFunc(f.reports, func(r cairn.ArmReport) bool { return r.Arm == arm })
	if at < 0 {
		at = len(f.reports)
		f.reports = append(f.reports, cairn.ArmReport{Arm: arm})
	}
	f.reports[at].Candidates += candidates
	if err != nil {
		f.reports[at].Error = cairn.MessageOf(err)
	}
}

// search runs the plan, all searches at once, and learns what fusing what they found takes.
func (e *Engine) search(ctx context.Context, s cairn.Scope, q retrieve.Question, d *dense, p retrieve.Plan, v *verifier, textErr error, clock *stopwatch) (found, error) {
	f := found{dense: d, texts: e.index.Texts(s), answers: make([]retrieve.Answer, len(p.Searches))}
	errs := make([]error, len(p.Searches))
	var vector cairn.Vector
	var embedErr error
	var dense []int // which of the searches are
	for i, t := range p.Searches {
		if t.Arm == cairn.ArmDense {
			dense = append(dense, i)
		}
	}
	if len(dense) > 0 {
		vector, embedErr = e.questionVector(ctx, s, d, q.Text)
		clock.lap("embed")
	}
	var running sync.WaitGroup
	search := func(arm cairn.Arm, ask func() error, of ...int) {
		running.Go(func() {
			start := e.cfg.Now()
			err := ask()
			e.cfg.Meter.Searched(arm, e.cfg.Now().Sub(start), err != nil)
			for _, i := range of {
				errs[i] = err
			}
		})
	}
	for i, t := range p.Searches {
		if t.Arm == cairn.ArmDense {
			continue
		}
		search(t.Arm, func() error {
			if textErr != nil {
				return textErr
			}
			res, err := f.texts.Search(ctx, t.Text)
			f.answers[i] = retrieve.Answer{Candidates: res.Candidates, Attainable: res.Attainable, Weight: res.Weight}
			if i == 0 {
				f.terms, f.fired = res.Terms, res.Fired
			}
			for _, phrase := range t.Phrases {
				if err == nil {
					err = e.quote(ctx, s, f.texts, t.Text.Filter, phrase, &f.answers[i])
				}
			}
			return err
		}, i)
	}
	if len(dense) > 0 {
		search(cairn.ArmDense, func() error {
			if embedErr != nil || vector == nil {
				return embedErr
			}
			probes := make([]cairn.VectorProbe, len(dense))
			for i, at := range dense {
				probes[i] = cairn.VectorProbe{Vector: vector, Filter: p.Searches[at].Filter, K: p.Searches[at].K}
			}
			return e.nearestOf(ctx, s, probes, dense, &f)
		}, dense...)
	}
	running.Wait()
	clock.lap("search")
	if err := ctx.Err(); err != nil {
		return f, err
	}
	failed := 0
	for i, search := range p.Searches {
		if errs[i] != nil {
			failed++
			f.answers[i] = retrieve.Answer{}
			e.cfg.Logger.WarnContext(ctx, "recall: an arm failed", "arm", search.Arm, "error", errs[i])
		}
		f.report(search.Arm, len(f.answers[i].Candidates), errs[i])
	}
	if failed == len(p.Searches) && failed > 0 {
		return f, errs[0]
	}
	err := e.learn(ctx, s, p, v, vector, &f)
	clock.lap("facts")
	if slices.Contains(q.Arms, cairn.ArmFact) { // it lives on what the others found: what failed they say
		f.report(cairn.ArmFact, len(f.facts), nil)
	}
	return f, err
}

// learn completes what the arms came back with: the cosines of what only words found, and which of the facts hold. The cosines of
// each side lie in memory, and facts mostly in the store, so all are seen to at once.
func (e *Engine) learn(ctx context.Context, s cairn.Scope, p retrieve.Plan, v *verifier, vector cairn.Vector, f *found) error {
	var turns sync.WaitGroup
	facts := func() {}
	for at, search := range p.Searches {
		measure := func() { e.measure(ctx, s, p, at, vector, f) }
		switch {
		case search.Arm != cairn.ArmDense:
		case search.Facts:
			facts = measure
		default:
			turns.Go(measure)
		}
	}
	facts()
	f.facts = p.Facts(f.answers)
	err := v.facts(ctx, f.facts)
	turns.Wait()
	return cmp.Or(err, ctx.Err())
}

// quote adds to the answer of an exact search the memories that hold a phrase, by what the store holds of those with its words.
func (e *Engine) quote(ctx context.Context, s cairn.Scope, texts *index.Texts, filter cairn.Filter, phrase string, a *retrieve.Answer) error {
	res, err := texts.Search(ctx, cairn.TextProbe{Text: phrase, Filter: filter, K: cairn.MaxCandidates})
	if err != nil || len(res.Candidates) == 0 {
		return err
	}
	ids := make([]cairn.ID, len(res.Candidates))
	for i, c := range res.Candidates {
		ids[i] = c.ID
	}
	ms, err := e.cfg.Store.Get(ctx, tenantOf(s), ids)
	if err != nil {
		return err
	}
	held := make(map[cairn.ID]string, len(ms))
	for i := range ms {
		held[ms[i].ID] = index.WordsOf(&ms[i])
	}
	a.AddPhrase(phrase, res, func(id cairn.ID) string { return held[id] })
	return nil
}

// nearestOf adds what vectors find to the answers of some searches, one probe for each.
func (e *Engine) nearestOf(ctx context.Context, s cairn.Scope, probes []cairn.VectorProbe, of []int, f *found) error {
	nearest, err := e.cfg.Vectors.Search(ctx, s, f.dense.gen, probes...)
	for i, candidates := range nearest {
		f.answers[of[i]].Candidates = append(f.answers[of[i]].Candidates, candidates...)
	}
	return err
}

// measure adds to what a search by vectors found the cosines of what only words did, which lies deeper than it looked. Failing is
// no loss but of these numbers.
func (e *Engine) measure(ctx context.Context, s cairn.Scope, p retrieve.Plan, at int, vector cairn.Vector, f *found) {
	for ids := range slices.Chunk(p.Unmeasured(f.answers, at), cairn.MaxCandidates) { // phrases may find more than one probe asks for
		probe := cairn.VectorProbe{Vector: vector, Filter: p.Searches[at].Filter, IDs: ids, K: len(ids)}
		if err := e.nearestOf(ctx, s, []cairn.VectorProbe{probe}, []int{at}, f); err != nil {
			e.cfg.Logger.WarnContext(ctx, "recall: the vector index does not tell how similar candidates are", "error", err)
			return
		}
	}
}
