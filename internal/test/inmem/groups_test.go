package inmem_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// A listing of sessions or of the facts of entities is that of the whole store, whatever was written and deleted before.
func TestGroups(t *testing.T) {
	t.Parallel()
	acme, random := trilith.Scope{Tenant: "acme"}, rand.New(rand.NewPCG(5, 6))
	store := inmem.New(time.Now)
	entity := func() trilith.ID { return trilith.DeriveID("entity", fmt.Sprint(random.IntN(4))) }
	for range 300 {
		m := trilith.Memory{ID: trilith.DeriveID("memory", fmt.Sprint(random.IntN(60))),
			Kind:  trilith.KindFact,
			State: trilith.StateActive, Text: "Kim is here.",
			Scope: trilith.Scope{Tenant: "acme", Session: []string{"", "s", "t"}[random.IntN(3)]},
			Fact:  &trilith.Fact{EntityID: entity(), Verb: "lives_in"}}
		b := role.Batch{Memories: []trilith.Memory{m}}
		if random.IntN(4) == 0 {
			b = role.Batch{Delete: []role.Ref{{ID: m.ID}}}
		}
		if _, err := store.Commit(t.Context(), acme, b); err != nil {
			t.Fatal(err)
		}
		listed := func(f trilith.Filter) (out []trilith.ID) {
			match, err := f.Compile()
			if err != nil {
				t.Fatal(err)
			}
			for m, err := range store.List(t.Context(), acme, role.Listing{Filter: f}) {
				if facets := role.FacetsOf(&m); err != nil || match != nil && !match(&facets) {
					t.Fatalf("%+v yields %+v, %v", f, m, err)
				}
				out = append(out, m.ID)
			}
			return out
		}
		all := listed(trilith.Filter{})
		for _, f := range []trilith.Filter{trilith.Where("entity_id", trilith.OpEq, entity()),
			trilith.Where("entity_id", trilith.OpIn, []trilith.ID{entity(), entity()}),
			trilith.Where("entity_id", trilith.OpIn, []string{string(entity())}),
			trilith.Where("session", trilith.OpEq, "s"), trilith.Where("session", trilith.OpEq, ""),
			trilith.AllOf(trilith.Where("session", trilith.OpEq, "t"), trilith.Where("entity_id", trilith.OpEq, entity()))} {
			// an alternative that accepts nothing keeps the store from knowing the groups
			plain := trilith.Filter{Or: []trilith.Filter{f, trilith.Where("kind", trilith.OpEq, trilith.KindNote)}}
			if got, want := listed(f), listed(plain); !slices.Equal(got, want) {
				t.Fatalf("%+v yields %d of %d memories, want %d", f, len(got), len(all), len(want))
			}
		}
	}
}
