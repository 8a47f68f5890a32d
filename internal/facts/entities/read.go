package entities

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// entityTypes maps identifier types to the type of entity that they name. All other types name a person.
var entityTypes = map[string]string{"project": "project", "project_id": "project", "organisation": "organisation",
	"session": "session", "thing": "thing"}

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
	if again {
		b.Records = slices.DeleteFunc(b.Records, isRecordOf(v.ID))
	}
	if err := b.Put(role.RecordEntity, v.ID, v); err != nil {
		return err
	}
	return b.Put(role.RecordChange, ChangeID(v.ID, v.Changes), c)
}

// TouchEntity adds an unchanged entity to a batch: of two concurrent commits that depend on it, one conflicts.
func TouchEntity(b *role.Batch, v trilith.Entity) error {
	if puts(b, v.ID) {
		return nil
	}
	return b.Replace(role.RecordEntity, v.ID, v.Version, v)
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
