package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var factCases = []testCase{
	{name: "fact/named_listings",
		why: "the listings that do not read the whole tenant yield exactly the memories that their filters accept",
		run: testNamedListings},
	{name: "fact/round_trip",
		why: "a fact is read back as written: every field, times in whole microseconds of UTC",
		run: testFactRoundTrip},
	{name: "fact/not_retained",
		why: "a fact passed in is not retained, a returned one belongs to the caller",
		run: testFactNotRetained},
	{name: "fact/filter", why: "filters treat the fields of facts like others: strict types, and an absent value equals only null",
		run: testFactFilter},
	{name: "fact/entity", why: "the present facts of an entity are listed, alone and with those of others, with limit and After",
		run: testFactEntity},
}

// assertion returns the memory id(n) of [acme] as a fact; edits change it.
func assertion(n int, edits ...func(*trilith.Memory)) trilith.Memory {
	return note(n, "The entity lives in Location: Paris.", append([]func(*trilith.Memory){func(m *trilith.Memory) {
		m.Kind, m.Type = trilith.KindFact, ""
		m.Fact = &trilith.Fact{EntityID: id(60), Verb: "lives_in", FactID: "Location:Paris",
			Node: trilith.Node{Type: "Location", Name: "Paris"},
			Type: trilith.FactProfile, Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.5,
			AuthorRole: trilith.RoleUser,
			Priority:   trilith.PriorityNormal, Verification: trilith.Verification{Status: trilith.PendingApproval}}
	}}, edits...)...)
}

// assertedFully is a fact with every field set.
func assertedFully(n int) trilith.Memory {
	return assertion(n, func(m *trilith.Memory) {
		m.SourceID = id(100)
		m.Fact = &trilith.Fact{
			Owner: "user:Zoë", Guest: true, EntityID: id(61), Verb: "owes", FactID: "Invoice:Dach 'n\" Süd: 50%",
			Node:            trilith.Node{Type: "Invoice", Name: `Dach 'n" Süd: 50%`, EntityRef: id(62)},
			RelationshipKey: string(id(61)) + `:owes:Invoice:Dach 'n" Süd: 50%`, Type: trilith.FactFinancial,
			Content: map[string]any{"n": 1.5, "int": 3, "list": []any{1, "x", nil},
				"deep": map[string]any{"ö": map[string]any{"t": true}}},
			Polarity: trilith.Negated, Certainty: trilith.Reported, Confidence: 0.75, AuthorRole: trilith.RoleAssistant,
			Evidence: []trilith.Evidence{
				{EpisodeID: id(101), Quote: "„4.711,25 €“ 🗿", Start: 3, End: 30, At: epoch,
					Until: ptr(epoch.Add(time.Hour)), Confidence: 0.5,
					Certainty: trilith.Hedged, Trust: trilith.TrustImported, Ends: true, Says: "No more.", Withdrawn: true,
					Other: true, Proposed: true,
					Premises: []trilith.Premise{{EpisodeID: id(103), Quote: "wie viel?", Start: 1, End: 10}}},
				{EpisodeID: id(102), Quote: ""}},
			Priority: trilith.PriorityCritical, RequiresAction: true,
			ActionDeadline: ptr(time.Date(2025, 6, 30, 23, 59, 59, 999999999, time.FixedZone("", -5*3600))),
			Financial: &trilith.Financial{Amount: "4711.25", Currency: "EUR", Category: "roof", Type: "invoice",
				Quantity: "3", Unit: "m²",
				Rate: "1570.416666666666666667", Check: "agrees"},
			Verification: trilith.Verification{Status: trilith.NeedsReview, By: "Zoë", Note: "too much?",
				At: ptr(time.Date(1969, 7, 20, 20, 17, 40, 123456789, time.FixedZone("", 4*3600)))},
			Rule: "de.owes.1",
		}
	})
}

// storedFully is assertedFully as a store returns it.
func storedFully(n int) trilith.Memory {
	m := assertedFully(n)
	m.Version = 1
	m.Fact.ActionDeadline, m.Fact.Verification.At = ptr(trilith.Time(*m.Fact.ActionDeadline)),
		ptr(trilith.Time(*m.Fact.Verification.At))
	m.Fact.Content = map[string]any{"n": 1.5, "int": 3.0, "list": []any{1.0, "x", nil},
		"deep": map[string]any{"ö": map[string]any{"t": true}}}
	return m
}

