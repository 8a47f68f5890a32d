package indextest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"pgregory.net/rapid"
)

// fullPoint returns a point at ten degrees with a value in every facet.
func fullPoint(tenant string, n int) role.Point {
	until := day.Add(48 * time.Hour)
	p := point(tenant, n, 3, at(10))
	p.At = day.Add(time.Minute)
	p.Facets = trilith.Facets{
		ID: pid(n), Version: 3, Kind: trilith.KindEntry,
		Scope: trilith.Scope{Tenant: tenant, Project: "p1", Domain: "d1", User: "u1", Agent: "a1", Session: "s1",
			Channel: "c1"},
		Role: trilith.RoleAssistant, Speaker: "Zoë", Type: "decision", SourceID: pid(900), Seq: 7,
		EventTime: day, RecordedAt: day.Add(time.Hour), ValidUntil: &until, SupersededAt: &until,
		State: trilith.StateSuperseded, Trust: trilith.TrustImported, SupersededBy: pid(901), SharedFrom: pid(904),
		Tags: []string{"red", "blue"},
		Metadata: map[string]any{"n": 1.5, "s": "text", "b": true, "list": []any{"x", 2.0},
			"deep": map[string]any{"er": "v"}},
		Category: "cat", Title: "A title", ExternalID: "ext-1", Fact: fullFact(),
	}
	return p
}

// fullFact returns a fact with a value in every field that filters test.
func fullFact() *trilith.Fact {
	deadline, reviewed := day.Add(72*time.Hour), day.Add(time.Minute)
	return &trilith.Fact{EntityID: pid(902), Verb: "owes", FactID: "Invoice:Roof",
		Node: trilith.Node{Type: "Invoice", Name: "Roof", EntityRef: pid(903)},
		Type: trilith.FactFinancial, Content: map[string]any{"k": "v"}, Polarity: trilith.Negated, Certainty: trilith.Hedged,
		Confidence: 0.75,
		AuthorRole: trilith.RoleTool,
		Evidence: []trilith.Evidence{
			{EpisodeID: pid(904), Quote: "owes", End: 4, Premises: []trilith.Premise{{EpisodeID: pid(906)}}}},
		Priority:       trilith.PriorityHigh,
		RequiresAction: true, ActionDeadline: &deadline,
		Financial:    &trilith.Financial{Amount: "1200.50", Currency: "EUR", Category: "roof", Type: "invoice"},
		Verification: trilith.Verification{Status: trilith.Rejected, By: "ana", At: &reviewed}}
}

// spoil changes a fact and all that it points to.
func spoil(f *trilith.Fact) {
	*f.ActionDeadline, *f.Verification.At = day.AddDate(9, 0, 0), day.AddDate(9, 0, 0)
	*f.Financial = trilith.Financial{Amount: "0"}
	f.Evidence[0].Quote, f.Content["k"] = "spoiled", "spoiled"
	*f = trilith.Fact{Verb: "spoiled"}
}

// fullFilters accept fullPoint, one facet each, and not an empty point.
var fullFilters = slices.Concat([]trilith.Filter{
	trilith.Where("id", trilith.OpEq, pid(1)),
	trilith.Where("kind", trilith.OpEq, trilith.KindEntry),
	trilith.Where("project", trilith.OpEq, "p1"),
	trilith.Where("domain", trilith.OpEq, "d1"),
	trilith.Where("user", trilith.OpEq, "u1"),
	trilith.Where("agent", trilith.OpEq, "a1"),
	trilith.Where("session", trilith.OpEq, "s1"),
	trilith.Where("channel", trilith.OpEq, "c1"),
	trilith.Where("role", trilith.OpIn, []string{"assistant", "tool"}),
	trilith.Where("speaker", trilith.OpContains, "Zo"),
	trilith.Where("type", trilith.OpEq, "decision"),
	trilith.Where("source_id", trilith.OpEq, pid(900)),
	trilith.Where("seq", trilith.OpGt, 6),
	trilith.AllOf(trilith.Where("recorded_at", trilith.OpEq, day.Add(time.Hour)), trilith.Where("event_time", trilith.OpEq, day)),
	trilith.Where("superseded_at", trilith.OpGt, day),
	trilith.Where("valid_until", trilith.OpLte, day.Add(48*time.Hour)),
	trilith.Where("state", trilith.OpNe, trilith.StateActive),
	trilith.Where("trust", trilith.OpEq, trilith.TrustImported),
	trilith.Where("superseded_by", trilith.OpEq, pid(901)),
	trilith.Where("shared_from", trilith.OpEq, pid(904)),
	trilith.Where("tags", trilith.OpContains, "blue"),
	trilith.Where("tags", trilith.OpEq, "blue"),
	trilith.Where("metadata.n", trilith.OpLt, 2),
	trilith.Where("metadata.s", trilith.OpNe, nil),
	trilith.Where("metadata.b", trilith.OpEq, true),
	trilith.Where("metadata.list", trilith.OpContains, 2),
	trilith.Where("metadata.list", trilith.OpIn, []any{"z", 2}),
	trilith.Where("metadata.deep.er", trilith.OpEq, "v"),
	trilith.Where("category", trilith.OpEq, "cat"),
	trilith.Where("title", trilith.OpContains, "title"),
	trilith.Where("external_id", trilith.OpEq, "ext-1"),
	trilith.Where("speaker", trilith.OpRegex, "^Zo"),
	trilith.Where("session", trilith.OpRegex, `^(?i)S\d$`),
	trilith.Where("kind", trilith.OpRegex, "ntr"),
	trilith.Where("tags", trilith.OpRegex, "^bl"),
	trilith.Where("metadata.s", trilith.OpRegex, "ex"),
	trilith.Where("metadata.list", trilith.OpRegex, "^x$"),
}, factFilters)

