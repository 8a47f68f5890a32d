package graphtest

import (
	"testing"

	"github.com/cairn-memory/cairn"
)

var matchCases = []testCase{
	{"match/states", "Match returns the assertion in whatever state it is", testMatchStates},
	{"match/exact", "Match means this entity, this verb and this node, byte by byte", testMatchExact},
	{"match/unknown", "an assertion that does not exist and one of another tenant answer alike: NotFound", testMatchUnknown},
	{"match/scope", "a narrower scope narrows Match: what it does not cover is NotFound", testMatchScope},
	{"match/wordings", "Match returns the assertion as it stands, never one of its older wordings", testMatchWordings},
	{"match/erased", "what was deleted from the store is gone from the graph at once", func(t *testing.T, f *fixture) {
		m := f.put(t, fact("ana", "lives_in", "Location", "Paris"))[0]
		if _, err := f.store.Commit(t.Context(), acme, cairn.Batch{Delete: []cairn.Ref{{ID: m.ID}}}); err != nil {
			t.Fatalf("Commit of a deletion = %v, want nil", err)
		}
		f.noMatch(t, acme, m)
	}},
}

func (f *fixture) wantMatch(t *testing.T, s cairn.Scope, want cairn.Memory) {
	t.Helper()
	got, err := f.Match(t.Context(), s, want.Fact.EntityID, want.Fact.Verb, want.Fact.FactID)
	wantFacts(t, "Match("+described(s)+", "+want.Text+")", []cairn.Memory{got}, err, []cairn.Memory{want})
}

// noMatch wants the answer to something that does not exist, and returns its sentence.
func (f *fixture) noMatch(t *testing.T, s cairn.Scope, m cairn.Memory) string {
	t.Helper()
	got, err := f.Match(t.Context(), s, m.Fact.EntityID, m.Fact.Verb, m.Fact.FactID)
	wantKind(t, "Match("+described(s)+", "+m.Text+")", err, cairn.NotFound)
	if got.ID != "" {
		t.Errorf("Match(%s, %s) returned %q beside its error, want nothing", described(s), m.Text, got.Text)
	}
	return cairn.MessageOf(err)
}

func testMatchStates(t *testing.T, f *fixture) {
	for _, state := range cairn.States() {
		m := f.put(t, fact("ana", "lives_in", "Location", "in state "+string(state), is(state)))[0]
		f.wantMatch(t, acme, m)
	}
}

func testMatchExact(t *testing.T, f *fixture) {
	ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"), fact("ana", "lives_in", "location", "Paris"),
		fact("ana", "lives_in", "Location", "paris"), fact("ana", "lived_in", "Location", "Paris"), fact("ben", "lives_in", "Location", "Paris"),
		fact("ana", "lives_in", "Location", "Paris "), fact("ana", "lives_in", "Location", "São: Paulo/日本"))
	for _, m := range ms {
		f.wantMatch(t, acme, m)
	}
	for _, other := range []cairn.Memory{fact("Ana", "lives_in", "Location", "Paris"), fact("ana", "lives_i", "Location", "Paris"),
		fact("ana", "lives_in", "Location", "Par%"), fact("ana", "", "", "")} {
		f.noMatch(t, acme, other)
	}
}

func testMatchUnknown(t *testing.T, f *fixture) {
	theirs := f.put(t, fact("ana", "lives_in", "Location", "Paris", in(beta)))[0]
	unknown := f.noMatch(t, acme, fact("ana", "lives_in", "Location", "Oslo"))
	if foreign := f.noMatch(t, acme, theirs); foreign != unknown {
		t.Errorf("Match says %q of another tenant's assertion and %q of an unknown one, want one sentence", foreign, unknown)
	}
	f.wantMatch(t, beta, theirs)
	f.put(t, fact("ana", "lives_in", "Location", "Paris")) // the same assertion in both: each sees its own
	f.wantMatch(t, acme, fact("ana", "lives_in", "Location", "Paris"))
	f.wantMatch(t, beta, theirs)
}

func testMatchScope(t *testing.T, f *fixture) {
	narrow := cairn.Scope{Tenant: "acme", User: "ana", Session: "s1"}
	m := f.put(t, fact("ana", "lives_in", "Location", "Paris", in(narrow)))[0]
	for _, s := range []cairn.Scope{acme, narrow, {Tenant: "acme", User: "ana"}, {Tenant: "acme", Session: "s1", Actor: "key 1"}} {
		f.wantMatch(t, s, m)
	}
	for _, s := range []cairn.Scope{{Tenant: "acme", User: "Ana"}, {Tenant: "acme", User: "ana", Session: "s2"},
		{Tenant: "acme", Project: "p"}, {Tenant: "Acme"}} {
		f.noMatch(t, s, m)
	}
}

func testMatchWordings(t *testing.T, f *fixture) {
	now := fact("ana", "lives_in", "Location", "Paris")
	older := fact("ana", "lives_in", "Location", "Paris", is(cairn.StateSuperseded))
	older.ID, older.Text, older.SupersededBy = cairn.DeriveID("graphtest wording", string(now.ID)), "an older wording", now.ID
	f.put(t, older)
	f.noMatch(t, acme, now)
	f.put(t, now)
	f.wantMatch(t, acme, now)
}
