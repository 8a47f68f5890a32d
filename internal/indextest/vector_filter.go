package indextest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"pgregory.net/rapid"
)

// fullPoint returns a point at ten degrees with a value in every facet.
func fullPoint(tenant string, n int) cairn.Point {
	until := day.Add(48 * time.Hour)
	p := point(tenant, n, 3, at(10))
	p.At = day.Add(time.Minute)
	p.Facets = cairn.Facets{
		ID: pid(n), Version: 3, Kind: cairn.KindEntry,
		Scope: cairn.Scope{Tenant: tenant, Project: "p1", Domain: "d1", User: "u1", Agent: "a1", Session: "s1",
			Channel: "c1"},
		Role: cairn.RoleAssistant, Speaker: "Zoë", Type: "decision", SourceID: pid(900), Seq: 7,
		EventTime: day, RecordedAt: day.Add(time.Hour), ValidUntil: &until, SupersededAt: &until,
		State: cairn.StateSuperseded, Trust: cairn.TrustImported, SupersededBy: pid(901), SharedFrom: pid(904),
		Tags: []string{"red", "blue"},
		Metadata: map[string]any{"n": 1.5, "s": "text", "b": true, "list": []any{"x", 2.0},
			"deep": map[string]any{"er": "v"}},
		Category: "cat", Title: "A title", ExternalID: "ext-1", Fact: fullFact(),
	}
	return p
}

// fullFact returns a fact with a value in every field that filters test.
func fullFact() *cairn.Fact {
	deadline, reviewed := day.Add(72*time.Hour), day.Add(time.Minute)
	return &cairn.Fact{EntityID: pid(902), Verb: "owes", FactID: "Invoice:Roof",
		Node: cairn.Node{Type: "Invoice", Name: "Roof", EntityRef: pid(903)},
		Type: cairn.FactFinancial, Content: map[string]any{"k": "v"}, Polarity: cairn.Negated, Certainty: cairn.Hedged,
		Confidence: 0.75,
		AuthorRole: cairn.RoleTool,
		Evidence: []cairn.Evidence{
			{EpisodeID: pid(904), Quote: "owes", End: 4, Premises: []cairn.Premise{{EpisodeID: pid(906)}}}},
		Priority:       cairn.PriorityHigh,
		RequiresAction: true, ActionDeadline: &deadline,
		Financial:    &cairn.Financial{Amount: "1200.50", Currency: "EUR", Category: "roof", Type: "invoice"},
		Verification: cairn.Verification{Status: cairn.Rejected, By: "ana", At: &reviewed}}
}

// spoil changes a fact and all that it points to.
func spoil(f *cairn.Fact) {
	*f.ActionDeadline, *f.Verification.At = day.AddDate(9, 0, 0), day.AddDate(9, 0, 0)
	*f.Financial = cairn.Financial{Amount: "0"}
	f.Evidence[0].Quote, f.Content["k"] = "spoiled", "spoiled"
	*f = cairn.Fact{Verb: "spoiled"}
}

// fullFilters accept fullPoint, one facet each, and not an empty point.
var fullFilters = slices.Concat([]cairn.Filter{
	cairn.Where("id", cairn.OpEq, pid(1)),
	cairn.Where("kind", cairn.OpEq, cairn.KindEntry),
	cairn.Where("project", cairn.OpEq, "p1"),
	cairn.Where("domain", cairn.OpEq, "d1"),
	cairn.Where("user", cairn.OpEq, "u1"),
	cairn.Where("agent", cairn.OpEq, "a1"),
	cairn.Where("session", cairn.OpEq, "s1"),
	cairn.Where("channel", cairn.OpEq, "c1"),
	cairn.Where("role", cairn.OpIn, []string{"assistant", "tool"}),
	cairn.Where("speaker", cairn.OpContains, "Zo"),
	cairn.Where("type", cairn.OpEq, "decision"),
	cairn.Where("source_id", cairn.OpEq, pid(900)),
	cairn.Where("seq", cairn.OpGt, 6),
	cairn.AllOf(cairn.Where("recorded_at", cairn.OpEq, day.Add(time.Hour)), cairn.Where("event_time", cairn.OpEq, day)),
	cairn.Where("superseded_at", cairn.OpGt, day),
	cairn.Where("valid_until", cairn.OpLte, day.Add(48*time.Hour)),
	cairn.Where("state", cairn.OpNe, cairn.StateActive),
	cairn.Where("trust", cairn.OpEq, cairn.TrustImported),
	cairn.Where("superseded_by", cairn.OpEq, pid(901)),
	cairn.Where("shared_from", cairn.OpEq, pid(904)),
	cairn.Where("tags", cairn.OpContains, "blue"),
	cairn.Where("metadata.n", cairn.OpLt, 2),
	cairn.Where("metadata.s", cairn.OpNe, nil),
	cairn.Where("metadata.b", cairn.OpEq, true),
	cairn.Where("metadata.list", cairn.OpContains, 2),
	cairn.Where("metadata.deep.er", cairn.OpEq, "v"),
	cairn.Where("category", cairn.OpEq, "cat"),
	cairn.Where("title", cairn.OpContains, "title"),
	cairn.Where("external_id", cairn.OpEq, "ext-1"),
	cairn.Where("speaker", cairn.OpRegex, "^Zo"),
	cairn.Where("session", cairn.OpRegex, `^(?i)S\d$`),
	cairn.Where("kind", cairn.OpRegex, "ntr"),
	cairn.Where("tags", cairn.OpRegex, "^bl"),
	cairn.Where("metadata.s", cairn.OpRegex, "ex"),
	cairn.Where("metadata.list", cairn.OpRegex, "^x$"),
}, factFilters)

