package qdrant

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// bytesAComponent is the size of a vector component in JSON.
const bytesAComponent = 13

// written is a point in its encoded form.
type written struct {
	version int64
	bytes   int // about
	point   map[string]any
}

// Apply stores points. The server answers once searches can find them, and keeps a stored point of a higher version. A
// call with many points or many versions becomes several requests; if one fails, some points are stored, and repeating
// the call is harmless.
func (v *Vectors) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	const op = "qdrant.Apply"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := role.ValidatePoints(g, ps); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	ps = newest(ps)
	if len(ps) == 0 {
		return nil
	}
	written := make([]written, len(ps))
	for i := range ps {
		values, err := payload(&ps[i])
		if err != nil {
			return trilith.WrapError(trilith.Invalid, op, err)
		}
		tenant := ps[i].Facets.Scope.Tenant
		written[i].version = ps[i].Facets.Version
		written[i].bytes = len(ps[i].Vector)*bytesAComponent + 2*len(values[facetsKey].(string))
		written[i].point = map[string]any{"id": pointID(tenant, ps[i].Facets.ID), "vector": ps[i].Vector,
			"payload": values}
	}
	err := v.again(ctx, g, func(c *collection) error { return c.upsert(ctx, written) })
	return trilith.WrapError(trilith.Unavailable, op, err)
}

// newest returns the final points, one for each tenant and id, by ascending version.
func newest(ps []role.Point) []role.Point {
	type key struct {
		tenant string
		id     trilith.ID
	}
	at := make(map[key]int, len(ps))
	for i := range ps {
		k := key{ps[i].Facets.Scope.Tenant, ps[i].Facets.ID}
		if held, ok := at[k]; !ok || ps[held].Facets.Version <= ps[i].Facets.Version {
			at[k] = i
		}
	}
	out := make([]role.Point, 0, len(at))
	for i := range ps {
		if at[key{ps[i].Facets.Scope.Tenant, ps[i].Facets.ID}] == i {
			out = append(out, ps[i])
		}
	}
	slices.SortStableFunc(out, func(a, b role.Point) int { return cmp.Compare(a.Facets.Version, b.Facets.Version) })
	return out
}

// again runs do on the collection of a generation, creating it if necessary. If the collection may have changed, it is
// looked up again and do is repeated.
func (v *Vectors) again(ctx context.Context, g trilith.Generation, do func(c *collection) error) error {
	c, err := v.ensure(ctx, g)
	if err != nil {
		return err
	}
	if err = do(c); !changed(err) {
		return err
	}
	v.forget(c.name)
	if c, err = v.ensure(ctx, g); err != nil {
		return err
	}
	return do(c)
}

// upsert stores points by ascending version. A request has one condition for all of its points, so it holds those of
// one version.
func (c *collection) upsert(ctx context.Context, ps []written) error {
	for len(ps) > 0 {
		n, bytes := 0, 0
		for n < len(ps) && n < c.most.points && ps[n].version == ps[0].version &&
			(n == 0 || bytes+ps[n].bytes <= bytesAtOnce) {
			bytes += ps[n].bytes
			n++
		}
		points := make([]any, n)
		for i := range points {
			points[i] = ps[i].point
		}
		notNewer := all(within(versionKey, map[string]any{"lte": ps[0].version}))
		body := c.v.body(map[string]any{"points": points, "update_filter": notNewer})
		err := c.v.client.Call(ctx, http.MethodPut, qdrantapi.Path(c.name, "/points")+c.v.writes(), body, nil)
		if err != nil {
			return err
		}
		ps = ps[n:]
	}
	return nil
}

// Stamps returns the ids and versions of the points that the index holds. A point whose id does not match its memory
// was not stored by an index; it is listed under its own id, so that a comparison with the truth finds and deletes it.
func (v *Vectors) Stamps(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) (
	[]role.Stamp, error) {
	const op = "qdrant.Stamps"
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	var out []role.Stamp
	err := v.reading(ctx, g, func(c *collection) error {
		out = nil
		if len(ids) == 0 {
			return c.stamps(ctx, s.Tenant, nil, &out)
		}
		for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), c.most.values) {
			if err := c.stamps(ctx, s.Tenant, hasID(pointIDs(s.Tenant, some)), &out); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b role.Stamp) int { return cmp.Compare(a.ID, b.ID) })
	return out, trilith.WrapError(trilith.Unavailable, op, err)
}

