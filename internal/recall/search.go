package recall

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/trace"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// found holds the results of the arms.
type found struct {
	answers   []retrieve.Answer // one for each search of the plan
	facts     []retrieve.Fused  // found facts that may take part in the ranking
	others    *retrieve.Union   // found memories that are not facts
	reports   []trilith.ArmReport
	failures  []failure // failed arms, in the order of their searches
	terms     []string
	fired     []string             // names of the rules that were applied
	subject   string               // the question without the names of speakers: see [role.TextResult]
	texts     *index.Texts         // the text index that was searched
	dense     *generations.Serving // the generation of vectors that was searched
	vector    trilith.Vector       // of the question; nil if it has none
	embedding time.Duration        // time to embed the question

	unfinished bool // vectors are being rebuilt, and some may be missing
}

// search runs all searches of the plan at once, and reads the data that fusion needs about their candidates. Vector
// searches start before the text index is brought up to date: they do not need it, and another core takes a while to
// wake up. If the cosines of the generation carry a meaning, the question is embedded without the names of speakers.
// Only the word search recognises these names, so the embedding waits for it.
func (rd *Reader) search(ctx context.Context, s trilith.Scope, q retrieve.Question, d *generations.Serving,
	p retrieve.Plan, v *verifier, clock *stopwatch) (found, error) {
	f := found{dense: d, texts: rd.truth.Index.Texts(s), answers: make([]retrieve.Answer, len(p.Searches))}
	f.unfinished = rd.truth.Index.Unfinished() && slices.ContainsFunc(p.Searches, byVectors)
	errs := make([]error, len(p.Searches))
	search := func(arm trilith.Arm, ask func(context.Context) error, of ...int) {
		start := rd.truth.Clock()
		ctx, span := trace.Start(ctx, "recall.arm", trace.Internal)
		span.Set("trilith.arm", string(arm))
		err := ask(ctx)
		span.End(err)
		rd.truth.Meter.Searched(arm, rd.truth.Clock().Sub(start), err != nil)
		for _, i := range of {
			errs[i] = err
		}
	}
	var dense, words []int // positions of the searches by vectors and by words
	for i, t := range p.Searches {
		if byVectors(t) {
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
			if d.Gen.Threshold { // word vectors gain nothing from it, so they do not wait
				text = cmp.Or(<-subject, text)
			}
			start := rd.truth.Clock()
			vector, err := rd.questionVector(ctx, s, d, text)
			f.vector, f.embedding = vector, rd.truth.Clock().Sub(start)
			search(trilith.ArmDense, func(ctx context.Context) error {
				if err != nil || vector == nil {
					return err
				}
				probes := make([]role.VectorProbe, len(dense))
				for i, at := range dense {
					probes[i] = role.VectorProbe{Vector: vector, Filter: p.Searches[at].Filter, K: p.Searches[at].K}
				}
				return rd.nearestOf(ctx, s, probes, dense, &f)
			}, dense...)
		})
	}
	textErr := f.texts.CatchUp(ctx) // an index that may miss acknowledged writes fails its arms
	clock.lap("catch_up")
	for n, i := range slices.Backward(words) {
		ask := func() {
			search(p.Searches[i].Arm, func(ctx context.Context) error {
				if textErr != nil {
					return textErr
				}
				return rd.searchWords(ctx, s, p.Searches[i], i, &f)
			}, i)
		}
		if n > 0 {
			running.Go(ask)
		} else { // the slowest search runs in this goroutine
			ask()
		}
	}
	subject <- f.subject // after the first word search
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
	if slices.Contains(q.Arms, trilith.ArmFact) { // it uses the results of the other arms
		f.report(trilith.ArmFact, len(f.facts), nil)
	}
	return f, err
}

func byVectors(t retrieve.Search) bool { return t.Arm == trilith.ArmDense }

// searchWords runs the word search at the given position of the plan.
func (rd *Reader) searchWords(ctx context.Context, s trilith.Scope, t retrieve.Search, at int, f *found) error {
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

// quote adds the memories that contain a phrase to the answer of an exact search. It compares the phrase with the
// stored texts of the candidates that contain its words.
func (rd *Reader) quote(ctx context.Context, s trilith.Scope, texts *index.Texts, filter trilith.Filter, phrase string,
	a *retrieve.Answer) error {
	res, err := texts.Search(ctx, role.TextProbe{Text: phrase, Filter: filter, K: role.MaxCandidates})
	if err != nil || len(res.Candidates) == 0 {
		return err
	}
	ms, err := rd.truth.Memories(ctx, truth.TenantOf(s), idsOf(res.Candidates))
	if err != nil {
		return err
	}
	held := make(map[trilith.ID]string, len(ms))
	for i := range ms {
		held[ms[i].ID] = index.WordsOf(&ms[i])
	}
	a.AddPhrase(phrase, res, func(id trilith.ID) string { return held[id] })
	return nil
}

func idsOf(found []role.Candidate) []trilith.ID {
	ids := make([]trilith.ID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	return ids
}

// conclude reports the outcome of each search of the plan. It returns an error if all of them failed.
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

// learn completes the results of the arms: it computes the cosines of candidates that only words found, and reads which
// facts hold. Both run at once, because cosines are mostly in memory and facts in the store.
func (rd *Reader) learn(ctx context.Context, s trilith.Scope, question string, p retrieve.Plan, v *verifier,
	vector trilith.Vector, f *found) error {
	v.settle(question, f)
	var dense, ofFacts []int // searches
	for at, search := range p.Searches {
		switch {
		case search.Arm != trilith.ArmDense:
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
		f.report(trilith.ArmDense, 0, failed)
		v.settle(question, f)
	}
	return cmp.Or(err, ctx.Err())
}

// measure adds the cosines of candidates that only words found because the vector searches did not go that deep. Scores
// would differ without these cosines, so an error here fails the arm.
func (rd *Reader) measure(ctx context.Context, s trilith.Scope, p retrieve.Plan, searches []int, vector trilith.Vector,
	f *found) error {
	left, filters := make([][]role.Candidate, len(searches)), make([]trilith.Filter, len(searches))
	for i, at := range searches {
		left[i], filters[i] = p.Unmeasured(f.answers, at)
	}
	for {
		var probes []role.VectorProbe
		var of []int
		for i, at := range searches {
			n := min(len(left[i]), role.MaxCandidates) // phrases may find more candidates than one probe takes
			if n > 0 {
				probe := role.VectorProbe{Vector: vector, Filter: filters[i], K: n}
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
				ctx, "recall: candidates could not be compared by vectors", "error", err)
			return err
		}
	}
}

// nearestOf runs the vector searches, one probe each, and adds their results to the answers of the searches.
func (rd *Reader) nearestOf(ctx context.Context, s trilith.Scope, probes []role.VectorProbe, of []int, f *found) error {
	nearest, err := rd.truth.Index.Nearest(ctx, s, f.dense.Gen, probes...)
	for i, candidates := range nearest {
		f.answers[of[i]].Candidates = append(f.answers[of[i]].Candidates, candidates...)
	}
	return err
}

// report adds the result of one search to the report of its arm, with the failure if there is one.
func (f *found) report(arm trilith.Arm, candidates int, err error) {
	at := slices.IndexFunc(f.reports, func(r trilith.ArmReport) bool { return r.Arm == arm })
	if at < 0 {
		at = len(f.reports)
		f.reports = append(f.reports, trilith.ArmReport{Arm: arm})
	}
	f.reports[at].Candidates += candidates
	if err != nil {
		f.reports[at].Error = trilith.MessageOf(err)
		f.failures = append(f.failures, failure{arm, err})
	}
}
