package recall_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// scorer is a reranker that scores a text by the place of its last word in a list: the first scores best, an unknown
// one worst.
type scorer struct {
	words []string
	most  int   // texts in one call
	err   error // instead of scores
	hangs bool  // until the caller gives up
	seen  *[]string
}

func (scorer) Close() error { return nil }

func (j scorer) Info() role.RerankerInfo {
	return role.RerankerInfo{Provider: "scorer", Name: "words", MaxTexts: j.most}
}

func (j scorer) Rerank(ctx context.Context, _ string, texts []string) ([]float64, error) {
	if j.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	trilith.Spend(ctx, trilith.Spent{Provider: "scorer", Model: "words", Requests: 1})
	if j.seen != nil {
		*j.seen = texts
	}
	out := make([]float64, len(texts))
	for i, t := range texts {
		at := slices.Index(j.words, t[strings.LastIndexByte(t, ' ')+1:])
		if at < 0 {
			at = 1000
		}
		out[i] = -float64(at)
	}
	return out, j.err
}

func reranked(j scorer, change ...func(*engine.Config)) func(*engine.Config) {
	return func(c *engine.Config) {
		if j.most == 0 {
			j.most = 1000
		}
		c.Reranker = j
		for _, f := range change {
			f(c)
		}
	}
}

var gardens = []string{"garden garden garden tulips", "garden garden roses", "garden of many others and lilies",
	"a garden far beside the big old house, full of green ferns"}

// A reranker brings into the first places what fusion put behind them. The scores stay those of the fusion, fall with
// the places, and are what their parts add up to.
func TestRerank(t *testing.T) {
	t.Parallel()
	plain := rig.InMemory(t)
	e := rig.InMemory(t, reranked(scorer{words: []string{"ferns", "lilies"}}))
	for _, text := range gardens {
		plain.Say(t, rig.Ana, text)
		e.Say(t, rig.Ana, text)
	}
	plain.MustSettle(t) // what has a vector and what has none yet are not ranked alike
	e.MustSettle(t)
	before := plain.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", K: 2})
	res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", K: 2, Explain: true})
	if got := rig.TextsOf(res.Hits); !slices.Equal(got, []string{gardens[3], gardens[2]}) {
		t.Fatalf("Recall = %q, want what the reranker likes best, from all that was found; fusion alone finds %q", got,
			rig.TextsOf(before.Hits))
	}
	for i, h := range res.Hits {
		if math.Abs(h.Score-before.Hits[i].Score) > 1e-9 {
			t.Errorf("the score of place %d is %g, want that of the place, %g", i+1, h.Score, before.Hits[i].Score)
		}
		var sum float64
		for _, p := range h.Parts {
			sum += p.Weight * p.Norm
		}
		if p := h.Parts[trilith.ArmRerank]; p.Rank != i+1 || p.Raw != -float64(i) || math.Abs(sum-h.Score) > 1e-9 {
			t.Errorf("the parts of place %d are %+v and add up to %g, want the reranker's among them and %g", i+1,
				h.Parts, sum, h.Score)
		}
	}
	last, want := res.Explain.Arms[len(res.Explain.Arms)-1], trilith.ArmReport{Arm: trilith.ArmRerank, Candidates: 4}
	if last != want || res.Explain.TimingsMS["rerank"] < 0 {
		t.Errorf("Explain says %+v of the reranker, want 4 texts judged", last)
	}
	block, err := e.Context(
		t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "garden", K: 2},
			Format: trilith.FormatJSON})
	if err != nil || !slices.Equal(rig.TextsOf(block.Hits), rig.TextsOf(res.Hits)) {
		t.Errorf("Context packs %q, %v, want %q", rig.TextsOf(block.Hits), err, rig.TextsOf(res.Hits))
	}
	if nothing := e.MustRecall(t, rig.Ben, trilith.RecallRequest{Query: "garden"}); !nothing.Abstained {
		t.Errorf("Recall of somebody who said nothing = %q", rig.TextsOf(nothing.Hits))
	}
}

