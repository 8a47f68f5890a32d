package truth

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// maxShares is the number of scopes that one memory can be shared with. A change of the memory changes all its shares
// in the same commit.
const maxShares = 100

// shares is the body of a [role.RecordShares]: the references to one memory.
type shares struct {
	IDs []trilith.ID `json:"ids"`
}

// Share makes a memory visible in a second scope of the tenant, as a reference and not as a copy. Every change of the
// memory (a new wording, a successor, forgetting, erasure) changes the share in the same commit. The caller's scope has
// to see the memory. Sharing again into the same scope returns the existing share. Forgetting or erasing the share ends
// it and leaves its origin as it is. Share is Invalid for a memory that is not active, for a share, and for a scope
// that sees the memory anyway.
func (t *Truth) Share(ctx context.Context, s trilith.Scope, id trilith.ID, to trilith.Scope) (trilith.Memory, error) {
	if err := CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	if to.Tenant != "" && to.Tenant != s.Tenant {
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "scope: a memory is shared inside its tenant only")
	}
	to = WithTenant(s.Bound.Fill(to.Bare()), s.Tenant)
	to.Bound = s.Bound
	if err := to.Validate(); err != nil {
		return trilith.Memory{}, err
	}
	to = to.Bare()
	var share trilith.Memory
	if err := Retry(ctx, func() (bool, error) {
		origin, err := t.Get(ctx, s, id)
		if err != nil {
			return false, err
		}
		if share, err = NewShare(origin, to, t.Now()); err != nil {
			return false, err
		}
		known, err := t.Memories(ctx, TenantOf(s), []trilith.ID{share.ID})
		if err != nil || len(known) == 1 {
			if err == nil {
				share = known[0]
			}
			return false, err
		}
		b := role.Batch{Expect: []role.Expect{{ID: id, Version: origin.Version}}}
		if err := t.AddShares(ctx, TenantOf(s), []trilith.Memory{share}, &b); err != nil {
			return false, err
		}
		b.Audit = t.Audit(s, "share", share.ID, map[string]string{"of": string(id)})
		_, err = t.Commit(ctx, s, b)
		return true, err
	}); err != nil {
		return trilith.Memory{}, err
	}
	t.Index.Notify()
	return share, nil
}

// NewShare makes the share of a memory in a scope.
func NewShare(origin trilith.Memory, to trilith.Scope, now time.Time) (trilith.Memory, error) {
	switch {
	case origin.SharedFrom != "":
		return trilith.Memory{}, trilith.Errorf(
			trilith.Invalid, "id: %s is a share; share the memory that it refers to", origin.ID)
	case origin.State != trilith.StateActive:
		return trilith.Memory{}, trilith.Errorf(
			trilith.Invalid, "id: the memory is %s; only active memories can be shared", origin.State)
	case to.SeesMemory(&origin):
		return trilith.Memory{}, trilith.Errorf(
			trilith.Invalid, "scope: already sees the memory; name another user, project or session")
	}
	share := trilith.Memory{ID: shareID(origin.ID, to), Version: 1, Scope: to, RecordedAt: now}
	return refer(share, origin), nil
}

// WithShares returns memories together with their shares.
func (t *Truth) WithShares(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	ids := trilith.IDsOf(ms)
	records, err := t.ShareRecords(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		r, ok := records[m.ID]
		if !ok {
			continue
		}
		delete(records, m.ID)
		all, err := t.SharesIn(ctx, tenant, r)
		if err != nil {
			return nil, err
		}
		for _, share := range all {
			if !slices.ContainsFunc(ms, func(m trilith.Memory) bool { return m.ID == share.ID }) {
				ms = append(ms, share)
			}
		}
	}
	return ms, nil
}

// SharesIn reads the shares that a record names.
func (t *Truth) SharesIn(ctx context.Context, tenant trilith.Scope, r role.Record) ([]trilith.Memory, error) {
	v, err := Decode[shares](r)
	if err != nil {
		return nil, err
	}
	return t.Memories(ctx, tenant, v.IDs)
}

// RestoreShares adds the shares of an import to a batch and returns how many. It takes only the location of a share
// from the import. The content comes from the origin, which is in the tenant or in the batch.
func (t *Truth) RestoreShares(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory, b *role.Batch) (int, error) {
	if len(ms) == 0 {
		return 0, nil
	}
	origins, err := t.Origins(ctx, tenant, ms)
	if err != nil {
		return 0, err
	}
	for _, m := range origins {
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
	}
	for i := range b.Memories {
		origins[b.Memories[i].ID] = &b.Memories[i]
	}
	known, err := t.Present(ctx, tenant, nil, ms)
	if err != nil {
		return 0, err
	}
	var fresh []trilith.Memory
	for _, m := range ms {
		origin := origins[m.SharedFrom]
		m.Scope = WithTenant(m.Scope.Bare(), tenant.Tenant)
		if known[m.ID] || origin == nil || origin.SharedFrom != "" || m.Scope.Covers(origin.Scope) ||
			m.ID != shareID(origin.ID, m.Scope) {
			continue
		}
		known[m.ID] = true
		fresh = append(fresh, refer(m, *origin))
	}
	return len(fresh), t.AddShares(ctx, tenant, fresh, b)
}

