package inmem

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Commit implements [role.Store]. Deletions and releases take place before claims, so that one batch may hand a key
// over.
func (s *Store) Commit(ctx context.Context, sc trilith.Scope, b role.Batch) (role.Commit, error) {
	return do(ctx, s, "Commit", &s.mu, func() (role.Commit, error) {
		memories, err := check(sc, b)
		if err != nil {
			return role.Commit{}, err
		}
		p := s.writable(sc.Tenant)
		if err := p.allows(b); err != nil {
			return role.Commit{}, err
		}
		return s.apply(sc.Tenant, p, b, memories), nil
	})
}

// check refuses a malformed batch and returns its memories as they will be stored.
func check(sc trilith.Scope, b role.Batch) ([]*trilith.Memory, error) {
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	if len(b.Memories) > role.MaxBatch {
		return nil, trilith.Errorf(trilith.Exhausted, "batch: holds %d memories, at most %d are allowed", len(b.Memories),
			role.MaxBatch)
	}
	if n := b.Bytes(); n > role.MaxBatchBytes {
		return nil, trilith.Errorf(trilith.Exhausted, "batch: holds %d bytes, at most %d are allowed; send them in parts",
			n, role.MaxBatchBytes)
	}
	if err := checkIDs(b); err != nil {
		return nil, err
	}
	for _, r := range b.Records {
		if r.Kind == "" {
			return nil, trilith.Errorf(trilith.Invalid, "record %s: has no kind", r.ID)
		}
		if !json.Valid(r.Body) {
			return nil, trilith.Errorf(trilith.Invalid, "record %s: its body is not JSON", r.ID)
		}
	}
	for _, k := range b.Release {
		if k.Space == role.KeyErased {
			return nil, trilith.Errorf(trilith.Invalid, "release: keys of space %s are never released", k.Space)
		}
	}
	for _, j := range b.Jobs {
		if j.Tenant != "" && j.Tenant != sc.Tenant {
			return nil, trilith.Errorf(trilith.Invalid, "job %s: belongs to another tenant", j.ID)
		}
		if j.Kind == "" {
			return nil, trilith.Errorf(trilith.Invalid, "job %s: has no kind", j.ID)
		}
		if len(j.Payload) > 0 && !json.Valid(j.Payload) {
			return nil, trilith.Errorf(trilith.Invalid, "job %s: its payload is not JSON", j.ID)
		}
	}
	memories := make([]*trilith.Memory, len(b.Memories))
	for i, m := range b.Memories {
		if m.Scope.Tenant != sc.Tenant {
			return nil, trilith.Errorf(trilith.Invalid, "memory %s: belongs to another tenant", m.ID)
		}
		if err := m.Scope.Validate(); err != nil {
			return nil, err
		}
		stored, err := intern(m)
		if err != nil {
			return nil, err
		}
		memories[i] = stored
	}
	return memories, nil
}

