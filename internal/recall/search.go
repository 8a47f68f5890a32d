package recall

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/index"
	"github.com/cairn-memory/cairn/internal/retrieve"
	"github.com/cairn-memory/cairn/internal/truth"
)

// found is what the arms came back with.
type found struct {
	answers   []retrieve.Answer // one for each search of the plan
	facts     []retrieve.Fused  // those among them that may take part
	others    *retrieve.Union   // all but facts
	reports   []cairn.ArmReport
	failures  []failure // of arms, in the order of their searches
	terms     []string
	fired     []string             // names of rules
	subject   string               // of the question, as words know it: see [cairn.TextResult]
	texts     *index.Texts         // what words were asked
	dense     *generations.Serving // what vectors were asked
	vector    cairn.Vector         // of the question; nil where it has none
	embedding time.Duration        // how long the question took to become one
}

// report adds what one search of an arm found to the arm's report, and why it failed if it did.
func (f *found) report(arm cairn.Arm, candidates int, err error) {
	at := slices.IndexFunc(f.reports, func(r cairn.ArmReport) bool { return r.Arm == arm })
	if at < 0 {
		at = len(f.reports)
		f.reports = append(f.reports, cairn.ArmReport{Arm: arm})
	}
	f.reports[at].Candidates += candidates
	if err != nil {
		f.reports[at].Error = cairn.MessageOf(err)
		f.failures = append(f.failures, failure{arm, err})
	}
}

// search runs the plan, all searches at once, and learns what fusing what they found takes. Another core takes a while
// to wake up, so vectors begin before the text index is brought up to date. Where cosines carry a meaning, the question
// is embedded without the names of those who speak: words know who does, and answer first.
func (rd *Reader) search(ctx context.Context, s cairn.Scope, q retrieve.Question, d *generations.Serving,
	p retrieve.Plan, v *verifier, clock *stopwatch) (found, error) {
	f := found{dense: d, texts: rd.truth.Index.Texts(s), answers: make([]retrieve.Answer, len(p.Searches))}
	errs := make([]error, len(p.Searches))
	search := func(arm cairn.Arm, ask func() error, of ...int) {
		start := rd.truth.Clock()
		err := ask()
		rd.truth.Meter.Searched(arm, rd.truth.Clock().Sub(start), err != nil)
		for _, i := range of {
			errs[i] = err
		}
	}
	var dense, words []int // which of the searches are
	for i, t := range p.Searches {
		if t.Arm == cairn.ArmDense {
			dense = append(dense, i)
		} else {
			words = append(words, i)
		}
	}
	var running sync.WaitGroup
	subject := make(chan string, 1)
	if len(dense) > 0 {
		running.Go(func() {
			text := q.Text
			if d.Gen.Threshold { // word vectors gain nothing by it, and need not wait
				text = cmp.Or(<-subject, text)
			}
			start := rd.truth.Clock()
			vector, err := rd.questionVector(ctx, s, d, text)
			f.vector = vector
			f.embedding = rd.truth.Clock().Sub(start)
			search(cairn.ArmDense, func() error {
				if err != nil || vector == nil {
					return err
				}
				probes := make([]cairn.VectorProbe, len(dense))
				for i, at := range dense {
					probes[i] = cairn.VectorProbe{Vector: vector, Filter: p.Searches[at].Filter, K: p.Searches[at].K}
				}
				return rd.nearestOf(ctx, s, probes, dense, &f)
			}, dense...)
		})
	}
	textErr := rd.truth.Index.CatchUp(ctx) // without it the text index may miss what was acknowledged: its arms fail
	clock.lap("catch_up")
	for n, i := range slices.Backward(words) {
		ask := func() {
			search(p.Searches[i].Arm, func() error {
				if textErr != nil {
					return textErr
				}
				return rd.searchWords(ctx, s, p.Searches[i], i, &f)
			}, i)
		}
		if n > 0 {
			running.Go(ask)
		} else { // the search that takes longest begins here and now
			ask()
		}
	}
	subject <- f.subject // the first of the searches by words has answered
	running.Wait()
	clock.lap("search")
	if len(dense) > 0 {
		clock.beside("embed", f.embedding)
	}
	if err := f.conclude(ctx, p, errs, rd.truth.Logger); err != nil {
		return f, err
	}
	err := rd.learn(ctx, s, q.Text, p, v, f.vector, &f)
	clock.lap("facts")
	if slices.Contains(q.Arms, cairn.ArmFact) { // it lives on what the others found: what failed they say
		f.report(cairn.ArmFact, len(f.facts), nil)
	}
	return f, err
}

