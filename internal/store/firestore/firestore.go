// Package firestore stores the memory in Google's Firestore, for any number of processes. It implements [role.Store],
// [role.Log], [role.Queue], [role.EmbeddingCache], [role.Turns] and [role.Blobs], and in the same database
// [role.VectorIndex].
//
// It uses the REST API and no transactions. A commit reads the documents that it depends on, decides, and writes
// everything in one request, which succeeds only if no one else has committed to the shard: see [committer]. So the
// numbers of changes rise in the order of commits, and nothing depends on a server's clock.
package firestore

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/wait"
)

// Options identify the database and configure its use.
type Options struct {
	Project  string
	Database string // "(default)" if empty
	Prefix   string // the root collection; "trilith" if empty
	// Emulator is the host and port of an emulator, which is used without encryption and credentials. Empty: Google's
	// service.
	Emulator string
	// Credential returns the headers with the credential, for every call. Nil with an emulator.
	Credential func(context.Context) (http.Header, error)
	Transport  http.RoundTripper // nil: a separate one
	Now        func() time.Time  // the clock of leases and jobs; time.Now if nil
	// waits between attempts; nil: in real time
	Pause func(context.Context, time.Duration) error
	// of a new store; 0: DefaultShards. An existing store keeps its number
	Shards int
	// called for each search that had to read all vectors of a scope; may be nil
	Scanned func(ctx context.Context, tenant string, vectors int)
}

// DefaultShards is the number of shards of a new store. It is how many commits can run at a time, and how many
// documents are read to see whether anything has changed.
const DefaultShards = 4

// schema is the version of the layout.
const schema = 1

// Store is an open database. All methods are safe for concurrent use. Each embedded type implements one role or ability
// and knows its own collections; only the committers of the memories know all collections that a commit writes.
type Store struct {
	*database
	memoryTable
	recordTable
	claimTable
	changeLog
	jobQueue
	embeddingTable
	blobTable
	turnTable
	upkeep

	vectors Vectors
}

// database holds the things that all parts of a store share: the client, the layout, and the work that Close waits for.
type database struct {
	c      *client
	prefix string
	root   string // path of the root document
	now    func() time.Time
	shards int

	closed  atomic.Bool
	life    context.Context // context of running commits and turns
	end     context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex // held to begin work that Close waits for
}

// Open opens a store, creating it if there is none. It is Unavailable if the database does not answer, and Unsupported
// for a store of a newer trilith, which it leaves unchanged.
func Open(ctx context.Context, o Options) (*Store, error) {
	const op = "firestore.Open"
	if err := o.Validate(); err != nil {
		return nil, err
	}
	former := "" // where the store lies if the program made it when it was called cairn
	if o.Prefix == "" {
		o.Prefix, former = "trilith", "cairn/store"
	}
	if o.Shards == 0 {
		o.Shards = DefaultShards
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	db := &database{c: newClient(&o), prefix: o.Prefix, root: o.Prefix + "/store", now: o.Now}
	db.life, db.end = context.WithCancel(context.Background())
	var err error
	if db.shards, err = db.prepare(ctx, o.Shards, former); err != nil {
		return nil, failed(op, err)
	}
	return newStore(db, o.Scanned), nil
}

// newClient returns a client for valid options.
func newClient(o *Options) *client {
	database, pause := cmp.Or(o.Database, "(default)"), o.Pause
	if pause == nil {
		pause = wait.For
	}
	c := &client{base: service + "/v1", database: "projects/" + o.Project + "/databases/" + database,
		credential: o.Credential,
		pause:      pause, http: &http.Client{Transport: o.Transport}}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64
		c.http.Transport = t
	}
	if o.Emulator != "" {
		c.base = "http://" + o.Emulator + "/v1"
		c.credential = func(context.Context) (http.Header, error) { // the emulator's administrator
			return http.Header{"Authorization": {"Bearer owner"}}, nil
		}
	}
	return c
}

var (
	_ role.Store = (*Store)(nil)
	_ role.Log   = (*Store)(nil)
	_ role.Queue = (*Store)(nil)

	_ role.Blobs = (*Store)(nil)
	_ role.Turns = (*Store)(nil)
)

