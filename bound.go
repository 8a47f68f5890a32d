package trilith

import "cmp"

// Bound holds the values of a scope that a caller is bound to by its key: those of [Scope.Fields], in order; empty ones
// are open. A scope with a Bound is refused if it differs from one of the values, so that no operation can see more
// than the key. The zero value binds to nothing.
type Bound [6]string

// asBound converts the scope to a bound.
func (s Scope) asBound() (b Bound) {
	for i, f := range s.Fields() {
		b[i] = f.Value
	}
	return b
}

// Owner is the owner of people's statements about themselves if only the bound values of a scope are known.
func (b Bound) Owner() Owner {
	s := b.fill(Scope{})
	return s.Owner()
}

// fill sets the values that the scope leaves open.
func (b Bound) fill(s Scope) Scope {
	for i, to := range []*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel} {
		if *to == "" {
			*to = b[i]
		}
	}
	return s
}

// Widest returns the widest scope that the caller of this one may name.
func (s Scope) Widest() Scope {
	return s.Bound.fill(Scope{Tenant: s.Tenant, Actor: s.Actor, Change: s.Change, Fixed: s.Fixed, Bound: s.Bound})
}

// check returns Forbidden for a scope outside its bound.
func (b Bound) check(s Scope) error {
	for i, f := range s.Fields() {
		switch {
		case b[i] == "" || b[i] == f.Value:
		case f.Value == "":
			return Errorf(Forbidden, "%s: the key is bound to one, and this operation works on more", f.Name)
		default:
			return Errorf(Forbidden, "%s: the key is bound to another; leave %s out", f.Name, f.Name)
		}
	}
	return nil
}

// Within returns a scope that a caller names under the tenant of its credential. Bound values are filled in. A user or
// a project that they leave open is a value like any other: see [Scope.Within]. A time zone of the credential is that of
// scopes that name none.
func (id Identity) Within(s Scope) Scope {
	s.Tenant, s.Actor, s.System = id.Tenant, id.Name, id.System
	s.Bound = id.Scope.asBound()
	if s.Bound != (Bound{}) {
		s.Fixed = Fixed{NotAsUser: id.Scope.User == "", NotAsProject: id.Scope.Project == ""}
	}
	s.TimeZone = cmp.Or(s.TimeZone, id.TimeZone, id.Scope.TimeZone)
	return s.Bound.fill(s)
}
