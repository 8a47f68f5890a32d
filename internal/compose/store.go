package compose

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/owner"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/store/walk"
)

// Values of the settings for indexes and graph.
const (
	auto          = "auto"      // the best choice for the store
	inProcess     = "embedded:" // in the memory of the process
	inDatabase    = "postgres:" // in the tables of a store in PostgreSQL
	graphTables   = "tables"    // the graph is read from the facts
	graphAge      = "age:"      // in Apache AGE, next to the tables of a store in PostgreSQL
	schemeSQLite  = "sqlite"
	memoryStore   = "mem:"
	indexSettings = "auto, embedded: or postgres:"

	vectorSettings = "auto, embedded:, postgres: or qdrant://HOST:6333?collection=NAME"
)

// Truth is a store in all its roles.
type Truth interface {
	role.Store
	role.Log
	role.Queue
}

// truth is a store with its medium: a file, a server, or memory.
type truth struct {
	Truth
	file   *sqlite.Store
	path   string
	server *postgres.Store
	cloud  *firestore.Store
	name   string // without secrets
}

// check returns an error for invalid values, and for indexes and graphs that the store cannot contain.
func (s *Settings) check() error {
	for _, index := range []struct{ setting, value, known string }{{"texts", s.Texts, indexSettings},
		{"vectors", s.Vectors, vectorSettings}} {
		if index.setting == "vectors" && inQdrant(index.value) {
			if _, err := s.qdrantOptions(); err != nil {
				return err
			}
			continue
		}
		switch index.value {
		case auto, inProcess:
		case inDatabase:
			if !IsPostgres(s.Store) {
				return trilith.Errorf(trilith.Invalid,
					"%s: %s keeps %s in the database of the store, and %s is in no database; "+
						"use --store postgres://…, or leave TRILITH_%s out",
					index.setting, inDatabase, index.setting, StoreName(s.Store), strings.ToUpper(index.setting))
			}
		default:
			return trilith.Errorf(trilith.Invalid, "%s: %.64q is not known; use %s",
				index.setting, Masked(index.value), index.known)
		}
	}
	switch s.Graph {
	case graphTables:
	case graphAge:
		if !IsPostgres(s.Store) {
			return trilith.Errorf(trilith.Invalid, "graph: %s needs a store in PostgreSQL; leave it out", s.Graph)
		}
	default:
		return trilith.Errorf(trilith.Invalid, "graph: %.64q is not known; use tables or age:",
			s.Graph)
	}
	if !IsPostgres(s.Store) {
		return nil
	}
	_, params, err := postgresStore(s.Store)
	elsewhere := s.Vectors == inProcess || inQdrant(s.Vectors)
	if err == nil && elsewhere && params.vectors != (postgres.VectorOptions{}) {
		err = trilith.Errorf(trilith.Invalid,
			"store: %s and %s are about vectors in the database, and TRILITH_VECTORS=%s keeps them elsewhere; leave out "+
				"one of both",
			vectorIndexParam, vectorIndexFromParam, s.Vectors)
	}
	if err == nil && len(params.standbys) > 0 && s.Texts == inProcess {
		err = trilith.Errorf(trilith.Invalid, "store: %s are read by what shares an index in the database, and TRILITH_TEXTS=%s "+
			"keeps the words elsewhere; leave out one of both", standbysParam, s.Texts)
	}
	return err
}

// OpenTruth opens the store that a URL names, without indexes.
func OpenTruth(ctx context.Context, s Settings, store string) (Truth, error) {
	s = s.complete()
	t, err := s.openTruth(ctx, store)
	if err != nil {
		return nil, err
	}
	return t.Truth, nil
}

func (s *Settings) openTruth(ctx context.Context, store string) (truth, error) {
	scheme, path, _ := strings.Cut(store, ":")
	if s.ReadOnly && scheme != schemeSQLite {
		return truth{}, trilith.Errorf(trilith.Unsupported, "read-only: needs a store in a file; %s is not one",
			StoreName(store))
	}
	switch {
	case IsPostgres(store):
		url, params, err := postgresStore(store)
		if err != nil {
			return truth{}, err
		}
		options := postgres.Options{URL: url, Standbys: params.standbys, Now: s.Now}
		if s.Graph == graphAge {
			options.Projections = []postgres.Projection{age.Projection{}}
		}
		server, err := s.openServer(ctx, options)
		return truth{Truth: server, server: server, name: StoreName(store)}, err
	case IsFirestore(store):
		cloud, err := s.openFirestore(ctx, store)
		return truth{Truth: cloud, cloud: cloud, name: store}, err
	case store == memoryStore:
		memory, err := sqlite.Open(ctx, sqlite.Options{Path: sqlite.Memory, Now: s.Now, Logger: s.logger()})
		return truth{Truth: memory, name: store}, err
	case scheme == schemeSQLite && strings.HasPrefix(path, "~"):
		return truth{}, trilith.Errorf(trilith.Invalid, "store: %s begins with ~, which only the command trilith opens; write the whole "+
			"path, or ./~", path)
	case scheme == schemeSQLite && path != "":
		file, err := s.openFile(ctx, path)
		return truth{Truth: file, file: file, path: path, name: path}, err
	default:
		use := "sqlite:PATH"
		if scheme == store && scheme != schemeSQLite { // a path is all that it can mean
			use = "sqlite:" + store
		}
		return truth{}, trilith.Errorf(trilith.Invalid, "store: %q is not one that this program knows; "+
			"use %s, postgres://HOST/DATABASE, %s or mem:", Masked(store), Masked(use), useFirestore)
	}
}

