package indextest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"pgregory.net/rapid"
)

// TextHarness opens the index under test.
type TextHarness struct {
	// New returns an empty index. The suite closes it.
	New func(tb testing.TB) role.TextIndex
}

type textCase struct {
	name string
	why  string // the sentence of the contract that the case guards
	run  func(t *testing.T, x role.TextIndex)
}

// RunText checks an index against the contract of [role.TextIndex].
func RunText(t *testing.T, h TextHarness) {
	for _, c := range slices.Concat(textCases, textWordCases, textTurnCases, textRefusals) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			explain(t, c.why)
			x := h.New(t)
			t.Cleanup(func() { x.Close() })
			c.run(t, x)
		})
	}
}

var textCases = []textCase{
	{"Ties", "candidates of equal score are ordered by ascending id, whatever the order of writing", testTextTies},
	{"K", "a search returns the best K, at most MaxCandidates and at least 1 may be asked for", testTextK},
	{"Versions", "a text replaces the one held unless that one has a higher version, so repeating and reordering are harmless", testTextVersions},
	{"Replace", "after a replacement searches, filters and scores see the new text and facets and nothing of the old ones", testTextReplace},
	{"Delete", "a deleted id is gone from results and statistics, and a later Apply of any version is new",
		testTextDelete},
	{"Reset", "Reset removes everything of all tenants, and the index stays usable", testTextReset},
	{"Stamps", "stamps describe the content by ascending id: of the given ids, or of all", testTextStamps},
	{"Tenants", "a tenant sees, lists and deletes only its own texts, even if ids are equal", testTextTenants},
	{"Statistics", "statistics are those of the memories that scope and filter accept: other texts never change a score", testTextStatistics},
	{"Filter", "a search finds exactly the memories that the scope covers and the compiled filter accepts",
		testTextFilter},
	{"Facets", "filters can test every facet, including those of facts", testTextFacets},
	{"Newest", "a probe for the newest lists the memories that scope and filter accept by falling time of recording, ties by ascending id, whatever its text", testTextNewest},
	{"Owners", ownerContract, testTextOwners},
	{"Ownership", "an applied text does not change when the caller's slices, maps and facts do",
		testTextOwnership},
	{"Concurrency", "all methods are safe for concurrent use, and a search never shows half of a text",
		testTextConcurrency},
}

var ana = trilith.Scope{Tenant: "ana"}

func text(tenant string, n int, version int64, s string) role.TextPoint {
	return role.TextPoint{Facets: point(tenant, n, version, nil).Facets, Text: s, At: day}
}

func putTexts(t *testing.T, x role.TextIndex, ts ...role.TextPoint) {
	t.Helper()
	if err := x.Apply(t.Context(), ts); err != nil {
		t.Fatalf("Apply(%d texts) = %v", len(ts), err)
	}
}

func searchText(t *testing.T, x role.TextIndex, s trilith.Scope, p role.TextProbe) role.TextResult {
	t.Helper()
	if p.K == 0 {
		p.K = role.MaxCandidates
	}
	r, err := x.Search(t.Context(), s, p)
	if err != nil {
		t.Fatalf("Search(%q, %s) = %v", p.Text, show(p.Filter), err)
	}
	return r
}

// wantTexts checks which texts a query finds, best first.
func wantTexts(t *testing.T, x role.TextIndex, s trilith.Scope, query string, want ...int) {
	t.Helper()
	checkNumbers(t, fmt.Sprintf("Search(%q)", query), searchText(t, x, s, role.TextProbe{Text: query}), want)
}

func checkNumbers(t *testing.T, what string, r role.TextResult, want []int) {
	t.Helper()
	var ids []trilith.ID
	for _, n := range want {
		ids = append(ids, pid(n))
	}
	if got := idsOf(r); !slices.Equal(got, ids) {
		t.Errorf("%s found %q, want %q", what, got, ids)
	}
}

func idsOf(r role.TextResult) []trilith.ID {
	var ids []trilith.ID
	for _, c := range r.Candidates {
		ids = append(ids, c.ID)
	}
	return ids
}

func testTextTies(t *testing.T, x role.TextIndex) {
	for _, n := range []int{5, 2, 9, 1, 7} {
		putTexts(t, x, text("ana", n, 1, "the same words"))
	}
	wantTexts(t, x, ana, "words", 1, 2, 5, 7, 9)
	checkNumbers(t, "Search with K 2", searchText(t, x, ana, role.TextProbe{Text: "words", K: 2}), []int{1, 2})
}

