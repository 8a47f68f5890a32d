// Package jobs runs what is done in the background: the queue's jobs, in four loops so that a slow model or receiver
// holds up nobody, and the sweep that closes what is over.
package jobs

import (
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/alerts"
	"github.com/cairn-memory/cairn/internal/derive"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/media"
	"github.com/cairn-memory/cairn/internal/sessions"
	"github.com/cairn-memory/cairn/internal/truth"
	"github.com/cairn-memory/cairn/internal/usage"
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

	working   chan struct{} // holds a token while jobs are run
	embedding chan struct{} // holds a token while jobs are run that wait for an embedder, and
	reading   chan struct{} // one while those are that wait for a model: these hold up no others
	sending   chan struct{} // likewise while alerts are sent
	woken     chan struct{} // a value wakes the loop of quick jobs
	nextSweep time.Time     // of the background loop alone: not before, whatever the store says

	making sync.Mutex
	made   chan struct{} // closed and replaced when this process has made jobs; guarded by making
}

// New returns a runner that does nothing until it is told to.
func New(t *truth.Truth, u *usage.Accounts, g *generations.Generations, n *entities.Entities, f *facts.Facts,
	d *derive.Deriver, ss *sessions.Sessions, al *alerts.Alerts, m *media.Room) *Runner {
	jr := &Runner{truth: t, usage: u, generations: g, entities: n, facts: f, derive: d, sessions: ss, alerts: al,
		media:   m,
		working: make(chan struct{}, 1), embedding: make(chan struct{}, 1), reading: make(chan struct{}, 1),
		sending: make(chan struct{}, 1),
		woken:   make(chan struct{}, 1), made: make(chan struct{})}
	t.Committed = append(t.Committed, jr.committed)
	return jr
}

// committed lets the loops look for jobs that this process has made.
func (jr *Runner) committed(_ string, b *cairn.Batch) {
	if len(b.Jobs) == 0 {
		return
	}
	jr.making.Lock()
	defer jr.making.Unlock()
	close(jr.made)
	jr.made = make(chan struct{})
}

// whenMade returns what is closed when this process makes jobs.
func (jr *Runner) whenMade() <-chan struct{} {
	jr.making.Lock()
	defer jr.making.Unlock()
	return jr.made
}
