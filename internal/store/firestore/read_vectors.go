package firestore

import (
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
)

const (
	readBytes = 32 << 20 // approximate size of the cached vectors
	readFor   = 10 * time.Minute
)

// readVectors caches vectors that were read for memories found by words, by the paths of their documents. A recall
// needs some hundred of them, and a question on the same subject needs most of them again: without the cache each would
// be billed as a document.
//
// A caller gives the version of the memory, so a changed memory is read again, and an erased one is never requested.
// Vectors that this process writes or deletes are dropped at once. If another process deletes a vector and makes it
// again under the same version, this process sees the new one after [readFor].
type readVectors struct {
	mu    sync.Mutex
	held  map[string]readVector
	size  int
	drops int // number of drops: a vector that was read before the last one is not cached
}

type readVector struct {
	stored
	vector trilith.Vector
	since  time.Time
}

// of returns the cached vector of a version of a memory.
func (k *readVectors) of(path string, version int64, now time.Time) (readVector, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.held[path]
	return v, ok && v.version == version && now.Sub(v.since) < readFor
}

// now returns the current number of drops, for keep.
func (k *readVectors) now() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.drops
}

// keep caches a vector, unless something was dropped since it was read. If the cache is full, it is emptied first.
func (k *readVectors) keep(drops int, path string, v readVector) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if drops != k.drops {
		return
	}
	if k.size > readBytes || k.held == nil {
		k.held, k.size = make(map[string]readVector), 0
	}
	if was, ok := k.held[path]; ok {
		k.size -= was.bytes()
	}
	k.size += v.bytes()
	k.held[path] = v
}

// forget drops the vectors of some paths, or all.
func (k *readVectors) forget(paths []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drops++
	if paths == nil {
		k.held, k.size = nil, 0
	}
	for _, path := range paths {
		if v, ok := k.held[path]; ok {
			k.size -= v.bytes()
			delete(k.held, path)
		}
	}
}

// bytes returns the approximate size of a vector with the data of its memory.
func (v *readVector) bytes() int { return 4*len(v.vector) + 1000 }
