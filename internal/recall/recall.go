package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
	"github.com/trilith-memory/trilith/internal/truth/usage"
	"golang.org/x/sync/errgroup"
)

// Recall searches with every arm, fuses the candidates, verifies them against the truth and returns the best first. If
// an arm fails, the answer of the others is partial and names it. If the others find nothing, the answer is an error of
// kind Unavailable, because the failed arm might have found something.
//
// If fewer than k hits are found, weak hits fill the rest, see [trilith.Hit.Weak]. They do not count as found: an
// answer of only weak hits abstains.
func (rd *Reader) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return rd.recall(ctx, s, r, cmp.Or(r.K, trilith.DefaultK), 0)
}

// recall is [Reader.Recall] with weak hits up to least hits in all, and with the adjacent turns of the best hits if the
// request asks for no neighbours.
func (rd *Reader) recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest, least, best int) (
	trilith.RecallResult, error) {
	q, err := rd.question(ctx, s, r)
	if err != nil {
		return trilith.RecallResult{}, err
	}
	var clock stopwatch
	clock.start(rd.truth.Clock)
	var used usage.Tally
	ctx = trilith.Metered(ctx, used.Add)
	d := rd.generations.Current.Load()
	plan := rd.plan(&q, d)
	v, err := rd.verifier(s, q)
	if err != nil {
		return trilith.RecallResult{}, err
	}
	v.explain = r.Explain || len(r.Trace) > 0
	f, scored, results, err := v.find(ctx, q, d, plan, &r, &clock)
	if err == nil && v.repeats.crowd(results, q.K) && plan.Deepen(f.answers) {
		v.repeats, v.dropped = newRepeats(), []trilith.Drop{}
		clear(v.known)
		f, scored, results, err = v.find(ctx, q, d, plan, &r, &clock)
	}
	if err != nil {
		return trilith.RecallResult{}, err
	}
	if rd.reranker != nil && len(results) > 0 {
		report, err := rd.rerank(ctx, s, q.Text, results)
		if err != nil {
			return trilith.RecallResult{}, err
		}
		f.reports = append(f.reports, report)
		clock.lap("rerank")
	}
	covered, err := v.coverage(&f, len(results))
	if err != nil {
		return trilith.RecallResult{}, err
	}
	if !r.StrongOnly && r.MinScore == 0 {
		fill := weakFill{v: v, plan: plan, f: &f, query: q.Text, byAge: len(r.Arms) == 0 && !covered.Partial}
		if results, err = fill.addWeakHits(ctx, results, min(least, q.K)); err != nil {
			return trilith.RecallResult{}, err
		}
	}
	clock.lap("fill")
	hits := v.topHits(results, q.K)
	later := func() { v.accompany(ctx, &q, plan, &f, hits, best > 0) }
	if err := rd.complete(ctx, s, r, q.At, later, best, hits, &clock); err != nil {
		return trilith.RecallResult{}, err
	}
	var traced []trilith.Traced
	if v.explain {
		a := accounting{v: v, f: &f, scored: scored, results: results, hits: hits, weak: r.StrongOnly || r.MinScore > 0}
		a.rest()
		if traced, err = a.trace(ctx, s, r.Trace); err != nil {
			return trilith.RecallResult{}, err
		}
	}
	out := trilith.RecallResult{Scale: v.scale, Abstained: allWeak(hits), Coverage: covered, Damaged: v.unreadable(),
		Trace: traced}
	out.Partial = covered.Partial || len(out.Damaged) > 0
	out.Hits, out.Truncated = truth.Fit(inOrder(hits, r.Order))
	if r.Explain {
		out.Dropped = v.dropped
		out.Explain = f.explain(&q, plan)
		out.Explain.TimingsMS, out.Explain.Usage = clock.timings(), used.Usage()
		return out, nil
	}
	for i := range out.Hits {
		out.Hits[i].Parts = nil
	}
	return out, nil
}

// find searches, fuses and verifies.
func (v *verifier) find(ctx context.Context, q retrieve.Question, d *generations.Serving, plan retrieve.Plan,
	r *trilith.RecallRequest, clock *stopwatch) (f found, scored map[trilith.ID]retrieve.Fused, results []result, err error) {
	v.scale = r.Scale
	if f, err = v.rd.search(ctx, v.scope, q, d, plan, v, clock); err != nil {
		return f, nil, nil, err
	}
	if err = liftByWindows(ctx, v.rd, v.scope, q, d, plan, &f); err != nil {
		return f, nil, nil, err
	}
	ranking := plan.Fuse(f.others, f.facts, v.known)
	scored = v.scored(ranking)
	clock.lap("fuse")
	results, err = v.results(ctx, v.rd.candidatesToRerank(q.K), v.least(r.MinScore, r.Scale), ranking)
	clock.lap("verify")
	return f, scored, results, err
}

