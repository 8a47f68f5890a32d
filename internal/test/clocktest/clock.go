// Package clocktest is a clock that a test sets while others read it.
package clocktest

import (
	"sync/atomic"
	"time"
)

// Clock shows the time that it was set to. All of its methods are safe for concurrent use, because the code under test
// may read it in the background.
type Clock struct{ at atomic.Pointer[time.Time] }

// At returns a clock that shows a time.
func At(t time.Time) *Clock {
	c := &Clock{}
	c.Set(t)
	return c
}

// Now is the time that it shows.
func (c *Clock) Now() time.Time { return *c.at.Load() }

// Set makes it show a time, earlier or later than before.
func (c *Clock) Set(t time.Time) { c.at.Store(&t) }

// Advance sets it forward; only one caller at a time may move it.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
