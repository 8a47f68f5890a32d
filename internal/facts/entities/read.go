package entities

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// CheckIdentifier returns an error for an identifier that cannot name anything.
func CheckIdentifier(id trilith.Identifier) error {
	id = written(id)
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' }
	switch {
	case id.Type == "" || len(id.Type) > 64 || strings.ContainsFunc(id.Type, func(r rune) bool { return !plain(r) }):
		return trilith.Errorf(trilith.Invalid,
			"identifier.type: must be 1 to 64 of a-z 0-9 _, for example email or user_id")
	case strings.TrimSpace(id.Value) == "" || len(id.Value) > trilith.MaxNameBytes:
		return trilith.Errorf(trilith.Invalid, "identifier.value: must be 1 to %d bytes", trilith.MaxNameBytes)
	case id.Owner != "" && id.Type != "name":
		return trilith.Errorf(trilith.Invalid, "identifier.owner: only a name has one; leave it out")
	case !utf8.ValidString(id.Value) || strings.ContainsRune(id.Value, 0):
		return trilith.Errorf(trilith.Invalid, "identifier.value: is not valid UTF-8, or contains a NUL character")
	}
	return nil
}

// entityTypes maps identifier types to the type of entity that they name. All other types name a person.
var entityTypes = map[string]string{"project": "project", "project_id": "project", "organisation": "organisation",
	"session": "session", "thing": "thing"}

// origin returns the entity for which had is true: v itself, or one that was merged into it, directly or through
// others. If there is none it returns v.
func (es *Entities) origin(ctx context.Context, s trilith.Scope, v trilith.Entity, had func(*trilith.Entity) bool) (
	trilith.ID, error) {
	for len(v.Merged) > 0 {
		members, err := es.ReadAll(ctx, s, v.Merged)
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(members, func(m trilith.Entity) bool { return had(&m) })
		if at < 0 {
			break
		}
		v = members[at]
	}
	return v.ID, nil
}

// Survivor reads the entity with an id, or the one that it was merged into. A commit on condition that the survivor
// is unchanged is sure to concern the entity that the id leads to: it notices a split between two reads.
func (es *Entities) Survivor(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	v, err := es.follow(ctx, s, id)
	for err == nil && v.ID != id {
		// If the id leads to v after v was read, every later split changes the version of v.
		var now trilith.Entity
		if now, err = es.follow(ctx, s, id); now.ID == v.ID {
			break
		}
		v = now
	}
	return v, err
}

// follow reads the entity with an id, and from there on the one that each was merged into.
func (es *Entities) follow(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	for seen := map[trilith.ID]bool{}; ; {
		v, err := es.Read(ctx, s, id)
		if err != nil || v.MergedInto == "" {
			return v, err
		}
		seen[id] = true
		if seen[v.MergedInto] {
			return v, trilith.Errorf(trilith.Internal, "entity %s: its merges form a cycle; run trilith doctor", id)
		}
		id = v.MergedInto
	}
}

// UnlessErased returns err unless it is NotFound: an entity that is missing was erased, and so are the facts about it.
func UnlessErased(err error) error {
	if trilith.KindOf(err) == trilith.NotFound {
		return nil
	}
	return err
}

// PutEntity adds the new state of an entity and the history record of the change to a batch. v has the version that was
// read, 0 for a new entity; PutEntity sets it to the version after the commit.
func (es *Entities) PutEntity(s trilith.Scope, b *role.Batch, v *trilith.Entity, c trilith.EntityChange) error {
	again := puts(b, v.ID) // a second step of one commit
	if !again {
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordEntity, ID: v.ID, Version: v.Version})
		v.Version++
	}
	v.Changes++
	c.EntityID, c.Seq, c.At, c.By = v.ID, v.Changes, es.truth.Now(), s.Actor
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	change, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if again {
		b.Records = slices.DeleteFunc(b.Records, isRecordOf(v.ID))
	}
	b.Records = append(b.Records, role.Record{Kind: role.RecordEntity, ID: v.ID, Body: body},
		role.Record{Kind: role.RecordChange, ID: ChangeID(v.ID, v.Changes), Body: change})
	return nil
}

