package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// seenEntity returns the entity that an identifier leads to, as far as a scope sees it. A name leads to all who are called so
// within the owners that the scope sees: to one is answered, several are a Conflict that says whose they are.
func (e *Engine) seenEntity(ctx context.Context, s cairn.Scope, id cairn.Identifier) (party, error) {
	if id.Type != "name" || id.Owner != "" {
		return e.findEntity(ctx, s, id)
	}
	called, err := e.calledSo(ctx, s, id.Value)
	if err != nil {
		return party{}, err
	}
	var seen, unseen []whose
	for _, w := range called {
		sees, err := e.seesEntity(ctx, s, w)
		switch {
		case err != nil:
			return party{}, err
		case sees:
			seen = append(seen, w)
		case w.owner == "": // the tenant's are no secret, though nothing of them is said here
			unseen = append(unseen, w)
		}
	}
	if len(seen) == 0 {
		seen = unseen
	}
	switch len(seen) {
	case 0:
		return party{}, cairn.Errorf(cairn.NotFound, "no entity has the %s %q", id.Type, id.Value)
	case 1:
		return seen[0].party, nil
	}
	owners := make([]string, len(seen))
	for i, w := range seen {
		if owners[i] = string(w.owner); w.owner == "" {
			owners[i] = "the tenant"
		}
	}
	return party{}, cairn.Errorf(cairn.Conflict, "identifier: %d are called so, within %s; narrow the scope to one of them, or give another identifier",
		len(seen), strings.Join(owners, ", "))
}

// whose is a person that is called by a name within an owner.
type whose struct {
	party
	owner cairn.Owner
}

// calledSo returns whom a name means within each owner for whom it means somebody, each entity once.
func (e *Engine) calledSo(ctx context.Context, s cairn.Scope, name string) ([]whose, error) {
	taken, err := e.takenNames(ctx, s, keysOfAll(name))
	if err != nil {
		return nil, err
	}
	var holders []cairn.ID
	for _, key := range keysOfAll(name) {
		full := true
		for _, slot := range slots(key) {
			holder, ok := taken[slot]
			if full = full && ok; ok {
				holders = append(holders, holder)
			}
		}
		if full { // there may be more than there are slots
			if holders, err = e.allEntities(ctx, s); err != nil {
				return nil, err
			}
			break
		}
	}
	known, err := e.answering(ctx, s, holders)
	if err != nil {
		return nil, err
	}
	of := map[cairn.Owner][]cairn.Entity{}
	var owners []cairn.Owner
	for i := range known {
		for _, owner := range ownersOf(&known[i]) {
			if of[owner] == nil {
				owners = append(owners, owner)
			}
			of[owner] = append(of[owner], known[i])
		}
	}
	slices.Sort(owners)
	var out []whose
	for _, owner := range owners {
		found, err := e.meant(ctx, s, of[owner], name)
		if err != nil {
			return nil, err
		}
		if found.known && !slices.ContainsFunc(out, func(w whose) bool { return w.ID == found.ID }) {
			out = append(out, whose{found.party, owner})
		}
	}
	return out, nil
}

// allEntities returns the ids of all persons of the tenant.
func (e *Engine) allEntities(ctx context.Context, s cairn.Scope) ([]cairn.ID, error) {
	var ids []cairn.ID
	for r, err := range e.records(ctx, tenantOf(s), cairn.RecordEntity) {
		v, err := decodeIf[cairn.Entity](r, err)
		if err != nil {
			return nil, err
		}
		if v.MergedInto == "" && v.Type == "person" {
			ids = append(ids, v.ID)
		}
	}
	return ids, nil
}

// seesEntity reports whether a scope sees an entity within an owner: the scope is the owner's, holds it, or sees a fact of the
// entity.
func (e *Engine) seesEntity(ctx context.Context, s cairn.Scope, w whose) (bool, error) {
	if s.Bare() == (cairn.Scope{Tenant: s.Tenant}) || w.owner != "" && (w.owner == s.Owner() || w.owner == s.MatterOwner()) {
		return true, nil
	}
	filter := cairn.AllOf(anyFact, cairn.Where("entity_id", cairn.OpEq, w.ID))
	for _, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: filter, Limit: 1}) {
		return err == nil, err
	}
	return false, nil
}
