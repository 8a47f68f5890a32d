package mcpserver_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestNarrowingOfFacts: a connection that is fixed to a user closes, changes and shows no fact of anybody else, with
// any project and session in its calls, and its words about a project stay with the user.
func TestNarrowingOfFacts(t *testing.T) {
	t.Parallel()
	fixed := local("graph", "review", "scope")
	fixed.Scope = trilith.Scope{User: "u1"}
	for name, connect := range map[string]func(r *rig) *peer{
		"stdio": func(r *rig) *peer { return r.overPipes(t, fixed) },
		"http":  func(r *rig) *peer { return overHTTP(t, r.web(t, true)+"/mcp?tools=graph,review,scope&user=u1", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			theirs := []trilith.Scope{{Tenant: "default", User: "u2", Project: "roof", Session: "b"},
				{Tenant: "default", User: "u2", Session: "b"}}
			for _, s := range theirs {
				if _, err := r.Remember(
					t.Context(), s, trilith.RememberRequest{
						Messages: []trilith.Message{{Role: trilith.RoleUser, Speaker: "User",
							Content: "The roof budget is 20,000 EUR. I live in Turku. I like chess. My brother Max lives in Graz."}},
						Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted}); err != nil {
					t.Fatal(err)
				}
			}
			before := facts(t, r, "u2")
			if len(before) < 4 {
				t.Fatalf("facts of the others: %v, want a budget, a home, a liking and Max's home at least", before)
			}

			p := connect(r)
			named := func(v string) args { return args{"type": "name", "value": v} }
			for _, a := range []args{
				{"identifier": args{"type": "project", "value": "roof"}, "content": "The roof budget is 1 EUR.",
					"project": "roof"},
				{"identifier": args{"type": "project", "value": "roof"}, "content": "The roof budget is 2 EUR.",
					"project": "roof", "session": "b"},
				{"identifier": args{"type": "user_id", "value": "u2"}, "content": "I no longer live in Turku.",
					"session": "b"},
				{"identifier": named("User"), "content": "I moved to Lund. I hate chess.", "session": "b"},
				{"identifier": named("Max"), "content": "I moved to Kiel."},
			} {
				p.try(t, "memory_assimilate", a)
			}
			for _, text := range []string{"The roof budget is 3 EUR.", "Max does not live in Graz anymore.",
				"I do not like chess anymore."} {
				p.call(t, "memory_append", args{"content": text, "project": "roof", "session": "b"})
			}
			for _, id := range slices.Sorted(maps.Keys(before)) {
				p.fails(t, "memory_get", args{"id": id}, trilith.NotFound, "")
				p.fails(t, "memory_update", args{"id": id, "action": "supersede", "content": "x"}, trilith.NotFound, "")
				p.fails(t, "memory_forget", args{"ids": []trilith.ID{id}}, trilith.NotFound, "")
				p.fails(t, "memory_review", args{"action": "decide", "id": id, "decision": "reject"},
					trilith.NotFound, "")
			}
			for _, a := range []args{{}, {"project": "roof"}, {"project": "roof", "session": "b"}} {
				for _, with := range []args{{"strong_only": false}, {"format": "briefing"}} {
					with["query"] = "budget, Turku, Graz"
					maps.Copy(with, a)
					text := textOf(t, p.try(t, "memory_search", with))
					for _, of := range []string{"20,000", "20000", "User lives in Turku", "Max lives in Graz"} {
						if strings.Contains(text, of) {
							t.Errorf("memory_search %v shows what is of others: %s", with, text)
						}
					}
				}
			}
			if after := facts(t, r, "u2"); !maps.Equal(before, after) {
				t.Errorf("facts of the others before: %v\nafter: %v", before, after)
			}
		})
	}
}

// facts are the texts and states of a user's facts by id.
func facts(t *testing.T, r *rig, user string) map[trilith.ID]string {
	t.Helper()
	page, err := r.List(t.Context(), trilith.Scope{Tenant: "default", User: user},
		trilith.ListRequest{States: trilith.States(), Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact),
			Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	out := map[trilith.ID]string{}
	for i := range page.Items {
		out[page.Items[i].ID] = page.Items[i].Text + " " + string(page.Items[i].State)
	}
	return out
}
