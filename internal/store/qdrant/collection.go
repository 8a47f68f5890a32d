package qdrant

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// collection holds the known properties of an existing collection.
type collection struct {
	v       *Vectors
	name    string
	vectors qdrantapi.Vectors
	strict  bool              // strict mode: filters may name indexed keys only
	schema  map[string]string // types of the payload indexes, by key
	inexact bool              // strict mode forbids exact searches
	most    limits
}

// limits are the largest values that a request may have.
type limits struct {
	points, searches, limit, ef, conditions, values int
}

// Limits of requests if the server sets none.
const (
	pointsAtOnce   = 256
	bytesAtOnce    = 8 << 20
	searchesAtOnce = 16
	pageSize       = 1000
	maxValues      = trilith.MaxFilterList
)

// marker is the metadata key that identifies a collection as made by trilith; formerMarker, as made by the program when
// it was called cairn.
const (
	marker       = "trilith"
	formerMarker = "cairn"
)

// indexed reports whether a filter may name a key. In strict mode that requires an index of one of the types, or of any
// type if none is given.
func (c *collection) indexed(key string, types ...string) bool {
	if !c.strict {
		return true
	}
	of, ok := c.schema[key]
	return ok && (len(types) == 0 || slices.Contains(types, of))
}

// Drop deletes the collection of a generation.
func (v *Vectors) Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	const op = "qdrant.Drop"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	info, ok, err := v.client.Collection(ctx, v.CollectionOf(g))
	if err == nil && ok && v.isOurs(&info) {
		err = v.remove(ctx, v.CollectionOf(g))
	}
	return trilith.WrapError(trilith.Unavailable, op, err)
}

// Reset deletes all collections of this index.
func (v *Vectors) Reset(ctx context.Context, sys trilith.System) error {
	const op = "qdrant.Reset"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	all, err := v.all(ctx)
	for _, c := range all {
		if err == nil {
			err = v.remove(ctx, c.name)
		}
	}
	return trilith.WrapError(trilith.Unavailable, op, err)
}

// remove deletes a collection.
func (v *Vectors) remove(ctx context.Context, name string) error {
	v.forget(name)
	err := v.client.Call(ctx, http.MethodDelete, qdrantapi.Path(name, ""), nil, nil)
	if qdrantapi.Status(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// forget drops the description of a collection, so that it is requested again.
func (v *Vectors) forget(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.collections, name)
}

// Indexed reports whether the server has indexed everything. Until then its answers are right but slower.
func (v *Vectors) Indexed(ctx context.Context) (bool, error) {
	ours, err := v.all(ctx)
	for _, c := range ours {
		info, ok, err := v.client.Collection(ctx, c.name)
		if err != nil || ok && info.Status == "yellow" {
			return false, err
		}
	}
	return err == nil, err
}

// all returns all collections of this index.
func (v *Vectors) all(ctx context.Context) (ours []*collection, err error) {
	names, err := v.client.Collections(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, v.o.Collection+"_") {
			continue
		}
		c := v.cached(name)
		if c == nil {
			info, ok, err := v.client.Collection(ctx, name)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if c, err = v.takeUp(ctx, name, &info); err != nil {
				return nil, err
			}
		}
		if c != nil { // otherwise another base name begins with the prefix
			ours = append(ours, c)
		}
	}
	return ours, nil
}

// Announce makes the base name an alias of the generation's collection, so that other readers find the active one.
func (v *Vectors) Announce(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	const op = "qdrant.Announce"
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	return trilith.WrapError(trilith.Unavailable, op, v.announce(ctx, g))
}

func (v *Vectors) announce(ctx context.Context, g trilith.Generation) error {
	aliases, err := v.client.Aliases(ctx)
	if err != nil {
		return err
	}
	name, now := v.CollectionOf(g), aliases[v.o.Collection]
	if now == name {
		return nil
	}
	if _, err := v.ensure(ctx, g); err != nil {
		return err
	}
	var actions []any
	if now != "" {
		if info, ok, err := v.client.Collection(ctx, now); err != nil || ok && !v.isOurs(&info) {
			if err == nil {
				err = v.foreign(v.o.Collection)
			}
			return err
		}
		actions = append(actions, map[string]any{"delete_alias": map[string]any{"alias_name": v.o.Collection}})
	}
	actions = append(actions, map[string]any{"create_alias": map[string]any{"collection_name": name, "alias_name": v.o.Collection}})
	err = v.client.Call(ctx, http.MethodPost, "/collections/aliases", map[string]any{"actions": actions}, nil)
	if qdrantapi.Status(err) == http.StatusConflict {
		return v.foreign(v.o.Collection)
	}
	return err
}

// ensure returns the collection of a generation, creating it if necessary.
func (v *Vectors) ensure(ctx context.Context, g trilith.Generation) (*collection, error) {
	c, err := v.look(ctx, g)
	if c != nil || err != nil {
		return c, err
	}
	name := v.CollectionOf(g)
	body := map[string]any{"vectors": map[string]any{"size": g.Dims, "distance": "Cosine"},
		"metadata": map[string]any{marker: map[string]any{"base": v.o.Collection, "generation": g.Key(), "made": rand.Text()}}}
	if v.o.Quantize != "" {
		body["quantization_config"] = map[string]any{"scalar": map[string]any{"type": v.o.Quantize, "always_ram": true}}
	}
	if v.o.Replicas > 0 {
		body["replication_factor"] = v.o.Replicas
	}
	if v.o.ShardKey != "" {
		body["sharding_method"] = "custom"
	}
	err = v.client.Call(ctx, http.MethodPut, qdrantapi.Path(name, ""), body, nil)
	if err == nil && v.o.ShardKey != "" {
		err = v.client.Call(ctx, http.MethodPut, qdrantapi.Path(name, "/shards"),
			map[string]any{"shard_key": v.o.ShardKey}, nil)
	}
	if err != nil && qdrantapi.Status(err) != http.StatusConflict { // another process has just created it
		return nil, err
	}
	if c, err = v.look(ctx, g); c == nil && err == nil {
		err = trilith.Errorf(trilith.Unavailable, "qdrant: the collection %s was removed while it was being created; repeat the request", name)
	}
	return c, err
}

