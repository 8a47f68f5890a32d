package sqlite

import (
	linked "container/list"
	"sync"

	"github.com/trilith-memory/trilith"
)

// cacheBytes is roughly the size of a cache: some twelve thousand facts, or twenty-five thousand turns.
const cacheBytes = 32 << 20

// memoryCache caches memories for recalls that read the same ones again; the least recently used are dropped first. It
// is valid as of one end of the change log, and every put and every deletion of a memory, in whichever process, moves
// that end. So a call may use a cached memory only after it has seen that the log still ends there. The cache says
// nothing about absence: a missing memory has to be read.
type memoryCache struct {
	mu       sync.Mutex
	state    cacheState
	elements map[memoryKey]*linked.Element // of *stored
	recent   linked.List                   // latest first
	size     int                           // in bytes
}

// cacheState identifies a state of the cache: the end of the log at which it is valid, and how often something was
// dropped. Rows that were read in one state may not be added in another, because they may have been dropped in between.
type cacheState struct {
	head  int64
	drops int
}

type memoryKey struct {
	tenant string
	id     trilith.ID
}

// pick returns the cached memories of ids, nil for the others, all of one state. They must not be modified.
func (c *memoryCache) pick(tenant string, ids []trilith.ID) (found []*stored, of cacheState) {
	found = make([]*stored, len(ids))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, id := range ids {
		if e := c.elements[memoryKey{tenant, id}]; e != nil {
			c.recent.MoveToFront(e)
			found[i] = e.Value.(*stored)
		}
	}
	return found, c.state
}

// keep caches memories that were read at the end of the log in a state, unless the cache has left that state. They must
// not be modified afterwards.
func (c *memoryCache) keep(in cacheState, tenant string, read []*stored) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != in {
		return
	}
	if c.elements == nil {
		c.elements = make(map[memoryKey]*linked.Element)
	}
	for _, m := range read {
		if m != nil && !m.broken && m.size <= cacheBytes/64 { // one memory must not displace many
			k := memoryKey{tenant, m.memory.ID}
			c.remove(k)
			m.shared = true
			c.elements[k] = c.recent.PushFront(m)
			c.size += m.size
		}
	}
	for c.size > cacheBytes {
		m := c.recent.Back().Value.(*stored)
		c.remove(memoryKey{m.memory.Scope.Tenant, m.memory.ID})
	}
}

// drop removes memories that were changed or deleted.
func (c *memoryCache) drop(keys []memoryKey) {
	if len(keys) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.drops++
	for _, k := range keys {
		c.remove(k)
	}
}

// follow brings the cache from a state to a later end of the log, given the memories that were changed or deleted in
// between. If another caller has moved it on, follow does nothing.
func (c *memoryCache) follow(from cacheState, to int64, changed []memoryKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.head != from.head {
		return
	}
	c.state.head = to
	c.state.drops++
	for _, k := range changed {
		c.remove(k)
	}
}

// restart empties the cache, which makes it valid at any end of the log.
func (c *memoryCache) restart(from cacheState, to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.head != from.head {
		return
	}
	c.state = cacheState{to, c.state.drops + 1}
	clear(c.elements)
	c.recent.Init()
	c.size = 0
}

func (c *memoryCache) now() cacheState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

func (c *memoryCache) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.elements) == 0
}

func (c *memoryCache) remove(k memoryKey) {
	if e := c.elements[k]; e != nil {
		c.size -= c.recent.Remove(e).(*stored).size
		delete(c.elements, k)
	}
}
