package firestore

import (
	"sync"
	"time"

	"github.com/cairn-memory/cairn"
)

const (
	readBytes = 32 << 20 // of vectors that were read, roughly
	readFor   = 10 * time.Minute
)

// readVectors are vectors that were read because words had found their memories, by the paths of their documents. A
// recall asks for some hundred of them, and a question about the same matter for most of them again: each would be paid
// for as one document.
//
// The caller says which version of a memory is meant, so a memory that anybody has changed is read again, and nobody
// asks for one that is erased. What this process writes or deletes is forgotten at once. What another one deletes and
// makes again with the number of its version is known after [readFor].
type readVectors struct {
	mu    sync.Mutex
	held  map[string]readVector
	size  int
	drops int // how often something was forgotten: what was read before that is not kept
}

type readVector struct {
	stored
	vector cairn.Vector
	since  time.Time
}

// of returns what is known of a version of a memory.
func (k *readVectors) of(path string, version int64, now time.Time) (readVector, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.held[path]
	return v, ok && v.version == version && now.Sub(v.since) < readFor
}

// now says which vectors may be kept: those that are read from here on.
func (k *readVectors) now() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.drops
}

// keep keeps a vector that was read, unless something was forgotten meanwhile. Where too many are held, all are
// forgotten: those that are asked for come again.
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

// forget forgets those of some paths, or all.
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

// bytes is about what a vector takes with what is known of its memory.
func (v *readVector) bytes() int { return 4*len(v.vector) + 1000 }