func testFactRoundTrip(t *testing.T, f *fixture) {
	bare := assertion(2, version(1), func(m *trilith.Memory) { m.Fact = &trilith.Fact{} })
	want := []trilith.Memory{storedFully(1), bare, assertion(3, version(1))}
	f.commit(t, puts(assertedFully(1), bare, assertion(3)))
	got := f.get(t, idRange(1, 4)...)
	wantEqual(t, "Get", got, want)
	listed, err := collect(f.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatalf("List = %v, want nil", err)
	}
	wantEqual(t, "List", listed, want)
	if len(got) > 0 && got[0].Fact != nil && got[0].Fact.ActionDeadline != nil && got[0].Fact.Verification.At != nil {
		for _, at := range []time.Time{*got[0].Fact.ActionDeadline, *got[0].Fact.Verification.At} {
			if at.Location() != time.UTC || at.Nanosecond()%1000 != 0 {
				t.Errorf("Get returned a fact with the time %v, want UTC in whole microseconds", at)
			}
		}
	}
	resting := role.Listing{Filter: trilith.Where("evidence", trilith.OpContains, id(101))}
	wantEqual(t, "List of what rests on an episode", f.list(t, acme, resting), []trilith.ID{id(1)})
	f.commit(t, puts(note(1, "no fact any more")))
	wantEqual(t, "List of what rests on it, after the fact is none any more", f.list(t, acme, resting), []trilith.ID{})
	wantEqual(t, "Get of a fact that was replaced by a note", f.getOne(t, 1), note(1, "no fact any more", version(2)))
	wantEqual(t, "List of its entity",
		f.list(t, acme, role.Listing{Filter: trilith.Where("entity_id", trilith.OpEq, id(61))}), []trilith.ID{})
}

func testFactNotRetained(t *testing.T, f *fixture) {
	m := assertedFully(1)
	f.commit(t, puts(m))
	spoil := func(m *trilith.Memory) {
		x := m.Fact
		x.Verb, x.Node.Name, x.Financial.Amount, x.Verification.Status = "spoiled", "spoiled", "0", trilith.Rejected
		x.Content["deep"].(map[string]any)["ö"] = "spoiled"
		x.Content["list"].([]any)[0] = "spoiled"
		x.Evidence[0].Quote = "spoiled"
		*x.ActionDeadline, *x.Verification.At = epoch, epoch
	}
	spoil(&m)
	for range 2 { // the second time shows the effect of spoiling the first answer
		got := f.getOne(t, 1)
		wantEqual(t, "Get after the caller changed its values", got, storedFully(1))
		spoil(&got)
		for m := range f.List(t.Context(), acme, role.Listing{}) {
			spoil(&m)
		}
	}
}

