package generations

import (
	"slices"
	"sync"
	"time"
)

// Time limits for embedding a question. The caller is waiting, and word search works without a vector.
const (
	LongestWait = 5 * time.Second // for a service that is known to be slow, and for an embedder in this process
)

// latencies is how long a service took for the last questions. Requests wait for a slow service that answers: otherwise
// its vectors would never be used.
type latencies struct {
	mu   sync.Mutex
	took [8]time.Duration
	next int
}

func (p *latencies) Note(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[p.next%len(p.took)] = took
	p.next++
}

// Wait returns twice the time of the slowest of the last answers, within limits.
func (p *latencies) Wait(least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(max(2*slices.Max(p.took[:]), least), LongestWait)
}
