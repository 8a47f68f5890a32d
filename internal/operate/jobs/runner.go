// Package jobs runs background work: the jobs of the queue, in four loops so that a slow model or receiver delays no
// other job, and the sweep that closes expired memories.
package jobs

import (
	"sync"
	"time"

	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Runner runs the jobs of one store. Its methods are safe for concurrent use.
type Runner struct {
	truth       *truth.Truth
	usage       *usage.Accounts
	generations *generations.Generations
	entities    *entities.Entities
	facts       *facts.Facts
	derive      *derive.Deriver
	sessions    *sessions.Sessions
	alerts      *alerts.Alerts
	media       *media.Room

	working   chan struct{} // holds a token while quick jobs run
	embedding chan struct{} // holds a token while jobs that need an embedder run
	reading   chan struct{} // holds a token while jobs that need a model run
	sending   chan struct{} // holds a token while alerts are sent
	woken     chan struct{} // a value wakes the loop of quick jobs
	turns     sync.Map      // by the first of the kinds that a loop runs: the tenant whose turn was last, a *string
	nextSweep time.Time     // used by the background loop only: the earliest time of the next sweep

	making sync.Mutex
	made   chan struct{} // closed and replaced when this process has queued jobs; guarded by making
}

// Parts are the rooms that a Runner works with.
type Parts struct {
	Truth       *truth.Truth
	Usage       *usage.Accounts
	Generations *generations.Generations
	Entities    *entities.Entities
	Facts       *facts.Facts
	Derive      *derive.Deriver
	Sessions    *sessions.Sessions
	Alerts      *alerts.Alerts
	Media       *media.Room
}

// New returns a runner. It does nothing until one of its methods is called.
func New(p Parts) *Runner {
	jr := &Runner{truth: p.Truth, usage: p.Usage, generations: p.Generations, entities: p.Entities, facts: p.Facts,
		derive: p.Derive, sessions: p.Sessions, alerts: p.Alerts, media: p.Media,
		working: make(chan struct{}, 1), embedding: make(chan struct{}, 1), reading: make(chan struct{}, 1),
		sending: make(chan struct{}, 1),
		woken:   make(chan struct{}, 1), made: make(chan struct{})}
	p.Truth.Committed = append(p.Truth.Committed, jr.committed)
	return jr
}

// committed notifies the loops of jobs that this process has queued.
func (jr *Runner) committed(_ string, b *role.Batch) {
	if len(b.Jobs) == 0 {
		return
	}
	jr.making.Lock()
	defer jr.making.Unlock()
	close(jr.made)
	jr.made = make(chan struct{})
}

// whenMade returns a channel that is closed when this process queues jobs.
func (jr *Runner) whenMade() <-chan struct{} {
	jr.making.Lock()
	defer jr.making.Unlock()
	return jr.made
}
