package graphtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

var listCases = []testCase{
	{"list/active", "Facts and Naming return active facts only", testListActive},
	{"list/facts", "Facts returns the facts about the entities, by ascending id, and none that only name them",
		testListFacts},
	{"list/naming", "Naming returns the facts whose node names one of the entities, by ascending id, about any entity", testListNaming},
	{"list/tenants", "Facts and Naming stay inside the tenant, even if another one has the same entities and nodes",
		testListTenants},
	{"list/scope", "a narrower scope narrows Facts and Naming", testListScope},
	{"list/limits", "at most limit facts are returned, those with the lowest ids; 0 means MaxWalk", testListLimits},
	{"list/many", "one call may name thousands of entities, repeated and unknown ones among them", testListMany},
	{"list/empty", "without entities, or for one without an id, there are no facts: an empty id does not find facts without a name",
		testListEmpty},
}

// lister is Facts or Naming.
type lister struct {
	name string
	of   func(f *fixture) func(context.Context, trilith.Scope, []trilith.ID, int) ([]trilith.Memory, error)
	fact func(who string, edits ...func(*trilith.Memory)) trilith.Memory // a new fact that it finds for who
}

var listers = []lister{
	{"Facts", func(f *fixture) func(context.Context, trilith.Scope, []trilith.ID, int) ([]trilith.Memory, error) {
		return f.Facts
	},
		func(who string, edits ...func(*trilith.Memory)) trilith.Memory {
			return fact(who, "lives_in", "Location", "Paris", edits...)
		}},
	{"Naming", func(f *fixture) func(context.Context, trilith.Scope, []trilith.ID, int) ([]trilith.Memory, error) {
		return f.Naming
	},
		func(who string, edits ...func(*trilith.Memory)) trilith.Memory {
			return knows("somebody", who, edits...)
		}},
}

func (f *fixture) wantListed(t *testing.T, l lister, s trilith.Scope, entities []trilith.ID, limit int,
	want []trilith.Memory) {
	t.Helper()
	got, err := l.of(f)(t.Context(), s, entities, limit)
	wantFacts(t, fmt.Sprintf("%s(%s, %d entities, limit %d)", l.name, described(s), len(entities), limit),
		got, err, want)
}

func testListActive(t *testing.T, f *fixture) {
	for _, l := range listers {
		var entities []trilith.ID
		var active []trilith.Memory
		for _, state := range trilith.States() {
			who := l.name + " of somebody " + string(state)
			m := f.put(t, l.fact(who, is(state)))[0]
			entities = append(entities, person(who))
			if state == trilith.StateActive {
				active = append(active, m)
			}
		}
		f.wantListed(t, l, acme, entities, 0, active)
	}
}

func testListFacts(t *testing.T, f *fixture) {
	f.put(t, fact("ben", "lives_in", "Location", "Paris"), knows("ben", "ana"))
	own := f.put(t, fact("ana", "lives_in", "Location", "Paris"), fact("ana", "likes", "Thing", "tea"),
		knows("ana", "ben"), knows("ana", "ana"),
		fact("ana", "likes", "Thing", "rain", func(m *trilith.Memory) { m.Fact.Polarity = trilith.Negated }))
	carl := f.put(t, fact("carl", "lives_in", "Location", "Paris"))
	note := fact("ana", "wrote", "Thing", "a note")
	note.ID, note.Kind, note.Fact = trilith.DeriveID("graphtest note"), trilith.KindNote, nil
	f.put(t, note)
	f.wantListed(t, listers[0], acme, []trilith.ID{person("ana")}, 0, byID(own...))
	f.wantListed(t, listers[0], acme, []trilith.ID{person("carl"), person("ana"), person("nobody")}, 0,
		byID(append(own, carl...)...))
}

