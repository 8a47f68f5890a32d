package sqlite

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Memory is the path of a store in memory, which lasts until it is closed. Each [Open] of it makes another store. It is
// a database in SQLite's file system of that kind, which all connections of the process share. It holds up to 1 GiB,
// and it has no log, so its readers and its writer take turns.
const Memory = ":memory:"

// opened counts the stores in memory, because each needs a name of its own.
var opened atomic.Int64

// inMemory returns the name of a store in memory.
func inMemory(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, Memory)
	return name, ok
}

func memoryDSN(name string, v url.Values) string {
	return "file:/trilith-" + name + "?vfs=memdb&" + v.Encode()
}

func openMemory(ctx context.Context, o Options) (_ *Store, err error) {
	path := Memory + strconv.FormatInt(opened.Add(1), 10)
	w, err := openWriter(ctx, path) // the database ends with its last connection
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	s.turns = new(sync.RWMutex)
	if err := errors.Join(migrate(ctx, path), w.checkSchema(path), s.connect(readerSettings, o.Readers)); err != nil {
		return nil, errors.Join(err, w.close())
	}
	go s.committer.serve(w)
	return s, nil
}

// share waits until no one writes a store in memory, and returns a function that ends reading.
func (f *file) share() (end func()) {
	if f.turns == nil {
		return func() {}
	}
	f.turns.RLock()
	return f.turns.RUnlock
}

// exclude waits until no one reads a store in memory, and returns a function that ends writing.
func (f *file) exclude() (end func()) {
	if f.turns == nil {
		return func() {}
	}
	f.turns.Lock()
	return f.turns.Unlock
}

// memoryLimit is SQLite's limit for a store in memory.
const memoryLimit = 1 << 30

const pageBytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"

// memorySpace is [upkeep.Space] of a store in memory.
func (f *file) memorySpace() (used, free int64, err error) {
	ctx := context.Background()
	err = f.read(ctx, "sqlite.Space", func() error { return f.queries.row(ctx, pageBytes, nil, &used) })
	return used, memoryLimit - used, err
}