// checkIDs returns an error for invalid ids, and for those that the batch names twice.
func checkIDs(b role.Batch) error {
	named := make(map[role.Ref]bool)
	name := func(r role.Ref) error {
		if err := r.ID.Validate(); err != nil {
			return err
		}
		if named[r] {
			return trilith.Errorf(trilith.Invalid, "batch: names %s %s twice", r.Kind, r.ID)
		}
		named[r] = true
		return nil
	}
	for _, m := range b.Memories {
		if err := name(role.Ref{ID: m.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if err := name(role.Ref{Kind: r.Kind, ID: r.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Delete {
		if err := name(r); err != nil {
			return err
		}
	}
	clear(named)
	for _, j := range b.Jobs {
		if err := name(role.Ref{ID: j.ID}); err != nil {
			return err
		}
	}
	for _, c := range b.Claims {
		if err := c.Owner.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// allows answers Conflict when a precondition of the batch does not hold.
func (p *partition) allows(b role.Batch) error {
	for _, e := range b.Expect {
		if have := p.version(role.Ref{Kind: e.Kind, ID: e.ID}); have != e.Version {
			return trilith.Errorf(trilith.Conflict, "%s has version %d, not %d as expected", e.ID, have, e.Version)
		}
	}
	for _, j := range b.Jobs {
		if _, taken := p.jobs.get(j.ID); taken && !slices.Contains(b.DropJobs, j.ID) {
			return trilith.Errorf(trilith.Conflict, "job %s exists", j.ID)
		}
	}
	freed := make(map[role.Key]bool)
	for _, k := range b.Release {
		freed[k] = true
	}
	for _, r := range b.Delete {
		for k := range p.releasedBy(r) {
			freed[k] = true
		}
	}
	claimed := make(map[role.Key]trilith.ID)
	for _, c := range b.Claims {
		owner, taken := claimed[c.Key]
		if !taken && !freed[c.Key] {
			owner, taken = p.owners[c.Key]
		}
		if taken && owner != c.Owner && !c.Move {
			return trilith.Errorf(trilith.Conflict, "%s key: belongs to %s", c.Key.Space, owner)
		}
		claimed[c.Key] = c.Owner
	}
	return nil
}

// version returns the stored version, 0 if there is none.
func (p *partition) version(r role.Ref) int64 {
	if r.Kind == "" {
		if m, ok := p.memories.get(r.ID); ok {
			return m.Version
		}
		return 0
	}
	if rec, ok := p.kind(r.Kind).get(r.ID); ok {
		return rec.Version
	}
	return 0
}

// kind returns the records of a kind to read from.
func (p *partition) kind(k role.RecordKind) *table[*role.Record] {
	if t := p.records[k]; t != nil {
		return t
	}
	return new(table[*role.Record])
}

// releasedBy returns the keys that deleting r sets free.
func (p *partition) releasedBy(r role.Ref) map[role.Key]bool {
	free := make(map[role.Key]bool)
	if p.version(r) > 0 {
		for k := range p.owned[r.ID] {
			if k.Space != role.KeyErased {
				free[k] = true
			}
		}
	}
	return free
}

// apply writes a batch that is known to be sound; it cannot fail.
func (s *Store) apply(tenant string, p *partition, b role.Batch, memories []*trilith.Memory) role.Commit {
	changed, shard := false, s.shardOf(tenant)
	log := &s.logs[shard]
	for _, r := range b.Delete {
		for k := range p.releasedBy(r) {
			p.release(k)
		}
		if r.Kind != "" {
			p.kind(r.Kind).delete(r.ID)
		} else if m, ok := p.memories.get(r.ID); ok {
			p.forget(m)
			p.memories.delete(r.ID)
			log.add(change{tenant: tenant, id: r.ID, version: m.Version, deleted: true})
			changed = true
		}
	}
	for _, k := range b.Release {
		p.release(k)
	}
	for _, c := range b.Claims {
		p.claim(c.Key, c.Owner)
	}
	var out role.Commit
	for _, m := range memories {
		m.Version = max(m.Version, 1)
		if old, ok := p.memories.get(m.ID); ok {
			m.Version = old.Version + 1
			p.forget(old)
		}
		p.memories.put(m.ID, m)
		p.index(m)
		log.add(change{tenant: tenant, id: m.ID, version: m.Version})
		changed = true
		out.Versions = append(out.Versions, m.Version)
	}
	for _, r := range b.Records {
		r.Body = slices.Clone(r.Body)
		r.Version = max(r.Version, 1)
		if old := p.version(role.Ref{Kind: r.Kind, ID: r.ID}); old > 0 {
			r.Version = old + 1
		}
		if p.records[r.Kind] == nil {
			p.records[r.Kind] = new(table[*role.Record])
		}
		p.records[r.Kind].put(r.ID, &r)
	}
	for _, id := range b.DropJobs {
		p.jobs.delete(id)
	}
	for _, j := range b.Jobs {
		s.enqueue(tenant, p, j)
	}
	for _, e := range b.Audit {
		var prev trilith.AuditEntry
		if n := len(p.audit); n > 0 {
			prev = p.audit[n-1]
		}
		p.audit = append(p.audit, e.Seal(prev))
	}
	if changed {
		out.Cursor, out.Shard = log.head(), shard
	}
	return out
}

// index adds a stored memory to its group, forget takes it out.
func (p *partition) index(m *trilith.Memory) {
	for _, g := range groupsOf(m) {
		if p.groups[g] == nil {
			p.groups[g] = make(map[trilith.ID]*trilith.Memory)
		}
		p.groups[g][m.ID] = m
	}
}

func (p *partition) forget(m *trilith.Memory) {
	for _, g := range groupsOf(m) {
		delete(p.groups[g], m.ID)
		if len(p.groups[g]) == 0 {
			delete(p.groups, g)
		}
	}
}

// group names memories that are listed together: those of a session, or the facts of an entity.
type group struct{ field, value string }

func groupsOf(m *trilith.Memory) (out []group) {
	if m.Scope.Session != "" {
		out = append(out, group{"session", m.Scope.Session})
	}
	if m.Fact != nil && m.Fact.EntityID != "" {
		out = append(out, group{"entity_id", string(m.Fact.EntityID)})
	}
	return out
}

func (p *partition) claim(k role.Key, owner trilith.ID) {
	p.release(k)
	p.owners[k] = owner
	if p.owned[owner] == nil {
		p.owned[owner] = make(map[role.Key]bool)
	}
	p.owned[owner][k] = true
}

func (p *partition) release(k role.Key) {
	owner, ok := p.owners[k]
	if !ok {
		return
	}
	delete(p.owners, k)
	delete(p.owned[owner], k)
	if len(p.owned[owner]) == 0 {
		delete(p.owned, owner)
	}
}