// leastConditions is the number of conditions that every request needs: the tenant, and the ids.
const leastConditions = 2

// look returns the collection of a generation; nil if it does not exist.
func (v *Vectors) look(ctx context.Context, g trilith.Generation) (*collection, error) {
	name := v.CollectionOf(g)
	c := v.cached(name)
	if c == nil {
		info, ok, err := v.client.Collection(ctx, name)
		if err != nil || !ok {
			return nil, err
		}
		if c, err = v.takeUp(ctx, name, &info); err != nil {
			return nil, err
		}
	}
	if c == nil {
		return nil, v.foreign(name)
	}
	if c.most.conditions < leastConditions {
		return nil, trilith.Errorf(trilith.Unsupported, "vectors: the strict mode of the collection %s at %s allows %d conditions in a filter, and %d "+
			"are needed; raise filter_max_conditions", name, v.client.Name(), c.most.conditions, leastConditions)
	}
	return c, v.fits(c.name, g, c.vectors)
}

func (v *Vectors) cached(name string) *collection {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.collections[name]
}

// takeUp adds missing indexes to a collection and returns its description; nil if trilith did not make it.
func (v *Vectors) takeUp(ctx context.Context, name string, info *qdrantapi.Collection) (*collection, error) {
	if err := v.meet(ctx); err != nil || !v.isOurs(info) {
		return nil, err
	}
	if v.index(ctx, name, info) { // some were missing
		now, ok, err := v.client.Collection(ctx, name)
		if err != nil {
			return nil, err
		}
		if ok {
			info = &now
		}
	}
	c := v.describe(name, info)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.collections[name] = c
	return c, nil
}

// isOurs reports whether an index with this base name made a collection.
func (v *Vectors) isOurs(info *qdrantapi.Collection) bool { return v.madeAs(marker, info) }

func (v *Vectors) madeAs(marker string, info *qdrantapi.Collection) bool {
	m, _ := info.Config.Metadata[marker].(map[string]any)
	return m["base"] == v.o.Collection
}

// index creates the payload indexes that a collection lacks, and reports whether it lacked any. Without an index
// filters are slower but find the same.
func (v *Vectors) index(ctx context.Context, name string, info *qdrantapi.Collection) (some bool) {
	for _, key := range slices.Sorted(maps.Keys(indexes)) {
		if _, ok := info.Schema[key]; ok {
			continue
		}
		err := v.client.Call(ctx, http.MethodPut, qdrantapi.Path(name, "/index")+v.writes(),
			map[string]any{"field_name": key, "field_schema": indexes[key]}, nil)
		if err != nil {
			if ctx.Err() == nil {
				v.logger.WarnContext(ctx, "qdrant: a payload index is missing and cannot be created; searches are slower",
					slog.String("collection", name), slog.String("key", key), slog.Any("error", err))
			}
			return some
		}
		some = true
	}
	return some
}

// describe returns the properties and limits of a collection.
func (v *Vectors) describe(name string, info *qdrantapi.Collection) *collection {
	c := &collection{v: v, name: name, vectors: info.Config.Params.Vectors, schema: map[string]string{}}
	c.most = limits{points: pointsAtOnce, searches: searchesAtOnce, limit: math.MaxInt32,
		ef: math.MaxInt32, conditions: math.MaxInt32, values: maxValues}
	for key, index := range info.Schema {
		c.schema[key] = index.Type
	}
	s := info.Config.Strict
	if s == nil || !s.Enabled {
		return c
	}
	c.strict = s.UnindexedRetrieve != nil && !*s.UnindexedRetrieve
	c.inexact = s.AllowExact != nil && !*s.AllowExact
	for _, l := range []struct {
		most  *int
		limit *int
	}{{&c.most.points, s.UpsertMaxBatch}, {&c.most.searches, s.SearchMaxBatch}, {&c.most.limit, s.MaxQueryLimit},
		{&c.most.ef, s.MaxEF}, {&c.most.conditions, s.MaxConditions}, {&c.most.values, s.ConditionMaxSize}} {
		if l.limit != nil && *l.limit > 0 {
			*l.most = min(*l.most, *l.limit)
		}
	}
	return c
}

// fits returns an error if the collection's vectors differ from those of the generation.
func (v *Vectors) fits(name string, g trilith.Generation, vectors qdrantapi.Vectors) error {
	if vectors.Size != g.Dims || vectors.Distance != "Cosine" {
		return trilith.Errorf(trilith.Conflict, "vectors: the collection %s at %s holds vectors of %d dimensions compared by %s, and %s needs "+
			"%d compared by Cosine; remove the collection, and rebuild its vectors with: trilith reindex", name, v.client.Name(),
			vectors.Size, vectors.Distance, g, g.Dims)
	}
	return nil
}
