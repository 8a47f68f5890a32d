package entities

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// ChangeID returns the id of one history record of an entity.
func ChangeID(entity trilith.ID, seq int64) trilith.ID {
	return trilith.DeriveID("entity_change", string(entity), strconv.FormatInt(seq, 10))
}

// UpdateEntity changes the names, identifiers and attributes of an entity; see [trilith.EntityUpdate]. An identifier that
// belongs to another entity is a Conflict, and so is changing an entity that was merged into another.
func (es *Entities) UpdateEntity(ctx context.Context, s trilith.Scope, u trilith.EntityUpdate) (trilith.Entity, error) {
	id := u.ID
	if err := truth.CheckWhole(s); err != nil {
		return trilith.Entity{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.Entity{}, err
	}
	masking, err := checkEntityUpdate(&u)
	if err != nil {
		return trilith.Entity{}, err
	}
	var v trilith.Entity
	var job RenameJob
	err = truth.Retry(ctx, func() (bool, error) {
		old, err := es.changeable(ctx, s, id, "", u.Version)
		if err != nil {
			return false, err
		}
		var c trilith.EntityChange
		if v, c, err = updated(old, u); err != nil || c.Action == "" {
			return false, err
		}
		b := role.Batch{Audit: es.truth.Audit(s, "entity.update", id, nil)}
		if err := es.claimIdentifiers(ctx, s, &b, id, c.Added.Identifiers); err != nil {
			return false, err
		}
		for _, gone := range c.Removed.Identifiers {
			b.Release = append(b.Release, IdentifierKey(gone))
		}
		before, after := NameKeys(&old), NameKeys(&v)
		taken, err := es.TakenNames(ctx, s, slices.Concat(before, after))
		if err != nil {
			return false, err
		}
		ClaimNames(&b, taken, id, before, after)
		if err := es.PutEntity(s, &b, &v, c); err != nil {
			return false, err
		}
		job = RenameJob{Entity: id, From: old.Name, To: v.Name}
		if err := es.addRename(&b, job); err != nil {
			return false, err
		}
		_, err = es.truth.Commit(ctx, s, b)
		return true, err
	})
	if err != nil {
		return trilith.Entity{}, err
	}
	v.Masking = masking
	return v, es.Rename(ctx, s, job)
}

// changeable reads an entity for a change. A version other than 0 must match. field is the request field that names the
// entity; empty if the request is about the entity itself.
func (es *Entities) changeable(ctx context.Context, s trilith.Scope, id trilith.ID, field string, version int64) (
	trilith.Entity, error) {
	v, err := es.Read(ctx, s, id)
	switch {
	case err != nil:
		return v, err
	case v.MergedInto != "":
		if field == "" {
			field = "entity"
		}
		return v, trilith.Errorf(trilith.Conflict, "%s: was merged into %s; name that one", field, v.MergedInto)
	case version != 0 && version != v.Version:
		return v, trilith.Errorf(trilith.Conflict, "version: the entity has version %d, not %d; read it again",
			v.Version, version)
	}
	return v, nil
}

// claimIdentifiers adds the claims of identifiers for an entity to a batch.
func (es *Entities) claimIdentifiers(ctx context.Context, s trilith.Scope, b *role.Batch, id trilith.ID,
	identifiers []trilith.Identifier) error {
	for _, i := range identifiers {
		key := IdentifierKey(i)
		owners, err := es.truth.Store.Find(ctx, truth.TenantOf(s), []role.Key{key})
		if err != nil {
			return err
		}
		if owner, taken := owners[key]; taken && owner != id {
			return trilith.Errorf(trilith.Conflict,
				"add_identifiers: another entity has the %s; if the two are one, merge them", i.Type)
		}
		b.Claims = append(b.Claims, role.Claim{Key: key, Owner: id})
	}
	return nil
}

// checkEntityUpdate validates an update, and masks secrets in it.
func checkEntityUpdate(u *trilith.EntityUpdate) (trilith.Masking, error) {
	if u.Name != nil {
		if err := truth.CheckName("name", *u.Name); err != nil {
			return trilith.Masking{}, err
		}
	}
	if u.Type != nil {
		if err := truth.CheckName("type", *u.Type); err != nil || len(*u.Type) > 64 {
			return trilith.Masking{}, trilith.Errorf(
				trilith.Invalid, "type: must be 1 to 64 bytes of text, for example person or organisation")
		}
	}
	ids := map[string]string{}
	for i, id := range u.AddIdentifiers {
		ids["add_identifiers["+strconv.Itoa(i)+"].value"] = id.Value
	}
	for i, alias := range u.AddAliases {
		ids["add_aliases["+strconv.Itoa(i)+"]"] = alias
	}
	if u.Name != nil {
		ids["name"] = *u.Name
	}
	if u.Type != nil {
		ids["type"] = *u.Type
	}
	if err := truth.RefuseSecretIDs(ids); err != nil {
		return trilith.Masking{}, err
	}
	u.AddIdentifiers = slices.Clone(u.AddIdentifiers)
	for i, id := range u.AddIdentifiers {
		u.AddIdentifiers[i] = written(id)
	}
	for _, id := range slices.Concat(u.AddIdentifiers, u.RemoveIdentifiers) {
		if err := CheckIdentifier(id); err != nil {
			return trilith.Masking{}, err
		}
	}
	for _, alias := range u.AddAliases {
		if err := truth.CheckName("add_aliases", alias); err != nil {
			return trilith.Masking{}, err
		}
	}
	for name := range u.SetAttributes {
		if err := truth.CheckName("set_attributes", name); err != nil {
			return trilith.Masking{}, err
		}
	}
	set, err := ingest.Metadata("set_attributes", u.SetAttributes)
	k := truth.NewMasker()
	u.SetAttributes = k.Object("set_attributes", set) // in the form in which it will be read back
	return k.Masking(), err
}

// updated applies an update to an entity and returns it with the change. An empty action means that nothing changed.
func updated(old trilith.Entity, u trilith.EntityUpdate) (trilith.Entity, trilith.EntityChange, error) {
	v := old
	var c trilith.EntityChange
	if u.Name != nil && *u.Name != v.Name {
		c.Added.Name, c.Removed.Name = *u.Name, v.Name
		v.Name = *u.Name
	}
	if u.Type != nil && *u.Type != v.Type {
		c.Added.Type, c.Removed.Type = *u.Type, v.Type
		v.Type = *u.Type
	}
	for _, id := range u.RemoveIdentifiers {
		if id = own(&v, id); Has(&v, id) {
			c.Removed.Identifiers = append(c.Removed.Identifiers, id)
			v.Identifiers = Without(v.Identifiers, id)
		}
	}
	for _, id := range u.AddIdentifiers {
		if id.Type == "name" {
			id.Owner = v.Owner
		}
		if !Has(&v, id) {
			c.Added.Identifiers = append(c.Added.Identifiers, id)
			v.Identifiers = append(slices.Clone(v.Identifiers), id)
		}
	}
	for _, alias := range u.RemoveAliases {
		if slices.Contains(v.Aliases, alias) {
			c.Removed.Aliases = append(c.Removed.Aliases, alias)
			v.Aliases = slices.DeleteFunc(slices.Clone(v.Aliases), func(a string) bool { return a == alias })
		}
	}
	for _, alias := range u.AddAliases {
		if !slices.Contains(v.Aliases, alias) {
			c.Added.Aliases = append(c.Added.Aliases, alias)
			v.Aliases = append(slices.Clone(v.Aliases), alias)
		}
	}
	v.Attributes = maps.Clone(v.Attributes)
	for _, name := range u.RemoveAttributes {
		if value, ok := v.Attributes[name]; ok {
			put(&c.Removed.Attributes, name, value)
			delete(v.Attributes, name)
		}
	}
	for name, value := range u.SetAttributes {
		had, ok := v.Attributes[name]
		if ok && reflect.DeepEqual(had, value) {
			continue
		}
		if ok {
			put(&c.Removed.Attributes, name, had)
		}
		put(&c.Added.Attributes, name, value)
		put(&v.Attributes, name, value)
	}
	if !reflect.DeepEqual(c, trilith.EntityChange{}) {
		c.Action = trilith.EntityUpdated
	}
	if c.Added.Attributes != nil {
		if _, err := ingest.Metadata("set_attributes", v.Attributes); err != nil {
			return v, c, err
		}
	}
	switch {
	case len(v.Identifiers) == 0:
		return v, c, trilith.Errorf(
			trilith.Invalid, "remove_identifiers: the entity would have none left; leave one, or add another")
	case len(v.Identifiers) > trilith.MaxIdentifiers && len(c.Added.Identifiers) > 0:
		return v, c, trilith.Errorf(trilith.Exhausted, "add_identifiers: an entity has at most %d", trilith.MaxIdentifiers)
	case len(v.Aliases) > trilith.MaxAliases && len(c.Added.Aliases) > 0:
		return v, c, trilith.Errorf(trilith.Exhausted, "add_aliases: an entity has at most %d", trilith.MaxAliases)
	}
	return v, c, nil
}

// own returns an identifier in the form that the entity has: a request may give a name without its owner.
func own(v *trilith.Entity, id trilith.Identifier) trilith.Identifier {
	if id.Type != "name" || Has(v, id) {
		return id
	}
	for _, owner := range ownersOf(v) {
		id.Owner = owner
		if Has(v, id) {
			break
		}
	}
	return id
}

// Without returns the identifiers except one.
func Without(all []trilith.Identifier, id trilith.Identifier) []trilith.Identifier {
	key := IdentifierKey(id)
	return slices.DeleteFunc(slices.Clone(all), func(have trilith.Identifier) bool { return IdentifierKey(have) == key })
}

// put sets a value in a map that may be nil.
func put(m *map[string]any, name string, value any) {
	if *m == nil {
		*m = map[string]any{}
	}
	(*m)[name] = value
}

// EntityHistory pages through the changes of an entity, newest first. An entity that was merged into another has its own
// history, which ends with the merge.
func (es *Entities) EntityHistory(ctx context.Context, s trilith.Scope, q trilith.EntityHistoryQuery) (
	trilith.EntityHistory, error) {
	id, cursor := q.ID, q.Cursor
	if err := truth.CheckWhole(s); err != nil {
		return trilith.EntityHistory{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.EntityHistory{}, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err != nil {
		return trilith.EntityHistory{}, err
	}
	v, err := es.Read(ctx, s, id)
	if err != nil {
		return trilith.EntityHistory{}, err
	}
	newest := v.Changes
	if cursor != "" {
		if newest, err = strconv.ParseInt(cursor, 10, 64); err != nil || newest < 1 || newest > v.Changes {
			return trilith.EntityHistory{}, trilith.Errorf(trilith.Invalid, "cursor: does not belong to this list; begin without one")
		}
	}
	page := trilith.EntityHistory{Items: []trilith.EntityChange{}}
	oldest := max(1, newest-int64(limit)+1)
	if page.Items, err = es.Changes(ctx, s, id, oldest, newest); err != nil {
		return trilith.EntityHistory{}, err
	}
	slices.Reverse(page.Items)
	var cut bool
	if page.Items, cut = truth.Fit(page.Items); cut {
		oldest = page.Items[len(page.Items)-1].Seq
	}
	if oldest > 1 {
		page.NextCursor = strconv.FormatInt(oldest-1, 10)
	}
	return page, nil
}

// Changes reads a part of an entity's history, oldest first.
func (es *Entities) Changes(ctx context.Context, s trilith.Scope, id trilith.ID, oldest, newest int64) (
	[]trilith.EntityChange, error) {
	out := []trilith.EntityChange{}
	var ids []trilith.ID
	for seq := oldest; seq <= newest; seq++ {
		ids = append(ids, ChangeID(id, seq))
	}
	if len(ids) == 0 {
		return out, nil
	}
	rs, err := es.truth.Store.Records(ctx, truth.TenantOf(s), role.RecordListing{Kind: role.RecordChange, IDs: ids})
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		c, err := truth.Decode[trilith.EntityChange](r)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