func testTextK(t *testing.T, x role.TextIndex) {
	var ts []role.TextPoint
	for n := range role.MaxCandidates + 20 {
		ts = append(ts, text("ana", n, 1, "word"))
	}
	putTexts(t, x, ts...)
	for _, k := range []int{1, 2, 10, role.MaxCandidates} {
		if got := searchText(t, x, ana, role.TextProbe{Text: "word", K: k}); len(got.Candidates) != k {
			t.Errorf("Search with K %d found %d of %d", k, len(got.Candidates), len(ts))
		}
	}
	for _, k := range []int{-1, 0, role.MaxCandidates + 1} {
		for _, query := range []string{"word", ""} {
			_, err := x.Search(t.Context(), ana, role.TextProbe{Text: query, K: k})
			wantKind(t, fmt.Sprintf("Search(%q) with K %d", query, k), err, trilith.Invalid)
		}
	}
}

func testTextVersions(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 2, "second"))
	putTexts(t, x, text("ana", 1, 1, "first"))
	wantTexts(t, x, ana, "first")
	wantTexts(t, x, ana, "second", 1)
	putTexts(t, x, text("ana", 1, 2, "again"), text("ana", 1, 2, "again"))
	wantTexts(t, x, ana, "second")
	wantTexts(t, x, ana, "again", 1)
	putTexts(t, x, text("ana", 1, 4, "fourth"), text("ana", 1, 3, "third"))
	wantTexts(t, x, ana, "third")
	got := searchText(t, x, ana, role.TextProbe{Text: "fourth"}).Candidates
	if len(got) != 1 || got[0].Version != 4 {
		t.Errorf("Search after versions 1 to 4 = %v, want version 4", got)
	}
}

func testTextReplace(t *testing.T, x role.TextIndex) {
	old := text("ana", 1, 1, "an apple, error E1001, and many words that make it long")
	old.Facets.Scope.User, old.Facets.Type = "u1", "manual"
	putTexts(t, x, old, text("ana", 2, 1, "a pear"))
	renewed := text("ana", 1, 2, "a plum, error E1002")
	renewed.Facets.Scope.User, renewed.Facets.Type = "u2", "decision"
	putTexts(t, x, renewed)
	wantTexts(t, x, ana, "apple")
	wantTexts(t, x, ana, "plum", 1)
	wantTexts(t, x, trilith.Scope{Tenant: "ana", User: "u1"}, "plum")
	wantTexts(t, x, trilith.Scope{Tenant: "ana", User: "u2"}, "plum", 1)
	for _, c := range []struct {
		probe role.TextProbe
		want  []int
	}{
		{role.TextProbe{Text: "plum", Filter: trilith.Where("type", trilith.OpEq, "manual")}, nil},
		{role.TextProbe{Text: "plum", Filter: trilith.Where("type", trilith.OpEq, "decision")}, []int{1}},
		{role.TextProbe{Text: "E1001", Exact: true}, nil},
		{role.TextProbe{Text: "E1002", Exact: true}, []int{1}},
	} {
		checkNumbers(t, fmt.Sprintf("after a replacement %+v", c.probe), searchText(t, x, ana, c.probe), c.want)
	}
	// The same texts in another tenant, never replaced: the replaced versions have left no trace in the scores.
	fresh := text("ben", 1, 2, renewed.Text)
	putTexts(t, x, fresh, text("ben", 2, 1, "a pear"))
	wantEqualAnswers(t, x, "after a replacement", ana, trilith.Scope{Tenant: "ben"})
}

// wantEqualAnswers checks that two scopes with the same texts give equal answers, scores included.
func wantEqualAnswers(t *testing.T, x role.TextIndex, what string, s, want trilith.Scope) {
	t.Helper()
	for _, query := range []string{"pear", "plum", "pear plum apple unknown"} {
		got, want := searchText(t, x, s, role.TextProbe{Text: query}),
			searchText(t, x, want, role.TextProbe{Text: query})
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, scoreTolerance)); diff != "" {
			t.Errorf("%s, Search(%q): -untouched +got\n%s", what, query, diff)
		}
	}
}

