package graphtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

var walkCases = []testCase{
	{"walk/hops", "hops 0, 1 and 2 reach exactly the facts within that distance: the given ones first, the others by distance, then id", testWalkHops},
	{"walk/source", "one hop leads from a fact to the facts of the same source; facts without a source have none in common", testWalkSource},
	{"walk/names", "one hop leads from a fact to the facts of the entity that its node names, never to the facts that name an entity", testWalkNames},
	{"walk/shared_node", "a walk never connects facts by a common node: two people who live in Paris are not connected", testWalkSharedNode},
	{"walk/cycles", "a walk ends where it returns to a visited fact, and returns every fact once", testWalkCycles},
	{"walk/active", "a walk reaches active facts only, and continues from no others", testWalkActive},
	{"walk/given", "the given facts come first, in order and in their present state; absent ones are left out", testWalkGiven},
	{"walk/tenants", "a walk stays inside its tenant, even if another one has the same entities, sources and ids in its nodes", testWalkTenants},
	{"walk/scope", "a walk sees only facts that its scope covers, and does not pass through others", testWalkScope},
	{"walk/hub", "a walk returns at most MaxWalk facts: of the last distance, those with the lowest ids", testWalkHub},
}

var refusals = []testCase{
	{"refuse/hops", "a walk takes 0 to 2 hops, others are Invalid", func(t *testing.T, f *fixture) {
		ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"))
		for _, hops := range []int{-1, 3, 1 << 30} {
			_, err := f.Walk(t.Context(), acme, ms, hops)
			wantKind(t, fmt.Sprintf("Walk with %d hops", hops), err, trilith.Invalid)
			_, err = f.Walk(t.Context(), acme, nil, hops)
			wantKind(t, fmt.Sprintf("Walk from nowhere with %d hops", hops), err, trilith.Invalid)
		}
	}},
	{"refuse/limit", "a limit is 0 to MaxWalk, others are Invalid", func(t *testing.T, f *fixture) {
		for _, l := range listers {
			for _, limit := range []int{-1, trilith.MaxWalk + 1} {
				_, err := l.of(f)(t.Context(), acme, []trilith.ID{person("ana")}, limit)
				wantKind(t, fmt.Sprintf("%s with the limit %d", l.name, limit), err, trilith.Invalid)
			}
		}
	}},
	{"refuse/scope", "every method works inside the tenant of its scope and answers Invalid to a scope that is not valid", testRefuseScope},
	{"refuse/closed", "after the store was closed every method answers Unavailable", func(t *testing.T, f *fixture) {
		ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"))
		if err := f.store.Close(); err != nil {
			t.Fatalf("Close() = %v, want nil", err)
		}
		for name, call := range f.calls(t.Context(), acme, ms) {
			wantKind(t, name+" after Close", call(), trilith.Unavailable)
		}
	}},
	{"refuse/canceled", "errors of a context pass through unchanged", func(t *testing.T, f *fixture) {
		ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, call := range f.calls(ctx, acme, ms) {
			if err := call(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s with a canceled context = %v, want %v", name, err, context.Canceled)
			}
		}
	}},
}

// calls lists every method, each with valid arguments.
func (f *fixture) calls(ctx context.Context, s trilith.Scope, ms []trilith.Memory) map[string]func() error {
	x := ms[0].Fact
	return map[string]func() error{
		"Match":  func() error { _, err := f.Match(ctx, s, x.Owner, x.EntityID, x.Verb, x.FactID); return err },
		"Facts":  func() error { _, err := f.Facts(ctx, s, []trilith.ID{x.EntityID}, 0); return err },
		"Naming": func() error { _, err := f.Naming(ctx, s, []trilith.ID{x.EntityID}, 0); return err },
		"Walk":   func() error { _, err := f.Walk(ctx, s, ms, 2); return err },
	}
}

func testRefuseScope(t *testing.T, f *fixture) {
	ms := f.put(t, fact("ana", "lives_in", "Location", "Paris"))
	for _, s := range []trilith.Scope{{}, {User: "ana"}, {Tenant: "no tenant"}, {Tenant: "acme", User: "a\x00b"},
		{Tenant: "acme", User: "\xff"}} {
		for name, call := range f.calls(t.Context(), s, ms) {
			wantKind(t, name+" in "+described(s), call(), trilith.Invalid)
		}
		_, err := f.Facts(t.Context(), s, nil, 0)
		wantKind(t, "Facts of nobody in "+described(s), err, trilith.Invalid)
		_, err = f.Walk(t.Context(), s, nil, 0)
		wantKind(t, "Walk from nowhere in "+described(s), err, trilith.Invalid)
	}
}