// scored returns the candidates of a ranking if they have to be explained.
func (v *verifier) scored(ranking *retrieve.Ranking) map[trilith.ID]retrieve.Fused {
	if !v.explain {
		return nil
	}
	return ranking.Scored()
}

// inOrder puts hits, which are best first, into the order of a request.
func inOrder(hits []trilith.Hit, order trilith.HitOrder) []trilith.Hit {
	if order == trilith.ByNewest {
		slices.SortStableFunc(hits, func(a, b trilith.Hit) int { return b.Memory.EventTime.Compare(a.Memory.EventTime) })
	}
	return hits
}

// explain describes the searches and their outcome.
func (f *found) explain(q *retrieve.Question, p retrieve.Plan) *trilith.Explain {
	x := &trilith.Explain{Terms: f.terms, Pulled: q.Tuning.Rules().String(),
		Fired: cmp.Or(strings.Join(f.fired, ","), "none"), Filter: p.Filter, Arms: f.reports}
	if f.dense.Gen.Dims > 0 {
		x.Generation = f.dense.Gen.Key()
	}
	return x
}

// coverage says how many of the searches the results are based on. If no candidate could be read, it returns an error:
// an empty answer would claim that nothing is known.
func (v *verifier) coverage(f *found, results int) (trilith.Coverage, error) {
	c, err := f.coverage(results)
	if damaged := v.unreadable(); err == nil && results == 0 && len(damaged) > 0 {
		err = trilith.WrapError(trilith.Internal, "engine.Recall", &trilith.Damaged{What: "memory", IDs: damaged})
	}
	return c, err
}

func allWeak(hits []trilith.Hit) bool {
	return !slices.ContainsFunc(hits, func(h trilith.Hit) bool { return !h.Weak })
}

// complete adds to the hits their details: the relevance of facts, neighbours, labels and descriptions, and, while it
// reads the store, their later turns. If the request asks for no neighbours, the first best hits get one on each
// side.
func (rd *Reader) complete(ctx context.Context, s trilith.Scope, r trilith.RecallRequest, at trilith.Moment, later func(),
	best int, hits []trilith.Hit, clock *stopwatch) error {
	var accompanying sync.WaitGroup
	accompanying.Go(later)
	defer accompanying.Wait()
	ms := memoriesIn(hits)
	defer rd.askForStamps(ctx, s, ms)() // the index is asked while the store is
	for i := range hits {
		if h := &hits[i]; h.Memory.Fact != nil && h.Similarity != nil {
			relevance := h.Memory.Fact.Relevance(*h.Similarity).Product()
			h.Relevance = &relevance
		}
	}
	around, near := hits, r.Neighbors
	if near == 0 && best > 0 {
		around, near = hits[:min(best, len(hits))], 1
	}
	if near > 0 {
		if err := rd.addNeighbors(ctx, around, near, at); err != nil {
			return err
		}
		clock.lap("neighbors")
	}
	accompanying.Wait()
	clock.lap("later")
	announceHits(hits, rd.truth.Now())
	rd.facts.RedactQuotes(ctx, s, ms)
	for _, l := range clock.laps {
		rd.truth.Meter.Step(l.step, l.took)
	}
	return nil
}

// plan plans the searches of a question, with vectors if there are any.
func (rd *Reader) plan(q *retrieve.Question, d *generations.Serving) retrieve.Plan {
	if rd.truth.Vectors == nil {
		q.Arms = slices.DeleteFunc(q.Arms, func(a trilith.Arm) bool { return a == trilith.ArmDense })
	}
	q.Tuning = rd.tuning
	asked := *q
	asked.K = rd.candidatesToRerank(q.K)
	return retrieve.NewPlan(asked, d.Gen.Threshold)
}