func (s *Settings) openFile(ctx context.Context, path string) (*sqlite.Store, error) {
	o := sqlite.Options{Path: path, Now: s.Now, ReadOnly: s.reading, Logger: s.logger()}
	if s.ReadOnly {
		o.ReadOnly = "as --read-only says"
	}
	if err := s.refuseLost(path); err != nil {
		return nil, err
	}
	file, err := sqlite.Open(ctx, o)
	if why := unwritable(err); why != "" && o.ReadOnly == "" {
		o.ReadOnly = why
		file, err = sqlite.Open(ctx, o)
	}
	if name := owner.Named(path); errors.Is(err, sqlite.ErrInUse) && name != "" {
		err = trilith.Errorf(trilith.Unavailable, "%s (%s)", trilith.MessageOf(err), name)
	}
	return file, err
}

// openIndexes opens the indexes and the graph of the store.
func (s *Settings) openIndexes(
	ctx context.Context, t truth, o *Opened, c *engine.Config, analyzer textproc.Analyzer,
) (err error) {
	if t.path != "" {
		c.Ledger = Ledger(t.path)
	}
	if c.Graph, err = s.openGraph(ctx, t); err != nil {
		return err
	}
	if t.server != nil && s.Texts != inProcess {
		text := t.server.Text(analyzer)
		text.LeaveOut(s.Tuning.Without)
		c.Text = text
		if c.Local, err = s.local(analyzer); err != nil {
			return err
		}
	} else {
		text := embedded.NewTextIn(t.blobs(), analyzer)
		text.LeaveOut(s.Tuning.Without)
		c.Text = text
	}
	switch {
	case c.Embedder == nil:
	case inQdrant(s.Vectors):
		if c.Vectors, err = s.openQdrant(ctx); err != nil {
			return err
		}
	case t.server != nil && s.Vectors != inProcess:
		_, params, err := postgresStore(s.Store)
		if err != nil {
			return err
		}
		params.vectors.Logger = c.Logger
		vectors, err := t.server.Vectors(ctx, params.vectors)
		if err != nil {
			return err
		}
		c.Vectors, o.Maintain = vectors, vectors.Maintain
		if c.Local != nil {
			c.Local.Vectors = embedded.NewVector(nil)
		}
	case t.cloud != nil && s.Vectors != inProcess:
		c.Vectors = t.cloud.Vectors()
	default:
		c.Vectors = embedded.NewVector(t.blobs())
	}
	return nil
}

// local returns where this process copies the indexes in the database, so far without vectors; nil: nowhere.
func (s *Settings) local(analyzer textproc.Analyzer) (*engine.Local, error) {
	_, params, err := postgresStore(s.Store)
	if err != nil || params.copyUpTo == 0 {
		return nil, err
	}
	text := embedded.NewTextIn(nil, analyzer)
	text.LeaveOut(s.Tuning.Without)
	return &engine.Local{Text: text, Most: params.copyUpTo, Roomy: embedded.Roomy}, nil
}

// blobs returns where in-process indexes store derived data; nil if the store has no place for it.
func (t truth) blobs() embedded.Blobs {
	switch {
	case t.file != nil:
		return t.file
	case t.cloud != nil:
		return t.cloud
	}
	return nil
}

func (s *Settings) openGraph(ctx context.Context, t truth) (role.Graph, error) {
	if s.Graph != graphAge {
		return walk.OverStore(t.Truth), nil
	}
	graph := age.New(t.server)
	tenants, err := t.Tenants(ctx, trilith.AsSystem("graph"))
	if err == nil { // memories from before there was a graph
		err = graph.Complete(ctx, tenants)
	}
	return graph, err
}

// File returns the path of a store that is a file.
func File(store string) (path string, ok bool) {
	path, ok = strings.CutPrefix(store, schemeSQLite+":")
	return path, ok && path != ""
}

// RestoreFile creates the store to from a backup. It refuses a damaged backup, a file that is not a trilith store, a
// store of a newer trilith, and an existing to.
func RestoreFile(ctx context.Context, from, to string) error { return sqlite.Restore(ctx, from, to) }

// Erasures calls f with every erasure that the store in a file knows of. It answers what could not be read of it.
func Erasures(ctx context.Context, path string, f func(tenant string, e trilith.Erased) error) (unreadable, err error) {
	store, err := sqlite.Open(ctx, sqlite.Options{Path: path, Now: time.Now})
	if err != nil {
		return err, nil
	}
	defer store.Close()
	if err = eachErasure(ctx, store, f); isDamagedRow(err) {
		return err, nil
	}
	return nil, err
}

// eachErasure passes damaged rows over, and returns their error at the end.
func eachErasure(ctx context.Context, store Truth, f func(tenant string, e trilith.Erased) error) (damaged error) {
	tenants, err := store.Tenants(ctx, trilith.AsSystem("restore"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		rs, err := store.Records(ctx, trilith.Scope{Tenant: tenant}, role.RecordListing{Kind: role.RecordReceipt})
		if isDamagedRow(err) {
			damaged, err = err, nil
		}
		if err != nil {
			return err
		}
		for _, r := range rs {
			var e trilith.Erased
			if err := json.Unmarshal(r.Body, &e); err != nil {
				return err
			}
			if err := f(tenant, e); err != nil {
				return err
			}
		}
	}
	return damaged
}