func testListNaming(t *testing.T, f *fixture) {
	f.put(t, fact("ana", "lives_in", "Location", "Paris"), knows("ana", "carl"),
		fact("dora", "knows", "Person", "ana")) // a node with that name that names no entity
	naming := f.put(t, knows("ben", "ana"), knows("carl", "ana"), knows("ana", "ana"),
		fact("house", "built_by", "Organisation", "Ana Ltd",
			func(m *trilith.Memory) { m.Fact.Node.EntityRef = person("ana") }))
	f.wantListed(t, listers[1], acme, []trilith.ID{person("ana")}, 0, byID(naming...))
	f.wantListed(t, listers[1], acme, []trilith.ID{person("ben")}, 0, nil)
}

func testListTenants(t *testing.T, f *fixture) {
	for _, l := range listers {
		ours := f.put(t, l.fact("ana"))
		theirs := f.put(t, l.fact("ana", in(beta)), l.fact("ben", in(beta)))
		both := []trilith.ID{person("ana"), person("ben")}
		f.wantListed(t, l, acme, both, 0, ours)
		f.wantListed(t, l, beta, both, 0, byID(theirs...))
		f.wantListed(t, l, trilith.Scope{Tenant: "acm"}, both, 0, nil)
		f.wantListed(t, l, trilith.Scope{Tenant: "ACME"}, both, 0, nil)
	}
}

func testListScope(t *testing.T, f *fixture) {
	home, work := trilith.Scope{Tenant: "acme", User: "ana", Project: "home"},
		trilith.Scope{Tenant: "acme", User: "ana", Project: "work"}
	for _, l := range listers {
		a, b := l.fact("ana", in(home)), l.fact("ben", in(work))
		f.put(t, a, b)
		both := []trilith.ID{person("ana"), person("ben")}
		f.wantListed(t, l, home, both, 0, []trilith.Memory{a})
		f.wantListed(t, l, work, both, 0, []trilith.Memory{b})
		f.wantListed(t, l, trilith.Scope{Tenant: "acme", User: "ana"}, both, 0, byID(a, b))
		f.wantListed(t, l, trilith.Scope{Tenant: "acme", User: "ben"}, both, 0, nil)
	}
}

func testListLimits(t *testing.T, f *fixture) {
	facts := byID(f.put(t, many(trilith.MaxWalk+20, "ana")...)...)
	var naming []trilith.Memory
	for n := range trilith.MaxWalk + 20 {
		naming = append(naming, knows(fmt.Sprint("person ", n), "ben"))
	}
	naming = byID(f.put(t, naming...)...)
	for limit, n := range map[int]int{1: 1, 7: 7, trilith.MaxWalk: trilith.MaxWalk, 0: trilith.MaxWalk} {
		f.wantListed(t, listers[0], acme, []trilith.ID{person("ana")}, limit, facts[:n])
		f.wantListed(t, listers[1], acme, []trilith.ID{person("ben")}, limit, naming[:n])
	}
}

func testListMany(t *testing.T, f *fixture) {
	const entities, each = 2500, 100 // every 100th has facts
	for _, l := range listers {
		var ids []trilith.ID
		var found []trilith.Memory
		for n := range entities {
			who := fmt.Sprint(l.name, " of person ", n)
			ids = append(ids, person(who))
			if n%each == 0 {
				found = append(found, l.fact(who))
			}
		}
		found = byID(f.put(t, found...)...)
		ids = append(ids, slices.Repeat(ids[:1], 1500)...)
		before := slices.Clone(ids)
		f.wantListed(t, l, acme, ids, 0, found)
		f.wantListed(t, l, acme, ids, 5, found[:5])
		if !slices.Equal(ids, before) {
			t.Errorf("%s changed the list of entities that it was given", l.name)
		}
	}
}

func testListEmpty(t *testing.T, f *fixture) {
	f.put(t, fact("ana", "lives_in", "Location", "Paris"),
		fact("", "lives_in", "Location", "Paris", func(m *trilith.Memory) { m.Fact.EntityID = "" }))
	for _, l := range listers {
		for _, entities := range [][]trilith.ID{nil, {}, {""}, {"", person("nobody")}, {"no uuid"}} {
			f.wantListed(t, l, acme, entities, 0, nil)
		}
	}
}
