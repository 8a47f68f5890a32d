package inmem

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Get implements [role.Store].
func (s *Store) Get(ctx context.Context, sc trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	return do(ctx, s, "Get", s.mu.RLocker(), func() ([]trilith.Memory, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		p := s.readable(sc.Tenant)
		var out []trilith.Memory
		for _, id := range ids {
			if m, ok := p.memories.get(id); ok && sc.SeesMemory(m) {
				out = append(out, m.Clone())
			}
		}
		return out, nil
	})
}

// List implements [role.Store]. It sees the state of the moment in which the iteration begins. A listing of one
// session, named by the scope or by a comparison that must hold, looks only at that session; others go through the
// whole tenant.
func (s *Store) List(ctx context.Context, sc trilith.Scope, l role.Listing) iter.Seq2[trilith.Memory, error] {
	return func(yield func(trilith.Memory, error) bool) {
		if err := s.before(ctx, "List"); err != nil {
			yield(trilith.Memory{}, err)
			return
		}
		found, err := s.list(sc, l)
		if err != nil {
			yield(trilith.Memory{}, trilith.WrapError(trilith.Internal, "inmem.List", err))
			return
		}
		for m := range found {
			if err := ctx.Err(); err != nil {
				yield(trilith.Memory{}, err)
				return
			}
			if !yield(m.Clone(), nil) {
				return
			}
		}
		if err := s.after(ctx, "List"); err != nil {
			yield(trilith.Memory{}, err)
		}
	}
}

// list returns the memories that the listing selects, in its order. It goes through a snapshot and holds no lock.
func (s *Store) list(sc trilith.Scope, l role.Listing) (iter.Seq[*trilith.Memory], error) {
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	compare := orders[l.Order]
	match, err := l.Filter.Compile()
	if err != nil {
		return nil, err
	}
	rows, err := s.snapshot(sc, l.Filter)
	if err != nil {
		return nil, err
	}
	if l.After != "" {
		rows = following(rows, l.After)
	}
	var behind trilith.Memory
	if p := l.Behind; p != nil {
		behind = trilith.Memory{RecordedAt: p.At, EventTime: p.At, SupersededAt: &p.At,
			Scope: trilith.Scope{Session: p.Session}, Seq: p.Seq, ID: p.ID}
	}
	selected := func(yield func(*trilith.Memory) bool) {
		for _, r := range rows {
			if !sc.SeesMemory(r.value) || !l.Order.Lists(r.value) || l.Behind != nil && compare(r.value, &behind) <= 0 {
				continue
			}
			if match != nil {
				if f := role.FacetsOf(r.value); !match(&f) {
					continue
				}
			}
			if !yield(r.value) {
				return
			}
		}
	}
	if compare == nil {
		return first(l.Limit, selected), nil
	}
	sorted := slices.SortedStableFunc(selected, compare)
	return first(l.Limit, slices.Values(sorted)), nil
}

// orders compares memories that come by ascending id; nil leaves them so.
var orders = map[role.Order]func(a, b *trilith.Memory) int{
	role.OrderID: nil,
	role.OrderOldest: func(a, b *trilith.Memory) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), bySeq(a, b))
	},
	role.OrderRecorded: func(a, b *trilith.Memory) int {
		return cmp.Or(b.RecordedAt.Compare(a.RecordedAt), bySeq(b, a))
	},
	role.OrderHappened: func(a, b *trilith.Memory) int { return cmp.Or(a.EventTime.Compare(b.EventTime), bySeq(a, b)) },
	role.OrderEvent:    func(a, b *trilith.Memory) int { return cmp.Or(b.EventTime.Compare(a.EventTime), bySeq(b, a)) },
	role.OrderClosed: func(a, b *trilith.Memory) int {
		return cmp.Or(b.SupersededAt.Compare(*a.SupersededAt), bySeq(b, a))
	},
	role.OrderSeq: bySeq,
}

