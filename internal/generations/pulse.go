package generations

import (
	"slices"
	"sync"
	"time"
)

// How long a question waits for its vector. The caller is waiting too, and word search works without one.
const (
	LongestWait = 5 * time.Second // for one that is known to take its time, and for an embedder in this process
)

// pulse is how long a service took for the last questions. One that answers, but slowly, is waited for: else its
// vectors would never be searched.
type pulse struct {
	mu   sync.Mutex
	took [8]time.Duration
	next int
}

func (p *pulse) Note(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[p.next%len(p.took)] = took
	p.next++
}

// Wait is twice what the slowest of the last answers took, within bounds.
func (p *pulse) Wait(least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(max(2*slices.Max(p.took[:]), least), LongestWait)
}