// factFilters accept fullFact, one field each.
var factFilters = []trilith.Filter{
	trilith.Where("entity_id", trilith.OpEq, pid(902)),
	trilith.Where("entity_ref", trilith.OpIn, []trilith.ID{pid(1), pid(903)}),
	trilith.Where("verb", trilith.OpEq, "owes"),
	trilith.Where("fact_id", trilith.OpContains, "Roof"),
	trilith.Where("fact_type", trilith.OpEq, "financial"),
	trilith.Where("polarity", trilith.OpEq, "negated"),
	trilith.Where("certainty", trilith.OpEq, "hedged"),
	trilith.Where("confidence", trilith.OpGte, 0.75),
	trilith.Where("author_role", trilith.OpEq, trilith.RoleTool),
	trilith.Where("priority", trilith.OpIn, []string{"critical", "high"}),
	trilith.Where("requires_action", trilith.OpEq, true),
	trilith.Where("action_deadline", trilith.OpLte, day.Add(72*time.Hour)),
	trilith.Where("verification_status", trilith.OpEq, "rejected"),
	trilith.Where("financial_amount", trilith.OpGt, 1200),
	trilith.Where("currency", trilith.OpEq, "EUR"),
	trilith.Where("financial_type", trilith.OpEq, "invoice"),
	trilith.Where("financial_category", trilith.OpNe, nil),
	trilith.Where("fact_id", trilith.OpRegex, "^Invoice:"),
	trilith.Where("evidence", trilith.OpContains, pid(904)),
	trilith.Where("evidence", trilith.OpContains, pid(906)),
}

// A world of few values, so that drawn filters accept some points and refuse others.
var (
	someWords   = []string{"", "a", "b", "ab", "Ä"}
	someTags    = []string{"red", "blue", "green"}
	factStrings = []string{"entity_id", "entity_ref", "verb", "fact_id", "fact_type", "polarity", "certainty",
		"author_role", "priority",
		"verification_status", "currency", "financial_type", "financial_category"}
	someStrings = []string{"speaker", "type", "category", "title", "external_id", "project", "domain", "user", "agent",
		"session", "channel"}
	someTimes = []time.Time{day, day.Add(time.Hour), day.AddDate(0, 0, 1), day.AddDate(-1, 0, 0)}
)

func drawPoint(t *rapid.T, n int) role.Point {
	word := func(name string) string { return rapid.SampledFrom(someWords).Draw(t, name) }
	when := func(name string) time.Time { return rapid.SampledFrom(someTimes).Draw(t, name) }
	p := point("ana", n, int64(1+n%3), at(float64(rapid.IntRange(0, 40).Draw(t, "angle"))*4))
	f := &p.Facets
	f.Scope = trilith.Scope{Tenant: "ana", Project: word("project"), Domain: word("domain"), User: word("user"),
		Agent:   word("agent"),
		Session: word("session"), Channel: word("channel")}
	f.Kind = rapid.SampledFrom(trilith.Kinds()).Draw(t, "kind")
	f.State = rapid.SampledFrom(trilith.States()).Draw(t, "state")
	f.Role = rapid.SampledFrom([]trilith.Role{"", trilith.RoleUser, trilith.RoleAssistant}).Draw(t, "role")
	f.Speaker, f.Type, f.Category, f.Title, f.ExternalID = word("speaker"), word("type"), word("category"),
		word("title"), word("external")
	f.Seq = rapid.IntRange(0, 3).Draw(t, "seq")
	f.EventTime, f.RecordedAt = when("event"), when("recorded")
	if rapid.Bool().Draw(t, "ends") {
		until := when("until")
		f.ValidUntil = &until
	}
	f.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom(someTags), 0, 3, rapid.ID[string]).Draw(t, "tags")
	f.Metadata = map[string]any{}
	for _, key := range []string{"k", "l"} {
		switch rapid.IntRange(0, 4).Draw(t, "sort of value") {
		case 0:
			f.Metadata[key] = word("text")
		case 1:
			f.Metadata[key] = float64(rapid.IntRange(0, 2).Draw(t, "number"))
		case 2:
			f.Metadata[key] = rapid.Bool().Draw(t, "truth")
		case 3:
			f.Metadata[key] = []any{word("element"), 1.0}
		}
	}
	if rapid.Bool().Draw(t, "fact") {
		f.Fact = drawFact(t, word)
	}
	return p
}

