package quality_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// recaller is a function that answers.
type recaller func(trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error)

func (f recaller) Recall(_ context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return f(s, r)
}

// oracle answers each question with ids, best first.
func oracle(answers map[string][]string) recaller {
	return func(_ trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
		var res trilith.RecallResult
		for _, id := range answers[r.Query] {
			res.Hits = append(res.Hits, trilith.Hit{Memory: trilith.Memory{ExternalID: id}})
		}
		res.Abstained = len(res.Hits) == 0
		return res, nil
	}
}

// words ranks the turns of the set by how many words they share with the question: a poor engine, but one that ranks.
func words(t testing.TB, dir string) recaller {
	t.Helper()
	type turn struct {
		ID, Group, Speaker, Text string
	}
	data, err := os.ReadFile(filepath.Join(dir, quality.DocsFile))
	if err != nil {
		t.Fatal(err)
	}
	var turns []turn
	for line := range bytes.Lines(data) {
		var d turn
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		turns = append(turns, d)
	}
	split := func(s string) []string {
		return strings.FieldsFunc(
			strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ,.;:!?'\"-", r) })
	}
	return func(s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
		asked := split(r.Query)
		var hits []trilith.Hit
		for _, d := range turns {
			shared := 0
			for _, w := range split(d.Speaker + " " + d.Text) {
				if slices.Contains(asked, w) {
					shared += len(w)
				}
			}
			if d.Group == s.Project && shared > 0 {
				hits = append(hits, trilith.Hit{Memory: trilith.Memory{ExternalID: d.ID}, Score: float64(shared)})
			}
		}
		slices.SortStableFunc(hits, func(a, b trilith.Hit) int { return cmp.Compare(b.Score, a.Score) })
		return trilith.RecallResult{Hits: hits[:min(len(hits), r.K)]}, nil
	}
}

// with changes the hits of another recaller.
func with(r recaller, change func([]trilith.Hit) []trilith.Hit) recaller {
	return func(s trilith.Scope, req trilith.RecallRequest) (trilith.RecallResult, error) {
		res, err := r(s, req)
		res.Hits = change(res.Hits)
		return res, err
	}
}

func small() quality.Set {
	return quality.Set{
		Name: "small", Digest: "00",
		Docs: []quality.Doc{{ID: "u1", Role: trilith.RoleUser}, {ID: "u2", Role: trilith.RoleUser},
			{ID: "a1", Role: trilith.RoleAssistant}},
		Queries: []quality.Query{
			{ID: "q1", Group: "g", Category: "single", Text: "one", Evidence: []string{"u1", "u1"}},
			{ID: "q2", Group: "g", Category: "multi", Text: "two", Evidence: []string{"u2", "a1"}},
			{ID: "q3", Group: "g", Category: quality.Apart, Text: "three", Evidence: []string{"u1"}},
			{ID: "q4", Group: "g", Category: "multi", Text: "four", Evidence: []string{"a1"}},
			{ID: "q5", Group: "g", Category: "none", Text: "five", Abstention: true},
			{ID: "q6", Group: "g", Category: "none", Text: "six", Evidence: []string{"u1"}, Abstention: true},
			{ID: "q7", Group: "g", Category: "single", Text: "unlabelled"},
		},
	}
}

func ticking(step time.Duration) func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(step)
		return at
	}
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	r := oracle(map[string][]string{"one": {"u1"}, "two": {"x", "u2"}, "three": {"x", "y", "z"}, "six": {"u1"}})
	var done []int
	got, err := quality.Evaluate(t.Context(), r, small(), quality.Options{Config: "words", IngestPerS: 12.34,
		Now: ticking(time.Millisecond), Progress: func(n, total int) { done = append(done, n, total) }})
	if err != nil {
		t.Fatal(err)
	}
	// q1 is perfect, q2 has one of two at rank 2 (0.6309/1.6309), q4 nothing; q3 stands apart.
	half := quality.Metrics{N: 2, NDCG10: 19.34, R5: 25, R10: 25, R20: 25, R50: 25, MRR: 25}
	want := quality.Report{
		Dataset: "small", Config: "words", ConfigHash: got.ConfigHash,
		Overall: quality.Metrics{N: 3, NDCG10: 46.23, R1: 33.33, R5: 50, R10: 50, R20: 50, R50: 50,
			All10: 33.33, MRR: 50},
		Interval: got.Interval,
		Categories: map[string]quality.Metrics{
			"single":      {N: 1, NDCG10: 100, R1: 100, R5: 100, R10: 100, R20: 100, R50: 100, All10: 100, MRR: 100},
			"multi":       half,
			quality.Apart: {N: 1},
		},
		Abstention: quality.Abstention{N: 2, Abstained: 50, Wrongly: 25},
		LatencyMS:  quality.Latency{P50: 1, P95: 1, P99: 1},
		IngestPerS: 12.3,
		Questions: []quality.Question{
			{ID: "q1", Category: "single", Rank: 1, NDCG10: 1, R10: 1},
			{ID: "q2", Category: "multi", Rank: 2, NDCG10: got.Questions[1].NDCG10, R10: 0.5},
			{ID: "q3", Category: quality.Apart},
			{ID: "q4", Category: "multi"},
		},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Evaluate (-want +got):\n%s", diff)
	}
	if last := done[len(done)-2:]; !slices.Equal(last, []int{7, 7}) {
		t.Errorf("last Progress = %v, want 7 of 7", last)
	}
}

