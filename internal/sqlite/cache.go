package sqlite

import (
	linked "container/list"
	"sync"

	"github.com/cairn-memory/cairn"
)

// cacheBytes bounds what a cache takes, roughly: some twelve thousand facts, or twenty-five thousand turns.
const cacheBytes = 32 << 20

// memoryCache keeps memories as they were read, for the recalls that read them again; those that nobody has asked for
// the longest leave first. It is true as of one end of the change log, and every put and every deletion of a memory
// moves that end, in whichever process. So a call may return a cached memory if it has seen that the log still ends
// there. The cache says nothing about absence: a memory that it lacks is read.
type memoryCache struct {
	mu       sync.Mutex
	state    cacheState
	elements map[memoryKey]*linked.Element // of *stored
	recent   linked.List                   // latest first
	size     int                           // in bytes
}

// cacheState tells what a cache held from what it held before: at which end of the log it is true, and how often
// something was dropped. Rows read in one state may not be put into another: they may have been dropped meanwhile.
type cacheState struct {
	head  int64
	drops int
}

type memoryKey struct {
	tenant string
	id     cairn.ID
}

// pick returns those memories of ids that the cache holds, nil in the places of the others, all of one state. They are
// not to be changed.
func (c *memoryCache) pick(tenant string, ids []cairn.ID) (found []*stored, of cacheState) {
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

// keep puts memories that were read at the end of the log that a state names, unless the cache has left it. They are
// not to be changed from here on.
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
		if m != nil && !m.broken && m.size <= cacheBytes/64 { // one memory pushes out few
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

// drop forgets memories that were changed or deleted.
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

// follow brings the cache from a state to a later end of the log, between which these memories were changed or deleted.
// If somebody else has moved it on, nothing is to do.
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

// restart empties the cache, which is true as of any end of the log then.
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
