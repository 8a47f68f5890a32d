package cairn

// Bound says to which values of a scope a caller is bound by its key: those of [Scope.Fields], in their order, empty
// ones left open. A scope that carries it is refused wherever it leaves one of the values, so that no operation can
// look further than the key. The zero value binds to nothing.
type Bound [6]string

// asBound converts the scope to the form in which a caller may be bound to it.
func (s Scope) asBound() (b Bound) {
	for i, f := range s.Fields() {
		b[i] = f.Value
	}
	return b
}

// Owner is the owner of what people say of themselves where nothing but the bound values is known of a scope.
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

// check answers Forbidden to a scope that leaves what it is bound to.
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

// Within returns a scope that a caller names under the tenant of its credential. Values that the key is bound to are
// filled in. A user or a project that they leave open is a value like any other: see [Scope.Within].
func (id Identity) Within(s Scope) Scope {
	s.Tenant, s.Actor = id.Tenant, id.Name
	s.Bound = id.Scope.asBound()
	if s.Bound != (Bound{}) {
		s.Fixed = Fixed{NotAsUser: id.Scope.User == "", NotAsProject: id.Scope.Project == ""}
	}
	return s.Bound.fill(s)
}
