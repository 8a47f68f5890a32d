package firestore

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// load decodes the memories in a tenant's documents, without deleted ones. Damaged ones are returned as
// [trilith.Damaged].
func (mt *memoryTable) load(ctx context.Context, tenant string, docs []*document) ([]trilith.Memory, error) {
	if err := mt.bodies(ctx, tenant, docs); err != nil {
		return nil, err
	}
	out := make([]trilith.Memory, 0, len(docs))
	var damaged *trilith.Damaged
	for _, d := range docs {
		if d.Fields.has(fieldGone) {
			continue
		}
		id := trilith.ID(last(d.Name))
		m, ok := decodeMemory(tenant, id, d.Fields.number(fieldVersion), d.Fields.octets(fieldBody))
		if !ok {
			if damaged == nil {
				damaged = &trilith.Damaged{What: "memory"}
			}
			damaged.IDs = append(damaged.IDs, id)
			continue
		}
		out = append(out, m)
	}
	if damaged != nil {
		return out, damaged
	}
	return out, nil
}

// Get is documented at [role.Store].
func (mt *memoryTable) Get(ctx context.Context, sc trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	if err := mt.within(ctx, sc); err != nil {
		return nil, err
	}
	var out []trilith.Memory
	err := again(func() (err error) {
		out, err = mt.byID(ctx, sc, ids)
		return err
	})
	return out, failed("firestore.Get", err)
}