func testTextDelete(t *testing.T, x role.TextIndex) {
	ctx := t.Context()
	putTexts(t, x, text("ana", 1, 5, "apple pear E1001"), text("ana", 2, 1, "a pear"), text("ana", 3, 1, "a plum"))
	if err := x.Delete(ctx, ana, []trilith.ID{pid(1), pid(1), pid(77)}); err != nil {
		t.Fatalf("Delete of a known, a repeated and an unknown id = %v", err)
	}
	wantTexts(t, x, ana, "apple")
	wantTexts(t, x, ana, "pear", 2)
	checkNumbers(t, "exact search after a deletion", searchText(t, x, ana, role.TextProbe{Text: "E1001", Exact: true}),
		nil)
	putTexts(t, x, text("ben", 2, 1, "a pear"), text("ben", 3, 1, "a plum"))
	wantEqualAnswers(t, x, "after a deletion", ana, trilith.Scope{Tenant: "ben"})
	putTexts(t, x, text("ana", 1, 1, "quince"))
	wantTexts(t, x, ana, "quince", 1)
	wantTexts(t, x, ana, "apple")
	if err := x.Delete(ctx, trilith.Scope{Tenant: "nobody"}, []trilith.ID{pid(1)}); err != nil {
		t.Errorf("Delete in a tenant without texts = %v", err)
	}
}

func testTextReset(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 5, "apple"), text("ben", 1, 1, "apple"))
	if err := x.Reset(t.Context(), trilith.AsSystem("test")); err != nil {
		t.Fatalf("Reset = %v", err)
	}
	wantTexts(t, x, ana, "apple")
	wantTexts(t, x, trilith.Scope{Tenant: "ben"}, "apple")
	putTexts(t, x, text("ana", 1, 1, "apple"))
	wantTexts(t, x, ana, "apple", 1)
}

func testTextStamps(t *testing.T, x role.TextIndex) {
	stamp := func(n int, version int64) role.Stamp { return role.Stamp{ID: pid(n), Version: version, At: day} }
	putTexts(t, x, text("ana", 3, 7, "c"), text("ana", 1, 2, ""), text("ana", 2, 1, "b"), text("ben", 1, 9, "x"))
	for _, c := range []struct {
		what string
		s    trilith.Scope
		ids  []trilith.ID
		want []role.Stamp
	}{
		{"all", ana, nil, []role.Stamp{stamp(1, 2), stamp(2, 1), stamp(3, 7)}},
		{"some", ana, []trilith.ID{pid(3), pid(99), pid(1), pid(3)}, []role.Stamp{stamp(1, 2), stamp(3, 7)}},
		{"of another tenant", trilith.Scope{Tenant: "ben"}, nil, []role.Stamp{stamp(1, 9)}},
		{"of an empty tenant", trilith.Scope{Tenant: "carl"}, nil, nil},
	} {
		got, err := x.Stamps(t.Context(), c.s, c.ids)
		if err != nil {
			t.Fatalf("Stamps, %s = %v", c.what, err)
		}
		if diff := gocmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Stamps, %s: -want +got\n%s", c.what, diff)
		}
	}
}

func testTextTenants(t *testing.T, x role.TextIndex) {
	ben := trilith.Scope{Tenant: "ben"}
	putTexts(t, x, text("ana", 1, 1, "apple E1001"), text("ben", 1, 1, "pear"), text("ben", 2, 1, "apple pear"))
	wantTexts(t, x, ana, "pear")
	wantTexts(t, x, ana, "apple", 1)
	wantTexts(t, x, ben, "apple", 2)
	checkNumbers(t, "exact search in the other tenant",
		searchText(t, x, ben, role.TextProbe{Text: "E1001", Exact: true}), nil)
	if err := x.Delete(t.Context(), ben, []trilith.ID{pid(1)}); err != nil {
		t.Fatalf("Delete = %v", err)
	}
	wantTexts(t, x, ana, "apple", 1)
	wantTexts(t, x, ben, "pear", 2)
}