// prepare reads the number of shards of a store, or creates the store, unless there is one at former.
func (db *database) prepare(ctx context.Context, shards int, former string) (int, error) {
	places := []string{db.root}
	if former != "" {
		places = append(places, former)
	}
	for {
		docs, err := db.c.get(ctx, places)
		if err != nil {
			return 0, err
		}
		if d := docs[db.root]; d != nil {
			if n := d.Fields.number("schema"); n != schema {
				return 0, trilith.Errorf(trilith.Unsupported,
					"store: was made by another version of trilith (layout %d, this one knows %d)", n, schema)
			}
			return max(1, int(d.Fields.number("shards"))), nil
		}
		if docs[former] != nil {
			return 0, trilith.MadeByCairn("the database", "ADDRESS", "another database, or into this one with ?prefix=NAME")
		}
		made := fields{"schema": number(schema), "shards": number(int64(shards))}
		_, err = db.c.commit(ctx, []write{db.put(db.root, made, absent())})
		if f := asFailure(err); err != nil && (f == nil || !f.moved() && !f.open()) {
			return 0, err
		}
	}
}

// put returns the write of a document.
func (db *database) put(path string, f fields, c *condition) write {
	return write{Update: &written{db.c.name(path), f}, Current: c}
}

// newStore returns the store in an existing database.
func newStore(db *database, scanned func(context.Context, string, int)) *Store {
	s := &Store{database: db, memoryTable: memoryTable{database: db}, recordTable: recordTable{db},
		claimTable: claimTable{db}, changeLog: changeLog{db}, jobQueue: jobQueue{db},
		embeddingTable: embeddingTable{database: db}, blobTable: blobTable{db}, turnTable: turnTable{database: db},
		upkeep: upkeep{db}, vectors: Vectors{database: db, scanned: scanned}}
	for n := range db.shards {
		s.committers = append(s.committers, &committer{store: db, shard: n})
	}
	return s
}

// drop returns the deletion of a document, whether or not it exists.
func (db *database) drop(path string) write { return write{Delete: db.c.name(path)} }

// pace keeps an idle process below 100,000 reads a day: it reads the head of each shard for each of two indexes, and
// some jobs.
const pace = 30 * time.Second

// Pace is documented at [role.Upkeep].
func (u *upkeep) Pace() time.Duration { return pace }

// Schema is documented at [role.Upkeep].
func (u *upkeep) Schema(ctx context.Context) (int64, error) {
	if err := u.ready(ctx); err != nil {
		return 0, err
	}
	return schema, nil
}

// Close closes the store. It releases turns and waits for running commits.
func (s *Store) Close() error {
	s.mu.Lock()
	first := s.closed.CompareAndSwap(false, true)
	s.mu.Unlock()
	if first {
		s.endTurns()
		s.running.Wait()
		s.end()
		s.c.http.CloseIdleConnections()
	}
	return nil
}

// within checks a call for one tenant.
func (db *database) within(ctx context.Context, sc trilith.Scope) error {
	if err := db.ready(ctx); err != nil {
		return err
	}
	return sc.Validate()
}

// across checks a call for all tenants.
func (db *database) across(ctx context.Context, sys trilith.System) error {
	if err := db.ready(ctx); err != nil {
		return err
	}
	return sys.Validate()
}

var errClosed = trilith.Errorf(trilith.Unavailable, "the store is closed")

func (db *database) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.closed.Load() {
		return errClosed
	}
	return nil
}

var (
	projectPattern  = regexp.MustCompile(`^[a-z][a-z0-9.:-]{1,62}$`)
	databasePattern = regexp.MustCompile(`^(\(default\)|[a-z][a-z0-9-]{2,61})$`)
	prefixPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)
)

// Validate returns an error for options that identify no database.
func (o *Options) Validate() error {
	switch {
	case !projectPattern.MatchString(o.Project):
		return trilith.Errorf(trilith.Invalid, "store: %.64q is not a project of Google Cloud; write firestore://PROJECT/DATABASE", o.Project)
	case o.Database != "" && !databasePattern.MatchString(o.Database):
		return trilith.Errorf(trilith.Invalid, "store: %.64q is not a database of Firestore; write firestore://PROJECT/DATABASE", o.Database)
	case o.Prefix != "" && !prefixPattern.MatchString(o.Prefix):
		return trilith.Errorf(trilith.Invalid, "store: prefix: %.64q must be letters, digits, _ and -, and begin with a letter", o.Prefix)
	case o.Shards < 0 || o.Shards > 64:
		return trilith.Errorf(trilith.Invalid, "store: shards: %d must be 1 to 64", o.Shards)
	}
	return nil
}

// begin registers work that Close waits for; false once the store is closed.
func (db *database) begin() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Load() {
		return false
	}
	db.running.Add(1)
	return true
}
