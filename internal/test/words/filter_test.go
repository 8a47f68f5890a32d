package words_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
)

var filterSubject = func() *trilith.Facets {
	end := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
	return &trilith.Facets{
		ID: "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4", Kind: trilith.KindEntry, Role: trilith.RoleUser,
		Speaker: "Ana", Type: "plan",
		Scope: trilith.Scope{Tenant: "t", Project: "house", Domain: "building", User: "ana", Agent: "bob",
			Session: "s1", Channel: "chat"},
		SourceID: "66402466-47ac-5f1f-818e-c1ad98bc6624", Seq: 7,
		EventTime:  time.Date(2025, 6, 30, 15, 0, 0, 0, time.UTC),
		RecordedAt: time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC), ValidUntil: &end,
		State: trilith.StateSuperseded, Trust: trilith.TrustUserStated,
		SupersededBy: "5f414edb-afa2-5f5f-83fe-0b5f1d2dfb02",
		Tags:         []string{"travel", "2026"}, Category: "Budget", Title: "Roof", ExternalID: "x-1",
		Metadata: map[string]any{"n": 3.0, "count": 4, "s": "one two", "yes": true, "list": []any{"a", 2.0},
			"words": []string{"w"},
			"one":   []any{"a"}, "deep": map[string]any{"er": "down"}, "null": nil, "object": map[string]any{}},
		Fact: &trilith.Fact{EntityID: "0b8ee1c3-3c3a-5d0c-9f6c-0d1f3c1f4b11", Verb: "owes", FactID: "Invoice:Roof",
			Node:     trilith.Node{Type: "Invoice", Name: "Roof", EntityRef: "c5fb0f0a-0f6e-5a57-8d43-6a8f7e1f2a22"},
			Type:     trilith.FactFinancial,
			Polarity: trilith.Negated, Certainty: trilith.Hedged, Confidence: 0.75, AuthorRole: trilith.RoleTool,
			Priority:       trilith.PriorityHigh,
			ActionDeadline: &end, Financial: &trilith.Financial{Amount: "1200.50", Currency: "EUR", Category: "roof",
				Type: "invoice"},
			Verification: trilith.Verification{Status: trilith.NeedsReview}},
	}
}()

