// Package jobs runs what is done in the background: the queue's jobs, in three lanes so that a slow model holds up
// nobody, and the sweep that closes what is over.
package jobs

import (
	"time"

	"github.com/cairn-memory/cairn/internal/derive"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/generations"
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

	working   chan struct{} // holds a token while jobs are run
	embedding chan struct{} // holds a token while jobs are run that wait for an embedder, and
	reading   chan struct{} // one while those are that wait for a model: these hold up no others
	nextSweep time.Time     // of the background loop alone: not before, whatever the store says
}

// New returns a runner that does nothing until it is told to.
func New(t *truth.Truth, u *usage.Accounts, g *generations.Generations, n *entities.Entities, f *facts.Facts,
	d *derive.Deriver, ss *sessions.Sessions) *Runner {
	return &Runner{truth: t, usage: u, generations: g, entities: n, facts: f, derive: d, sessions: ss,
		working: make(chan struct{}, 1), embedding: make(chan struct{}, 1), reading: make(chan struct{}, 1)}
}
