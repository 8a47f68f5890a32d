package retrieve_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

func ask(text string, arms ...trilith.Arm) retrieve.Question {
	return retrieve.Question{Text: text, K: 10, States: []trilith.State{trilith.StateActive}, Arms: arms}
}

func TestNewPlanSearchesTheArms(t *testing.T) {
	t.Parallel()
	l, e, d := trilith.ArmLexical, trilith.ArmExact, trilith.ArmDense
	kind := func(k any) trilith.Filter { return trilith.Where("kind", trilith.OpEq, k) }
	for _, c := range []struct {
		name      string
		arms      []trilith.Arm
		filter    trilith.Filter
		threshold bool
		turns     []trilith.Arm
		facts     []trilith.Arm
	}{
		{"all, roles apart and facts apart", nil, trilith.Filter{}, true, []trilith.Arm{l, l, e, d, d},
			[]trilith.Arm{l, e, d}},
		{"words only", []trilith.Arm{l}, trilith.Filter{}, true, []trilith.Arm{l, l}, []trilith.Arm{l}},
		{"identifiers only", []trilith.Arm{e}, trilith.Filter{}, true, []trilith.Arm{e}, []trilith.Arm{e}},
		{"vectors only", []trilith.Arm{d}, trilith.Filter{}, true, []trilith.Arm{d, d}, []trilith.Arm{d}},
		{"all, with word vectors", nil, trilith.Filter{}, false, []trilith.Arm{l, l, e, d, d}, []trilith.Arm{l, e, d}},
		{"facts alone", nil, kind("fact"), false, nil, []trilith.Arm{l, e, d}},
		{"turns alone", nil, trilith.AllOf(trilith.Where("tags", trilith.OpContains, "x"), kind(trilith.KindEpisode)), true,
			[]trilith.Arm{l, l, e, d, d}, nil},
	} {
		var turns, facts []trilith.Arm
		q := ask("Where is it?", c.arms...)
		q.Filter = c.filter
		for _, s := range retrieve.NewPlan(q, c.threshold).Searches {
			if s.Facts {
				facts = append(facts, s.Arm)
			} else {
				turns = append(turns, s.Arm)
			}
			if s.Weight <= 0 {
				t.Errorf("NewPlan(%s): a search of %s weighs %g", c.name, s.Arm, s.Weight)
			}
			if s.Arm != trilith.ArmDense && (s.Text.Text != "Where is it?" || s.Text.Exact != (s.Arm == trilith.ArmExact)) {
				t.Errorf("NewPlan(%s): the probe of %s is %+v", c.name, s.Arm, s.Text)
			}
		}
		if !slices.Equal(turns, c.turns) || !slices.Equal(facts, c.facts) {
			t.Errorf("NewPlan(%s) searches turns by %v and facts by %v, want %v and %v", c.name, turns, facts,
				c.turns, c.facts)
		}
	}
}

// TestNewPlanDepth: every search is deep enough for the requested hits. Facts beside turns are searched to a fixed
// depth, and so are words up to twenty-five hits, so that a larger k changes no score.
func TestNewPlanDepth(t *testing.T) {
	t.Parallel()
	depths := map[string]int{}
	for _, k := range []int{1, 10, 25, 50, trilith.MaxK} {
		q := ask("Where is it?")
		q.K = k
		for _, s := range retrieve.NewPlan(q, true).Searches {
			depth := s.K
			if s.Arm != trilith.ArmDense {
				depth = s.Text.K
			}
			if !s.Facts && (depth < k || depth > role.MaxCandidates) {
				t.Errorf("NewPlan(k %d): %s is asked for %d candidates, want %d to %d", k, s.Arm, depth, k,
					role.MaxCandidates)
			}
			if s.Facts || s.Arm != trilith.ArmDense && k <= 25 {
				of := fmt.Sprint(s.Facts, s.Arm)
				if was, ok := depths[of]; ok && depth != was {
					t.Errorf("NewPlan(k %d): %s (facts: %t) is asked for %d candidates, for fewer hits it was %d", k,
						s.Arm, s.Facts, depth, was)
				}
				depths[of] = depth
			}
		}
	}
}