func testTextStatistics(t *testing.T, x role.TextIndex) {
	mine := func(n int, s string) role.TextPoint {
		p := text("ana", n, 1, s)
		p.Facets.Scope.User = "u1"
		return p
	}
	putTexts(t, x, mine(1, "an apple and a pear"), mine(2, "a pear, a plum, error E1001"),
		mine(3, "nothing of the kind"))
	scope := trilith.Scope{Tenant: "ana", User: "u1"}
	probes := []role.TextProbe{
		{Text: "apple pear unknown"},
		{Text: "apple pear unknown", Filter: trilith.Where("state", trilith.OpEq, trilith.StateActive)},
		{Text: "Katzen"},
		{Text: "E1001 E1002", Exact: true},
	}
	var before []role.TextResult
	for _, p := range probes {
		before = append(before, searchText(t, x, scope, p))
	}
	var others []role.TextPoint
	for n := range 50 {
		stranger := text("ben", n, 1, "apple apple pear E1001 and a long tail of words")
		stranger.Facets.Scope.User = "u1"
		neighbour := text("ana", 100+n, 1, "ein Apfel und eine Katze, apple, unknown, E1002")
		neighbour.Facets.Scope.User = "u2"
		others = append(others, stranger, neighbour)
	}
	putTexts(t, x, others...)
	check := func(what string, probes []role.TextProbe) {
		t.Helper()
		for i, p := range probes {
			if diff := gocmp.Diff(before[i], searchText(t, x, scope, p), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("Search(%q, %s) after %s: -before +after\n%s", p.Text, show(p.Filter), what, diff)
			}
		}
	}
	check("texts of other users and tenants", probes)

	retracted := mine(200, "apple pear unknown Katzen E1001")
	retracted.Facets.State = trilith.StateRetracted
	putTexts(t, x, retracted)
	for i := range probes {
		probes[i].Filter = trilith.Where("state", trilith.OpEq, trilith.StateActive)
	}
	check("texts that the filter refuses", probes)
}

// testTextFilter draws facets and filters. Every text contains the same word, so a search for it finds all that the
// filter accepts.
func testTextFilter(t *testing.T, x role.TextIndex) {
	ts := rapid.Custom(func(t *rapid.T) []role.TextPoint {
		ts := make([]role.TextPoint, 60)
		for i := range ts {
			ts[i] = role.TextPoint{Facets: drawPoint(t, i).Facets, Text: "trilith E1001", At: day}
		}
		return ts
	}).Example(1)
	ts = append(ts, role.TextPoint{Facets: fullPoint("ana", 100).Facets, Text: "trilith E1001", At: day})
	putTexts(t, x, ts...)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		scope := ana
		if rapid.Bool().Draw(t, "narrow") {
			scope.User = rapid.SampledFrom(someWords).Draw(t, "user")
			scope.Session = rapid.SampledFrom(someWords).Draw(t, "session")
		}
		p := role.TextProbe{Text: "trilith E1001", Filter: drawFilter(t, 3), K: 100,
			Exact: rapid.Bool().Draw(t, "exact")}
		match, err := p.Filter.Compile()
		if err != nil {
			t.Fatalf("Compile(%s) = %v", show(p.Filter), err)
		}
		var want []trilith.ID
		for i := range ts {
			if f := &ts[i].Facets; scope.Covers(f.Scope) && (match == nil || match(f)) {
				want = append(want, f.ID)
			}
		}
		got, err := x.Search(ctx, scope, p)
		if err != nil {
			t.Fatalf("Search(%s) = %v", show(p.Filter), err)
		}
		if diff := gocmp.Diff(want, idsOf(got)); diff != "" { // equal scores: ascending ids
			t.Fatalf("Search(user %q, session %q, %s): -want +got\n%s", scope.User, scope.Session, show(p.Filter), diff)
		}
	})
}

func testTextFacets(t *testing.T, x role.TextIndex) {
	putTexts(t, x, role.TextPoint{Facets: fullPoint("ana", 1).Facets, Text: "trilith E1001", At: day},
		text("ana", 2, 1, "trilith E1001"))
	for _, f := range fullFilters {
		for _, exact := range []bool{false, true} {
			r := searchText(t, x, ana, role.TextProbe{Text: "trilith E1001", Filter: f, Exact: exact})
			checkNumbers(t, fmt.Sprintf("Search(%s, exact %v)", show(f), exact), r, []int{1})
		}
	}
}

