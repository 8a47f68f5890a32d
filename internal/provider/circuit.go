package provider

import (
	"sync"
	"time"
)

// Numbers of the circuit.
const (
	openAfter = 8                // attempts in a row that the service did not answer well: two whole requests
	rest      = 30 * time.Second // how long it is then left alone
	moneyRest = 10 * time.Minute // after a quota was used up: somebody has to act first
)

// circuit keeps from asking a service that keeps failing. It opens after failures in a row; after a rest one request is
// a trial, and what becomes of that decides.
type circuit struct {
	mu      sync.Mutex
	failed  int       // attempts in a row
	until   time.Time // nothing is sent before; zero: closed
	trial   bool      // one is under way
	because Class
}

// enter says whether a request may be sent. If so, the caller has to call done or abandon.
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

// done notes what became of an attempt; f is nil if it went through. It reports whether the circuit opened.
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
	c.failed, c.until = 0, time.Time{} // the service is there, whatever it said
	return false
}

func (c *circuit) open(f *Failure, rest time.Duration) bool {
	c.because, c.until = f.Class, time.Now().Add(rest)
	return true
}

// abandon notes that an attempt ended without a verdict.
func (c *circuit) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trial = false
}
