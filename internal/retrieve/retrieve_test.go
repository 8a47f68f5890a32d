package retrieve_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

func ask(text string, arms ...cairn.Arm) retrieve.Question {
	return retrieve.Question{Text: text, K: 10, States: []cairn.State{cairn.StateActive}, Arms: arms}
}

func TestNewPlanSearchesTheArms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		arms []cairn.Arm
		want []cairn.Arm
	}{
		{"all, roles apart", nil, []cairn.Arm{cairn.ArmLexical, cairn.ArmLexical, cairn.ArmExact, cairn.ArmDense, cairn.ArmDense}},
		{"words only", []cairn.Arm{cairn.ArmLexical}, []cairn.Arm{cairn.ArmLexical, cairn.ArmLexical}},
		{"identifiers only", []cairn.Arm{cairn.ArmExact}, []cairn.Arm{cairn.ArmExact}},
		{"vectors only", []cairn.Arm{cairn.ArmDense}, []cairn.Arm{cairn.ArmDense, cairn.ArmDense}},
	} {
		var got []cairn.Arm
		for _, s := range retrieve.NewPlan(ask("Where is it?", c.arms...), true).Searches {
			got = append(got, s.Arm)
			if s.Weight <= 0 {
				t.Errorf("NewPlan(%s): a search of %s weighs %g", c.name, s.Arm, s.Weight)
			}
			if s.Arm != cairn.ArmDense && (s.Text.Text != "Where is it?" || s.Text.Exact != (s.Arm == cairn.ArmExact)) {
				t.Errorf("NewPlan(%s): the probe of %s is %+v", c.name, s.Arm, s.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("NewPlan(%s) searches %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNewPlanDepth(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 10, 50, cairn.MaxK} {
		q := ask("Where is it?")
		q.K = k
		for _, s := range retrieve.NewPlan(q, true).Searches {
			depth := s.K
			if s.Arm != cairn.ArmDense {
				depth = s.Text.K
			}
			if depth < k || depth > cairn.MaxCandidates {
				t.Errorf("NewPlan(k %d): %s is asked for %d candidates, want %d to %d", k, s.Arm, depth, k, cairn.MaxCandidates)
			}
		}
	}
}

// TestNewPlanFilter: what a search may not return must be refused by its probe, and every role must pass one of them.
func TestNewPlanFilter(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }
	end := day(10)
	q := retrieve.Question{Text: "Where is it?", K: 10, States: []cairn.State{cairn.StateActive, cairn.StateSuperseded},
		At: cairn.Moment{World: day(10)}, Filter: cairn.Where("tags", cairn.OpContains, "x")}
	good := cairn.Facets{State: cairn.StateActive, EventTime: day(1), Tags: []string{"x"}}
	for _, c := range []struct {
		name   string
		change func(*cairn.Facets)
		want   bool
	}{
		{"a memory of nobody's role", func(*cairn.Facets) {}, true},
		{"a user's", func(f *cairn.Facets) { f.Role = cairn.RoleUser }, true},
		{"the assistant's", func(f *cairn.Facets) { f.Role = cairn.RoleAssistant }, true},
		{"a state that was asked for", func(f *cairn.Facets) { f.State = cairn.StateSuperseded }, true},
		{"a state that was not", func(f *cairn.Facets) { f.State = cairn.StateRetracted }, false},
		{"without the tag", func(f *cairn.Facets) { f.Tags = nil }, false},
		{"at its first moment", func(f *cairn.Facets) { f.EventTime = day(10) }, true},
		{"before it", func(f *cairn.Facets) { f.EventTime = day(10).Add(time.Microsecond) }, false},
		{"at its end", func(f *cairn.Facets) { f.ValidUntil = &end }, false},
	} {
		f := good
		c.change(&f)
		for _, arm := range cairn.Arms() {
			q.Arms = []cairn.Arm{arm}
			n := 0
			for _, s := range retrieve.NewPlan(q, true).Searches {
				filter := s.Text.Filter
				if arm == cairn.ArmDense {
					filter = s.Filter
				}
				match, err := filter.Compile()
				if err != nil {
					t.Fatal(err)
				}
				if match == nil || match(&f) {
					n++
				}
			}
			if want := map[bool]int{true: 1, false: 0}[c.want]; n != want {
				t.Errorf("%s passes %d searches of %s, want %d", c.name, n, arm, want)
			}
		}
	}
}

// TestQuestionsAboutTheAssistant: the assistant's turns count for less, unless the question is about them.
func TestQuestionsAboutTheAssistant(t *testing.T) {
	t.Parallel()
	for text, about := range map[string]bool{
		"Which book did you recommend?":                true,
		"What have you told me about Oslo?":            true,
		"Remind me of your advice on trains":           true,
		"Was hast du mir empfohlen?":                   true,
		"What did the assistant say in our last chat?": true,
		"Where do I live?":                             false,
		"What did Ana recommend?":                      false,
		"Which book do I like?":                        false,
		"Wo wohne ich?":                                false,
	} {
		for _, threshold := range []bool{true, false} {
			for _, arm := range []cairn.Arm{cairn.ArmLexical, cairn.ArmDense} {
				s := retrieve.NewPlan(ask(text, arm), threshold).Searches
				if people, assistant := s[0].Weight, s[1].Weight; (assistant == people) != about || assistant > people {
					t.Errorf("NewPlan(%q): %s weighs people's turns %g and the assistant's %g; is it about the assistant? %t", text, arm, people, assistant, about)
				}
			}
		}
	}
}

func id(n string) cairn.ID { return cairn.DeriveID(n) }

func TestFuse(t *testing.T) {
	t.Parallel()
	words := func(scores ...any) retrieve.Answer {
		a := retrieve.Answer{Attainable: 10}
		for i := 0; i < len(scores); i += 2 {
			a.Candidates = append(a.Candidates, cairn.Candidate{ID: id(scores[i].(string)), Version: 3, Score: scores[i+1].(float64)})
		}
		return a
	}
	var none retrieve.Answer
	for _, c := range []struct {
		name, why string
		threshold bool
		answers   []retrieve.Answer
		want      []string
	}{
		{"nothing", "an empty answer is an answer", true, []retrieve.Answer{none, none, none, none, none}, nil},
		{"words", "the better match by words comes first", true, []retrieve.Answer{words("a", 8.0, "b", 4.0), none, none, none, none}, []string{"a", "b"}},
		{"roles", "an assistant's turn must not drown what the user said", true, []retrieve.Answer{words("user", 5.0), words("assistant", 9.0), none, none, none}, []string{"user", "assistant"}},
		{"identifier", "who asks for an identifier wants the memory that holds it", true, []retrieve.Answer{words("talk", 7.0, "holds", 5.0), none, words("holds", 10.0), none, none}, []string{"holds", "talk"}},
		{"meaning", "a meaning adds to the words", true, []retrieve.Answer{words("a", 5.0, "b", 5.1), none, none, words("a", 0.9), none}, []string{"a", "b"}},
		{"meaning alone", "what shares no word can still be found", true, []retrieve.Answer{none, none, none, words("a", 0.9, "b", 0.2), none}, []string{"a", "b"}},
		{"word forms", "chance cosines must not reorder what words found", false, []retrieve.Answer{words("a", 5.1, "b", 5.0), none, none, words("b", 0.9, "c", 0.8), none}, []string{"a", "b", "c"}},
		{"word forms alone", "where words find nothing, forms may", false, []retrieve.Answer{none, none, none, words("b", 0.9, "c", 0.8), none}, []string{"b", "c"}},
		{"against", "a cosine below zero says nothing", true, []retrieve.Answer{none, none, none, words("a", -0.5), none}, nil},
		{"without terms", "no score can be told without an attainable one", true, []retrieve.Answer{{Candidates: words("a", 1.0).Candidates}, none, none, none, none}, nil},
	} {
		fused := retrieve.NewPlan(ask("Where is it?"), c.threshold).Fuse(c.answers)
		var want, got []cairn.ID
		for _, n := range c.want {
			want = append(want, id(n))
		}
		for _, f := range fused {
			got = append(got, f.ID)
			if f.Version != 3 {
				t.Errorf("%s: the version is %d, want that of the index", c.name, f.Version)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Fuse, but %s (-want +got):\n%s", c.name, c.why, diff)
		}
	}
}

// TestFuseProperties: whatever the arms answer, scores lie between 0 and 1, are the sum of their parts, and order the
// candidates, ties by id.
func TestFuseProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		threshold := random.IntN(2) == 0
		plan := retrieve.NewPlan(ask([]string{"Where is it?", "What did you recommend?"}[random.IntN(2)]), threshold)
		answers := make([]retrieve.Answer, len(plan.Searches))
		for i, s := range plan.Searches {
			side := "people"
			if i == 1 || i == 4 {
				side = "assistant" // a memory is on one side only
			}
			for n := range random.IntN(6) {
				score := math.Floor(random.Float64()*4) / 4 // with ties
				answers[i].Candidates = append(answers[i].Candidates, cairn.Candidate{ID: id(side + string(rune('a'+n))), Version: 1, Score: score})
			}
			if s.Arm != cairn.ArmDense {
				answers[i].Attainable = 1
			}
		}
		fused := plan.Fuse(answers)
		seen := map[cairn.ID]bool{}
		for i, f := range fused {
			var sum float64
			for _, p := range f.Parts {
				sum += p.Weight * p.Norm
			}
			if math.Abs(sum-f.Score) > 1e-9 || f.Score < 0 || f.Score > 1+1e-9 || seen[f.ID] {
				t.Fatalf("threshold %t: Fuse gives %+v, its parts add up to %g; seen before: %t", threshold, f, sum, seen[f.ID])
			}
			seen[f.ID] = true
			if i > 0 && (fused[i-1].Score < f.Score || fused[i-1].Score == f.Score && fused[i-1].ID >= f.ID) {
				t.Fatalf("Fuse: %+v comes before %+v", fused[i-1], f)
			}
		}
	}
}

func TestFuseTellsSimilarity(t *testing.T) {
	t.Parallel()
	answers := make([]retrieve.Answer, 5)
	answers[0] = retrieve.Answer{Attainable: 10, Candidates: []cairn.Candidate{{ID: id("a"), Version: 1, Score: 5}, {ID: id("b"), Version: 1, Score: 4}}}
	answers[3] = retrieve.Answer{Candidates: []cairn.Candidate{{ID: id("a"), Version: 1, Score: 0.75}}}
	for _, threshold := range []bool{true, false} {
		fused := retrieve.NewPlan(ask("Where is it?"), threshold).Fuse(answers)
		if len(fused) != 2 || fused[0].Similarity == nil || *fused[0].Similarity != 0.75 || fused[1].Similarity != nil {
			t.Errorf("threshold %t: Fuse = %+v, want the cosine where there is a vector", threshold, fused)
		}
	}
}
