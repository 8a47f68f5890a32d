package provider

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Parameters of the pace.
const (
	burstShare   = 6               // the fraction of a minute's limit that may be sent at once: ten seconds
	firstSlow    = rate.Limit(1)   // requests a second after the first rate-limit response, if no limit is set
	slowest      = rate.Limit(0.1) // the pace never falls below this, in requests a second
	fastest      = rate.Limit(32)  // requests a second above which the limit is dropped again, if none is set
	gain         = 1.1             // factor of the pace after a successful request
	complaintGap = time.Second     // complaints within it belong to the same burst
)

// pace keeps to the limits of a service, and slows down when the service complains all the same: to half after each
// complaint. Each successful request makes it a tenth faster.
type pace struct {
	slots    chan struct{} // nil: no limit
	requests bucket
	tokens   bucket

	mu        sync.Mutex
	complaint time.Time // the last one that was counted
}

// bucket is a limit per second.
type bucket struct {
	*rate.Limiter
	ceiling rate.Limit
}

func newPace(l Limits) *pace {
	p := &pace{requests: newBucket(l.Requests), tokens: newBucket(l.Tokens)}
	if l.Concurrent > 0 {
		p.slots = make(chan struct{}, l.Concurrent)
	}
	return p
}

func newBucket(aMinute int) bucket {
	if aMinute == 0 {
		return bucket{rate.NewLimiter(rate.Inf, 1), rate.Inf}
	}
	r := rate.Limit(float64(aMinute) / 60)
	return bucket{rate.NewLimiter(r, max(1, aMinute/burstShare)), r}
}

// enter waits until a request may be sent; leave must be called after it. The error is that of the context, or says
// that its deadline is too early.
func (p *pace) enter(ctx context.Context, tokens int) (leave func(), err error) {
	leave = func() {}
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			leave = func() { <-p.slots }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err = p.requests.take(ctx, 1); err == nil && p.tokens.ceiling != rate.Inf {
		err = p.tokens.take(ctx, tokens)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// take waits until n are free.
func (b bucket) take(ctx context.Context, n int) error {
	for n > 0 {
		k := min(n, b.Burst()) // more than that can never be taken at once
		if err := b.WaitN(ctx, k); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// complain records a rate-limit response.
func (p *pace) complain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.complaint) >= complaintGap {
		p.complaint = now
		p.requests.slow()
		if p.tokens.ceiling != rate.Inf {
			p.tokens.slow()
		}
	}
}

// slow halves the limit, and discards the saved burst.
func (b bucket) slow() {
	now := time.Now()
	if b.Limit() == rate.Inf {
		b.SetLimitAt(now, firstSlow)
	} else {
		b.SetLimitAt(now, max(b.Limit()/2, slowest))
	}
	b.AllowN(now, int(max(0, b.TokensAt(now))))
}

// praise records a successful request.
func (p *pace) praise() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests.quicken()
	p.tokens.quicken()
}

func (b bucket) quicken() {
	switch l := b.Limit() * gain; {
	case b.Limit() == b.ceiling:
	case b.ceiling == rate.Inf && l > fastest:
		b.SetLimit(rate.Inf)
	default:
		b.SetLimit(rate.Limit(math.Min(float64(l), float64(b.ceiling))))
	}
}
