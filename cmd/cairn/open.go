package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/age"
	"github.com/cairn-memory/cairn/internal/embedded"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/inmem"
	"github.com/cairn-memory/cairn/internal/migrate"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/profile"
	"github.com/cairn-memory/cairn/internal/sqlite"
	"github.com/cairn-memory/cairn/internal/tables"
	"github.com/cairn-memory/cairn/internal/textproc"
	"github.com/cairn-memory/cairn/internal/tokens"
)

// app is what a command runs with.
type app struct {
	globals
	getenv       func(string) string
	stdin        io.Reader
	out          *printer
	stderr       io.Writer
	policy       gate.Policy   // what is let in; the zero value is the engine's own
	meter        engine.Meter  // nil: nobody counts
	extract      string        // how facts are derived where nobody says; auto if empty
	auto         bool          // the embedder was chosen by what there is a key for
	hubToken     string        // for a hub of models; never written anywhere
	defaultStore string        // where the memory lies unless somebody says otherwise
	shared       *opened       // the memory, if this command is of another process and this one owns it
	keepUnowned  bool          // facts from before there were owners stay as they are
	reading      string        // why the store is only read although nobody asked for that; "" where it is not
	key          string        // names what the command writes, if it may have been done before
	await        time.Duration // how long a database that does not serve now is waited for
}

func (a *app) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(a.LogLevel)) // the parser has checked it
	options := &slog.HandlerOptions{Level: level}
	if a.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}

// scope is the tenant of the command line: whoever can read the file may do everything with it.
func (a *app) scope() cairn.Scope { return cairn.Scope{Tenant: a.Tenant, Actor: "local"} }

// opened is an engine with the store's file, if it has one.
type opened struct {
	*engine.Engine
	file *sqlite.Store // nil where the store is no file
	path string
	name string // of the store, without secrets
	// embedders are those that may be asked for.
	embedders *embedderNames
	// vectors is the engine's index of them, for measuring it alone; nil without an embedder.
	vectors cairn.VectorIndex
	// maintain looks after indexes of the server's that many processes share; a process that lasts begins with it. Nil: there are none.
	maintain func(context.Context) error
	// lack is what the store lacks to be as safe as it can be, and remedy what to run for that; mostly empty.
	lack, remedy string
}

// truth is a store with what it lies in: a file, a server, or nothing that lasts.
type truth struct {
	migrate.Truth
	file   *sqlite.Store
	path   string
	server *postgres.Store
	name   string // without secrets
}

// ageGraph is the value of --graph for a graph in Apache AGE.
const ageGraph = "age:"

// openTruth opens the store that a URL names. With [app.openIndexes] it is the only place that names the drivers.
func (a *app) openTruth(ctx context.Context, store string) (truth, error) {
	scheme, path, _ := strings.Cut(store, ":")
	if a.ReadOnly && scheme != "sqlite" {
		return truth{}, cairn.Errorf(cairn.Unsupported, "read-only: is for a store in a file; %s is none", storeName(store))
	}
	if isPostgres(store) {
		url, _, err := postgresStore(store)
		if err != nil {
			return truth{}, err
		}
		options := postgres.Options{URL: url, Now: time.Now}
		if a.Graph == ageGraph {
			options.Projections = []postgres.Projection{age.Projection{}}
		}
		server, err := a.openServer(ctx, options)
		return truth{Truth: server, server: server, name: storeName(store)}, err
	}
	switch {
	case store == "mem:":
		return truth{Truth: inmem.New(time.Now), name: store}, nil
	case scheme == "sqlite" && path != "":
		o := sqlite.Options{Path: path, Now: time.Now}
		if o.ReadOnly = a.reading; a.ReadOnly {
			o.ReadOnly = "as --read-only says"
		}
		file, err := sqlite.Open(ctx, o)
		if why := unwritable(err); why != "" && o.ReadOnly == "" {
			o.ReadOnly = why
			file, err = sqlite.Open(ctx, o)
		}
		return truth{Truth: file, file: file, path: path, name: path}, err
	default:
		use := "sqlite:PATH"
		if scheme == store && scheme != "sqlite" { // a path is all that it can mean
			use = "sqlite:" + store
		}
		return truth{}, cairn.Errorf(cairn.Invalid, "store: %q is not one that this program knows; use %s, postgres://HOST/DATABASE or mem:", store, use)
	}
}

// openIndexes opens what finds and walks what is in the store.
func (a *app) openIndexes(ctx context.Context, t truth, o *opened, c *engine.Config, analyzer textproc.Analyzer) error {
	c.Graph = tables.New(t.Truth)
	switch {
	case t.server != nil:
		c.Text = t.server.Text(analyzer)
		if a.Graph == ageGraph {
			graph := age.New(t.server)
			tenants, err := t.Tenants(ctx, cairn.AsSystem("graph"))
			if err == nil { // what was stored before there was a graph
				err = graph.Complete(ctx, tenants)
			}
			if err != nil {
				return err
			}
			c.Graph = graph
		}
		if c.Embedder == nil {
			return nil
		}
		_, options, err := postgresStore(a.Store)
		if err != nil {
			return err
		}
		options.Logger = c.Logger
		vectors, err := t.server.Vectors(ctx, options)
		if err != nil {
			return err
		}
		c.Vectors, o.maintain = vectors, vectors.Maintain
		return nil
	case a.Graph == ageGraph:
		return cairn.Errorf(cairn.Invalid, "graph: %s needs a store in PostgreSQL; leave it out", a.Graph)
	case t.file != nil:
		c.Ledger = ledger(t.path)
		c.Text = embedded.NewTextIn(t.file, analyzer)
		if c.Embedder != nil {
			c.Vectors = embedded.NewVector(t.file)
		}
		return nil
	}
	c.Text = embedded.NewTextIn(nil, analyzer)
	if c.Embedder != nil {
		c.Vectors = embedded.NewVector(nil)
	}
	return nil
}

