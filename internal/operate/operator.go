// Package operate keeps a store in order: it examines and repairs, rebuilds indexes and vectors, and sets languages.
package operate

import (
	"time"

	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/generations"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Operator operates one store. Its methods are safe for concurrent use.
type Operator struct {
	truth       *truth.Truth
	usage       *usage.Accounts
	generations *generations.Generations
	derive      *derive.Deriver
	jobs        *jobs.Runner
	alerts      *alerts.Alerts
	wakers      *wakers

	AssimilateWait time.Duration // how long a write waits until its facts are derived and indexed
}

// Parts are the rooms that an Operator works with.
type Parts struct {
	Truth       *truth.Truth
	Usage       *usage.Accounts
	Generations *generations.Generations
	Derive      *derive.Deriver
	Jobs        *jobs.Runner
	Alerts      *alerts.Alerts
}

// New returns an operator of the store. Writes wait so long for their facts.
func New(p Parts, wait time.Duration) *Operator {
	o := &Operator{truth: p.Truth, usage: p.Usage, generations: p.Generations, derive: p.Derive, jobs: p.Jobs,
		alerts: p.Alerts, AssimilateWait: wait, wakers: &wakers{waiting: map[string]chan struct{}{}}}
	p.Truth.Committed = append(p.Truth.Committed, o.wakers.wake)
	return o
}
