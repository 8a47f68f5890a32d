package recall

import (
	"container/list"
	"sync"

	"github.com/trilith-memory/trilith"
)

// vectorKey identifies the vector of a tenant's question in a generation.
type vectorKey struct{ tenant, generation, text string }

// maxCachedVectors bounds the cache: 4 MB at 1024 dimensions.
const maxCachedVectors = 1000

// vectorCache keeps the vectors of the most recent questions, in memory only. The zero value is ready to use. It is
// safe for concurrent use.
type vectorCache struct {
	mu    sync.Mutex
	order list.List // of cachedVector, the newest first
	held  map[vectorKey]*list.Element
}

type cachedVector struct {
	key    vectorKey
	vector trilith.Vector
}

func (q *vectorCache) get(k vectorKey) (trilith.Vector, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at, ok := q.held[k]
	if !ok {
		return nil, false
	}
	q.order.MoveToFront(at)
	return at.Value.(cachedVector).vector, true
}

func (q *vectorCache) put(k vectorKey, v trilith.Vector) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.held[k]; ok {
		return
	}
	if q.held == nil {
		q.held = map[vectorKey]*list.Element{}
	}
	q.held[k] = q.order.PushFront(cachedVector{k, v})
	if q.order.Len() > maxCachedVectors {
		last := q.order.Back()
		delete(q.held, q.order.Remove(last).(cachedVector).key)
	}
}