// TestFilterGrammar goes through every field, every operator and every type of value.
func TestFilterGrammar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		json string
		want bool
	}{
		// Every field.
		{`{"id": "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4"}`, true},
		{`{"kind": "entry"}`, true},
		{`{"role": "user"}`, true},
		{`{"speaker": "Ana"}`, true},
		{`{"type": "plan"}`, true},
		{`{"source_id": "66402466-47ac-5f1f-818e-c1ad98bc6624"}`, true},
		{`{"seq": 7}`, true},
		{`{"state": "superseded"}`, true},
		{`{"trust": "user_stated"}`, true},
		{`{"superseded_by": "5f414edb-afa2-5f5f-83fe-0b5f1d2dfb02"}`, true},
		{`{"category": "Budget"}`, true},
		{`{"title": "Roof"}`, true},
		{`{"external_id": "x-1"}`, true},
		{`{"project": "house"}`, true},
		{`{"domain": "building"}`, true},
		{`{"user": "ana"}`, true},
		{`{"agent": "bob"}`, true},
		{`{"session": "s1"}`, true},
		{`{"channel": "chat"}`, true},
		{`{"event_time": "2025-06-30T15:00:00Z"}`, true},
		{`{"recorded_at": "2025-07-01"}`, true},
		{`{"valid_until": "2025-12-31"}`, true},
		{`{"tags": {"contains": "travel"}}`, true},
		{`{"metadata.n": 3}`, true},
		{`{"metadata.deep.er": "down"}`, true},
		{`{"entity_id": "0b8ee1c3-3c3a-5d0c-9f6c-0d1f3c1f4b11"}`, true},
		{`{"verb": "owes"}`, true},
		{`{"relationship_key": "0b8ee1c3-3c3a-5d0c-9f6c-0d1f3c1f4b11:owes:Invoice:Roof"}`, true},
		{`{"relationship_key": "0b8ee1c3-3c3a-5d0c-9f6c-0d1f3c1f4b11:owes:Invoice:Floor"}`, false},
		{`{"fact_id": "Invoice:Roof"}`, true},
		{`{"entity_ref": "c5fb0f0a-0f6e-5a57-8d43-6a8f7e1f2a22"}`, true},
		{`{"fact_type": "financial"}`, true},
		{`{"polarity": "negated"}`, true},
		{`{"certainty": "hedged"}`, true},
		{`{"confidence": 0.75}`, true},
		{`{"author_role": "tool"}`, true},
		{`{"priority": "high"}`, true},
		{`{"requires_action": false}`, true},
		{`{"action_deadline": "2025-12-31"}`, true},
		{`{"verification_status": "needs_review"}`, true},
		{`{"financial_amount": 1200.5}`, true},
		{`{"currency": "EUR"}`, true},
		{`{"financial_type": "invoice"}`, true},
		{`{"financial_category": "roof"}`, true},

		// Equality and its types.
		{`{"speaker": "ana"}`, false},
		{`{"speaker": {"ne": "Ben"}}`, true},
		{`{"metadata.n": "3"}`, false},
		{`{"metadata.count": 4}`, true},
		{`{"metadata.yes": true}`, true},
		{`{"metadata.yes": "true"}`, false},
		{`{"metadata.one": "a"}`, true},

		// A list equals each of its values, and is never null.
		{`{"metadata.list": "a"}`, true},
		{`{"metadata.list": "b"}`, false},
		{`{"metadata.list": {"ne": "a"}}`, false},
		{`{"metadata.list": ["z", 2]}`, true},
		{`{"metadata.list": {"nin": ["z", 2]}}`, false},
		{`{"metadata.list": null}`, false},
		{`{"tags": "travel"}`, true},
		{`{"tags": "trav"}`, false},
		{`{"tags": ["home", "travel"]}`, true},
		{`{"tags": {"ne": "travel"}}`, false},
		{`{"tags": {"nin": ["home"]}}`, true},

		{`{"event_time": "2025-06-30T17:00:00+02:00"}`, true},

		// An absent value equals null alone.
		{`{"metadata.absent": null}`, true},
		{`{"metadata.null": null}`, true},
		{`{"metadata.object": null}`, true},
		{`{"metadata.n.deeper": null}`, true},
		{`{"metadata.n": null}`, false},
		{`{"metadata.n": {"ne": null}}`, true},
		{`{"metadata.absent": {"ne": "a"}}`, true},
		{`{"metadata.absent": {"nin": ["a"]}}`, true},
		{`{"metadata.absent": {"in": ["a", null]}}`, true},
		{`{"metadata.absent": {"gt": 0}}`, false},
		{`{"metadata.absent": {"lt": 0}}`, false},
		{`{"metadata.absent": {"contains": "a"}}`, false},
		{`{"not": {"metadata.absent": {"gt": 0}}}`, true},

		// Order.
		{`{"seq": {"gt": 6}}`, true}, {`{"seq": {"gt": 7}}`, false},
		{`{"seq": {"gte": 7}}`, true}, {`{"seq": {"gte": 8}}`, false},
		{`{"seq": {"lt": 8}}`, true}, {`{"seq": {"lt": 7}}`, false},
		{`{"seq": {"lte": 7}}`, true}, {`{"seq": {"lte": 6}}`, false},
		{`{"seq": {"gte": 7, "lt": 8}}`, true},
		{`{"seq": {"gte": 8, "lt": 9}}`, false},
		{`{"metadata.n": {"gt": "2"}}`, false},
		{`{"metadata.s": {"gt": "one"}}`, true},
		{`{"speaker": {"lt": "a"}}`, true}, // byte order: capitals first
		{`{"event_time": {"gte": "2025-06-30", "lt": "2025-07-01"}}`, true},
		{`{"event_time": {"gte": "2025-07-01"}}`, false},
		{`{"valid_until": {"gt": "2025-06-30"}}`, true},

		{`{"confidence": {"gt": 0.7, "lte": 0.75}}`, true},
		{`{"financial_amount": {"gt": 1200, "lt": 1201}}`, true}, // a number, though it is kept as text
		{`{"financial_amount": {"lt": 200}}`, false},
		{`{"action_deadline": {"lt": "2026-01-01"}}`, true},
		{`{"requires_action": {"ne": true}}`, true},

		// Membership and containment.
		{`{"kind": ["note", "entry"]}`, true},
		{`{"kind": {"in": ["note"]}}`, false},
		{`{"kind": {"nin": ["note", "episode"]}}`, true},
		{`{"kind": {"nin": ["entry"]}}`, false},
		{`{"metadata.n": [1, 2, 3]}`, true},
		{`{"metadata.s": {"contains": "e t"}}`, true},
		{`{"metadata.s": {"contains": "TWO"}}`, false},
		{`{"metadata.list": {"contains": 2}}`, true},
		{`{"metadata.list": {"contains": "2"}}`, false},
		{`{"metadata.words": {"contains": "w"}}`, true},
		{`{"tags": {"contains": "trav"}}`, false},
		{`{"title": {"contains": "oo"}}`, true},

		// A pattern is found anywhere, case counts, and looks into lists.
		// Short forms.
		{`{"external_id": {"startswith": "x-"}}`, true},
		{`{"external_id": {"startswith": "X-"}}`, false},
		{`{"external_id": {"startswith": "-"}}`, false},
		{`{"metadata.s": {"startswith": "one ."}}`, false}, // no pattern
		{`{"tags": {"startswith": "tra"}}`, true},
		{`{"speaker": {"icontains": "NA"}}`, true},
		{`{"metadata.s": {"icontains": "E TW"}}`, true},
		{`{"tags": {"icontains": "RAV"}}`, true},
		{`{"metadata.n": {"icontains": "3"}}`, false}, // a number is no text
		{`{"title": {"exists": true}}`, true},
		{`{"shared_from": {"exists": true}}`, false},
		{`{"shared_from": {"exists": false}}`, true},
		{`{"metadata.deep.er": {"exists": true}}`, true},
		{`{"metadata.nowhere": {"exists": true}}`, false},
		{`{"valid_until": {"exists": true, "gte": "2025-12-31"}}`, true},
		{`{"title": {"regex": "oo"}}`, true},
		{`{"title": {"regex": "^Ro{2}f$"}}`, true},
		{`{"title": {"regex": "^oo"}}`, false},
		{`{"title": {"regex": "roof"}}`, false},
		{`{"title": {"regex": "(?i)roof"}}`, true},
		{`{"title": {"regex": ""}}`, true},
		{`{"id": {"regex": "^7c41.*a4$"}}`, true},
		{`{"kind": {"regex": "entry|note"}}`, true},
		{`{"tags": {"regex": "^20\\d\\d$"}}`, true},
		{`{"tags": {"regex": "^trav$"}}`, false},
		{`{"metadata.s": {"regex": "e\\st"}}`, true},
		{`{"metadata.list": {"regex": "^a$"}}`, true},
		{`{"metadata.list": {"regex": "2"}}`, false},
		{`{"metadata.words": {"regex": "w"}}`, true},
		{`{"metadata.n": {"regex": "3"}}`, false},
		{`{"metadata.yes": {"regex": "true"}}`, false},
		{`{"metadata.absent": {"regex": ""}}`, false},
		{`{"metadata.object": {"regex": ""}}`, false},
		{`{"not": {"metadata.absent": {"regex": ""}}}`, true},
		{`{"fact_id": {"regex": "^Invoice:"}}`, true},
		{`{"priority": ["critical", "high"]}`, true},
		{`{"fact_id": {"contains": "voice:"}}`, true},

		// Composition.
		{`{}`, true},
		{`null`, true},
		{`{"kind": "entry", "user": "ana"}`, true},
		{`{"kind": "entry", "user": "ben"}`, false},
		{`{"and": [{"kind": "entry"}, {"user": "ana"}]}`, true},
		{`{"and": [{"kind": "entry"}, {"user": "ben"}]}`, false},
		{`{"or": [{"kind": "note"}, {"user": "ana"}]}`, true},
		{`{"or": [{"kind": "note"}, {"user": "ben"}]}`, false},
		{`{"not": {"kind": "note"}}`, true},
		{`{"not": {"kind": "entry", "user": "ana"}}`, false},
		{`{"not": {"not": {"kind": "entry"}}}`, true},
		{`{"kind": "entry", "or": [{"user": "ben"}, {"not": {"seq": {"gt": 9}}}]}`, true},
	} {
		var f trilith.Filter
		if err := json.Unmarshal([]byte(c.json), &f); err != nil {
			t.Errorf("Unmarshal(%s) = %v", c.json, err)
			continue
		}
		if got := accepts(t, f, filterSubject); got != c.want {
			t.Errorf("filter %s matches = %v, want %v", c.json, got, c.want)
		}
	}
}