func drawFact(t *rapid.T, word func(name string) string) *trilith.Fact {
	f := &trilith.Fact{EntityID: trilith.ID(word("entity")), Verb: word("verb"), FactID: word("fact id"),
		Node: trilith.Node{EntityRef: trilith.ID(word("ref"))}, Type: trilith.FactType(word("fact type")),
		Polarity:   trilith.Polarity(word("polarity")),
		Certainty:  trilith.Certainty(word("certainty")),
		Confidence: float64(rapid.IntRange(0, 2).Draw(t, "confidence")) / 2,
		AuthorRole: trilith.Role(word("author")), Priority: trilith.Priority(word("priority")),
		RequiresAction: rapid.Bool().Draw(t, "action"),
		Verification:   trilith.Verification{Status: trilith.VerificationStatus(word("status"))}}
	if rapid.Bool().Draw(t, "due") {
		deadline := rapid.SampledFrom(someTimes).Draw(t, "deadline")
		f.ActionDeadline = &deadline
	}
	if rapid.Bool().Draw(t, "money") {
		f.Financial = &trilith.Financial{
			Amount:   rapid.SampledFrom([]string{"", "0.5", "1", "1.00", "-2", "much"}).Draw(t, "amount"),
			Currency: word("currency"), Type: word("money type"), Category: word("money category")}
	}
	return f
}

func drawFilter(t *rapid.T, depth int) trilith.Filter {
	form := rapid.IntRange(0, 9).Draw(t, "form")
	switch {
	case depth > 0 && form == 0:
		f := drawFilter(t, depth-1)
		return trilith.Filter{Not: &f}
	case depth > 0 && form <= 4:
		fs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) trilith.Filter { return drawFilter(t, depth-1) }), 1, 3).Draw(
			t, "conditions")
		if form <= 2 {
			return trilith.Filter{And: fs}
		}
		return trilith.Filter{Or: fs}
	}
	eq := func(field string, value any) trilith.Filter {
		return trilith.Where(field, rapid.SampledFrom([]trilith.Op{trilith.OpEq, trilith.OpNe}).Draw(t, "op"), value)
	}
	in := func(field string, value any) trilith.Filter {
		return trilith.Where(field, rapid.SampledFrom([]trilith.Op{trilith.OpIn, trilith.OpNin}).Draw(t, "op"), value)
	}
	ordered := func(field string, value any) trilith.Filter {
		return trilith.Where(field,
			rapid.SampledFrom([]trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpGt, trilith.OpGte, trilith.OpLt,
				trilith.OpLte}).Draw(t, "op"), value)
	}
	word := func() string { return rapid.SampledFrom(someWords).Draw(t, "word") }
	text := rapid.SampledFrom(slices.Concat(someStrings, factStrings)).Draw(t, "field")
	switch rapid.IntRange(0, 15).Draw(t, "comparison") {
	case 0:
		return eq("kind", rapid.SampledFrom(trilith.Kinds()).Draw(t, "kind"))
	case 1:
		return in("state", rapid.SliceOfN(rapid.SampledFrom(trilith.States()), 1, 3).Draw(t, "states"))
	case 2:
		return eq("role", trilith.RoleUser)
	case 3:
		return eq(text, nil)
	case 4:
		return ordered(text, word())
	case 5:
		return trilith.Where(text, rapid.SampledFrom([]trilith.Op{trilith.OpContains, trilith.OpRegex}).Draw(t, "op"), word())
	case 6:
		return in(text, []any{word(), nil, word()})
	case 7:
		return ordered("seq", rapid.IntRange(0, 3).Draw(t, "seq"))
	case 8:
		field := rapid.SampledFrom(
			[]string{"event_time", "recorded_at", "valid_until", "superseded_at", "action_deadline"}).Draw(
			t, "time field")
		return ordered(field, rapid.SampledFrom(someTimes).Draw(t, "time"))
	case 9:
		op := rapid.SampledFrom([]trilith.Op{trilith.OpContains, trilith.OpEq, trilith.OpNe, trilith.OpRegex}).Draw(t, "op")
		return trilith.Where("tags", op, rapid.SampledFrom(someTags).Draw(t, "tag"))
	case 10:
		return in("tags", rapid.SliceOfN(rapid.SampledFrom(someTags), 1, 2).Draw(t, "tags"))
	case 11:
		value := rapid.SampledFrom([]any{"a", "", 1, 0.0, true, false, nil}).Draw(t, "value")
		return eq(rapid.SampledFrom([]string{"metadata.k", "metadata.l", "metadata.k.l"}).Draw(t, "path"), value)
	case 12:
		return ordered(rapid.SampledFrom([]string{"confidence", "financial_amount"}).Draw(t, "number field"),
			rapid.SampledFrom([]float64{-2, 0, 0.5, 1}).Draw(t, "number"))
	case 13:
		return eq("requires_action", rapid.SampledFrom([]any{true, false, nil}).Draw(t, "action"))
	case 14:
		return trilith.Where("metadata.k", trilith.OpRegex, rapid.SampledFrom([]string{"", "a", "^.$", "(?i)B"}).Draw(
			t, "pattern"))
	}
	return trilith.Where("metadata.k",
		rapid.SampledFrom([]trilith.Op{trilith.OpGt, trilith.OpLte, trilith.OpContains}).Draw(t, "op"),
		rapid.SampledFrom([]any{"a", 1}).Draw(t, "value"))
}