func bySeq(a, b *trilith.Memory) int {
	return cmp.Or(cmp.Compare(a.Scope.Session, b.Scope.Session), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}

// first ends a sequence after limit values; 0 means no limit.
func first[V any](limit int, seq iter.Seq[V]) iter.Seq[V] {
	if limit <= 0 {
		return seq
	}
	return func(yield func(V) bool) {
		n := 0
		for v := range seq {
			if n++; !yield(v) || n == limit {
				return
			}
		}
	}
}

// snapshot returns, by ascending id, the tenant's memories that the listing may select.
func (s *Store) snapshot(sc trilith.Scope, f trilith.Filter) ([]row[*trilith.Memory], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, trilith.Errorf(trilith.Unavailable, "the store is closed")
	}
	p := s.readable(sc.Tenant)
	var groups []group
	if sc.Session != "" && len(sc.Views()) == 0 { // else facts from elsewhere are in sight, too
		groups = []group{{"session", sc.Session}}
	}
	for _, c := range f.Conjuncts() {
		if named := groupsNamed(c); named != nil {
			groups = named
		}
	}
	if groups == nil {
		return p.memories.list(), nil
	}
	var rows []row[*trilith.Memory]
	for _, g := range groups {
		for id, m := range p.groups[g] {
			rows = append(rows, row[*trilith.Memory]{id, m})
		}
	}
	slices.SortFunc(rows, func(a, b row[*trilith.Memory]) int { return cmp.Compare(a.id, b.id) })
	return rows, nil
}

// groupsNamed returns the groups that hold all memories that a comparison accepts; nil if it says nothing of them.
func groupsNamed(f trilith.Filter) (out []group) {
	switch v := f.Value.(type) {
	case string:
		if (f.Field == "session" || f.Field == "entity_id") && f.Op == trilith.OpEq && v != "" {
			return []group{{f.Field, v}}
		}
	case trilith.ID:
		f.Value = string(v)
		return groupsNamed(f)
	case []trilith.ID:
		if f.Field == "entity_id" && f.Op == trilith.OpIn {
			for _, id := range slices.Compact(slices.Sorted(slices.Values(v))) {
				out = append(out, group{f.Field, string(id)})
			}
		}
	}
	return out
}

// Records implements [role.Store].
func (s *Store) Records(ctx context.Context, sc trilith.Scope, l role.RecordListing) ([]role.Record, error) {
	return do(ctx, s, "Records", &s.mu, func() ([]role.Record, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		kind := s.readable(sc.Tenant).kind(l.Kind)
		var out []role.Record
		add := func(r *role.Record) {
			c := *r
			c.Body = slices.Clone(r.Body)
			out = append(out, c)
		}
		full := func() bool { return l.Limit > 0 && len(out) == l.Limit }
		if len(l.IDs) > 0 {
			for _, id := range l.IDs {
				if r, ok := kind.get(id); ok && !full() {
					add(r)
				}
			}
			return out, nil
		}
		for _, r := range following(kind.list(), l.After) {
			if full() {
				break
			}
			add(r.value)
		}
		return out, nil
	})
}

// Find implements [role.Store].
func (s *Store) Find(ctx context.Context, sc trilith.Scope, keys []role.Key) (map[role.Key]trilith.ID, error) {
	return do(ctx, s, "Find", s.mu.RLocker(), func() (map[role.Key]trilith.ID, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		p := s.readable(sc.Tenant)
		out := make(map[role.Key]trilith.ID)
		for _, k := range keys {
			if owner, ok := p.owners[k]; ok {
				out[k] = owner
			}
		}
		return out, nil
	})
}

// Claims implements [role.Store].
func (s *Store) Claims(ctx context.Context, sc trilith.Scope, l role.ClaimListing) ([]role.Claim, error) {
	return do(ctx, s, "Claims", s.mu.RLocker(), func() ([]role.Claim, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		var out []role.Claim
		for k, owner := range s.readable(sc.Tenant).owners {
			if compareKeys(k, l.After) > 0 {
				out = append(out, role.Claim{Key: k, Owner: owner})
			}
		}
		slices.SortFunc(out, func(a, b role.Claim) int { return compareKeys(a.Key, b.Key) })
		if l.Limit > 0 && len(out) > l.Limit {
			out = out[:l.Limit]
		}
		return out, nil
	})
}

func compareKeys(a, b role.Key) int {
	return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Value, b.Value))
}