// TestFilterWithoutFact: for a memory that is no fact, and for a fact without the value, every field of facts is
// absent.
func TestFilterWithoutFact(t *testing.T) {
	t.Parallel()
	always := []string{"confidence", "requires_action"} // numbers and truth values have no absent value of their own
	for _, field := range []string{"entity_id", "verb", "fact_id", "entity_ref", "fact_type", "polarity", "certainty",
		"confidence", "author_role",
		"priority", "requires_action", "action_deadline", "verification_status", "financial_amount", "currency",
		"financial_type", "financial_category"} {
		null, set := trilith.Where(field, trilith.OpEq, nil), trilith.Where(field, trilith.OpNe, nil)
		for name, fact := range map[string]*trilith.Fact{"no fact": nil, "a fact without values": {},
			"an amount that is no number": {Financial: &trilith.Financial{Amount: "much"}}} {
			x, want := &trilith.Facets{Fact: fact}, fact == nil || !slices.Contains(always, field)
			if accepts(t, null, x) != want || accepts(t, set, x) == want {
				t.Errorf("%s: {%q: null} and {%q: {\"ne\": null}} match = %v, %v, want %v, %v", name, field, field,
					accepts(t, null, x), accepts(t, set, x), want, !want)
			}
		}
		if accepts(t, null, filterSubject) {
			t.Errorf("{%q: null} matches a fact with that value", field)
		}
	}
}

func TestFilterRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, json, says string
	}{
		{"unknown field", `{"mood": "good"}`, `unknown field "mood"`},
		{"another service's name", `{"created_at": {"gte": "2025-01-01"}}`, "it is called event_time here"},
		{"another service's name in a list", `{"or": [{"user_id": "a"}, {"tag": "b"}]}`, "it is called user here"},
		{"the tenant is no field", `{"tenant": "t"}`, `unknown field "tenant"`},
		{"empty metadata path", `{"metadata.": 1}`, "unknown field"},
		{"bare metadata", `{"metadata": {"eq": 1}}`, "unknown field"},
		{"a prefix that is no text", `{"external_id": {"startswith": 3}}`, "startswith needs a text"},
		{"part of a text that is no text", `{"speaker": {"icontains": null}}`, "icontains needs a text"},
		{"a prefix that is too long", `{"title": {"startswith": "` + strings.Repeat("x", 600) + `"}}`, "too long"},
		{"a prefix of a time", `{"event_time": {"startswith": "2025"}}`, "works on text and lists only"},
		{"exists with neither true nor false", `{"title": {"exists": "yes"}}`, "true or false"},
		{"unknown operator", `{"kind": {"like": "n%"}}`, "unknown operator"},
		{"operators count as written", `{"kind": {"EQ": "note"}}`, "unknown operator"},
		{"no operator", `{"kind": {}}`, "needs an operator"},
		{"an operator of other services", `{"kind": {"$in": ["note"]}}`, `unknown operator "$in"; did you mean in?`},
		{"an operator in capitals", `{"kind": {"NIN": ["note"]}}`, "did you mean nin?"},
		{"an operator without a field", `{"$gte": 3}`, `$gte: needs a field; write {"FIELD": {"gte": VALUE}}`},
		{"Mongo's or", `{"$or": [{"kind": "note"}]}`, `$or: write {"or": [CONDITION, …]}`},
		{"Mongo's nor", `{"and": [{"$nor": [{"kind": "note"}]}]}`, `$nor: write {"not": {"or": [CONDITION, …]}}`},
		{"mem0's and", `{"AND": [{"kind": "note"}]}`, `AND: write {"and": [CONDITION, …]}`},
		{"mem0's not", `{"NOT": {"kind": "note"}}`, `NOT: write {"not": CONDITION}`},
		{"Qdrant's must", `{"must": [{"key": "kind", "match": {"value": "note"}}]}`, `must: write {"and": [CONDITION, …]}`},
		{"Qdrant's should", `{"should": {"key": "kind", "match": {"value": "note"}}}`, `should: write {"or": [CONDITION, …]}`},
		{"Qdrant's match", `{"or": [{"key": "kind", "match": {"any": ["note"]}}]}`, `key: write {"FIELD": VALUE}`},
		{"Qdrant's range", `{"key": "seq", "range": {"gte": 3}}`, `key: write {"FIELD": VALUE}`},
		{"a key of two parts", `{"relationship_key": "a:owes"}`, "must equal"},
		{"part of a key", `{"relationship_key": {"startswith": "a:owes:"}}`, "must equal"},
		{"number for text", `{"kind": 1}`, "must be text"},
		{"text for a number", `{"seq": "1"}`, "must be a number"},
		{"no time", `{"event_time": "soon"}`, "is not a time"},
		{"number for a time", `{"event_time": 20250630}`, "must be a time"},
		{"order of null", `{"metadata.n": {"gt": null}}`, "null works with"},
		{"order of tags", `{"tags": {"gt": "a"}}`, "does not work on a list"},
		{"order of truth", `{"metadata.yes": {"gt": true}}`, "does not work on true and false"},
		{"contains in a number", `{"seq": {"contains": 1}}`, "contains works on"},
		{"order of a field that is true or false", `{"requires_action": {"gte": false}}`,
			"does not work on true and false"},
		{"text for true", `{"requires_action": "true"}`, "must be true or false"},
		{"text for an amount", `{"financial_amount": "1200"}`, "must be a number"},
		{"contains in true and false", `{"requires_action": {"contains": true}}`, "contains works on"},
		{"contains in a time", `{"event_time": {"contains": "2025"}}`, "contains works on"},
		{"regex of a number", `{"seq": {"regex": "7"}}`, "regex works on text and lists only"},
		{"regex of a time", `{"event_time": {"regex": "2025"}}`, "regex works on text and lists only"},
		{"regex of truth", `{"requires_action": {"regex": "true"}}`, "regex works on text and lists only"},
		{"regex that is no text", `{"title": {"regex": 7}}`, "must be text"},
		{"regex of null", `{"title": {"regex": null}}`, "must be text"},
		{"regex with a fault", `{"title": {"regex": "a("}}`, "title: the regex has a fault: missing closing ) in `a(`"},
		{"regex of another syntax", `{"title": {"regex": "a(?=b)"}}`, "`(?=`"},
		{"regex that looks back", `{"title": {"regex": "(a)\\1"}}`, "`\\1`"},
		{"regex that is too long", `{"title": {"regex": "` + strings.Repeat("a", trilith.MaxFilterPattern+1) + `"}}`,
			"is 513 bytes long, at most 512"},
		{"regex that unfolds", `{"title": {"regex": "` + strings.Repeat("x", 100) + `(?:` + strings.Repeat("y", 100) +
			`){1000}"}}`, "repeats too much"},
		{"object as a value", `{"metadata.object": {"eq": {}}}`, "must be text, a number"},
		{"in without a list", `{"kind": {"in": "note"}}`, "need a list"},
		{"empty list", `{"kind": []}`, "a list holds 1 to 1000"},
		{"and without a list", `{"and": {"kind": "note"}}`, "needs a list"},
		{"empty and", `{"and": []}`, "needs a list"},
		{"empty or", `{"or": []}`, "needs a list"},
		{"empty condition in or", `{"or": [{}]}`, "empty condition"},
		{"empty not", `{"not": {}}`, "needs a condition"},
		{"no object", `["kind"]`, "must be an object"},
		{"nobody's user", `{"user": ""}`, "user: is blank"},
		{"nobody's user in blanks", `{"user": {"eq": "\u00a0 "}}`, "user: is blank"},
		{"nobody's user deep", `{"or": [{"not": {"session": {"startswith": ""}}}]}`, "session: is blank"},
		{"nobody's user in a list", `{"agent": ["ana", ""]}`, "agent: is blank"},
		{"a user that is null", `{"user": null}`, `{"exists": false}`},
	} {
		var f trilith.Filter
		err := json.Unmarshal([]byte(c.json), &f)
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.Contains(trilith.MessageOf(err), c.says) {
			t.Errorf("%s: Unmarshal(%s) = %v (kind %v), want kind %v and a sentence with %q", c.name, c.json, err,
				trilith.KindOf(err), trilith.Invalid, c.says)
		}
		if !f.IsZero() {
			t.Errorf("%s: Unmarshal(%s) left %+v behind", c.name, c.json, f)
		}
	}
	for name, f := range map[string]trilith.Filter{
		"two forms at once": {Field: "kind", Op: trilith.OpEq, Value: "note",
			Not: &trilith.Filter{Field: "kind", Op: trilith.OpEq, Value: "entry"}},
		"an empty And":        {And: []trilith.Filter{}},
		"an empty Or":         {Or: []trilith.Filter{}},
		"a Not of everything": {Not: &trilith.Filter{}},
		"no operator":         {Field: "kind", Value: "note"},
	} {
		if err := f.Validate(); err == nil {
			t.Errorf("Validate(%s) = nil, want an error", name)
		}
	}
}