// factFilters are filters with the numbers of the memories of testFactFilter that they accept.
var factFilters = map[string][]int{
	`{"entity_id": "` + string(id(61)) + `"}`:            {2},
	`{"entity_id": {"ne": "` + string(id(60)) + `"}}`:    {1, 2, 8},
	`{"entity_id": ["` + string(id(61)) + `", null]}`:    {1, 2, 8},
	`{"entity_id": {"nin": ["` + string(id(60)) + `"]}}`: {1, 2, 8},
	`{"entity_id": {"gt": "` + string(id(60)) + `"}}`:    {2},
	`{"entity_id": ""}`: nil,
	`{"entity_ref": "` + string(id(62)) + `", "kind": "fact"}`: {2},
	`{"verb": {"contains": "ives_"}}`:                          {3, 4, 5, 6, 7},
	`{"verb": ["owes", "owns"]}`:                               {2},
	`{"verb": {"lte": "owes"}}`:                                {2, 3, 4, 5, 6, 7},
	`{"fact_id": "Location:Paris"}`:                            {3, 4, 5, 6, 7},
	`{"fact_id": "location:Paris"}`:                            nil,
	`{"fact_id": {"contains": "50%"}}`:                         {2},
	`{"fact_id": "Invoice:Dach 'n\" Süd: 50%"}`:                {2},
	`{"fact_type": ["financial", "task"]}`:                     {2},
	`{"polarity": "negated"}`:                                  {2},
	`{"certainty": {"nin": ["stated", null]}}`:                 {2, 6},
	`{"author_role": "assistant"}`:                             {2},
	`{"priority": ["critical", "high"]}`:                       {2},
	`{"verification_status": ["needs_review", "rejected"]}`:    {2},
	`{"verification_status": {"ne": "pending_approval"}}`:      {1, 2, 8},
	`{"evidence": {"contains": "` + string(id(101)) + `"}}`:    {2},
	`{"evidence": {"contains": "` + string(id(103)) + `"}}`:    {2}, // a premise of it
	`{"evidence": {"contains": "` + string(id(1)) + `"}}`:      nil,
	`{"or": [{"evidence": {"contains": "` + string(id(102)) + `"}}, {"evidence": {"contains": "` +
		string(id(9)) + `"}}]}`: {2},
	`{"or": [{"evidence": {"contains": "` + string(id(102)) +
		`"}}, {"fact_type": "profile"}]}`: {2, 3, 4, 5, 6, 7},
	`{"evidence": null}`:                               {1, 3, 4, 5, 6, 7, 8},
	`{"currency": "EUR"}`:                              {2},
	`{"currency": "eur"}`:                              nil,
	`{"financial_type": {"in": ["invoice", "quote"]}}`: {2},
	`{"financial_category": {"contains": "oo"}}`:       {2},
	`{"confidence": {"gte": 0.5}}`:                     {2, 3, 4, 5, 6, 7},
	`{"confidence": {"gt": 0.5}}`:                      {2},
	`{"confidence": {"lt": 0.5}}`:                      {8},
	`{"confidence": [0, 0.75]}`:                        {2, 8},
	// numbers, not text: "10" is not below "9.50"
	`{"financial_amount": {"gte": 9.5}}`:                           {2, 4, 6},
	`{"financial_amount": {"gt": 9.5, "lt": 5000}}`:                {2, 6},
	`{"financial_amount": {"lt": 0}}`:                              {5},
	`{"financial_amount": 4711.25}`:                                {2},
	`{"financial_amount": 10.0}`:                                   {6},
	`{"financial_amount": {"nin": [10, null]}}`:                    {2, 4, 5},
	`{"action_deadline": {"lt": "2025-12-01"}}`:                    {2},
	`{"action_deadline": "2025-06-30T23:59:59.999999-05:00"}`:      {2},
	`{"action_deadline": {"gte": "2025-12-24"}}`:                   {6},
	`{"action_deadline": {"in": ["2025-12-24", "2025-12-25"]}}`:    {6},
	`{"requires_action": true}`:                                    {2},
	`{"requires_action": false}`:                                   {3, 4, 5, 6, 7, 8},
	`{"requires_action": {"ne": true}}`:                            {1, 3, 4, 5, 6, 7, 8},
	`{"requires_action": [true, null]}`:                            {1, 2},
	`{"kind": "fact", "not": {"financial_amount": {"gte": 5}}}`:    {3, 5, 7, 8},
	`{"or": [{"requires_action": true}, {"certainty": "hedged"}]}`: {2, 6},
}

func testFactFilter(t *testing.T, f *fixture) {
	money := func(amount string) func(*trilith.Memory) {
		return func(m *trilith.Memory) { m.Fact.Financial = &trilith.Financial{Amount: amount} }
	}
	f.commit(t, puts(note(1, "no fact"), assertedFully(2), assertion(3), assertion(4, money("9.50")),
		assertion(5, money("-1000")),
		assertion(6, money("10"), func(m *trilith.Memory) {
			m.Fact.Certainty, m.Fact.ActionDeadline = trilith.Hedged, ptr(time.Date(2025, 12, 24, 0, 0, 0, 0, time.UTC))
		}), assertion(7, money("")), assertion(8, func(m *trilith.Memory) { m.Fact = &trilith.Fact{} })))
	cases := maps.Clone(factFilters)
	all, said, full := []int{2, 3, 4, 5, 6, 7, 8}, []int{2, 3, 4, 5, 6, 7}, []int{2}
	for field, have := range map[string][]int{"entity_id": said, "entity_ref": full, "verb": said, "fact_id": said,
		"fact_type": said,
		"polarity":  said, "certainty": said, "author_role": said, "priority": said, "verification_status": said,
		"currency":       full,
		"financial_type": full, "financial_category": full, "confidence": all, "financial_amount": {2, 4, 5, 6},
		"action_deadline": {2, 6},
		"requires_action": all} {
		var lack []int
		for n := 1; n <= 8; n++ {
			if !slices.Contains(have, n) {
				lack = append(lack, n)
			}
		}
		cases[fmt.Sprintf(`{%q: null}`, field)], cases[fmt.Sprintf(`{%q: {"ne": null}}`, field)] = lack, have
	}
	for text, numbers := range cases {
		var filter trilith.Filter
		if err := json.Unmarshal([]byte(text), &filter); err != nil {
			t.Errorf("filter %s: %v", text, err)
			continue
		}
		var want []trilith.ID
		for _, n := range numbers {
			want = append(want, id(n))
		}
		wantEqual(t, "List with "+text, f.list(t, acme, role.Listing{Filter: filter}), want)
	}
}

