package recall

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	// todoFresh is how long a list of actionable facts is cached. It bounds how late the writes of another process, and
	// deadlines that come near, are seen. Writes of this process are seen at once.
	todoFresh = 10 * time.Second
	maxTodos  = 1000 // cached scopes; beyond this number the cache is emptied
)

// todoCache caches the actionable facts of scopes that were requested recently.
type todoCache struct {
	mu      sync.Mutex
	changes map[string]uint64 // counts the writes that may change the lists, by tenant
	lists   map[trilith.Scope]todoList
}

type todoList struct {
	at      time.Time
	actions []assemble.Action
}

// KnownTodo is [Reader.Todo] from the cache: it may miss the writes of other processes from the last seconds.
func KnownTodo(ctx context.Context, rd *Reader, s trilith.Scope) ([]assemble.Action, error) {
	key, now := s, rd.truth.Now()
	key.Session, key.Actor = "", ""
	c := &rd.todos
	c.mu.Lock()
	known, ok := c.lists[key]
	before := c.changes[s.Tenant]
	c.mu.Unlock()
	if ok && now.Sub(known.at) < todoFresh && !slices.ContainsFunc(known.actions, func(a assemble.Action) bool {
		return a.Memory.ValidUntil != nil && !a.Memory.ValidUntil.After(now)
	}) {
		return slices.Clone(known.actions), nil
	}
	actions, err := rd.Todo(ctx, s)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes[s.Tenant] == before {
		if len(c.lists) >= maxTodos {
			clear(c.lists)
		}
		c.lists[key] = todoList{now, slices.Clone(actions)}
	}
	return actions, nil
}

// committed drops the cached lists of a tenant that a batch may have changed.
func (c *todoCache) committed(tenant string, b *role.Batch) {
	var ids []trilith.ID
	pressing := len(b.Delete) > 0
	for i := range b.Memories {
		if f := b.Memories[i].Fact; f != nil {
			ids = append(ids, b.Memories[i].ID)
			pressing = pressing || f.RequiresAction || f.ActionDeadline != nil || b.Memories[i].ValidUntil != nil ||
				f.Priority == trilith.PriorityHigh || f.Priority == trilith.PriorityCritical
		}
	}
	if !pressing && len(ids) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes[tenant]++
	for key, list := range c.lists {
		if key.Tenant == tenant && (pressing || slices.ContainsFunc(list.actions, func(a assemble.Action) bool {
			return slices.Contains(ids, a.Memory.ID)
		})) {
			delete(c.lists, key)
		}
	}
}
