package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var filterCases = []testCase{
	{name: "filter/examples", why: "a listing yields exactly the memories that the filter accepts",
		run: testFilterExamples},
	{name: "filter/grammar",
		why: "every field with every operator and every type of value means the same on every driver; a filter outside the grammar is Invalid",
		run: testFilterGrammar},
	{name: "filter/combined", why: "and, or and not mean the same on every driver, in every order",
		run: testFilterCombined},
	{name: "filter/long_list", why: "in takes up to MaxFilterList values",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 4)...))
			in := trilith.Where("id", trilith.OpIn, idRange(3, 3+trilith.MaxFilterList))
			wantEqual(t, "List", f.list(t, acme, role.Listing{Filter: in}), []trilith.ID{id(3)})
			_, err := collect(f.List(
				t.Context(), acme, role.Listing{
					Filter: trilith.Where("id", trilith.OpIn, idRange(0, trilith.MaxFilterList+1))}))
			wantKind(t, "List with one value more than MaxFilterList", err, trilith.Invalid)
		}},
}

// filterCorpus holds memories that differ in every field, with values that databases often confuse: cases, accents,
// wildcards, quotes, numbers and texts of numbers, absent and empty.
func filterCorpus() []trilith.Memory {
	return []trilith.Memory{
		note(0, "bare", func(m *trilith.Memory) { m.Type = "" }),
		stored(),
		note(2, "x", func(m *trilith.Memory) {
			m.Kind, m.Role, m.Speaker, m.Seq = trilith.KindEpisode, trilith.RoleUser, "ana", 2
			m.Scope.User, m.Scope.Session = "ana", "B"
			m.Tags = []string{"red"}
			m.Metadata = map[string]any{"n": 1, "s": "1", "b": true, "list": []string{"a", "b"},
				"deep": map[string]any{"er": "ana"}}
		}),
		note(3, "x", func(m *trilith.Memory) {
			m.Kind, m.Role, m.Speaker, m.Seq = trilith.KindEpisode, trilith.RoleAssistant, "Ana", 10
			m.Scope.User, m.Scope.Session = "Ana", "a"
			m.Tags = []string{"red", "Red", "50%"}
			m.Metadata = map[string]any{"n": "1", "s": "a%", "b": "true", "list": []any{1, "a"}, `wei"rd`: "q",
				"o'k": 2, "x[0]": "y"}
		}),
		note(4, "x", func(m *trilith.Memory) {
			m.Kind, m.State, m.SourceID, m.SupersededBy = trilith.KindSummary, trilith.StateQuarantined, id(50), id(2)
			m.Speaker, m.Type, m.ExternalID, m.SharedFrom = "Zürich", "50%", "e_1", id(1)
			m.Scope.User, m.Scope.Project = "é", "日本"
			m.ValidUntil = ptr(epoch.Add(time.Microsecond))
			m.Metadata = map[string]any{"n": -1.5, "s": "", "b": false, "list": []any{},
				"deep": map[string]any{}, "日本": "é"}
		}),
		note(5, "x", func(m *trilith.Memory) {
			m.Kind, m.Trust = trilith.KindEntry, trilith.TrustToolOutput
			m.Entry = &trilith.Entry{Category: "ana", Title: "B", Content: "c"}
			m.Speaker, m.ExternalID = "zurich", "E_1"
			m.EventTime, m.RecordedAt = epoch.Add(-time.Microsecond), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
			m.ValidUntil, m.SupersededAt = ptr(epoch), ptr(epoch)
			m.Metadata = map[string]any{"n": nil, "s": map[string]any{"x": 1}, "list": "red", "b": 0, "deep": "er"}
		}),
		note(6, "x", func(m *trilith.Memory) {
			m.EventTime, m.RecordedAt = epoch, epoch
			m.Speaker, m.Type = "an_", "5%"
			m.Scope.Agent, m.Scope.Channel, m.Scope.Domain = "ana", "B", "a"
			m.Metadata = map[string]any{"n": 1e15, "list": []any{"ana"}, "b": []any{true}}
		}),
	}
}

