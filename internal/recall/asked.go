package recall

import (
	"container/list"
	"sync"

	"github.com/cairn-memory/cairn"
)

// asked is a question of a tenant, as a generation embeds it.
type asked struct{ tenant, generation, text string }

// maxAskedQuestions is how many questions are remembered: 4 MB at 1024 dimensions.
const maxAskedQuestions = 1000

// questions are the vectors of those that were asked last, in memory alone. The zero value is ready to use.
type questions struct {
	mu    sync.Mutex
	order list.List // of answered, the newest first
	held  map[asked]*list.Element
}

type answered struct {
	question asked
	vector   cairn.Vector
}

func (q *questions) get(k asked) (cairn.Vector, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at, ok := q.held[k]
	if !ok {
		return nil, false
	}
	q.order.MoveToFront(at)
	return at.Value.(answered).vector, true
}

func (q *questions) put(k asked, v cairn.Vector) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.held[k]; ok {
		return
	}
	if q.held == nil {
		q.held = map[asked]*list.Element{}
	}
	q.held[k] = q.order.PushFront(answered{k, v})
	if q.order.Len() > maxAskedQuestions {
		last := q.order.Back()
		delete(q.held, q.order.Remove(last).(answered).question)
	}
}
