package trilith

import "slices"

// Owner says to whom an assertion belongs. Two assertions are compared (support, replace, end or contradict each other)
// exactly if they have the same owner. It is the user for statements of a person about themselves and their people, the
// project for matters of the project, else the session, else the tenant, which is the empty owner. Session, agent and
// channel say where it was said.
type Owner string

// Fixed says that a caller is fixed to something else than a user or a project, and names these freely: see
// [Scope.Within].
type Fixed struct {
	NotAsUser    bool `json:"not_as_user,omitempty"`
	NotAsProject bool `json:"not_as_project,omitempty"`
}

// The kinds of owners, written before their names.
const (
	ownerUser    = "user:"
	ownerProject = "project:"
	ownerSession = "session:"
)

// UserOwner returns the owner of a user's statements about themselves.
func UserOwner(user string) Owner { return Owner(ownerUser + user) }

// ProjectOwner is the owner of the matters of a project.
func ProjectOwner(project string) Owner { return Owner(ownerProject + project) }

// SessionOwner returns the owner of statements in a session without a user or a project.
func SessionOwner(session string) Owner { return Owner(ownerSession + session) }

// Owner is the owner of statements in the scope about the speakers and their people.
func (s Scope) Owner() Owner {
	switch {
	case s.User != "" && !s.Fixed.NotAsUser:
		return UserOwner(s.User)
	case s.Project != "" && !s.Fixed.NotAsProject:
		return ProjectOwner(s.Project)
	case s.Session != "":
		return SessionOwner(s.Session)
	}
	return ""
}

// MatterOwner returns the owner of statements in the scope about its subject matter: its project if it has one.
func (s Scope) MatterOwner() Owner {
	if s.Project != "" && !s.Fixed.NotAsProject {
		return ProjectOwner(s.Project)
	}
	return s.Owner()
}

// A View is a way in which a scope sees facts beside those that were said in it: the facts of an owner that it names,
// said anywhere in Scope.
type View struct {
	Owner Owner
	Scope Scope
}

// Views returns how the scope sees memories that are not in it. A user's own facts are visible in every project,
// session, agent and channel of the user, and a project's facts to everyone who may read the project; a domain narrows
// both, and so does a caller's bound.
func (s Scope) Views() []View {
	var out []View
	if s.User != "" && !s.Fixed.NotAsUser && s.Project+s.Agent+s.Session+s.Channel != "" {
		out = append(out, View{UserOwner(s.User),
			s.Bound.fill(Scope{Tenant: s.Tenant, Domain: s.Domain, User: s.User})})
	}
	if s.Project != "" && !s.Fixed.NotAsProject && s.User+s.Agent+s.Session+s.Channel != "" {
		out = append(out, View{ProjectOwner(s.Project),
			s.Bound.fill(Scope{Tenant: s.Tenant, Domain: s.Domain, Project: s.Project})})
	}
	return out
}

// Sees reports whether a memory of the scope m with an owner is visible from s: if s covers m, or names the owner of a
// fact. Every store and index narrows by it.
func (s Scope) Sees(m Scope, owner Owner) bool {
	if s.Covers(m) {
		return true
	}
	if owner == "" {
		return false
	}
	return slices.ContainsFunc(s.Views(), func(v View) bool { return v.Owner == owner && v.Scope.Covers(m) })
}

// SeesMemory is Sees of a memory.
func (s Scope) SeesMemory(m *Memory) bool { return s.Sees(m.Scope, m.Owner()) }

// SeesFacets is Sees of a memory by its facets.
func (s Scope) SeesFacets(f *Facets) bool { return s.Sees(f.Scope, f.Owner()) }

// Within returns the scope for a caller that is fixed to another one. A user or a project that the fixed scope leaves
// open is a value like any other: the caller can neither see nor change the user's own facts from elsewhere, nor those
// of the project.
func (s Scope) Within(fixed Scope) Scope {
	if fixed.User+fixed.Project+fixed.Session != "" {
		s.Fixed = Fixed{NotAsUser: fixed.User == "", NotAsProject: fixed.Project == ""}
	}
	return s
}

// Owner returns the owner of the fact; "" for other memories. A share is visible where it was shared, and has no owner.
func (m *Memory) Owner() Owner {
	if m.Fact == nil || m.SharedFrom != "" {
		return ""
	}
	return m.Fact.Owner
}

// Owner is [Memory.Owner].
func (f *Facets) Owner() Owner {
	if f.Fact == nil || f.SharedFrom != "" {
		return ""
	}
	return f.Fact.Owner
}