// conclude notes how each search of the plan went. That all of them failed is an error.
func (f *found) conclude(ctx context.Context, p retrieve.Plan, errs []error, log *slog.Logger) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, search := range p.Searches {
		if errs[i] != nil {
			f.answers[i] = retrieve.Answer{}
			log.WarnContext(ctx, "recall: an arm failed", "arm", search.Arm, "error", errs[i])
		}
		f.report(search.Arm, len(f.answers[i].Candidates), errs[i])
	}
	if len(f.failures) == len(p.Searches) && len(f.failures) > 0 {
		_, err := f.coverage(0)
		return err
	}
	return nil
}

// searchWords runs the search of a plan at a place, which is one by words.
func (rd *Reader) searchWords(ctx context.Context, s cairn.Scope, t retrieve.Search, at int, f *found) error {
	res, err := f.texts.Search(ctx, t.Text)
	a := &f.answers[at]
	*a = retrieve.Answer{Candidates: res.Candidates, Attainable: res.Attainable, Weight: res.Weight}
	if at == 0 {
		f.terms, f.fired, f.subject = res.Terms, res.Rules, res.Subject
	}
	for _, phrase := range t.Phrases {
		if err == nil {
			err = rd.quote(ctx, s, f.texts, t.Text.Filter, phrase, a)
		}
	}
	return err
}

// learn completes what the arms came back with: the cosines of what only words found, and which of the facts hold. The
// cosines lie in memory, and facts mostly in the store: so the others are seen to meanwhile.
func (rd *Reader) learn(ctx context.Context, s cairn.Scope, question string, p retrieve.Plan, v *verifier,
	vector cairn.Vector, f *found) error {
	var dense, ofFacts []int // searches
	for at, search := range p.Searches {
		switch {
		case search.Arm != cairn.ArmDense:
		case search.Facts:
			ofFacts = append(ofFacts, at)
		default:
			dense = append(dense, at)
		}
	}
	var others sync.WaitGroup
	var unmeasured error
	others.Go(func() {
		unmeasured = rd.measure(ctx, s, p, dense, vector, f)
		f.others = p.Unite(f.answers)
	})
	unmeasuredFacts := rd.measure(ctx, s, p, ofFacts, vector, f)
	f.facts = p.Facts(f.answers)
	err := v.facts(ctx, f.facts)
	if err == nil {
		err = v.nameOnly(ctx, question, p, f)
	}
	others.Wait()
	if failed := cmp.Or(unmeasured, unmeasuredFacts); failed != nil {
		f.report(cairn.ArmDense, 0, failed)
	}
	return cmp.Or(err, ctx.Err())
}

// quote adds to the answer of an exact search the memories that hold a phrase, by what the store holds of those with
// its words.
func (rd *Reader) quote(ctx context.Context, s cairn.Scope, texts *index.Texts, filter cairn.Filter, phrase string,
	a *retrieve.Answer) error {
	res, err := texts.Search(ctx, cairn.TextProbe{Text: phrase, Filter: filter, K: cairn.MaxCandidates})
	if err != nil || len(res.Candidates) == 0 {
		return err
	}
	ids := make([]cairn.ID, len(res.Candidates))
	for i, c := range res.Candidates {
		ids[i] = c.ID
	}
	ms, err := rd.truth.Store.Get(ctx, truth.TenantOf(s), ids)
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
func (rd *Reader) nearestOf(ctx context.Context, s cairn.Scope, probes []cairn.VectorProbe, of []int, f *found) error {
	nearest, err := rd.truth.Vectors.Search(ctx, s, f.dense.Gen, probes...)
	for i, candidates := range nearest {
		f.answers[of[i]].Candidates = append(f.answers[of[i]].Candidates, candidates...)
	}
	return err
}

// measure adds to what searches by vectors found the cosines of what only words did, which lies deeper than they
// looked. Without these numbers the scores are others: failing is a failure of the arm.
func (rd *Reader) measure(ctx context.Context, s cairn.Scope, p retrieve.Plan, searches []int, vector cairn.Vector,
	f *found) error {
	left, filters := make([][]cairn.Candidate, len(searches)), make([]cairn.Filter, len(searches))
	for i, at := range searches {
		left[i], filters[i] = p.Unmeasured(f.answers, at)
	}
	for {
		var probes []cairn.VectorProbe
		var of []int
		for i, at := range searches {
			n := min(len(left[i]), cairn.MaxCandidates) // phrases may find more than one probe asks for
			if n > 0 {
				probe := cairn.VectorProbe{Vector: vector, Filter: filters[i], K: n}
				for _, c := range left[i][:n] {
					probe.IDs, probe.Versions = append(probe.IDs, c.ID), append(probe.Versions, c.Version)
				}
				probes = append(probes, probe)
				of, left[i] = append(of, at), left[i][n:]
			}
		}
		if len(probes) == 0 {
			return nil
		}
		if err := rd.nearestOf(ctx, s, probes, of, f); err != nil {
			rd.truth.Logger.WarnContext(
				ctx, "recall: the vector index does not tell how similar candidates are", "error", err)
			return err
		}
	}
}
