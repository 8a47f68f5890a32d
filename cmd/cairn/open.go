package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/embedded"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/inmem"
	"github.com/cairn-memory/cairn/internal/profile"
	"github.com/cairn-memory/cairn/internal/sqlite"
	"github.com/cairn-memory/cairn/internal/tables"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// app is what a command runs with.
type app struct {
	globals
	getenv       func(string) string
	stdin        io.Reader
	out          *printer
	stderr       io.Writer
	policy       gate.Policy  // what is let in; the zero value is the engine's own
	meter        engine.Meter // nil: nobody counts
	auto         bool         // the embedder was chosen by what there is a key for
	hubToken     string       // for a hub of models; never written anywhere
	defaultStore string       // where the memory lies unless somebody says otherwise
	shared       *opened      // the memory, if this command is of another process and this one owns it
	key          string       // names what the command writes, if it may have been done before
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
}

// open is the only place that names the drivers.
func (a *app) open(ctx context.Context) (*opened, error) { return a.openFollowing(ctx, false) }

// openFollowing opens the memory; with follow, whichever embedder is in force.
func (a *app) openFollowing(ctx context.Context, follow bool) (*opened, error) {
	embedder, err := a.openEmbedder(a.Embedder)
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
	o := &opened{}
	c := engine.Config{Embedder: embedder, Model: model, Reranker: reranker, RerankDepth: a.RerankDepth, RerankTimeout: a.RerankTimeout,
		Profiles: profiles, Budget: budget, Policy: a.policy, Meter: a.meter, Logger: a.logger(), Version: version,
		EmbedderName: a.Embedder, Embedders: func(_ context.Context, setting string) (cairn.Embedder, error) { return a.openEmbedder(setting) }, Follow: follow}
	if err := a.openStore(ctx, o, &c, analyzer); err != nil {
		return nil, err
	}
	if o.Engine, err = engine.Open(ctx, c); err != nil {
		_ = c.Store.Close()
		return nil, err
	}
	return o, nil
}

// ageGraph is the value of --graph for a graph in Apache AGE.
const ageGraph = "age:"

// openStore opens what --store and --graph name: the roles of an engine that keep something.
func (a *app) openStore(ctx context.Context, o *opened, c *engine.Config, analyzer textproc.Analyzer) error {
	scheme, path, _ := strings.Cut(a.Store, ":")
	if isPostgres(a.Store) {
		return a.openPostgres(ctx, o, c, analyzer)
	}
	if a.Graph == ageGraph {
		return cairn.Errorf(cairn.Invalid, "graph: %s needs a store in PostgreSQL; leave it out", a.Graph)
	}
	switch {
	case a.Store == "mem:":
		store := inmem.New(time.Now)
		c.Store, c.Log, c.Queue = store, store, store
		c.Text = embedded.NewTextIn(nil, analyzer)
		if c.Embedder != nil {
			c.Vectors = embedded.NewVector(nil)
		}
		o.name = a.Store
	case scheme == "sqlite" && path != "":
		var err error
		o.file, err = sqlite.Open(ctx, sqlite.Options{Path: path, Now: time.Now})
		if err != nil {
			return err
		}
		o.path, o.name = path, path
		c.Store, c.Log, c.Queue, c.Ledger = o.file, o.file, o.file, ledger(path)
		c.Text = embedded.NewTextIn(o.file, analyzer)
		if c.Embedder != nil {
			c.Vectors = embedded.NewVector(o.file)
		}
	default:
		use := "sqlite:PATH"
		if scheme == a.Store && scheme != "sqlite" { // a path is all that it can mean
			use = "sqlite:" + a.Store
		}
		return cairn.Errorf(cairn.Invalid, "store: %q is not one that this program knows; use %s, postgres://HOST/DATABASE or mem:", a.Store, use)
	}
	c.Graph = tables.New(c.Store)
	return nil
}

// with runs f on the memory that the settings name, and closes it unless it is shared.
func (a *app) with(ctx context.Context, f func(*opened) error) error {
	if a.shared != nil {
		return f(a.shared)
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(m), m.Close())
}
