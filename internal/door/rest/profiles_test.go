package rest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// The client's calls and the service agree about profiles, and only an admin chooses one.
func TestProfiles(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c, tower := client.New(srv.URL), trilith.Scope{Project: "tower"}
	if _, err := c.UseProfile(t.Context(), tower, trilith.ProfileRequest{Name: "construction"}); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[trilith.Scope]string{tower: "construction", {}: "personal",
		{Project: "bakery"}: "personal"} {
		ps, err := c.Profiles(t.Context(), s)
		if err != nil || ps.Default != want || len(ps.Items) != 11 {
			t.Errorf("Profiles(%+v) = %d, default %s, %v; want 11 with %s", s, len(ps.Items), ps.Default, err, want)
			continue
		}
		if p := ps.Items[1]; p.Name != "construction" || len(p.Categories) != 35 || !p.Verbs[12].Single() {
			t.Errorf("the second profile is %s with %d categories, verb %+v", p.Name, len(p.Categories), p.Verbs[12])
		}
	}
	r := trilith.ProfileRequest{Name: "construction-planner", Role: "Planner", Phase: "before"}
	if _, err := c.UseProfile(t.Context(), tower, r); err != nil {
		t.Fatal(err)
	}
	choice := trilith.ProfileChoice{Name: "construction-planner", Role: "planner", Phase: "before", Project: "tower"}
	if ps, err := c.Profiles(t.Context(), tower); err != nil || len(ps.Choices) != 1 || ps.Choices[0] != choice {
		t.Errorf("Profiles after a choice for a role and a phase = %+v, %v", ps.Choices, err)
	}
	if _, err := c.UseProfile(t.Context(), tower, trilith.ProfileRequest{Name: "poetry"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("UseProfile of none = %v, want Invalid", err)
	}
	_, err := c.Remember(t.Context(), tower, trilith.RememberRequest{Text: "x", Extract: trilith.ExtractLLM})
	if trilith.KindOf(err) != trilith.Unsupported {
		t.Errorf("Remember with a model where there is none = %v, want Unsupported", err)
	}
}
