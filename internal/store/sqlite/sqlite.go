// Package sqlite stores the truth in one file: it plays [role.Store], [role.Log] and [role.Queue] on SQLite, and
// stores the derived data of the embedded indexes.
//
// SQLite allows one writer. So one goroutine owns the only writing connection, and all writes that arrive while it is
// busy are in its next transaction: one fsync makes all of them durable. Readers have connections of their own and see
// the newest commit; readers and the writer do not wait for each other.
//
// Several processes may open one file. They take turns by SQLite's locks, and callers get no error from that: they wait
// until their context ends.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/role"
)

// Options identify the file and configure its use.
type Options struct {
	Path    string           // created with mode 0600, its directory with 0700, if missing; or [Memory]
	Now     func() time.Time // the clock of leases and jobs; time.Now if nil
	Readers int              // number of reading connections; 0 means the number of CPUs, at least 2
	// ReadOnly is the reason for opening the file read-only, as a sentence. A file that cannot be written is always
	// opened read-only.
	ReadOnly string
	Logger   *slog.Logger // nil: silent
}

// Store is an open file. It plays [role.Store], [role.Log] and [role.Queue]; all methods are safe for concurrent
// use. Each of its parts knows some tables of the file and one role or ability; of the other parts they know none,
// except that the memories know the log.
type Store struct {
	*file
	memoryTable
	recordTable
	changeLog
	jobQueue
	embeddingTable
	blobTable
	tallies
	upkeep

	committer committer
	closeOnce sync.Once
	closeErr  error
}

// file holds the things that all parts of a store share: the reading connections, and the queue to the writer.
type file struct {
	path    string
	now     func() time.Time
	warn    func(msg string, args ...any)
	readers *sql.DB
	queries queries
	cache   memoryCache
	queue   chan *request          // to the committer
	closed  atomic.Pointer[string] // reason for not writing; nil while writing is possible
	still   bool                   // no process was changing the file, so it is read without locks
	closing chan struct{}          // closed when Close begins

	present  *os.File       // lock that shows that this process has the file open; nil if there are no locks
	lockable atomic.Int64   // when the file system was last seen to lock the file
	opened   [2]fs.FileInfo // the file and its log as they were opened, for writing or still
	mark     int64          // the last that this process set, or found and misses
	turns    *sync.RWMutex  // of the readers and the writer of a store in memory; nil for a file
	lost     error          // acknowledged changes that the file did not have when it was opened
}

var (
	_ role.Store = (*Store)(nil)
	_ role.Log   = (*Store)(nil)
	_ role.Queue = (*Store)(nil)

	_ role.Backuper = (*Store)(nil)
	_ role.Blobs    = (*Store)(nil)
	_ role.Tallier  = (*Store)(nil)
)

// Settings of connections, given with the file's name, so that every connection has them. Readers have the settings for
// safety and for waiting for locks.
var (
	safety         = []string{fmt.Sprintf("busy_timeout(%d)", lockWait.Milliseconds()), "foreign_keys(ON)", "trusted_schema(OFF)"}
	readerSettings = settings("", append(safety, "query_only(ON)",
		"cache_size(-8192)", // KiB: the inner pages of the indexes of a million memories
	)...)
	writerSettings = settings("immediate", append(safety,
		"journal_mode(WAL)",
		"synchronous(FULL)", // an fsync for every commit
		"secure_delete(ON)", // deleted data are overwritten with zeros
		"temp_store(MEMORY)",
		"cache_size(-65536)",           // KiB
		"wal_autocheckpoint(4000)",     // pages of 4 KiB
		"journal_size_limit(67108864)", // for a log that a long reader has made large
	)...)
)