// filterFacts are facts that differ likewise, one without any value and one that is not a fact.
func filterFacts() []trilith.Memory {
	return []trilith.Memory{
		assertedFully(7),
		assertion(8),
		assertion(9, func(m *trilith.Memory) {
			m.Fact.EntityID, m.Fact.Node.EntityRef, m.Fact.Verb, m.Fact.FactID = id(60), id(2), "ana", "location:paris"
			m.Fact.Financial = &trilith.Financial{Amount: "1", Currency: "eur", Type: "é", Category: "%"}
			m.Fact.ActionDeadline, m.Fact.Verification.Status = ptr(epoch.Add(time.Microsecond)), trilith.Rejected
			m.Fact.Certainty, m.Fact.Polarity, m.Fact.Priority, m.Fact.AuthorRole = "B", "red", "1", "note"
			m.Fact.Confidence, m.Fact.RequiresAction = 1, true
		}),
		assertion(10, func(m *trilith.Memory) { m.Fact = &trilith.Fact{Financial: &trilith.Financial{Amount: "about 12"}} }),
		assertion(11, func(m *trilith.Memory) { m.Fact = nil }),
	}
}

func testFilterExamples(t *testing.T, f *fixture) {
	f.commit(t, puts(filterCorpus()...))
	for _, c := range []struct {
		filter string
		want   []int
	}{
		{`{}`, []int{0, 1, 2, 3, 4, 5, 6}},
		{`{"kind": "episode"}`, []int{2, 3}},
		{`{"kind": ["episode", "summary"]}`, []int{2, 3, 4}},
		{`{"role": null}`, []int{0, 4, 5, 6}},
		{`{"role": {"ne": "user"}}`, []int{0, 1, 3, 4, 5, 6}},
		{`{"speaker": "ana"}`, []int{2}},
		{`{"speaker": {"contains": "n_"}}`, []int{6}},
		{`{"speaker": {"contains": "ur"}}`, []int{5}},
		{`{"speaker": {"gte": "Z", "lt": "a"}}`, []int{1, 4}},
		{`{"type": {"contains": "0%"}}`, []int{4}},
		{`{"user": "é"}`, []int{4}},
		{`{"user": {"gt": "ana"}}`, []int{1, 4}},
		{`{"seq": {"gte": 2, "lt": 10}}`, []int{2}},
		{`{"seq": {"gt": 2.5}}`, []int{1, 3}},
		{`{"event_time": {"lt": "2025-03-01T12:00:00Z"}}`, []int{1, 5}},
		{`{"event_time": "2025-03-01T14:00:00+02:00"}`, []int{0, 6}},
		{`{"recorded_at": {"lte": "0001-01-01"}}`, []int{5}},
		{`{"valid_until": null}`, []int{0, 2, 3, 6}},
		{`{"valid_until": {"gt": "2025-03-01T12:00:00Z"}}`, []int{1, 4}},
		{`{"tags": "red"}`, []int{2, 3}},
		{`{"tags": {"ne": "red"}}`, []int{0, 1, 4, 5, 6}},
		{`{"tags": ["blue", "red", null]}`, []int{0, 2, 3, 4, 5, 6}},
		{`{"tags": {"contains": "red"}}`, []int{2, 3}},
		{`{"tags": {"contains": "50"}}`, nil},
		{`{"tags": null}`, []int{0, 4, 5, 6}},
		{`{"category": "ana"}`, []int{5}},
		{`{"external_id": "e_1"}`, []int{4}},
		{`{"superseded_by": {"ne": null}}`, []int{1, 4}},
		{`{"shared_from": "` + string(id(1)) + `"}`, []int{4}},
		{`{"metadata.n": 1}`, []int{2}},
		{`{"metadata.n": "1"}`, []int{3}},
		{`{"metadata.n": {"gt": 1}}`, []int{1, 6}},
		{`{"metadata.n": {"lt": 0}}`, []int{4}},
		{`{"metadata.n": null}`, []int{0, 5}},
		{`{"metadata.s": ""}`, []int{1, 4}},
		{`{"metadata.b": true}`, []int{2, 6}},
		{`{"metadata.b": {"nin": [true, null]}}`, []int{3, 4, 5}},
		{`{"metadata.list": "a"}`, []int{2, 3}},
		{`{"metadata.list": {"contains": "a"}}`, []int{2, 3}},
		{`{"metadata.list": {"contains": "re"}}`, []int{5}},
		{`{"metadata.list": {"contains": 1}}`, []int{1, 3}},
		{`{"metadata.deep.er": "ana"}`, []int{2}},
		{`{"speaker": {"regex": "^an"}}`, []int{2, 6}},
		{`{"speaker": {"regex": "(?i)^an"}}`, []int{2, 3, 6}},
		{`{"speaker": {"regex": "."}, "type": {"regex": "%$"}}`, []int{4, 6}},
		{`{"external_id": {"regex": "^[eE]_\\d$"}}`, []int{4, 5}},
		{`{"user": {"regex": "^\\pL$"}}`, []int{4}},
		{`{"tags": {"regex": "^(?:Red|\\d+%)$"}}`, []int{3}},
		{`{"metadata.s": {"regex": "^$|%"}}`, []int{1, 3, 4}},
		{`{"metadata.n": {"regex": ""}}`, []int{3}},
		{`{"metadata.list": {"regex": "^(?:b|red)$"}}`, []int{2, 5}},
		{`{"not": {"speaker": {"regex": ""}}}`, []int{0}},
		{`{"metadata.deep.er.ö": "ü"}`, []int{1}},
		{`{"metadata.wei\"rd": "q"}`, []int{3}},
		{`{"metadata.o'k": 2}`, []int{3}},
		{`{"metadata.x[0]": "y"}`, []int{3}},
		{`{"metadata.日本": "é"}`, []int{4}},
		{`{"kind": "episode", "or": [{"user": "ana"}, {"user": "é"}]}`, []int{2}},
		{`{"not": {"or": [{"kind": "episode"}, {"metadata.n": null}]}}`, []int{1, 4, 6}},
		{`{"and": [{"user": {"exists": true}}, {"not": {"kind": "episode"}}]}`, []int{1, 4}},
	} {
		var filter trilith.Filter
		if err := json.Unmarshal([]byte(c.filter), &filter); err != nil {
			t.Errorf("filter %s: %v", c.filter, err)
			continue
		}
		want := make([]trilith.ID, len(c.want))
		for i, n := range c.want {
			want[i] = id(n)
		}
		wantEqual(t, "List with "+c.filter, f.list(t, acme, role.Listing{Filter: filter}), want)
	}
}

