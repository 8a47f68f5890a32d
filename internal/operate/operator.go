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

// New returns an operator of the store.
func New(t *truth.Truth, u *usage.Accounts, g *generations.Generations, d *derive.Deriver, j *jobs.Runner,
	al *alerts.Alerts, wait time.Duration) *Operator {
	o := &Operator{truth: t, usage: u, generations: g, derive: d, jobs: j, alerts: al, AssimilateWait: wait,
		wakers: &wakers{waiting: map[string]chan struct{}{}}}
	t.Committed = append(t.Committed, o.wakers.wake)
	return o
}