// TestFilterLimits tests each limit and one past it.
func TestFilterLimits(t *testing.T) {
	t.Parallel()
	note := trilith.Where("kind", trilith.OpEq, "note")
	nested := func(depth int) trilith.Filter {
		f := note
		for range depth - 1 {
			inner := f
			f = trilith.Filter{Not: &inner}
		}
		return f
	}
	wide := func(nodes int) trilith.Filter {
		f := trilith.Filter{Or: make([]trilith.Filter, nodes-1)}
		for i := range f.Or {
			f.Or[i] = note
		}
		return f
	}
	listed := func(n int) trilith.Filter {
		vs := make([]string, n)
		for i := range vs {
			vs[i] = "v"
		}
		return trilith.Where("user", trilith.OpIn, vs)
	}
	for _, c := range []struct {
		name string
		f    trilith.Filter
		ok   bool
	}{
		{"as deep as allowed", nested(trilith.MaxFilterDepth), true},
		{"one deeper", nested(trilith.MaxFilterDepth + 1), false},
		{"as many conditions as allowed", wide(trilith.MaxFilterNodes), true},
		{"one condition more", wide(trilith.MaxFilterNodes + 1), false},
		{"as long a list as allowed", listed(trilith.MaxFilterList), true},
		{"one value more", listed(trilith.MaxFilterList + 1), false},
	} {
		if err := c.f.Validate(); (err == nil) != c.ok {
			t.Errorf("Validate(%s) = %v, want ok %v", c.name, err, c.ok)
		}
		body, err := json.Marshal(c.f)
		if err != nil {
			t.Fatalf("Marshal(%s): %v", c.name, err)
		}
		var back trilith.Filter
		if err := json.Unmarshal(body, &back); (err == nil) != c.ok {
			t.Errorf("Unmarshal(%s) = %v, want ok %v", c.name, err, c.ok)
		}
	}
}