// TestNewPlanFilter: the probe of a search must refuse what the search may not return, and every role must pass one of
// the probes.
func TestNewPlanFilter(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }
	end := day(10)
	q := retrieve.Question{Text: "Where is it?", K: 10, States: []trilith.State{trilith.StateActive, trilith.StateSuperseded},
		At: trilith.Moment{World: day(10)}, Filter: trilith.Where("tags", trilith.OpContains, "x")}
	good := trilith.Facets{State: trilith.StateActive, EventTime: day(1), Tags: []string{"x"}}
	for _, c := range []struct {
		name   string
		change func(*trilith.Facets)
		want   bool
	}{
		{"a memory of nobody's role", func(*trilith.Facets) {}, true},
		{"a user's", func(f *trilith.Facets) { f.Role = trilith.RoleUser }, true},
		{"the assistant's", func(f *trilith.Facets) { f.Role = trilith.RoleAssistant }, true},
		{"a fact", func(f *trilith.Facets) { f.Kind = trilith.KindFact }, true},
		{"an assistant's fact", func(f *trilith.Facets) { f.Kind, f.Role = trilith.KindFact, trilith.RoleAssistant }, true},
		{"a state that was asked for", func(f *trilith.Facets) { f.State = trilith.StateSuperseded }, true},
		{"a state that was not", func(f *trilith.Facets) { f.State = trilith.StateRetracted }, false},
		{"without the tag", func(f *trilith.Facets) { f.Tags = nil }, false},
		{"at its first moment", func(f *trilith.Facets) { f.EventTime = day(10) }, true},
		{"before it", func(f *trilith.Facets) { f.EventTime = day(10).Add(time.Microsecond) }, false},
		{"at its end", func(f *trilith.Facets) { f.ValidUntil = &end }, false},
	} {
		f := good
		c.change(&f)
		for _, arm := range []trilith.Arm{trilith.ArmLexical, trilith.ArmExact, trilith.ArmDense} {
			q.Arms = []trilith.Arm{arm}
			n := 0
			for _, s := range retrieve.NewPlan(q, true).Searches {
				filter := s.Text.Filter
				if arm == trilith.ArmDense {
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
			for _, arm := range []trilith.Arm{trilith.ArmLexical, trilith.ArmDense} {
				s := retrieve.NewPlan(ask(text, arm), threshold).Searches
				if people, assistant := s[0].Weight, s[1].Weight; (assistant == people) != about || assistant > people {
					t.Errorf("NewPlan(%q): %s weighs people's turns %g and the assistant's %g; is it about the assistant? %t", text, arm, people, assistant, about)
				}
			}
		}
	}
}

// padded adds empty answers for the searches behind the given ones.
func padded(p retrieve.Plan, answers []retrieve.Answer) []retrieve.Answer {
	return append(slices.Clone(answers), make([]retrieve.Answer, len(p.Searches)-len(answers))...)
}

// fact is an ordinary fact with turns as evidence.
func fact(turns ...trilith.ID) *trilith.Memory {
	f := &trilith.Fact{Confidence: 1, Priority: trilith.PriorityNormal}
	for _, turn := range turns {
		f.Evidence = append(f.Evidence, trilith.Evidence{EpisodeID: turn})
	}
	return &trilith.Memory{Kind: trilith.KindFact, Role: trilith.RoleUser, State: trilith.StateActive, Fact: f}
}

func id(n string) trilith.ID { return trilith.DeriveID(n) }

// taken takes everything off a ranking.
func taken(r *retrieve.Ranking) (out []retrieve.Fused) {
	for r.Len() > 0 {
		out = append(out, *r.Next())
	}
	r.Free()
	return out
}

func TestFuse(t *testing.T) {
	t.Parallel()
	words := func(scores ...any) retrieve.Answer {
		a := retrieve.Answer{Attainable: 10, Weight: 5}
		for i := 0; i < len(scores); i += 2 {
			a.Candidates = append(a.Candidates,
				role.Candidate{ID: id(scores[i].(string)), Version: 3, Score: scores[i+1].(float64)})
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
		{"words", "the better match by words comes first", true,
			[]retrieve.Answer{words("a", 8.0, "b", 4.0), none, none, none, none}, []string{"a", "b"}},
		{"roles", "an assistant's turn must not drown what the user said", true,
			[]retrieve.Answer{words("user", 5.0), words("assistant", 9.0), none, none, none},
			[]string{"user", "assistant"}},
		{"identifier", "who asks for an identifier wants the memory that holds it", true,
			[]retrieve.Answer{words("talk", 7.0, "holds", 5.0), none, words("holds", 10.0), none, none},
			[]string{"holds", "talk"}},
		{"meaning", "a meaning adds to the words", true,
			[]retrieve.Answer{words("a", 5.0, "b", 5.1), none, none, words("a", 0.9), none}, []string{"a", "b"}},
		{"meaning alone", "what shares no word can still be found", true,
			[]retrieve.Answer{none, none, none, words("a", 0.9, "b", 0.2), none}, []string{"a", "b"}},
		{"word vectors", "a rough meaning adds to the words too, and what only it finds comes behind", false,
			[]retrieve.Answer{words("a", 5.1, "b", 5.0), none, none, words("b", 0.9, "c", 0.8), none},
			[]string{"b", "a", "c"}},
		{"word vectors alone", "where words find nothing, word vectors may", false,
			[]retrieve.Answer{words(), none, none, words("b", 0.9, "c", 0.8), none}, []string{"b", "c"}},
		{"unknown words", "where nobody used a word of the question, a meaning still finds", false,
			[]retrieve.Answer{{Attainable: 10}, {Attainable: 3}, none, words("b", 0.9), words("c", 0.9)},
			[]string{"b", "c"}},
		{"chance", "a low cosine of word vectors is none", false,
			[]retrieve.Answer{words("a", 1.0), none, none, words("a", 0.1, "b", 0.1), none}, []string{"a"}},
		{"unlike sides", "scores of both sides are of one scale, whatever could be attained on either", true,
			[]retrieve.Answer{words("user", 4.0),
				{Attainable: 2, Weight: 1, Candidates: words("assistant", 2.0).Candidates}, none, none, none},
			[]string{"user", "assistant"}},
		{"against", "a cosine below zero says nothing", true,
			[]retrieve.Answer{none, none, none, words("a", -0.5), none}, nil},
		{"without terms", "no score can be told without an attainable one", true,
			[]retrieve.Answer{{Candidates: words("a", 1.0).Candidates}, none, none, none, none}, nil},
	} {
		plan := retrieve.NewPlan(ask("Where is it?"), c.threshold)
		fused := taken(plan.Fuse(plan.Unite(padded(plan, c.answers)), nil, nil))
		var want, got []trilith.ID
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

// TestFuseProperties: for any answers of the arms, scores lie between 0 and 1, are the sum of their parts, and order
// the candidates, ties by id.
func TestFuseProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		threshold := random.IntN(2) == 0
		plan := retrieve.NewPlan(ask([]string{"Where is it?", "What did you recommend?"}[random.IntN(2)]), threshold)
		answers := make([]retrieve.Answer, len(plan.Searches))
		for i, s := range plan.Searches {
			side := "people" // a memory is on one side only
			switch {
			case s.Facts:
				side = "fact"
			case i == 1 || i == 4:
				side = "assistant"
			}
			for n := range random.IntN(6) {
				score := math.Floor(random.Float64()*4) / 4 // with ties
				answers[i].Candidates = append(
					answers[i].Candidates, role.Candidate{ID: id(side + string(rune('a'+n))), Version: 1,
						Score: score})
			}
			if s.Arm != trilith.ArmDense {
				answers[i].Attainable = 1
			}
		}
		facts := plan.Facts(answers)
		known := map[trilith.ID]*trilith.Memory{}
		for _, f := range facts {
			if random.IntN(4) > 0 {
				known[f.ID] = fact(id("people"+string(rune('a'+random.IntN(8)))),
					id("assistant"+string(rune('a'+random.IntN(8)))))
			}
		}
		fused := taken(plan.Fuse(plan.Unite(answers), facts, known))
		seen := map[trilith.ID]bool{}
		for i, f := range fused {
			var sum float64
			for _, p := range f.Parts() {
				sum += p.Weight * p.Norm
			}
			if math.Abs(sum-f.Score) > 1e-9 || f.Score < 0 || f.Score > 1+1e-9 || seen[f.ID] {
				t.Fatalf("threshold %t: Fuse gives %+v, its parts add up to %g; seen before: %t", threshold, f,
					sum, seen[f.ID])
			}
			seen[f.ID] = true
			if i > 0 && (fused[i-1].Score < f.Score || fused[i-1].Score == f.Score && len(fused[i-1].Turns)+
				len(f.Turns) == 0 && fused[i-1].ID >= f.ID) {
				t.Fatalf("Fuse: %+v comes before %+v", fused[i-1], f)
			}
		}
	}
}

func TestFuseTellsSimilarity(t *testing.T) {
	t.Parallel()
	answers := make([]retrieve.Answer, 5)
	answers[0] = retrieve.Answer{
		Attainable: 10, Candidates: []role.Candidate{{ID: id("a"), Version: 1, Score: 5},
			{ID: id("b"), Version: 1, Score: 4}}}
	answers[3] = retrieve.Answer{Candidates: []role.Candidate{{ID: id("a"), Version: 1, Score: 0.75}}}
	for _, threshold := range []bool{true, false} {
		plan := retrieve.NewPlan(ask("Where is it?"), threshold)
		fused := taken(plan.Fuse(plan.Unite(padded(plan, answers)), nil, nil))
		if len(fused) != 2 || fused[0].Similarity == nil || *fused[0].Similarity != 0.75 || fused[1].Similarity != nil {
			t.Errorf("threshold %t: Fuse = %+v, want the cosine where there is a vector", threshold, fused)
		}
	}
}

// TestFuseFacts: facts are keys of their turns, and have a place where they alone answer.
func TestFuseFacts(t *testing.T) {
	t.Parallel()
	const words, facts = 0, 5 // places of the searches in the plan
	is := func(n string, score float64) role.Candidate {
		return role.Candidate{ID: id(n), Version: 1, Score: score}
	}
	answers := func() []retrieve.Answer {
		as := make([]retrieve.Answer, 8)
		as[words] = retrieve.Answer{Attainable: 10, Candidates: []role.Candidate{is("a", 5), is("b", 4.9), is("c", 1)}}
		as[facts] = retrieve.Answer{Attainable: 10, Candidates: []role.Candidate{is("fact", 9), is("hint", 1.2)}}
		return as
	}
	with := func(m *trilith.Memory, change func(*trilith.Memory)) *trilith.Memory {
		change(m)
		return m
	}
	all := ask("Where is it?")
	for _, c := range []struct {
		name, why string
		question  retrieve.Question
		known     *trilith.Memory // of the fact; the other holds in any case, but matches hardly
		want      []string
	}{
		{"unknown", "what the truth does not confirm speaks for nothing", all, nil, []string{"a", "b", "hint", "c"}},
		{"a key", "a turn that a fact speaks for comes before its like, and the fact behind it", all, fact(id("b")),
			[]string{"b", "fact", "a", "hint", "c"}},
		{"a weak turn", "a fact lifts a turn that the question hardly finds, and stands no higher itself", all,
			fact(id("c")), []string{"a", "b", "c", "fact", "hint"}},
		{"several turns", "a fact stands behind the best of its turns", all, fact(id("c"), id("a")),
			[]string{"a", "fact", "b", "c", "hint"}},
		{"alone", "a fact whose turn is not found answers by itself", all, fact(id("gone")),
			[]string{"fact", "a", "b", "hint", "c"}},
		{"doubtful", "what is not certain counts for less", all,
			with(fact(id("gone")), func(m *trilith.Memory) { m.Fact.Confidence = 0; m.Role = trilith.RoleAssistant }),
			[]string{"a", "b", "fact", "hint", "c"}},
		{"without the arm", "who leaves the arm out gets the order without facts",
			ask("Where is it?", trilith.ArmLexical, trilith.ArmExact, trilith.ArmDense), fact(id("b")),
			[]string{"a", "b", "fact", "hint", "c"}},
	} {
		plan, as := retrieve.NewPlan(c.question, true), answers()
		known := map[trilith.ID]*trilith.Memory{id("hint"): fact(id("b"))}
		if c.known != nil {
			known[id("fact")] = c.known
		}
		var want, got []trilith.ID
		for _, n := range c.want {
			want = append(want, id(n))
		}
		for _, f := range taken(plan.Fuse(plan.Unite(as), plan.Facts(as), known)) {
			got = append(got, f.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Fuse, but %s (-want +got):\n%s", c.name, c.why, diff)
		}
	}
}

// TestFactsMoveOnlyTheirTurns: a turn without facts has the score that it has where there are none.
func TestFactsMoveOnlyTheirTurns(t *testing.T) {
	t.Parallel()
	plan := retrieve.NewPlan(ask("Where is it?"), true)
	scores := func(known map[trilith.ID]*trilith.Memory) map[trilith.ID]float64 {
		as := make([]retrieve.Answer, len(plan.Searches))
		as[0] = retrieve.Answer{
			Attainable: 10, Candidates: []role.Candidate{{ID: id("a"), Score: 5}, {ID: id("b"), Score: 4}}}
		as[5] = retrieve.Answer{Attainable: 10, Candidates: []role.Candidate{{ID: id("fact"), Score: 8}}}
		out := map[trilith.ID]float64{}
		for _, f := range taken(plan.Fuse(plan.Unite(as), plan.Facts(as), known)) {
			out[f.ID] = f.Score
		}
		return out
	}
	without, with := scores(nil), scores(map[trilith.ID]*trilith.Memory{id("fact"): fact(id("b"))})
	if with[id("a")] != without[id("a")] || with[id("b")] <= without[id("b")] {
		t.Errorf("without facts the scores are %v, with one that rests on b %v; want b raised and a as it was",
			without, with)
	}
}

// TestUnmeasured: the cosines of candidates that only words found are requested, although vectors were not searched
// that deep.
func TestUnmeasured(t *testing.T) {
	t.Parallel()
	const people, assistant, exact, dense = 0, 1, 2, 3 // places of the searches in the plan
	plan := retrieve.NewPlan(ask("Where is it?"), true)
	answers := make([]retrieve.Answer, len(plan.Searches))
	for n, at := range map[string]int{"near": people, "far": people, "answer": assistant, "holds": exact} {
		answers[at].Candidates = append(answers[at].Candidates, role.Candidate{ID: id(n), Score: 1})
	}
	answers[dense].Candidates = []role.Candidate{{ID: id("near"), Score: 0.9}}
	if got, _ := plan.Unmeasured(answers, dense); got != nil {
		t.Errorf("Unmeasured = %v, want none: the search has told all that it knows", got)
	}
	for n := len(answers[dense].Candidates); n < plan.Searches[dense].K; n++ {
		answers[dense].Candidates = append(answers[dense].Candidates,
			role.Candidate{ID: id(string(rune(n))), Score: 0.5})
	}
	// the assistant's is not on its side
	want := []role.Candidate{{ID: id("far"), Score: 1}, {ID: id("holds"), Score: 1}}
	got, filter := plan.Unmeasured(answers, dense)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Unmeasured (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plan.Searches[dense].Filter, filter); diff != "" {
		t.Errorf("an exact search looks at both sides; the filter of Unmeasured (-want +got):\n%s", diff)
	}
	answers[exact] = retrieve.Answer{}
	if got, filter = plan.Unmeasured(answers, dense); len(got) != 1 || !filter.IsZero() {
		t.Errorf("Unmeasured = %v, %v; want the one that words found, which has passed the filter", got, filter)
	}
}

// TestRules: a rule that is switched off plans nothing.
func TestRules(t *testing.T) {
	t.Parallel()
	without := func(l lexical.Rules) retrieve.Question {
		q := ask("Where is it?")
		q.Tuning.Without = l
		return q
	}
	for _, s := range retrieve.NewPlan(without(lexical.RuleWords), false).Searches {
		if s.Arm == trilith.ArmDense {
			t.Error("without the rule words, word vectors are searched")
		}
	}
	if n := len(retrieve.NewPlan(without(lexical.RuleWords), true).Searches); n != len(
		retrieve.NewPlan(ask("Where is it?"), true).Searches) {
		t.Error("without the rule words, an embedder that was configured is searched less")
	}
	for _, s := range retrieve.NewPlan(without(lexical.RuleRoles), true).Searches {
		if s.Arm == trilith.ArmLexical && s.Weight != 1 {
			t.Errorf("without the rule roles, a side weighs %g", s.Weight)
		}
	}
}

// TestRelevance: of two facts that the question finds alike, the surer and the more pressing comes first.
func TestRelevance(t *testing.T) {
	t.Parallel()
	plan := retrieve.NewPlan(
		retrieve.Question{Text: "Where is it?", K: 10, States: []trilith.State{trilith.StateActive},
			Filter: trilith.Where("kind", trilith.OpEq, "fact")}, true)
	as := make([]retrieve.Answer, len(plan.Searches))
	known := map[trilith.ID]*trilith.Memory{}
	want := map[string]float64{"doubtful": 0.7, "plain": 1, "high": 1.15, "critical": 1.3, "low": 1}
	for n := range want {
		as[0].Candidates = append(as[0].Candidates, role.Candidate{ID: id(n), Score: 5})
		known[id(n)] = fact(id("turn"))
	}
	as[0].Attainable = 10
	known[id("doubtful")].Fact.Confidence = 0
	known[id("high")].Fact.Priority = trilith.PriorityHigh
	known[id("critical")].Fact.Priority = trilith.PriorityCritical
	known[id("low")].Fact.Priority = trilith.PriorityLow
	for _, f := range taken(plan.Fuse(plan.Unite(as), plan.Facts(as), known)) {
		for n, relevance := range want {
			if f.ID == id(n) && math.Abs(f.Score-0.5*relevance) > 1e-9 {
				t.Errorf("a %s fact scores %g, want %g", n, f.Score, 0.5*relevance)
			}
		}
	}
}
