// Package graphtest checks graphs against the contract of [role.Graph]. Each case has the sentence of the contract
// that it checks, and prints it when it fails. The suite writes facts through the store whose graph it reads.
package graphtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Harness opens the graph under test.
type Harness struct {
	// New returns an empty store and the graph of its facts. The suite closes the store.
	New func(tb testing.TB) (role.Store, role.Graph)
}

type testCase struct {
	name string
	why  string // the sentence of the contract that the case guards
	run  func(t *testing.T, f *fixture)
}

// Run checks a graph against the contract of [role.Graph].
func Run(t *testing.T, h Harness) {
	for _, c := range slices.Concat(matchCases, listCases, walkCases, refusals) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, newFixture(t, h))
		})
	}
}

var (
	acme  = trilith.Scope{Tenant: "acme"}
	beta  = trilith.Scope{Tenant: "beta"}
	epoch = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fixture is a store with its graph.
type fixture struct {
	role.Graph
	store  role.Store
	damage func(tb testing.TB, g role.Graph, tenant string) // of [RunProjected]
}

func newFixture(tb testing.TB, h Harness) *fixture {
	tb.Helper()
	store, graph := h.New(tb)
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return &fixture{Graph: graph, store: store}
}

// person names an entity of the cases, and source the n-th request. Both are derived ids, so that no order is right by
// chance.
func person(name string) trilith.ID { return trilith.DeriveID("graphtest entity", name) }

func source(n int) trilith.ID { return trilith.DeriveID("graphtest source", fmt.Sprint(n)) }

// fact returns the memory of acme that asserts who –[verb]→ Type:Name; edits change it before its id is made.
func fact(who, verb, typ, name string, edits ...func(*trilith.Memory)) trilith.Memory {
	f := &trilith.Fact{EntityID: person(who), Verb: verb, Node: trilith.Node{Type: typ, Name: name},
		Type:     trilith.FactProfile,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.9, AuthorRole: trilith.RoleUser,
		Priority:     trilith.PriorityNormal,
		Verification: trilith.Verification{Status: trilith.Verified}}
	m := trilith.Memory{Version: 1, Kind: trilith.KindFact, Text: who + " " + verb + " " + name, Scope: acme,
		EventTime: epoch, RecordedAt: epoch,
		State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: f}
	for _, edit := range edits {
		edit(&m)
	}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	m.ID = f.MemoryID()
	return m
}

// knows returns the fact whose node names the entity of another person.
func knows(who, whom string, edits ...func(*trilith.Memory)) trilith.Memory {
	return fact(who, "knows", "Person", whom,
		append(edits, func(m *trilith.Memory) { m.Fact.Node.EntityRef = person(whom) })...)
}

func in(s trilith.Scope) func(*trilith.Memory) { return func(m *trilith.Memory) { m.Scope = s } }

// by sets the owner of a fact; the id of a guest's fact contains the owner.
func by(owner trilith.Owner, guest bool) func(*trilith.Memory) {
	return func(m *trilith.Memory) { m.Fact.Owner, m.Fact.Guest = owner, guest }
}

func is(state trilith.State) func(*trilith.Memory) {
	return func(m *trilith.Memory) { m.State = state }
}

func from(n int) func(*trilith.Memory) { return func(m *trilith.Memory) { m.SourceID = source(n) } }

// many returns n facts of one person.
func many(n int, who string, edits ...func(*trilith.Memory)) []trilith.Memory {
	ms := make([]trilith.Memory, n)
	for i := range ms {
		ms[i] = fact(who, "likes", "Thing", fmt.Sprint("thing ", i), edits...)
	}
	return ms
}

// put stores memories, each in its tenant, and returns them.
func (f *fixture) put(t testing.TB, ms ...trilith.Memory) []trilith.Memory {
	t.Helper()
	byTenant := make(map[string][]trilith.Memory)
	for _, m := range ms {
		byTenant[m.Scope.Tenant] = append(byTenant[m.Scope.Tenant], m)
	}
	for tenant, ms := range byTenant {
		for batch := range slices.Chunk(ms, role.MaxBatch) {
			if _, err := f.store.Commit(t.Context(), trilith.Scope{Tenant: tenant},
				role.Batch{Memories: batch}); err != nil {
				t.Fatalf("Commit of %d facts = %v, want nil", len(batch), err)
			}
		}
	}
	return ms
}

// byID returns a copy in ascending order of ids.
func byID(ms ...trilith.Memory) []trilith.Memory {
	return slices.SortedFunc(slices.Values(ms), func(a, b trilith.Memory) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}

// wantFacts compares the answer of a call; missing and unexpected facts are described by their content.
func wantFacts(t testing.TB, call string, got []trilith.Memory, err error, want []trilith.Memory) {
	t.Helper()
	if err != nil {
		t.Errorf("%s = %v, want nil", call, err)
		return
	}
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Errorf("%s: wrong facts (-want +got):\n%s", call, diff)
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: the facts differ from what was stored (-want +got):\n%s", call, diff)
	}
}

func texts(ms []trilith.Memory) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.Text
	}
	return out
}

func wantKind(t testing.TB, call string, err error, want trilith.ErrorKind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s = nil, want an error of kind %s", call, want)
	} else if got := trilith.KindOf(err); got != want {
		t.Errorf("%s = %v (kind %s), want kind %s", call, err, got, want)
	}
}

// described describes the scope of a call in a failure message.
func described(s trilith.Scope) string { return fmt.Sprintf("tenant %q, user %q", s.Tenant, s.User) }