func testVectorFilter(t *testing.T, x role.VectorIndex) {
	points := rapid.Custom(func(t *rapid.T) []role.Point {
		ps := make([]role.Point, 60)
		for i := range ps {
			ps[i] = drawPoint(t, i)
		}
		return ps
	}).Example(1)
	points = append(points, fullPoint("ana", 100))
	mustApply(t, x, plane, points...)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		scope := trilith.Scope{Tenant: "ana"}
		if rapid.Bool().Draw(t, "narrow") {
			scope.User = rapid.SampledFrom(someWords).Draw(t, "user")
			scope.Session = rapid.SampledFrom(someWords).Draw(t, "session")
		}
		probe := role.VectorProbe{
			Vector: at(float64(rapid.IntRange(-90, 90).Draw(t, "angle")) + 0.3), // no two angles are equally distant
			Filter: drawFilter(t, 3),
			K:      rapid.SampledFrom([]int{1, 3, 10, 100}).Draw(t, "k"),
		}
		got, err := First(x.Search(ctx, scope, plane, probe))
		if err != nil {
			t.Fatalf("Search(%+v) = %v", probe.Filter, err)
		}
		want := bruteForce(t, points, scope, probe)
		if diff := DiffFound(probe, want, got); diff != "" {
			t.Fatalf("Search(user %q, session %q, %s, k %d): -want +got\n%s", scope.User, scope.Session,
				show(probe.Filter), probe.K, diff)
		}
	})
}

func testVectorFacets(t *testing.T, x role.VectorIndex) {
	mustApply(t, x, plane, fullPoint("ana", 1), point("ana", 2, 1, at(20)))
	for _, f := range fullFilters {
		got := mustSearch(t, x, ana, plane, role.VectorProbe{Vector: at(0), Filter: f, K: 10})
		if len(got) != 1 || got[0].ID != pid(1) {
			t.Errorf("Search(%s) = %v, want the point with a value in every facet alone", show(f), got)
		}
	}
}

func show(f trilith.Filter) string {
	data, err := f.MarshalJSON()
	if err != nil {
		return fmt.Sprintf("%+v", f)
	}
	return string(data)
}

// bruteForce answers a probe by the definition: the compiled filter and the cosine of every point.
func bruteForce(t *rapid.T, points []role.Point, s trilith.Scope, p role.VectorProbe) []role.Candidate {
	match, err := p.Filter.Compile()
	if err != nil {
		t.Fatalf("Compile(%s) = %v", show(p.Filter), err)
	}
	var all []role.Candidate
	for _, pt := range points {
		if s.Covers(pt.Facets.Scope) && (match == nil || match(&pt.Facets)) {
			cos := float64(p.Vector[0])*float64(pt.Vector[0]) + float64(p.Vector[1])*float64(pt.Vector[1])
			all = append(all, role.Candidate{ID: pt.Facets.ID, Version: pt.Facets.Version, Score: cos})
		}
	}
	slices.SortFunc(all, func(a, b role.Candidate) int {
		if math.Abs(a.Score-b.Score) > 1e-6 {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return all[:min(p.K, len(all))]
}
