package inmem

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Get implements [cairn.Store].
func (s *Store) Get(ctx context.Context, sc cairn.Scope, ids []cairn.ID) ([]cairn.Memory, error) {
	return do(ctx, s, "Get", s.mu.RLocker(), func() ([]cairn.Memory, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		p := s.readable(sc.Tenant)
		var out []cairn.Memory
		for _, id := range ids {
			if m, ok := p.memories.get(id); ok && sc.SeesMemory(m) {
				out = append(out, m.Clone())
			}
		}
		return out, nil
	})
}

// List implements [cairn.Store]. It sees the state of the moment in which the iteration begins. A listing of one
// session, named by the scope or by a comparison that must hold, looks at that session alone; others go through the
// whole tenant.
func (s *Store) List(ctx context.Context, sc cairn.Scope, l cairn.Listing) iter.Seq2[cairn.Memory, error] {
	return func(yield func(cairn.Memory, error) bool) {
		if err := s.before(ctx, "List"); err != nil {
			yield(cairn.Memory{}, err)
			return
		}
		found, err := s.list(sc, l)
		if err != nil {
			yield(cairn.Memory{}, cairn.WrapError(cairn.Internal, "inmem.List", err))
			return
		}
		for m := range found {
			if err := ctx.Err(); err != nil {
				yield(cairn.Memory{}, err)
				return
			}
			if !yield(m.Clone(), nil) {
				return
			}
		}
		if err := s.after(ctx, "List"); err != nil {
			yield(cairn.Memory{}, err)
		}
	}
}

// list returns what the listing selects, in its order. It goes through a snapshot and holds no lock.
func (s *Store) list(sc cairn.Scope, l cairn.Listing) (iter.Seq[*cairn.Memory], error) {
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
	var behind cairn.Memory
	if p := l.Behind; p != nil {
		behind = cairn.Memory{RecordedAt: p.At, EventTime: p.At, SupersededAt: &p.At,
			Scope: cairn.Scope{Session: p.Session}, Seq: p.Seq, ID: p.ID}
	}
	selected := func(yield func(*cairn.Memory) bool) {
		for _, r := range rows {
			if !sc.SeesMemory(r.value) || !l.Order.Lists(r.value) || l.Behind != nil && compare(r.value, &behind) <= 0 {
				continue
			}
			if match != nil {
				if f := cairn.FacetsOf(r.value); !match(&f) {
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
var orders = map[cairn.Order]func(a, b *cairn.Memory) int{
	cairn.OrderID: nil,
	cairn.OrderOldest: func(a, b *cairn.Memory) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), bySeq(a, b))
	},
	cairn.OrderRecorded: func(a, b *cairn.Memory) int {
		return cmp.Or(b.RecordedAt.Compare(a.RecordedAt), bySeq(b, a))
	},
	cairn.OrderHappened: func(a, b *cairn.Memory) int { return cmp.Or(a.EventTime.Compare(b.EventTime), bySeq(a, b)) },
	cairn.OrderEvent:    func(a, b *cairn.Memory) int { return cmp.Or(b.EventTime.Compare(a.EventTime), bySeq(b, a)) },
	cairn.OrderClosed: func(a, b *cairn.Memory) int {
		return cmp.Or(b.SupersededAt.Compare(*a.SupersededAt), bySeq(b, a))
	},
	cairn.OrderSeq: bySeq,
}

func bySeq(a, b *cairn.Memory) int {
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
func (s *Store) snapshot(sc cairn.Scope, f cairn.Filter) ([]row[*cairn.Memory], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, cairn.Errorf(cairn.Unavailable, "the store is closed")
	}
	p := s.readable(sc.Tenant)
	session := sc.Session
	if len(sc.Views()) > 0 { // facts from elsewhere are in sight, too
		session = ""
	}
	for _, c := range f.Conjuncts() {
		if v, ok := c.Value.(string); ok && c.Field == "session" && c.Op == cairn.OpEq {
			session = v
		}
	}
	if session == "" {
		return p.memories.list(), nil
	}
	rows := make([]row[*cairn.Memory], 0, len(p.sessions[session]))
	for id, m := range p.sessions[session] {
		rows = append(rows, row[*cairn.Memory]{id, m})
	}
	slices.SortFunc(rows, func(a, b row[*cairn.Memory]) int { return cmp.Compare(a.id, b.id) })
	return rows, nil
}

// Records implements [cairn.Store].
func (s *Store) Records(ctx context.Context, sc cairn.Scope, l cairn.RecordListing) ([]cairn.Record, error) {
	return do(ctx, s, "Records", &s.mu, func() ([]cairn.Record, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		kind := s.readable(sc.Tenant).kind(l.Kind)
		var out []cairn.Record
		add := func(r *cairn.Record) {
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

// Find implements [cairn.Store].
func (s *Store) Find(ctx context.Context, sc cairn.Scope, keys []cairn.Key) (map[cairn.Key]cairn.ID, error) {
	return do(ctx, s, "Find", s.mu.RLocker(), func() (map[cairn.Key]cairn.ID, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		p := s.readable(sc.Tenant)
		out := make(map[cairn.Key]cairn.ID)
		for _, k := range keys {
			if owner, ok := p.owners[k]; ok {
				out[k] = owner
			}
		}
		return out, nil
	})
}

// Claims implements [cairn.Store].
func (s *Store) Claims(ctx context.Context, sc cairn.Scope, l cairn.ClaimListing) ([]cairn.Claim, error) {
	return do(ctx, s, "Claims", s.mu.RLocker(), func() ([]cairn.Claim, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		var out []cairn.Claim
		for k, owner := range s.readable(sc.Tenant).owners {
			if compareKeys(k, l.After) > 0 {
				out = append(out, cairn.Claim{Key: k, Owner: owner})
			}
		}
		slices.SortFunc(out, func(a, b cairn.Claim) int { return compareKeys(a.Key, b.Key) })
		if l.Limit > 0 && len(out) > l.Limit {
			out = out[:l.Limit]
		}
		return out, nil
	})
}

func compareKeys(a, b cairn.Key) int {
	return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Value, b.Value))
}