// factFilters accept fullFact, one field each.
var factFilters = []cairn.Filter{
	cairn.Where("entity_id", cairn.OpEq, pid(902)),
	cairn.Where("entity_ref", cairn.OpIn, []cairn.ID{pid(1), pid(903)}),
	cairn.Where("verb", cairn.OpEq, "owes"),
	cairn.Where("fact_id", cairn.OpContains, "Roof"),
	cairn.Where("fact_type", cairn.OpEq, "financial"),
	cairn.Where("polarity", cairn.OpEq, "negated"),
	cairn.Where("certainty", cairn.OpEq, "hedged"),
	cairn.Where("confidence", cairn.OpGte, 0.75),
	cairn.Where("author_role", cairn.OpEq, cairn.RoleTool),
	cairn.Where("priority", cairn.OpIn, []string{"critical", "high"}),
	cairn.Where("requires_action", cairn.OpEq, true),
	cairn.Where("action_deadline", cairn.OpLte, day.Add(72*time.Hour)),
	cairn.Where("verification_status", cairn.OpEq, "rejected"),
	cairn.Where("financial_amount", cairn.OpGt, 1200),
	cairn.Where("currency", cairn.OpEq, "EUR"),
	cairn.Where("financial_type", cairn.OpEq, "invoice"),
	cairn.Where("financial_category", cairn.OpNe, nil),
	cairn.Where("fact_id", cairn.OpRegex, "^Invoice:"),
	cairn.Where("evidence", cairn.OpContains, pid(904)),
	cairn.Where("evidence", cairn.OpContains, pid(906)),
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

func drawPoint(t *rapid.T, n int) cairn.Point {
	word := func(name string) string { return rapid.SampledFrom(someWords).Draw(t, name) }
	when := func(name string) time.Time { return rapid.SampledFrom(someTimes).Draw(t, name) }
	p := point("ana", n, int64(1+n%3), at(float64(rapid.IntRange(0, 40).Draw(t, "angle"))*4))
	f := &p.Facets
	f.Scope = cairn.Scope{Tenant: "ana", Project: word("project"), Domain: word("domain"), User: word("user"),
		Agent:   word("agent"),
		Session: word("session"), Channel: word("channel")}
	f.Kind = rapid.SampledFrom(cairn.Kinds()).Draw(t, "kind")
	f.State = rapid.SampledFrom(cairn.States()).Draw(t, "state")
	f.Role = rapid.SampledFrom([]cairn.Role{"", cairn.RoleUser, cairn.RoleAssistant}).Draw(t, "role")
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

func drawFact(t *rapid.T, word func(name string) string) *cairn.Fact {
	f := &cairn.Fact{EntityID: cairn.ID(word("entity")), Verb: word("verb"), FactID: word("fact id"),
		Node: cairn.Node{EntityRef: cairn.ID(word("ref"))}, Type: cairn.FactType(word("fact type")),
		Polarity:   cairn.Polarity(word("polarity")),
		Certainty:  cairn.Certainty(word("certainty")),
		Confidence: float64(rapid.IntRange(0, 2).Draw(t, "confidence")) / 2,
		AuthorRole: cairn.Role(word("author")), Priority: cairn.Priority(word("priority")),
		RequiresAction: rapid.Bool().Draw(t, "action"),
		Verification:   cairn.Verification{Status: cairn.VerificationStatus(word("status"))}}
	if rapid.Bool().Draw(t, "due") {
		deadline := rapid.SampledFrom(someTimes).Draw(t, "deadline")
		f.ActionDeadline = &deadline
	}
	if rapid.Bool().Draw(t, "money") {
		f.Financial = &cairn.Financial{
			Amount:   rapid.SampledFrom([]string{"", "0.5", "1", "1.00", "-2", "much"}).Draw(t, "amount"),
			Currency: word("currency"), Type: word("money type"), Category: word("money category")}
	}
	return f
}

func drawFilter(t *rapid.T, depth int) cairn.Filter {
	form := rapid.IntRange(0, 9).Draw(t, "form")
	switch {
	case depth > 0 && form == 0:
		f := drawFilter(t, depth-1)
		return cairn.Filter{Not: &f}
	case depth > 0 && form <= 4:
		fs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cairn.Filter { return drawFilter(t, depth-1) }), 1, 3).Draw(
			t, "conditions")
		if form <= 2 {
			return cairn.Filter{And: fs}
		}
		return cairn.Filter{Or: fs}
	}
	eq := func(field string, value any) cairn.Filter {
		return cairn.Where(field, rapid.SampledFrom([]cairn.Op{cairn.OpEq, cairn.OpNe}).Draw(t, "op"), value)
	}
	in := func(field string, value any) cairn.Filter {
		return cairn.Where(field, rapid.SampledFrom([]cairn.Op{cairn.OpIn, cairn.OpNin}).Draw(t, "op"), value)
	}
	ordered := func(field string, value any) cairn.Filter {
		return cairn.Where(field,
			rapid.SampledFrom([]cairn.Op{cairn.OpEq, cairn.OpNe, cairn.OpGt, cairn.OpGte, cairn.OpLt,
				cairn.OpLte}).Draw(t, "op"), value)
	}
	word := func() string { return rapid.SampledFrom(someWords).Draw(t, "word") }
	text := rapid.SampledFrom(slices.Concat(someStrings, factStrings)).Draw(t, "field")
	switch rapid.IntRange(0, 15).Draw(t, "comparison") {
	case 0:
		return eq("kind", rapid.SampledFrom(cairn.Kinds()).Draw(t, "kind"))
	case 1:
		return in("state", rapid.SliceOfN(rapid.SampledFrom(cairn.States()), 1, 3).Draw(t, "states"))
	case 2:
		return eq("role", cairn.RoleUser)
	case 3:
		return eq(text, nil)
	case 4:
		return ordered(text, word())
	case 5:
		return cairn.Where(text, rapid.SampledFrom([]cairn.Op{cairn.OpContains, cairn.OpRegex}).Draw(t, "op"), word())
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
		return cairn.Where("tags", rapid.SampledFrom([]cairn.Op{cairn.OpContains, cairn.OpRegex}).Draw(t, "op"),
			rapid.SampledFrom(someTags).Draw(t, "tag"))
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
		return cairn.Where("metadata.k", cairn.OpRegex, rapid.SampledFrom([]string{"", "a", "^.$", "(?i)B"}).Draw(
			t, "pattern"))
	}
	return cairn.Where("metadata.k",
		rapid.SampledFrom([]cairn.Op{cairn.OpGt, cairn.OpLte, cairn.OpContains}).Draw(t, "op"),
		rapid.SampledFrom([]any{"a", 1}).Draw(t, "value"))
}