// A reranker that fails or takes too long costs its order and nothing else, and never in silence.
func TestRerankFallsThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scorer scorer
		within time.Duration
		want   string
	}{
		"fails": {scorer{err: trilith.Errorf(trilith.Unavailable, "the service is away")}, time.Minute,
			"the service is away"},
		"hangs": {scorer{hangs: true}, time.Millisecond, "no answer within 1ms"},
	} {
		plain, e := rig.InMemory(t),
			rig.InMemory(t, reranked(c.scorer, func(config *engine.Config) { config.RerankTimeout = c.within }))
		for _, text := range gardens {
			e.Say(t, rig.Ana, text)
			plain.Say(t, rig.Ana, text)
		}
		e.MustSettle(t) // what has a vector and what has none yet are not ranked alike
		plain.MustSettle(t)
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", K: 3, Explain: true})
		if want := plain.Found(t, rig.Ana, "garden")[:3]; !slices.Equal(rig.TextsOf(res.Hits), want) {
			t.Errorf("%s: Recall = %q, want the order of the fusion, %q", name, rig.TextsOf(res.Hits), want)
		}
		last, want := res.Explain.Arms[len(res.Explain.Arms)-1], trilith.ArmReport{Arm: trilith.ArmRerank, Error: c.want}
		if last != want {
			t.Errorf("%s: Explain says %+v, want why the reranker failed", name, last)
		}
	}
	e := rig.InMemory(t, reranked(scorer{hangs: true}))
	e.Say(t, rig.Ana, gardens[0])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.Recall(ctx, rig.Ana,
		trilith.RecallRequest{Query: "garden"}); trilith.KindOf(err) != trilith.DeadlineExceeded {
		t.Errorf("Recall whose own time is used up = %v, want that error", err)
	}
}

// Only so many texts are shown to the reranker as were agreed and as it takes; what lies behind them keeps its place.
func TestRerankDepth(t *testing.T) {
	t.Parallel()
	var seen []string
	for name, change := range map[string]func(*engine.Config){
		"depth": reranked(scorer{words: []string{"roses"}, seen: &seen}, func(c *engine.Config) { c.RerankDepth = 2 }),
		"most":  reranked(scorer{words: []string{"roses"}, seen: &seen, most: 2}),
	} {
		e := rig.InMemory(t, change)
		for _, text := range gardens {
			e.Say(t, rig.Ana, text)
		}
		e.MustSettle(t)
		got := e.Found(t, rig.Ana, "garden")
		if len(seen) != 2 || len(got) != 4 || got[0] != gardens[1] {
			t.Errorf("%s: Recall = %q after the reranker saw %q, want its order among two and the others behind",
				name, got, seen)
		}
	}
}

// A fact goes with its turn, wherever a reranker puts that.
func TestRerankTakesFactsAlong(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, reranked(scorer{words: []string{"ferns", "roses"}}))
	turns := map[string]trilith.Memory{}
	for _, text := range gardens {
		turns[text] = e.Say(t, rig.Ana, text)
	}
	for i, on := range []string{gardens[0], gardens[3]} {
		fact := factOn(turns[on], []string{"The garden has tulips.", "The garden has many ferns."}[i])
		e.MustRestore(t, rig.Ana, []trilith.ExportItem{{Memory: &fact}})
	}
	e.MustSettle(t)
	few := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", K: 2})
	if got := rig.TextsOf(few.Hits); !slices.Equal(got, []string{gardens[3], gardens[1]}) || len(few.Hits[0].Facts) != 1 ||
		len(few.Hits[1].Facts) != 0 {
		t.Errorf("Recall of two = %q with %+v, want the fact with the turn that it rests on, and none without", got,
			few.Hits[0].Facts)
	}
	all := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", K: 20})
	if got := rig.TextsOf(all.Hits); len(got) != 6 || got[0] != gardens[3] ||
		!slices.IsSortedFunc(all.Hits, func(a, b trilith.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Errorf("Recall of all = %q, want every turn and fact, by falling score", got)
	}
}

// Usage of a reranker is counted, and when the day's budget is used up it is not asked.
func TestRerankKeepsToTheBudget(t *testing.T) {
	t.Parallel()
	limits, err := trilith.ParseBudget([]string{"scorer/rerank/requests=1"})
	if err != nil {
		t.Fatal(err)
	}
	e := rig.InMemory(t, reranked(scorer{words: []string{"roses"}}, func(c *engine.Config) { c.Budget = limits }))
	e.Say(t, rig.Ana, gardens[0])
	e.Say(t, rig.Ana, gardens[1])
	e.MustSettle(t)
	for i, want := range []string{gardens[1], gardens[0]} {
		res := e.MustRecall(t, rig.Ana, trilith.RecallRequest{Query: "garden", Explain: true})
		last := res.Explain.Arms[len(res.Explain.Arms)-1]
		if res.Hits[0].Memory.Text != want || strings.Contains(last.Error, "daily-budget") != (i == 1) {
			t.Errorf("recall %d = %q, the reranker %+v; want %q first", i+1, rig.TextsOf(res.Hits), last, want)
		}
	}
}
