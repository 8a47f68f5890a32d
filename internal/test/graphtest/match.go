package graphtest

import (
	"encoding/json"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var matchCases = []testCase{
	{"match/states", "Match returns the assertion in any state", testMatchStates},
	{"match/exact", "Match compares entity, verb and node byte by byte", testMatchExact},
	{"match/unknown", "an absent assertion and one of another tenant give the same answer: NotFound",
		testMatchUnknown},
	{"match/scope", "a narrower scope narrows Match: what it does not cover is NotFound", testMatchScope},
	{"match/owner", "of two equal assertions Match returns the one of the given owner",
		testMatchOwner},
	{"match/wordings", "Match returns the present wording of an assertion, never an older one", testMatchWordings},
	{"match/entity", "changes of an entity's record do not affect its facts", testMatchEntity},
	{"match/erased", "a fact deleted from the store is gone from the graph at once", func(t *testing.T, f *fixture) {
		m := f.put(t, fact("ana", "lives_in", "Location", "Paris"))[0]
		if _, err := f.store.Commit(t.Context(), acme, role.Batch{Delete: []role.Ref{{ID: m.ID}}}); err != nil {
			t.Fatalf("Commit of a deletion = %v, want nil", err)
		}
		f.noMatch(t, acme, m)
	}},
}

func (f *fixture) wantMatch(t *testing.T, s trilith.Scope, want trilith.Memory) {
	t.Helper()
	got, err := f.Match(t.Context(), s, want.Fact.Owner, want.Fact.EntityID, want.Fact.Verb, want.Fact.FactID)
	wantFacts(t, "Match("+described(s)+", "+want.Text+")", []trilith.Memory{got}, err, []trilith.Memory{want})
}

// noMatch expects no match, and returns the message.
func (f *fixture) noMatch(t *testing.T, s trilith.Scope, m trilith.Memory) string {
	t.Helper()
	got, err := f.Match(t.Context(), s, m.Fact.Owner, m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
	wantKind(t, "Match("+described(s)+", "+m.Text+")", err, trilith.NotFound)
	if got.ID != "" {
		t.Errorf("Match(%s, %s) returned %q beside its error, want nothing", described(s), m.Text, got.Text)
	}
	return trilith.MessageOf(err)
}

func testMatchStates(t *testing.T, f *fixture) {
	for _, state := range trilith.States() {
		m := f.put(t, fact("ana", "lives_in", "Location", "in state "+string(state), is(state)))[0]
		f.wantMatch(t, acme, m)
	}
}

func testMatchExact(t *testing.T, f *fixture) {
	ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"), fact("ana", "lives_in", "location", "Paris"),
		fact("ana", "lives_in", "Location", "paris"), fact("ana", "lived_in", "Location", "Paris"),
		fact("ben", "lives_in", "Location", "Paris"),
		fact("ana", "lives_in", "Location", "Paris "), fact("ana", "lives_in", "Location", "São: Paulo/日本"))
	for _, m := range ms {
		f.wantMatch(t, acme, m)
	}
	for _, other := range []trilith.Memory{fact("Ana", "lives_in", "Location", "Paris"),
		fact("ana", "lives_i", "Location", "Paris"),
		fact("ana", "lives_in", "Location", "Par%"), fact("ana", "", "", "")} {
		f.noMatch(t, acme, other)
	}
}

func testMatchUnknown(t *testing.T, f *fixture) {
	theirs := f.put(t, fact("ana", "lives_in", "Location", "Paris", in(beta)))[0]
	unknown := f.noMatch(t, acme, fact("ana", "lives_in", "Location", "Oslo"))
	if foreign := f.noMatch(t, acme, theirs); foreign != unknown {
		t.Errorf("Match says %q of another tenant's assertion and %q of an unknown one, want one sentence",
			foreign, unknown)
	}
	f.wantMatch(t, beta, theirs)
	f.put(t, fact("ana", "lives_in", "Location", "Paris")) // the same assertion in both tenants: each sees its own
	f.wantMatch(t, acme, fact("ana", "lives_in", "Location", "Paris"))
	f.wantMatch(t, beta, theirs)
}

func testMatchScope(t *testing.T, f *fixture) {
	narrow := trilith.Scope{Tenant: "acme", User: "ana", Session: "s1"}
	m := f.put(t, fact("ana", "lives_in", "Location", "Paris", in(narrow)))[0]
	for _, s := range []trilith.Scope{acme, narrow, {Tenant: "acme", User: "ana"},
		{Tenant: "acme", Session: "s1", Actor: "key 1"}} {
		f.wantMatch(t, s, m)
	}
	for _, s := range []trilith.Scope{{Tenant: "acme", User: "Ana"}, {Tenant: "acme", User: "ana", Session: "s2"},
		{Tenant: "acme", Project: "p"}, {Tenant: "Acme"}} {
		f.noMatch(t, s, m)
	}
}

func testMatchOwner(t *testing.T, f *fixture) {
	ours := fact("ana", "lives_in", "Location", "Paris", in(trilith.Scope{Tenant: "acme", User: "u", Session: "s"}),
		by("user:u", false))
	theirs := fact("ana", "lives_in", "Location", "Paris", in(trilith.Scope{Tenant: "acme", User: "v", Project: "p"}),
		by("project:p", true))
	f.put(t, ours, theirs)
	f.wantMatch(t, acme, ours)
	f.wantMatch(t, acme, theirs)
	f.wantMatch(t, trilith.Scope{Tenant: "acme", User: "u", Session: "s2"}, ours)
	f.wantMatch(t, trilith.Scope{Tenant: "acme", User: "w", Project: "p"}, theirs)
	f.noMatch(t, trilith.Scope{Tenant: "acme", User: "w", Project: "p"}, ours)
	f.noMatch(t, acme, fact("ana", "lives_in", "Location", "Paris", by("", true)))
}

func testMatchWordings(t *testing.T, f *fixture) {
	now := fact("ana", "lives_in", "Location", "Paris")
	older := fact("ana", "lives_in", "Location", "Paris", is(trilith.StateSuperseded))
	older.ID, older.Text, older.SupersededBy = trilith.DeriveID("graphtest wording", string(now.ID)),
		"an older wording", now.ID
	f.put(t, older)
	f.noMatch(t, acme, now)
	f.put(t, now)
	f.wantMatch(t, acme, now)
}

func testMatchEntity(t *testing.T, f *fixture) {
	ana, ben := fact("ana", "lives_in", "Location", "Paris"), knows("ana", "ben")
	record := func(who, name string) role.Record {
		body, err := json.Marshal(
			trilith.Entity{ID: person(who), Type: "person", Name: name,
				Identifiers: []trilith.Identifier{{Type: "email", Value: who + "@example.com"}}})
		if err != nil {
			t.Fatal(err)
		}
		return role.Record{Kind: role.RecordEntity, ID: person(who), Body: body}
	}
	for _, b := range []role.Batch{
		{Records: []role.Record{record("ana", "Ana")}},
		{Memories: []trilith.Memory{ana, ben}},
		{Records: []role.Record{record("ana", "Ana Brook"), record("ben", "Ben")}},
		{Delete: []role.Ref{{Kind: role.RecordEntity, ID: person("ana")},
			{Kind: role.RecordEntity, ID: person("ben")}}},
	} {
		if _, err := f.store.Commit(t.Context(), acme, b); err != nil {
			t.Fatalf("Commit = %v, want nil", err)
		}
	}
	f.wantMatch(t, acme, ana)
	named, err := f.Naming(t.Context(), acme, []trilith.ID{person("ben")}, 0)
	wantFacts(t, "Naming(ben)", named, err, []trilith.Memory{ben})
}