// reading runs do on the collection of a generation, if it exists.
func (v *Vectors) reading(ctx context.Context, g trilith.Generation, do func(c *collection) error) error {
	for try := 0; ; try++ {
		c, err := v.look(ctx, g)
		if err != nil || c == nil {
			return err
		}
		if err = do(c); !changed(err) || try > 0 {
			if qdrantapi.Status(err) == http.StatusNotFound {
				return nil
			}
			return err
		}
		v.forget(c.name)
	}
}

// stamps adds the stamps of a tenant's points that meet a condition.
func (c *collection) stamps(ctx context.Context, tenant string, which condition, out *[]role.Stamp) error {
	body := c.v.body(map[string]any{"filter": inTenant(tenant, which), "limit": min(pageSize, c.most.limit),
		"with_payload": []string{idKey, versionKey, atKey, cutKey}, "with_vector": false})
	return c.v.client.Scroll(ctx, c.name, c.v.reads(), body, func(ps []qdrantapi.Point) error {
		for _, p := range ps {
			stamp := role.Stamp{ID: trilith.ID(p.ID)}
			if id, version, ok := memoryOf(tenant, &p); ok {
				at, _ := p.Payload[atKey].(string)
				stamp.ID, stamp.Version = id, version
				stamp.At, _ = time.Parse(time.RFC3339Nano, at)
				stamp.Cut, _ = p.Payload[cutKey].(bool)
			}
			*out = append(*out, stamp)
		}
		return nil
	})
}

// memoryOf returns the memory of a point; not ok if no index has stored the point.
func memoryOf(tenant string, p *qdrantapi.Point) (id trilith.ID, version int64, ok bool) {
	name, _ := p.Payload[idKey].(string)
	number, ok := p.Payload[versionKey].(float64)
	id = trilith.ID(name)
	return id, int64(number), ok && pointID(tenant, id) == string(p.ID)
}

// Delete removes ids of the tenant from every generation, including points with these ids that no index has stored.
func (v *Vectors) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	const op = "qdrant.Delete"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	if len(ids) == 0 {
		return nil
	}
	collections, err := v.all(ctx)
	for _, c := range collections {
		if err == nil {
			err = v.deleteIn(ctx, c, s.Tenant, ids)
		}
	}
	return trilith.WrapError(trilith.Unavailable, op, err)
}

// deleteIn deletes from a collection, which may have been deleted or changed in the meantime.
func (v *Vectors) deleteIn(ctx context.Context, c *collection, tenant string, ids []trilith.ID) error {
	err := c.delete(ctx, tenant, ids)
	if !changed(err) {
		return err
	}
	v.forget(c.name)
	info, ok, err := v.client.Collection(ctx, c.name)
	if err != nil || !ok {
		return err
	}
	if c, err = v.takeUp(ctx, c.name, &info); err != nil || c == nil {
		return err
	}
	if err = c.delete(ctx, tenant, ids); qdrantapi.Status(err) == http.StatusNotFound {
		return nil
	}
	return err
}

func (c *collection) delete(ctx context.Context, tenant string, ids []trilith.ID) error {
	for some := range slices.Chunk(ids, max(1, c.most.values/2)) {
		points := pointIDs(tenant, some)
		for _, id := range some {
			if id.Validate() == nil {
				points = append(points, string(id))
			}
		}
		body := c.v.body(map[string]any{"filter": inTenant(tenant, hasID(points))})
		err := c.v.client.Call(ctx, http.MethodPost, qdrantapi.Path(c.name, "/points/delete")+c.v.writes(), body, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

func pointIDs(tenant string, ids []trilith.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = pointID(tenant, id)
	}
	return out
}

// changed reports whether an error may mean that a collection has changed since it was looked up: it was deleted, or
// its strict mode forbids more.
func changed(err error) bool {
	status := qdrantapi.Status(err)
	return status == http.StatusNotFound || status == http.StatusBadRequest
}
