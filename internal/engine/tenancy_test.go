package engine_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestTenancyCallsEverything(t *testing.T) {
	t.Parallel()
	methods := reflect.TypeFor[*engine.Engine]()
	found := 0
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		for arg := range m.Type.NumIn() {
			if m.Type.In(arg) == reflect.TypeFor[trilith.Scope]() {
				if found++; len(scopedCalls[m.Name]) == 0 {
					t.Errorf("Engine.%s takes a scope and scopedCalls has no call of it", m.Name)
				}
				break
			}
		}
	}
	if found != len(scopedCalls) {
		t.Errorf("scopedCalls has %d operations, Engine has %d that take a scope", len(scopedCalls), found)
	}
}

// TestTenancy: with ids of its own, of others, or of nobody, tenant alpha learns nothing about tenant bravo and
// changes nothing there. Alpha does the same in two worlds, of which only one has a bravo, and every answer, every
// count and every refusal has to be the same in both.
func TestTenancy(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(scopedCalls))
	for name := range scopedCalls {
		names = append(names, name)
	}
	names = rig.Sorted(names)
	rapid.Check(t, func(t *rapid.T) {
		crowded, lonely := newWorld(t), newWorld(t)
		alpha, bravo := trilith.Scope{Tenant: "alpha", User: "ana"}, trilith.Scope{Tenant: "bravo", User: "ana"}
		crowded.settle(t, alpha, "alpha")
		crowded.settle(t, bravo, "bravo")
		lonely.settle(t, alpha, "alpha")
		before := crowded.state(t, "bravo")
		foreign := append(crowded.passing["bravo"], crowded.ids["bravo"]...)
		own := crowded.ids["alpha"]
		if diff := cmp.Diff(own, lonely.ids["alpha"]); diff != "" {
			t.Fatalf("the ids of alpha depend on its neighbour (-with +alone):\n%s", diff)
		}
		junk := junkLike(foreign[0])
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			name := rapid.SampledFrom(names).Draw(t, "operation")
			variant := rapid.IntRange(0, len(scopedCalls[name])-1).Draw(t, "variant")
			s := trilith.Scope{Tenant: "alpha", User: rapid.SampledFrom([]string{"", "ana", "ben"}).Draw(t, "user"),
				Actor: "tester"}
			id := rapid.OneOf(rapid.SampledFrom(foreign), rapid.SampledFrom(own), rapid.SampledFrom(junk)).Draw(t, "id")
			call := scopedCalls[name][variant]
			got, want := crowded.answer(t, call, s, id), lonely.answer(t, call, s, id)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (variant %d) with id %q tells that there is a neighbour (-alone +with neighbour):\n%s",
					name, variant, id, diff)
			}
		}
		if diff := cmp.Diff(before, crowded.state(t, "bravo")); diff != "" {
			t.Fatalf("the neighbour is not what it was (-before +after):\n%s", diff)
		}
	})
}

// junkLike are ids of nobody, some of them like one.
func junkLike(id trilith.ID) []trilith.ID {
	return []trilith.ID{"", "00000000-0000-0000-0000-000000000000", trilith.DeriveID("nobody"),
		"nonsense", "ünïcode-日本", trilith.ID(strings.ToUpper(string(id))), id[:35], id + " ", "a\x00b",
		trilith.ID(strings.Repeat("f", 300))}
}

// TestTenancyRefusesNames: no operation works without a tenant, for trilith's own tenant, or under a name that is none.
func TestTenancyRefusesNames(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t).Engine
	id := trilith.DeriveID("any")
	for _, tenant := range []string{"", "_system", "_", "tenänt", "日本", "аlpha" /* a Cyrillic a */, "a b", "a/b",
		"a\x00", "a\n", "alpha\u200b", strings.Repeat("a", 65)} {
		for name, calls := range scopedCalls {
			for i, call := range calls {
				_, err := call(t.Context(), e, trilith.Scope{Tenant: tenant}, id)
				rig.WantError(t, fmt.Sprintf("%s (variant %d) in tenant %q", name, i, tenant), err,
					trilith.Invalid, "tenant: ")
			}
		}
		_, _, err := e.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "phone", Tenant: tenant,
			Access: trilith.AccessReader})
		rig.WantError(t, fmt.Sprintf("CreateKey for tenant %q", tenant), err, trilith.Invalid, "tenant: ")
	}
}

// TestBlankScope: a value of white space names nobody, whichever operation is asked.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t).Engine
	id := trilith.DeriveID("any")
	ofTheWhole := []string{"Erase (variant 4)", "UseExtraction (variant 1)", "UseLanguages (variant 1)",
		"UseProfile (variant 2)"} // they leave the user out by themselves
	for _, blank := range []string{" ", "\u00a0\t"} {
		for name, calls := range scopedCalls {
			for i, call := range calls {
				which := fmt.Sprintf("%s (variant %d)", name, i)
				if slices.Contains(ofTheWhole, which) {
					continue
				}
				_, err := call(t.Context(), e, trilith.Scope{Tenant: "acme", User: blank}, id)
				rig.WantError(t, which+" for the user "+strconv.Quote(blank), err, trilith.Invalid, "user: is blank")
			}
		}
	}
}

// TestTenancyScopeValues: other values of a scope are any Unicode, and two that merely look alike are two.
func TestTenancyScopeValues(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	users := []string{"zoë" /* one letter */, "zoe\u0308" /* two */, "ZOË", "日本語", "👩‍👩‍👧", "a b", "a\tb", " a", "%",
		"_", "'; --", `"`, "\u202eana", "ana\u200b", strings.Repeat("é", 127)}
	for i, user := range users {
		e.Note(t, trilith.Scope{Tenant: "acme", User: user}, fmt.Sprintf("Note %d belongs to one person.", i))
	}
	for i, user := range users {
		s := trilith.Scope{Tenant: "acme", User: user}
		want := []string{fmt.Sprintf("Note %d belongs to one person.", i)}
		if diff := cmp.Diff(want, e.Found(t, s, "Whose note is it?")); diff != "" {
			t.Errorf("Recall for user %q (-want +got):\n%s", user, diff)
		}
		if got := e.All(t, s); len(got) != 1 || got[0].Text != want[0] || got[0].Scope.User != user {
			t.Errorf("List for user %q = %+v, want %q alone", user, got, want)
		}
	}
	for _, bad := range []string{"a\x00b", "\xff", strings.Repeat("é", 128)} {
		for name, calls := range scopedCalls {
			_, err := calls[0](t.Context(), e.Engine, trilith.Scope{Tenant: "acme", User: bad}, trilith.DeriveID("any"))
			rig.WantError(t, fmt.Sprintf("%s for user %.10q", name, bad), err, trilith.Invalid, "user: ")
		}
	}
}
