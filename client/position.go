package client

import (
	"fmt"
	"sync"
)

// positionHeader carries how far the server's store had come when it answered a write. A server that reads on standbys
// then shows this client its own writes; see docs/operating-postgres.md.
const positionHeader = "Trilith-Position"

// position is the latest position that a client has received.
type position struct {
	mu        sync.Mutex
	text      string
	high, low uint32
}

func (p *position) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// see records the position of an answer; answers may arrive in another order than the writes.
func (p *position) see(text string) {
	var high, low uint32
	if n, err := fmt.Sscanf(text, "%X/%X", &high, &low); err != nil || n != 2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == "" || high > p.high || high == p.high && low > p.low {
		p.text, p.high, p.low = text, high, low
	}
}
