package engine

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

// Recall finds what is known: candidates from every arm, fused, verified against the truth, best first. An arm that fails
// is left out and named in the explanation; only when all fail is the answer an error.
func (e *Engine) Recall(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
	q, err := question(s, r)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	var clock stopwatch
	clock.start(e.cfg.Now)
	var used tally
	ctx = cairn.Metered(ctx, used.add)
	textErr := e.index.CatchUp(ctx) // without it the text index may miss what was acknowledged: its arms fail
	clock.lap("catch_up")
	if e.cfg.Vectors == nil && slices.Contains(r.Arms, cairn.ArmDense) {
		return cairn.RecallResult{}, cairn.Errorf(cairn.Unsupported, "arms: dense needs an embedder, and none is configured")
	}
	d := e.dense.Load()
	plan := e.plan(&q, d)
	f, err := e.search(ctx, s, q, d, plan, textErr, &clock)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	v, err := e.verifier(s, q)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	v.explain = r.Explain
	if err := v.facts(ctx, f.facts); err != nil {
		return cairn.RecallResult{}, err
	}
	clock.lap("facts")
	ranking := plan.Fuse(f.answers, f.facts, v.known)
	clock.lap("fuse")
	seats, err := v.seats(ctx, e.places(q.K), r.MinScore, ranking)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	clock.lap("verify")
	if e.cfg.Reranker != nil && len(seats) > 0 {
		report, err := e.rerank(ctx, s, q.Text, seats)
		if err != nil {
			return cairn.RecallResult{}, err
		}
		f.reports = append(f.reports, report)
		clock.lap("rerank")
	}
	hits := seated(seats, q.K)
	for i := range hits {
		if h := &hits[i]; h.Memory.Fact != nil && h.Similarity != nil {
			relevance := h.Memory.Fact.Relevance(*h.Similarity).Product()
			h.Relevance = &relevance
		}
	}
	if r.Neighbors > 0 {
		if err := e.addNeighbors(ctx, hits, r.Neighbors, q.At); err != nil {
			return cairn.RecallResult{}, err
		}
		clock.lap("neighbors")
	}
	if err := e.label(ctx, s, hits, q.At); err != nil {
		return cairn.RecallResult{}, err
	}
	clock.lap("label")
	e.describe(ctx, s, hits)
	for _, l := range clock.laps {
		e.cfg.Meter.Step(l.step, l.took)
	}
	out := cairn.RecallResult{Hits: hits, Abstained: len(hits) == 0}
	if r.Explain {
		out.Dropped = v.dropped
		out.Explain = &cairn.Explain{Terms: f.terms, Pulled: q.Levers.String(), Fired: f.fired.String(), Filter: plan.Filter, Arms: f.reports, TimingsMS: clock.timings(), Usage: used.usage()}
		if e.cfg.Vectors != nil {
			out.Explain.Generation = f.dense.gen.Key()
		}
	}
	return out, nil
}

// LeaveOut makes the questions that are asked from now on do without some levers, in place of [Config.Without]: to measure what
// a lever gives without storing everything again.
func (e *Engine) LeaveOut(l cairn.Levers) { e.idle.Store(uint32(l)) }

// Weigh makes the questions that are asked from now on give vectors a weight beside words, above 0, in place of recall's own: to
// measure which is best. 0 gives that back.
func (e *Engine) Weigh(w float64) { e.weigh.Store(math.Float64bits(w)) }

// plan plans the searches of a question, with vectors if there are any.
func (e *Engine) plan(q *retrieve.Question, d *dense) retrieve.Plan {
	if e.cfg.Vectors == nil {
		q.Arms = slices.DeleteFunc(q.Arms, func(a cairn.Arm) bool { return a == cairn.ArmDense })
	}
	q.Levers = cairn.AllLevers &^ cairn.Levers(e.idle.Load())
	q.Weight = math.Float64frombits(e.weigh.Load())
	if q.Now = q.At.World; q.Now.IsZero() {
		q.Now = e.now()
	}
	return retrieve.NewPlan(*q, d.gen.Threshold)
}