// Origins reads the origins of the shares among some memories.
func (t *Truth) Origins(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) (
	map[trilith.ID]*trilith.Memory, error) {
	var ids []trilith.ID
	for i := range ms {
		if ms[i].SharedFrom != "" {
			ids = append(ids, ms[i].SharedFrom)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, _, err := SoundOf(t.Memories(ctx, tenant, ids))
	out := make(map[trilith.ID]*trilith.Memory, len(found))
	for i := range found {
		out[found[i].ID] = &found[i]
	}
	return out, err
}

// shareID does not depend on the tenant, so that an export can be imported under another name.
func shareID(origin trilith.ID, to trilith.Scope) trilith.ID {
	return trilith.DeriveID("share", string(origin), ScopeText(to))
}

// refer returns a share updated to its origin. References to other memories are left out: their targets are not in the
// share's scope.
func refer(share, origin trilith.Memory) trilith.Memory {
	m := origin
	m.ID, m.Version, m.Scope, m.SharedFrom = share.ID, share.Version, share.Scope, origin.ID
	m.RecordedAt = Later(share.RecordedAt, origin.RecordedAt)
	m.ExternalID, m.Supersedes, m.SupersededBy = "", nil, ""
	return m
}

// AddShares adds new shares to a batch, and to the share records of their origins.
func (t *Truth) AddShares(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory, b *role.Batch) error {
	for _, m := range ms {
		b.Expect = append(b.Expect, role.Expect{ID: m.ID})
		b.Memories = append(b.Memories, m)
	}
	return t.changeShares(ctx, tenant, ms, b, func(have []trilith.ID, id trilith.ID) []trilith.ID {
		if slices.Contains(have, id) {
			return have
		}
		return append(have, id)
	})
}

// Unshare ends shares. They are references: nothing is lost, and sharing again restores them.
func (t *Truth) Unshare(ctx context.Context, s trilith.Scope, ms []trilith.Memory) error {
	for chunk := range slices.Chunk(ms, EraseStep) {
		b := role.Batch{Audit: t.Audit(s, "unshare", chunk[0].ID,
			map[string]string{"memories": strconv.Itoa(len(chunk))})}
		if err := t.EndShares(ctx, TenantOf(s), chunk, &b); err != nil {
			return err
		}
		if _, err := t.Commit(ctx, s, b); err != nil {
			return err
		}
	}
	return nil
}

// EndShares deletes shares in a batch, and removes them from the share records of their origins.
func (t *Truth) EndShares(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory, b *role.Batch) error {
	for _, m := range ms {
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
		b.Delete = append(b.Delete, role.Ref{ID: m.ID})
	}
	return t.changeShares(ctx, tenant, ms, b, func(have []trilith.ID, id trilith.ID) []trilith.ID {
		return slices.DeleteFunc(have, func(x trilith.ID) bool { return x == id })
	})
}

// changeShares changes the share records of origins. It skips origins that the batch deletes: their records are deleted
// with them.
func (t *Truth) changeShares(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory, b *role.Batch,
	change func(have []trilith.ID, id trilith.ID) []trilith.ID) error {
	var origins []trilith.ID
	for _, m := range ms {
		if !slices.Contains(origins, m.SharedFrom) && !slices.Contains(b.Delete, role.Ref{ID: m.SharedFrom}) {
			origins = append(origins, m.SharedFrom)
		}
	}
	records, err := t.ShareRecords(ctx, tenant, origins)
	if err != nil {
		return err
	}
	for _, origin := range origins {
		var v shares
		r, known := records[origin]
		if known {
			if v, err = Decode[shares](r); err != nil {
				return err
			}
		}
		for _, m := range ms {
			if m.SharedFrom == origin {
				v.IDs = change(v.IDs, m.ID)
			}
		}
		if len(v.IDs) > maxShares {
			return trilith.Errorf(trilith.Exhausted, "scope: the memory is shared with %d scopes already, and no more are allowed",
				maxShares)
		}
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordShares, ID: origin, Version: r.Version})
		if len(v.IDs) == 0 {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordShares, ID: origin})
			continue
		}
		if err := b.Put(role.RecordShares, origin, v); err != nil {
			return err
		}
	}
	return nil
}

// ShareRecords reads the share records of memories. One that is not shared has none.
func (t *Truth) ShareRecords(ctx context.Context, tenant trilith.Scope, ids []trilith.ID) (
	map[trilith.ID]role.Record, error) {
	if len(ids) == 0 {
		return nil, nil // an empty list of ids would select all
	}
	rs, err := t.RecordsOf(ctx, tenant, role.RecordShares, ids...)
	out := make(map[trilith.ID]role.Record, len(rs))
	for _, r := range rs {
		out[r.ID] = r
	}
	return out, err
}

// SplitShares separates shares from other memories.
func SplitShares(ms []trilith.Memory) (own, shared []trilith.Memory) {
	for _, m := range ms {
		if m.SharedFrom != "" {
			shared = append(shared, m)
		} else {
			own = append(own, m)
		}
	}
	return own, shared
}

// Distinct removes repetitions of a memory, as itself or as a share; the first stays.
func Distinct(ms []trilith.Memory) []trilith.Memory {
	seen := map[trilith.ID]bool{}
	return slices.DeleteFunc(ms, func(m trilith.Memory) bool {
		id := OriginOf(&m)
		again := seen[id]
		seen[id] = true
		return again
	})
}

// OriginOf returns the id of m, or of its origin if m is a share.
func OriginOf(m *trilith.Memory) trilith.ID {
	if m.SharedFrom != "" {
		return m.SharedFrom
	}
	return m.ID
}