func testTextNewest(t *testing.T, x role.TextIndex) {
	var ts []role.TextPoint
	for n := range 60 {
		p := text("ana", n, 1, "")
		p.Facets.RecordedAt = day.Add(time.Duration(n*37%60/2) * time.Second) // two of each time, in no order
		p.Facets.Scope.User, p.Facets.Tags = []string{"u1", "u2"}[n%2], []string{"red"}
		if n%3 == 0 {
			p.Facets.Tags = nil
		}
		ts = append(ts, p)
	}
	putTexts(t, x, ts...)
	u1 := trilith.Scope{Tenant: "ana", User: "u1"}
	red := trilith.Where("tags", trilith.OpContains, "red")
	for _, c := range []struct {
		scope trilith.Scope
		probe role.TextProbe
	}{
		{ana, role.TextProbe{K: 7}},
		{ana, role.TextProbe{K: 100, Text: "apple", Exact: true}},
		{u1, role.TextProbe{K: 5}},
		{u1, role.TextProbe{K: 100}},
		{u1, role.TextProbe{K: 4, Filter: red}},
		{trilith.Scope{Tenant: "ben"}, role.TextProbe{K: 4}},
		{ana, role.TextProbe{K: 9,
			Filter: trilith.AllOf(red, trilith.Where("recorded_at", trilith.OpLt, day.Add(20*time.Second)))}},
	} {
		match, err := c.probe.Filter.Compile()
		if err != nil {
			t.Fatal(err)
		}
		var want []trilith.Facets
		for i := range ts {
			if f := ts[i].Facets; c.scope.Covers(f.Scope) && (match == nil || match(&f)) {
				want = append(want, f)
			}
		}
		slices.SortFunc(want, func(a, b trilith.Facets) int {
			return cmp.Or(b.RecordedAt.Compare(a.RecordedAt), cmp.Compare(a.ID, b.ID))
		})
		var ids []trilith.ID
		for _, f := range want[:min(c.probe.K, len(want))] {
			ids = append(ids, f.ID)
		}
		c.probe.Newest = true
		if got := searchText(t, x, c.scope, c.probe); !slices.Equal(idsOf(got), ids) {
			t.Errorf("the newest %d of user %q with %s are %q, want %q", c.probe.K, c.scope.User, show(c.probe.Filter),
				idsOf(got), ids)
		}
	}
}

func testTextOwnership(t *testing.T, x role.TextIndex) {
	p := text("ana", 1, 1, "apple")
	p.Facets.Tags = []string{"red"}
	p.Facets.Metadata = map[string]any{"deep": map[string]any{"k": "v"}}
	until := day
	p.Facets.ValidUntil = &until
	p.Facets.Fact = fullFact()
	ts := []role.TextPoint{p}
	putTexts(t, x, ts...)
	p.Facets.Tags[0] = "blue"
	p.Facets.Metadata["deep"].(map[string]any)["k"] = "w"
	until = until.AddDate(1, 0, 0)
	spoil(p.Facets.Fact)
	ts[0] = text("ana", 2, 1, "pear")
	for _, f := range append(
		[]trilith.Filter{trilith.Where("tags", trilith.OpContains, "red"), trilith.Where("metadata.deep.k", trilith.OpEq, "v"),
			trilith.Where("valid_until", trilith.OpEq, day)}, factFilters...) {
		checkNumbers(t, "after the caller's changes, "+show(f),
			searchText(t, x, ana, role.TextProbe{Text: "apple", Filter: f}), []int{1})
	}
}

// testTextConcurrency lets writers store texts with a word for their version, while readers compare the two.
func testTextConcurrency(t *testing.T, x role.TextIndex) {
	const memories, versions = 8, 20
	ctx := t.Context()
	var wg sync.WaitGroup
	fail := make(chan error, 64)
	do := func(f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				fail <- err
			}
		})
	}
	for _, tenant := range []string{"ana", "ben"} {
		s := trilith.Scope{Tenant: tenant}
		for _, parity := range []int64{0, 1} { // two writers compete for the same ids
			do(func() error {
				for v := int64(1); v <= versions; v++ {
					if v%2 != parity {
						continue
					}
					for n := range memories {
						if err := x.Apply(ctx, []role.TextPoint{
							text(tenant, n, v, fmt.Sprintf("common word%d", v))}); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		do(func() error {
			for range 5 {
				for v := int64(1); v <= versions; v++ {
					r, err := x.Search(ctx, s, role.TextProbe{Text: fmt.Sprintf("word%d", v), K: 50})
					if err != nil {
						return err
					}
					for _, c := range r.Candidates {
						if c.Version != v {
							return fmt.Errorf("word%d found version %d", v, c.Version)
						}
					}
				}
				if _, err := x.Stamps(ctx, s, nil); err != nil {
					return err
				}
			}
			return nil
		})
		do(func() error {
			for n := range versions {
				if err := x.Delete(ctx, s, []trilith.ID{pid(memories + n)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	wg.Wait()
	close(fail)
	for err := range fail {
		t.Error(err)
	}
	want := make([]role.Candidate, memories)
	for n := range want {
		want[n] = role.Candidate{ID: pid(n), Version: versions}
	}
	got := searchText(t, x, ana, role.TextProbe{Text: "common"}).Candidates
	slices.SortFunc(got, func(a, b role.Candidate) int { return cmp.Compare(a.ID, b.ID) })
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(role.Candidate{}, "Score")); diff != "" {
		t.Errorf("Search after all writes: -want +got\n%s", diff)
	}
}