// question checks a request and fills in its defaults.
func question(s cairn.Scope, r cairn.RecallRequest) (retrieve.Question, error) {
	q := retrieve.Question{Text: r.Query, K: r.K, Filter: r.Filter, States: r.States, Arms: slices.Clone(r.Arms)}
	if err := checkScope(s); err != nil {
		return q, err
	}
	switch {
	case r.Query == "":
		return q, cairn.Errorf(cairn.Invalid, "query: is empty; say what you look for")
	case len(r.Query) > cairn.MaxQueryBytes:
		return q, cairn.Errorf(cairn.Invalid, "query: is %d bytes long, at most %d are allowed", len(r.Query), cairn.MaxQueryBytes)
	case !utf8.ValidString(r.Query):
		return q, cairn.Errorf(cairn.Invalid, "query: is not valid UTF-8")
	case r.K < 0 || r.K > cairn.MaxK:
		return q, cairn.Errorf(cairn.Invalid, "k: is %d, must be 1 to %d (10 if left out)", r.K, cairn.MaxK)
	case !(r.MinScore >= 0 && r.MinScore <= 1):
		return q, cairn.Errorf(cairn.Invalid, "min_score: must lie between 0 and 1")
	case r.Neighbors < 0 || r.Neighbors > cairn.MaxNeighbors:
		return q, cairn.Errorf(cairn.Invalid, "neighbors: is %d, must be 0 to %d", r.Neighbors, cairn.MaxNeighbors)
	}
	if err := r.Filter.Validate(); err != nil {
		return q, err
	}
	if q.K == 0 {
		q.K = cairn.DefaultK
	}
	for _, st := range r.States {
		if !slices.Contains(cairn.States(), st) {
			return q, cairn.Errorf(cairn.Invalid, "states: %.32q is not a state", string(st))
		}
	}
	for _, a := range r.Arms {
		if !slices.Contains(cairn.Arms(), a) {
			return q, cairn.Errorf(cairn.Invalid, "arms: %.32q is not an arm; use lexical, exact, dense, fact", string(a))
		}
	}
	if len(q.Arms) == 0 {
		q.Arms = cairn.Arms()
	}
	if !slices.ContainsFunc(q.Arms, func(a cairn.Arm) bool { return a != cairn.ArmFact }) {
		return q, cairn.Errorf(cairn.Invalid, "arms: fact needs another one beside it, to find facts with: lexical, exact or dense")
	}
	var err error
	if q.At, err = moment(r.AsOf, r.KnownAt); err != nil {
		return q, err
	}
	if len(q.States) == 0 {
		q.States = q.At.States()
	}
	return q, nil
}

// moment reads the times of a request; "" leaves its axis open.
func moment(asOf, knownAt string) (t cairn.Moment, err error) {
	for _, f := range []struct {
		name, text string
		to         *time.Time
	}{{"as_of", asOf, &t.World}, {"known_at", knownAt, &t.Known}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = cairn.ParseTime(f.text); err != nil {
			return t, cairn.Errorf(cairn.Invalid, "%s: %s", f.name, cairn.MessageOf(err))
		}
	}
	return t, nil
}

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

// search runs the plan, all searches at once, and then measures by vectors what words alone have found.
func (e *Engine) search(ctx context.Context, s cairn.Scope, q retrieve.Question, d *dense, p retrieve.Plan, textErr error, clock *stopwatch) (found, error) {
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
			return e.nearestOf(ctx, s, d, probes, dense, &f)
		}, dense...)
	}
	running.Wait()
	clock.lap("search")
	e.measure(ctx, s, d, p, vector, dense, &f)
	clock.lap("similarity")
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
	f.facts = p.Facts(f.answers)
	if slices.Contains(q.Arms, cairn.ArmFact) { // it lives on what the others found: what failed they say
		f.report(cairn.ArmFact, len(f.facts), nil)
	}
	if failed == len(p.Searches) && failed > 0 {
		return f, errs[0]
	}
	return f, nil
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
func (e *Engine) nearestOf(ctx context.Context, s cairn.Scope, d *dense, probes []cairn.VectorProbe, of []int, f *found) error {
	nearest, err := e.cfg.Vectors.Search(ctx, s, d.gen, probes...)
	for i, candidates := range nearest {
		f.answers[of[i]].Candidates = append(f.answers[of[i]].Candidates, candidates...)
	}
	return err
}

