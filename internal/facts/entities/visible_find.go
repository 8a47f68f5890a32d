package entities

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// VisibleEntity returns the entity that an identifier leads to, reduced to what a scope may see. A name is resolved
// within all owners that the scope sees: one entity is returned, several are a Conflict that names their owners. A
// caller that is bound to a part of the tenant gets what [Entities.Shown] shows.
func (es *Entities) VisibleEntity(ctx context.Context, s trilith.Scope, id trilith.Identifier) (Party, error) {
	if !bound(s) {
		return es.visibleEntity(ctx, s, id)
	}
	meant, err := VisibleOf(es).Meant(ctx, s, id)
	if err != nil {
		return Party{}, err
	}
	if meant.Type == "name" {
		meant.Owner = id.Owner
	}
	p, err := es.visibleEntity(ctx, s, meant)
	if err != nil {
		return Party{}, err
	}
	if p.Entity, err = VisibleOf(es).ShownOne(ctx, s, p.Entity); trilith.KindOf(err) == trilith.NotFound && err != nil {
		err = trilith.Errorf(trilith.NotFound, "no entity has the %s %q", id.Type, id.Value)
	}
	return p, err
}

func (es *Entities) visibleEntity(ctx context.Context, s trilith.Scope, id trilith.Identifier) (Party, error) {
	if id.Type != "name" || id.Owner != "" {
		return es.Find(ctx, s, id)
	}
	called, err := es.calledSo(ctx, s, id.Value)
	if err != nil {
		return Party{}, err
	}
	var seen, unseen []whose
	for _, w := range called {
		sees, err := es.seesEntity(ctx, s, w)
		switch {
		case err != nil:
			return Party{}, err
		case sees:
			seen = append(seen, w)
		case w.owner == "" && !bound(s): // the tenant's own entities are no secret
			unseen = append(unseen, w)
		}
	}
	if len(seen) == 0 {
		seen = unseen
	}
	switch len(seen) {
	case 0:
		return Party{}, trilith.Errorf(trilith.NotFound, "no entity has the %s %q", id.Type, id.Value)
	case 1:
		return seen[0].Party, nil
	}
	owners := make([]string, len(seen))
	for i, w := range seen {
		if owners[i] = string(w.owner); w.owner == "" {
			owners[i] = "the tenant"
		}
	}
	return Party{}, trilith.Errorf(
		trilith.Conflict, "identifier: %d entities have this name, within %s; narrow the scope to one of them, or give another identifier",
		len(seen), strings.Join(owners, ", "))
}

// whose is a person with the owner that uses a name for them.
type whose struct {
	Party
	owner trilith.Owner
}

// calledSo returns what a name means within each owner that uses it, each entity once.
func (es *Entities) calledSo(ctx context.Context, s trilith.Scope, name string) ([]whose, error) {
	taken, err := es.TakenNames(ctx, s, keysOfAll(name))
	if err != nil {
		return nil, err
	}
	var holders []trilith.ID
	for _, key := range keysOfAll(name) {
		full := true
		for _, slot := range slots(key) {
			holder, ok := taken[slot]
			if full = full && ok; ok {
				holders = append(holders, holder)
			}
		}
		if full { // more entities may have the name than there are slots
			if holders, err = es.allEntities(ctx, s); err != nil {
				return nil, err
			}
			break
		}
	}
	known, err := es.answering(ctx, s, holders)
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
		found, err := es.meant(ctx, s, of[owner], name)
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
	for r, err := range es.truth.Records(ctx, truth.TenantOf(s), role.RecordEntity) {
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

// seesEntity reports whether a scope sees an entity within an owner: the scope equals or contains the owner's, or it
// sees a fact of the entity.
func (es *Entities) seesEntity(ctx context.Context, s trilith.Scope, w whose) (bool, error) {
	if s.Bare() == (trilith.Scope{Tenant: s.Tenant}) || w.owner != "" &&
		(w.owner == s.Owner() || w.owner == s.MatterOwner()) {
		return true, nil
	}
	filter := trilith.AllOf(truth.AnyFact, trilith.Where("entity_id", trilith.OpEq, w.ID))
	for _, err := range es.truth.Store.List(ctx, s, role.Listing{Filter: filter, Limit: 1}) {
		return err == nil, err
	}
	return false, nil
}