func TestFilterKnowsTheWordsOfThePackage(t *testing.T) {
	t.Parallel()
	for _, f := range []trilith.Filter{
		trilith.Where("kind", trilith.OpEq, trilith.KindEntry),
		trilith.Where("role", trilith.OpEq, trilith.RoleUser),
		trilith.Where("state", trilith.OpEq, trilith.StateSuperseded),
		trilith.Where("trust", trilith.OpEq, trilith.TrustUserStated),
		trilith.Where("id", trilith.OpEq, filterSubject.ID),
		trilith.Where("id", trilith.OpIn, []trilith.ID{filterSubject.ID}),
		trilith.Where("kind", trilith.OpIn, []trilith.Kind{trilith.KindEntry}),
		trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateSuperseded}),
		trilith.Where("event_time", trilith.OpEq, filterSubject.EventTime.In(time.FixedZone("", 3600))),
		trilith.Where("seq", trilith.OpEq, filterSubject.Seq),
	} {
		if !accepts(t, f, filterSubject) {
			t.Errorf("Where(%q, %s, %T) does not match the value it was taken from", f.Field, f.Op, f.Value)
		}
	}
}

// An index that keeps values asks about them what a filter asks about memories.
func TestFilterAsksAboutValues(t *testing.T) {
	t.Parallel()
	for _, field := range append(trilith.FilterFields(), "metadata.n", "metadata.none") {
		for _, op := range []trilith.Op{trilith.OpEq, trilith.OpNe} {
			f := trilith.Where(field, op, nil)
			test, err := f.Test()
			if err != nil {
				t.Fatalf("%s %s null: Test() = %v", field, op, err)
			}
			if got, want := test(trilith.FieldOf(field)(filterSubject)), accepts(t, f, filterSubject); got != want {
				t.Errorf("%s %s null of its value is %t, of the memory %t", field, op, got, want)
			}
		}
	}
	if _, err := trilith.AllOf(trilith.Where("kind", trilith.OpEq, "a"),
		trilith.Where("kind", trilith.OpEq, "b")).Test(); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Test() of a conjunction = %v, want kind %s", err, trilith.Invalid)
	}
}

