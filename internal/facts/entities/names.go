package entities

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// nameSlots is the number of entities that one key of a name can lead to. A word that more entities share, such as
// Ana, identifies no entity by itself: the other words of the name have to.
const nameSlots = 8

// NameKeys returns the keys under which an entity is found by its names, without repetition: one set for each owner
// that uses a name for it, and one set across all owners.
func NameKeys(v *trilith.Entity) []string {
	var keys []string
	for _, name := range NamesOf(v) {
		for _, owner := range ownersOf(v) {
			keys = append(keys, keysWithin(owner, name)...)
		}
		keys = append(keys, keysOfAll(name)...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// NamesOf returns the names of an entity. A handle, such as an address or a user id, does not count: it is not used
// as a name, and may be another entity's name.
func NamesOf(v *trilith.Entity) []string {
	return slices.Concat(properNames(v), v.Aliases)
}

// properNames returns the names that are not aliases.
func properNames(v *trilith.Entity) []string {
	var out []string
	handle := false
	for _, id := range v.Identifiers {
		if id.Type == "name" {
			out = append(out, id.Value)
		} else {
			handle = handle || strings.EqualFold(strings.Join(strings.Fields(id.Value), " "), v.Name)
		}
	}
	if !handle && !slices.Contains(out, v.Name) {
		out = append(out, v.Name)
	}
	return out
}

// ownersOf returns the owners that use an entity's names for it.
func ownersOf(v *trilith.Entity) []trilith.Owner {
	owners := []trilith.Owner{v.Owner}
	for _, id := range v.Identifiers {
		if id.Type == "name" && !slices.Contains(owners, id.Owner) {
			owners = append(owners, id.Owner)
		}
	}
	return owners
}

// ClaimNames adds the change of an entity's name keys to a batch. It updates taken, so that one batch can do this for
// several entities.
func ClaimNames(b *role.Batch, taken map[role.Key]trilith.ID, id trilith.ID, had, want []string) {
	for _, key := range had {
		if slices.Contains(want, key) {
			continue
		}
		for _, slot := range slots(key) {
			if taken[slot] == id {
				b.Release = append(b.Release, slot)
				delete(taken, slot)
			}
		}
	}
	for _, key := range want {
		if slices.Contains(had, key) {
			continue
		}
		for _, slot := range slots(key) {
			if _, full := taken[slot]; !full {
				b.Claims = append(b.Claims, role.Claim{Key: slot, Owner: id})
				taken[slot] = id
				break
			}
		}
	}
}

func idsOf(vs []*trilith.Entity) []trilith.ID {
	out := make([]trilith.ID, len(vs))
	for i, v := range vs {
		out[i] = v.ID
	}
	slices.Sort(out)
	return out
}

// AmbiguousID returns the id of the inbox item for an ambiguous name that an entity was made of. There is one item for
// each entity.
func AmbiguousID(made trilith.ID) trilith.ID { return trilith.DeriveID("ambiguous", string(made)) }

// SubjectNames returns the names of the entities that facts are about.
func (es *Entities) SubjectNames(ctx context.Context, s trilith.Scope, facts []trilith.Memory) (
	map[trilith.ID]string, error) {
	out := map[trilith.ID]string{}
	for chunk := range slices.Chunk(truth.EntitiesOf(facts), truth.ReadStep) {
		vs, err := es.ReadAll(ctx, s, chunk)
		if err != nil {
			return nil, err
		}
		for _, v := range vs {
			out[v.ID] = v.Name
		}
	}
	return out, nil
}
