package embedded

import "github.com/trilith-memory/trilith"

// Release frees the memory that the vectors of a generation take in this process. Stored vectors are read again when
// they are needed; an index without blobs releases nothing.
func (x *Vector) Release(g trilith.Generation) {
	if x.blobs == nil {
		return
	}
	x.gate.Lock()
	defer x.gate.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, t := range x.tenants {
		t.mu.Lock()
		t.forget(g.Key())
		t.mu.Unlock()
	}
}
