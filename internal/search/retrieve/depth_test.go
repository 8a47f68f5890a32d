package retrieve_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

// TestNearestIsDeepEnough: had vectors been searched deeper, as many hits as may be asked for would be the same and
// score the same, because what only vectors find comes after what is nearer.
func TestNearestIsDeepEnough(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		q := ask("Where is it?", trilith.ArmLexical, trilith.ArmDense)
		q.K = 1 + random.IntN(60)
		var near, words []role.Candidate // all that there are, and those with a word of the question
		for n := range 2 * trilith.MaxK {
			c := role.Candidate{ID: id(fmt.Sprint(n)), Version: 1, Score: 1 - float64(n)/300}
			near = append(near, c)
			if random.IntN(10) == 0 {
				c.Score = random.Float64() / 3
				words = append(words, c)
			}
		}
		slices.SortFunc(words, func(a, b role.Candidate) int { return cmp.Compare(b.Score, a.Score) })
		hits := func(deeper bool) (out []retrieve.Fused) {
			plan := retrieve.NewPlan(q, true)
			answers := make([]retrieve.Answer, len(plan.Searches))
			for i, s := range plan.Searches {
				switch {
				case s.Facts || s.Side != 0:
				case s.Arm == trilith.ArmLexical:
					answers[i] = retrieve.Answer{Candidates: words, Attainable: 1, Weight: 0.5}
				case deeper:
					answers[i].Candidates = near
				default:
					answers[i].Candidates = slices.Clone(near[:s.K])
					missed, _ := plan.Unmeasured(answers, i)
					for _, missing := range missed {
						at := slices.IndexFunc(near, func(c role.Candidate) bool { return c.ID == missing.ID })
						answers[i].Candidates = append(answers[i].Candidates, near[at])
					}
				}
			}
			for _, f := range taken(plan.Fuse(plan.Unite(answers), nil, nil))[:q.K] {
				out = append(out, retrieve.Fused{ID: f.ID, Score: f.Score})
			}
			return out
		}
		if diff := gocmp.Diff(hits(true), hits(false), cmpopts.IgnoreUnexported(retrieve.Fused{})); diff != "" {
			t.Fatalf("the first %d hits (-of all vectors +as planned):\n%s", q.K, diff)
		}
	}
}
