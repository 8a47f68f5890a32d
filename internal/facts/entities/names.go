package entities

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// nameSlots is the number of entities that one key of a name can lead to. A word that more entities share, such as Ana,
// identifies nobody by itself: the other words of the name have to.
const nameSlots = 8

// slots returns the claims for a key of a name. The store has unique keys only, so each holder takes one slot.
func slots(key string) []role.Key {
	out := make([]role.Key, nameSlots)
	for i := range out {
		out[i] = role.Key{Space: role.KeyName, Value: key + "\x00" + strconv.Itoa(i)}
	}
	return out
}

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

// keysWithin returns the keys of a name within an owner.
func keysWithin(owner trilith.Owner, name string) []string {
	keys := names.Parse(name).Keys()
	if owner != "" {
		for i := range keys {
			keys[i] = string(owner) + "\x00" + keys[i]
		}
	}
	return keys
}

// keysOfAll returns the keys of a name across all owners.
func keysOfAll(name string) []string { return keysWithin("*", name) }

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

// TakenNames returns the holders of keys of names.
func (es *Entities) TakenNames(ctx context.Context, s trilith.Scope, all []string) (map[role.Key]trilith.ID, error) {
	var keys []role.Key
	for _, key := range all {
		keys = append(keys, slots(key)...)
	}
	if len(keys) == 0 {
		return map[role.Key]trilith.ID{}, nil
	}
	return es.truth.Store.Find(ctx, truth.TenantOf(s), keys)
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

// NamesOf returns the names of an entity. A handle, such as an address or a user id, does not count: nobody is called
// by it, and somebody else may have it as a name.
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

// resolution is the outcome of resolving a name.
type resolution struct {
	Party
	known bool
	maybe []trilith.ID            // entities that the name may mean if the answer is not certain, by ascending id
	taken map[role.Key]trilith.ID // the holders of the keys of the name
}

// resolve finds the person that a name means within its owner.
func (es *Entities) resolve(ctx context.Context, s trilith.Scope, id trilith.Identifier) (resolution, error) {
	all := slices.Concat(keysWithin(id.Owner, id.Value), keysOfAll(id.Value))
	taken, err := es.TakenNames(ctx, s, all)
	if err != nil {
		return resolution{}, err
	}
	var holders []trilith.ID
	for _, key := range keysWithin(id.Owner, id.Value) {
		for _, slot := range slots(key) {
			if holder, ok := taken[slot]; ok {
				holders = append(holders, holder)
			}
		}
	}
	known, err := es.answering(ctx, s, holders)
	if err != nil {
		return resolution{}, err
	}
	out, err := es.meant(ctx, s, known, id.Value)
	out.taken = taken
	return out, err
}

// meant returns the entity that a name means: the only one with that name, else the only one with that alias, else the
// only one of whose name it may be a misspelling, provided that it cannot mean anybody else.
func (es *Entities) meant(ctx context.Context, s trilith.Scope, known []trilith.Entity, name string) (
	out resolution, err error) {
	meant := names.Parse(name)
	called := func(n string) bool { return names.Parse(n).Equal(meant) }
	var byName, byAlias, same, maybe []*trilith.Entity
	for i := range known {
		v := &known[i]
		if v.Type != "person" {
			continue
		}
		verdict := names.Different
		for _, n := range NamesOf(v) {
			verdict = max(verdict, names.Parse(n).Compare(meant))
		}
		switch {
		case verdict == names.Same && slices.ContainsFunc(properNames(v), called):
			byName = append(byName, v)
		case verdict == names.Same && slices.ContainsFunc(v.Aliases, called):
			byAlias = append(byAlias, v)
		case verdict == names.Same:
			same = append(same, v)
		case verdict == names.Maybe:
			maybe = append(maybe, v)
		}
	}
	var is *trilith.Entity
	switch {
	case len(byName) == 1:
		is = byName[0]
	case len(byName) > 1:
		out.maybe = idsOf(byName)
	case len(byAlias) == 1:
		is = byAlias[0]
	case len(byAlias) > 1:
		out.maybe = idsOf(byAlias)
	case len(same) == 1 && len(maybe) == 0:
		is = same[0]
	default:
		out.maybe = idsOf(append(same, maybe...))
	}
	if is == nil {
		return out, nil
	}
	out.Party, out.known = Party{Entity: *is, Of: is.ID}, true
	if !called(is.Name) {
		out.Of, err = es.origin(
			ctx, s, *is, func(m *trilith.Entity) bool { return slices.ContainsFunc(NamesOf(m), called) })
	}
	return out, err
}

// answering reads the entities with some ids, or the survivors of their merges, by ascending id. Missing ids are
// skipped.
func (es *Entities) answering(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Entity, error) {
	slices.Sort(ids)
	vs, err := es.ReadAll(ctx, s, slices.Compact(ids))
	for i := 0; i < len(vs) && err == nil; i++ {
		if vs[i].MergedInto != "" { // merged just now: a name leads to the survivor
			vs[i], err = es.Survivor(ctx, s, vs[i].ID)
		}
	}
	slices.SortFunc(vs, func(a, b trilith.Entity) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(vs, func(a, b trilith.Entity) bool { return a.ID == b.ID }), err
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

// ask adds an inbox item to a batch: an ambiguous name, for which a new entity was made.
func ask(b *role.Batch, made trilith.Entity, name string, maybe []trilith.ID) error {
	if len(maybe) == 0 {
		return nil
	}
	item := trilith.ReviewItem{ID: AmbiguousID(made.ID), Reason: trilith.ReviewAmbiguous, Name: name,
		Entities: append([]trilith.ID{made.ID}, maybe...), Since: made.CreatedAt}
	body, err := json.Marshal(item)
	b.Records = append(b.Records, role.Record{Kind: role.RecordReview, ID: item.ID, Body: body})
	return err
}

// SubjectNames returns the names of the entities that facts are about.
func (es *Entities) SubjectNames(ctx context.Context, s trilith.Scope, facts []trilith.Memory) (
	map[trilith.ID]string, error) {
	out := map[trilith.ID]string{}
	for chunk := range slices.Chunk(truth.EntitiesOf(facts), truth.ReadStep) {
		rs, err := es.truth.Store.Records(
			ctx, truth.TenantOf(s), role.RecordListing{Kind: role.RecordEntity, IDs: chunk})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			v, err := truth.Decode[trilith.Entity](r)
			if err != nil {
				return nil, err
			}
			out[r.ID] = v.Name
		}
	}
	return out, nil
}
