package standby

import (
	"sync"
	"time"
)

// mark says that a server that has replayed the log up to to shows every commit up to from, and so every commit that
// was acknowledged before at.
type mark struct {
	at       time.Time
	from, to uint64
}

// marks are the marks of the time of a lag, oldest first.
type marks struct {
	making sync.Mutex // held by who makes one

	mu   sync.Mutex
	list []mark
}

// due reports whether it is time for another mark.
func (m *marks) due(now time.Time, lag time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.list)
	return n == 0 || now.Sub(m.list[n-1].at) >= lag/parts
}

// add adds a mark, unless one of the same part of the lag is there that says no less. Those that are too old go.
func (m *marks) add(fresh mark, lag time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.list) > 0 && fresh.at.Sub(m.list[0].at) > lag {
		m.list = m.list[1:]
	}
	if n := len(m.list); n > 0 {
		last := m.list[n-1]
		if fresh.at.Before(last.at) || fresh.from <= last.from && fresh.at.Sub(last.at) < lag/parts {
			return
		}
		if len(m.list) > 1 && fresh.at.Sub(m.list[n-2].at) < lag/parts { // the newest of its part counts
			m.list[n-1] = fresh
			return
		}
	}
	m.list = append(m.list, fresh)
}

// oldest returns the position that the oldest mark demands, of those that were made at since or later and know every
// commit up to after.
func (m *marks) oldest(since time.Time, after uint64) (to uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range m.list {
		if !x.at.Before(since) && x.from >= after {
			return x.to, true
		}
	}
	return 0, false
}