func testVectorFilter(t *testing.T, x cairn.VectorIndex) {
	points := rapid.Custom(func(t *rapid.T) []cairn.Point {
		ps := make([]cairn.Point, 60)
		for i := range ps {
			ps[i] = drawPoint(t, i)
		}
		return ps
	}).Example(1)
	points = append(points, fullPoint("ana", 100))
	mustApply(t, x, plane, points...)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		scope := cairn.Scope{Tenant: "ana"}
		if rapid.Bool().Draw(t, "narrow") {
			scope.User = rapid.SampledFrom(someWords).Draw(t, "user")
			scope.Session = rapid.SampledFrom(someWords).Draw(t, "session")
		}
		probe := cairn.VectorProbe{
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

func testVectorFacets(t *testing.T, x cairn.VectorIndex) {
	mustApply(t, x, plane, fullPoint("ana", 1), point("ana", 2, 1, at(20)))
	for _, f := range fullFilters {
		got := mustSearch(t, x, ana, plane, cairn.VectorProbe{Vector: at(0), Filter: f, K: 10})
		if len(got) != 1 || got[0].ID != pid(1) {
			t.Errorf("Search(%s) = %v, want the point with a value in every facet alone", show(f), got)
		}
	}
}

func show(f cairn.Filter) string {
	data, err := f.MarshalJSON()
	if err != nil {
		return fmt.Sprintf("%+v", f)
	}
	return string(data)
}

// bruteForce answers a probe by the definition: the compiled filter and the cosine of every point.
func bruteForce(t *rapid.T, points []cairn.Point, s cairn.Scope, p cairn.VectorProbe) []cairn.Candidate {
	match, err := p.Filter.Compile()
	if err != nil {
		t.Fatalf("Compile(%s) = %v", show(p.Filter), err)
	}
	var all []cairn.Candidate
	for _, pt := range points {
		if s.Covers(pt.Facets.Scope) && (match == nil || match(&pt.Facets)) {
			cos := float64(p.Vector[0])*float64(pt.Vector[0]) + float64(p.Vector[1])*float64(pt.Vector[1])
			all = append(all, cairn.Candidate{ID: pt.Facets.ID, Version: pt.Facets.Version, Score: cos})
		}
	}
	slices.SortFunc(all, func(a, b cairn.Candidate) int {
		if math.Abs(a.Score-b.Score) > 1e-6 {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return all[:min(p.K, len(all))]
}
