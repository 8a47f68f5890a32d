package rest

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

// slotsPerCore is how many requests a core has under way while several tenants are at work: enough to fill the time in
// which some wait for the disk, few enough that one that was just admitted is not the last of hundreds.
const slotsPerCore = 4

// atWork is how long a tenant counts as at work after its last request ended: a caller that asks again and again has
// none under way between two, and the many requests of another that began in that moment would take the machine.
const atWork = 2 * time.Second

// admission shares the work under way between tenants, so that one with many callers does not slow down the others. A
// single tenant has no bound. Several have equal parts of the slots, at least one each; further requests of a tenant
// wait in its own line, in their order.
type admission struct {
	slots int

	mu    sync.Mutex
	lines map[string]*line // of the tenants that are at work
}

// line is the requests of a tenant.
type line struct {
	running int
	waiting []chan struct{} // each is closed when its request may run
	left    time.Time       // when the last request ended
}

func newAdmission() *admission {
	return &admission{slots: slotsPerCore * runtime.GOMAXPROCS(0), lines: map[string]*line{}}
}

// enter waits until a request of a tenant may run, at most as long as wait. The request calls leave when it ends.
func (a *admission) enter(ctx context.Context, tenant string, wait time.Duration) (leave func(), err error) {
	a.mu.Lock()
	l := a.lines[tenant]
	if l == nil {
		l = &line{}
		a.lines[tenant] = l
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	a.next()
	a.mu.Unlock()
	leave = func() { a.leave(tenant, turn) }
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case <-turn:
		return leave, nil
	case <-limited.Done():
		leave()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, errBusy
	}
}

// leave ends a request that runs or waits.
func (a *admission) leave(tenant string, turn chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.lines[tenant]
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.running--
	}
	l.left = time.Now()
	a.next()
}

// next lets those run for which there is room. The caller holds the lock.
func (a *admission) next() {
	maps.DeleteFunc(a.lines, func(_ string, l *line) bool {
		return l.running+len(l.waiting) == 0 && time.Since(l.left) > atWork
	})
	room := max(1, a.slots/max(1, len(a.lines)))
	for _, l := range a.lines {
		for len(l.waiting) > 0 && (len(a.lines) == 1 || l.running < room) {
			close(l.waiting[0])
			l.waiting, l.running = l.waiting[1:], l.running+1
		}
	}
}
