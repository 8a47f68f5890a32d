package derive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The profile of a role and a phase precedes that of the role, that the phase's, that the project's, and that the
// tenant's. Each turn is read with the profile of its speaker.
func TestProfilesByRoleAndPhase(t *testing.T) {
	t.Parallel()
	e, m := rig.WithModel(t, scripted.Entry{Answer: rig.Claims()})
	project := trilith.Scope{Tenant: "acme", Project: "tower", Actor: "tester"}
	read := func(speakers ...string) (names []string) {
		t.Helper()
		before := len(m.Requests())
		var r trilith.RememberRequest
		for _, who := range speakers {
			r.Messages = append(r.Messages, trilith.Message{Speaker: who, Content: "The " + who + " slab is poured."})
		}
		r.Extract, r.Wait = trilith.ExtractLLM, trilith.WaitExtracted
		e.MustRemember(t, project, r)
		for _, q := range m.Requests()[before:] {
			_, after, _ := strings.Cut(q.System, "# Profile ")
			name, _, _ := strings.Cut(after, "\n")
			names = append(names, name)
		}
		return names
	}
	use := func(s trilith.Scope, name, role, phase string) {
		t.Helper()
		if _, err := e.UseProfile(t.Context(), s, trilith.ProfileRequest{Name: name, Role: role, Phase: phase}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(id trilith.Identifier, name, value string) {
		t.Helper()
		res, err := e.Assimilate(t.Context(), project, trilith.AssimilateRequest{Identifier: id, Content: "x",
			Extract: trilith.ExtractNone})
		if err == nil {
			_, err = e.UpdateEntity(t.Context(), rig.Acme, res.Entity.ID,
				trilith.EntityUpdate{SetAttributes: map[string]any{name: value}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: profiles (-want +got):\n%s", when, diff)
		}
	}
	set(trilith.Identifier{Type: "name", Value: "Paula"}, "role", " PLANNER ")
	set(trilith.Identifier{Type: "project", Value: "tower"}, "phase", "Before")

	check("nothing chosen", read("Paula"), "personal")
	use(rig.Acme, "knowledge-capture", "", "")
	check("a tenant's", read("Paula"), "knowledge-capture")
	use(project, "construction", "", "")
	check("a project's", read("Paula"), "construction")
	use(rig.Acme, "construction-before", "", "before")
	check("a phase's", read("Paula", "Otto"), "construction-before")
	use(rig.Acme, "construction-client", "planner", "")
	check("a role's", read("Paula", "Otto"), "construction-client", "construction-before")
	use(project, "construction-planner", "planner", "")
	check("a role's of the project", read("Paula"), "construction-planner")
	use(rig.Acme, "diary", "planner", "before")
	check("a role's in a phase", read("Otto", "Paula"), "construction-before", "diary")
	set(trilith.Identifier{Type: "project", Value: "tower"}, "phase", "during")
	check("another phase", read("Paula", "Otto"), "construction-planner", "construction")
	use(project, "", "planner", "")
	use(rig.Acme, "", "planner", "")
	check("taken back", read("Paula"), "construction")

	ps, err := e.Profiles(t.Context(), project)
	want := []trilith.ProfileChoice{{Name: "construction-before", Phase: "before"},
		{Name: "diary", Role: "planner", Phase: "before"}}
	if diff := cmp.Diff(want, ps.Choices); err != nil || diff != "" || ps.Phase != "during" {
		t.Errorf("Profiles = phase %q, %v, choices (-want +got):\n%s", ps.Phase, err, diff)
	}
	rig.WantError(t, "no profile", rig.ErrorOf(e.UseProfile(t.Context(), project, trilith.ProfileRequest{Role: "x", Name: "poetry"})),
		trilith.Invalid, "poetry")
	rig.WantError(t, "no name", rig.ErrorOf(e.UseProfile(t.Context(), project, trilith.ProfileRequest{})), trilith.Invalid, "profile")
	rig.WantError(t, "a long role", rig.ErrorOf(e.UseProfile(t.Context(), project,
		trilith.ProfileRequest{Role: strings.Repeat("x", 65), Name: "diary"})), trilith.Invalid, "role")
}