func TestEvaluateAsksInTheGroup(t *testing.T) {
	t.Parallel()
	var scopes []trilith.Scope
	var requests []trilith.RecallRequest
	spy := recaller(func(s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
		scopes, requests = append(scopes, s), append(requests, r)
		return trilith.RecallResult{}, nil
	})
	set := small()
	set.Queries = set.Queries[:1]
	o := quality.Options{Scope: trilith.Scope{Tenant: "t", User: "eval"}, Role: trilith.RoleUser}
	if _, err := quality.Evaluate(t.Context(), spy, set, o); err != nil {
		t.Fatal(err)
	}
	wantRequest := trilith.RecallRequest{Query: "one", K: 50, Filter: trilith.Where("role", trilith.OpEq, "user")}
	if diff := gocmp.Diff([]trilith.RecallRequest{wantRequest}, requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]trilith.Scope{{Tenant: "t", User: "eval", Project: "g"}}, scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	if err := requests[0].Filter.Validate(); err != nil {
		t.Errorf("filter: %v", err)
	}
}

// With a role only its turns count: q2 keeps half of its evidence, q4 has none left.
func TestEvaluateOneRole(t *testing.T) {
	t.Parallel()
	r := oracle(map[string][]string{"one": {"u1"}, "two": {"u2"}, "three": {"u1"}})
	got, err := quality.Evaluate(t.Context(), r, small(), quality.Options{Role: trilith.RoleUser})
	if err != nil {
		t.Fatal(err)
	}
	if got.Overall.N != 2 || got.Overall.R1 != 100 || got.Categories["multi"].N != 1 {
		t.Errorf("Evaluate of user turns = %+v, want two questions with everything found", got)
	}
	all, err := quality.Evaluate(t.Context(), r, small(), quality.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all.ConfigHash == got.ConfigHash {
		t.Errorf("config hash %s stands for one role and for all", all.ConfigHash)
	}
}

func TestEvaluateEndsOnErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want trilith.ErrorKind
	}{
		{trilith.Errorf(trilith.Unavailable, "store: does not answer"), trilith.Unavailable},
		{context.Canceled, trilith.Canceled},
		{errors.New("other"), trilith.Internal},
	} {
		r := recaller(func(trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
			return trilith.RecallResult{}, c.err
		})
		_, err := quality.Evaluate(t.Context(), r, small(), quality.Options{})
		if !errors.Is(err, c.err) || trilith.KindOf(err) != c.want {
			t.Errorf("Evaluate with a recaller that fails with %v = %v, want kind %v", c.err, err, c.want)
		}
	}
}

