// Package inmem is the driver that stores everything in memory, for tests.
//
// It implements [role.Store], [role.Log], [role.Queue] and [role.Turns] completely and strictly: values are
// copied in and out, reads see one state, and a batch is checked completely before any of it is written. Instead of a mock, a
// test gives it a [Fault], which makes an operation fail, wait, or succeed without its caller getting the result.
//
// Stored values are never changed in place, only replaced. So a listing takes a snapshot of pointers and reads it
// without blocking writers.
package inmem

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Store keeps memories, records, claims, jobs, changes and audit entries of all tenants until it is closed. It is safe
// for concurrent use. [New] makes one.
type Store struct {
	upkeep

	now   func() time.Time
	fault atomic.Pointer[Fault]

	mu      sync.RWMutex
	closed  bool
	tenants map[string]*partition
	logs    []changeLog                    // by shard
	shards  int                            // how many; never changes
	due     map[string]map[string]*dueHeap // ready jobs by tenant and kind
	cache   embeddings
	turns   map[string]*context.CancelFunc // by name; each function ends a turn
}

var (
	_ role.Store = (*Store)(nil)
	_ role.Log   = (*Store)(nil)
	_ role.Queue = (*Store)(nil)
)

// partition is the data of one tenant.
type partition struct {
	memories table[*trilith.Memory]
	groups   map[group]map[trilith.ID]*trilith.Memory
	records  map[role.RecordKind]*table[*role.Record]
	owners   map[role.Key]trilith.ID
	owned    map[trilith.ID]map[role.Key]bool // the inverse of owners
	jobs     table[*trilith.Job]
	audit    []trilith.AuditEntry
}

// Option changes how a [Store] is made.
type Option func(*Store)

// Shards gives the log n shards instead of one; the tenants spread over them by a hash of their names.
func Shards(n int) Option { return func(s *Store) { s.logs = make([]changeLog, n) } }

// New returns an empty store that takes the time from now.
func New(now func() time.Time, options ...Option) *Store {
	s := &Store{now: now, logs: make([]changeLog, 1), tenants: make(map[string]*partition),
		due:   make(map[string]map[string]*dueHeap),
		cache: embeddings{held: make(map[cacheKey]role.CachedEmbedding)}, turns: make(map[string]*context.CancelFunc)}
	for _, o := range options {
		o(s)
	}
	s.shards = len(s.logs)
	return s
}

// Close drops everything. Other methods then answer Unavailable; closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.tenants, s.due, s.logs, s.cache = nil, nil, make([]changeLog, s.shards), embeddings{}
	for _, end := range s.turns {
		(*end)()
	}
	s.turns = nil
	return nil
}

// readable returns the tenant's partition for reading, an empty one for an unknown tenant.
func (s *Store) readable(tenant string) *partition {
	if p := s.tenants[tenant]; p != nil {
		return p
	}
	return new(partition)
}

// writable returns the tenant's partition to write to.
func (s *Store) writable(tenant string) *partition {
	p := s.tenants[tenant]
	if p == nil {
		p = &partition{groups: make(map[group]map[trilith.ID]*trilith.Memory),
			records: make(map[role.RecordKind]*table[*role.Record]),
			owners:  make(map[role.Key]trilith.ID), owned: make(map[trilith.ID]map[role.Key]bool)}
		s.tenants[tenant] = p
	}
	return p
}

// do runs one operation under the lock, with the fault around it.
func do[T any](ctx context.Context, s *Store, op string, lock sync.Locker, f func() (T, error)) (T, error) {
	var none T
	if err := s.before(ctx, op); err != nil {
		return none, err
	}
	out, err := func() (T, error) {
		lock.Lock()
		defer lock.Unlock()
		if s.closed {
			return none, trilith.Errorf(trilith.Unavailable, "the store is closed")
		}
		return f()
	}()
	if err != nil {
		return none, trilith.WrapError(trilith.Internal, "inmem."+op, err)
	}
	if err := s.after(ctx, op); err != nil {
		return none, err
	}
	return out, nil
}