func TestAllOf(t *testing.T) {
	t.Parallel()
	note, ana := trilith.Where("kind", trilith.OpEq, "note"), trilith.Where("user", trilith.OpEq, "ana")
	for _, c := range []struct {
		name string
		in   []trilith.Filter
		want trilith.Filter
	}{
		{"nothing accepts all", nil, trilith.Filter{}},
		{"what accepts all is left out", []trilith.Filter{{}, note, {}}, note},
		{"two", []trilith.Filter{note, ana}, trilith.Filter{And: []trilith.Filter{note, ana}}},
	} {
		if diff := cmp.Diff(c.want, trilith.AllOf(c.in...)); diff != "" {
			t.Errorf("AllOf(%s) (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestFilterLaws: the operators that negate do so, conjuncts are implied, and JSON carries the meaning whole.
func TestFilterLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, x := drawFilter(t, 3), drawFacets(t)
		got := accepts(t, f, x)

		if not := accepts(t, trilith.Filter{Not: &f}, x); not == got {
			t.Fatalf("not %+v and itself both match = %v", f, got)
		}
		for _, g := range f.Conjuncts() {
			if got && !accepts(t, g, x) {
				t.Fatalf("%+v matches and its conjunct %+v does not", f, g)
			}
		}
		if f.Op == trilith.OpEq || f.Op == trilith.OpIn {
			opposite := f
			opposite.Op = map[trilith.Op]trilith.Op{trilith.OpEq: trilith.OpNe, trilith.OpIn: trilith.OpNin}[f.Op]
			if accepts(t, opposite, x) == got {
				t.Fatalf("%+v and %+v both match = %v", f, opposite, got)
			}
		}

		body, err := json.Marshal(f)
		if err != nil {
			t.Fatalf("Marshal(%+v): %v", f, err)
		}
		var back trilith.Filter
		if err := json.Unmarshal(body, &back); err != nil {
			t.Fatalf("Unmarshal(%s): %v", body, err)
		}
		if accepts(t, back, x) != got {
			t.Fatalf("%s matches = %v after a round trip, was %v", body, !got, got)
		}
		again, err := json.Marshal(back)
		if err != nil {
			t.Fatalf("Marshal(%+v): %v", back, err)
		}
		if string(again) != string(body) {
			t.Fatalf("Marshal after a round trip = %s, was %s", again, body)
		}
	})
}

func drawFilter(t *rapid.T, depth int) trilith.Filter {
	form := rapid.SampledFrom([]string{"field", "and", "or", "not"}).Draw(t, "form")
	if depth == 0 || form == "field" {
		return drawComparison(t)
	}
	inner := func() trilith.Filter { return drawFilter(t, depth-1) }
	switch form {
	case "not":
		f := inner()
		return trilith.Filter{Not: &f}
	case "and":
		return trilith.Filter{And: []trilith.Filter{inner(), inner()}}
	default:
		return trilith.Filter{Or: []trilith.Filter{inner(), inner()}}
	}
}

func drawComparison(t *rapid.T) trilith.Filter {
	words := rapid.SampledFrom([]any{"", "a", "b", "ab"})
	numbers := rapid.SampledFrom([]any{-1.0, 0.0, 0.5, 1.0, 1e300})
	times := rapid.SampledFrom([]any{"2025-06-30", "2025-07-01T00:00:00Z"})
	order := []trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpGt, trilith.OpGte, trilith.OpLt, trilith.OpLte,
		trilith.OpIn, trilith.OpNin}

	field := rapid.SampledFrom([]string{"speaker", "seq", "event_time", "tags", "metadata.m", "metadata.m.n"}).Draw(
		t, "field")
	value, ops := words, append([]trilith.Op{trilith.OpContains, trilith.OpRegex}, order...)
	switch field {
	case "seq":
		value, ops = numbers, order
	case "event_time":
		value, ops = times, order
	case "tags":
		ops = []trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpIn, trilith.OpNin, trilith.OpContains, trilith.OpRegex}
	case "metadata.m":
		value = rapid.OneOf(words, numbers)
	}
	op := rapid.SampledFrom(ops).Draw(t, "op")
	switch op {
	case trilith.OpIn, trilith.OpNin:
		return trilith.Where(field, op, rapid.SliceOfN(rapid.OneOf(value, rapid.Just[any](nil)), 1, 3).Draw(t, "values"))
	case trilith.OpEq, trilith.OpNe:
		value = rapid.OneOf(value, rapid.Just[any](nil))
	case trilith.OpRegex:
		value = words
	}
	return trilith.Where(field, op, value.Draw(t, "value"))
}

