// Package firestore keeps the memory in Google's Firestore, for as many processes as want to open it: it plays
// [cairn.Store], [cairn.Log], [cairn.Queue], [cairn.EmbeddingCache], [cairn.Turns] and [cairn.BlobStore], and on the
// same database [cairn.VectorIndex].
//
// It talks to the REST API and takes no transactions. A commit reads what it is about, decides, and writes everything
// in one request that holds only while nobody else has committed to the shard: see [committer]. So the numbers of
// changes rise in the order of commits, and no server's clock decides about anything.
package firestore

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/wait"
)

// Options say which database to open and how.
type Options struct {
	Project  string
	Database string // "(default)" if empty
	Prefix   string // the collection below which everything lies; "cairn" if empty
	// Emulator is the host and port of an emulator, which is asked without encryption and credentials. Empty: the
	// service of Google.
	Emulator string
	// Credential returns the headers that carry the credential; it is asked before every call. Nil with an emulator.
	Credential func(context.Context) (http.Header, error)
	Transport  http.RoundTripper // nil: one of its own
	Now        func() time.Time  // the clock of leases and jobs; time.Now if nil
	// waits between two attempts; nil: as long as it takes
	Pause func(context.Context, time.Duration) error
	// of a new store; 0: DefaultShards. One that exists has what it was made with
	Shards int
	// told of a search that had to read all vectors of a scope; may be nil
	Scanned func(ctx context.Context, tenant string, vectors int)
}

// DefaultShards is how many shards a new store gets: so many commits can be under way at a time, and so many
// documents are looked at to see whether anything has changed.
const DefaultShards = 4

// schema is the version of the layout.
const schema = 1

// Store is an open database. All methods are safe for concurrent use. Each of its parts knows some collections and one
// role or ability; of the others only the committers of the memories know those that a commit writes.
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

// database is what all parts of a store have in common: the client, where things lie, and what Close waits for.
type database struct {
	c      *client
	prefix string
	root   string // the path of the document below which everything lies
	now    func() time.Time
	shards int

	closed  atomic.Bool
	life    context.Context // of commits and turns that are under way
	end     context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex // held to begin something that Close waits for
}

// newStore returns the store of a database that is there.
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

var (
	_ cairn.Store = (*Store)(nil)
	_ cairn.Log   = (*Store)(nil)
	_ cairn.Queue = (*Store)(nil)

	_ cairn.BlobLister     = (*Store)(nil)
	_ cairn.BlobStore      = (*Store)(nil)
	_ cairn.EmbeddingCache = (*Store)(nil)
	_ cairn.IndexRequirer  = (*Store)(nil)
	_ cairn.Paced          = (*Store)(nil)
	_ cairn.Purger         = (*Store)(nil)
	_ cairn.SchemaReporter = (*Store)(nil)
	_ cairn.Turns          = (*Store)(nil)
)

var (
	projectPattern  = regexp.MustCompile(`^[a-z][a-z0-9.:-]{1,62}$`)
	databasePattern = regexp.MustCompile(`^(\(default\)|[a-z][a-z0-9-]{2,61})$`)
	prefixPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)
)

// Validate refuses options that name no database.
func (o *Options) Validate() error {
	switch {
	case !projectPattern.MatchString(o.Project):
		return cairn.Errorf(cairn.Invalid, "store: %.64q is not a project of Google Cloud; write firestore://PROJECT/DATABASE", o.Project)
	case o.Database != "" && !databasePattern.MatchString(o.Database):
		return cairn.Errorf(cairn.Invalid, "store: %.64q is not a database of Firestore; write firestore://PROJECT/DATABASE", o.Database)
	case o.Prefix != "" && !prefixPattern.MatchString(o.Prefix):
		return cairn.Errorf(cairn.Invalid, "store: prefix: %.64q must be letters, digits, _ and -, and begin with a letter", o.Prefix)
	case o.Shards < 0 || o.Shards > 64:
		return cairn.Errorf(cairn.Invalid, "store: shards: %d must be 1 to 64", o.Shards)
	}
	return nil
}

// Open opens the store of o, making it if there is none. A database that does not answer is Unavailable, a store of a
// newer cairn Unsupported and left as it is.
func Open(ctx context.Context, o Options) (*Store, error) {
	const op = "firestore.Open"
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Prefix == "" {
		o.Prefix = "cairn"
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
	if db.shards, err = db.prepare(ctx, o.Shards); err != nil {
		return nil, failed(op, err)
	}
	return newStore(db, o.Scanned), nil
}

// newClient returns a client for the database of valid options.
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
		c.credential = func(context.Context) (http.Header, error) { // what makes one an administrator there
			return http.Header{"Authorization": {"Bearer owner"}}, nil
		}
	}
	return c
}

// prepare reads how the store was made, or makes it.
func (db *database) prepare(ctx context.Context, shards int) (int, error) {
	for {
		docs, err := db.c.get(ctx, []string{db.root})
		if err != nil {
			return 0, err
		}
		if d := docs[db.root]; d != nil {
			if n := d.Fields.number("schema"); n != schema {
				return 0, cairn.Errorf(cairn.Unsupported,
					"store: was made by another version of cairn (layout %d, this one knows %d)", n, schema)
			}
			return max(1, int(d.Fields.number("shards"))), nil
		}
		made := fields{"schema": number(schema), "shards": number(int64(shards))}
		_, err = db.c.commit(ctx, []write{db.put(db.root, made, absent())})
		if f := asFailure(err); err != nil && (f == nil || !f.moved() && !f.open()) {
			return 0, err
		}
	}
}

// put is the write of a document.
func (db *database) put(path string, f fields, c *condition) write {
	return write{Update: &written{db.c.name(path), f}, Current: c}
}

// drop is the write that removes a document, or nothing.
func (db *database) drop(path string) write { return write{Delete: db.c.name(path)} }

// pace keeps what an idle process reads in a day below 100,000 documents: it looks at the head of each shard for each
// of two indexes, and at some jobs.
const pace = 30 * time.Second

// Pace is documented at [cairn.Paced].
func (u *upkeep) Pace() time.Duration { return pace }

// Schema is documented at [cairn.SchemaReporter].
func (u *upkeep) Schema(ctx context.Context) (int64, error) {
	if err := u.ready(ctx); err != nil {
		return 0, err
	}
	return schema, nil
}

// Close ends the store. It gives turns back and waits for commits that are under way.
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

var errClosed = cairn.Errorf(cairn.Unavailable, "the store is closed")

func (db *database) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.closed.Load() {
		return errClosed
	}
	return nil
}

// within is ready for a call about a tenant.
func (db *database) within(ctx context.Context, sc cairn.Scope) error {
	if err := db.ready(ctx); err != nil {
		return err
	}
	return sc.Validate()
}

// across is ready for a call about all tenants.
func (db *database) across(ctx context.Context, sys cairn.System) error {
	if err := db.ready(ctx); err != nil {
		return err
	}
	return sys.Validate()
}

// begin notes that something runs that Close waits for; false once the store is closed.
func (db *database) begin() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Load() {
		return false
	}
	db.running.Add(1)
	return true
}
