package provider

import (
	"sync"
	"time"
)

// Parameters of the circuit breaker.
const (
	openAfter = 8                // failed attempts in a row: two whole requests
	rest      = 30 * time.Second // how long no request is sent then
	moneyRest = 10 * time.Minute // after a quota was used up: somebody has to act first
)

// circuit is a circuit breaker: it stops requests to a service that keeps failing. It opens after failures in a row.
// After a rest one request is a trial, and its outcome closes or reopens it.
type circuit struct {
	mu      sync.Mutex
	failed  int       // failed attempts in a row
	until   time.Time // no request is sent before; zero: closed
	trial   bool      // a trial is under way
	because Class
}

// enter returns nil if a request may be sent; then the caller must call done or abandon.
func (c *circuit) enter() *Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until.IsZero() {
		return nil
	}
	if left := time.Until(c.until); left > 0 || c.trial {
		return &Failure{Class: c.because, After: max(0, left),
			why: "it is left alone for a while, because it kept failing"}
	}
	c.trial = true
	return nil
}

// done records the outcome of an attempt; f is nil if it succeeded. It reports whether the circuit opened.
func (c *circuit) done(f *Failure) (opened bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wasTrial := c.trial
	c.trial = false
	switch {
	case f != nil && f.Class == Money:
		return c.open(f, moneyRest)
	case f != nil && f.After > longestPause:
		return c.open(f, f.After)
	case f != nil && f.Class == Soon:
		if c.failed++; wasTrial || c.failed >= openAfter {
			return c.open(f, max(rest, f.After))
		}
		return false
	}
	c.failed, c.until = 0, time.Time{} // the service answered, with any status
	return false
}

func (c *circuit) open(f *Failure, rest time.Duration) bool {
	c.because, c.until = f.Class, time.Now().Add(rest)
	return true
}

// abandon records that an attempt ended without an outcome.
func (c *circuit) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trial = false
}