var (
	filterFields = []string{"id", "kind", "role", "speaker", "type", "source_id", "seq", "state", "trust",
		"superseded_by", "shared_from",
		"category", "title", "external_id", "project", "domain", "user", "agent", "session", "channel", "event_time",
		"recorded_at", "valid_until", "superseded_at", "tags", "metadata.n", "metadata.s", "metadata.b",
		"metadata.list", "metadata.deep",
		"metadata.deep.er", "metadata.none", "text", "metadata.", "entity_id", "verb", "fact_id",
		"entity_ref", "fact_type",
		"polarity", "certainty", "author_role", "priority", "verification_status", "currency", "financial_type",
		"financial_category", "confidence", "financial_amount", "action_deadline", "requires_action"}
	filterOps = []trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpGt, trilith.OpGte, trilith.OpLt, trilith.OpLte,
		trilith.OpIn, trilith.OpNin,
		trilith.OpContains, trilith.OpRegex, "like"}
	filterValues = []any{nil, "", "1", "ana", "B", "é", "%", "red", id(2), trilith.KindEpisode, true, 0, 1, 2.5, epoch,
		epoch.Add(500 * time.Nanosecond), "2025-03-01", []string{"ana", "note"}, []any{nil, 1, true, "é"},
		trilith.KindFact, false, 0.5, "EUR", "Location:Paris", []trilith.ID{id(2), id(60)}, []any{0.5, 4711.25},
		"(?i)^ana?", "(", "[a-z]{2,}:"}
)

