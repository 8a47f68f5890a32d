package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// boundTo is the scope of a caller whose key is bound to a user.
func boundTo(tenant, user string) trilith.Scope {
	who := trilith.Identity{Name: "tester", Tenant: tenant, Scope: trilith.Scope{User: user}}
	return who.Within(trilith.Scope{})
}

// state is all that a bound caller can see of itself.
func (w *world) stateOf(t *rapid.T, s trilith.Scope) string {
	var items []trilith.ExportItem
	for it, err := range w.Export(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	body, err := json.Marshal(items[1:]) // the header has the time
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestBoundKeys: a caller that is bound to Ana, with ids of hers, of Ben, or of nobody, learns nothing about Ben, who
// is in the same tenant, and changes nothing of his. The caller does the same in two worlds, of which only one has a
// Ben, and every answer, every count and every refusal has to be the same in both.
func TestBoundKeys(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(scopedCalls))
	for name := range scopedCalls {
		names = append(names, name)
	}
	names = rig.Sorted(names)
	rapid.Check(t, func(t *rapid.T) {
		crowded, lonely := newWorld(t), newWorld(t)
		ana, ben := boundTo("alpha", "ana"), boundTo("alpha", "ben")
		crowded.settle(t, ana, "alpha")
		crowded.settle(t, ben, "bravo")
		lonely.settle(t, ana, "alpha")
		before := crowded.stateOf(t, ben)
		foreign := append(crowded.passing["bravo"], crowded.ids["bravo"]...)
		own := crowded.ids["alpha"]
		if diff := cmp.Diff(own, lonely.ids["alpha"]); diff != "" {
			t.Fatalf("Ana's ids depend on her neighbour (-with +alone):\n%s", diff)
		}
		junk := junkLike(foreign[0])
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			name := rapid.SampledFrom(names).Draw(t, "operation")
			variant := rapid.IntRange(0, len(scopedCalls[name])-1).Draw(t, "variant")
			s := ana
			s.Session = rapid.SampledFrom([]string{"", "talk"}).Draw(t, "session")
			id := rapid.OneOf(rapid.SampledFrom(foreign), rapid.SampledFrom(own), rapid.SampledFrom(junk)).Draw(t, "id")
			call := scopedCalls[name][variant]
			got, want := crowded.answer(t, call, s, id), lonely.answer(t, call, s, id)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (variant %d) with id %q tells that there is a neighbour (-alone +with neighbour):\n%s",
					name, variant, id, diff)
			}
		}
		if diff := cmp.Diff(before, crowded.stateOf(t, ben)); diff != "" {
			t.Fatalf("Ben's memory is not what it was (-before +after):\n%s", diff)
		}
	})
}

// TestBoundKeysRefuseOthers: no operation works in a scope that leaves what a caller is bound to, so that an edge that
// forgets it gets an error and not somebody else's memory.
func TestBoundKeysRefuseOthers(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t).Engine
	id := trilith.DeriveID("any")
	for _, user := range []string{"", "ben", "Ana", "ana "} {
		s := boundTo("acme", "ana")
		s.User = user
		for name, calls := range scopedCalls {
			for i, call := range calls {
				if _, err := call(t.Context(), e, s, id); trilith.KindOf(err) != trilith.Forbidden {
					t.Errorf("%s (variant %d) for user %q of a caller that is bound to ana = %v, want Forbidden", name,
						i, user, err)
				}
			}
		}
	}
}