func (f *fixture) wantWalk(t *testing.T, s trilith.Scope, start []trilith.Memory, hops int, want ...[]trilith.Memory) {
	t.Helper()
	got, err := f.Walk(t.Context(), s, start, hops)
	wantFacts(t, fmt.Sprintf("Walk(%s, from %q, %d hops)", described(s), texts(start), hops), got, err,
		slices.Concat(want...))
}

// testWalkHops walks through a small world: ana knows ben, ben knows carl, carl knows dora; two sources contain several
// facts.
func testWalkHops(t *testing.T, f *fixture) {
	start := []trilith.Memory{fact("ana", "likes", "Thing", "tea", from(1)), knows("ana", "ben", from(2))}
	one := []trilith.Memory{
		// the sources of the start
		fact("ana", "likes", "Thing", "rain", from(1)), fact("emil", "likes", "Thing", "wind", from(1)),
		// the entity that the start names
		fact("ben", "lives_in", "Location", "Oslo", from(3)), knows("ben", "carl", from(4)),
	}
	two := []trilith.Memory{
		// the sources of one hop
		fact("fred", "likes", "Thing", "snow", from(3)), fact("gina", "likes", "Thing", "hail", from(4)),
		fact("carl", "lives_in", "Location", "Rome"), knows("carl", "dora"), // the entity that one hop names
	}
	f.put(t, slices.Concat(start, one, two)...)
	f.put(t, fact("dora", "lives_in", "Location", "Bonn"), // three hops away
		// ana's, from another source: a common entity connects nothing
		fact("ana", "works_at", "Organisation", "trilith", from(9)),
		fact("emil", "works_at", "Organisation", "trilith"), fact("hans", "lives_in", "Location", "Oslo"),
		knows("hans", "ana"), knows("hans", "ben"))
	f.wantWalk(t, acme, start, 0, start)
	f.wantWalk(t, acme, start, 1, start, byID(one...))
	f.wantWalk(t, acme, start, 2, start, byID(one...), byID(two...))
	slices.Reverse(start)
	f.wantWalk(t, acme, start, 2, start, byID(one...), byID(two...))
	for hops := range 3 {
		f.wantWalk(t, acme, nil, hops)
	}
}

func testWalkSource(t *testing.T, f *fixture) {
	ms := f.put(t, fact("ana", "likes", "Thing", "tea", from(1)), fact("ben", "likes", "Thing", "rain", from(1)),
		fact("carl", "likes", "Thing", "wind", from(1)))
	f.put(t, fact("dora", "likes", "Thing", "tea", from(2)))
	lone := f.put(t, fact("emil", "likes", "Thing", "tea"), fact("fred", "likes", "Thing", "tea"))
	episode := fact("ana", "said", "Thing", "something", from(1))
	episode.ID, episode.Kind, episode.Fact = trilith.DeriveID("graphtest episode"), trilith.KindEpisode, nil
	f.put(t, episode)
	f.wantWalk(t, acme, ms[1:2], 1, ms[1:2], byID(ms[0], ms[2]))
	f.wantWalk(t, acme, ms[1:2], 2, ms[1:2], byID(ms[0], ms[2]))
	f.wantWalk(t, acme, lone[:1], 2, lone[:1])
}

func testWalkNames(t *testing.T, f *fixture) {
	start := f.put(t, knows("ana", "ben"))
	bens := f.put(t, fact("ben", "lives_in", "Location", "Oslo"), fact("ben", "likes", "Thing", "tea"))
	f.put(t, knows("carl", "ben"), knows("dora", "ana"))
	f.wantWalk(t, acme, start, 2, start, byID(bens...))
	f.wantWalk(t, acme, bens[:1], 2, bens[:1])
}

func testWalkSharedNode(t *testing.T, f *fixture) {
	paris := func(m *trilith.Memory) { m.Fact.Node.EntityRef = person("the city of Paris") }
	for i, edit := range []func(*trilith.Memory){func(*trilith.Memory) {}, paris} {
		verb := fmt.Sprint("lives_in_", i)
		start := f.put(t, fact("ana", verb, "Location", "Paris", edit))
		f.put(t, fact("ben", verb, "Location", "Paris", edit), fact("carl", "visited", "Location", "Paris", edit))
		f.wantWalk(t, acme, start, 2, start)
	}
	// the entity's own facts do not belong to the answer
	city := f.put(t, fact("the city of Paris", "lies_in", "Location", "France"))
	start := []trilith.Memory{fact("ana", "lives_in_1", "Location", "Paris", paris)}
	f.wantWalk(t, acme, start, 2, start, city)
}

func testWalkCycles(t *testing.T, f *fixture) {
	ab := f.put(t, knows("ana", "ben", from(1)))
	ba := f.put(t, knows("ben", "ana", from(1)), knows("ben", "ben"))
	aa := f.put(t, knows("ana", "ana"))
	f.wantWalk(t, acme, ab, 1, ab, byID(ba...))
	f.wantWalk(t, acme, ab, 2, ab, byID(ba...), aa)
	f.wantWalk(t, acme, aa, 2, aa, ab, byID(ba...))
	twice := slices.Concat(ab, ab, ba[:1], ab)
	f.wantWalk(t, acme, twice, 1, ab, ba[:1], byID(ba[1], aa[0]))
}