// measure adds to what vectors found the cosines of what only words did, which lies deeper than vectors were searched. Failing
// is no loss but of these numbers.
func (e *Engine) measure(ctx context.Context, s cairn.Scope, d *dense, p retrieve.Plan, vector cairn.Vector, dense []int, f *found) {
	var probes []cairn.VectorProbe
	var of []int
	for _, at := range dense {
		missing := p.Unmeasured(f.answers, at)
		if len(missing) == 0 {
			continue
		}
		ids := make([]any, len(missing))
		for i, id := range missing {
			ids[i] = string(id)
		}
		probes = append(probes, cairn.VectorProbe{Vector: vector, Filter: cairn.AllOf(cairn.Where("id", cairn.OpIn, ids), p.Searches[at].Filter), K: len(ids)})
		of = append(of, at)
	}
	if len(probes) == 0 {
		return
	}
	if err := e.nearestOf(ctx, s, d, probes, of, f); err != nil {
		e.cfg.Logger.WarnContext(ctx, "recall: the vector index does not tell how similar candidates are", "error", err)
	}
}

// addNeighbors gives each hit the turns around it in its session, or the passages around it in its document.
func (e *Engine) addNeighbors(ctx context.Context, hits []cairn.Hit, n int, at cairn.Moment) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := range hits {
		m := &hits[i].Memory
		var same cairn.Filter
		switch {
		case m.Kind == cairn.KindEpisode && m.Scope.Session != "":
			same = cairn.Where("session", cairn.OpEq, m.Scope.Session)
		case m.Kind == cairn.KindPassage:
			same = cairn.Where("source_id", cairn.OpEq, m.SourceID)
		default:
			continue
		}
		filter := cairn.AllOf(same, cairn.Where("kind", cairn.OpEq, m.Kind), cairn.Where("state", cairn.OpEq, cairn.StateActive),
			cairn.Where("seq", cairn.OpGte, float64(m.Seq-n)), cairn.Where("seq", cairn.OpLte, float64(m.Seq+n)))
		g.Go(func() error {
			for nb, err := range e.cfg.Store.List(ctx, m.Scope, cairn.Listing{Filter: filter, Order: cairn.OrderSeq}) {
				if err != nil {
					return err
				}
				if nb.ID != m.ID && nb.Scope == m.Scope && at.Holds(&nb) {
					hits[i].Neighbors = append(hits[i].Neighbors, nb)
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// describe fills in what the vector index knows about the hits. It is a courtesy: if the index does not answer, the
// memories are returned without it.
func (e *Engine) describe(ctx context.Context, s cairn.Scope, hits []cairn.Hit) {
	ms := make([]*cairn.Memory, 0, len(hits))
	for i := range hits {
		ms = append(ms, &hits[i].Memory)
		for j := range hits[i].Facts {
			ms = append(ms, &hits[i].Facts[j])
		}
	}
	e.describeMemories(ctx, s, ms)
}

func (e *Engine) describeMemories(ctx context.Context, s cairn.Scope, ms []*cairn.Memory) {
	if e.cfg.Vectors == nil || len(ms) == 0 {
		return
	}
	ids := make([]cairn.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	gen := e.Generation()
	stamps, err := e.cfg.Vectors.Stamps(ctx, tenantOf(s), gen, ids)
	if err != nil {
		e.cfg.Logger.WarnContext(ctx, "the vector index does not say what it holds", "error", err)
		return
	}
	byID := make(map[cairn.ID]cairn.Stamp, len(stamps))
	for _, st := range stamps {
		byID[st.ID] = st
	}
	key := gen.Key()
	for _, m := range ms {
		if st, ok := byID[m.ID]; ok && st.Version == m.Version { // an older version's vector is that of another wording
			at := st.At
			m.IndexedAt = &at
			m.Embedding = &cairn.Embedded{Generation: key, Model: gen.Provider + ":" + gen.Model, GeneratedAt: at, Cut: st.Cut}
		}
	}
}

// stopwatch takes the time between the steps of a recall.
type stopwatch struct {
	now  func() time.Time
	last time.Time
	laps []lap
}

type lap struct {
	step string
	took time.Duration
}

func (w *stopwatch) start(now func() time.Time) {
	w.now, w.last, w.laps = now, now(), make([]lap, 0, 12)
}

func (w *stopwatch) lap(step string) {
	t := w.now()
	w.laps = append(w.laps, lap{step, t.Sub(w.last)})
	w.last = t
}

// timings are the laps in milliseconds.
func (w *stopwatch) timings() map[string]float64 {
	out := make(map[string]float64, len(w.laps))
	for _, l := range w.laps {
		out[l.step] = float64(l.took.Microseconds()) / 1000
	}
	return out
}