func drawFacets(t *rapid.T) *trilith.Facets {
	word := rapid.SampledFrom([]string{"", "a", "b", "ab"})
	return &trilith.Facets{
		Scope:     trilith.Scope{Tenant: "t"},
		Speaker:   word.Draw(t, "speaker"),
		Seq:       rapid.IntRange(0, 2).Draw(t, "seq"),
		EventTime: time.Date(2025, 6, 30, rapid.IntRange(0, 48).Draw(t, "hour"), 0, 0, 0, time.UTC),
		Tags:      rapid.SliceOfN(word, 0, 2).Draw(t, "tags"),
		Metadata: map[string]any{"m": rapid.SampledFrom([]any{nil, "a", "ab", 1.0, 1, true, []any{"a"}, []any{"a", 1.0},
			[]string{"b"}, map[string]any{"n": "a"}}).Draw(t, "metadata")},
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[]`, `{"kind": "note"}`, `{"kind": ["note", "entry"]}`,
		`{"seq": {"gte": 1, "lt": 1e9}}`,
		`{"and": [{"or": [{"user": "a"}, {"not": {"tags": {"contains": "b"}}}]}]}`,
		`{"metadata.a.b": {"in": [null, true, 1.5, "x"]}}`,
		`{"event_time": {"lt": "2025-06-30T15:04:05.999999999+14:00"}}`, `{"metadata.n": 1e999}`, `{"and": [{}]}`,
		`{"": 1}`, `{"not": null}`,
		`{"kind": {"eq": "\ud800"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g trilith.Filter
		if err := json.Unmarshal(data, &g); err != nil {
			return
		}
		body, err := json.Marshal(g)
		if err != nil {
			t.Fatalf("Marshal of an accepted filter %q: %v", data, err)
		}
		var back trilith.Filter
		if err := json.Unmarshal(body, &back); err != nil {
			t.Fatalf("Unmarshal(%s), written for %q: %v", body, data, err)
		}
		if accepts(t, g, filterSubject) != accepts(t, back, filterSubject) {
			t.Fatalf("%q and its round trip %s disagree about a memory", data, body)
		}
	})
}

func BenchmarkFilterMatch(b *testing.B) {
	var f trilith.Filter
	if err := json.Unmarshal(
		[]byte(`{"kind": ["note", "entry"], "event_time": {"gte": "2025-01-01"}, "metadata.deep.er": "down"}`),
		&f); err != nil {
		b.Fatal(err)
	}
	match, err := f.Compile()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		match(filterSubject)
	}
}

// fataler is what [testing.TB] and [rapid.T] share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// accepts compiles the filter and asks it about x.
func accepts(t fataler, f trilith.Filter, x *trilith.Facets) bool {
	t.Helper()
	match, err := f.Compile()
	if err != nil {
		t.Fatalf("Compile(%+v) = %v", f, err)
	}
	return match == nil || match(x)
}

// A filter's times without an offset are those of the caller's clock.
func TestFilterInZone(t *testing.T) {
	t.Parallel()
	berlin, err := trilith.ZoneOf("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	midnight := time.Date(2026, 9, 14, 22, 0, 0, 0, time.UTC)
	f := trilith.AllOf(trilith.Where("event_time", trilith.OpGte, "2026-09-15"),
		trilith.Filter{Not: &trilith.Filter{Field: "recorded_at", Op: trilith.OpIn, Value: []any{"2026-09-15T00:00", nil}}},
		trilith.Where("speaker", trilith.OpEq, "2026-09-15"), trilith.Where("valid_until", trilith.OpLt, "soon")).InZone(berlin)
	if got := f.And[0].Value; got != midnight {
		t.Errorf("a day in Berlin begins at %v, want %v", got, midnight)
	}
	if got := f.And[1].Not.Value.([]any); got[0] != midnight || got[1] != nil {
		t.Errorf("a list of times = %v, want %v and nil", got, midnight)
	}
	if f.And[2].Value != "2026-09-15" || f.And[3].Value != "soon" {
		t.Errorf("what is no time = %v and %v, want it unchanged", f.And[2].Value, f.And[3].Value)
	}
}