// open opens the memory that the settings name.
func (a *app) open(ctx context.Context) (*opened, error) { return a.openFollowing(ctx, false) }

// openFollowing opens the memory; with follow, whichever embedder is in force.
func (a *app) openFollowing(ctx context.Context, follow bool) (*opened, error) {
	embedder, err := a.openEmbedder(a.Embedder)
	if err != nil {
		return nil, err
	}
	names, err := newEmbedderNames(a.Embedder, a.Embedders)
	if err != nil {
		return nil, err
	}
	analyzer, err := textproc.NewAnalyzer(a.Languages...)
	if err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "languages: %w", err)
	}
	model, err := a.openModel()
	if err != nil {
		return nil, err
	}
	levers, err := cairn.ParseLevers(cmp.Or(a.Levers, "all"))
	if err != nil {
		return nil, err
	}
	reranker, err := a.openReranker()
	if err != nil {
		return nil, err
	}
	budget, err := cairn.ParseBudget(a.DailyBudget)
	if err != nil {
		return nil, err
	}
	profiles, err := profile.Load(a.Profiles)
	if err != nil {
		return nil, err
	}
	extract := cmp.Or(a.extract, string(cairn.ExtractAuto))
	if !slices.Contains([]string{"auto", "rules", "llm", "none"}, extract) {
		return nil, cairn.Errorf(cairn.Invalid, "extract: %.32q is not one of auto, rules, llm, none", extract)
	}
	if extract == string(cairn.ExtractLLM) && model == nil {
		return nil, cairn.Errorf(cairn.Invalid, "extract: llm needs a model, and none is configured; set --model, or use auto or rules")
	}
	c := engine.Config{Extract: cairn.Extraction(extract), Embedder: embedder, Model: model, Without: cairn.AllLevers &^ levers, Reranker: reranker, RerankDepth: a.RerankDepth, RerankTimeout: a.RerankTimeout,
		Profiles: profiles, Budget: budget, Policy: a.policy, Meter: a.meter, Logger: a.logger(), Version: version,
		EmbedderName: a.Embedder, Named: names.setting, Follow: follow, Tokens: tokens.Named(a.Tokenizer), KeepUnowned: a.keepUnowned}
	c.Embedders = func(_ context.Context, setting string) (cairn.Embedder, error) {
		if err := names.check(setting); err != nil {
			return nil, err
		}
		return a.openEmbedder(setting)
	}
	o, err := a.openEngine(ctx, c, analyzer, names)
	if why := unwritable(err); why != "" && !a.ReadOnly { // what can be read may be what somebody wants to save
		reading := *a
		reading.reading = why
		o, err = reading.openEngine(ctx, c, analyzer, names)
	}
	if err != nil {
		return nil, err
	}
	if why := o.ReadOnly(); why != "" {
		fmt.Fprintf(a.stderr, "cairn: %s is open for reading only: %s\n", o.name, why)
	}
	return o, nil
}

// damaged is why a file is opened for reading in which opening it for writing met damage.
const damaged = "the file is damaged"

// unwritable is why a file is opened for reading after opening it for writing answered err; "" if it is not.
func unwritable(err error) string {
	switch {
	case sqlite.Damaged(err):
		return damaged
	case cairn.OutOfSpace(err):
		return sqlite.FullDisk
	}
	return ""
}

// openEngine opens the store and an engine on it.
func (a *app) openEngine(ctx context.Context, c engine.Config, analyzer textproc.Analyzer, names *embedderNames) (*opened, error) {
	t, err := a.openTruth(ctx, a.Store)
	if err != nil {
		return nil, err
	}
	o := &opened{file: t.file, path: t.path, name: t.name, embedders: names}
	if t.server != nil {
		o.lack, o.remedy = t.server.Advice()
	}
	c.Store, c.Log, c.Queue = t.Truth, t.Truth, t.Truth
	if err = a.openIndexes(ctx, t, o, &c, analyzer); err == nil {
		o.vectors = c.Vectors
		o.Engine, err = engine.Open(ctx, c)
	}
	if err != nil {
		_ = t.Close()
		return nil, err
	}
	return o, nil
}

const (
	// commandWait is how long a command waits for the vectors of what it has stored. Whoever uses the memory next makes them.
	commandWait = 10 * time.Second
	// commandQuestion is how long a command waits for the vector of a question. Each has to connect to the service anew, and none
	// knows how long that takes.
	commandQuestion = 2 * time.Second
)

// with runs f on the memory that the settings name, and closes it unless it is shared.
func (a *app) with(ctx context.Context, f func(*opened) error) error {
	if a.shared != nil {
		return f(a.shared.forCommand())
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(m.forCommand()), m.Close())
}

// forCommand is the memory as a command sees it, which waits no longer for an embedder because another process has it open.
func (o *opened) forCommand() *opened {
	seen := *o
	seen.Engine = o.Waiting(commandWait, commandQuestion)
	return &seen
}