// The scopes that a key can be bound to, and when a key ends.
func TestBoundAndExpiringKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)
	clock := clocktest.At(now)
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock.Now })
	until := now.Add(time.Hour)
	secret, key, err := e.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "Ana's page", Tenant: "acme",
		Access: trilith.AccessWriter, Scope: trilith.Scope{User: "ana"}, ExpiresAt: &until})
	if err != nil {
		t.Fatal(err)
	}
	who, err := e.Authenticate(t.Context(), secret)
	want := trilith.Identity{Name: "Ana's page", Tenant: "acme", Access: trilith.AccessWriter,
		Scope: trilith.Scope{User: "ana"}, KeyID: key.ID}
	if err != nil || who != want {
		t.Errorf("Authenticate = %+v, %v, want %+v", who, err, want)
	}
	keys, err := e.Keys(t.Context())
	if diff := cmp.Diff([]trilith.APIKey{key}, keys); err != nil || diff != "" {
		t.Errorf("Keys = %v (-made +listed):\n%s", err, diff)
	}
	clock.Set(until)
	_, err = e.Authenticate(t.Context(), secret)
	rig.WantError(t, "Authenticate when the time of the key is over", err, trilith.Unauthenticated, "API key")

	past := now.Add(-time.Second)
	for _, c := range []struct {
		why   string
		r     trilith.APIKeyRequest
		names string
	}{
		{"an admin's rights are the tenant's", trilith.APIKeyRequest{Access: trilith.AccessAdmin,
			Scope: trilith.Scope{User: "ana"}}, "access"},
		{"a channel alone has no owner", trilith.APIKeyRequest{Access: trilith.AccessReader,
			Scope: trilith.Scope{Channel: "mail"}}, "scope"},
		{"a key that has ended already", trilith.APIKeyRequest{Access: trilith.AccessReader, ExpiresAt: &past},
			"expires_at"},
		{"a value that no scope can have", trilith.APIKeyRequest{Access: trilith.AccessReader,
			Scope: trilith.Scope{User: strings.Repeat("é", 128)}}, "user"},
	} {
		c.r.Name, c.r.Tenant = "key", "acme"
		_, _, err := e.CreateKey(t.Context(), c.r)
		rig.WantError(t, c.why+": CreateKey", err, trilith.Invalid, c.names)
	}
}

// A fact of a project that two users have stated: the key of one is not shown what the other said.
func TestBoundKeysAreShownNoForeignQuotes(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	rig.SayAs(t, e, rig.InScope("ana", "roof", "a"), "", "The roof budget is 20,000 EUR.")
	rig.SayAs(t, e, rig.InScope("ben", "roof", "b"), "", "As I told the bank, the roof budget is 20,000 EUR.")
	page, err := e.List(t.Context(), boundTo("acme", "ana"),
		trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
	if err != nil || len(page.Items) != 1 || len(page.Items[0].Fact.Evidence) != 2 {
		t.Fatalf("List = %+v, %v; want the budget, which both have stated", page.Items, err)
	}
	for _, ev := range page.Items[0].Fact.Evidence {
		if strings.Contains(ev.Quote+ev.Says, "bank") {
			t.Errorf("the key of Ana is shown what Ben said: %+v", ev)
		}
	}
	if !slices.ContainsFunc(page.Items[0].Fact.Evidence, func(ev trilith.Evidence) bool { return ev.Quote != "" }) {
		t.Error("the key of Ana is not shown what she said")
	}
}

// An agent and a channel narrow a key that is bound to a user: what the user said elsewhere is out of sight.
func TestBoundKeysOfSeveralValues(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, agent := range []string{"mail", "diary"} {
		s := rig.InScope("ana", "", "")
		s.Agent = agent
		rig.SayAs(t, e, s, "", map[string]string{"mail": "I like tea.", "diary": "I like chess."}[agent])
	}
	who := trilith.Identity{Name: "tester", Tenant: "acme", Scope: trilith.Scope{User: "ana", Agent: "mail"}}
	for _, more := range []trilith.Scope{{}, {Session: "x"}, {Project: "p"}} {
		page, err := e.List(t.Context(), who.Within(more), trilith.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Items {
			if m.Scope.Agent != "mail" {
				t.Errorf("in %+v a key that is bound to the agent mail sees %q of %s", more, m.Text, m.Scope.Agent)
			}
		}
	}
}
