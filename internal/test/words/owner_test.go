package words_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestScopeOwner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scope       trilith.Scope
		own, matter trilith.Owner
	}{
		{trilith.Scope{}, "", ""},
		{trilith.Scope{Domain: "d", Agent: "a", Channel: "c"}, "", ""},
		{trilith.Scope{Session: "s", Agent: "a"}, "session:s", "session:s"},
		{trilith.Scope{Project: "p", Session: "s"}, "project:p", "project:p"},
		{trilith.Scope{User: "u", Session: "s"}, "user:u", "user:u"},
		{trilith.Scope{User: "u", Project: "p", Session: "s"}, "user:u", "project:p"},
		{trilith.Scope{User: "u", Project: "p"}.Within(trilith.Scope{User: "u"}), "user:u", "user:u"},
		{trilith.Scope{User: "u", Project: "p"}.Within(trilith.Scope{Project: "p"}), "project:p", "project:p"},
		{trilith.Scope{User: "u", Project: "p", Session: "s"}.Within(trilith.Scope{Session: "s"}),
			"session:s", "session:s"},
		{trilith.Scope{User: "u", Project: "p"}.Within(trilith.Scope{User: "u", Project: "p"}), "user:u", "project:p"},
		{trilith.Scope{User: "u", Project: "p"}.Within(trilith.Scope{Agent: "a"}), "user:u", "project:p"},
	} {
		if own, matter := c.scope.Owner(), c.scope.MatterOwner(); own != c.own || matter != c.matter {
			t.Errorf("%+v: Owner() = %q, MatterOwner() = %q, want %q and %q", c.scope, own, matter, c.own, c.matter)
		}
	}
}

func TestScopeSees(t *testing.T) {
	t.Parallel()
	// This is what u said in a project and a session, and whose it is.
	said := trilith.Scope{Tenant: "t", User: "u", Project: "p", Domain: "d", Agent: "a", Session: "s", Channel: "c"}
	in := func(edit func(*trilith.Scope)) trilith.Scope {
		s := trilith.Scope{Tenant: "t"}
		edit(&s)
		return s
	}
	for _, c := range []struct {
		name  string
		from  trilith.Scope
		sees  [4]bool // the user's, the project's, the session's, the tenant's
		fixed trilith.Scope
	}{
		{name: "where it was said", from: said, sees: [4]bool{true, true, true, true}},
		{name: "the tenant", from: in(func(*trilith.Scope) {}), sees: [4]bool{true, true, true, true}},
		{name: "another tenant", from: trilith.Scope{Tenant: "x", User: "u"}},
		{name: "the user", from: in(func(s *trilith.Scope) { s.User = "u" }), sees: [4]bool{true, true, true, true}},
		{name: "the user in another project", from: in(func(s *trilith.Scope) { s.User, s.Project = "u", "q" }),
			sees: [4]bool{true}},
		{name: "the user in another session", from: in(func(s *trilith.Scope) { s.User, s.Session = "u", "x" }),
			sees: [4]bool{true}},
		{name: "the user with another agent", from: in(func(s *trilith.Scope) { s.User, s.Agent = "u", "x" }),
			sees: [4]bool{true}},
		{name: "the user in another channel", from: in(func(s *trilith.Scope) { s.User, s.Channel = "u", "x" }),
			sees: [4]bool{true}},
		{name: "the user in another domain",
			from: in(func(s *trilith.Scope) { s.User, s.Session, s.Domain = "u", "x", "x" })},
		{name: "another user", from: in(func(s *trilith.Scope) { s.User = "x" })},
		{name: "another user in the project", from: in(func(s *trilith.Scope) { s.User, s.Project = "x", "p" }),
			sees: [4]bool{false, true}},
		{name: "another session of the project", from: in(func(s *trilith.Scope) { s.Session, s.Project = "x", "p" }),
			sees: [4]bool{false, true}},
		{name: "the project in another domain",
			from: in(func(s *trilith.Scope) { s.User, s.Project, s.Domain = "x", "p", "x" })},
		{name: "the project", from: in(func(s *trilith.Scope) { s.Project = "p" }),
			sees: [4]bool{true, true, true, true}},
		{name: "the session", from: in(func(s *trilith.Scope) { s.Session = "s" }),
			sees: [4]bool{true, true, true, true}},
		{name: "fixed to another user, the project chosen",
			from: in(func(s *trilith.Scope) { s.User, s.Project = "x", "p" }), fixed: trilith.Scope{User: "x"}},
		{name: "fixed to another project, the user chosen",
			from: in(func(s *trilith.Scope) { s.User, s.Project = "u", "q" }), fixed: trilith.Scope{Project: "q"}},
		{name: "fixed to both", from: in(func(s *trilith.Scope) { s.User, s.Project = "x", "p" }),
			fixed: trilith.Scope{User: "x", Project: "p"}, sees: [4]bool{false, true}},
	} {
		for i, owner := range []trilith.Owner{trilith.UserOwner("u"), trilith.ProjectOwner("p"),
			trilith.SessionOwner("s"), ""} {
			if got := c.from.Within(c.fixed).Sees(said, owner); got != c.sees[i] {
				t.Errorf("%s: Sees(said, %q) = %v, want %v", c.name, owner, got, c.sees[i])
			}
		}
	}
	// A share is seen where it was shared.
	share := trilith.Memory{Scope: said, SharedFrom: "x", Fact: &trilith.Fact{Owner: trilith.UserOwner("u")}}
	if elsewhere := (trilith.Scope{Tenant: "t", User: "u", Session: "x"}); elsewhere.SeesMemory(&share) {
		t.Errorf("a share is seen from %+v by the owner of what it refers to", elsewhere)
	}
}