func testWalkActive(t *testing.T, f *fixture) {
	start := f.put(t, fact("ana", "likes", "Thing", "tea", from(1)), knows("ana", "ben"))
	for _, state := range trilith.States() {
		if state != trilith.StateActive {
			f.put(t, knows("emil", "carl in state "+string(state), from(1), is(state)),
				fact("ben", "likes", "Thing", string(state), is(state)))
			f.put(t, fact("carl in state "+string(state), "likes", "Thing", "rain"))
		}
	}
	f.wantWalk(t, acme, start, 2, start)
}

func testWalkGiven(t *testing.T, f *fixture) {
	start := f.put(t, fact("ana", "likes", "Thing", "tea"), knows("ana", "ben", is(trilith.StateSuperseded)),
		fact("carl", "likes", "Thing", "rain"))
	bens := f.put(t, fact("ben", "likes", "Thing", "wind"))
	stale := slices.Clone(start)
	stale[0].Text, stale[0].Version = "what the caller read before", 7
	stale[1].Fact = nil
	unknown := fact("ana", "likes", "Thing", "nothing that is stored")
	note := fact("ana", "wrote", "Thing", "a note")
	note.ID, note.Kind, note.Fact = trilith.DeriveID("graphtest note"), trilith.KindNote, nil
	f.put(t, note)
	for hops, far := range [][]trilith.Memory{nil, bens, bens} {
		got, err := f.Walk(t.Context(), acme, []trilith.Memory{unknown, stale[2], note, stale[1], stale[0]}, hops)
		want := append([]trilith.Memory{start[2], start[1], start[0]}, far...)
		wantFacts(t, fmt.Sprintf(
			"Walk with %d hops from facts that changed meanwhile, one that is not stored and a note", hops),
			got, err, want)
	}
}

func testWalkTenants(t *testing.T, f *fixture) {
	start := f.put(t, knows("ana", "ben", from(1)))
	theirs := f.put(t, knows("ana", "ben", from(1), in(beta)), fact("ben", "likes", "Thing", "tea", in(beta)),
		fact("carl", "likes", "Thing", "tea", from(1), in(beta)))
	f.wantWalk(t, acme, start, 2, start)
	f.wantWalk(t, beta, theirs[:1], 1, theirs[:1], byID(theirs[1:]...))
	f.wantWalk(t, beta, start, 2) // acme's fact is unknown to beta, though beta asserts the same
	f.wantWalk(t, acme, theirs, 2)
}

func testWalkScope(t *testing.T, f *fixture) {
	home, work := trilith.Scope{Tenant: "acme", User: "ana", Project: "home"},
		trilith.Scope{Tenant: "acme", User: "ana", Project: "work"}
	start := f.put(t, knows("ana", "ben", from(1), in(home)))
	near := f.put(t, fact("ben", "likes", "Thing", "tea", in(home)))
	hidden := f.put(t, knows("ben", "carl", in(work)), knows("emil", "carl", from(1), in(work)))
	far := f.put(t, fact("carl", "likes", "Thing", "tea", in(home)))
	f.wantWalk(t, home, start, 2, start, near)
	f.wantWalk(t, acme, start, 2, start, byID(append(hidden, near...)...), far)
	f.wantWalk(t, work, start, 2)
}

func testWalkHub(t *testing.T, f *fixture) {
	start := f.put(t, knows("ana", "hub", from(1)))
	near := byID(f.put(t, many(100, "of the same source", from(1),
		func(m *trilith.Memory) { m.Fact.EntityID = person("ben") })...)...)
	hub := byID(f.put(t, many(trilith.MaxWalk, "hub", from(2))...)...)
	one := byID(slices.Concat(hub, near)...)[:trilith.MaxWalk-1]
	f.wantWalk(t, acme, start, 1, start, one)
	f.wantWalk(t, acme, start, 2, start, one)

	beside := f.put(t, fact("ben", "lives_in", "Location", "Oslo", from(2)))
	rest := byID(slices.Concat(near[1:], start)...)
	f.wantWalk(t, acme, near[:1], 1, near[:1], rest)
	f.wantWalk(t, acme, near[:1], 2, near[:1], rest, hub[:trilith.MaxWalk-101])

	// the given facts do not count against the limit of a hop
	low, high := hub[:300], byID(slices.Concat(hub[300:], beside)...)
	f.wantWalk(t, acme, low, 1, low, high[:trilith.MaxWalk-300])
	all := slices.Concat(hub, near)
	f.wantWalk(t, acme, all, 2, all[:trilith.MaxWalk])
}
