// Package objects stores the small records of programs: data about their users, threads or agents that is not a memory.
package objects

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// Objects keeps the objects of all tenants. Its methods are safe for concurrent use.
type Objects struct {
	truth *truth.Truth
	all   kinds.Records[trilith.Object]
}

// New returns the objects of a store.
func New(t *truth.Truth) *Objects {
	return &Objects{t, kinds.Records[trilith.Object]{Truth: t, Kind: role.RecordObject, Decode: decode,
		Facets: func(o *trilith.Object) (trilith.Scope, time.Time, time.Time) {
			return o.Scope, o.CreatedAt, o.UpdatedAt
		}}}
}

// Kind is the row of the objects in the table of what an export consists of.
func (os *Objects) Kind() kinds.Kind {
	return kinds.Row[trilith.Object]{Prefix: "object.", Check: Check, Export: os.all.In, Restore: os.Restore,
		Chosen: os.all.Chosen, Delete: os.delete, Count: func(r *trilith.EraseReceipt) *int { return &r.Objects },
		In: func(it *trilith.ExportItem) **trilith.Object { return &it.Object }}.Kind()
}

// Restore takes objects of an export. Those of a type and name that are there already are left as they are.
func (os *Objects) Restore(ctx context.Context, s trilith.Scope, all []trilith.Object) (stored int, err error) {
	for _, o := range all {
		o.Scope = truth.WithTenant(o.Scope, s.Tenant)
		_, there, err := os.read(ctx, s, o.Type, o.Name)
		if err != nil {
			return stored, err
		}
		if there || !s.Covers(o.Scope) {
			continue
		}
		b, err := batchOf(s, 0, o)
		if err == nil {
			_, err = os.truth.Commit(ctx, s, b)
		}
		if err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

// PutObject stores an object, replacing the one with its type and name. Secrets in its data are masked. It is a Conflict if
// o.Version is not 0 and the stored object has another version, or if fresh is set and there is one. The scopes of the
// object and of the stored one must be covered by s.
func (os *Objects) PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error) {
	if err := truth.CheckScope(s); err != nil {
		return o, err
	}
	o.Scope = truth.WithTenant(o.Scope, s.Tenant)
	if err := cmp.Or(o.Scope.Validate(), Check(&o)); err != nil {
		return o, err
	}
	if !s.Covers(o.Scope) {
		return o, trilith.Errorf(trilith.Invalid, "scope: is outside the scope of the request")
	}
	o.Data = truth.NewMasker().Object("data", o.Data)
	want := o.Version
	err := truth.Retry(ctx, func() (bool, error) {
		old, there, err := os.read(ctx, s, o.Type, o.Name)
		switch {
		case err != nil:
			return false, err
		case there && !s.Covers(old.Scope):
			return false, trilith.Errorf(trilith.Conflict, "name: %s %.64q belongs to another caller; choose another name", o.Type, o.Name)
		case there && fresh:
			return false, trilith.Errorf(trilith.Conflict, "name: there is a %s %.64q already", o.Type, o.Name)
		case want != 0 && want != old.Version:
			return false, trilith.Errorf(trilith.Conflict, "version: %s %.64q has version %d, not %d; read it again", o.Type,
				o.Name, old.Version, want)
		}
		o.UpdatedAt = os.truth.Now()
		o.CreatedAt, o.Version = o.UpdatedAt, old.Version+1
		if there {
			o.CreatedAt = old.CreatedAt
		}
		b, err := batchOf(s, old.Version, o)
		if err != nil {
			return false, err
		}
		b.Audit = os.truth.Audit(s, "object.put", b.Records[0].ID, map[string]string{"type": o.Type})
		_, err = os.truth.Commit(ctx, s, b)
		return true, err
	})
	return o, err
}

// Check refuses an object that cannot be stored.
func Check(o *trilith.Object) error {
	data, err := json.Marshal(o.Data)
	switch {
	case err != nil:
		return trilith.Errorf(trilith.Invalid, "data: %w", err)
	case len(data) > trilith.MaxObjectBytes:
		return trilith.Errorf(trilith.Invalid, "data: is %d bytes as JSON, at most %d are allowed", len(data),
			trilith.MaxObjectBytes)
	}
	if err := truth.CheckName("type", o.Type); err != nil {
		return err
	}
	return truth.CheckName("name", o.Name)
}

// batchOf puts objects that had a version before.
func batchOf(s trilith.Scope, was int64, all ...trilith.Object) (b role.Batch, err error) {
	for _, o := range all {
		body, err := json.Marshal(o)
		if err != nil {
			return b, trilith.WrapError(trilith.Internal, "objects.PutObject", err)
		}
		id := objectID(s, o.Type, o.Name)
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordObject, ID: id, Version: was})
		b.Records = append(b.Records, role.Record{Kind: role.RecordObject, ID: id, Version: o.Version, Body: body})
	}
	return b, nil
}

