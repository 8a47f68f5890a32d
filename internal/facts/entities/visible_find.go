package entities

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Visible returns the entity that an identifier leads to, reduced to the parts that a scope may see. A name is
// resolved within all owners that the scope sees: one entity is returned, several are a Conflict that names their
// owners. A caller that is bound to a part of the tenant gets the parts that [Entities.Shown] shows.
func (r *Resolver) Visible(ctx context.Context, id trilith.Identifier) (Party, error) {
	if !bound(r.Scope) {
		return r.visible(ctx, id)
	}
	meant, err := r.Meant(ctx, id)
	if err != nil {
		return Party{}, err
	}
	if meant.Type == "name" {
		meant.Owner = id.Owner
	}
	p, err := r.visible(ctx, meant)
	if err != nil {
		return Party{}, err
	}
	if p.Entity, err = r.es.ShownOne(ctx, r.Scope, p.Entity); trilith.Is(err, trilith.NotFound) {
		err = notKnown(id)
	}
	return p, err
}

func (r *Resolver) visible(ctx context.Context, id trilith.Identifier) (Party, error) {
	if id.Type != "name" || id.Owner != "" {
		p, known, err := r.Known(ctx, id)
		if err == nil && !known {
			err = notKnown(id)
		}
		return p, err
	}
	called, err := r.calledSo(ctx, id.Value)
	if err != nil {
		return Party{}, err
	}
	var seen, unseen []whose
	for _, w := range called {
		sees, err := r.sees(ctx, w)
		switch {
		case err != nil:
			return Party{}, err
		case sees:
			seen = append(seen, w)
		case w.owner == "" && !bound(r.Scope): // the tenant's own entities are no secret
			unseen = append(unseen, w)
		}
	}
	if len(seen) == 0 {
		seen = unseen
	}
	switch len(seen) {
	case 0:
		return Party{}, notKnown(id)
	case 1:
		return seen[0].Party, nil
	}
	owners := make([]string, len(seen))
	for i, w := range seen {
		owners[i] = string(w.owner)
		if w.owner == "" {
			owners[i] = "the tenant"
		}
	}
	return Party{}, trilith.Errorf(
		trilith.Conflict, "identifier: %d entities have this name, within %s; narrow the scope to one of them, or give another identifier",
		len(seen), strings.Join(owners, ", "))
}

// usual are the types of identifiers that the program itself gives.
var usual = []string{"user_id", "email", "phone", "name", "project", "session"}

func notKnown(id trilith.Identifier) error {
	meant := ""
	if !slices.Contains(usual, id.Type) {
		meant = trilith.Meant(id.Type, usual...)
	}
	return trilith.Errorf(trilith.NotFound, "no entity has the %s %q%s", id.Type, id.Value, meant)
}

// whose is a person with the owner that uses a name for them.
type whose struct {
	Party
	owner trilith.Owner
}

// calledSo returns the meaning of a name within each owner that uses it, each entity once.
func (r *Resolver) calledSo(ctx context.Context, name string) ([]whose, error) {
	taken, err := r.es.TakenNames(ctx, r.Scope, keysOfAll(name))
	if err != nil {
		return nil, err
	}
	var holders []trilith.ID
	for _, key := range keysOfAll(name) {
		full := true
		for _, slot := range slots(key) {
			holder, ok := taken[slot]
			full = full && ok
			if ok {
				holders = append(holders, holder)
			}
		}
		if full { // more entities may have the name than there are slots
			if holders, err = r.es.allEntities(ctx, r.Scope); err != nil {
				return nil, err
			}
			break
		}
	}
	known, err := r.answering(ctx, holders)
	if err != nil {
		return nil, err
	}
	of := map[trilith.Owner][]trilith.Entity{}
	var owners []trilith.Owner
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
		found, err := r.meant(ctx, of[owner], name)
		if err != nil {
			return nil, err
		}
		if found.known && !slices.ContainsFunc(out, func(w whose) bool { return w.ID == found.ID }) {
			out = append(out, whose{found.Party, owner})
		}
	}
	return out, nil
}

// allEntities returns the ids of all persons of the tenant.
func (es *Entities) allEntities(ctx context.Context, s trilith.Scope) ([]trilith.ID, error) {
	var ids []trilith.ID
	for r, err := range es.truth.Records(ctx, s, role.RecordEntity) {
		v, err := truth.DecodeIf[trilith.Entity](r, err)
		if err != nil {
			return nil, err
		}
		if v.MergedInto == "" && v.Type == "person" {
			ids = append(ids, v.ID)
		}
	}
	return ids, nil
}

// sees reports whether the scope sees an entity within an owner: the scope equals or contains the owner's, or it
// sees a fact of the entity.
func (r *Resolver) sees(ctx context.Context, w whose) (bool, error) {
	s := r.Scope
	if s.Bare() == (trilith.Scope{Tenant: s.Tenant}) || w.owner != "" &&
		(w.owner == s.Owner() || w.owner == s.MatterOwner()) {
		return true, nil
	}
	filter := trilith.AllOf(truth.AnyFact, trilith.Where("entity_id", trilith.OpEq, w.ID))
	for _, err := range r.es.truth.List(ctx, s, role.Listing{Filter: filter, Limit: 1}) {
		return err == nil, err
	}
	return false, nil
}