func testFactEntity(t *testing.T, f *fixture) {
	about := func(entity int) func(*trilith.Memory) {
		return func(m *trilith.Memory) { m.Fact.EntityID = id(entity) }
	}
	b := puts(note(0, "x"))
	for n := 1; n <= 30; n++ {
		b.Memories = append(b.Memories,
			assertion(n, about(70+n%3),
				func(m *trilith.Memory) { m.Fact.Node.EntityRef = id(70 + n%2); m.SourceID = id(80 + n%5) }))
	}
	f.commit(t, b)
	f.commitIn(t, beta, puts(assertion(2, about(71), in(beta)), assertion(31, about(71), in(beta))))
	f.commit(t, puts(assertion(1, about(72)),
		assertion(4, about(71), func(m *trilith.Memory) { m.State = trilith.StateSuperseded })), deletes(7))
	of := func(l role.Listing, fs ...trilith.Filter) []trilith.ID {
		t.Helper()
		l.Filter = trilith.AllOf(append(fs, trilith.Where("kind", trilith.OpEq, trilith.KindFact))...)
		return f.list(t, acme, l)
	}
	one := trilith.Where("entity_id", trilith.OpEq, id(71))
	wantEqual(t, "List of an entity", of(role.Listing{}, one),
		[]trilith.ID{id(4), id(10), id(13), id(16), id(19), id(22), id(25), id(28)})
	wantEqual(t, "List of its active facts",
		of(role.Listing{Limit: 3}, one, trilith.Where("state", trilith.OpEq, trilith.StateActive)),
		[]trilith.ID{id(10), id(13), id(16)})
	wantEqual(t, "List of it After the 2nd", of(role.Listing{After: id(10), Limit: 2}, one),
		[]trilith.ID{id(13), id(16)})
	wantEqual(t, "List of it newest first", of(role.Listing{Order: role.OrderRecorded, Limit: 2}, one),
		[]trilith.ID{id(28), id(25)})
	two := trilith.Where("entity_id", trilith.OpIn, []trilith.ID{id(72), id(71), id(99), id(71)})
	wantEqual(t, "List of two entities", of(role.Listing{Limit: 5}, two),
		[]trilith.ID{id(1), id(2), id(4), id(5), id(8)})
	wantEqual(t, "List of two entities After the 2nd", of(role.Listing{After: id(2), Limit: 3}, two),
		[]trilith.ID{id(4), id(5), id(8)})
	wantEqual(t, "List of two entities newest first", of(role.Listing{Order: role.OrderEvent, Limit: 3}, two),
		[]trilith.ID{id(29), id(28), id(26)})
	wantEqual(t, "List of who names an entity",
		of(role.Listing{Limit: 3}, trilith.Where("entity_ref", trilith.OpEq, id(71))), []trilith.ID{id(3), id(5), id(9)})
	sources := trilith.Where("source_id", trilith.OpIn, []trilith.ID{id(81), id(84)})
	wantEqual(t, "List of the facts of two sources", of(role.Listing{Limit: 4}, sources),
		[]trilith.ID{id(6), id(9), id(11), id(14)})
	wantEqual(t, "List of an entity's facts of one source",
		of(role.Listing{}, trilith.Where("source_id", trilith.OpEq, id(81)), one), []trilith.ID{id(16)})
	wantEqual(t, "List in a scope without facts",
		f.list(t, trilith.Scope{Tenant: tenant, User: "ana"}, role.Listing{Filter: two}), []trilith.ID{})
}