// nameTail is how many digits of an object's id are derived from its name; the others from its type, so that objects of
// one type are adjacent in a listing.
const nameTail = 15

// Objects returns the objects of a type that the scope covers, the oldest first, ties by name.
func (os *Objects) Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	out := []trilith.Object{}
	first := typeID(s, kind)
	for r, err := range os.truth.RecordsAfter(ctx, s, role.RecordObject, first) {
		if err != nil {
			return nil, err
		}
		if !truth.SameHead(r.ID, first, nameTail) {
			break
		}
		o, err := decode(s, r)
		if err != nil {
			return nil, err
		}
		if o.Type == kind && s.Covers(o.Scope) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b trilith.Object) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// DeleteObject removes an object for good; NotFound if the scope covers none of the name.
func (os *Objects) DeleteObject(ctx context.Context, s trilith.Scope, kind, name string) error {
	o, err := os.Object(ctx, s, kind, name)
	if err != nil {
		return err
	}
	return os.delete(ctx, s, []trilith.Object{o})
}

// Object returns an object that the scope covers.
func (os *Objects) Object(ctx context.Context, s trilith.Scope, kind, name string) (trilith.Object, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Object{}, err
	}
	o, there, err := os.read(ctx, s, kind, name)
	if err != nil || there && s.Covers(o.Scope) {
		return o, err
	}
	return trilith.Object{}, trilith.Errorf(trilith.NotFound, "%s %.64q does not exist", kind, name)
}

// read returns the object of a type and a name, of any scope.
func (os *Objects) read(ctx context.Context, s trilith.Scope, kind, name string) (o trilith.Object, there bool, err error) {
	rs, err := os.truth.RecordsOf(ctx, s, role.RecordObject, objectID(s, kind, name))
	if err != nil || len(rs) == 0 {
		return o, false, err
	}
	if o, err = decode(s, rs[0]); err == nil && (o.Type != kind || o.Name != name) { // two digests are equal
		err = trilith.Errorf(trilith.Conflict, "name: %.64q looks the same as %.64q; choose another one", name, o.Name)
	}
	return o, true, err
}

func decode(s trilith.Scope, r role.Record) (trilith.Object, error) {
	o, err := truth.Decode[trilith.Object](r)
	o.Scope = truth.WithTenant(o.Scope, s.Tenant)
	o.Version = r.Version
	return o, err
}

func (os *Objects) delete(ctx context.Context, s trilith.Scope, all []trilith.Object) error {
	for chunk := range slices.Chunk(all, role.MaxBatch) {
		now := os.truth.Now()
		b := role.Batch{Jobs: []trilith.Job{{ID: trilith.NewID(now), Kind: role.JobPurge, State: trilith.JobReady,
			RunAt: now, CreatedAt: now, UpdatedAt: now}}}
		for _, o := range chunk {
			id := objectID(s, o.Type, o.Name)
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordObject, ID: id})
			b.Audit = append(b.Audit, os.truth.Audit(s, "object.delete", id, map[string]string{"type": o.Type})...)
		}
		if _, err := os.truth.Commit(ctx, s, b); err != nil {
			return err
		}
	}
	return nil
}

func objectID(s trilith.Scope, kind, name string) trilith.ID {
	digits := strings.ReplaceAll(string(trilith.DeriveID("object", s.Tenant, kind, name)), "-", "")
	return truth.WithTail(typeID(s, kind), digits[len(digits)-nameTail:])
}

func typeID(s trilith.Scope, kind string) trilith.ID {
	return truth.WithTail(trilith.DeriveID("objects", s.Tenant, kind), strings.Repeat("0", nameTail))
}