// wantFilter compares a listing with the filter's own matcher over the corpus.
func (f *fixture) wantFilter(t rapid.TB, corpus []trilith.Memory, filter trilith.Filter, order role.Order) {
	t.Helper()
	ms, err := collect(f.List(context.Background(), acme, role.Listing{Filter: filter, Order: order}))
	slices.SortFunc(ms, func(a, b trilith.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	match, invalid := filter.Compile()
	if invalid != nil {
		if err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("List with %s = %v, want Invalid", show(filter), err)
		}
		return
	}
	if err != nil {
		t.Errorf("List with %s = %v, want nil", show(filter), err)
		return
	}
	var want []trilith.ID
	for i := range corpus {
		if facets := role.FacetsOf(&corpus[i]); match == nil || match(&facets) {
			want = append(want, corpus[i].ID)
		}
	}
	if got := idsOf(ms); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("List with %s = %v, want %v", show(filter), got, want)
	}
}

func show(filter trilith.Filter) string {
	b, err := json.Marshal(filter)
	if err != nil {
		return fmt.Sprintf("%+v", filter)
	}
	return string(b)
}

func testFilterGrammar(t *testing.T, f *fixture) {
	f.commit(t, puts(append(filterCorpus(), filterFacts()...)...))
	corpus, err := collect(f.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatalf("List = %v, want nil", err)
	}
	var running errgroup.Group // thousands of queries, which a distant store answers concurrently
	running.SetLimit(8)
	step := 1
	if testing.Short() { // each operator of each field with a third of the values
		step = 3
	}
	for i, field := range filterFields {
		running.Go(func() error {
			for j, op := range filterOps {
				for k := (i + j) % step; k < len(filterValues); k += step {
					f.wantFilter(t, corpus, trilith.Where(field, op, filterValues[k]), role.OrderID)
				}
			}
			return nil
		})
	}
	_ = running.Wait()
	for _, filter := range []trilith.Filter{{And: []trilith.Filter{}}, {Or: []trilith.Filter{}}, {Not: &trilith.Filter{}},
		{Field: "id", Op: trilith.OpEq, Value: "x", Not: ptr(trilith.Where("id", trilith.OpEq, "x"))}} {
		f.wantFilter(t, corpus, filter, role.OrderID)
	}
}

func testFilterCombined(t *testing.T, f *fixture) {
	f.commit(t, puts(append(filterCorpus(), filterFacts()...)...))
	corpus, err := collect(f.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatalf("List = %v, want nil", err)
	}
	var leaves []trilith.Filter
	for _, field := range filterFields {
		for _, op := range filterOps {
			for _, v := range filterValues {
				if leaf := trilith.Where(field, op, v); leaf.Validate() == nil {
					leaves = append(leaves, leaf)
				}
			}
		}
	}
	orders := []role.Order{role.OrderID, role.OrderRecorded, role.OrderEvent, role.OrderSeq}
	rapid.Check(t, func(t *rapid.T) {
		f.wantFilter(t, corpus, drawFilter(t, leaves, 3), rapid.SampledFrom(orders).Draw(t, "order"))
	})
}

func drawFilter(t *rapid.T, leaves []trilith.Filter, depth int) trilith.Filter {
	form := 0
	if depth > 0 {
		form = rapid.IntRange(0, 3).Draw(t, "form")
	}
	if form == 0 {
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	if form == 1 {
		return trilith.Filter{Not: ptr(drawFilter(t, leaves, depth-1))}
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