// question checks a request, fills in its defaults, and resolves the text comparisons in its filter.
func (rd *Reader) question(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (retrieve.Question, error) {
	var err error
	if r.Filter, err = rd.facts.ResolveFilter(ctx, s, r.Filter); err != nil {
		return retrieve.Question{}, err
	}
	if rd.truth.Vectors == nil && slices.Contains(r.Arms, trilith.ArmDense) {
		return retrieve.Question{},
			trilith.Errorf(trilith.Unsupported, "arms: dense needs an embedder, and none is configured")
	}
	return question(rd.truth, s, r)
}

func question(t *truth.Truth, s trilith.Scope, r trilith.RecallRequest) (retrieve.Question, error) {
	q := retrieve.Question{Text: r.Query, K: r.K, Filter: r.Filter, States: r.States, Arms: slices.Clone(r.Arms)}
	if err := truth.CheckScope(s); err != nil {
		return q, err
	}
	switch {
	case r.Query == "":
		return q, trilith.Errorf(trilith.Invalid, "query: is empty; say what to look for")
	case len(r.Query) > trilith.MaxQueryBytes:
		return q, trilith.Errorf(trilith.Invalid, "query: is %d bytes long, at most %d are allowed", len(r.Query),
			trilith.MaxQueryBytes)
	case !utf8.ValidString(r.Query):
		return q, trilith.Errorf(trilith.Invalid, "query: is not valid UTF-8")
	case r.K < 0 || r.K > trilith.MaxK:
		return q, trilith.Errorf(trilith.Invalid, "k: is %d, must be 1 to %d (10 if left out)", r.K, trilith.MaxK)
	case !(r.MinScore >= 0 && r.MinScore <= 1):
		return q, trilith.Errorf(trilith.Invalid, "min_score: must lie between 0 and 1")
	case r.Neighbors < 0 || r.Neighbors > trilith.MaxNeighbors:
		return q, trilith.Errorf(trilith.Invalid, "neighbors: is %d, must be 0 to %d", r.Neighbors, trilith.MaxNeighbors)
	}
	if err := r.Filter.Validate(); err != nil {
		return q, err
	}
	if q.K == 0 {
		q.K = trilith.DefaultK
	}
	if err := CheckStates(r.States); err != nil {
		return q, err
	}
	for _, a := range r.Arms {
		if !slices.Contains(trilith.Arms(), a) {
			return q, trilith.Errorf(trilith.Invalid, "arms: %.32q is not an arm; use lexical, exact, dense, fact",
				string(a))
		}
	}
	if r.Scale != "" && r.Scale != trilith.ScaleFused && r.Scale != trilith.ScaleCosine {
		return q, trilith.Errorf(trilith.Invalid, "scale: %.32q is not known; use fused, cosine", string(r.Scale))
	}
	if r.Order != "" && r.Order != trilith.ByScore && r.Order != trilith.ByNewest {
		return q, trilith.Errorf(trilith.Invalid, "order: %.32q is not known; use score, newest", string(r.Order))
	}
	if len(r.Trace) > trilith.MaxTraced {
		return q, trilith.Errorf(trilith.Invalid, "trace: names %d memories, at most %d are allowed", len(r.Trace),
			trilith.MaxTraced)
	}
	for _, id := range r.Trace {
		if id.Validate() != nil {
			return q, trilith.Errorf(trilith.Invalid, "trace: %.64q is not the id of a memory", string(id))
		}
	}
	if len(q.Arms) == 0 {
		q.Arms = trilith.Arms()
	}
	if !slices.ContainsFunc(q.Arms, func(a trilith.Arm) bool { return a != trilith.ArmFact }) {
		return q, trilith.Errorf(trilith.Invalid,
			"arms: fact needs another arm to find facts with: lexical, exact or dense")
	}
	var err error
	if q.At, err = t.ClockOf(s).Moment(r.AsOf, r.KnownAt); err != nil {
		return q, err
	}
	if q.Now = q.At.World; q.Now.IsZero() {
		q.Now = t.ClockOf(s).Now
	}
	if len(q.States) == 0 {
		q.States = q.At.States()
	}
	return q, nil
}

// addNeighbors adds to each hit the turns around it in its session, the passages around it in its document, or the
// turns of the window that it is.
func (rd *Reader) addNeighbors(ctx context.Context, hits []trilith.Hit, n int, at trilith.Moment) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := range hits {
		m := &hits[i].Memory
		if m.Kind == trilith.KindWindow {
			g.Go(func() (err error) {
				hits[i].Neighbors, err = turnsOf(ctx, rd, m, at)
				return err
			})
			continue
		}
		var same trilith.Filter
		switch {
		case m.Kind == trilith.KindEpisode && m.Scope.Session != "":
			same = trilith.Where("session", trilith.OpEq, m.Scope.Session)
		case m.Kind == trilith.KindPassage:
			same = trilith.Where("source_id", trilith.OpEq, m.SourceID)
		default:
			continue
		}
		filter := trilith.AllOf(same, trilith.Where("kind", trilith.OpEq, m.Kind),
			trilith.Where("state", trilith.OpEq, trilith.StateActive),
			trilith.Where("role", trilith.OpNe, trilith.RoleSystem),
			trilith.Where("seq", trilith.OpGte, float64(m.Seq-n)), trilith.Where("seq", trilith.OpLte, float64(m.Seq+n)))
		g.Go(func() error {
			for nb, err := range truth.Sound(
				rd.truth.Store.List(ctx, m.Scope, role.Listing{Filter: filter, Order: role.OrderSeq}), nil) {
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

// memoriesIn returns the memories of hits and the facts with them.
func memoriesIn(hits []trilith.Hit) []*trilith.Memory {
	ms := make([]*trilith.Memory, 0, len(hits))
	for i := range hits {
		ms = append(ms, &hits[i].Memory)
		for j := range hits[i].Facts {
			ms = append(ms, &hits[i].Facts[j])
		}
	}
	return ms
}

// DescribeMemories adds the vector index's data about memories.
func (rd *Reader) DescribeMemories(ctx context.Context, s trilith.Scope, ms []*trilith.Memory) {
	rd.facts.RedactQuotes(ctx, s, ms)
	rd.askForStamps(ctx, s, ms)()
}

// askForStamps asks the vector index about memories while the caller goes on. finish waits for the answer and adds it
// to the memories; if there is none, they stay without it.
func (rd *Reader) askForStamps(ctx context.Context, s trilith.Scope, ms []*trilith.Memory) (finish func()) {
	if rd.truth.Vectors == nil || len(ms) == 0 {
		return func() {}
	}
	ids := make([]trilith.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	gen := rd.generations.Generation()
	var stamps []role.Stamp
	var err error
	var asking sync.WaitGroup
	asking.Go(func() { stamps, err = rd.truth.Vectors.Stamps(ctx, truth.TenantOf(s), gen, ids) })
	return func() {
		asking.Wait()
		if err != nil {
			rd.truth.Logger.WarnContext(ctx, "recall: the vector index could not describe the hits", "error", err)
			return
		}
		addStamps(ms, gen, stamps)
	}
}

func addStamps(ms []*trilith.Memory, gen trilith.Generation, stamps []role.Stamp) {
	byID := make(map[trilith.ID]role.Stamp, len(stamps))
	for _, st := range stamps {
		byID[st.ID] = st
	}
	key := gen.Key()
	for _, m := range ms {
		if st, ok := byID[m.ID]; ok && st.Version == m.Version { // another version has another wording
			at := st.At
			m.IndexedAt = &at
			m.Embedding = &trilith.Embedded{Generation: key, Model: gen.Provider + ":" + gen.Model,
				GeneratedAt: at, Cut: st.Cut}
		}
	}
}

// stopwatch measures the steps of a recall.
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

// This step ran in parallel with others.
func (w *stopwatch) beside(step string, took time.Duration) { w.laps = append(w.laps, lap{step, took}) }

// timings returns the laps in milliseconds.
func (w *stopwatch) timings() map[string]float64 {
	out := make(map[string]float64, len(w.laps))
	for _, l := range w.laps {
		out[l.step] = float64(l.took.Microseconds()) / 1000
	}
	return out
}

// CheckStates refuses words that are no states.
func CheckStates(states []trilith.State) error {
	for _, st := range states {
		if !slices.Contains(trilith.States(), st) {
			return trilith.Errorf(trilith.Invalid, "states: %.32q is not a state; use %s", string(st),
				strings.Join(truth.Texts(trilith.States()), ", "))
		}
	}
	return nil
}

// Announce marks memories whose event time is in the future.
func Announce(ms []trilith.Memory, now time.Time) {
	for i := range ms {
		ms[i].Planned = trilith.Ahead(ms[i].EventTime, now)
	}
}

// announceHits is [Announce] of hits and the memories nested in them.
func announceHits(hits []trilith.Hit, now time.Time) {
	for i := range hits {
		hits[i].Memory.Planned = trilith.Ahead(hits[i].Memory.EventTime, now)
		Announce(hits[i].Facts, now)
		Announce(hits[i].Neighbors, now)
	}
}
