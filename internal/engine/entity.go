package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// identifierKey is the unique name of an identifier in its tenant. Case and spacing make no difference where people do not
// mind them.
func identifierKey(id cairn.Identifier) cairn.Key {
	value := strings.Join(strings.Fields(id.Value), " ")
	switch id.Type {
	case "email", "name":
		value = strings.ToLower(value)
	case "phone":
		value = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" -()/.", r) {
				return -1
			}
			return r
		}, value)
	}
	return cairn.Key{Space: cairn.KeyIdentifier, Value: id.Type + "\x00" + value}
}

// checkIdentifier refuses what cannot name anything.
func checkIdentifier(id cairn.Identifier) error {
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' }
	switch {
	case id.Type == "" || len(id.Type) > 64 || strings.ContainsFunc(id.Type, func(r rune) bool { return !plain(r) }):
		return cairn.Errorf(cairn.Invalid, "identifier.type: must be 1 to 64 of a-z 0-9 _, for example email or user_id")
	case strings.TrimSpace(id.Value) == "" || len(id.Value) > cairn.MaxNameBytes:
		return cairn.Errorf(cairn.Invalid, "identifier.value: must be 1 to %d bytes", cairn.MaxNameBytes)
	case !utf8.ValidString(id.Value) || strings.ContainsRune(id.Value, 0):
		return cairn.Errorf(cairn.Invalid, "identifier.value: is not valid UTF-8, or contains a NUL character")
	}
	return nil
}

// entityTypes says what an identifier of a type names; anything else names a person.
var entityTypes = map[string]string{"project": "project", "project_id": "project", "organisation": "organisation",
	"session": "session", "thing": "thing"}

// findEntity returns the entity that an identifier names; NotFound if there is none.
func (e *Engine) findEntity(ctx context.Context, s cairn.Scope, id cairn.Identifier) (cairn.Entity, error) {
	key := identifierKey(id)
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), []cairn.Key{key})
	if err != nil {
		return cairn.Entity{}, err
	}
	owner, ok := owners[key]
	if !ok {
		return cairn.Entity{}, cairn.Errorf(cairn.NotFound, "no entity has the %s %q", id.Type, id.Value)
	}
	return e.entity(ctx, s, owner)
}

func (e *Engine) entity(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Entity, error) {
	rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordEntity, IDs: []cairn.ID{id}})
	if err != nil {
		return cairn.Entity{}, err
	}
	if len(rs) == 0 {
		return cairn.Entity{}, cairn.Errorf(cairn.NotFound, "entity %s does not exist", id)
	}
	v, err := decode[cairn.Entity](rs[0])
	v.Version = rs[0].Version
	return v, err
}

// makeEntity returns the entity that an identifier names, and makes it if there is none. Two callers that meet the same
// name at the same time get the same entity.
func (e *Engine) makeEntity(ctx context.Context, s cairn.Scope, id cairn.Identifier) (cairn.Entity, error) {
	var out cairn.Entity
	err := retry(ctx, func() (bool, error) {
		var err error
		out, err = e.findEntity(ctx, s, id)
		if err == nil || cairn.KindOf(err) != cairn.NotFound {
			return false, err
		}
		kind := entityTypes[id.Type]
		if kind == "" {
			kind = "person"
		}
		out = cairn.Entity{ID: cairn.NewID(e.now()), Type: kind, Name: strings.Join(strings.Fields(id.Value), " "),
			Identifiers: []cairn.Identifier{id}, CreatedAt: e.now(), Version: 1}
		body, err := json.Marshal(out)
		if err != nil {
			return false, err
		}
		_, err = e.cfg.Store.Commit(ctx, tenantOf(s), cairn.Batch{
			Records: []cairn.Record{{Kind: cairn.RecordEntity, ID: out.ID, Body: body}},
			Claims:  []cairn.Claim{{Key: identifierKey(id), Owner: out.ID}},
			Audit:   e.audit(s, "entity.create", out.ID, map[string]string{"type": kind}),
		})
		return true, err
	})
	return out, err
}

// Entity returns an entity of the tenant.
func (e *Engine) Entity(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Entity, error) {
	if err := checkScope(s); err != nil {
		return cairn.Entity{}, err
	}
	if err := id.Validate(); err != nil {
		return cairn.Entity{}, err
	}
	return e.entity(ctx, s, id)
}

// Entities pages through the entities of the tenant by ascending id.
func (e *Engine) Entities(ctx context.Context, s cairn.Scope, limit int, cursor string) (cairn.EntityPage, error) {
	if err := checkScope(s); err != nil {
		return cairn.EntityPage{}, err
	}
	if limit < 0 || limit > cairn.MaxPageSize {
		return cairn.EntityPage{}, cairn.Errorf(cairn.Invalid, "limit: is %d, must be 1 to %d", limit, cairn.MaxPageSize)
	}
	if limit == 0 {
		limit = cairn.DefaultPageSize
	}
	if cursor != "" && cairn.ID(cursor).Validate() != nil {
		return cairn.EntityPage{}, cairn.Errorf(cairn.Invalid, "cursor: is not one that a listing gave")
	}
	rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordEntity, After: cairn.ID(cursor), Limit: limit + 1})
	if err != nil {
		return cairn.EntityPage{}, err
	}
	page := cairn.EntityPage{Items: []cairn.Entity{}}
	for _, r := range rs[:min(len(rs), limit)] {
		v, err := decode[cairn.Entity](r)
		if err != nil {
			return cairn.EntityPage{}, err
		}
		v.Version = r.Version
		page.Items = append(page.Items, v)
	}
	if len(rs) > limit {
		page.NextCursor = string(rs[limit-1].ID)
	}
	return page, nil
}

// sameName reports whether a speaker's name is one of the entity's.
func sameName(v cairn.Entity, name string) bool {
	folded := strings.ToLower(strings.TrimSpace(name))
	is := func(s string) bool { return strings.ToLower(s) == folded }
	return is(v.Name) || slices.ContainsFunc(v.Aliases, is) ||
		slices.ContainsFunc(v.Identifiers, func(id cairn.Identifier) bool { return id.Type == "name" && is(id.Value) })
}