// The numbers must be able to fall: a worse ranking of the same hits lowers the ranking metrics, fewer hits lower
// recall.
func TestMutations(t *testing.T) {
	t.Parallel()
	const dir = "testdata/set"
	set, err := quality.LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	plain := words(t, dir)
	evaluate := func(r recaller) quality.Metrics {
		t.Helper()
		rep, err := quality.Evaluate(t.Context(), r, set, quality.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return rep.Overall
	}
	base := evaluate(plain)
	reversed := evaluate(with(plain, func(hits []trilith.Hit) []trilith.Hit { slices.Reverse(hits); return hits }))
	pushed := evaluate(with(plain, func(hits []trilith.Hit) []trilith.Hit {
		return append(make([]trilith.Hit, 3), hits...)
	}))
	halved := evaluate(with(plain, func(hits []trilith.Hit) []trilith.Hit { return hits[:len(hits)/2] }))
	for _, m := range []struct {
		name      string
		got, base float64
	}{
		{"reversed: nDCG@10", reversed.NDCG10, base.NDCG10},
		{"reversed: MRR", reversed.MRR, base.MRR},
		{"reversed: R@5", reversed.R5, base.R5},
		{"three strangers on top: nDCG@10", pushed.NDCG10, base.NDCG10},
		{"three strangers on top: MRR", pushed.MRR, base.MRR},
		{"three strangers on top: R@1", pushed.R1, base.R1},
		{"lower half dropped: R@50", halved.R50, base.R50},
		{"lower half dropped: R@20", halved.R20, base.R20},
	} {
		if m.got >= m.base {
			t.Errorf("%s = %.2f, want less than the %.2f without the mutation", m.name, m.got, m.base)
		}
	}
	if reversed.R50 != base.R50 {
		t.Errorf("reversed: R@50 = %.2f, want the %.2f of the same hits in another order", reversed.R50, base.R50)
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(quality.Report{Dataset: "d", Config: "c", ConfigHash: "h", Overall: quality.Metrics{N: 1},
		Categories: map[string]quality.Metrics{"single": {N: 1, MRR: 50}}})
	if err != nil {
		t.Fatal(err)
	}
	metrics := func(mrr string) string {
		return `{"n":1,"ndcg@10":0,"r@1":0,"r@5":0,"r@10":0,"r@20":0,"r@50":0,"all@10":0,"mrr":` + mrr + `}`
	}
	want := `{"dataset":"d","config":"c","config_hash":"h","overall":` + metrics("0") +
		`,"ndcg@10_ci95":[0,0],"categories":{"single":` + metrics("50") +
		`},"abstention":{"n":0,"abstained":0,"wrongly":0},"latency_ms":{"p50":0,"p95":0,"p99":0},"ingest_per_s":0}`
	if diff := gocmp.Diff(want, string(data)); diff != "" {
		t.Errorf("JSON of a report (-want +got):\n%s", diff)
	}
}

func TestReportTable(t *testing.T) {
	t.Parallel()
	r := quality.Report{Dataset: "d", Config: "builtin", ConfigHash: "c0ffee", Role: trilith.RoleUser,
		Overall: quality.Metrics{N: 12, NDCG10: 61.25, R1: 40, R5: 70, R10: 80, R20: 90, R50: 95,
			All10: 60, MRR: 58},
		Interval:   [2]float64{55, 67.5},
		Categories: map[string]quality.Metrics{"single": {N: 12, NDCG10: 61.25}, quality.Apart: {N: 3}},
		Abstention: quality.Abstention{N: 4, Abstained: 75, Wrongly: 8.3},
		LatencyMS:  quality.Latency{P50: 1.5, P95: 2.25, P99: 3}, IngestPerS: 1000}
	var b strings.Builder
	if err := r.Table(&b); err != nil {
		t.Fatal(err)
	}
	want := `d, turns of role user, builtin (c0ffee)

             category   n  nDCG@10   R@1   R@5  R@10  R@20  R@50  all@10   MRR
              overall  12     61.2  40.0  70.0  80.0  90.0  95.0    60.0  58.0
  adversarial (apart)   3      0.0   0.0   0.0   0.0   0.0   0.0     0.0   0.0
               single  12     61.2   0.0   0.0   0.0   0.0   0.0     0.0   0.0

nDCG@10 95% interval 55.0 to 67.5
abstained on 75.0% of 4 questions without an answer, wrongly on 8.3% of the others
latency p50 1.50 ms, p95 2.25 ms, p99 3.00 ms; stored 1000 turns per s
`
	if diff := gocmp.Diff(want, b.String()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

// turns reads turns by id; it holds their external ids.
type turns map[trilith.ID]string

func (t turns) Get(_ context.Context, _ trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	ext, ok := t[id]
	if !ok {
		return trilith.Memory{}, trilith.Errorf(trilith.NotFound, "memory %s does not exist", id)
	}
	return trilith.Memory{ID: id, ExternalID: ext}, nil
}

// A fact counts as the turns that are its evidence, and a turn that is there already takes no second place.
func TestEvaluateFacts(t *testing.T) {
	t.Parallel()
	fact := func(on ...trilith.ID) trilith.Hit {
		f := &trilith.Fact{}
		for _, id := range on {
			f.Evidence = append(f.Evidence, trilith.Evidence{EpisodeID: id})
		}
		return trilith.Hit{Memory: trilith.Memory{Kind: trilith.KindFact, Fact: f}}
	}
	turn := func(ext string) trilith.Hit { return trilith.Hit{Memory: trilith.Memory{ExternalID: ext}} }
	known := turns{"1": "u1", "2": "u2", "9": "x"}
	set := quality.Set{Docs: []quality.Doc{{ID: "u1", Role: trilith.RoleUser}, {ID: "u2", Role: trilith.RoleUser}},
		Queries: []quality.Query{{ID: "q", Text: "one", Category: "single", Evidence: []string{"u1", "u2"}}}}
	for _, c := range []struct {
		name string
		hits []trilith.Hit
		mrr  float64
		r10  float64
	}{
		{"a fact stands for its turns", []trilith.Hit{fact("1", "2")}, 100, 100},
		{"a turn behind its fact takes no place", []trilith.Hit{fact("9"), turn("x"), turn("u1")}, 50, 50},
		{"a fact behind its turn takes no place", []trilith.Hit{turn("x"), fact("9"), fact("1")}, 50, 50},
		{"a turn takes no place twice", []trilith.Hit{turn("x"), turn("x"), turn("u2")}, 50, 50},
	} {
		r := recaller(func(trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
			return trilith.RecallResult{Hits: c.hits}, nil
		})
		rep, err := quality.Evaluate(t.Context(), r, set, quality.Options{Turns: known})
		if err != nil || rep.Overall.MRR != c.mrr || rep.Overall.R10 != c.r10 {
			t.Errorf("%s: MRR %.1f, R@10 %.1f, %v; want %.1f and %.1f", c.name, rep.Overall.MRR, rep.Overall.R10,
				err, c.mrr, c.r10)
		}
	}
	r := recaller(func(trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
		return trilith.RecallResult{Hits: []trilith.Hit{fact("unknown")}}, nil
	})
	if _, err := quality.Evaluate(t.Context(), r, set, quality.Options{Turns: known}); err == nil {
		t.Error("Evaluate with a fact on a turn that cannot be read = nil, want an error: the numbers would be wrong")
	}
}

// Where groups are kept apart is where a question looks.
func TestEvaluatePools(t *testing.T) {
	t.Parallel()
	set := quality.Set{Docs: []quality.Doc{{ID: "u1", Role: trilith.RoleUser}},
		Queries: []quality.Query{{ID: "q", Group: "g", Text: "one", Evidence: []string{"u1"}}}}
	for pool, want := range map[quality.Pool]struct{ project, tag string }{
		quality.OwnProject: {project: "g"}, quality.Restricted: {tag: "g"}, quality.Shared: {},
	} {
		asked := 0
		r := recaller(func(s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
			asked++
			match, err := r.Filter.Compile()
			if err != nil {
				return trilith.RecallResult{}, err
			}
			passes := func(tags ...string) bool { return match == nil || match(&trilith.Facets{Tags: tags}) }
			if s.Project != want.project || !passes("g") || passes() != (want.tag == "") {
				t.Errorf("pool %q asks in project %q with %v", pool, s.Project, r.Filter)
			}
			return trilith.RecallResult{}, nil
		})
		if rep, err := quality.Evaluate(t.Context(), r, set, quality.Options{Pool: pool}); err != nil || asked != 1 ||
			rep.Pool != pool {
			t.Errorf("Evaluate in pool %q = %q, %v, asked %d times", pool, rep.Pool, err, asked)
		}
	}
}