// Open opens a file, creating it if there is none, and brings its schema up to date. A file that is not a trilith store
// is Invalid and left unchanged; one written by a newer trilith is Unsupported. A file that cannot be written, because of
// its rights or those of its folder or because the medium is read-only, is opened for reading: see [Store.ReadOnly].
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	const op = "sqlite.Open"
	if o.Path == "" {
		return nil, trilith.Errorf(trilith.Invalid, "store: the path of the file is missing")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Readers <= 0 {
		o.Readers = max(2, runtime.NumCPU())
	}
	if o.Path == Memory {
		s, err := openMemory(ctx, o)
		return s, fail(ctx, op, err)
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	defer func() { err = denied(path, err) }()
	if err := (&file{path: path}).unlocked(); err != nil {
		return nil, err
	}
	if why := cmp.Or(o.ReadOnly, unwritable(path)); why != "" {
		s, err := openReading(ctx, path, o, why)
		return s, fail(ctx, op, err)
	}
	if err := makeFile(path); err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = trilith.Errorf(trilith.Invalid, "store: %s cannot be opened: %w", path, e.Err)
		}
		return nil, trilith.WrapError(trilith.Unavailable, op, err)
	}
	last, acknowledged := readMark(path)
	if err := inspect(ctx, path); err != nil {
		return nil, fail(ctx, op, err)
	}
	w, present, err := enter(ctx, path, o.Now())
	if err != nil {
		return nil, fail(ctx, op, err)
	}
	w.least = acknowledged
	s := newStore(path, o)
	s.present, s.opened = present, sightings(path)
	if err := s.connect(readerSettings, o.Readers); err != nil {
		return nil, errors.Join(fail(ctx, op, err), w.close(), leave(present))
	}
	s.compare(ctx, last, acknowledged)
	go s.committer.serve(w)
	return s, nil
}

// makeFile creates an empty file with restricted rights unless there is one; the files that SQLite creates next to it
// inherit them.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			return trilith.Errorf(trilith.Invalid, "store: %s is not a file", path)
		}
		return err
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Close closes the store: it finishes the write that is being executed, and cancels those that wait.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		err := errors.Join(s.queries.close(), s.readers.Close())
		<-s.committer.written // the writer moves the log into the file before it closes
		if s.lost != nil {    // the next to open it says so too
			s.acknowledge(s.mark)
		}
		_ = leave(s.present) // the system releases it in any case
		s.closeErr = trilith.WrapError(trilith.Unavailable, "sqlite.Close", errors.Join(err, s.committer.err))
	})
	return s.closeErr
}

// newStore returns the store of a file before it is connected.
func newStore(path string, o Options) *Store {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &file{path: path, now: o.Now, warn: o.Logger.Warn, queue: make(chan *request), closing: make(chan struct{})}
	log := changeLog{f}
	return &Store{file: f, memoryTable: memoryTable{f, log}, recordTable: recordTable{f}, changeLog: log,
		jobQueue: jobQueue{f}, embeddingTable: embeddingTable{f}, blobTable: blobTable{f}, tallies: tallies{f},
		upkeep:    upkeep{f},
		committer: committer{file: f, free: disk.Free, large: largeLog, written: make(chan struct{})}}
}

// connect opens the reading connections.
func (f *file) connect(settings url.Values, conns int) (err error) {
	f.readers, err = openDB(f.path, settings, conns)
	f.queries.db = f.readers
	return err
}

func openDB(path string, v url.Values, conns int) (*sql.DB, error) {
	if err := registerHash(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, v))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// dsn returns the file's name for the driver, whatever characters the path contains.
func dsn(path string, v url.Values) string {
	if name, ok := inMemory(path); ok {
		return memoryDSN(name, v)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
}

// lockWait is how long a connection waits for a lock: longer than any transaction of trilith.
const lockWait = 10 * time.Second

func settings(lock string, pragmas ...string) url.Values {
	v := url.Values{"_pragma": pragmas, "_dqs": {"0"}}
	if lock != "" {
		v.Set("_txlock", lock)
	} else {
		v.Set("mode", "rw") // no reader makes a file where one was moved away
	}
	return v
}

// tenantOf returns the scope's tenant, which every method needs.
func tenantOf(s trilith.Scope) (string, error) {
	if s.Tenant == "" {
		return "", trilith.Errorf(trilith.Invalid, "scope: the tenant is missing")
	}
	return s.Tenant, nil
}
