package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/index"
)

// How long a question waits for its vector. Whoever asks is waiting too, and words find without one.
const (
	questionWait = 300 * time.Millisecond // for a service that nothing is known of
	longestWait  = 5 * time.Second        // for one that is known to take its time, and for an embedder in this process
)

// pulse is how long a service took for the last questions. One that answers, but slowly, is waited for: else its vectors would
// never be searched.
type pulse struct {
	mu   sync.Mutex
	took [8]time.Duration
	next int
}

func (p *pulse) note(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[p.next%len(p.took)] = took
	p.next++
}

// wait is twice what the slowest of the last answers took, within bounds.
func (p *pulse) wait(least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(max(2*slices.Max(p.took[:]), least), longestWait)
}

// inProcess reports whether an embedder computes here: it may be slow, and is never away.
func inProcess(g cairn.Generation) bool { return g.Provider == "local" || !index.Costs(g) }

// questionVector embeds a question; nil if the embedder has nothing to say about it. One that costs is not asked twice, also if
// its vector came too late for who asked first.
func (e *Engine) questionVector(ctx context.Context, s cairn.Scope, d *dense, text string) (cairn.Vector, error) {
	key, costs := asked{s.Tenant, d.gen.Key(), text}, index.Costs(d.gen)
	if costs {
		if v, ok := e.asked.get(key); ok {
			return v, nil
		}
	}
	wait, from := longestWait, ctx
	if !inProcess(d.gen) {
		wait, from = d.pulse.wait(e.questionWait), context.WithoutCancel(ctx)
	}
	type answer struct {
		vector cairn.Vector
		err    error
	}
	answers := make(chan answer, 1)
	whole, cancel := context.WithTimeout(from, longestWait)
	go func() {
		defer cancel()
		start := e.cfg.Now()
		v, err := e.vectorOf(whole, s, d, cairn.ForQuery, text)
		if err == nil && costs {
			d.pulse.note(e.cfg.Now().Sub(start))
			e.asked.put(key, v)
		}
		answers <- answer{v, err}
	}()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a := <-answers:
		if a.err == nil || !errors.Is(whole.Err(), context.DeadlineExceeded) {
			return a.vector, a.err
		}
	case <-late.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, cairn.Errorf(cairn.Unavailable, "embedder: no vector of the question within %s", wait)
}