// TouchEntity adds an unchanged entity to a batch: of two concurrent commits that depend on it, one conflicts.
func TouchEntity(b *role.Batch, v trilith.Entity) error {
	if puts(b, v.ID) {
		return nil
	}
	body, err := json.Marshal(v)
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordEntity, ID: v.ID, Version: v.Version})
	b.Records = append(b.Records, role.Record{Kind: role.RecordEntity, ID: v.ID, Body: body})
	return err
}

// puts reports whether a batch puts an entity.
func puts(b *role.Batch, id trilith.ID) bool {
	return slices.ContainsFunc(b.Records, isRecordOf(id))
}

func isRecordOf(id trilith.ID) func(role.Record) bool {
	return func(r role.Record) bool { return r.Kind == role.RecordEntity && r.ID == id }
}

// Entity returns an entity of the tenant as stored. One that was merged into another names the survivor.
func (es *Entities) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Entity{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.Entity{}, err
	}
	v, err := es.Read(ctx, s, id)
	if err != nil {
		return trilith.Entity{}, err
	}
	return es.ShownOne(ctx, s, v)
}

// Read reads an entity, also one that was merged into another.
func (es *Entities) Read(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	vs, err := es.ReadAll(ctx, s, []trilith.ID{id})
	if err == nil && len(vs) == 0 {
		err = trilith.Errorf(trilith.NotFound, "entity %s does not exist", id)
	}
	if err != nil {
		return trilith.Entity{}, err
	}
	return vs[0], nil
}

// ReadAll reads the entities with some ids. Missing ids are skipped.
func (es *Entities) ReadAll(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Entity, error) {
	if len(ids) == 0 {
		return nil, nil // an empty list of ids would select all
	}
	rs, err := es.truth.RecordsOf(ctx, s, role.RecordEntity, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]trilith.Entity, len(rs))
	for i, r := range rs {
		if out[i], err = truth.Decode[trilith.Entity](r); err != nil {
			return nil, err
		}
		out[i].Version = r.Version
	}
	return out, nil
}

// Entities pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its
// tenant has those that its facts are about or name.
func (es *Entities) Entities(ctx context.Context, s trilith.Scope, q trilith.EntitiesQuery) (trilith.EntityPage, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.EntityPage{}, err
	}
	if q.Limit < 0 || q.Limit > trilith.MaxPageSize {
		return trilith.EntityPage{},
			trilith.Errorf(trilith.Invalid, "limit: is %d, must be 1 to %d", q.Limit, trilith.MaxPageSize)
	}
	if q.Limit == 0 {
		q.Limit = trilith.DefaultPageSize
	}
	if q.Cursor != "" && trilith.ID(q.Cursor).Validate() != nil {
		return trilith.EntityPage{}, trilith.Errorf(trilith.Invalid, "cursor: does not belong to this list; begin without one")
	}
	page := trilith.EntityPage{Items: []trilith.Entity{}}
	var b truth.Bound
	listed := es.after
	if s.Bare() != (trilith.Scope{Tenant: s.Tenant}) {
		listed = es.inSightAfter
	}
	for v, err := range listed(ctx, s, trilith.ID(q.Cursor)) {
		switch {
		case err != nil:
			return trilith.EntityPage{}, err
		case v.MergedInto != "":
			continue
		}
		if n := len(page.Items); n == q.Limit || !b.Holds(&v) {
			page.NextCursor = string(page.Items[n-1].ID)
			return page, nil
		}
		page.Items = append(page.Items, v)
	}
	return page, nil
}

// SameName reports whether a name is one of the entity's, including handles such as a user id.
func SameName(v *trilith.Entity, name string) bool {
	meant := names.Parse(name)
	is := func(s string) bool {
		return strings.EqualFold(strings.TrimSpace(s), strings.TrimSpace(name)) || names.Parse(s).Equal(meant)
	}
	return is(v.Name) || slices.ContainsFunc(NamesOf(v), is)
}
