package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// A memory's facets for the tests of filters: values that SQL and Go like to read differently.
func corpus() []trilith.Facets {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	end := at.Add(time.Microsecond)
	facets := func(n int, edit func(*trilith.Facets)) trilith.Facets {
		f := trilith.Facets{ID: trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)), Version: 1,
			Kind:  trilith.KindNote,
			Scope: trilith.Scope{Tenant: "acme"}, State: trilith.StateActive, Trust: trilith.TrustUserStated, EventTime: at,
			RecordedAt: at}
		edit(&f)
		return f
	}
	return []trilith.Facets{
		facets(0, func(*trilith.Facets) {}),
		facets(1, func(f *trilith.Facets) {
			f.Speaker, f.Type, f.Scope.User, f.Seq = "ana", "50%", "Ana", 2
			f.Tags = []string{"red"}
			f.Metadata = map[string]any{"n": 1, "s": "1", "b": true, "list": []string{"a"},
				"deep": map[string]any{"er": "ana"}, "one": []any{[]any{"a"}}}
		}),
		facets(2, func(f *trilith.Facets) {
			f.Speaker, f.Type, f.Scope.User, f.Seq = "an_\x00b", "\x01", "é", 1<<53+1
			f.Tags = []string{"red", "", "\x00", "50%"}
			f.Metadata = map[string]any{"n": "1", "s": "", "b": false, "list": []any{1, "a", nil}, "deep": "er",
				"one": []any{nil}, "a\x00b": "\x01\x00"}
			f.EventTime, f.ValidUntil = at.Add(-time.Microsecond), &at
		}),
		facets(3, func(f *trilith.Facets) {
			f.Speaker, f.Type, f.Category, f.Title, f.ExternalID = "\x01\x02", "b", "c", "t", "e"
			f.Tags = []string{""}
			f.Metadata = map[string]any{"n": 2.5, "s": nil, "b": "true", "list": []any{}, "deep": map[string]any{},
				"one": []any{"a"}}
			f.ValidUntil, f.SupersededAt = &end, &at
		}),
		facets(4, func(f *trilith.Facets) {
			f.Kind = trilith.KindFact
			f.Fact = &trilith.Fact{EntityID: f.ID, Verb: "likes", FactID: "Thing:tea", Node: trilith.Node{EntityRef: "x"},
				Type:     trilith.FactEvent,
				Polarity: trilith.Affirmed, Confidence: 0.5, Priority: "B", RequiresAction: true, ActionDeadline: &end,
				Financial:    &trilith.Financial{Amount: "2.50", Currency: "EUR", Type: "ana"},
				Verification: trilith.Verification{Status: trilith.Verified},
				Evidence:     []trilith.Evidence{{EpisodeID: "a", Premises: []trilith.Premise{{EpisodeID: "red"}}}}}
		}),
		facets(5, func(f *trilith.Facets) {
			f.Kind = trilith.KindFact
			f.Fact = &trilith.Fact{Confidence: 1, Evidence: []trilith.Evidence{{EpisodeID: "a"}}, Certainty: "an\x00"}
		}),
	}
}

func leaves() (out []trilith.Filter) {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	values := []any{nil, "", "1", "ana", "a", "B", "é", "%", "_", "red", "\x00", "\x01", "\x02", "an", true, false, 0,
		1, 2.5, 0.5, 1 << 53, at, "2025-03-01", "2025-03-01T12:00:00.000001Z",
		json.Number("1"), trilith.KindFact, []string{"ana", "red"}, []any{nil, 1, true, "a", ""}, []any{nil, "red", ""},
		[]any{nil, "2025-03-01T12:00:00Z"}, []any{1, 2.5, nil}, []any{true, nil}, "(?i)^ana?"}
	fields := []string{"id", "kind", "role", "speaker", "type", "seq", "state", "user", "session", "category", "title",
		"external_id", "event_time", "recorded_at", "valid_until",
		"superseded_at", "tags", "evidence", "entity_id", "verb", "fact_type", "polarity", "certainty", "priority",
		"verification_status", "currency", "financial_type",
		"confidence", "financial_amount", "action_deadline", "requires_action", "metadata.n", "metadata.s",
		"metadata.b", "metadata.list", "metadata.deep", "metadata.deep.er",
		"metadata.one", "metadata.list.0", "metadata.none", "metadata.a\x00b"}
	for _, field := range fields {
		for _, op := range []trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpGt, trilith.OpGte, trilith.OpLt, trilith.OpLte,
			trilith.OpIn, trilith.OpNin, trilith.OpContains, trilith.OpRegex} {
			for _, v := range values {
				if f := trilith.Where(field, op, v); f.Validate() == nil {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// selects runs a filter as SQL over the corpus and compares: everything that the filter accepts, and nothing else if it
// says that it is exact.
func selects(t rapid.TB, conn *pgx.Conn, rows []trilith.Facets, f trilith.Filter) {
	t.Helper()
	match, err := f.Compile()
	if err != nil {
		t.Fatalf("Compile(%+v) = %v", f, err)
	}
	w := where{table: "m"}
	w.scope(trilith.Scope{Tenant: "acme"})
	exact := w.filter(f)
	query := "SELECT " + columnsOf("m") + " FROM trilith.memories AS m WHERE " + w.clause() + " ORDER BY id"
	var got, passed, want []trilith.ID
	r, err := conn.Query(context.Background(), query, w.args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	err = collect(r, func(r pgx.Rows) error {
		var row facetRow
		if err := r.Scan(row.targets()...); err != nil {
			return err
		}
		f, _, err := row.facets()
		got = append(got, f.ID)
		if match == nil || match(&f) {
			passed = append(passed, f.ID)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s with %v: %v", query, w.args, err)
	}
	for i := range rows {
		if match == nil || match(&rows[i]) {
			want = append(want, rows[i].ID)
		}
	}
	if exact && !slices.Equal(got, want) || !slices.Equal(passed, want) {
		t.Errorf("%+v: SQL selects %v (exact: %t), after the matcher %v, want %v\n%s\n%q", f, got, exact, passed, want,
			w.clause(), w.args)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows := corpus()
	for i := range rows {
		values, err := encodeFacets(&rows[i])
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Exec(t.Context(), "INSERT INTO trilith.memories (change, text, "+strings.Join(facetColumns, ", ")+
			") VALUES ($1, '', "+placeholders(1, len(facetColumns))+")",
			append([]any{i}, values...)...)
		if err != nil {
			t.Fatal(err)
		}
	}
	all := leaves()
	for _, f := range all {
		selects(t, conn, rows, f)
	}
	rapid.Check(t, func(t *rapid.T) { selects(t, conn, rows, drawFilter(t, all, 3)) })
}

func drawFilter(t *rapid.T, leaves []trilith.Filter, depth int) trilith.Filter {
	form := 0
	if depth > 0 {
		form = rapid.IntRange(0, 3).Draw(t, "form")
	}
	switch form {
	case 0:
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	case 1:
		f := drawFilter(t, leaves, depth-1)
		return trilith.Filter{Not: &f}
	}
	list := make([]trilith.Filter, rapid.IntRange(1, 3).Draw(t, "n"))
	for i := range list {
		list[i] = drawFilter(t, leaves, depth-1)
	}
	if form == 2 {
		return trilith.Filter{And: list}
	}
	return trilith.Filter{Or: list}
}