func (mt *memoryTable) byID(ctx context.Context, sc trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	paths, asked := make([]string, 0, len(ids)), make(map[trilith.ID]bool, len(ids))
	for _, id := range ids {
		if !asked[id] && id.Validate() == nil {
			asked[id] = true
			paths = append(paths, mt.memory(sc.Tenant, id))
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	got, err := mt.c.get(ctx, paths)
	if err != nil {
		return nil, err
	}
	ms, err := mt.load(ctx, sc.Tenant, slices.Collect(maps.Values(got)))
	if _, damaged := err.(*trilith.Damaged); err != nil && !damaged {
		return nil, err
	}
	found := make(map[trilith.ID]*trilith.Memory, len(ms))
	for i := range ms {
		if sc.SeesMemory(&ms[i]) {
			found[ms[i].ID] = &ms[i]
		}
	}
	var out []trilith.Memory
	given := make(map[trilith.ID]bool, len(found))
	for _, id := range ids {
		if m := found[id]; m != nil {
			if given[id] { // the caller may modify its results
				out = append(out, m.Clone())
			} else {
				out = append(out, *m)
			}
			given[id] = true
		}
	}
	return out, err
}

// recordTable reads records.
type recordTable struct{ *database }

// Records is documented at [role.Store].
func (rt *recordTable) Records(ctx context.Context, sc trilith.Scope, l role.RecordListing) ([]role.Record, error) {
	if err := rt.within(ctx, sc); err != nil {
		return nil, err
	}
	var out []role.Record
	err := again(func() (err error) {
		out = nil
		if len(l.IDs) > 0 {
			out, err = rt.recordsOf(ctx, sc.Tenant, l)
		} else {
			out, err = rt.recordsAfter(ctx, sc.Tenant, l)
		}
		return err
	})
	return out, failed("firestore.Records", err)
}

func (rt *recordTable) recordsOf(ctx context.Context, tenant string, l role.RecordListing) ([]role.Record, error) {
	var paths []string
	for _, id := range l.IDs {
		if id.Validate() == nil {
			paths = append(paths, rt.record(tenant, role.Ref{Kind: l.Kind, ID: id}))
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	got, err := rt.c.get(ctx, slices.Compact(slices.Sorted(slices.Values(paths))))
	if err != nil {
		return nil, err
	}
	docs := make([]*document, 0, len(paths))
	for _, p := range paths {
		if d := got[p]; d != nil && (l.Limit == 0 || len(docs) < l.Limit) {
			docs = append(docs, d)
		}
	}
	return rt.decodeRecords(ctx, tenant, l.Kind, docs)
}

func (rt *recordTable) recordsAfter(ctx context.Context, tenant string, l role.RecordListing) ([]role.Record, error) {
	var out []role.Record
	end := reference(rt.c.name(rt.record(tenant, role.Ref{Kind: l.Kind, ID: "~"}))) // after all ids
	for after := l.After; ; {
		n := rowsEach
		if l.Limit > 0 {
			n = min(n, l.Limit-len(out))
		}
		q := of(recordsIn, false).by(byName, ascending).after(
			reference(rt.c.name(rt.record(tenant, role.Ref{Kind: l.Kind, ID: after})))).limit(n)
		q.EndAt = &cursor{Values: []*value{end}, Before: true}
		found, err := rt.c.run(ctx, rt.tenant(tenant), q)
		if err != nil {
			return nil, err
		}
		rs, err := rt.decodeRecords(ctx, tenant, l.Kind, found)
		if err != nil {
			return nil, err
		}
		if out = append(out, rs...); len(found) < n || len(out) == l.Limit {
			return out, nil
		}
		after = out[len(out)-1].ID
	}
}

func (rt *recordTable) decodeRecords(ctx context.Context, tenant string, kind role.RecordKind,
	docs []*document) ([]role.Record, error) {
	if err := rt.bodies(ctx, tenant, docs); err != nil {
		return nil, err
	}
	out := make([]role.Record, len(docs))
	for i, d := range docs {
		id := last(d.Name)
		out[i] = role.Record{Kind: kind, ID: trilith.ID(id[len(kind)+1:]), Version: d.Fields.number(fieldVersion),
			Body: json.RawMessage(slices.Clone(d.Fields.octets(fieldBody)))}
	}
	return out, nil
}

// claimTable reads claims.
type claimTable struct{ *database }

// Find is documented at [role.Store].
func (ct *claimTable) Find(ctx context.Context, sc trilith.Scope, keys []role.Key) (map[role.Key]trilith.ID, error) {
	if err := ct.within(ctx, sc); err != nil {
		return nil, err
	}
	out := make(map[role.Key]trilith.ID)
	if len(keys) == 0 {
		return out, nil
	}
	asked := make(map[string]role.Key, len(keys))
	paths := make([]string, 0, len(keys))
	for _, k := range keys {
		path := ct.claim(sc.Tenant, k)
		if _, twice := asked[path]; !twice {
			asked[path] = k
			paths = append(paths, path)
		}
	}
	got, err := ct.c.get(ctx, paths, fieldOwner)
	for path, d := range got {
		out[asked[path]] = trilith.ID(d.Fields.text(fieldOwner))
	}
	return out, failed("firestore.Find", err)
}

// Claims is documented at [role.Store].
func (ct *claimTable) Claims(ctx context.Context, sc trilith.Scope, l role.ClaimListing) ([]role.Claim, error) {
	if err := ct.within(ctx, sc); err != nil {
		return nil, err
	}
	var after []byte
	if l.After != (role.Key{}) {
		after = keyOrder(l.After)
	}
	var out []role.Claim
	var run []*claimed // claims that the index cannot order: they come in the order of their names
	flush := func() {
		slices.SortFunc(run, func(a, b *claimed) int { return slices.Compare(a.order, b.order) })
		for _, c := range run {
			k, ok := splitKey(c.order)
			if ok && (after == nil || slices.Compare(c.order, after) > 0) {
				out = append(out, role.Claim{Key: k, Owner: c.owner})
			}
		}
		run = run[:0]
	}
	full := func() bool { return l.Limit > 0 && len(out) >= l.Limit }
	n := rowsEach
	if l.Limit > 0 {
		n = min(n, l.Limit+1)
	}
	q := of(claimsIn, false).by(fieldOrder, ascending).by(byName, ascending).limit(n)
	if after != nil {
		q.StartAt = &cursor{Values: []*value{octets(cut(after))}, Before: true}
	}
	for {
		docs, err := ct.c.run(ctx, ct.tenant(sc.Tenant), q)
		if err != nil {
			return nil, failed("firestore.Claims", err)
		}
		for i := range docs {
			f := docs[i].Fields
			order := f.octets(fieldOrder)
			if len(run) > 0 && (len(order) < orderLength || !slices.Equal(order, cut(run[0].order))) {
				flush()
			}
			if f.has(fieldBody) {
				order = f.octets(fieldBody)
			}
			run = append(run, &claimed{order, trilith.ID(f.text(fieldOwner))})
			q.after(octets(cut(order)), reference(docs[i].Name))
		}
		if len(docs) < n {
			flush()
		}
		if len(docs) < n || full() {
			break
		}
	}
	if full() {
		out = out[:l.Limit]
	}
	return out, nil
}

// claimed is a claim with its full order.
type claimed struct {
	order []byte
	owner trilith.ID
}
